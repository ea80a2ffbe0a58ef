"""Tables of experiments with revisits, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from lycosa.lab.measures.statistics import Comparison, Estimate
from lycosa.lab.time.design import MEASURES
from lycosa.lab.time.runner import Group, RevisitResults
from lycosa.report.wording import counted


def tables(results: RevisitResults) -> str:
    """All that an experiment came to: of each web and budget a table of means and what was tested."""
    return "\n\n".join("\n".join(_group(results, group)) for group in results.groups) + "\n"


def _group(results: RevisitResults, group: Group) -> Iterator[str]:
    means = {metric: results.means(group, metric) for metric in MEASURES}
    shown = [metric for metric in MEASURES if means[metric]]
    count = max((each.count for found in means.values() for each in found.values()), default=0)
    yield f"## {group}, {counted(count, 'task')}"
    yield ""
    yield f"| policy | {' | '.join(shown)} |"
    yield "|---" * (1 + len(shown)) + "|"
    for label in results.design.policies:
        cells = (_cell(means[metric].get(label)) for metric in shown)
        yield f"| {label} | {' | '.join(cells)} |"
    for metric in results.design.metrics:
        yield from _tested(results, group, metric)


def _tested(results: RevisitResults, group: Group, metric: str) -> Iterator[str]:
    """The baseline beside each other policy; bounds are no policies and are not tested."""
    against = results.design.against
    compared = results.compared(group, metric)
    if not compared:
        return
    yield ""
    yield f"{metric.capitalize()}: {against} beside others"
    yield ""
    yield f"| beside | {against} is better by | 95 % | wins, ties, losses | p (Holm) |"
    yield "|---|---|---|---|---|"
    for label, found in compared.items():
        yield f"| {label} | {_beside(found)} |"


def _beside(found: Comparison) -> str:
    """The comparison the other way round: it is the other policy less the baseline."""
    low, high = found.interval or (float("nan"), float("nan"))
    span = "–" if isnan(low) else f"{-high:+.3f} to {-low:+.3f}"
    p = "–" if found.p is None else f"{found.p:.2g}"
    return f"{-found.difference.mean:+.3f} | {span} | {found.losses}, {found.ties}, {found.wins} | {p}"


def _cell(value: Estimate | None) -> str:
    if value is None:
        return "–"
    digits = 3 if abs(value.mean) < 10 else 1
    told = f"{value.mean:.{digits}f}"
    return told if isnan(value.error) else f"{told} ± {value.error:.{digits}f}"
