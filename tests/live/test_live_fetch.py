"""LiveWeb against a server on loopback: what goes out, what comes back, whom it talks to."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import ssl
from collections.abc import Sequence

import msgspec
import pytest
from tests.live.conftest import Run
from tests.live.hostile import CERTIFICATE, Hostile
from tests.live.misdeeds import RULES, SMALL

from lycosa.drive.patience import fetched
from lycosa.model.errors import InputError
from lycosa.model.records import Ask, Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.web.http.agent import product_token, user_agent
from lycosa.web.http.dns import Resolver, Router, parse_connect_to
from lycosa.web.http.live import ACCEPT, ACCEPT_ENCODING, Limits, LiveWeb
from lycosa.web.redirect import location
from lycosa.web.robots import SIZE_LIMIT
from lycosa.web.robots.cache import Access, RobotsCache
from lycosa.web.spacing import Spacing

LIMITS = Limits(connect=Millis(1000), silence=Millis(1000), total=Millis(3000))


def mapped(server: Hostile) -> Router:
    """Every host on port 80 and 443 is the server."""
    return Router(
        connect_to=[
            parse_connect_to(f"*:80:127.0.0.1:{server.port}"),
            parse_connect_to(f"*:443:127.0.0.1:{server.tls_port}"),
        ]
    )


async def response(web: LiveWeb, url: str) -> Response:
    found = await web.fetch(Url(url))
    assert isinstance(found, Response), found
    return found


async def fault(web: LiveWeb, url: str) -> Fault:
    found = await web.fetch(Url(url))
    assert isinstance(found, Fault), found
    return found


def test_a_page_comes_with_all_that_the_archive_wants(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(user_agent("https://a.test/bot"), limits=LIMITS, router=mapped(server))
            page = await response(web, "http://a.test/ok?q=%C3%A9&r=a+b")
            await web.close()
            assert page.url == "http://a.test/ok?q=%C3%A9&r=a+b"
            assert (page.status, page.reason_phrase, page.http_version) == (200, "Status 200", "1.1")
            assert page.headers == (
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", str(len(SMALL))),
            )
            assert (page.body, page.truncated, page.address) == (SMALL, "", "127.0.0.1")
            assert page.fetched_at > 1_600_000_000_000
            assert 0 <= page.elapsed < 3000
            assert page.request_headers == (
                ("Host", "a.test"),
                ("User-Agent", "lycosa/0.1.0 (+https://a.test/bot; topical crawler)"),
                ("Accept", ACCEPT),
                ("Accept-Encoding", ACCEPT_ENCODING),
            )
            [asked] = server.log
            assert asked.path == "/ok?q=%C3%A9&r=a+b"
            assert asked.headers == {name.lower(): value for name, value in page.request_headers}
            msgspec.json.encode(page.headers)

    run(story())


def test_the_host_header_has_the_port_only_where_it_is_not_the_default(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=Router(allow_private=True))
            page = await response(web, server.url("/ok"))
            await web.close()
            host = f"127.0.0.1:{server.port}"
            assert page.request_headers[0] == ("Host", host)
            assert server.log[0].headers["host"] == host

    run(story())


@pytest.mark.parametrize(
    "path",
    [
        *("/gzip", "/gzip-members", "/gzip-padded", "/deflate", "/deflate-bare", "/brotli", "/zstd"),
        *("/stacked", "/unknown-coding", "/no-type"),
    ],
)
def test_codings_are_undone(path: str) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=mapped(server))
            page = await response(web, f"http://a.test{path}")
            await web.close()
            assert (page.body, page.truncated) == (SMALL, "")

    asyncio.run(story())


def test_one_exchange_and_connections_are_used_again(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=mapped(server))
            statuses = [
                (await response(web, f"http://a.test{path}")).status
                for path in ("/ok", "/loop", "/to-private", "/404", "/204", "/304", "/500", "/429", "/empty")
            ]
            location = (await response(web, "http://a.test/loop")).header("location")
            await web.close()
            assert statuses == [200, 302, 302, 404, 204, 304, 500, 429, 200]
            assert location == "/loop"
            assert len({asked.peer for asked in server.log}) == 1

    run(story())


def test_a_condition_is_sent_as_the_validators_came(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=mapped(server))
            url = Url("http://a.test/validated")
            page = await response(web, url)
            etag, modified = page.header("etag") or "", page.header("last-modified") or ""
            asks = (
                Ask(etag=etag, modified_since=modified),
                Ask(etag=etag),
                Ask(modified_since=modified),
                Ask(etag='"another"', modified_since=modified),
                Ask(referer="http://a.test/"),
            )
            answers = [await web.fetch(url, ask) for ask in asks]
            await web.close()
            assert [a.status for a in answers if isinstance(a, Response)] == [304, 304, 304, 200, 200]
            both, last = answers[0], answers[-1]
            assert isinstance(both, Response)
            assert isinstance(last, Response)
            assert both.request_headers[-2:] == (("If-None-Match", etag), ("If-Modified-Since", modified))
            assert last.request_headers[-1] == ("Referer", "http://a.test/")
            assert (both.body, both.truncated, both.header("etag")) == (b"", "", etag)
            assert "if-none-match" not in server.log[0].headers
            assert server.log[-1].headers["referer"] == "http://a.test/"

    run(story())


def test_no_server_is_told_what_led_to_it_where_that_is_not_wanted(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=mapped(server), referer=False)
            found = await web.fetch(Url("http://a.test/ok"), Ask(referer="http://a.test/", etag='"1"'))
            await web.close()
            assert isinstance(found, Response)
            assert found.request_headers[-1] == ("If-None-Match", '"1"')
            assert "referer" not in server.log[0].headers

    run(story())


def test_a_validator_that_cannot_be_sent_back_is_left_out(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=mapped(server))
            for etag in ('"caf\udce9"', '"a\r\nX-Own: 1"', '"a\0"', '"' + "x" * 2000 + '"'):
                found = await web.fetch(Url("http://a.test/ok"), Ask(etag=etag))
                assert isinstance(found, Response)
                assert found.status == 200
                assert "if-none-match" not in server.log[-1].headers
                assert "x-own" not in server.log[-1].headers
            await web.close()

    run(story())


def test_header_bytes_survive_in_any_encoding() -> None:
    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=mapped(server))
            utf8 = await response(web, "http://a.test/raw-header")
            latin = await response(web, "http://a.test/to-latin")
            await web.close()
            assert utf8.header("x-raw") == "café"
            raw = latin.header("location")
            assert raw is not None
            assert raw.encode("utf-8", "surrogateescape") == b"/caf\xe9"
            assert location(latin) == "/caf%E9"
            assert location(utf8) is None

    asyncio.run(story())


def test_cookies_are_off_unless_asked_for() -> None:
    async def story() -> None:
        async with Hostile() as server:
            for cookies in (False, True):
                web = LiveWeb(limits=LIMITS, router=mapped(server), cookies=cookies)
                await response(web, "http://a.test/cookies")
                again = await response(web, "http://a.test/ok")
                await web.close()
                assert (("Cookie", "session=abc") in again.request_headers) is cookies
            assert [asked.headers.get("cookie") for asked in server.log] == [None, None, None, "session=abc"]

    asyncio.run(story())


def test_private_addresses_are_not_connected_to(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            hosts = {"evil.test": ["127.0.0.1"], "evil6.test": ["::ffff:127.0.0.1"]}
            web = LiveWeb(limits=LIMITS, router=Router(Resolver(hosts=hosts)))
            for host in ("127.0.0.1", "evil.test", "evil6.test", "[::1]", "[::ffff:7f00:1]"):
                refused = await fault(web, f"http://{host}:{server.port}/ok")
                assert refused.reason is Reason.PRIVATE_ADDRESS
                assert "--allow-private" in refused.detail
            metadata = await fault(web, "http://169.254.169.254/latest/meta-data/")
            assert metadata.reason is Reason.PRIVATE_ADDRESS
            await web.close()
            assert server.log == []

    run(story())


def test_a_name_that_turns_to_a_private_address_is_refused_at_the_next_connection() -> None:
    """DNS rebinding: the first answer is public, the second is not."""

    async def story() -> None:
        answers = [["192.0.0.9"], ["127.0.0.1"]]

        async def lookup(host: str) -> Sequence[str]:
            return answers.pop(0)

        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=Router(Resolver(lookup=lookup, ttl=0.0)))
            for _ in range(2):
                refused = await fault(web, f"http://rebind.test:{server.port}/ok")
                assert refused.reason is Reason.PRIVATE_ADDRESS
            await web.close()
            assert server.log == []

    asyncio.run(story())


def test_a_mapped_host_keeps_its_name_in_tls_too(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
            web = LiveWeb(limits=LIMITS, router=mapped(server), tls=trusting)
            page = await response(web, "https://secure.test/ok")
            wrong = await fault(web, "https://secure.example/ok")
            await web.close()
            assert (page.body, page.address) == (SMALL, "127.0.0.1")
            assert server.log[0].headers["host"] == "secure.test"
            assert wrong.reason is Reason.TLS
            assert "secure.example" in wrong.detail

    run(story())


def test_an_unknown_authority_is_a_fault_unless_verification_is_off(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            strict = LiveWeb(limits=LIMITS, router=mapped(server))
            refused = await fault(strict, "https://secure.test/ok")
            await strict.close()
            assert refused.reason is Reason.TLS
            assert "self-signed" in refused.detail.replace("self signed", "self-signed")
            lax = LiveWeb(limits=LIMITS, router=mapped(server), tls=False)
            assert (await response(lax, "https://secure.test/ok")).body == SMALL
            await lax.close()

    run(story())


def test_a_proxy_is_spoken_to_plainly_for_http_and_by_a_tunnel_for_https(run: Run) -> None:
    async def story() -> None:
        async with Hostile() as server:
            trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
            web = LiveWeb(limits=LIMITS, proxy=f"http://me:secret@127.0.0.1:{server.port}", tls=trusting)
            plain = await response(web, "http://a.test/ok?x=1")
            secure = await response(web, "https://b.test/ok")
            refused = await fault(web, "http://10.0.0.1/ok")
            await web.close()
            assert plain.body == secure.body == SMALL
            assert plain.address == secure.address == ""
            assert refused.reason is Reason.PRIVATE_ADDRESS
            assert [asked.path for asked in server.log] == ["/ok?x=1", "CONNECT b.test:443", "/ok"]
            assert server.log[0].headers["host"] == "a.test"
            assert server.log[0].headers["proxy-authorization"].startswith("Basic ")
            assert "proxy-authorization" not in server.log[2].headers

    run(story())


@pytest.mark.parametrize(
    ("proxy", "says"),
    [("socks5://h:1", "only HTTP proxies"), ("http://h:x", "not a URL"), ("http://", "only HTTP|not a URL")],
)
def test_a_proxy_that_cannot_be_used_is_refused(proxy: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        LiveWeb(proxy=proxy)


def test_a_proxy_and_connect_to_exclude_each_other() -> None:
    with pytest.raises(InputError, match="give one of them"):
        LiveWeb(proxy="http://127.0.0.1:1", router=Router(connect_to=[parse_connect_to("*:*:127.0.0.1:1")]))


def test_the_user_agent_names_the_crawler_and_a_contact() -> None:
    assert user_agent() == "lycosa/0.1.0 (no contact given; topical crawler)"
    assert user_agent("me@a.test", "mybot/2") == "mybot/2 (me@a.test; topical crawler)"
    assert product_token(user_agent()) == "lycosa"
    assert product_token("my-bot_x/2.0 (+https://a.test)") == "my-bot_x"
    for contact, agent in (("a\r\nX: y", "bot"), ("(x", "bot"), ("", "1bot"), ("ä@a.test", "bot")):
        with pytest.raises(InputError):
            user_agent(contact, agent)


class LoopClock:
    def now(self) -> Millis:
        return Millis(int(asyncio.get_running_loop().time() * 1000))

    async def sleep_until(self, when: Millis) -> None:
        await asyncio.sleep(max(0, when - self.now()) / 1000)


def test_spacing_keeps_exchanges_of_a_host_apart_and_others_together() -> None:
    async def story() -> None:
        async with Hostile() as server:
            clock = LoopClock()
            web = LiveWeb(limits=LIMITS, router=mapped(server), spacing=Spacing(clock, delay=Millis(100)))
            urls = ["http://a.test/1", "http://a.test/2", "http://a.test/robots.txt", "http://b.test/1"]
            await asyncio.gather(*(fetched(web, Url(url), clock) for url in urls))
            await web.close()
            times = {f"{asked.host}{asked.path}": asked.at for asked in server.log}
            first, second, third = sorted(times[f"a.test{path}"] for path in ("/1", "/2", "/robots.txt"))
            assert second - first >= 0.099
            assert third - second >= 0.099
            assert abs(times["b.test/1"] - first) < 0.09

    asyncio.run(story())


def test_spacing_keeps_hosts_of_one_address_apart() -> None:
    async def story() -> None:
        async with Hostile() as server:
            router = Router(
                Resolver(hosts={"a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]}), allow_private=True
            )
            clock = LoopClock()
            web = LiveWeb(limits=LIMITS, router=router, spacing=Spacing(clock, delay=Millis(100)))
            urls = [Url(f"http://{host}.test:{server.port}/ok") for host in "ab"]
            one, other = await asyncio.gather(*(web.fetch(url) for url in urls))
            told = other if isinstance(other, Fault) else one
            assert isinstance(told, Fault)
            assert (told.reason, told.address) == (Reason.TURN, "127.0.0.1")
            await asyncio.gather(*(fetched(web, url, clock) for url in urls))
            gone = await fault(web, "http://nowhere.invalid/")
            await web.close()
            times = sorted(asked.at for asked in server.log)
            assert min(after - before for before, after in itertools.pairwise(times)) >= 0.099
            assert gone.reason is Reason.DNS

    asyncio.run(story())


ROBOTS = {
    "ok": Access.DISALLOWED,
    "gzip": Access.DISALLOWED,
    "redirect": Access.DISALLOWED,
    "huge": Access.DISALLOWED,
    "closed": Access.DISALLOWED,
    "404": Access.ALLOWED,
    "401": Access.ALLOWED,
    "403": Access.ALLOWED,
    "loop": Access.ALLOWED,
    "astray": Access.ALLOWED,
    "html": Access.ALLOWED,
    "empty": Access.ALLOWED,
    "429": Access.UNREACHABLE,
    "500": Access.UNREACHABLE,
    "503": Access.UNREACHABLE,
    "nothing": Access.UNREACHABLE,
    "half": Access.UNREACHABLE,
    "hang-up": Access.UNREACHABLE,
}


def test_robots_txt_of_many_hosts_over_the_wire() -> None:
    async def story() -> None:
        async with Hostile() as server:
            limits = msgspec.structs.replace(LIMITS, silence=Millis(300), body=10_240)
            web = LiveWeb(limits=limits, router=mapped(server))
            kept: list[Response] = []
            cache = RobotsCache(web, product_token(web.agent), LoopClock(), keep=kept.append)
            found = {
                name: (await cache.check(Url(f"http://robots-{name}.test/private/x"))).access
                for name in ROBOTS
            }
            late = await cache.check(Url("http://robots-huge.test/late"))
            await web.close()
            assert found == ROBOTS
            assert late.allowed
            huge = next(r for r in kept if "huge" in r.url)
            assert (len(huge.body), huge.truncated) == (SIZE_LIMIT, "length")
            packed = next(r for r in kept if "gzip" in r.url)
            assert packed.body == RULES != gzip.compress(RULES)

    asyncio.run(story())
