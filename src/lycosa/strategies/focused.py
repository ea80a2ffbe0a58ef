"""Focused crawling: a classifier says how good a page is, a distiller which pages are good lists of such pages."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import ceil
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lycosa.crawl.inputs import Taxonomy
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Page, Request, UrlState
from lycosa.model.url import Url, host_of
from lycosa.scoring.topics.taxonomy import TaxonomyTopic
from lycosa.strategies.parts.crawled import CrawledGraph
from lycosa.strategies.parts.ledger import links_out
from lycosa.strategies.parts.rhythm import Rhythm

HUB_SCORE = 1.0
"""What the links of hubs, and hubs themselves, are raised to: no page is more relevant."""

TOLD = 10
"""Hubs and categories that are told of."""


class Focused(Strategy):
    """Follows the links of pages that a classifier puts into good categories, and of hubs that lead to such pages.

    When to use it: for a topic that is more than a few words, with a taxonomy of categories and example pages at hand.
    What else there is in the world is as important to it as the topic itself: choose a taxonomy whose other categories
    cover what the crawl will meet.

    With soft focus every link gets the relevance R(p) of its page, the sum of the probabilities of the good categories,
    and the best is visited first. With hard focus only the links of those pages are followed whose most probable leaf
    is a good category or lies below one; their order is the same. Hard focus may come to its end early, where no link
    of a good page is left. The start pages are followed whatever they are.

    The distiller looks for hubs in the graph of the pages that are in. Links between two pages of one host do not
    count, so on a single host it has nothing to do. h(u) = Σ a(v) · R(u), a(v) = Σ h(u) · R(v) over v with
    R(v) > rho, ten times; a URL that waits is taken to be as relevant as the most relevant page that links to it. The
    links of the best hubs that wait are raised to 1 (the original, as recalled), and the best hubs themselves are
    put into the frontier again, for what they link to now (so "Crawling the Web" has it).

    Parameters: `mode`, `soft` or `hard` (default soft). `distill_every`, 0 to 100,000 pages between two distillations
    while the crawl is small (200, lycosa's choice; 0: never); later whenever it has grown by a tenth. `rho`, 0 to 1:
    authorities have a relevance above this (0.1, lycosa's choice). `hub_top`, 0 to 1: the share of all pages that are
    hubs at all whose links are raised (0.1: from the 90th percentile on, as recalled). `revisit`, 0 to 1,000: so many
    of the best hubs are fetched again after each distillation (default 0: none; each costs a fetch).

    Cost: O(distinct terms · good categories' depth) a page, in hard mode O(distinct terms · categories looked into); a
    distillation is O(links of the crawl). State: a number for each URL that was met and each link.

    >>> from lycosa.crawl.inputs import Category, Taxonomy
    >>> from lycosa.spec.registry import strategy
    >>> names = {"": (), "Reefs": ({"coral": 2},), "Streets": ({"car": 2},)}
    >>> tree = tuple(Category(path=path, examples=pages) for path, pages in names.items())
    >>> strategy("focused:mode=hard", [Taxonomy(categories=tree, good=("Reefs",))]).mode
    'hard'

    Invariants, each the name of a property test:

    * hard is within soft: every page whose links hard focus follows is one whose links soft focus follows.
    * distilling with all relevances 1 is HITS on the graph of links between hosts.
    """

    reference: ClassVar[str] = (
        "Chakrabarti, van den Berg, Dom: Focused Crawling: A New Approach to Topic-Specific Web Resource Discovery. "
        "Computer Networks 31, 1999, p. 1623-1640; Pant, Srinivasan, Menczer: Crawling the Web. 2004, sec. 3.3"
    )

    def __init__(
        self,
        taxonomy: Taxonomy,
        *,
        mode: Literal["soft", "hard"] = "soft",
        distill_every: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 200,
        rho: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.1,
        hub_top: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.1,
        revisit: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0,
    ) -> None:
        self.mode, self.distill_every, self.rho = mode, distill_every, rho
        self.hub_top, self.revisit = hub_top, revisit
        self._taxonomy = taxonomy
        self._graph = CrawledGraph()
        self._relevance = array("d")  # by a page's place in the graph
        self._rhythm = Rhythm(max(1, distill_every))
        self._categories: dict[str, int] = {}  # most probable leaves of the pages, with their numbers
        self._followed = 0
        self._hubs: list[tuple[str, float]] = []
        self._host_numbers: dict[str, int] = {}
        self._sites = array("l")  # follows from the graph, so it is not saved

    @cached_property
    def _topic(self) -> TaxonomyTopic:
        """Learnt when it is first needed: whoever only looks at a crawl need not wait for it."""
        return TaxonomyTopic(self._taxonomy)

    # -- events ----------------------------------------------------------------------------------------------

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        leaf, _ = self._topic.classifier.best_leaf(page.terms)
        self._categories[leaf] = self._categories.get(leaf, 0) + 1
        commands: list[Command] = []
        if self._follows(page, leaf):
            self._followed += 1
            firsts = links_out(page)
            commands += [Enqueue(url=url, via=link, score=page.relevance) for url, link in firsts.items()]
        if self.distill_every and self._took_in(page) and self._rhythm.due(len(self._relevance)):
            commands += self._distilled(crawl)
        return commands

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        return self.on_page(page, crawl)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        source = memory.page(request.via.source) if request.via else None
        if source is None:
            return {"start page": 1.0} if request.via is None else {}
        parts = {"relevance of the page that links here": source.relevance}
        if request.score > source.relevance:
            parts["raised by the distiller, as a link of a hub"] = request.score
        return parts

    def facts(self) -> Mapping[str, Any]:
        ranked = sorted(self._categories.items(), key=lambda item: (-item[1], item[0]))[:TOLD]
        return {
            "links followed": f"of {self._followed:,} of {sum(self._categories.values()):,} pages ({self.mode} focus)",
            "best categories": [f"{number:,} {path or 'root'}" for path, number in ranked],
            "hubs": [f"{score:.4f} {url}" for url, score in self._hubs],
        }

    # -- focus -----------------------------------------------------------------------------------------------

    def _follows(self, page: Page, leaf: str) -> bool:
        """Hard focus: c* or one above it is good ("parents" read as: itself or one above)."""
        return self.mode == "soft" or page.request.via is None or self._topic.is_good(leaf)

    # -- distiller -------------------------------------------------------------------------------------------

    def _took_in(self, page: Page) -> bool:
        """Whether the page is new to the graph."""
        number = self._graph.add(page)
        place = self._graph.pages[number]
        if place < len(self._relevance):
            self._relevance[place] = page.relevance
            return False
        self._relevance.append(page.relevance)
        return True

    def _distilled(self, crawl: View) -> Iterator[Command]:
        """Raise the links of the best hubs, and bring the best hubs in again."""
        hubs = self._best_hubs()
        self._hubs = [(self._graph.urls[number], score) for number, score in hubs[:TOLD]]
        raised = dict.fromkeys(target for number, _ in hubs for target in self._graph.targets(number))
        for target in raised:
            url = self._graph.urls[target]
            if crawl.state(url) is UrlState.PENDING:
                yield Reprioritize(url=url, score=HUB_SCORE)
        for number, _ in hubs[: self.revisit]:
            url = self._graph.urls[number]
            if crawl.state(url) in (UrlState.UNSEEN, UrlState.VISITED):
                yield Enqueue(url=url, score=HUB_SCORE, refetch=True)

    def _best_hubs(self) -> list[tuple[int, float]]:
        """Numbers and scores of the best `hub_top` of all pages that have a hub score at all, best first."""
        import numpy as np

        from lycosa.scoring.graphs.distiller import hub_scores

        graph = self._graph
        matrix = graph.matrix()
        pages = np.fromiter(graph.pages, dtype=np.int64, count=len(self._relevance))
        known = np.zeros(len(graph))
        known[pages] = np.asarray(self._relevance)
        # One that waits is taken to be as relevant as its best in-link: R(v) = max R(u).
        relevance = np.asarray(matrix.multiply(known[:, None]).max(axis=0).todense()).ravel()
        relevance[pages] = known[pages]
        scores, _ = hub_scores(matrix, relevance, np.asarray(self._sites_of_urls()), self.rho)
        some = np.flatnonzero(scores > 0.0)
        best = some[np.argsort(-scores[some], kind="stable")][: ceil(self.hub_top * len(some))]
        return [(int(number), float(scores[number])) for number in best]

    def _sites_of_urls(self) -> array[int]:
        """A number for the host of each URL of the graph; those of URLs met before are remembered."""
        numbers = self._host_numbers
        for url in self._graph.urls[len(self._sites) :]:
            self._sites.append(numbers.setdefault(host_of(url), len(numbers)))
        return self._sites

    # -- to survive ------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        return {
            "graph": self._graph.save(),
            "relevance": self._relevance.tobytes(),
            "rhythm": self._rhythm.save(),
            "categories": dict(self._categories),
            "followed": self._followed,
            "hubs": [list(hub) for hub in self._hubs],
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._graph.load(state["graph"])
        self._host_numbers, self._sites = {}, array("l")
        self._relevance = array("d")
        self._relevance.frombytes(state["relevance"])
        self._rhythm.load(state["rhythm"])
        self._categories, self._followed = dict(state["categories"]), state["followed"]
        self._hubs = [(Url(url), score) for url, score in state["hubs"]]
