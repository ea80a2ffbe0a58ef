"""The server over stdio, or over streamable HTTP: on loopback unless told otherwise."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from typing import Final
from urllib.parse import urlsplit

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lycosa.library.library import Library
from lycosa.mcp.server import Server
from lycosa.serving.address import bound, names_of, shows_token, token_for

DEFAULT_PORT: Final = 8_910
PATH: Final = "/mcp"
LONGEST_BODY: Final = 1 << 20
"""Bytes of a request."""
SESSIONS: Final = 100
"""That may be open at once."""
IDLE: Final = 1_800.0
"""Seconds after which a session that nobody uses is closed."""
CONNECTIONS: Final = 200
PATIENCE: Final = 3
"""Seconds for requests that are being answered when the server ends."""


def over_stdio(library: Library, *, looks_only: bool = False) -> None:
    """Serve one client over standard input and output, until it goes away. Crawls go on."""
    server = Server(library, looks_only=looks_only)
    try:
        anyio.run(server.run_stdio_async)
    finally:
        server.tools.close()


class Http:
    """The server over streamable HTTP, bound to its port and ready to run."""

    def __init__(
        self,
        library: Library,
        *,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        token: str = "",
        looks_only: bool = False,
    ) -> None:
        """`port` 0: any that is free. Another `host` than loopback needs a `token`; empty: one is made up.

        Raises `InputError` if the port is taken, or the host is none of this machine.
        """
        self._socket = bound(host, port)
        self.port = int(self._socket.getsockname()[1])
        self.token = token_for(host, token)
        names = names_of(host, self.port)
        self.url = f"http://{names[0] if names else f'{host}:{self.port}'}{PATH}"
        self._server = Server(library, looks_only=looks_only)
        config = uvicorn.Config(
            Door(_app(self._server), hosts=names, token=self.token),
            log_level="warning",
            access_log=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=PATIENCE,
            server_header=False,
        )
        self._uvicorn = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until Ctrl-C. Crawls go on."""
        with closing(self._socket):
            try:
                self._uvicorn.run(sockets=[self._socket])
            finally:
                self._server.tools.close()


def _app(server: Server) -> ASGIApp:
    """The SDK's own checks of names are off: `Door` has made them."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LONGEST_BODY,
        session_idle_timeout=IDLE,
        max_sessions=SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


class Door:
    """ASGI middleware: who may ask.

    Invariants, each the name of a test:

    * known names only: with `hosts`, a request for another host than ours is refused (DNS rebinding).
    * no page of the web may ask: a request that tells its origin must come from our own.
    * no entry without the token: where there is one, it must be shown as a bearer token; it is never in an address.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], token: str = "") -> None:
        """`hosts` are the names by which we are called, with their ports; empty: any, so there must be a `token`."""
        assert hosts or token
        self._app, self._hosts, self._token = app, frozenset(hosts), token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refused(self, headers: Headers) -> Response | None:
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if self._hosts and host not in self._hosts:
            return _refusal(421, f"{host[:100] or 'no host'}: is not a name of this server")
        if origin is not None and urlsplit(origin).netloc.lower() != host:
            return _refusal(403, "pages of the web may not ask here")
        if self._token and not shows_token(headers, self._token):
            refused = _refusal(401, "send the token: Authorization: Bearer TOKEN")
            refused.headers["WWW-Authenticate"] = "Bearer"
            return refused
        return None


def _refusal(status: int, detail: str) -> Response:
    return JSONResponse({"error": detail}, status)
