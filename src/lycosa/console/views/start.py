"""A new crawl: topic, start pages, strategy, budget and manners. What is written so far is in the address."""

from __future__ import annotations

from functools import cache

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.pages import page
from lycosa.library.new_crawl import NewCrawl
from lycosa.spec.registry import FAMILIES, StrategyInfo, describe, strategy_names

USUAL = NewCrawl()


async def new(request: Request) -> Response:
    """`GET /new?topic=…&urls=…`: a form with these values in it."""
    desk, query = desk_of(request), request.query_params
    values = {name: "\n".join(query.getlist(name)) for name in NewCrawl.__struct_fields__}
    usual = {name: value for name, value in msgspec.structs.asdict(USUAL).items() if value not in ((), None)}
    return page(
        request,
        "new.html",
        values=values,
        usual=usual,
        families=families(),
        limits=desk.library.limits,
        web=desk.library.web,
    )


@cache
def families() -> list[tuple[str, list[tuple[StrategyInfo, bool]]]]:
    """The strategies by their families, and whether each needs no more than topic and start pages."""
    known = [describe(name) for name in strategy_names()]
    found = []
    for family in (*FAMILIES, ""):
        members = [(info, not info.inputs) for info in known if info.family == family]
        if members:
            found.append((family.capitalize() or "Of other packages", members))
    return found


ROUTES = [Route("/new", new)]
