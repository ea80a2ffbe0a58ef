"""What became of URLs, and which pages link to which, many at a time. Plain SQL, and an index in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from lycosa.model.records import Millis, Reason
from lycosa.model.url import Url
from lycosa.store.database import Answering
from lycosa.store.page_memory import PostingRuns, distinct_targets

AT_ONCE: Final = 500
"""URLs of one question: SQLite takes some thousands."""
TITLE: Final = 500
"""Characters of a title that are told: there is no end to what a page may call itself."""
_TOLD: Final = (
    "steps.step, fetched_at, steps.url, coalesce(final_url, steps.url), coalesce(hops, ''), kind = 'page', "
    f"coalesce(relevance, 0.0), substr(coalesce(title, ''), 1, {TITLE}), coalesce(reason, '')"
)
_COUNTS: Final = (
    f"(kind = 'page' AND owner IS NULL OR kind = 'failure' AND reason != '{Reason.ELSEWHERE.value}')"
)
"""Visits that brought a page of this crawler, or failed."""

Thing = TypeVar("Thing")


class Outcome(NamedTuple):
    """What became of a URL that was visited."""

    step: int
    at: Millis
    url: Url
    """That was asked for."""
    final_url: Url
    hops: str
    """The URLs between, a line each."""
    is_page: bool
    relevance: float
    title: str
    """The beginning of it."""
    reason: str
    """Why it failed; empty of a page."""

    @property
    def names(self) -> Iterator[Url]:
        """All URLs by which pages may link to it."""
        return map(Url, dict.fromkeys([self.url, self.final_url, *self.hops.split()]))

    @property
    def worth(self) -> tuple[bool, Millis, int]:
        """Of several visits the one of most worth stands for all: the latest that brought a page, else the latest."""
        return self.is_page, self.at, self.step


class Neighbours:
    """Questions to a journal about its link graph.

    Who links to a URL is told from an index of all links, 8 bytes each, as of when it last caught up: of a page that
    was visited again its latest links count.
    """

    def __init__(self, connection: Answering) -> None:
        self._connection = connection
        self._mentions = PostingRuns()
        self._pages: dict[int, Url] = {}
        self._latest: dict[Url, int] = {}
        self._indexed = 0

    def outcomes(self, urls: Iterable[Url]) -> dict[Url, Outcome]:
        """What became of each of these URLs that was visited, asked for by this name, on the way or at the end."""
        found: dict[Url, Outcome] = {}
        for some in _in_parts(urls):
            for name, outcome in self._outcomes(some):
                if name not in found or outcome.worth > found[name].worth:
                    found[name] = outcome
        return found

    def _outcomes(self, urls: Sequence[Url]) -> Iterator[tuple[Url, Outcome]]:
        asked = ",".join("?" * len(urls))
        questions = (
            f"SELECT steps.url, {_TOLD} FROM steps WHERE steps.url IN ({asked}) AND {_COUNTS}",
            f"SELECT final_url, {_TOLD} FROM steps WHERE final_url IN ({asked}) AND kind = 'page' AND {_COUNTS}",
            f"SELECT hop.url, {_TOLD} FROM hops AS hop JOIN steps ON steps.step = hop.step WHERE hop.url IN ({asked}) "
            f"AND kind = 'page' AND {_COUNTS}",
        )
        for question in questions:
            for name, *told in self._connection.execute(question, urls):
                yield Url(name), Outcome(*told)

    def targets(self, pages: Iterable[Outcome]) -> Iterator[tuple[Outcome, Sequence[Url]]]:
        """The distinct URLs that each of these pages links to, in document order, itself left out."""
        by_step = {page.step: page for page in pages}
        for some in _in_parts(by_step):
            question = (
                f"SELECT step, url, final_url, links FROM steps WHERE step IN ({','.join('?' * len(some))})"
            )
            for row in self._connection.execute(question, some):
                yield by_step[row["step"]], distinct_targets(row)

    def linking(self, names: Iterable[Url]) -> Collection[Url]:
        """The pages that link to a page by one of its names, by the URLs that were asked for, in the order of the
        crawl."""
        steps = sorted({step for name in names for step in self._mentions.steps(name)})
        return dict.fromkeys(url for step in steps if self._latest.get(url := self._pages[step]) == step)

    def catch_up(self) -> None:
        """Index the links that came since this was last called."""
        rows = self._connection.execute(
            "SELECT step, url, final_url, links FROM steps WHERE step > ? AND kind = 'page' AND owner IS NULL "
            "ORDER BY step",
            (self._indexed,),
        )
        for row in rows:
            step, url = row["step"], Url(row["url"])
            self._mentions.add(step, distinct_targets(row))
            self._pages[step] = url
            self._latest[url] = self._indexed = step


def _in_parts(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    coming = iter(things)
    while some := list(islice(coming, AT_ONCE)):
        yield some
