"""Numbers, times and words of the web as a person reads them."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lycosa.spec.webs import web_of

if TYPE_CHECKING:
    from lycosa.crawls.answers import Status

_HIDDEN = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})
"""Unicode categories of control characters, line separators and the like."""
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
"""Marks that change the direction of the words after them."""


def is_shown(character: str) -> bool:
    """Whether a character may stand in what we show: it can neither move a cursor nor turn the words around it."""
    return unicodedata.category(character) not in _HIDDEN and character not in _TURNING


def clean(text: str) -> str:
    """One line without control characters, whatever a page wrote."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(c if is_shown(c) else " " for c in text).split())


def cut(text: str, width: int) -> str:
    """At most `width` characters, with an ellipsis where something is missing."""
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def counted(number: int, what: str, plural: str = "") -> str:
    """`1 page`, `2 pages`, `1,000 pages`."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def a_page(number: int, pages: int) -> str:
    """How many that is a page: `1.4 a page`; empty without pages."""
    return f"{number / pages:.1f} a page" if pages else ""


def of_budget(pages: int, budget: int | None) -> str:
    """`20 of 1,000`; `20` where there is no end."""
    return f"{pages:,}" if budget is None else f"{pages:,} of {budget:,}"


def spoken(span: float) -> str:
    """A duration in seconds for a person to read: `0:07`, `12:30`, `1:02:03`."""
    whole = max(0, round(span))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


LONG = 2 * 86_400
"""Seconds from which a span is told in days."""
SPANS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
"""Units of long spans, the longest first, and their seconds."""


def long_span(span: float) -> str:
    """A duration in seconds, in its largest unit: `3 hours`, `1.5 days`."""
    size, name = next(((size, name) for size, name in SPANS if span >= size), SPANS[-1])
    number = f"{span / size:.1f}".removesuffix(".0")
    return f"{number} {name}{'' if number == '1' else 's'}"


def took(span: float) -> str:
    """How long something took, in seconds: `0.4 s`, and from ten seconds on as `spoken`."""
    return f"{span:.1f} s" if span < 10 else spoken(span)


def minute(at: int) -> str:
    """Milliseconds since the epoch for a person: `2026-11-20 16:16 UTC`."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def when(status: Status) -> str:
    """When the crawl took place. Under virtual time only the span means anything."""
    if not web_of(status.web).is_recorded:
        return f"{minute(status.started_at)} to {minute(status.last_at)}"
    span = (status.last_at - status.started_at) / 1000
    return f"{long_span(span) if span > LONG else spoken(span)} of simulated time"


def size(octets: int) -> str:
    """So many bytes in the largest unit that has one of them: `1.5 MB`."""
    for unit, least in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if octets >= least:
            return f"{octets / least:,.1f} {unit}"
    return f"{octets:,} B"
