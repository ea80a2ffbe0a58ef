// Experiments: curves, and what is new while one runs. The server's page is read again and its live part is put in.
import { get, tried } from "./api.js";

const COLOURS = 8;
const HIGH = 340;
let chart;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The best strategies have colours, the others and the bounds are grey; bounds are dashed.
function looks(courses) {
  let taken = 0;
  return new Map(courses.map(({ label, is_bound }) => {
    const isColoured = !is_bound && taken < COLOURS;
    return [label, { stroke: colour(isColoured ? `--s${++taken}` : "--grey"), dash: is_bound ? [6, 4] : undefined, width: isColoured ? 2 : 1.2 }];
  }));
}

async function draw() {
  const place = document.getElementById("curves");
  if (!place) return;
  const { experiment, setting, curve } = place.dataset;
  const told = await tried(() => get(`/lab/${encodeURIComponent(experiment)}/curves?setting=${setting}`));
  if (!told || !place.isConnected) return;
  const courses = told.courses.filter((each) => each[curve].length);
  const found = looks(told.courses);
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
  const value = (_, y) => (y === null ? "–" : y.toFixed(3));
  chart?.destroy();
  chart = new uPlot({
    width: place.clientWidth, height: HIGH, scales: { x: { time: false } }, axes: [axis, { ...axis, size: 52 }],
    series: [{ label: "pages" }, ...courses.map(({ label }) => ({ label, value, points: { show: false }, ...found.get(label) }))],
  }, [told.at, ...courses.map((each) => each[curve])], place);
  for (const dot of document.querySelectorAll(".dot")) dot.style.background = found.get(dot.dataset.label)?.stroke ?? "";
}

async function renew(live) {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const coming = page.getElementById("live");
  if (!coming || coming.isEqualNode(drawnAs)) return;
  drawnAs = coming.cloneNode(true);
  const focused = document.activeElement?.getAttribute("href");
  live.replaceChildren(...coming.childNodes);
  live.dataset.every = coming.dataset.every;
  if (focused) live.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  await draw();
}

async function follow(live) {
  while (Number(live.dataset.every)) {
    await new Promise((done) => setTimeout(done, 1000 * Number(live.dataset.every)));
    if (!document.hidden) await renew(live);
  }
}

const live = document.getElementById("live");
let drawnAs = live.cloneNode(true);
await draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("resize", () => chart?.setSize({ width: document.getElementById("curves").clientWidth, height: HIGH }));
follow(live);
