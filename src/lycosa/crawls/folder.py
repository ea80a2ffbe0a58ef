"""The folder of one crawler to look at: what happened, why, and what was found. Also while another process writes to
it.

What only one of its answers needs is imported where that is given: all of it takes three times as long to import as an
export needs.
"""

from __future__ import annotations

import os
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property, partial
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec
from msgspec.structs import replace

from lycosa.archive.reader import Reader
from lycosa.crawls.answers import (
    Added,
    Block,
    Browse,
    Browsed,
    Explanation,
    Found,
    Happened,
    Hit,
    InOrder,
    LinkGraph,
    LinkOfPage,
    Mark,
    Outlook,
    PagePart,
    PageRow,
    Paper,
    Question,
    Refreshing,
    Search,
    Status,
    TimeMap,
    Version,
    WaitingLink,
)
from lycosa.crawls.blocks import Blocks, as_said, blocking
from lycosa.crawls.corpus.selected import Selected, Visits, listed_of, visits_of
from lycosa.crawls.corpus.selection import UNREAD, WHOLE, Selection
from lycosa.crawls.corpus.stated import main_columns
from lycosa.crawls.curve import Curve
from lycosa.crawls.following import happened, step_of
from lycosa.crawls.frames import columns_of
from lycosa.crawls.interface import LEAST_PAPER, Folder, TellProgress, unheeded
from lycosa.crawls.lookout import looked_at
from lycosa.crawls.marks import Marks
from lycosa.crawls.pings import pinged
from lycosa.crawls.place import refuse_smaller
from lycosa.crawls.work import read_noted
from lycosa.drive.reread import Rereader, read_by
from lycosa.model.decoding import from_json
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import FolderError
from lycosa.model.events import Asked, Said, Wish
from lycosa.model.nodes import Node
from lycosa.model.records import Millis, Page, UrlState
from lycosa.model.url import Url
from lycosa.spec.derived import longest_body, start_url, topic_words
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec
from lycosa.store.codec import unpack_rights
from lycosa.store.database import word_left, writer_of
from lycosa.store.history import History, Listed, Row, Standing
from lycosa.store.inbox import Inbox
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths
from lycosa.store.requisite_log import RequisiteLog
from lycosa.store.rows import dom_in
from lycosa.store.sorted_pages import SortedPages
from lycosa.store.verdicts import Verdicts

if TYPE_CHECKING:
    from lycosa.archive.cdxj import Capture
    from lycosa.crawl.members import Member
    from lycosa.crawl.recall import Estimate
    from lycosa.crawls.captured import Captured
    from lycosa.crawls.checkpointed import Checkpointed
    from lycosa.crawls.graph import Part
    from lycosa.crawls.papers import Written
    from lycosa.crawls.past import Past
    from lycosa.crawls.portal.columns import Source
    from lycosa.crawls.portal.portal import Portal
    from lycosa.crawls.stream import Stream
    from lycosa.crawls.why import Inquiry
    from lycosa.drive.reread_apart import Again, Kept, Manner, RereadApart
    from lycosa.store.full_text import Entry, TextHit, TextIndex
    from lycosa.store.neighbours import Neighbours
    from lycosa.web.http.dns_history import DnsHistory

    AddPages = Callable[[TextIndex, list[Entry]], None]

JOURNALED = [name for name in columns_of(PageRow) if name in Row.__struct_fields__]
"""What of a row stands in the journal as it is."""
_journaled = attrgetter(*JOURNALED)
UNREAD_PAGE: Mapping[str, Any] = {"text": ""}
HERE = Node("")
"""The node of a crawl that has none."""
MOST_WAITING = 1_000
"""Waiting links that are told of at once."""
INDEX_BATCH = 64
"""Pages after which the progress of indexing is told again."""
AT_A_TIME = 2_000
"""Rows of the journal that are held while they are indexed."""

Worked = TypeVar("Worked")


class CrawlFolder(Folder):
    """What one crawler wrote: a crawl of its own, or its part of one that several share."""

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

    @property
    def archives(self) -> Sequence[Path]:
        return [self.paths.archive]

    @property
    def crawlers(self) -> Mapping[str, CrawlFolder]:
        return {"": self}

    @property
    def go_on(self) -> str:
        return f"lycosa resume {shlex.quote(str(self.path))}"

    @property
    def unread(self) -> Sequence[str]:
        return self._rehydrate.unread

    # -- how it stands ---------------------------------------------------------------------------------------

    def status(self) -> Status:
        self.spec = load(self.paths.specification, CrawlSpec)  # budgets may have changed since it was opened
        ended = Ending.parse(word_left(self.paths.journal) or self._journal.noted("ended") or "")
        process = self.process
        facts, estimates, notes = self._of_checkpoint()
        blocked = self.blocks()
        kept = msgspec.json.decode(self._journal.noted("frontier") or "{}")
        standing = self.history.standing(self.spec.relevant_from)
        again = self._refreshing(standing)
        reasons = self.history.reasons()
        warcs = list(self.paths.archive.glob("*.warc.gz"))
        return Status(
            folder=str(self.path),
            state=("paused" if self._journal.noted("paused") else "running") if process else _state(ended),
            ended="" if process else _sentence(ended, blocked),
            ended_by="" if process or ended is None else ended.kind.value,
            topic=topic_words(self.spec),
            strategy=self.spec.strategy,
            seeds=self.spec.seeds,
            web=self.spec.web,
            pages=standing.pages,
            budget=None if self.spec.revisit.grows else self.spec.pages,
            requests=standing.requests,
            request_budget=self.spec.requests,
            relevant=standing.relevant,
            harvest_rate=standing.relevant / standing.pages if standing.pages else 0.0,
            mean_relevance=standing.mean_relevance,
            failures=sum(reasons.values()),
            failures_by_reason=reasons,
            statuses={str(status): n for status, n in self.history.statuses().items() if status},
            hosts=len(self.history.host_names()),
            pending=kept.get("pending", 0),
            refused=kept.get("refused", 0),
            trimmed=kept.get("trimmed", 0),
            started_at=standing.first,
            last_at=standing.last,
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
            rendered=self.history.rendered() if self.spec.render.when != "never" else {},
            requisites=RequisiteLog(self.paths.requisites).counts() if self.spec.requisites.fetched else {},
            blocked=tuple(blocked),
            notes=notes,
        )

    @property
    def process(self) -> int | None:
        return writer_of(self.paths.journal)

    def looked_ago(self) -> list[float]:
        from lycosa.crawls.refreshing import now_of

        _, last_at = self.history.span() or (Millis(0), Millis(0))
        since: list[float] = self.history.sightings.spans(now_of(self.spec, last_at)).since.tolist()
        return since

    def changes_by_day(self) -> list[tuple[int, int]]:
        return self.history.sightings.changes_by_day()

    def _refreshing(self, standing: Standing) -> Refreshing | None:
        """None of a crawl that never visited a page again, and is not about to."""
        if standing.first_revisit is None and not self.spec.revisit.is_on:
            return None
        from lycosa.crawls.refreshing import now_of, refreshing

        with self._checkpointed() as kept:
            return refreshing(
                self.spec, self.history, kept, now_of(self.spec, standing.last), standing.first_revisit
            )

    def _in_order(self, *, running: bool) -> InOrder | None:
        noted = self._journal.noted("order")
        if noted is None:
            return None
        found = from_json(noted, InOrder)
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
        from lycosa.crawls.checkpointed import Checkpointed

        return Checkpointed(self.paths, self.spec)

    def _of_checkpoint(self) -> tuple[Mapping[str, Any], tuple[Estimate, ...], tuple[str, ...]]:
        """What the strategy tells, the estimates of recall, and what cannot be told. Nothing before the first one."""
        if not self.paths.frontier.exists():
            return {}, (), ()
        from lycosa.store.checkpoint import last_kept

        try:
            told = read_noted(self._journal.noted("work"), last_kept(self.paths.frontier))
            if told is not None:
                return told.facts, told.estimates, ()
            with self._checkpointed() as kept:
                return kept.facts(), kept.estimates(), ()
        except FolderError as error:
            return {}, (), (str(error),)

    def company(self) -> Mapping[str, Any]:
        """Of a node of a shared crawl: what it knew of the others at the last checkpoint. Empty of any other crawl."""
        with self.inquiry() as inquiry:
            return inquiry.company

    @property
    def history(self) -> History:
        return self._journal.history

    def frontier_curve(self) -> list[tuple[int, int]]:
        return Curve.load(self._journal.noted("frontier curve")).points

    def outlook(self) -> Outlook | None:
        return looked_at(self.paths) if self.process is not None else None

    def happened(self, token: str = "", most: int = 1_000) -> Happened:
        return happened(self.history, token, most, self.spec.relevant_from)

    def token(self, back: int = 0) -> str:
        return str(self.history.before_last(back))

    def waiting(self, most: int = 50, *, parts: bool = False) -> list[WaitingLink]:
        from lycosa.crawls.waiting import as_told

        if not parts and (outlook := self.outlook()) is not None and outlook.best:
            return list(outlook.best[:most])
        if not self.paths.frontier.exists():
            return []
        with self._checkpointed() as kept:
            _, now = self.history.span() or (Millis(0), Millis(0))
            requests = kept.frontier.best(min(most, MOST_WAITING))
            told = as_told(requests, kept.frontier.resting(now))
            if not parts:
                return list(told)
            explain, memory = kept.strategy.explain, self._journal.memory
            return [
                replace(link, parts=dict(explain(request, memory)))
                for link, request in zip(told, requests, strict=True)
            ]

    def population(self) -> Sequence[Member]:
        if (outlook := self.outlook()) is not None and outlook.population:
            return outlook.population
        with self._checkpointed() as kept:
            return kept.strategy.population() if kept.has_frontier else ()

    # -- what was found --------------------------------------------------------------------------------------

    def select(self, selection: Selection) -> Selected:
        if not selection.reads:
            listed = ((HERE, visit) for visit in listed_of(self.history, selection))
            return Selected(listed, _without_nodes, selection)
        visits = ((HERE, visit) for visit in visits_of(self.history, selection))
        return Selected(visits, partial(self._read_again, _manner_of(selection)), selection)

    def pages(self, token: str = "", most: int = 100) -> PagePart:
        rows = islice(self.history.rows(step_of(token, token)), most)
        found = tuple(self.exported(row) for row in rows)
        return PagePart(pages=found, token=str(found[-1].step) if found else token)

    def links(self) -> Iterator[tuple[Url, Sequence[Url]]]:
        return ((url, targets) for _, url, targets in self.history.linked())

    def best(self, n: int) -> list[PageRow]:
        return [
            self.exported(row) for row in self.history.best(n) if row.relevance >= self.spec.relevant_from
        ]

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        def found(index: TextIndex) -> list[Hit]:
            most = limit
            while True:
                hits = index.search(query, most)
                shown = [hit for each in hits if (hit := self.hit_of(each)) is not None]
                if len(shown) >= limit or len(hits) < most:
                    return shown[:limit]
                most *= 4

        return self.on_index(found)

    def find(self, search: Search, *, index: bool = True) -> Found:
        return self.on_index(
            lambda index: self._portal.find(search, [self.source(index)], self.paths.clusters),
            bring_up_to_date=index,
        )

    def browse(self, asked: Browse, *, index: bool = True) -> Browsed:
        from lycosa.crawls.portal.sorting import concepts_of

        return self.on_index(
            lambda index: self._portal.browse(
                asked, [self.source(index)], self.paths.clusters, lambda: concepts_of(self.paths)
            ),
            bring_up_to_date=index,
        )

    def learn_clusters(self) -> int:
        from lycosa.crawls.portal.kept import learned

        return self.on_index(lambda index: learned(self._portal, {"": index}, self.paths.clusters))

    def source(self, index: TextIndex) -> Source:
        """What a portal reads of this crawler."""
        from lycosa.crawls.portal.columns import Source

        return Source(self.history, index, SortedPages(self.paths.sorted))

    @property
    def _portal(self) -> Portal:
        from lycosa.crawls.portal.columns import Shelf
        from lycosa.crawls.portal.kept import portal_of

        return portal_of([self.paths], [Shelf()])

    def hit_of(self, hit: TextHit) -> Hit | None:
        """What the index found, with what the crawl made of the page, and no more of its words than it allows; None if
        it asked to be found no longer."""
        from lycosa.crawl.rights import quoted
        from lycosa.read.rights import shown_until, snippet_limit
        from lycosa.store.extract import shortened

        row = self.history.row(hit.step)
        rights = unpack_rights(row.rights) if row else ()
        until, limit = shown_until(rights), snippet_limit(rights)
        if until is not None and until <= time.time() * 1000:
            return None
        return Hit(
            url=hit.url,
            title=hit.title,
            snippet=hit.snippet if limit is None else shortened(hit.snippet, limit),
            relevance=row.relevance if row else 0.0,
            rank=hit.rank,
            step=hit.step,
            rights=tuple(map(quoted, rights)),
        )

    def index_pages(
        self, progress: TellProgress = unheeded, *, add: AddPages | None = None, batch: int = INDEX_BATCH
    ) -> None:
        """Bring the full-text index up to date: pages that came since are read again from the archive.

        Pages that asked not to be indexed (`noindex`) are left out. In a folder that may not be written to, an index
        that is there stays as it is. Raises `FolderError` if there is none. One that is damaged is built anew.
        `add` puts a `batch` of pages into the index, if that is not done in the usual way.
        """
        self._on_sound_index(lambda: self._index_pages(progress, add, batch))

    def on_index(self, work: Callable[[TextIndex], Worked], *, bring_up_to_date: bool = True) -> Worked:
        """What is to be done with the full-text index, brought up to date first unless it need not be."""
        from lycosa.store.full_text import TextIndex

        def done() -> Worked:
            if bring_up_to_date:
                self._index_pages(unheeded)
            elif not self.paths.index.exists():
                TextIndex(self.paths.index).close()
            with TextIndex(self.paths.index, read_only=True) as index:
                return work(index)

        return self._on_sound_index(done)

    def _on_sound_index(self, work: Callable[[], Worked]) -> Worked:
        """Do it again on a new index if the one that is there turns out to be damaged."""
        from lycosa.store.full_text import DamagedIndex, remove_index

        try:
            return work()
        except DamagedIndex:
            if not os.access(self.paths.index.parent, os.W_OK):
                raise
            remove_index(self.paths.index)
            return work()

    def _index_pages(
        self, progress: TellProgress, add: AddPages | None = None, size: int = INDEX_BATCH
    ) -> None:
        from lycosa.store.full_text import TextIndex

        if self.paths.index.exists() and not os.access(self.paths.index, os.W_OK):
            return
        with TextIndex(self.paths.index) as index:
            if total := self.history.indexable(index.last_step):
                self._add_pages(index, total, progress, add or TextIndex.add, size)
            if self.paths.inputs.exists():
                from lycosa.crawls.portal.sorting import sort_pages

                sort_pages(self.paths, index)

    def _add_pages(
        self, index: TextIndex, total: int, progress: TellProgress, put: AddPages, size: int
    ) -> None:
        """Index what came since, `total` pages or a few more."""
        from lycosa.drive.reread_apart import Manner

        index.note_reader(read_by())
        pages, done = ((row, _kept(row)) for row in self._indexable(index.last_step)), 0
        with closing(self._apart.read(pages, Manner())) as read:
            while batch := list(islice(read, size)):
                put(index, [(row.step, row.final_url, row.title, found.text) for row, found in batch])
                done += len(batch)
                progress(done, max(done, total))

    def _indexable(self, since: int) -> Iterator[Row]:
        """The pages after a step that may be indexed, some at a time: the journal is not kept open meanwhile."""
        while rows := list(islice(self.history.rows(since), AT_A_TIME)):
            yield from (row for row in rows if not row.noindex)
            since = rows[-1].step

    def papers(self, least: float = LEAST_PAPER, progress: TellProgress = unheeded) -> list[Paper]:
        from lycosa.crawls.papers import papers_of

        return papers_of(self.written(progress), least)

    def written(self, progress: TellProgress = unheeded) -> list[Written]:
        """The PDFs of the folder with what was read of them as papers."""
        from lycosa.crawls.papers import Bibliography

        return Bibliography(self.paths, self.history, self._archive).written(progress)

    def why(self, url: str) -> Explanation:
        from lycosa.crawls.why import asked_for

        with self.inquiry() as inquiry:
            told = inquiry.explain(start_url(url))
        if told.state in ("embedded", "unseen") and self.paths.requisites.exists():
            known = RequisiteLog(self.paths.requisites).get(start_url(url))
            return told if known is None else replace(told, state="requisite", reason=asked_for(known))
        return told

    @contextmanager
    def inquiry(self) -> Iterator[Inquiry]:
        """To ask about several URLs, or how one came here, as of the last checkpoint."""
        from lycosa.crawls.why import Inquiry

        with self._checkpointed() as kept:
            blocked = {block.host: block for block in self._blocks.standing()}
            yield Inquiry(self._journal, kept, self._archive, self._marks.standing(), blocked)

    def links_of(self, url: str, most: int = 1_000) -> list[LinkOfPage]:
        from lycosa.crawls.past import links_told

        page = self.whole(start_url(url))
        return [] if page is None else links_told(page.links, self.past.page, most)

    def graph(self, url: str, depth: int = 1, most: int = 150) -> LinkGraph:
        from lycosa.crawls.graph import around

        with self.graph_part() as part:
            return around(start_url(url), depth, most, [part])

    @contextmanager
    def graph_part(self) -> Iterator[Part]:
        """What this crawler knows of links, and where URLs stood at the last checkpoint."""
        from lycosa.crawls.graph import Part

        with self._checkpointed() as kept:
            yield Part(self._neighbours, kept.frontier.state if kept.has_frontier else _unseen)

    @cached_property
    def _neighbours(self) -> Neighbours:
        return self.history.neighbours

    # -- as it was -------------------------------------------------------------------------------------------

    def page(self, url: str, at: Millis | None = None) -> PageRow | None:
        found = self.past.page(start_url(url), at)
        return None if found is None else self.exported(found, WHOLE)

    def whole(self, url: Url) -> Page | None:
        """A page by the URL that was asked for, as the strategy saw it: read again from the archive."""
        return self._journal.memory.page(url)

    def versions(self, url: str) -> list[Version]:
        return self.past.versions(start_url(url))

    def changes(self, url: str = "", since: Millis = Millis(0)) -> list[Version]:
        return self.past.changes(start_url(url) if url else None, since)

    def capture(self, url: str, at: Millis | None = None) -> Captured | None:
        found = self.past.capture(start_url(url), at)
        return None if found is None else self.captured(found)

    def captured(self, capture: Capture) -> Captured:
        from lycosa.crawls.captured import Captured

        visit = self.past.visit(capture)
        if visit is None:
            return Captured(capture, self._archive)
        return Captured(capture, self._archive, dom_in(visit.rendering), unpack_rights(visit.rights))

    def timemap(self, url: str) -> TimeMap:
        return self.past.timemap(start_url(url))

    @property
    def past(self) -> Past:
        """Answers questions about earlier times."""
        from lycosa.crawls.past import Past

        return Past(self.history, self.paths)

    # -- the stream, and names -------------------------------------------------------------------------------

    def stream(self, token: str = "", where: str = "", *, with_pages: bool = False) -> Stream:
        from lycosa.crawls.stream import Stream

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
        from lycosa.web.http.dns_file import DnsFile

        return DnsFile.open(self.paths.dns).history

    # -- what people say of pages ----------------------------------------------------------------------------

    def mark(self, *urls: str, good: bool | None) -> list[Mark]:
        return self._marks.add(urls, good)

    def marks(self) -> list[Mark]:
        return self._marks.all()

    def questions(self, most: int = 5) -> list[Question]:
        from lycosa.crawls.questions import Asking

        with self._checkpointed() as kept:
            asking = Asking(
                self.spec.relevant_from, self._journal.memory, kept.frontier.state, self._marks.standing()
            )
            return asking.questions(self.history.rows(), most)

    def ping(self, *urls: str) -> list[Url]:
        told = pinged(urls, self.history)
        self.say(told)
        return [url for url, _ in told.changed]

    def block(self, *hosts: str, by: str = "") -> list[Block]:
        self.say(said := blocking(hosts, off=False, by=by))
        return as_said(said)

    def unblock(self, *hosts: str, by: str = "") -> list[Block]:
        before = {block.host: block for block in self.blocks()}
        self.say(said := blocking(hosts, off=True, by=by))
        return [before[host] for host in said.hosts if host in before]

    def blocks(self) -> list[Block]:
        if not (found := self._blocks.standing()) or not self.paths.frontier.exists():
            return found
        with self._checkpointed() as kept:
            aside = kept.gate.blockade.aside
            return [replace(block, links=aside(block.host)) for block in found]

    def add(self, *urls: str, by: str = "") -> list[Added]:
        from lycosa.crawls.additions import additions, operated

        blocked = {block.host for block in self._blocks.standing()}
        added = additions(urls, self.spec, [self.history], blocked)
        self.say(operated(added, by))
        return added

    def ask(self, wish: Wish, *, pages: int = 0, requests: int = 0, by: str = "") -> int | None:
        process = self.process
        if wish is Wish.BUDGET:
            refuse_smaller(self.path, pages=pages or None, requests=requests or None)
        if process is not None or wish is Wish.BUDGET:
            self.say(Asked(wish=wish, pages=pages, requests=requests, by=by))
        return process

    def say(self, said: Said) -> None:
        """Have the crawl hear something, whoever says it."""
        Inbox(self.paths.inbox).add([said], after=self.history.heard())

    @property
    def _marks(self) -> Marks:
        return Marks(self.path, self.history)

    @property
    def _blocks(self) -> Blocks:
        return Blocks(self.path, self.history)

    # -- inside ----------------------------------------------------------------------------------------------

    def exported(self, row: Row, selection: Selection = UNREAD) -> PageRow:
        """A visit as `rows` gives it, but for the names of copies."""
        if not selection.reads:
            return _exported(row)
        from lycosa.drive.reread_apart import again

        manner = _manner_of(selection)
        return _exported(row, _read_columns(again(self._rehydrate, _kept(row), manner), manner))

    def _read_again(self, manner: Manner, visits: Visits[Row]) -> Iterator[PageRow]:
        """Texts that are in the full-text index already are taken from there."""
        with ExitStack() as opened:
            known = _no_text if manner.main else self._indexed_texts(opened)
            pages = (((row, text := known(row.step)), None if text else _kept(row)) for _, row in visits)
            for (row, text), found in opened.enter_context(closing(self._apart.read(pages, manner))):
                yield _exported(row, {"text": text} if text else _read_columns(found, manner))

    def _indexed_texts(self, opened: ExitStack) -> Callable[[int], str]:
        """Gives the text of a step, as far as the full-text index has it as it would be read here."""
        if not self.paths.index.exists():
            return _no_text
        from lycosa.store.full_text import DamagedIndex, TextIndex

        try:
            index = opened.enter_context(TextIndex(self.paths.index, read_only=True))
            if index.read_by != read_by():
                return _no_text
        except FolderError:
            return _no_text

        def text(step: int) -> str:
            try:
                return index.text_of(step) or ""
            except DamagedIndex:
                return ""

        return text

    @property
    def _apart(self) -> RereadApart:
        from lycosa.drive.reread_apart import RereadApart

        return RereadApart(self._rehydrate, [self.paths.archive], longest_body(self.spec))


def _without_nodes(visits: Visits[Listed]) -> Iterator[Listed]:
    return (visit for _, visit in visits)


def _no_text(step: int) -> str:
    return ""


def _exported(row: Row, read: Mapping[str, Any] = UNREAD_PAGE) -> PageRow:
    columns = dict(zip(JOURNALED, _journaled(row), strict=True))
    return PageRow(**{**columns, **read}, nothing_new=row.reason)


def _read_columns(found: Again, manner: Manner) -> Mapping[str, Any]:
    """The columns that are read of a page."""
    main = {} if found.main is None else main_columns(found.main, markdown=manner.markdown)
    return {**main, "text": found.text} if manner.text else {**UNREAD_PAGE, **main}


def _kept(row: Row) -> Kept | None:
    """Where a page is read again."""
    from lycosa.crawls.past import record_of
    from lycosa.drive.reread_apart import Kept

    record = record_of(row)
    return None if record is None else Kept(record=record, url=row.final_url, dom=dom_in(row.rendering))


def _manner_of(selection: Selection) -> Manner:
    """What is read of pages."""
    from lycosa.drive.reread_apart import Manner

    return Manner(text=selection.reads_all, main=selection.reads_main, markdown=selection.text == "markdown")


def _unseen(url: Url) -> UrlState:
    """Before the first checkpoint."""
    return UrlState.UNSEEN


def _state(ended: Ending | None) -> str:
    if ended is None:
        return "interrupted"
    if ended.kind is EndKind.FAILED:
        return "failed"
    return "done" if ended.is_over else "interrupted"


def _sentence(ended: Ending | None, blocked: Sequence[Block]) -> str:
    if ended is None:
        return "the process ended without a word (killed?); it can be resumed"
    match ended.kind:
        case EndKind.BUDGET:
            return f"the budget of {ended.detail or 'pages'} is used up"
        case EndKind.EXHAUSTED:
            aside = any(block.links for block in blocked)
            return f"no links are left to follow{' but those of blocked hosts' if aside else ''}"
        case EndKind.RULE:
            return f"a stopping rule ended it: {ended.detail}"
        case EndKind.STOPPED:
            return f"the goal was reached: {ended.detail}" if ended.detail else "the goal was reached"
        case EndKind.INTERRUPTED:
            return f"it was interrupted ({ended.detail}) and can be resumed"
        case EndKind.FAILED:
            return f"it failed and can be resumed once this is mended: {ended.detail}"
