"""What a visit to a page that the crawl has tells of it."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from lycosa.crawl.gate import Gate
from lycosa.crawl.ports import Memory
from lycosa.model.records import (
    SAME,
    Arrival,
    Change,
    Failure,
    LastCapture,
    Millis,
    Page,
    Reason,
    Worth,
    gone,
)

GONE: Final = frozenset({404, 410})
"""By these statuses a page that was there is gone."""


def compared(visit: Arrival, before: LastCapture, memory: Memory, gate: Gate, now: Millis) -> Arrival:
    """How the page differs from the capture before, or that it is gone."""
    match visit:
        case Page():
            if said := gate.is_none(visit):
                return gone(visit, said, visit.fetched_at)
            return (
                visit if visit.change is not None else replace(visit, change=_change(visit, before, memory))
            )
        case Failure(reason=Reason.STATUS, status=status) if status in GONE:
            return gone(visit, visit.detail, now)
        case _:
            return visit


def _change(page: Page, before: LastCapture, memory: Memory) -> Change:
    """All that digests and links tell, where nobody compared the texts."""
    if page.payload == before.digest:
        return SAME
    had, has = set(memory.out_links(page.url)), set(page.out)
    return Change(
        worth=Worth.CONTENT,
        importance=1.0,
        divergence=1.0,
        new_links=len(has - had),
        lost_links=len(had - has),
    )


def is_another(page: Page) -> bool:
    """Whether a page that was fetched again is another one."""
    return page.change is None or page.change.worth is Worth.CONTENT
