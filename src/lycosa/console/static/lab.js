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

// Bands of one standard error to either side, of those that have colours: two lines that are not seen, for each.
function errors(courses, curve, found, before) {
  const made = { series: [], bands: [], data: [] };
  for (const each of courses) {
    const { stroke, width } = found.get(each.label), spread = each[`${curve}_error`];
    if (width < 2 || !spread.some(Boolean)) continue;
    const at = 1 + before + made.series.length;
    made.bands.push({ series: [at, at + 1], fill: `${stroke}26` });
    for (const sign of [1, -1]) {
      made.series.push({ label: each.label, stroke: "transparent", width: 0, points: { show: false } });
      made.data.push(each[curve].map((value, n) => Math.min(1, Math.max(0, value + sign * spread[n]))));
    }
  }
  return made;
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
  const lines = courses.map(({ label }) => ({ label, value, points: { show: false }, ...found.get(label) }));
  const { series, bands, data } = errors(courses, curve, found, lines.length);
  chart?.destroy();
  chart = new uPlot({
    width: place.clientWidth, height: HIGH, scales: { x: { time: false } }, axes: [axis, { ...axis, size: 52 }],
    series: [{ label: "pages" }, ...lines, ...series], bands,
  }, [told.at, ...courses.map((each) => each[curve]), ...data], place);
  for (const row of [...place.querySelectorAll(".u-series")].slice(1 + lines.length)) row.hidden = true;
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
