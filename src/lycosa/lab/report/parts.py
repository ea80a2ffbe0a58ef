"""What the sections of an experiment's report have in common: colours, names, headings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from lycosa.lab.experiments.measured import BOUNDS, Group
from lycosa.lab.experiments.results import METRIC, Results
from lycosa.lab.report.paper_tables import title_of
from lycosa.lab.report.verdict import widest
from lycosa.report.markup import Html, element, words
from lycosa.report.plot import BOUND, COLOURS, REST

MOST_EQUALS = 4
Looks = dict[str, str]
"""By strategy, its class in the style sheet, the same in all plots."""


def looks_of(results: Results) -> Looks:
    """Colours for the baseline and those that are best on the average; the others are grey."""
    labels = list(results.experiment.strategies)
    total: dict[str, list[float]] = {label: [] for label in labels}
    for group in widest(results):
        means = results.means(group)
        best = max((v.mean for k, v in means.items() if k not in BOUNDS), default=0.0) or 1.0
        for label, value in means.items():
            if label in total:
                total[label].append(value.mean / best)
    ranked = sorted(labels, key=lambda label: -float(np.mean(total[label] or [0.0])))
    chosen = [results.experiment.against, *(label for label in ranked if label != results.experiment.against)]
    coloured = sorted(chosen[:COLOURS], key=ranked.index)
    looks = {label: f"s{place}" for place, label in enumerate(coloured, 1)}
    return {label: looks.get(label, REST) for label in ranked} | dict.fromkeys(BOUNDS, BOUND)


def unless_auc(results: Results, group: Group) -> str:
    """What decides in a setting, where that is not the area under the whole curve."""
    metric = results.metric(group)
    return "" if metric == METRIC else f"({title_of(metric)})"


def section(title: str, *children: Html | str | Iterable[Html], aside: str = "") -> Html:
    small = element("small", f" · {aside}") if aside else ""
    return element("section", element("h2", words(title), small), *children)


def named(label: str, looks: Looks) -> Html:
    return element("span", element("i", class_=f"dot {looks.get(label, REST)}"), words(label))


def listed(labels: Iterable[str], looks: Looks) -> Iterator[Html]:
    shown = list(labels)
    for label in shown[:MOST_EQUALS]:
        yield element("div", named(label, looks), style="white-space:nowrap")
    if len(shown) > MOST_EQUALS:
        yield element("div", f"and {len(shown) - MOST_EQUALS} more", class_="soft")
