"""When to ask about a page of a running crawl, and about which: for who answers a few questions, one at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import pow
from typing import Literal

from msgspec.structs import replace

from lycosa.crawl.memory import PageMemory
from lycosa.crawls.questions import Asking, says_the_same
from lycosa.model.records import Link, Page, UrlState
from lycosa.model.url import Url

FIRST = 20
"""Pages before the first question: of fewer none is the best yet, and doubt has no measure."""
RECENT = 300
"""So many pages, those that came last, may be asked about: their links still wait."""
TEXT = 2_000
"""Characters of a page's text that are kept, for who is asked to read."""
RETRY = 10
"""Pages until the next try where there was nothing to ask."""
EARLY = 1.0
"""Questions are spread over the pages of the budget as share^EARLY, so evenly; with 1/2 the first half of them fall on
its first quarter. Chosen by `benchmarks/judging.py --choose`, as is what is asked about."""

About = Literal["best", "doubt", "both"]


class Interview:
    """Asks about the best page that nobody spoke of yet, about the one of most doubt, or about each in turn.

    A good page teaches the hunter its words, and the most relevant pages are good most often; a page in doubt tells
    where the line is. Pages that say the same as one that was answered are left out.

    Invariants, each the name of a property test:

    * never twice: no page is asked about after it was answered.
    * within the plan: after p of all pages no more questions are due than (p / all)^early of them, rounded up.
    """

    def __init__(
        self, line: float, questions: int, asked: int = 0, *, about: About = "best", early: float = EARLY
    ) -> None:
        """`line` is the relevance from which pages count, `asked` how many of the questions were asked before. `about`
        the best pages only, those in doubt only, or both in turn."""
        self._line, self._questions, self._about, self._early = line, questions, about, early
        self.asked = asked
        self._recent: deque[Page] = deque(maxlen=RECENT)
        self._answered = PageMemory()
        self._closed: set[Url] = set()
        self._not_before = FIRST

    def seen(self, page: Page) -> None:
        """A page came in, its relevance set."""
        if page.url not in self._closed:
            self._recent.append(_slim(page))

    def due(self, pages: int, budget: int) -> bool:
        """Whether to ask now that the crawl has so many pages of its budget."""
        if pages < self._not_before or self.asked >= self._questions:
            return False
        return self.asked < self._questions * pow(min(1.0, pages / budget), self._early)

    def next(self, pages: int, state: Callable[[Url], UrlState]) -> Page | None:
        """The page to ask about; None if there is none for now. `state` tells where URLs stand."""
        open_ = {page.url: page for page in self._recent if page.url not in self._closed}
        answered = list(self._answered)
        found = None
        if self._about == "doubt" or (self._about == "both" and self.asked % 2):
            found = self._doubted(open_, answered, state)
        if found is None and self._about != "doubt":
            ranked = sorted(open_.values(), key=lambda page: -page.relevance)
            new = (page for page in ranked if not any(says_the_same(page, other) for other in answered))
            found = next((page for page in new if page.relevance > 0), None)
        if found is None:
            self._not_before = pages + RETRY
        return found

    def _doubted(
        self, open_: dict[Url, Page], answered: list[Page], state: Callable[[Url], UrlState]
    ) -> Page | None:
        memory = PageMemory()
        for page in (*answered, *open_.values()):
            memory.add(page)
        asking = Asking(self._line, memory, state, [page.url for page in answered])
        chosen = asking.questions([*memory], 1)
        return open_[chosen[0].url] if chosen else None

    def answered(self, page: Page) -> None:
        """Somebody spoke of the page: it is not asked about any more, nor what says the same."""
        self._closed.add(page.url)
        self._answered.add(_slim(page))


def _slim(page: Page) -> Page:
    """The page with the beginning of its text, and its links without their words: a tenth of its size."""
    links = tuple(Link(source=page.url, target=target) for target in page.out)
    return replace(page, text=page.text[:TEXT], links=links, places=(), headings=())
