"""Promises of the difference of two texts."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.crawls import word_difference as module
from lycosa.crawls.word_difference import Piece, word_difference

TEXT = st.lists(st.sampled_from(["a", "b", "c", "d", "\n", "\n\n", "  e"]), max_size=30).map(" ".join)


@given(before=TEXT, after=TEXT)
@settings(max_examples=300)
def test_both_texts_are_there(before: str, after: str) -> None:
    pieces = word_difference(before, after)
    assert [word for piece in pieces if piece.kind != "added" for word in piece.words] == before.split()
    assert [word for piece in pieces if piece.kind != "removed" for word in piece.words] == after.split()
    kinds = [piece.kind for piece in pieces]
    assert all(one != other for one, other in itertools.pairwise(kinds))
    assert ("added", "removed") not in itertools.pairwise(kinds), "what was removed comes first"


@given(text=TEXT)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert [piece.kind for piece in word_difference(text, text)] == ["same"] * bool(text.split())


def test_known_answer() -> None:
    before = "The library opens\nat nine each day.\nAll are welcome."
    after = "The library opens at\nten each day.\nAll are very welcome."
    assert word_difference(before, after) == [
        Piece("same", ("The", "library", "opens", "at")),
        Piece("removed", ("nine",)),
        Piece("added", ("ten",)),
        Piece("same", ("each", "day.", "All", "are")),
        Piece("added", ("very",)),
        Piece("same", ("welcome.",)),
    ]


@given(before=TEXT, after=TEXT, most=st.integers(0, 200))
def test_bounded(before: str, after: str, most: int) -> None:
    """With few pairs the difference is coarse, and right all the same."""
    with pytest.MonkeyPatch.context() as patched:
        compared = []

        class Counted(module.SequenceMatcher):  # type: ignore[type-arg]
            def __init__(self, junk: None, one: list[object], other: list[object], autojunk: bool) -> None:
                compared.append(
                    (isinstance((one + other)[0], str) if one + other else None, len(one) * len(other))
                )
                super().__init__(junk, one, other, autojunk)

        patched.setattr(module, "MOST_PAIRS", most)
        patched.setattr(module, "SequenceMatcher", Counted)
        pieces = word_difference(before, after)
    for of_words in (True, False):
        assert sum(pairs for kind, pairs in compared if kind is of_words) <= most
    assert [word for piece in pieces if piece.kind != "added" for word in piece.words] == before.split()
    assert [word for piece in pieces if piece.kind != "removed" for word in piece.words] == after.split()


def test_huge_texts_that_begin_and_end_alike_are_compared_in_between() -> None:
    many = "\n".join(f"line {number} of many" for number in range(50_000))
    pieces = word_difference(f"{many}\nonce upon a time\n{many}", f"{many}\nonce upon another time\n{many}")
    assert [piece for piece in pieces if piece.kind != "same"] == [
        Piece("removed", ("a",)),
        Piece("added", ("another",)),
    ]


def test_huge_texts_that_differ_throughout_are_one_in_place_of_the_other() -> None:
    one = "\n".join(f"{number} x" for number in range(5_000))
    other = "\n".join(f"x {number}" for number in range(5_000))
    assert [piece.kind for piece in word_difference(one, other)] == ["removed", "added"]
