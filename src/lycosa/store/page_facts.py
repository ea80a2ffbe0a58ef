"""What a journal knows of its pages, as far as they are sought and counted by it. Plain SQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from lycosa.crawl.looks import modified_at
from lycosa.model.records import Millis
from lycosa.model.rights import Rights
from lycosa.model.url import Url
from lycosa.store.codec import unpack_rights
from lycosa.store.database import Answering

_ASKED: Final = (
    "step, url, coalesce(final_url, url), language, media_type, depth, relevance, fetched_at, "
    "coalesce(last_modified, ''), coalesce(digest, ''), fingerprint, noindex, rights"
)


class PageFact(NamedTuple):
    """One page by a visit that brought it."""

    step: int
    asked: Url
    url: Url
    """Where its redirects ended."""
    language: str
    media_type: str
    depth: int
    relevance: float
    fetched_at: Millis
    date: Millis
    """When the server says that it changed last; when it was fetched where that is not told, or cannot be believed."""
    digest: str
    fingerprint: int
    """Signed."""
    noindex: bool
    rights: Rights
    """What is said of the use of the page."""


class PageFacts:
    """Questions to a journal's connection."""

    def __init__(self, connection: Answering) -> None:
        self._connection = connection

    def since(self, step: int) -> Iterator[PageFact]:
        """All visits after a step that brought a page of this crawler, in order; a later one stands for all."""
        rows = self._connection.execute(
            f"SELECT {_ASKED} FROM steps WHERE step > ? AND kind = 'page' AND owner IS NULL ORDER BY step",
            (step,),
        )
        return (_fact(*row) for row in rows)


def _fact(
    step: int,
    asked: str,
    url: str,
    language: str | None,
    media_type: str | None,
    depth: int,
    relevance: float,
    fetched_at: int,
    last_modified: str,
    digest: str,
    fingerprint: int | None,
    noindex: int | None,
    rights: str | None,
) -> PageFact:
    fetched = Millis(fetched_at)
    changed = modified_at(last_modified, fetched, fetched) if last_modified else None
    return PageFact(
        step,
        Url(asked),
        Url(url),
        language or "",
        media_type or "",
        depth,
        relevance,
        fetched,
        fetched if changed is None else changed,
        digest,
        fingerprint or 0,
        bool(noindex),
        unpack_rights(rights),
    )
