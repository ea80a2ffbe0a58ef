"""The frontier's compiled parts give the answers of Python, and write the same bytes."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rocksdict import Options, Rdict
from tests.histories import look, random_command
from tests.properties.test_disk_frontier_properties import URLS, Life
from tests.trials import trials

from lycosa.frontier import heads, turns
from lycosa.frontier.heads import HeadsByPython
from lycosa.frontier.protocol import Rest, Tie
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Link, Millis, Request, UrlState
from lycosa.model.url import Url, host_of
from lycosa.store import checkpoint, disk_frontier, frontier_rows, queues
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.frontier_rows import PendingPlace, pack_link, pack_place, pending_row, sort_key, url_row
from lycosa.store.place_log import PlaceLog

pytestmark = pytest.mark.skipif(turns._QUEUES is None, reason="nothing is compiled here")


@contextmanager
def by_python() -> Iterator[None]:
    with ExitStack() as all_of_it:
        for module in (turns, heads, checkpoint, disk_frontier, frontier_rows, queues):
            all_of_it.enter_context(patch.object(module, "_QUEUES", None))
        all_of_it.enter_context(patch.object(turns, "_heaps", heapq))
        yield


class Told(Life):
    """A random history, with pages of links, and what a frontier told in it."""

    def __init__(self, name: str, path: Path, **settings: Any) -> None:
        super().__init__(name, path, [], **settings)
        self.told: list[Any] = []

    def apply(self) -> None:
        commands = [random_command(self.rng, URLS) for _ in range(self.rng.randrange(1, 4))]
        commands = [*commands, *self.page(), *commands[:1], *self.page()]
        self.told.append(self.disk.apply(commands))

    def page(self) -> list[Command]:
        """Links as one page has them: to known URLs and new ones, some of them twice, and others that it moves."""
        source, fresh = self.rng.choice(URLS), [Url(f"http://h{self.rng.randrange(6)}.test/new/{self.now}")]
        targets = self.rng.choices([*URLS, *fresh], k=self.rng.randrange(12))
        scores, tiers = [-0.0, 0.0, 1, 0.25, -3.5, 1e300], [0, 0, -1000, 2**40]
        return [
            Reprioritize(url=url, score=self.rng.choice(scores), tier=self.rng.choice(tiers))
            if self.rng.random() < 0.3
            else Enqueue(
                url=url,
                score=self.rng.choice(scores),
                tier=self.rng.choice(tiers),
                via=Link(source=source, target=self.rng.choice([url, source]), anchor="é的"),
            )
            for url in targets
        ]

    def lease(self) -> None:
        super().lease()
        self.told.append(sorted(self.out.items()))

    def checkpoint(self) -> None:
        super().checkpoint()
        kept = [(host, replace(queue, fresh=[])) for host, queue in self.disk._queues._hosts.items()]
        self.told += [sorted(kept, key=itemgetter(0)), look(self.disk, URLS, Millis(self.now))]

    def files(self) -> list[Any]:
        """What the store and the log have in the end."""
        self.checkpoint()
        self.disk.close()
        raw = Rdict(str(self.path), Options(raw_mode=True))
        rows = list(raw.items())
        raw.close()
        log = self.path / "places"
        return [rows, log.read_bytes() if log.exists() else b""]


def told_by_a_life(name: str, path: Path, **settings: Any) -> list[Any]:
    life = Told(name, path, **settings)
    life.live(150)
    life.told.append([life.disk.front(9), life.disk.best(9), life.disk.resting(Millis(life.now))])
    return [*life.told, *life.files()]


@pytest.mark.parametrize("tie", ["fifo", "lifo", "random"])
@pytest.mark.parametrize("kept", [1, 8])
def test_a_life_is_told_and_written_as_by_python(
    tmp_path: Path, tie: Tie, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_frontier, "ROWS", 30)
    monkeypatch.setattr(queues, "BATCH", kept)  # so that queues are read on often
    for trial in range(trials(2)):
        name = f"{tie}/{kept}/{trial}"
        compiled = told_by_a_life(name, tmp_path / f"compiled-{trial}", tie=tie, seed=3)
        with by_python():
            assert compiled == told_by_a_life(name, tmp_path / f"python-{trial}", tie=tie, seed=3)


def test_a_long_queue_is_told_and_written_as_by_python(tmp_path: Path) -> None:
    """More places at each host than memory keeps."""

    def told(path: Path) -> list[Any]:
        life, told = Told("long", path), list[Any]()
        for now in range(1, 60):
            links = [Url(f"http://h{(now * n) % 5}.test/{now}/{n}") for n in range(40)]
            source = Url(f"http://h0.test/{now}")
            life.disk.apply(
                [
                    Enqueue(url=url, score=n % 7 / 3, via=Link(source=source, target=url))
                    for n, url in enumerate([source, *links])
                ]
            )
            moved = life.rng.sample(sorted(life.disk.keys()), 9)
            life.disk.apply([Reprioritize(url=url, score=life.rng.random()) for url in moved])
            if now % 4 == 0:
                life.checkpoint()
            for _ in range(9):
                if isinstance(request := life.disk.lease(Millis(now), within=20), Request):
                    told.append(request)
                    life.disk.settle(
                        request,
                        UrlState.VISITED,
                        Rest(host_until=Millis(now + 1), address=f"a{now % 2}"),
                    )
        return [*told, *life.told, *life.files()]

    compiled = told(tmp_path / "compiled")
    with by_python():
        assert compiled == told(tmp_path / "python")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    ["", "a" * 31, "a" * 32, "é" * 128, "b" * 255, "b" * 256, "c" * 65_535, "c" * 65_536]
)
LINKS = st.builds(
    Link,
    source=st.sampled_from(URLS),
    target=st.sampled_from(URLS),
    anchor=TEXTS,
    context=TEXTS,
    heading=TEXTS,
    path=TEXTS,
    position=st.floats(0, 1, exclude_max=True) | st.sampled_from([0, -0.0]),
    rel=TEXTS,
    nofollow=st.booleans(),
    in_nav=st.booleans(),
)
NUMBERS = st.integers(0, 300) | st.sampled_from(
    [n + step for n in (2**7, 2**8, 2**16, 2**31, 2**32, 2**62) for step in (-1, 0)]
)
WAYS = st.just(()) | st.tuples(st.sampled_from(URLS))


@given(
    st.lists(st.none() | LINKS, max_size=4),
    NUMBERS,
    st.integers(0, 2**32 - 1),
    NUMBERS,
    WAYS,
    st.none() | st.integers(0, 9),
)
def test_records(
    links: list[Link | None], order: int, depth: int, attempt: int, way: tuple[Url, ...], was: int | None
) -> None:
    places = [
        PendingPlace(
            url,
            host_of(url),
            sort_key((3, float(n) - 2, n), n, unique=True),
            order,
            depth,
            attempt,
            pack_link(link, url),
            way,
            was,
        )
        for n, (url, link) in enumerate(zip(URLS, links, strict=False))
    ]
    log = PlaceLog(Path("nowhere"))  # it is never written
    log.end = 2**40
    rows: dict[bytes, bytes] = {}
    assert queues._QUEUES is not None
    joined = queues._QUEUES.put_places(places, rows.__setitem__, pack_place, pending_row, log.end)
    records = [pack_place(place) for place in places]
    assert joined == b"".join(records)
    assert [place.pointer for place in places] == log.add(records, [depth] * len(places))
    assert rows == {url_row(place.url): pending_row(place) for place in places}
    compiled = [place.request() for place in places]
    with by_python():
        assert compiled == [place.request() for place in places]


def test_what_cannot_be_written_points_nowhere() -> None:
    def no_room(key: bytes, row: bytes) -> None:
        raise KeyError(key)

    place = PendingPlace(URLS[0], host_of(URLS[0]), sort_key((0, 0.0, 1), 1, unique=True), 1, 0, 1, None)
    assert queues._QUEUES is not None
    with pytest.raises(KeyError):
        queues._QUEUES.put_places([place], no_room, pack_place, pending_row, 0)
    assert place.pointer == b""


KEYS = st.sampled_from([b"a", b"ab", b"b", b"\xff", b""])


@pytest.mark.parametrize(
    "entries",
    [
        st.tuples(KEYS, st.sampled_from("abc")),
        st.tuples(st.integers(-3, 3) | st.just(2**70), st.booleans()),
        st.tuples(st.tuples(st.integers(0, 2), st.floats(0, 1)), st.sampled_from("abc")),
    ],
)
def test_heaps_lie_as_those_of_heapq(entries: st.SearchStrategy[Any]) -> None:
    assert turns._QUEUES is not None
    compiled: Any = turns._QUEUES

    @given(st.lists(st.none() | entries, max_size=60))
    def compare(steps: list[Any]) -> None:
        one: list[Any] = []
        other: list[Any] = []
        for step in steps:
            if step is None:
                if one:
                    assert compiled.heappop(one) == heapq.heappop(other)
            else:
                compiled.heappush(one, step)
                heapq.heappush(other, step)
            assert one == other

    compare()
    with pytest.raises(IndexError):
        compiled.heappop([])
    with pytest.raises(TypeError):
        compiled.heappush([(b"a", "b")], 3)


LONG_KEYS = st.builds(
    lambda begin, end: begin + end, st.sampled_from([b"", b"\0", b"\xff" * 8, b"a" * 23, b"a" * 24]), KEYS
)


@pytest.mark.parametrize("keys", [LONG_KEYS, st.tuples(st.integers(0, 2), st.floats(0, 1))])
def test_heads_come_as_those_of_python(keys: st.SearchStrategy[Any]) -> None:
    hosts = st.sampled_from("abc")

    @given(st.lists(st.none() | st.tuples(keys, hosts) | st.lists(st.tuples(keys, hosts), max_size=9)))
    def compare(steps: list[Any]) -> None:
        one, other = heads.heads(), HeadsByPython()
        assert not isinstance(one, HeadsByPython)
        for step in steps:
            if isinstance(step, list):
                one.become(step)
                other.become(step)
            elif step is not None:
                one.push(*step)
                other.push(*step)
            elif other:
                assert one.first() == other.first() == one.pop() == other.pop()
            assert len(one) == len(other)
            assert sorted(one.entries()) == sorted(other.entries())
        while other:
            assert one.pop() == other.pop()

    compare()
    for ask in (heads.heads().first, heads.heads().pop):
        with pytest.raises(IndexError):
            ask()


def test_what_came_before_a_failure_is_kept(tmp_path: Path) -> None:
    good, bad = Url("http://a.test/"), Url("http://b.test/")

    def told(path: Path) -> Any:
        frontier = DiskFrontier(path)
        with pytest.raises(UnicodeEncodeError):
            frontier.apply(
                [
                    Enqueue(url=good),
                    Enqueue(url=bad, depth=0, via=Link(source=good, target=bad, rel="\ud800")),
                ]
            )
        frontier.apply([Enqueue(url=Url("http://c.test/"))])
        answers = [len(frontier), frontier.keys(), frontier.lease(Millis(1))]
        frontier.close()
        return answers

    compiled = told(tmp_path / "compiled")
    with by_python():
        assert compiled == told(tmp_path / "python")


def test_rests_of_other_numbers_are_written_as_by_python(tmp_path: Path) -> None:
    def told(path: Path) -> Any:
        life = Told("rests", path)
        life.disk.apply([Enqueue(url=url) for url in URLS])
        for until in (5.5, 2**40, -3):
            request = life.disk.lease(Millis(1))
            assert isinstance(request, Request)
            life.disk.settle(request, UrlState.VISITED, Rest(host_until=until))  # type: ignore[arg-type]
        return life.files()

    compiled = told(tmp_path / "compiled")
    with by_python():
        assert compiled == told(tmp_path / "python")


@pytest.mark.parametrize(
    "command",
    [
        Enqueue(url=Url("http://a.test/\ud800")),
        Enqueue(url=Url("a.test")),
        Enqueue(url=Url("http://a.test/"), tier=2**80),
        Enqueue(url=Url("http://a.test/"), score=float("inf")),
        Enqueue(
            url=Url("http://a.test/b"),
            depth=1,
            via=Link(source=Url("http://a.test/"), target=Url("http://a.test/b"), anchor="\udfff"),
        ),
    ],
)
def test_what_is_not_plain_is_refused_or_taken_as_by_python(tmp_path: Path, command: Enqueue) -> None:
    def told(path: Path) -> Any:
        frontier = DiskFrontier(path)
        try:
            frontier.apply([Enqueue(url=Url("http://b.test/")), command])
            return frontier.keys()
        except Exception as error:
            return error.__class__
        finally:
            frontier.close()

    compiled = told(tmp_path / "compiled")
    with by_python():
        assert compiled == told(tmp_path / "python")


class Odd(msgspec.Struct):
    """What it is given is not what its objects hold."""

    url: str

    def __post_init__(self) -> None:
        self.url = "another"


class Plain(msgspec.Struct, gc=False):
    url: str
    key: bytes = b""


def test_fields_are_found_where_each_has_a_place_of_its_own() -> None:
    assert queues._QUEUES is not None
    know = queues._QUEUES.know
    assert [know(each) for each in (Odd, Odd)] == [Odd, Odd]  # it goes on asking these by name
    assert [know(each) for each in (Plain, Plain)] == [Plain, Plain]
    for url in (Odd("given"), Plain("another")):
        assert queues._QUEUES.unread([url], (Odd, Plain), {}, {}, {}) == (["another"], [b"uanother"])
    with pytest.raises(AttributeError):
        know(int)
    with pytest.raises(AttributeError):
        queues._QUEUES.unread([3], (int,), {}, {}, {})


def test_next_places_of_a_queue_are_those_of_python(tmp_path: Path) -> None:
    store = Rdict(str(tmp_path / "store"), Options(raw_mode=True))
    keys = [bytes([n]) * 24 for n in range(9)]
    for key in keys:
        store[b"qa\0" + key] = b"\0" + key[:20] if key[0] % 4 else b"of an earlier version"
    assert queues._QUEUES is not None
    for bound, most, dead in itertools.product(
        [b"", keys[2], keys[8]], [1, 4, 20], [set(), {keys[0], keys[5]}]
    ):

        def told(next_rows: Any, bound: bytes = bound, most: int = most, dead: Any = dead) -> Any:
            rows = store.iter()
            rows.seek(b"qa\0" + bound)
            return next_rows(rows, 3, bound, dead, most)

        assert told(queues._QUEUES.next_rows) == told(queues._next_rows)
    rows = store.iter()
    rows.seek_to_first()
    for skip in (99, -1):
        with pytest.raises(ValueError, match="too short"):
            queues._QUEUES.next_rows(rows, skip, b"", set(), 4)
    store.close()


def test_who_tells_heads_is_asked_for_one_host(tmp_path: Path) -> None:
    assert queues._QUEUES is not None
    frontier = DiskFrontier(tmp_path / "frontier")
    frontier.apply([Enqueue(url=URLS[0])])
    head = queues._QUEUES.HeadOf(PendingPlace, frontier._queues)
    assert head(host_of(URLS[0])) == frontier._queues.head(host_of(URLS[0])) is not None
    assert head("elsewhere.test") is None
    for asked in (lambda: head(), lambda: head(host=URLS[0]), lambda: queues._QUEUES.HeadOf(queues=1)):
        with pytest.raises(TypeError):
            asked()
    frontier.close()
