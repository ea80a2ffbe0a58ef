"""Everything that a strategy may ask for."""

from __future__ import annotations

from lycosa.model.records import Link, Record
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


class Reprioritize(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="reprioritize"):
    """Set the place of a pending URL, forward or back. No effect on any other."""

    url: Url
    score: float
    tier: int = 0


class Forget(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="forget"):
    """Drop a pending URL. Found again, it may enter again."""

    url: Url


class Grant(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="grant"):
    """Lease out ``n`` more requests, then pause until the next grant: batches and generations."""

    n: int


class Stop(Record, frozen=True, kw_only=True, gc=False, tag_field="do", tag="stop"):
    """The goal is reached: let the visits that are out come home, then end."""

    reason: str


Command = Enqueue | Reprioritize | Forget | Grant | Stop
