"""How a shared crawl stands: what its nodes tell, together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from lycosa.crawls.answers import Block, InOrder, Outlook, Refreshing, Status
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.lookout import MOST_RESTING, MOST_WAITING, earliest
from lycosa.crawls.shared.answers import NodeStatus, SharedStatus
from lycosa.crawls.shared.history import SharedHistory
from lycosa.crawls.waiting import together as together_waiting
from lycosa.model.nodes import Node
from lycosa.model.records import Millis
from lycosa.spec.derived import topic_words
from lycosa.spec.tree import CrawlSpec
from lycosa.store.history import History

POINTS: Final = 500
"""Of the curve of all frontiers."""
STATES: Final = ("running", "paused", "failed", "interrupted")
"""The first that one of the nodes is in is that of the crawl; without any it is done."""


def outlook_together(told: Mapping[Node, Outlook | None]) -> Outlook | None:
    """What the processes of all nodes know; None if none of them told anything of late. Facts are the nodes' own, by
    their names."""
    each = {name: one for name, one in told.items() if one is not None}
    if not each:
        return None
    resting = {host: at for one in each.values() for host, at in one.resting.items()}
    return Outlook(
        at=max(one.at for one in each.values()),
        written=min(one.written for one in each.values()),
        step=sum(one.step for one in each.values()),
        waiting=sum(one.waiting for one in each.values()),
        revisits=sum(one.revisits for one in each.values()),
        fetching=tuple(url for one in each.values() for url in one.fetching),
        resting=earliest(resting, MOST_RESTING),
        why_resting={host: why for one in each.values() for host, why in one.why_resting.items()},
        hosts_resting=sum(one.hosts_resting for one in each.values()),
        paused=all(one.paused for one in each.values()),
        order=_order([one.order for one in each.values() if one.order is not None]),
        facts={name: one.facts for name, one in each.items() if one.facts},
        population=tuple(
            msgspec.structs.replace(member, node=name)
            for name, one in each.items()
            for member in one.population
        ),
        best=tuple(together_waiting({name: one.best for name, one in each.items()}, MOST_WAITING)),
        told=tuple(f"{name}: {line}" for name, one in each.items() for line in one.told),
    )


def together(
    path: Path,
    spec: CrawlSpec,
    nodes: Mapping[Node, CrawlFolder],
    parts: Mapping[Node, History],
    blocked: Iterable[Block],
) -> SharedStatus:
    """Counts are of what counts (`parts`); what is told of work, such as requests, is the sum of all nodes."""
    told = {name: node.status() for name, node in nodes.items()}
    each = list(told.values())
    history = SharedHistory(list(parts.values()))
    pages, relevant, mean = history.harvest(spec.relevant_from)
    reasons = history.reasons()
    first, last = history.span() or (Millis(0), Millis(0))
    state = next((state for state in STATES if any(one.state == state for one in each)), "done")
    spoken = next(one for one in each if one.state == state)
    return SharedStatus(
        folder=str(path),
        state=state,
        ended=spoken.ended,
        ended_by=spoken.ended_by,
        topic=topic_words(spec),
        strategy=spec.strategy,
        seeds=spec.seeds,
        web=spec.web,
        pages=pages,
        budget=None if spec.revisit.grows else spec.pages,
        requests=sum(one.requests for one in each),
        request_budget=spec.requests,
        relevant=relevant,
        harvest_rate=relevant / pages if pages else 0.0,
        mean_relevance=mean,
        failures=sum(reasons.values()),
        failures_by_reason=reasons,
        statuses={str(status): n for status, n in history.statuses().items() if status},
        hosts=len(history.host_names()),
        pending=sum(one.pending for one in each),
        refused=sum(one.refused for one in each),
        trimmed=sum(one.trimmed for one in each),
        started_at=first,
        last_at=last,
        seconds=max(one.seconds for one in each),
        warc_files=sum(one.warc_files for one in each),
        warc_bytes=sum(one.warc_bytes for one in each),
        version=spec.lycosa,
        process=next((one.process for one in each if one.process is not None), None),
        order=_order([one.order for one in each if one.order is not None]),
        marks=_summed(one.marks for one in each),
        judge=_summed(one.judge for one in each),
        rendered=_summed(one.rendered for one in each),
        requisites=_summed(one.requisites for one in each),
        facts={f"{name}: {fact}": value for name, one in told.items() for fact, value in one.facts.items()},
        refreshing=_refreshing([one.refreshing for one in each if one.refreshing is not None]),
        blocked=tuple(blocked),
        notes=tuple(f"{name}: {note}" for name, one in told.items() for note in one.notes),
        partition=spec.cluster.partition,
        nodes=tuple(
            _of_node(name, told[name], parts[name], nodes[name].company(), spec.relevant_from)
            for name in nodes
        ),
    )


def _of_node(
    name: Node, told: Status, part: History, company: Mapping[str, Any], relevant_from: float
) -> NodeStatus:
    pages, relevant, _ = part.harvest(relevant_from)
    counted = ("exported", "imported", "exported_links", "imported_links")
    return NodeStatus(
        node=name,
        state=told.state,
        ended=told.ended,
        process=told.process,
        pages=pages,
        requests=told.requests,
        relevant=relevant,
        failures=sum(part.reasons().values()),
        pending=told.pending,
        **{count: company.get(count, 0) for count in counted},
    )


def curve_together(curves: Iterable[Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """How many URLs waited at all nodes, as if all had gone equally fast: after the same share of its pages each.

    >>> curve_together([[(1, 10), (2, 4)], [(1, 1), (4, 7)]])
    [(2, 11), (3, 11), (6, 11)]
    """
    curves = [curve for curve in curves if curve]
    shares = sorted({pages / curve[-1][0] for curve in curves for pages, _ in curve})
    found: dict[int, int] = {}
    for share in shares[:: max(1, len(shares) // POINTS)] + shares[-1:]:
        at = [_point(curve, share * curve[-1][0]) for curve in curves]
        found[sum(pages for pages, _ in at)] = sum(waiting for _, waiting in at)
    return list(found.items())


def _point(curve: Sequence[tuple[int, int]], pages: float) -> tuple[int, int]:
    """The last point up to so many pages, at least the first."""
    before = [point for point in curve if point[0] <= pages + 1e-9]
    return before[-1] if before else curve[0]


def _summed(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for each in counts:
        found.update(each)
    return {name: found[name] for name in found}


def _order(orders: Sequence[InOrder]) -> InOrder | None:
    if not orders:
        return None
    first, in_turn, paid_for = (
        sum(getattr(each, name) for each in orders) for name in ("first", "in_turn", "paid_for")
    )
    window = max(each.window for each in orders)
    return InOrder(order=orders[0].order, window=window, first=first, in_turn=in_turn, paid_for=paid_for)


def _refreshing(told: Sequence[Refreshing]) -> Refreshing | None:
    """Estimates are means over the pages from which they were made."""
    if not told:
        return None
    estimated = [each for each in told if each.estimated_from]
    pages = sum(each.estimated_from for each in estimated)

    def mean(name: str) -> float | None:
        return sum(getattr(each, name) * each.estimated_from for each in estimated) / pages if pages else None

    days = [each.requests_a_day for each in told if each.requests_a_day is not None]
    return Refreshing(
        policy=told[0].policy,
        every=told[0].every,
        rate=told[0].rate,
        share=told[0].share,
        revisits=sum(each.revisits for each in told),
        found=_summed(each.found for each in told),
        due=sum(each.due for each in told),
        next_due=min((each.next_due for each in told if each.next_due is not None), default=None),
        requests_a_day=sum(days) if days else None,
        estimated_from=pages,
        fresh=mean("fresh"),
        age=mean("age"),
        changes=mean("changes"),
    )
