"""OPIC: cash that flows along links tells which pages matter, while they are crawled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec.structs import replace

from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Failure, Link, Page, Reason, Request, UrlState
from lycosa.model.url import Url
from lycosa.strategies.ledger import Ledger, links_out

SHOWN = 5
"""URLs that `lycosa status` and the live display name, the most important."""


class Opic(Strategy):
    """Lets pages hand their cash on along their links, and visits the page that holds most of it.

    When to use it: to bring in the pages that many others point to early, without computing PageRank again and
    again; with `topical` above 0, those that relevant pages point to. The start pages share a cash of 1. A page
    that is visited adds its cash to its history and hands it on in equal parts; cash plus history, as a share of all
    of it, estimates the page's PageRank without random jumps (see `importance`).

    What a page without links, a failed, refused or dropped URL would hold goes to a virtual page. Once that one
    holds more than any other, it hands all of it on to every known URL alike. A URL that redirects, and the page it
    leads to, hold one cash. The score of a URL is its cash without what every URL got alike from the virtual page,
    which the order does not depend on: it may be negative. Ties go first in first out.

    Parameters: `passes`, 0 to 1,000: how often after each visit a page that is in already may hand its cash on
    again, as it does in the paper when it is fetched anew; only while it holds more than any URL that waits. It costs
    no fetch, but reading the page's links again. 0: cash that reaches a visited page rests. The default of 1 keeps
    the cost of a visit bounded. `topical`, 0 to 1: the share of its cash that a page of no relevance gives to the
    virtual page instead of its links; 0, the paper's order, pays no attention to the topic.

    Cost: O((1 + passes) · links · log known) a page; two numbers for each URL known, and one for each page.

    >>> from lycosa.registry import strategy
    >>> strategy("opic:passes=5").passes
    5
    """

    reference: ClassVar[str] = (
        "Abiteboul, Preda, Cobena: Adaptive On-Line Page Importance Computation. WWW 2003, p. 280-290"
    )

    def __init__(
        self,
        *,
        passes: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 1,
        topical: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0,
    ) -> None:
        self.passes, self.topical = passes, topical
        self._cash = Ledger()
        self._history: dict[Url, float] = {}
        self._spent = 0.0  # G, the sum of all histories
        self._virtual = 1.0
        self._asked: list[
            Url
        ] = []  # for what entered the ledger by the last step: the gate may have refused it

    # -- what it found ---------------------------------------------------------------------------------------

    def importance(self, url: Url) -> float:
        """(H + C) / (G + 1), the estimate of a known URL's importance, in [0, 1]; 0 for an unknown one."""
        url = self._cash.account(url)
        return (self._history.get(url, 0.0) + self._cash[url]) / (self._spent + 1)

    def cash(self, url: Url) -> float:
        """What a URL holds now."""
        return self._cash[self._cash.account(url)]

    def total_cash(self) -> float:
        """The cash of all URLs and of the virtual page: 1, but for rounding."""
        return self._cash.total() + self._virtual

    # -- events ----------------------------------------------------------------------------------------------

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        self._asked = list(dict.fromkeys(seeds))
        for url in self._asked:
            self._cash.add(url, 0.0)
        self._hand_to_all()
        return [Enqueue(url=url, score=self._cash.rank(url)) for url in self._asked]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self._reclaim(crawl)
        for url in (page.final_url, *page.hops):
            self._cash.merge(url, page.url)
        account = self._cash.account(page.url)
        self._cash.add(account, 0.0)  # a sitemap or a person may have named it: then no link did
        firsts = links_out(page)
        changed: dict[Url, None] = {}
        self._visit(account, firsts, page.relevance, changed)
        return self._settled(firsts, changed, crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        self._reclaim(crawl)
        changed: dict[Url, None] = {}
        for url in (failure.url, *failure.hops):
            if failure.reason is Reason.ALREADY_KNOWN and failure.final_url:
                self._cash.merge(url, failure.final_url)
                changed[self._cash.account(failure.final_url)] = None
            else:
                self._virtual += self._cash.close(self._cash.account(url))
        return self._settled({}, changed, crawl)

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        self._reclaim(crawl)
        url = self._cash.account(handoff.url)
        self._cash.add(url, 0.0)
        self._asked.append(url)
        return [replace(handoff, score=self._cash.rank(url))]

    def facts(self) -> Mapping[str, Any]:
        held = dict.fromkeys([*self._history, *self._cash])
        best = nlargest(SHOWN, held, key=self.importance)
        return {"most important": [f"{self.importance(url):.4f} {url}" for url in best]}

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        return {
            "importance so far": self.importance(request.url),
            "cash, without what all URLs got alike": request.score,
            "pages that hand cash to it": float(len(memory.in_links(request.url))),
        }

    # -- the flow of cash ------------------------------------------------------------------------------------

    def _visit(self, url: Url, out: Iterable[Url], relevance: float, changed: dict[Url, None]) -> None:
        """H += C, G += C; each link gets C / |out|, the virtual page gets what is kept from them."""
        cash = self._cash.take(url)
        self._history[url] = self._history.get(url, 0.0) + cash
        self._spent += cash
        targets = [self._cash.account(target) for target in out]
        handed = cash * (1.0 - self.topical * (1.0 - relevance)) if targets else 0.0
        self._virtual += cash - handed
        for target in targets:
            self._cash.add(target, handed / len(targets))
            changed[target] = None

    def _settled(self, firsts: Mapping[Url, Link], changed: dict[Url, None], crawl: View) -> list[Command]:
        """Let pages that are in hand their cash on, then say where those that wait stand now."""
        self._catch_up(firsts, changed, crawl)
        commands: list[Command] = []
        for url in changed:
            if url not in self._cash:
                continue
            match crawl.state(url):
                case UrlState.PENDING:
                    commands.append(Reprioritize(url=url, score=self._cash.rank(url)))
                case UrlState.UNSEEN if url in firsts:
                    self._asked.append(url)
                    commands.append(Enqueue(url=url, via=firsts[url], score=self._cash.rank(url)))
                case UrlState.UNSEEN | UrlState.FAILED:
                    self._virtual += self._cash.close(url)
        return commands

    def _catch_up(self, firsts: Mapping[Url, Link], changed: dict[Url, None], crawl: View) -> None:
        """The greediest choice, as long as it costs no fetch: the virtual page, or a page that is in already."""
        left = self.passes
        while (url := self._cash.greatest()) is not None:
            if self._virtual > self._cash[url]:
                self._hand_to_all()
                continue
            state = crawl.state(url)
            if state is UrlState.FAILED or (state is UrlState.UNSEEN and url not in firsts):
                self._virtual += self._cash.close(url)
            elif state is UrlState.VISITED and left:
                left -= 1
                self._visit(url, crawl.memory.out_links(url), self._relevance(url, crawl), changed)
            else:
                return

    def _relevance(self, url: Url, crawl: View) -> float:
        page = crawl.memory.page(url) if self.topical else None  # to read a page again is dear
        return page.relevance if page else 0.0

    def _hand_to_all(self) -> None:
        if len(self._cash):
            self._cash.raise_all(self._virtual / len(self._cash))
            self._virtual = 0.0

    def _reclaim(self, crawl: View) -> None:
        """What the gate refused, or a bounded frontier dropped at once, holds no cash."""
        for url in self._asked:
            if url in self._cash and crawl.state(url) is UrlState.UNSEEN:
                self._virtual += self._cash.close(url)
        self._asked = []

    # -- to survive ------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        return {
            "cash": self._cash.save(),
            "history": dict(self._history),
            "spent": self._spent,
            "virtual": self._virtual,
            "asked": list(self._asked),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._cash.load(state["cash"])
        self._history = {Url(url): amount for url, amount in state["history"].items()}
        self._spent, self._virtual = state["spent"], state["virtual"]
        self._asked = [Url(url) for url in state["asked"]]
