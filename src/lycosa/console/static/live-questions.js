// What the crawl would ask: one page after the other, answered with a key or a button.
import { element, get, words } from "./api.js";
import { cut, mark, number, whyLink } from "./live-lists.js";

const KEYS = { y: true, n: false };
const EVERY = 30000; // milliseconds between two looks for questions, as of checkpoints

export class Questions {
  constructor(crawl, answered) {
    this.crawl = crawl;
    this.answered = answered;
    this.queue = [];
    this.passed = new Set();
    this.lookedAt = -EVERY;
    this.place = document.getElementById("question");
    this.place.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.queue.length) return;
      if (event.key === "s") this.skip();
      else if (event.key in KEYS) this.answer(KEYS[event.key]);
      else return;
      event.preventDefault();
    });
    this.show();
  }

  // Asks for questions if there are none, and it is not too soon: the crawl has new ones after each checkpoint.
  async look() {
    if (this.queue.length || performance.now() - this.lookedAt < EVERY) return;
    this.lookedAt = performance.now();
    try {
      const told = await get(`${this.crawl.path}/questions?most=10`);
      this.queue = told.filter((one) => !this.passed.has(one.url));
    } catch {
      this.queue = []; // before the first checkpoint, or the folder is gone: that is told elsewhere
    }
    this.show();
  }

  // Somebody marked a page, here or elsewhere.
  heard({ url, detail }) {
    if (detail.startsWith("marked good")) this.crawl.marked[url] = true;
    else if (detail.startsWith("marked bad")) this.crawl.marked[url] = false;
    else delete this.crawl.marked[url];
    this.crawl.markedAt = Date.now();
    this.drop(url);
    this.answered();
  }

  drop(url) {
    const before = this.queue.length;
    this.queue = this.queue.filter((one) => one.url !== url);
    if (this.queue.length !== before) this.show();
  }

  skip() {
    const [first] = this.queue;
    this.passed.add(first.url);
    this.drop(first.url);
  }

  async answer(good) {
    const [first] = this.queue;
    this.passed.add(first.url);
    this.drop(first.url);
    if (!(await mark(this.crawl, first.url, good))) this.passed.delete(first.url);
    this.look();
  }

  show() {
    const [first] = this.queue;
    if (!first) {
      this.place.replaceChildren(element("p", { class: "soft" }, "No page is in doubt now."));
      return;
    }
    const button = (text, key, act) => {
      const made = element("button", { type: "button" }, `${text} (${key})`);
      made.addEventListener("click", act);
      return made;
    };
    this.place.replaceChildren(
      element("p", {}, whyLink(this.crawl, first.url, first.title || first.url), ` – 1 of ${this.queue.length}`),
      element("p", { class: "url" }, words(cut(first.url))),
      element("p", {}, words(cut(first.extract, 400))),
      element("p", { class: "note" }, `Relevance ${first.relevance.toFixed(3)}; ${number(first.waiting)} of its links wait.`),
      element("p", { class: "row" }, button("On topic", "y", () => this.answer(true)), button("Not", "n", () => this.answer(false)), button("Skip", "s", () => this.skip())),
    );
  }
}
