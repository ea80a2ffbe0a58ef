"""What an archive's index is asked, and what it answers: the CDX server API of pywb and of the Wayback Machine.

pywb (and Common Crawl) answers with a JSON object a line, the Wayback Machine with an array of rows, of which the first
has the names of the others. Whatever a line holds besides, lacks, or means otherwise costs that line only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import msgspec

from lycosa.model.decoding import converted, json_reader
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Record
from lycosa.model.url import Url, canonical, default_files, surt
from lycosa.web.archived.address import Address

AREA_LINES = 3_000
"""Captures of one place that are asked for at once: some 1 MB, and what Common Crawl's index reads as one block."""
URL_LINES = 20
"""Of the captures of one URL, the latest."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMESTAMP = re.compile(r"\d{14}")
_REVISIT = "warc/revisit"
_OTHER_NAMES = {"original": "url", "mimetype": "mime", "statuscode": "status"}


class Listed(Record, frozen=True, kw_only=True, gc=False):
    """One line of an archive's index."""

    url: str
    """As it was captured: not necessarily canonical."""
    time: str
    """14 digits, UTC."""
    status: int = 0
    """0 if unknown."""
    digest: str = ""
    file: str = ""
    """Empty if the index does not say where records lie."""
    offset: int = 0
    length: int = 0
    is_revisit: bool = False
    """Its record refers to another one, with the payload: who replays it knows which."""

    @property
    def at(self) -> Millis:
        return _instant(self.time)


class _Line(msgspec.Struct, gc=False):
    """Some write numbers as texts, some texts as numbers: all are read."""

    url: str
    timestamp: str | int
    status: str | int | None = ""
    mime: str | None = ""
    digest: str | None = ""
    filename: str | None = ""
    offset: int = -1
    length: int | str | None = -1


_read = json_reader(_Line, strict=False)
_rows = json_reader(list[list[str | None]], strict=False)
_row = json_reader(list[str | None], strict=False)
_UNREADABLE = (ValueError, msgspec.MsgspecError, RecursionError)


def question(address: Address, url: Url) -> Url:
    """Where the index tells the captures of a URL."""
    some: dict[str, Any] = {"limit": -URL_LINES} if address.dialect == "wayback" else {}
    if address.dialect == "pywb" and address.by == "replay":  # a crawl of Common Crawl has few of each
        some = {"sort": "reverse", "limit": URL_LINES}
    return _question(address, {"url": url, **some})


def area_question(address: Address, area: str, most: int = AREA_LINES) -> Url:
    """Where the index tells the captures of a place, `host/` or `host/path/`, at most so many."""
    return _question(address, {"url": area, "matchType": "prefix", "limit": most})


def is_of_area(asked: Url) -> bool:
    """Whether a question is about a place, and not a URL."""
    return "&matchType=prefix&" in asked


def _question(address: Address, asked: dict[str, Any]) -> Url:
    times = {"from": address.since, "to": address.until}
    asked |= {"output": "json", **{name: time for name, time in times.items() if time}}
    return Url(f"{address.index}?{urlencode(asked)}")


def areas_of(url: Url, most: int = 4) -> list[str]:
    """The places in which a URL lies, as indexes name them, widest first: ``host/``, ``host/a/``, ``host/a/b/``."""
    host, _, path = url.split("://", 1)[1].partition("/")
    steps = path.partition("?")[0].split("/")[:-1][: most - 1]
    return [f"{host}/" + "".join(f"{step}/" for step in steps[:depth]) for depth in range(len(steps) + 1)]


class Listing:
    """The captures that an index told of, by the key of their URLs."""

    def __init__(self, lines: Iterable[Listed]) -> None:
        self.size = 0
        self._by_key: defaultdict[str, list[Listed]] = defaultdict(list)
        for line in lines:
            self.size += 1
            self._by_key[surt(line.url)].append(line)

    def find(self, url: Url) -> Listed | None:
        """The capture to answer with: of exactly this URL, or else of the same canonical form or key; one that brought
        something before errors, then the latest.

        Under another name redirects are passed over: nearly all lead to the URL itself.
        """
        alike = [*self._by_key.get(surt(url), ())]
        for name in default_files(url):
            alike += self._by_key.get(surt(name), ())
        exact = [line for line in alike if line.url == url]
        same = [line for line in alike if _canonical(line.url) == url]
        others = [line for line in same or alike if not 300 <= line.status < 400]
        return max(exact or others, key=lambda line: (line.status < 400, line.time), default=None)


def listed(body: bytes) -> Iterator[Listed]:
    """The captures in an answer of an index. Lines that cannot be read and 304s are left out: what those speak of is
    listed, too."""
    body = body.strip()
    if body.startswith(b"["):
        yield from _from_rows(body)
        return
    for raw in body.splitlines():
        try:
            line = _from_line(_read(raw))
        except _UNREADABLE:
            continue
        if line is not None:
            yield line


def _from_rows(body: bytes) -> Iterator[Listed]:
    names: list[str] = []
    for row in _all_rows(body):
        if not names:
            names = [_OTHER_NAMES.get(name or "", name or "") for name in row]
            continue
        values = {name: value for name, value in zip(names, row, strict=False) if value not in (None, "-")}
        try:
            line = _from_line(converted(values, _Line, strict=False))
        except _UNREADABLE:
            continue
        if line is not None:
            yield line


def _all_rows(body: bytes) -> Iterator[list[str | None]]:
    """The rows of an array; of one that is cut, those that stand on lines of their own."""
    try:
        yield from _rows(body)
        return
    except _UNREADABLE:
        pass
    for raw in body.splitlines():
        row = raw.strip().rstrip(b",")
        row = row[1:] if row.startswith(b"[[") else row
        row = row[:-1] if row.endswith(b"]]") else row
        try:
            yield _row(row)
        except _UNREADABLE:
            continue


def _from_line(line: _Line) -> Listed | None:
    """None for what no page can be made of. ValueError for what is no line of an index."""
    time, status = str(line.timestamp), str(line.status or "")
    if not _TIMESTAMP.fullmatch(time) or "://" not in line.url:
        raise ValueError(time)
    _instant(time)
    if status == "304":
        return None
    length = int(line.length or -1)
    has_place = bool(line.filename) and line.offset >= 0 and length > 0
    return Listed(
        url=line.url,
        time=time,
        status=int(status) if status.isdecimal() and len(status) == 3 else 0,
        digest=line.digest or "",
        file=line.filename or "" if has_place else "",
        offset=line.offset if has_place else 0,
        length=length if has_place else 0,
        is_revisit=line.mime == _REVISIT,
    )


def _instant(digits: str) -> Millis:
    """ValueError for digits that are no time."""
    month, day, hour, minute, second = (int(digits[at : at + 2]) for at in range(4, 14, 2))
    when = datetime(int(digits[:4]), month, day, hour, minute, second, tzinfo=UTC)
    return Millis((when - _EPOCH) // timedelta(milliseconds=1))


def _canonical(url: str) -> str:
    try:
        return canonical(url)
    except InputError:
        return url
