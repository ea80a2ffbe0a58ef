"""The compiled reader says of every page what Python says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.reading import manual, recorded
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.twins import PIECES, mutants, parted
from tests.unit.test_read_hostile import HTML

from lycosa.read import compiled
from lycosa.read.charset import decode
from lycosa.read.compiled import read_page
from lycosa.read.duplicates import hash64, majority, simhash
from lycosa.read.gathered import by_compiled, by_python
from lycosa.read.html import read
from lycosa.read.markup import MAX_REOPENED, flat, tamed

needs_compiled = pytest.mark.skipif(bool(compiled.WHY_NOT), reason=f"no compiled reader: {compiled.WHY_NOT}")
LONG = "<a href=/q>foo<div>" + "word " * 30 + "</div></a> <a href=/x>x</a> <a href=/y>y</a>"
"""A link that begins in one block and ends in another, with links behind it."""


FORMATTED = (
    "some words ",
    "<p>",
    "<b>",
    "</b>",
    "<CODE>",
    "</code >",
    "<i title='</b>'>",
    "</i>",
    "<!--",
    "-->",
    "<!-->",
    "--!>",
    "<title>",
    "</title>",
    "<script>",
    "</script>",
    "<svg>",
    "<![CDATA[",
    "]]>",
    "<\u017fpan id='",
    "'>",
)
ATTRIBUTED = (
    "<p ",
    "<b>",
    "<i\n",
    "</b>",
    "<html ",
    "<BODY>",
    "a ",
    "b=c ",
    "d='",
    'e="',
    "'",
    '"',
    ">",
    "/",
    "=",
    "<!--",
)
"""Tags of many attributes, some of which end where they do not seem to."""


@needs_compiled
class TestCompiledReader:
    @given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
    @settings(max_examples=trials(400))
    def test_pieces_of_markup(self, source: str) -> None:
        assert parted(source) == ""

    @given(st.text(max_size=200))
    def test_any_text(self, source: str) -> None:
        assert parted(f"<p>{source}<a href=x title='{source}'>{source[:9]}</a>") == ""

    @pytest.mark.parametrize("name", sorted(HTML))
    def test_hostile_bodies(self, name: str) -> None:
        assert parted(HTML[name](20_000)) == ""

    def test_damaged_pages(self) -> None:
        seeds = [page.body.decode() for page in manual(5)]
        for source in mutants(seeds, 1_500, seed=1):
            assert parted(source) == "", source

    @pytest.mark.parametrize("place", range(8))
    def test_recorded_webs(self, place: int) -> None:
        shared = os.environ.get("LYCOSA_SHARED")
        files = sorted(Path(shared, "webs").glob("*/*.warc.gz")) if shared else []
        if place >= len(files):
            pytest.skip("LYCOSA_SHARED has no more recorded webs")
        for page in recorded(files[place], 40):
            assert parted(decode(page.body, page.content_type)[0]) == "", page.url

    @given(st.lists(st.sampled_from(ATTRIBUTED), max_size=900).map("".join), st.integers(0, 3))
    @settings(max_examples=trials(100))
    def test_what_is_harmless_stays_as_it_is(self, source: str, times: int) -> None:
        source = source * 4**times
        if compiled.is_harmless(source):
            assert flat(source) is source

    @given(st.lists(st.sampled_from(FORMATTED), min_size=2, max_size=12).map("".join), st.integers(90, 1_500))
    @settings(max_examples=trials(300), deadline=None)
    def test_what_has_few_open_elements_is_harmless_for_sure(self, piece: str, times: int) -> None:
        source = piece * times
        if compiled.is_harmless(source):
            assert flat(source) is source

    def test_closed_elements_are_harmless(self) -> None:
        source = f"<title></b></title><p>{'<li><code>word</code> and <b>more</b>' * 600}"
        assert source.count("<b>") * (source.count("<") - source.count("</")) > MAX_REOPENED
        assert compiled.is_harmless(source)

    @pytest.mark.parametrize(
        "hidden",
        ["<!--</b>-->", "<title></b></title>", "<script></b></script>", "<p id='</b>'>", "<![CDATA[</b>]]>"],
    )
    def test_what_only_looks_like_an_end_closes_nothing(self, hidden: str) -> None:
        assert not compiled.is_harmless(f"<b>some words{hidden}" * 600 + "<p>" * 600)

    @pytest.mark.parametrize("name", sorted(HTML))
    def test_hostile_bodies_are_tamed_alike(self, name: str) -> None:
        source = HTML[name](40_000)
        assert tamed(source) == flat(source)

    def test_an_ordinary_page_is_harmless(self) -> None:
        assert all(compiled.is_harmless(page.body.decode()) for page in manual(3))

    def test_words_are_the_same_once_they_are_known(self) -> None:
        """Also words too long to be remembered, and as many as are more than are remembered."""
        long = " ".join("wolf" * length + "spiders" for length in range(20))
        for first in range(0, 60_000, 20_000):
            source = f"<p>{long} {' '.join(f'spider{number:x}s' for number in range(first, first + 20_000))}"
            assert [parted(source), parted(source)] == ["", ""]

    def test_words_that_differ_in_their_last_letter_are_two(self) -> None:
        """Of up to eight letters the hash tells all; as often as fills the table of words several times."""
        words = [
            f"{'wolf' * 4}"[:length] + last
            for length in range(17)
            for last in "bx"
            for _ in range(length + 1)
        ]
        numbers = [f"{number:x}q" for number in range(3_000)]
        assert parted(f"<p>{' '.join(words)} {' '.join(numbers)} {' '.join(words)}") == ""

    def test_a_word_means_what_the_hash_says(self) -> None:
        source = "<p>wolf spiders hunt and spiders wait"
        of_terms = [(read_page(source, hashed), hashed) for hashed in (hash64, len, hash64)]
        for page, hashed in of_terms:
            assert page is not None
            assert page.terms is not None
            terms = {term: n for term, n in page.terms.items() if term}
            assert page.fingerprint == majority(((n, hashed(term)) for term, n in terms.items()), 64)

    def test_a_hash_that_fails_is_told(self) -> None:
        with pytest.raises(OverflowError):
            read_page("<p>spiders", lambda term: 1 << 64)
        with pytest.raises(TypeError):
            read_page("<p>spiders", lambda term: "no number")  # type: ignore[arg-type, return-value]

    @given(st.text(alphabet="a \u00a0\t\n\u2003\u00e9", max_size=60))
    def test_white_space_wherever_eight_letters_end(self, text: str) -> None:
        assert parted(f"<p>{text}<p>{text * 3}") == ""

    @given(st.dictionaries(st.text(max_size=5), st.integers(1, 10**6)))
    def test_fingerprints(self, terms: dict[str, int]) -> None:
        assert simhash(terms) == majority(((n, hash64(term)) for term, n in terms.items()), 64)

    @pytest.mark.parametrize("first", range(0x80, 0x2C00, 0x100))
    def test_every_sign(self, first: int) -> None:
        for code in range(first, first + 0x100):
            for text in (f"Wolf{chr(code)}s A{chr(code)} {chr(code)}", f"{chr(code)}é{chr(code).upper()}Ö"):
                assert parted(f"<p>{text}") == "", hex(code)

    def test_it_is_used(self) -> None:
        assert by_compiled("<p>Wolf spiders hunt by night.") is not None

    def test_two_threads_read_at_once(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        pages = manual(8)
        alone = [read(page.body, page.url, page.content_type) for page in pages]
        with ThreadPoolExecutor(2) as threads:
            for _ in range(5):
                assert (
                    list(threads.map(lambda page: read(page.body, page.url, page.content_type), pages))
                    == alone
                )


def test_a_link_that_ends_in_another_block() -> None:
    found = read(LONG.encode(), "http://a.example/")
    assert "\0" not in found.text
    assert [link.anchor for link in found.links][1:] == ["x", "y"]
    lines = found.text.split("\n")
    assert lines[1].endswith("word x y")
    assert [found.text[place] for place in found.places[1:]] == ["x", "y"]


@pytest.mark.parametrize("wish", ["1"])
def test_without_it_python_reads(wish: str) -> None:
    code = (
        "from lycosa.read import compiled; from lycosa.read.html import read;"
        "print(compiled.WHY_NOT, read(b'<p>Wolf spiders', 'http://a.example/').text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "LYCOSA_PURE": wish}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "LYCOSA_PURE is set Wolf spiders"


def test_python_reads_what_the_pass_leaves() -> None:
    assert by_python("<p>狼蜘蛛结网").text == "狼蜘蛛结网"


@needs_compiled
@given(st.binary() | st.lists(st.sampled_from((b"<", b"</p>", b"word " * 9))).map(b"".join))
def test_tags_are_counted(body: bytes) -> None:
    assert compiled.tags_in(body) == body.count(b"<")
