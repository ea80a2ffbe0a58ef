"""Who may ask over HTTP."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from lycosa.mcp.running import Door
from lycosa.serving.address import is_loopback, names_of, token_for

NAMES = names_of("127.0.0.1", 8901)


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("inside")(scope, receive, send)


def status(door: Door, **headers: str) -> int:
    async def asked() -> int:
        transport = httpx.ASGITransport(app=door)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8901") as http:
            return (await http.post("/mcp", headers=headers)).status_code

    return asyncio.run(asked())


def test_known_names_only() -> None:
    door = Door(inside, hosts=NAMES)
    assert NAMES == ["127.0.0.1:8901", "localhost:8901", "[::1]:8901"]
    assert [status(door, host=name) for name in NAMES] == [200, 200, 200]
    for name in (
        "evil.example",
        "evil.example:8901",
        "localhost:1",
        "localhost",
        "127.0.0.1:8901.evil.example",
    ):
        assert status(door, host=name) == 421


def test_no_page_of_the_web_may_ask() -> None:
    door = Door(inside, hosts=NAMES)
    assert status(door, origin="http://127.0.0.1:8901") == 200
    for origin in ("https://evil.example", "null", "http://127.0.0.1:8902", "http://localhost:8901", ""):
        assert status(door, origin=origin) == 403


def test_no_entry_without_the_token() -> None:
    for door in (Door(inside, hosts=NAMES, token="secret"), Door(inside, hosts=(), token="secret")):
        assert status(door, authorization="Bearer secret") == 200
        assert status(door, authorization="bearer secret") == 200
        for shown in ("", "Bearer", "Bearer wrong", "Bearer secret2", "Basic secret", "secret"):
            assert status(door, authorization=shown) == 401
    with pytest.raises(AssertionError):
        Door(inside, hosts=())


def test_whoever_can_be_reached_from_elsewhere_has_a_token() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "192.0.2.1")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert token_for("127.0.0.1") == ""
    assert token_for("127.0.0.1", "given") == "given"
    assert len(token_for("0.0.0.0")) >= 32
    assert token_for("0.0.0.0") != token_for("0.0.0.0")
