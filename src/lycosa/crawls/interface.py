"""What can be asked of a crawl's folder, and what follows from the answers: of one crawler's, or of several that share
a crawl."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, Unpack

from lycosa.crawls.answers import (
    Added,
    Block,
    Browse,
    Browsed,
    DnsAnswer,
    Explanation,
    Found,
    Happened,
    Happening,
    Hit,
    LinkGraph,
    LinkOfPage,
    Mark,
    Outlook,
    PagePart,
    PageRow,
    Paper,
    Question,
    Search,
    Status,
    TimeMap,
    Version,
    WaitingLink,
)
from lycosa.crawls.corpus.selection import Choice, Selection, selection
from lycosa.model.errors import InputError
from lycosa.model.events import Wish
from lycosa.model.records import Millis
from lycosa.model.url import Host, Url
from lycosa.spec.tree import CrawlSpec
from lycosa.store.history import HostCount, Point, Row
from lycosa.store.paths import Paths

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

    from lycosa.archive.cdxj import Capture
    from lycosa.crawl.members import Member
    from lycosa.crawls.captured import Captured
    from lycosa.crawls.corpus.selected import Selected
    from lycosa.crawls.portal.together import Crawler
    from lycosa.crawls.shared.figures import Figures
    from lycosa.crawls.stream import Streamed
    from lycosa.crawls.word_difference import Piece
    from lycosa.read.said import MainText
    from lycosa.web.http.dns_history import DnsHistory

SHOWN = 10
"""Best pages that a notebook shows."""
FOLLOW_EVERY = 0.5
"""Seconds between two looks at a crawl that is followed."""

LEAST_PAPER = 0.5
"""The chance to be a paper from which a PDF counts as one."""

TellProgress = Callable[[int, int], None]
"""Is told how many of how many pages are done."""
_NO_PAGE = "{url}: brought no page by then; lycosa changes DIR URL tells when it did"


def unheeded(done: int, total: int) -> None:
    """For work whose progress nobody follows."""


class Counts(Protocol):
    """Counts and curves of a crawl: `lycosa.store.history.History` has them of one journal."""

    def statuses(self) -> dict[int, int]: ...
    def reasons(self) -> dict[str, int]: ...
    def requests(self, since: Millis = ...) -> int: ...
    def pages_by(self, column: str) -> dict[Any, int]: ...
    def harvest(self, relevant_from: float) -> tuple[int, int, float]: ...
    def hosts(self, limit: int = ...) -> list[HostCount]: ...
    def host_names(self) -> set[Host]: ...
    def series(self, since: int = ...) -> Iterator[Point]: ...
    def span(self) -> tuple[Millis, Millis] | None: ...
    def failures(self, since: int = ..., most: int | None = ...) -> Iterator[Row]: ...


class Records(Protocol):
    """One reader's way through what a crawl stored: see `lycosa.crawls.stream.Stream`."""

    @property
    def token(self) -> str: ...
    @property
    def is_growing(self) -> bool: ...
    def __iter__(self) -> Iterator[Streamed]: ...


class Folder(ABC):
    """A crawl on disk. Open it with `lycosa.open`; close it, or use it in a `with`.

    One crawler's, or one that several crawlers share: that is one collection, and is asked in the same way.
    """

    path: Path
    spec: CrawlSpec
    paths: Paths
    row_type: ClassVar[type[PageRow]] = PageRow
    """What `rows` gives: its fields are the columns of an export."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    @abstractmethod
    def archives(self) -> Sequence[Path]:
        """The folders with its WARC files."""

    @property
    @abstractmethod
    def crawlers(self) -> Mapping[str, Crawler]:
        """The folders that one crawler each writes to, by their nodes: of one crawler itself, without a name."""

    @property
    @abstractmethod
    def go_on(self) -> str:
        """The command that goes on with the crawl."""

    @property
    @abstractmethod
    def unread(self) -> Sequence[str]:
        """The records that could not be read so far: which, where, and what each one costs, a line each.

        Such a page is there all the same, without its text.
        """

    # -- how it stands ---------------------------------------------------------------------------------------

    @abstractmethod
    def status(self) -> Status:
        """How the crawl stands, or how it ended."""

    @property
    @abstractmethod
    def process(self) -> int | None:
        """A process that writes to the folder now, None if there is none."""

    @abstractmethod
    def looked_ago(self) -> list[float]:
        """How many days ago each page was looked at."""

    @abstractmethod
    def changes_by_day(self) -> list[tuple[int, int]]:
        """The days since the crawl began on which pages were visited again, from 1, and how many changes were seen."""

    @property
    @abstractmethod
    def history(self) -> Counts:
        """Counts and curves: pages and failures by host, status, reason, language; relevance over time."""

    def sharing(self) -> Figures | None:
        """Of a crawl that several nodes share: how they shared it. None of any other."""
        return None

    @abstractmethod
    def frontier_curve(self) -> list[tuple[int, int]]:
        """How many URLs waited after how many pages: at most some 500 points, as of the last checkpoint."""

    @abstractmethod
    def outlook(self) -> Outlook | None:
        """What only the crawling process knows, as it was a moment ago; None if none runs, or it told nothing yet. To
        ask is to look on: from the next second on it tells (see `lycosa.crawls.lookout`)."""

    @abstractmethod
    def happened(self, token: str = "", most: int = 1_000) -> Happened:
        """What the crawl did after the place that a token tells (empty: from the start), in the order of the journal.
        Asked again with the token of the answer it tells what came since. Raises `InputError` for no token."""

    async def events(self, token: str = "") -> AsyncIterator[Happening]:
        """Each step of the crawl from a token on (empty: from the start), as it happens: `async for` them.

        Ends when all is told and the crawl does not run any more. Raises `InputError` for no token.
        """
        import asyncio

        while True:
            runs = self.process is not None
            found = self.happened(token)
            for happening in found.happenings:
                yield happening
            token = found.token
            if not found.happenings:
                if not runs:
                    return
                await asyncio.sleep(FOLLOW_EVERY)

    @abstractmethod
    def token(self, back: int = 0) -> str:
        """Where the crawl is now, or was so many steps ago, for `happened`."""

    @abstractmethod
    def waiting(self, most: int = 50, *, parts: bool = False) -> Sequence[WaitingLink]:
        """The best links that wait, best first.

        Of a crawl that runs at most fifty, as it was a moment ago, once somebody looks on (see `outlook`); else at most
        a thousand as of the last checkpoint. With `parts` also what their scores were made of, as of the last
        checkpoint.
        """

    @abstractmethod
    def population(self) -> Sequence[Member]:
        """Of a strategy that crawls by a population: its members, those that are alive first, then some that died; else
        empty. Of a crawl that runs as it was a moment ago, once somebody looks on (see `outlook`); else as of the last
        checkpoint."""

    # -- what was found --------------------------------------------------------------------------------------

    def rows(self, **choice: Unpack[Choice]) -> Iterator[PageRow]:
        """All pages in the order of the crawl, or the most relevant first; without `text` that field is empty and the
        archive is not read.

        Of a page that was fetched several times there is the latest visit, or each of them with `all_visits`. Those
        that brought nothing new are left out, unless `nothing_new`; they count as failures. With `at` it is the
        collection as it was then. A row names the page that it is a copy of; `distinct` leaves copies out, and the
        rules of a `Selection` leave out more. Raises `InputError` for values out of bounds, and for rules that need a
        text where there is to be none.
        """
        return iter(self.selected(**choice))

    def selected(self, **choice: Unpack[Choice]) -> Selected:
        """The same, with counts of what was left out."""
        return self.select(selection(choice))

    @abstractmethod
    def select(self, selection: Selection) -> Selected:
        """The same, of what was chosen and checked."""

    @abstractmethod
    def pages(self, token: str = "", most: int = 100) -> PagePart:
        """The pages after the place that a token tells (empty: from the start), without their texts, in the order of
        the crawl. A page that is visited again comes once more, behind the others. Raises `InputError` for no token."""

    def to_arrow(self, **choice: Unpack[Choice]) -> pyarrow.Table:
        """The same as an Arrow table. Raises `InputError` without pyarrow (`lycosa[parquet]`)."""
        from lycosa.crawls.frames import arrow_table

        return arrow_table(self.rows(**choice), self.row_type)

    def to_pandas(self, **choice: Unpack[Choice]) -> pandas.DataFrame:
        """The same as a data frame. Raises `InputError` without pandas (`lycosa[pandas]`)."""
        from lycosa.crawls.frames import data_frame

        return data_frame(self.rows(**choice), self.row_type)

    def _repr_html_(self) -> str:
        from lycosa.crawls.notebook import as_html

        return as_html(self.status(), self.best(SHOWN), self.history.series(), self.spec.relevant_from)

    @abstractmethod
    def links(self) -> Iterator[tuple[Url, Sequence[Url]]]:
        """Each page by the URL that was asked for, with the distinct URLs it links to, in the order of the crawl."""

    @abstractmethod
    def best(self, n: int) -> list[PageRow]:
        """The most relevant pages, best first, without their texts. Pages that are not relevant are left out."""

    @abstractmethod
    def search(self, query: str, limit: int = 10) -> Sequence[Hit]:
        """The pages whose words fit the query best. Brings the full-text index up to date first."""

    @abstractmethod
    def find(self, search: Search, *, index: bool = True) -> Found:
        """The pages that a search finds, counted by facets, of copies only the first: see `Search` and `Found`.

        Brings the full-text index up to date first, unless `index` is false: then pages that came since are not found,
        but told in `unindexed`. The first call reads what the journal knows of all pages, some seconds for 100,000; the
        next ones what came since. Raises `InputError` for words that cannot be understood, and for a facet that there
        is not.
        """

    @abstractmethod
    def browse(self, asked: Browse, *, index: bool = True) -> Browsed:
        """What is at a place of the taxonomy, of the ontology, among clusters, in a month, on a host, and so on.

        As with `find`, the index is brought up to date first. Raises `InputError` for a facet that there is not.
        """

    @abstractmethod
    def learn_clusters(self) -> int:
        """Learn clusters of the pages that are indexed, and keep them for `find` and `browse`; how many there are.

        Each has the words that tell it best as a label (see `lycosa.scoring.learning.clusters`). The same pages always
        give the same. Pages that come later belong to none until clusters are learned again. 0: too few pages.
        """

    @abstractmethod
    def index_pages(self, progress: TellProgress = unheeded) -> None:
        """Bring the full-text index up to date: pages that came since are read again from the archive.

        Pages that asked not to be indexed (`noindex`) are left out. In a folder that may not be written to, an index
        that is there stays as it is. Raises `FolderError` if there is none. One that is damaged is built anew.
        """

    @abstractmethod
    def papers(self, least: float = LEAST_PAPER, progress: TellProgress = unheeded) -> Sequence[Paper]:
        """The papers of the collection, read of its PDFs, the most cited first.

        PDFs count whose chance to be a paper is at least `least`, from 0 to 1. What was read is kept in the index; PDFs
        that came since are read first, some ten pages a second.
        """

    @abstractmethod
    def why(self, url: str) -> Explanation:
        """Everything the crawl can say about one URL, as of the last checkpoint. Raises `InputError` for no URL."""

    @abstractmethod
    def links_of(self, url: str, most: int = 1_000) -> Sequence[LinkOfPage]:
        """What a page links to, each URL once, in document order, by its latest visit; empty if it is no page of the
        crawl. Raises `InputError` for no URL."""

    @abstractmethod
    def graph(self, url: str, depth: int = 1, most: int = 150) -> LinkGraph:
        """The links around a URL, up to `depth` links away in either direction: at most `most` nodes, up to 5,000.

        The first call reads all links, some seconds for a million; the next ones those that came since. Raises
        `InputError` for a URL that is none, or that the crawl neither visited nor found a link to.
        """

    # -- as it was -------------------------------------------------------------------------------------------

    @abstractmethod
    def page(self, url: str, at: Millis | None = None) -> PageRow | None:
        """A page as it was: its latest visit not after a time (None: of all), with its text. None if it brought no
        page by then. Raises `InputError` for no URL."""

    @abstractmethod
    def versions(self, url: str) -> Sequence[Version]:
        """Every look that was taken at a page, oldest first; empty if it is none. Raises `InputError` for no URL."""

    @abstractmethod
    def changes(self, url: str = "", since: Millis = Millis(0)) -> Sequence[Version]:
        """Which pages appeared, changed, went and came back since a time, oldest first; of one page if a URL is given.

        Raises `InputError` for no URL.
        """

    @abstractmethod
    def capture(self, url: str, at: Millis | None = None) -> Captured | None:
        """The latest capture not after a time, of a page or of anything else that was fetched by this URL; None if
        there is none. Raises `InputError` for no URL."""

    @abstractmethod
    def captured(self, capture: Capture) -> Captured:
        """What a capture of `timemap` holds. Raises `InputError` for a capture that is not of this crawl."""

    def main_text(self, url: str, at: Millis | None = None, *, markdown: bool = False) -> MainText:
        """The main text of a page as it was: its latest visit not after a time (None: of all), also as Markdown if
        that is asked for, and what the page says of itself. Raises `InputError` if there was no page by then."""
        row = self.page(url, at)
        found = None if row is None else self.capture(row.final_url, row.fetched_at)
        if found is None:
            raise InputError(_NO_PAGE.format(url=url))
        return found.main_text(markdown=markdown)

    def difference(self, url: str, earlier: Millis, later: Millis) -> list[Piece]:
        """What differs between the texts of a page as it was at two times, word by word.

        Raises `InputError` if there was no page by then.
        """
        from lycosa.crawls.word_difference import word_difference

        return word_difference(*(self._text_at(url, at) for at in (earlier, later)))

    def _text_at(self, url: str, at: Millis) -> str:
        found = self.page(url, at)
        if found is None:
            raise InputError(_NO_PAGE.format(url=url))
        return found.text

    @abstractmethod
    def timemap(self, url: str) -> TimeMap:
        """All captures of a URL, for Memento: see `lycosa.crawls.memento`. Raises `InputError` if there is none."""

    # -- the stream, and names -------------------------------------------------------------------------------

    @abstractmethod
    def stream(self, token: str = "", where: str = "", *, with_pages: bool = False) -> Records:
        """What the crawl stored, in the order in which it was stored, from a token on: also while the crawl runs.

        `where` is a condition (see `lycosa.crawls.stream.condition`). With `with_pages` records wait until the crawl
        has decided whether they are pages. Raises `InputError` for a token or a condition that cannot be read.
        """

    @abstractmethod
    def dns_history(self) -> DnsHistory:
        """What names resolved to, and when. Raises `FolderError` for a file that cannot be read."""

    def dns(self, asked: str, at: Millis | None = None) -> DnsAnswer:
        """Which names and addresses belonged to a host or an address at a time (None: now).

        Raises `InputError` for one that the crawl did not meet.
        """
        from lycosa.crawls.dns import dns_answer

        return dns_answer(self.dns_history(), asked, at)

    # -- what people say -------------------------------------------------------------------------------------

    @abstractmethod
    def mark(self, *urls: str, good: bool | None) -> Sequence[Mark]:
        """Say of pages of the crawl that they are on topic (True) or not, or take that back (None).

        A running crawl, in this process or another, takes the marks in before it asks for its next page, one that is
        stopped when it goes on. The marks are on disk when this returns; `marks` tells what became of them. It waits
        for nobody, so it may be called within an event loop, and from any thread that opened the folder itself. Raises
        `InputError` for what is no page of the crawl, and then marks nothing.
        """

    @abstractmethod
    def marks(self) -> Sequence[Mark]:
        """Every mark that was made, in order; the last of a page is the one that holds."""

    @abstractmethod
    def questions(self, most: int = 5) -> Sequence[Question]:
        """Pages of which it would help most to know whether they are on topic, as of the last checkpoint.

        They are near the line from which pages count, many of their links wait, and they are unlike each other and
        unlike pages that are marked. Empty if no page is in doubt.
        """

    @abstractmethod
    def ping(self, *urls: str) -> list[Url]:
        """Say that pages changed just now; they are given as the crawl asks for them.

        A refresh that runs, or begins later, visits those of the crawl again at once, as politeness allows; others
        enter as links do. Durable when this returns; waits for nobody. Raises `InputError` for no URL, and then says
        nothing.
        """

    @abstractmethod
    def block(self, *hosts: str, by: str = "") -> Sequence[Block]:
        """Have nothing fetched from these hosts any more, and set aside what waits there.

        `by` is the name of who says so. A running crawl heeds it before it asks for its next page, one that is stopped
        when it goes on. Visits that are out come home, and pages that were fetched stay. Names of hosts below these are
        other hosts. On disk when this returns; waits for nobody. Raises `InputError` for what is no host.
        """

    @abstractmethod
    def unblock(self, *hosts: str, by: str = "") -> Sequence[Block]:
        """Let these hosts in again: what was set aside waits where it stood. Returns those that were blocked."""

    @abstractmethod
    def blocks(self) -> Sequence[Block]:
        """The hosts that are blocked now, the first blocked first."""

    @abstractmethod
    def add(self, *urls: str, by: str = "") -> Sequence[Added]:
        """Give the crawl more start pages: they are fetched before all else that waits, as politeness allows.

        `by` is the name of who says so. Pages that the crawl has are left alone. Durable when this returns; waits for
        nobody. Raises `InputError` for no URL, and for what is outside the scope of the crawl or at a blocked host; and
        then says nothing.
        """

    @abstractmethod
    def ask(self, wish: Wish, *, pages: int = 0, requests: int = 0, by: str = "") -> int | None:
        """Ask something of the crawl that runs here; a process that was asked, None if there is none.

        `pages` and `requests` are for `Wish.BUDGET`: the new budgets in all, 0 for those that stay as they are. A
        budget counts for a crawl that is stopped too, when it goes on. Raises `InputError` for a budget below what the
        crawl has.
        """
