"""What can happen to a crawl, and how a journal keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Deferred, Failure, Millis, Page, Record
from lycosa.model.url import Url


class Started(Record, frozen=True, kw_only=True):
    seeds: tuple[Url, ...]


class Idled(Record, frozen=True, kw_only=True):
    """Nothing is out and nothing may be leased: the strategy is asked once more, then the crawl ends."""


class HandedOff(Record, frozen=True, kw_only=True):
    """A peer found a link in our part of the web."""

    command: Enqueue
    peer: str


class Operated(Record, frozen=True, kw_only=True):
    """Somebody outside the strategy intervened: a person, or a sitemap that names pages."""

    commands: tuple[Command, ...]
    by: str


class Recovered(Record, frozen=True, kw_only=True):
    """After an interruption: the visits that were out went back to pending."""


class Marked(Record, frozen=True, kw_only=True):
    """A person said of a page of the crawl whether it is on topic."""

    url: Url
    good: bool | None
    """None: what was said of the page before is taken back."""
    number: int = 0
    """Counts the marks that came by the folder's inbox, from 1; 0 for one that did not."""


Event = Started | Page | Failure | Deferred | Idled | HandedOff | Operated | Recovered | Marked


class Entry(Record, frozen=True, kw_only=True):
    """One step of a crawl, as the journal keeps it: the leases since the step before, what happened, when,
    and what the strategy answered."""

    step: int
    """From 1, without gaps."""
    at: Millis
    leased: tuple[Url, ...]
    event: Event
    commands: tuple[Command, ...] = ()


class Snapshot(Record, frozen=True, kw_only=True):
    """What a crawl and its strategy hold in memory after a step, the frontier apart. Plain values only:
    None, bool, int, float, str, bytes, lists and string-keyed mappings of these."""

    step: int
    crawl: Mapping[str, Any]
    strategy: Mapping[str, Any]
