"""The link graph around a URL. The page asks the operation `link_graph` for it, draws it and lists it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.pages import page
from lycosa.console.rest.graph import DEEPEST
from lycosa.crawls.graph import MOST_NODES

BEST = 10
"""Pages to begin with, where no URL is asked for."""
DEPTH, MOST = 1, 150
SIZES = (50, MOST, 500, 1_500, MOST_NODES)


async def graph(request: Request) -> Response:
    """`GET /crawls/{name}/graph?url=…&depth=2&most=500&by=hub&sort=authority&at=URL`

    `by` says what colours show, `sort` how the list is ordered, `at` which node is chosen.
    """
    desk, query, name = desk_of(request), request.query_params, request.path_params["name"]
    url = query.get("url", "").strip()
    given = {
        "name": name,
        "url": url,
        "depth": _chosen(query.get("depth", ""), range(1, DEEPEST + 1), DEPTH),
        "most": _chosen(query.get("most", ""), SIZES, MOST),
        "by": query.get("by", "relevance"),
        "sort": query.get("sort", "authority"),
        "at": query.get("at", ""),
    }
    best = await desk.asked(name, lambda folder: [] if url else folder.best(BEST))
    return page(
        request, "graph.html", name=name, given=given, best=best, sizes=SIZES, depths=range(1, DEEPEST + 1)
    )


def _chosen(written: str, among: range | tuple[int, ...], usual: int) -> int:
    return int(written) if written.isascii() and written.isdigit() and int(written) in among else usual


ROUTES = [Route("/crawls/{name}/graph", graph)]
