"""Addresses: which are refused, how rules map them, how names are looked up, what the history says."""

from __future__ import annotations

import asyncio

import pytest

from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.web.http.address import PrivateAddress, is_literal, refusal
from lycosa.web.http.dns import ConnectTo, Resolver, Route, Router, UnknownHost, parse_connect_to
from lycosa.web.http.dns_history import DnsHistory


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254"),
        *("169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.192", "192.0.2.1"),
        *("198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1"),
        *("255.255.255.255", "168.63.129.16", "192.88.99.1"),
        *("::", "::1", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1"),
        *("ff02::1", "2001:db8::1", "2001::1", "100::1", "64:ff9b:1::a00:1", "3fff::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::a9fe:a9fe"),
        *("2002:7f00:1::", "2002:c0a8:101::1"),
    ],
)
def test_addresses_off_the_public_internet_are_refused(address: str) -> None:
    assert refusal(address)


@pytest.mark.parametrize(
    "address",
    [
        *("1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1"),
        *("169.253.1.1", "223.255.255.255", "11.0.0.1", "128.0.0.1"),
        *("2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"),
    ],
)
def test_public_addresses_are_not_refused(address: str) -> None:
    assert refusal(address) is None


def test_a_literal_is_told_from_a_name() -> None:
    assert is_literal("127.0.0.1")
    assert is_literal("::1")
    assert not is_literal("example.org")
    assert not is_literal("web1")
    assert not is_literal("")


def rule(host: str | None, port: int | None, to_host: str | None, to_port: int | None) -> ConnectTo:
    return ConnectTo(host=host, port=port, to_host=to_host, to_port=to_port)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("example.org:80:127.0.0.1:8080", rule("example.org", 80, "127.0.0.1", 8080)),
        ("Example.ORG:443:localhost:8443", rule("example.org", 443, "localhost", 8443)),
        ("*:*:127.0.0.1:8080", rule(None, None, "127.0.0.1", 8080)),
        ("::127.0.0.1:8080", rule(None, None, "127.0.0.1", 8080)),
        ("*:80:[::1]:8080", rule(None, 80, "::1", 8080)),
        ("[2001:DB8::1]:80::8080", rule("2001:db8::1", 80, None, 8080)),
        ("example.org:80:other.test:", rule("example.org", 80, "other.test", None)),
        (":::", rule(None, None, None, None)),
    ],
)
def test_connect_to_is_read_as_curl_does(text: str, expected: ConnectTo) -> None:
    assert parse_connect_to(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "four parts"),
        ("example.org:80", "four parts"),
        ("a:80:b:80:c", "four parts"),
        ("*:80:::1:8080", "brackets"),
        ("a:http:b:80", "'http' is not a port"),
        ("a:80:b:70000", "'70000' is not a port"),
        ("a:0:b:80", "'0' is not a port"),
        ("a:80:[nonsense]:80", "not an IPv6 address"),
        ("a:80:*:80", "cannot be a target"),
    ],
)
def test_connect_to_says_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("[", r"\[")):
        parse_connect_to(text)


class Names:
    """A DNS that counts what it is asked."""

    def __init__(self, **names: list[str]) -> None:
        self.names = {name.replace("_", "."): addresses for name, addresses in names.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        await asyncio.sleep(0)
        if host not in self.names:
            raise OSError(-2, "Name or service not known")
        return self.names[host]


def routes(router: Router, host: str, port: int = 80) -> list[Route]:
    return asyncio.run(router.routes(host, port))


def test_only_public_addresses_are_routed_to() -> None:
    names = Names(mixed_test=["10.0.0.1", "8.8.8.8"], inner_test=["192.168.0.1", "fd00::1"])
    router = Router(Resolver(lookup=names))
    assert routes(router, "mixed.test") == [Route(address="8.8.8.8", port=80)]
    with pytest.raises(PrivateAddress, match=r"inner.test \(192.168.0.1\).*RFC 1918.*--allow-private"):
        routes(router, "inner.test")
    with pytest.raises(PrivateAddress, match=r"127.0.0.1 is not on the public internet: loopback"):
        routes(router, "127.0.0.1")
    open_router = Router(Resolver(lookup=names), allow_private=True)
    assert [r.address for r in routes(open_router, "inner.test")] == ["192.168.0.1", "fd00::1"]


def test_a_mapped_connection_is_allowed_and_marked_and_the_first_rule_counts() -> None:
    rules = [parse_connect_to("a.test:80:127.0.0.1:8080"), parse_connect_to("*:80:127.0.0.1:9090")]
    router = Router(Resolver(lookup=Names(c_test=["8.8.8.8"])), connect_to=rules)
    assert routes(router, "a.test") == [Route(address="127.0.0.1", port=8080, named=True)]
    assert routes(router, "8.8.4.4") == [Route(address="127.0.0.1", port=9090, named=True)]
    assert routes(router, "c.test", 443) == [Route(address="8.8.8.8", port=443)]


def test_a_rule_that_maps_the_port_only_does_not_lift_the_check() -> None:
    router = Router(
        Resolver(lookup=Names(inner_test=["127.0.0.1"], outer_test=["8.8.8.8"])),
        connect_to=[parse_connect_to("*:80::8080")],
    )
    assert routes(router, "outer.test") == [Route(address="8.8.8.8", port=8080)]
    with pytest.raises(PrivateAddress):
        routes(router, "inner.test")


def test_a_rule_may_name_a_host_that_is_looked_up() -> None:
    router = Router(
        Resolver(lookup=Names(box_test=["10.1.1.1"])), connect_to=[parse_connect_to("*:*:box.test:81")]
    )
    assert routes(router, "any.test") == [Route(address="10.1.1.1", port=81, named=True)]


def test_checked_as_used() -> None:
    router = Router(Resolver(lookup=Names()), connect_to=[parse_connect_to("*:80:127.0.0.1:8080")])
    with pytest.raises(PrivateAddress):
        router.vet("127.0.0.1", 8080)
    routes(router, "a.test")
    router.vet("127.0.0.1", 8080)
    router.vet("8.8.8.8", 80)
    with pytest.raises(PrivateAddress):
        router.vet("127.0.0.1", 22)
    Router(allow_private=True).vet("127.0.0.1", 22)


def test_answers_and_failures_are_cached_and_fixed_hosts_never_asked() -> None:
    names = Names(a_test=["8.8.8.8"])

    async def ask() -> None:
        resolver = Resolver(lookup=names, hosts={"Fixed.test": ["1.1.1.1"]})
        assert await resolver.addresses("fixed.test") == ("1.1.1.1",)
        for _ in range(3):
            assert await resolver.addresses("a.test") == ("8.8.8.8",)
            with pytest.raises(UnknownHost, match=r"^b\.test was not found: Name or service not known$"):
                await resolver.addresses("b.test")

    asyncio.run(ask())
    assert names.asked == ["a.test", "b.test"]


def test_fresh_answers_only() -> None:
    names = Names(a_test=["8.8.8.8"])

    async def ask() -> None:
        resolver = Resolver(lookup=names, ttl=0.0, negative_ttl=0.0)
        for host in ("a.test", "a.test", "b.test", "b.test"):
            await asyncio.gather(resolver.addresses(host), return_exceptions=True)

    asyncio.run(ask())
    assert names.asked == ["a.test", "a.test", "b.test", "b.test"]


def test_a_name_that_cannot_be_encoded_is_unknown() -> None:
    async def ask() -> None:
        await Resolver().addresses("a" * 70 + ".test")

    with pytest.raises(UnknownHost):
        asyncio.run(ask())


def test_one_who_gives_up_does_not_stop_the_lookup_for_others() -> None:
    names = Names(a_test=["8.8.8.8"])

    async def ask() -> tuple[str, ...]:
        resolver = Resolver(lookup=names)
        first = asyncio.create_task(resolver.addresses("a.test"))
        second = asyncio.create_task(resolver.addresses("a.test"))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert asyncio.run(ask()) == ("8.8.8.8",)
    assert names.asked == ["a.test"]


MONTHS = {"1996-09": 842, "1996-10": 844, "1996-12": 849, "1997-01": 852, "1997-02": 855}


def at(month: str) -> Millis:
    return Millis(MONTHS[month] * 10**9)


def test_kat_1_11_a_name_moves_from_one_machine_to_another() -> None:
    """ALGORITHMS 1.11: www.automobile.org is an alias of model-t from 1996-10 to 1997-01, then of hudson."""
    history = DnsHistory()
    history.observe("model-t", ["192.0.2.1"], at("1996-09"))
    history.observe("www.automobile.org", ["192.0.2.1"], at("1996-10"))
    history.observe("hudson", ["192.0.2.2"], at("1997-01"))
    history.observe("www.automobile.org", ["192.0.2.2"], at("1997-01"))
    assert history.addresses("www.automobile.org", at("1996-12")) == ("192.0.2.1",)
    assert history.addresses("www.automobile.org") == ("192.0.2.2",)
    assert history.addresses("www.automobile.org", at("1997-01")) == ("192.0.2.2",)
    assert history.addresses("www.automobile.org", at("1996-09")) == ()
    assert history.names("192.0.2.1", at("1996-12")) == ("model-t", "www.automobile.org")
    assert history.names("192.0.2.1") == ("model-t",)
    rows = history.rows_of("www.automobile.org")
    assert [(r.value, r.kind, r.machine, r.entered, r.superseded) for r in rows] == [
        ("www.automobile.org", "alias", 1, at("1996-10"), at("1997-01")),
        ("www.automobile.org", "alias", 2, at("1997-01"), None),
    ]


def test_a_machine_that_loses_its_canonical_name_takes_an_alias_for_it() -> None:
    history = DnsHistory()
    history.observe("first", ["192.0.2.1"], Millis(1))
    history.observe("second", ["192.0.2.1"], Millis(2))
    history.observe("first", ["192.0.2.9"], Millis(3))
    assert history.addresses("second") == ("192.0.2.1",)
    assert history.names("192.0.2.1") == ("second",)
    assert history.addresses("first") == ("192.0.2.9",)
    assert history.addresses("first", Millis(2)) == ("192.0.2.1",)


def test_an_address_that_nobody_answers_with_any_more_ends() -> None:
    history = DnsHistory()
    history.observe("a", ["192.0.2.1", "192.0.2.2"], Millis(1))
    history.observe("b", ["192.0.2.1"], Millis(2))
    history.observe("a", ["192.0.2.3"], Millis(3))
    assert history.addresses("b") == ("192.0.2.1",)
    assert history.addresses("a", Millis(2)) == ("192.0.2.1", "192.0.2.2")
    assert history.names("192.0.2.2") == ()


def test_aliases_shared_an_address_at_the_same_time() -> None:
    """Two names that had an address one after the other are no aliases, nor are names joined by a third one."""
    history = DnsHistory()
    history.observe("first", ["192.0.2.1"], Millis(1))
    history.observe("first", ["192.0.2.2"], Millis(2))
    history.observe("second", ["192.0.2.1"], Millis(3))
    history.observe("both", ["192.0.2.1", "192.0.2.2"], Millis(4))
    assert history.aliases("second", Millis(3)) == ()
    assert history.aliases("second") == ("both",)
    assert history.aliases("first") == ("both",)
    assert history.aliases("both") == ("second", "first")


def test_a_clock_that_was_set_back_stands_still() -> None:
    history = DnsHistory()
    history.observe("solo", ["192.0.2.1"], Millis(100))
    history.observe("solo", ["192.0.2.2"], Millis(50))
    assert [(r.entered, r.superseded) for r in history.rows_of("192.0.2.1")] == [(100, 100)]
    assert history.addresses("solo", Millis(100)) == ("192.0.2.2",)


def test_a_machine_that_moves_alone_keeps_its_identity() -> None:
    history = DnsHistory()
    history.observe("solo", ["192.0.2.1"], Millis(1))
    history.observe("solo", ["192.0.2.2"], Millis(5))
    assert {row.machine for row in history.rows()} == {1}
    assert history.addresses("solo") == ("192.0.2.2",)
    assert history.addresses("solo", Millis(4)) == ("192.0.2.1",)


def test_the_same_answer_again_adds_nothing_and_an_export_continues() -> None:
    history = DnsHistory()
    history.observe("solo", ["192.0.2.1", "192.0.2.2"], Millis(1))
    history.observe("solo", ["192.0.2.2", "192.0.2.1"], Millis(5))
    assert len(history.rows()) == 3
    again = DnsHistory(history.facts())
    again.observe("solo", ["192.0.2.1", "192.0.2.2"], Millis(6))
    assert again.rows() == history.rows()
    again.observe("solo", ["192.0.2.3"], Millis(7))
    assert again.addresses("solo", Millis(6)) == ("192.0.2.1", "192.0.2.2")
    assert again.addresses("solo") == ("192.0.2.3",)


def test_the_resolver_writes_the_history() -> None:
    history = DnsHistory()
    asyncio.run(Resolver(lookup=Names(a_test=["8.8.8.8"]), history=history).addresses("a.test"))
    assert history.addresses("a.test") == ("8.8.8.8",)


def test_the_system_knows_localhost() -> None:
    found = asyncio.run(Resolver().addresses("localhost"))
    assert {"127.0.0.1", "::1"} & set(found)


def test_patient_to_a_point() -> None:
    async def lookup(host: str) -> list[str]:
        await asyncio.sleep(3600)
        return []

    with pytest.raises(UnknownHost, match=r"a\.test was not found: no answer in 0\.05 s"):
        asyncio.run(Resolver(lookup=lookup, patience=0.05).addresses("a.test"))
