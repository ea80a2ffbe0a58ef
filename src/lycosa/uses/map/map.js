"use strict";
// A tree of pages that can be folded, searched and walked through. All text goes in by textContent.
const given = JSON.parse(document.getElementById("places").textContent);
const ROW = 21, SHOWN_FIRST = 36, MOST_UNFOLDED = 200, READABLE = 0.75, STEP = innerWidth < 700 ? 150 : 215, SVG = "http://www.w3.org/2000/svg";
const places = given.places.map(([title, url, relevance, parent, anchor, links], id) =>
  ({ id, title: title || url, url, relevance, parent, anchor, links, from: [], below: [], open: false }));
const tops = [];
for (const place of places) {
  (place.parent === null ? tops : places[place.parent].below).push(place);
  for (const target of place.links) places[target].from.push(place.id);
}
const isHigh = place => place.relevance >= given.relevantFrom;
const most = places.reduce((top, place) => Math.max(top, place.relevance), 0) || 1;
for (const place of [...places].reverse()) {
  place.best = place.below.reduce((best, child) => Math.max(best, child.best), place.relevance);
  place.size = place.below.reduce((sum, child) => sum + child.size, 0);
  place.size += 1;
  place.high = place.below.reduce((sum, child) => sum + child.high, 0) + (isHigh(place) ? 1 : 0);
  place.below.sort((a, b) => b.best - a.best || a.id - b.id);
}
const $ = id => document.getElementById(id);
const chart = $("chart"), svg = $("drawing"), view = $("view"), tip = $("tip"), search = $("search"), least = $("least");
const state = { chosen: tops[0], words: "", least: 0, hits: [], rows: [], asked: false, x: 0, y: 0, zoom: 1 };

function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
const cut = (text, width) => text.length > width ? text.slice(0, width - 1) + "…" : text;
const spelt = relevance => relevance.toFixed(3);

// -- which places are shown, and where ------------------------------------------------------------------------

const isShown = place => place.best >= state.least;
const childrenShown = place => place.below.filter(isShown);

function openFirst() {
  // Level by level, as long as the drawing stays small; the most relevant branches first.
  let rows = tops.length, edge = [...tops];
  while (edge.length) {
    edge.sort((a, b) => b.best - a.best || a.id - b.id);
    const next = [];
    for (const place of edge) {
      const more = place.below.length - 1;
      if (!place.below.length || rows + more > SHOWN_FIRST && rows > SHOWN_FIRST / 3) continue;
      place.open = true;
      rows += more;
      next.push(...place.below);
    }
    edge = next;
  }
}

const LETTER = 6.9, OPEN_LABEL = Math.floor((STEP - 48) / LETTER);
const labelWidth = place => 14 + LETTER * Math.min(place.title.length, OPEN_LABEL);

function arrange() {
  // Leaves get a row each, others that of the first below them, which leads to the most relevant page of the branch:
  // the best way runs along the top. Without recursion, as ways can be long.
  state.rows = [];
  let row = 0;
  const stack = tops.filter(isShown).reverse().map(place => [place, 0, false]);
  while (stack.length) {
    const [place, depth, done] = stack.pop();
    const below = place.open ? childrenShown(place) : [];
    if (done) {
      place.y = below[0].y;
      continue;
    }
    state.rows.push(place);
    place.level = depth + 1;
    if (below.length) {
      stack.push([place, depth, true], ...below.reverse().map(child => [child, depth + 1, false]));
    } else {
      place.y = ROW * row++;
    }
  }
  const widths = [];
  for (const place of state.rows) {
    const isOpen = place.open && childrenShown(place).length;
    widths[place.level] = Math.max(widths[place.level] || 40, isOpen ? labelWidth(place) + 48 : 0);
  }
  const starts = [0, 0];
  for (let level = 1; level < widths.length; level++) starts.push(starts[level] + widths[level]);
  for (const place of state.rows) place.x = starts[place.level];
  state.height = row * ROW;
  state.width = state.rows.reduce((right, place) => Math.max(right, place.x), 0) + 1.4 * STEP;
}

// -- drawing ----------------------------------------------------------------------------------------------------

function bend(a, b) {
  const from = a.x + labelWidth(a), half = (b.x - from) / 2;
  return `M${from} ${a.y}C${from + half} ${a.y} ${b.x - half} ${b.y} ${b.x} ${b.y}`;
}

function arc(a, b) {
  const away = Math.max(30, Math.abs(a.y - b.y) / 4);
  return `M${a.x} ${a.y}C${a.x - away} ${a.y} ${b.x - away} ${b.y} ${b.x} ${b.y}`;
}

function drawn(place) {
  const below = childrenShown(place), isOpen = place.open && below.length > 0, hidden = !isOpen && below.length > 0;
  const kinds = ["place", isHigh(place) ? "high" : "low"];
  if (hidden) kinds.push("closed");
  if (hidden && place.high > (isHigh(place) ? 1 : 0)) kinds.push("holds");
  if (state.words) kinds.push(place.isHit ? "match" : "dim");
  else if (state.least && place.relevance < state.least) kinds.push("dim");
  const group = shape("g", {
    class: kinds.join(" "), id: `p${place.id}`, transform: `translate(${place.x} ${place.y})`, role: "treeitem",
    "aria-level": place.level, "aria-label": `${place.title}, relevance ${spelt(place.relevance)}`,
  });
  if (below.length) group.setAttribute("aria-expanded", isOpen);
  const radius = 3.2 + 4.8 * place.relevance / most;
  group.append(shape("rect", { x: -9, y: -ROW / 2, width: STEP - 12, height: ROW, fill: "transparent" }));
  group.append(shape("circle", { class: "dot", r: radius.toFixed(1) }), shape("circle", { class: "ring", r: (radius + 3.5).toFixed(1) }));
  const label = shape("text", { x: radius + 5, dy: "0.34em" }, cut(place.title, isOpen ? OPEN_LABEL : 58));
  if (hidden) {
    const inside = place.high - (isHigh(place) ? 1 : 0);
    label.append(shape("tspan", { class: "more", dx: 6 }, `+${place.size - 1}${inside ? ` (${inside} relevant)` : ""}`));
  }
  group.append(label);
  return group;
}

function draw() {
  arrange();
  if (state.chosen && !state.rows.includes(state.chosen)) {
    let at = state.chosen;
    while (at && !state.rows.includes(at)) at = at.parent === null ? null : places[at.parent];
    state.chosen = at || state.rows[0];
  }
  const lines = state.rows.filter(place => place.parent !== null).map(place => shape("path", { d: bend(places[place.parent], place) }));
  const crossing = shape("g", { id: "crossing" });
  view.replaceChildren(...lines, crossing, ...state.rows.map(drawn));
  if (!state.rows.length) view.append(shape("text", { x: 20, y: 20 }, "No page is as relevant as that."));
  mark();
}

function mark() {
  view.querySelectorAll(".chosen").forEach(each => each.classList.remove("chosen"));
  const place = state.chosen, crossing = $("crossing");
  if (!place) return;
  const group = $(`p${place.id}`);
  group.classList.add("chosen");
  view.querySelectorAll("[aria-selected]").forEach(each => each.removeAttribute("aria-selected"));
  group.setAttribute("aria-selected", "true");
  chart.setAttribute("aria-activedescendant", group.id);
  const shown = new Set(state.rows);
  const isTree = other => other.parent === place.id || place.parent === other.id;
  const lines = (ids, kind) => ids.map(id => places[id]).filter(other => shown.has(other) && !isTree(other))
    .map(other => shape("path", { class: kind, d: arc(place, other) }));
  if (state.asked) crossing.replaceChildren(...lines(place.from, "in"), ...lines(place.links, "out"));
  tell(place);
}

function tell(place) {
  const isWeb = /^https?:\/\//i.test(place.url);
  $("title").textContent = place.title;
  $("link").textContent = place.url;
  if (isWeb) $("link").href = place.url; else $("link").removeAttribute("href");
  const facts = { relevance: spelt(place.relevance) + (isHigh(place) ? " – relevant" : ""), level: place.level - 1 };
  if (place.anchor) facts["found by"] = `“${place.anchor}”`;
  if (place.parent !== null) facts.on = places[place.parent].title;
  facts["links to"] = `${place.links.length} on this map`;
  facts["linked from"] = `${place.from.length} on this map`;
  if (place.below.length) facts.below = `${place.size - 1}, of them ${place.high - (isHigh(place) ? 1 : 0)} relevant`;
  $("facts").replaceChildren(...Object.entries(facts).flatMap(([name, value]) => {
    const pair = [document.createElement("dt"), document.createElement("dd")];
    pair[0].textContent = name;
    pair[1].textContent = value;
    return pair;
  }));
}

// -- moving about -------------------------------------------------------------------------------------------------

function place(glides) {
  view.classList.toggle("glides", Boolean(glides));
  view.style.transform = `translate(${state.x}px,${state.y}px) scale(${state.zoom})`;
}

function zoomBy(factor, x = chart.clientWidth / 2, y = chart.clientHeight / 2) {
  const zoom = Math.min(4, Math.max(0.05, state.zoom * factor)), by = zoom / state.zoom;
  state.x = x - (x - state.x) * by;
  state.y = y - (y - state.y) * by;
  state.zoom = zoom;
  place();
}

function fit(smallest = 0.05) {
  const wide = chart.clientWidth, high = chart.clientHeight;
  state.zoom = Math.max(smallest, Math.min(1, (wide - 30) / state.width, (high - 30) / (state.height || 1)));
  state.x = 20;
  const top = state.chosen ? state.chosen.y : 0;
  state.y = state.height * state.zoom <= high - 30
    ? (high - (state.height - ROW) * state.zoom) / 2 : Math.min(20, high / 3 - top * state.zoom);
  place();
}

function reveal(target) {
  const x = state.x + target.x * state.zoom, y = state.y + target.y * state.zoom;
  const wide = chart.clientWidth, high = chart.clientHeight, edge = 40;
  const right = wide - Math.min(wide / 2, 190 * state.zoom);
  if (x < 16) state.x += 20 - x; else if (x > right) state.x -= x - right;
  if (y < edge) state.y += edge - y; else if (y > high - edge) state.y -= y - (high - edge);
  place(true);
}

function choose(target) {
  state.chosen = target;
  state.asked = true;
  mark();
  reveal(target);
}

function turn(target, open) {
  // What was clicked stays under the pointer while the rest moves.
  const before = target.y;
  target.open = open;
  state.chosen = target;
  draw();
  state.y += (before - target.y) * state.zoom;
  place();
  reveal(target);
}

function walk(by) {
  const at = state.rows.indexOf(state.chosen);
  choose(state.rows[Math.min(state.rows.length - 1, Math.max(0, at + by))]);
}

const keys = {
  ArrowDown: () => walk(1), ArrowUp: () => walk(-1), PageDown: () => walk(12), PageUp: () => walk(-12),
  Home: () => choose(state.rows[0]), End: () => choose(state.rows[state.rows.length - 1]),
  ArrowRight: () => {
    const below = childrenShown(state.chosen);
    if (!below.length) return;
    if (state.chosen.open) choose(below[0]); else turn(state.chosen, true);
  },
  ArrowLeft: () => {
    if (state.chosen.open && childrenShown(state.chosen).length) turn(state.chosen, false);
    else if (state.chosen.parent !== null) choose(places[state.chosen.parent]);
  },
  Enter: () => $("link").focus(), " ": () => turn(state.chosen, !state.chosen.open),
  "+": () => zoomBy(1.25), "=": () => zoomBy(1.25), "-": () => zoomBy(0.8), "0": () => fit(),
  "/": () => search.focus(),
};
chart.addEventListener("keydown", event => {
  const act = keys[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey || !state.rows.length) return;
  event.preventDefault();
  act();
});

const held = new Map();
let spread = 0, moved = 0;
const distance = () => { const [a, b] = [...held.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
chart.addEventListener("pointerdown", event => {
  held.set(event.pointerId, { x: event.clientX, y: event.clientY });
  moved = 0;
  if (held.size === 2) spread = distance();
});
addEventListener("pointermove", event => {
  const before = held.get(event.pointerId);
  if (!before) return;
  const dx = event.clientX - before.x, dy = event.clientY - before.y;
  held.set(event.pointerId, { x: event.clientX, y: event.clientY });
  if (held.size === 2) {
    const box = chart.getBoundingClientRect(), [a, b] = [...held.values()], now = distance();
    zoomBy(now / (spread || now), (a.x + b.x) / 2 - box.left, (a.y + b.y) / 2 - box.top);
    spread = now;
  }
  moved += Math.abs(dx) + Math.abs(dy);
  chart.classList.toggle("held", moved > 4);
  state.x += dx / held.size;
  state.y += dy / held.size;
  place();
});
for (const name of ["pointerup", "pointercancel"]) addEventListener(name, event => {
  held.delete(event.pointerId);
  chart.classList.remove("held");
});
chart.addEventListener("wheel", event => {
  event.preventDefault();
  const box = chart.getBoundingClientRect();
  if (event.shiftKey) { state.x -= event.deltaY; place(); return; }
  zoomBy(Math.exp(-event.deltaY / 500), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });

const under = event => { const group = event.target.closest && event.target.closest("g.place"); return group && places[+group.id.slice(1)]; };
chart.addEventListener("click", event => {
  const target = under(event);
  if (!target || moved > 4) return;
  if (target.below.length) turn(target, !target.open); else choose(target);
});
chart.addEventListener("pointerover", event => {
  const target = under(event);
  tip.hidden = !target || event.pointerType === "touch";
  if (tip.hidden) return;
  const address = document.createElement("small");
  address.textContent = `${target.url} · relevance ${spelt(target.relevance)}`;
  tip.replaceChildren(target.title, address);
  const box = chart.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  tip.style.left = `${Math.max(4, Math.min(x + 14, box.width - tip.offsetWidth - 6))}px`;
  tip.style.top = `${y + tip.offsetHeight + 24 > box.height ? y - tip.offsetHeight - 12 : y + 18}px`;
});
chart.addEventListener("pointerleave", () => { tip.hidden = true; });

// -- searching and tailoring ----------------------------------------------------------------------------------------

function look() {
  state.words = search.value.trim().toLowerCase();
  const wanted = state.words.split(/\s+/).filter(Boolean);
  for (const each of places) {
    const text = `${each.title} ${each.url} ${each.anchor}`.toLowerCase();
    each.isHit = wanted.length > 0 && wanted.every(word => text.includes(word));
  }
  state.hits = places.filter(each => each.isHit && isShown(each)).sort((a, b) => b.relevance - a.relevance || a.id - b.id);
  for (const hit of state.hits.slice(0, MOST_UNFOLDED))
    for (let at = hit.parent; at !== null; at = places[at].parent) places[at].open = true;
  if (state.hits.length) state.chosen = state.hits[0];
  $("found").textContent = state.words ? `${state.hits.length} found` : "";
  draw();
  if (state.chosen) reveal(state.chosen);
}
search.addEventListener("input", look);
search.addEventListener("keydown", event => {
  if (event.key === "Escape") { search.value = ""; look(); chart.focus(); }
  if (event.key !== "Enter" || !state.hits.length) return;
  event.preventDefault();
  const at = state.hits.indexOf(state.chosen), count = state.hits.length;
  choose(state.hits[(at + (event.shiftKey ? count - 1 : 1)) % count]);
});
least.addEventListener("input", () => {
  state.least = most * Number(least.value) / 100;
  $("from").textContent = state.least.toFixed(2);
  draw();
  fit(READABLE);
});
const fold = open => () => { for (const each of places) each.open = open || tops.includes(each) && tops.length === 1; draw(); fit(READABLE); };
$("unfold").addEventListener("click", fold(true));
$("fold").addEventListener("click", fold(false));
$("fit").addEventListener("click", () => fit());
$("larger").addEventListener("click", () => zoomBy(1.3));
$("smaller").addEventListener("click", () => zoomBy(1 / 1.3));
addEventListener("resize", () => place());

openFirst();
draw();
fit(READABLE);
state.chosen = state.rows.reduce((best, place) => place.relevance > best.relevance ? place : best);
mark();
reveal(state.chosen);
