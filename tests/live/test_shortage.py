"""Too few file descriptors, ports, memory: a fault of this machine, waited out and never charged to a host."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import aiohttp
import pytest
from tests.live.conftest import Run
from tests.live.hostile import Hostile

from lycosa.model.records import Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.web.http import live
from lycosa.web.http.dns import Resolver, Router, UnknownHost, parse_connect_to
from lycosa.web.http.live import Limits, LiveWeb
from lycosa.web.http.shortage import is_shortage, raise_limit

LIMITS = Limits(connect=Millis(5000), silence=Millis(2000), total=Millis(5000))


def web_of(server: Hostile, limits: Limits = LIMITS) -> LiveWeb:
    return LiveWeb(
        limits=limits, router=Router(connect_to=[parse_connect_to(f"*:80:127.0.0.1:{server.port}")])
    )


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Not one more file can be opened by this process."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.dup(0)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken[0] + 1, hard))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in taken:
            os.close(descriptor)


async def no_connection_left(web: LiveWeb) -> None:
    """The web has begun, but none of its connections is there to be closed for another one."""
    assert isinstance(await web.fetch(Url("http://a.test/http-1.0")), Response)
    for _ in range(10):  # what was closed is let go of
        await asyncio.sleep(0)


files_are_counted = pytest.mark.skipif(sys.platform == "win32", reason="sockets are no files there")


@files_are_counted
def test_a_shortage_that_passes_is_waited_out(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = web_of(server)
            await no_connection_left(web)
            with no_descriptors():
                fetching = asyncio.create_task(web.fetch(Url("http://b.test/ok")))
                await asyncio.wait([fetching], timeout=0.3)
                assert not fetching.done()
            assert isinstance(await fetching, Response)
            await web.close()

    run(story())


@files_are_counted
def test_a_shortage_that_stays_is_our_own_fault(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = web_of(server, Limits(connect=Millis(300)))
            await no_connection_left(web)
            with no_descriptors():
                found = await web.fetch(Url("http://b.test/ok"))
            await web.close()
            assert isinstance(found, Fault)
            assert found.reason is Reason.OURSELVES
            assert "Too many open files" in found.detail

    run(story())


def test_connections_are_bounded_idle_ones_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_CONNECTIONS", 5)

    async def story() -> None:
        async with Hostile() as server:
            web = web_of(server)
            urls = [Url(f"http://host-{number}.test/ok") for number in range(40)]
            found = await asyncio.gather(*map(web.fetch, urls))
            assert all(isinstance(each, Response) for each in found)
            assert server.most_open <= 2 * 5  # the server hears of an end a little later
            await web.close()

    run(story())


def test_what_a_shortage_is() -> None:
    assert is_shortage(OSError(errno.EMFILE, "Too many open files"))
    assert is_shortage(aiohttp.ClientOSError(errno.ENOBUFS, "No buffer space available"))
    assert is_shortage(
        OSError("Multiple exceptions: [Errno 101] Unreachable, [Errno 24] Too many open files")
    )
    assert is_shortage(RuntimeError("can't start new thread"))
    assert not is_shortage(ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"))
    assert not is_shortage(aiohttp.ClientPayloadError("[Errno 24] says the server"))
    assert not is_shortage(TimeoutError())


@files_are_counted
def test_the_limit_of_open_files_is_raised_as_far_as_it_goes() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 200), before[1]))
        assert raise_limit() > 200 or before[1] <= 200
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] == before[1]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_name_that_could_not_be_asked_for_is_asked_for_again() -> None:
    async def story() -> None:
        answers: list[OSError | list[str]] = [OSError(errno.EMFILE, "Too many open files"), ["192.0.2.1"]]

        async def lookup(host: str) -> list[str]:
            answer = answers.pop(0)
            if isinstance(answer, OSError):
                raise answer
            return answer

        resolver = Resolver(lookup=lookup)
        with pytest.raises(OSError, match="Too many open files") as raised:
            await resolver.addresses("a.test")
        assert not isinstance(raised.value, UnknownHost)
        assert await resolver.addresses("a.test") == ("192.0.2.1",)

    asyncio.run(story())
