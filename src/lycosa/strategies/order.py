"""Orders that need no judgement of their own: breadth-first and random, the baselines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Page
from lycosa.model.url import Url


class BreadthFirst(Strategy):
    """Visits pages in the order in which their links were found: first in, first out.

    When to use it: to mirror a neighbourhood whole, or as the baseline that a topical strategy must beat. It pays no
    attention to the topic, though pages close to good start pages are often good themselves.

    Parameters: none. A bounded frontier drops the newest links once it is full.

    Cost: O(links) a page and no state.

    >>> from lycosa.registry import strategy
    >>> type(strategy("breadth-first")).__name__
    'BreadthFirst'
    """

    reference: ClassVar[str] = (
        "Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive Algorithms. ACM TOIT 4(4), 2004, fig. 4"
    )

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [Enqueue(url=link.target, via=link) for link in page.links]


class RandomOrder(Strategy):
    """Visits known links in random order, each draw a function of seed and step.

    When to use it: as the level of chance, or to sample a site without following its structure.

    Parameters: none; the crawl's seed decides.

    Cost: O(links · log frontier) a page and no state.

    >>> from lycosa.registry import strategy
    >>> type(strategy("random")).__name__
    'RandomOrder'
    """

    reference: ClassVar[str] = (
        "Pant, Srinivasan, Menczer: Crawling the Web. In: Web Dynamics, Springer 2004, sec. 4"
    )

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return [Enqueue(url=url, score=crawl.rng.random()) for url in seeds]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [Enqueue(url=link.target, via=link, score=crawl.rng.random()) for link in page.links]
