"""The interface for programs, described: as OpenAPI, and as a page to read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.openapi import Json, described
from lycosa.console.pages import page
from lycosa.console.rest.operation import BASE, Operation


def routes_of(operations: tuple[Operation, ...]) -> list[Route]:
    """The description of these operations, as JSON and as a page."""
    whole = cache(lambda: described(operations))
    return [
        Route(f"{BASE}/openapi.json", _json(whole)),
        Route("/api", _page(whole)),
    ]


def _json(whole: Callable[[], Json]) -> Callable[[Request], Any]:
    written = cache(lambda: msgspec.json.encode(whole()))

    async def answer(request: Request) -> Response:
        return Response(written(), media_type="application/json")

    return answer


def _page(whole: Callable[[], Json]) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        told = whole()
        return page(request, "api.html", api=told, base=BASE, groups=grouped(told), records=records(told))

    return answer


def grouped(told: Json) -> list[tuple[Json, list[tuple[str, str, Json]]]]:
    """The operations of each tag: method, path, and what is said of them."""
    operations = [
        (method.upper(), path, operation)
        for path, methods in told["paths"].items()
        for method, operation in methods.items()
    ]
    return [(tag, [one for one in operations if tag["name"] in one[2]["tags"]]) for tag in told["tags"]]


def records(told: Json) -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """The records: name, description, and of each field its name, type and meaning."""
    return [
        (
            name,
            schema.get("description", ""),
            [
                (field, in_short(kind), kind.get("description", ""))
                for field, kind in schema.get("properties", {}).items()
            ],
        )
        for name, schema in told["components"]["schemas"].items()
    ]


def in_short(schema: Json) -> str:
    """A JSON schema in some words.

    >>> in_short({"anyOf": [{"type": "array", "items": {"$ref": "#/components/schemas/Mark"}}, {"type": "null"}]})
    'list of Mark, or null'
    """
    match schema:
        case {"$ref": str(ref)}:
            return ref.rpartition("/")[2]
        case {"anyOf": list(some)}:
            return ", or ".join(map(in_short, some))
        case {"enum": list(values)}:
            return " or ".join(f"“{value}”" for value in values)
        case {"type": "array", "items": dict(item)}:
            return f"list of {in_short(item)}"
        case {"type": "object", "additionalProperties": dict(item)}:
            return f"object of {in_short(item)}"
        case {"type": str(kind)}:
            return kind
        case _:
            return "anything"
