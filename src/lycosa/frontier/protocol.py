"""The frontier's interface and the promises that every implementation keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, Protocol

from lycosa.model.commands import Command
from lycosa.model.records import HeldBack, Millis, Record, Request, UrlState
from lycosa.model.url import Host, Url

Tie = Literal["fifo", "lifo", "random"]
"""How equal scores are told apart: first in first out, last in first out, or by a seeded draw."""

NewKey = tuple[int, float, int]
"""Rank of a pending URL, smallest first: tier, minus score, tie-break."""

Key = NewKey | tuple[int, float, int, int]
"""Likewise, or of a revisit: tier, minus score, when it is due, and the order of arrival."""

Lane = Literal["new", "again"]
"""What waits for the turns of hosts: URLs that are pending, and revisits. Which of the two goes first is not for the
frontier to say."""


class Rest(Record, frozen=True, kw_only=True, gc=False):
    """How long a host and the address behind it are left alone after a visit."""

    host_until: Millis
    address: str = ""
    """Empty when the visit never learned it: then only the host rests."""
    address_until: Millis = Millis(0)
    in_trouble: bool | None = None
    """Whether the host does not answer as it should; None: as before. Nobody waits for such a host."""


class Frontier(Protocol):
    """Which URLs wait, in which order, and which of them may be fetched now. Knows no strategy and no clock.

    Invariants, each the name of a property test:

    * one state: a URL is UNSEEN, PENDING, LEASED, VISITED, FAILED or ELSEWHERE, never two of these.
    * one lease a host: of each host at most one URL is leased; after `settle` it rests until the time given. A
      request stands in the queue of the host that it asks next (`Request.at`).
    * one lease an address: hosts known to share an address never have two leases together; after `settle` all of
      them rest until the time given for the address.
    * best first: of the pending URLs whose host may be visited, the one with the smallest key is leased.
    * in turn: unless it may go `beyond`, a request is leased only if fewer than `within` pending URLs with smaller keys
      are worth waiting for. All of these are at closed hosts, and at none that is in trouble. Start pages, and what was
      asked for by hand, are to be fetched anyway: nobody waits for them, and they are always in turn.
    * forward only: enqueueing a pending URL can make its key smaller, never larger.
    * once: a VISITED or FAILED URL is pending again only by `Enqueue(refetch=True)`; without `not_before`, that is.
    * never before its time: a revisit is leased when it is `not_before`, or later. Until then, and while it waits for
      its turn, its URL is VISITED or FAILED, as it was.
    * dropped, not forgotten: a URL that was to be fetched again and is dropped (`Forget`, no room) is what it was,
      VISITED or FAILED, not UNSEEN.
    * bounded: after `apply` at most `capacity` URLs are pending; the worst went, and are UNSEEN again.
    * quota: after the first `Grant`, no more requests are leased than were granted.
    """

    def apply(self, commands: Iterable[Command]) -> int:
        """Do what a strategy asks, in order, then trim to capacity. Returns how many pending URLs were trimmed.

        `Stop` is not the frontier's concern and is ignored. A new URL's depth is the command's, or one more than its
        `via.source`'s, 0 without `via`. A URL that was ELSEWHERE enters like a new one. A `not_before` means nothing to
        a URL that was never visited: that is ignored.
        """
        ...

    def lease(
        self, now: Millis, within: int | None = None, *, beyond: bool = True, lane: Lane = "new"
    ) -> Request | HeldBack | None:
        """Hand out the best request whose host may be visited now; None if there is none. Time never runs backwards.

        `within` (at least 1) says how far the better ones at closed hosts are counted, which is the request's `rank`;
        None: not at all. Where there are so many, the request is `HeldBack`, unless it may go `beyond`. Revisits are
        neither counted nor held back, and the quota does not concern them.
        """
        ...

    def claim(self, url: Url) -> Request:
        """Lease one given URL that waits, whatever its host does: how a journal is replayed. KeyError if neither it nor
        a revisit of it waits."""
        ...

    def settle(self, request: Request, state: UrlState, rest: Rest, also: Iterable[Url] = ()) -> None:
        """Take a lease back as VISITED or FAILED; its host and its address rest.

        `also` are further URLs that this visit accounts for (redirect hops and target): those that are UNSEEN or
        PENDING take the same state and, if unseen, the request's depth.
        """
        ...

    def put_back(self, request: Request, rest: Rest) -> None:
        """Take a lease back as PENDING where it stood, with one more attempt and its share of the quota.

        It begins anew: where redirects had led before is forgotten.
        """
        ...

    def defer(self, url: Url, way: tuple[Url, ...], rest: Rest) -> None:
        """Take a lease back as PENDING where it stood, with its share of the quota and no attempt counted.

        With a `way`, it waits for the turn of the host to which that led (see `Request.way`). `rest` is for the host
        that was leased.
        """
        ...

    def hand_over(self, url: Url, state: UrlState, depth: int = 0) -> None:
        """Another node of a shared crawl sees to a URL (ELSEWHERE), or has seen to it (VISITED). One that is UNSEEN,
        PENDING or ELSEWHERE takes this state; one that we have leased or visited ourselves stays as it is."""
        ...

    def known(self, host: Host | None = None) -> Iterator[Url]:
        """The URLs, of a host or of all, that are VISITED, FAILED or LEASED, in no promised but a reproducible
        order. May look at all."""
        ...

    def is_open(self, host: Host, now: Millis) -> bool:
        """Whether neither the host nor its address is leased or resting."""
        ...

    def give_back(self) -> None:
        """Return every lease that is out to where it stood, the quota too, hosts open: after a crash."""
        ...

    def wakes_at(self) -> Millis | None:
        """The earliest time at which a resting host reopens or a revisit becomes due, None if there is none."""
        ...

    def due(self, url: Url) -> Millis | None:
        """When a URL is to be visited again; None if no revisit of it waits."""
        ...

    @property
    def revisits(self) -> int:
        """How many revisits wait, due or not. They are not PENDING, and `len` does not count them."""
        ...

    def read_ahead(self, urls: Iterable[Url]) -> None:
        """Be ready to be asked about these URLs one by one. No answer depends on it; on disk it costs half as much."""
        ...

    def state(self, url: Url) -> UrlState: ...

    def states(self, urls: Sequence[Url]) -> list[UrlState]:
        """`state` of each, faster for many."""
        ...

    def depth(self, url: Url) -> int | None:
        """Links from a start page; None for an UNSEEN URL."""
        ...

    def waiting(self, url: Url) -> Request | None:
        """The request as it stands if the URL is pending; None if it is not."""
        ...

    def pending(self, host: Host | None = None) -> Iterator[Request]:
        """The pending requests, of all hosts or of one, in no promised but a reproducible order."""
        ...

    def keys(self) -> dict[Url, Key]:
        """The key of each pending URL (for tests and explanations: O(pending))."""
        ...

    @property
    def leased(self) -> Mapping[Url, Request]:
        """The requests that are out, in the order of their leases."""
        ...

    @property
    def quota(self) -> int | None:
        """How many more requests may be leased; None before the first `Grant`: no limit."""
        ...

    def __len__(self) -> int:
        """How many URLs are pending."""
        ...
