"""The other origin: archived answers, inert, and nothing else.

Two walls keep a page from acting. What is sent was written anew without anything that acts (`lycosa.console.inert`);
and it is sent under a policy that sandboxes it and lets it load nothing but pictures of this origin. Each would do, but
that no policy forbids a page to connect to a server beforehand, without asking it for anything.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from lycosa.console.desk import Desk
from lycosa.console.inert import ShowPicture, inert
from lycosa.console.inert_seal import PATH
from lycosa.crawls.captured import Captured
from lycosa.crawls.interface import Folder
from lycosa.crawls.memento import timegate
from lycosa.drive.page import is_readable, media_type_of
from lycosa.model.errors import LycosaError
from lycosa.model.records import Millis
from lycosa.read.charset import decode
from lycosa.read.resolve import relative_form

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Message, Receive, Scope, Send

    from lycosa.model.records import Response as Answer

HTML: Final = "text/html; charset=utf-8"
PLAIN: Final = "text/plain; charset=utf-8"
LONGEST_TEXT: Final = 2_000_000
"""Characters of a text that are shown."""
LOOKED_AT: Final = 4_096
"""Bytes of what is no text that are shown."""
LARGEST_PICTURE: Final = 32 << 20
"""Bytes."""
LOOKING: Final = 1.0
"""Seconds in which a page's pictures are looked for in the archive."""
_HTML: Final = ("text/html", "application/xhtml+xml")
_TEXTS: Final = ("image/svg+xml", "application/json", "application/javascript", "text/javascript", "text/css")
"""Besides those that `lycosa.read` knows."""
_PICTURES: Final[Mapping[bytes, str]] = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
    b"\x00\x00\x01\x00": "image/x-icon",
}
"""By how they begin. What calls itself a picture and does not look like one is none; SVG is a document, and a text."""
_FEATURES: Final = (
    "accelerometer autoplay camera clipboard-read clipboard-write display-capture encrypted-media fullscreen "
    "geolocation gyroscope magnetometer microphone midi payment picture-in-picture publickey-credentials-get "
    "screen-wake-lock usb web-share xr-spatial-tracking"
)


def archive_policy(origin: str, framed_by: Collection[str]) -> str:
    """The content security policy of archived answers: a sandbox without exceptions, and no request but for pictures of
    this origin."""
    return (
        f"sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: {origin}; form-action 'none'; "
        f"base-uri 'none'; frame-ancestors {' '.join(framed_by) or chr(39) + 'none' + chr(39)}"
    )


class ArchiveGuard:
    """ASGI middleware. Invariants, each the name of a test:

    * known names only: a request for another host than ours is refused.
    * only reading: nothing but GET and HEAD is answered.
    * the same walls around all: policy and headers stand on every answer, refusals too, and no header of an archived
      answer does.
    """

    def __init__(self, app: Starlette, *, hosts: Collection[str], policy: str) -> None:
        self._app, self._hosts = app, frozenset(hosts)
        self._headers = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "x-dns-prefetch-control": "off",
            "permissions-policy": ", ".join(f"{feature}=()" for feature in _FEATURES.split()),
            # A sandboxed page has no origin of its own, so to its pictures this one is another.
            "cross-origin-resource-policy": "cross-origin",
            "cache-control": "no-store",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in self._headers.items()]
                message["headers"] = [*message.get("headers", ()), *own]
            await send(message)

        headers = dict(scope["headers"])
        if headers.get(b"host", b"").decode("latin-1").lower() not in self._hosts:
            await _said(421, "this is not a name of this server")(scope, receive, sent)
        elif scope["method"] not in ("GET", "HEAD"):
            await _said(405, "archived pages can only be read")(scope, receive, sent)
        else:
            await self._app(scope, receive, sent)


def archive_app(desk: Desk, *, hosts: Collection[str], framed_by: Collection[str]) -> ArchiveGuard:
    """The other origin: `hosts` are its names with their ports, `framed_by` the origins of our own pages."""
    made = Starlette(routes=[Route(PATH, shown, methods=["GET"])])
    made.state.desk = desk
    return ArchiveGuard(made, hosts=hosts, policy=archive_policy(desk.seal.origin, framed_by))


async def shown(request: Request) -> Response:
    """A capture, by an address that `Seal` made."""
    desk: Desk = request.app.state.desk
    name, url, at, seal = (request.query_params.get(part, "") for part in ("crawl", "url", "at", "seal"))
    if not desk.seal.is_mine(name, url, at, seal):
        return _said(
            403, "open the page from its crawl: this address was not given out, or by an earlier run"
        )

    def found(folder: Folder) -> Response:
        capture = timegate(folder.timemap(url), Millis(int(at)))
        return _presented(desk, name, folder, folder.captured(capture))

    try:
        return await desk.asked(name, found)
    except LycosaError as error:
        return _said(404, str(error))


def kind_of(answer: Answer) -> str:
    """How an answer is shown: `html`, `picture`, `pdf`, `text`, or `bytes`."""
    if picture_type(answer.body):
        return "picture"
    if answer.body.startswith(b"%PDF-"):
        return "pdf"
    if media_type_of(answer) in _HTML:
        return "html"
    return "text" if is_readable(answer) or media_type_of(answer) in _TEXTS else "bytes"


def target_of(answer: Answer) -> str:
    """Where a redirect leads; empty for anything else."""
    location = answer.header("location") if 300 <= answer.status < 400 else None
    return (relative_form(location, answer.url) or "") if location else ""


def picture_type(body: bytes) -> str:
    """The media type of a picture that a browser can show; empty for anything else."""
    if len(body) > LARGEST_PICTURE:
        return ""
    if body.startswith(b"RIFF") and body[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _PICTURES.items() if body.startswith(start)), "")


def _presented(desk: Desk, name: str, folder: Folder, capture: Captured) -> Response:
    answer = capture.rendered
    match kind_of(answer):
        case "picture":
            return Response(answer.body, media_type=picture_type(answer.body))
        case "pdf":
            return Response(
                answer.body,
                media_type="application/pdf",
                headers={"Content-Disposition": 'attachment; filename="archived.pdf"'},
            )
        case "html":
            written = inert(_text_of(answer), answer.url, _pictures(desk, name, folder, capture.at))
            return Response(written.encode("utf-8", "replace"), media_type=HTML)
        case "text":
            written = _text_of(answer)[:LONGEST_TEXT]
        case _:
            written = looked_at(answer.body)
    return Response(written.encode("utf-8", "replace"), media_type=PLAIN)


def _text_of(answer: Answer) -> str:
    """As much of it as can be shown, and more: no charset takes more than four bytes a character."""
    return decode(answer.body[: 4 * LONGEST_TEXT], answer.header("content-type") or "")[0]


def _pictures(desk: Desk, name: str, folder: Folder, at: Millis) -> ShowPicture:
    """Gives the addresses of pictures that were captured too: as they were at the time of the page. After some time no
    more are looked for."""
    until = time.monotonic() + LOOKING

    def show(url: str) -> str:
        if time.monotonic() > until:
            return ""
        try:
            return desk.seal.address(name, url, timegate(folder.timemap(url), at).at)
        except LycosaError:
            return ""

    return show


def looked_at(body: bytes) -> str:
    """How bytes begin: their places, their values in hexadecimal, and the characters that can be read.

    >>> print(looked_at(b"lycosa\\x00\\xff"))
    8 bytes
    <BLANKLINE>
    00000000  6c 79 63 6f 73 61 00 ff                          lycosa..
    """
    head = body[:LOOKED_AT]
    lines = [f"{len(body):,} bytes", ""]
    for place in range(0, len(head), 16):
        row = head[place : place + 16]
        readable = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"{place:08x}  {row.hex(' '):<47}  {readable}")
    if len(body) > LOOKED_AT:
        lines.append(f"… and {len(body) - LOOKED_AT:,} bytes more")
    return "\n".join(lines)


def _said(status: int, what: str) -> Response:
    return Response(f"{what}\n".encode("utf-8", "replace"), status, media_type=PLAIN)
