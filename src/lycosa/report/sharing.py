"""How several nodes shared a crawl: in words, and as tables of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING

from lycosa.report.markup import Html, element, joined, table, words
from lycosa.report.plot import COLOURS, Series, curves
from lycosa.report.wording import clean, counted, percent, size

if TYPE_CHECKING:
    from lycosa.crawls.shared.answers import Leg, SharedExplanation, SharedStatus
    from lycosa.crawls.shared.figures import Figures, NodeFigures
    from lycosa.sharing.measures import Politeness, Traffic, Volumes

# -- in words ------------------------------------------------------------------------------------------------


def node_lines(status: SharedStatus) -> Iterator[str]:
    """A line for each node, under a line of headings."""
    heads = ("node", "state", "pages", "requests", "waiting", "sent on", "came in", "links sent")
    rows = [
        (
            clean(node.node),
            node.state,
            *(
                f"{number:,}"
                for number in (
                    node.pages,
                    node.requests,
                    node.pending,
                    node.exported,
                    node.imported,
                    node.exported_links,
                )
            ),
        )
        for node in status.nodes
    ]
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    for row in [heads, *rows]:
        cells = (
            f"{cell:<{width}}" if place < 2 else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def whose(told: SharedExplanation) -> str:
    """Which node fetched a URL, and which has it or is to see to it."""
    fetched = f"fetched by {_names(told.fetched_by)}" if told.fetched_by else ""
    owner = f"{'it is' if told.fetched_by else 'is for'} {clean(told.owner)}" if told.owner else ""
    if told.fetched_by and told.owner:
        owner = f"it is {clean(told.owner)}'s"
    return ", ".join(filter(None, (fetched, owner)))


def elsewhere(told: SharedExplanation) -> str:
    """What other nodes know of it, besides that it is not theirs."""
    known = {
        node: state for node, state in told.at_others.items() if state != "elsewhere" or told.node is None
    }
    return ", ".join(f"{clean(node)} {state}" for node, state in known.items())


def leg(told: Leg) -> str:
    """How one node told another of it: `found at n2 (step 9) on URL, sent to n0 in parcel 17, taken in at step 12`."""
    step = f" (step {told.step:,})" if told.step is not None else ""
    how = "fetched at" if told.whole else "found at"
    on = f" on {clean(told.on)}" if told.on is not None else ""
    return (
        f"{how} {clean(told.found_at)}{step}{on}, sent to {clean(told.to)} in parcel {told.parcel:,}, "
        f"taken in at step {told.taken_in:,}"
    )


def _names(nodes: Sequence[str]) -> str:
    return " and ".join(map(clean, nodes))


# -- in the report -------------------------------------------------------------------------------------------


def section(figures: Figures) -> Html:
    """All that was measured, as tables, and how the nodes' pages became more."""
    return element(
        "section",
        element("h2", "How it was shared"),
        element("p", summary(figures)),
        _volumes(figures),
        _nodes(figures),
        _overlap(figures),
        _course(figures),
    )


def summary(figures: Figures) -> str:
    """The figures of all nodes together, in sentences."""
    whole = figures.whole
    fetched = (
        f"{counted(len(figures.nodes), 'node')} fetched {counted(whole.downloaded.pages, 'page')}, "
        f"{figures.overlap:.3g} for each URL."
    )
    sent = (
        f"{percent(whole.export_ratio)} of them went to another node, with {counted(whole.exported.urls, 'link')} "
        f"besides: {size(whole.exported.bytes)} in all."
    )
    classes = f", and {_share(figures.topical)} lead to a page of the same class (a sample)"
    classes = "" if isnan(figures.topical) else classes
    stay = f"Of the links between pages {_share(figures.stay)} stay at a node{classes}."
    even = (
        f"The node with most pages has {figures.kept.most:.2f} times the mean (Gini {figures.kept.gini:.2f})."
    )
    return " ".join(filter(None, (fetched, sent, stay, even, _politeness(figures.politeness))))


def _politeness(told: Politeness | None) -> str:
    if told is None or not told.requests:
        return ""
    nearest = f", never two closer than {told.nearest:,} ms" if told.nearest is not None else ""
    return (
        f"{counted(told.requests, 'request')} went to {counted(told.hosts, 'host')}: at most {told.most:,} to one of "
        f"them within a second ({clean(told.busiest)}){nearest}."
    )


def _volumes(figures: Figures) -> Html:
    rows = [(each.node, each.volumes) for each in figures.nodes]
    return _wide(
        "Pages, links and bytes",
        table(
            (
                "Node",
                "Downloaded",
                "Retained",
                "Imported",
                "Exported",
                "Export ratio",
                "Links in",
                "Links out",
                "Bytes in",
                "Bytes out",
            ),
            (_row(name, volumes) for name, volumes in [*rows, ("all", figures.whole)]),
            numbers=range(1, 10),
        ),
        "Pages that a node fetched are retained or exported; its collection is what it retained and imported. Bytes "
        "are those of records, packed, and of links as the journals of who got them have them.",
    )


def _row(name: str, volumes: Volumes) -> tuple[Html | str, ...]:
    def pages(traffic: Traffic) -> str:
        return f"{traffic.pages:,}"

    came, went = volumes.imported, volumes.exported
    return (
        words(name),
        *map(pages, (volumes.downloaded, volumes.retained, came, went)),
        percent(volumes.export_ratio),
        f"{came.urls:,}",
        f"{went.urls:,}",
        size(came.bytes),
        size(went.bytes),
    )


def _nodes(figures: Figures) -> Html:
    heads = ["Node", "Pages", "Links that stay", "PageRank's τ"]
    has_classes = any(not isnan(each.topical) for each in figures.nodes)
    if has_classes:
        heads.append("Topic locality")

    def row(each: NodeFigures) -> list[Html | str]:
        kept = each.volumes.retained.pages + each.volumes.imported.pages
        told: list[Html | str] = [words(each.node), f"{kept:,}", _share(each.stay), _number(each.tau)]
        return [*told, _share(each.topical)] if has_classes else told

    note = (
        "Links that stay lead from a node's pages to its own, of all that lead to pages of the crawl. τ (Kendall's "
        "τ-b, from -1 to 1) tells how well PageRank among a node's pages agrees with PageRank of all pages."
    )
    return _wide("Each node", table(heads, map(row, figures.nodes), numbers=range(1, len(heads))), note)


def _overlap(figures: Figures) -> Html:
    rows = ((counted(nodes, "node"), f"{urls:,}") for nodes, urls in enumerate(figures.histogram, 1) if urls)
    note = f"{figures.overlap:.4g} downloads for each URL; 1 is none in vain."
    return _wide("URLs that so many nodes fetched", table(("Fetched by", "URLs"), rows, numbers=(1,)), note)


def _course(figures: Figures) -> Html:
    if sum(map(len, figures.course)) < 2 * len(figures.course):
        return Html("")
    named = zip(figures.nodes, figures.course, strict=True)
    series = [
        Series(name=each.node, points=points, look=f"s{place}" if place <= COLOURS else "rest")
        for place, (each, points) in enumerate(named, 1)
    ]
    return curves(
        "Pages of each node",
        series,
        lambda value: f"{value:,.0f}",
        top=max(points[-1][1] for points in figures.course if points) * 1.05,
        note="How many of the crawl's pages each node had, over all pages in the order of the crawl.",
    )


def _wide(title: str, shown: Html, note: str) -> Html:
    return joined(element("h3", title), shown, element("p", note, class_="note"))


def _share(share: float) -> str:
    return "–" if isnan(share) else percent(share)


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3f}"
