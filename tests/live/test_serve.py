"""A served web answers as the web itself does, by virtual hosts and as a proxy."""

from __future__ import annotations

import asyncio
import http.client
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lycosa.archive.collection import Collection
from lycosa.archive.warc import WarcArchive
from lycosa.crawl.ports import Web
from lycosa.model.errors import InputError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Response
from lycosa.model.url import Url
from lycosa.web.made.graph_web import GraphWeb, WebShape
from lycosa.web.recorded import RecordedWeb
from lycosa.web.serve import Served, serve

Answer = tuple[int, dict[str, str], bytes]


def response(url: str, status: int, body: bytes, *headers: tuple[str, str]) -> Response:
    return Response(
        url=Url(url),
        status=status,
        headers=headers,
        body=body,
        fetched_at=Millis(1_000_000),
        elapsed=Millis(5),
    )


@pytest.fixture
def web(tmp_path: Path) -> RecordedWeb:
    archive = WarcArchive.open(tmp_path)
    for recorded in (
        response(
            "http://a.example/", 200, b"home", ("Content-Type", "text/html"), ("Content-Encoding", "gzip")
        ),
        response("http://a.example/old", 301, b"", ("Location", "http://a.example/")),
        response("http://a.example/gone", 404, b"no such page", ("Transfer-Encoding", "chunked")),
        response("http://a.example/broken", 500, b"oops"),
        response("http://a.example/same", 304, b""),
        response(
            "http://a.example/robots.txt",
            200,
            b"User-agent: *\nDisallow: /x\n",
            ("Content-Type", "text/plain"),
        ),
        response("https://b.example/?q=1", 200, b"secure", ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")),
    ):
        archive.write(recorded)
    archive.close()
    return RecordedWeb(Collection.open([tmp_path]))


@contextmanager
def serving(web: Web) -> Iterator[int]:
    """Serve on another thread, so that the blocking clients of the standard library can be used."""
    ready = threading.Event()
    found: list[tuple[int, Callable[[], object]]] = []

    async def main() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        async with Served(web) as served:
            found.append((served.port, lambda: loop.call_soon_threadsafe(ended.set)))
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    assert ready.wait(60)
    port, stop = found[0]
    try:
        yield port
    finally:
        stop()
        thread.join(60)
        assert not thread.is_alive()


@contextmanager
def connected(web: Web) -> Iterator[http.client.HTTPConnection]:
    with serving(web) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            yield connection
        finally:
            connection.close()


def ask(
    connection: http.client.HTTPConnection, target: str, host: str | None = None, method: str = "GET"
) -> Answer:
    connection.request(method, target, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def test_every_host_is_reached_by_its_name(web: RecordedWeb) -> None:
    with connected(web) as connection:
        status, headers, body = ask(connection, "/", "a.example")
        assert (status, body, headers["content-length"]) == (200, b"home", "4")
        assert "content-encoding" not in headers
        assert ask(connection, "/", f"A.example:{connection.port}")[2] == b"home"
        assert ask(connection, "/?q=1", "b.example")[2] == b"secure"


def test_status_codes_redirects_and_robots_are_played_as_recorded(web: RecordedWeb) -> None:
    with connected(web) as connection:
        status, headers, body = ask(connection, "/old", "a.example")
        assert (status, headers["location"], body) == (301, "http://a.example/", b"")
        assert ask(connection, "/gone", "a.example")[::2] == (404, b"no such page")
        assert ask(connection, "/broken", "a.example")[::2] == (500, b"oops")
        assert ask(connection, "/same", "a.example")[::2] == (304, b"")
        assert ask(connection, "/robots.txt", "a.example")[2] == b"User-agent: *\nDisallow: /x\n"
        assert ask(connection, "/robots.txt", "b.example")[0] == 404


def test_head_has_the_length_and_no_body(web: RecordedWeb) -> None:
    with connected(web) as connection:
        status, headers, body = ask(connection, "/", "a.example", "HEAD")
        assert (status, headers["content-length"], body) == (200, "4", b"")
        assert ask(connection, "/", "a.example")[2] == b"home"


def test_as_a_proxy_it_takes_whole_urls(web: RecordedWeb) -> None:
    with connected(web) as connection:
        assert ask(connection, "http://a.example/")[2] == b"home"
        assert ask(connection, "http://a.example")[2] == b"home"
        assert ask(connection, "https://b.example/?q=1")[2] == b"secure"


def test_what_was_not_recorded_is_404_and_explained(web: RecordedWeb) -> None:
    with connected(web) as connection:
        status, _, body = ask(connection, "/<nowhere>", "a.example")
        assert status == 404
        assert b"not recorded" in body
        assert b"<nowhere>" not in body, "the URL is escaped"


def test_other_pages_are_served_when_one_record_is_damaged(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    bad = archive.write(response("http://a.example/bad", 200, b"soon damaged"))
    archive.write(response("http://a.example/good", 200, b"good"))
    archive.close()
    with (tmp_path / bad.file).open("r+b") as file:
        file.seek(bad.offset + bad.length // 2)
        file.write(b"\0" * 8)
    with connected(RecordedWeb(Collection.open([tmp_path]))) as connection:
        assert ask(connection, "/bad", "a.example")[0] == 502
        assert ask(connection, "/good", "a.example")[2] == b"good"


REFUSED = [
    (b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n", b"501"),
    (b"POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n", b"405"),
    (b"GET / HTTP/1.1\r\n\r\n", b"400"),
    (b"nonsense\r\n\r\n", b"400"),
    (b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000, b"431"),
]


@pytest.mark.parametrize(
    ("sent", "status"), REFUSED, ids=["connect", "post", "no-host", "nonsense", "endless"]
)
def test_what_it_does_not_do_is_refused_and_the_connection_closed(
    web: RecordedWeb, sent: bytes, status: bytes
) -> None:
    async def refusal() -> bytes:
        async with Served(web) as served:
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(sent)
            answer = await asyncio.wait_for(reader.read(), 60)
            writer.close()
            return answer

    assert asyncio.run(refusal()).split(b" ")[1] == status


def test_pipelined_requests_are_answered_in_order(web: RecordedWeb) -> None:
    async def ask_all() -> bytes:
        slow_first = iter([Millis(50), Millis(0), Millis(0)])
        async with Served(web, latency=lambda url: next(slow_first)) as served:
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            for path in (b"/", b"/gone"):
                writer.write(b"GET %b HTTP/1.1\r\nHost: a.example\r\n\r\n" % path)
            writer.write(b"GET /broken HTTP/1.0\r\nHost: a.example\r\n\r\n")
            answer = await asyncio.wait_for(reader.read(), 60)
            writer.close()
            return answer

    answer = asyncio.run(ask_all())
    assert answer.index(b"home") < answer.index(b"no such page") < answer.index(b"oops")


class Conditional:
    """Answers 304 to whom shows its ETag. Remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self.asked.append(ask)
        return response(url, 304 if ask.etag == '"caf\xe9"' else 200, b"page", ("ETag", '"caf\xe9"'))

    async def close(self) -> None:
        """Nothing is open."""


def test_the_web_is_told_of_conditions() -> None:
    web, since = Conditional(), "Wed, 21 Oct 2015 07:28:00 GMT"
    with connected(web) as connection:
        for conditions in ({}, {"If-None-Match": '"caf\xe9"'}, {"If-Modified-Since": since}):
            connection.request("GET", "/", headers={"Host": "a.example", **conditions})
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (
                (304, b"") if "If-None-Match" in conditions else (200, b"page")
            )
    assert web.asked == [PLAIN, Ask(etag='"caf\xe9"'), Ask(modified_since=since)]


def test_same_bytes_in_a_crawl_over_http_as_of_the_web_itself() -> None:
    web = GraphWeb(WebShape(pages=300, hosts=20, redirects=0.1, failures=0.1), seed=4)
    with connected(web) as connection:
        for number in range(300):
            url = web.url(number)
            found = asyncio.run(web.fetch(url))
            status, headers, body = ask(connection, "/" + url.split("/", 3)[3], url.split("/")[2])
            if isinstance(found, Fault):
                assert status in (502, 504)
            else:
                assert (status, body) == (found.status, found.body)
                assert headers.get("location") == found.header("location")


def test_a_served_recording_gives_the_recorded_bytes(shared: Path) -> None:
    collection = Collection.open([shared / "webs" / "webkb"])
    web = RecordedWeb(collection)
    urls = [capture.url for capture in collection.captures()][::40]
    with connected(web) as connection:
        for url in urls:
            found = asyncio.run(web.fetch(Url(url)))
            assert isinstance(found, Response)
            assert ask(connection, url)[::2] == (found.status, found.body), url


def test_serving_ends_when_it_is_interrupted(web: RecordedWeb) -> None:
    async def interrupted() -> list[str]:
        said: list[str] = []
        listening = asyncio.Event()

        def say(line: str) -> None:
            said.append(line)
            listening.set()

        task = asyncio.create_task(serve(web, say=say))
        await asyncio.wait_for(listening.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return said

    (line,) = asyncio.run(interrupted())
    assert "http://127.0.0.1:" in line


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_quietly_when_told_to(web: RecordedWeb, tmp_path: Path, how: signal.Signals) -> None:
    program = (
        "import sys, pathlib, signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from lycosa.archive.collection import Collection\n"
        "from lycosa.web.recorded import RecordedWeb\n"
        "from lycosa.web.serve import run\n"
        "run(RecordedWeb(Collection.open([pathlib.Path(sys.argv[1])])))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert b"Serving on http://127.0.0.1:" in process.stdout.readline()
        process.send_signal(how)
        assert process.communicate(timeout=60) == (b"", b"")
        assert process.returncode == 0


def test_the_front_page_of_its_own_address_lists_the_hosts(web: RecordedWeb, tmp_path: Path) -> None:
    async def asked() -> dict[str, bytes]:
        answers: dict[str, bytes] = {}
        collection = Collection.open([tmp_path])
        async with Served(web, hosts=collection.hosts) as served:
            for host in ("127.0.0.1", f"127.0.0.1:{served.port}", "localhost", "a.example", "c.example"):
                reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
                writer.write(f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
                answers[host.partition(":")[0] + (":" if ":" in host else "")] = await reader.read()
                writer.close()
        collection.close()
        return answers

    answers = asyncio.run(asked())
    for own in ("127.0.0.1", "127.0.0.1:", "localhost"):
        assert answers[own].startswith(b"HTTP/1.1 200 ")
        assert b"<td>a.example<td>6\n" in answers[own]
        assert b"<td>b.example<td>1\n" in answers[own]
    assert answers["a.example"].endswith(b"\r\n\r\nhome")
    assert answers["c.example"].startswith(b"HTTP/1.1 404 ")


def test_it_runs_on_uvloop_too(web: RecordedWeb) -> None:
    uvloop = pytest.importorskip("uvloop")

    async def ask_one() -> bytes:
        async with Served(web) as served:
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(b"GET / HTTP/1.0\r\nHost: a.example\r\n\r\n")
            answer = await asyncio.wait_for(reader.read(), 60)
            writer.close()
            return answer

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(ask_one()).endswith(b"\r\n\r\nhome")


def test_a_port_in_use_is_said(web: RecordedWeb) -> None:
    async def twice() -> None:
        async with Served(web) as first, Served(web, port=first.port):
            pass

    with pytest.raises(InputError, match="--port"):
        asyncio.run(twice())
