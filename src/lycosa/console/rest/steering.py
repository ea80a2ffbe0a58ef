"""Steering a crawl: what waits, which hosts are blocked, more start pages, budgets, marks, and what it asks."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lycosa.console.desk import Desk
from lycosa.console.rest.crawls import Heard
from lycosa.console.rest.operation import OfCrawl, Operation
from lycosa.crawl.members import Member
from lycosa.crawls.answers import Added, Block, Mark, Question, WaitingLink
from lycosa.model.errors import InputError
from lycosa.model.events import Wish
from lycosa.model.records import Record

BY = "the page"
"""Who says what comes from here and does not say its name."""
MOST = 200
"""Hosts or URLs of one request."""

Name = Annotated[str, msgspec.Meta(max_length=100)]
Some = Annotated[
    tuple[Annotated[str, msgspec.Meta(max_length=10_000)], ...], msgspec.Meta(min_length=1, max_length=MOST)
]


class Best(OfCrawl, frozen=True, kw_only=True):
    """How many of them."""

    most: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 50


class Few(OfCrawl, frozen=True, kw_only=True):
    """How many of them."""

    most: Annotated[int, msgspec.Meta(ge=1, le=50)] = 5


class Hosts(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hosts that are to be left alone, or let in again."""

    hosts: Some
    """Names, with the port if it is not the usual one; a URL will do for its host."""
    off: bool = False
    """Let them in again."""
    by: Name = BY


class Pages(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """More start pages."""

    urls: Some
    by: Name = BY


class Marking(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody says of pages."""

    urls: Some
    """Any URL that led to a page of the crawl."""
    good: bool | None
    """Whether they are on topic; null: what was said before is taken back."""


class Budget(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """New budgets, in all."""

    pages: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """null: as before."""
    requests: Annotated[int, msgspec.Meta(ge=1)] | None = None


def waiting_links(desk: Desk, given: Best) -> list[WaitingLink]:
    """List the links that would be fetched next, best first."""
    with desk.opened(given.name) as folder:
        return list(folder.waiting(given.most))


def list_blocks(desk: Desk, given: OfCrawl) -> list[Block]:
    """List the hosts that are blocked."""
    with desk.opened(given.name) as folder:
        return list(folder.blocks())


def block_hosts(desk: Desk, given: OfCrawl, hosts: Hosts) -> list[Block]:
    """Block hosts, or let them in again; lists all that are blocked then."""
    with desk.opened(given.name) as folder:
        (folder.unblock if hosts.off else folder.block)(*hosts.hosts, by=hosts.by)
        return list(folder.blocks())


def add_pages(desk: Desk, given: OfCrawl, pages: Pages) -> list[Added]:
    """Give a crawl more start pages."""
    with desk.opened(given.name) as folder:
        return list(folder.add(*pages.urls, by=pages.by))


def set_budget(desk: Desk, given: OfCrawl, budget: Budget) -> Heard:
    """Set the budget of a crawl: it counts at once, or when the crawl goes on."""
    if not (budget.pages or budget.requests):
        raise InputError("pages, requests: give one of them")
    most = desk.library.limits.pages
    if most is not None and (budget.pages or 0) > most:
        raise InputError(f"pages: {budget.pages:,} are more than the {most:,} that are allowed here")
    with desk.opened(given.name) as folder:
        process = folder.ask(Wish.BUDGET, pages=budget.pages or 0, requests=budget.requests or 0, by=BY)
        return Heard(process=process)


def list_marks(desk: Desk, given: OfCrawl) -> list[Mark]:
    """List what was said of pages of a crawl, and what became of it."""
    with desk.opened(given.name) as folder:
        return list(folder.marks())


def mark_pages(desk: Desk, given: OfCrawl, marking: Marking) -> list[Mark]:
    """Mark pages of a crawl as on topic or not, or take that back."""
    with desk.opened(given.name) as folder:
        return list(folder.mark(*marking.urls, good=marking.good))


def crawl_questions(desk: Desk, given: Few) -> list[Question]:
    """List the pages whose marks would help a crawl most."""
    with desk.opened(given.name) as folder:
        return list(folder.questions(given.most))


def crawl_population(desk: Desk, given: OfCrawl) -> list[Member]:
    """List the agents of a crawl by a population, living and dead."""
    with desk.opened(given.name) as folder:
        return list(folder.population())


def _of(path: str) -> str:
    return f"/crawls/{{name}}/{path}"


OPERATIONS = (
    Operation(method="GET", path=_of("waiting"), answer=waiting_links, takes=Best, gives=list[WaitingLink]),
    Operation(method="GET", path=_of("blocks"), answer=list_blocks, takes=OfCrawl, gives=list[Block]),
    Operation(
        method="POST",
        path=_of("blocks"),
        answer=block_hosts,
        takes=OfCrawl,
        body=Hosts,
        gives=list[Block],
    ),
    Operation(
        method="POST", path=_of("start-pages"), answer=add_pages, takes=OfCrawl, body=Pages, gives=list[Added]
    ),
    Operation(method="POST", path=_of("budget"), answer=set_budget, takes=OfCrawl, body=Budget, gives=Heard),
    Operation(method="GET", path=_of("marks"), answer=list_marks, takes=OfCrawl, gives=list[Mark]),
    Operation(
        method="POST", path=_of("marks"), answer=mark_pages, takes=OfCrawl, body=Marking, gives=list[Mark]
    ),
    Operation(method="GET", path=_of("questions"), answer=crawl_questions, takes=Few, gives=list[Question]),
    Operation(
        method="GET", path=_of("population"), answer=crawl_population, takes=OfCrawl, gives=list[Member]
    ),
)
