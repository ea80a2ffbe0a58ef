"""Who may ask, for what, and how much of it: before any view is reached."""

from __future__ import annotations

import time
from collections.abc import Collection
from http.cookies import SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lycosa.console.problems import answer
from lycosa.serving.address import is_token, shows_token

LONGEST_BODY: Final = 1 << 20
"""Bytes of a request's body."""
WRITES, WRITES_SECONDS = 60, 10.0
"""So many requests that change something in so many seconds, of all askers together."""
SAFE: Final = ("GET", "HEAD", "OPTIONS")


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
    """

    def __init__(
        self, app: ASGIApp, *, hosts: Collection[str], token: str = "", archive_origin: str = ""
    ) -> None:
        """`hosts` are the names by which we are called, with their ports. With a `token` nobody may ask without it."""
        self._app, self._hosts, self._token = app, frozenset(hosts), token
        self._policy = policy(archive_origin)
        self._cookie = f"lycosa-{abs(hash(frozenset(hosts))) % 65_536}"
        self._writes: list[float] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._mark(MutableHeaders(scope=message))
            await send(message)

        headers = Headers(scope=scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await refused(scope, receive, sent)
            return
        if scope["method"] in SAFE:
            await self._app(scope, receive, sent)
            return
        body = await _body(receive)
        if body is None:
            much = answer(scope["path"], 413, f"a body may have {LONGEST_BODY:,} bytes")
            await much(scope, receive, sent)
            return
        await self._app(scope, _given(body, receive), sent)

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
        if host not in self._hosts:
            return answer(path, 421, f"{host or 'no host'}: is not a name of this server")
        if self._token and (response := self._unknown(scope, headers)) is not None:
            return response
        if scope["method"] in SAFE:
            return None
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if (origin is not None and urlsplit(origin).netloc.lower() != host) or site not in (
            "same-origin",
            "none",
        ):
            return answer(
                path, 403, "this came from another site; only the pages of lycosa may change something"
            )
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return answer(path, 415, "give a body of the type application/json")
        return self._too_fast(path)

    def _unknown(self, scope: Scope, headers: Headers) -> Response | None:
        """What somebody is told who does not show the token; None: it was shown."""
        cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        if shows_token(headers, self._token) or (cookie and is_token(cookie.value, self._token)):
            return None
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(asked).get("token")
        if given is not None and is_token(given, self._token) and scope["method"] in SAFE:
            rest = urlencode([(name, value) for name, value in asked if name != "token"])
            response = RedirectResponse(f"{scope['path']}{'?' if rest else ''}{rest}", 303)
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
