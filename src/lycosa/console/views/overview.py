"""The first page: all crawls, and how each stands."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.pages import page
from lycosa.console.rest.crawls import list_crawls
from lycosa.console.rest.operation import Nothing


async def overview(request: Request) -> Response:
    crawls = await asyncio.to_thread(list_crawls, desk_of(request), Nothing())
    return page(request, "overview.html", crawls=crawls)


ROUTES = [Route("/", overview)]
