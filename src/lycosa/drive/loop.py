"""The one loop of every crawl. How time passes and how visits travel is the road's affair."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.ports import Clock
from lycosa.drive.halt import Halt
from lycosa.drive.visit import Outcome
from lycosa.model.errors import LycosaError
from lycosa.model.records import Arrival, Failure, Millis, Reason, Request

Visiting = Callable[[Request], Awaitable[Outcome]]
Watching = Callable[[Arrival], None]


class Road(Protocol):
    """Takes requests out and brings home what became of them."""

    def now(self) -> Millis: ...

    def send(self, request: Request) -> None:
        """Begin a visit."""
        ...

    async def arrivals(self, until: Millis | None) -> Sequence[Outcome]:
        """What came home, in that order; nothing if first it became the time given, or somebody wants to be heard.

        Without a time and with nothing out, nothing at once.
        """
        ...

    async def drop(self) -> None:
        """Give up all visits that are still out."""
        ...

    def __len__(self) -> int:
        """How many visits are out."""
        ...


def nothing_to_hear() -> None:
    """For crawls that nobody speaks to."""


def unwatched(visit: Arrival) -> None:
    """For crawls that nobody looks at."""


async def run(
    crawl: Crawl,
    road: Road,
    *,
    width: int,
    halt: Halt,
    watch: Watching = unwatched,
    hear: Callable[[], None] = nothing_to_hear,
) -> None:
    """Lease, visit, commit – until the crawl is finished or asked to halt.

    `hear` takes in what people say meanwhile; it is asked before each lease, and a nudge (`Halt.nudge`) has it asked.
    """
    try:
        while not (crawl.finished or (halt.asked and not len(road)) or halt.at_once):
            hear()
            if not halt.holds:
                send_out(crawl, road, width)
            if crawl.finished:
                break
            if halt.holds and not len(road):
                if not halt.asked:
                    await halt.nudged()
                continue
            wakes_at = crawl.wakes_at() if len(road) < width and not halt.holds else None
            if wakes_at is None and not len(road):
                if crawl.quiet:
                    await halt.nudged()
                    continue
                raise RuntimeError("nothing is out, nothing rests, and yet the crawl is not finished")
            bring_home(crawl, road, await road.arrivals(wakes_at), watch)
    finally:
        await road.drop()


def send_out(crawl: Crawl, road: Road, width: int) -> None:
    """Begin visits while there is room for them."""
    while len(road) < width and (request := crawl.lease(road.now())):
        road.send(request)


def bring_home(crawl: Crawl, road: Road, outcomes: Iterable[Outcome], watch: Watching) -> None:
    """Take in what became of visits."""
    for outcome in outcomes:
        if isinstance(outcome, Arrival):
            watch(crawl.commit(outcome, road.now()))
        else:
            crawl.defer(outcome, road.now())


async def safely(visit: Visiting, request: Request, clock: Clock) -> Outcome:
    """Visit; a defect in reading one page becomes a failure of that page. Errors that lycosa raises go on."""
    try:
        return await visit(request)
    except LycosaError:
        raise
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"
        return Failure(request=request, reason=Reason.UNREADABLE, detail=detail, at=clock.now())
