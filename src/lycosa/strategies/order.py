"""Orders that need no judgement of their own: breadth-first, depth-first and random, the baselines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import msgspec

from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.strategies.parts.ledger import first_links


class BreadthFirst(Strategy):
    """Visits pages in the order in which their links were found: first in, first out.

    When to use it: to mirror a neighbourhood whole, or as the baseline that a topical strategy must beat. It pays no
    attention to the topic, though pages close to good start pages are often good themselves.

    Parameters: none. A bounded frontier drops the newest links once it is full.

    Cost: O(links) a page and no state.

    >>> from lycosa.spec.registry import strategy
    >>> type(strategy("breadth-first")).__name__
    'BreadthFirst'
    """

    reference: ClassVar[str] = (
        "Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive Algorithms. ACM TOIT 4(4), 2004, fig. 4"
    )

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [Enqueue(url=link.target, via=link) for link in page.links]


class DepthFirst(Strategy):
    """Follows the links of the page visited last before any other, and turns back at a dead end: last in, first out.

    When to use it: as a baseline, or to see one branch of a site to its end before the next. It runs away from the
    start pages, so that it seldom pays on a topic. It is the walk of a recursive search where one page is visited at a
    time; among resting hosts, or with visits side by side, it is as near to that as they allow.

    Parameters: none. A link found again counts as found now, as in the recursive search. A bounded frontier drops
    the oldest links once it is full.

    Cost: O(links · log frontier) a page and no state.

    >>> from lycosa.spec.registry import strategy
    >>> type(strategy("depth-first")).__name__
    'DepthFirst'
    """

    reference: ClassVar[str] = (
        "Tarjan: Depth-First Search and Linear Graph Algorithms. SIAM J. Comput. 1(2), 1972"
    )

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        firsts = first_links(page)
        # Within (step - 1, step]: later pages go before earlier ones, earlier links of a page before later ones, at
        # whatever time the frontier saw them first.
        return [
            Enqueue(url=url, via=link, score=crawl.step - place / len(firsts))
            for place, (url, link) in enumerate(firsts.items())
        ]

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        """A peer counts other steps than we do: its link is found now."""
        return [msgspec.structs.replace(handoff, score=float(crawl.step))]


class RandomOrder(Strategy):
    """Visits known links in random order, each draw a function of seed and step.

    When to use it: as the level of chance, or to sample a site without following its structure.

    Parameters: none; the crawl's seed decides.

    Cost: O(links · log frontier) a page and no state.

    >>> from lycosa.spec.registry import strategy
    >>> type(strategy("random")).__name__
    'RandomOrder'
    """

    reference: ClassVar[str] = "a baseline of lycosa's own, not a published crawler"

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return [Enqueue(url=url, score=crawl.rng.random()) for url in seeds]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [Enqueue(url=link.target, via=link, score=crawl.rng.random()) for link in page.links]
