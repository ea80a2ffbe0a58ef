"""A crawl folder to look at: what happened, why, and what was found. Also while another process writes to it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec
from msgspec.structs import replace

from lycosa.archive.reader import Reader
from lycosa.compose.parts import longest_body
from lycosa.compose.topic import topic_words
from lycosa.crawl.recall import Estimate
from lycosa.crawls.answers import (
    DnsAnswer,
    Explanation,
    Hit,
    InOrder,
    Mark,
    PageRow,
    Question,
    Refreshing,
    Status,
    TimeMap,
    Version,
)
from lycosa.crawls.captured import Captured
from lycosa.crawls.checkpointed import Checkpointed
from lycosa.crawls.curve import Curve
from lycosa.crawls.dns import dns_answer
from lycosa.crawls.frames import arrow_table, as_html, data_frame
from lycosa.crawls.marks import Marks
from lycosa.crawls.past import Past, record_of
from lycosa.crawls.pings import pinged
from lycosa.crawls.questions import Asking
from lycosa.crawls.refreshing import now_of, refreshing
from lycosa.crawls.stream import Stream
from lycosa.crawls.why import Inquiry
from lycosa.crawls.word_difference import Piece, word_difference
from lycosa.drive.reread import Rereader
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.spec.derived import start_url
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec
from lycosa.store.database import word_left, writer_of
from lycosa.store.full_text import DamagedIndex, Entry, TextHit, TextIndex, remove_index
from lycosa.store.history import History, Row
from lycosa.store.inbox import Inbox
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths
from lycosa.store.verdicts import Verdicts
from lycosa.web.http.dns_file import DnsFile
from lycosa.web.http.dns_history import DnsHistory

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

PAGE_FIELDS = [field.name for field in fields(PageRow)]
SHOWN = 10
"""Best pages that a notebook shows."""
INDEX_BATCH = 64
"""Pages after which the progress of indexing is told again."""

Worked = TypeVar("Worked")
TellProgress = Callable[[int, int], None]
"""Is told how many of how many pages are done."""
AddPages = Callable[[TextIndex, list[Entry]], None]


def unheeded(done: int, total: int) -> None:
    """For work whose progress nobody follows."""


class CrawlFolder:
    """One crawl on disk. Open it with `CrawlFolder.open`, or `lycosa.open`; close it, or use it in a `with`."""

    def __init__(self, path: Path, spec: CrawlSpec, archive: Reader) -> None:
        self.path, self.spec, self.paths = path, spec, Paths(path)
        self._archive, self._rehydrate = archive, Rereader(archive)
        self._journal = Journal(self.paths.journal, rehydrate=self._rehydrate, read_only=True)

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Raises `FolderError` if there is no crawl, or one of a newer version."""
        paths = Paths(Path(path))
        if not paths.specification.exists():
            raise FolderError(f"{path}: no crawl here; give the folder of a crawl")
        if not paths.journal.exists():
            raise FolderError(
                f"{path}: this crawl has hardly begun; lycosa resume {path} begins it, if nobody does"
            )
        spec = load(paths.specification, CrawlSpec)
        return cls(Path(path), spec, Reader([paths.archive], most=longest_body(spec)))

    def close(self) -> None:
        self._journal.close()
        self._archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def unread(self) -> Sequence[str]:
        """The records that could not be read so far: which, where, and what each one costs, a line each.

        Such a page is there all the same, without its text.
        """
        return self._rehydrate.unread

    # -- how it stands ---------------------------------------------------------------------------------------

    def status(self) -> Status:
        """How the crawl stands, or how it ended."""
        ended = Ending.parse(word_left(self.paths.journal) or self._journal.noted("ended") or "")
        process = writer_of(self.paths.journal)
        facts, estimates, notes = self._of_checkpoint()
        again = self._refreshing()
        kept = msgspec.json.decode(self._journal.noted("frontier") or "{}")
        pages, relevant, mean = self.history.harvest(self.spec.relevant_from)
        first, last = self.history.span() or (Millis(0), Millis(0))
        reasons = self.history.reasons()
        warcs = list(self.paths.archive.glob("*.warc.gz"))
        return Status(
            folder=str(self.path),
            state=("paused" if self._journal.noted("paused") else "running") if process else _state(ended),
            ended="" if process else _sentence(ended),
            ended_by="" if process or ended is None else ended.kind.value,
            topic=topic_words(self.spec),
            strategy=self.spec.strategy,
            seeds=self.spec.seeds,
            web=self.spec.web,
            pages=pages,
            budget=None if self.spec.revisit.grows else self.spec.pages,
            requests=self.history.requests(),
            request_budget=self.spec.requests,
            relevant=relevant,
            harvest_rate=relevant / pages if pages else 0.0,
            mean_relevance=mean,
            failures=sum(reasons.values()),
            failures_by_reason=reasons,
            statuses={str(status): n for status, n in self.history.statuses().items() if status},
            hosts=len(self.history.hosts()),
            pending=kept.get("pending", 0),
            refused=kept.get("refused", 0),
            trimmed=kept.get("trimmed", 0),
            started_at=first,
            last_at=last,
            seconds=float(self._journal.noted("seconds") or 0.0),
            warc_files=len(warcs),
            warc_bytes=sum(file.stat().st_size for file in warcs),
            version=self.spec.lycosa,
            process=process,
            order=self._in_order(running=process is not None),
            marks=self._counted_marks(),
            judge=self._counted_verdicts(),
            estimates=estimates,
            facts=facts,
            refreshing=again,
            notes=notes,
        )

    def looked_ago(self) -> list[float]:
        """How many days ago each page was looked at."""
        _, last_at = self.history.span() or (Millis(0), Millis(0))
        since: list[float] = self.history.sightings.spans(now_of(self.spec, last_at)).since.tolist()
        return since

    def _refreshing(self) -> Refreshing | None:
        _, last_at = self.history.span() or (Millis(0), Millis(0))
        with self._checkpointed() as kept:
            return refreshing(self.spec, self.history, kept, now_of(self.spec, last_at))

    def _in_order(self, *, running: bool) -> InOrder | None:
        noted = self._journal.noted("order")
        if noted is None:
            return None
        found = msgspec.json.decode(noted, type=InOrder)
        return found if running else replace(found, waits_for="", instead_of=None, better=0, until=None)

    def _counted_marks(self) -> Mapping[str, int]:
        marks = self.marks()
        holding = Counter({mark.url: mark.good for mark in marks}.values())
        counts = {
            "good": holding[True],
            "bad": holding[False],
            "waiting": sum(mark.step is None for mark in marks),
        }
        return counts if marks else {}

    def _counted_verdicts(self) -> Mapping[str, int]:
        asked = self.spec.judge
        counts = Verdicts(self.paths.verdicts).counts(asked.calls, asked.tokens)
        return counts if asked.model or counts["calls"] else {}

    def _checkpointed(self) -> Checkpointed:
        """The last checkpoint, to be opened once for one answer: the crawl may make another one meanwhile."""
        return Checkpointed(self.paths, self.spec)

    def _of_checkpoint(self) -> tuple[Mapping[str, Any], tuple[Estimate, ...], tuple[str, ...]]:
        """What the strategy tells, the estimates of recall, and what cannot be told. Nothing before the first one."""
        if not self.paths.frontier.exists():
            return {}, (), ()
        try:
            with self._checkpointed() as kept:
                return {**_facts(kept), **_names(kept), **_faults(kept)}, kept.estimates(), ()
        except FolderError as error:
            return {}, (), (str(error),)

    @property
    def history(self) -> History:
        """Counts and curves: pages and failures by host, status, reason, language; relevance over time."""
        return self._journal.history

    def frontier_curve(self) -> list[tuple[int, int]]:
        """How many URLs waited after how many pages: at most some 500 points, as of the last checkpoint."""
        return Curve.load(self._journal.noted("frontier curve")).points

    # -- what was found --------------------------------------------------------------------------------------

    def rows(
        self,
        *,
        text: bool = True,
        all_visits: bool = False,
        nothing_new: bool = False,
        at: Millis | None = None,
        best_first: bool = False,
    ) -> Iterator[PageRow]:
        """All pages in the order of the crawl, or the most relevant first; without `text` that field is empty and the
        archive is not read.

        Of a page that was fetched several times there is the latest visit, or each of them with `all_visits`. Those
        that brought nothing new are left out, unless `nothing_new`; they count as failures. With `at` it is the
        collection as it was then.
        """
        found = self.history.rows(
            all_visits=all_visits, nothing_new=nothing_new, at=at, best_first=best_first
        )
        return (self._exported(row, text=text) for row in found)

    def to_arrow(self, *, text: bool = True, all_visits: bool = False) -> pyarrow.Table:
        """The same as an Arrow table. Raises `InputError` without pyarrow (`lycosa[parquet]`)."""
        return arrow_table(self.rows(text=text, all_visits=all_visits))

    def to_pandas(self, *, text: bool = True, all_visits: bool = False) -> pandas.DataFrame:
        """The same as a data frame. Raises `InputError` without pandas (`lycosa[pandas]`)."""
        return data_frame(self.rows(text=text, all_visits=all_visits))

    def _repr_html_(self) -> str:
        return as_html(self.status(), self.best(SHOWN))

    def links(self) -> Iterator[tuple[Url, Sequence[Url]]]:
        """Each page by the URL that was asked for, with the distinct URLs it links to, in the order of the crawl."""
        return iter(self._journal.memory.graph().items())

    def best(self, n: int) -> list[PageRow]:
        """The most relevant pages, best first, without their texts. Pages that are not relevant are left out."""
        return [
            self._exported(row, text=False)
            for row in self.history.best(n)
            if row.relevance >= self.spec.relevant_from
        ]

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        """The pages whose words fit the query best. Brings the full-text index up to date first."""

        def found() -> list[Hit]:
            self._index_pages(unheeded)
            with TextIndex(self.paths.index, read_only=True) as index:
                return [self._hit(hit) for hit in index.search(query, limit)]

        return self._on_sound_index(found)

    def _hit(self, hit: TextHit) -> Hit:
        row = self.history.row(hit.step)
        return Hit(
            url=hit.url,
            title=hit.title,
            snippet=hit.snippet,
            relevance=row.relevance if row else 0.0,
            rank=hit.rank,
            step=hit.step,
        )

    def index_pages(
        self, progress: TellProgress = unheeded, *, add: AddPages = TextIndex.add, batch: int = INDEX_BATCH
    ) -> None:
        """Bring the full-text index up to date: pages that came since are read again from the archive.

        Pages that asked not to be indexed (`noindex`) are left out. In a folder that may not be written to, an index
        that is there stays as it is. Raises `FolderError` if there is none. One that is damaged is built anew.
        `add` puts a `batch` of pages into the index.
        """
        self._on_sound_index(lambda: self._index_pages(progress, add, batch))

    def _on_sound_index(self, work: Callable[[], Worked]) -> Worked:
        """Do it again on a new index if the one that is there turns out to be damaged."""
        try:
            return work()
        except DamagedIndex:
            if not os.access(self.paths.index.parent, os.W_OK):
                raise
            remove_index(self.paths.index)
            return work()

    def _index_pages(
        self, progress: TellProgress, add: AddPages = TextIndex.add, size: int = INDEX_BATCH
    ) -> None:
        if self.paths.index.exists() and not os.access(self.paths.index, os.W_OK):
            return
        with TextIndex(self.paths.index) as index:
            rows = [row for row in self.history.rows(index.last_step) if not row.noindex]
            for start in range(0, len(rows), size):
                batch = rows[start : start + size]
                add(index, [(row.step, row.final_url, row.title, self._text(row)) for row in batch])
                progress(start + len(batch), len(rows))

    def why(self, url: str) -> Explanation:
        """Everything the crawl can say about one URL, as of the last checkpoint. Raises `InputError` for no URL."""
        with self._checkpointed() as kept:
            found = Inquiry(self._journal, kept, self._archive).explain(start_url(url))
        return replace(found, marked=self._marks.standing().get(found.url))

    # -- as it was -------------------------------------------------------------------------------------------

    def page(self, url: str, at: Millis | None = None) -> PageRow | None:
        """A page as it was: its latest visit not after a time (None: of all), with its text. None if it brought no
        page by then. Raises `InputError` for no URL."""
        found = self._past.page(start_url(url), at)
        return None if found is None else self._exported(found, text=True)

    def versions(self, url: str) -> list[Version]:
        """Every look that was taken at a page, oldest first; empty if it is none. Raises `InputError` for no URL."""
        return self._past.versions(start_url(url))

    def changes(self, url: str = "", since: Millis = Millis(0)) -> list[Version]:
        """Which pages appeared, changed, went and came back since a time, oldest first; of one page if a URL is given.

        Raises `InputError` for no URL.
        """
        return self._past.changes(start_url(url) if url else None, since)

    def capture(self, url: str, at: Millis | None = None) -> Captured | None:
        """The latest capture not after a time, of a page or of anything else that was fetched by this URL; None if
        there is none. Raises `InputError` for no URL."""
        found = self._past.capture(start_url(url), at)
        return None if found is None else Captured(found, self._archive)

    def difference(self, url: str, earlier: Millis, later: Millis) -> list[Piece]:
        """What differs between the texts of a page as it was at two times, word by word.

        Raises `InputError` if there was no page by then.
        """
        return word_difference(*(self._text_at(url, at) for at in (earlier, later)))

    def timemap(self, url: str) -> TimeMap:
        """All captures of a URL, for Memento: see `lycosa.crawls.memento`. Raises `InputError` if there is none."""
        return self._past.timemap(start_url(url))

    def _text_at(self, url: str, at: Millis) -> str:
        found = self.page(url, at)
        if found is None:
            raise InputError(f"{url}: brought no page by then; lycosa changes DIR URL tells when it did")
        return found.text

    @property
    def _past(self) -> Past:
        return Past(self.history, self.paths)

    # -- the stream, and names -------------------------------------------------------------------------------

    def stream(self, token: str = "", where: str = "", *, with_pages: bool = False) -> Stream:
        """What the crawl stored, in the order in which it was stored, from a token on: also while the crawl runs.

        `where` is a condition (see `lycosa.crawls.stream.condition`). With `with_pages` records wait until the crawl
        has decided whether they are pages. Raises `InputError` for a token or a condition that cannot be read.
        """
        return Stream(
            self.paths,
            self.history,
            self._archive,
            self._rehydrate,
            token=token,
            where=where,
            with_pages=with_pages,
        )

    def dns_history(self) -> DnsHistory:
        """What names resolved to, and when. Raises `FolderError` for a file that cannot be read."""
        return DnsFile.open(self.paths.dns).history

    def dns(self, asked: str, at: Millis | None = None) -> DnsAnswer:
        """Which names and addresses belonged to a host or an address at a time (None: now).

        Raises `InputError` for one that the crawl did not meet.
        """
        return dns_answer(self.dns_history(), asked, at)

    # -- what people say of pages ----------------------------------------------------------------------------

    def mark(self, *urls: str, good: bool | None) -> list[Mark]:
        """Say of pages of the crawl that they are on topic (True) or not, or take that back (None).

        A running crawl, in this process or another, takes the marks in before it asks for its next page, one that is
        stopped when it goes on. The marks are on disk when this returns; `marks` tells what became of them. It waits
        for nobody, so it may be called within an event loop, and from any thread that opened the folder itself. Raises
        `InputError` for what is no page of the crawl, and then marks nothing.
        """
        return self._marks.add(urls, good)

    def marks(self) -> list[Mark]:
        """Every mark that was made, in order; the last of a page is the one that holds."""
        return self._marks.all()

    def questions(self, most: int = 5) -> list[Question]:
        """Pages of which it would help most to know whether they are on topic, as of the last checkpoint.

        They are near the line from which pages count, many of their links wait, and they are unlike each other and
        unlike pages that are marked. Empty if no page is in doubt.
        """
        with self._checkpointed() as kept:
            asking = Asking(
                self.spec.relevant_from, self._journal.memory, kept.frontier.state, self._marks.standing()
            )
            return asking.questions(self.history.rows(), most)

    def ping(self, *urls: str) -> list[Url]:
        """Say that pages changed just now; they are given as the crawl asks for them.

        A refresh that runs, or begins later, visits those of the crawl again at once, as politeness allows; others
        enter as links do. Durable when this returns; waits for nobody. Raises `InputError` for no URL, and then says
        nothing.
        """
        told = pinged(urls, self.history)
        Inbox(self.paths.inbox).add([told], after=self.history.heard())
        return [url for url, _ in told.changed]

    @property
    def _marks(self) -> Marks:
        return Marks(self.path, self.history)

    # -- inside ----------------------------------------------------------------------------------------------

    def _exported(self, row: Row, *, text: bool) -> PageRow:
        shared = {name: getattr(row, name) for name in PAGE_FIELDS if name not in ("text", "nothing_new")}
        return PageRow(**shared, text=self._text(row) if text else "", nothing_new=row.reason)

    def _text(self, row: Row) -> str:
        record = record_of(row)
        return "" if record is None else self._rehydrate.text(record, row.final_url)


def _facts(kept: Checkpointed) -> Mapping[str, Any]:
    try:
        return kept.strategy.facts()
    except InputError:  # its package is not installed
        return {}


def _names(kept: Checkpointed) -> Mapping[str, Any]:
    """What was learned of second names, nothing before there is any."""
    links, learned = kept.second_names()
    told = {"links to second names": links, "names of one page": learned}
    return {name: fact for name, fact in told.items() if fact}


def _faults(kept: Checkpointed) -> Mapping[str, Any]:
    """Pages that a predicate, a model or a function could not judge; nothing if all went well."""
    count, last = kept.judging_faults()
    return {"pages that could not be judged": count, "the last of them": last} if count else {}


def _state(ended: Ending | None) -> str:
    if ended is None:
        return "interrupted"
    if ended.kind is EndKind.FAILED:
        return "failed"
    return "done" if ended.is_over else "interrupted"


def _sentence(ended: Ending | None) -> str:
    if ended is None:
        return "the process ended without a word (killed?); it can be resumed"
    match ended.kind:
        case EndKind.BUDGET:
            return f"the budget of {ended.detail or 'pages'} is used up"
        case EndKind.EXHAUSTED:
            return "no links are left to follow"
        case EndKind.RULE:
            return f"a stopping rule ended it: {ended.detail}"
        case EndKind.STOPPED:
            return f"the goal was reached: {ended.detail}" if ended.detail else "the goal was reached"
        case EndKind.INTERRUPTED:
            return f"it was interrupted ({ended.detail}) and can be resumed"
        case EndKind.FAILED:
            return f"it failed and can be resumed once this is mended: {ended.detail}"
