"""Who answers questions in the laboratory in place of a person or a model: somebody who knows, and errs now and then.

What it says reaches a crawl as marks do, and nothing else of it does: strategies are never given it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Annotated

import msgspec

from lycosa.crawl.crawl import Crawl
from lycosa.crawls.interview import EARLY, About, Interview
from lycosa.lab.tasks.task import Task
from lycosa.model.bounds import Share
from lycosa.model.events import Marked
from lycosa.model.records import Arrival, Millis, Page, Record
from lycosa.model.url import Url
from lycosa.spec.tree import CrawlSpec, Part, Positive

_ALL = 1 << 64


class Questions(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A stand-in is asked about some pages of each crawl, as `lycosa crawl --judge` asks a model."""

    most: Positive = 50
    """So many questions a crawl at most."""
    wrong: Share = 0.0
    """The share of the pages about which the answer is wrong, good or bad. Which ones depends on the page alone."""
    about: About = "best"
    """Which pages: the `best`, those of most `doubt`, or `both` in turn."""
    early: Annotated[float, msgspec.Meta(gt=0, le=1)] = EARLY
    """Questions are spread over the pages as share^early; 1: evenly."""


class StandIn(Record, frozen=True, kw_only=True):
    """Answers for one task: a page is good if it is on topic or a target."""

    questions: Questions
    good: tuple[Url, ...]

    @classmethod
    def of(cls, task: Task, questions: Questions) -> StandIn:
        return cls(questions=questions, good=tuple(dict.fromkeys((*task.on_topic(), *task.targets))))

    def errs(self, url: Url) -> bool:
        """Whether the answer about a page is wrong: true of a share `wrong` of all URLs, the same in every crawl."""
        drawn = int.from_bytes(hashlib.blake2b(url.encode("utf-8", "replace"), digest_size=8).digest())
        return drawn < self.questions.wrong * _ALL


class Interviewed:
    """A crawl whose questions are answered at once. Let it watch the visits.

    Invariant, the name of a test:

    * through marks only: of what the stand-in knows a crawl gets marks of pages that it brought, and nothing else.
    """

    def __init__(
        self,
        crawl: Crawl,
        stand_in: StandIn,
        numbers: Callable[[Iterable[Url]], Iterable[int]],
        now: Callable[[], Millis],
    ) -> None:
        """`numbers` gives equal numbers to the names of one page."""
        asked = stand_in.questions
        line = CrawlSpec().relevant_from
        self._interview = Interview(line, asked.most, about=asked.about, early=asked.early)
        self._crawl, self._stand_in, self._numbers, self._now = crawl, stand_in, numbers, now
        self._good = frozenset(numbers(stand_in.good))

    def watch(self, visit: Arrival) -> None:
        """A visit was committed: ask what is due."""
        if not isinstance(visit, Page):
            return
        crawl, interview = self._crawl, self._interview
        interview.seen(visit)
        while interview.due(crawl.pages, crawl.budget):
            if (page := interview.next(crawl.pages, crawl.frontier.state)) is None:
                break
            interview.asked += 1
            interview.answered(page)
            crawl.hear(Marked(url=page.url, good=self._says(page), by="stand-in"), self._now())

    def _says(self, page: Page) -> bool:
        (number,) = self._numbers([page.final_url])
        return (number in self._good) != self._stand_in.errs(page.final_url)
