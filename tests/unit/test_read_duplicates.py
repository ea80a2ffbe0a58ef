"""Known answers for shingles, fingerprints and their index."""

from __future__ import annotations

import pytest

from lycosa.crawl.sketch import exact
from lycosa.read.duplicates import hash64, jaccard, majority, shingles, simhash
from lycosa.scoring.words.fingerprints import NearIndex, hamming


def test_shingles_of_a_sentence() -> None:
    brother = shingles(["John", "went", "to", "school", "with", "his", "brother"], 3)
    sister = shingles(["John", "went", "to", "school", "with", "his", "sister"], 3)
    assert len(brother) == 5
    assert jaccard(brother, sister) == pytest.approx(4 / 6)


def test_short_and_empty_texts() -> None:
    assert shingles(["one", "two"], 5) == {("one", "two")}
    assert shingles([], 5) == frozenset()
    assert jaccard(frozenset(), frozenset()) == 1.0
    assert jaccard(frozenset({1}), frozenset()) == 0.0
    with pytest.raises(ValueError, match="at least one word"):
        shingles(["one"], 0)


def test_majority_of_three_features() -> None:
    # Weights 1, 2, 1: v = [2, 2, 0, -2] from the highest bit.
    assert majority([(1, 0b1010), (2, 0b1100), (1, 0b0111)], 4) == 0b1100


def test_simhash_is_the_majority() -> None:
    terms = {"spider": 3, "web": 1, "silk": 2, "thread": 1, "fly": 1}
    assert simhash(terms) == majority([(n, hash64(term)) for term, n in terms.items()], 64)
    assert simhash({}) == 0
    assert simhash({"spider": 7}) == hash64("spider")


def test_simhash_of_a_huge_text() -> None:
    terms = {"spider": 70_000, "web": 3, "silk": 69_999}
    assert simhash(terms) == majority([(n, hash64(term)) for term, n in terms.items()], 64)


def test_hashes_are_the_same_in_every_process() -> None:
    assert hash64("spider") == 0xEF95233A21A7E2DF


def test_near_texts_have_near_fingerprints() -> None:
    page = {f"word{i}": 1 + i % 3 for i in range(300)}
    assert hamming(simhash(page), simhash({**page, "another": 1})) <= 3
    assert hamming(simhash(page), simhash({f"other{i}": 1 for i in range(300)})) > 15


def test_exact_digests_ignore_white_space_only() -> None:
    assert exact("a  b\nc") == exact("a b c") != exact("a b C")
    assert len(exact("")) == 32


def test_the_index_finds_what_is_near() -> None:
    index = NearIndex()
    index.add("one", 0)
    index.add("two", 0b111)
    index.add("three", 0xFFFF_0000_0000_0000)
    index.add("spread", 1 << 3 | 1 << 20 | 1 << 40)
    assert index.near(0) == ["one", "two", "spread"]
    assert index.near(0, within=0) == ["one"]
    assert index.near(0xFFFF_0000_0000_0001) == ["three"]
    assert len(index) == 4
    with pytest.raises(ValueError, match="0 to 3"):
        index.near(0, within=4)
