"""The report of an experiment: one HTML page that needs no other file, no network and no script.

Its first screen answers which crawler to use; what follows shows how that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan
from pathlib import Path

import numpy as np

from lycosa import __version__
from lycosa.lab.charts import BOUND, COLOURS, CSS, REST, Bar, Series, bars, curves, scatter, steps
from lycosa.lab.report_about import about_run
from lycosa.lab.report_tables import group_table, test_table
from lycosa.lab.results import METRIC, Results
from lycosa.lab.statistics import Estimate
from lycosa.lab.table import BOUNDS, POINTS, Group, scores
from lycosa.lab.tables import mark, note_of, number, title_of
from lycosa.lab.verdict import Verdict, verdict, widest
from lycosa.report.markup import Html, bar, element, joined, table, words
from lycosa.report.style import CSS as HOUSE
from lycosa.report.text import counted, took
from lycosa.spec import write_whole

MOST_EQUALS = 4
Looks = dict[str, str]
"""By strategy, its class in the style sheet, the same in all plots."""


def write_report(results: Results, path: Path) -> None:
    """Write the report; an older one stays in place until the new one is whole. Raises `OSError`."""
    write_whole(path, page_of(results).encode())


def page_of(results: Results) -> str:
    """The whole page as HTML."""
    name, looks = results.experiment.name, looks_of(results)
    head = element(
        "head",
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'),
        Html(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        ),
        element("title", f"{name} – lycosa lab"),
        element("style", Html(HOUSE + CSS)),
    )
    body = element(
        "body",
        _header(results),
        _answer(results, looks),
        _glance(results, looks),
        (_setting(results, group, looks) for group in widest(results)),
        _frontiers(results, looks),
        _cost(results, looks),
        about_run(results),
        element(
            "footer",
            f"Measured by lycosa {__version__}. Everything on this page is made from {results.folder}.",
        ),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


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


# -- the first screen ----------------------------------------------------------------------------------------


def _header(results: Results) -> Html:
    experiment, crawls = results.experiment, results.crawls
    pages = sum(each.values["pages"] for each in crawls)
    topics = {(each.cell.web, each.cell.task) for each in crawls}
    rest = results.planned - len(crawls)
    tiles = (
        ("Strategies", f"{len(experiment.strategies):,}", f"baseline {experiment.against}"),
        ("Webs", f"{len(experiment.webs):,}", ", ".join(experiment.webs)),
        ("Topics", f"{len(topics):,}", f"{experiment.topics} topics of each web"),
        (
            "Crawls",
            f"{len(crawls):,}",
            f"{rest:,} not yet run" if rest else f"{counted(experiment.pages, 'page')} each",
        ),
        ("Pages", f"{pages:,.0f}", "fetched in all"),
        ("CPU time", took(sum(each.seconds for each in crawls)), "of all crawls"),
        ("Failed", f"{len(results.failed):,}", "crawls"),
    )
    return element(
        "header",
        element("p", "An experiment in lycosa's laboratory", class_="kicker"),
        element("h1", words(experiment.name)),
        element(
            "dl",
            (
                element("div", element("dt", name), element("dd", value, element("small", words(note))))
                for name, value, note in tiles
            ),
            class_="tiles",
        ),
    )


def _answer(results: Results, looks: Looks) -> Html:
    found = [each for group in widest(results) if (each := verdict(results, group)) is not None]
    if not found:
        return _section(
            "Which crawler should I use?", element("p", "No crawl was finished: nothing can be said.")
        )
    rows = [_verdict_row(results, each, looks) for each in found]
    heads = (
        "Where",
        "Best",
        "AUC of recall",
        "Of what was possible",
        "Not significantly worse",
        "Thinks least within 10 %",
    )
    return _section(
        "Which crawler should I use?",
        element("p", _advice(results, found), class_="answer"),
        table(heads, rows),
        element(
            "p",
            "A crawler is given a topic in words and start pages D links away from the pages that it should find. ",
            "Recall is the share of these found so far; AUC is its mean over the crawl, so that early finds count "
            "more. What was possible: the way from chance to one who knows, of each link, whether the page behind "
            "it is relevant (one-step clairvoyant), and to one who knows the shortest ways to all (oracle). "
            "Not significantly worse than the best: by a paired t-test over topics with Holm's correction; few topics "
            "show few differences. Thinks least: of these, among those with nine tenths of the best AUC.",
            class_="note",
        ),
    )


def _verdict_row(results: Results, found: Verdict, looks: Looks) -> Iterator[Html | str]:
    yield element("span", words(str(found.group)), f", {counted(found.value.count, 'topic')}")
    yield _named(found.best, looks)
    yield element(
        "span",
        f"{number(found.value)} {_unless_auc(results, found.group)}".strip(),
        style="white-space:nowrap",
    )
    shares = [("clairvoyant", found.of_clairvoyant), ("oracle", found.of_oracle)]
    yield joined(
        element("div", bar(share), f" {share:.0%} of the {name}", style="white-space:nowrap")
        for name, share in shares
        if share is not None
    )
    if found.untested:
        yield element("span", f"no test: {found.untested}", class_="note")
    else:
        yield joined(_listed(found.equals, looks)) if found.equals else "none"
    yield _named(found.cheapest, looks)


def _advice(results: Results, found: list[Verdict]) -> Html:
    """One or two sentences that can be acted on."""
    tested = [each for each in found if not each.untested]
    if len(tested) < len(found) / 2:
        best = max({each.best for each in found}, key=lambda label: sum(each.best == label for each in found))
        wins = sum(each.best == best for each in found)
        return joined(
            element("b", words(best)),
            f" has the highest mean in {wins} of {counted(len(found), 'setting')}, but this is a hint and no result: ",
            found[0].untested or "too little was tested",
            ".",
        )
    labels = list(dict.fromkeys(label for each in tested for label in (each.best, *each.equals)))

    def score(label: str) -> tuple[int, int, float]:
        good = sum(label == each.best or label in each.equals for each in tested)
        means = [results.means(each.group).get(label) for each in tested]
        return good, sum(label == each.best for each in tested), sum(m.mean for m in means if m)

    best = max(labels, key=score)
    good, wins, _ = score(best)
    cost = np.mean(
        [
            results.means(each.group, "ms")[best].mean
            for each in tested
            if best in results.means(each.group, "ms")
        ]
    )
    return joined(
        "Use ",
        element("b", words(best)),
        f": it is the best in {wins} of {counted(len(tested), 'setting')}",
        f" and not significantly worse than the best in {good - wins} more" if good > wins else "",
        f". It thinks {cost:.2f} ms a page.",
    )


def _glance(results: Results, looks: Looks) -> Html:
    """AUC of every strategy in every setting."""
    groups = widest(results)
    means = {group: results.means(group) for group in groups}
    labels = [label for label in looks if any(label in values for values in means.values())]
    highest = {
        group: max((v.mean for k, v in values.items() if k not in BOUNDS), default=0.0) or 1.0
        for group, values in means.items()
    }
    heads = ["Strategy", *(f"{g.web}, D = {g.distance} {_unless_auc(results, g)}".strip() for g in groups)]
    rows = []
    for label in labels:
        cells: list[Html | str] = [_named(label, looks)]
        for group in groups:
            value = means[group].get(label)
            tested = mark(results.tests(group).get(label))
            cells.append(_heat(value, highest[group], tested, label in BOUNDS))
        rows.append(cells)
    return _section(
        "All strategies at a glance",
        element("div", _heat_table(heads, rows), class_="heat"),
        element("p", "AUC of recall. ", note_of(results), class_="note"),
    )


def _unless_auc(results: Results, group: Group) -> str:
    """What decides in a setting, where that is not the area under the whole curve."""
    metric = results.metric(group)
    return "" if metric == METRIC else f"({title_of(metric)})"


def _heat(value: Estimate | None, highest: float, tested: str, bound: bool) -> Html | str:
    if value is None:
        return ""
    told = f"{value.mean:.3f}"
    told = element("b", told) if value.mean == highest and not bound else element("span", told)
    shade = 0.0 if bound else max(0.0, min(1.0, value.mean / highest))
    error = "" if isnan(value.error) else f" ± {value.error:.3f}"
    return element(
        "td",
        told,
        element("span", error, class_="soft"),
        f" {tested}",
        class_="number",
        style=f"--h:{shade:.2f}",
    )


def _heat_table(heads: Iterable[str], rows: Iterable[Iterable[Html | str]]) -> Html:
    first, *others = heads
    head = element("tr", element("th", first), (element("th", words(h), class_="number") for h in others))

    def cell(content: Html | str) -> Html:
        return content if isinstance(content, Html) and content.startswith("<td") else element("td", content)

    body = (element("tr", map(cell, row)) for row in rows)
    return element("div", element("table", element("thead", head), element("tbody", body)), class_="wide")


# -- one web and distance ------------------------------------------------------------------------------------


def _setting(results: Results, group: Group, looks: Looks) -> Html:
    topics = counted(results.topics(group), "topic")
    return _section(
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
            x=places[: len(found[label][0])],
            y=found[label][0],
            error=found[label][1],
        )
        for label in looks
        if label in found and (which == "recall" or looks[label] != BOUND)
    ]
    note = "Over pages fetched; bands are ±1 standard error over topics (some 68 %)."
    return curves(
        f"{which.capitalize()}: {title.lower()}", series, budget, lambda value: f"{value:.2g}", note
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


# -- frontiers and cost --------------------------------------------------------------------------------------


def _frontiers(results: Results, looks: Looks) -> Html:
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
                x = np.array([place for place, _ in found], dtype=np.float64)
                y, error = np.array([[v.mean, v.error] for _, v in found]).T
                series.append(Series(name=label, look=look, x=x, y=y, error=error))
        if len(here) > 1:
            title = f"{setting.web}, D = {setting.distance} {_unless_auc(results, setting)}".strip()
            plots.append(steps(title, series, names, lambda value: f"{value:.2g}"))
    more = [group for group in results.groups if group not in set(widest(results))]
    return _section(
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


def _cost(results: Results, looks: Looks) -> Html:
    """What thinking costs, and recall × similarity for it."""
    plots = []
    for group in widest(results):
        cost, worth = results.means(group, "ms"), results.efficiency(group)
        plots.append(_cost_bars(f"Thinking, {group}", cost, looks))
        if worth:
            plots.append(_worth_bars(f"Performance/cost, {group}", worth, looks))
    return _section(
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


# -- parts ---------------------------------------------------------------------------------------------------


def _section(title: str, *children: Html | str | Iterable[Html], aside: str = "") -> Html:
    small = element("small", f" · {aside}") if aside else ""
    return element("section", element("h2", words(title), small), *children)


def _named(label: str, looks: Looks) -> Html:
    return element("span", element("i", class_=f"dot {looks.get(label, REST)}"), words(label))


def _listed(labels: Iterable[str], looks: Looks) -> Iterator[Html]:
    shown = list(labels)
    for label in shown[:MOST_EQUALS]:
        yield element("div", _named(label, looks), style="white-space:nowrap")
    if len(shown) > MOST_EQUALS:
        yield element("div", f"and {len(shown) - MOST_EQUALS} more", class_="soft")
