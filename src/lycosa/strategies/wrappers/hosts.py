"""Wrappers that spread a crawl over hosts: a cap, a share, and a distance between visits of one host.

All of them are about the order of visits, not about politeness, which the frontier keeps in any case.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec
from msgspec.structs import replace

from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Forget, Reprioritize
from lycosa.model.records import Page, Request, UrlState, Visit
from lycosa.model.url import Host, Url, host_of
from lycosa.strategies.wrappers.wrapper import Rewriting


class HostCap(Rewriting):
    """Brings at most n pages of one host, then forgets the host's other links.

    When to use it: to keep one large site from taking the whole budget. A page counts for the host at which its
    redirects ended. What an operator or a sitemap asks for passes; so does a redirect from another host. Where visits
    are told in batches, a batch may exceed the cap: put `batches` inside (`best-first+batches+host-cap`).

    Parameters: `n`, at least 1 (default 100: lycosa's choice).

    Cost: a dictionary look-up a link, a count a host; once a host, all its pending links are forgotten.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("best-first+host-cap:n=20").n
    20

    Invariant, the name of a property test:

    * capped: without redirects between hosts no host has more than n pages.
    """

    def __init__(self, inner: Strategy, *, n: Annotated[int, msgspec.Meta(ge=1)] = 100) -> None:
        super().__init__(inner)
        self.n = n
        self._pages: dict[Host, int] = {}

    def met(self, visit: Visit, crawl: View) -> Iterable[Command]:
        if not isinstance(visit, Page):
            return ()
        host = host_of(visit.final_url)
        self._pages[host] = count = self._pages.get(host, 0) + 1
        return [Forget(url=request.url) for request in crawl.pending(host)] if count == self.n else ()

    def rewritten(self, commands: Iterable[Command], crawl: View) -> Iterable[Command]:
        for command in commands:
            if not (isinstance(command, Enqueue) and self._pages.get(host_of(command.url), 0) >= self.n):
                yield command

    def facts(self) -> Mapping[str, Any]:
        full = sum(count >= self.n for count in self._pages.values())
        return {**self.inner.facts(), "hosts at their cap": full}

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), "pages": dict(self._pages)}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._pages = {Host(host): count for host, count in state["pages"].items()}


class StandingBack(Rewriting):
    """Base of wrappers that let some links stand back: these wait behind all others, and keep their scores.

    A link stands back in a tier of its own, `back` above that which the strategy inside gave it; that strategy never
    sees it. So nothing is lost: where nothing else waits, what stands back is visited, best first.
    """

    back: ClassVar[int]
    """Far above the tiers of any strategy, and another for each wrapper, so that they go around each other."""

    def stands_back(self, request: Request) -> bool:
        return (request.tier + self.back // 2) // self.back % 2 == 1

    def own(self, request: Request) -> Request:
        """A request as the strategy inside knows it."""
        return replace(request, tier=request.tier - self.back) if self.stands_back(request) else request

    def view(self, crawl: View) -> View:
        return _Seen(crawl, self.own)

    def told(self, visit: Visit) -> Visit:
        return replace(visit, request=self.own(visit.request)) if self.stands_back(visit.request) else visit

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        standing = {"stands back for other hosts": 1.0} if self.stands_back(request) else {}
        return {**standing, **self.inner.explain(self.own(request), memory)}


class _Seen:
    """A crawl as the strategy inside knows it: links that stand back have the tiers that it gave them."""

    def __init__(self, crawl: View, own: Callable[[Request], Request]) -> None:
        self._crawl, self._own = crawl, own
        self.step, self.now, self.memory = crawl.step, crawl.now, crawl.memory
        self.state, self.states, self.admits = crawl.state, crawl.states, crawl.admits

    @property
    def rng(self) -> Random:
        return self._crawl.rng

    def waiting(self, url: Url) -> Request | None:
        request = self._crawl.waiting(url)
        return None if request is None else self._own(request)

    def pending(self, host: Host | None = None) -> Iterable[Request]:
        return map(self._own, self._crawl.pending(host))


class HostShare(StandingBack):
    """Lets the links of a host stand back while the host has more than its share of all pages.

    When to use it: as a soft budget for each host. Unlike a cap it loses nothing: a host over its share is visited
    again when nothing else waits, or when the crawl has grown so much that the host's pages are at most `release` of
    its share. (If it came back at once, all its links would be moved to and fro every few pages, which costs time
    that grows with the square of the crawl.)

    Parameters: `share`, above 0, at most 1 (default 0.2: lycosa's choice), of
    the pages so far. `grace`, pages of a host that are never too many (default 10). `release`, 0 to 0.95
    (default 0.8).

    Cost: a dictionary look-up a link, a count a host. A host's pending links are moved when it goes over its share and
    when it comes back, each time after the crawl grew by a factor of at least 1 / `release`.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("best-first+host-share:share=0.1").share
    0.1

    Invariant, the name of a property test:

    * soft: it visits all that the strategy inside visits, if the budget suffices.
    """

    back = 1_000_000

    def __init__(
        self,
        inner: Strategy,
        *,
        share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.2,
        grace: Annotated[int, msgspec.Meta(ge=1)] = 10,
        release: Annotated[float, msgspec.Meta(ge=0, le=0.95)] = 0.8,
    ) -> None:
        super().__init__(inner)
        self.share, self.grace, self.release = share, grace, release
        self._count = 0
        self._pages: dict[Host, int] = {}
        self._over: dict[Host, None] = {}
        self._returns: list[tuple[float, Host]] = []  # heap: at how many pages a host comes back

    def met(self, visit: Visit, crawl: View) -> Iterable[Command]:
        if not isinstance(visit, Page):
            return ()
        host = host_of(visit.final_url)
        self._count += 1
        self._pages[host] = count = self._pages.get(host, 0) + 1
        moved = list(self._returning(crawl))
        if count > self.grace and count > self.share * self._count and host not in self._over:
            self._over[host] = None
            moved += [
                Reprioritize(url=r.url, score=r.score, tier=r.tier + self.back)
                for r in crawl.pending(host)
                if not self.stands_back(r)
            ]
            self._expect(host)
        return moved

    def _expect(self, host: Host) -> None:
        """A host that is never released is visited when nothing else waits, for ever."""
        if self.release:
            heapq.heappush(self._returns, (self._pages[host] / (self.release * self.share), host))

    def _returning(self, crawl: View) -> Iterator[Command]:
        while self._returns and self._returns[0][0] <= self._count:
            _, host = heapq.heappop(self._returns)
            if self._pages[host] > self.release * self.share * self._count:  # it was visited meanwhile
                self._expect(host)
                continue
            del self._over[host]
            for request in crawl.pending(host):
                if self.stands_back(request):
                    yield Reprioritize(url=request.url, score=request.score, tier=request.tier - self.back)

    def rewritten(self, commands: Iterable[Command], crawl: View) -> Iterable[Command]:
        for command in commands:
            if isinstance(command, Enqueue | Reprioritize) and host_of(command.url) in self._over:
                yield replace(command, tier=command.tier + self.back)
            else:
                yield command

    def facts(self) -> Mapping[str, Any]:
        return {**self.inner.facts(), "hosts over their share": len(self._over)}

    def save(self) -> Mapping[str, Any]:
        own = {"count": self._count, "pages": dict(self._pages), "over": list(self._over)}
        return {**super().save(), **own, "returns": [list(entry) for entry in self._returns]}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._count = state["count"]
        self._pages = {Host(host): count for host, count in state["pages"].items()}
        self._over = dict.fromkeys(map(Host, state["over"]))
        self._returns = [(at, Host(host)) for at, host in state["returns"]]


class Stand(NamedTuple):
    """Where a link would stand if its host were free: smaller goes first."""

    tier: int
    below: float
    """Minus the score."""
    order: int


Placing = Enqueue | Reprioritize


class HostSpacing(StandingBack):
    """Visits at least k other hosts between two visits of one host, where there are so many.

    When to use it: to spread a crawl over hosts. The rule of Pant, Srinivasan and Menczer (2004, sec. 2.1), that of any
    100 picks in a row no two are of one host, is k = 99; with k = 0 nothing changes, as a comparison with published
    best-first crawls needs it. Where no host is free, the one that rested longest is. Visits count as they come home,
    failures too, whether they were made one by one or side by side.

    Parameters: `k`, 0 to 100,000 (default 10: lycosa's choice).

    Of every free host the best link stands where the strategy inside put it, all others stand back. When a host is
    visited its next link stands back too, until k other hosts were visited.

    Cost: O(log n) a link, for which its place is remembered (some 300 bytes).

    >>> from lycosa.spec.registry import strategy
    >>> strategy("best-first+host-spacing:k=99").k
    99

    Invariants, each the name of a property test:

    * spaced: visited one by one, and while k + 1 hosts have links, no host is visited again before k others.
    * soft: it visits all that the strategy inside visits, if the budget suffices.
    """

    back = 1_000_000_000

    def __init__(self, inner: Strategy, *, k: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 10) -> None:
        super().__init__(inner)
        self.k = k
        self._stands: dict[Url, Stand] = {}
        self._queues: dict[Host, list[tuple[Stand, Url]]] = {}  # lazily cleaned
        self._fronts: dict[Host, Url] = {}
        self._resting: OrderedDict[Host, None] = OrderedDict()  # the last visited last
        self._unsure: list[Host] = []  # whose front link was new: it may have been refused
        self._order = 0

    def met(self, visit: Visit, crawl: View) -> Iterable[Command]:
        if not self.k:
            return ()
        host = host_of(visit.request.url)
        self._stands.pop(visit.request.url, None)
        self._resting.pop(host, None)
        self._resting[host] = None
        front = self._fronts.pop(host, None)
        waits = crawl.waiting(front) if front is not None else None
        return [] if waits is None else [_placed(waits, waits.tier + self.back)]

    def rewritten(self, commands: Iterable[Command], crawl: View) -> Iterable[Command]:
        if not self.k:
            return commands
        touched = dict.fromkeys(self._unsure)
        self._unsure = []
        while len(self._resting) > self.k:
            touched[self._resting.popitem(last=False)[0]] = None
        made: dict[Url, Placing] = {}
        others = [c for c in commands if not self._is_placed(c, made, crawl)]
        touched.update(dict.fromkeys(map(host_of, made)))
        for host in touched:
            if host not in self._resting:
                self._let_best_forward(host, made, crawl)
        if not self._fronts:
            self._release_one(made, crawl)
        return [*others, *made.values()]

    def _release_one(self, made: dict[Url, Placing], crawl: View) -> None:
        """No free host has a link: of the others that which rested longest is let forward."""
        for host in self._resting:
            self._let_best_forward(host, made, crawl)
            if self._fronts:
                del self._resting[host]
                return

    def _is_placed(self, command: Command, made: dict[Url, Placing], crawl: View) -> bool:
        """Let a link stand back for now, and note where it would stand. False for commands that pass as they are."""
        if not isinstance(command, Enqueue | Reprioritize):
            return False
        url, state, known = command.url, crawl.state(command.url), self._stands.get(command.url)
        waits = state is UrlState.PENDING
        if known is None and waits:
            return False  # an operator's or a sitemap's: it stands where it stands
        if (
            not waits
            and url not in made
            and (isinstance(command, Reprioritize) or not _enters(command, state))
        ):
            return False  # the frontier will ignore it
        current = known if waits or url in made else None
        if current is None:
            self._order += 1
        order = current.order if current is not None else self._order
        stand = Stand(command.tier, -command.score, order)
        if isinstance(command, Enqueue) and current is not None and stand >= current:
            return True  # a link that waits can only move forward by it
        self._stands[url] = stand
        heapq.heappush(self._queues.setdefault(host_of(url), []), (stand, url))
        before = made.get(url)
        if isinstance(before, Enqueue) and not waits:
            before = before if isinstance(command, Reprioritize) else command
            made[url] = replace(before, score=command.score, tier=command.tier + self.back)
        else:
            made[url] = replace(command, tier=command.tier + self.back)
        return True

    def _let_best_forward(self, host: Host, made: dict[Url, Placing], crawl: View) -> None:
        """Put a free host's best link where the strategy inside wants it, and that which stood there before back."""
        front = self._fronts.get(host)
        if front is not None and crawl.state(front) is UrlState.LEASED:
            return
        queue = self._queues.get(host)
        while queue and not self._holds(queue[0], made, crawl):
            heapq.heappop(queue)
        if not queue:
            self._queues.pop(host, None)
            self._fronts.pop(host, None)
            return
        stand, url = queue[0]
        if front is not None and front != url and (waits := crawl.waiting(front)) is not None:
            now = made.get(front, waits)
            made[front] = Reprioritize(url=front, score=now.score, tier=self._stands[front].tier + self.back)
        if url in made:
            made[url] = replace(made[url], tier=stand.tier)
            self._unsure.append(host)
        elif url != front and (waits := crawl.waiting(url)) is not None:
            made[url] = _placed(waits, stand.tier)
        self._fronts[host] = url

    def _holds(self, entry: tuple[Stand, Url], made: Mapping[Url, Placing], crawl: View) -> bool:
        stand, url = entry
        if self._stands.get(url) != stand:
            return False
        if url in made or crawl.state(url) is UrlState.PENDING:
            return True
        del self._stands[url]  # it was refused, trimmed or forgotten
        return False

    def save(self) -> Mapping[str, Any]:
        own = {
            "stands": [[url, *stand] for url, stand in self._stands.items()],
            "fronts": dict(self._fronts),
            "resting": list(self._resting),
            "unsure": list(self._unsure),
            "order": self._order,
        }
        return {**super().save(), **own}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._stands = {Url(url): Stand(*stand) for url, *stand in state["stands"]}
        self._queues = {}
        for url, stand in self._stands.items():
            self._queues.setdefault(host_of(url), []).append((stand, url))
        for queue in self._queues.values():
            heapq.heapify(queue)
        self._fronts = {Host(host): Url(url) for host, url in state["fronts"].items()}
        self._resting = OrderedDict.fromkeys(map(Host, state["resting"]))
        self._unsure = [Host(host) for host in state["unsure"]]
        self._order = state["order"]


def _enters(command: Enqueue, state: UrlState) -> bool:
    return state is UrlState.UNSEEN or (command.refetch and state is not UrlState.LEASED)


def _placed(request: Request, tier: int) -> Reprioritize:
    return Reprioritize(url=request.url, score=request.score, tier=tier)
