"""What a crawl would ask a person: pages of which it is in doubt, and on which much hangs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import itemgetter

from lycosa.crawls.answers import Question
from lycosa.crawls.checkpointed import Checkpointed
from lycosa.model.records import Page, UrlState
from lycosa.model.url import Url
from lycosa.scoring.topics import uncertainty
from lycosa.scoring.topics.keywords import damped
from lycosa.scoring.words.fingerprints import NEAR, hamming
from lycosa.scoring.words.terms import Weights
from lycosa.spec.tree import CrawlSpec
from lycosa.store.history import Row
from lycosa.store.journal import Journal

LEAST_DOUBT = 0.5
"""A page of less doubt is not asked about."""
CONSIDERED = 200
"""So many pages, those of the greatest doubt, are asked for their links."""
COMPARED = 50
"""So many of these, those that an answer is worth most of, are read again and compared."""
EXTRACT = 160


class Asking:
    """Finds questions in a crawl's folder, as of its last checkpoint."""

    def __init__(
        self, spec: CrawlSpec, journal: Journal, kept: Checkpointed, marked: Collection[Url]
    ) -> None:
        self._spec, self._journal, self._kept, self._marked = spec, journal, kept, marked

    def questions(self, most: int) -> list[Question]:
        """Up to so many, the one of which the answer helps most first. The same folder always asks the same."""
        doubted = self._doubted()
        hanging = self._hanging([row.url for row, _ in doubted])
        worths = [(row, uncertainty.worth(value, hanging[row.url][1])) for row, value in doubted]
        candidates = sorted(worths, key=lambda each: (-each[1], each[0].step))[:COMPARED]
        answered = [page for url in self._marked if (page := self._journal.memory.page(url)) is not None]
        candidates = [
            (row, value)
            for row, value in candidates
            if not any(_repeats(row, page.title, page.fingerprint) for page in answered)
        ]
        chosen = uncertainty.to_ask(
            [value for _, value in candidates],
            [self._terms(row.url) for row, _ in candidates],
            [damped(page.terms) for page in answered],
            most,
        )
        doubts = {row.url: value for row, value in doubted}
        rows = [candidates[place][0] for place in chosen]
        return [self._question(row, doubts[row.url], *hanging[row.url]) for row in rows]

    def _doubted(self) -> list[tuple[Row, float]]:
        """The pages of the greatest doubt that nobody marked; of several that say the same the first."""
        rows = list(self._journal.history.rows())
        best = max((row.relevance for row in rows), default=0.0)
        line = self._spec.relevant_from
        found = [
            (row, uncertainty.doubt(row.relevance, line, best)) for row in rows if row.url not in self._marked
        ]
        found = [each for each in found if each[1] >= LEAST_DOUBT]
        found.sort(key=itemgetter(1), reverse=True)  # stable: the earlier first
        kept: list[tuple[Row, float]] = []
        for row, value in found:
            if not any(_repeats(row, other.title, other.fingerprint) for other, _ in kept):
                kept.append((row, value))
            if len(kept) == CONSIDERED:
                break
        return kept

    def _hanging(self, pages: Collection[Url]) -> Mapping[Url, tuple[int, float]]:
        """Of each page how many of its links wait, and their influence."""
        graph = self._journal.memory.graph()
        targets = {url: self._journal.memory.out_links(url) for url in pages}
        frontier = self._kept.frontier
        asked = dict.fromkeys(target for found in targets.values() for target in found)
        sources = {url: 0 for url in asked if frontier.state(url) is UrlState.PENDING}
        for _, found in graph.items():
            for target in found:
                if target in sources:
                    sources[target] += 1
        waiting = {url: [sources[t] for t in found if t in sources] for url, found in targets.items()}
        return {url: (len(found), uncertainty.influence(found)) for url, found in waiting.items()}

    def _terms(self, url: Url) -> Weights:
        page = self._journal.memory.page(url)
        return damped(page.terms) if page is not None else {}

    def _question(self, row: Row, doubted: float, waiting: int, hanging: float) -> Question:
        page = self._journal.memory.page(row.url)
        assert isinstance(page, Page)
        return Question(
            url=row.url,
            title=row.title,
            extract=" ".join((page.description or page.text)[: 4 * EXTRACT].split())[:EXTRACT],
            relevance=row.relevance,
            doubt=doubted,
            waiting=waiting,
            influence=hanging,
        )


def _repeats(row: Row, title: str, fingerprint: int) -> bool:
    """Whether a page says what another one says."""
    if title and row.title == title:
        return True
    return bool(fingerprint) and hamming(row.fingerprint, fingerprint) <= NEAR
