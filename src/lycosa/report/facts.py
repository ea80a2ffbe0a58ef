"""What the report tells, gathered from a crawl folder."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from lycosa.crawls.answers import PageRow, Status
from lycosa.model.records import Record
from lycosa.report.plot import MOST_DOTS, MOST_POINTS, Point, thinned
from lycosa.report.wording import clean
from lycosa.store.history import HostCount

if TYPE_CHECKING:
    from lycosa.crawls.interface import Counts, Folder
    from lycosa.crawls.shared.figures import Figures

WINDOW = 50
"""Pages over which running means are taken."""
BEST = 25
HOSTS = 15
EXAMPLES = 3


class Course(Record, frozen=True, kw_only=True):
    """How relevance went over the pages, in the order of the crawl, at as many of them as are drawn. x counts pages
    from 1."""

    relevance: Sequence[Point]
    highest: float
    """Of all pages."""
    mean: Sequence[Point]
    """Of the last 50 pages."""
    harvest: Sequence[Point]
    """Share of relevant pages among all so far."""
    running: Sequence[Point]
    """Share of relevant pages among the last 50."""


class Example(Record, frozen=True, kw_only=True):
    url: str
    detail: str


class Facts(Record, frozen=True, kw_only=True):
    """Everything on the page."""

    status: Status
    course: Course
    waiting: Sequence[Point]
    """URLs that waited in the frontier, by the number of pages fetched."""
    best: Sequence[PageRow]
    hosts: Sequence[HostCount]
    languages: Mapping[str, int]
    depths: Mapping[int, int]
    examples: Mapping[str, Sequence[Example]]
    """Of failures, by reason."""
    relevant_from: float
    looked: Sequence[Point] = ()
    """How long ago pages were looked at: days, and the share of the pages that were looked at since."""
    changed: Sequence[Point] = ()
    """Changes that revisits found, by the day of the crawl, from 1."""
    sharing: Figures | None = None
    """How several nodes shared the crawl; None of one that was not shared."""


def facts_of(folder: Folder) -> Facts:
    """Gather them: one pass over the pages, the rest are counts."""
    history = folder.history
    points = list(history.series())
    languages = Counter(point.language or "unknown" for point in points)
    depths = Counter(point.depth for point in points)
    relevant_from = folder.spec.relevant_from
    status = folder.status()
    again = status.refreshing is not None
    return Facts(
        status=status,
        course=course_of([point.relevance for point in points], relevant_from),
        waiting=folder.frontier_curve(),
        best=folder.best(BEST),
        hosts=history.hosts(HOSTS),
        languages=dict(sorted(languages.items(), key=lambda item: (-item[1], item[0]))),
        depths=dict(sorted(depths.items())),
        examples=_examples(history),
        relevant_from=relevant_from,
        looked=looked_at(folder.looked_ago()) if again else (),
        changed=by_day(folder.changes_by_day()) if again else (),
        sharing=folder.sharing(),
    )


def looked_at(ago: Iterable[float]) -> Sequence[Point]:
    """The share of pages that were looked at in the last x days.

    >>> looked_at([3.0, 1.0])
    [(0.0, 0.0), (1.0, 0.5), (3.0, 1.0)]
    """
    days = sorted(ago)
    return [(0.0, 0.0), *((each, place / len(days)) for place, each in enumerate(days, 1))]


def by_day(changes: Iterable[tuple[int, int]]) -> Sequence[Point]:
    """Days without revisits have no changes either.

    >>> by_day([(2, 5), (4, 1)])
    [(1, 0), (2, 5), (3, 0), (4, 1)]
    """
    found = dict(changes)
    return [(day, found.get(day, 0)) for day in range(1, max(found, default=0) + 1)]


def course_of(relevances: Sequence[float], relevant_from: float) -> Course:
    """Running and cumulative means.

    >>> course_of([1.0, 0.0], 0.5).harvest
    [(1, 1.0), (2, 0.5)]
    """
    relevant = [0, *accumulate(value >= relevant_from for value in relevances)]
    dots, pages = (
        [place + 1 for place in thinned(len(relevances), most)] for most in (MOST_DOTS, MOST_POINTS)
    )
    windows = [(page, max(0, page - WINDOW)) for page in pages]
    return Course(
        relevance=[(page, relevances[page - 1]) for page in dots],
        highest=max(relevances, default=0.0),
        mean=[(page, sum(relevances[before:page]) / (page - before)) for page, before in windows],
        harvest=[(page, relevant[page] / page) for page in pages],
        running=[(page, (relevant[page] - relevant[before]) / (page - before)) for page, before in windows],
    )


def _examples(history: Counts) -> Mapping[str, Sequence[Example]]:
    """The first few failures of each reason."""
    found: defaultdict[str, list[Example]] = defaultdict(list)
    for failure in history.failures(most=EXAMPLES):
        told = found[failure.reason]
        if len(told) < EXAMPLES:
            status = f"HTTP {failure.status}" if failure.status else ""
            detail = ", ".join(filter(None, (status, clean(failure.detail))))
            told.append(Example(url=failure.url, detail=detail))
    return found


def most(counts: Mapping[str, int], number: int) -> Iterator[tuple[str, int]]:
    """The largest counts, those left out summed up as `other`."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    yield from islice(ranked, number)
    if rest := sum(count for _, count in ranked[number:]):
        yield "other", rest
