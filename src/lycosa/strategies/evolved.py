"""Crawling by a ranking function that a genetic algorithm evolved in simulated crawls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np

from lycosa.crawl.inputs import Query, Ranking
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Link, Page, Request, UrlState
from lycosa.model.url import Url
from lycosa.scoring.links.ranking import FEATURES, RankingFunction
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.parts.crawled import CrawledGraph
from lycosa.strategies.parts.in_links import InLinks, Places
from lycosa.strategies.parts.ledger import links_out

LINKS = 1
"""The tier of links: start pages go first, whatever a ranking function gives to links."""

_NO_LETTERS = re.compile(r"[\W\d_]+")


class Evolved(Strategy):
    """Scores every link by a ranking function of text and link features that was evolved in simulated crawls.

    When to use it: where pages like those that you look for were crawled before: `lycosa evolve` makes a function for
    them, which `--ranking FILE` gives to the crawl. Without one it uses a function that comes with lycosa and was
    evolved on generated webs only: sound, but made for no web in particular.

    A link's score is the sum, over eleven features of the known pages that link to its URL, of weight times feature to
    the power of an exponent, where the feature reaches its threshold. The features: greatest, mean and summed relevance
    of these pages, their number, the number of relevant ones, the best similarity of anchor, URL and context to the
    query, how near the URL is to a start page, and of the most relevant page that links to it the mean relevance of
    what its links led to and how many relevant pages they led to. So links of one page are told apart, and what is
    known to be good counts.

    Parameters: none; the ranking function holds them all. That text and link analysis together beat best-first is the
    paper's finding; the features, the form of the function and its numbers are lycosa's.

    Cost: a page rescores its own links and those beside which it stood; some 0.3 ms for a page of 80 links, whatever
    the size of the crawl. Memory: some 200 bytes a URL, 4 bytes a link.

    >>> from lycosa.crawl.inputs import Query
    >>> from lycosa.spec.registry import strategy
    >>> type(strategy("evolved", [Query(terms={"spider": 1})])).__name__
    'Evolved'

    Invariant, the name of a property test:

    * up to date: of each URL that waits, the score is that of its features when a page that links to it, or one
      fetched by way of the page that tells its siblings, came last.
    """

    reference: ClassVar[str] = (
        "Johnson, Tsioutsiouliklis, Giles: Evolving Strategies for Focused Web Crawling. ICML 2003"
    )

    def __init__(self, query: Query | None, ranking: Ranking | None) -> None:
        content = default_ranking() if ranking is None else ranking.content
        self.function = RankingFunction.of_content(content)
        self.texts = LinkTexts(query)
        self._graph = CrawledGraph()
        self._in_links = InLinks(self.function.community)
        self._told: dict[int, float] = {}

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        commands = list(self._beside(page, crawl))
        number = self._graph.add(page)
        self._told.pop(number, None)
        links = {
            n: link for link in links_out(page).values() if (n := self._graph.number(link.target)) != number
        }
        targets: Places = np.fromiter((n for n in links if n is not None), dtype=np.int64, count=len(links))
        texts = self.texts.of(page.links, [link.target for link in links.values()])
        self._in_links.linked(number, page.relevance, page.request.depth, targets, texts)
        return [*commands, *self._placed(targets, list(links.values()), crawl)]

    def _beside(self, page: Page, crawl: View) -> Iterator[Command]:
        """The page tells something of the links beside which it was found."""
        via = page.request.via
        source = None if via is None else self._graph.number(via.source)
        if source is None:
            return
        self._in_links.led(source, page.relevance)
        targets = np.array(self._graph.targets(source), dtype=np.int64)
        beside = self._in_links.hanging_on(source, targets)
        urls = self._graph.urls
        for number, score in zip(beside.tolist(), self._scores(beside), strict=True):
            before = self._told.get(number)
            if before not in (None, score) and crawl.state(urls[number]) is UrlState.PENDING:
                self._told[number] = score
                yield Reprioritize(url=urls[number], score=score, tier=LINKS)

    def _placed(self, targets: Places, links: Sequence[Link], crawl: View) -> Iterator[Command]:
        """A link goes where its score wants it; if it rises, this page's link is the one that earned its place."""
        for number, link, score in zip(targets.tolist(), links, self._scores(targets), strict=True):
            state, before = crawl.state(link.target), self._told.get(number)
            if state is UrlState.UNSEEN or (
                state is UrlState.PENDING and before is not None and score > before
            ):
                yield Enqueue(url=link.target, via=link, score=score, tier=LINKS)
            elif state is UrlState.PENDING and before is not None:
                yield Reprioritize(url=link.target, score=score, tier=LINKS)
            else:  # it is known, or waits where somebody else put it: a start page goes first
                continue
            self._told[number] = score

    def _scores(self, numbers: Places) -> list[float]:
        found: list[float] = self.function.scores(self._in_links.features(numbers)).tolist()
        return found

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        number = self._graph.number(request.url)
        if request.via is None or number is None:
            return {"start page": 1.0}
        parts = self.function.parts(self._in_links.features(np.array([number])))[0]
        return {name: float(part) for name, part in zip(FEATURES, parts, strict=True) if part}

    def save(self) -> Mapping[str, Any]:
        told = [[number, score] for number, score in self._told.items()]
        return {"graph": self._graph.save(), "evidence": self._in_links.save(), "told": told}

    def load(self, state: Mapping[str, Any]) -> None:
        self._graph.load(state["graph"])
        self._in_links.load(state["evidence"])
        self._told = dict(state["told"])


class LinkTexts:
    """How similar links are to the query, by their anchors, URLs and contexts; all 0 without a query."""

    def __init__(self, query: Query | None) -> None:
        self._similar = None if query is None else TopicWords.of(query).in_texts()

    def of(self, links: Sequence[Link], targets: Sequence[Url]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """len(targets) × 3 cosines; of several links to a target the best anchor and the best context count."""
        found = np.zeros((len(targets), 3))
        similar = self._similar
        if similar is None:
            return found
        rows = {target: row for row, target in enumerate(targets)}
        for target, row in rows.items():
            if similar.may_find(target):
                found[row, 1] = similar.of(_NO_LETTERS.sub(" ", target))
        for link in links:
            place = rows.get(link.target)
            if place is not None:
                found[place, 0] = max(found[place, 0], similar.of(link.anchor))
                found[place, 2] = max(found[place, 2], similar.of(link.context))
        return found


@cache
def default_ranking() -> Mapping[str, Any]:
    """The ranking that comes with lycosa; the file says how it was evolved."""
    content: Mapping[str, Any] = json.loads(
        files("lycosa.strategies").joinpath("evolved.json").read_text("utf-8")
    )
    return content
