"""Agents at work, over both transports, with real processes on both ends."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest
from tests.agents.sessions import SEED, WAIT, Agent, agent, by_stdio, command, over_http


@asynccontextmanager
async def reached(transport: str, place: Path) -> AsyncIterator[Agent]:
    if transport == "stdio":
        async with agent(by_stdio(place)) as found:
            yield found
    else:
        with over_http(place) as url:
            async with agent(url) as found:
                yield found


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_an_agent_builds_a_collection_and_answers_a_question_from_it(transport: str, tmp_path: Path) -> None:
    """When did the dinosaurs die out? The agent knows only what tools tell it."""

    async def session() -> None:
        async with asyncio.timeout(2 * WAIT), reached(transport, tmp_path / "crawls") as found:
            assert (await found.call("list_crawls"))["advice"] == [
                "There is no crawl here; start_crawl begins one."
            ]
            begun = await found.call("start_crawl", topic="dinosaur, fossil", urls=[SEED], pages=60)
            assert (begun["name"], begun["pages"]) == ("dinosaur-fossil", 60)

            status = await found.call("crawl_status", name=begun["name"], wait_seconds=WAIT)
            assert (status["state"], status["pages"], status["hosts"]) == ("done", 60, 1)
            assert status["relevant"] >= 20
            assert "Dinosaur" in status["best"][0]["title"]
            assert status["advice"] == []
            grows = [progress for progress, _, _ in found.progress]
            assert grows == sorted(set(grows))
            assert found.progress[-1][1:] == (
                60,
                f"60 of 60 pages, {status['relevant']} relevant, 0 failures",
            )

            hits = (await found.call("search_pages", name=begun["name"], query="dinosaur extinct* million"))[
                "hits"
            ]
            url = next(hit["url"] for hit in hits if hit["url"].endswith("/Dinosaur.html"))
            text, offset = "", 0
            while offset is not None and not (told := re.search(r"65\.? ?\d* million years", text)):
                part = await found.call(
                    "read_page", name=begun["name"], url=url, offset=offset, max_chars=4_000
                )
                text, offset = text + part["text"], part["next_offset"]
            assert told, "the page tells"

            why = await found.call("explain", name=begun["name"], url=url)
            assert (why["state"], why["path"][0]["url"], why["path"][-1]["url"]) == ("visited", SEED, url)
            await found.call("mark", name=begun["name"], urls=[url], good=True)
            assert (await found.call("explain", name=begun["name"], url=url))["marked"] is True

            await found.call("resume_crawl", name=begun["name"], pages=70)
            more = await found.call("crawl_status", name=begun["name"], wait_seconds=WAIT)
            assert (more["state"], more["pages"]) == ("done", 70)
            assert len((await found.call("changes", name=begun["name"]))["changes"]) == 70

    asyncio.run(session())


def test_two_agents_share_a_server_and_one_goes_away(tmp_path: Path) -> None:
    async def session() -> None:
        with over_http(tmp_path) as url:
            async with asyncio.timeout(2 * WAIT), agent(url) as first:
                name = await first.crawled(pages=10)

                async def wait() -> None:
                    async with agent(url) as second:
                        await second.call("crawl_status", name=name)
                        await second.call("crawl_status", name=name, wait_seconds=0.1)
                        await second.call("list_crawls")

                waiting = asyncio.create_task(wait())
                told = await first.call("search_pages", name=name, query="fossil")
                await waiting
                gone = asyncio.create_task(wait())
                await asyncio.sleep(0)
                gone.cancel()
                with suppress(asyncio.CancelledError):
                    await gone
                assert (await first.call("search_pages", name=name, query="fossil"))["hits"][0][
                    "url"
                ] == told["hits"][0]["url"]

    asyncio.run(session())


def test_a_server_over_stdio_ends_with_its_client(tmp_path: Path) -> None:
    """Also while a tool waits; and what is no message disturbs nobody."""
    process = subprocess.Popen(
        command(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    }
    start = {"name": "start_crawl", "arguments": {"topic": "dinosaur", "urls": [SEED], "pages": 5}}
    for line in (
        b"no message",
        b'{"jsonrpc": "2.0"}',
        b"\xff\xfe\x00",
        b"[" * 10_000,
        _call(1, "initialize", hello),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        _call(2, "tools/call", {"name": "no_tool", "arguments": {}}),
        _call(3, "tools/call", {"name": "read_page", "arguments": {"name": 7, "url": ["x"], "offset": -1}}),
        _call(4, "tools/call", start),
    ):
        process.stdin.write(line + b"\n")
    process.stdin.flush()
    answers = {}
    while 4 not in answers:
        answer = json.loads(process.stdout.readline())
        answers[answer.get("id")] = answer
    assert answers[1]["result"]["serverInfo"]["name"] == "lycosa"
    assert "no_tool" in json.dumps(answers[2])
    said = answers[3]["result"]["content"][0]["text"]
    assert said.startswith(
        "name: input should be a valid string; url: input should be a valid string; offset: "
    )
    process.stdin.write(_call(5, "tools/call", {"name": "list_crawls", "arguments": {}}) + b"\n")
    process.stdin.close()
    assert process.wait(WAIT) == 0
    assert (tmp_path / "dinosaur" / "crawl.toml").exists(), "the crawl goes on by itself"


def _call(number: int, method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def test_over_http_garbage_and_strangers_are_refused_and_the_token_lets_in(tmp_path: Path) -> None:
    async def session(url: str) -> None:
        async with agent(url, "secret") as found:
            assert (await found.call("list_crawls"))["total"] == 0

    with over_http(tmp_path, "--token", "secret") as url, httpx.Client() as http:
        shown = {"Authorization": "Bearer secret", "Content-Type": "application/json"}
        accept = {"Accept": "application/json, text/event-stream"}
        assert http.post(url, json={}).status_code == 401
        assert http.post(url, json={}, headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert http.post(url, json={}, headers={**shown, "Host": "evil.example"}).status_code == 421
        assert http.post(url, json={}, headers={**shown, "Origin": "https://evil.example"}).status_code == 403
        assert http.post(url, content=b"no json", headers=shown | accept).status_code == 400
        assert http.post(url, content=b"[" * 2_000_000, headers=shown | accept).status_code == 413
        assert http.get(url.replace("/mcp", "/"), headers=shown).status_code == 404
        asyncio.run(session(url))
