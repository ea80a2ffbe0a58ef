"""Tables of experiments with shared crawls, in Markdown: means, tests, node by node, and the papers' claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from lycosa.lab.measures.statistics import Comparison, Estimate, estimate
from lycosa.lab.sharing.figures import MEASURES, PER_NODE, Figures
from lycosa.lab.sharing.runner import Case, SharingResults
from lycosa.report.wording import counted


def tables(results: SharingResults) -> str:
    """All that an experiment came to: of each web, number of nodes and budget the means and what was tested."""
    return "\n\n".join("\n".join(_case(results, case)) for case in results.cases) + "\n"


def _case(results: SharingResults, case: Case) -> Iterator[str]:
    means = {metric: results.means(case, metric) for metric in MEASURES}
    shown = [metric for metric in MEASURES if means[metric]]
    count = max((each.count for found in means.values() for each in found.values()), default=0)
    yield f"## {case}, {counted(count, 'seed')}"
    yield ""
    labels = list(results.design.partitions)
    yield f"| measure | {' | '.join(labels)} |"
    yield "|---" * (1 + len(labels)) + "|"
    for metric in shown:
        yield f"| {metric} | {' | '.join(_cell(means[metric].get(label)) for label in labels)} |"
    for metric in results.design.metrics:
        yield from _tested(results, case, metric)
    yield from _overlaps(results, case)
    for label in labels:
        yield from _nodes(results, case, label)


def _tested(results: SharingResults, case: Case, metric: str) -> Iterator[str]:
    """All others beside the baseline."""
    against = results.design.against
    compared = results.compared(case, metric)
    if not compared:
        return
    yield ""
    yield f"{metric[0].upper()}{metric[1:]}: beside {against}"
    yield ""
    yield "| partition | is higher by | 95 % | wins, ties, losses | p (Holm) |"
    yield "|---|---|---|---|---|"
    for label, found in compared.items():
        yield f"| {label} | {_beside(found)} |"


def _beside(found: Comparison) -> str:
    low, high = found.interval or (float("nan"), float("nan"))
    span = "–" if isnan(low) else f"{low:+.3f} to {high:+.3f}"
    p = "–" if found.p is None else f"{found.p:.2g}"
    return f"{found.difference.mean:+.3f} | {span} | {found.wins}, {found.ties}, {found.losses} | {p}"


def _overlaps(results: SharingResults, case: Case) -> Iterator[str]:
    """How many URLs were downloaded by exactly i nodes, on average."""
    found = {
        label: [each.figures.overlap for each in results.of(case, label)]
        for label in results.design.partitions
    }
    most = max((len(each) for histograms in found.values() for each in histograms), default=0)
    yield ""
    yield "URLs downloaded by exactly i nodes"
    yield ""
    yield f"| partition | {' | '.join(str(i) for i in range(1, most + 1))} |"
    yield "|---" * (1 + most) + "|"
    for label, histograms in found.items():
        cells = (f"{sum(many) / len(many):,.0f}" for many in zip(*histograms, strict=True))
        yield f"| {label} | {' | '.join(cells)} |"


def _nodes(results: SharingResults, case: Case, label: str) -> Iterator[str]:
    """Means over the seeds, node by node."""
    runs = results.of(case, label)
    if not runs:
        return
    yield ""
    yield f"{label}, node by node"
    yield ""
    heads = sorted(runs[0].figures.classes) or [
        f"n{number}" for number in range(len(runs[0].figures.overlap))
    ]
    yield f"| measure | {' | '.join(heads)} |"
    yield "|---" * (1 + len(heads)) + "|"
    for metric in PER_NODE:
        rows = [_in_order(run.figures, metric, heads) for run in runs]
        if not any(any(row) for row in rows):
            continue
        known = ([value for value in column if value is not None] for column in zip(*rows, strict=True))
        cells = (_short(sum(values) / len(values)) if values else "–" for values in known)
        yield f"| {metric} | {' | '.join(cells)} |"


def _in_order(figures: Figures, metric: str, heads: Sequence[str]) -> Sequence[float | None]:
    """The values of the nodes in the order of these classes, where nodes have classes."""
    values = figures.nodes[metric]
    return [values[figures.classes.index(head)] for head in heads] if figures.classes else values


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 2 else f"{value:.3f}"


def _cell(value: Estimate | None) -> str:
    if value is None:
        return "–"
    if value.mean >= 1000:
        return f"{value.mean:,.0f}"
    told = f"{value.mean:.3f}"
    return told if isnan(value.error) or value.error < 5e-4 else f"{told} ± {value.error:.3f}"


def mean_of(values: Sequence[float]) -> str:
    """A mean with its standard error, as tables have it."""
    return _cell(estimate(list(values)))
