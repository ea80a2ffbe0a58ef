"""A web that an archive elsewhere holds: asked of its index, then of its store, and of neither twice."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol
from urllib.parse import quote
from weakref import WeakValueDictionary

from msgspec.structs import replace

from lycosa.model.errors import ArchiveError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response, Source
from lycosa.model.url import Host, Url, host_of, surt
from lycosa.web.archived.address import Address
from lycosa.web.archived.desk import Desk
from lycosa.web.archived.index import (
    AREA_LINES,
    Listed,
    Listing,
    area_question,
    areas_of,
    is_of_area,
    listed,
    question,
)
from lycosa.web.archived.replay import capture_in, leads_on, replay_of

AREA_FROM = 2
"""From the so-manyth question about a folder on, the index is asked for all of it at once; about a host at the first,
which robots.txt makes two otherwise. See benchmarks/archived_webs.py."""
MOST_LINES = 200_000
"""Of index answers in memory: some 100 MB. What falls out is looked up again in what is kept, or asked again."""
MOST_RECORD = 16 << 20
"""Bytes of a record, compressed, that are fetched."""
TORN = 3
"""So often a record is fetched that comes torn."""
MAX_HOPS = 3

Unpack = Callable[[bytes, str], Response]
"""The response in a WARC record, checked against a digest. ValueError for what is none."""


class Keep(Protocol):
    """What was asked before; :class:`lycosa.archive.kept.Kept` is one."""

    def find(self, url: str, at: Millis | None = None, source: Source | None = None) -> Response | None: ...
    def write(self, response: Response) -> None: ...


class _NothingKept:
    def find(self, url: str, at: Millis | None = None, source: Source | None = None) -> Response | None:
        return None

    def write(self, response: Response) -> None:
        pass


class ArchivedWeb:
    """The web as one archive has it.

    A response bears the URL asked for, the time of its capture, no time that it took, and where it lies (`source`).
    What the archive does not have, or cannot give whole, is `Fault(NOT_RECORDED)`. The index is asked about all that it
    has of a host, and where that is too much, about single URLs, and from the second one of a folder on about the
    folder. One answer so tells of many pages, and of those that there are not.

    Invariants, each the name of a property test:

    * like a recording: it answers as a recorded web of the same captures does, in whatever order it is asked.
    * asked once: no question is asked twice whose answer is kept.
    """

    def __init__(
        self,
        address: Address,
        desk: Desk,
        unpack: Unpack,
        keep: Keep | None = None,
        most: int = MOST_RECORD,
        area_from: int = AREA_FROM,
        area_lines: int = AREA_LINES,
    ) -> None:
        """Bodies are cut after `most` bytes. `area_from`: from the so-manyth question about a folder on it is asked for
        as a whole; 0: no place ever is. `area_lines`: so many captures of it at most."""
        self.asked = 0
        """Fetches so far."""
        self.lacking = 0
        """Fetches of what the archive does not have."""
        self._address, self._desk, self._unpack = address, desk, unpack
        self._keep: Keep = keep or _NothingKept()
        self._most, self._area_from, self._area_lines = most, area_from, area_lines
        self._known: OrderedDict[Url, tuple[Listing, bool]] = OrderedDict()
        self._lines = 0
        self._counts: dict[str, int] = {}
        self._hosts: WeakValueDictionary[Host, asyncio.Lock] = WeakValueDictionary()

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        """The capture of a URL. ArchiveError if the archive does not answer."""
        self.asked += 1
        lock = self._hosts.setdefault(host_of(url), asyncio.Lock())
        async with lock:  # what one question brings the next need not ask
            line = await self._find(url)
        found = await self._record(line, url) if isinstance(line, Listed) else line
        if isinstance(found, Fault) and found.reason is Reason.NOT_RECORDED:
            self.lacking += 1
        if isinstance(found, Response) and len(found.body) > self._most:
            return replace(found, body=found.body[: self._most], truncated="length")
        return found

    async def close(self) -> None:
        """Nothing is open."""

    # -- the index ---------------------------------------------------------------------------------------------

    async def _find(self, url: Url) -> Listed | Fault:
        """The capture to answer with, as the index has it."""
        areas = areas_of(url) if self._address.has_areas and self._area_from else []
        for area in areas:
            asked = area_question(self._address, area, self._area_lines)
            known: tuple[Listing, bool] | Fault | None = self._recalled(asked)
            if known is None:
                if self._recalled(question(self._address, url)) is not None or not self._is_due(area):
                    break
                known = await self._answer(asked)
            if isinstance(known, Fault):
                return known
            listing, whole = known
            if (line := listing.find(url)) is not None:
                return line
            if whole:
                return self._lacks()
        return await self._find_alone(url)

    async def _find_alone(self, url: Url) -> Listed | Fault:
        asked = question(self._address, url)
        known = self._recalled(asked) or await self._answer(asked)
        if isinstance(known, Fault):
            return known
        return known[0].find(url) or self._lacks()

    def _is_due(self, area: str) -> bool:
        """Count a question about a place: whether it is time to ask for all of it."""
        if area.count("/") == 1:
            return True
        count = self._counts[area] = self._counts.get(area, 0) + 1
        return count >= self._area_from

    def _lacks(self) -> Fault:
        return Fault(reason=Reason.NOT_RECORDED, detail=f"{self._address.name} does not have this URL")

    def _recalled(self, asked: Url) -> tuple[Listing, bool] | None:
        """What the index answered before, in memory or as it was kept; None if it was not asked."""
        if (known := self._known.get(asked)) is not None:
            self._known.move_to_end(asked)
            return known
        answer = self._keep.find(asked)
        return None if answer is None else self._remembered(asked, answer)

    async def _answer(self, asked: Url) -> tuple[Listing, bool] | Fault:
        answer = await self._desk.ask(asked)
        if isinstance(answer, Fault):
            return answer
        if answer.status == 404 and b"No Captures found" in answer.body:  # pywb's word for nothing
            answer = replace(answer, status=200, body=b"")
        if answer.status == 400:
            return Fault(reason=Reason.NOT_RECORDED, detail="the index cannot be asked for this URL")
        if answer.status != 200:
            raise ArchiveError(
                f"{self._address.index} answers {answer.status} {answer.reason_phrase}: is there such an archive?"
            )
        if answer.truncated in ("time", "disconnect"):  # what came is used, and asked for again the next time
            return self._remembered(asked, answer)
        self._keep.write(answer)
        return self._remembered(asked, answer)

    def _remembered(self, asked: Url, answer: Response) -> tuple[Listing, bool]:
        """What an index's answer says, and whether that is all there is."""
        replays = self._address.by == "replay"
        lines = [line for line in listed(answer.body) if replays or not line.is_revisit]
        whole = not answer.truncated and answer.body.count(b"\n") < self._area_lines - 1
        if not whole and is_of_area(asked) and lines:  # of the last URL there may be more
            last = surt(lines[-1].url)
            lines = [line for line in lines if surt(line.url) != last]
        listing = Listing(lines)
        self._known[asked] = (listing, whole)
        self._lines += listing.size + 1
        while self._lines > MOST_LINES and len(self._known) > 1:
            _, (oldest, _) = self._known.popitem(last=False)
            self._lines -= oldest.size + 1
        return listing, whole

    # -- the store ---------------------------------------------------------------------------------------------

    async def _record(self, line: Listed, url: Url) -> Response | Fault:
        """The capture itself, as it was kept or from the archive."""
        try:
            source = self._source(line)
        except ValueError as error:
            return Fault(reason=Reason.NOT_RECORDED, detail=f"the index means no record: {error}")
        if (kept := self._keep.find(url, line.at, source)) is not None:
            return kept
        try:
            found = await (self._ranged(line, source) if source.span else self._replayed(line, source, url))
        except ValueError as error:
            return Fault(reason=Reason.NOT_RECORDED, detail=f"{source.uri}: {error}")
        if isinstance(found, Response):
            found = replace(found, url=url, elapsed=Millis(0), source=source)
            self._keep.write(found)
        return found

    def _source(self, line: Listed) -> Source:
        """Where a capture lies. ValueError if the index does not say so, or names a place that is not the store's."""
        if self._address.by == "replay":
            return Source(uri=replay_of(self._address, line))
        if not line.file:
            raise ValueError("it does not say where it lies")
        if line.length > MOST_RECORD:
            raise ValueError(f"{line.length:,} bytes are too many")
        if ".." in line.file or "://" in line.file or not line.file.isprintable():
            raise ValueError(f"{line.file[:80]!r} is no file of an archive")
        span = f"bytes={line.offset}-{line.offset + line.length - 1}"
        return Source(uri=self._address.records + quote(line.file.lstrip("/")), span=span)

    async def _ranged(self, line: Listed, source: Source) -> Response | Fault:
        """A record out of a WARC file. ValueError if it is damaged, or another one."""
        for _ in range(TORN):
            answer = await self._desk.ask(Url(source.uri), Ask(span=source.span), may_forbid=True)
            if isinstance(answer, Fault):
                return answer
            if answer.status not in (200, 206):
                raise ValueError(f"the store answers {answer.status} {answer.reason_phrase}")
            body = answer.body if answer.status == 206 else answer.body[line.offset :]
            if len(body) >= line.length:
                found = self._unpack(body[: line.length], line.digest)
                if surt(found.url) != surt(line.url):
                    raise ValueError(f"a record of {found.url[:200]} is there")
                return found
        raise ValueError(f"the record came torn {TORN} times")

    async def _replayed(self, line: Listed, source: Source, url: Url) -> Response | Fault:
        """A capture as it is replayed. ValueError if there is none."""
        place = Url(source.uri)
        for _ in range(MAX_HOPS):
            answer = await self._desk.ask(place, may_forbid=True)
            if isinstance(answer, Fault):
                return answer
            if (leads := leads_on(answer, self._address)) is None:
                return capture_in(answer, line, url)
            place = leads
        raise ValueError("the archive leads from one capture to the next")
