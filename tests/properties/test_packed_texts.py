"""Texts in few bytes say what they said before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.strategies.hunter.packing import NARROW, WIDE, packed, unpacked
from lycosa.strategies.hunter.texts import CountedTexts, TextRows, joined

LARGE = 1 << 20
LARGEST = (1 << 28) - 1
numbers = st.integers(0, 50) | st.integers(LARGE - 3, LARGE - 1)
counts = st.integers(1, 4) | st.integers(13, 18) | st.integers(1, 10**6)
some_texts = st.lists(st.dictionaries(numbers, counts, max_size=9), max_size=6)
wide_texts = st.lists(st.dictionaries(numbers | st.integers(LARGE, LARGEST), counts, max_size=9), max_size=6)


def texts_of(held: list[dict[int, int]]) -> CountedTexts:
    terms = [term for text in held for term in text]
    times = [float(count) for text in held for count in text.values()]
    bounds = np.cumsum([0, *map(len, held)])
    return CountedTexts(np.array(terms, dtype=np.int64), np.array(times), bounds)


def told_by(rows: TextRows) -> list[tuple[list[int], list[float]]]:
    """Each text by itself, and they are the same together."""
    each = [rows.between(place, place + 1) for place in range(len(rows))]
    whole = rows.between(0, len(rows))
    if each:
        together = joined(each)
        assert [column.tolist() for column in together] == [column.tolist() for column in whole]
    return [(text.terms.tolist(), text.weights.tolist()) for text in each]


def expected(held: list[dict[int, int]]) -> list[tuple[list[int], list[float]]]:
    return [
        (list(text), np.float32(1.0 + np.log(np.array(list(text.values()), dtype=float))).tolist())
        for text in held
    ]


@given(some_texts, wide_texts)
def test_packed_as_told(first: list[dict[int, int]], then: list[dict[int, int]]) -> None:
    """However often a term occurs, and where its number has no room in 3 bytes; loaded as saved."""
    rows = TextRows()
    rows.add(texts_of(first))
    assert told_by(rows) == expected(first)
    rows.add(texts_of(then))
    assert told_by(rows) == expected(first + then)
    again = TextRows()
    again.load(
        {name: bytes(part) if isinstance(part, memoryview) else part for name, part in rows.save().items()}
    )
    assert told_by(again) == told_by(rows)
    again.add(texts_of(first))
    assert told_by(again) == expected(first + then + first)


@given(wide_texts, some_texts)
def test_those_of_earlier_versions_are_loaded(held: list[dict[int, int]], then: list[dict[int, int]]) -> None:
    """They had 4 bytes for each term, and 4 for its weight; then 3 or 4, and 1 for its count, 0 above 255."""
    told = texts_of(held)
    terms, weights, bounds = told.weighed()
    arrays = {"terms": terms.astype(np.int32), "weights": weights.astype(np.float32), "ends": bounds}
    states: list[dict[str, object]] = [{name: array.tobytes() for name, array in arrays.items()}]
    places = np.flatnonzero(told.counts > 255)
    for width in (3, 4):
        states.append(
            {
                "terms": terms.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :width].tobytes(),
                "width": width,
                "counts": np.where(told.counts > 255, 0, told.counts).astype(np.uint8).tobytes(),
                "often": list(zip(places.tolist(), told.counts[places].astype(int).tolist(), strict=True)),
                "ends": bounds.tobytes(),
            }
        )
    if max(terms, default=0) >= 1 << 24:
        del states[1]
    for state in states:
        rows = TextRows()
        rows.load(state)
        assert told_by(rows) == expected(held)
        rows.add(texts_of(then))
        assert told_by(rows) == expected(held + then)


def test_what_has_no_room_is_refused() -> None:
    def text_of(number: int) -> CountedTexts:
        return CountedTexts(np.array([number]), np.ones(1), np.array([0, 1]))

    def entries_of(number: int, width: int) -> bytes:
        return packed(text_of(number), 0, 1, width, 0)[0]

    for number, width in ((LARGE, NARROW), (-1, NARROW), (LARGEST + 1, WIDE), (-1, WIDE)):
        with pytest.raises(OverflowError):
            entries_of(number, width)
    entries = entries_of(LARGE - 1, NARROW) + entries_of(LARGEST, WIDE)
    assert unpacked(entries, 1, 0, 2)[0].tolist() == [LARGE - 1, LARGEST]
    with pytest.raises(OverflowError):
        TextRows().add(text_of(LARGEST + 1))
