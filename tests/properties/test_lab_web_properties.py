"""Laws of columns, kept pages, permutations, generated and faulty webs."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.trials import trials

from lycosa.archive.collection import Collection
from lycosa.drive.clock import VirtualClock
from lycosa.drive.visit import Visitor
from lycosa.lab.webs.column_files import Columns, ColumnsWriter, Damaged, Names, NamesWriter
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.lab.webs.pages import Pages, PagesWriter
from lycosa.lab.webs.parse import NOBODY
from lycosa.model.records import Link, Millis, Page, Reason, Request, Response
from lycosa.model.url import Url
from lycosa.web.made.chance import Permutation
from lycosa.web.made.faulty import Faults, FaultyWeb
from lycosa.web.made.topical import TopicalShape, TopicalWeb
from lycosa.web.recorded import RecordedWeb

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
urls = st.integers(0, 30).map(lambda number: Url(f"http://a{number % 3}.test/{number}"))


@st.composite
def pages(draw: st.DrawFn) -> Page:
    text = draw(texts)
    cuts = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda cut: text[min(cut) : max(cut)])
    source = draw(urls)
    links = st.builds(
        Link,
        source=st.just(source),
        target=urls,
        anchor=texts,
        context=cuts | texts,
        heading=texts,
        path=texts,
        position=st.floats(0, 1),
        rel=st.sampled_from(["", "nofollow", "next"]),
        nofollow=st.booleans(),
        in_nav=st.booleans(),
    )
    page = st.builds(
        Page,
        request=st.just(NOBODY),
        final_url=st.just(source),
        status=st.integers(200, 299),
        fetched_at=st.integers(-(2**50), 2**50).map(Millis),
        media_type=texts,
        digest=texts,
        title=texts,
        text=st.just(text),
        links=st.lists(links, max_size=6).map(tuple),
        terms=st.dictionaries(texts, st.integers(1, 2**31), max_size=5),
        headings=st.lists(texts, max_size=3).map(tuple),
        description=texts,
        language=texts,
        fingerprint=st.integers(0, 2**64 - 1),
        noindex=st.booleans(),
        address=texts,
        etag=texts,
        last_modified=texts,
        feed=st.none() | urls,
        alternates=st.lists(st.tuples(st.sampled_from(["de", "en-gb", "x-default"]), urls), max_size=3).map(
            tuple
        ),
        dated=st.lists(st.tuples(urls, st.integers(-(2**50), 2**50).map(Millis)), max_size=3).map(tuple),
    )
    return draw(page)


@settings(max_examples=trials(12), deadline=None)
@given(st.lists(pages(), max_size=5, unique_by=lambda page: page.final_url))
def test_field_for_field(given_pages: list[Page]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.columns"
        with ColumnsWriter(path.parent) as columns:
            writer = PagesWriter(columns)
            for page in given_pages:
                writer.page(page.final_url, page)
            writer.close({})
            columns.write(path, {})
        kept = Pages(Columns.open(path))
        assert len(kept) == len(given_pages)
        for row, page in enumerate(given_pages):
            request = Request(url=page.final_url, order=3)
            made = kept.page(row, request)
            assert made == replace(page, request=request)
            assert list(made.terms.items()) == list(page.terms.items())
            assert kept.outcome(page.final_url) == row


@settings(max_examples=trials(25), deadline=None)
@given(st.lists(st.integers(0, 2**40), max_size=50), st.lists(texts, max_size=20), st.data())
def test_all_or_nothing(numbers: list[int], names: list[str], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.columns"
        with ColumnsWriter(path.parent) as columns:
            columns.numbers("numbers", "Q").extend(numbers)
            writer = NamesWriter(columns, "names")
            given_numbers = [writer[name] for name in names]
            columns.write(path, {"a": 1})
        read = Columns.open(path)
        assert read["numbers"].tolist() == numbers
        assert [Names(read, "names")[number] for number in given_numbers] == names
        octets = bytearray(path.read_bytes())
        octets[data.draw(st.integers(0, len(octets) - 1))] ^= data.draw(st.integers(1, 255))
        path.write_bytes(octets)
        with pytest.raises(Damaged):
            Columns.open(path)


def test_integers_are_narrowed_to_what_they_need(tmp_path: Path) -> None:
    with ColumnsWriter(tmp_path) as columns:
        for name, top in (("a", 255), ("b", 256), ("c", 2**32 - 1), ("d", 2**32)):
            columns.numbers(name, "Q").extend([0, top])
        columns.numbers("e", "q").extend([-1, 200])
        columns.numbers("f", "d").extend([0.1])
        columns.write(tmp_path / "x", {})
    read = Columns.open(tmp_path / "x")
    assert [read[name].dtype.str for name in "abcdef"] == ["|u1", "<u2", "<u4", "<u8", "<i2", "<f8"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> LabWeb:
    return open_web([SAMPLE], kept_in=tmp_path_factory.mktemp("kept"))


def check_as_if_read_anew(web: LabWeb, names: list[Url]) -> None:
    def anything(request: Request, url: Url) -> Reason | None:
        return None

    plain = Visitor(RecordedWeb(web.recording), None, None, anything, VirtualClock())
    kept = web.visitor(anything, VirtualClock())

    async def compare() -> None:
        for url in names:
            request = Request(url=url, order=1, depth=2)
            one, other = await plain(request), await kept(request)
            assert one == other
            if isinstance(one, Page) and isinstance(other, Page):
                assert list(one.terms) == list(other.terms)

    asyncio.run(compare())


def check_a_graph_of_visits(web: LabWeb, numbers: list[int]) -> None:
    graph = web.graph()
    visitor = web.visitor(lambda request, url: None, VirtualClock())

    def landing(url: Url) -> int | None:
        visit = asyncio.run(visitor(Request(url=url, order=0)))
        return web.index(visit.final_url) if isinstance(visit, Page) else None

    for number in numbers:
        ends = [landing(url) for url in web.page(number).out]
        met = dict.fromkeys(end for end in ends if end is not None and end != number)
        assert graph.out(number).tolist() == list(met)  # in the order of the page
        assert ends.count(None) == graph.missing[number]


@settings(max_examples=trials(2), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False))
def test_as_if_read_anew_and_a_graph_of_visits(sample: LabWeb, chance: random.Random) -> None:
    check_as_if_read_anew(sample, chance.sample(list(sample.urls), 20))
    check_a_graph_of_visits(sample, chance.sample(range(len(sample)), 3))


@pytest.mark.parametrize("name", ["wikispeedia", "webkb", "uci-ics-10k"])
def test_recorded_webs_as_if_read_anew(shared: Path, name: str, tmp_path: Path) -> None:
    """A part of each: their first records, as whole ones take half a minute to read."""
    part = first_records(shared / "webs" / name, 100, tmp_path)
    web = open_web([part], kept_in=tmp_path)
    chance = random.Random(name)
    known = [web.pages.url(row) for row in range(len(web.pages))]
    linked = [Url(web.pages.urls[number]) for number in range(len(web.pages.urls.all))]
    check_as_if_read_anew(web, chance.sample(known, 40) + chance.sample(linked, 40))
    check_a_graph_of_visits(web, chance.sample(range(len(web)), 8))


def first_records(folder: Path, count: int, into: Path) -> Path:
    """A WARC file of a recording's first records."""
    collection = Collection.open(sorted(folder.glob("*.warc.gz")))
    captures = [capture for capture in collection.captures() if capture.ref.file.endswith("00.warc.gz")]
    end = sorted(capture.end for capture in captures)[:count][-1]
    part = into / "part.warc.gz"
    with (folder / captures[0].ref.file).open("rb") as file:
        part.write_bytes(file.read(end))
    return part


# -- generated -----------------------------------------------------------------------------------------------


@given(st.integers(1, 10**7), st.integers(0, 2**64 - 1), st.data())
def test_there_and_back(n: int, key: int, data: st.DataObject) -> None:
    permutation = Permutation(n, key)
    for x in data.draw(st.lists(st.integers(0, n - 1), max_size=20)):
        there = permutation.there(x)
        assert 0 <= there < n
        assert permutation.back(there) == x


def test_a_permutation_looks_like_chance() -> None:
    """Of 10,000 numbers one is left where it was on average (variance 1), and there is no trend."""
    there = np.array([Permutation(10_000, 5).there(x) for x in range(10_000)])
    assert len(set(there.tolist())) == 10_000
    assert (there == np.arange(10_000)).sum() < 8
    assert abs(np.corrcoef(there, np.arange(10_000))[0, 1]) < 0.05
    assert abs(np.corrcoef(there[1:], there[:-1])[0, 1]) < 0.05


share = st.floats(0, 0.4)
shapes = st.builds(
    TopicalShape,
    pages=st.integers(40, 250),
    hosts=st.integers(6, 40),
    parents=st.integers(1, 2),
    leaves=st.integers(1, 3),
    links=st.floats(0, 12),
    internal=share,
    locality=share,
    homes=st.floats(0, 1),
    hubs=share,
    shy=share,
    duplicates=share,
    failures=share,
    redirects=share,
    traps=share,
    robots=share,
    unevenness=st.floats(0, 2),
)


@settings(max_examples=trials(4), deadline=None)
@given(shapes, st.integers(0, 2**32))
def test_both_ways(shape: TopicalShape, seed: int) -> None:
    web = TopicalWeb(shape, seed)
    into = defaultdict(list)
    for page in range(shape.pages):
        for target in web.links(page):
            into[target].append(page)
    assert [web.in_links(page) for page in range(shape.pages)] == [into[page] for page in range(shape.pages)]


@settings(max_examples=trials(8), deadline=None)
@given(shapes, st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_a_function_with_no_dangling_links(shape: TopicalShape, seed: int, chance: random.Random) -> None:
    one, other = TopicalWeb(shape, seed), TopicalWeb(shape, seed)
    visitor = Visitor(one, None, None, lambda request, url: None, VirtualClock())
    numbers = chance.sample(range(shape.pages), 15)
    answers = {number: asyncio.run(other.fetch(other.url(number))) for number in reversed(numbers)}
    for number in numbers:
        assert asyncio.run(one.fetch(one.url(number))) == answers[number]
        visit = asyncio.run(visitor(Request(url=one.url(number), order=0)))
        landing = one.landing(number)
        assert (landing is None) == (not isinstance(visit, Page)) or isinstance(visit, Page) <= (
            landing is not None
        )
        if isinstance(visit, Page):
            assert one.number(visit.final_url) == landing
            targets = [one.number(link.target) for link in visit.links if "/calendar/" not in link.target]
            assert None not in targets
            assert set(targets) == set(one.links(landing or 0))


# -- faulty --------------------------------------------------------------------------------------------------

quarter = st.floats(0, 0.25)
faults = st.builds(Faults, timeouts=quarter, refusals=quarter, errors=quarter, missing=quarter, slow=quarter)
BEHIND = TopicalWeb(TopicalShape(pages=300, hosts=30, parents=2, leaves=2, failures=0.1, redirects=0.1), 1)


@settings(max_examples=trials(20), deadline=None)
@given(faults, st.integers(0, 2**32), st.lists(st.integers(0, 299), min_size=1, max_size=20))
def test_by_seed_and_url_and_all_else_unchanged(bad: Faults, seed: int, numbers: list[int]) -> None:
    one, other = FaultyWeb(BEHIND, bad, seed), FaultyWeb(BEHIND, bad, seed)
    alone = {number: asyncio.run(other.fetch(BEHIND.url(number))) for number in reversed(numbers)}
    for number in numbers:
        url = BEHIND.url(number)
        answer = asyncio.run(one.fetch(url))
        assert answer == alone[number]
        if one.fault(url) is None:
            behind = asyncio.run(BEHIND.fetch(url))
            assert replace(answer, elapsed=behind.elapsed) == behind
            assert answer.elapsed in (behind.elapsed, 20 * behind.elapsed)
        else:
            assert not isinstance(answer, Response) or answer.status in (404, 500, 502, 503)
