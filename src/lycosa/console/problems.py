"""What went wrong, told over HTTP: as problem details to programs (RFC 9457), as a page to people."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from lycosa.console.pages import page
from lycosa.model.errors import FolderError, InputError, LycosaError
from lycosa.model.records import Record


class Problem(Record, frozen=True, kw_only=True):
    """Problem details for HTTP APIs: RFC 9457, section 3.1."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    """What is wrong, where, and what to do, in one line."""
    instance: str = ""
    """The path that was asked for."""


class NotThere(LycosaError):
    """What was asked for does not exist."""


def status_of(error: Exception) -> int:
    """The HTTP status that an error of ours comes to."""
    match error:
        case NotThere() | FolderError():
            return HTTPStatus.NOT_FOUND
        case InputError():
            return HTTPStatus.BAD_REQUEST
        case _:
            return HTTPStatus.INTERNAL_SERVER_ERROR


def answer(path: str, status: int, detail: str) -> Response:
    """A problem as JSON."""
    title = HTTPStatus(status).phrase
    problem = Problem(title=title, status=status, detail=detail, instance=path)
    return Response(msgspec.json.encode(problem), status, media_type="application/problem+json")


async def told(request: Request, error: Exception) -> Response:
    """An error of ours, to whoever asked."""
    status, detail = status_of(error), str(error)
    return _told(request, status, detail)


async def told_http(request: Request, error: Exception) -> Response:
    """What starlette says: no such path, or another method."""
    status = int(getattr(error, "status_code", 500))
    return _told(request, status, str(getattr(error, "detail", "")))


async def told_fault(request: Request, error: Exception) -> Response:
    """A fault of lycosa's own: its trace goes to the log, not to whoever asked."""
    return _told(request, 500, "lycosa itself failed here; its log has the trace")


def _told(request: Request, status: int, detail: str) -> Response:
    path = request.url.path
    if path.startswith("/api/"):
        return answer(path, status, detail)
    return page(
        request, "problem.html", status=status, title=HTTPStatus(status).phrase, detail=detail, code=status
    )
