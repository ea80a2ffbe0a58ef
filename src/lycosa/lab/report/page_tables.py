"""The tables of an experiment's report."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from lycosa.lab.experiments.measured import BOUNDS, Group
from lycosa.lab.experiments.results import METRIC, Results
from lycosa.lab.measures.statistics import Comparison
from lycosa.lab.report.paper_tables import mark, metrics_of, number, rows_of, title_of
from lycosa.report.markup import Html, element, table, words


def group_table(results: Results, group: Group) -> Html:
    """Means ± standard errors of all metrics; the tests show when the pointer rests on a value."""
    metrics = metrics_of(results)
    best = {
        metric: max(
            (v.mean for k, v in results.means(group, metric).items() if k not in BOUNDS), default=None
        )
        for metric in metrics
        if metric != "ms"
    }

    def cells() -> Iterator[Iterator[Html | str]]:
        for row in rows_of(results, group, metrics):
            yield _cells(row.label, row.values, row.tests)

    def _cells(label, values, tests) -> Iterator[Html | str]:  # type: ignore[no-untyped-def]
        yield words(label)
        for metric in metrics:
            if metric not in values:
                yield ""
                continue
            value, tested = values[metric], tests.get(metric)
            told = f"{number(value)} {mark(tested)}".strip()
            hint = {"title": in_words(tested, results.experiment.against)} if tested else {}
            leads = label not in BOUNDS and value.mean == best.get(metric)
            yield element("b" if leads else "span", told, **hint)

    heads = ("Strategy", *map(title_of, metrics))
    return element("div", table(heads, cells(), range(1, len(heads))), class_="numbers")


def test_table(results: Results, group: Group) -> Html:
    """All that the tests of AUC against the baseline say, in numbers."""
    tests = results.tests(group)
    if not tests:
        return Html("")
    heads = (
        "Strategy",
        "Difference",
        "95 %",
        "p (t)",
        "p (Holm)",
        "p (Wilcoxon)",
        "d",
        "Rank-biserial",
        "Better/equal/worse",
        "Topics needed",
    )
    ranked = sorted(tests.items(), key=lambda item: -item[1].difference.mean)
    lacking = sorted({found.t.lacking for found in tests.values() if found.t.lacking})
    return element(
        "details",
        element(
            "summary", f"Tests of {title_of(results.metric(group))} against {results.experiment.against}"
        ),
        element(
            "div",
            table(heads, (_tested(label, found) for label, found in ranked), range(1, 10)),
            class_="numbers",
        ),
        element("p", f"No test: {'; '.join(lacking)}.", class_="note") if lacking else "",
        element(
            "p",
            "Two-sided, paired over topics. Interval: percentile bootstrap of 10,000 resamples. d: Cohen's, of the "
            "differences. Topics needed: for a power of 80 %, were the effect as large as seen here.",
            class_="note",
        ),
    )


def _tested(label: str, found: Comparison) -> Iterator[Html | str]:
    yield words(label)
    yield f"{found.difference.mean:+.4f}"
    yield f"{found.interval[0]:+.3f} to {found.interval[1]:+.3f}" if found.interval else "–"
    for p in (found.t.p, found.corrected, found.wilcoxon.p):
        yield "–" if p is None else f"{p:.2g}"
    yield "–" if isnan(found.d) else f"{found.d:.2f}"
    yield f"{found.rank_biserial:+.2f}"
    yield f"{found.wins}/{found.ties}/{found.losses}"
    yield "–" if found.pairs_needed is None else f"{found.pairs_needed:,}"


def in_words(found: Comparison, against: str, metric: str = METRIC) -> str:
    """A comparison to be read when the pointer rests on a value."""
    told = str(found).replace("A is", "It is").replace("A equals B", f"It equals {against}")
    told = told.replace("than B", f"than {against}")
    if found.wilcoxon.p is not None:
        told += f". Wilcoxon p = {found.wilcoxon.p:.2g}"
    return told if isnan(found.d) else f"{told}. d = {found.d:.2f}, rank-biserial {found.rank_biserial:+.2f}"
