"""What the laboratory stands on: a recorded web, read once, on which any number of crawls can be run.

web = open_web([Path("webs/wikispeedia")])
visitor = web.visitor(crawl.refuses_redirect, clock, excluded=topic.excluded)
await simulate(crawl, visitor, visitor.latency, clock)
visitor.view.lacking / visitor.view.asked     # the share of what was not recorded
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lycosa.archive.collection import Collection as Recording
from lycosa.archive.places import warc_files
from lycosa.crawl.ports import Clock, TimedWeb, Web
from lycosa.drive.reading import InPlace, Unread, within
from lycosa.drive.visit import RedirectRule, Robots, Visitor
from lycosa.lab.webs.cache import Kept, Tell, kept_pages, silent
from lycosa.lab.webs.graph_of_columns import graph_of
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.lab.webs.pages import ABSENT, UNKEPT, Pages
from lycosa.lab.webs.parse import NOBODY
from lycosa.model.errors import FolderError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Page, Record, RecordRef, Request, Response
from lycosa.model.url import Url, canonical
from lycosa.web.recorded import RecordedWeb, modelled_latency


class Terms(Record, frozen=True, kw_only=True):
    """Term counts of all pages in compressed rows: page i has `counts[j]` times the word `vocabulary[numbers[j]]` for
    j from `indptr[i]` to `indptr[i + 1]`.
    """

    vocabulary: Sequence[str]
    indptr: NDArray[np.int64]
    numbers: NDArray[np.int32]
    counts: NDArray[np.int32]


class Coverage(Record, frozen=True, kw_only=True):
    """How much of what the pages of a web link to was recorded. A link counts once a page."""

    links: int
    recorded: int
    """Of these: lead to a recorded page, be it by redirects."""

    @property
    def missing(self) -> float:
        """Share of links that do not, in [0, 1]."""
        return 1 - self.recorded / self.links if self.links else 0.0


class LabWeb:
    """A recorded web. Made by `open_web`.

    Pages are numbered from 0 in the order of the archive's index; their number is their place in `urls`. Memory: the
    file of columns is mapped and shared by all processes; each keeps the URLs and short texts that it came across.

    Invariants, each the name of a property test:

    * as if read anew: a visit gives the page, or the failure, that a `Visitor` of the recording itself gives.
    * a graph of visits: page a links to page b exactly if a visitor who follows some link of a arrives at b.
    """

    def __init__(self, kept: Kept, files: Sequence[Path]) -> None:
        """See `open_web`."""
        self.kept = kept
        """Where the pages are kept, and what is to be said of that."""
        self.pages = Pages(kept.columns)
        self._files = files

    def __len__(self) -> int:
        """Recorded pages."""
        return self.kept.about.pages

    @property
    def notes(self) -> Sequence[str]:
        """Why the pages had to be read anew, and what of the recording could not be read, a line each."""
        return self.kept.notes

    @cached_property
    def recording(self) -> Recording:
        """The WARC files; opened when they are needed, for robots.txt and for URLs that no page links to."""
        return Recording.open(self._files)

    @cached_property
    def urls(self) -> Sequence[Url]:
        """The URL of each page, as a crawl knows it."""
        return [self.pages.url(number) for number in range(len(self))]

    def index(self, url: str) -> int | None:
        """The number of the page that a visit to a URL ends at, by redirects or under another name; None if at none.

        Raises `InputError` for what is no URL.
        """
        number = self.pages.number(url)  # those that it knows are canonical
        if number is None and (number := self.pages.number(asked := canonical(url))) is None:
            number = self._number_of_record(asked)
        node = -1 if number is None else int(self.pages.nodes[number])
        return node if node >= 0 else None

    def page(self, number: int) -> Page:
        """A page, as if somebody had asked for it who is nobody."""
        return self.pages.page(number, NOBODY)

    def text(self, number: int) -> str:
        return self.pages.text(number)

    def title(self, number: int) -> str:
        return self.pages.title(number)

    def terms(self, number: int) -> Mapping[str, int]:
        """Counts of the stemmed words of a page's title and text, stop words left out."""
        return self.pages.terms(number)

    def all_terms(self) -> Terms:
        """The terms of all pages, without making a single one."""
        pages, contents = self.pages, self.pages.contents[: len(self)].astype(np.int64)
        ends: NDArray[np.int64] = pages.terms_ends.astype(np.int64)
        starts = ends[contents]
        lengths = ends[contents + 1] - starts
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], lengths)
        return Terms(
            vocabulary=pages.vocabulary.tolist(),
            indptr=indptr,
            numbers=pages.term_numbers[places].astype(np.int32),
            counts=pages.term_counts[places].astype(np.int32),
        )

    def frequencies(self) -> Mapping[str, int]:
        """On how many pages each term occurs."""
        terms = self.all_terms()
        found = np.bincount(terms.numbers, minlength=len(terms.vocabulary)).tolist()
        return {term: n for term, n in zip(terms.vocabulary, found, strict=True) if n}

    def graph(self, excluded: Iterable[str] = ()) -> LinkGraph:
        """Who links to whom, as a visitor would find. Pages at `excluded` URLs have no links, and none lead to them."""
        return graph_of(self.pages, self.urls, self._rows(excluded), self.index)

    def coverage(self, excluded: Iterable[str] = ()) -> Coverage:
        """How many of all links lead to recorded pages."""
        graph = self.graph(excluded)
        recorded = len(graph.indices)
        return Coverage(links=recorded + int(graph.missing.sum()), recorded=recorded)

    def view(self, excluded: Iterable[str] = (), seed: int = 0) -> LabView:
        """The web as one crawl sees it: some pages hidden, latencies by a seed, what it asks for counted."""
        return LabView(self, frozenset(self._rows(excluded)), frozenset(map(canonical, excluded)), seed)

    def visitor(
        self,
        refuses_redirect: RedirectRule,
        clock: Clock,
        *,
        excluded: Iterable[str] = (),
        seed: int = 0,
        robots: Callable[[Web], Robots] | None = None,
        faults: Callable[[TimedWeb], TimedWeb] | None = None,
    ) -> LabVisitor:
        """A visitor for one crawl.

        `excluded` URLs answer 404, under whatever name. `robots` makes a cache of robots.txt over the crawl's web, for
        crawls that are to heed it; `faults` wraps that web, for instance in a `FaultyWeb`.
        """
        view = self.view(excluded, seed)
        return LabVisitor(view, faults(view) if faults else view, robots, refuses_redirect, clock)

    def latency(self, url: Url) -> Millis:
        """The modelled time of a visit, of seed 0."""
        return modelled_latency(0, url)

    def _number_of_record(self, url: Url) -> int | None:
        """The number of the URL under which the archive has what is asked for."""
        try:
            found = self.recording.found(url)
        except FolderError:  # a damaged record is no page
            return None
        return self.pages.number(canonical(found[0].url)) if found is not None else None

    def _rows(self, urls: Iterable[str]) -> set[int]:
        return {number for url in urls if (number := self.index(url)) is not None}


class LabView(RecordedWeb):
    """A recorded web as one crawl sees it.

    `asked` and `lacking` count requests: all, and those for what the recording does not hold. What is hidden from this
    crawl answers 404 and counts in `refused`.
    """

    def __init__(self, web: LabWeb, rows: Collection[int], urls: Collection[str], seed: int) -> None:
        super().__init__(_Bodiless(web), seed)
        self.web = web
        self.refused = 0
        """Requests for what is hidden from this crawl."""
        self._rows, self._urls = rows, urls

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        if (self._rows or self._urls) and self._is_hidden(url):
            self.asked += 1
            self.refused += 1
            return _not_found(url, self.latency(url))
        return await super().fetch(url, ask)

    def holds(self, url: Url) -> bool:
        """Whether the recording has any answer for a URL."""
        outcome = self.web.pages.outcome(url)
        return outcome != ABSENT and (outcome != UNKEPT or self.web.recording.find(url) is not None)

    def _is_hidden(self, url: Url) -> bool:
        if url in self._urls:
            return True
        outcome = self.web.pages.outcome(url)
        if outcome == UNKEPT:
            return self.web.index(url) in self._rows
        number = self.web.pages.number(url) if outcome >= 0 else None
        return number is not None and int(self.web.pages.nodes[number]) in self._rows


class _Bodiless:
    """The recording as far as it was read: responses without bodies. What was not read comes whole."""

    def __init__(self, web: LabWeb) -> None:
        self._web = web

    def find(self, url: str) -> Response | None:
        outcome = self._web.pages.outcome(url)
        if outcome >= 0:
            return self._web.pages.response(outcome)
        if outcome == UNKEPT:
            return self._web.recording.find(url)
        return self._web.pages.answer(outcome) if outcome < UNKEPT else None


class LabVisitor(Visitor):
    """Visits pages that were read before. It archives nothing: what it visits is in an archive already."""

    def __init__(
        self,
        view: LabView,
        web: TimedWeb,
        robots: Callable[[Web], Robots] | None,
        refuses_redirect: RedirectRule,
        clock: Clock,
    ) -> None:
        reader = _Mapped(view.web.pages)
        super().__init__(web, robots(web) if robots else None, None, refuses_redirect, clock, reader)
        self.view = view
        """The crawl's web, which counts what is asked."""
        self._timed = web

    def latency(self, url: Url) -> Millis:
        """The modelled time of a visit: give it to `simulate`. What was not recorded takes none."""
        return self._timed.latency(url) if self.view.holds(url) else Millis(0)


class _Mapped(InPlace):
    """Makes pages of the columns; what they lack is read."""

    def __init__(self, pages: Pages) -> None:
        super().__init__()
        self._pages = pages

    async def read(self, request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
        row = self._pages.outcome(response.url)
        if row < 0:
            return await super().read(request, response, record)
        return within(self._pages.page(row, request), self.max_links)


def _not_found(url: Url, elapsed: Millis) -> Response:
    return Response(
        url=url,
        status=404,
        headers=(("Content-Type", "text/html"),),
        body=b"",
        fetched_at=Millis(0),
        elapsed=elapsed,
        reason_phrase="Not Found",
    )


def open_web(paths: Iterable[Path], *, kept_in: Path | None = None, tell: Tell = silent) -> LabWeb:
    """Open folders and WARC files as one web; its pages are read now if that was not done before.

    `kept_in` is a folder for what was read; without it, that is the user's cache folder.
    `tell` hears in lines how reading goes on. Raises `InputError` if there is no recording, `FolderError` if what was
    read cannot be kept.
    """
    files = warc_files(paths)
    return LabWeb(kept_pages(files, kept_in, tell), files)
