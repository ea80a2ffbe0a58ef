"""Promises of the difference of two texts."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.crawls import word_difference as module
from lycosa.crawls.word_difference import Piece, word_difference

TEXT = st.lists(st.sampled_from(["a", "b", "c", "d", "\n", "\n\n", "  e"]), max_size=30).map(" ".join)


@given(before=TEXT, after=TEXT)
@settings(max_examples=trials(300))
def test_both_texts_are_there(before: str, after: str) -> None:
    pieces = word_difference(before, after)
    assert [word for piece in pieces if piece.kind != "added" for word in piece.words] == before.split()
    assert [word for piece in pieces if piece.kind != "removed" for word in piece.words] == after.split()
    kinds = [piece.kind for piece in pieces]
    assert all(one != other for one, other in pairwise(kinds))
    assert ("added", "removed") not in pairwise(kinds), "what was removed comes first"


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


@given(before=TEXT, after=TEXT, most=st.integers(-1, 2_000))
def test_bounded(before: str, after: str, most: int) -> None:
    """With few steps the difference is coarse, and right all the same. The steps are counted as they are made."""
    made = {True: 0, False: 0}

    class Counted(SequenceMatcher):  # type: ignore[type-arg]
        def find_longest_match(
            self, i: int = 0, j: int | None = None, k: int = 0, m: int | None = None
        ) -> Any:
            looked_at = list(self.a[i:j])
            equal = sum(each == other for each in looked_at for other in self.b)
            made[isinstance(self.a[0] if self.a else "", str)] += len(looked_at) + equal
            return super().find_longest_match(i, j, k, m)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "MOST_STEPS", most)
        patched.setattr(module, "SequenceMatcher", Counted)
        pieces = word_difference(before, after)
    assert max(made.values()) <= max(most, 0)
    assert [word for piece in pieces if piece.kind != "added" for word in piece.words] == before.split()
    assert [word for piece in pieces if piece.kind != "removed" for word in piece.words] == after.split()


LONG = [" ".join(f"x{n} {own}" for n in range(9_000)) for own in "yz"]


@pytest.mark.parametrize(("one", "other"), [("a b " * 1_000, "b a a " * 660), LONG])
def test_the_worst_texts_are_not_compared(one: str, other: str) -> None:
    """The first took difflib more than a minute."""
    assert len(word_difference(one, other)) <= 4


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
