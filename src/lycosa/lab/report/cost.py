"""What crawling costs, in the report: memory for URLs that wait, and time for thinking."""

from __future__ import annotations

from math import isnan

from lycosa.lab.experiments.measured import BOUNDS
from lycosa.lab.experiments.results import Results
from lycosa.lab.measures.statistics import Estimate
from lycosa.lab.report.page_tables import group_table
from lycosa.lab.report.parts import Looks, section, unless_auc
from lycosa.lab.report.verdict import widest
from lycosa.report.markup import Html, element, joined, words
from lycosa.report.plot import BOUND, Bar, Series, bars, steps


def frontiers(results: Results, looks: Looks) -> Html:
    """How AUC depends on the size of the frontier, where several were run."""
    sizes = sorted({group.frontier for group in results.groups}, key=lambda size: size or float("inf"))
    if len(sizes) < 2:
        return Html("")
    names = [f"{size:,}" if size else "no limit" for size in sizes]
    plots = []
    for setting in widest(results):
        here = {
            g.frontier: g for g in results.groups if (g.web, g.distance) == (setting.web, setting.distance)
        }
        series = []
        for label, look in looks.items():
            found = [
                (place, results.means(here[size])[label])
                for place, size in enumerate(sizes)
                if size in here and label in results.means(here[size])
            ]
            if found and look != BOUND:
                points = [(float(place), value.mean) for place, value in found]
                errors = [value.error for _, value in found]
                series.append(Series(name=label, look=look, points=points, errors=errors))
        if len(here) > 1:
            title = f"{setting.web}, D = {setting.distance} {unless_auc(results, setting)}".strip()
            plots.append(steps(title, series, names, lambda value: f"{value:.2g}"))
    more = [group for group in results.groups if group not in set(widest(results))]
    return section(
        "Scalability with the size of the frontier",
        element(
            "p",
            "AUC of recall by how many URLs may wait (MAX_BUFFER); whiskers are ±1 standard error.",
            class_="note",
        ),
        element("div", plots, class_="pair"),
        element(
            "details",
            element("summary", "Tables of the other frontiers"),
            (joined(element("h3", words(str(group))), group_table(results, group)) for group in more),
        ),
    )


def costs(results: Results, looks: Looks) -> Html:
    """What thinking costs, and recall × similarity for it."""
    plots = []
    for group in widest(results):
        cost, worth = results.means(group, "ms"), results.efficiency(group)
        plots.append(_cost_bars(f"Thinking, {group}", cost, looks))
        if worth:
            plots.append(_worth_bars(f"Performance/cost, {group}", worth, looks))
    return section(
        "Cost",
        element(
            "p",
            "CPU milliseconds of the strategy's own thinking for each page; fetching and parsing are the same for "
            "all. Performance/cost is mean recall × mean similarity to the hidden description, over the mean cost "
            "relative to the average of all strategies (equations 8 and 9 of ACM TOIT 4(4), 2004).",
            class_="note",
        ),
        element("div", plots, class_="pair"),
    )


def _cost_bars(title: str, cost: dict[str, Estimate], looks: Looks) -> Html:
    rows = [
        Bar(
            name=label,
            look=looks[label],
            value=value.mean,
            error=0.0 if isnan(value.error) else value.error,
            told=f"{value.mean:.3f} ms",
        )
        for label, value in sorted(cost.items(), key=lambda item: item[1].mean)
        if label not in BOUNDS
    ]
    return bars(title, rows)


def _worth_bars(title: str, worth: dict[str, float], looks: Looks) -> Html:
    rows = [
        Bar(name=label, look=looks[label], value=value, told=f"{value:.3g}")
        for label, value in sorted(worth.items(), key=lambda item: -item[1])
        if not isnan(value)
    ]
    return bars(title, rows)
