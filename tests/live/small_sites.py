"""A web site of a few files, over HTTP on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class File(NamedTuple):
    """What is answered at a path."""

    body: bytes
    media_type: str = "text/html; charset=utf-8"
    header: tuple[str, str] | None = None


class SmallSite(NamedTuple):
    """Where a site listens, as `--connect-to` has it, and what it was asked so far, in order."""

    address: str
    asked: list[str]


@contextmanager
def small_site(files: Mapping[str, File]) -> Iterator[SmallSite]:
    """A server of these files by path; others are not found."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            file = files.get(self.path, File(b""))
            self.send_response(200 if file.body else 404)
            self.send_header("Content-Type", file.media_type)
            self.send_header("Content-Length", str(len(file.body)))
            if file.header is not None:
                self.send_header(*file.header)
            self.end_headers()
            self.wfile.write(file.body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is told of requests but `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield SmallSite(f"127.0.0.1:{server.server_port}", asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
