"""One line of a web server's or proxy's log: Common, Combined (with host or cookie) and Squid's native format.

Sources: the documentation of Apache's mod_log_config (formats `common`, `combined`, `vhost_combined`), with a cookie as
a further quoted field at the end, and of Squid's access.log (native format).
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from lycosa.model.errors import InputError
from lycosa.model.records import Millis

LONGEST_LINE = 1 << 16
"""Octets; servers cut requests far below this."""


class LogHit(NamedTuple):
    """One request as a log has it. Texts are empty where the log has none or `-`."""

    address: str
    at: Millis
    method: str
    target: str
    """A path, or of a proxy an absolute URL."""
    status: int
    host: str = ""
    """Virtual host, with its port, if the format names it."""
    referrer: str = ""
    agent: str = ""
    cookie: str = ""


class Unread(NamedTuple):
    """What is wrong with a line."""

    why: str


_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_COMMON = re.compile(
    rf"(?:(?P<host>[^\s\"\[]+) )?(?P<address>\S+) (?P<ident>\S+) (?P<user>[^\[\]\"]+?) \[(?P<time>[^\]]*)\] "
    rf"{_QUOTED} (?P<status>\S+) (?P<size>\S+)(?: {_QUOTED} {_QUOTED}(?: {_QUOTED})?)?\s*"
)
_SQUID = re.compile(
    r"\s*(\d{9,11})\.(\d{3})\s+-?\d+ (\S+) [A-Z_]+/(\d{3}) \d+ ([A-Z]+) (\S+) \S+ \S+(?: \S+)?\s*"
)
_REQUEST = re.compile(r"([A-Za-z-]{3,20}) (\S+)(?: HTTP/\d(?:\.\d)?)?")
_TIME = re.compile(r"(\d\d/[A-Z][a-z]{2}/\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def read_line(line: str) -> LogHit | Unread:
    """The request that a line tells of, or what is wrong with it.

    >>> read_line('::1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326').target
    '/a'
    """
    if found := _COMMON.fullmatch(line):
        return _common(found)
    if found := _SQUID.fullmatch(line):
        seconds, millis, address, status, method, target = found.groups()
        at = Millis(int(seconds) * 1000 + int(millis))
        return LogHit(address, at, method, target, int(status))
    return Unread("it is in none of Common, Combined or Squid's native log format")


def _common(found: re.Match[str]) -> LogHit | Unread:
    request, referrer, agent, cookie = (_unquoted(found[number]) for number in _TEXTS)
    at, asked = _time(found["time"]), _REQUEST.fullmatch(request)
    if at is None:
        return Unread(f"the time {found['time'][:60]!r} is not one like 10/Oct/2000:13:55:36 -0700")
    if asked is None:
        return Unread(f"the request {request[:60]!r} is not one like GET /path HTTP/1.1")
    if not re.fullmatch(r"[1-5]\d\d", found["status"]):
        return Unread(f"the status {found['status'][:60]!r} is not a number from 100 to 599")
    host = found["host"] or ""
    return LogHit(
        found["address"], at, asked[1], asked[2], int(found["status"]), host, referrer, agent, cookie
    )


_TEXTS = (6, 9, 10, 11)
"""Numbers of the quoted groups: request, referrer, agent, cookie."""


def _unquoted(text: str | None) -> str:
    if not text or text == "-":
        return ""
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else text


def _time(text: str) -> Millis | None:
    found = _TIME.fullmatch(text)
    midnight = _midnight(found[1], found[5]) if found else None
    if found is None or midnight is None:
        return None
    return Millis(midnight + ((int(found[2]) * 60 + int(found[3])) * 60 + int(found[4])) * 1000)


@lru_cache(maxsize=4096)
def _midnight(day: str, zone: str) -> int | None:
    """When a day began, in milliseconds since the epoch; None if there is no such day."""
    try:
        offset = timedelta(hours=int(zone[:3]), minutes=int(zone[0] + zone[3:]))
        began = datetime(
            int(day[7:]), _MONTHS.index(day[3:6]) + 1, int(day[:2]), tzinfo=timezone(offset)
        ).astimezone(UTC)
    except ValueError:
        return None
    return int(began.timestamp()) * 1000


def lines_of(path: Path) -> Iterator[str | Unread]:
    """The lines of a log, packed by gzip or not, one at a time. Empty lines are passed over.

    A packed file that is cut or damaged ends with what is wrong. Raises `InputError` if it cannot be opened.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if packed:
                yield from _lines(gzip.GzipFile(fileobj=file))
            else:
                yield from _lines(file)
    except OSError as error:
        raise InputError(
            f"log {path}: cannot be read: {error.strerror}; give a log file with --log"
        ) from None


def _lines(file: IO[bytes] | gzip.GzipFile) -> Iterator[str | Unread]:
    readline = file.readline
    try:
        while line := readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                while (rest := readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    pass
                yield Unread(f"it is longer than {LONGEST_LINE:,} octets")
            elif text := line.decode("utf-8", "replace").strip():
                yield text
    except (EOFError, OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        yield Unread(f"the packed file ends here, cut or damaged ({error})")
