// A population: who was born of whom, how much energy each has, and what each found.
import { element, words } from "./api.js";
import { bar, cut, number, whyLink } from "./live-lists.js";

const at = (id) => document.getElementById(id);
const name = (one) => `${one.node}/${one.number}`;
let chosen = "";

export function showAgents(crawl) {
  const members = crawl.population;
  at("agents").hidden = !members.length;
  if (!members.length) return;
  const alive = members.filter((one) => one.died === null);
  const most = Math.max(0.001, ...alive.map((one) => one.energy));
  at("agents-told").textContent = `${number(alive.length)} alive, ${number(members.length - alive.length)} dead are shown. Choose one to see what it found.`;
  const focused = document.activeElement?.closest?.("#tree button")?.dataset.agent;
  at("tree").replaceChildren(branch(crawl, families(members), "", most));
  if (focused) at("tree").querySelector(`[data-agent="${CSS.escape(focused)}"]`)?.focus();
  const member = members.find((one) => name(one) === chosen);
  if (member) describe(crawl, member);
}

// The children of each; those whose parent is not known stand at the root.
function families(members) {
  const known = new Set(members.map(name));
  const found = new Map();
  for (const one of [...members].sort((a, b) => a.number - b.number)) {
    const parent = `${one.node}/${one.parent}`;
    const place = one.parent !== null && known.has(parent) ? parent : "";
    if (!found.has(place)) found.set(place, []);
    found.get(place).push(one);
  }
  return found;
}

function branch(crawl, children, parent, most) {
  const list = element("ul", {});
  for (const one of children.get(parent) ?? []) {
    const item = element("li", {}, leaf(crawl, one, most));
    if (children.has(name(one))) item.append(branch(crawl, children, name(one), most));
    list.append(item);
  }
  return list;
}

function leaf(crawl, one, most) {
  const dead = one.died !== null;
  const button = element(
    "button",
    { type: "button", class: `agent${dead ? " dead" : ""}`, "data-agent": name(one), "aria-pressed": name(one) === chosen },
    `${one.number} `, bar(dead ? 0 : one.energy / most), ` ${dead ? "died" : one.energy.toFixed(2)}, ${number(one.pages)} ${one.pages === 1 ? "page" : "pages"}`,
  );
  button.addEventListener("click", () => {
    chosen = name(one);
    showAgents(crawl);
    describe(crawl, one);
  });
  return button;
}

function describe(crawl, one) {
  const life = one.died === null ? `energy ${one.energy.toFixed(3)}` : `died at step ${number(one.died)}`;
  const place = (label, url) => (url ? [element("p", { class: "note" }, `${label} `, whyLink(crawl, url, url))] : []);
  const finds = one.found.map((find) => element("li", {}, whyLink(crawl, find.url, find.title || find.url), ` ${find.relevance.toFixed(3)}`));
  at("agent").replaceChildren(
    element("h3", {}, `Agent ${one.number}`),
    element("p", {}, `${one.parent === null ? "There from the beginning" : `Born of ${one.parent} at step ${number(one.born)}`}; ${life}; ${number(one.links)} links to choose from.`),
    element("p", { class: "note" }, "Looks for ", words(cut(one.looks_for.join(" "), 300))),
    ...place("Stands at", one.stands_at),
    ...place("Waits for", one.waits_for),
    ...(finds.length ? [element("p", {}, "The best that it found:"), element("ol", {}, ...finds)] : []),
  );
}
