"""Best-first crawling: follow the links of the most relevant page first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Link, Page, Request
from lycosa.model.url import Url


class BestFirst(Strategy):
    """Gives every link the relevance of the page it stands on, and visits the best link first.

    When to use it: the sound default for a topical crawl. With a keyword topic the score is the cosine between
    query and page in raw term counts (naive best-first); with another topic model it is that model's relevance.
    Start pages have score 1, ties go first in first out, and of several pages that link to a URL the most
    relevant one counts.

    Parameters: none.

    Cost: O(links · log frontier) a page and no state.

    >>> from lycosa.registry import strategy
    >>> type(strategy("best-first")).__name__
    'BestFirst'
    """

    reference: ClassVar[str] = (
        "Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive Algorithms. ACM TOIT 4(4), 2004, fig. 6"
    )

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        score = page.relevance
        firsts: dict[Url, Link] = {}
        for link in page.links:  # a second link to the same page has the same score: it would change nothing
            firsts.setdefault(link.target, link)
        return [Enqueue(url=url, via=link, score=score) for url, link in firsts.items()]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        source = memory.page(request.via.source) if request.via else None
        return {"relevance of the page that links here": source.relevance} if source else {"start page": 1.0}
