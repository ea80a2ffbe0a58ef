"""Best-first crawling: follow the links of the most relevant page first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, ClassVar

import msgspec

from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Page, Request
from lycosa.strategies.parts.ledger import first_links
from lycosa.strategies.wrappers.wrapper import Batches


class BestFirst(Strategy):
    """Gives every link the relevance of the page it stands on, and visits the best link first.

    When to use it: where a strategy must be simple and think next to nothing. With a keyword topic the score is the
    cosine between query and page in raw term counts (naive best-first); with another topic model it is that model's
    relevance. Start pages have score 1, ties go first in first out, and of several pages that link to a URL the most
    relevant one counts.

    Parameters: none.

    Cost: O(links · log frontier) a page and no state.

    >>> from lycosa.spec.registry import strategy
    >>> type(strategy("best-first")).__name__
    'BestFirst'
    """

    reference: ClassVar[str] = (
        "Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive Algorithms. ACM TOIT 4(4), 2004, fig. 6"
    )

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        score = page.relevance
        # A second link to the same page has the same score: it would change nothing.
        return [Enqueue(url=url, via=link, score=score) for url, link in first_links(page).items()]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        source = memory.page(request.via.source) if request.via else None
        return {"relevance of the page that links here": source.relevance} if source else {"start page": 1.0}


class BestFirstInBatches(Batches):
    """Best-first in batches: picks the n best links, visits them all, and only then follows what they link to (BFS-N).

    When to use it: where the best-looking link often leads astray. The larger the batch, the more of the second best is
    tried, so the crawl explores more and is greedy less. As many as n pages can be visited side by side.

    Parameters: `n`, the links of a batch, 1 to 256 (the paper has 1, 16, 64, 128 and 256; 16 is lycosa's choice).
    `n=1` is best-first. With a frontier bounded to at most n URLs each batch empties it: `n=256` with a bound of 256 is
    a beam search, in the paper the best of all crawlers after 1,000 pages. Scores and ties as in best-first.

    Cost: O(links · log frontier) a page, spent at the end of its batch; holds the n pages of a batch.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("bfs-n:n=64").n
    64
    """

    reference: ClassVar[str] = (
        "Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive Algorithms. ACM TOIT 4(4), 2004, fig. 16"
    )

    def __init__(self, *, n: Annotated[int, msgspec.Meta(ge=1, le=256)] = 16) -> None:
        super().__init__(BestFirst(), n=n)
