"""The DevTools protocol without a browser at the other end, and how a browser would be started."""

from __future__ import annotations

import asyncio
import json
import os
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.web.browser import chromium
from lycosa.web.browser.pipe import BrowserEnded, Denied, Pipe


class Ends(asyncio.WriteTransport):
    """The other end: keeps what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.said = b""
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.said += bytes(data)

    def close(self) -> None:
        self.closed = True


@given(st.lists(st.text(max_size=20), max_size=8), st.lists(st.integers(0, 400), max_size=12))
def test_whole_and_in_order(texts: list[str], cuts: list[int]) -> None:
    said = b"".join(
        json.dumps({"method": "Said", "params": {"text": text}, "sessionId": "s"}).encode() + b"\0"
        for text in texts
    )
    places = [0, *sorted(min(cut, len(said)) for cut in cuts), len(said)]

    async def hear() -> list[str]:
        heard: list[str] = []
        pipe = Pipe()
        pipe.listen("s", lambda method, params: heard.append(params["text"]))
        for begin, end in pairwise(places):
            pipe.data_received(said[begin:end])
        return heard

    assert asyncio.run(hear()) == texts


def test_calls_are_answered_in_any_order_denied_or_ended() -> None:
    async def talk() -> list[object]:
        pipe, ends = Pipe(), Ends()
        pipe.begin(ends)
        calls = [asyncio.create_task(pipe.call(name, "s", a=1)) for name in ("One", "Two", "Three")]
        await asyncio.sleep(0)
        assert [json.loads(part) for part in ends.said.split(b"\0")[:-1]] == [
            {"id": n, "method": name, "params": {"a": 1}, "sessionId": "s"}
            for n, name in enumerate(("One", "Two", "Three"), 1)
        ]
        pipe.data_received(
            b'{"id": 2, "result": {"b": 2}}\0{"id": 1, "error": {"message": "no"}}\0not JSON\0'
        )
        assert ends.closed
        return list(await asyncio.gather(*calls, return_exceptions=True))

    denied, answered, ended = asyncio.run(talk())
    assert isinstance(denied, Denied)
    assert answered == {"b": 2}
    assert isinstance(ended, BrowserEnded)


def test_what_is_denied_is_done_otherwise() -> None:
    async def talk() -> list[str]:
        pipe, done = Pipe(), list[str]()
        pipe.begin(Ends())
        pipe.tell("One", otherwise=lambda: done.append("one"))
        pipe.tell("Two", otherwise=lambda: done.append("two"))
        pipe.data_received(b'{"id": 1, "result": {}}\0{"id": 2, "error": {"message": "no"}}\0')
        return done

    assert asyncio.run(talk()) == ["two"]


def test_the_safest_way_to_start_is_tried_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "_APART", "unshare")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    apart = ("unshare", "--net", "--map-current-user", "it")
    assert list(chromium._ways("it")) == [apart, ("it",), (*apart, "--no-sandbox"), ("it", "--no-sandbox")]
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert list(chromium._ways("it")) == [("unshare", "--net", "it", "--no-sandbox"), ("it", "--no-sandbox")]
