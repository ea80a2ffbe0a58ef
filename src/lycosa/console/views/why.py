"""Why a URL was fetched, was not, or waits: its way, what its score is made of, and the page as it was archived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.inert_origin import kind_of
from lycosa.console.pages import page
from lycosa.crawls.answers import Explanation, LinkOfPage, PageRow, Version
from lycosa.crawls.interface import Folder
from lycosa.crawls.memento import timegate
from lycosa.crawls.shared.answers import SharedExplanation
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Millis, Record
from lycosa.report.refreshing import again
from lycosa.report.sharing import elsewhere, leg, whose

LINKS = 200
"""Links of a page that are listed."""
LOOKS = 20
"""Looks at a page that are listed, the latest."""
BEST = 10
"""Pages to begin with, where no URL is asked for."""
ARCHIVED = ("visited", "soft-404", "parked", "alias", "failed")
"""States of a URL of which there may be something in the archive."""


class Part(Record, frozen=True, kw_only=True):
    """One part of a score."""

    name: str
    value: float
    length: float
    """Of its bar, in [0, 1]: the largest part of all has 1."""


class Told(Record, frozen=True, kw_only=True):
    """What is told of one URL."""

    why: Explanation
    links: Sequence[LinkOfPage] = ()
    looks: Sequence[Version] = ()
    """The latest first."""
    captured: Millis | None = None
    """When what is shown was captured; None: nothing is."""
    captured_url: str = ""
    """Under which: where a redirect led."""
    kind: str = ""
    """How it is shown: see `lycosa.console.inert_origin.kind_of`."""


async def why(request: Request) -> Response:
    """`GET /crawls/{name}/why?url=…`"""
    desk, name = desk_of(request), request.path_params["name"]
    url = request.query_params.get("url", "").strip()
    if not url:
        best: list[PageRow] = await desk.asked(name, lambda folder: folder.best(BEST))
        return page(request, "why.html", name=name, url="", told=None, trouble="", best=best)
    try:
        told = await desk.asked(name, lambda folder: inquired(folder, url))
    except InputError as error:
        return page(request, "why.html", code=400, name=name, url=url, told=None, trouble=str(error), best=[])
    return page(
        request,
        "why.html",
        name=name,
        url=url,
        told=told,
        trouble="",
        best=[],
        score_parts=parts_of(told.why.score_parts),
        relevance_parts=parts_of(told.why.relevance_parts),
        again=again(told.why),
        shared=in_company(told.why),
        frame=desk.seal.address(name, told.captured_url, told.captured) if told.captured is not None else "",
    )


def inquired(folder: Folder, url: str) -> Told:
    """Everything about a URL. Raises `InputError` for none."""
    why = folder.why(url)
    if why.state not in ARCHIVED:
        return Told(why=why)
    links = folder.links_of(url, LINKS) if why.state == "visited" else ()
    looks = folder.versions(url)[: -LOOKS - 1 : -1]
    try:
        capture = timegate(folder.timemap(looks[0].final_url if looks else why.url))
        kind = kind_of(folder.captured(capture).response)
    except (InputError, FolderError):  # it was never answered, or its record is damaged
        return Told(why=why, links=links, looks=looks)
    return Told(why=why, links=links, looks=looks, captured=capture.at, captured_url=capture.url, kind=kind)


def parts_of(parts: Mapping[str, float]) -> list[Part]:
    """Parts of a score, with bars that can be compared."""
    largest = max((abs(value) for value in parts.values()), default=0.0) or 1.0
    return [Part(name=name, value=value, length=abs(value) / largest) for name, value in parts.items()]


def in_company(told: Explanation) -> list[tuple[str, str]]:
    """Of a crawl that several nodes share: whose the URL is, and how it came there."""
    if not isinstance(told, SharedExplanation):
        return []
    lines = [
        ("Node", whose(told)),
        ("Others", elsewhere(told)),
        *(("Came", leg(each)) for each in told.came),
    ]
    return [(label, line) for label, line in lines if line]


ROUTES = [Route("/crawls/{name}/why", why)]
