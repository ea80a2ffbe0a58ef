"""What the hunter's experiments came to, as tables, and the picture of the README.

    python benchmarks/hunter_results.py RUN_DIR… > benchmarks/results/hunter.md
    python benchmarks/hunter_results.py RUN_DIR --picture docs/images/hunter.svg [--web wikispeedia --distance 3]

RUN_DIR is what `lycosa lab run` wrote for a file of `benchmarks/hunter`; unfinished runs will do, and say so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from math import isnan
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from lycosa import __version__
from lycosa.lab.experiments.measured import BOUNDS, CLAIRVOYANT, Group, marks, scores
from lycosa.lab.experiments.results import Results
from lycosa.lab.measures.statistics import Comparison, compare_all
from lycosa.lab.report.paper_tables import markdown
from lycosa.model.errors import LycosaError

HUNTER = "hunter"
ALPHA = 0.05
ABOUT = """\
lycosa {version}, 2 cores, {day}. Made by `python benchmarks/hunter_results.py`; the commands of the runs stand in
`benchmarks/hunter/*.toml`. Topics are those of the reporting side of a split: the hunter was made, and its parameters
chosen, with others. Milliseconds were measured while other programs ran and are too many.

AUC of target recall over all pages of a crawl, means over topics. The gap is that between the best other strategy and
the one-step clairvoyant; the best other is chosen after the crawls. p: paired t-test, two-sided, Holm over all
strategies compared. Harvest: against the highest of the others.
"""
SHOWN = (HUNTER, "shark", "evolved", "best-first", "infospiders", "breadth-first")
COLOURS = ("#b3245a", "#1f6f8b", "#8a6d1d", "#4b7f52", "#6b5b95", "#888888")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 380, 48, 44, 22, 190


def against(results: Results, group: Group, metric: str) -> Mapping[str, Comparison]:
    """Every other strategy against the hunter, corrected by Holm."""
    values = {k: v for k, v in scores(results.groups[group], metric).items() if k not in BOUNDS}
    own = values.pop(HUNTER, None)
    return compare_all(own, values) if own and values else {}


def worse_than(results: Results, group: Group) -> list[str]:
    """Where the hunter's recall is significantly below another strategy's."""
    told = []
    for mark in (n for n in (100, 300, 600, 1_000) if n in marks(results.experiment.pages)):
        for label, found in against(results, group, f"recall@{mark}").items():
            if found.corrected is not None and found.corrected < ALPHA and found.difference.mean > 0:
                told.append(f"{label} @{mark}")
    return told


def targets(runs: Sequence[Results]) -> Iterator[str]:
    """A row a web and distance: how much of the gap is closed, how sure that is, and by how much harvest is better."""
    yield (
        "| run | web, D, topics | hunter | best other | clairvoyant | of the gap | p against it "
        "| p against any, at most | harvest @300 / end | significantly worse than |"
    )
    yield "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for results in runs:
        for group in results.groups:
            tests = against(results, group, results.metric(group))
            if not tests or all("hunter" in results.experiment.strategies[label] for label in tests):
                continue  # beside itself in other forms only
            means = results.means(group)
            best = max(tests, key=lambda label: means[label].mean)
            own, other = means[HUNTER].mean, means[best].mean
            bound = means[CLAIRVOYANT].mean if CLAIRVOYANT in means else None
            gap = f"{(own - other) / (bound - other):.0%}" if bound is not None and bound > other else "–"
            told = f"{bound:.3f}" if bound is not None else "–"
            yield (
                f"| {results.folder.name} | {group}, {results.topics(group)} | {own:.3f} | {other:.3f} {best} "
                f"| {told} | {gap} | {_p(tests[best])} | {_greatest(tests)} | {_harvest(results, group)} "
                f"| {', '.join(worse_than(results, group)) or '–'} |"
            )


def _p(found: Comparison) -> str:
    return "–" if found.corrected is None or isnan(found.corrected) else f"{found.corrected:.2g}"


def _greatest(tests: Mapping[str, Comparison]) -> str:
    known = [t.corrected for t in tests.values() if t.corrected is not None and not isnan(t.corrected)]
    return f"{max(known):.2g}" if known else "–"


def _harvest(results: Results, group: Group) -> str:
    """How much higher the harvest rate is than the highest of the others."""
    told = []
    for mark in dict.fromkeys((300, results.experiment.pages)):
        if mark not in marks(results.experiment.pages):
            continue
        means = {k: v.mean for k, v in results.means(group, f"harvest@{mark}").items() if k not in BOUNDS}
        own = means.pop(HUNTER)
        told.append(f"{own / max(means.values()) - 1:+.0%}" if max(means.values(), default=0) > 0 else "–")
    return " / ".join(told)


def report(runs: Sequence[Results]) -> Iterator[str]:
    yield "# The hunter beside others, without its parts, with examples and under hard conditions\n"
    yield ABOUT.format(version=__version__, day=date.today().isoformat())
    yield from targets(runs)
    for results in runs:
        done = sum(1 for each in results.crawls if not each.problem)
        yield "\n" + markdown(results).strip()
        yield f"\n{done:,} of {results.planned:,} crawls, {results.experiment.pages:,} pages each at most."


def picture(results: Results, group: Group) -> str:
    """Recall over pages as an SVG: mean curves, the hunter's with a band of one standard error."""
    curves, budget = results.curves(group, "recall"), results.experiment.pages
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM - TOP
    labels = [label for label in SHOWN if label in curves]

    def at(place: float, value: float) -> str:
        return f"{LEFT + across * place:.1f} {TOP + up * (1 - value):.1f}"

    def line(values: Sequence[float]) -> str:
        return "L".join(at((n + 1) / len(values), value) for n, value in enumerate(values))

    title = f"Share of the targets found, over pages fetched: {group}, {results.topics(group)} topics"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="13" fill="#555555">{escape(title)}</text>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        lines.append(f'<path d="M{at(0, share)}L{at(1, share)}" stroke="#dddddd"/>')
        x, y = at(0, share).split()
        lines.append(
            f'<text x="{float(x) - 6:.1f}" y="{float(y) + 4:.1f}" text-anchor="end" fill="#555555">{share:g}</text>'
        )
        x, y = at(share, 0).split()
        lines.append(
            f'<text x="{x}" y="{float(y) + 18:.1f}" text-anchor="middle" fill="#555555">{share * budget:,.0f}</text>'
        )
    mean, error = curves[HUNTER]
    edge = [*enumerate(mean + error), *reversed(list(enumerate(mean - error)))]
    band = "L".join(at((n + 1) / len(mean), value) for n, value in edge)
    lines.append(f'<path d="M{band}Z" fill="{COLOURS[0]}" opacity=".15"/>')
    for label in reversed([CLAIRVOYANT, *labels]):
        known = label in labels
        colour = COLOURS[SHOWN.index(label)] if known else "#333333"
        style = "" if known else ' stroke-dasharray="5 4"'
        width = 3 if label == HUNTER else 1.6
        drawn = f'd="M{line(curves[label][0].tolist())}" fill="none"'
        lines.append(f'<path {drawn} stroke="{colour}" stroke-width="{width}"{style}/>')
    lines += _names(curves, [CLAIRVOYANT, *labels])
    return "\n".join([*lines, "</svg>", ""])


def _names(curves: Mapping[str, tuple[np.ndarray, np.ndarray]], labels: Sequence[str]) -> list[str]:
    """Names at the ends of the lines, pushed apart where these are close."""
    ends = sorted((1 - float(curves[label][0][-1]), label) for label in labels)
    lines, last = list[str](), -99.0
    for height, label in ends:
        y = max(TOP + (HEIGHT - BOTTOM - TOP) * height + 4, last + 16)
        last = y
        colour = COLOURS[SHOWN.index(label)] if label in SHOWN else "#333333"
        weight = "bold" if label == HUNTER else "normal"
        told = f"{1 - height:.2f} {label}"
        lines.append(
            f'<text x="{WIDTH - RIGHT + 8}" y="{y:.1f}" fill="{colour}" font-weight="{weight}">{escape(told)}</text>'
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--web", default="wikispeedia")
    parser.add_argument("--distance", type=int, default=3)
    given = parser.parse_args()
    try:
        runs = [Results.of(folder) for folder in given.runs]
        if given.picture is None:
            sys.stdout.write("\n".join(report(runs)) + "\n")
            return
        groups = [g for g in runs[0].groups if (g.web, g.distance) == (given.web, given.distance)]
        given.picture.write_text(picture(runs[0], groups[0]), encoding="utf-8")
    except LycosaError as error:
        sys.exit(f"hunter_results: {error}")


if __name__ == "__main__":
    main()
