"""The exchange of back-links: nodes tell the owner of a URL how many of their pages link to it.

Where URLs have owners, a link to another node's URL is sent there once, however many pages have it. So a node sees but
a part of the links to its pages, and PageRank or a count of back-links on that part misjudges them. Every so many pages
each node tells what it learned since: a few such exchanges are enough (Cho and Garcia-Molina, "Parallel crawlers",
WWW 2002; Cho, "Crawling the Web", thesis, Stanford, 2001, chapter 3).

A node says of a URL how many of its pages link to it, k, and what they pass on to it if each of them has the rank 1:
f = Σ 1 / |out(d)| over these pages d. With f the owner's PageRank is

    PR(p) = (1 - γ) + γ (Σ_{d here links to p} PR(d) / |out(d)| + Σ_{other nodes} f(p)),

so what it cannot see is taken for pages of mean rank. Both numbers are of all pages so far, not of those since the last
time, and never fall. So what is told twice, late or out of order does no harm: the greatest holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import nlargest
from typing import Any, Final, NamedTuple

import msgspec

from lycosa.model.decoding import converted
from lycosa.model.nodes import Node
from lycosa.model.records import Page, Record
from lycosa.model.url import Url

MOST_TOLD: Final = 5_000
"""URLs in one message; some 80 bytes each."""


class BackLinks(Record, frozen=True, kw_only=True):
    """What the pages of one node say of URLs of another. The columns are of equal length."""

    urls: tuple[Url, ...]
    pages: tuple[int, ...]
    """How many distinct pages of the sender link to each, at least 1."""
    flows: tuple[float, ...]
    """Σ 1 / |out(d)| over these pages, above 0."""


class Linked(NamedTuple):
    """What is known of the links to one URL."""

    pages: int = 0
    flow: float = 0.0


class OutwardLinks:
    """The links that lead from the pages of a node to other nodes' URLs, and what was told of them.

    Memory: two dictionary entries for each such URL, some 300 bytes.

    Invariants, each the name of a property test:

    * told in the end: what was seen is told to the owner of the URL, if it is asked for often enough.
    * told once: nothing is told again, unless it grew or the URL has another owner now.
    """

    def __init__(self) -> None:
        self._links: dict[Url, Linked] = {}
        self._told: dict[Url, tuple[Node, int]] = {}
        self._news: dict[Url, None] = {}

    def see(self, page: Page, is_foreign: Callable[[Url], bool]) -> None:
        """A page was fetched here, for the first time."""
        out = page.out
        for url in out:
            if is_foreign(url):
                pages, flow = self._links.get(url, Linked())
                self._links[url] = Linked(pages + 1, flow + 1 / len(out))
                self._news[url] = None

    def moved(self) -> None:
        """URLs may have other owners than they had: all that was told of them has to be looked at."""
        self._news = dict.fromkeys(self._links)

    def tell(
        self, owner: Callable[[Url], Node], here: Node, most: int = MOST_TOLD
    ) -> Mapping[Node, BackLinks]:
        """What each other node is to be told now: of at most so many URLs each, those first of which it knows least.

        What is left over is told the next time. That a URL is told counts from now on: the message must arrive.
        """
        gains: dict[Node, list[tuple[int, Url]]] = {}
        for url in self._news:
            to = owner(url)
            before = self._told.get(url)
            gain = self._links[url].pages - (before[1] if before and before[0] == to else 0)
            if to != here and gain:
                gains.setdefault(to, []).append((gain, url))
        self._news = {}
        told: dict[Node, BackLinks] = {}
        for to in sorted(gains):
            chosen = nlargest(most, gains[to], key=_by_gain)
            if len(chosen) < len(gains[to]):
                self._news |= dict.fromkeys(url for _, url in gains[to])
            told[to] = self._message(to, [url for _, url in chosen])
        return told

    def _message(self, to: Node, urls: Iterable[Url]) -> BackLinks:
        rows = [(url, *self._links[url]) for url in urls]
        for url, pages, _ in rows:
            self._told[url] = to, pages
            self._news.pop(url, None)
        columns = tuple(zip(*rows, strict=True))
        return BackLinks(urls=columns[0], pages=columns[1], flows=columns[2])

    def save(self) -> Mapping[str, Any]:
        """Plain values."""
        return {
            "links": [[url, *linked] for url, linked in self._links.items()],
            "told": [[url, *told] for url, told in self._told.items()],
            "news": list(self._news),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        self._links = {Url(url): Linked(pages, flow) for url, pages, flow in state["links"]}
        self._told = {Url(url): (Node(to), pages) for url, to, pages in state["told"]}
        self._news = dict.fromkeys(map(Url, state["news"]))


class InwardLinks:
    """The links that lead from the pages of other nodes to the URLs of a node, as these told.

    Memory: a dictionary entry for each URL, and one for each node that links to it.

    Invariant, the name of a property test:

    * in any order, any number of times: messages that come late, twice, or out of order come to the same.
    """

    def __init__(self) -> None:
        self._links: dict[Url, dict[Node, Linked]] = {}

    def hear(self, sender: Node, told: BackLinks) -> None:
        """A node told what it knows."""
        for url, pages, flow in zip(told.urls, told.pages, told.flows, strict=True):
            of = self._links.setdefault(url, {})
            before = of.get(sender, Linked())
            of[sender] = Linked(max(before.pages, pages), max(before.flow, flow))

    def of(self, url: Url) -> Linked:
        """What the pages of all other nodes together say of a URL."""
        found = sorted(self._links.get(url, {}).items())
        return Linked(sum(linked.pages for _, linked in found), sum(linked.flow for _, linked in found))

    def save(self) -> Mapping[str, Any]:
        """Plain values."""
        rows = ([url, node, *linked] for url, of in self._links.items() for node, linked in of.items())
        return {"links": list(rows)}

    def load(self, state: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        self._links = {}
        for url, node, pages, flow in state["links"]:
            self._links.setdefault(Url(url), {})[Node(node)] = Linked(pages, flow)


class BackLinkExchange:
    """The exchange as the nodes of a crawl carry it out: a `Telling`."""

    NAME = "back links"

    def __init__(self, every: int) -> None:
        """After so many pages of its own, at least 1, each node tells."""
        self.every = every
        self.outward, self.inward = OutwardLinks(), InwardLinks()

    def see(self, page: Page, owner: Callable[[Url], Node], here: Node) -> None:
        self.outward.see(page, lambda url: owner(url) != here)

    def tell(self, owner: Callable[[Url], Node], here: Node) -> Mapping[Node, Any]:
        told = self.outward.tell(owner, here)
        return {to: msgspec.to_builtins(message) for to, message in told.items()}

    def hear(self, sender: Node, told: Any) -> None:
        self.inward.hear(sender, converted(told, BackLinks))

    def moved(self) -> None:
        self.outward.moved()

    def save(self) -> Mapping[str, Any]:
        """Plain values."""
        return {"outward": self.outward.save(), "inward": self.inward.save()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        self.outward.load(state["outward"])
        self.inward.load(state["inward"])


def _by_gain(told: tuple[int, Url]) -> int:
    return told[0]
