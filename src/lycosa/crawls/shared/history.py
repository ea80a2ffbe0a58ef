"""Counts and curves of several journals that are one collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from typing import Any, TypeVar

from lycosa.model.records import Millis
from lycosa.model.url import Host
from lycosa.store.history import History, HostCount, Point, Row

Key = TypeVar("Key")


class SharedHistory:
    """What `History` tells of one journal, of several: each shows only what counts, so that nothing counts twice.

    Rows and points come in the order of time; their steps are those of their own journals.
    """

    def __init__(self, parts: Sequence[History]) -> None:
        self._parts = parts

    def statuses(self) -> dict[int, int]:
        return _summed(part.statuses() for part in self._parts)

    def reasons(self) -> dict[str, int]:
        return _summed(part.reasons() for part in self._parts)

    def requests(self, since: Millis = Millis(0)) -> int:
        return sum(part.requests(since) for part in self._parts)

    def pages_by(self, column: str) -> dict[Any, int]:
        return _summed(part.pages_by(column) for part in self._parts)

    def harvest(self, relevant_from: float) -> tuple[int, int, float]:
        found = [part.harvest(relevant_from) for part in self._parts]
        pages = sum(of_part for of_part, _, _ in found)
        relevance = sum(of_part * mean for of_part, _, mean in found)
        return pages, sum(relevant for _, relevant, _ in found), relevance / pages if pages else 0.0

    def hosts(self, limit: int = -1) -> list[HostCount]:
        found: dict[str, HostCount] = {}
        for count in (count for part in self._parts for count in part.hosts()):
            before = found.get(count.host)
            found[count.host] = count if before is None else _together(before, count)
        ranked = sorted(found.values(), key=lambda count: (-count.pages, -count.failures, count.host))
        return ranked if limit < 0 else ranked[:limit]

    def host_names(self) -> set[Host]:
        return set().union(*(part.host_names() for part in self._parts))

    def series(self, since: int = 0) -> Iterator[Point]:
        """All pages in time; `since` is not asked of several journals, whose steps are their own."""
        return merge(*(part.series(since) for part in self._parts), key=lambda point: point.at)

    def span(self) -> tuple[Millis, Millis] | None:
        found = [span for part in self._parts if (span := part.span()) is not None]
        return (min(first for first, _ in found), max(last for _, last in found)) if found else None

    def failures(self, since: int = 0, most: int | None = None) -> Iterator[Row]:
        return merge(*(part.failures(since, most) for part in self._parts), key=lambda row: row.at)

    def changes_by_day(self) -> list[tuple[int, int]]:
        """Days count from the first step of all."""
        begun = self.span()
        days: Counter[int] = Counter()
        for part in self._parts:
            days.update(dict(part.sightings.changes_by_day(begun[0] if begun else None)))
        return sorted(days.items())


def _summed(counts: Iterable[dict[Key, int]]) -> dict[Key, int]:
    """The most frequent first."""
    found: Counter[Key] = Counter()
    for each in counts:
        found.update(each)
    by_name: Callable[[tuple[Key, int]], tuple[int, str]] = lambda item: (-item[1], str(item[0]))  # noqa: E731
    return dict(sorted(found.items(), key=by_name))


def _together(one: HostCount, other: HostCount) -> HostCount:
    pages = one.pages + other.pages
    relevance = one.pages * one.relevance + other.pages * other.relevance
    return HostCount(
        one.host, pages, one.failures + other.failures, relevance / pages if pages else one.relevance
    )
