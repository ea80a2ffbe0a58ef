"""What X4's paper says of collaborative crawling, and whether it holds in the laboratory.

    lycosa lab run benchmarks/sharing/x4.toml -o runs/sharing-x4
    python benchmarks/sharing/x4_results.py runs/sharing-x4 [--picture docs/images/sharing-x4.svg]

Prints, of each web and budget, the statements of Chung and Clarke (CIKM 2002, sections 3 to 6) with what was found; how
much of the overlap the links alone explain; and what goes with it when a node's PageRank agrees less with that of the
whole than by hashing. The picture has the downloads a page by budget, the overlap, and τ node by node.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from math import log10
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np
from scipy.stats import spearmanr

from lycosa.lab.measures.statistics import bootstrap_interval, wilcoxon
from lycosa.lab.sharing.design import load_sharing
from lycosa.lab.sharing.ground import NONE, Ground
from lycosa.lab.sharing.made_grounds import ground_of
from lycosa.lab.sharing.runner import RESULTS, Case, Result, SharingResults
from lycosa.model.records import Record

DESIGN = Path(__file__).parent / "x4.toml"
TOPIC, HASH, HOST = "topic", "content", "host"
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 400, 300, 60, 40, 50
COLOURS = ("#1f6feb", "#d1495b", "#2e8b57", "#b8860b")


class Nodes(Record, frozen=True, kw_only=True):
    """All nodes of all seeds of one case, by topic."""

    tau: np.ndarray  # type: ignore[type-arg]
    hashed: np.ndarray  # type: ignore[type-arg]
    as_large: np.ndarray  # type: ignore[type-arg]
    within: np.ndarray  # type: ignore[type-arg]
    locality: np.ndarray  # type: ignore[type-arg]


def read(folder: Path) -> SharingResults:
    lines = (folder / RESULTS).read_bytes().splitlines()
    return SharingResults(load_sharing(DESIGN), [msgspec.json.decode(line, type=Result) for line in lines])


def nodes_of(results: SharingResults, case: Case) -> Nodes:
    columns: dict[str, list[float]] = {name: [] for name in Nodes.__struct_fields__}
    for run in results.of(case, TOPIC):
        rows = run.figures.nodes
        for node, tau in enumerate(rows["tau"]):
            told = (rows["tau, content hash"][node], rows["tau, as large"][node])
            if tau is None or None in told:
                continue
            columns["tau"].append(tau)
            columns["hashed"].append(told[0] or 0.0)
            columns["as_large"].append(told[1] or 0.0)
            columns["within"].append(rows["in-links from within"][node] or 0.0)
            columns["locality"].append(rows["locality"][node] or 0.0)
    return Nodes(**{name: np.array(values) for name, values in columns.items()})


def of(results: SharingResults, case: Case, label: str, metric: str) -> str:
    found = results.means(case, metric).get(label)
    if found is None:
        return "–"
    return f"{found.mean:.3f}" + (f" ± {found.error:.3f}" if found.error > 5e-4 else "")


def statements(results: SharingResults, case: Case) -> Iterator[tuple[str, str]]:
    """What the paper says, and what was found."""
    runs = results.of(case, TOPIC)
    many = len(runs[0].figures.overlap)
    yield (
        f"Hashing keeps 1/n of the links: {1 / many:.3f}; a topic keeps most",
        f"{of(results, case, HASH, 'locality')}; topic {of(results, case, TOPIC, 'locality')}, "
        f"host {of(results, case, HOST, 'locality')}, majority {of(results, case, 'majority', 'locality')}",
    )
    yield (
        f"Hashing contents exports (n - 1)/n of the pages: {1 - 1 / many:.3f}; a topic 1 - p_l",
        f"{of(results, case, HASH, 'pages exported')}; topic {of(results, case, TOPIC, 'pages exported')}, "
        f"where 1 - p_l is {1 - results.means(case, 'locality')[TOPIC].mean:.3f}",
    )
    yield (
        "Without transfer of pages much less is sent",
        f"bytes moved for each downloaded: {of(results, case, TOPIC, 'bytes moved')}, links only "
        f"{of(results, case, 'topic, links only', 'bytes moved')}",
    )
    histogram = [fmean(each) for each in zip(*(run.figures.overlap for run in runs), strict=True)]
    falls = all(a >= b for a, b in pairwise(histogram))
    yield (
        "URLs downloaded by i nodes fall rapidly with i",
        f"{', '.join(f'{many:,.0f}' for many in histogram)}{'' if falls else ' (not at every i)'}; "
        f"{of(results, case, TOPIC, 'downloads a page')} downloads a page",
    )
    yield from of_tau(nodes_of(results, case))
    yield (
        "A focused order of the queue sends less",
        f"pages exported {of(results, case, 'topic, focused', 'pages exported')}, in the order found "
        f"{of(results, case, TOPIC, 'pages exported')}",
    )


def of_tau(nodes: Nodes) -> Iterator[tuple[str, str]]:
    ahead = nodes.tau - nodes.hashed
    low, high = bootstrap_interval(ahead) or (float("nan"), float("nan"))
    yield (
        "τ of a topic is higher than by hashing in all cases",
        f"in {int((ahead > 0).sum())} of {ahead.size}; by {ahead.mean():+.3f} ({low:+.3f} to {high:+.3f}, p = "
        f"{wilcoxon(ahead).p or 1:.2g}); {int((nodes.tau > nodes.as_large).sum())} of {ahead.size} over parts drawn at "
        "random as large",
    )
    yield (
        "τ by hashing is nearly the same everywhere",
        f"mean {nodes.hashed.mean():.3f}, s.d. {nodes.hashed.std():.3f}; topic {nodes.tau.mean():.3f}, s.d. "
        f"{nodes.tau.std():.3f}",
    )


def why(results: SharingResults, case: Case) -> Iterator[str]:
    """What goes with a topic's being ahead in τ: Spearman's rank correlation over nodes."""
    nodes = nodes_of(results, case)
    ahead = nodes.tau - nodes.hashed
    pairs = (
        ("the share of its in-links that come from within", nodes.within),
        ("the share of its links that stay", nodes.locality),
    )
    for name, values in pairs:
        found = spearmanr(ahead, values)
        yield f"| {case} | {name} | {found.statistic:+.2f} | {found.pvalue:.2g} |"


def by_locality(results: SharingResults) -> Iterator[str]:
    """Of all webs, run to the end: how often a topic is ahead in τ, by the share of its links that stay."""
    found = [nodes_of(results, case) for case in results.cases if not case.budget]
    locality = np.concatenate([each.locality for each in found])
    ahead = np.concatenate([each.tau - each.hashed for each in found])
    for low, high in pairwise((0.0, 0.1, 0.2, 0.3, 0.5, 1.0)):
        there = (locality >= low) & (locality < high)
        if there.any():
            yield f"| {low:g} to {high:g} | {(ahead[there] > 0).sum()} of {there.sum()} | {ahead[there].mean():+.3f} |"


def expected_overlap(ground: Ground) -> float:
    """Downloads a page if each page is fetched by every node to whose class some page belongs that links to it: the
    mean number of classes of the pages that link to a page, of pages that some page links to."""
    graph, classes = ground.graph, np.where(ground.classes == NONE, 0, ground.classes)
    sources = np.repeat(classes, np.diff(graph.indptr)).astype(np.int64)
    pairs = np.unique(graph.indices.astype(np.int64) * len(ground.names) + sources)
    times = np.bincount(pairs // len(ground.names), minlength=len(ground))
    return float(times[times > 0].mean())


# -- the picture ---------------------------------------------------------------------------------------------


def picture(results: SharingResults) -> str:
    ends = [case for case in results.cases if not case.budget]
    panels = [*by_budget(0, results), *overlaps(1, results, ends), *taus(2, results, ends)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * WIDTH} {HEIGHT}" font-family="sans-serif" '
            'font-size="12">',
            "<title>X4 in the laboratory: downloads a page by budget, overlap, and Kendall's tau</title>",
            f'<rect width="{3 * WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
            *panels,
            "</svg>",
            "",
        ]
    )


class Panel:
    """One plot: x and y from 0 to their ends."""

    def __init__(self, place: int, title: str, right: float, top: float) -> None:
        self.left, self.right, self.top = WIDTH * place + LEFT, right, top
        self._across, self._up = WIDTH - LEFT - 30, HEIGHT - TOP - BOTTOM
        self.head = f'<text x="{self.left}" y="18" fill="#333333" font-weight="bold">{escape(title)}</text>'

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.left + self._across * x / self.right, TOP + self._up * (1 - y / self.top)

    def axis(self, marks: Sequence[tuple[float, str]], under: Sequence[tuple[float, str]]) -> Iterator[str]:
        yield self.head
        for value, said in marks:
            (x, y), (end, _) = self.at(0, value), self.at(self.right, value)
            yield f'<path d="M{x:.1f} {y:.1f}H{end:.1f}" stroke="#dddddd"/>'
            yield f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end" fill="#555555">{said}</text>'
        for value, said in under:
            x, y = self.at(value, 0)
            yield f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle" fill="#555555">{said}</text>'

    def line(self, points: Sequence[tuple[float, float]], colour: str, said: str, row: int) -> Iterator[str]:
        placed = [self.at(x, y) for x, y in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in placed)
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for x, y in placed:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
        x, _ = self.at(0, 0)
        yield f'<text x="{x + 10:.1f}" y="{TOP + 12 + 15 * row}" fill="{colour}">{escape(said)}</text>'


def by_budget(place: int, results: SharingResults) -> Iterator[str]:
    webs = list(results.design.webs)
    budgets = list(results.design.budgets)
    panel = Panel(place, "downloads a page, by topic", len(budgets) - 0.5, 6)
    names = [f"{each:g} a page" if each else "to the end" for each in budgets]
    yield from panel.axis(
        [(n, str(n)) for n in range(0, 7, 2)], [(n + 0.25, name) for n, name in enumerate(names)]
    )
    for row, web in enumerate(webs):
        points = [
            (
                results.design.budgets.index(case.budget) + 0.25,
                results.means(case, "downloads a page")[TOPIC].mean,
            )
            for case in results.cases
            if case.web == web
        ]
        yield from panel.line(points, COLOURS[row % len(COLOURS)], web, row)


def overlaps(place: int, results: SharingResults, ends: Sequence[Case]) -> Iterator[str]:
    panel = Panel(place, "pages downloaded by exactly i nodes, to the end", 16.5, 5.5)
    yield from panel.axis([(n, f"{10**n:,}") for n in range(6)], [(n, str(n)) for n in range(1, 17, 3)])
    for row, case in enumerate(ends):
        runs = [run.figures.overlap for run in results.of(case, TOPIC)]
        means = [fmean(each) for each in zip(*runs, strict=True)]
        points = [(i, log10(many)) for i, many in enumerate(means, 1) if many >= 1]
        yield from panel.line(points, COLOURS[row % len(COLOURS)], "", row)


def taus(place: int, results: SharingResults, ends: Sequence[Case]) -> Iterator[str]:
    panel = Panel(place, "τ by topic against τ by hash, a point a node", 1, 1)
    yield from panel.axis(
        [(n / 5, f"{n / 5:g}") for n in range(6)], [(n / 5, f"{n / 5:g}") for n in range(6)]
    )
    (x, y), (end, top) = panel.at(0, 0), panel.at(1, 1)
    yield f'<path d="M{x:.1f} {y:.1f}L{end:.1f} {top:.1f}" stroke="#999999" stroke-dasharray="4"/>'
    for row, case in enumerate(ends):
        nodes = nodes_of(results, case)
        for hashed, tau in zip(nodes.hashed, nodes.tau, strict=True):
            x, y = panel.at(max(0.0, hashed), max(0.0, tau))
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[row % len(COLOURS)]}" fill-opacity="0.6"/>'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    results = read(options.folder)
    for case in results.cases:
        if not results.of(case, TOPIC):
            continue
        print(f"\n**{case}**\n\n| the paper says | found |\n|---|---|")
        for said, found in statements(results, case):
            print(f"| {said} | {found} |")
    print("\n| where | τ over that of hashing goes with | Spearman's ρ | p |\n|---|---|---|---|")
    for case in results.cases:
        for line in why(results, case):
            print(line)
    print("\n| links that stay, to the end | topic ahead of hashing in τ | by |\n|---|---|---|")
    for line in by_locality(results):
        print(line)
    print("\n| web | downloads a page, to the end | links only | by the links alone |\n|---|---|---|---|")
    for web, spec in results.design.webs.items():
        case = next((each for each in results.cases if each.web == web and not each.budget), None)
        if case is not None:
            found = (of(results, case, label, "downloads a page") for label in (TOPIC, "topic, links only"))
            print(f"| {web} | {' | '.join(found)} | {expected_overlap(ground_of(spec, web, 0)):.3f} |")
    if options.picture:
        options.picture.write_text(picture(results), encoding="utf-8")


if __name__ == "__main__":
    main()
