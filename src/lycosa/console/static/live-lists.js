// Lists of the live view. Rows are kept and moved, never made anew: so the focus stays where it is.
import { element, post, tried, words } from "./api.js";

const SHOWN = 20;
const HOSTS = 25;
const LONGEST = 160;
const MARKED_FOR = 6000; // milliseconds for which a row shows that it has moved

export const number = (value) => value.toLocaleString("en");
export const cut = (text, most = LONGEST) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const at = (id) => document.getElementById(id);

export function bar(share) {
  const inner = element("i");
  inner.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
  return element("span", { class: "bar", "aria-hidden": "true" }, inner);
}

// Puts rows into a list in order, by keys: those that are there stay the same elements.
function arranged(list, items, key, make, renew) {
  const there = new Map([...list.children].map((row) => [row.dataset.key, row]));
  items.forEach((item, place) => {
    const name = key(item);
    let row = there.get(name);
    if (row) there.delete(name);
    else {
      row = make(item);
      row.dataset.key = name;
    }
    renew(row, item);
    if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
  });
  for (const row of there.values()) row.remove();
}

export function whyLink(crawl, url, text) {
  return element("a", { href: `${crawl.path}/why?url=${encodeURIComponent(url)}` }, words(cut(text || url)));
}

// -- tiles and failures -----------------------------------------------------------------------------------------------

export function showTiles(crawl) {
  const { status, course, outlook } = crawl;
  const running = status.process !== null;
  at("pages").textContent = number(Math.max(course.pages, status.pages)) + (status.budget ? ` of ${number(status.budget)}` : "");
  at("harvest").textContent = course.pages ? percent(course.relevant / course.pages) : "–";
  at("relevant").textContent = number(course.relevant);
  at("rate").textContent = running ? (course.samples.at(-1)?.rate ?? 0).toFixed(1) : "–";
  at("waits").textContent = number(running && outlook ? outlook.waiting : status.pending);
  at("failures").textContent = number(status.failures);
}

export function showReasons(crawl) {
  const reasons = Object.entries(crawl.status.failures_by_reason).sort(([, one], [, other]) => other - one);
  const most = reasons[0]?.[1] ?? 1;
  const list = at("reasons");
  const rows = reasons.map(([reason, count]) =>
    element("tr", {}, element("td", {}, reason), element("td", { class: "number" }, number(count)), element("td", {}, bar(count / most))),
  );
  list.replaceChildren(...(rows.length ? rows : [element("tr", {}, element("td", { class: "soft" }, "None so far."))]));
}

// What the strategy tells of its work; of agents there is a section of its own.
export function showFacts(crawl) {
  const facts = Object.entries((crawl.status.process !== null && crawl.outlook?.facts) || crawl.status.facts);
  const rows = facts.filter(([name]) => name !== "agents").map(([name, fact]) => [element("dt", {}, words(name)), element("dd", {}, words(cut(inWords(fact), 400)))]);
  at("facts").replaceChildren(...rows.flat());
  at("facts-of").hidden = !rows.length;
}

function inWords(fact) {
  if (typeof fact === "number") return fact.toLocaleString("en", { maximumSignificantDigits: 4 });
  if (Array.isArray(fact)) return fact.map(inWords).join(", ");
  if (fact && typeof fact === "object") return Object.entries(fact).map(([name, each]) => `${name} ${inWords(each)}`).join(", ");
  return String(fact);
}

export function showTold(crawl) {
  const time = (one) => (one > 1e11 ? `${new Date(one).toISOString().slice(11, 19)} ` : "");
  at("told").replaceChildren(...crawl.told.map((one) => element("li", {}, time(one.at), words(cut(one.text, 300)))));
}

// -- what comes in ----------------------------------------------------------------------------------------------------

export function showCame(crawl) {
  const list = at("came");
  const pages = (list.dataset.order === "best" ? crawl.best : crawl.newest).slice(0, SHOWN);
  arranged(list, pages, (page) => page.url, (page) => pageRow(crawl, page), (row, page) => {
    for (const button of row.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", crawl.marked[page.url] === (button.dataset.good === "true"));
    }
  });
}

function pageRow(crawl, page) {
  const row = element("li", {});
  const found = page.via
    ? ["by the link ", element("q", {}, words(cut(page.anchor || "(without words)", 80))), " on ", words(cut(page.via, 80))]
    : ["a start page"];
  row.append(
    element("span", { class: "row" }, bar(page.relevance), element("span", { class: "number" }, page.relevance.toFixed(3)), whyLink(crawl, page.url, page.title || page.url)),
    element("span", { class: "url" }, words(cut(page.final_url || page.url))),
    element("span", { class: "note" }, ...found, `, score ${page.score.toFixed(3)}`),
    element("span", { class: "row marks" }, markButton(crawl, page, true), markButton(crawl, page, false)),
  );
  return row;
}

function markButton(crawl, page, good) {
  const button = element("button", { type: "button", class: "small", "data-good": good, "aria-label": `${good ? "Good" : "Bad"}: ${cut(page.title || page.url, 60)}` }, good ? "Good" : "Bad");
  button.addEventListener("click", () => mark(crawl, page.url, crawl.marked[page.url] === good ? null : good));
  return button;
}

// Says of a page whether it is on topic; the same again takes it back.
export async function mark(crawl, url, good) {
  const said = good === null ? "No longer marked." : `Marked ${good ? "good" : "bad"}.`;
  const done = await tried(() => post(`${crawl.path}/marks`, { urls: [url], good }), said);
  if (!done) return false;
  for (const { url: marked } of done) {
    if (good === null) delete crawl.marked[marked];
    else crawl.marked[marked] = good;
  }
  crawl.markedAt = Date.now();
  showCame(crawl);
  return true;
}

// -- what waits -------------------------------------------------------------------------------------------------------

let before = [];

// How many places each link went forward among those that waited before and still wait.
function shifts(links) {
  const now = new Set(links.map((link) => link.url));
  const old = new Map(before.filter((url) => now.has(url)).map((url, place) => [url, place]));
  const found = new Map();
  let place = 0;
  for (const { url } of links) if (old.has(url)) found.set(url, old.get(url) - place++);
  return found;
}

export function showWaiting(crawl) {
  const links = crawl.waiting.slice(0, SHOWN);
  const shift = shifts(links);
  const blocked = new Set(crawl.status.blocked.map((one) => one.host));
  arranged(at("waiting"), links, (link) => link.url, (link) => linkRow(crawl, link), (row, link) => {
    row.querySelector(".place").textContent = link.score.toFixed(3);
    row.querySelector(".rest").textContent = blocked.has(link.host) ? "its host is blocked" : resting(crawl, link.host, link.rests_until);
    const moved = before.length ? shift.get(link.url) || (before.includes(link.url) ? 0 : Infinity) : 0;
    if (moved && recentlyMarked(crawl)) show(row.querySelector(".moved"), moved);
  });
  const moved = before.length ? links.filter((link) => shift.get(link.url) !== 0).length : 0;
  if (moved && recentlyMarked(crawl)) at("moved").textContent = `The order has changed: ${moved} of these ${links.length} links moved.`;
  if (!links.length) at("moved").textContent = "Nothing waits.";
  else if (at("moved").textContent === "Nothing waits.") at("moved").textContent = "";
  before = links.map((link) => link.url);
}

const recentlyMarked = (crawl) => Date.now() - (crawl.markedAt ?? 0) < 20000;

function show(place, moved) {
  place.textContent = moved === Infinity ? "new here" : moved > 0 ? `▲ ${moved}` : `▼ ${-moved}`;
  place.className = `moved ${moved > 0 ? "up" : "down"}`;
  clearTimeout(place.timer);
  place.timer = setTimeout(() => place.replaceChildren(), MARKED_FOR);
}

function linkRow(crawl, link) {
  const found = link.via
    ? [element("q", {}, words(cut(link.anchor || "(without words)", 80))), " on ", words(cut(link.via, 80))]
    : [link.tier < 0 ? "asked for by a person" : "a start page"];
  return element(
    "li", {},
    element("span", { class: "row" }, element("span", { class: "place number" }), whyLink(crawl, link.url, link.url), element("span", { class: "moved" })),
    element("span", { class: "note" }, ...found),
    element("span", { class: "note rest" }),
  );
}

function resting(crawl, host, until) {
  const { outlook } = crawl;
  if (!outlook || !until || until <= outlook.at) return "";
  const seconds = (until - outlook.at) / 1000;
  return `rests for ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s: ${outlook.why_resting[host] ?? "it was just asked"}`;
}

// -- hosts ------------------------------------------------------------------------------------------------------------

export function showHosts(crawl) {
  const { outlook, status } = crawl;
  const running = status.process !== null && outlook;
  at("resting").replaceChildren(...(running ? restingNow(outlook) : []));
  const blocked = new Map(status.blocked.map((one) => [one.host, one]));
  const hosts = [...crawl.hosts.values()].sort((one, other) => other.pages - one.pages || other.failures - one.failures).slice(0, HOSTS);
  arranged(at("hosts"), hosts, (one) => one.host, (one) => hostRow(crawl, one), (row, one) => {
    const [, pages, failures, relevance, rests, lever] = row.children;
    pages.textContent = number(one.pages);
    failures.textContent = number(one.failures);
    relevance.textContent = one.relevance.toFixed(3);
    rests.textContent = blocked.has(one.host) ? "blocked" : running ? resting(crawl, one.host, outlook.resting[one.host]) : "";
    lever.firstChild.textContent = blocked.has(one.host) ? "Let in" : "Block";
  });
  at("blocks").replaceChildren(...[...blocked.values()].map((block) => blockRow(crawl, block)));
}

function restingNow(outlook) {
  const { order, fetching, hosts_resting: rest } = outlook;
  const told = [`${number(rest)} ${rest === 1 ? "host rests" : "hosts rest"} now, ${number(fetching.length)} ${fetching.length === 1 ? "page is" : "pages are"} being fetched.`];
  if (order?.waits_for) told.push(" The crawl waits for ", words(cut(order.waits_for, 80)), ", as better links wait there than anywhere else.");
  return told;
}

function hostRow(crawl, { host }) {
  const lever = blockButton(crawl, host);
  const cell = () => element("td", { class: "number" });
  return element("tr", {}, element("td", {}, words(cut(host, 60))), cell(), cell(), cell(), element("td", { class: "note" }), element("td", {}, lever));
}

function blockRow(crawl, block) {
  const links = block.links ? `, ${number(block.links)} links set aside` : "";
  const heard = block.step === null ? ", to be heard" : "";
  return element("li", {}, words(cut(block.host, 80)), ` blocked by ${block.by || "a person"}${links}${heard} `, blockButton(crawl, block.host, "Let in"));
}

function blockButton(crawl, host, text = "Block") {
  const button = element("button", { type: "button", class: "small", "aria-label": `Block ${host}, or let it in` }, text);
  button.addEventListener("click", () => block(crawl, host, crawl.status.blocked.some((one) => one.host === host)));
  return button;
}

export async function block(crawl, host, off) {
  const told = await tried(() => post(`${crawl.path}/blocks`, { hosts: [host], off }), off ? "Let in again." : "Blocked.");
  if (told) crawl.status.blocked = told;
  showHosts(crawl);
  showWaiting(crawl);
  return told;
}
