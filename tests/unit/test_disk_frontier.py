"""The frontier on disk as a thing on disk: opening, refusing, surviving."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rocksdict import Options, Rdict

from lycosa.frontier.protocol import Rest
from lycosa.model.commands import Enqueue, Forget, Grant, Reprioritize
from lycosa.model.errors import FolderError, InputError
from lycosa.model.events import Snapshot
from lycosa.model.records import Link, Millis, Request, UrlState
from lycosa.model.url import Host, Url
from lycosa.store import disk_frontier
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.frontier_rows import sort_key
from lycosa.store.place_log import PlaceLog, depth_at
from lycosa.store.queues import HostQueue, packed
from lycosa.store.rocks import DamagedStore, Rocks

HOST = Host("a.test")
URLS = [Url(f"http://a.test/{n}") for n in range(50)]


def snapshot(step: int) -> Snapshot:
    return Snapshot(step=step, crawl={"visited": step}, strategy={"nested": {"list": [1, 0.5, None, b"x"]}})


def drained(frontier: DiskFrontier) -> list[Url]:
    """All URLs in the order of their leases, at a time when nothing rests."""
    order, now = [], 1
    while request := frontier.lease(Millis(now)):
        order.append(request.url)
        now += 1
        frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(now)))
    return order


def test_a_long_queue_is_read_on_from_disk_in_its_order(tmp_path: Path) -> None:
    """Fifty URLs of one host, far more than memory keeps; 7 · n mod 50 runs through all scores once."""
    frontier = DiskFrontier(tmp_path / "frontier")
    frontier.apply(Enqueue(url=url, score=7 * n % 50 - 25.0) for n, url in enumerate(URLS))
    frontier.checkpoint(snapshot(1))
    frontier.apply(
        [Reprioritize(url=URLS[0], score=100.0), Forget(url=URLS[1]), Enqueue(url=URLS[2], score=0.5)]
    )
    scores = {url: 7 * n % 50 - 25.0 for n, url in enumerate(URLS)} | {URLS[0]: 100.0, URLS[2]: 0.5}
    del scores[URLS[1]]
    assert drained(frontier) == sorted(scores, key=lambda url: -scores[url])
    frontier.close()


def test_the_best_eight_of_a_host_are_leased_without_a_look_into_its_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frontier = DiskFrontier(tmp_path / "frontier")
    rows, scans = Rocks._rows, list[bytes]()

    def counted(store: Rocks, start: bytes, end: bytes) -> Any:
        scans.append(start)
        return rows(store, start, end)

    monkeypatch.setattr(Rocks, "_rows", counted)
    for batch in (URLS[:20], URLS[20:]):  # the better ones come last
        frontier.apply(Enqueue(url=url, score=float(URLS.index(url))) for url in batch)
        frontier.checkpoint(snapshot(1))
    leased = []
    for now in range(1, 51):
        request = frontier.lease(Millis(now))
        assert isinstance(request, Request)
        leased.append(request.url)
        frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(now)))
        if now % 3 == 0:
            frontier.checkpoint(snapshot(now))
        if now == 7:
            assert scans == []
    assert leased == URLS[::-1]
    assert 0 < len(scans) <= 6, "eight are read at once"
    frontier.close()


def test_what_was_read_ahead_is_not_read_again_before_the_next_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frontier = DiskFrontier(tmp_path / "frontier")
    frontier.apply(Enqueue(url=url) for url in URLS[::2])
    frontier.checkpoint(snapshot(1))
    get, get_all, read = Rocks.get, Rocks.get_all, list[bytes]()

    def counted(store: Rocks, key: bytes) -> bytes | None:
        read.append(key)
        return get(store, key)

    def all_counted(store: Rocks, keys: list[bytes]) -> Sequence[bytes | None]:
        read.extend(keys)
        return get_all(store, keys)

    monkeypatch.setattr(Rocks, "get", counted)
    monkeypatch.setattr(Rocks, "get_all", all_counted)
    monkeypatch.setattr(disk_frontier, "ROWS", 41)
    frontier.read_ahead(URLS[:30])
    assert len(read) == 30
    frontier.read_ahead(URLS[:40])
    states = [frontier.state(url) for url in URLS[:40]]
    assert states == [UrlState.PENDING, UrlState.UNSEEN] * 20
    frontier.apply(Enqueue(url=url, score=-1.0) for url in URLS[:40:2])
    assert len(read) == 40
    frontier.read_ahead(URLS[40:41])
    frontier.read_ahead(URLS[:40])
    assert len(read) == 81, "full, the memory was emptied"
    frontier.checkpoint(snapshot(2))
    frontier.read_ahead(URLS[:1])
    assert len(read) == 82
    frontier.close()


def test_a_store_that_is_opened_again_filters_what_it_never_held(tmp_path: Path) -> None:
    path = tmp_path / "frontier"
    for _ in range(3):
        DiskFrontier(path).close()
        options = max(path.glob("OPTIONS-*")).read_text()
        assert "filter_policy=bloomfilter" in options


def test_a_place_is_found_in_bytes_that_look_like_it_elsewhere() -> None:
    """The key of the second place begins where the pointer of the first ends with the same bytes."""
    key = b"k" * 24
    first = packed(b"a" * 24, b"\0" + b"k" * 20)
    queue = HostQueue(count=2)
    queue.hold([first, packed(key, b"\0" * 21)])
    assert queue.row_of(key) == b"\0" * 21
    assert queue.row_of(b"a" * 24) == b"\0" + b"k" * 20
    assert queue.row_of(b"b" * 24) is None
    queue.at = queue.width
    assert queue.best() == key
    assert queue.row_of(b"a" * 24) is None, "it is gone"


@given(st.lists(st.binary(min_size=24, max_size=24), unique=True), st.data())
def test_each_packed_place_has_the_row_it_was_packed_with(keys: list[bytes], data: st.DataObject) -> None:
    """Rows of earlier versions are records, of any length: they are left to the store."""
    rows = [
        data.draw(st.binary(min_size=20, max_size=20).map(b"\0".__add__) | st.just(b"\x95record"))
        for _ in keys
    ]
    queue = HostQueue()
    for key, row in zip(keys, rows, strict=True):
        queue.hold([packed(key, row)])
    for key, row in zip(keys, rows, strict=True):
        assert queue.best() == key
        assert queue.row_of(key) == (row if len(row) == 21 else None)
        queue.at += queue.width
    assert queue.best() is None


def test_head_and_better_places_of_a_host_are_as_if_looked_for_each_time(tmp_path: Path) -> None:
    draw, frontier, now = random.Random(7), DiskFrontier(tmp_path / "frontier"), 0
    queues, asked = frontier._queues, 0
    for step in range(1_500):
        urls = [request.url for request in frontier.pending(HOST)]
        tier, score = draw.randrange(2), draw.random()
        match draw.randrange(10):
            case 0 | 1 if len(urls) < 60:
                link = Link(source=URLS[0], target=URLS[1]) if draw.random() < 0.8 else None
                frontier.apply([Enqueue(url=Url(f"http://a.test/{step}"), score=score, tier=tier, via=link)])
            case 2 if urls:
                frontier.apply([Forget(url=draw.choice(urls))])
            case 3 if urls:
                frontier.apply([Reprioritize(url=draw.choice(urls), score=score, tier=tier)])
            case 4 if urls:
                request = frontier.claim(draw.choice(urls)) if score < 0.5 else frontier.lease(Millis(now))
                assert isinstance(request, Request)
                now += 1
                frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(now)))
            case 5 if score < 0.2:
                frontier.checkpoint(snapshot(step))
            case _:
                key, most = sort_key((tier, -score, 0), 0, unique=True), draw.randrange(1, 20)
                places = list(queues.places(HOST))
                better = sorted(place.key for place in places if place.key < key and place.depth)[:most]
                assert queues.before(HOST, key, most) == (len(better), better[0] if better else None)
                assert queues.head(HOST) == min((place.key for place in places), default=None)
                asked += bool(better)
    assert asked > 100
    frontier.close()


def test_hosts_are_counted_and_kept(tmp_path: Path) -> None:
    frontier = DiskFrontier(tmp_path / "frontier")
    frontier.apply([*(Enqueue(url=url) for url in URLS[:3]), Enqueue(url=Url("http://b.test/"))])
    frontier.checkpoint(snapshot(1))
    frontier.close()
    again = DiskFrontier(tmp_path / "frontier")
    assert dict(again.hosts()) == {HOST: 3, Host("b.test"): 1}
    assert [request.url for request in again.pending(HOST)] == URLS[:3]
    again.close()


def test_a_standing_counts_what_is_better(tmp_path: Path) -> None:
    frontier = DiskFrontier(tmp_path / "frontier")
    frontier.apply(Enqueue(url=url, score=float(n)) for n, url in enumerate(URLS[:5]))
    frontier.checkpoint(snapshot(1))
    frontier.apply([Enqueue(url=URLS[9], score=2.5, via=Link(source=URLS[0], target=URLS[9]))])
    found = frontier.standing(URLS[1])
    assert found is not None
    assert (found[0].url, found[1]) == (URLS[1], 5)
    assert [standing[1] for url in URLS[:10] if (standing := frontier.standing(url))] == [6, 5, 4, 2, 1, 3]
    assert frontier.standing(URLS[8]) is None
    frontier.close()


def test_snapshot_leases_and_quota_are_kept_together(tmp_path: Path) -> None:
    frontier = DiskFrontier(tmp_path / "frontier")
    assert frontier.snapshot is None
    via = Link(
        source=URLS[1], target=URLS[0], anchor="here", context="click here now", position=0.5, nofollow=True
    )
    frontier.apply([Enqueue(url=URLS[0], via=via, score=-0.0), Grant(n=3)])
    request = frontier.lease(Millis(1))
    assert request is not None
    assert request.via == via
    frontier.checkpoint(snapshot(7))
    frontier.close()
    again = DiskFrontier(tmp_path / "frontier")
    assert again.snapshot == snapshot(7)
    assert dict(again.leased) == {URLS[0]: request}
    assert (again.quota, again.state(URLS[0]), again.depth(URLS[0])) == (2, UrlState.LEASED, 1)
    again.give_back()
    assert (again.quota, again.lease(Millis(1))) == (3, request)
    again.close()


def test_a_rest_outlives_a_restart(tmp_path: Path) -> None:
    frontier = DiskFrontier(tmp_path / "frontier")
    other = Url("http://b.test/")
    frontier.apply(Enqueue(url=url) for url in (URLS[0], URLS[1], other))
    for now in (1, 2):  # both hosts turn out to share an address
        request = frontier.lease(Millis(now))
        assert request is not None
        frontier.settle(
            request,
            UrlState.VISITED,
            Rest(host_until=Millis(50), address="10.0.0.1", address_until=Millis(now)),
        )
    frontier.apply([Enqueue(url=Url("http://b.test/2"))])
    request = frontier.lease(Millis(60))
    assert request is not None
    frontier.settle(
        request, UrlState.VISITED, Rest(host_until=Millis(70), address="10.0.0.1", address_until=Millis(90))
    )
    frontier.checkpoint(snapshot(1))
    frontier.close()
    again = DiskFrontier(tmp_path / "frontier")
    assert again.lease(Millis(89)) is None
    assert again.lease(Millis(90)) is not None
    again.close()


def test_a_checkpoint_is_due_after_so_many_changes(tmp_path: Path) -> None:
    frontier = DiskFrontier(tmp_path / "frontier", changes=10)
    frontier.apply(Enqueue(url=url) for url in URLS[:9])
    assert not frontier.overfull
    frontier.apply([Enqueue(url=URLS[9])])
    assert frontier.overfull
    frontier.checkpoint(snapshot(1))
    assert not frontier.overfull
    frontier.close()


def test_a_bounded_frontier_does_not_grow_with_what_was_leased(tmp_path: Path) -> None:
    frontier = DiskFrontier(tmp_path / "frontier", capacity=5)
    for n in range(4_000):
        trimmed = frontier.apply([Enqueue(url=Url(f"http://a.test/{n}"), score=float(n))])
        assert trimmed == (1 if n in (5, 6) else 0)
        if n >= 6:
            request = frontier.lease(Millis(n))
            assert request is not None
            assert request.url == f"http://a.test/{n}"
            frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(n + 1)))
    assert len(frontier) == 4
    assert frontier._bound is not None
    assert len(frontier._bound) < 1_100
    frontier.close()


def test_it_is_refused_when_it_cannot_be_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "frontier"
    frontier = DiskFrontier(path, tie="random", seed=4)
    with pytest.raises(FolderError, match="in use by another process"):
        DiskFrontier(path, tie="random", seed=4)
    frontier.checkpoint(snapshot(1))
    frontier.close()
    with pytest.raises(InputError, match="orders ties by random with seed 4, not by fifo with seed 4"):
        DiskFrontier(path, tie="fifo", seed=4)
    raw = Rdict(str(path), Options(raw_mode=True))
    raw[b"m"] = bytes([0x91, 99])  # an array that begins with format 99
    raw.close()
    with pytest.raises(FolderError, match="written in format 99, this lycosa reads up to 6"):
        DiskFrontier(path, tie="random", seed=4)


def test_it_can_be_looked_at_while_another_crawls(tmp_path: Path) -> None:
    writer = DiskFrontier(tmp_path / "frontier")
    writer.apply([Enqueue(url=URLS[0])])
    writer.checkpoint(snapshot(1))
    writer.apply([Enqueue(url=URLS[1])])
    reader = DiskFrontier(tmp_path / "frontier", read_only=True)
    assert set(reader.keys()) == {URLS[0]}
    reader.close()
    writer.close()


KILLED = """
import sys
from pathlib import Path
from lycosa.model.commands import Enqueue
from lycosa.model.events import Snapshot
from lycosa.store import disk_frontier
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.frontier_rows import sort_key
frontier = DiskFrontier(Path(sys.argv[1]))
for step in range(1, 100_000):
    frontier.apply(Enqueue(url=f"http://h{step % 7}.test/{step}/{n}") for n in range(20))
    known = b"a page" * 20_000 * step + bytes([step % 256]) * 200_000
    frontier.checkpoint(Snapshot(step=step, crawl={}, strategy={"known": known}))
    print(step, flush=True)
"""


def test_a_killed_process_leaves_one_whole_checkpoint(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "frontier")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(os.environ))
    assert child.stdout is not None
    for _ in range(20):
        child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    frontier = DiskFrontier(tmp_path / "frontier")
    assert frontier.snapshot is not None
    assert frontier.snapshot.step >= 20
    assert len(frontier) == 20 * frontier.snapshot.step == len(frontier.keys())
    frontier.close()


def test_records_that_are_added_together_are_found_each_by_its_pointer(tmp_path: Path) -> None:
    log = PlaceLog(tmp_path)
    records = [[b"\x91one", b"\x91", b"\x91 two"], [], [b"\x91three"]]
    pointers = [log.add(some, [len(record) for record in some]) for some in records]
    log.keep()
    assert [[log.read(pointer) for pointer in some] for some in pointers] == records
    assert [depth_at(pointer) for pointer in pointers[0]] == [4, 1, 5]
    assert log.end == (tmp_path / "places").stat().st_size == sum(len(b"".join(some)) for some in records)
    log.close()


def as_before_the_log(path: Path) -> None:
    """Make a folder what format 3 wrote: the records of places in their rows, and no log."""
    raw = Rdict(str(path), Options(raw_mode=True))
    log = PlaceLog(path)
    for key, row in list(raw.items()):
        if key.startswith(b"q"):
            raw[key] = log.read(row)
    totals = msgspec.msgpack.decode(raw[b"m"])
    raw[b"m"] = msgspec.msgpack.encode([3, *totals[1:-1]])
    raw.close()
    log.close()
    (path / "places").unlink()


def test_a_folder_from_before_the_log_goes_on(tmp_path: Path) -> None:
    """Its places are leased, moved and counted with new ones, and those that move are written as new ones are."""
    path, other = tmp_path / "frontier", tmp_path / "other"
    for each in (path, other):
        frontier = DiskFrontier(each)
        via = Link(source=URLS[1], target=URLS[0], anchor="here")
        frontier.apply(Enqueue(url=url, score=7 * n % 50 - 25.0, via=via) for n, url in enumerate(URLS[:40]))
        frontier.checkpoint(snapshot(1))
        frontier.close()
    as_before_the_log(path)
    reader = DiskFrontier(path, read_only=True)
    assert reader.lease(Millis(1), 5) == DiskFrontier(other, read_only=True).lease(Millis(1), 5)
    reader.close()
    orders = []
    for each in (path, other):
        frontier = DiskFrontier(each)
        frontier.apply(Reprioritize(url=url, score=n / 3) for n, url in enumerate(URLS[20:30]))
        frontier.apply(Enqueue(url=url, score=n / 7) for n, url in enumerate(URLS[40:]))
        frontier.checkpoint(snapshot(2))
        frontier.close()
        frontier = DiskFrontier(each)
        orders.append(([*frontier.pending()], drained(frontier)))
        frontier.close()
    assert orders[0] == orders[1]
    assert len(orders[0][1]) == 50


@pytest.mark.parametrize("harm", ["cut", "flip", "gone"])
def test_harm_to_the_log_of_places_is_told(harm: str, tmp_path: Path) -> None:
    path = tmp_path / "frontier"
    frontier = DiskFrontier(path)
    frontier.apply([Enqueue(url=URLS[0])])
    frontier.checkpoint(snapshot(1))
    frontier.close()
    content = bytearray((path / "places").read_bytes())
    content[-1] ^= 1
    match harm:
        case "cut":
            (path / "places").write_bytes(content[:-1])
        case "flip":
            (path / "places").write_bytes(content)
        case _:
            (path / "places").unlink()
    with pytest.raises(DamagedStore, match="places"):
        DiskFrontier(path).lease(Millis(1))


def test_what_only_moves_is_not_read(tmp_path: Path) -> None:
    """All fifty links of a host move, far more than memory keeps the best of, past a log of which nothing can be read;
    only a lease needs its record."""
    path = tmp_path / "frontier"
    frontier = DiskFrontier(path)
    via = Link(source=URLS[1], target=URLS[0], anchor="here")
    frontier.apply(Enqueue(url=url, score=n / 7, via=via, depth=n) for n, url in enumerate(URLS))
    frontier.checkpoint(snapshot(1))
    frontier.close()
    records = (path / "places").read_bytes()
    (path / "places").write_bytes(bytes(len(records)))
    frontier = DiskFrontier(path)
    frontier.apply(Reprioritize(url=url, score=-n / 3) for n, url in enumerate(URLS))
    assert frontier.depth(URLS[30]) == 30
    frontier.checkpoint(snapshot(2))
    with pytest.raises(DamagedStore, match="places"):
        frontier.lease(Millis(1))
    frontier.close()
    (path / "places").write_bytes(records)
    frontier = DiskFrontier(path)
    request = frontier.lease(Millis(1))
    assert isinstance(request, Request)
    assert (request.url, request.order, request.depth, request.via) == (URLS[0], 1, 0, via)
    frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(1)))
    assert drained(frontier) == URLS[1:]
    frontier.close()


def test_what_a_crash_left_behind_the_log_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "frontier"
    for step, url in enumerate(URLS[:3], 1):
        frontier = DiskFrontier(path)
        frontier.apply([Enqueue(url=url)])
        frontier.checkpoint(snapshot(step))
        frontier.close()
        with (path / "places").open("ab") as log:
            log.write(b"records of a checkpoint that never was")
    frontier = DiskFrontier(path)
    assert drained(frontier) == URLS[:3]
    frontier.close()


def test_a_checkpoint_for_which_there_is_no_room_can_be_tried_again(tmp_path: Path) -> None:
    frontier = DiskFrontier(tmp_path / "frontier")
    frontier.apply([Enqueue(url=URLS[0])])
    frontier.checkpoint(snapshot(1))
    size = (tmp_path / "frontier" / "places").stat().st_size
    frontier.apply([Enqueue(url=URLS[1])])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 3, before[1]))
    try:
        with pytest.raises(FolderError, match="the disk is full"):
            frontier.checkpoint(snapshot(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    frontier.apply([Enqueue(url=URLS[2])])
    frontier.checkpoint(snapshot(3))
    frontier.close()
    again = DiskFrontier(tmp_path / "frontier")
    assert drained(again) == URLS[:3]
    again.close()
