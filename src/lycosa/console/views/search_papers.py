"""Papers that a crawl found: what was read of each, how sure that is, and who cites whom."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.pages import page
from lycosa.console.rest.operation import parameters
from lycosa.console.rest.papers import Asked, Papers, papers_in
from lycosa.console.views.search import SAID, Place
from lycosa.crawls.answers import Paper
from lycosa.model.errors import InputError

DOUBTFUL: Final = 0.75
"""What is less sure than this is told with a question mark."""
REFERENCES: Final = 100
"""Of a paper, that are listed."""


async def papers(request: Request) -> Response:
    """`GET /crawls/{name}/papers`"""
    desk, name = desk_of(request), request.path_params["name"]
    given = replace(parameters(Asked, request), most=SAID["shown"])
    trouble = ""
    try:
        told = await desk.asked(name, lambda folder: papers_in(folder, given))
    except InputError as error:  # PDFs cannot be read here
        told, trouble = Papers(), str(error)
    return page(
        request,
        "search_papers.html",
        name=name,
        told=told,
        given=given,
        trouble=trouble,
        doubt=doubt,
        references=REFERENCES,
        place=Place(request.url.path, request.query_params.multi_items()),
        **SAID,
    )


def doubt(paper: Paper, part: str) -> int | None:
    """How sure a part is, in percent, if it is doubtful."""
    chance = paper.confidence.get(part, 1.0)
    return round(100 * chance) if chance < DOUBTFUL else None


ROUTES = [Route("/crawls/{name}/papers", papers)]
