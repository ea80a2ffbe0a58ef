"""The first screen of the report: which crawler to use, and all of them at a glance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan

import numpy as np

from lycosa.lab.experiments.measured import BOUNDS
from lycosa.lab.experiments.results import Results
from lycosa.lab.measures.statistics import Estimate
from lycosa.lab.report.paper_tables import mark, note_of, number
from lycosa.lab.report.parts import Looks, listed, named, section, unless_auc
from lycosa.lab.report.verdict import Verdict, verdict, widest
from lycosa.report.markup import Html, bar, element, joined, table, words
from lycosa.report.wording import counted


def answer(results: Results, looks: Looks) -> Html:
    found = [each for group in widest(results) if (each := verdict(results, group)) is not None]
    if not found:
        return section(
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
    return section(
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
    yield named(found.best, looks)
    yield element(
        "span",
        f"{number(found.value)} {unless_auc(results, found.group)}".strip(),
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
        yield joined(listed(found.equals, looks)) if found.equals else "none"
    yield named(found.cheapest, looks)


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


def glance(results: Results, looks: Looks) -> Html:
    """AUC of every strategy in every setting."""
    groups = widest(results)
    means = {group: results.means(group) for group in groups}
    labels = [label for label in looks if any(label in values for values in means.values())]
    highest = {
        group: max((v.mean for k, v in values.items() if k not in BOUNDS), default=0.0) or 1.0
        for group, values in means.items()
    }
    heads = ["Strategy", *(f"{g.web}, D = {g.distance} {unless_auc(results, g)}".strip() for g in groups)]
    rows = []
    for label in labels:
        cells: list[Html | str] = [named(label, looks)]
        for group in groups:
            value = means[group].get(label)
            tested = mark(results.tests(group).get(label))
            cells.append(_heat(value, highest[group], tested, label in BOUNDS))
        rows.append(cells)
    return section(
        "All strategies at a glance",
        element("div", _heat_table(heads, rows), class_="heat"),
        element("p", "AUC of recall. ", note_of(results), class_="note"),
    )


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
