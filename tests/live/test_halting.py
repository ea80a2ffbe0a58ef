"""A halt ends at once what has not sent a byte, and a limit of time bounds everything."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.live.hostile import Hostile, hostile_thread

from lycosa.model.records import Fault, Millis, Reason
from lycosa.model.url import Url
from lycosa.web.http.dns import Router, parse_connect_to
from lycosa.web.http.live import Limits, LiveWeb

ROOT = Path(__file__).parents[2]


@pytest.fixture
def silent() -> Iterator[int]:
    """A port at which connections are made and nobody says anything: no TLS is ever agreed on."""
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listening:
        yield listening.getsockname()[1]


@pytest.fixture(scope="module")
def server() -> Iterator[Hostile]:
    with hostile_thread() as served:
        yield served


def test_what_has_sent_no_byte_retreats_at_once_and_what_has_comes_home(silent: int, server: Hostile) -> None:
    rules = [f"*:443:127.0.0.1:{silent}", f"*:80:127.0.0.1:{server.port}"]

    async def story() -> None:
        router = Router(connect_to=[parse_connect_to(rule) for rule in rules])
        web = LiveWeb(limits=Limits(total=Millis(3_000)), router=router)
        stuck = [asyncio.create_task(web.fetch(Url(f"https://h{n}.test/"))) for n in range(20)]
        sent = asyncio.create_task(web.fetch(Url("http://a.test/nothing")))
        async with asyncio.timeout(60):
            while not server.asked("/nothing"):  # noqa: ASYNC110 – it runs in another thread
                await asyncio.sleep(0.01)
        began = time.monotonic()
        web.retreat()
        home = await asyncio.gather(*stuck)
        assert time.monotonic() - began < 1
        assert {found.reason for found in home if isinstance(found, Fault)} == {Reason.TURN}
        assert not sent.done(), "it has sent its request, and waits for the answer"
        assert await web.fetch(Url("http://b.test/ok")) == home[0], "nothing new begins"
        late = await sent
        assert isinstance(late, Fault)
        assert late.reason is Reason.TIMEOUT
        await web.close()

    asyncio.run(story())


def crawling(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "lycosa.cli", "crawl", "bees", *arguments, "--out", str(folder), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "LYCOSA_CONTACT": "me@a.example"},
    )


def told(process: subprocess.Popen[str]) -> dict[str, object]:
    out, _ = process.communicate(timeout=60)
    found: dict[str, object] = json.loads(out.splitlines()[-1])
    return found


def test_sigterm_ends_a_crawl_whose_visits_are_all_stuck(silent: int, tmp_path: Path) -> None:
    seeds = [f"https://h{n}.test/" for n in range(60)]
    rule = f"*:443:127.0.0.1:{silent}"
    process = crawling(tmp_path / "crawl", *seeds, "--connect-to", rule, "--ignore-robots")
    assert process.stdout is not None
    process.stdout.readline()  # it has begun
    time.sleep(1)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    ended = told(process)
    assert time.monotonic() - began < 10, "far less than the limits of one visit"
    assert (ended["event"], process.returncode) == ("ended", 130)


def test_a_limit_of_time_bounds_visits_that_never_end(server: Hostile, tmp_path: Path) -> None:
    seeds = [f"http://h{n}.test/nothing" for n in range(40)]
    rule = f"*:80:127.0.0.1:{server.port}"
    began = time.monotonic()
    process = crawling(tmp_path / "crawl", *seeds, "--connect-to", rule, "--ignore-robots", "--time", "2s")
    ended = told(process)
    assert time.monotonic() - began < 2 + 5 + 15, "two seconds, the grace, and a busy machine"
    assert ended["event"] == "ended"
