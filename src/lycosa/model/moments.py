"""Times as people and programs write them: `2026-11-20`, `2026-11-20T16:30Z`, `20261120163000`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from lycosa.model.errors import InputError
from lycosa.model.records import Millis

_DIGITS = re.compile(r"(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?")
_ISO = re.compile(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d\d?)(?::(\d\d)(?::(\d\d))?)?)?)?)?", re.IGNORECASE)
_ENDING = re.compile(r"(?:\.(\d{1,9}))?\s*(Z|UTC|[+-]\d\d:?\d\d)?", re.IGNORECASE)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BEGINNING = (1, 1, 1, 0, 0, 0)
_SPANS = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))
"""Of a time that is written to the day, the hour, the minute, the second."""


def moment(text: str, *, last: bool = False) -> Millis:
    """A time in UTC, or with an offset such as `+02:00`. What is not written, as in `2026-11`, is the beginning of that
    time, or with `last` its last millisecond. Raises `InputError`."""
    written = text.strip()
    head = _DIGITS.fullmatch(written) or _ISO.match(written)
    ending = _ENDING.fullmatch(written, head.end()) if head else None
    if head is None or ending is None:
        raise _unread(text)
    parts = [int(part) for part in head.groups() if part is not None]
    fraction, offset = ending.groups()
    if (fraction and len(parts) < 6) or (offset and len(parts) < 4):
        raise _unread(text)
    year, month, day, hour, minute, second = (*parts, *_BEGINNING[len(parts) :])
    try:
        begin = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - _offset(offset or "Z")
    except (ValueError, OverflowError):
        raise _unread(text) from None
    at = _millis(begin)
    if fraction:
        return Millis(at + int(fraction.ljust(3, "0")[:3]))
    return Millis(_millis(_end(begin, len(parts))) - 1 if last else at)


def iso(at: int) -> str:
    """Milliseconds since the epoch as ISO 8601, in UTC: `2026-11-20T16:16:21.123Z`. WARC-Date is written so, too."""
    second, millis = divmod(at, 1_000)
    return f"{_second(second)}.{millis:03}Z"


def to_the_second(at: int) -> str:
    """As `iso`, without the milliseconds: `2026-11-20T16:16:21Z`."""
    return f"{_second(at // 1_000)}Z"


@lru_cache(maxsize=1_000)
def _second(since: int) -> str:
    """Of seconds since the epoch. Moments in a row share their seconds, and those in another order their days."""
    days, rest = divmod(since, 86_400)
    hour, rest = divmod(rest, 3_600)
    minute, second = divmod(rest, 60)
    return f"{_day(days)}T{hour:02}:{minute:02}:{second:02}"


@lru_cache(maxsize=1_000)
def _day(since: int) -> str:
    """Of days since the epoch."""
    return (_EPOCH + timedelta(days=since)).date().isoformat()


def _end(begin: datetime, parts: int) -> datetime:
    """The first moment after the year, the month, the day … to which the time was written."""
    try:
        if parts > 2:
            return begin + _SPANS[parts - 3]
        year, month = divmod(begin.year * 12 + begin.month - 1 + (12 if parts == 1 else 1), 12)
        return begin.replace(year=year, month=month + 1)
    except (ValueError, OverflowError):  # of the year 9999
        return datetime.max.replace(tzinfo=UTC)


def _millis(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(milliseconds=1)


def _offset(written: str) -> timedelta:
    if written.upper() in ("Z", "UTC"):
        return timedelta()
    hours, minutes = int(written[1:3]), int(written[-2:])
    ahead = timedelta(hours=hours, minutes=minutes)
    return -ahead if written[0] == "-" else ahead


def _unread(text: str) -> InputError:
    return InputError(f"{text!r} is no time; write 2026-11-20, 2026-11-20T16:30Z or 20261120163000")
