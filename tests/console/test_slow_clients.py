"""Clients that say too little or take too little, and what is no HTTP: all are let go, and nobody waits for them."""

from __future__ import annotations

import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import httpx
import pytest
from tests.console.browsing import crawled, served

from lycosa.console.patience import LONGEST_HEAD, PatientProtocol
from lycosa.console.running import Address

SOON = 0.6
"""Seconds of patience in these tests."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("crawls")
    folder = crawled(found / "first", 60)
    long = "a long text " * 100
    with closing(sqlite3.connect(folder / "journal.db")) as connection:
        connection.execute("UPDATE steps SET title = ?, anchor = ? WHERE kind = 'page'", (long, long))
        connection.commit()
    return found


@pytest.fixture
def address(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Address]:
    monkeypatch.setattr(PatientProtocol, "whole_within", SOON)
    monkeypatch.setattr(PatientProtocol, "read_within", SOON)
    with served(place) as found:
        yield found


def connected(address: Address, *, small: bool = False) -> socket.socket:
    found = socket.socket()
    if small:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    found.settimeout(10)
    found.connect((address.host, address.port))
    return found


def dripped_until_cut(connection: socket.socket, drop: bytes) -> float:
    """Send a drop ten times a second until the server cuts the connection; after how many seconds it did."""
    began = time.monotonic()
    connection.settimeout(0.1)
    while time.monotonic() - began < 10:
        try:
            if connection.recv(4_096) == b"":
                break
        except TimeoutError:
            pass
        except OSError:
            break
        try:
            connection.sendall(drop)
        except OSError:
            break
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"", b""),
        (b"", b"G"),
        (b"GET / HTTP/1.1\r\n", b"X"),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X-A: b\r\n"),
    ],
    ids=["silence", "a request line", "a header", "headers"],
)
def test_requests_come_whole(address: Address, head: bytes, drop: bytes) -> None:
    with closing(connected(address)) as slow:
        slow.sendall(head)
        assert SOON / 2 < dripped_until_cut(slow, drop) < 5


def test_bodies_come_whole(address: Address) -> None:
    host = f"Host: 127.0.0.1:{address.port}\r\nContent-Type: application/json\r\n".encode()
    for head, drop in (
        (b"POST /api/v1/crawls HTTP/1.1\r\n" + host + b"Content-Length: 1000\r\n\r\n", b" "),
        (b"POST /api/v1/crawls HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    ):
        with closing(connected(address)) as slow:
            slow.sendall(head)
            assert SOON / 2 < dripped_until_cut(slow, drop) < 5


def test_the_second_request_of_a_connection_comes_whole_too(address: Address) -> None:
    with closing(connected(address)) as slow:
        slow.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n\r\n".encode())
        assert b"200 OK" in slow.recv(4_096)
        assert dripped_until_cut(slow, b"G") < 5


def told_to_the_end(connection: socket.socket) -> bytes:
    """All that the server says until it cuts the connection. Raises `TimeoutError` if it does not."""
    told = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            told += part
    return told


def gone(connection: socket.socket, within: float = 10) -> bool:
    """Whether the connection is reset while nothing is read of it: writing to it tells."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            connection.sendall(b"X")
        except OSError:
            return True
        threading.Event().wait(0.1)
    return False


@pytest.mark.parametrize("path", ["/api/v1/crawls/first/events?after=0", "/api/v1/crawls/first/export"])
def test_readers_read(place: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(PatientProtocol, "read_within", SOON)
    from lycosa.console.running import Server
    from lycosa.library.library import Library

    server = Server(Library([place]), port=0)
    server._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    with server.beside() as address, closing(connected(address, small=True)) as slow:
        slow.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n\r\n".encode())
        assert gone(slow)
        with httpx.Client(base_url=address.origin) as client:
            assert client.get("/healthz").status_code == 200
        until = time.monotonic() + 60
        while server.desk.hub.watchers("first") and time.monotonic() < until:
            threading.Event().wait(0.05)
        assert server.desk.hub.watchers("first") == 0, "nobody is watching any more"


def test_two_hundred_slow_clients_hold_up_nobody(address: Address) -> None:
    slow = [connected(address) for _ in range(200)]
    try:
        for each in slow:
            each.sendall(b"GET / HTTP/1.1\r\nHost: ")
        began = time.monotonic()
        assert httpx.get(f"{address.origin}/healthz").status_code == 200
        assert time.monotonic() - began < 2
        assert [told_to_the_end(each) for each in slow] == [b""] * 200
    finally:
        for each in slow:
            each.close()


GARBAGE = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"\x00\xff" * 500 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"0\r\n\r\nGET /new HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    b"GET /" + b"a" * 2 * LONGEST_HEAD + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * LONGEST_HEAD + b"\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
]


@pytest.mark.parametrize("sent", GARBAGE, ids=range(len(GARBAGE)))
def test_what_is_no_request_learns_nothing(address: Address, sent: bytes) -> None:
    with closing(connected(address)) as client:
        client.sendall(sent)
        client.settimeout(2 * SOON)
        answer = b""
        with suppress(ConnectionResetError, TimeoutError):  # what is kept alive is no request, but refused
            while part := client.recv(1 << 16):
                answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    codes = [line.split()[1] for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    assert set(codes) <= {b"400", b"421"}, answer
    if answer:
        assert b"default-src 'none'" in head
        assert b"uvicorn" not in answer.lower()
        assert b"Traceback" not in body
    assert httpx.get(f"{address.origin}/healthz").status_code == 200
