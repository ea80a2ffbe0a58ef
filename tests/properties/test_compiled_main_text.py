"""The compiled main text of every page is what Python says it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.reading import manual, recorded
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.test_main_text_properties import PAGES
from tests.trials import trials
from tests.twins import PIECES, mutants, parted_main
from tests.unit.test_read_hostile import HTML

from lycosa.model.url import Url
from lycosa.read import compiled
from lycosa.read.boxes import main
from lycosa.read.charset import decode
from lycosa.read.main.about import about
from lycosa.read.main.clues import _BITS, ALL, ITEM, REL, clues, has
from lycosa.read.markup import base_of, parse

PARTS = (
    *("<pre>", "</pre>", "<xmp>", "\t", "  a\tb", "\r\n", "\x0b", "\x85x", "\u2028", "<br>", " ", "&#9;", "&#0;"),
    *("x" * 90 + ", b", "word, " * 30, "狼 " * 50, "<p>", "</p>", "<li>", "<table>", "<tr>", "<td>", "</table>"),
    *("<a href=/q>", "<a href>", "<a href=''>", "</a>", "<b>", "</b>", "<em> ", "</em>", "<script>x</script>"),
    *("<div class=menu>", "<div hidden>", "<div style='display:none'>", "<div id=comments class>", "</div>"),
    *("<article>", "</article>", "<main id=content>", "</main>", "<section itemprop=articleBody>", "</section>"),
    *("<ul class='x comments'>", "</ul>", "<td role=main>", "<nav>", "</nav>", "<footer>", "</footer>"),
    *("<aside>", "</aside>", "<figcaption>", "<div class='post-1 hentry'>", "<p class='Ä footer'>", "<h2>"),
    *("</h2>", "<body class=home>"),
    *("<template>y</template>", "<svg><p>", "<math><mi>", "<!-- c -->", "</html><!-- d -->", "<select><option>o"),
)  # fmt: skip
"""What a page's main text depends on."""

SAID = (
    *("<title>T</title>", "<svg><title>s</title>", "<base href=/b/>", "<base href>", "<link rel>"),
    *("<meta name=author content=A>", "<meta content>", "<META NAME=date CONTENT=2020-01-02>", "<time>"),
    *("<script type='application/ld+json'>{\"@type\": \"Article\", \"headline\": \"H\"}</script>", "<h1>"),
    *("<a rel=LICENSE href=/q>", "<a rel='x\nauthor'>Ann Lee", "<a REL=author class=byline>Bo Lee", "</a>", "</time>"),
    *("<a href=http://creativecommons.org/licenses/by/4.0/>", "<svg><a xlink:href=http://creativecommons.org/licenses/>"),
    *("<p class='xauthor y'>By Cy Lee", "<p class=Author>Dee Lee", "<p class=AUTHOR>E", "<b class=Byline>By F Lee</b>"),
    *("<i class=postdate>3 May 2021</i>", "<i class=publish>", "<p class>", "<html lang=de class=date>", "</svg>"),
    *("<div itemscope itemtype=http://schema.org/Book>", "<b itemprop=name>N</b>", "</div>", "<!-- class=date -->"),
    *("<template><meta name=author content=B></template>", "<noscript><h1>n</h1></noscript>", "<x-y class=date>"),
    *("<link rel=license href=/l>", "</h1>", "<script>1</script>", "word "),
)  # fmt: skip
"""What a page says of itself."""

needs_compiled = pytest.mark.skipif(bool(compiled.WHY_NOT), reason=f"no compiled reader: {compiled.WHY_NOT}")


@needs_compiled
class TestCompiledMainText:
    def test_it_is_used(self) -> None:
        assert main._FITS

    @given(st.lists(st.sampled_from(PARTS), max_size=80).map("".join))
    @settings(max_examples=trials(400), deadline=None)
    def test_parts_of_pages(self, source: str) -> None:
        assert parted_main(source) == ""

    @given(PAGES)
    @settings(max_examples=trials(100), deadline=None)
    def test_pages(self, source: str) -> None:
        assert parted_main(source) == ""

    @given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
    @settings(max_examples=trials(200), deadline=None)
    def test_pieces_of_markup(self, source: str) -> None:
        assert parted_main(source) == ""

    @given(st.text(max_size=200))
    def test_any_text(self, source: str) -> None:
        assert parted_main(f"<pre>{source}</pre><p id='{source}'>{source}<a href=x>{source[:9]}</a>") == ""

    @pytest.mark.parametrize("name", sorted(HTML))
    def test_hostile_bodies(self, name: str) -> None:
        assert parted_main(HTML[name](20_000)) == ""

    def test_damaged_pages(self) -> None:
        seeds = [page.body.decode() for page in manual(5)]
        for source in [*seeds, *mutants(seeds, 1_000, seed=1)]:
            assert parted_main(source) == "", source

    @pytest.mark.parametrize("place", range(8))
    def test_recorded_webs(self, place: int) -> None:
        shared = os.environ.get("LYCOSA_SHARED")
        files = sorted(Path(shared, "webs").glob("*/*.warc.gz")) if shared else []
        if place >= len(files):
            pytest.skip("LYCOSA_SHARED has no more recorded webs")
        for page in recorded(files[place], 40):
            assert parted_main(decode(page.body, page.content_type)[0]) == "", page.url


@needs_compiled
class TestWhatItIsGiven:
    def test_what_fails_while_it_asks_is_told(self) -> None:
        def failing(tag: str, attributes: dict[str, str | None]) -> int:
            raise RuntimeError(f"{tag} {attributes}")

        root = parse("<body><p>a</p><div hidden class>b</div>").root
        assert root is not None
        with pytest.raises(RuntimeError, match=r"div {'hidden': None, 'class': None}"):
            compiled.main_text(root.mem_id, main._KINDS, main._NAMED, failing)

    def test_tables_of_another_size_are_refused(self) -> None:
        root = parse("<p>").root
        assert root is not None
        with pytest.raises(ValueError, match="another size"):
            compiled.main_text(root.mem_id, b"", {}, main._hint)


@needs_compiled
class TestClues:
    @given(st.lists(st.sampled_from(SAID), max_size=40).map("".join))
    @settings(max_examples=trials(300), deadline=None)
    def test_what_is_not_looked_for_is_not_there(self, source: str) -> None:
        tree, url = parse(source), Url("http://a.test/b.html")
        there = clues(tree)
        assert about(tree, url, url, source, there) == about(tree, url, url, source)
        assert has(there, "base") or base_of(tree, url) == url

    def test_each_clue_is_found_alone(self) -> None:
        assert [
            clues(parse(f"<p class=DATE>{each}")) for each in ("<a>", "<a href=x>", "<i rel=author>")
        ] == [0] * 3
        assert clues(parse("<p class=update><a rel=x>")) == sum(map(_BITS.__getitem__, ("date", REL)))
        assert clues(parse("<time itemscope>")) == sum(map(_BITS.__getitem__, ("time", ITEM)))

    def test_without_the_compiled_pass_all_is_looked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(compiled, "_READING", None)
        assert clues(parse("<p>")) == ALL


def test_names_are_forgotten_when_they_are_many() -> None:
    named = main._Named()
    for number in range(3 * main._MOST_NAMED):
        assert named[f"menu a{number}"] == main._HINTS.index("navigation")
        assert len(named) <= main._MOST_NAMED
