"""Steering a crawl: what waits, which hosts are blocked, more start pages, budgets, and what it asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec

from lycosa.console.desk import Desk
from lycosa.console.rest.crawls import Heard
from lycosa.console.rest.operation import OfCrawl, Operation
from lycosa.crawl.members import Member
from lycosa.crawls.answers import Added, Block, Question, WaitingLink
from lycosa.model.errors import InputError
from lycosa.model.events import Wish
from lycosa.model.records import Record

BY = "the page"
"""Who says what comes from here and does not say its name."""
MOST = 200
"""Hosts or URLs of one request."""

Method = Literal["GET", "POST"]
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


class Blocking(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hosts that are to be left alone, or let in again."""

    hosts: Some
    """Names, with the port if it is not the usual one; a URL will do for its host."""
    off: bool = False
    """Let them in again."""
    by: Name = BY


class StartPages(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """More start pages."""

    urls: Some
    by: Name = BY


class NewBudget(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


def block_hosts(desk: Desk, given: OfCrawl, hosts: Blocking) -> list[Block]:
    """Block hosts, or let them in again; lists all that are blocked then."""
    with desk.opened(given.name) as folder:
        (folder.unblock if hosts.off else folder.block)(*hosts.hosts, by=hosts.by)
        return list(folder.blocks())


def add_pages(desk: Desk, given: OfCrawl, pages: StartPages) -> list[Added]:
    """Give a crawl more start pages."""
    with desk.opened(given.name) as folder:
        return list(folder.add(*pages.urls, by=pages.by))


def set_budget(desk: Desk, given: OfCrawl, budget: NewBudget) -> Heard:
    """Set the budget of a crawl: it counts at once, or when the crawl goes on."""
    if not (budget.pages or budget.requests):
        raise InputError("pages, requests: give one of them")
    with desk.opened(given.name) as folder:
        desk.library.limits.refuse(folder.spec, given.name, budget.pages or folder.status().budget)
        process = folder.ask(Wish.BUDGET, pages=budget.pages or 0, requests=budget.requests or 0, by=BY)
        return Heard(process=process)


def crawl_questions(desk: Desk, given: Few) -> list[Question]:
    """List the pages whose marks would help a crawl most."""
    with desk.opened(given.name) as folder:
        return list(folder.questions(given.most))


def crawl_population(desk: Desk, given: OfCrawl) -> list[Member]:
    """List the agents of a crawl by a population, living and dead."""
    with desk.opened(given.name) as folder:
        return list(folder.population())


def _operation(method: Method, path: str, answer: Callable[..., Any], gives: Any, **more: Any) -> Operation:
    path = f"/crawls/{{name}}/{path}"
    return Operation(
        method=method, path=path, answer=answer, gives=gives, **{"takes": OfCrawl, "tag": "steering", **more}
    )


OPERATIONS = (
    _operation("GET", "waiting", waiting_links, list[WaitingLink], takes=Best),
    _operation("GET", "blocks", list_blocks, list[Block]),
    _operation("POST", "blocks", block_hosts, list[Block], body=Blocking),
    _operation("POST", "start-pages", add_pages, list[Added], body=StartPages),
    _operation("POST", "budget", set_budget, Heard, body=NewBudget),
    _operation("GET", "questions", crawl_questions, list[Question], takes=Few),
    _operation("GET", "population", crawl_population, list[Member]),
)
