"""Searching and browsing collections."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Annotated, Final

import msgspec

from lycosa.console.desk import Desk
from lycosa.console.rest.operation import Nothing, OfCrawl, Operation
from lycosa.crawls.answers import Browse, Browsed, Facet, FacetValue, Found, Order, Search
from lycosa.crawls.interface import Folder
from lycosa.crawls.portal.together import find_in
from lycosa.model.errors import LycosaError
from lycosa.model.moments import moment
from lycosa.model.records import Record

MOST: Final = 100
"""Answers at once."""
FURTHEST: Final = 10_000
"""Answers that may be passed over."""
FIRST: Final = 2.0
"""Seconds for which pages that came since are indexed before a question is answered."""
INDEXING: Final = 3.0
"""Seconds after which indexing is told of, and to be asked for again."""
FACETS: Final = (
    "category",
    "concept",
    "cluster",
    "collection",
    "node",
    "host",
    "language",
    "date",
    "relevance",
    "depth",
    "type",
)

Texts = Annotated[tuple[Annotated[str, msgspec.Meta(max_length=2_000)], ...], msgspec.Meta(max_length=50)]


class Sought(Record, frozen=True, kw_only=True):
    """What to look for. Facets may be given several times: a page has one of the values of each."""

    q: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    """Words, "phrases", OR, NOT or a minus, parentheses, a star for the end of a word; empty: all pages."""
    host: Texts = ()
    language: Texts = ()
    date: Texts = ()
    """`2026` or `2026-11`: when a page changed last, as far as its server tells, or was fetched."""
    relevance: Texts = ()
    """Lower ends of bands: `0.3` is .3 to .4."""
    depth: Texts = ()
    type: Texts = ()
    category: Texts = ()
    concept: Texts = ()
    cluster: Texts = ()
    node: Texts = ()
    collection: Texts = ()
    since: str = ""
    """A time such as `2026-11-20`: pages whose date is not before it."""
    until: str = ""
    order: Order = "rank"
    start: Annotated[int, msgspec.Meta(ge=0, le=FURTHEST)] = 0
    """Answers that are passed over."""
    limit: Annotated[int, msgspec.Meta(ge=0, le=MOST)] = 10
    copies: bool = False
    """Copies and near copies are answers, too."""
    copies_of: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    """The URL of a page, of which only the copies are wanted."""
    most: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 10
    """Values of each facet."""

    @property
    def within(self) -> Mapping[str, tuple[str, ...]]:
        """The values of facets."""
        return {name: values for name in FACETS if (values := getattr(self, name))}

    def search(self, *, counted: bool = True) -> Search:
        """Raises `InputError` for a time that cannot be read."""
        return Search(
            words=self.q,
            within=self.within,
            since=moment(self.since) if self.since else None,
            until=moment(self.until, last=True) if self.until else None,
            order=self.order,
            start=self.start,
            limit=self.limit,
            folded=not self.copies,
            copies_of=self.copies_of,
            facets=None if counted else (),
            most=self.most,
        )


class SoughtInCrawl(Sought, frozen=True, kw_only=True):
    """What to look for in one crawl."""

    name: str
    """Of the crawl, as `GET /crawls` tells it."""


class Browsing(OfCrawl, frozen=True, kw_only=True):
    """Where to look."""

    by: str = ""
    """A facet; empty: the first of `category`, `concept`, `cluster` and `date` that there is."""
    at: Annotated[str, msgspec.Meta(max_length=2_000)] = ""
    """One of its values; empty: at the top."""
    start: Annotated[int, msgspec.Meta(ge=0, le=FURTHEST)] = 0
    limit: Annotated[int, msgspec.Meta(ge=0, le=MOST)] = 10


class Indexed(Record, frozen=True, kw_only=True):
    """How far the full-text index is."""

    pages: int
    """That can be found."""
    unindexed: int
    """That cannot yet: ask again until there are none."""


class Learned(Record, frozen=True, kw_only=True):
    """What was learned."""

    clusters: int
    """0: there are too few pages."""


def search_crawl(desk: Desk, given: SoughtInCrawl) -> Found:
    """Search the full text of a crawl's pages, narrowed and counted by facets."""
    with desk.opened(given.name) as folder:
        return found_in(folder, given.search())


def search_facets(desk: Desk, given: SoughtInCrawl) -> tuple[Facet, ...]:
    """Count what a search finds in a crawl by facets, without the pages."""
    with desk.opened(given.name) as folder:
        return found_in(folder, msgspec.structs.replace(given.search(), limit=0)).facets


def search_all(desk: Desk, given: Sought) -> Found:
    """Search all crawls at once, as far as they are indexed; those that cannot be read are left out."""
    return found_in_all(desk, given.search())


def browse_crawl(desk: Desk, given: Browsing) -> Browsed:
    """Browse a crawl by category, concept, cluster, date, host, and so on."""
    asked = Browse(by=given.by, at=given.at, start=given.start, limit=given.limit)
    with desk.opened(given.name) as folder:
        browsed = folder.browse(asked, index=False)
        if browsed.found.unindexed:
            index_for(folder, FIRST)
            browsed = folder.browse(asked, index=False)
        return browsed


def crawl_clusters(desk: Desk, given: OfCrawl) -> tuple[FacetValue, ...]:
    """List the clusters that were learned of a crawl, with their labels; none if none were."""
    with desk.opened(given.name) as folder:
        told = folder.browse(Browse(limit=0), index=False)
        return (
            folder.browse(Browse(by="cluster", limit=0), index=False).below if "cluster" in told.ways else ()
        )


def learn_clusters(desk: Desk, given: OfCrawl, nothing: Nothing) -> Learned:
    """Learn clusters of a crawl's pages, and keep them."""
    with desk.opened(given.name) as folder:
        return Learned(clusters=folder.learn_clusters())


def index_crawl(desk: Desk, given: OfCrawl, nothing: Nothing) -> Indexed:
    """Go on with a crawl's full-text index for some seconds."""
    with desk.opened(given.name) as folder:
        index_for(folder, INDEXING)
        found = folder.find(Search(limit=0, facets=()), index=False)
    return Indexed(pages=found.collection, unindexed=found.unindexed)


def found_in(folder: Folder, search: Search) -> Found:
    """What is found; pages that came since are indexed first, as far as there is time for it."""
    found = folder.find(search, index=False)
    if found.unindexed:
        index_for(folder, FIRST)
        found = folder.find(search, index=False)
    return found


def found_in_all(desk: Desk, search: Search) -> Found:
    """What is found in all crawls that can be read."""
    with ExitStack() as opened:
        folders: dict[str, Folder] = {}
        for place in desk.library.crawls():
            try:
                folders[place.name] = opened.enter_context(desk.opened(place.name))
            except LycosaError:
                continue
        return find_in({name: folder.crawlers for name, folder in folders.items()}, search)


class _Enough(Exception):
    """The time is over."""


def index_for(folder: Folder, seconds: float) -> None:
    """Index pages that came since; what is indexed stays so when the time is over."""
    until = time.monotonic() + seconds

    def progress(done: int, of: int) -> None:
        if time.monotonic() > until:
            raise _Enough

    try:
        folder.index_pages(progress)
    except _Enough:
        return


OPERATIONS = (
    Operation(method="GET", path="/search", answer=search_all, takes=Sought, gives=Found, tag="search"),
    Operation(
        method="GET",
        path="/crawls/{name}/search",
        answer=search_crawl,
        takes=SoughtInCrawl,
        gives=Found,
        tag="search",
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/facets",
        answer=search_facets,
        takes=SoughtInCrawl,
        gives=tuple[Facet, ...],
        tag="search",
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/browse",
        answer=browse_crawl,
        takes=Browsing,
        gives=Browsed,
        tag="search",
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/clusters",
        answer=crawl_clusters,
        takes=OfCrawl,
        gives=tuple[FacetValue, ...],
        tag="search",
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/clusters",
        answer=learn_clusters,
        takes=OfCrawl,
        body=Nothing,
        gives=Learned,
        tag="search",
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/index",
        answer=index_crawl,
        takes=OfCrawl,
        body=Nothing,
        gives=Indexed,
        tag="search",
    ),
)
