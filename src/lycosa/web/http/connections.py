"""Connections of the live web: where they lead, how many there are, and when one may be used again."""

from __future__ import annotations

import re
import select
import socket
import ssl
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import aiohttp
from aiohttp.abc import ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection

from lycosa.web.http.dns import Route, Router

IDLE_SECONDS = 5.0
"""A connection that was not used for so long is closed. The next page of a host comes after a second or two."""

_CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,15})[ \t]*\r\n", re.IGNORECASE)


class Reply(aiohttp.ClientResponse):
    """A response that remembers its peer: when the whole answer came in one packet, the connection is gone
    back to the pool before the caller sees the response."""

    peer = ""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        transport = connection.transport
        if transport is not None:
            name = transport.get_extra_info("peername")
            self.peer = str(name[0]) if name else ""
        return await super().start(connection)


class Protocol(ResponseHandler):
    """One connection. What a server sends without being asked is never taken for an answer.

    What comes beyond a Content-Length is dropped, as browsers do, and the connection not used again: a server that
    counts characters where it should count bytes does so on every page. The parser would take the surplus for a
    second answer, fail, and lose the first one with it.

    What comes while the connection rests, or was left over when it came to rest, ends it. One case cannot be told
    from an honest answer: a second one that is on its way here while the next request is on its way there.
    """

    _resting = False
    _reading = False

    def data_received(self, data: bytes) -> None:
        if self._resting:
            if data:
                self.abort()
            return
        if data.startswith(b"HTTP/") and not self.should_close:
            head = data.find(b"\r\n\r\n")
            length = _CONTENT_LENGTH.search(data, 0, head + 2) if head > 0 else None
            if length and len(data) > head + 4 + int(length[1]):
                data = data[: head + 4 + int(length[1])]
                self.force_close()
        self._reading = True
        try:
            super().data_received(data)
        finally:
            self._reading = False
        if self._resting:
            self._end_unless_clean()

    def rest(self) -> None:
        """No request is out any more. Called in the midst of `data_received` where the answer came whole."""
        self._resting = True
        if not self._reading:
            self._end_unless_clean()

    def set_response_params(self, **params: Any) -> None:
        """A request is about to be sent."""
        self._resting = False
        super().set_response_params(**params)

    @property
    def may_be_used_again(self) -> bool:
        """Whether nothing has come since the last answer, looking once more at what the loop has not read yet."""
        transport = self.transport
        if transport is None or transport.is_closing() or self.should_close:
            return False
        found = transport.get_extra_info("socket")
        return found is not None and not _is_readable(found.fileno())

    def _end_unless_clean(self) -> None:
        if self.should_close or self._has_begun_another():
            self.abort()

    def _has_begun_another(self) -> bool:
        """Whether the parser holds the beginning of a further answer: at the end of input it would own up to it."""
        if self._parser is None:
            return False
        try:
            return self._parser.feed_eof() is not None
        except Exception:  # whatever a parser makes of half an answer
            return True


def _is_readable(descriptor: int) -> bool:
    if not hasattr(select, "poll"):  # on Windows, where `select` knows no highest descriptor
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


class Connector(aiohttp.TCPConnector):
    """Connects where the router says, for names and for addresses alike.

    The base class asks its resolver for names only, and has a cache of its own that knows no history. So the
    one method that turns a host into addresses is replaced. It does not count idle connections either.

    Invariant, the name of a test:

    * connections are bounded: at most `most` are open, as long as at most `most` are used at a time. One that is needed
      takes the place of the one that was idle for longest.
    """

    def __init__(
        self, router: Router, tls: ssl.SSLContext | bool, most: int, connected: Callable[[], object]
    ) -> None:
        """`connected` is called, in the task that asked, before anything is sent on a connection."""
        super().__init__(
            ssl=tls,
            limit=0,
            socket_factory=self._socket,
            use_dns_cache=False,
            keepalive_timeout=IDLE_SECONDS,
        )
        self._router = router
        self._most = most
        self._connected = connected
        self._idle: dict[ResponseHandler, None] = {}
        protocol: type[ResponseHandler] = Protocol
        self._factory = partial(protocol, loop=self._loop)

    def close_idle(self, keep: int = 0) -> None:
        """Close all but `keep` of the connections that are not in use, those idle for longest first."""
        while len(self._idle) > keep:
            oldest = next(iter(self._idle))
            del self._idle[oldest]
            oldest.abort()

    async def connect(self, *asked: Any, **more: Any) -> Connection:
        connection = await super().connect(*asked, **more)
        self._connected()
        return connection

    async def _resolve_host(
        self, host: str, port: int, traces: Sequence[object] | None = None
    ) -> list[ResolveResult]:
        return [_resolved(host, route) for route in await self._router.routes(host, port)]

    def _socket(self, info: aiohttp.connector.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, where = info
        self._router.vet(str(where[0]), int(where[1]))
        return socket.socket(family=family, type=kind, proto=protocol)

    async def _get(self, key: Any, traces: Any) -> Connection | None:
        while (connection := await super()._get(key, traces)) is not None:
            protocol = connection.protocol
            assert isinstance(protocol, Protocol)
            self._idle.pop(protocol, None)
            if protocol.may_be_used_again:
                return connection
            connection.close()
        return None

    def _release(self, key: Any, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        super()._release(key, protocol, should_close=should_close)
        if isinstance(protocol, Protocol) and protocol.is_connected() and not self._closed:
            self._idle[protocol] = None
            protocol.rest()
            self.close_idle(keep=max(0, self._most - len(self._acquired)))

    async def _create_connection(self, *asked: Any) -> ResponseHandler:
        self.close_idle(keep=max(0, self._most - len(self._acquired)))
        return await super()._create_connection(*asked)


def _resolved(host: str, route: Route) -> ResolveResult:
    family = socket.AF_INET6 if ":" in route.address else socket.AF_INET
    return ResolveResult(
        hostname=host,
        host=route.address,
        port=route.port,
        family=family,
        proto=0,
        flags=socket.AI_NUMERICHOST,
    )
