"""LiveWeb against a server that misbehaves: a Response or a Fault, in time and within bounds."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.live.conftest import Run
from tests.live.hostile import Hostile, hostile_thread
from tests.live.misdeeds import DEEDS, PAGES, SMALL, made

from lycosa.model.records import Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.web.http.dns import Resolver, Router, parse_connect_to
from lycosa.web.http.live import Limits, LiveWeb

LIMITS = Limits(connect=Millis(500), silence=Millis(300), total=Millis(800), body=1_500_000)
BOMB = 1024 * 1024
"""Bytes of the decoder's floor, which is where small bombs are cut."""

FAULTS = {
    "/slow-headers": (Reason.TIMEOUT, "no answer in time"),
    "/nothing": (Reason.TIMEOUT, "silent for too long"),
    "/headers-then-silence": (Reason.TIMEOUT, "before any of the body"),
    "/hang-up": (Reason.CONNECT, "closed the connection without an answer"),
    "/headers-then-hang-up": (Reason.CONNECT, "broke before any of the body"),
    "/endless-headers": (Reason.PROTOCOL, "Too many headers"),
    "/endless-header": (Reason.PROTOCOL, "more than 32768 bytes"),
    "/bad-length": (Reason.PROTOCOL, "Content-Length"),
    "/length-and-chunks": (Reason.PROTOCOL, "Transfer-Encoding"),
    "/two-lengths": (Reason.PROTOCOL, "Content-Length"),
    "/bad-chunks": (Reason.PROTOCOL, "chunk size"),
    "/not-http": (Reason.PROTOCOL, "220 mail"),
    "/null-header": (Reason.PROTOCOL, "header"),
    "/bad-gzip": (Reason.PROTOCOL, "not valid gzip"),
    "/stacked-deep": (Reason.PROTOCOL, "9 content codings"),
}
CUT = {
    "/half": ("disconnect", len(SMALL) // 2),
    "/half-then-silence": ("time", len(SMALL) // 2),
    "/endless": ("length", LIMITS.body),
    "/endless-chunks": ("length", LIMITS.body),
    "/big": ("length", LIMITS.body),
    "/links": ("length", LIMITS.body),
    "/bomb": ("length", LIMITS.body),
    "/bomb-twice": ("length", BOMB),
    "/bomb-brotli": ("length", BOMB),
    "/bomb-zstd": ("length", BOMB),
}
WHOLE = {
    "/http-1.0": SMALL,
    "/early-hints": b"hi",
    "/long-length": SMALL[:50],
    "/long-length-late": SMALL,
    "/empty": b"",
    "/charset-garbage": b"\xff\xfe\x00\x80" * 200,
    "/binary": bytes(range(256)) * 40,
    "/nested": None,
}


def web_of(server: Hostile, limits: Limits = LIMITS) -> LiveWeb:
    rules = [f"*:80:127.0.0.1:{server.port}", f"garbage.test:443:127.0.0.1:{server.garbage_port}"]
    return LiveWeb(limits=limits, router=Router(connect_to=map(parse_connect_to, rules)))


async def all_of(server: Hostile, paths: list[str]) -> dict[str, Response | Fault]:
    web = web_of(server)
    found = [await web.fetch(Url(f"http://a.test{path}")) for path in paths]
    await web.close()
    return dict(zip(paths, found, strict=True))


def test_answers_that_are_none_become_faults_that_say_why(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            for path, found in (await all_of(server, list(FAULTS))).items():
                reason, says = FAULTS[path]
                assert isinstance(found, Fault), path
                assert found.reason is reason, (path, found)
                assert says in found.detail, (path, found)
                assert "\n" not in found.detail
                assert found.elapsed < 1600

    run(story())


def test_bodies_that_are_too_long_or_too_short_are_cut_and_say_so(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            for path in CUT.keys() & PAGES.keys():
                made(path)  # takes a while, which is not the client's to wait for
            for path, found in (await all_of(server, list(CUT))).items():
                assert isinstance(found, Response), (path, found)
                assert (found.truncated, len(found.body)) == CUT[path], path

    run(story())


def test_odd_but_honest_answers_are_whole(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            for path, found in (await all_of(server, list(WHOLE))).items():
                assert isinstance(found, Response), (path, found)
                assert found.truncated == "", path
                expected = WHOLE[path]
                assert found.body == (made(path).body if expected is None else expected)
            version = (await all_of(server, ["/http-1.0"]))["/http-1.0"]
            assert isinstance(version, Response)
            assert (version.http_version, version.reason_phrase) == ("1.0", "Fine")

    run(story())


def test_a_dripping_body_is_kept_as_far_as_it_came() -> None:
    async def story() -> None:
        async with Hostile() as server:
            found = (await all_of(server, ["/dripping"]))["/dripping"]
            assert isinstance(found, Response)
            assert found.truncated == "time"
            assert 1 <= len(found.body) <= 18
            assert 750 <= found.elapsed < 1600

    asyncio.run(story())


def test_a_broken_coding_keeps_what_came_before() -> None:
    async def story() -> None:
        async with Hostile() as server:
            found = (await all_of(server, ["/cut-gzip"]))["/cut-gzip"]
            assert isinstance(found, Response)
            assert found.truncated == "unspecified"
            assert found.body.startswith(b"<!doctype html><title>Links")

    asyncio.run(story())


def test_plain_text_on_the_tls_port_is_a_tls_fault(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = web_of(server)
            found = await web.fetch(Url("https://garbage.test/"))
            await web.close()
            assert isinstance(found, Fault)
            assert found.reason is Reason.TLS

    run(story())


def test_nobody_listening_and_unknown_hosts_are_told_apart(run: Run) -> None:
    async def lookup(host: str) -> list[str]:
        raise OSError(-2, "Name or service not known")

    async def story() -> None:
        async with Hostile() as server:
            closed = server.port
        web = LiveWeb(limits=LIMITS, router=Router(Resolver(lookup=lookup), allow_private=True))
        refused = await web.fetch(Url(f"http://127.0.0.1:{closed}/"))
        unknown = await web.fetch(Url("http://nowhere.test/"))
        await web.close()
        assert isinstance(refused, Fault)
        assert refused.reason is Reason.CONNECT
        assert isinstance(unknown, Fault)
        assert unknown.reason is Reason.DNS
        assert unknown.detail == "nowhere.test was not found: Name or service not known"

    run(story())


def test_a_name_server_that_says_nothing_takes_no_longer_than_a_connection_may() -> None:
    async def lookup(host: str) -> list[str]:
        await asyncio.sleep(3600)
        return []

    async def story() -> None:
        web = LiveWeb(limits=LIMITS, router=Router(Resolver(lookup=lookup)))
        began = time.monotonic()
        found = await web.fetch(Url("http://slow.test/"))
        await web.close()
        assert isinstance(found, Fault)
        assert found.reason is Reason.TIMEOUT
        assert time.monotonic() - began < 1.5

    asyncio.run(story())


def test_no_surprise_and_bounded(run: Run) -> None:
    """Every page and deed of the server, all together, comes home in time and within bounds."""

    async def story() -> None:
        async with Hostile() as server:
            web = web_of(server, Limits(total=Millis(2000), silence=Millis(300), body=50_000))
            paths = [path for path in (*PAGES, *DEEDS) if "bomb" not in path]
            found = await asyncio.gather(*(web.fetch(Url(f"http://a.test{path}")) for path in paths))
            after = await web.fetch(Url("http://a.test/ok"))
            await web.close()
            assert len(found) == len(paths)
            assert all(isinstance(f, Fault) or len(f.body) <= 50_000 for f in found)
            assert isinstance(after, Response)

    run(story())


def test_a_cancelled_fetch_lets_go_of_its_connection() -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = web_of(server)
            task = asyncio.create_task(web.fetch(Url("http://a.test/nothing")))
            async with asyncio.timeout(60):
                while not server.asked("/nothing"):  # noqa: ASYNC110 – it tells nobody when it is asked
                    await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert isinstance(await web.fetch(Url("http://a.test/ok")), Response)
            await web.close()

    asyncio.run(story())


def test_the_server_also_runs_in_a_thread() -> None:
    with hostile_thread() as server:

        async def story() -> None:
            web = web_of(server, Limits())  # the thread shares this process with the one that waits for it
            for expected in (429, 429, 200):
                found = await web.fetch(Url("http://a.test/429-then-ok"))
                assert isinstance(found, Response)
                assert found.status == expected
            await web.close()

        asyncio.run(story())
    assert server.asked("/429-then-ok") == 3
