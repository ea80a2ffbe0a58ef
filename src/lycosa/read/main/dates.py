"""Dates as pages write them, told as ISO 8601 text: `2026-11-23`, or with a time, `2026-11-23T10:20:30+01:00`.

Only what can be read in one way is read: 03/04/2020 is left alone, 23/04/2020 is not.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Final

FIRST: Final = 1990
"""The web has no page that is older."""
LAST: Final = 2100
_LONGEST: Final = 64
"""Characters of a date that is written out."""

_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?(?!\d)",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?(Z)?)?(?!\d)")
_NUMBERS = re.compile(
    r"(?<!\d)(?:(\d{4})[/.](\d{1,2})[/.](\d{1,2})|(\d{1,2})([/.-])(\d{1,2})\5(\d{4}))(?!\d)"
)
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero gennaio", "february feb februar février febrero febbraio",
            "march mar märz mars marzo", "april apr avril abril aprile", "may mai mayo maggio",
            "june jun juni juin junio giugno", "july jul juli juillet julio luglio",
            "august aug août agosto", "september sep sept septembre septiembre settembre",
            "october oct oktober octobre octubre ottobre", "november nov novembre noviembre",
            "december dec dezember décembre diciembre dicembre",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WRITTEN = re.compile(
    rf"(?<!\w)(?:(?P<m1>{_MONTH})\.?\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y1>\d{{4}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:de\s+)?(?P<m2>{_MONTH})\.?,?\s+(?:de\s+)?(?P<y2>\d{{4}}))(?!\d)",
    re.IGNORECASE,
)
_IN_URL = re.compile(r"/(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)|/(\d{4})(\d{2})(\d{2})(?=[/_-]|$)")


def iso(written: str) -> str:
    """A date that fills a field, in any of the usual forms, as ISO 8601; empty if it is none. Never raises."""
    written = written.strip()[:_LONGEST]
    if found := _ISO.match(written) or _COMPACT.match(written):
        return _with_time(*found.groups())
    return (_mailed(written) if ":" in written else "") or spoken(written)


def _mailed(written: str) -> str:
    """A date as e-mail and HTTP have it (RFC 5322, section 3.3)."""
    from email.utils import parsedate_to_datetime  # which few pages need, and takes long to import

    try:
        at = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    return at.isoformat() if FIRST <= at.year <= LAST else ""


def spoken(text: str) -> str:
    """The first date in a text that is written for people, as ISO 8601; empty if there is none."""
    found = _WRITTEN.search(text)
    if found is not None:
        month = _MONTHS[(found["m1"] or found["m2"]).lower()]
        return _day(found["y1"] or found["y2"], month, found["d1"] or found["d2"])
    if (found := _ISO.search(text)) is not None:
        return _day(*found.groups()[:3])
    if (found := _NUMBERS.search(text)) is None:
        return ""
    year, month_first, day, one, _, other, behind = found.groups()
    if year:
        return _day(year, month_first, day)
    return _unambiguous(int(one), int(other), behind)


def in_url(url: str) -> str:
    """The date that a path names, as blogs and newspapers do: /2026/11/23/."""
    found = _IN_URL.search(url)
    if found is None:
        return ""
    return _day(*(found.groups()[:3] if found[1] else found.groups()[3:]))


def _unambiguous(one: int, other: int, year: str) -> str:
    """Day and month of two numbers, where only one order of them is possible."""
    if one == other or one > 12:
        return _day(year, other, one)
    return _day(year, one, other) if other > 12 else ""


def _with_time(
    year: str,
    month: str,
    day: str,
    hour: str | None,
    minute: str | None,
    second: str | None,
    zone: str | None,
) -> str:
    told = _day(year, month, day)
    if not told or hour is None or minute is None:
        return told
    offset = "" if zone is None else f"{zone[:3]}:{zone[-2:]}" if zone[0] in "+-" else "+00:00"
    try:
        return datetime.fromisoformat(f"{told}T{int(hour):02}:{minute}:{second or '00'}{offset}").isoformat()
    except ValueError:
        return told


def _day(year: str | int | None, month: str | int | None, day: str | int | None) -> str:
    try:
        at = date(int(year or 0), int(month or 0), int(day or 0))
    except ValueError:
        return ""
    return at.isoformat() if FIRST <= at.year <= LAST else ""
