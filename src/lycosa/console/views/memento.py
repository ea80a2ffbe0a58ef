"""Memento: an archive that can be asked for a time by its protocol (RFC 7089).

The TimeGate and the mementos are apart from the originals, and it redirects to them: pattern 2.1 (section 4.2).
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from lycosa.archive.cdxj import Capture
from lycosa.console.desk import desk_of
from lycosa.console.inert_origin import picture_type, target_of
from lycosa.console.pages import archive_path, stamp
from lycosa.console.problems import NotThere
from lycosa.crawls.answers import TimeMap
from lycosa.crawls.interface import Folder
from lycosa.crawls.memento import (
    LINK_FORMAT,
    accepted,
    as_json,
    as_links,
    link_header,
    memento_datetime,
    memento_url,
    timegate,
)
from lycosa.drive.page import media_type_of
from lycosa.model.errors import InputError
from lycosa.model.moments import moment
from lycosa.model.records import Response as Answer

_HARMLESS: Final = ("text/html", "text/plain", "application/xhtml+xml", "application/pdf")
"""Media types that mementos keep: none of them is a script or a style to a browser that is told not to sniff."""
_URL: Final = re.compile(r"https?:/{1,2}(?=[^/])", re.IGNORECASE)
_ATTACHED: Final = {
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}
"""What was archived is not rendered on the origin of our own pages: it is something to keep."""


async def gate(request: Request) -> Response:
    """`GET …/timegate/URL` with `Accept-Datetime`: leads to the memento of that time, or to the latest."""
    name, base = request.path_params["name"], _base(request)
    stated = request.headers.get("accept-datetime")
    at = accepted(stated) if stated else None
    timemap = await _timemap(request)
    chosen = timegate(timemap, at)
    headers = {"Vary": "accept-datetime", "Link": _safe(link_header(timemap, base, chosen))}
    if _is_shown(request):
        return RedirectResponse(archive_path(name, timemap.url, chosen.at), 302, headers)
    return RedirectResponse(_safe(memento_url(base, chosen, timemap.url)), 302, headers)


async def links(request: Request) -> Response:
    """`GET …/timemap/link/URL`: all mementos of a URL."""
    found = as_links(await _timemap(request), _base(request))
    return Response(found, media_type=LINK_FORMAT)


async def json(request: Request) -> Response:
    """`GET …/timemap/json/URL`: the same as JSON."""
    return JSONResponse(as_json(await _timemap(request), _base(request)))


async def memento(request: Request) -> Response:
    """`GET …/memento/14DIGITS/URL`: what was captured then, for a program to keep; a browser is led to the view of it.

    The time of a memento is that of a capture; any other leads to the capture that a TimeGate would choose.
    """
    name, base = request.path_params["name"], _base(request)
    at = moment(request.path_params["at"], last=True)
    timemap = await _timemap(request)
    chosen = timegate(timemap, at)
    if _is_shown(request):
        return RedirectResponse(
            archive_path(name, timemap.url, chosen.at), 302, {"Vary": "Sec-Fetch-Dest, Sec-Fetch-Mode"}
        )
    if chosen.at // 1000 != at // 1000:
        return RedirectResponse(_safe(memento_url(base, chosen, timemap.url)), 302)
    answer, status = await desk_of(request).asked(name, lambda folder: _held(folder, chosen))
    headers = {
        **_ATTACHED,
        "Memento-Datetime": memento_datetime(chosen),
        "Link": _safe(link_header(timemap, base, chosen)),
        "X-Archive-Orig-Content-Type": _safe(answer.header("content-type") or ""),
        "Vary": "Sec-Fetch-Dest, Sec-Fetch-Mode",
    }
    if target := target_of(answer):  # the memento of a redirect redirects within the archive (section 4.5.3)
        return RedirectResponse(_safe(f"{base}/memento/{stamp(chosen.at)}/{target}"), 302, headers)
    found = Response(answer.body, status if status >= 400 else 200, headers)
    found.headers["Content-Type"] = _media_type(answer)
    return found


def _held(folder: Folder, capture: Capture) -> tuple[Answer, int]:
    found = folder.captured(capture)
    return found.response, found.status


async def _timemap(request: Request) -> TimeMap:
    """Raises `NotThere` for a URL of which there is no capture: a TimeGate answers 404 then (RFC 7089, section 4.5)."""

    def asked(folder: Folder) -> TimeMap:
        try:
            return folder.timemap(url_in(request))
        except InputError as error:
            raise NotThere(str(error)) from None

    return await desk_of(request).asked(request.path_params["name"], asked)


def url_in(request: Request) -> str:
    """The URL that stands at the end of the path, with its query, as it was written: its escapes are its own."""
    path = request.scope["raw_path"].decode("latin-1")
    parts = path.split("/", 5)
    written = path.split("/", 4)[4] if parts[3] == "timegate" else parts[5]
    query = request.scope["query_string"].decode("latin-1")
    if not _URL.match(written):
        written = unquote(written)  # some clients escape the whole of it
    return f"{_URL.sub(_scheme, written, count=1)}{'?' if query else ''}{query}"


def _scheme(found: re.Match[str]) -> str:
    """Some clients and proxies make one slash of two."""
    return f"{found[0].partition(':')[0]}://"


def _base(request: Request) -> str:
    name = quote(request.path_params["name"], safe="")
    return f"{request.url.scheme}://{request.url.netloc}/crawls/{name}"


def _is_shown(request: Request) -> bool:
    """Whether a browser wants to show it, to a person or in a page."""
    return (
        request.headers.get("sec-fetch-mode") == "navigate"
        or request.headers.get("sec-fetch-dest", "empty") != "empty"
    )


def _media_type(answer: Answer) -> str:
    if kind := picture_type(answer.body):
        return kind
    if media_type_of(answer) in _HARMLESS:
        return _safe(answer.header("content-type") or "")
    return "application/octet-stream"


def _safe(text: str) -> str:
    """As a header can have it: what is not ASCII is escaped, as in a URL, and no line ends."""
    return quote(text, safe="".join(map(chr, range(32, 127))))


ROUTES = [
    Route("/crawls/{name}/timegate/{url:path}", gate),
    Route("/crawls/{name}/timemap/link/{url:path}", links),
    Route("/crawls/{name}/timemap/json/{url:path}", json),
    Route("/crawls/{name}/memento/{at}/{url:path}", memento),
]
