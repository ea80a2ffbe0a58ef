"""Sketches by the compiled module and by Python are the same."""

from __future__ import annotations

from array import array
from typing import Any, cast
from unittest.mock import patch
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from lycosa.crawl import captures, site_names, templates, traps
from lycosa.crawl import sketch as sketches
from lycosa.crawl.sketch import (
    BANDS,
    MOST_WORDS,
    banded,
    exact,
    minima,
    sketch,
    word_fingerprint,
    word_hashes,
)
from lycosa.crawl.templates import BLOCKS, Templates, blocks, without_template
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.spaceless import word_count
from lycosa.model.url import Host, Url

pytestmark = pytest.mark.skipif(sketches._SKETCHING is None, reason="nothing is compiled here")

PIECES = (
    "Wolf",
    "spider",
    " ",
    "\n",
    "\t\x0b",
    "\x1c",
    "\xa0",
    "É",
    "的",
    "a",
    "ΣΑΣ",
    "İ",
    "\u2003",
    "\u3000",
    "ไทย",
    "’",
)
TEXTS = st.text() | st.lists(st.sampled_from(PIECES), max_size=300).map("".join)


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

    def told() -> list[Any]:
        found = minima(words) if numbers else None
        parts = None if found is None else (found.tolist(), banded(found), banded(found[::-1]))
        return [sketch(words), word_fingerprint(words), parts]

    compiled = told()
    with patch.object(sketches, "_SKETCHING", None):
        assert compiled == told()


def test_what_has_no_minima_is_refused() -> None:
    assert sketches._SKETCHING is not None
    with pytest.raises(ValueError, match="no words"):
        sketches._SKETCHING.minima(b"1234567")
    for length in (0, 8, 1023, 1025, 2048):
        with pytest.raises(ValueError, match="128 minima"):
            sketches._SKETCHING.banded(bytes(length))


@pytest.mark.parametrize(
    "piece", ["的", "a的", "a的\U00020000", "aé ", "Wolfsspinne 的b", "ก", "ABCDEFGH I ", "ABCDEFG\0 "]
)
def test_texts_of_one_piece(piece: str) -> None:
    for times in (1, 2, 3, 500):
        compiled, by_python = twice(times * piece, 10_000)
        assert compiled == by_python


@given(st.lists(st.sampled_from(("menu", "foot", "", "É", "的a", "ไทย")), max_size=12), st.data())
def test_lines_are_left_out(lines: list[str], data: st.DataObject) -> None:
    flags = data.draw(st.lists(st.booleans(), min_size=len(lines), max_size=len(lines)))
    text = "\n".join(lines)
    template = bytes(flags or [False])  # no line is an empty one
    compiled = word_hashes(text, template=template).tolist()
    assert compiled == word_hashes(without_template(text, template)).tolist()
    with patch.object(sketches, "_SKETCHING", None):
        assert compiled == word_hashes(text, template=template).tolist()


def test_the_longest_text() -> None:
    compiled, by_python = twice(" ".join(f"word{n % 3_000}" for n in range(2 * MOST_WORDS)), MOST_WORDS)
    assert compiled == by_python
    assert len(compiled[0]) == MOST_WORDS


@given(TEXTS)
def test_digests_of_words(text: str) -> None:
    compiled = exact(text)
    with patch.object(sketches, "_SKETCHING", None):
        assert compiled == exact(text)


def test_each_sign_by_itself() -> None:
    """White space, small letters, and scripts without blanks."""
    for start in range(0, 0x110000, 0x800):
        text = "".join(f"a{chr(n)}B" for n in range(start, start + 0x800))
        compiled = word_hashes(text, len(text)).tolist(), exact(text)
        with patch.object(sketches, "_SKETCHING", None):
            assert compiled == (word_hashes(text, len(text)).tolist(), exact(text)), hex(start)


LINES = st.lists(st.sampled_from(("menu", "foot", "", "É", "one", "two")), max_size=12).map("\n".join)


@given(st.lists(LINES | TEXTS, max_size=40))
def test_templates(texts: list[str]) -> None:
    host = Host("a.example")
    known = Templates()
    compiled = [known.seen(host, text) for text in texts], known.save()
    with patch.object(templates, "_SKETCHING", None):
        known = Templates()
        assert compiled == ([known.seen(host, text) for text in texts], known.save())


@given(st.integers(0, 3), st.integers(0, 2 * BLOCKS))
def test_blocks_of_a_long_page(before: int, lines: int) -> None:
    text = "\n" * before + "\n".join(f"line {n % 300}" for n in range(lines))
    compiled = blocks(text)
    with patch.object(templates, "_SKETCHING", None):
        by_python = blocks(text)
    assert (compiled.lines, compiled.distinct) == (by_python.lines, by_python.distinct)
    assert compiled.looked_at.tolist() == by_python.looked_at.tolist()


_BANDS = st.just(()) | st.tuples(*[st.integers(0, 4) | st.just(2**32 - 1)] * BANDS)


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1) | st.integers(0, 31), _BANDS), max_size=12))
def test_repeats(pages: list[tuple[int, tuple[int, ...]]]) -> None:
    def told() -> list[Any]:
        recent = traps._Recent()
        for mark, bands in pages:
            recent.add(mark, bands, 5)
        return [recent.repeats, recent.marks, recent.bands]

    compiled = told()
    with patch.object(traps, "_SKETCHING", None):
        assert compiled == told()


@given(TEXTS, st.integers(0, 400))
def test_words_are_counted(text: str, most: int) -> None:
    assert sketches.word_count(text, most) == word_count(text, most)
    assert sketches.word_count(9 * text, most) == word_count(9 * text, most)


PAGE = Page(
    request=Request(url=Url("http://a/"), order=0),
    final_url=Url("http://a/"),
    status=200,
    fetched_at=Millis(0),
    media_type="text/html",
    digest="",
    title="",
    text="",
    links=(),
)
_PATHS = st.text("aA/?.é\n", max_size=6) | st.sampled_from(
    ("index.html", "a;jsessionid=1", "A.html?q", "\ud800")
)
_URLS = st.builds("{}://{}/{}".format, st.sampled_from(("http", "https")), st.sampled_from("ab"), _PATHS).map(
    Url
)


@given(_URLS, st.lists(_URLS, max_size=40))
def test_where_a_page_leads(own: Url, targets: list[Url]) -> None:
    links = tuple(Link(source=own, target=target) for target in targets)
    page = replace(PAGE, final_url=own, links=links)
    compiled = site_names._where_to(page)
    with patch.object(site_names, "_SKETCHING", None):
        assert compiled == site_names._where_to(page)


def test_where_a_page_leads_is_left_to_python_where_it_is_odd() -> None:
    assert site_names._SKETCHING is not None
    for odd in ("http://a", "http://a/é", "http://a/\ud800", ""):
        assert site_names._SKETCHING.where_to(["http://a/b", odd], "b", bool) is None
    with pytest.raises(TypeError):
        site_names._SKETCHING.where_to([b"http://a/b"], "b", bool)
    with pytest.raises(ZeroDivisionError):
        site_names._SKETCHING.where_to(["http://a/b"], "b", lambda url: 1 / 0)


_KNOWN = st.dictionaries(
    st.sampled_from([crc32(letter.encode()) for letter in "abcé"]), st.integers(0, 1 << 18)
)


@given(
    _KNOWN, st.lists(st.text("abcé", max_size=2), unique=True), st.integers(0, 1 << 32), st.integers(0, 15)
)
def test_targets_that_tell_something(known: dict[int, int], targets: list[str], below: int, bit: int) -> None:
    asked = tuple(map(Url, targets))
    compiled = captures.caught(known, asked, below, 1 << bit), captures.caught(known, asked, below, 0)
    with patch.object(captures, "_SKETCHING", None):
        assert compiled == (
            captures.caught(known, asked, below, 1 << bit),
            captures.caught(known, asked, below, 0),
        )


def test_targets_that_are_no_text() -> None:
    for odd, error in ((b"a", TypeError), ("\ud800", UnicodeEncodeError)):
        with pytest.raises(error):
            captures.caught({}, cast("Any", ("a", odd)), 1 << 32, 1)


def test_arrays_are_as_wide_as_the_compiled_module_takes_them() -> None:
    assert (array("I").itemsize, array("Q").itemsize) == (4, 8)
