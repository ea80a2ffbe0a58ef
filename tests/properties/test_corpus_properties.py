"""Copies among pages beside a comparison with all, and measures of repetition beside a count of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawl.sketch import BINS, minima, sketch, word_fingerprint, word_hashes
from lycosa.crawls.corpus.firsts import Copy, Firsts, Known
from lycosa.crawls.corpus.near_firsts import ALIKE
from lycosa.model.url import Url
from lycosa.scoring.words.fingerprints import NEAR, hamming
from lycosa.scoring.words.repetition import repeated_lines, repeated_runs, repetition

LONG = [" ".join(f"{letter}{n}" for n in range(120)) for letter in "ab"]
"""Two texts of different words, to be changed a little."""


@st.composite
def texts(draw: st.DrawFn) -> str:
    words = draw(st.sampled_from(["", "web", *LONG])).split()
    for place in draw(st.lists(st.integers(0, 119), max_size=3)):
        if place < len(words):
            words[place] = "x"
    return " ".join(words)


PAGES = st.lists(st.tuples(texts(), st.sampled_from(["", "", "p", "q"])), max_size=12).map(
    lambda found: [
        Known(url=Url(f"http://a.test/{n}"), digest=digest, text=text)
        for n, (text, digest) in enumerate(found)
    ]
)


def named(pages: Sequence[Known]) -> list[Copy]:
    firsts = Firsts()
    return [firsts.copy(page) for page in pages]


@given(PAGES)
def test_first_of_all(pages: Sequence[Known]) -> None:
    copies = named(pages)
    firsts: list[Url] = []
    for page, copy in zip(pages, copies, strict=True):
        of = copy.duplicate_of or copy.near_duplicate_of
        assert copy.duplicate_of is None or copy.near_duplicate_of is None
        if of is None:
            firsts.append(page.url)
        else:
            assert of in firsts


@given(PAGES)
def test_as_compared_with_all(pages: Sequence[Known]) -> None:
    firsts: list[Known] = []
    same: dict[str, Url] = {}
    for page, copy in zip(pages, named(pages), strict=True):
        keys = [key for key in (page.digest, page.text) if key]
        exact = next((same[key] for key in keys if key in same), None)
        near = next((first.url for first in firsts if exact is None and alike(first, page)), None)
        assert copy == Copy(exact, near)
        if exact is None and near is None:
            firsts.append(page)
        for key in keys:
            same.setdefault(key, exact or near or page.url)


def alike(one: Known, other: Known) -> bool:
    if not one.text or not other.text:
        return False
    words = [word_hashes(page.text) for page in (one, other)]
    shared = np.mean(np.equal(*(minima(each).astype(np.uint8) for each in words)))
    apart = hamming(*map(word_fingerprint, words))
    bands = ({number & 0xFFFF for number in band} for band in zip(*map(sketch, words), strict=True))
    compared = apart <= NEAR or any(len(band) == 1 for band in bands)
    return compared and (float(shared) - 1 / 256) / (1 - 1 / 256) >= ALIKE


def test_a_share_is_estimated_by_as_many_minima_as_there_are_bins() -> None:
    assert len(minima(word_hashes(LONG[0]))) == BINS


LINES = st.lists(st.lists(st.sampled_from("abc"), max_size=8).map(" ".join), max_size=8).map("\n".join)


@given(LINES)
def test_repeated_runs_are_those_that_a_look_at_each_finds(text: str) -> None:
    words = text.split()
    seen: set[tuple[str, ...]] = set()
    covered: set[int] = set()
    for place in range(len(words) - 4):
        run = tuple(words[place : place + 5])
        if run in seen:
            covered.update(range(place, place + 5))
        seen.add(run)
    assert repeated_runs(text) == (len(covered) / len(words) if words else 0.0)  # of one letter each


@given(LINES)
def test_repetition_is_a_share_and_none_where_nothing_comes_twice(text: str) -> None:
    lines = [line for line in text.split("\n") if line.strip()]
    again = sum(len(line) * (n - 1) for line, n in Counter(lines).items())
    total = sum(map(len, lines))
    assert abs(repeated_lines(text) - (again / total if total else 0.0)) < 1e-9
    assert 0 <= max(repeated_lines(text), repeated_runs(text)) == repetition(text) < 1
