// The map: a tree whose levels come as they are unfolded. What is asked for, unfolded and chosen is in the address.
import { crawlPath, element, get, given, tried, words } from "./api.js";

const MOST_IN_ADDRESS = 40;
const LONGEST = 160;
const WAIT = 250;
const tree = document.getElementById("tree");
const filter = document.getElementById("filter");
let facts = tree ? given() : null;
let open = new Set(facts?.open);
let asked = 0;

const here = () => crawlPath(facts.name);
const level = (key) => facts.levels[key];
const cut = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
const spelt = (relevance) => relevance.toFixed(2);
const query = (pairs) => new URLSearchParams(pairs.filter(([, value]) => value !== "" && value !== 0)).toString();
const asks = () => [["by", facts.by === "links" ? "" : facts.by], ["least", facts.least], ["words", facts.words]];

function keep() {
  const found = new URLSearchParams(query([...asks(), ["at", facts.at]]));
  const unfolded = [...open].slice(-MOST_IN_ADDRESS);
  for (const key of unfolded.length ? unfolded : [""]) found.append("open", key);
  history.replaceState(null, "", `?${found}`);
}

// -- the tree as elements -----------------------------------------------------------------------------------------

function twig(branch, deep) {
  const parts = [element("span", { class: "twist", "aria-hidden": "true" })];
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("i"));
  bar.firstChild.style.width = `${100 * (branch.relevance ?? 0)}%`;
  parts.push(bar, element("span", { class: "value" }, branch.relevance === null ? "" : spelt(branch.relevance)));
  const label = element("span", { class: "label" });
  const why = `${here()}/why?${query([["url", branch.url ?? ""]])}`;
  if (branch.url) label.append(element("a", { href: why, tabindex: "-1" }, words(cut(branch.label))));
  else label.append(words(cut(branch.label)));
  parts.push(label);
  if (branch.below) parts.push(element("span", { class: "inside" }, inside(branch)));
  if (branch.url) {
    const around = `${here()}/graph?${query([["url", branch.url]])}`;
    parts.push(element("a", { class: "around", href: around, tabindex: "-1" }, "links"));
  }
  const item = element("li", { role: "treeitem", tabindex: "-1", "aria-level": deep, "aria-label": told(branch) },
    element("div", { class: "twig" }, ...parts));
  item.dataset.key = branch.key;
  if (branch.relevance !== null && branch.relevance >= facts.relevant_from) item.classList.add("high");
  if (branch.url && !branch.fits) item.classList.add("aside-of");
  if (branch.below) item.setAttribute("aria-expanded", "false");
  if (branch.key === facts.at) item.setAttribute("aria-selected", "true");
  return item;
}

function inside(branch) {
  const below = branch.pages - (branch.fits ? 1 : 0);
  const high = branch.relevant - (branch.fits && branch.relevance >= facts.relevant_from ? 1 : 0);
  return `${below.toLocaleString("en")} inside${high ? `, ${high.toLocaleString("en")} relevant` : ""}`;
}

function told(branch) {
  const parts = [cut(branch.label)];
  if (branch.relevance !== null) parts.push(`relevance ${spelt(branch.relevance)}`);
  if (branch.below) parts.push(inside(branch));
  return parts.join(", ");
}

function more(key, deep) {
  const { branches, total } = level(key);
  const text = `${(total - branches.length).toLocaleString("en")} more`;
  const item = element("li", { role: "treeitem", tabindex: "-1", "aria-level": deep, class: "more" },
    element("div", { class: "twig" }, text));
  item.dataset.more = key;
  return item;
}

function items(key, deep) {
  const found = level(key).branches.map((branch) => {
    const item = twig(branch, deep);
    if (open.has(branch.key) && level(branch.key)) unfoldInto(item);
    return item;
  });
  if (level(key).total > found.length) found.push(more(key, deep));
  return found;
}

function unfoldInto(item) {
  item.setAttribute("aria-expanded", "true");
  item.append(element("ul", { role: "group" }, ...items(item.dataset.key, Number(item.getAttribute("aria-level")) + 1)));
}

function draw() {
  const isIn = tree.contains(document.activeElement);
  tree.replaceChildren(...items("", 1));
  document.getElementById("none").hidden = tree.childElementCount > 0;
  const [shown, of] = [facts.found, facts.pages].map((n) => n.toLocaleString("en"));
  document.getElementById("count").textContent = facts.found === facts.pages ? `${of} pages` : `${shown} of ${of} pages`;
  const chosen = tree.querySelector("[aria-selected]") ?? tree.firstElementChild;
  if (chosen) choose(chosen, isIn);
}

// -- walking and folding ------------------------------------------------------------------------------------------

function choose(item, focuses = true) {
  for (const other of tree.querySelectorAll('[tabindex="0"], [aria-selected]')) {
    other.tabIndex = -1;
    other.removeAttribute("aria-selected");
  }
  item.tabIndex = 0;
  item.setAttribute("aria-selected", "true");
  if (focuses) item.focus();
  if (item.dataset.key !== undefined && focuses) {
    facts.at = item.dataset.key;
    keep();
  }
}

async function fetched(key, skip = 0) {
  const path = `${here()}/map?${query([...asks(), ["under", key], ["skip", skip], ["most", facts.most]])}`;
  return tried(() => get(path));
}

async function unfold(item) {
  const key = item.dataset.key;
  if (item.getAttribute("aria-expanded") !== "false") return;
  facts.levels[key] ??= await fetched(key);
  if (!facts.levels[key]) { delete facts.levels[key]; return; }
  open.add(key);
  unfoldInto(item);
  keep();
}

function fold(item) {
  open.delete(item.dataset.key);
  item.setAttribute("aria-expanded", "false");
  item.querySelector(":scope > ul").remove();
  keep();
}

async function showMore(item) {
  const key = item.dataset.more, there = level(key), deep = Number(item.getAttribute("aria-level"));
  const coming = await fetched(key, there.branches.length);
  if (!coming) return;
  const before = there.branches.length;
  facts.levels[key] = { ...there, branches: [...there.branches, ...coming.branches], total: coming.total };
  const added = items(key, deep).slice(before);
  item.replaceWith(...added);
  if (added.length) choose(added[0]);
}

async function turn(item) {
  if (item.dataset.more !== undefined) return showMore(item);
  return item.getAttribute("aria-expanded") === "true" ? fold(item) : unfold(item);
}

function follow(item, which) {
  item.querySelector(`:scope > .twig ${which}`)?.click();
}

const shown = () => [...tree.querySelectorAll('[role="treeitem"]')];
const above = (item) => item.parentElement.closest('[role="treeitem"]');

function step(item, by) {
  const rows = shown();
  choose(rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(item) + by))]);
}

const KEYS = {
  ArrowDown: (item) => step(item, 1),
  ArrowUp: (item) => step(item, -1),
  PageDown: (item) => step(item, 12),
  PageUp: (item) => step(item, -12),
  Home: () => choose(shown()[0]),
  End: () => choose(shown().at(-1)),
  ArrowRight: (item) => {
    const expanded = item.getAttribute("aria-expanded");
    if (expanded === "false") return unfold(item);
    if (expanded === "true") step(item, 1);
  },
  ArrowLeft: (item) => {
    if (item.getAttribute("aria-expanded") === "true") return fold(item);
    if (above(item)) choose(above(item));
  },
  Enter: (item) => (item.dataset.more === undefined ? follow(item, ".label a") : showMore(item)),
  " ": turn,
  g: (item) => follow(item, ".around"),
};

// -- what is asked for --------------------------------------------------------------------------------------------

// The server knows what to unfold: its page for the new address is read, and drawn here.
async function ask() {
  const fields = new FormData(filter), mine = ++asked;
  const wanted = [["by", fields.get("by")], ["least", fields.get("least")], ["words", fields.get("words").trim()], ["at", facts.at]];
  const written = query(wanted);
  const answer = await tried(() => fetch(`?${written}`));
  if (!answer || mine !== asked) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (mine !== asked || !page.getElementById("given")) return;
  facts = JSON.parse(page.getElementById("given").textContent);
  open = new Set(facts.open);
  history.replaceState(null, "", `?${written}`);
  draw();
}

async function unfoldMore() {
  const folded = [...tree.querySelectorAll('[aria-expanded="false"]')];
  await Promise.all(folded.map(unfold));
}

if (tree) {
  draw();
  let waits = 0;
  filter.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(ask, WAIT);
  });
  filter.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  document.getElementById("unfold").addEventListener("click", unfoldMore);
  document.getElementById("fold").addEventListener("click", () => { open.clear(); draw(); keep(); });
  tree.addEventListener("click", (event) => {
    const item = event.target.closest('[role="treeitem"]');
    if (!item || event.target.closest("a")) return;
    choose(item);
    turn(item);
  });
  tree.addEventListener("keydown", (event) => {
    const item = event.target.closest('[role="treeitem"]');
    const act = KEYS[event.key];
    if (!item || !act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(item);
  });
}
