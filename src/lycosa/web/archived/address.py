"""Which archive is meant, where its index and its records are, and how it is spoken to."""

from __future__ import annotations

import re
from typing import Literal

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url, canonical

CC, WAYBACK, PYWB, CDX = "cc:", "wayback:", "pywb:", "cdx:"
KINDS = (CC, WAYBACK, PYWB, CDX)
"""What the names of archives begin with."""

_COMMON_CRAWL = re.compile(r"CC-MAIN-\d{4}-[0-9A-Za-z-]{2,20}")
_TIME = re.compile(r"\d{4,14}")


class Address(Record, frozen=True, kw_only=True):
    """An archive as it is asked."""

    name: str
    """As the user wrote it."""
    index: str
    """Where its CDX index answers, without the question."""
    records: str
    """What the name of a WARC file is added to (`by` ranges), or a time and a URL (`by` replay)."""
    by: Literal["ranges", "replay"]
    """How a record is had: as a range of bytes of a WARC file, or replayed, as it was."""
    since: str = ""
    until: str = ""
    """Of which time captures may be: up to 14 digits, from the first second to the last that they can mean."""
    dialect: Literal["pywb", "wayback"] = "pywb"

    @property
    def has_areas(self) -> bool:
        """Whether its index is asked for all of a place at once. That of the Wayback Machine has each URL a hundred
        times."""
        return self.dialect == "pywb"


def address_of(written: str) -> Address:
    """The archive of a name: `cc:CC-MAIN-2026-05`, `wayback:`, `wayback:2012`, `wayback:2010-2012`,
    `pywb:https://host/collection`, also with `#2012`, or `cdx:INDEX#RECORDS`, two URLs.

    InputError, with what to write, for what is none.
    """
    if written.startswith(CC):
        return _common_crawl(written)
    if written.startswith(WAYBACK):
        since, until = _span(written, written.removeprefix(WAYBACK))
        return Address(
            name=written,
            index="https://web.archive.org/cdx/search/cdx",
            records="https://web.archive.org/web/",
            by="replay",
            since=since,
            until=until,
            dialect="wayback",
        )
    if written.startswith(PYWB):
        base, _, span = written.removeprefix(PYWB).partition("#")
        since, until = _span(written, span)
        base = _url(written, base).rstrip("/")
        return Address(
            name=written, index=f"{base}/cdx", records=f"{base}/", by="replay", since=since, until=until
        )
    index, hash_, records = written.removeprefix(CDX).partition("#")
    if not written.startswith(CDX) or not hash_:
        raise InputError(f"web {written!r}: write cdx:INDEX#RECORDS, two URLs")
    return Address(name=written, index=_url(written, index), records=_url(written, records), by="ranges")


def _common_crawl(written: str) -> Address:
    name = written.removeprefix(CC)
    if not _COMMON_CRAWL.fullmatch(name):
        raise InputError(
            f"web {written!r}: name a crawl of https://index.commoncrawl.org, as in cc:CC-MAIN-2026-05"
        )
    return Address(
        name=written,
        index=f"https://index.commoncrawl.org/{name}-index",
        records="https://data.commoncrawl.org/",
        by="ranges",
    )


def _span(written: str, span: str) -> tuple[str, str]:
    since, dash, until = span.partition("-")
    if not dash:
        since, until = "", since
    if any(time and not _TIME.fullmatch(time) for time in (since, until)):
        raise InputError(
            f"web {written!r}: write times as digits, as in wayback:2012, wayback:20120131 or wayback:2010-2012"
        )
    return since, until


def _url(written: str, raw: str) -> Url:
    if not raw.startswith(("http://", "https://")):
        raise InputError(f"web {written!r}: give a whole URL, with http:// or https://")
    return canonical(raw)
