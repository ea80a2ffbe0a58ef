"""What each URL of a crawl holds of something that flows along links, with the greatest holder at hand."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Link, Page
from lycosa.model.url import Url

REBUILD_BEYOND = 64
"""Entries out of date that the heap puts up with, beyond one for each account."""


class Ledger:
    """Accounts by URL. URLs that turn out to be one page, by redirects, have one account.

    Amounts are kept as what they exceed a common level by, so that all of them can rise alike at the cost of one.
    Opening, changing and closing an account cost O(log n), averaged over many; memory is linear in the accounts.

    Invariants, each the name of a property test:

    * nothing is lost: the total changes by what is added and taken only.
    * greatest first: no account holds more than the one that `greatest` tells; of equals the older is told.
    """

    def __init__(self) -> None:
        self._above: dict[Url, float] = {}
        self._order: dict[Url, int] = {}
        self._into: dict[Url, Url] = {}  # merged accounts
        self._level = 0.0
        self._opened = 0
        self._heap: list[tuple[float, int, Url]] = []  # lazily cleaned

    def account(self, url: Url) -> Url:
        """The URL under which this one's amount is kept."""
        while url in self._into:
            url = self._into[url]
        return url

    def add(self, url: Url, amount: float) -> None:
        """Add to an account (not: to a URL merged into another), which is opened if need be."""
        above = self._above.get(url)
        self._set(url, amount - self._level if above is None else above + amount)

    def take(self, url: Url) -> float:
        """Empty an account, which stays open. 0 if there is none, and then none is opened."""
        if url not in self._above:
            return 0.0
        amount = self[url]
        self._set(url, -self._level)
        return amount

    def close(self, url: Url) -> float:
        """Empty and forget an account."""
        if url not in self._above:
            return 0.0
        del self._order[url]
        return self._above.pop(url) + self._level

    def merge(self, url: Url, into: Url) -> None:
        """From now on both are one account, that of `into`."""
        url, into = self.account(url), self.account(into)
        if url != into:
            self.add(into, self.close(url))
            self._into[url] = into

    def raise_all(self, amount: float) -> None:
        """Add the same amount to every account."""
        self._level += amount

    def rank(self, url: Url) -> float:
        """What orders accounts as their amounts do, and does not change when all of them rise alike."""
        return self._above[url]

    def greatest(self) -> Url | None:
        """The account that holds most; of equals, that which was opened first."""
        while self._heap:
            below, order, url = self._heap[0]
            if self._above.get(url) == -below and self._order[url] == order:
                return url
            heapq.heappop(self._heap)
        return None

    def best(self, n: int) -> list[Url]:
        """The n accounts that hold most, best first. O(accounts)."""
        ranked = ((-above, self._order[url], url) for url, above in self._above.items())
        return [url for _, _, url in heapq.nsmallest(n, ranked)]

    def total(self) -> float:
        return sum(self._above.values()) + self._level * len(self._above)

    def save(self) -> Mapping[str, Any]:
        """Accounts in the order of their opening."""
        accounts = {url: self._above[url] for url in sorted(self._above, key=self._order.__getitem__)}
        return {"above": accounts, "into": dict(self._into), "level": self._level}

    def load(self, state: Mapping[str, Any]) -> None:
        self._above = {Url(url): above for url, above in state["above"].items()}
        self._order = {url: n for n, url in enumerate(self._above)}
        self._into = {Url(url): Url(into) for url, into in state["into"].items()}
        self._level, self._opened = state["level"], len(self._above)
        self._rebuild()

    def _set(self, url: Url, above: float) -> None:
        self._above[url] = above
        order = self._order.get(url)
        if order is None:
            self._order[url] = order = self._opened
            self._opened += 1
        heapq.heappush(self._heap, (-above, order, url))
        if len(self._heap) > 2 * len(self._above) + REBUILD_BEYOND:
            self._rebuild()

    def _rebuild(self) -> None:
        self._heap = [(-above, self._order[url], url) for url, above in self._above.items()]
        heapq.heapify(self._heap)

    def __getitem__(self, url: Url) -> float:
        above = self._above.get(url)
        return 0.0 if above is None else above + self._level

    def __contains__(self, url: object) -> bool:
        return url in self._above

    def __iter__(self) -> Iterator[Url]:
        return iter(self._above)

    def __len__(self) -> int:
        return len(self._above)


def links_out(page: Page) -> dict[Url, Link]:
    """The distinct targets of a page, as in `Page.out`, each with its first link that may be followed."""
    firsts: dict[Url, Link] = {}
    for link in page.links:
        first = firsts.get(link.target)
        if first is None or (first.nofollow and not link.nofollow):
            firsts[link.target] = link
    firsts.pop(page.request.url, None)
    firsts.pop(page.final_url, None)
    return firsts


def first_links(page: Page) -> dict[Url, Link]:
    """Every target that the page names, itself included, with the first link to it, in document order."""
    firsts: dict[Url, Link] = {}
    for link in page.links:
        firsts.setdefault(link.target, link)
    return firsts


def best_links(scored: Iterable[tuple[Link, float]]) -> list[Command]:
    """Ask for every target once, by the link to it that scores most; of equals by the first."""
    best: dict[Url, tuple[Link, float]] = {}
    for link, score in scored:
        known = best.get(link.target)
        if known is None or score > known[1]:
            best[link.target] = link, score
    return [Enqueue(url=url, via=link, score=score) for url, (link, score) in best.items()]
