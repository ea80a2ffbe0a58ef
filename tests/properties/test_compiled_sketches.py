"""Sketches by the compiled module and by Python are the same."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawl import sketch as sketches
from lycosa.crawl.sketch import MOST_WORDS, sketch, word_fingerprint, word_hashes

pytestmark = pytest.mark.skipif(sketches._SKETCHING is None, reason="nothing is compiled here")

TEXTS = st.text() | st.lists(
    st.sampled_from(("Wolf", "spider", " ", "\n", "\t\x0b", "\x1c", "\xa0", "É", "的", "a")), max_size=300
).map("".join)


def twice(text: str, most: int) -> list[Any]:
    def told() -> Any:
        words = word_hashes(text, most)
        return words.tolist(), sketch(words), word_fingerprint(words), sketch(words[::2])

    compiled = told()
    with patch.object(sketches, "_SKETCHING", None):
        return [compiled, told()]


@given(TEXTS, st.integers(0, 400))
def test_texts(text: str, most: int) -> None:
    compiled, by_python = twice(text, most)
    assert compiled == by_python


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from((0, 1, 2**63, 2**64 - 1)), max_size=400))
def test_numbers(numbers: list[int]) -> None:
    words = np.array(numbers, np.uint64)
    compiled = sketch(words), word_fingerprint(words)
    with patch.object(sketches, "_SKETCHING", None):
        assert compiled == (sketch(words), word_fingerprint(words))


def test_the_longest_text() -> None:
    compiled, by_python = twice(" ".join(f"word{n % 3_000}" for n in range(2 * MOST_WORDS)), MOST_WORDS)
    assert compiled == by_python
    assert len(compiled[0]) == MOST_WORDS
