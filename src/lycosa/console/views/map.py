"""The map of a crawl: its pages as a tree to fold, by the links by which they were found or by sites and folders."""

from __future__ import annotations

from typing import get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import desk_of
from lycosa.console.pages import page
from lycosa.console.rest.graph import tree_of
from lycosa.crawls.interface import Folder
from lycosa.model.errors import InputError
from lycosa.uses.map.levels import LEVEL, Asked, By, Tree, levels

MOST_UNFOLDED = 100
"""Branches that an address may name."""


async def site_map(request: Request) -> Response:
    """`GET /crawls/{name}/map?by=links&least=0.2&words=…&open=KEY&open=KEY&at=KEY`

    Without `open` the map unfolds what is most relevant; an empty one unfolds nothing. `at` is the branch that is
    chosen.
    """
    desk, query, name = desk_of(request), request.query_params, request.path_params["name"]
    by: By = "paths" if query.get("by") == get_args(By)[1] else "links"
    asked = Asked(least=_share(query.get("least", "")), words=query.get("words", "").strip()[:1_000])
    unfolded = query.getlist("open")[:MOST_UNFOLDED] if "open" in query else None

    def drawn(folder: Folder) -> dict[str, object]:
        return _drawn(tree_of(folder, by), asked, unfolded)

    trouble, found = "", {}
    try:
        found = await desk.asked(name, drawn)
    except InputError as error:
        trouble = str(error)
    given = {
        "name": name,
        "by": by,
        "least": asked.least,
        "words": asked.words,
        "at": query.get("at", ""),
        "most": LEVEL,
        **found,
    }
    return page(request, "map.html", name=name, given=given, trouble=trouble)


def _drawn(tree: Tree, asked: Asked, unfolded: list[str] | None) -> dict[str, object]:
    keys = tree.first(asked) if unfolded is None else [key for key in unfolded if key]
    return {
        "open": keys,
        "levels": levels(tree, keys, asked),
        "pages": tree.pages,
        "found": tree.found(asked),
        "relevant_from": tree.relevant_from,
    }


def _share(written: str) -> float:
    """A relevance in an address; 0 where it is none."""
    try:
        return min(1.0, max(0.0, float(written)))
    except ValueError:
        return 0.0


ROUTES = [Route("/crawls/{name}/map", site_map)]
