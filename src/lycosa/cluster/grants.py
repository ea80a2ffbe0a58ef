"""Tells nodes what they may use of the budgets, so that it is never more than there is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import msgspec

from lycosa.cluster.known import Known
from lycosa.cluster.messages import Report
from lycosa.cluster.post import Unreachable
from lycosa.cluster.shares import Holding, is_short, merits, shared_out
from lycosa.model.nodes import Node

Granted = dict[Node, tuple[int, int]]
"""Pages and requests; 0 requests where they are not limited."""


async def share(known: Mapping[Node, Known], pages: int, requests: int | None) -> None:
    """Give budget to who is short of it. What is given was taken from others before, as they confirmed.

    `pages` and `requests` are the budgets of these nodes in all; None: no limit.
    """
    if any(each.report is None for each in known.values()):
        return  # what they may use is not known
    of_pages = _by_merit(known, _holdings(known, lambda report: report.pages))
    of_requests = _holdings(known, lambda report: report.requests)
    short = is_short(pages, of_pages) or (requests is not None and is_short(requests, of_requests))
    if not (short or _exceed(pages, of_pages)):
        return
    wanted = _together(
        shared_out(pages, of_pages), None if requests is None else shared_out(requests, of_requests)
    )
    granted = {node: (of_pages[node].granted, of_requests[node].granted) for node in known}
    await _grant(known, granted, {node: _least(granted[node], wanted[node]) for node in known})
    await _grant(known, granted, _raised(granted, wanted, pages, requests))


def _holdings(known: Mapping[Node, Known], of: Callable[[Report], Holding]) -> dict[Node, Holding]:
    return {
        node: msgspec.structs.replace(of(each.report), busy=each.busy, rate=each.rate)
        for node, each in known.items()
        if each.report is not None
    }


def _by_merit(known: Mapping[Node, Known], holdings: dict[Node, Holding]) -> dict[Node, Holding]:
    found = merits({node: each.report.front for node, each in known.items() if each.report is not None})
    if not found:
        return holdings
    return {node: msgspec.structs.replace(each, merit=found[node]) for node, each in holdings.items()}


def _exceed(budget: int, holdings: Mapping[Node, Holding]) -> bool:
    """Whether more was granted than there is, as after a budget that was made smaller."""
    used = sum(each.used for each in holdings.values())
    return sum(each.granted for each in holdings.values()) > max(budget, used)


def _together(pages: Mapping[Node, int], requests: Mapping[Node, int] | None) -> Granted:
    return {node: (pages[node], 0 if requests is None else max(1, requests[node])) for node in pages}


def _least(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), min(one[1], other[1])


def _raised(granted: Granted, wanted: Granted, pages: int, requests: int | None) -> Granted:
    """What is free goes to those who are to have more."""
    free = pages - sum(has for has, _ in granted.values())
    spare = (requests or 0) - sum(has for _, has in granted.values())
    raised: Granted = {}
    for node, (has, asks) in granted.items():
        more, also = (max(0, min(free, wanted[node][0] - has)), max(0, min(spare, wanted[node][1] - asks)))
        raised[node] = has + more, asks + also
        free, spare = free - more, spare - also
    return raised


async def _grant(known: Mapping[Node, Known], granted: Granted, wanted: Granted) -> None:
    """Tell nodes what they may use, and note what they confirm. One that does not answer may have heard it or not: it
    counts as having the larger of both."""

    async def tell(node: Node, pages: int, requests: int) -> None:
        has = granted[node]
        try:
            granted[node] = await known[node].member.grant(pages, requests)
        except Unreachable:
            granted[node] = max(has[0], pages), max(has[1], requests)
        known[node].granted(*granted[node])

    changed = {node: each for node, each in wanted.items() if each != granted[node] and known[node].answers}
    await asyncio.gather(*(tell(node, *each) for node, each in changed.items()))
