"""The one interface behind which every crawling algorithm stands."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from lycosa.crawl.members import Member
from lycosa.crawl.ports import Memory
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Failure, Millis, Page, Request, UrlState
from lycosa.model.url import Host, Url


class View(Protocol):
    """What a strategy may look at while it thinks. Valid during the call it was given to, not after."""

    @property
    def step(self) -> int:
        """The step that is being thought about, from 1."""
        ...

    @property
    def now(self) -> Millis:
        """The time of the step."""
        ...

    @property
    def rng(self) -> random.Random:
        """Chance as a function of (seed, step): nothing to save, nothing that drifts on replay."""
        ...

    @property
    def memory(self) -> Memory: ...

    def state(self, url: Url) -> UrlState:
        """Where a URL stands now. An `Enqueue` that was refused or ignored shows here."""
        ...

    def states(self, urls: Sequence[Url]) -> list[UrlState]:
        """`state` of each, faster for many."""
        ...

    def admits(self, command: Enqueue) -> bool:
        """Whether scope, spider traps, `nofollow` and blocked hosts would let an UNSEEN URL enter as things stand."""

    def waiting(self, url: Url) -> Request | None:
        """The place of a pending URL; None for any other."""
        ...

    def pending(self, host: Host | None = None) -> Iterable[Request]: ...


class Strategy(ABC):
    """Decides what is worth fetching next. Only `on_page` must be written.

    Thinking is pure: no I/O, no clock, no chance but `crawl.rng`, no iteration over sets where order matters.
    Politeness, duplicates, scope and traps are not its concern. A subclass's constructor takes its parameters as
    keywords with defaults; its docstring is its page in the manual.
    """

    reference: ClassVar[str] = ""
    """The work that describes the algorithm."""

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        """The start pages were given."""
        return [Enqueue(url=url, score=1.0) for url in seeds]

    @property
    def ranks(self) -> bool:
        """Whether the best links are worth waiting for. Not where each URL that waits is to be fetched in any case, as
        those of agents that walk side by side."""
        return True

    @abstractmethod
    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        """A page arrived; its relevance is set."""

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        """A page that was fetched before is another one now; `before` is what it was. Of one that is as it was, and of
        one that is gone, a strategy is not told.

        As it stands, links that the page did not have are followed, with the relevance of the page as their score.
        """
        had = set(before.out)
        fresh = {link.target: link for link in reversed(page.links) if link.target not in had}
        return [Enqueue(url=url, via=fresh[url], score=page.relevance) for url in page.out if url in fresh]

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        """A visit failed for good; retries, if any, are over."""
        return ()

    def on_idle(self, crawl: View) -> Iterable[Command]:
        """Nothing is out and nothing may be leased. If nothing changes by the answer, the crawl ends."""
        return ()

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        """A peer found a link in our part of the web."""
        return [handoff]

    def on_handoffs(self, handoffs: Sequence[Enqueue], crawl: View) -> Iterable[Command]:
        """A peer found several at once. As it stands, each is told on its own."""
        return [command for handoff in handoffs for command in self.on_handoff(handoff, crawl)]

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        """A person said that a page of the crawl is on topic (True) or not, or took that back (None)."""
        return ()

    def wants_rendered(self, page: Page) -> bool | None:
        """Whether a page, as its server sent it, is to be made in a browser, where the crawl renders pages that are
        worth it; None: no opinion. It is asked while the page is visited, and must change nothing."""
        return None

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        """What the score of a request was made of, parts by name, for `lycosa why`."""
        return {}

    def facts(self) -> Mapping[str, Any]:
        """What a person may want to know of it while the crawl runs, as plain values by name, for `lycosa status`."""
        return {}

    def population(self) -> Sequence[Member]:
        """Of a strategy that crawls by a population: its members, those that are alive first, each kind by number."""
        return ()

    def save(self) -> Mapping[str, Any]:
        """What must survive between two runs, as plain values (see `Snapshot`).

        Of bytes of 64 KB and more only pieces that changed are written; so columns that grow at their end cost little.
        """
        return {}

    def load(self, state: Mapping[str, Any]) -> None:  # noqa: B027 - optional, not abstract
        """Take back what `save` returned."""
