"""A small Common Crawl and a small Wayback Machine over HTTP: an index that answers as pywb's or as the Wayback
Machine's, WARC files by ranges of bytes, and replay. It notes what it is asked, and misbehaves where it is told to."""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Self
from urllib.parse import parse_qs, unquote, urlsplit

from lycosa.archive.cdxj import Capture
from lycosa.archive.collection import Collection
from lycosa.model.records import PLAIN, Ask, Millis, Response
from lycosa.model.url import Url, surt

Answer = tuple[int, dict[str, str], bytes]
Trouble = Callable[[str], Answer | None]
"""What is answered to a path instead; None: what it should be."""


class CdxArchive:
    """Answers for the WARC files of a folder, as a web that is asked without a network.

    `asked` has the path of each request, and when it came and went.
    """

    base = "http://archive.test"

    def __init__(self, folder: Path) -> None:
        self._collection = Collection.open([folder])
        self._files = {file.name: file for file in self._collection.files}
        self._lines = sorted(
            ((surt(capture.url), stamp(capture), capture) for capture in self._collection.captures()),
            key=lambda line: line[:2],
        )
        self.asked: list[tuple[str, float, float]] = []
        self.spans: list[str] = []
        self.told = 0
        """Bytes of what the index answered."""
        self.trouble: Trouble = lambda path: None
        self.site: dict[str, bytes] = {}
        """Pages of a site that it serves besides, as HTML."""
        self.folder = folder

    def captures(self) -> list[Capture]:
        return [capture for _, _, capture in self._lines]

    def line(self, url: str) -> Capture:
        """The latest capture of a URL."""
        return next(capture for capture in reversed(self.captures()) if capture.url == url)

    @property
    def cdx(self) -> str:
        """The name of this archive by index and ranges."""
        return f"cdx:{self.base}/CC-index#{self.base}/data/"

    @property
    def pywb(self) -> str:
        """The name of this archive by replay."""
        return f"pywb:{self.base}/coll"

    def count(self, part: str = "") -> int:
        """How many requests there were whose path has this part."""
        return sum(part in path for path, _, _ in self.asked)

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response:
        path = url.removeprefix(self.base)
        status, headers, body = self.answer(path, ask.span)
        self.asked.append((path, 0.0, 0.0))
        return Response(
            url=url,
            status=status,
            headers=tuple(headers.items()),
            body=body,
            fetched_at=Millis(1_800_000_000_000),
        )

    async def close(self) -> None:
        self._collection.close()

    def answer(self, path: str, span: str) -> Answer:
        self.spans += [span] if span else []
        if (instead := self.trouble(path)) is not None:
            return instead
        parts = urlsplit(path)
        if parts.path in ("/CC-index", "/coll/cdx", "/cdx/search/cdx"):
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            status, headers, body = self._told(asked, rows=parts.path == "/cdx/search/cdx")
            self.told += len(body)
            return status, headers, body
        if parts.path.startswith("/data/"):
            return self._range(unquote(parts.path).rpartition("/")[2], span)
        if found := re.fullmatch(r"/(?:coll|web)/(\d{14})id_/(.*)", path):
            return self._replayed(found[1], unquote(found[2]), prefixed="/web/" in path)
        if path in self.site:
            return (
                200,
                {"Content-Type": "text/plain" if path.endswith(".txt") else "text/html"},
                self.site[path],
            )
        return 404, {}, b"not found"

    def _told(self, asked: dict[str, str], *, rows: bool) -> Answer:
        key, until = surt(asked["url"]), asked.get("to", "").ljust(14, "9")
        prefix = asked.get("matchType") == "prefix"
        lines = [
            (k, capture)
            for k, time, capture in self._lines
            if (k.startswith(key) if prefix else k == key) and asked.get("from", "") <= time <= until
        ]
        limit = int(asked.get("limit", 0))
        lines = lines[::-1] if asked.get("sort") == "reverse" else lines
        lines = lines[limit:] if limit < 0 else lines[: limit or None]
        if rows:
            names = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
            table = [
                names,
                *(
                    [k, stamp(c), c.url, c.mime, str(c.status), c.digest[5:], str(c.ref.length)]
                    for k, c in lines
                ),
            ]
            return 200, {}, (",\n".join(map(json.dumps, table if lines else []))).join("[]").encode()
        if not lines:
            return 404, {}, json.dumps({"message": f"No Captures found for: {asked['url']}"}).encode()
        return 200, {}, b"".join(json.dumps(_values(k, capture)).encode() + b"\n" for k, capture in lines)

    def _range(self, name: str, span: str) -> Answer:
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", span)
        if name not in self._files or found is None:
            return 404, {}, b""
        first, last = int(found[1]), int(found[2])
        with self._files[name].open("rb") as file:
            file.seek(first)
            return 206, {}, file.read(last - first + 1)

    def _replayed(self, time: str, url: str, *, prefixed: bool) -> Answer:
        at = next((c.at for _, t, c in self._lines if t == time and c.url == url), None)
        found = None if at is None else self._collection.find(Url(url), at)
        if found is None:
            return 404, {}, b"not in the archive"
        prefix = "X-Archive-Orig-" if prefixed else ""
        kept = {prefix + name: value for name, value in found.headers if name.lower() != "content-length"}
        when = datetime.fromtimestamp(found.fetched_at // 1000, UTC)
        shown = {**kept, "Memento-Datetime": when.strftime("%a, %d %b %Y %H:%M:%S GMT")}
        return found.status, shown, found.body


class CdxServer(CdxArchive):
    """The same over HTTP, or, with a certificate, over HTTPS."""

    def __init__(self, folder: Path, certificate: Path | None = None) -> None:
        super().__init__(folder)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.base = f"http://127.0.0.1:{self.port}"
        if certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._collection.close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                began = time.monotonic()
                status, headers, body = outer.answer(self.path, self.headers.get("Range", ""))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                outer.asked.append((self.path, began, time.monotonic()))
                self.wfile.write(body)
                if int(headers.get("Content-Length", len(body))) != len(body):
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


def stamp(capture: Capture) -> str:
    return datetime.fromtimestamp(capture.at // 1000, UTC).strftime("%Y%m%d%H%M%S")


def _values(key: str, capture: Capture) -> dict[str, str]:
    return {
        "urlkey": key,
        "timestamp": stamp(capture),
        "url": capture.url,
        "mime": capture.mime,
        "status": str(capture.status),
        "digest": capture.digest.removeprefix("sha1:"),
        "length": str(capture.ref.length),
        "offset": str(capture.ref.offset),
        "filename": f"crawl-data/CC/{capture.ref.file}",
    }
