"""Everything that a strategy may ask for."""

from __future__ import annotations

from lycosa.model.records import Link, Millis, Record
from lycosa.model.url import Url

WISHED = -1_000
"""The tier of what somebody outside the strategy wants fetched before all else: a strategy cannot move it back."""


class Enqueue(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="enqueue"):
    """Fetch this sooner or later. A pending URL can only move forward by it; a known one is left alone."""

    url: Url
    score: float = 0.0
    """Higher is sooner, within a tier. Finite."""
    tier: int = 0
    """Lower tiers first."""
    via: Link | None = None
    refetch: bool = False
    """Fetch again though it was visited or failed."""
    not_before: Millis | None = None
    """Of a `refetch`: visit the URL again when it is this time. It waits among the revisits, which have a share of
    their own of the requests, and is not PENDING meanwhile. A later one replaces it. None: at once, and among the new
    URLs, in the order of its score."""
    depth: int | None = None
    """Links from a start page, as another node counted them; None: one more than where `via` stands."""


class Reprioritize(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="reprioritize"):
    """Set the place of a pending URL, forward or back. No effect on any other."""

    url: Url
    score: float
    tier: int = 0


class Forget(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="forget"):
    """Drop a pending URL: found again, it may enter again. Drop the revisit of a URL that waits for one: it stays as it
    is."""

    url: Url


class Grant(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="grant"):
    """Lease out ``n`` more requests, then pause until the next grant: batches and generations."""

    n: int


class Stop(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="stop"):
    """The goal is reached: let the visits that are out come home, then end."""

    reason: str


Command = Enqueue | Reprioritize | Forget | Grant | Stop
