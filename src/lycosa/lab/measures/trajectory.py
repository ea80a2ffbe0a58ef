"""What a crawl leaves for measuring: which pages, in which order, and what it cost to choose them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lycosa.crawl.requests import requests_of
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.endings import Ending
from lycosa.model.events import Entry
from lycosa.model.records import Arrival, Failure, Millis, Page, Reason, Record
from lycosa.model.url import Url
from lycosa.strategies.wrappers.wrapper import StrategyWrapper

_REASONS = tuple(reason.value for reason in Reason)
_NOT_RECORDED = _REASONS.index(Reason.NOT_RECORDED.value)
_UNTIMED = np.zeros(0, dtype=np.int64)
_UNCOUNTED = np.zeros(0, dtype=np.int32)


class Names:
    """Numbers for URLs, in the order in which they were asked for; the first are those given.

    Trajectories that share one can be compared by number. `index` tells the place among the given URLs of a page that
    is known by another name, or None.

    Invariant, the name of a test:

    * a URL keeps its number.
    """

    def __init__(
        self, urls: Iterable[Url] = (), index: Callable[[Url], int | None] = lambda url: None
    ) -> None:
        self.urls: list[Url] = list(dict.fromkeys(urls))
        self._number = {url: number for number, url in enumerate(self.urls)}
        self._index = index

    def number(self, url: Url) -> int:
        """The number of a URL; a new one gets the next."""
        found = self._number.get(url)
        if found is None:
            found = self._index(url)
            if found is None:
                found = len(self.urls)
                self.urls.append(url)
            self._number[url] = found
        return found

    def numbers(self, urls: Iterable[Url]) -> npt.NDArray[np.int32]:
        """The numbers of URLs, in their order."""
        return np.array([self.number(url) for url in urls], dtype=np.int32)

    def __len__(self) -> int:
        return len(self.urls)


class Trajectory(Record, frozen=True, kw_only=True):
    """The pages of one crawl in the order in which they were committed: 28 bytes a page, URLs apart.

    All arrays but those of the failures have one entry a page. A page is named by where its redirects ended.
    """

    urls: Sequence[Url]
    """The names of the pages, by number; several trajectories may share it."""
    pages: npt.NDArray[np.int32]
    """The number of each page in `urls`."""
    visits: npt.NDArray[np.int32]
    """Which visit of the crawl brought the page, counted from 1, failed ones too."""
    relevance: npt.NDArray[np.float32]
    """In [0, 1], by the crawl's own model."""
    thinking: npt.NDArray[np.float64]
    """CPU seconds that the strategy has used since the start, fetching and parsing apart. Zeros if not measured."""
    links: npt.NDArray[np.int32]
    """Distinct URLs that the page links to."""
    lacking: npt.NDArray[np.int32]
    """How many of them the recording does not hold."""
    failed_visits: npt.NDArray[np.int32]
    failed_reasons: npt.NDArray[np.int8]
    """By the order of `lycosa.model.records.Reason`."""
    requests: npt.NDArray[np.int32] = _UNCOUNTED
    """How many requests the crawl had made when each page came home, redirects too, those for what the recording does
    not hold left out. Empty of crawls of before they were counted."""
    times: npt.NDArray[np.int64] = _UNTIMED
    """When each page came home, in virtual milliseconds since the start. Empty if that was not noted."""
    ended: str = ""
    """Why the crawl ended, as `Ending` is written: `budget`, `exhausted`, `stopped: …`."""

    def __len__(self) -> int:
        return len(self.pages)

    def names(self) -> list[Url]:
        """The URLs of the pages, in order."""
        return [self.urls[number] for number in self.pages]

    def failures(self) -> dict[str, int]:
        """How many visits failed, by reason, most frequent first."""
        return {_REASONS[code]: n for code, n in Counter(self.failed_reasons.tolist()).most_common()}

    def failed(self) -> int:
        """How many visits failed until the last page came, those to what the recording does not hold left out."""
        until = self.visits[-1] if len(self) else 0
        return int(((self.failed_visits < until) & (self.failed_reasons != _NOT_RECORDED)).sum())

    def not_recorded(self) -> float:
        """The share of the links on the fetched pages that lead to what the recording does not hold."""
        total = int(self.links.sum())
        return float(self.lacking.sum()) / total if total else 0.0

    def spent(self) -> npt.NDArray[np.int32]:
        """The requests by which each page came: `requests`, and of crawls that did not count them the visits, those to
        what the recording does not hold left out."""
        if len(self.requests) == len(self):
            return self.requests
        lacking = self.failed_visits[self.failed_reasons == _NOT_RECORDED]
        return (self.visits - np.searchsorted(lacking, self.visits)).astype(np.int32)

    def plain(self) -> dict[str, Any]:
        """Lists, arrays and texts by name, one entry a page or, of ``failed_visit`` and ``failed_reason``, a failure.

        `from_plain` takes them back.
        """
        return {
            "url": self.names(),
            "visit": self.visits,
            "relevance": self.relevance,
            "thinking": self.thinking,
            "links": self.links,
            "lacking": self.lacking,
            "failed_visit": self.failed_visits,
            "failed_reason": [_REASONS[code] for code in self.failed_reasons],
            "requests": self.requests,
            "time": self.times,
            "ended": self.ended,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], names: Names | None = None) -> Trajectory:
        """Take back what `plain` gave; `names` is the table that other trajectories use too."""
        names = names if names is not None else Names()
        return cls(
            urls=names.urls,
            pages=names.numbers(map(Url, plain["url"])),
            visits=np.asarray(plain["visit"], dtype=np.int32),
            relevance=np.asarray(plain["relevance"], dtype=np.float32),
            thinking=np.asarray(plain["thinking"], dtype=np.float64),
            links=np.asarray(plain["links"], dtype=np.int32),
            lacking=np.asarray(plain["lacking"], dtype=np.int32),
            failed_visits=np.asarray(plain["failed_visit"], dtype=np.int32),
            failed_reasons=np.array([_REASONS.index(r) for r in plain["failed_reason"]], dtype=np.int8),
            requests=np.asarray(plain.get("requests", ()), dtype=np.int32),
            times=np.asarray(plain.get("time", ()), dtype=np.int64),
            ended=str(plain["ended"]),
        )


def _nothing_lacking(page: Page) -> int:
    return 0


class Recorder:
    """Watches a crawl and notes its trajectory. `watch` is what `lycosa.drive.simulated.simulate` asks for.

    `lacking` tells how many of a page's links the recording does not hold (see `Graph.missing`); `thinking` tells the
    strategy's CPU seconds so far (see `Timed`); `now` tells the virtual time, which is noted if it is given.
    """

    def __init__(
        self,
        names: Names | None = None,
        *,
        lacking: Callable[[Page], int] = _nothing_lacking,
        thinking: Callable[[], float] = lambda: 0.0,
        now: Callable[[], Millis] | None = None,
    ) -> None:
        self.names = names if names is not None else Names()
        self._lacking, self._thinking, self._now = lacking, thinking, now
        self._visits = self._requests = 0
        self._times: list[int] = []
        self._pages: list[tuple[int, int, int, float, float, int, int]] = []
        self._failures: list[tuple[int, int]] = []

    def watch(self, visit: Arrival) -> None:
        """Note a visit that was committed."""
        self._visits += 1
        self._requests += requests_of(visit)
        if not isinstance(visit, Page):
            if isinstance(visit, Failure):
                self._failures.append((self._visits, _REASONS.index(visit.reason.value)))
            return
        if visit.change is not None:
            return  # a revisit: the page is counted
        number = self.names.number(visit.final_url)
        links, lacking = len(visit.out), self._lacking(visit)
        if self._now is not None:
            self._times.append(self._now())
        thinking = self._thinking()
        self._pages.append((number, self._visits, self._requests, visit.relevance, thinking, links, lacking))

    def trajectory(self, ended: Ending | None = None) -> Trajectory:
        """What was noted so far."""
        columns = list(zip(*self._pages, strict=True)) or [()] * 7
        pages, visits, requests, relevance, thinking, links, lacking = columns
        failed = list(zip(*self._failures, strict=True)) or [(), ()]
        return Trajectory(
            urls=self.names.urls,
            pages=np.array(pages, dtype=np.int32),
            visits=np.array(visits, dtype=np.int32),
            requests=np.array(requests, dtype=np.int32),
            relevance=np.array(relevance, dtype=np.float32),
            thinking=np.array(thinking, dtype=np.float64),
            links=np.array(links, dtype=np.int32),
            lacking=np.array(lacking, dtype=np.int32),
            failed_visits=np.array(failed[0], dtype=np.int32),
            failed_reasons=np.array(failed[1], dtype=np.int8),
            times=np.array(self._times, dtype=np.int64),
            ended=str(ended or ""),
        )


def from_journal(
    entries: Iterable[Entry],
    names: Names | None = None,
    *,
    lacking: Callable[[Page], int] = _nothing_lacking,
    ended: Ending | None = None,
) -> Trajectory:
    """The trajectory of a crawl from its journal, which does not tell what thinking cost."""
    recorder = Recorder(names, lacking=lacking)
    for entry in entries:
        if isinstance(entry.event, Page | Failure):
            recorder.watch(entry.event)
    return recorder.trajectory(ended)


class Timed(StrategyWrapper):
    """A strategy whose CPU time is taken. It answers as the strategy inside does.

    Only the strategy's own thinking counts, as fetching, parsing and the frontier are the same for all
    (ACM TOIT 4(4), section 2.2).
    """

    def __init__(self, inner: Strategy) -> None:
        super().__init__(inner)
        self.seconds = 0.0
        """CPU seconds of this thread so far."""

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_start(seeds, crawl))

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_page(page, crawl))

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_failure(failure, crawl))

    def on_idle(self, crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_idle(crawl))

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_handoff(handoff, crawl))

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_mark(page, good, crawl))

    def _timed(self, think: Callable[[], Iterable[Command]]) -> list[Command]:
        began = time.thread_time()
        try:
            return list(think())  # the strategy may be a generator: it thinks while it is read
        finally:
            self.seconds += time.thread_time() - began
