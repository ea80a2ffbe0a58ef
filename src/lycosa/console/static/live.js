// A crawl as it goes: what the server tells is kept here, and drawn at most once a frame.
import { get, given, crawlPath, say } from "./api.js";
import { showAgents } from "./live-agents.js";
import { Curves } from "./live-curves.js";
import { showCame, showFacts, showHosts, showReasons, showTiles, showTold, showWaiting } from "./live-lists.js";
import { Questions } from "./live-questions.js";
import { showLevers, steer } from "./live-steer.js";

const KEPT = 100; // pages that came in, the newest and the best of them
const WINDOW = 50; // pages over which running means are taken
const SAID = new Set(["started", "recovered", "marked", "operated", "asked", "blocked", "told", "handed-off"]);

const begun = given();
const crawl = {
  ...begun,
  path: crawlPath(begun.name),
  outlook: null,
  hosts: new Map(begun.hosts.map((one) => [one.host, { ...one }])),
  newest: [],
  told: [],
  connected: true,
  look: async () => HEARD.status(await get(crawlPath(begun.name))), // at once, not when the server looks again
};
const curves = new Curves(crawl);
const questions = new Questions(crawl, () => draw("marks"));

// -- what happens -----------------------------------------------------------------------------------------------------

function pageCame(page) {
  const { course, relevant_from: from } = crawl;
  course.pages += 1;
  course.relevant += page.relevance >= from ? 1 : 0;
  course.last.push([page.at, page.relevance]);
  if (course.last.length > WINDOW) course.last.shift();
  const last = course.last;
  const took = last.at(-1)[0] - last[0][0];
  course.samples.push({
    pages: course.pages,
    at: page.at,
    harvest: course.relevant / course.pages,
    recent: last.filter(([, value]) => value >= from).length / last.length,
    relevance: last.reduce((sum, [, value]) => sum + value, 0) / last.length,
    rate: took > 0 ? (1000 * (last.length - 1)) / took : 0,
  });
  keepPage(page);
  const host = hostOf(page.url);
  host.relevance = (host.relevance * host.pages + page.relevance) / (host.pages + 1);
  host.pages += 1;
}

function keepPage(page) {
  crawl.newest.unshift(page);
  crawl.newest.length = Math.min(crawl.newest.length, KEPT);
  if (crawl.best.every((one) => one.url !== page.url)) crawl.best.push(page);
  crawl.best.sort((one, other) => other.relevance - one.relevance);
  crawl.best.length = Math.min(crawl.best.length, KEPT);
}

function hostOf(url) {
  const host = new URL(url).host;
  if (!crawl.hosts.has(host)) crawl.hosts.set(host, { host, pages: 0, failures: 0, relevance: 0 });
  return crawl.hosts.get(host);
}

function happened(one) {
  if (one.kind === "page" && !one.again) pageCame(one);
  else if (one.kind === "failure") hostOf(one.url).failures += 1;
  else if (SAID.has(one.kind)) tell(one.detail || one.kind, one.at);
  if (one.kind === "marked") questions.heard(one);
}

function tell(text, at = crawl.status.last_at) {
  crawl.told.unshift({ text, at });
  crawl.told.length = Math.min(crawl.told.length, 20);
}

function stands(status) {
  const before = crawl.status;
  crawl.status = status;
  if (before.state !== status.state) {
    const text = status.ended ? `${status.state}: ${status.ended}` : status.state === "running" ? "the crawl runs" : status.state;
    tell(text);
    say(text);
  }
}

// -- drawing ----------------------------------------------------------------------------------------------------------

const SHOWS = {
  tiles: () => showTiles(crawl),
  curves: () => curves.draw(),
  came: () => showCame(crawl),
  marks: () => showCame(crawl),
  waiting: () => showWaiting(crawl),
  hosts: () => showHosts(crawl),
  reasons: () => showReasons(crawl),
  levers: () => showLevers(crawl),
  agents: () => showAgents(crawl),
  told: () => showTold(crawl),
  facts: () => showFacts(crawl),
};
const due = new Set();

function draw(...parts) {
  if (!due.size) requestAnimationFrame(drawn);
  for (const part of parts) due.add(part);
}

function drawn() {
  const parts = [...due];
  due.clear();
  for (const part of parts) SHOWS[part]();
}

// -- following --------------------------------------------------------------------------------------------------------

const HEARD = {
  happenings(told) {
    told.forEach(happened);
    draw("tiles", "curves", "came", "hosts", "told");
  },
  status(told) {
    stands(told);
    draw("tiles", "reasons", "levers", "hosts", "waiting", "told", "facts");
    questions.look();
  },
  outlook(told) {
    crawl.outlook = told;
    crawl.frontier.push([crawl.course.pages, told.waiting]);
    if (told.population.length) crawl.population = told.population;
    crawl.waiting = told.best;
    draw("tiles", "curves", "waiting", "hosts", "levers", "agents", "facts");
  },
  trouble(told) {
    troubled(told.detail);
    tell(told.detail, Date.now());
    draw("told");
  },
  again() {
    troubled("");
    tell("it is there again", Date.now());
    draw("told");
  },
  anew() {
    location.reload();
  },
};

function troubled(text) {
  document.getElementById("trouble").textContent = text;
}

function follow() {
  const query = crawl.token ? `?after=${encodeURIComponent(crawl.token)}` : "";
  const source = new EventSource(`/api/v1${crawl.path}/events${query}`);
  for (const [kind, heed] of Object.entries(HEARD)) {
    source.addEventListener(kind, (event) => {
      if (!crawl.connected) troubled("");
      crawl.connected = true;
      if (event.lastEventId) crawl.token = event.lastEventId;
      heed(JSON.parse(event.data));
    });
  }
  source.addEventListener("error", () => {
    crawl.connected = false;
    if (source.readyState !== EventSource.CLOSED) {
      troubled("lycosa does not answer; trying again …");
      return;
    }
    source.close();
    explain().finally(() => setTimeout(follow, 2000));
  });
  window.addEventListener("pagehide", () => source.close(), { once: true });
}

// Why there is nothing to follow: the folder is gone, for instance. It may come back.
async function explain() {
  try {
    await get(crawl.path);
  } catch (error) {
    troubled(`${error.message || "lycosa does not answer"}; looking again …`);
  }
}

// -- the beginning ----------------------------------------------------------------------------------------------------

for (const one of begun.happenings) {
  if (one.kind === "page" && !one.again) {
    crawl.newest.unshift(one);
  } else if (SAID.has(one.kind)) tell(one.detail || one.kind, one.at);
}
crawl.newest.length = Math.min(crawl.newest.length, KEPT);
steer(crawl, draw);
draw(...Object.keys(SHOWS));
questions.look();
follow();
