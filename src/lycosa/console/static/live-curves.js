// Curves of a crawl, over the number of its pages (uPlot).
/* global uPlot */

const MOST = 600; // points of a curve; beyond that every second one goes

const share = (value) => (value == null ? "–" : `${(100 * value).toFixed(1)} %`);
const count = (value) => (value == null ? "–" : Math.round(value).toLocaleString("en"));

function thinned(points) {
  if (points.length <= MOST) return points;
  return points.filter((_, place) => place % 2 === points.length % 2 || place === points.length - 1);
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class Curves {
  constructor(crawl) {
    this.crawl = crawl;
    this.plots = [];
    const again = () => this.anew();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    new ResizeObserver(again).observe(document.getElementById("curve-harvest"));
  }

  anew() {
    const width = document.getElementById("curve-harvest").clientWidth;
    if (!width || (width === this.width && this.dark === matchMedia("(prefers-color-scheme: dark)").matches)) return;
    this.width = width;
    this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    for (const plot of this.plots) plot.destroy();
    const [ink, line] = [colour("--soft"), colour("--line")];
    const axis = (more) => ({ stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, font: "12px system-ui", ...more });
    const curve = (label, name, value, more = {}) => ({ label, stroke: colour(name), width: 1.5, value: (_, at) => value(at), points: { show: false }, spanGaps: true, ...more });
    const shown = (place, series, scales, axes, data) =>
      new uPlot({ width, height: 220, cursor: { drag: { x: false, y: false } }, scales: { x: { time: false }, ...scales }, series: [{ label: "pages", value: (_, at) => count(at) }, ...series], axes: [axis(), ...axes] }, data, document.getElementById(place));
    this.plots = [
      shown(
        "curve-harvest",
        [curve("harvest rate", "--s1", share, { width: 2.5 }), curve("of the last 50", "--s2", share), curve("mean relevance of these", "--s3", (at) => at?.toFixed(3) ?? "–")],
        { y: { range: [0, 1] } },
        [axis()],
        this.harvest(),
      ),
      shown(
        "curve-frontier",
        [curve("waiting", "--s4", count, { scale: "links", width: 2.5 }), curve("pages a second", "--s7", (at) => at?.toFixed(1) ?? "–", { scale: "rate" })],
        { links: { range: (_, least, most) => [0, most || 1] }, rate: { range: (_, least, most) => [0, most || 1] } },
        [axis({ scale: "links", size: 60 }), axis({ scale: "rate", side: 1, grid: { show: false } })],
        this.frontier(),
      ),
    ];
  }

  harvest() {
    const samples = this.crawl.course.samples;
    return ["pages", "harvest", "recent", "relevance"].map((name) => samples.map((sample) => sample[name]));
  }

  frontier() {
    const { course, frontier } = this.crawl;
    const once = new Map(frontier); // the last of those with as many pages
    const waiting = [...once].sort(([one], [other]) => one - other);
    const rates = course.samples;
    return uPlot.join([
      [waiting.map(([pages]) => pages), waiting.map(([, links]) => links)],
      [rates.map((one) => one.pages), rates.map((one) => one.rate)],
    ]);
  }

  draw() {
    const { course } = this.crawl;
    course.samples = thinned(course.samples);
    this.crawl.frontier = thinned(this.crawl.frontier);
    if (!this.plots.length) this.anew();
    else {
      this.plots[0].setData(this.harvest());
      this.plots[1].setData(this.frontier());
    }
    const last = course.samples.at(-1);
    document.getElementById("told-harvest").textContent = last
      ? `Harvest rate ${share(last.harvest)}, of the last 50 pages ${share(last.recent)}, whose mean relevance is ${last.relevance.toFixed(3)}.`
      : "No page has come yet.";
    const waits = this.crawl.frontier.at(-1);
    document.getElementById("told-frontier").textContent = waits ? `${count(waits[1])} links wait.` : "";
  }
}
