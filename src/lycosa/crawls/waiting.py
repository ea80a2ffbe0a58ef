"""The links that a crawl would fetch next, as who looks on is told of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import merge
from itertools import islice

from msgspec.structs import replace

from lycosa.crawls.answers import WaitingLink
from lycosa.model.records import Millis, Request
from lycosa.model.url import Host, host_of


def as_told(requests: Iterable[Request], resting: Mapping[Host, Millis]) -> Iterator[WaitingLink]:
    """Waiting requests in their order, the best first."""
    for place, request in enumerate(requests, start=1):
        via, host = request.via, host_of(request.at)
        yield WaitingLink(
            place=place,
            url=request.url,
            host=host,
            score=request.score,
            tier=request.tier,
            depth=request.depth,
            attempt=request.attempt,
            via=via.source if via is not None else None,
            anchor=via.anchor if via is not None else "",
            rests_until=resting.get(host),
        )


def together(told: Mapping[str, Iterable[WaitingLink]], most: int) -> list[WaitingLink]:
    """The best of what waits at several nodes."""
    named = ([replace(link, node=name) for link in links] for name, links in told.items())
    best = merge(*named, key=lambda link: (link.tier, -link.score))
    return [replace(link, place=place) for place, link in enumerate(islice(best, most), start=1)]
