"""The app: all views and operations behind one guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from lycosa.console import metrics, problems, sse
from lycosa.console.desk import Desk
from lycosa.console.guard import Guard
from lycosa.console.rest import archive as archived
from lycosa.console.rest import crawls, figures, manuals, pages, papers, saying, steering
from lycosa.console.rest import graph as linked
from lycosa.console.rest import lab as experiments
from lycosa.console.rest import search as searching
from lycosa.console.rest.operation import BASE, Operation, routes
from lycosa.console.views import (
    archive,
    graph,
    lab,
    live,
    memento,
    overview,
    programs,
    search,
    search_papers,
    start,
    why,
)
from lycosa.console.views import map as mapped
from lycosa.model.errors import LycosaError

STATIC: Final = Path(__file__).parent / "static"
OPERATIONS: Final[Sequence[Operation]] = (
    *crawls.OPERATIONS,
    *pages.OPERATIONS,
    *figures.OPERATIONS,
    *saying.OPERATIONS,
    *steering.OPERATIONS,
    *archived.OPERATIONS,
    *searching.OPERATIONS,
    *papers.OPERATIONS,
    *linked.OPERATIONS,
    *experiments.OPERATIONS,
    *manuals.OPERATIONS,
)
VIEWS: Final[Sequence[BaseRoute]] = (
    *search.ROUTES,
    *search_papers.ROUTES,
    *overview.ROUTES,
    *start.ROUTES,
    *live.ROUTES,
    *why.ROUTES,
    *archive.ROUTES,
    *memento.ROUTES,
    *mapped.ROUTES,
    *graph.ROUTES,
    *lab.ROUTES,
    *programs.routes_of(tuple(OPERATIONS)),
)


def app(desk: Desk, *, hosts: Collection[str], token: str = "") -> Starlette:
    """The pages and the interface for programs; `hosts` and `token` as in `lycosa.console.guard.Guard`."""

    @asynccontextmanager
    async def lifespan(made: Starlette) -> AsyncIterator[None]:
        yield
        desk.close()

    made = Starlette(
        routes=[
            *VIEWS,
            Route(f"{BASE}/crawls/{{name}}/events", sse.follow),
            *routes(OPERATIONS),
            Route("/healthz", healthy),
            Route("/metrics", metrics.metrics),
            Mount("/static", StaticFiles(directory=STATIC), name="static"),
        ],
        middleware=[
            Middleware(Guard, hosts=hosts, token=token, archive_origin=desk.archive_origin),
            Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=6),
        ],
        exception_handlers={
            LycosaError: problems.told,
            HTTPException: problems.told_http,
        },
        lifespan=lifespan,
    )
    made.state.desk = desk
    return made


async def healthy(request: Request) -> PlainTextResponse:
    """`GET /healthz`: this server answers."""
    return PlainTextResponse("ok\n")
