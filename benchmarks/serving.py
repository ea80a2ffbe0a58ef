"""Serves a folder of pages on loopback from a process of its own, so that its CPU is not counted.

nginx where it is installed (``apt install nginx-light``, or NGINX_PROGRAM names it), else a server in Python that holds
all pages in memory.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

_CONFIGURATION = """
daemon off; master_process off; worker_processes 1; pid {run}/pid; error_log {run}/error.log crit; user root;
events {{ worker_connections 512; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; keepalive_timeout 600;
  open_file_cache max=20000; open_file_cache_valid 600;
  types {{ text/html html; text/plain txt; }} default_type application/octet-stream; charset utf-8;
  client_body_temp_path {run}/b; proxy_temp_path {run}/p; fastcgi_temp_path {run}/f;
  uwsgi_temp_path {run}/u; scgi_temp_path {run}/s;
  server {{ listen 127.0.0.1:{port}; root {root}; index index.html; }}
}}
"""


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Serve while the block runs. Gives the base URL, without a slash at its end, and the server's name."""
    nginx = os.environ.get("NGINX_PROGRAM") or shutil.which("nginx")
    with _by_nginx(nginx, folder) if nginx else _by_python(folder) as port:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}", "nginx" if nginx else "benchmarks/serving.py"


@contextmanager
def _by_nginx(program: str, folder: Path) -> Iterator[int]:
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="lycosa-nginx-") as run:
        configuration = Path(run) / "nginx.conf"
        configuration.write_text(_CONFIGURATION.format(run=run, port=port, root=folder.resolve()))
        server = subprocess.Popen([program, "-c", str(configuration), "-e", f"{run}/error.log"])
        try:
            yield port
        finally:
            server.terminate()
            server.wait()


@contextmanager
def _by_python(folder: Path) -> Iterator[int]:
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(folder, theirs), daemon=True)
    server.start()
    try:
        yield ours.recv()
    finally:
        server.terminate()
        server.join()


def _serve(folder: Path, pipe: Connection) -> None:
    answers = {
        f"/{file.name}": _answer(file) for file in folder.iterdir() if file.suffix in (".html", ".txt")
    }
    answers["/"] = answers.get("/index.html", _MISSING)

    class Server(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            self.transport = transport

        def data_received(self, chunk: bytes) -> None:
            for request in chunk.split(b"\r\n\r\n")[:-1]:
                path = request.split(b" ", 2)[1].decode("ascii", "replace")
                self.transport.write(answers.get(path, _MISSING))

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


_MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nnone"


def _answer(file: Path) -> bytes:
    kind = "text/html" if file.suffix == ".html" else "text/plain"
    body = file.read_bytes()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise SystemExit(f"the server did not open port {port}")
