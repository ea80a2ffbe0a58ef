"""A web that was recorded: every answer comes out of an archive, none from the network."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from math import log
from typing import Protocol

from msgspec.structs import replace

from lycosa.crawl.ports import Clock
from lycosa.model.errors import FolderError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.web.conditional import is_not_modified


class Recording(Protocol):
    """Recorded responses by URL; :class:`lycosa.archive.collection.Collection` is one."""

    def find(self, url: str) -> Response | None:
        """The response recorded for a URL or for another spelling of it. FolderError if its record is
        damaged.
        """
        ...


class DatedRecording(Protocol):
    """Recorded responses by URL and time; a `Collection` is one, too."""

    def find(self, url: str, at: Millis | None = None) -> Response | None:
        """As of a `Recording`: the latest response, or the latest not after `at`."""
        ...


class Gone(Protocol):
    """When pages were taken away; :class:`lycosa.archive.removals.Removals` is one."""

    def latest(self, url: str, at: Millis) -> Millis | None:
        """The last time not after `at` at which a URL was taken away."""
        ...


class RecordedWeb:
    """The web as recorded: pages, redirects, errors and robots.txt alike.

    What the recording lacks is `Fault(NOT_RECORDED)`, robots.txt too; `asked` and `lacking` give its share.
    Bodies are cut after `most` bytes, as a live web cuts them (None: as they were recorded).
    How long an answer took is as recorded; where that is not known it is modelled: 50 ms and an exponential
    draw of mean 250 ms that depends on `seed` and URL only.
    """

    def __init__(self, recording: Recording, seed: int = 0, most: int | None = None) -> None:
        self.asked = 0
        """Requests so far."""
        self.lacking = 0
        """Requests for what the recording does not hold."""
        self._recording = recording
        self._seed = seed
        self._most = most

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self.asked += 1
        try:
            response = self._recording.find(url)
        except FolderError as error:
            return Fault(reason=Reason.PROTOCOL, detail=str(error))
        if response is None:
            self.lacking += 1
            return Fault(reason=Reason.NOT_RECORDED, detail="the recording does not hold this URL")
        if self._most is not None and len(response.body) > self._most:
            response = replace(response, body=response.body[: self._most], truncated="length")
        return response if response.elapsed else replace(response, elapsed=self.latency(url))

    async def close(self) -> None:
        """Nothing is open."""

    def latency(self, url: Url) -> Millis:
        """The modelled time of an exchange, for virtual time."""
        return modelled_latency(self._seed, url)


class AsOfNow:
    """A recording as it was at each time of a clock: the answer is the latest capture not after its now. What was not
    captured yet, or taken away since, answers 404.

    Invariants, each the name of a property test:

    * point in time: an answer depends on nothing that was captured or taken away later.
    """

    def __init__(self, recording: DatedRecording, clock: Clock, gone: Gone | None = None) -> None:
        self._recording, self._clock, self._gone = recording, clock, gone

    def find(self, url: str) -> Response | None:
        """As of a `Recording`; None for what was never captured. Dated by the clock."""
        now = self._clock.now()
        found = self._recording.find(url, now)
        if found is None:
            return None if self._recording.find(url) is None else _missing(url, now)
        taken = self._gone.latest(url, now) if self._gone else None
        if taken is not None and taken >= found.fetched_at:
            return _missing(url, now)
        return replace(found, fetched_at=now)


class RecordedPast(RecordedWeb):
    """The web as recorded, at each time of a clock, see `AsOfNow`; a request with a condition hears 304 where the
    capture has validators that meet it."""

    def __init__(
        self,
        recording: DatedRecording,
        clock: Clock,
        gone: Gone | None = None,
        seed: int = 0,
        most: int | None = None,
    ) -> None:
        super().__init__(AsOfNow(recording, clock, gone), seed, most)

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        answer = await super().fetch(url, ask)
        if isinstance(answer, Fault) or answer.status != 200:
            return answer
        etag, modified = answer.header("etag") or "", answer.header("last-modified") or ""
        if not is_not_modified(ask, etag, modified):
            return answer
        kept = tuple(each for each in answer.headers if each[0].lower() in ("etag", "last-modified"))
        return replace(answer, status=304, reason_phrase="Not Modified", headers=kept, body=b"", truncated="")


def _missing(url: str, now: Millis) -> Response:
    return Response(url=Url(url), status=404, headers=(), body=b"", fetched_at=now, reason_phrase="Not Found")


@lru_cache(1 << 10)
def modelled_latency(seed: int, url: Url) -> Millis:
    """50 ms + Exp(mean 250 ms), the same for the same seed and URL in every process. At least 50, at most
    11,200 ms.
    """
    digest = hashlib.blake2b(f"latency/{seed}/{url}".encode(), digest_size=8).digest()
    uniform = (int.from_bytes(digest, "big") + 1) / (2**64 + 1)
    return Millis(50 + round(-250 * log(uniform)))
