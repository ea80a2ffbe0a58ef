"""One crawl as it goes: curves, what comes in, what waits, its hosts, its agents, and the levers to steer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.pages import page
from lycosa.crawl.members import Member
from lycosa.crawls.answers import Happening, PageRow, Status, WaitingLink
from lycosa.crawls.following import LONGEST
from lycosa.crawls.interface import Folder
from lycosa.model.records import Record
from lycosa.store.history import HostCount
from lycosa.watch.course import Course, course

STEPS: Final = 200
"""Of the last steps the pages are shown that came in them."""
HOSTS: Final = 60
LINKS: Final = 30
MEMBERS: Final = 300
TRIES: Final = 5

Told = TypeVar("Told")


class Live(Record, frozen=True, kw_only=True):
    """What the page begins with; from the token on it is told what happens."""

    name: str
    token: str
    status: Status
    relevant_from: float
    course: Course
    frontier: list[tuple[int, int]]
    """How many URLs waited after how many pages."""
    happenings: tuple[Happening, ...]
    best: list[PageRow]
    waiting: list[WaitingLink]
    hosts: list[HostCount]
    population: list[Member]
    marked: dict[str, bool]
    """Pages that are marked, and how."""


def live_of(folder: Folder, name: str) -> Live:
    """One pass over the pages' relevances; the rest are counts and the last steps."""
    history, relevant_from = folder.history, folder.spec.relevant_from

    def counted() -> tuple[Course, list[HostCount], tuple[Happening, ...]]:
        last = folder.happened(folder.token(STEPS), STEPS).happenings
        return course(history.series(), relevant_from), history.hosts(HOSTS), last

    now, (told, hosts, last) = steady(folder.token, counted)
    return Live(
        name=name,
        token=now,
        status=folder.status(),
        relevant_from=relevant_from,
        course=told,
        frontier=folder.frontier_curve(),
        happenings=last,
        best=[replace(row, title=row.title[:LONGEST]) for row in folder.best(LINKS)],
        waiting=list(folder.waiting(LINKS)),
        hosts=hosts,
        population=list(folder.population())[:MEMBERS],
        marked={mark.url: mark.good for mark in folder.marks() if mark.good is not None},
    )


def steady(token: Callable[[], str], read: Callable[[], Told]) -> tuple[str, Told]:
    """Where a crawl is, and what was read while it stayed there: what comes after that place is counted on from there,
    and must not be counted twice. A crawl that never stays is read a few times, and taken as it was last."""
    for _ in range(TRIES):
        at = token()
        told = read()
        if token() == at:
            break
    return at, told


async def live(request: Request) -> Response:
    """`GET /crawls/{name}?order=best`."""
    desk, name = desk_of(request), request.path_params["name"]
    told = await desk.asked(name, lambda folder: live_of(folder, name))
    order = "best" if request.query_params.get("order") == "best" else "newest"
    return page(request, "live.html", name=name, live=told, status=told.status, order=order)


ROUTES = [Route("/crawls/{name}", live)]
