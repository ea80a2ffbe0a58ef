// Marks: is this page on topic?
import { crawlPath, post, tried } from "./api.js";

const group = document.getElementById("mark");
const said = new Map([[true, "Marked as on topic."], [false, "Marked as off topic."], [null, "The mark is taken back."]]);

async function mark(button) {
  const good = JSON.parse(button.dataset.good);
  const { crawl, url } = group.dataset;
  const told = await tried(() => post(`${crawlPath(crawl)}/marks`, { urls: [url], good }), said.get(good));
  if (told === undefined) return;
  for (const each of group.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each === button));
}

group?.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) mark(button);
});
