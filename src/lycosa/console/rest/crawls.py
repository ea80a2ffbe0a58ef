"""Crawls: which there are, how they stand, new ones, and what is wanted of them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from lycosa.console.desk import Desk
from lycosa.console.rest.operation import Nothing, OfCrawl, Operation
from lycosa.crawls.answers import Happened, Outlook, Status
from lycosa.library.new_crawl import NewCrawl
from lycosa.model.errors import LycosaError
from lycosa.model.events import Wish
from lycosa.model.records import Record
from lycosa.spec.tree import CrawlSpec

MOST = 1_000
"""Rows of one answer."""
PATIENCE = 0.5
"""Seconds that may be taken to count how all crawls stand."""


class Held(Record, frozen=True, kw_only=True):
    """A crawl of the library, in short."""

    name: str
    topic: str = ""
    state: str = ""
    """As in `Status`; `broken` if the folder cannot be read, `counting` if it takes long to tell how a large crawl
    stands: ask again."""
    pages: int = 0
    budget: int | None = None
    relevant: int = 0
    harvest_rate: float = 0.0
    strategy: str = ""
    last_at: int = 0
    """The time of the last step, in milliseconds since 1970."""
    trouble: str = ""
    """Why it cannot be read."""


class Begun(Record, frozen=True, kw_only=True):
    """A crawl that has begun."""

    name: str


class Wanted(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is wanted of a crawl's run."""

    wish: Literal["stop", "pause", "go-on"]


class Heard(Record, frozen=True, kw_only=True):
    """Whether a run heard it."""

    process: int | None
    """That was asked; None: the crawl does not run, so nobody was."""


class GoOn(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to go on with a crawl."""

    pages: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The new budget, pages in all; null: as before."""
    time: Annotated[float, msgspec.Meta(ge=0, le=1e9)] | None = None
    """The longest that this run may take, in seconds."""


class Since(OfCrawl, frozen=True, kw_only=True):
    """From where to tell on."""

    after: str = ""
    """The token of an earlier answer; empty: from the start."""
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST)] = 100


def list_crawls(desk: Desk, given: Nothing) -> list[Held]:
    """List the crawls that are here."""
    return [held(name, found) for name, found in desk.standings(PATIENCE).items()]


def held(name: str, found: Status | LycosaError | None) -> Held:
    """A crawl in short, also one that cannot be read."""
    match found:
        case None:
            return Held(name=name, state="counting")
        case LycosaError():
            return Held(name=name, state="broken", trouble=str(found))
    shared = (field for field in Held.__struct_fields__ if field not in ("name", "trouble"))
    return Held(name=name, **{field: getattr(found, field) for field in shared})


def begin_crawl(desk: Desk, given: Nothing, new: NewCrawl) -> Begun:
    """Begin a crawl, in a process of its own."""
    return Begun(name=desk.library.begin(new))


def check_crawl(desk: Desk, given: Nothing, new: NewCrawl) -> CrawlSpec:
    """Check a crawl without beginning it: the specification that it comes to."""
    return desk.library.specification(new)


def crawl_status(desk: Desk, given: OfCrawl) -> Status:
    """Tell how a crawl stands, or how it ended."""
    with desk.opened(given.name) as folder:
        return folder.status()


def crawl_outlook(desk: Desk, given: OfCrawl) -> Outlook | None:
    """Tell what only the crawling process knows; null if none runs. It tells from the first question on."""
    with desk.opened(given.name) as folder:
        return folder.outlook()


def crawl_happenings(desk: Desk, given: Since) -> Happened:
    """Tell what a crawl did, step by step, from a token on."""
    with desk.opened(given.name) as folder:
        return folder.happened(given.after, given.most)


def ask_crawl(desk: Desk, given: OfCrawl, wanted: Wanted) -> Heard:
    """Ask a crawl that runs to stop, to pause or to go on."""
    with desk.opened(given.name) as folder:
        return Heard(process=folder.ask(Wish(wanted.wish)))


def resume_crawl(desk: Desk, given: OfCrawl, how: GoOn) -> Begun:
    """Go on with a crawl that does not run, in a process of its own."""
    desk.library.resume(given.name, pages=how.pages, seconds=how.time)
    return Begun(name=given.name)


OPERATIONS = (
    Operation(method="GET", path="/crawls", answer=list_crawls, gives=list[Held]),
    Operation(method="POST", path="/crawls", answer=begin_crawl, body=NewCrawl, gives=Begun, status=201),
    Operation(method="POST", path="/crawls/check", answer=check_crawl, body=NewCrawl, gives=CrawlSpec),
    Operation(method="GET", path="/crawls/{name}", answer=crawl_status, takes=OfCrawl, gives=Status),
    Operation(
        method="GET", path="/crawls/{name}/outlook", answer=crawl_outlook, takes=OfCrawl, gives=Outlook | None
    ),
    Operation(
        method="GET", path="/crawls/{name}/happenings", answer=crawl_happenings, takes=Since, gives=Happened
    ),
    Operation(
        method="POST", path="/crawls/{name}/wish", answer=ask_crawl, takes=OfCrawl, body=Wanted, gives=Heard
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/resume",
        answer=resume_crawl,
        takes=OfCrawl,
        body=GoOn,
        gives=Begun,
    ),
)
