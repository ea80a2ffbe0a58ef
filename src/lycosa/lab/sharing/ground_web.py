"""A web that is only its links, and if asked for its words: for clusters of whole crawls at full speed."""

from __future__ import annotations

from lycosa.crawl.ports import Clock
from lycosa.lab.sharing.ground import Ground
from lycosa.model.records import Failure, Link, Millis, Page, Reason, Request
from lycosa.model.url import Url
from lycosa.web.recorded import modelled_latency


class GroundVisitor:
    """Visits the pages of a ground. Of each there are its links, and counts of its words if `wordy`."""

    def __init__(self, ground: Ground, clock: Clock, seed: int = 0, *, wordy: bool = False) -> None:
        self._ground, self._clock, self._seed = ground, clock, seed
        self._terms = ground.terms if wordy else None
        self._urls = ground.urls

    async def __call__(self, request: Request) -> Page | Failure:
        number = self._ground.graph.number(request.url)
        if number is None or not self._ground.answers[number]:
            return Failure(request=request, reason=Reason.STATUS, status=404, at=self._clock.now())
        start, end = self._ground.graph.indptr[number : number + 2]
        targets = self._ground.graph.indices[start:end].tolist()
        url = request.url
        return Page(
            request=request,
            final_url=url,
            status=200,
            fetched_at=self._clock.now(),
            media_type="text/html",
            digest=f"sha1:{number}",
            title="",
            text="",
            links=tuple(Link(source=url, target=self._urls[to]) for to in targets),
            terms={} if self._terms is None else self._terms(number),
        )

    def latency(self, url: Url) -> Millis:
        return modelled_latency(self._seed, url)
