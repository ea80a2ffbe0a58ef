"""One web and distance in the report: courses, areas, each topic against the baseline, all numbers."""

from __future__ import annotations

from math import isnan

import numpy as np

from lycosa.lab.experiments.measured import BOUNDS, POINTS, Group, scores
from lycosa.lab.experiments.results import Results
from lycosa.lab.report.page_tables import group_table, test_table
from lycosa.lab.report.paper_tables import mark, number, title_of
from lycosa.lab.report.parts import Looks, section
from lycosa.report.markup import Html, element
from lycosa.report.plot import BOUND, REST, Bar, Series, bars, curves, scatter
from lycosa.report.wording import counted


def setting(results: Results, group: Group, looks: Looks) -> Html:
    topics = counted(results.topics(group), "topic")
    return section(
        str(group),
        element(
            "div",
            _course(results, group, looks, "recall", "Share of the targets found"),
            _course(results, group, looks, "harvest", "Share of pages on topic"),
            class_="pair",
        ),
        element("div", _auc(results, group, looks), _scatters(results, group, looks), class_="pair"),
        group_table(results, group),
        test_table(results, group),
        aside=topics,
    )


def _course(results: Results, group: Group, looks: Looks, which: str, title: str) -> Html:
    budget = results.experiment.pages
    places = np.linspace(1, budget, min(POINTS, budget)).round()
    found = results.curves(group, which)
    series = [
        Series(
            name=label,
            look=looks[label],
            points=list(zip(places.tolist(), found[label][0].tolist(), strict=False)),
            errors=found[label][1].tolist(),
        )
        for label in looks
        if label in found and (which == "recall" or looks[label] != BOUND)
    ]
    note = "Over pages fetched; bands are ±1 standard error over topics (some 68 %)."
    return curves(
        f"{which.capitalize()}: {title.lower()}",
        series,
        lambda value: f"{value:.2g}",
        right=budget,
        note=note,
    )


def _auc(results: Results, group: Group, looks: Looks) -> Html:
    tests = results.tests(group)
    means = results.means(group)
    rows = []
    for label in sorted(means, key=lambda label: (label in BOUNDS, -means[label].mean)):
        tested = tests.get(label)
        rows.append(
            Bar(
                name=label,
                look=looks[label],
                value=means[label].mean,
                error=0.0 if isnan(means[label].error) else means[label].error,
                told=f"{number(means[label])} {mark(tested)}",
                hint="" if tested is None else _hint(results, str(tested)),
            )
        )
    decides = title_of(results.metric(group))
    return bars(
        f"{decides} of recall" if decides.startswith("AUC") else decides,
        rows,
        f"Whiskers are ±1 standard error. Marks: against {results.experiment.against}.",
    )


def _hint(results: Results, told: str) -> str:
    return told.replace("than B", f"than {results.experiment.against}").replace("A is", "It is")


def _scatters(results: Results, group: Group, looks: Looks) -> Html:
    """Each strategy with a colour against the baseline, topic by topic."""
    values = {
        label: {task: float(np.mean(seeds)) for task, seeds in tasks.items()}
        for label, tasks in scores(results.groups[group], results.metric(group)).items()
        if label not in BOUNDS
    }
    against = values.pop(results.experiment.against, {})
    shown = [label for label in looks if label in values and looks[label] != REST]
    if not against or not shown:
        return Html("")
    all_values = [v for label in shown for v in values[label].values()]
    top = max([*against.values(), *all_values]) or 1.0
    smalls = (
        scatter(
            label,
            looks[label],
            ((against[task], value, task) for task, value in values[label].items() if task in against),
            top,
        )
        for label in shown
    )
    return element(
        "figure",
        element("figcaption", element("b", f"Topic by topic, against {results.experiment.against}")),
        element("div", smalls, class_="smalls"),
        element(
            "p", "A dot is a topic: AUC of the baseline to the right, of the strategy upwards.", class_="note"
        ),
    )
