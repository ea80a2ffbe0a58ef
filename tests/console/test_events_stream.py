"""The event stream of a crawl: that ends, is killed, is resumed, whose folder goes away; and who comes again."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.console.browsing import SAMPLE, SEED, crawled, served

from lycosa.archive.collection import Collection
from lycosa.console.running import PATIENCE, Address, Server
from lycosa.library.library import Library
from lycosa.library.new_crawl import NewCrawl
from lycosa.watch.hub import Hub
from lycosa.web.recorded import RecordedWeb
from lycosa.web.serve import Served

Event = tuple[str, str, Any]
"""Kind, id, and what is told."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hub.__init__, "__kwdefaults__", {"every": 0.1})


def events(address: Address, last: str = "", **query: str) -> Iterator[Event]:
    """What a browser is told of the crawl `first`."""
    headers = {"Last-Event-ID": last} if last else {}
    url = f"{address.origin}/api/v1/crawls/first/events"
    with httpx.stream("GET", url, headers=headers, params=query, timeout=30) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        told: dict[str, str] = {}
        for line in answer.iter_lines():
            if line:
                name, _, value = line.partition(": ")
                told[name] = value
            elif "event" in told:
                yield told["event"], told.get("id", ""), json.loads(told["data"])
                told = {}


def until(stream: Iterator[Event], kind: str, **facts: Any) -> list[Event]:
    """All events up to the first of a kind with these facts."""
    found = []
    for event in stream:
        found.append(event)
        if event[0] == kind and all(event[2].get(name) == value for name, value in facts.items()):
            return found
    raise AssertionError("the stream ended")


def steps(found: list[Event]) -> list[int]:
    return [one["step"] for kind, _, told in found if kind == "happenings" for one in told]


@contextmanager
def slow_web() -> Iterator[int]:
    """The sample web over HTTP, each answer a tenth of a second late; its port."""
    loop = asyncio.new_event_loop()
    serving = Served(RecordedWeb(Collection.open([SAMPLE])), latency=lambda url: 100)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(serving.__aenter__(), loop).result(10)
        yield serving.port
        asyncio.run_coroutine_threadsafe(serving.__aexit__(None, None, None), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


def test_who_comes_again_is_told_the_rest_and_nothing_twice(tmp_path: Path) -> None:
    crawled(tmp_path / "first", 30)
    with served(tmp_path) as address:
        whole = steps(until(events(address, after="0"), "status"))
        happened = httpx.get(f"{address.origin}/api/v1/crawls/first/happenings?most=10").json()
        rest = until(events(address, last=happened["token"]), "status")
        assert steps(rest) == whole[10:]
        last = [number for kind, number, _ in rest if kind == "happenings"][-1]
        assert steps(until(events(address, last=last), "status")) == []
        assert steps(until(events(address, last=last, after="0"), "status")) == [], (
            "the header goes before the query"
        )
        assert steps(until(events(address), "status")) == [], "from now on"
        refused = httpx.get(f"{address.origin}/api/v1/crawls/first/events", headers={"Last-Event-ID": "x"})
        assert (refused.status_code, refused.headers["content-type"]) == (400, "application/problem+json")
        assert httpx.get(f"{address.origin}/api/v1/crawls/none/events").status_code == 404


def test_a_crawl_that_is_killed_resumed_ends_and_is_deleted(tmp_path: Path) -> None:
    with slow_web() as port:
        given = {
            "connect_to": (f"schools.wiki.example:80:127.0.0.1:{port}",),
            "allow_private": True,
            "width": 1,
        }
        library = Library([tmp_path], given=given)
        with Server(library, port=0).beside() as address:
            new = NewCrawl(name="first", topic="dinosaur fossil", urls=(SEED,), pages=400, delay=0.05)
            assert library.begin(new) == "first"
            stream = events(address, after="0")
            found = until(stream, "status", state="running")
            process = found[-1][2]["process"]
            found += until(stream, "outlook")
            os.kill(process, signal.SIGKILL)
            found += until(stream, "status", state="interrupted")
            pages = found[-1][2]["pages"]
            answer = httpx.post(
                f"{address.origin}/api/v1/crawls/first/resume", json={"pages": pages + 5}, timeout=30
            )
            assert answer.status_code == 200, answer.text
            found += until(stream, "status", state="done")
            assert steps(found) == sorted(set(steps(found)))
            taken_away = tmp_path.parent / "taken-away"
            shutil.move(tmp_path / "first", taken_away)
            assert "gone" in until(stream, "trouble")[-1][2]["detail"]
            shutil.move(taken_away, tmp_path / "first")
            until(stream, "again")


def test_the_server_ends_while_somebody_follows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    crawled(tmp_path / "first", 3)
    with served(tmp_path) as address:
        stream = events(address)
        until(stream, "status")
        began = time.monotonic()
    assert time.monotonic() - began < PATIENCE
    assert {kind for kind, _, _ in stream} <= {"status"}, "it ends"
    assert capfd.readouterr().err == ""
