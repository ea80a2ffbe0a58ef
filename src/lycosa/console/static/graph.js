// The links around a URL: drawn, and as a list. What is chosen, coloured and sorted by is in the address.
import { crawlPath, element, get, given, Refused, words } from "./api.js";
import { places } from "./graph_places.js";

const MANY_LINKS = 1500;
const MOST_DRAWN = 3000;
const MOST_OF_ONE = 500;
const ROWS = 50;
const READABLE = 1.3;
const LABELLED = 12;
const LABEL = 24;
const LONGEST = 160;
const SHAPES = { page: "ellipse", failed: "triangle", waiting: "diamond", elsewhere: "diamond", found: "rectangle" };
const STATES = { page: "page", failed: "failed", waiting: "waits", elsewhere: "another node’s", found: "not to be fetched" };
const facts = document.getElementById("given") ? given() : null;
const place = (id) => document.getElementById(id);
const cut = (text, most = LONGEST) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const spelt = (value) => (value === null ? "" : value.toFixed(2));
const named = (node) => node.title || node.url;
const counted = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
let graph, drawing, rows = ROWS;

const address = (view, url, more = {}) => `${crawlPath(facts.name)}/${view}?${new URLSearchParams({ url, ...more })}`;

function keep() {
  const found = new URLSearchParams({ url: facts.url });
  const usual = { depth: 1, most: 150, by: "relevance", sort: "authority", at: "" };
  for (const [name, value] of Object.entries(usual)) if (facts[name] !== value) found.set(name, facts[name]);
  history.replaceState(null, "", `?${found}`);
}

// -- the drawing --------------------------------------------------------------------------------------------------

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function valueOf(node) {
  return (facts.by === "relevance" ? node.relevance : node[facts.by]) ?? 0;
}

// What a page calls itself may turn the words around it, or hide: on a canvas nothing else isolates it.
const shownText = (text) => `\u2068${cut(text.replace(/[\p{Cc}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, " "), LABEL)}\u2069`;

// A title, or of a URL the end.
function label(node) {
  const path = node.url.replace(/^[a-z]+:\/\/[^/]*\//i, "");
  return shownText(node.title || (path.length > LABEL ? `…${path.slice(1 - LABEL)}` : path || node.url));
}

function labelled() {
  const ranked = graph.nodes.map((node, number) => [Math.max(node.hub, node.authority, node.relevance ?? 0), number]);
  ranked.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  return new Set([0, ...ranked.slice(0, graph.nodes.length > 60 ? LABELLED : 60).map(([, number]) => number)]);
}

function elements() {
  const where = places(graph), withLabel = labelled(), top = Math.max(...graph.nodes.map(valueOf)) || 1;
  const nodes = graph.nodes.map((node, number) => ({
    group: "nodes",
    position: where[number],
    classes: `${node.state}${number === 0 ? " centre" : ""}`,
    data: {
      id: `n${number}`,
      share: valueOf(node) / top,
      size: 12 + 5 * Math.log2(1 + node.in_links),
      label: withLabel.has(number) ? label(node) : "",
    },
  }));
  return [...nodes, ...drawnLinks().map(line)];
}

const line = ({ source, target }) => ({
  group: "edges", data: { id: `l${source}-${target}`, source: `n${source}`, target: `n${target}` },
});

// All links are too many to be drawn in time, or to be told apart: those between rings, the nearest first.
function drawnLinks() {
  if (graph.links.length <= MOST_DRAWN) return graph.links;
  const far = ({ source, target }) => {
    const [from, to] = [graph.nodes[source].distance, graph.nodes[target].distance];
    return Math.min(from, to) + (from === to ? 100 : 0);
  };
  return [...graph.links].sort((a, b) => far(a) - far(b)).slice(0, MOST_DRAWN);
}

// Of the chosen node all are drawn.
function drawLinksOf(number) {
  drawing.remove(".added");
  const lacking = graph.links.filter(({ source, target }) => source === number || target === number).map(line)
    .filter(({ data }) => drawing.getElementById(data.id).empty());
  drawing.add(lacking.slice(0, MOST_OF_ONE).map((link) => ({ ...link, classes: "added" })));
}

function look() {
  const isLarge = graph.links.length > MANY_LINKS;
  const shapes = Object.entries(SHAPES).map(([state, shape]) => ({ selector: `node.${state}`, style: { shape } }));
  return [
    { selector: "node", style: {
      width: "data(size)", height: "data(size)", label: "data(label)", "font-size": 12, color: colour("--ink"),
      "text-valign": "bottom", "text-margin-y": 3, "text-background-color": colour("--paper"), "text-background-opacity": 0.8,
      "background-color": colour("--paper"), "border-width": 1.5, "border-color": colour("--soft"), "min-zoomed-font-size": 7,
    } },
    { selector: "node[label != '']", style: { "z-index": 5 } },
    ...shapes,
    { selector: "node.page", style: { "background-color": `mapData(share, 0, 1, ${colour("--paper")}, ${colour("--one")})` } },
    { selector: "node.failed", style: { "background-color": colour("--wrong"), "border-color": colour("--wrong") } },
    { selector: "edge", style: {
      width: isLarge ? 0.6 : 1, "line-color": colour("--grey"), opacity: isLarge ? 0.35 : 0.7,
      "curve-style": isLarge ? "haystack" : "straight", "target-arrow-shape": "triangle",
      "target-arrow-color": colour("--grey"), "arrow-scale": 0.7,
    } },
    { selector: "node.centre", style: { "border-width": 4, "border-color": colour("--s2") } },
    { selector: "edge.near", style: {
      width: 1.6, opacity: 1, "line-color": colour("--s3"), "target-arrow-color": colour("--s3"), "z-index": 9,
    } },
    { selector: "node:selected", style: { "border-width": 4, "border-color": colour("--s3"), "z-index": 10 } },
  ];
}

async function draw() {
  const { default: cytoscape } = await import("./vendored/cytoscape.min.mjs");
  const isLarge = graph.links.length > MANY_LINKS, drawn = elements();
  performance.mark("placed");
  drawing = cytoscape({
    container: place("graph"), elements: drawn, style: look(), layout: { name: "preset", fit: false },
    minZoom: 0.02, maxZoom: 3, boxSelectionEnabled: false, autoungrabify: isLarge, selectionType: "single",
    hideEdgesOnViewport: isLarge, textureOnViewport: isLarge, pixelRatio: isLarge ? 1 : "auto",
  });
  fit();
  drawing.on("tap", "node", ({ target }) => choose(Number(target.id().slice(1))));
  drawing.on("dbltap", "node", ({ target }) => location.assign(centred(graph.nodes[Number(target.id().slice(1))])));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawing.style(look()));
  performance.mark("drawn");
}

function recolour() {
  const top = Math.max(...graph.nodes.map(valueOf)) || 1;
  drawing.batch(() => graph.nodes.forEach((node, number) => drawing.getElementById(`n${number}`).data("share", valueOf(node) / top)));
}

function fit() {
  drawing.fit(undefined, 30);
  if (drawing.zoom() <= READABLE) return;
  drawing.zoom(READABLE);
  drawing.center();
}

function zoom(by) {
  drawing.zoom({ level: drawing.zoom() * by, renderedPosition: { x: drawing.width() / 2, y: drawing.height() / 2 } });
}

// -- the chosen node ----------------------------------------------------------------------------------------------

function centred(node) {
  const { depth, most } = facts;
  return address("graph", node.url, { depth, most });
}

function choose(number) {
  const node = graph.nodes[number];
  facts.at = number === 0 ? "" : node.url;
  const pairs = [["State", `${STATES[node.state]}${node.reason ? `: ${node.reason}` : ""}`]];
  if (node.relevance !== null) pairs.push(["Relevance", spelt(node.relevance)]);
  pairs.push(["Linked from", counted(node.in_links, "page")]);
  if (node.state === "page") pairs.push(["Links to", counted(node.out_links, "URL")]);
  pairs.push(["Hub", spelt(node.hub)], ["Authority", spelt(node.authority)]);
  const list = element("dl", {}, ...pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  const ways = element("p", { class: "row" });
  if (number) ways.append(element("a", { class: "button", href: centred(node) }, "Go on from here"));
  ways.append(element("a", { class: "button", href: address("why", node.url) }, "Why"));
  if (node.state === "page") ways.append(element("a", { class: "button", href: address("archive", node.url) }, "Archive"));
  const url = node.title ? [element("span", { class: "url" }, words(node.url))] : [];
  place("chosen").replaceChildren(element("h2", {}, words(cut(named(node)))), ...url, list, ways);
  for (const row of document.querySelectorAll("#list tr.is-chosen")) row.classList.remove("is-chosen");
  document.querySelector(`#list tr[data-number="${number}"]`)?.classList.add("is-chosen");
  drawing?.batch(() => {
    drawing.elements(".near").removeClass("near");
    drawing.nodes(":selected").unselect();
    drawLinksOf(number);
    drawing.getElementById(`n${number}`).select().connectedEdges().addClass("near");
  });
  keep();
}

// -- the list -----------------------------------------------------------------------------------------------------

function ranked() {
  const isText = ["title", "state"].includes(facts.sort);
  const key = (node) => (facts.sort === "title" ? named(node) : node[facts.sort]);
  return graph.nodes.map((node, number) => [number, key(node)])
    .sort((a, b) => (isText ? a[1].localeCompare(b[1]) : (b[1] ?? -1) - (a[1] ?? -1)) || a[0] - b[0])
    .map(([number]) => number);
}

function row(number) {
  const node = graph.nodes[number];
  const link = element("a", { href: centred(node) }, words(cut(named(node))));
  const first = element("td", {}, link);
  if (node.title) first.append(element("span", { class: "url" }, words(cut(node.url))));
  const state = element("td", {}, element("a", { href: address("why", node.url) }, STATES[node.state]));
  const numbers = [spelt(node.relevance), node.in_links.toLocaleString("en"), node.state === "page" ? node.out_links.toLocaleString("en") : "", spelt(node.hub), spelt(node.authority)];
  const made = element("tr", {}, first, state, ...numbers.map((text) => element("td", { class: "number" }, text)));
  made.dataset.number = number;
  return made;
}

function list() {
  const order = ranked();
  document.querySelector("#list tbody").replaceChildren(...order.slice(0, rows).map(row));
  for (const head of document.querySelectorAll("#list th")) {
    const isIt = head.firstElementChild.dataset.sort === facts.sort;
    const way = ["title", "state"].includes(facts.sort) ? "ascending" : "descending";
    head.setAttribute("aria-sort", isIt ? way : "none");
  }
  const rest = order.length - rows;
  place("more").hidden = rest <= 0;
  place("more").textContent = `Show ${Math.min(rest, ROWS)} of ${rest.toLocaleString("en")} more`;
}

function tell() {
  const kinds = {};
  for (const node of graph.nodes) kinds[node.state] = (kinds[node.state] ?? 0) + 1;
  const parts = [counted(kinds.page ?? 0, "page")];
  if (kinds.waiting) parts.push(`${kinds.waiting.toLocaleString("en")} that wait`);
  if (kinds.failed) parts.push(`${kinds.failed.toLocaleString("en")} that failed`);
  const others = (kinds.found ?? 0) + (kinds.elsewhere ?? 0);
  if (others) parts.push(counted(others, "other"));
  const left = [], isThin = graph.links.length > MOST_DRAWN;
  if (graph.nodes_left_out) left.push(`${counted(graph.nodes_left_out, "URL")} as near that do not fit`);
  if (graph.not_looked_up) left.push(`${counted(graph.not_looked_up, "URL")} that few of these link to`);
  if (graph.links_left_out) left.push(`${counted(graph.links_left_out, "link")} among what is shown`);
  place("told").textContent = `${parts.join(", ")}; ${counted(graph.links.length, "link")}${isThin ? `, of which ${MOST_DRAWN.toLocaleString("en")} and those of the chosen page are drawn` : ""}.${left.length ? ` Left out: ${left.join(", ")}.` : ""}`;
}

async function show() {
  const query = new URLSearchParams({ url: facts.url, depth: facts.depth, most: facts.most });
  try {
    graph = await get(`${crawlPath(facts.name)}/graph?${query}`);
  } catch (error) {
    place("problem").replaceChildren(words(error instanceof Refused ? error.message : "lycosa does not answer; is it running still?"));
    return;
  } finally {
    place("waits").hidden = true;
  }
  performance.mark("answered");
  place("shown").hidden = false;
  tell();
  list();
  await draw();
  const at = graph.nodes.findIndex((node) => node.url === facts.at);
  choose(Math.max(0, at));
}

if (facts) {
  place("by").value = facts.by = ["relevance", "authority", "hub"].includes(facts.by) ? facts.by : "relevance";
  if (!document.querySelector(`#list [data-sort="${CSS.escape(facts.sort)}"]`)) facts.sort = "authority";
  place("by").addEventListener("change", ({ target }) => { facts.by = target.value; recolour(); keep(); });
  place("fit").addEventListener("click", fit);
  place("larger").addEventListener("click", () => zoom(1.3));
  place("smaller").addEventListener("click", () => zoom(1 / 1.3));
  place("more").addEventListener("click", () => { rows += ROWS; list(); });
  document.querySelector("#list thead").addEventListener("click", ({ target }) => {
    if (!target.dataset.sort) return;
    facts.sort = target.dataset.sort;
    list();
    keep();
  });
  show();
}
