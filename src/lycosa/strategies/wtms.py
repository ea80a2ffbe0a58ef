"""WTMS: best-first by similarity to a target vector made of representative pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import msgspec

from lycosa.crawl.inputs import Examples, Query
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.scoring.topics.keywords import EXAMPLE_TERMS, centroid, damped
from lycosa.scoring.words.terms import Counts, cosine
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.parts.ledger import links_out


class Wtms(Strategy):
    """Follows the links of pages similar to a target vector, most similar page first, and gives up on the others.

    When to use it: where a few pages about the topic are at hand and it fills whole neighbourhoods of the web. Unlike
    best-first it does not go on through pages that have nothing of the topic: it stays close to what it has found,
    and ends when there is no more. It needs start pages on the topic.

    The target vector is the mean of the example pages, each of length 1 with counts as 1 + ln(count); words of the
    topic make one further vector of it, as if they were a page. A page of at least `threshold` similarity (cosine) is
    kept: its links get that similarity as their score. From a page below, nothing is followed; start pages are always
    kept.

    Parameters: `threshold` (0 to 1, default 0.1; with words alone cosines are small, choose less). At 0 it is
    best-first by the target vector. `tolerance` (0 to 100, default 0): so many pages below the threshold in a row are
    passed through, their links after all others. The ordering and the threshold are those of WTMS; the defaults are
    lycosa's choice.

    Cost: O(distinct terms + links · log frontier) a page. State: with a `tolerance`, one number for each page that
    was passed through.

    >>> from lycosa.crawl.inputs import Query
    >>> from lycosa.spec.registry import strategy
    >>> strategy("wtms:threshold=0.2", [Query(terms={"spider": 1})]).threshold
    0.2

    Invariants, each the name of a property test:

    * scores are similarities: every score lies in [0, 1] and is at least the threshold, start pages' links and those
      passed through apart.
    * nothing from below: a page below the threshold, with no tolerance, adds nothing to the frontier.
    """

    reference: ClassVar[str] = (
        "Mukherjea: WTMS: A System for Collecting and Analyzing Topic-Specific Web Information. WWW9, 2000"
    )

    def __init__(
        self,
        examples: Examples | None,
        query: Query | None,
        *,
        threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.1,
        tolerance: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0,
    ) -> None:
        self._words = TopicWords.of(query)
        vectors: list[Counts] = [*(examples.pages if examples else ()), self._words.terms]
        if not any(vectors):
            raise InputError(
                "strategy 'wtms' needs a target: give pages about the topic with --like, or words"
            )
        self.threshold, self.tolerance = threshold, tolerance
        self.target = centroid((damped(terms) for terms in vectors if terms), EXAMPLE_TERMS)
        self._below: dict[str, int] = {}  # how many pages in a row were below, by final URL; none is not kept

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        similarity = self._similarity(page)
        is_kept = similarity >= self.threshold or page.request.via is None
        if not is_kept:
            below = self._below.get(page.request.via.source if page.request.via else "", 0) + 1
            if below > self.tolerance:
                return []
            self._below[page.final_url] = below
        tier = 0 if is_kept else 1
        return [
            Enqueue(url=url, via=link, score=similarity, tier=tier) for url, link in links_out(page).items()
        ]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        source = memory.page(request.via.source) if request.via else None
        if source is None:
            return {"start page": 1.0}
        return {"similarity of the page that links here": self._similarity(source)}

    def save(self) -> Mapping[str, Any]:
        return {"below": dict(self._below)}

    def load(self, state: Mapping[str, Any]) -> None:
        self._below = dict(state["below"])

    def _similarity(self, page: Page) -> float:
        return cosine(self.target, damped(self._words.in_page(page)))
