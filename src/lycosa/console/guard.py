"""Who may ask, for what, and how much of it: before any view is reached."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit
from zlib import crc32

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lycosa.console.problems import answer, told_fault
from lycosa.serving.address import is_token, shows_token

LOG: Final = logging.getLogger("lycosa.console")
REQUESTS: Final = logging.getLogger("lycosa.console.requests")
"""Each request, at the level INFO; without its query, in which a token may stand."""
LONGEST_BODY: Final = 1 << 20
"""Bytes of a request's body."""
WRITES, WRITES_SECONDS = 60, 10.0
"""So many requests that change something in so many seconds, of all askers together."""
SAFE: Final = ("GET", "HEAD", "OPTIONS")
ASKED_FIRST: Final = ("DELETE", "PUT", "PATCH")
"""No page of another site can send these without asking first (CORS), and it is always told no."""


class Guard:
    """ASGI middleware. Whatever is refused is told as a problem (RFC 9457), in one line.

    Invariants, each the name of a test:

    * known names only: a request for another host than ours is refused, so a page of the web whose name is made to
      point here learns nothing (DNS rebinding).
    * no writing from elsewhere: what changes something must come from our own pages, or from no browser at all, and as
      JSON, which no form can send.
    * no secret stays in an address: the token of the first address becomes a cookie that scripts cannot read.
    * nothing runs that is not ours: scripts, styles and requests of our pages go to our own origin only.
    * bounded: bodies in bytes, writes in number.
    * the same walls around all: policy and headers stand on every answer, refusals and faults too.
    """

    def __init__(
        self, app: ASGIApp, *, hosts: Collection[str], token: str = "", archive_origin: str = ""
    ) -> None:
        """`hosts` are the names by which we are called, with their ports; none: any, if there is a token. With a
        `token` nobody may ask without it."""
        self._app, self._hosts, self._token = app, frozenset(hosts), token
        self._policy = policy(archive_origin)
        # Cookies are those of a host, whatever the port: those of two servers must not be mixed up.
        self._cookie = f"lycosa-{crc32(' '.join(sorted(hosts)).encode()):08x}"
        self._writes: list[float] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        began, status = time.monotonic(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._mark(MutableHeaders(scope=message))
            await send(message)

        try:
            await self._answer(scope, receive, sent)
        except Exception as error:
            LOG.exception("%s %s", scope["method"], scope["path"])
            if status:
                raise  # the connection is cut, so that nobody takes what came for the whole
            told = await told_fault(Request(scope), error)
            await told(scope, receive, sent)
        finally:
            if REQUESTS.isEnabledFor(logging.INFO):
                REQUESTS.info("%s", scope["path"], extra={"facts": _facts(scope, status, began)})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(scope, Headers(scope=scope))
        if refused is not None:
            await refused(scope, receive, send)
            return
        if scope["method"] in SAFE:
            await self._app(scope, receive, send)
            return
        body = await _body(receive)
        if body is None:
            much = answer(scope["path"], 413, f"a body may have {LONGEST_BODY:,} bytes")
            await much(scope, receive, send)
            return
        await self._app(scope, _given(body, receive), send)

    def _mark(self, headers: MutableHeaders) -> None:
        headers["Content-Security-Policy"] = headers.get("Content-Security-Policy", self._policy)
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        headers.setdefault("Cache-Control", "no-store")

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:
        path = scope["path"]
        host = headers.get("host", "").lower()
        if host not in self._hosts and (self._hosts or not self._token):
            return answer(path, 421, f"{host or 'no host'}: is not a name of this server")
        if self._token and (response := self._unknown(scope, headers)) is not None:
            return response
        if scope["method"] in SAFE:
            return None
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if (origin is not None and _host_of(origin) != host) or site not in ("same-origin", "none"):
            return answer(
                path, 403, "this came from another site; only the pages of lycosa may change something"
            )
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json" and (kind or scope["method"] not in ASKED_FIRST):
            return answer(path, 415, "give a body of the type application/json")
        return self._too_fast(path)

    def _unknown(self, scope: Scope, headers: Headers) -> Response | None:
        """What somebody is told who does not show the token; None: it was shown."""
        cookie = _cookies(headers).get(self._cookie)
        shown = cookie is not None and is_token(cookie, self._token)
        if shown or shows_token(headers, self._token):
            return None
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(asked).get("token")
        if given is not None and is_token(given, self._token) and scope["method"] in SAFE:
            rest = urlencode([(name, value) for name, value in asked if name != "token"])
            path = "/" + scope["raw_path"].decode("latin-1").lstrip("/\\")  # // would lead to another host
            response = RedirectResponse(f"{path}{'?' if rest else ''}{rest}", 303)
            response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
            return response
        refused = answer(
            scope["path"], 401, "open the address with its token once, or send it as a bearer token"
        )
        refused.headers["WWW-Authenticate"] = "Bearer"
        return refused

    def _too_fast(self, path: str) -> Response | None:
        now = time.monotonic()
        self._writes = [at for at in self._writes if now - at < WRITES_SECONDS]
        if len(self._writes) >= WRITES:
            refused = answer(
                path, 429, f"{WRITES} changes in {WRITES_SECONDS:g} s are the most; wait a little"
            )
            refused.headers["Retry-After"] = str(round(WRITES_SECONDS))
            return refused
        self._writes.append(now)
        return None


def policy(archive_origin: str = "") -> str:
    """The content security policy of our own pages: archived pages are framed from the other origin only."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"connect-src 'self'; manifest-src 'self'; frame-src {archive_origin or chr(39) + 'none' + chr(39)}; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def _facts(scope: Scope, status: int, began: float) -> dict[str, object]:
    """Of a request, for the log."""
    client = scope.get("client")
    return {
        "event": "request",
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "seconds": round(time.monotonic() - began, 4),
        "client": client[0] if client else "",
    }


def _host_of(origin: str) -> str:
    """Host and port of an origin; empty of what is none, such as `null`."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _cookies(headers: Headers) -> dict[str, str]:
    """By name; none where they cannot be read."""
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None if it is too long."""
    parts, length = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        parts.append(message.get("body", b""))
        length += len(parts[-1])
        if length > LONGEST_BODY:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read, then what comes after."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> Message:
        return waiting.pop() if waiting else await receive()

    return give
