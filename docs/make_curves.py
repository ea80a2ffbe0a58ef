"""Draws the learning curves on the strategies' pages. Run it from anywhere:

    python docs/make_curves.py [NAME ...]

Given names, it writes only their drawings; all curves are in each of them, so all are computed.

Every strategy crawls the bundled sample web for one topic under virtual time, so the curves come out the same on every
machine. `random` is drawn as the mean of ten seeds.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import date
from functools import cache
from itertools import accumulate
from pathlib import Path
from statistics import fmean

from msgspec.structs import replace

import lycosa
from lycosa.archive.collection import Collection
from lycosa.lab.webs.visitors import SurfShape, looking, surf
from lycosa.model.url import Url
from lycosa.spec.registry import BUILT_IN
from lycosa.spec.tree import CrawlSpec, PolitenessSpec, TopicSpec
from lycosa.web.recorded import RecordedWeb

DOCS = Path(__file__).parent
WEB = DOCS.parent / "examples" / "sample-web"
TOPIC = "dinosaur fossil"
START = "http://schools.wiki.example/wp/Biosphere.html"
PAGES = 300
SEEDS = {"random": range(10), "infospiders": range(3), "infospiders-energy": range(3)}
ONTOLOGY = DOCS.parent / "examples" / "ontologies" / "fossils.ttl"
LESSON_PAGES = 100
"""Of a breadth-first crawl, which strategies that learn from an earlier crawl are given."""
LOG, CRAWL = "access.log", "crawl"
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 320, 44, 40, 16, 120

CAPTION = """\
Web: `examples/sample-web`, 300 encyclopaedia articles on one host, chosen so that there are ways from the start page
to the dinosaurs. Topic: `{topic}`, start page `{start}`. A page counts as relevant from a relevance of {least} on,
by the topic's words. `random` is the mean of ten seeds, the infospiders of three. `focused` was given
`examples/sample-taxonomy.toml`, `context-graph` and `rl` the first 100 pages of the breadth-first crawl, `ontology`
`examples/ontologies/fossils.ttl`, `wtms` the page on fossils as an example, `user-experience` and `url-patterns` the
log of a hundred random surfers with interests of their own (`lycosa log make`), not of people. A crawl that ended early
stays where it was. Drawn on {day} with lycosa {version}. Command: `python docs/make_curves.py`, which gives the same
curves on every machine.
"""


def topic_for(strategy: str, lesson: Path) -> TopicSpec:
    """The topic, and what the strategy has to be given besides; `lesson` is where earlier crawls and logs lie."""
    words = TopicSpec(keywords=tuple(TOPIC.split()))
    logs = replace(words, logs=(str(lesson / LOG),))
    given: dict[str, TopicSpec] = {
        "focused": TopicSpec(
            taxonomy=str(DOCS.parent / "examples" / "sample-taxonomy.toml"), good=("Nature/Dinosaurs",)
        ),
        "context-graph": replace(words, back_links=(str(lesson / CRAWL),)),
        "rl": replace(words, learn_from=(str(lesson / CRAWL),)),
        "ontology": TopicSpec(ontology=str(ONTOLOGY), focus=("dinosaur", "fossil")),
        "wtms": replace(words, examples=("http://schools.wiki.example/wp/Fossil.html",)),
        "user-experience": logs,
        "url-patterns": logs,
    }
    return given.get(strategy, words)


def crawled(
    topic: TopicSpec, strategy: str, out: Path, *, seed: int = 0, pages: int = PAGES
) -> list[tuple[str, float]]:
    """The pages of a crawl in their order, and how relevant it found each."""
    folder = lycosa.crawl(
        topic,
        [START],
        web=f"recorded:{WEB}",
        strategy=strategy,
        seed=seed,
        pages=pages,
        out=out,
        politeness=PolitenessSpec(delay=0.1),
    )
    with folder:
        return [(row.url, row.relevance) for row in folder.rows(text=False)]


@cache
def relevant() -> frozenset[str]:
    """What counts as relevant, whatever a strategy judges pages by: the pages that fit the topic's words."""
    with tempfile.TemporaryDirectory() as place:
        rows = crawled(topic_for("", Path()), "breadth-first", Path(place) / "crawl")
    return frozenset(url for url, relevance in rows if relevance >= CrawlSpec().relevant_from)


@cache
def visitors() -> str:
    """The log of a hundred random surfers on the sample web, for strategies that learn from logs."""
    look = looking(RecordedWeb(Collection.open([WEB])))
    return "\n".join(surf(look, [Url(START)], SurfShape(users=100)))


def found(strategy: str, seed: int) -> list[int]:
    """How many relevant pages there were after each page; a crawl that ended early stays where it was."""
    with tempfile.TemporaryDirectory() as place:
        lesson = Path(place)
        if strategy in ("context-graph", "rl"):
            crawled(topic_for("", lesson), "breadth-first", lesson / CRAWL, pages=LESSON_PAGES)
        if strategy in ("user-experience", "url-patterns"):
            (lesson / LOG).write_text(visitors(), encoding="utf-8")
        rows = crawled(topic_for(strategy, lesson), strategy, lesson / "shown", seed=seed)
    counts = list(accumulate(url in relevant() for url, _ in rows))
    return counts + counts[-1:] * (PAGES - len(counts))


def curve(strategy: str) -> list[float]:
    """The mean over the strategy's seeds."""
    runs = [found(strategy, seed) for seed in SEEDS.get(strategy, range(1))]
    return [fmean(points) for points in zip(*runs, strict=True)]


def drawing(curves: dict[str, list[float]], shown: str) -> str:
    """All curves as one SVG, with the one `shown` in colour."""
    top = max(max(points) for points in curves.values())
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM - TOP

    def at(pages: float, relevant: float) -> tuple[float, float]:
        return LEFT + across * pages / PAGES, TOP + up * (1 - relevant / top)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>Relevant pages found by {shown}, against pages fetched</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for value in range(0, int(top) + 1, 10):
        (x, y), (end, _) = at(0, value), at(PAGES, value)
        lines.append(f'<path d="M{x:.1f} {y:.1f}H{end:.1f}" stroke="#dddddd"/>')
        lines.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="#555555">{value}</text>')
    for value in range(0, PAGES + 1, 50):
        x, y = at(value, 0)
        lines.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle" fill="#555555">{value}</text>')
    x, y = at(PAGES / 2, 0)
    lines.append(
        f'<text x="{x:.1f}" y="{y + 34:.1f}" text-anchor="middle" fill="#555555">pages fetched</text>'
    )
    lines.append(f'<text x="{LEFT}" y="11" fill="#555555">relevant pages found</text>')
    for name, points in curves.items():
        colour, width = ("#b3245a", 2.5) if name == shown else ("#999999", 1.25)
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(n, v) for n, v in enumerate([0, *points])))
        lines.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
    return "\n".join([*lines, *legend(curves, shown), "</svg>", ""])


def legend(curves: dict[str, list[float]], shown: str) -> list[str]:
    """Names beside the drawing, the best after a third of the pages first, with how many it had found by then."""
    third = PAGES // 3
    ranked = sorted(curves, key=lambda name: -curves[name][third - 1])
    x = WIDTH - RIGHT + 10
    lines = [f'<text x="{x}" y="{TOP + 14}" fill="#555555" font-size="11">after {third} pages</text>']
    for number, name in enumerate(ranked, 1):
        colour, weight = ("#b3245a", "bold") if name == shown else ("#777777", "normal")
        told = f"{curves[name][third - 1]:.0f} {name}"
        y = TOP + 14 + 18 * number
        lines.append(f'<text x="{x}" y="{y}" fill="{colour}" font-weight="{weight}">{told}</text>')
    return lines


def main() -> None:
    curves = {name: curve(name) for name in sorted(BUILT_IN)}
    for name in sys.argv[1:] or curves:
        path = DOCS / "images" / f"curve-{name}.svg"
        path.write_text(drawing(curves, name), encoding="utf-8")
        sys.stdout.write(f"wrote {path.relative_to(DOCS.parent)}\n")
    facts = {"topic": TOPIC, "start": START, "least": CrawlSpec().relevant_from}
    caption = CAPTION.format(**facts, day=date.today().isoformat(), version=lycosa.__version__)
    (DOCS / "images" / "curves.txt").write_text(caption, encoding="utf-8")


if __name__ == "__main__":
    main()
