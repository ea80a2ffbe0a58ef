"""A page that tries every way out of a browser there is, and sockets that count who comes.

The same page is shown by the same Chromium without its guards, so that it is known to get out where nobody holds it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory

import pytest
from msgspec import structs
from tests.browser.sites import CHROMIUM, Site, needs_chromium, response

from lycosa.model.records import Fault
from lycosa.model.rendering import Rendered, StillPage
from lycosa.web.browser.browsers import Browsers
from lycosa.web.browser.limits import BrowserLimits

pytestmark = needs_chromium

WORKER = """
try { importScripts("AWAY/imported"); } catch {}
fetch("AWAY/worker-fetch", {mode: "no-cors"}).catch(() => 0);
try { new WebSocket("ws://HOST/worker-socket"); } catch {}
try { const x = new XMLHttpRequest(); x.open("GET", "AWAY/worker-xhr"); x.send(); } catch {}
"""
PAGE = """<!DOCTYPE html><meta charset=utf-8><title>hostile</title>
<link rel=dns-prefetch href="AWAY/dns"><link rel=preconnect href="AWAY/preconnect">
<link rel=preload as=image href="AWAY/preload"><link rel=prefetch href="AWAY/prefetch">
<link rel=modulepreload href="AWAY/modulepreload"><link rel=stylesheet href="AWAY/style">
<link rel=manifest href="AWAY/manifest"><link rel=icon href="AWAY/icon"><link rel=prerender href="AWAY/prerender">
<script type=speculationrules>{"prefetch": [{"urls": ["AWAY/speculated"], "eagerness": "immediate"}],
 "prerender": [{"urls": ["AWAY/prerendered"], "eagerness": "immediate"}]}</script>
<style>@import url(AWAY/import); @font-face {font-family: f; src: url(AWAY/font)}
 body {background: url(AWAY/background); font-family: f} p::before {content: url(AWAY/content)}</style>
<body><p>text in that font</p>
<img src="AWAY/img"><img srcset="AWAY/srcset 1x"><picture><source srcset="AWAY/source"><img></picture>
<video src="AWAY/video" poster="AWAY/poster" autoplay></video><audio src="AWAY/audio" autoplay></audio>
<iframe src="AWAY/frame"></iframe><iframe srcdoc="<img src=AWAY/srcdoc>"></iframe>
<iframe sandbox="allow-scripts" src="AWAY/sandboxed"></iframe>
<object data="AWAY/object"></object><embed src="AWAY/embed"><svg><image href="AWAY/svg"/><use href="AWAY/use#a"/></svg>
<form id=form action="AWAY/form" method=post target=_blank><input name=a value=b></form>
<form id=get action="AWAY/get-form" target=there><input name=a value=b></form><iframe name=there></iframe>
<a id=ping href="#x" ping="AWAY/ping">a</a><a id=down href="AWAY/download" download>b</a>
<script>
const away = "AWAY", host = "HOST";
const attempt = f => { try { const r = f(); if (r && r.catch) r.catch(() => 0); } catch {} };
attempt(() => fetch(away + "/fetch", {mode: "no-cors"}));
attempt(() => fetch(away + "/keepalive", {mode: "no-cors", keepalive: true}));
attempt(() => fetch(away + "/post", {method: "POST", body: "a", mode: "no-cors"}));
attempt(() => fetch(away + "/put", {method: "PUT", body: "a"}));
attempt(() => fetch(away + "/fetch-later", {mode: "no-cors", targetAddressSpace: "local"}));
attempt(() => window.fetchLater && fetchLater(away + "/later", {activateAfter: 0}));
attempt(() => { const x = new XMLHttpRequest(); x.open("GET", away + "/xhr"); x.send(); });
attempt(() => navigator.sendBeacon(away + "/beacon", "a"));
attempt(() => new EventSource(away + "/events"));
attempt(() => new WebSocket("ws://" + host + "/socket"));
attempt(() => new WebSocketStream("ws://" + host + "/socket-stream").opened);
attempt(() => new WebTransport("https://" + host + "/transport").ready);
attempt(() => { new Image().src = away + "/image"; });
attempt(() => import(away + "/dynamic-import"));
attempt(() => new FontFace("g", "url(" + away + "/font-face)").load());
attempt(() => new Worker("/worker.js"));
attempt(() => new Worker(URL.createObjectURL(new Blob([WORKER_TEXT]))));
attempt(() => new SharedWorker("/worker.js"));
attempt(() => navigator.serviceWorker.register("/worker.js"));
attempt(() => caches.open("c").then(c => c.add(new Request(away + "/cached", {mode: "no-cors"}))));
attempt(() => document.fonts.load("12px f"));
attempt(() => CSS.paintWorklet && CSS.paintWorklet.addModule(away + "/worklet"));
attempt(() => new AudioContext().audioWorklet.addModule(away + "/audio-worklet"));
attempt(() => new Worker(away + "/foreign-worker"));
attempt(() => {
  const frame = document.createElement("iframe"); document.body.append(frame);
  attempt(() => frame.contentWindow.fetch(away + "/blank-frame", {mode: "no-cors"}));
  const Peer = window.RTCPeerConnection || frame.contentWindow.RTCPeerConnection;
  const peer = new Peer({iceServers: [{urls: "stun:127.0.0.1:UDP"},
    {urls: "turn:127.0.0.1:UDP", username: "a", credential: "b"},
    {urls: "turn:" + host + "?transport=tcp", username: "a", credential: "b"}]});
  peer.createDataChannel("a"); peer.createOffer().then(o => peer.setLocalDescription(o));
});
attempt(() => { const w = open(away + "/window"); w && w.focus(); });
attempt(() => document.getElementById("form").submit());
attempt(() => document.getElementById("get").submit());
attempt(() => document.getElementById("ping").click());
attempt(() => document.getElementById("down").click());
attempt(() => fetch("/redirect", {mode: "no-cors"}));
attempt(() => fetch("http://169.254.169.254/latest/meta-data/"));
attempt(() => fetch("http://[::1]:1/six")); attempt(() => fetch("http://localhost:1/name"));
attempt(() => { location.href = "file:///etc/passwd"; });
attempt(() => { const f = document.createElement("iframe"); f.src = "file:///etc/passwd"; document.body.append(f); });
attempt(() => { const f = document.createElement("iframe"); f.src = "chrome://version"; document.body.append(f); });
setTimeout(() => attempt(() => { location.href = away + "/location"; }), 700);
</script><meta http-equiv=refresh content="1;url=AWAY/refresh">
"""


ASKED = {
    *("/img", "/srcset", "/style", "/import", "/font", "/background", "/svg", "/video", "/preload"),
    *("/frame", "/srcdoc", "/sandboxed", "/object", "/embed", "/blank-frame"),
    *(
        "/fetch",
        "/keepalive",
        "/xhr",
        "/dynamic-import",
        "/worker-fetch",
        "/worker-xhr",
        "/imported",
        "/redirected",
    ),
}
"""What a page may ask for, if whoever answers has it."""
NEVER = {
    *(
        "/socket",
        "/worker-socket",
        "/socket-stream",
        "/transport",
        "/beacon",
        "/ping",
        "/post",
        "/put",
        "/form",
    ),
    *("/location", "/refresh", "/window", "/prefetch", "/speculated", "/prerendered", "/icon"),
}
"""What nobody is asked for."""
WAYS = ASKED - {"/redirected"} | {"/socket", "/beacon", "/post", "/ping", "/location"}


@dataclass
class Sockets:
    """A port, TCP and UDP, that answers everything and notes what was asked; paths of requests, and datagrams."""

    met: Counter[str] = field(default_factory=Counter)
    port: int = 0
    page: str = ""
    """What stands at the root."""
    worker: str = ""
    datagrams: int = 0
    served: list[asyncio.Task[None]] = field(default_factory=list)
    out: asyncio.Event = field(default_factory=asyncio.Event)
    """Somebody got out in each of the `WAYS`."""

    def note(self, path: str) -> None:
        self.met[path] += 1
        if self.datagrams and self.met.keys() >= WAYS:
            self.out.set()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.met["connection"] += 1
        task = asyncio.current_task()
        assert task is not None
        self.served.append(task)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split()[1].decode("latin-1").partition("?")[0]
                self.note(path)
                sort, body = b"text/html", b"ok"
                if path == "/":
                    body = self.page.encode()
                elif path.endswith(".js"):
                    sort, body = b"text/javascript", self.worker.encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n" % sort)
                writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        writer.close()


class Datagrams(asyncio.DatagramProtocol):
    def __init__(self, sockets: Sockets) -> None:
        self._sockets = sockets

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._sockets.datagrams += 1
        self._sockets.note("a datagram")


@asynccontextmanager
async def sockets() -> AsyncIterator[Sockets]:
    found = Sockets()
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    loop = asyncio.get_running_loop()
    udp, _ = await loop.create_datagram_endpoint(lambda: Datagrams(found), ("127.0.0.1", found.port))
    try:
        yield found
    finally:
        server.close()
        udp.close()
        await asyncio.gather(*found.served)  # whoever came is gone


def hostile(at: Sockets, home: str) -> Site:
    """The page, and what it may ask its own site for."""

    def told(text: str) -> str:
        return text.replace("AWAY", f"http://{at.host}").replace("HOST", at.host).replace("UDP", str(at.port))

    at.page = told(PAGE.replace("WORKER_TEXT", repr(WORKER.replace("\n", " "))))
    at.worker = told(WORKER)
    away = response(f"{home}redirect", "", Location=f"http://{at.host}/redirected")
    redirect = structs.replace(away, status=302)
    worker = response(f"{home}worker.js", at.worker, "text/javascript")
    return Site({redirect.url: redirect, worker.url: worker})


@pytest.mark.parametrize("home", ["http://site.example/", "https://site.example/"])
@pytest.mark.parametrize("apart", [True, False])
def test_nothing_unasked(home: str, apart: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over https more is allowed to a page: service workers, for one. `apart`: in a network of its own, where the
    system has that; each of the other guards must do without."""
    if not apart:
        monkeypatch.setattr("lycosa.web.browser.chromium._APART", None)

    async def look() -> tuple[Sockets, Site, Rendered | Fault]:
        async with sockets() as at:
            site = hostile(at, home)
            browsers = Browsers(BrowserLimits())
            try:
                still = StillPage(response=response(home, at.page), rounds=2)
                found = await browsers.render(still, site.answer)
                await browsers.render(StillPage(response=response(home, "the next")), site.answer)
            finally:
                await browsers.close()
            return at, site, found

    at, site, found = asyncio.run(look())
    assert isinstance(found, Rendered), found
    assert (at.met, at.datagrams) == (Counter(), 0)
    paths = {url.removeprefix(f"http://{at.host}") for url in site.urls()}
    assert paths >= {
        "/img",
        "/fetch",
        "/style",
        "/font",
        "/frame",
        "/worker-fetch",
        "/imported",
        "/redirected",
    }
    assert not paths & {"/post", "/socket", "/beacon", "/location", "/download", "/form", "/prefetch"}
    assert all(one.method == "GET" for one in site.asked)
    assert found.left_for is not None
    assert found.left_for.startswith(f"http://{at.host}/")


def test_without_guards_the_same_page_gets_out() -> None:
    """So a socket that nobody came to was one that somebody would have come to."""

    async def look() -> Sockets:
        async with sockets() as at:
            hostile(at, f"http://{at.host}/")
            with TemporaryDirectory(ignore_cleanup_errors=True) as home:
                assert CHROMIUM is not None
                flags = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={home}")
                process = await asyncio.create_subprocess_exec(
                    CHROMIUM,
                    *flags,
                    "--remote-debugging-port=0",  # it stays open
                    f"http://{at.host}/",
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.DEVNULL,
                )
                try:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(30):
                            await at.out.wait()
                finally:
                    process.kill()
                    await process.wait()
            return at

    at = asyncio.run(look())
    assert WAYS - set(at.met) == set()
    assert at.datagrams > 0
