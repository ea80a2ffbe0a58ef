"""Serve a web over HTTP/1.1, so that any other crawler or browser can visit the same pages.

One port stands for all hosts. A client reaches them in either of two ways:

* virtual hosts: it connects here whatever the host (``curl --connect-to ::127.0.0.1:PORT
  http://example.org/``) and the ``Host`` header says which site is meant;
* proxy: it sends whole URLs (``curl --proxy http://127.0.0.1:PORT http://example.org/``). A request for an
  https URL in this form is answered as well. CONNECT, by which proxies tunnel TLS, is refused with 501:
  there is no certificate.

A site recorded under https only is found under http too, as the recording's index key has no scheme.
The front page of the server's own address lists the hosts that there are, if the web can tell.

This is a server of its own because it has to cost little beside the crawler that is measured with it: no
routing, no middleware, one protocol object a connection. Only GET and HEAD, no request bodies.
"""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from html import escape
from http import HTTPStatus
from types import TracebackType
from typing import Self, cast

from lycosa.crawl.ports import Web
from lycosa.model.errors import InputError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason
from lycosa.model.url import Url

Latency = Callable[[Url], Millis]
Hosts = Callable[[], Mapping[str, int]]
"""The hosts of a web, and how many pages each has."""

_MAX_HEAD = 64 << 10
_MAX_WAITING = 64
"""Pipelined requests of one connection that may wait for an answer."""
_REQUEST = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.([01])\r?\n")
_NOT_PASSED_ON = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "content-encoding",
        "content-length",
    ]
)
"""Hop-by-hop fields (RFC 9110, section 7.6.1), and what spoke of the bytes on the wire: bodies go
out decoded.
"""
_NO_BODY = frozenset({204, 304})
_STATUS_OF = {
    Reason.NOT_RECORDED: 404,
    Reason.TIMEOUT: 504,
    Reason.DNS: 502,
    Reason.CONNECT: 502,
    Reason.TLS: 502,
    Reason.PROTOCOL: 502,
}


class Served:
    """A web served on loopback while the ``async with`` block lasts; ``port`` is where.

    Invariants, each the name of a property test:

    * same bytes: a GET answers with status, headers and body as `web.fetch`, the connection's own headers
      apart; the web is told of the request's conditions.
    * in order: pipelined requests are answered in the order in which they came.
    """

    def __init__(
        self,
        web: Web,
        host: str = "127.0.0.1",
        port: int = 0,
        latency: Latency | None = None,
        hosts: Hosts = dict,
    ) -> None:
        self.web = web
        self.hosts = hosts
        self.host = host
        self.port = port
        """The port asked for, 0 for any; once entered, the port in use."""
        self.latency = latency
        """Milliseconds to wait before an answer; None: none."""
        self._server: asyncio.Server | None = None
        self._open: set[_Connection] = set()

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(
                lambda: _Connection(self, self._open), self.host, self.port
            )
        except OSError as error:
            raise InputError(
                f"cannot listen on {self.host}:{self.port}: {error.strerror}; choose another port with --port"
            ) from error
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._open):
            connection.end()
        await self._server.wait_closed()

    @property
    def _front_pages(self) -> frozenset[str]:
        """The URLs of this server itself, as `answer` is given them: without its port."""
        return frozenset(f"http://{host}/" for host in (self.host, "127.0.0.1", "[::1]", "localhost"))

    async def answer(self, method: bytes, url: str, ask: Ask = PLAIN) -> bytes:
        """The whole answer to a GET or HEAD, as it goes over the wire."""
        target = Url(url)
        if self.latency is not None:
            await asyncio.sleep(self.latency(target) / 1000)
        found = await self.web.fetch(target, ask)
        if isinstance(found, Fault):
            if found.reason is Reason.NOT_RECORDED and url in self._front_pages:
                return _packed(200, "", _listed(self.hosts(), self.address), _HTML, method)
            status = _STATUS_OF.get(found.reason, 502)
            return _packed(status, "", _explained(url, found, self.address), _HTML, method)
        return _packed(found.status, found.reason_phrase, found.body, found.headers, method)


class _Connection(asyncio.Protocol):
    def __init__(self, served: Served, open_ones: set[_Connection]) -> None:
        self._served = served
        self._open = open_ones
        self._received = b""
        self._waiting: list[tuple[bytes, str, Ask, bool]] = []
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but its base class
        self._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.discard(self)
        self._waiting.clear()
        self._transport = None
        self._writable.set()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        self._received = received = self._received + data if self._received else data
        while (end := received.find(b"\r\n\r\n")) >= 0:
            head, received = received[: end + 4], received[end + 4 :]
            self._received = received
            if not self._accept(head):
                return
        if len(received) > _MAX_HEAD:
            self._refuse(431, "The request's headers are too long.")

    def end(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _accept(self, head: bytes) -> bool:
        """Queue a request; False if nothing more can be read from this connection."""
        match = _REQUEST.match(head)
        if match is None:
            return self._refuse(400, "This is not an HTTP/1.1 request.")
        method, target, minor = match.groups()
        fields = head[match.end() :]
        if method == b"CONNECT":
            return self._refuse(
                501, "There is no TLS here: send the https URL itself to this proxy, or use http."
            )
        if method not in (b"GET", b"HEAD"):
            return self._refuse(405, "Only GET and HEAD are answered.")
        url = self._url(target, _field(fields, b"host"))
        if url is None:
            return self._refuse(400, "The request names no host.")
        if len(self._waiting) >= _MAX_WAITING:
            return self._refuse(503, "Too many requests are waiting on this connection.")
        said = _field(fields, b"connection").lower()
        keep = b"close" not in said and (minor == b"1" or b"keep-alive" in said)
        self._waiting.append((method, url, _asked(fields), keep))
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())
        return True

    def _url(self, target: bytes, host: bytes) -> str | None:
        if target[:7].lower() == b"http://" or target[:8].lower() == b"https://":
            text = target.decode("latin-1")
            return text if text.count("/") > 2 else text + "/"
        if not host or not target.startswith(b"/"):
            return None
        own = b":%d" % self._served.port
        return f"http://{host.removesuffix(own).decode('latin-1').lower()}{target.decode('latin-1')}"

    async def _work(self) -> None:
        while self._waiting:
            method, url, ask, keep = self._waiting[0]
            raw = await self._served.answer(method, url, ask)
            await self._writable.wait()
            if self._transport is None:
                return
            self._transport.write(raw)
            del self._waiting[0]
            if not keep:
                self._transport.close()
                return
        self._task = None

    def _refuse(self, status: int, why: str) -> bool:
        if self._transport is not None:
            body = f"<!DOCTYPE html><title>{status}</title><p>{escape(why)}</p>\n".encode()
            headers = (*_HTML, ("Connection", "close"), *((("Allow", "GET, HEAD"),) if status == 405 else ()))
            self._transport.write(_packed(status, "", body, headers, b"GET", own=True))
            self._transport.close()
        return False


_HTML = (("Content-Type", "text/html; charset=utf-8"),)


def _asked(fields: bytes) -> Ask:
    """What a request says besides its URL that a web may heed: its conditions."""
    etag, since = (
        _field(fields, name).decode("latin-1") for name in (b"if-none-match", b"if-modified-since")
    )
    return Ask(etag=etag, modified_since=since) if etag or since else PLAIN


def _field(fields: bytes, name: bytes) -> bytes:
    """The value of a request header, empty if it is not there."""
    lower = fields.lower()
    at = 0 if lower.startswith(name + b":") else lower.find(b"\n" + name + b":") + 1
    if at == 0 and not lower.startswith(name + b":"):
        return b""
    return fields[at + len(name) + 1 : fields.find(b"\n", at)].strip()


def _packed(
    status: int,
    phrase: str,
    body: bytes,
    headers: Iterable[tuple[str, str]],
    method: bytes,
    *,
    own: bool = False,
) -> bytes:
    lines = [f"HTTP/1.1 {status} {phrase or _phrase(status)}"]
    lines += [f"{name}: {value}" for name, value in headers if own or name.lower() not in _NOT_PASSED_ON]
    bodyless = status in _NO_BODY or status < 200
    if not bodyless:
        lines.append(f"Content-Length: {len(body)}")
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")
    return head if bodyless or method == b"HEAD" else head + body


def _phrase(status: int) -> str:
    with suppress(ValueError):
        return HTTPStatus(status).phrase
    return ""


def _explained(url: str, fault: Fault, address: str) -> bytes:
    what = (
        "This page was not recorded"
        if fault.reason is Reason.NOT_RECORDED
        else f"No answer ({fault.reason.value})"
    )
    return (
        f"<!DOCTYPE html><title>{what}</title>\n<h1>{what}</h1>\n"
        f"<p>{escape(url)}</p>\n<p>{escape(fault.detail)}</p>\n"
        f"<p>This server plays a recorded web, all hosts on one port. Try: "
        f"<code>curl --proxy {address} http://HOST/PATH</code></p>\n"
    ).encode()


def _listed(hosts: Mapping[str, int], address: str) -> bytes:
    rows = "".join(f"<tr><td>{escape(host)}<td>{pages}\n" for host, pages in sorted(hosts.items()))
    return (
        f"<!DOCTYPE html><title>A recorded web</title>\n<h1>A recorded web</h1>\n"
        f"<p>{len(hosts)} hosts on one port. Try: <code>curl --proxy {address} http://HOST/PATH</code></p>\n"
        f"<table><tr><th>host<th>captures\n{rows}</table>\n"
    ).encode()


async def serve(
    web: Web,
    host: str = "127.0.0.1",
    port: int = 0,
    latency: Latency | None = None,
    say: Callable[[str], None] = print,
    hosts: Hosts = dict,
) -> None:
    """Serve until cancelled or told to end (SIGTERM). `say` is told the address once it is known."""
    told = asyncio.Event()
    async with Served(web, host, port, latency, hosts) as served:
        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not in the main thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
        say(f"Serving on {served.address} for all hosts, and as an HTTP proxy. Ctrl-C ends.")
        await told.wait()


def run(web: Web, host: str = "127.0.0.1", port: int = 0, latency: Latency | None = None) -> None:
    """Serve until Ctrl-C: for the command line."""
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(web, host, port, latency))
