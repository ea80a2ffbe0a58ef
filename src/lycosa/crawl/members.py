"""What strategies that crawl by a population tell of its members."""

from __future__ import annotations

from lycosa.model.records import Record
from lycosa.model.url import Url


class Find(Record, frozen=True, kw_only=True):
    """A page that a member of a population brought."""

    url: Url
    title: str
    relevance: float


class Member(Record, frozen=True, kw_only=True):
    """One of a population, alive or dead, as whoever looks on is told."""

    number: int
    """Counts all that were ever born, from 1."""
    parent: int | None = None
    """The number of the one it was born of; None: it was there from the beginning."""
    born: int
    """The step at which it was born."""
    died: int | None = None
    """The step at which it died; None: it is alive."""
    energy: float
    pages: int
    """That it brought."""
    links: int = 0
    """That it can choose from."""
    looks_for: tuple[str, ...] = ()
    """Its words, the topic's first; the others it learned, or was born with."""
    stands_at: Url | None = None
    waits_for: Url | None = None
    found: tuple[Find, ...] = ()
    """The best pages that it brought, best first, a few."""
    node: str = ""
    """Of a crawl that several nodes share: each counts its own."""
