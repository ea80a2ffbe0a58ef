"""Sketches: estimates of resemblance, and what shares a number."""

from __future__ import annotations

import random
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lycosa.crawl import sketch as sketches
from lycosa.crawl.sketch import BANDS, BINS, exact, word_fingerprint, word_hashes
from lycosa.crawl.traps import TrapLimits, Traps
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import Host, Url
from lycosa.read.duplicates import BITS, jaccard, majority, shingles

KNOWN = (1104595215, 1658650335, 915447666, 3094278607, 2972904189, 1110726516, 3831801098, 4182341377)


def text(seed: int, words: int = 400) -> list[str]:
    draw = random.Random(seed)
    return [f"word{draw.randrange(900)}" for _ in range(words)]


def changed(words: list[str], count: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    return [f"new{n}" if n in set(draw.sample(range(len(words)), count)) else w for n, w in enumerate(words)]


def sketch(words: str) -> tuple[int, ...]:
    return sketches.sketch(word_hashes(words))


def shingle_hashes(words: str) -> NDArray[np.uint64]:
    return sketches.shingle_hashes(word_hashes(words))


def minima(words: str) -> NDArray[np.uint64]:
    return sketches.minima(word_hashes(words))


def page(name: str, words: str, fingerprint: int) -> Page:
    url = Url(f"http://a.test/{name}")
    return Page(
        request=Request(url=url, order=0),
        final_url=url,
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest="",
        title="",
        text=words,
        links=(),
        fingerprint=fingerprint,
    )


def test_one_hash_a_shingle() -> None:
    assert len(shingle_hashes("John went to school with his brother")) == 3
    assert len(shingle_hashes("two words")) == len(shingle_hashes(" one ")) == 1
    assert len(shingle_hashes(" ")) == 0
    assert shingle_hashes("a b c d e")[0] != shingle_hashes("b a c d e")[0]


@pytest.mark.parametrize("count", [0, 2, 8, 25, 60])
def test_the_share_of_common_minima_estimates_the_resemblance(count: int) -> None:
    one, other = text(1), changed(text(1), count)
    said = float((minima(" ".join(one)) == minima(" ".join(other))).mean())
    true = jaccard(shingles(one), shingles(other))  # type: ignore[arg-type]
    assert said == pytest.approx(true, abs=3 * 0.5 / BINS**0.5)


def test_near_duplicates_share_a_number_and_others_do_not() -> None:
    words = [text(seed) for seed in range(200)]
    near = [set(sketch(" ".join(w))) & set(sketch(" ".join(changed(w, 1, n)))) for n, w in enumerate(words)]
    assert sum(map(bool, near)) > 190  # J is about 0.975
    far = [set(sketch(" ".join(w))) & set(sketch(" ".join(changed(w, 40, n)))) for n, w in enumerate(words)]
    assert sum(map(bool, far)) < 10  # J is about 0.4
    assert sketch("") == sketch(" \n") == ()
    assert len(sketch("x")) == BANDS


def test_the_same_on_every_machine() -> None:
    assert sketch("the wolf spider hunts by night") == sketch("The  wolf spider\nhunts by night")
    assert sketch("the wolf spider hunts by night") == KNOWN


@pytest.mark.parametrize("seed", range(5))
def test_the_fingerprint_of_words_is_the_majority_of_their_hashes(seed: int) -> None:
    words = word_hashes(" ".join(text(seed)))
    assert word_fingerprint(words) == majority({(1, word) for word in words.tolist()}, BITS)
    assert word_fingerprint(words[::-1]) == word_fingerprint(words)
    assert word_fingerprint(words[:0]) == 0
    assert word_fingerprint(words[:1]) == int(words[0])


def test_a_host_of_texts_that_differ_in_a_few_words_is_damped() -> None:
    # Their fingerprints are far from each other, as if the few words were frequent ones.
    base, limits = text(7), TrapLimits(sample=10)
    traps = Traps(limits)
    for n in range(10):
        traps.seen(page(str(n), " ".join(changed(base, 1, n)), 0x0123456789ABCDEF * (2 * n + 3) % 2**64))
    assert traps.damping(Host("a.test")) == limits.damping
    again = Traps(limits)
    again.load(traps.save())
    assert again.save() == traps.save()
    for n in range(10, 20):
        traps.seen(page(str(n), " ".join(text(100 + n)), 0x0123456789ABCDEF * (2 * n + 3) % 2**64))
    assert traps.damping(Host("a.test")) == 1.0


@given(
    text=st.text(st.sampled_from("ab \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x00\x7f"))
    | st.text(st.sampled_from("aé \x85\xa0\u2003\u3000\ud800"))
    | st.text()
)
def test_exact_is_the_digest_of_words_with_one_blank_between(text: str) -> None:
    words = " ".join(text.split()).encode("utf-8", "replace")
    assert exact(text) == blake2b(words, digest_size=16).hexdigest()
