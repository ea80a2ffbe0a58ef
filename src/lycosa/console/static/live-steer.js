// The levers: pause, go on, stop, budget, more start pages, blocked hosts.
import { element, post, say, tried, words } from "./api.js";
import { block, cut } from "./live-lists.js";

const at = (id) => document.getElementById(id);
const ADDED = { new: "added", again: "added, though it failed before", fetched: "the crawl has it already" };

export function showLevers(crawl) {
  const { status, outlook } = crawl;
  const runs = status.process !== null;
  const paused = runs && (status.state === "paused" || outlook?.paused === true);
  const state = runs ? (paused ? "paused" : "running") : status.state;
  at("state").textContent = state;
  at("state").className = `state ${state}`;
  at("ended").textContent = status.ended;
  at("pause").hidden = !runs || paused;
  at("go-on").hidden = !paused;
  at("stop").hidden = !runs;
  at("resume").hidden = runs;
}

export function steer(crawl, draw) {
  const wish = (kind, done) => tried(() => post(`${crawl.path}/wish`, { wish: kind }), done);
  at("pause").addEventListener("click", () => wish("pause", "Pausing: visits that are out come home."));
  at("go-on").addEventListener("click", () => wish("go-on", "It goes on."));
  at("stop").addEventListener("click", () => wish("stop", "Stopping: visits that are out come home."));
  at("resume").addEventListener("click", () => resume(crawl));
  at("budget").addEventListener("submit", (event) => {
    event.preventDefault();
    setBudget(crawl, draw);
  });
  at("add").addEventListener("submit", (event) => {
    event.preventDefault();
    add(crawl);
  });
  at("block").addEventListener("submit", async (event) => {
    event.preventDefault();
    const host = at("block-host").value.trim();
    if (host && (await block(crawl, host, false))) at("block-host").value = "";
  });
  for (const [id, order] of [["by-newest", "newest"], ["by-best", "best"]]) {
    at(id).addEventListener("click", (event) => {
      event.preventDefault();
      at("came").dataset.order = order;
      for (const link of [at("by-newest"), at("by-best")]) link.toggleAttribute("aria-current", false);
      at(id).setAttribute("aria-current", "true");
      history.replaceState(null, "", order === "best" ? "?order=best" : location.pathname);
      draw("came");
    });
  }
}

async function resume(crawl) {
  at("resume").disabled = true;
  const pages = Number(at("budget-pages").value) || null;
  const told = await tried(() => post(`${crawl.path}/resume`, pages && pages !== crawl.status.budget ? { pages } : {}), "It goes on.");
  if (told) await crawl.look();
  at("resume").disabled = false;
}

async function setBudget(crawl, draw) {
  const pages = Number(at("budget-pages").value);
  if (!pages) {
    say("Give a number of pages.", true);
    return;
  }
  const runs = crawl.status.process !== null;
  const told = await tried(() => post(`${crawl.path}/budget`, { pages }), runs ? "The budget is changed." : "The budget counts when the crawl goes on.");
  if (told) crawl.status.budget = pages;
  draw("tiles");
}

async function add(crawl) {
  const urls = at("add-urls").value.split(/\s+/).filter(Boolean);
  if (!urls.length) return;
  const told = await tried(() => post(`${crawl.path}/start-pages`, { urls }));
  if (!told) return;
  at("add-urls").value = "";
  say("");
  at("said").append(...told.map((one) => element("div", {}, words(cut(one.url, 80)), `: ${ADDED[one.state]}`)));
}
