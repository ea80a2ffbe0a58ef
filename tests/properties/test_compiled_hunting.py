"""What the hunter counts and adds up by the compiled module and by Python is the same, to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.links import listed
from tests.properties.test_hunter_properties import NAMES, World, hunter_for, scored, webs
from tests.properties.test_hunter_properties import crawled as crawled_by
from tests.trials import trials
from tests.worlds import u

from lycosa.crawl.inputs import Query
from lycosa.scoring.links import smoothing
from lycosa.scoring.links.smoothing import NO_PAGE, Floats, Neighbours, Siblings
from lycosa.scoring.words import terms as wording
from lycosa.scoring.words.similarity import Similarity
from lycosa.strategies.hunter import corpus, evidence, hunting, packing, queries, score, texts
from lycosa.strategies.hunter import hunter as following
from lycosa.strategies.hunter.hunter import Hunter
from lycosa.strategies.hunter.hunting import HUNTING, adds_up_alike, weighs_words_alike
from lycosa.strategies.hunter.queries import Queries, Taken
from lycosa.strategies.hunter.texts import CountedTexts, TermsOfWords, TextRows, Texts, counted, told
from lycosa.strategies.parts import columns, crawled, names
from lycosa.strategies.parts.columns import Keys, SparseTable
from lycosa.strategies.parts.crawled import CrawledGraph, distinct
from lycosa.strategies.parts.names import InOrder, no_names

pytestmark = pytest.mark.skipif(HUNTING is None, reason="nothing is compiled here")

WORDS = [f"w{number}" for number in range(60)]
COLUMNS = 3
PIECES = ("Wolf", "spiders", " ", "\n", "\x80", "7", "the", "-", "x" * 80, "É", "的")
said = st.lists(st.lists(st.sampled_from(WORDS), max_size=80), max_size=6)
seeds = st.integers(0, 2**32 - 1)


@contextmanager
def by_python() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (corpus, evidence, following, packing, queries, score, texts):
            patch.setattr(module, "HUNTING", None)
        for below in (columns, crawled, names, smoothing, wording):
            patch.setattr(below, "_HUNTING", None)
        yield


def same(work: Callable[[], Any]) -> None:
    """Both ways give the same bytes."""
    compiled = work()
    with by_python():
        expected = work()
    assert compiled == expected


def in_bytes(found: CountedTexts) -> list[tuple[str, bytes]]:
    return [(str(column.dtype), column.tobytes()) for column in found]


@given(said, st.integers(0, len(WORDS)))
def test_texts(lists: list[list[str]], known: int) -> None:
    def work() -> Any:
        found = []
        for for_good in (False, True):
            names = no_names()
            names.enter_all(WORDS[:known])
            found.append(in_bytes(told(lists, names, for_good=for_good)))
            found += [in_bytes(counted({word: text.count(word) for word in text}, names)) for text in lists]
            found.append([*InOrder(names)])
        return found

    same(work)


@given(st.lists(st.lists(st.integers(0, 99) | st.integers(0, 2**62), max_size=200), max_size=6))
def test_keys(told: list[list[int]]) -> None:
    def work() -> list[bytes]:
        keys = Keys()
        return [keys.add(np.array(some, dtype=np.int64)).tobytes() for some in told]

    same(work)


@given(said, st.data())
def test_share_new(lists: list[list[str]], data: st.DataObject) -> None:
    rows, texts_ = TextRows(), told([["w1"], *lists], no_names())
    change = data.draw(st.integers(1, len(lists) + 1))
    rows.add(texts_, 0, change)
    rows._narrow = rows._ends[-1]  # as after a term with a large number
    rows.add(texts_, change)
    places = st.integers(0, len(lists))
    place, others = data.draw(places), data.draw(st.lists(places, max_size=7))
    same(lambda: rows.share_new(place, others))
    same(lambda: rows.holding(others, len(WORDS) + 1).tobytes())


@given(st.lists(st.integers(-1, 2**20 + 1) | st.integers(0, 2**28), max_size=9), st.data())
def test_packed_texts(terms: list[int], data: st.DataObject) -> None:
    counts = np.array([data.draw(st.integers(1, 30)) for _ in terms], dtype=np.float64)
    narrow, before = data.draw(st.integers(0, len(terms))), data.draw(st.integers(0, 9))
    ends = sorted(data.draw(st.lists(st.integers(0, narrow), max_size=3)))
    bounds = np.array([0, *ends, narrow, len(terms)])
    since = data.draw(st.integers(0, len(terms)))
    until = data.draw(st.integers(since, len(terms)))

    def work() -> Any:
        several, last = CountedTexts(np.array(terms, dtype=np.int64), counts, bounds), len(bounds) - 1
        try:
            told = packing.packed(several, 0, last - 1, packing.NARROW, before)
            more = packing.packed(several, last - 1, last, packing.WIDE, before)
        except OverflowError as error:
            return str(error)
        entries = told[0] + more[0]
        some = packing.unpacked(entries, narrow, since, until)
        return told, more, [(str(column.dtype), column.tobytes()) for column in some]

    same(work)


def texts_of(rng: np.random.Generator, most: int, terms: int) -> CountedTexts:
    """Texts of up to so many terms each: sums of few, of some and of many are added up in different orders."""
    lengths = rng.choice([0, 1, 2, 7, 9, 20, most], 6)
    numbers = [rng.choice(terms, length, replace=False) for length in lengths]
    counts = rng.integers(1, rng.choice([9, 2_000]), lengths.sum()).astype(np.float64)
    whole = np.concatenate(numbers).astype(rng.choice([np.int32, np.int64]))
    return CountedTexts(whole, counts, np.cumsum([0, *lengths]))


def weighed(texts: CountedTexts, kind: type[np.floating[Any]]) -> Texts:
    terms, weights, bounds = texts.weighed()
    return Texts(terms, weights.astype(kind), bounds)


@given(seeds, st.sampled_from([30, 300, 900]), st.booleans(), st.booleans())
@settings(deadline=None)
def test_cosines(seed: int, most: int, in_blocks: bool, wide: bool) -> None:
    rng = np.random.default_rng(seed)
    looked_for = Queries(COLUMNS)
    looked_for.weigh(rng.uniform(0.1, 3.0, 1_000))
    for column in range(COLUMNS):
        weights = rng.normal(size=1_000)
        weights[rng.random(1_000) < rng.choice([0.02, 0.5, 0.99])] = 0.0
        looked_for.put(column, weights)
    rows = TextRows()
    counted_ = [texts_of(rng, most, 1_000) for _ in range(2)]
    rows.add(counted_[0])
    if wide:  # as after a term with a large number
        rows._narrow = rows._ends[-1]
    for first in range(6):  # one by one, out of the middle of many
        rows.add(counted_[1], first, first + 1)
    several = [weighed(some, rng.choice([np.float32, np.float64])) for some in counted_]

    def work() -> Any:
        found = []
        whole = looked_for.weighed(several[0]), looked_for.weighed(rows), looked_for.weighed(rows, short=True)
        for weighed in whole:
            parts = slice(0, 2), slice(2, 3), slice(None)
            found += [looked_for.cosines(weighed, part) for part in parts]
        own = looked_for.take([*several, rows.some(1, len(rows)), rows.some(0, 0)], [])
        return [(like.tobytes(), cosines.tobytes()) for like, cosines in found], [
            each.tobytes() for each in own
        ]

    with pytest.MonkeyPatch.context() as patch:
        if in_blocks:
            patch.setattr(queries, "BLOCK", 50)
            patch.setattr(queries, "AT_ONCE", 50)
        same(work)


@given(seeds, st.integers(0, 30), st.sampled_from([0.0, -0.0, 0.25]))
@settings(deadline=None)
def test_evidence_of_a_page(seed: int, links: int, common: float) -> None:
    """Of the arithmetic alone, with any numbers, some of them negative."""

    def work() -> Any:
        rng = np.random.default_rng(seed)
        hunter = Hunter(Query(terms=dict.fromkeys(("coral", "reef"), 1)), None)
        own = hunter.evidence
        width, count = own._score.columns, 40
        own._page = rng.normal(size=(count, width))
        own._page[rng.random((count, width)) < 0.3] = -0.0
        inherited = own._inherited
        linking = rng.integers(NO_PAGE, 4, count, np.int32)
        inherited.load_whole(
            rng.normal(size=(count, width)), rng.choice([0.0, 1.0, 2.0, 7.0], count), linking
        )
        own._places = np.where(rng.random(count) < 0.3, rng.integers(0, count, count), -1).astype(np.int32)
        own._places[0] = 3
        for table in (own._wording, own._url, own._beside, own._context):
            wide = table[np.zeros(1, int)].shape[1]
            table.grow_to(count)
            table.common(np.full(wide, common))
            table.put(rng.choice(count, 9, replace=False), rng.normal(size=(9, wide)))
        targets = rng.choice(np.arange(1, count), links, replace=False)
        own._judgements = rng.normal(size=count)
        texts_ = [rng.choice([0.0, -0.0, 1 / 3, -7.0], (rows, width)) for rows in rng.integers(0, 3, 2)]
        own._take_page(0, own._base_of(0, texts_), targets, rng.random())
        sums = inherited.sums(np.arange(count), own._page)
        tables = own._page, sums, inherited.degree, inherited.linking, own._expected(rng.permutation(count))
        return [table.tobytes() for table in tables]

    same(work)


@given(seeds, st.integers(1, 3), st.booleans(), st.sampled_from([0.0, 0.25]))
@settings(deadline=None)
def test_texts_taken(seed: int, width: int, negative: bool, common: float) -> None:
    """Rows are raised to the greatest of what several texts hold, of which some may hold nothing, or they are set."""

    def work() -> Any:
        rng = np.random.default_rng(seed)
        looked_for = Queries(COLUMNS)
        looked_for.weigh(rng.uniform(0.1, 3.0, 100))
        for column in range(COLUMNS):
            weights = rng.normal(size=100) * (rng.random(100) < 0.1)
            looked_for.put(column, weights if negative else np.abs(weights))
        raised, placed = SparseTable(width), SparseTable(COLUMNS)
        for table in (raised, placed):
            table.grow_to(30)
            table.common(np.full(table.width, common))
        rows = TextRows()
        found = []
        for first in (0, 12):
            some = [texts_of(rng, 20, 100) for _ in range(2)]
            rows.add(some[0])
            owners = rng.integers(0, 30, 6).astype(rng.choice([np.int32, np.int64]))
            kept = rows.some(len(rows) - 6, len(rows))
            taken: list[Taken] = [(kept, first, placed), (weighed(some[1], np.float64), owners, raised)]
            found += looked_for.take([kept], taken)
        states = raised.save(30), placed.save(30)
        return [each.tobytes() for each in found], [in_whole(state) for state in states]

    same(work)


@given(
    seeds,
    st.integers(0, 40),
    st.integers(0, 3),
    st.sampled_from([0.1, 1.0, 1e3, 1e12]),
    st.booleans(),
    st.booleans(),
)
def test_scores(seed: int, rows: int, words: int, size: float, like: bool, judged: bool) -> None:
    def work() -> Any:
        rng = np.random.default_rng(seed)
        query = dict.fromkeys(WORDS[:words], 1)
        whole = Hunter(Query(terms=query), None).evidence
        whole._have_columns(like=like, judged=judged)
        own = whole._score
        own.mean, own.weights = rng.random(words) + 0.1, rng.random(words)
        own.most, own.trust = rng.random(5) + 0.1, rng.random()
        found = np.abs(rng.normal(size=(rows, own.columns))) * size
        if own.like != score.NO_COLUMN:
            found[:, own.like] *= rng.choice([-1, 1], rows)
        return own.rounded(found, evidence.MOST, evidence.DIGITS).tolist()

    same(work)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score, "WEIGHS_WORDS", False)
        same(work)


@given(seeds, st.integers(0, 90))
def test_links_that_wait(seed: int, links: int) -> None:
    def work() -> Any:
        rng = np.random.default_rng(seed)
        told_ = rng.choice([np.nan, 0.0, 0.01, 1.0, following.START], 30)
        closed = rng.random(30) < 0.3
        sifted = following.sifted(rng.integers(-1, 30, links), closed, told_)
        waiting = following.standing(rng.permutation(30)[:links], closed, told_)
        scores = told_[waiting] * rng.choice([1.0, 0.98, 1.03, -1.0], len(waiting))
        nodes, moved = following.moved(waiting, scores, told_)
        return sifted, waiting.tolist(), nodes.tolist(), moved, told_.tobytes()

    same(work)


@given(seeds, st.integers(0, 300), st.integers(0, 20))
def test_words_weighed(seed: int, rows: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = np.abs(rng.normal(size=(rows, count + 1)))
    measure = rng.random(count) + 0.1, 3.0, rng.random(count)
    assert HUNTING is not None
    found = HUNTING.words(evidence, count + 1, measure)
    if hunting.WEIGHS_WORDS:
        assert found == hunting.weighed(evidence[:, :count], *measure).tobytes()


@given(seeds, st.integers(0, 200), st.integers(1, 4), st.integers(1, 4), st.sampled_from([7, 60, 1_000]))
@settings(deadline=None)
def test_pages_beside_nodes(seed: int, links: int, columns: int, reach: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    sources = np.sort(rng.integers(0, 12, links)).astype(np.int32)
    targets = rng.integers(0, 40, links)
    places = np.full(40, NO_PAGE, dtype=np.int32)
    places[rng.choice(40, 20, replace=False)] = np.arange(20)
    values = rng.normal(size=(20, columns + 1))[:, 1:]

    def work() -> Any:
        siblings = Siblings(listed(sources, targets, 40), places, reach)
        means, average = siblings.means(values)
        return siblings.nodes.tolist(), means.tobytes(), average.tobytes()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smoothing, "BLOCK", block)
        same(work)


@given(seeds, st.integers(0, 60), st.integers(1, 4), st.booleans())
def test_sums_of_what_is_linked(seed: int, links: int, columns: int, redirected: bool) -> None:
    """Pages link to themselves where they were redirected."""
    rng = np.random.default_rng(seed)
    pages = rng.choice(30, 8, replace=False).astype(np.int32)
    ends = np.array([0, *np.sort(rng.integers(0, links + 1, 7)), links])
    targets = rng.integers(0, 30, links).astype(np.int32)
    nodes = rng.integers(0, 30, 30).astype(np.int32) if redirected else None
    of_pages, of_nodes = rng.normal(size=(8, columns)), rng.normal(size=(30, columns + 1))[:, 1:]

    def work() -> Any:
        around = Neighbours(pages, targets, ends, 30, nodes)
        sums = (
            around.from_sources(of_pages),
            around.from_targets(of_nodes),
            *around.condensed.around(of_pages),
        )
        degrees = around.in_degrees, around.out_degrees, around.linking
        return [table.tobytes() for table in (*sums, *degrees)]

    same(work)
    _told_as_by_whole_tables(Neighbours(pages, targets, ends, 30, nodes), of_pages)


def _told_as_by_whole_tables(around: Neighbours, of_pages: Floats) -> None:
    """Fewer rows say what a row for each node says, to the bit."""
    whole, degrees = around.from_sources(of_pages), np.maximum(around.in_degrees, 1.0)[:, None]
    means = whole / degrees
    inherited = means[around.pages]
    means[around.pages] = of_pages
    linked = around.from_targets(means) / np.maximum(around.out_degrees, 1.0)[:, None]
    found = around.condensed.around(of_pages)
    assert [each.tobytes() for each in found] == [inherited.tobytes(), linked.tobytes()]
    several = np.flatnonzero(around.in_degrees > 1)
    assert around.condensed.sums(of_pages, several).tobytes() == whole[several].tobytes()


@given(webs, st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True), st.booleans())
@settings(max_examples=trials(25), deadline=None)
def test_whole_crawls(world: World, start: list[str], with_words: bool) -> None:
    def work() -> Any:
        hunter = hunter_for("coral", "reef") if with_words else hunter_for()
        crawl = crawled_by(world, hunter, start)
        state = hunter.evidence.save()
        return scored(crawl), bytes(state["page"]), in_whole(state["inherited"])

    same(work)


some_counts = st.integers() | st.integers(0, 99) | st.floats(allow_nan=False) | st.booleans()


@given(st.dictionaries(st.text(), some_counts, max_size=20))
def test_squared_lengths(counts: dict[str, float]) -> None:
    same(lambda: (found := wording._squared(counts), type(found)))


short_texts = st.lists(st.text() | st.lists(st.sampled_from(PIECES), max_size=90).map("".join), max_size=9)


@given(st.lists(st.tuples(short_texts, st.booleans()), max_size=4), st.sampled_from([0, 1, 9]))
def test_told_as_by_words(several: list[tuple[list[str], bool]], remembered: int) -> None:
    """Also of words that are met for the first time, and of those that there is no room to remember."""

    def work() -> Any:
        known = no_names()
        short = TermsOfWords(wording.Vocabulary(), known)
        found = [in_bytes(short.told(told_, for_good=for_good)) for told_, for_good in several]
        return found, known.between(0, len(known))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "MEMO_SIZE", remembered)
        same(work)


@given(
    st.lists(st.text() | st.lists(st.sampled_from(PIECES), max_size=20).map("".join), max_size=9),
    st.lists(st.sampled_from(("w", "wolf", "spider", "É", "的", "SPI")), max_size=3)
    | st.just([f"wolf{number}" for number in range(80)]),
)
def test_texts_that_may_hold_a_word(short: list[str], query: list[str]) -> None:
    similarity = Similarity(dict.fromkeys(query, 1))
    expected = [place for place, text in enumerate(short) if similarity.may_find(text)]
    assert similarity.places_that_may(short) == expected


some_links = st.tuples(
    st.text(st.characters()) | st.sampled_from(WORDS), st.integers(-1, 5) | st.just(2**31 - 1)
)


@given(st.lists(st.lists(some_links, max_size=90), max_size=3))
def test_wordings_that_are_new(pages: list[list[tuple[str, int]]]) -> None:
    def work() -> Any:
        known = Keys()
        found = []
        for links in pages:
            targets = np.array([target for _, target in links], dtype=np.int64)
            found.append(corpus.new_wordings([text for text, _ in links], targets, 3, known))
        return found, len(known)

    same(work)


@given(st.lists(st.integers(0, 9) | st.integers(0, 2**31 - 2), max_size=200), st.integers(0, 9))
def test_distinct_numbers(numbers: list[int], one: int) -> None:
    same(lambda: distinct(np.array(numbers, dtype=np.int64), one))


@given(seeds, st.integers(0, 30), st.integers(1, 4), st.sampled_from([0.0, 0.25]))
def test_rows_put(seed: int, rows: int, columns_: int, common: float) -> None:
    def work() -> Any:
        rng = np.random.default_rng(seed)
        table = SparseTable(columns_)
        table.grow_to(30)
        table.common(np.full(columns_, common))
        for _ in range(3):
            first, end = sorted(rng.integers(0, columns_ + 1, 2).tolist())
            which = rng.permutation(30)[:rows].astype(rng.choice([np.int32, np.int64]))
            table.put(which, rng.normal(size=(rows, columns_))[:, first:end], slice(first, end))
        saved = table.save(30)
        return bytes(saved["at"]), bytes(saved["kept"])

    same(work)


@given(st.lists(st.sampled_from(NAMES), max_size=150), st.integers(0, 8), st.booleans())
def test_nodes_of_urls(asked: list[str], known: int, redirected: bool) -> None:
    def work() -> Any:
        graph = CrawledGraph()
        for name in NAMES[:known]:
            graph.number_of(u(name))
        if redirected and known > 1:
            graph._same[0] = known - 1
            graph._also[u(NAMES[-1])] = 1
        return graph.numbers([u(name) for name in asked]).tolist()

    same(work)


def in_whole(state: Any) -> Any:
    """A saved state with all bytes read."""
    return {key: in_whole(part) for key, part in state.items()} if isinstance(state, dict) else bytes(state)


class Text(str):
    """No plain text: what hashes it may run anything."""


class Otherwise:
    """A module whose sums are not numpy's."""

    @staticmethod
    def total(numbers: Any) -> float:
        return float(sum(numbers.tolist())) * (1 + 1e-15)

    @staticmethod
    def words(evidence: Floats, columns: int, measure: tuple[Floats, float, Floats]) -> bytes:
        found: Floats = hunting.weighed(evidence, *measure) * (1 + 1e-15)
        return found.tobytes()


def test_other_sums_are_noticed() -> None:
    assert adds_up_alike(HUNTING)  # type: ignore[arg-type]
    assert not adds_up_alike(Otherwise)  # type: ignore[arg-type]
    assert not weighs_words_alike(Otherwise)  # type: ignore[arg-type]
    assert hunting.hunting() is HUNTING


def test_numbers_outside_their_tables_are_refused() -> None:
    assert HUNTING is not None
    whole, of_32, floats = np.array([0, 9]), np.array([0, 9], np.int32), np.ones(2)
    ends, two = np.array([0, 2]), np.array([0, 1])
    for terms, bounds, rows in (
        (whole, ends, of_32),
        (np.array([0, -1]), ends, of_32),
        (np.array([0, 1]), ends, of_32),
        (np.array([0, 1]), np.array([0, 3]), np.zeros(2, np.int32)),
        (np.array([0, 1]), np.array([2, 0]), np.zeros(2, np.int32)),
        (np.array([0, 1]), np.array([0, 1, 2]), np.zeros(2, np.int32)),
    ):
        with pytest.raises(IndexError):
            HUNTING.cosines((terms, floats, bounds), floats, rows, floats, np.zeros(1), 1, 0, 1, False)
    for texts_ in ((floats, floats, ends), (whole, floats), (whole, floats, ends, 3)):
        with pytest.raises(TypeError):
            HUNTING.cosines(texts_, floats, of_32, floats, np.zeros(1), 1, 0, 1, False)
    some, weights = np.zeros(6, np.uint8), np.ones(16, np.float32)
    for narrow, place, others, until in (
        (2, 1, [], 2),
        (2, -1, [], 2),
        (2, 0, [5], 2),
        (2, 0, [], 3),
        (1, 0, [], 2),
        (-1, 0, [], 1),
    ):
        with pytest.raises(IndexError):
            HUNTING.share_new(some, narrow, np.array([0, until]), place, others)
        with pytest.raises(IndexError):
            HUNTING.held(some, narrow, np.array([0, until]), [place, *others], 9)
    with pytest.raises(IndexError):
        HUNTING.held(np.full(3, 255, np.uint8), 1, np.array([0, 1]), [0], 9)
    for width in (-1, 0):
        with pytest.raises(IndexError):
            HUNTING.held(some, 2, ends, [0], width)
    for since, until, narrow in ((-1, 1, 2), (1, 0, 2), (0, 3, 2), (0, 2, 1), (0, 2, 0), (0, 1, -1)):
        with pytest.raises(IndexError):
            HUNTING.unpack(some, narrow, weights, since, until)
    with pytest.raises(IndexError):
        HUNTING.unpack(some, 2, weights[:9], 0, 1)
    for counts, bounds, first, end in (
        (np.ones(3), ends, 0, 1),
        (floats, np.array([0, 3]), 0, 1),
        (floats, np.array([0, 2, 1]), 0, 2),
        (floats, ends, -1, 1),
        (floats, ends, 1, 0),
        (floats, ends, 0, 2),
    ):
        with pytest.raises(IndexError):
            HUNTING.pack(whole, counts, bounds, first, end, 3, 0)
    with pytest.raises(ValueError, match="3 or 4 bytes"):
        HUNTING.pack(whole, floats, ends, 0, 1, 2, 0)
    no_places, no_weights = np.zeros(0, np.int64), np.zeros(0, np.float32)
    packed: tuple[Any, ...] = some, ends, 2, weights, no_places, no_weights
    asked = floats, np.zeros(2, np.int32), floats
    HUNTING.cosines(packed, *asked, np.zeros(1), 1, 0, 1, False)
    for part, wrong in (
        (0, some[:5]),
        (1, np.array([0, 3])),
        (1, np.array([-1, 2])),
        (1, no_places),
        (2, 1),
        (2, -1),
        (3, weights[:15]),
        (4, ends),
    ):
        with pytest.raises(IndexError):
            HUNTING.cosines((*packed[:part], wrong, *packed[part + 1 :]), *asked, np.zeros(1), 1, 0, 1, False)
    for first, end in ((-1, 1), (1, 0), (0, 2)):
        with pytest.raises(IndexError):
            HUNTING.all_cosines([((*packed, first, end), None)], *asked, 1)
    for there, keys in ((4, [-1]), (0, [1]), (2, [1, 2, 3])):
        with pytest.raises(IndexError):
            HUNTING.enter(np.full(there, columns.NO_KEY), np.array(keys))
    with pytest.raises(TypeError):
        HUNTING.enter(np.full(4, columns.NO_KEY), of_32)
    table = of_32, floats, 1, 1.0, False
    at, linking, degree = np.zeros(2, np.int32), np.zeros(2, np.int32), np.ones(2)
    inherited: tuple[Any, ...] = at, np.zeros(3), 1, degree, linking, np.ones(2)
    assert HUNTING.expected(two, inherited, 1, ()) == np.ones(2).tobytes()
    for nodes, tables in ((np.array([2]), ()), (np.array([-1]), ()), (np.array([1]), (table,))):
        with pytest.raises(IndexError):
            HUNTING.expected(nodes, inherited, 1, tables)
    texts_, table = ((1.0, np.ones(0)), (0.3, np.ones(2))), (*table[:2], 1, 1.0, False)
    assert HUNTING.base(0, 1, (table,), texts_, 0, 7.0) == np.array([7.0]).tobytes()
    assert HUNTING.base(0, 1, (table,), texts_, -1, 7.0) == np.array([1.0 + 0.3 + 0.3]).tobytes()
    for node, width, judged in (
        (-1, 1, 0),
        (2, 1, 0),
        (1, 1, 0),
        (0, 2, 0),
        (0, 0, 0),
        (0, 1, 1),
        (0, 1, -2),
    ):
        with pytest.raises(IndexError):
            HUNTING.base(node, width, (table,), (), judged, 7.0)
    with pytest.raises(TypeError):
        HUNTING.base(0, 1, (table,), ((1.0, of_32),), 0, 7.0)
    places = np.array([0, 5], np.int32)
    for part, wrong in (
        (0, np.array([0, 1], np.int32)),
        (0, np.array([0, -1], np.int32)),
        (1, np.zeros(0)),
        (2, 4),
        (2, 0),
        (2, -1),
        (3, np.ones(1)),
        (4, np.array([0, 2], np.int32)),
        (4, np.array([0, -1], np.int32)),
        (5, np.zeros(0)),
    ):
        wronged = (*inherited[:part], wrong, *inherited[part + 1 :])
        with pytest.raises(IndexError):
            HUNTING.expected(two, wronged, 1, ())
        with pytest.raises(IndexError):
            HUNTING.take(two[1:], np.ones(1), wronged, np.zeros(2, np.int32), 0, 1.0, 0.2, 0.6)
    for targets, node in ((np.array([1]), 0), (np.array([7]), 0), (np.array([0]), 1), (np.array([0]), -1)):
        with pytest.raises(IndexError):
            HUNTING.take(targets, np.ones(1), inherited, places, node, 1.0, 0.2, 0.6)
    for targets, base in ((two[[0, 1, 0]], np.ones(1)), (two, np.zeros(0))):  # no room, no columns
        with pytest.raises(IndexError):
            HUNTING.take(targets, base, inherited, np.zeros(2, np.int32), 0, 1.0, 0.2, 0.6)
    lists = of_32, np.array([0, 1], np.int32), np.array([0, 1, 2])
    for given_, nodes, sums in (
        (lists, None, np.ones(1)),
        (lists, of_32, np.ones(9)),
        (lists, np.zeros(1, np.int32), np.ones(9)),
        ((*lists[:2], np.array([0, 1, 3])), None, np.ones(9)),
        ((*lists[:2], np.array([0, 3, 2])), None, np.ones(9)),
        ((*lists[:2], ends), None, np.ones(9)),
    ):
        with pytest.raises(IndexError):
            HUNTING.linked(*given_, nodes, np.ones(2), 1, True, sums)
        with pytest.raises(IndexError):
            HUNTING.degrees(*given_, nodes, sums, np.zeros(2), np.zeros(len(sums), np.int32))
    for out, linking in ((1, 9), (2, 8)):
        with pytest.raises(IndexError):
            HUNTING.degrees(*lists, None, np.zeros(9), np.zeros(out), np.zeros(linking, np.int32))
    with pytest.raises(IndexError):
        HUNTING.linked(*lists, None, np.ones(1), 1, True, np.ones(9))
    with pytest.raises(TypeError):
        HUNTING.squared([("a", 1)])
    with pytest.raises(TypeError):
        HUNTING.counted({"a": "b"}, HUNTING.Names())
    with pytest.raises(TypeError):
        HUNTING.counted({"a": 1}, {})
    values = np.ones(2)
    for targets, places, rows, count in (
        (np.array([0, 2]), two, two, 2),
        (np.array([0, -1]), two, two, 2),
        (two, np.array([0, 2]), two, 2),
        (two, two, two, 1),
        (two, two, np.array([0]), 2),
        (np.array([0]), two, two, 2),
    ):
        with pytest.raises(IndexError):
            HUNTING.beside(np.zeros_like(two), targets, places, 3, rows, values, 1, np.zeros(count))
    with pytest.raises(IndexError):
        HUNTING.beside(np.zeros_like(two), two, two, 3, None, None, 1, np.zeros(1, np.int64))
    with pytest.raises(TypeError):
        HUNTING.beside(np.zeros_like(two), two, two, 3, None, None, 1, np.zeros(2))
    kept = np.zeros(2)
    text = np.array([0]), floats[:1], np.array([0, 1])
    for owners, used, wide in (
        (np.array([2]), 1, 1),
        (np.array([-1]), 1, 1),
        (np.array([1]), 1, 1),
        (np.zeros(0, np.int64), 1, 1),
        (np.array([0]), 2, 1),
        (np.array([0]), 0, 1),
        (np.array([0]), 1, 2),
        (np.array([0]), 1, 0),
        (2, 1, 1),
        (-1, 1, 1),
        (1, 1, 1),
        (0, 2, 1),
    ):
        taken = text, (owners, np.array([0, 1], np.int32), kept, used, wide)
        with pytest.raises(IndexError):
            HUNTING.all_cosines([taken], floats[:1], np.ones(1, np.int32), floats, 1)
    for taken in ((text, None, None), (text, (0, of_32, kept, 1)), [text, None], (list(text), None)):
        with pytest.raises(TypeError):
            HUNTING.all_cosines([taken], floats[:1], np.ones(1, np.int32), floats, 1)
    for columns_, words_, like_ in ((2, None, 2), (2, None, -2), (2, np.ones(2), 0), (0, None, 1)):
        with pytest.raises(IndexError):
            HUNTING.score(floats, columns_, words_, like_, 0, 0, (1.0,) * 6, 9.0, 1e9)
    free = np.full(4, columns.NO_KEY)
    bools = np.zeros(2, np.bool_)
    for nodes, closed, told_ in (
        (np.array([2]), bools, floats),
        (two, bools[:1], floats),
        (two, bools, floats[:1]),
    ):
        with pytest.raises(IndexError):
            HUNTING.sifted(nodes, closed, told_)
        with pytest.raises(IndexError):
            HUNTING.waiting(nodes, closed, told_, 9.0)
    for nodes, scores_, told_ in (
        (np.array([-1]), floats, floats),
        (two, floats[:1], floats),
        (two, floats, floats[:1]),
    ):
        with pytest.raises(IndexError):
            HUNTING.moved(nodes, scores_, told_, 0.02)
    with pytest.raises(IndexError):
        HUNTING.waiting(np.array([-1]), bools, floats, 9.0)
    for columns_, mean, weights_ in ((2, np.ones(3), np.ones(3)), (2, np.ones(1), np.ones(2))):
        with pytest.raises(IndexError):
            HUNTING.words(floats, columns_, (mean, 3.0, weights_))
        with pytest.raises(IndexError):
            HUNTING.score(floats, columns_, (mean, 3.0, weights_), -1, -1, 0, (1.0,) * 6, 9.0, 1e9)
    with pytest.raises(IndexError):
        HUNTING.wordings(["wolf"], two, 0, free)
    with pytest.raises(TypeError):
        HUNTING.wordings(["wolf", None], two, 7, free)
    with pytest.raises(IndexError):
        HUNTING.wordings(["wolf", "spider"], two, 7, free[:0])
    for numbers in ([-1], [2**31 - 1]):
        with pytest.raises(IndexError):
            HUNTING.distinct(np.array(numbers), 7)
    for row, first, end, used in (
        (2, 0, 1, 1),
        (-1, 0, 1, 1),
        (1, 0, 1, 1),
        (0, 1, 0, 1),
        (0, 0, 2, 1),
        (0, 0, 1, 3),
    ):
        with pytest.raises(IndexError):
            HUNTING.put(np.array([0, 1], np.int32), kept, used, 1, np.array([row]), floats[:1], first, end)
    with pytest.raises(IndexError):  # no row is free
        HUNTING.put(np.zeros(2, np.int32), kept, 2, 1, np.array([0]), floats[:1], 0, 1)
    with pytest.raises(IndexError):
        HUNTING.holding([], ("wolf",) * 65)
    for wrong_words in ([1], [None]):
        with pytest.raises(TypeError):
            HUNTING.holding(wrong_words, ("wolf",))
    words, numbers = HUNTING.Names(), np.empty(9, np.int32)
    cut = wording.words_in
    with pytest.raises(KeyError):
        HUNTING.numbered(["wolf spider"], cut, {"wolf": "wolf"}, HUNTING.Names(), True, words, numbers)
    with pytest.raises(TypeError):
        HUNTING.numbered(["bear"], cut, {"bear": Text("bear")}, HUNTING.Names(), False, words, numbers)
    for told_by in (str.upper, lambda _: b"\x81", lambda _: 1 / 0):
        with pytest.raises((TypeError, UnicodeDecodeError, ZeroDivisionError)):
            HUNTING.numbered(["\u00e9"], told_by, {}, HUNTING.Names(), True, words, numbers)
    with pytest.raises(TypeError):
        HUNTING.numbered(["wolf", None], cut, {"wolf": "wolf"}, HUNTING.Names(), True, words, numbers)
    with pytest.raises(TypeError):
        HUNTING.numbered(["wolf"], cut, {}, HUNTING.Names(), True, words, np.empty(9))
