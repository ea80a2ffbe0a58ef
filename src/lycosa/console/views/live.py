"""One crawl as it goes: curves, what comes in, what waits, its hosts, its agents, and the levers to steer it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

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
    now = folder.token()
    history, relevant_from = folder.history, folder.spec.relevant_from
    return Live(
        name=name,
        token=now,
        status=folder.status(),
        relevant_from=relevant_from,
        course=course(history.series(), relevant_from),
        frontier=folder.frontier_curve(),
        happenings=folder.happened(folder.token(STEPS), STEPS).happenings,
        best=[replace(row, title=row.title[:LONGEST]) for row in folder.best(LINKS)],
        waiting=list(folder.waiting(LINKS)),
        hosts=history.hosts(HOSTS),
        population=list(folder.population())[:MEMBERS],
        marked={mark.url: mark.good for mark in folder.marks() if mark.good is not None},
    )


async def live(request: Request) -> Response:
    """`GET /crawls/{name}?order=best`."""
    desk, name = desk_of(request), request.path_params["name"]
    told = await desk.asked(name, lambda folder: live_of(folder, name))
    order = "best" if request.query_params.get("order") == "best" else "newest"
    return page(request, "live.html", name=name, live=told, status=told.status, order=order)


ROUTES = [Route("/crawls/{name}", live)]
