"""A crawling strategy in one file, outside lycosa: the links of relevant pages, those to hosts that are new first."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import msgspec

from lycosa.strategy import Command, Enqueue, Memory, Page, Request, Strategy, View, host_of


class FreshHosts(Strategy):
    """Best-first, with less for a link the more pages of its host were fetched.

    When to use it: where pages about the topic are spread over many hosts, and one host should not take the whole
    budget.

    Parameters: `patience`, the pages of a host after which its links count half, 1 to 10,000 (20).

    Cost: O(links) a page; state: one number a host.
    """

    reference: ClassVar[str] = "lycosa, examples/my-strategy"

    def __init__(self, *, patience: Annotated[float, msgspec.Meta(ge=1, le=10_000)] = 20.0) -> None:
        self.patience = patience
        self._pages: dict[str, int] = {}

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        host = host_of(page.final_url)
        self._pages[host] = self._pages.get(host, 0) + 1
        return [
            Enqueue(url=link.target, via=link, score=page.relevance * self.freshness(host_of(link.target)))
            for link in page.links
        ]

    def freshness(self, host: str) -> float:
        """1 for a host that is new, one half after `patience` pages."""
        return self.patience / (self.patience + self._pages.get(host, 0))

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        source = memory.page(request.via.source) if request.via else None
        if source is None:
            return {"start page": 1.0}
        return {
            "relevance of the page": source.relevance,
            "freshness now": self.freshness(host_of(request.url)),
        }

    def save(self) -> Mapping[str, Any]:
        return {"pages": self._pages}

    def load(self, state: Mapping[str, Any]) -> None:
        self._pages = dict(state["pages"])
