"""The folder of a crawl that several nodes share, to look at as one collection. Also while they write to it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from heapq import merge
from itertools import islice, starmap
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from lycosa.archive.cdxj import Capture
from lycosa.crawl.members import Member
from lycosa.crawls.additions import additions, operated
from lycosa.crawls.answers import (
    Added,
    Block,
    Browse,
    Browsed,
    Found,
    Happened,
    LinkGraph,
    LinkOfPage,
    Outlook,
    PagePart,
    PageRow,
    Search,
    TimeMap,
    WaitingLink,
)
from lycosa.crawls.blocks import as_said, blocking
from lycosa.crawls.captured import Captured
from lycosa.crawls.corpus.selected import Selected, visits_of
from lycosa.crawls.corpus.selection import UNREAD, WHOLE, Selection
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.following import happened_together, places, written
from lycosa.crawls.frames import columns_of
from lycosa.crawls.graph import around
from lycosa.crawls.interface import LEAST_PAPER, Folder, TellProgress, unheeded
from lycosa.crawls.papers import papers_of
from lycosa.crawls.past import TOLD, in_time, links_told, timemap
from lycosa.crawls.place import running
from lycosa.crawls.portal.columns import Shelf, Source
from lycosa.crawls.portal.kept import learned, portal_of
from lycosa.crawls.portal.portal import Portal
from lycosa.crawls.portal.sorting import concepts_of
from lycosa.crawls.portal.together import opened_indexes
from lycosa.crawls.refreshing import now_of
from lycosa.crawls.shared import status, words
from lycosa.crawls.shared.answers import (
    SharedExplanation,
    SharedHit,
    SharedMark,
    SharedPaper,
    SharedQuestion,
    SharedRow,
    SharedStatus,
    SharedVersion,
)
from lycosa.crawls.shared.figures import ClassOf, Figures, figures
from lycosa.crawls.shared.history import SharedHistory
from lycosa.crawls.shared.owners import classes_of, members_of
from lycosa.crawls.shared.stream import SharedStream
from lycosa.crawls.shared.why import SharedInquiry
from lycosa.crawls.waiting import together
from lycosa.model.errors import FolderError, InputError
from lycosa.model.events import Blocked, Wish
from lycosa.model.nodes import Node
from lycosa.model.records import Millis, Sight
from lycosa.model.url import Host, Url
from lycosa.scoring.topics.uncertainty import worth
from lycosa.spec.derived import is_recorded, start_url
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec
from lycosa.store.distinct import Distinct
from lycosa.store.full_text import TextIndex
from lycosa.store.history import History, Row
from lycosa.store.inbox import Inbox
from lycosa.store.journal import Journal
from lycosa.store.paths import SharedPaths
from lycosa.web.http.dns_history import DnsHistory


class SharedFolder(Folder):
    """What several nodes wrote, each in a folder of its own: one collection of the pages that each of them owns.

    Whatever changes something goes to the node that it concerns. Steps and WARC files are those of their nodes.

    Invariants, each the name of a property test:

    * each page once: whichever nodes fetched a page, `rows`, `best`, `links` and all counts have it once, as it was
      fetched last; and the page of a node that sent it on is that of the node that has it now.
    * as one index: answers to a query are ranked as by one index of all pages, where no two nodes have the same one.
    """

    paths: SharedPaths
    row_type: ClassVar[type[PageRow]] = SharedRow

    def __init__(self, path: Path, spec: CrawlSpec, nodes: Mapping[Node, CrawlFolder]) -> None:
        """See :meth:`open`."""
        self.path, self.spec, self.paths = path, spec, (paths := SharedPaths(path))
        self.nodes = nodes
        first = next(iter(nodes.values())).paths
        # Each node keeps what the crawl was given: these are all alike.
        paths.topic, paths.inputs = first.topic, first.inputs
        self._more = ExitStack()

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Raises `FolderError` if no node has begun, or one is of a newer version."""
        paths = SharedPaths(Path(path))
        spec = load(paths.specification, CrawlSpec)
        if not (begun := paths.of_nodes()):
            raise FolderError(
                f"{path}: this crawl has hardly begun; lycosa cluster resume {path} begins it, if nobody does"
            )
        with ExitStack() as undoing:
            nodes = {
                Node(name): undoing.enter_context(CrawlFolder.open(of_node.folder))
                for name, of_node in begun.items()
            }
            undoing.pop_all()
        return cls(Path(path), spec, nodes)

    def close(self) -> None:
        self._more.close()
        for node in self.nodes.values():
            node.close()

    @property
    def archives(self) -> Sequence[Path]:
        return [node.paths.archive for node in self.nodes.values()]

    @property
    def crawlers(self) -> Mapping[str, CrawlFolder]:
        return {str(name): node for name, node in self.nodes.items()}

    @property
    def go_on(self) -> str:
        return f"lycosa cluster resume {shlex.quote(str(self.path))}"

    @property
    def unread(self) -> Sequence[str]:
        return [f"{name}: {line}" for name, node in self.nodes.items() for line in node.unread]

    @cached_property
    def _distinct(self) -> Distinct:
        return Distinct([node.history for node in self.nodes.values()])

    @cached_property
    def _parts(self) -> Sequence[History]:
        """The journals of the nodes, each as if it had only what counts."""
        return [self._part(place, node) for place, node in enumerate(self.nodes.values())]

    def _part(self, place: int, node: CrawlFolder) -> History:
        if not (passed_over := list(self._distinct.passed_over(place))):
            return node.history
        journal = Journal(node.paths.journal, read_only=True)
        self._more.callback(journal.close)
        journal.pass_over(passed_over)
        return journal.history

    # -- how it stands ---------------------------------------------------------------------------------------

    def status(self) -> SharedStatus:
        self.spec = load(self.paths.specification, CrawlSpec)  # as in a crawl of one
        return status.together(
            self.path,
            self.spec,
            self.nodes,
            dict(zip(self.nodes, self._parts, strict=True)),
            self.blocks(),
        )

    @property
    def process(self) -> int | None:
        """Who leads it, or a node."""
        return running(self.path)

    def looked_ago(self) -> list[float]:
        _, last_at = self.history.span() or (Millis(0), Millis(0))
        now = now_of(self.spec, last_at)
        return [float(days) for part in self._parts for days in part.sightings.spans(now).since]

    def changes_by_day(self) -> list[tuple[int, int]]:
        return self.history.changes_by_day()

    @cached_property
    def history(self) -> SharedHistory:
        return SharedHistory(self._parts)

    def sharing(self) -> Figures:
        """Two passes over all links, and one classification for each of some thousand pages where there are classes."""
        histories = {name: node.history for name, node in self.nodes.items()}
        parts = dict(zip(self.nodes, self._parts, strict=True))
        delay = round(self.spec.politeness.delay * 1000)
        return figures(histories, parts, self._class_of(), delay=delay, live=not is_recorded(self.spec))

    def _class_of(self) -> ClassOf | None:
        """How to tell the class of a page; None where there are no classes."""
        if (classes := classes_of(self.spec)) is None:
            return None
        nodes = list(self.nodes.values())

        def of(url: Url, place: int) -> int | None:
            page = nodes[place].whole(url)
            return None if page is None else classes.of(page)

        return of

    def frontier_curve(self) -> list[tuple[int, int]]:
        return status.curve_together([node.frontier_curve() for node in self.nodes.values()])

    def outlook(self) -> Outlook | None:
        return status.outlook_together({name: node.outlook() for name, node in self.nodes.items()})

    def happened(self, token: str = "", most: int = 1_000) -> Happened:
        histories: dict[str, History] = {name: node.history for name, node in self.nodes.items()}
        return happened_together(histories, token, most, self.spec.relevant_from)

    def token(self, back: int = 0) -> str:
        each = -(-back // len(self.nodes))
        return written({name: node.history.before_last(each) for name, node in self.nodes.items()})

    def waiting(self, most: int = 50, *, parts: bool = False) -> list[WaitingLink]:
        return together({name: node.waiting(most, parts=parts) for name, node in self.nodes.items()}, most)

    def population(self) -> list[Member]:
        return [
            msgspec.structs.replace(member, node=name)
            for name, node in self.nodes.items()
            for member in node.population()
        ]

    # -- what was found --------------------------------------------------------------------------------------

    def select(self, selection: Selection) -> Selected:
        def of_node(place: int, name: Node) -> Iterator[tuple[Node, Row]]:
            found = visits_of(self.nodes[name].history, selection)
            everything, at = selection.all_visits, selection.at
            return ((name, row) for row in found if everything or self._distinct.counts(place, row.url, at))

        order = _by_relevance if selection.best_first else _by_time
        found = merge(*(of_node(place, name) for place, name in enumerate(self.nodes)), key=order)
        written = partial(starmap, partial(self._exported, selection=selection))
        return Selected(found, written, selection)

    def pages(self, token: str = "", most: int = 100) -> PagePart:
        at = places(token, [str(name) for name in self.nodes])

        def of_node(place: int, name: Node) -> Iterator[tuple[Node, Row]]:
            found = self.nodes[name].history.rows(at[name])
            return ((name, row) for row in found if self._distinct.counts(place, row.url, None))

        ways = (of_node(place, name) for place, name in enumerate(self.nodes))
        found = list(islice(merge(*ways, key=_by_time), most))
        for name, row in found:
            at[name] = row.step
        told = tuple(self._exported(name, row) for name, row in found)
        return PagePart(pages=told, token=written(at) if told else token)

    def _exported(self, name: Node, row: Row, selection: Selection = UNREAD) -> SharedRow:
        made = self.nodes[name].exported(row, selection)
        return SharedRow(**{field: getattr(made, field) for field in columns_of(PageRow)}, node=name)

    def links(self) -> Iterator[tuple[Url, Sequence[Url]]]:
        found = merge(*(part.linked() for part in self._parts), key=lambda each: each[0])
        return ((url, targets) for _, url, targets in found)

    def best(self, n: int) -> list[PageRow]:
        def of_node(name: Node, part: History) -> Iterator[tuple[Node, Row]]:
            return ((name, row) for row in part.best(n) if row.relevance >= self.spec.relevant_from)

        found = merge(*map(of_node, self.nodes, self._parts), key=_by_relevance)
        return [self._exported(name, row) for name, row in islice(found, n)]

    def search(self, query: str, limit: int = 10) -> list[SharedHit]:
        return words.search(self.nodes, self._distinct, query, limit)

    def find(self, search: Search, *, index: bool = True) -> Found:
        with self._indexes(index=index) as indexes:
            return self._portal.find(search, self._sources(indexes), self.paths.clusters)

    def browse(self, asked: Browse, *, index: bool = True) -> Browsed:
        with self._indexes(index=index) as indexes:
            return self._portal.browse(
                asked, self._sources(indexes), self.paths.clusters, lambda: concepts_of(self.paths)
            )

    def learn_clusters(self) -> int:
        with self._indexes() as indexes:
            return learned(self._portal, indexes, self.paths.clusters)

    @contextmanager
    def _indexes(self, *, index: bool = True) -> Iterator[Mapping[str, TextIndex]]:
        """Those of all nodes, brought up to date first."""
        if index:
            self.index_pages()
        with opened_indexes(self.crawlers) as indexes:
            yield indexes

    def _sources(self, indexes: Mapping[str, TextIndex]) -> list[Source]:
        return [node.source(indexes[name]) for name, node in self.nodes.items()]

    @property
    def _portal(self) -> Portal:
        return portal_of(
            [node.paths for node in self.nodes.values()], [Shelf(node=name) for name in self.nodes]
        )

    def index_pages(self, progress: TellProgress = unheeded) -> None:
        for node in self.nodes.values():
            node.index_pages(progress)

    def papers(self, least: float = LEAST_PAPER, progress: TellProgress = unheeded) -> list[SharedPaper]:
        written = [
            (name, each)
            for place, (name, node) in enumerate(self.nodes.items())
            for each in node.written(progress)
            if self._distinct.counts(place, each.row.url)
        ]
        at = {(each.row.final_url, each.row.step): name for name, each in written}
        found = papers_of([each for _, each in written], least)
        return [SharedPaper(**msgspec.structs.asdict(one), node=at[one.url, one.step]) for one in found]

    def why(self, url: str) -> SharedExplanation:
        with SharedInquiry(self.spec, members_of(self.paths, self.nodes), self.nodes) as inquiry:
            return inquiry.explain(start_url(url))

    def links_of(self, url: str, most: int = 1_000) -> list[LinkOfPage]:
        if (found := self._latest(start_url(url), None)) is None:
            return []
        page = self.nodes[found[0]].whole(found[1].url)
        return [] if page is None else links_told(page.links, self._latest_row, most)

    def _latest_row(self, url: Url) -> Row | None:
        found = self._latest(url, None)
        return None if found is None else found[1]

    def graph(self, url: str, depth: int = 1, most: int = 150) -> LinkGraph:
        with ExitStack() as opened:
            parts = [opened.enter_context(node.graph_part()) for node in self.nodes.values()]
            return around(start_url(url), depth, most, parts)

    # -- as it was -------------------------------------------------------------------------------------------

    def page(self, url: str, at: Millis | None = None) -> PageRow | None:
        found = self._latest(start_url(url), at)
        return None if found is None else self._exported(*found, WHOLE)

    def _latest(self, url: Url, at: Millis | None) -> tuple[Node, Row] | None:
        """The latest visit that brought a page, and by whom; of one that was sent on, as its owner has it."""
        visits = ((name, node.past.page(url, at)) for name, node in self.nodes.items())
        found = [(name, row) for name, row in visits if row is not None]
        return max(found, key=lambda each: (each[1].fetched_at, not each[1].owner), default=None)

    def versions(self, url: str) -> list[SharedVersion]:
        found = [
            SharedVersion(**msgspec.structs.asdict(version), node=name)
            for name, node in self.nodes.items()
            for version in node.versions(url)
        ]
        return _seen_together(in_time(found))

    def changes(self, url: str = "", since: Millis = Millis(0)) -> list[SharedVersion]:
        if url:
            told = self.versions(url)
        else:
            several = self._distinct.in_several()
            told = [
                SharedVersion(**msgspec.structs.asdict(version), node=name)
                for name, node in self.nodes.items()
                for version in node.changes(since=since)
                if version.url not in several
            ]
            told += [version for each in several for version in self.versions(each)]
        return in_time(version for version in told if version.at >= since and Sight(version.sight) in TOLD)

    def capture(self, url: str, at: Millis | None = None) -> Captured | None:
        if (page := self._latest(start_url(url), at)) is not None:
            return self.nodes[page[0]].capture(url, at)
        found = [found for node in self.nodes.values() if (found := node.capture(url, at)) is not None]
        return max(found, key=lambda capture: capture.at, default=None)

    def captured(self, capture: Capture) -> Captured:
        for node in self.nodes.values():
            if capture in node.past.captures(Url(capture.url)):
                return node.captured(capture)
        raise InputError(f"{capture.url}: no node of the crawl has this capture")

    def timemap(self, url: str) -> TimeMap:
        """A page that one node fetched and another has lies in the archives of both, and is one capture."""
        asked = start_url(url)
        found = [capture for node in self.nodes.values() for capture in node.past.captures(asked)]
        once = {(capture.at, capture.digest): capture for capture in found}
        return timemap(asked, sorted(once.values(), key=lambda capture: capture.at))

    # -- the stream, and names -------------------------------------------------------------------------------

    def stream(self, token: str = "", where: str = "", *, with_pages: bool = False) -> SharedStream:
        return SharedStream(self.nodes, token, where, with_pages=with_pages)

    def dns_history(self) -> DnsHistory:
        facts = [fact for node in self.nodes.values() for fact in node.dns_history().facts()]
        return DnsHistory(sorted(facts, key=lambda fact: fact.at))

    # -- what people say -------------------------------------------------------------------------------------

    def mark(self, *urls: str, good: bool | None) -> list[SharedMark]:
        to: dict[Node, list[str]] = {}
        for url in dict.fromkeys(urls):
            to.setdefault(self._who_has(url), []).append(url)
        return [
            _marked(mark, name)
            for name, some in to.items()
            for mark in self.nodes[name].mark(*some, good=good)
        ]

    def _who_has(self, url: str) -> Node:
        """The node that has a page. Raises `InputError` for what is none."""
        found = self._latest(start_url(url), None)
        if found is None:
            raise InputError(f"{url}: is no page of the crawl; only pages that were fetched can be marked")
        return found[0]

    def marks(self) -> list[SharedMark]:
        return [_marked(mark, name) for name, node in self.nodes.items() for mark in node.marks()]

    def questions(self, most: int = 5) -> list[SharedQuestion]:
        found = [
            SharedQuestion(**msgspec.structs.asdict(question), node=name)
            for name, node in self.nodes.items()
            for question in node.questions(most)
        ]
        found.sort(key=lambda question: -worth(question.doubt, question.influence))
        return list({question.title or question.url: question for question in reversed(found)}.values())[
            ::-1
        ][:most]

    def ping(self, *urls: str) -> list[Url]:
        """Each goes to the node that has the page; what nobody has, to the first, which sends it to its owner."""
        first = next(iter(self.nodes))
        latest = {url: self._latest(start_url(url), None) for url in urls}
        to = {url: found[0] if found is not None else first for url, found in latest.items()}
        return [asked for url, name in to.items() for asked in self.nodes[name].ping(url)]

    def block(self, *hosts: str, by: str = "") -> list[Block]:
        self._have_all_hear(said := blocking(hosts, off=False, by=by))
        return as_said(said)

    def unblock(self, *hosts: str, by: str = "") -> list[Block]:
        before = {block.host: block for block in self.blocks()}
        self._have_all_hear(said := blocking(hosts, off=True, by=by))
        return [before[host] for host in said.hosts if host in before]

    def _have_all_hear(self, said: Blocked) -> None:
        """Nodes that begin later hear it when they begin: for them it lies in the crawl's own inbox."""
        Inbox(self.paths.inbox).add([said], after=0)
        for node in self.nodes.values():
            node.say(said)

    def blocks(self) -> list[Block]:
        """One that a node has still to hear of has no step."""
        found: dict[Host, list[Block]] = {}
        for node in self.nodes.values():
            for block in node.blocks():
                found.setdefault(block.host, []).append(block)
        return [_blocked_at_all(each, len(self.nodes)) for each in found.values()]

    def add(self, *urls: str, by: str = "") -> list[Added]:
        """Told to a node that is there now, which sends them to their owners."""
        histories = [node.history for node in self.nodes.values()]
        added = additions(urls, self.spec, histories, {block.host for block in self.blocks()})
        names = [name for name in members_of(self.paths, self.nodes).names if name in self.nodes]
        self.nodes[names[0] if names else next(iter(self.nodes))].say(operated(added, by))
        return added

    def ask(self, wish: Wish, *, pages: int = 0, requests: int = 0, by: str = "") -> int | None:
        if wish is Wish.BUDGET:
            raise InputError(
                f"{self.path}: who leads a shared crawl gives it its budget: {self.go_on} --pages N"
            )
        asked = [node.ask(wish, by=by) for node in self.nodes.values()]
        return next((process for process in asked if process is not None), None)


def _by_time(found: tuple[Node, Row]) -> int:
    return found[1].at


def _by_relevance(found: tuple[Node, Row]) -> tuple[float, int]:
    return -found[1].relevance, found[1].at


def _blocked_at_all(blocks: Sequence[Block], nodes: int) -> Block:
    """What nodes say of one host, as of one crawl."""
    heard = len(blocks) == nodes and all(block.step is not None for block in blocks)
    block = blocks[0] if heard else msgspec.structs.replace(blocks[0], step=None)
    return msgspec.structs.replace(block, links=sum(each.links for each in blocks))


def _marked(mark: Any, name: Node) -> SharedMark:
    return SharedMark(**msgspec.structs.asdict(mark), node=name)


def _seen_together(versions: Sequence[SharedVersion]) -> list[SharedVersion]:
    """What a second node sees for the first time is new to it alone."""
    found: list[SharedVersion] = []
    for version in versions:
        if found and version.sight == Sight.FIRST.value:
            same = version.digest == found[-1].digest
            sight = Sight.SAME if same else Sight.CHANGED
            version = msgspec.structs.replace(version, sight=sight.value)
        found.append(version)
    return found
