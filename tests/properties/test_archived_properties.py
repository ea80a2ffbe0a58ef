"""The invariants of archives elsewhere as webs: of the desk where they are asked, of what is kept, of mixtures."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.cdxserver import CdxArchive
from tests.jumping_clock import JumpingClock
from tests.trials import trials
from tests.worlds import html, response, u

from lycosa.archive.collection import Collection
from lycosa.archive.kept import Kept
from lycosa.archive.lent import lent_response
from lycosa.archive.warc import WarcArchive
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response, Source
from lycosa.model.url import Url, host_of
from lycosa.web.archived.address import address_of
from lycosa.web.archived.desk import Desk, Patience
from lycosa.web.archived.web import ArchivedWeb
from lycosa.web.mixed import MixedWeb, Shelves
from lycosa.web.recorded import RecordedWeb

AT = Millis(1_700_000_000_000)
NAMES = ("a", "a/x", "a/d/", "a/d/y", "a/d/e/z?q=1", "b", "b/x", "b/robots.txt", "c")
names = st.sampled_from(NAMES)
patiences = st.builds(
    Patience,
    delay=st.integers(0, 3_000).map(Millis),
    backoff=st.integers(0, 9_000).map(Millis),
    max_backoff=st.just(Millis(60_000)),
    give_up=st.just(1_000),
)


class Slow:
    """Takes as long as it is told, and answers 503 as often as it is told. Notes when it was asked."""

    def __init__(self, clock: JumpingClock, takes: list[int], sick: list[bool]) -> None:
        self._clock, self._takes, self._sick = clock, takes, sick
        self.seen: list[tuple[str, int, int, bool]] = []

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        number, began = len(self.seen), self._clock.now()
        sick = self._sick[number] if number < len(self._sick) else False
        took = self._takes[number % len(self._takes)]
        self.seen.append((host_of(url), began, began + took, sick))
        await self._clock.sleep_until(Millis(began + took))
        return replace(response(url, b"", 503 if sick else 200), elapsed=Millis(took))

    async def close(self) -> None: ...


def asked(
    patience: Patience, takes: list[int], sick: list[bool], urls: list[str]
) -> list[tuple[str, int, int, bool]]:
    async def run() -> list[tuple[str, int, int, bool]]:
        clock = JumpingClock()
        slow = Slow(clock, takes, sick)
        desk = Desk(slow, clock, patience)
        await clock.run(*(desk.ask(u(url)) for url in urls))
        return slow.seen

    return asyncio.run(run())


some_asked = {
    "patience": patiences,
    "takes": st.lists(st.integers(0, 40_000), min_size=1, max_size=4),
    "sick": st.lists(st.booleans(), max_size=5),
    "urls": st.lists(names, min_size=1, max_size=8),
}


@settings(max_examples=trials(60), deadline=None)
@given(**some_asked)
def test_one_at_a_time_at_the_desk(
    patience: Patience, takes: list[int], sick: list[bool], urls: list[str]
) -> None:
    seen = asked(patience, takes, sick, urls)
    assert len(seen) == len(urls) + sum(each[3] for each in seen)
    for host in {each[0] for each in seen}:
        own = [each for each in seen if each[0] == host]
        assert all(before[2] <= after[1] for before, after in pairwise(own))


@settings(max_examples=trials(60), deadline=None)
@given(**some_asked)
def test_rested(patience: Patience, takes: list[int], sick: list[bool], urls: list[str]) -> None:
    seen = asked(patience, takes, sick, urls)
    for host in {each[0] for each in seen}:
        troubles = 0
        for before, after in pairwise([each for each in seen if each[0] == host]):
            troubles = troubles + 1 if before[3] else 0
            backoff = min(patience.backoff << (troubles - 1), 60_000) if troubles else 0
            slow = 0 if before[3] else min(before[2] - before[1], 30_000)
            assert after[1] - before[2] >= max(patience.delay, backoff, slow)


bodies = st.one_of(st.binary(max_size=300), st.just(b"<p>a page"))
answers = st.lists(st.tuples(names, bodies, st.integers(0, 5), st.booleans()), max_size=12)


@settings(max_examples=trials(40), deadline=None)
@given(given_answers=answers)
def test_as_it_was(given_answers: list[tuple[str, bytes, int, bool]]) -> None:
    """At once and when it is opened again; by other URLs and from other sources nothing is found."""
    with TemporaryDirectory() as place:
        kept = Kept.open(Path(place), 10**9, 1 << 20)
        last: dict[tuple[Url, Source], Response] = {}
        for name, body, number, big in given_answers:
            source = Source(uri=f"http://archive.test/{number}", span="bytes=0-9" if big else "")
            at = Millis(AT + 1000 * number)
            url = u(name)
            if (url, source) not in last:
                answer = replace(response(url, body), fetched_at=at, source=source)
                kept.write(answer)
                last[url, source] = answer
        for again in range(2):
            for (url, source), answer in last.items():
                found = kept.find(url, answer.fetched_at, source)
                alone = sum(
                    key[0] == url and each.fetched_at == answer.fetched_at for key, each in last.items()
                )
                assert found == answer or (again and alone > 1 and found is None)
                assert kept.find(url + "?other", answer.fetched_at, source) is None
                assert kept.find(url, answer.fetched_at, Source(uri="http://other.test/")) is None
            kept.close()
            kept = Kept.open(Path(place), 10**9, 1 << 20)
        kept.close()


@settings(max_examples=trials(20), deadline=None)
@given(sizes=st.lists(st.integers(0, 3_000), min_size=1, max_size=12), most=st.integers(1, 8_000))
def test_bounded_what_is_kept(sizes: list[int], most: int) -> None:
    with TemporaryDirectory() as place:
        for _ in range(2):
            kept = Kept.open(Path(place), most, 1 << 20)
            for number, size in enumerate(sizes):
                noise = b"".join(i.to_bytes(4, "big") for i in range(size // 4))
                kept.write(response(u(f"a/{number}"), noise))
            kept.close()
        files = [file.stat().st_size for file in Path(place).rglob("*.warc.gz")]
        assert sum(files) <= most + len(files) * 4_000  # a record more of each, and what begins a file


captures = st.lists(
    st.tuples(names, st.integers(0, 3), st.sampled_from([200, 200, 200, 404, 301])), max_size=14
)


def archive_of(place: Path, held: list[tuple[str, int, int]]) -> None:
    archive = WarcArchive.open(place)
    archive.write(response(u("z"), b"so that there is a file"))
    for name, day, status in held:
        body = html(f"{name} of day {day}")
        page = response(u(name), body, status, *([("Location", u("c"))] if status == 301 else []))
        archive.write(replace(page, fetched_at=Millis(AT + 86_400_000 * day)))
    archive.close()


@settings(max_examples=trials(40), deadline=None)
@given(
    held=captures,
    order=st.lists(names, min_size=1, max_size=20),
    area_from=st.integers(0, 3),
    lines=st.integers(1, 9),
    kind=st.sampled_from(["cdx", "pywb"]),
)
def test_like_a_recording(
    held: list[tuple[str, int, int]], order: list[str], area_from: int, lines: int, kind: str
) -> None:
    """As one of the captures that an archive answers with: the latest that is no error, or else the latest."""
    times = {(name, day): status for name, day, status in held}
    best: dict[str, tuple[bool, int]] = {}
    for (name, day), status in times.items():
        best[name] = max(best.get(name, (False, -1)), (status < 400, day))
    unique = [(name, day, status) for (name, day), status in times.items()]
    chosen = [each for each in unique if best[each[0]] == (each[2] < 400, each[1])]

    async def run(there: Path, recorded: Path) -> None:
        archive_of(there, unique)
        archive_of(recorded, chosen)
        remote = CdxArchive(there)
        desk = Desk(remote, JumpingClock(), Patience(delay=Millis(0)))
        address = address_of(remote.cdx if kind == "cdx" else remote.pywb)
        web = ArchivedWeb(address, desk, lent_response, area_from=area_from, area_lines=lines)
        collection = Collection.open([recorded])
        recording = RecordedWeb(collection)
        for name in order:
            found, wanted = await web.fetch(u(name)), await recording.fetch(u(name))
            if isinstance(wanted, Fault):
                assert isinstance(found, Fault)
                assert found.reason is Reason.NOT_RECORDED
            else:
                assert isinstance(found, Response)
                assert (found.status, found.body, found.fetched_at, found.url) == (
                    wanted.status,
                    wanted.body,
                    wanted.fetched_at,
                    wanted.url,
                )
                assert found.source is not None
                assert found.elapsed == 0
        assert (web.asked, web.lacking) == (len(order), recording.lacking)
        collection.close()
        await remote.close()

    with TemporaryDirectory() as there, TemporaryDirectory() as recorded:
        asyncio.run(run(Path(there), Path(recorded)))


@settings(max_examples=trials(30), deadline=None)
@given(
    held=captures,
    first=st.lists(names, min_size=1, max_size=12),
    second=st.lists(names, max_size=12),
    area_from=st.integers(0, 3),
    lines=st.integers(1, 9),
)
def test_asked_once_by_all_who_share_what_is_kept(
    held: list[tuple[str, int, int]], first: list[str], second: list[str], area_from: int, lines: int
) -> None:
    """No request is made twice within a run, and none for what an earlier run asked for."""

    async def run(there: Path, place: Path) -> None:
        archive_of(there, list({each[:2]: each for each in held}.values()))
        remote = CdxArchive(there)
        for order in (first, [*first, *second], second):
            before, kept = len(remote.asked), Kept.open(place, 10**9, 1 << 20)
            desk = Desk(remote, JumpingClock(), Patience(delay=Millis(0)))
            address = address_of(remote.cdx)
            web = ArchivedWeb(address, desk, lent_response, kept, area_from=area_from, area_lines=lines)
            for name in [*order, *order]:
                await web.fetch(u(name))
            kept.close()
            if order is second:
                assert len(remote.asked) == before
        await remote.close()
        spans = Counter(path for path, _, _ in remote.asked if "/data/" not in path)
        assert max(spans.values(), default=1) == 1

    with TemporaryDirectory() as there, TemporaryDirectory() as place:
        asyncio.run(run(Path(there), Path(place)))


@settings(max_examples=trials(60), deadline=None)
@given(
    shelves=st.lists(st.sets(names), max_size=3),
    order=st.lists(st.tuples(names, st.booleans()), max_size=20),
)
def test_archived_first(shelves: list[set[str]], order: list[tuple[str, bool]]) -> None:
    """Whether robots.txt was asked about a URL before, or not; and the first shelf that has it answers."""

    class Has:
        def __init__(self, urls: set[Url], body: bytes) -> None:
            self.urls, self.body, self.seen = urls, body, list[Url]()

        async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
            self.seen.append(url)
            return response(url, self.body) if url in self.urls else Fault(reason=Reason.NOT_RECORDED)

        async def close(self) -> None: ...

    async def run() -> None:
        every = {u(name) for name in NAMES}
        stacks = [Has({u(name) for name in held}, b"%d" % n) for n, held in enumerate(shelves)]
        live = Has(every, b"live")
        web = MixedWeb(Shelves(stacks), live)
        for name, ahead in order:
            if ahead:
                await web.archived(u(name))
            answer = await web.fetch(u(name))
            assert isinstance(answer, Response)
            wanted = next((stack.body for stack in stacks if u(name) in stack.urls), b"live")
            assert answer.body == wanted
        assert not {url for url in live.seen if any(url in stack.urls for stack in stacks)}
        assert len(live.seen) == sum(not any(name in held for held in shelves) for name, _ in order)

    asyncio.run(run())
