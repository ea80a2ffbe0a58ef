"""A page that tries everything by which a page can act or fetch, and a server that counts what came of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TRIES = """\
<!DOCTYPE html>
<html manifest="{to}/manifest" onclick="fetch('{to}/onclick')">
<head>
<title>Hostile</title>
<meta http-equiv="refresh" content="0; url={to}/refresh">
<meta http-equiv="Content-Security-Policy" content="worker-src 'none'; report-uri {to}/report">
<meta http-equiv="set-cookie" content="told=1">
<base href="{to}/base/" target="_top">
<link rel="stylesheet" href="{to}/link.css">
<link rel="preload" as="image" href="{to}/preload.png">
<link rel="prefetch" href="{to}/prefetch">
<link rel="modulepreload" href="{to}/module.js">
<link rel="preconnect" href="{to}">
<link rel="dns-prefetch" href="//dns.{name}">
<link rel="preconnect" href="http://connect.{name}">
<link rel="prerender" href="{to}/prerender">
<link rel="manifest" href="{to}/manifest.json">
<link rel="icon" href="{to}/icon.png">
<link rel="import" href="{to}/import.html">
<script type="speculationrules">{{"prefetch": [{{"source": "list", "urls": ["{to}/speculation"]}}]}}</script>
<script src="{to}/script.js"></script>
<script>
fetch("{to}/fetch", {{mode: "no-cors"}});
navigator.sendBeacon("{to}/beacon");
new Image().src = "{to}/image-of-script";
try {{ new WebSocket("ws://127.0.0.1:" + new URL("{to}").port + "/socket"); }} catch {{}}
try {{ new EventSource("{to}/events"); }} catch {{}}
try {{ navigator.serviceWorker.register("/worker.js"); }} catch {{}}
try {{ parent.postMessage("hostile", "*"); }} catch {{}}
try {{ top.document.title = "taken"; }} catch {{}}
addEventListener("load", () => {{
  try {{ document.forms[0].submit(); }} catch {{}}
  try {{ open("{to}/popup"); }} catch {{}}
  setTimeout(() => {{ try {{ top.location = "{to}/top"; }} catch {{}} }}, 50);
}});
</script>
<style>
@import "{to}/import.css";
@import url({to}/import-url.css);
@font-face {{ font-family: f; src: url({to}/font.woff2); }}
body {{ font-family: f; background: url("{to}/background.png"); cursor: url({to}/cursor.cur), auto; }}
h1 {{ list-style-image: u\\72l({to}/escaped.png); background: \\75rl({to}/escaped-too.png); display: list-item; }}
h1::before {{ content: image-set("{to}/image-set.png" 1x); }}
p {{ border-image: url({to}/border.png) 1; mask: url({to}/mask.svg#m); filter: url({to}/filter.svg#f); }}
b[title^="a"] {{ background: url({to}/leak-a); }}
</style>
</head>
<body onload="fetch('{to}/onload')" background="{to}/body.png">
<h1 style="background-image: url({to}/style.png)">Hostile</h1>
<p>Words that are read. <b title="a">bold</b></p>
<a id="bait" href="{to}/link" ping="{to}/ping" target="_top">a link</a>
<a href="javascript:fetch('{to}/javascript')">another</a>
<map name="m"><area href="{to}/area" shape="default"></map>
<img src="{to}/img.png" srcset="{to}/srcset.png 2x" onerror="fetch('{to}/onerror')" usemap="#m" alt="a picture">
<img src="relative.png" loading="eager" longdesc="{to}/longdesc">
<img src="x" onerror="fetch('{to}/onerror2')">
<img src="http://pictures.{name}/named.png">
<picture><source srcset="{to}/source.png"><img src="{to}/picture.png"></picture>
<iframe src="{to}/iframe"></iframe>
<iframe srcdoc="<img src='{to}/srcdoc.png'><script>fetch('{to}/srcdoc')</script>"></iframe>
<object data="{to}/object"><param name="src" value="{to}/param"></object>
<embed src="{to}/embed">
<applet code="{to}/applet" archive="{to}/applet.jar"></applet>
<audio src="{to}/audio" autoplay></audio>
<video src="{to}/video" poster="{to}/poster.png" autoplay><track src="{to}/track" default></video>
<form action="{to}/form" method="post" id="f"><input name="q" value="v" autofocus onfocus="fetch('{to}/onfocus')">
<input type="image" src="{to}/input.png"><button formaction="{to}/formaction">Send</button></form>
<svg width="9" height="9" onload="fetch('{to}/svg-onload')"><image href="{to}/svg.png"/><use href="{to}/use.svg#u"/>
<script>fetch("{to}/svg-script")</script><a href="{to}/svg-link"><text>t</text></a>
<animate attributeName="href" values="{to}/animate"/></svg>
<math href="{to}/math"><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src={to}/mutated.png&gt;">
</table></mtext></math>
<table background="{to}/table.png"><tr><td background="{to}/cell.png">cell</td></tr></table>
<noscript><p title="</noscript><img src={to}/noscript.png>"></p></noscript>
<template><img src="{to}/template.png"></template>
<div><template shadowrootmode="open"><img src="{to}/shadow.png"></template></div>
<details open ontoggle="fetch('{to}/ontoggle')"><summary>More</summary>less</details>
<marquee onstart="fetch('{to}/onstart')">m</marquee>
<x-element style="background: url({to}/element.png)" onclick="fetch('{to}/x')">own element</x-element>
<portal src="{to}/portal"></portal><fencedframe src="{to}/fenced"></fencedframe>
<bgsound src="{to}/bgsound"><isindex action="{to}/isindex">
<frameset><frame src="{to}/frame"></frameset>
<!--><img src="{to}/comment.png">-->
<![CDATA[><img src="{to}/cdata.png">]]>
<textarea><img src="{to}/textarea.png"></textarea>
<xmp><img src="{to}/xmp.png"></xmp>
<p id="last">The last words.</p>
</body>
</html>
"""
"""What it tries; `to` is the server that it tries to reach, `name` a host of which only a look-up can be tried."""
HEADERS = (
    ("Refresh", "0; url={to}/header-refresh"),
    (
        "Link",
        "<{to}/header.css>; rel=stylesheet, <{to}/header.png>; rel=preload; as=image, <{to}>; rel=preconnect",
    ),
    ("Set-Cookie", "hostile=1"),
    ("Content-Security-Policy", "report-uri {to}/header-report"),
    ("Content-Security-Policy-Report-Only", "default-src 'none'; report-uri {to}/report-only"),
    ("Clear-Site-Data", '"*"'),
    ("Access-Control-Allow-Origin", "*"),
    ("Service-Worker-Allowed", "/"),
)
"""What its server says besides."""


def page_that_tries(to: str, name: str) -> str:
    return TRIES.format(to=to, name=name)


def headers_that_try(to: str) -> list[tuple[str, str]]:
    return [(name, value.format(to=to)) for name, value in HEADERS]


class Counter(ThreadingHTTPServer):
    """Answers everything with nothing, and remembers every request; `pages` are answered with themselves."""

    daemon_threads = True

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.connections = 0
        self.pages: dict[str, tuple[str, list[tuple[str, str]]]] = {}
        super().__init__(("127.0.0.1", 0), _Answer)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def get_request(self):  # type: ignore[no-untyped-def]
        self.connections += 1
        return super().get_request()


class _Answer(BaseHTTPRequestHandler):
    server: Counter

    def do_GET(self) -> None:
        if self.path in self.server.pages:
            body, headers = self.server.pages[self.path]
            self._say(200, body, [("Content-Type", "text/html; charset=utf-8"), *headers])
            return
        self.server.seen.append(self.path)
        self._say(404, "", [])

    do_POST = do_HEAD = do_GET

    def _say(self, status: int, body: str, headers: list[tuple[str, str]]) -> None:
        written = body.encode()
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(written)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def counting() -> Iterator[Counter]:
    """A server on loopback that nobody is to reach."""
    with Counter() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
