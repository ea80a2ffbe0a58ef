"""The invariants that the classes of `lycosa.web` promise at their heads."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address

import brotli
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.jumping_clock import JumpingClock
from tests.trials import trials

from lycosa.model.records import Millis
from lycosa.web.http.address import PrivateAddress, refusal
from lycosa.web.http.decode import FLOOR, RATIO, Body
from lycosa.web.http.dns import ConnectTo, Resolver, Router, UnknownHost
from lycosa.web.http.dns_history import DnsHistory
from lycosa.web.spacing import Spacing

CODERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
codings = st.sampled_from(list(CODERS))
texts = st.one_of(
    st.binary(max_size=5000),
    st.builds(lambda unit, n: unit * n, st.binary(min_size=1, max_size=20), st.integers(0, 20_000)),
)


def chunks(raw: bytes, cuts: Sequence[int]) -> list[bytes]:
    edges = [0, *sorted({min(cut, len(raw)) for cut in cuts}), len(raw)]
    return [raw[a:b] for a, b in itertools.pairwise(edges) if a < b]


@settings(max_examples=trials(60), deadline=None)
@given(text=texts, coding=codings, outer=codings, cuts=st.lists(st.integers(0, 3000), max_size=6))
def test_as_one(text: bytes, coding: str, outer: str, cuts: list[int]) -> None:
    raw = CODERS[outer](CODERS[coding](text))
    body = Body(",".join(name for name in (coding, outer) if name), 10**8)
    assert all(body.feed(chunk) for chunk in chunks(raw, cuts))
    body.end()
    assert (body.take(), body.truncated) == (text, "")


@settings(max_examples=trials(60), deadline=None)
@given(
    text=texts,
    coding=codings,
    limit=st.integers(1, 100_000),
    noise=st.binary(max_size=50),
    at=st.integers(0, 2000),
    cuts=st.lists(st.integers(0, 3000), max_size=6),
)
def test_bounded_body(text: bytes, coding: str, limit: int, noise: bytes, at: int, cuts: list[int]) -> None:
    raw = CODERS[coding](text)
    raw = raw[:at] + noise + raw[at + len(noise) :]
    body = Body(coding, limit)
    fed = 0
    for chunk in chunks(raw, cuts):
        fed += len(chunk)
        if not body.feed(chunk):
            break
    assert len(body.take()) == body.size <= min(limit, max(FLOOR, RATIO * fed))


hosts = st.sampled_from([f"h{n}.test" for n in range(6)])
addresses = st.lists(st.sampled_from([f"192.0.2.{n}" for n in range(6)]), min_size=1, max_size=3)
observations = st.lists(st.tuples(hosts, addresses, st.integers(0, 3)), max_size=40)


def history_of(seen: list[tuple[str, list[str], int]]) -> tuple[DnsHistory, int]:
    history, now = DnsHistory(), 0
    for host, found, pause in seen:
        now += pause
        history.observe(host, found, Millis(now))
    return history, now


@given(seen=observations)
def test_no_overlap(seen: list[tuple[str, list[str], int]]) -> None:
    history, _ = history_of(seen)
    spans = defaultdict(list)
    for row in history.rows():
        end = float("inf") if row.superseded is None else row.superseded
        spans[row.value, row.kind].append((row.entered, end))
    for of_one in spans.values():
        of_one.sort()
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(of_one))


@given(seen=observations)
def test_one_canonical(seen: list[tuple[str, list[str], int]]) -> None:
    history, _ = history_of(seen)
    current = [row for row in history.rows() if row.superseded is None]
    for machine in {row.machine for row in current}:
        kinds = [row.kind for row in current if row.machine == machine]
        assert kinds.count("canonical") == 1
        assert "address" in kinds


@given(seen=observations)
def test_latest_wins(seen: list[tuple[str, list[str], int]]) -> None:
    history, now = history_of(seen)
    latest = {host: found for host, found, _ in seen}
    for host, found in latest.items():
        assert set(found) & set(history.addresses(host))
        assert history.addresses(host) == history.addresses(host, Millis(now))


@given(seen=observations)
def test_every_answer_has_an_owner(seen: list[tuple[str, list[str], int]]) -> None:
    history, _ = history_of(seen)
    answered = {address for host in {host for host, _, _ in seen} for address in history.answer(host)}
    owned = [row.value for row in history.rows() if row.kind == "address" and row.superseded is None]
    assert sorted(owned) == sorted(answered)


@given(seen=observations, later=observations)
def test_as_it_was(seen: list[tuple[str, list[str], int]], later: list[tuple[str, list[str], int]]) -> None:
    """Asked as of a time that is over: what comes at that very time still belongs to it."""
    history, now = history_of(seen)
    hosts, places = {host for host, _, _ in seen}, {each for _, found, _ in seen for each in found}

    def told(at: int | None) -> list[object]:
        when = None if at is None else Millis(at)
        of_hosts = [
            (history.addresses(h, when), history.canonical(h, when), history.aliases(h, when)) for h in hosts
        ]
        return [*of_hosts, *(history.names(place, when) for place in places)]

    before = [told(at) for at in (*range(now + 1), None)]
    assert before[-1] == before[-2], "the last moment is now"
    for at, (host, found, pause) in enumerate(later, now + 1):
        history.observe(host, found, Millis(at + pause))
    assert [told(at) for at in range(now + 1)] == before[:-1]


@given(
    number=st.one_of(st.integers(0, 2**32 - 1).map(IPv4Address), st.integers(0, 2**128 - 1).map(IPv6Address))
)
def test_a_refusal_covers_all_that_the_standard_library_calls_private(
    number: IPv4Address | IPv6Address,
) -> None:
    private = number.is_private or number.is_multicast or number.is_link_local or number.is_loopback
    # 192.0.0.9, 192.0.0.10 and parts of 2001::/23 are global by the registry, yet no place for web pages.
    if private:
        assert refusal(str(number))


octets = st.sampled_from(
    ["127.0.0.1", "10.0.0.1", "8.8.8.8", "::1", "2606:4700::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"]
)


@given(found=st.lists(octets, max_size=4), mapped=st.booleans())
def test_public_only(found: list[str], mapped: bool) -> None:
    rules = [ConnectTo(host="b.test", port=None, to_host="127.0.0.1", to_port=None)] if mapped else []
    router = Router(Resolver(hosts={"a.test": found}, lookup=nobody), connect_to=rules)
    try:
        routes = asyncio.run(router.routes("a.test", 80))
    except (PrivateAddress, UnknownHost):
        assert all(refusal(address) for address in found)
    else:
        assert [r.address for r in routes] == [address for address in found if not refusal(address)]


async def nobody(host: str) -> list[str]:
    return []


@given(asked=st.lists(st.integers(0, 9), max_size=60), capacity=st.integers(1, 5))
@settings(deadline=None)
def test_bounded_and_single_flight_resolver(asked: list[int], capacity: int) -> None:
    lookups: list[str] = []

    async def lookup(host: str) -> list[str]:
        lookups.append(host)
        await asyncio.sleep(0)
        return ["8.8.8.8"]

    async def story() -> None:
        resolver = Resolver(lookup=lookup, capacity=capacity)
        await asyncio.gather(*(resolver.addresses(f"h{n}.test") for n in asked))
        assert sorted(lookups) == sorted({f"h{n}.test" for n in asked})
        assert len(resolver._cache) <= capacity

    asyncio.run(story())


exchanges = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-1, 2), st.integers(0, 50), st.integers(0, 30)), max_size=15
)


@settings(max_examples=trials(60), deadline=None)
@given(plan=exchanges, delay=st.sampled_from([0, 1, 20]))
def test_one_at_a_time_spaced_open_in_time_and_independent(
    plan: list[tuple[int, int, int, int]], delay: int
) -> None:
    clock = JumpingClock()
    spacing = Spacing(clock, Millis(delay))
    log: list[tuple[list[str], int, int]] = []
    running: list[set[str]] = []

    async def exchange(keys: list[str], start: int, length: int) -> None:
        await clock.sleep_until(Millis(start))
        while wait := max(map(spacing.wait, keys)):
            busy = any(set(keys) & others for others in running)
            resting = any(
                set(keys) & set(others) and end <= clock.time < end + delay for others, _, end in log
            )
            assert busy or resting, "independent"
            before = len(log), len(running)
            await clock.sleep_until(Millis(clock.time + wait))
            if not busy and before == (len(log), len(running)):
                assert not max(map(spacing.wait, keys)), "open in time"
        running.append(set(keys))
        with spacing.turn(*keys):
            began = clock.time
            await clock.sleep_until(Millis(began + length))
        running.remove(set(keys))
        log.append((keys, began, clock.time))

    work = [
        exchange([f"h{host}"] + ([f"a{address}"] if address >= 0 else []), start, length)
        for host, address, start, length in plan
    ]
    asyncio.run(clock.run(*work))
    assert len(log) == len(plan)
    for first, second in itertools.combinations(sorted(log, key=lambda entry: entry[1:]), 2):
        if set(first[0]) & set(second[0]):
            assert second[1] >= first[2] + delay
