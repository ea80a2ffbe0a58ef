"""For those who are not in a hurry and hold nothing up: ask again until it is our turn."""

from __future__ import annotations

from msgspec.structs import replace

from lycosa.crawl.ports import Clock, Web
from lycosa.drive.loop import Visiting
from lycosa.drive.visit import Robots
from lycosa.model.records import PLAIN, Arrival, Ask, Deferred, Fault, Millis, Reason, Request, Response
from lycosa.model.url import Url
from lycosa.web.robots.cache import Access, Permission
from lycosa.web.spacing import BUSY


async def visited(visit: Visiting, request: Request, clock: Clock) -> Arrival:
    """A visit made to the end, however often it has to wait."""
    while isinstance(outcome := await visit(request), Deferred):
        request = replace(request, way=outcome.way)
        await clock.sleep_until(outcome.until)
    return outcome


async def fetched(web: Web, url: Url, clock: Clock, ask: Ask = PLAIN) -> Response | Fault:
    """One exchange, when its turn has come."""
    while isinstance(answer := await web.fetch(url, ask), Fault) and answer.reason is Reason.TURN:
        await clock.sleep_until(Millis(clock.now() + (answer.retry_after or BUSY)))
    return answer


async def checked(robots: Robots, url: Url, clock: Clock) -> Permission:
    """What robots.txt says, when it could be asked for."""
    while (verdict := await robots.check(url)).access is Access.LATER:
        await clock.sleep_until(verdict.retry_at or Millis(0))
    return verdict
