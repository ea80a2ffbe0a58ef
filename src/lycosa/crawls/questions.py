"""What a crawl would ask a person: pages of which it is in doubt, and on which much hangs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from operator import itemgetter
from typing import Protocol

from lycosa.crawl.ports import Memory
from lycosa.crawls.answers import Question
from lycosa.model.records import Page, UrlState
from lycosa.model.url import Url
from lycosa.scoring.topics import uncertainty
from lycosa.scoring.topics.keywords import damped
from lycosa.scoring.words.fingerprints import NEAR, hamming
from lycosa.scoring.words.terms import Weights

LEAST_DOUBT = 0.5
"""A page of less doubt is not asked about."""
CONSIDERED = 200
"""So many pages, those of the greatest doubt, are asked for their links."""
COMPARED = 50
"""So many of these, those that an answer is worth most of, are read again and compared."""
EXTRACT = 160


class Candidate(Protocol):
    """What must be known of a page before it is read again: a row of the journal, or the page itself."""

    @property
    def url(self) -> Url: ...
    @property
    def title(self) -> str: ...
    @property
    def fingerprint(self) -> int: ...
    @property
    def relevance(self) -> float: ...


class Asking:
    """Finds questions among pages of a crawl. `line` is the relevance from which pages count.

    `state` tells where a URL stands, `memory` has the pages, and the links between those that count for influence.
    """

    def __init__(
        self, line: float, memory: Memory, state: Callable[[Url], UrlState], marked: Collection[Url]
    ) -> None:
        self._line, self._memory, self._state, self._marked = line, memory, state, marked

    def questions(self, pages: Iterable[Candidate], most: int) -> list[Question]:
        """Up to so many, the one of which the answer helps most first. The same pages always give the same."""
        doubted = self._doubted(list(pages))
        hanging = self._hanging([page.url for page, _ in doubted])
        worths = [(page, uncertainty.worth(value, hanging[page.url][1])) for page, value in doubted]
        worths.sort(key=itemgetter(1), reverse=True)  # stable: of equal ones the one in more doubt
        answered = [page for url in self._marked if (page := self._memory.page(url)) is not None]
        candidates = [
            (page, value)
            for page, value in worths[:COMPARED]
            if not any(says_the_same(page, other) for other in answered)
        ]
        chosen = uncertainty.to_ask(
            [value for _, value in candidates],
            [self._terms(page.url) for page, _ in candidates],
            [damped(page.terms) for page in answered],
            most,
        )
        doubts = {page.url: value for page, value in doubted}
        asked = [candidates[place][0] for place in chosen]
        return [self._question(page, doubts[page.url], *hanging[page.url]) for page in asked]

    def _doubted(self, pages: list[Candidate]) -> list[tuple[Candidate, float]]:
        """The pages of the greatest doubt that nobody marked; of several that say the same the first."""
        best = max((page.relevance for page in pages), default=0.0)
        found = [
            (page, uncertainty.doubt(page.relevance, self._line, best))
            for page in pages
            if page.url not in self._marked
        ]
        found = [each for each in found if each[1] >= LEAST_DOUBT]
        found.sort(key=itemgetter(1), reverse=True)  # stable: the earlier first
        kept: list[tuple[Candidate, float]] = []
        for page, value in found:
            if not any(says_the_same(page, other) for other, _ in kept):
                kept.append((page, value))
            if len(kept) == CONSIDERED:
                break
        return kept

    def _hanging(self, pages: Collection[Url]) -> Mapping[Url, tuple[int, float]]:
        """Of each page how many of its links wait, and their influence."""
        targets = {url: self._memory.out_links(url) for url in pages}
        asked = dict.fromkeys(target for found in targets.values() for target in found)
        sources = {url: 0 for url in asked if self._state(url) is UrlState.PENDING}
        for _, found in self._memory.graph().items():
            for target in found:
                if target in sources:
                    sources[target] += 1
        waiting = {url: [sources[t] for t in found if t in sources] for url, found in targets.items()}
        return {url: (len(found), uncertainty.influence(found)) for url, found in waiting.items()}

    def _terms(self, url: Url) -> Weights:
        page = self._memory.page(url)
        return damped(page.terms) if page is not None else {}

    def _question(self, asked: Candidate, doubted: float, waiting: int, hanging: float) -> Question:
        page = self._memory.page(asked.url)
        assert isinstance(page, Page)
        return Question(
            url=asked.url,
            title=asked.title,
            extract=" ".join((page.description or page.text)[: 4 * EXTRACT].split())[:EXTRACT],
            relevance=asked.relevance,
            doubt=doubted,
            waiting=waiting,
            influence=hanging,
        )


def says_the_same(page: Candidate, other: Candidate) -> bool:
    """Whether an answer for one page holds for the other: the same title, or nearly the same text."""
    if page.title and page.title == other.title:
        return True
    return bool(other.fingerprint) and hamming(page.fingerprint, other.fingerprint) <= NEAR
