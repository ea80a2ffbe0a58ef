"""Searches beside a look at every page alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.portals import FIRST, Made, collection, page_of
from tests.trials import trials

from lycosa.crawls.answers import Search
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.portal.columns import Columns, Shelf, Source, band
from lycosa.crawls.portal.copies import Copies, Known
from lycosa.crawls.portal.facets import Several, Single
from lycosa.crawls.portal.portal import Portal
from lycosa.model.records import Millis
from lycosa.model.url import host_of
from lycosa.scoring.words.fingerprints import NEAR, hamming
from lycosa.store.full_text import TextIndex

WORDS = st.sampled_from(["wolf", "orb", "web", "spider"])
PAGES = st.lists(
    st.builds(
        Made,
        url=st.sampled_from([f"http://{host}.test/{path}" for host in "ab" for path in "12"]),
        text=st.lists(WORDS, max_size=4).map(" ".join),
        day=st.integers(0, 70),
        relevance=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        language=st.sampled_from(["en", "de", ""]),
        depth=st.integers(0, 2),
        noindex=st.sampled_from([False, False, False, True]),
    ),
    max_size=10,
)
WITHIN = st.fixed_dictionaries(
    {},
    optional={
        "host": st.sets(st.sampled_from(["a.test", "b.test", "c.test"]), min_size=1).map(tuple),
        "language": st.sets(st.sampled_from(["en", "de", ""]), min_size=1).map(tuple),
        "date": st.sampled_from([("2026",), ("2026-01",), ("2026-01", "2026-02"), ("1999",)]),
        "relevance": st.sampled_from([("0.2",), ("0.9", "0.0")]),
    },
)
QUERIES = st.sampled_from(
    [
        "",
        "wolf",
        "wolf spider",
        "wolf OR orb",
        "web -orb",
        '"wolf spider"',
        "sp* (web OR orb)",
        "wolf OR (orb NOT web)",
    ]
)
TESTS = {
    "": lambda words, text: True,
    "wolf": lambda words, text: "wolf" in words,
    "wolf spider": lambda words, text: {"wolf", "spider"} <= words,
    "wolf OR orb": lambda words, text: bool({"wolf", "orb"} & words),
    "web -orb": lambda words, text: "web" in words and "orb" not in words,
    '"wolf spider"': lambda words, text: "wolf spider" in text,
    "sp* (web OR orb)": lambda words, text: "spider" in words and bool({"web", "orb"} & words),
    "wolf OR (orb NOT web)": lambda words, text: "wolf" in words or ("orb" in words and "web" not in words),
}


def values(made: Made) -> Mapping[str, str]:
    page = page_of(made)
    month = "2026-01" if made.day < 31 else "2026-02" if made.day < 59 else "2026-03"
    return {
        "host": host_of(page.url),
        "language": made.language,
        "date": month,
        "relevance": band(made.relevance),
    }


def fits(made: Made, search: Search, *, leaving_out: str = "") -> bool:
    told = values(made)
    return (
        TESTS[search.words](set(made.text.split()), made.text)
        and (search.since is None or FIRST + made.day * 86_400_000 >= search.since)
        and all(
            any(told[name] == value or told[name].startswith(f"{value}-") for value in some)
            for name, some in search.within.items()
            if name != leaving_out
        )
    )


def alive(pages: Sequence[Made]) -> list[Made]:
    latest = {made.url: made for made in pages}
    return [made for made in latest.values() if not made.noindex]


class TestPortal:
    @settings(max_examples=trials(30), deadline=None)
    @given(
        pages=PAGES, words=QUERIES, within=WITHIN, since=st.sampled_from([None, 35]), cut=st.integers(0, 10)
    )
    def test_as_one_by_one(
        self,
        pages: list[Made],
        words: str,
        within: Mapping[str, tuple[str, ...]],
        since: int | None,
        cut: int,
    ) -> None:
        """What is found and counted is what a look at each page alone tells, however the pages came."""
        start = None if since is None else Millis(FIRST + since * 86_400_000)
        search = Search(words=words, within=within, since=start, folded=False, limit=100, most=100)
        with TemporaryDirectory() as place, CrawlFolder.open(collection(Path(place), pages[:cut])) as crawl:
            crawl.find(Search(words="wolf"))
            collection(Path(place), pages[cut:])
            found = crawl.find(search)
        there = alive(pages)
        wanted = [made for made in there if fits(made, search)]
        assert sorted(hit.url for hit in found.hits) == sorted(made.url for made in wanted)
        assert (found.pages, found.collection, found.unindexed) == (len(wanted), len(there), 0)
        for facet in found.facets:
            if facet.name in ("host", "language", "relevance"):
                among = [
                    values(made)[facet.name] for made in there if fits(made, search, leaving_out=facet.name)
                ]
                assert {each.value: each.pages for each in facet.values if each.pages} == {
                    value: among.count(value) for value in among
                }

    @settings(max_examples=trials(20), deadline=None)
    @given(pages=PAGES, words=QUERIES.filter(bool))
    def test_finds_what_the_index_finds(self, pages: list[Made], words: str) -> None:
        """The pages, and with one index the ranks, are those of `TextIndex.search`."""
        pages = [made for made in pages if not made.noindex]
        with TemporaryDirectory() as place, CrawlFolder.open(collection(Path(place), pages)) as crawl:
            found = crawl.find(Search(words=words, folded=False, limit=100))
            plain = {hit.url: hit.rank for hit in crawl.search(words, 100)}
        assert {hit.url for hit in found.hits} == plain.keys()
        if "NOT" not in words:
            assert {hit.url: hit.rank for hit in found.hits} == pytest.approx(plain)

    @settings(max_examples=trials(20), deadline=None)
    @given(pages=PAGES, words=QUERIES.filter(lambda words: words and "NOT" not in words))
    def test_as_one_index(self, pages: list[Made], words: str) -> None:
        """Two crawlers that have no page in common are searched as one that has all."""
        pages = alive(pages)
        with TemporaryDirectory() as place, ExitStack() as opened:
            one, odd, even = (
                opened.enter_context(CrawlFolder.open(collection(Path(place) / name, some)))
                for name, some in (("all", pages), ("odd", pages[1::2]), ("even", pages[::2]))
            )
            sources = [
                Source(part.history, opened.enter_context(TextIndex(part.paths.index, read_only=True)))
                for part in (odd, even)
            ]
            portal = Portal([Shelf(node="odd"), Shelf(node="even")])
            search = Search(words=words, folded=False, limit=100)
            together = {hit.url: hit.rank for hit in portal.find(search, sources).hits}
            assert together == pytest.approx({hit.url: hit.rank for hit in one.find(search).hits})


PRINTS = st.builds(
    lambda base, bits: base ^ sum(1 << bit for bit in bits),
    st.sampled_from([0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x0123456789ABCDE0]),
    st.sets(st.integers(0, 63), max_size=4),
)
KNOWN = st.lists(
    st.builds(
        Known,
        digest=st.one_of(st.just(""), st.integers(0, 30).map(str)),
        fingerprint=st.one_of(st.just(0), PRINTS),
    ),
    max_size=80,
)


class TestCopies:
    @given(pages=KNOWN)
    def test_near_the_first(self, pages: list[Known]) -> None:
        """Each page has the bytes of a page of its group, or a fingerprint near that of its founder."""
        groups = Copies().groups(pages)
        members: dict[int, list[Known]] = {}
        for page, group in zip(pages, groups, strict=True):
            others = members.setdefault(group, [])
            assert not others or (
                any(page.digest and page.digest == other.digest for other in others)
                or any(page.fingerprint and page.fingerprint == other.fingerprint for other in others)
                or hamming(page.fingerprint, others[0].fingerprint) <= NEAR
            )
            others.append(page)

    @given(pages=KNOWN, cut=st.integers(0, 80))
    def test_as_one_by_one(self, pages: list[Known], cut: int) -> None:
        """Pages that come together are put where they would be one after the other."""
        alone, in_two = Copies(), Copies()
        one_by_one = [group for page in pages for group in alone.groups([page])]
        assert Copies().groups(pages) == one_by_one
        assert in_two.groups(pages[:cut]) + in_two.groups(pages[cut:]) == one_by_one


class TestColumn:
    @given(
        values=st.lists(st.sampled_from(["A", "A/B", "A/B/C", "D", "AB"]), min_size=1, max_size=20),
        data=st.data(),
    )
    def test_counts_what_narrowing_gives(self, values: list[str], data: st.DataObject) -> None:
        """The number of a value is that of the pages that it narrows to."""
        among = np.array(data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))))
        column = Single("category", separator="/")
        column.extend(values)
        for value, n in column.counts(among).items():
            assert (column.narrowed([value]) & among).sum() == n
        several = Several("concept")
        several.put({place: value.split("/") for place, value in enumerate(values)}, len(values))
        for value, n in several.counts(among).items():
            assert (several.narrowed([value]) & among).sum() == n


class TestColumns:
    @settings(max_examples=trials(20), deadline=None)
    @example(pages=[*4 * [Made("http://a.test/1")], Made("http://a.test/1", noindex=True)], cut=4)
    @given(pages=PAGES, cut=st.integers(0, 10))
    def test_as_read_at_once_and_each_page_once(self, pages: list[Made], cut: int) -> None:
        """Read step by step, they are as if read at once; of the visits to a URL only the latest is alive."""
        with TemporaryDirectory() as place, CrawlFolder.open(collection(Path(place), pages[:cut])) as crawl:
            step_by_step, at_once = Columns([Shelf()]), Columns([Shelf()])
            with TextIndex(crawl.paths.index, read_only=True) as index:
                step_by_step.bring_up_to_date([Source(crawl.history, index)])
                collection(Path(place), pages[cut:])
                step_by_step.bring_up_to_date([Source(crawl.history, index)])
                at_once.bring_up_to_date([Source(crawl.history, index)])
            for name in ("step", "relevance", "date", "group", "alive"):
                assert getattr(step_by_step, name).tolist() == getattr(at_once, name).tolist()
            assert step_by_step.indexed.tolist() == at_once.indexed.tolist()
            assert at_once.alive.sum() == len(alive(pages))
