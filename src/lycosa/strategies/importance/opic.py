"""OPIC: cash that flows along links tells which pages matter, while they are crawled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec.structs import replace

from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Failure, Link, Page, Request
from lycosa.model.url import Url
from lycosa.strategies.importance.flow import ImportanceFlow

SHOWN = 5
"""URLs that `lycosa status` and the live display name, the most important."""


class Opic(ImportanceFlow):
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

    >>> from lycosa.spec.registry import strategy
    >>> strategy("opic:passes=5").passes
    5
    """

    reference: ClassVar[str] = (
        "Abiteboul, Preda, Cobena: Adaptive On-Line Page Importance Computation. WWW 2003, p. 280-290"
    )
    saved_as: ClassVar[tuple[str, str]] = ("cash", "virtual")

    def __init__(
        self,
        *,
        passes: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 1,
        topical: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0,
    ) -> None:
        super().__init__(aside=1.0)  # with the virtual page
        self.passes, self.topical = passes, topical
        self._history: dict[Url, float] = {}
        self._spent = 0.0  # G, the sum of all histories

    # -- what it found ---------------------------------------------------------------------------------------

    def importance(self, url: Url) -> float:
        """(H + C) / (G + 1), the estimate of a known URL's importance, in [0, 1]; 0 for an unknown one."""
        url = self._held.account(url)
        return (self._history.get(url, 0.0) + self._held[url]) / (self._spent + 1)

    def cash(self, url: Url) -> float:
        """What a URL holds now."""
        return self._held[self._held.account(url)]

    def total_cash(self) -> float:
        """The cash of all URLs and of the virtual page: 1, but for rounding."""
        return self._held.total() + self._aside

    # -- events ----------------------------------------------------------------------------------------------

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        begun = self._begun(seeds, 0.0)
        self._hand_to_all()
        return [Enqueue(url=url, score=self._held.rank(url)) for url in begun]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        account, firsts = self._arrived(page, crawl)
        self._held.add(account, 0.0)  # a sitemap or a person may have named it: then no link did
        changed: dict[Url, None] = {}
        self._visit(account, firsts, page.relevance, changed)
        return self._settled(firsts, changed, crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        return self._settled({}, self._failed(failure, crawl), crawl)

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        self._reclaim(crawl)
        url = self._held.account(handoff.url)
        self._held.add(url, 0.0)
        self._asked.append(url)
        return [replace(handoff, score=self._held.rank(url))]

    def facts(self) -> Mapping[str, Any]:
        held = dict.fromkeys([*self._history, *self._held])
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
        cash = self._held.take(url)
        self._history[url] = self._history.get(url, 0.0) + cash
        self._spent += cash
        targets = self._targets(out)
        handed = cash * (1.0 - self.topical * (1.0 - relevance)) if targets else 0.0
        self._aside += cash - handed
        self._share(handed, targets, changed)

    def _settled(self, firsts: Mapping[Url, Link], changed: dict[Url, None], crawl: View) -> list[Command]:
        """Let pages that are in hand their cash on, then say where those that wait stand now."""
        self._catch_up(firsts, changed, crawl, self.passes)
        return self._placed(firsts, changed, crawl)

    def _greediest(self) -> Url | None:
        """Who holds most. The virtual page comes before: what it hands to all alike changes no order."""
        url = self._held.greatest()
        if url is not None and self._aside > self._held[url]:
            self._hand_to_all()
        return url

    def _hand_on_again(self, url: Url, changed: dict[Url, None], crawl: View) -> None:
        self._visit(url, crawl.memory.out_links(url), self._relevance(url, crawl), changed)

    def _relevance(self, url: Url, crawl: View) -> float:
        page = crawl.memory.page(url) if self.topical else None  # to read a page again is dear
        return page.relevance if page else 0.0

    def _hand_to_all(self) -> None:
        if len(self._held):
            self._held.raise_all(self._aside / len(self._held))
            self._aside = 0.0

    # -- to survive ------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), "history": dict(self._history), "spent": self._spent}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._history = {Url(url): amount for url, amount in state["history"].items()}
        self._spent = state["spent"]
