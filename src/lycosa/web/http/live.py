"""The live web: one HTTP exchange at a time, with limits on everything that a server may overdo."""

from __future__ import annotations

import asyncio
import ssl
import time
from contextlib import nullcontext

import aiohttp
from yarl import URL

from lycosa.model.errors import InputError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Record, Response
from lycosa.model.url import Host, Url
from lycosa.web.http.address import PrivateAddress
from lycosa.web.http.agent import user_agent
from lycosa.web.http.connections import Connector, Reply
from lycosa.web.http.decode import Body, BrokenCoding
from lycosa.web.http.dns import Router, UnknownHost
from lycosa.web.http.logins import Logins
from lycosa.web.http.shortage import is_shortage, raise_limit
from lycosa.web.http.signature import Signer
from lycosa.web.robots import SIZE_LIMIT
from lycosa.web.spacing import BUSY, TurnLost, Turns

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
ACCEPT_ENCODING = "gzip, deflate, br, zstd"

MOST_CONNECTIONS = 1024
"""At once, idle ones among them; fewer where half the files that the process may open are fewer."""

LONGEST_VALIDATOR = 1024
"""Characters of an ETag or a date that are sent back: what is longer fills the room that servers give to a request."""

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds before a connection is tried again that this machine could not make."""

Headers = tuple[tuple[str, str], ...]


def asked_headers(ask: Ask, *, referer: bool = True) -> Headers:
    """What an `Ask` adds to the headers of a request: referer, if it is wanted, then conditions and a range (RFC 9110,
    10.1.3, 13.1 and 14.2). A range counts the bytes of what lies there, so no coding may be laid over it."""
    stated = (
        ("Referer", ask.referer if referer else ""),
        ("If-None-Match", ask.etag),
        ("If-Modified-Since", ask.modified_since),
        ("Range", ask.span),
        ("Accept-Encoding", "identity" if ask.span else ""),
    )
    # No surrogate is printable: they stand for bytes that are no UTF-8, and could not be sent as they were.
    return tuple([(name, value) for name, value in stated if value and _can_be_sent(name, value)])


def _can_be_sent(name: str, value: str) -> bool:
    return value.isprintable() and (name == "Referer" or len(value) <= LONGEST_VALIDATOR)


class Limits(Record, frozen=True, kw_only=True, gc=False):
    """What an exchange may take. Times in milliseconds, sizes in bytes."""

    connect: Millis = Millis(10_000)
    """To find the address, connect and agree on TLS; and to wait for what this machine is short of."""
    silence: Millis = Millis(15_000)
    """Without a single byte: until the first one, and between two later ones."""
    total: Millis = Millis(60_000)
    """For the exchange as a whole."""
    body: int = 1024 * 1024
    """Of the decoded body; the rest is cut. Nor is more than this read off the wire."""
    header: int = 32 * 1024
    """Of one header field, and of the status line."""
    headers: int = 200
    """Header fields."""


class LiveWeb:
    """Fetches over HTTP/1.1 from the real web. Use it from one event loop and `close` it in the same.

    A body that is cut is still a page: when the time runs out, the connection breaks or the coding is damaged
    after some of the body has come, the response says so in `truncated`. Of a 2xx answer of which nothing
    came, there is only a `Fault`.

    A proxy is the user's word: its own address is not questioned, and as it resolves names itself, only
    targets that are written as addresses can be checked. Its responses carry no address.

    Invariants, each the name of a property test:

    * no surprise: whatever a server does, `fetch` returns a Response or a Fault, within `limits.total` and the
      time for which other exchanges hold all connections. Where `spacing` has it wait, that is a Fault, too
      (`Reason.TURN`), at once.
    * bounded: `body` is never longer than `limits.body`, nor are more than MOST_CONNECTIONS open.
    * one exchange: redirects are answered, not followed.
    * own fault: what this machine is short of is waited for, up to `limits.connect`, and never told as a
      failure of the host.
    """

    def __init__(
        self,
        agent: str | None = None,
        *,
        limits: Limits | None = None,
        router: Router | None = None,
        spacing: Turns | None = None,
        proxy: str = "",
        tls: ssl.SSLContext | bool = True,
        cookies: bool = False,
        referer: bool = True,
        signer: Signer | None = None,
        logins: Logins | None = None,
    ) -> None:
        """`agent` is the whole User-Agent (see `user_agent`); `tls` False accepts any certificate, a context
        brings its own authorities; `cookies` keeps them between exchanges; `referer` False tells no server
        which page led to it. `signer` signs every request. Of what `logins` send, and of the cookies that answers to
        it set, a `Response` tells nothing."""
        self.agent = agent or user_agent()
        self.limits = limits or Limits()
        self._router = router or Router()
        self._spacing = spacing
        self._proxy = _proxy_url(proxy, self._router) if proxy else None
        self._tls = tls
        self._cookies = cookies
        self._referer = referer
        self._signer = signer
        self._logins = logins
        self._untold = _UNTOLD | (logins.names if logins is not None else frozenset())
        self._headers = (
            ("User-Agent", self.agent),
            ("Accept", ACCEPT),
            ("Accept-Encoding", ACCEPT_ENCODING),
        )
        self._session: aiohttp.ClientSession | None = None
        self._unsent: dict[asyncio.Task[object], asyncio.Timeout] = {}
        self._retreating = False
        self._connector: Connector
        self._room: asyncio.Semaphore

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        """One GET, with a condition if `ask` has one. Never raises for what a server does.

        A validator that cannot be sent back as it came (control characters, bytes that are no UTF-8, over
        LONGEST_VALIDATOR) is left out: the answer is then a whole page.
        """
        task = asyncio.current_task()
        assert task is not None
        try:
            async with asyncio.timeout(0 if self._retreating else None) as unsent:
                self._unsent[task] = unsent
                return await self._fetched(url, asked_headers(ask, referer=self._referer))
        except TimeoutError:
            return Fault(reason=Reason.TURN, detail="the crawl is about to stop")
        finally:
            self._unsent.pop(task, None)

    def retreat(self) -> None:
        """Begin nothing more: exchanges of which no byte was sent yet end at once, as if it were not their turn."""
        self._retreating = True
        for unsent in self._unsent.values():
            unsent.reschedule(asyncio.get_running_loop().time())

    def _is_sending(self) -> None:
        """The exchange of this task has its connection: from now on it is the server's business, too."""
        task = asyncio.current_task()
        assert task is not None
        self._unsent.pop(task, None)

    async def _fetched(self, url: Url, asked: Headers) -> Response | Fault:
        began = time.perf_counter()
        try:
            target = URL(url, encoded=True)
            if self._proxy is not None:
                self._router.refuse_literal(target.raw_host or "")
            if self._spacing is None:
                return await self._patiently(url, target, asked)
            # Without a delay there is nothing to share, and finding the address costs a tenth of an exchange.
            address = await self._shared_address(target) if self._spacing.delay else ""
            keys = (url.split("/", 3)[2], *([f"address {address}"] if address else []))
            waits = await self._spacing.waits(*keys)
            if wait := max(waits):
                shared = address if waits[-1] == wait else ""
                return Fault(reason=Reason.TURN, retry_after=wait, address=shared)
            async with self._spacing.exchange(*keys):
                began = time.perf_counter()
                answer = await self._answer(url, target, asked)
                self._spacing.answered(keys, answer)
                return answer
        except TurnLost as error:
            return Fault(reason=Reason.TURN, detail=str(error), retry_after=BUSY)
        except _FAULTS as error:
            return _fault(error, _millis_since(began))

    async def _answer(self, url: Url, target: URL, asked: Headers) -> Response | Fault:
        """What comes of an exchange, whatever the server does."""
        began = time.perf_counter()
        try:
            return await self._patiently(url, target, asked)
        except _FAULTS as error:
            return _fault(error, _millis_since(began))

    async def _shared_address(self, target: URL) -> str:
        """The address that other hosts may share; empty where it cannot be known or means nothing."""
        if self._proxy is not None:
            return ""
        async with asyncio.timeout(self.limits.connect / 1000):
            first = (await self._router.routes(target.raw_host or "", target.port or 80))[0]
        return "" if first.named else first.address

    async def _patiently(self, url: Url, target: URL, asked: Headers) -> Response | Fault:
        """An exchange, tried again while this machine cannot make the connection."""
        session = self._session or self._open()
        pause, give_up = FIRST_PAUSE, time.monotonic() + self.limits.connect / 1000
        while True:
            async with self._room:
                try:
                    return await self._exchange(session, url, target, asked)
                except _FAULTS as error:
                    if not is_shortage(error) or time.monotonic() + pause > give_up:
                        raise
                self._connector.close_idle()
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _exchange(
        self, session: aiohttp.ClientSession, url: Url, target: URL, asked: Headers
    ) -> Response | Fault:
        # Not left to aiohttp: of an answer that began before it was asked for, its clock times another request.
        deadline = asyncio.get_running_loop().time() + self.limits.total / 1000
        if self._signer is not None:
            asked += self._signer.headers(target.host_port_subcomponent or "", target.raw_path)
        secrets = self._logins.headers_for(url) if self._logins is not None else ()
        at = time.time_ns() // 1_000_000
        began = time.perf_counter()
        async with asyncio.timeout_at(deadline):
            reply = await session.get(target, headers=asked + secrets, allow_redirects=False)
        assert isinstance(reply, Reply)
        try:
            body, problem = await self._read(reply, target, deadline)
        finally:
            if not reply.closed:  # with an unread rest the connection cannot be used again
                reply.close()
        elapsed = _millis_since(began)
        address = "" if self._proxy else reply.peer
        if problem and not body.size and 200 <= reply.status < 300:
            reason = _WITHOUT_BODY.get(body.truncated, Reason.PROTOCOL)
            return Fault(reason=reason, detail=problem, address=address, elapsed=elapsed)
        version = reply.version or aiohttp.HttpVersion11
        headers = _as_text(reply.raw_headers)
        return Response(
            url=url,
            status=reply.status,
            headers=_without_cookies(headers) if self._is_let_in(secrets) else headers,
            body=body.take(),
            fetched_at=Millis(at),
            elapsed=elapsed,
            address=address,
            http_version="1.1" if version.minor == 1 else f"{version.major}.{version.minor}",
            reason_phrase=reply.reason or "",
            request_headers=self._sent(reply, target, asked),
            truncated=body.truncated,
        )

    async def _read(self, reply: Reply, target: URL, deadline: float) -> tuple[Body, str]:
        """The body as far as it came, and what went wrong, if anything."""
        limit = self.limits.body
        if target.raw_path == "/robots.txt":
            limit = max(limit, SIZE_LIMIT)  # even where pages are cut shorter
        coding = ",".join(reply.headers.getall("Content-Encoding", ()))
        try:
            body = Body(coding, limit)
        except BrokenCoding as error:
            body = Body("", limit)
            body.truncated = "unspecified"
            return body, str(error)
        content = reply.content
        try:
            # What has come whole is not waited for.
            async with nullcontext() if content.is_eof() else asyncio.timeout_at(deadline):
                while (chunk := await content.readany()) and body.feed(chunk):
                    if content.at_eof():
                        break
            if not body.truncated:
                body.end()
        except TimeoutError:
            body.truncated = "time"
            return body, "the time was over before any of the body came"
        except (aiohttp.ClientError, OSError) as error:
            if not isinstance(error, OSError) and "not completed" not in str(error):
                body.truncated = "unspecified"  # what came was no body
                return body, _words(error)
            body.truncated = "disconnect"
            return body, f"the connection broke before any of the body came: {_words(error)}"
        return body, body.broken

    def _is_let_in(self, secrets: Headers) -> bool:
        """Whether an answer may set what lets others in: also where only a cookie of an earlier answer was sent."""
        return bool(secrets) or (self._logins is not None and self._cookies)

    def _sent(self, reply: Reply, target: URL, asked: Headers) -> Headers:
        if self._cookies or self._proxy is not None:
            sent = reply.request_info.headers.items()
            return tuple([(str(name), value) for name, value in sent if name.lower() not in self._untold])
        return (("Host", target.host_port_subcomponent or ""), *self._headers, *asked)

    def _open(self) -> aiohttp.ClientSession:
        """The session, made in the running loop when first needed."""
        limits = self.limits
        most = min(MOST_CONNECTIONS, raise_limit() // 2)
        self._connector = Connector(self._router, self._tls, most, self._is_sending)
        self._room = asyncio.Semaphore(most)
        self._session = aiohttp.ClientSession(
            connector=self._connector,
            headers=self._headers,
            cookie_jar=None if self._cookies else aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None,
                connect=limits.connect / 1000,
                sock_read=limits.silence / 1000,
                ceil_threshold=60,
            ),
            auto_decompress=False,
            response_class=Reply,
            proxy=self._proxy,
            max_line_size=limits.header,
            max_field_size=limits.header,
            max_headers=limits.headers,
        )
        return self._session

    def slow_down(self, host: Host, delay: Millis) -> None:
        """Space the exchanges with a host at least so far apart, as its Crawl-delay asks."""
        if self._spacing is not None:
            self._spacing.slow_down(host, delay)

    async def close(self) -> None:
        """Close all connections. A later `fetch` opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


def _proxy_url(proxy: str, router: Router) -> URL:
    try:
        url = URL(proxy if "://" in proxy else f"http://{proxy}")
        port = url.port
    except ValueError as error:
        raise InputError(f"--proxy {proxy!r} is not a URL ({error}); write http://HOST:PORT") from None
    if url.scheme not in ("http", "https") or not url.raw_host or port is None:
        raise InputError(f"--proxy {proxy!r}: only HTTP proxies are spoken to; write http://HOST:PORT")
    if router.connect_to:
        raise InputError("--proxy and --connect-to both say where to connect; give one of them")
    router.trust(url.raw_host, port)
    return url


_WITHOUT_BODY = {"time": Reason.TIMEOUT, "disconnect": Reason.CONNECT}
"""Why a body of which nothing came was cut, as a reason."""

_UNTOLD = frozenset({"proxy-authorization"})
"""What is sent, but told to nobody, the archive included; in lower case."""

_FAULTS = (aiohttp.ClientError, OSError, TimeoutError, ValueError, RuntimeError)
"""What aiohttp and the loops raise for what servers, networks and odd URLs do (uvloop: RuntimeError for an
address that it cannot use)."""


def _fault(error: BaseException, elapsed: Millis) -> Fault:
    reason, detail = _reason(error)
    return Fault(reason=reason, detail=detail, elapsed=elapsed)


def _reason(error: BaseException) -> tuple[Reason, str]:
    """What kind of failure an exception is, and in which words."""
    if isinstance(error, aiohttp.ClientConnectorError):
        # Our own words on the address, wrapped by the connector.
        cause = error.os_error
        error = cause if isinstance(cause, (PrivateAddress, UnknownHost)) else error
    if is_shortage(error):
        return Reason.OURSELVES, f"no connection for want of resources here, not there: {_words(error)}"
    match error:
        case PrivateAddress():
            return Reason.PRIVATE_ADDRESS, str(error)
        case UnknownHost() | aiohttp.ClientConnectorDNSError():
            return Reason.DNS, str(error)
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return Reason.TLS, _words(error)
        case aiohttp.ClientHttpProxyError():
            return Reason.CONNECT, f"the proxy answered {error.status} {error.message}"
        case aiohttp.ConnectionTimeoutError():
            return Reason.TIMEOUT, "no connection in time"
        case aiohttp.SocketTimeoutError():
            return Reason.TIMEOUT, "the server was silent for too long"
        case TimeoutError():
            return Reason.TIMEOUT, "no answer in time"
        case aiohttp.ServerDisconnectedError():
            return Reason.CONNECT, "the server closed the connection without an answer"
        case aiohttp.ClientResponseError() | aiohttp.InvalidURL() | aiohttp.ClientPayloadError():
            return Reason.PROTOCOL, _words(error)
        case OSError() | aiohttp.ClientConnectionError():
            return Reason.CONNECT, _words(error)
        case _:
            return Reason.PROTOCOL, _words(error)


def _without_cookies(headers: Headers) -> Headers:
    """What a server answers to whom it let in, without what would let in others."""
    return tuple([header for header in headers if header[0].lower() != "set-cookie"])


def _as_text(headers: tuple[tuple[bytes, bytes], ...]) -> tuple[tuple[str, str], ...]:
    """Headers as text from which the archive makes the very same bytes again."""
    coding, escape = "utf-8", "surrogateescape"
    return tuple([(name.decode(coding, escape), value.decode(coding, escape)) for name, value in headers])


def _words(error: BaseException) -> str:
    """An error in one line of at most 300 characters."""
    text = getattr(error, "message", "") or str(error) or type(error).__name__
    return " ".join(text.split())[:300]


def _millis_since(began: float) -> Millis:
    return Millis(round((time.perf_counter() - began) * 1000))
