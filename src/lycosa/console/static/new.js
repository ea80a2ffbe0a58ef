// A new crawl: the form is checked as it is filled in, by the same rules as the command line.
import { crawlPath, element, post, Refused } from "./api.js";

const LISTS = ["urls", "seeds_from", "like", "domain", "language", "exclude", "sitemap"];
const NUMBERS = ["pages", "requests", "time", "stop_at_recall", "delay", "depth", "relevant"];
const form = document.getElementById("new");
const problem = document.getElementById("problem");
const strategy = document.getElementById("strategy");

function written() {
  const found = {};
  for (const field of form.elements) {
    if (!field.name) continue;
    const value = field.value.trim();
    if (field.type === "checkbox") {
      if (field.checked) found[field.name] = true;
    } else if (value && LISTS.includes(field.name)) {
      found[field.name] = value.split(/\s*\n\s*/);
    } else if (value && NUMBERS.includes(field.name)) {
      found[field.name] = Number(value);
    } else if (value) {
      found[field.name] = value.replace(/\s+/g, " ");
    }
  }
  return found;
}

// What is written is in the address, so that it can be kept, sent and come back to.
function keep() {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(written())) {
    for (const one of [value].flat()) if (name !== "strategy" || one !== "hunter") query.append(name, one);
  }
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}

async function check() {
  const asked = written();
  if (!asked.topic && !asked.like && !asked.urls && !asked.seeds_from) return;
  try {
    await post("/crawls/check", asked);
    problem.textContent = "";
  } catch (error) {
    problem.textContent = error instanceof Refused ? error.message : "";
  }
}

function describe() {
  document.getElementById("strategy-told").textContent = strategy.selectedOptions[0]?.dataset.told ?? "";
}

if (form) {
  strategy.addEventListener("change", describe);
  describe();
  form.addEventListener("input", keep);
  form.addEventListener("change", check);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button[type=submit]");
    button.disabled = true;
    problem.replaceChildren("Beginning; the example pages are read first …");
    try {
      const { name } = await post("/crawls", written());
      location.assign(crawlPath(name));
    } catch (error) {
      problem.replaceChildren(element("bdi", {}, error instanceof Refused ? error.message : "lycosa does not answer; is it running still?"));
      button.disabled = false;
    }
  });
}
