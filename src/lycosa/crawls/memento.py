"""TimeMaps and TimeGates as Memento has them (RFC 7089), of captures that were found already: pure functions.

Whoever serves them says under which URL each lies: `base` is the beginning of all of them. A memento is
`BASE/memento/20261120163000/URL`, a TimeGate `BASE/timegate/URL`, a TimeMap `BASE/timemap/link/URL` and
`BASE/timemap/json/URL`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any

from lycosa.archive.cdxj import Capture
from lycosa.crawls.answers import TimeMap
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.model.url import Url

LINK_FORMAT = "application/link-format"
"""The media type of `as_links` (RFC 6690)."""


def accepted(accept_datetime: str) -> Millis:
    """The time in an Accept-Datetime header. Raises `InputError` for what is none: the answer is a 400."""
    try:
        return Millis(round(parsedate_to_datetime(accept_datetime).timestamp() * 1000))
    except (ValueError, TypeError, OverflowError):
        raise InputError(
            f"{accept_datetime[:100]!r} is no date for Accept-Datetime; write Thu, 20 Nov 2025 16:30:00 GMT"
        ) from None


def timegate(timemap: TimeMap, at: Millis | None = None) -> Capture:
    """The capture that an archive answers with for a time: the latest not after it, or the first of all if the time is
    before them. None: the latest of all.

    Invariant, the name of a property test:

    * never late: a capture after the time is answered with only if there is none before.
    """
    then = [capture for capture in timemap.captures if at is None or capture.at <= at]
    return then[-1] if then else timemap.captures[0]


def memento_url(base: str, capture: Capture, url: Url) -> str:
    return f"{base}/memento/{_time(capture):%Y%m%d%H%M%S}/{url}"


def timegate_url(base: str, url: Url) -> str:
    return f"{base}/timegate/{url}"


def as_links(timemap: TimeMap, base: str) -> str:
    """The TimeMap in link format (RFC 7089, section 5)."""
    url, first, last = timemap.url, timemap.captures[0], timemap.captures[-1]
    links = [
        f'<{url}>; rel="original"',
        f'<{base}/timemap/link/{url}>; rel="self"; type="{LINK_FORMAT}"; '
        f'from="{_http_date(first)}"; until="{_http_date(last)}"',
        f'<{timegate_url(base, url)}>; rel="timegate"',
    ]
    last_place = len(timemap.captures) - 1
    for place, capture in enumerate(timemap.captures):
        ends = [name for name, at in (("first", 0), ("last", last_place)) if place == at]
        links.append(_memento(base, capture, url, ends))
    return ",\n".join(links) + "\n"


def link_header(timemap: TimeMap, base: str, chosen: Capture) -> str:
    """The Link header of a TimeGate's answer, and of a memento (RFC 7089, sections 2.2 and 4.2): the original, TimeGate
    and TimeMap, and the mementos that are first, last, chosen, and next to that."""
    url, captures = timemap.url, timemap.captures
    place = captures.index(chosen)
    names: dict[int, list[str]] = {}
    for name, at in (
        ("first", 0),
        ("prev", place - 1),
        ("", place),
        ("next", place + 1),
        ("last", len(captures) - 1),
    ):
        if 0 <= at < len(captures):
            names.setdefault(at, []).append(name)
    links = [
        f'<{url}>; rel="original"',
        f'<{timegate_url(base, url)}>; rel="timegate"',
        f'<{base}/timemap/link/{url}>; rel="timemap"; type="{LINK_FORMAT}"; '
        f'from="{_http_date(captures[0])}"; until="{_http_date(captures[-1])}"',
        *(_memento(base, captures[at], url, filter(None, each)) for at, each in sorted(names.items())),
    ]
    return ", ".join(links)


def memento_datetime(capture: Capture) -> str:
    """The Memento-Datetime header of a memento."""
    return _http_date(capture)


def _memento(base: str, capture: Capture, url: Url, names: Iterable[str]) -> str:
    relations = " ".join((*names, "memento"))
    return f'<{memento_url(base, capture, url)}>; rel="{relations}"; datetime="{_http_date(capture)}"'


def as_json(timemap: TimeMap, base: str) -> Mapping[str, Any]:
    """The TimeMap in the JSON form that MemGator and others answer with."""
    url = timemap.url
    mementos = [
        {"datetime": f"{_time(each):%Y-%m-%dT%H:%M:%SZ}", "uri": memento_url(base, each, url)}
        for each in timemap.captures
    ]
    return {
        "original_uri": url,
        "self": f"{base}/timemap/json/{url}",
        "timegate_uri": timegate_url(base, url),
        "timemap_uri": {
            "link_format": f"{base}/timemap/link/{url}",
            "json_format": f"{base}/timemap/json/{url}",
        },
        "mementos": {"first": mementos[0], "last": mementos[-1], "list": mementos},
    }


def _time(capture: Capture) -> datetime:
    return datetime.fromtimestamp(capture.at // 1000, UTC)


def _http_date(capture: Capture) -> str:
    return format_datetime(_time(capture), usegmt=True)
