"""TimeMaps and TimeGates as Memento has them (RFC 7089), of captures that were found already: pure functions.

Whoever serves them says under which URL each lies: `base` is the beginning of all of them. A memento is
`BASE/20261120163000/URL`, a TimeGate `BASE/URL`, a TimeMap `BASE/timemap/link/URL` and `BASE/timemap/json/URL`.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    return f"{base}/{_time(capture):%Y%m%d%H%M%S}/{url}"


def as_links(timemap: TimeMap, base: str) -> str:
    """The TimeMap in link format (RFC 7089, section 5)."""
    url, first, last = timemap.url, timemap.captures[0], timemap.captures[-1]
    links = [
        f'<{url}>; rel="original"',
        f'<{base}/timemap/link/{url}>; rel="self"; type="{LINK_FORMAT}"; '
        f'from="{_http_date(first)}"; until="{_http_date(last)}"',
        f'<{base}/{url}>; rel="timegate"',
    ]
    for place, capture in enumerate(timemap.captures):
        ends = ("first " * (place == 0)) + ("last " * (place == len(timemap.captures) - 1))
        links.append(
            f'<{memento_url(base, capture, url)}>; rel="{ends}memento"; datetime="{_http_date(capture)}"'
        )
    return ",\n".join(links) + "\n"


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
        "timegate_uri": f"{base}/{url}",
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
