"""RankMass: crawl for the most PageRank, and know at any time how much of it is in at least."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec.structs import replace

from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import View
from lycosa.model.commands import Command, Enqueue, Reprioritize, Stop
from lycosa.model.records import Failure, Link, Page, Request, UrlState
from lycosa.model.url import Url
from lycosa.strategies.importance.flow import ImportanceFlow
from lycosa.strategies.parts.ledger import links_out

CHOSEN, LATER = 0, 1
"""Tiers of a windowed crawl: what stands in this pass, and what waits for the next."""


class RankMass(ImportanceFlow):
    """Visits pages by a lower bound of their PageRank, and tells how much PageRank it has covered at least.

    When to use it: to collect what a reader who starts at the trusted start pages and follows links is likely to
    see, and to stop with a guarantee. The PageRank meant is personalised: with chance d the reader follows a link of
    the page, else goes back to one of the start pages, each as likely. A page passes on d of the mass that reached
    it. What passed through pages that are in adds up to `coverage`, which never exceeds the PageRank that all of them
    have together on the whole web, however much of that is unknown.

    What a page without links would pass on, and what a failed, refused or dropped URL holds, is `lost`: it never
    counts as covered, so that the bound stays valid, and `coverage` cannot rise above 1 - lost / (1 - d). A URL that
    redirects, and the page it leads to, count as one. Ties go first in first out.

    Parameters: `d`, 0 to 0.99, the damping factor of PageRank (default 0.85). `window`, 0 to 1: the share of the
    URLs that wait which is chosen at once, best first, before masses are compared anew (default 0.2: windowed
    RankMass); with 0, one after the other (RankMass as such). Where the hosts of all those chosen rest, others go
    first. `eps`, 0 to 1: the crawl stops when coverage reaches 1 - eps (default 0.05; with 0 it goes on). `picks`, 0
    to 10,000: how many pages that are in may pass on new mass after each visit, while they hold more than any URL
    that waits (default 10; the paper has no limit); it costs no fetch, but reading their links; with a window each
    of those chosen does so once instead. Fewer make coverage smaller, never wrong. `neighbours`, -1 to 100: if not
    negative, the pages within so many links L of a start page are visited instead, nearest first, and cover
    1 - d^(L+1) once all of them are in (the L-neighbour crawler; default -1: no limit).

    Cost: O(links · log known) a page, with a window of 0 up to 1 + picks times that; a number for each URL known.

    >>> from lycosa.spec.registry import strategy
    >>> round(strategy("rankmass:neighbours=2").promise, 6)
    0.385875
    """

    reference: ClassVar[str] = (
        "Cho, Schonfeld: RankMass Crawler: A Crawler with High PageRank Coverage Guarantee. VLDB 2007, p. 375-386"
    )
    saved_as: ClassVar[tuple[str, str]] = ("mass", "lost")

    def __init__(
        self,
        *,
        d: Annotated[float, msgspec.Meta(ge=0, le=0.99)] = 0.85,
        window: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.2,
        eps: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.05,
        neighbours: Annotated[int, msgspec.Meta(ge=-1, le=100)] = -1,
        picks: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 10,
    ) -> None:
        super().__init__(aside=0.0)  # what is lost
        self.d, self.window, self.eps, self.neighbours, self.picks = d, window, eps, neighbours, picks
        self._covered = 0.0
        self._distance: dict[Url, int] = {}  # from a start page; with a limit only
        self._in = 0  # pages
        self._chosen: list[Url] = []  # in the pass that is on
        self._steps_left = 0  # before it can be over

    # -- what it found ---------------------------------------------------------------------------------------

    @property
    def coverage(self) -> float:
        """CRM: the pages that are in have at least this share of all PageRank."""
        return self._covered

    @property
    def lost(self) -> float:
        """The mass that can never be covered, as it stands in the ledger: (1 - d) of the PageRank it would make."""
        return self._aside

    @property
    def promise(self) -> float:
        """What all pages within L links cover if none fails: 1 - d^(L+1); with no limit 1 - eps, where it stops."""
        return 1.0 - self.eps if self.neighbours < 0 else 1.0 - self.d ** (self.neighbours + 1)

    def mass(self, url: Url) -> float:
        """A lower bound of a URL's PageRank, as far as it does not count as covered yet."""
        return self._held[self._held.account(url)]

    def total_mass(self) -> float:
        """CRM + (Σ rm + lost) / (1 - d): 1, but for rounding."""
        return self._covered + (self._held.total() + self._aside) / (1.0 - self.d)

    # -- events ----------------------------------------------------------------------------------------------

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        begun = self._begun(seeds, 1.0 - self.d)  # rm = (1 - d) t
        if self._is_limited:
            self._distance = dict.fromkeys(begun, 0)
        if self._is_windowed:
            self._chosen, self._steps_left = begun, len(begun)
        return [Enqueue(url=url, score=self._held[url], tier=CHOSEN) for url in begun]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        account, firsts = self._arrived(page, crawl)
        self._in += 1
        changed: dict[Url, None] = {}
        self._pick(account, firsts, changed)
        if self._is_limited:
            return self._ended(self._nearer(page, crawl))
        return self._settled(firsts, changed, crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        changed = self._failed(failure, crawl)
        return () if self._is_limited else self._settled({}, changed, crawl)

    def on_idle(self, crawl: View) -> Iterable[Command]:
        """All within the limit is in. What reached a page after its visit goes on, L times: that is the guarantee."""
        self._reclaim(crawl)
        for _ in range(self.neighbours + 1):
            for url in [url for url in self._held if self._held[url] > 0.0]:
                if crawl.state(url) is UrlState.VISITED:
                    self._hand_on_again(url, {}, crawl)
        return ()

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        tier = self.neighbours if self._is_limited else LATER if self._is_windowed else CHOSEN
        return [replace(handoff, score=self.mass(handoff.url), tier=tier)]

    def facts(self) -> Mapping[str, Any]:
        return {"PageRank covered, at least": self._covered, "promised in the end": self.promise}

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        parts = {} if self._is_limited else {"lower bound of its PageRank": request.score}
        return {
            **parts,
            "pages that link here": float(len(memory.in_links(request.url))),
            "PageRank covered once all is in"
            if self._is_limited
            else "PageRank covered at the end": self.promise,
            "PageRank covered so far": self._covered,
        }

    # -- the flow of mass ------------------------------------------------------------------------------------

    def _pick(self, url: Url, out: Iterable[Url], changed: dict[Url, None]) -> None:
        """CRM += rm; each of the c links gets d · rm / c; rm = 0. A page without links loses it."""
        mass = self._held.take(url)
        self._covered += mass
        targets = self._targets(out)
        if not targets:
            self._aside += self.d * mass
        self._share(self.d * mass, targets, changed)

    def _settled(self, firsts: Mapping[Url, Link], changed: dict[Url, None], crawl: View) -> list[Command]:
        """Let pages that are in pass mass on, then say where those that wait stand now."""
        if self._is_windowed:
            commands = self._placed(firsts, changed, crawl, tier=LATER, moves=False)
            return self._ended([*commands, *self._next_pass(firsts, crawl)])
        self._catch_up(firsts, changed, crawl, self.picks)
        return self._ended(self._placed(firsts, changed, crawl, tier=CHOSEN))

    def _greediest(self) -> Url | None:
        url = self._held.greatest()
        return url if url is not None and self._held[url] > 0.0 else None

    def _hand_on_again(self, url: Url, changed: dict[Url, None], crawl: View) -> None:
        self._pick(url, crawl.memory.out_links(url), changed)

    def _next_pass(self, firsts: Mapping[Url, Link], crawl: View) -> Iterable[Command]:
        """Once none of those chosen waits any more, choose anew among all, pages that are in included."""
        self._steps_left -= 1
        if self._steps_left > 0:
            return
        waiting = (UrlState.PENDING, UrlState.LEASED)
        self._chosen = [url for url in self._chosen if crawl.state(url) in waiting]
        self._steps_left = len(self._chosen)
        if self._chosen:
            return
        self._steps_left = max(1, math.ceil(self.window * (len(self._held) - self._in)))
        for url in self._held.best(self._steps_left):
            state = crawl.state(url)
            if state is UrlState.VISITED:
                self._hand_on_again(url, {}, crawl)
            elif state is UrlState.PENDING or (state is UrlState.UNSEEN and url in firsts):
                self._chosen.append(url)
                yield Reprioritize(url=url, score=self._held[url], tier=CHOSEN)
            elif state is not UrlState.LEASED:
                self._close(url)
        self._steps_left = len(self._chosen) or self._steps_left

    def _nearer(self, page: Page, crawl: View) -> list[Command]:
        """Follow links as far as the limit. A way found late can be shorter: then pages that are in count anew."""
        reached: dict[Url, Link] = {}
        todo = [page]
        for each in todo:  # grows meanwhile
            distance = self._distance.get(self._held.account(each.url), self.neighbours) + 1
            for url, link in links_out(each).items() if distance <= self.neighbours else ():
                account = self._held.account(url)
                if distance < self._distance.get(account, self.neighbours + 1):
                    self._distance[account] = distance
                    reached[account] = link
                    if crawl.state(account) is UrlState.VISITED and (known := crawl.memory.page(account)):
                        todo.append(known)
        self._asked += reached
        return [Enqueue(url=url, via=link, tier=self._distance[url]) for url, link in reached.items()]

    def _ended(self, commands: list[Command]) -> list[Command]:
        if self._covered >= 1.0 - self.eps:
            commands.append(
                Stop(reason=f"the pages that are in cover {self._covered:.1%} of PageRank at least")
            )
        return commands

    @property
    def _is_limited(self) -> bool:
        return self.neighbours >= 0

    @property
    def _is_windowed(self) -> bool:
        return self.window > 0.0 and not self._is_limited

    # -- to survive ------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        return {
            **super().save(),
            "covered": self._covered,
            "distance": dict(self._distance),
            "in": self._in,
            "chosen": list(self._chosen),
            "steps_left": self._steps_left,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._covered, self._in = state["covered"], state["in"]
        self._distance = {Url(url): distance for url, distance in state["distance"].items()}
        self._chosen = [Url(url) for url in state["chosen"]]
        self._steps_left = state["steps_left"]
