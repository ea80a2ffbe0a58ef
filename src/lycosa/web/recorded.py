"""A web that was recorded: every answer comes out of an archive, none from the network."""

from __future__ import annotations

import hashlib
from math import log
from typing import Protocol

from msgspec.structs import replace

from lycosa.model.errors import FolderError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.url import Url


class Recording(Protocol):
    """Recorded responses by URL; :class:`lycosa.archive.collection.Collection` is one."""

    def find(self, url: str) -> Response | None:
        """The response recorded for a URL or for another spelling of it. FolderError if its record is
        damaged.
        """
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


def modelled_latency(seed: int, url: Url) -> Millis:
    """50 ms + Exp(mean 250 ms), the same for the same seed and URL in every process. At least 50, at most
    11,200 ms.
    """
    digest = hashlib.blake2b(f"latency/{seed}/{url}".encode(), digest_size=8).digest()
    uniform = (int.from_bytes(digest, "big") + 1) / (2**64 + 1)
    return Millis(50 + round(-250 * log(uniform)))
