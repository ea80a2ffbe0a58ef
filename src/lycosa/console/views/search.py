"""Search and browse: every state of both is a link."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.pages import page
from lycosa.console.rest.operation import parameters
from lycosa.console.rest.search import (
    FACETS,
    FURTHEST,
    Browsing,
    Sought,
    SoughtInCrawl,
    found_in,
    found_in_all,
)
from lycosa.crawls.answers import Browse, Found
from lycosa.model.errors import InputError
from lycosa.report.wording import clean, cut

NAMES: Final = {
    "category": "Category",
    "concept": "Concept",
    "cluster": "Cluster",
    "collection": "Crawl",
    "node": "Node",
    "host": "Host",
    "language": "Language",
    "date": "Date",
    "relevance": "Relevance",
    "depth": "Links from a start page",
    "type": "Media type",
}
"""What facets are called."""

Answer = Callable[[Sought], Awaitable[Found]]

SHOWN: Final = 10
"""Answers of one page."""

LONGEST: Final = 100
"""Characters of a text in an attribute."""

OF_SNIPPET: Final = 400
"""Characters of a page's words."""

_MARKED = re.compile("«([^«»]*)»")


class Place:
    """Where a person is: a path and what is written behind it, from which further places are one change away."""

    def __init__(self, path: str, query: Sequence[tuple[str, str]]) -> None:
        self._path = path
        self.query = tuple(
            (name, value) for name, value in query if (value or name in FACETS) and name != "start"
        )
        """What stays when a form is sent, or a value is chosen: all but the page of the answers."""

    def with_(self, **changed: str | int) -> str:
        """The place with other values of some names; empty or 0: without."""
        kept = [(name, value) for name, value in self.query if name not in changed]
        return self._written([*kept, *((name, str(value)) for name, value in changed.items() if value)])

    def toggled(self, name: str, value: str) -> str:
        """The place with one more value, or without it."""
        pair = (name, value)
        kept = [each for each in self.query if each != pair]
        return self._written(kept if len(kept) < len(self.query) else [*kept, pair])

    def without(self, *names: str) -> str:
        return self._written([(name, value) for name, value in self.query if name not in names])

    def _written(self, query: Sequence[tuple[str, str]]) -> str:
        return f"{self._path}?{urlencode(query)}" if query else self._path


def marked(snippet: str) -> Markup:
    """Words of a page in which those that were looked for stand out."""
    parts = _MARKED.split(cut(clean(snippet), OF_SNIPPET))
    said = (
        Markup("<mark>{}</mark>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts)
    )
    return Markup("<bdi>{}</bdi>").format(Markup("").join(said))


def plain(text: str) -> str:
    """Text of the web for an attribute: short, and without what changes the direction of writing."""
    return cut(clean(text), LONGEST)


SAID: Final[dict[str, Any]] = {"names": NAMES, "marked": marked, "plain": plain, "shown": SHOWN}
"""What all templates here say things with."""


async def search_one(request: Request) -> Response:
    """`GET /crawls/{name}/search?q=…`"""
    desk, name = desk_of(request), request.path_params["name"]

    async def answer(given: Sought) -> Found:
        return await desk.asked(name, lambda folder: found_in(folder, given.search()))

    return await _searched(request, SoughtInCrawl, answer, frame="crawl.html", name=name)


async def search_all(request: Request) -> Response:
    """`GET /search?q=…`"""
    desk = desk_of(request)
    if not await asyncio.to_thread(desk.library.crawls):
        return page(request, "search_none.html")

    async def answer(given: Sought) -> Found:
        return await asyncio.to_thread(found_in_all, desk, given.search())

    return await _searched(request, Sought, answer, frame="base.html", name="")


async def _searched(
    request: Request, takes: type[Sought], answer: Answer, *, frame: str, name: str
) -> Response:
    place = Place(request.url.path, request.query_params.multi_items())
    facts: dict[str, Any] = {"frame": frame, "name": name, "place": place, **SAID}
    try:
        given = parameters(takes, request)
        found = await answer(given)
    except InputError as error:
        words = request.query_params.get("q", "")
        return page(
            request,
            "search.html",
            code=400,
            given=Sought(q=words[:2_000]),
            found=None,
            trouble=str(error),
            **facts,
        )
    many = min(found.pages if given.copies else found.distinct, FURTHEST)
    return page(request, "search.html", given=given, found=found, trouble="", many=many, **facts)


async def browse(request: Request) -> Response:
    """`GET /crawls/{name}/browse?by=…&at=…`"""
    desk, name = desk_of(request), request.path_params["name"]
    given = parameters(Browsing, request)
    asked = Browse(by=given.by, at=given.at, start=given.start, limit=SHOWN)
    told = await desk.asked(name, lambda folder: folder.browse(asked, index=False))
    ways = [way for way in FACETS if way in told.ways]
    return page(
        request,
        "search_browse.html",
        name=name,
        told=told,
        given=given,
        ways=ways,
        **SAID,
        place=Place(request.url.path, [("by", told.by), ("at", told.at)]),
        most=max((value.pages for value in told.below), default=1),
        many=min(told.found.distinct, FURTHEST),
    )


ROUTES = [
    Route("/search", search_all),
    Route("/crawls/{name}/search", search_one),
    Route("/crawls/{name}/browse", browse),
]
