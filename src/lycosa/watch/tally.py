"""What a run has brought so far, kept for whoever looks on. Knows no clock: times are arguments, in seconds."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import NamedTuple

from lycosa.crawls.answers import PageRow, Status
from lycosa.model.records import Arrival, Failure, Gone, Page, Reason, Unchanged, Worth

WINDOW = 50
"""Pages over which the running harvest rate is taken."""
RATE_SECONDS = 10.0
SPARKS = 24


class Best(NamedTuple):
    relevance: float
    url: str
    title: str


class Tally:
    """Counts over the visits of a crawl.

    Invariants, each the name of a property test:

    * best first: `best` holds the most relevant pages so far, the most relevant first, at most `keep` of them, all of
      them relevant.
    * counts add up: `pages` is the number of pages seen, of which `relevant` reached the threshold.
    """

    def __init__(self, relevant_from: float, keep: int = 10) -> None:
        self.relevant_from, self.keep = relevant_from, keep
        self.pages = 0
        self.relevant = 0
        self.failures = 0
        self.revisits: Counter[str] = Counter()
        """What visits of this run to pages that the crawl had found: `unchanged`, `dressing`, `changed` or `gone`."""
        self.scripted = 0
        """Pages of this run that are hardly there without their scripts."""
        self.reasons: Counter[str] = Counter()
        self.best: list[Best] = []
        self.recent: deque[bool] = deque(maxlen=WINDOW)
        self.harvests: deque[float] = deque(maxlen=SPARKS)
        """The running harvest rate at each of the last looks."""
        self.last_url = ""
        self.last_problem = ""
        """Why the last visit brought no page; empty if it brought one."""
        self._looks: deque[tuple[float, int]] = deque()

    def take_over(self, status: Status, best: Iterable[PageRow]) -> None:
        """Begin where an earlier run ended."""
        self.pages, self.relevant, self.failures = status.pages, status.relevant, status.failures
        self.reasons.update(status.failures_by_reason)
        self.best = [Best(row.relevance, row.final_url, row.title) for row in best][: self.keep]

    def visit(self, visit: Arrival, failures: int, *, again: bool = False) -> None:
        """Count a visit; `failures` is how many URLs the crawl has given up so far, retries not counted. A page that
        is fetched `again` was counted."""
        self.last_url = visit.url
        failure = visit if isinstance(visit, Failure) else None
        self.last_problem = "" if failure is None else f"{failure.reason.value} {failure.detail}".strip()
        lost = failures - self.failures
        self.failures = failures
        if (found := _found_again(visit)) is not None:
            self.revisits[found] += 1
        if isinstance(visit, Page):
            if not again:
                self._page(visit)
        elif failure is not None and lost > 0:
            self.reasons[failure.reason.value] += 1
            lost -= 1
        if lost > 0:  # given up without a visit
            self.reasons[Reason.HOST_DOWN.value] += lost

    def look(self, now: float) -> None:
        """Take a sample for the speed and the course of the harvest rate."""
        self._looks.append((now, self.pages))
        while len(self._looks) > 2 and now - self._looks[0][0] > RATE_SECONDS:
            self._looks.popleft()
        if self.recent:
            self.harvests.append(self.recent_harvest)

    @property
    def rate(self) -> float:
        """Pages a second over the last ten seconds."""
        if len(self._looks) < 2:
            return 0.0
        (began, before), (ended, after) = self._looks[0], self._looks[-1]
        return (after - before) / (ended - began) if ended > began else 0.0

    @property
    def harvest(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0

    @property
    def recent_harvest(self) -> float:
        return sum(self.recent) / len(self.recent) if self.recent else 0.0

    def seconds_left(self, budget: int | None) -> float | None:
        """Until the budget is used up at the present speed; None if that cannot be told, or if there is no end."""
        return (budget - self.pages) / self.rate if self.rate > 0 and budget is not None else None

    def _page(self, page: Page) -> None:
        self.pages += 1
        is_relevant = page.relevance >= self.relevant_from
        self.relevant += is_relevant
        self.scripted += page.needs_script
        self.recent.append(is_relevant)
        if is_relevant and (len(self.best) < self.keep or page.relevance > self.best[-1].relevance):
            self.best.append(Best(page.relevance, page.final_url, page.title))
            self.best.sort(key=lambda one: -one.relevance)
            del self.best[self.keep :]


_FOUND = {Worth.SAME: "unchanged", Worth.DRESSING: "dressing", Worth.CONTENT: "changed"}


def _found_again(visit: Arrival) -> str | None:
    """What a visit found of a page that the crawl had; None of any other visit."""
    match visit:
        case Unchanged():
            return "unchanged"
        case Gone():
            return "gone"
        case Page(change=change) if change is not None:
            return _FOUND[change.worth]
        case _:
            return None
