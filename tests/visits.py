"""Histories of pages that were visited again."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from hypothesis import strategies as st

from lycosa.crawl.looks import MOST_LOOKS
from lycosa.model.records import Look, Millis, Sight
from lycosa.model.url import Url
from lycosa.revisit.history import DAY, History

BEGIN = 1_700_000_000_000
PAGE = Url("http://reef.test/")
SIGHTS = {
    "u": Sight.SAME,
    "d": Sight.DRESSING,
    "c": Sight.CHANGED,
    "g": Sight.GONE,
    "b": Sight.BACK,
}


def history(
    found: str = "",
    days: Sequence[float] | float = 1.0,
    *,
    relevance: float = 1.0,
    links: int = 0,
    **more: object,
) -> History:
    """A page seen first, and then after so many days each: `u`nchanged, with a new `d`ress, `c`hanged, `g`one, `b`ack.

    `url` and what else a `History` holds may be given too.
    """
    spans = [days] * len(found) if isinstance(days, float | int) else days
    at = BEGIN
    looks = [Look(at=Millis(at), sight=Sight.FIRST, relevance=relevance, new_links=links)]
    for sight, span in zip(found, spans, strict=True):
        at += round(span * DAY)
        looks.append(Look(at=Millis(at), sight=SIGHTS[sight], relevance=relevance))
    return msgspec.convert({"url": PAGE, **more, "looks": looks}, History)


def moved(page: History, span: int) -> History:
    """The same, so many milliseconds later."""
    looks = tuple(msgspec.structs.replace(look, at=Millis(look.at + span)) for look in page.looks)
    return msgspec.structs.replace(page, looks=looks)


@st.composite
def histories(
    draw: st.DrawFn, *, signals: bool = False, least_relevance: float = 0.0, least_looks: int = 1
) -> History:
    """Any page that is not gone."""
    count = draw(st.integers(least_looks - 1, MOST_LOOKS - 1))
    found = draw(st.text("uudc", min_size=count, max_size=count))
    days = draw(st.lists(st.floats(0.001, 100), min_size=count, max_size=count))
    page = history(
        found,
        days,
        relevance=draw(st.floats(least_relevance, 1)),
        links=draw(st.integers(0, 300)),
        url=f"http://{draw(st.sampled_from('abc'))}.test/{draw(st.integers(0, 10**6))}",
    )
    finds = draw(st.lists(st.floats(0, 5), min_size=len(page.looks), max_size=len(page.looks)))
    page = msgspec.structs.replace(page, finds=tuple(finds) if draw(st.booleans()) else ())
    if not signals:
        return page
    times = draw(st.lists(st.integers(BEGIN, page.last.at + 10 * DAY), unique=True, max_size=20))
    told = tuple(map(Millis, sorted(times)))
    return msgspec.structs.replace(page, signals=told, is_told=draw(st.booleans()))
