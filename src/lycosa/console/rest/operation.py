"""Operations of the interface for programs: each a function on the desk, with types for what it takes and gives.

What stands here once is used three times: to answer requests, to describe the interface (OpenAPI), and by the tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from inspect import getdoc
from typing import Any, Literal, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.bounded import written
from lycosa.console.desk import desk_of
from lycosa.model.decoding import converted, from_json
from lycosa.model.errors import InputError
from lycosa.model.records import Record

BASE = "/api/v1"

Taken = TypeVar("Taken", bound=Record)


class Nothing(Record, frozen=True):
    """No parameters."""


class OfCrawl(Record, frozen=True, kw_only=True):
    """What is asked of one crawl."""

    name: str
    """Of the crawl, as `GET /crawls` tells it."""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One method on one path."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    """Below `BASE`, as in `/crawls/{name}/pages`."""
    answer: Callable[..., Any]
    """Given the desk, the parameters and, if there is one, the body. It runs in a thread. The first line of its
    docstring says what it does, as a sentence."""
    takes: type[Record] = Nothing
    """The parameters, of path and query together, by their names. Lists are written several times."""
    body: type[Record] | None = None
    gives: Any
    """The type of the answer."""
    status: int = 200
    tag: str = "crawls"
    media_type: str = "application/json"
    """Of the answer."""

    @property
    def name(self) -> str:
        """By which generated clients call it."""
        return self.answer.__name__

    @property
    def summary(self) -> str:
        return (getdoc(self.answer) or "").partition("\n")[0]


def routes(operations: Iterable[Operation]) -> list[Route]:
    """The operations, to be answered."""
    return [Route(BASE + each.path, _answering(each), methods=[each.method]) for each in operations]


def _answering(operation: Operation) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        desk = desk_of(request)
        given: list[Any] = [parameters(operation.takes, request)]
        if operation.body is not None:
            given.append(_read(await request.body(), operation.body))
        found = await asyncio.to_thread(operation.answer, desk, *given)
        if isinstance(found, Response):
            return found
        return Response(written(found), operation.status, media_type=operation.media_type)

    return answer


def parameters(takes: type[Taken], request: Request) -> Taken:
    """Path and query as a record. Raises `InputError` for what it does not know, and for values out of bounds."""
    query = request.query_params
    kinds = {field.name: msgspec.inspect.type_info(field.type) for field in msgspec.structs.fields(takes)}
    found: dict[str, Any] = {}
    for name in query:
        many = isinstance(kinds.get(name), msgspec.inspect.VarTupleType)
        found[name] = query.getlist(name) if many else query[name]
    return _converted({**found, **request.path_params}, takes)


def _converted(given: dict[str, Any], takes: type[Taken]) -> Taken:
    if unknown := sorted(given.keys() - {field.name for field in msgspec.structs.fields(takes)}):
        raise InputError(f"{unknown[0]}: there is no such parameter here")
    try:
        return converted(given, takes, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(in_words(error)) from None


def _read(body: bytes, kind: type[Taken]) -> Taken:
    try:
        return from_json(body or b"{}", kind)
    except msgspec.ValidationError as error:
        raise InputError(in_words(error)) from None
    except msgspec.DecodeError as error:
        raise InputError(f"the body is no JSON: {error}") from None


def in_words(error: msgspec.ValidationError) -> str:
    """What msgspec says, with the place first."""
    what, _, where = str(error).partition(" - at `$.")
    return f"{where.rstrip('`')}: {what}" if where else what
