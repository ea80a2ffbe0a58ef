// Search and browse: "/" goes to the words; pages are indexed and clusters are learned where somebody asks for it.

import { crawlPath, post, say, tried } from "./api.js";

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  const box = document.getElementById("q");
  if (event.key === "/" && box && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});

async function indexing(button) {
  const place = button.closest("[data-crawl]");
  button.disabled = true;
  let left = Infinity;
  while (left > 0) {
    const told = await tried(() => post(`${crawlPath(place.dataset.crawl)}/index`));
    if (!told || told.unindexed >= left) break;
    left = told.unindexed;
    place.querySelector("span").textContent = `${told.pages} pages are indexed, ${left} are left.`;
  }
  if (left === 0) location.reload();
  else button.disabled = false;
}

async function learning(button) {
  const { crawl } = button.closest("[data-crawl]").dataset;
  button.disabled = true;
  say("Clusters are learned; that may take a minute.");
  const told = await tried(() => post(`${crawlPath(crawl)}/clusters`));
  button.disabled = false;
  if (told && !told.clusters) say("There are too few pages for clusters.");
  if (told && told.clusters) location.assign(`${location.pathname}?by=cluster`);
}

document.getElementById("index")?.addEventListener("click", (event) => indexing(event.currentTarget));
document.getElementById("learn")?.addEventListener("click", (event) => learning(event.currentTarget));
