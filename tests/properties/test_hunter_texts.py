"""What the hunter counts sparingly is what whole tables would give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.links import listed

from lycosa.crawl.inputs import Query
from lycosa.scoring.links import smoothing
from lycosa.scoring.links.smoothing import NO_PAGE, Siblings
from lycosa.scoring.words.terms import ALL_WORDS, PLAIN
from lycosa.strategies.hunter import queries
from lycosa.strategies.hunter.hunter import Hunter
from lycosa.strategies.hunter.inherited import Inherited
from lycosa.strategies.hunter.queries import Queries
from lycosa.strategies.hunter.texts import TextRows, counted, told
from lycosa.strategies.parts.columns import Keys, SparseTable
from lycosa.strategies.parts.names import InOrder, Names, no_names

WORDS = "abcdef"
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8), min_size=1, max_size=6)
weights = st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0, -0.1]), min_size=4, max_size=4)
small = st.integers(-3, 3)


def of_words(known: int = len(WORDS)) -> Names:
    names = no_names()
    names.enter_all([*WORDS[:known]])
    return names


@given(texts, st.integers(0, len(WORDS)))
def test_texts_told_together_are_as_counted_one_by_one(said: list[list[str]], known: int) -> None:
    """In rows as in numbers, whatever words were known before."""
    names, other = of_words(known), of_words(known)
    together = told(said, names)
    rows = TextRows()
    rows.add(together)
    width = len(names)
    for place, text in enumerate(said):
        alone = counted({word: text.count(word) for word in text}, other)
        whole = np.zeros(width)
        whole[alone.terms] = alone.weighed().weights
        row = together.weighed().between(place, place + 1)
        found = np.zeros(width)
        found[row.terms] = row.weights
        assert np.allclose(found, whole)
        assert np.allclose(rows.matrix(width).toarray()[place], whole)
    assert [*InOrder(names)] == [*InOrder(other)]


@given(texts, st.integers(0, len(WORDS)))
def test_what_has_a_number_for_this_once_is_not_known(said: list[list[str]], known: int) -> None:
    names = of_words(known)
    once = told(said, names, for_good=False)
    assert len(names) == known
    for_good = told(said, names)
    assert [column.tolist() for column in once] == [column.tolist() for column in for_good]


@given(texts, st.lists(st.floats(0.1, 5), min_size=4, max_size=4), weights, weights)
def test_no_shortcut_shows(
    said: list[list[str]], rarities: list[float], one: list[float], other: list[float]
) -> None:
    """Terms 4 and 5 came after the rarities."""
    queries = Queries(2)
    queries.weigh(np.array(rarities))
    queries.grow_to(len(WORDS))
    queries.put(0, np.array(one))
    queries.put(1, np.array(other))
    together = told(said, of_words())
    weighed = queries.weighed(together.weighed())
    columns = np.zeros((len(WORDS), 2))
    columns[:4] = np.array([one, other]).T
    rows = TextRows()
    rows.add(together)
    whole = rows.matrix(len(WORDS)).toarray() * [*rarities, max(rarities), max(rarities)]
    expected = whole @ columns / np.maximum(np.linalg.norm(whole, axis=1), 1e-9)[:, None]
    for part in (slice(0, 2), slice(1, 2), slice(None)):
        like, cosines = queries.cosines(weighed, part)
        found = np.zeros_like(expected[:, part])
        found[like] = cosines
        assert np.allclose(found, expected[:, part], atol=1e-6)
    assert np.allclose(np.array([queries.column(0), queries.column(1)]).T, columns[:4])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "column", "clear", "common", "grow"]),
            st.dictionaries(st.integers(0, 9), small, max_size=5),
            small,
        ),
        max_size=12,
    )
)
def test_a_table_as_any(changes: list[tuple[str, dict[int, int], int]]) -> None:
    table, full, touched = SparseTable(2), np.zeros((10, 2)), set[int]()
    table.grow_to(10)
    for kind, values, number in changes:
        rows, given_values = np.array([*values], dtype=np.int64), np.array([*values.values()], dtype=float)
        if kind == "put":
            table.put(rows, np.tile(given_values[:, None], 2))
            full[rows] = given_values[:, None]
        elif kind == "column":
            table.put(rows, given_values[:, None], slice(1, 2))
            full[rows, 1] = given_values
        elif kind == "clear":
            table.clear()
            full[:], touched = 0, set()
        elif kind == "common":
            table.common(float(number))
            full[[row for row in range(10) if row not in touched]] = number
        else:
            table.grow_to(10 + abs(number))
        if kind in ("put", "column"):
            touched.update(values)
        every = np.arange(10)
        assert (table[every] == full).all()
        added = np.ones((10, 2))
        table.add_to(added, every, 0.5)
        assert np.allclose(added, 1 + 0.5 * full)
        again = SparseTable(2)
        again.fill(full, full[0])
        assert (again[every] == full).all()
        again.load(table.save(10))
        assert (again[every] == full).all()


@given(st.lists(st.lists(st.integers(0, 300) | st.integers(0, 2**62), max_size=400), max_size=12))
def test_a_set_as_any_in_which_a_number_is_new_once(told: list[list[int]]) -> None:
    keys, known = Keys(), dict[int, None]()
    for some in told:
        before = set(known)
        new = keys.add(np.array(some, dtype=np.int64)).tolist()
        assert new == [n for n, key in enumerate(some) if key not in before and key not in some[:n]]
        known.update(dict.fromkeys(some))
        assert len(keys) == len(known)


@given(
    st.lists(
        st.text(st.sampled_from("ab E\u00e9\u0130\u8336\x80\x85-.\n1"), max_size=12) | st.text(max_size=20),
        max_size=6,
    )
)
def test_texts_cut_as_one_are_as_cut_alone(texts: list[str]) -> None:
    for words in (PLAIN, ALL_WORDS):
        assert words.sequences(texts) == [words.sequence(text) for text in texts]


@given(texts, weights, st.integers(1, 9))
def test_cosines_are_the_same_in_blocks(said: list[list[str]], one: list[float], block: int) -> None:
    whole = Queries(2)
    whole.weigh(np.array([1.0, 2.0, 0.5, 3.0]))
    whole.put(0, np.array(one))
    whole.grow_to(len(WORDS))
    together = told(said, of_words()).weighed()
    expected = whole.cosines(whole.weighed(together))
    parts = whole.take([together, together], [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "HUNTING", None)
        patch.setattr(queries, "AT_ONCE", block)
        patch.setattr(queries, "BLOCK", block)
        found = whole.cosines(whole.weighed(together))
    assert (found[0] == expected[0]).all()
    for cosines in (found[1], *parts):
        assert (cosines == expected[1]).all()


@given(st.lists(st.lists(st.integers(0, 9), max_size=7), min_size=1, max_size=5), st.integers(1, 12))
def test_what_stands_beside_is_the_same_in_blocks(lists: list[list[int]], block: int) -> None:
    sources = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
    targets = np.array([target for each in lists for target in each], dtype=np.int64)
    places = np.array([0, 1, 2, 3, 4, *[NO_PAGE] * 5])
    values = np.array([[0.5], [2.0], [4.0], [8.0], [1.0]])
    whole = Siblings(listed(sources, targets, 10), places, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smoothing, "BLOCK", block)
        parts = Siblings(listed(sources, targets, 10), places, 3)
    assert (parts.nodes == whole.nodes).all()
    assert np.allclose(parts.means(values)[0], whole.means(values)[0], rtol=1e-12)


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 9), unique=True, max_size=6), st.booleans()), max_size=12),
    st.integers(0, 2**32 - 1),
)
def test_sums_as_any(pages: list[tuple[list[int], bool]], seed: int) -> None:
    """Page by page; at some of them all sums are told anew, as when a hunter learns."""
    rng = np.random.default_rng(seed)
    inherited, evidence, full = Inherited(3), rng.normal(size=(12, 3)), np.zeros((10, 3))
    inherited.grow_to(10)
    degree, linking = np.zeros(10), np.full(10, NO_PAGE, dtype=np.int32)
    for place, (linked, anew) in enumerate(pages):
        targets = np.array(linked, dtype=np.int64)
        inherited.add(targets, place, evidence)
        full[targets] += evidence[place]
        degree[targets] += 1
        linking[targets] = place
        if anew:
            again = Inherited(3)
            again.load_whole(full, degree.copy(), linking.copy())
            inherited = Inherited(3)
            inherited.load(again.save(10))
        assert np.array_equal(inherited.sums(np.arange(10), evidence), full)
        assert (inherited.degree == degree).all()
        assert (inherited.linking == linking).all()


@given(
    st.lists(st.sampled_from([0.0, 0.0, 1.5, -2.0]), min_size=12, max_size=12), st.sampled_from([1, 2, 3, 6])
)
def test_columns_that_hold_something(values: list[float], columns: int) -> None:
    """None is left out that does, and those that are told have the means that they have among all."""
    whole = np.array(values).reshape(-1, columns)
    some = smoothing.some_columns(whole)
    left_out = np.delete(whole, np.arange(columns)[some], axis=1)
    assert not left_out.any()
    assert some.stop - some.start >= min(2, columns)
    assert whole[:, some].mean(axis=0).tolist() == whole.mean(axis=0)[some].tolist()


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(0, 99))
def test_rarities_are_worked_out_once_for_each_number_of_pages(holding: list[int], pages: int) -> None:
    frequencies = np.array(holding, dtype=np.int32)
    own = Hunter(Query(terms={"w": 1}), None).evidence
    once = smoothing.rarity(pages, frequencies.astype(np.float64))
    assert own._rarity_of(pages, frequencies).tolist() == once.tolist()
