"""The main text of made-up pages, and what they say of themselves: known answers."""

from __future__ import annotations

import json

import pytest
from tests.main_pages import MADE, NEWS, Made, prose

from lycosa.model.errors import InputError
from lycosa.read.html import read
from lycosa.read.main import About, MainText, main_text
from lycosa.read.main.dates import in_url, iso, spoken

URL = "http://gazette.example/news/harbour"


def markdown(markup: str) -> str:
    return main_text(markup.encode(), URL, markdown=True).markdown


def about(head: str, body: str = "<p>Text.", url: str = URL) -> About:
    return main_text(f"<head>{head}</head><body>{body}".encode(), url).about


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.name)
class TestMadeUpPages:
    def test_the_main_text_is_known(self, made: Made) -> None:
        assert tuple(main_text(made.markup.encode(), URL).text.split("\n")) == made.main

    def test_the_title_is_known(self, made: Made) -> None:
        assert main_text(made.markup.encode(), URL).about.title == made.title

    def test_a_document_has_the_same(self, made: Made) -> None:
        if made.name != "a page that keeps its text in a field":
            assert read(made.markup.encode(), URL).main == main_text(made.markup.encode(), URL).text


def test_the_share_is_of_all_characters() -> None:
    page = f"<nav>{'m' * 50}</nav><article><p>{'a b ' * 75}</p></article>"
    assert main_text(page.encode(), URL).share == round(299 / 349, 4)


class TestOtherKinds:
    def test_plain_text(self) -> None:
        found = main_text(b"One.\nStill one.\n\n# Two", URL, "text/plain", markdown=True)
        assert (found.text, found.markdown, found.share) == (
            "One. Still one.\n# Two",
            "One. Still one.\n\n\\# Two",
            1.0,
        )

    def test_a_feed(self) -> None:
        feed = (
            b"<rss><title>News</title><item><title>Ferry</title><description>Late.</description></item></rss>"
        )
        found = main_text(feed, URL, "application/rss+xml")
        assert found.text.split("\n") == ["News", "Ferry", "Late."]
        assert found.about.title == "News"

    def test_xhtml_is_read_as_a_page(self) -> None:
        page = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>Words.</p></body></html>'
        assert main_text(page.encode(), URL, "application/xml").text == "Words."

    def test_nothing(self) -> None:
        assert main_text(b"", URL) == MainText()
        assert main_text(b"%PDF-1.4 broken", URL, "application/pdf").text == ""

    def test_no_url(self) -> None:
        with pytest.raises(InputError):
            main_text(b"", "mailto:x")


class TestMarkdown:
    def test_headings_emphasis_and_links(self) -> None:
        page = '<h2>One <i>two</i></h2><p>A <b>bold</b> <a href="../x?a=1">way</a> to <a href="#here">here</a>.</p>'
        assert markdown(page) == "## One *two*\n\nA **bold** [way](http://gazette.example/x?a=1) to here."

    def test_links_are_seen_from_the_base(self) -> None:
        assert (
            markdown('<base href="//b.test/x/"><p><a href="y">One</a> two') == "[One](http://b.test/x/y) two"
        )

    def test_lists_within_lists(self) -> None:
        page = "<ol><li>One<ul><li>a</li><li><p>b</p><p>c</p></li></ul></li><li>Two</li></ol>"
        assert markdown(page) == "1. One\n   - a\n   - b\n\n     c\n2. Two"

    def test_quotes(self) -> None:
        assert markdown("<blockquote><p>One</p><p>Two</p></blockquote><p>Three") == "> One\n>\n> Two\n\nThree"

    def test_code_keeps_its_white_space(self) -> None:
        page = "<p>Call <code>f(`x`)</code>:</p><pre>if x:\n    y ```\n</pre>"
        assert markdown(page) == "Call ``f(`x`)``:\n\n````\nif x:\n    y ```\n````"

    def test_a_table(self) -> None:
        page = "<table><caption>Tides</caption><tr><th>Day<th>Low<tr><td>1<td>a|b</table>"
        assert markdown(page) == "Tides\n\n| Day | Low |\n| --- | --- |\n| 1 | a\\|b |"

    def test_a_table_for_layout_is_paragraphs(self) -> None:
        page = f"<table><tr><td>{prose(0, 5)}<td>x<tr><td>y<td>z</table>"
        assert "|" not in markdown(page)

    def test_lines(self) -> None:
        assert markdown("<p>One<br>Two<br>") == "One\\\nTwo"

    @pytest.mark.parametrize(
        ("words", "written"),
        [
            ("1. x", "1\\. x"),
            ("- x", "\\- x"),
            ("# x", "\\# x"),
            ("a *b* _c_", "a \\*b\\* \\_c\\_"),
            ("[x](y)", "\\[x\\](y)"),
            ("&lt;b>", "\\<b\\>"),
            ("&amp;amp;", "\\&amp;"),
            ("x ! y", "x ! y"),
            ("===", "\\==="),
            ("a|b", "a\\|b"),
        ],
    )
    def test_what_would_mean_something(self, words: str, written: str) -> None:
        assert markdown(f"<p>{words}") == written


class TestAbout:
    def test_of_plain_html(self) -> None:
        found = about(
            '<html lang="de"><title>Hafen - Zeitung</title><base href="http://b.test/">'
            "<link rel=canonical href=/h>"
            '<link rel=license href="http://l.test/free"><meta name=author content="By Ann Smith and Bo Berg">',
            '<h1>Hafen</h1><time datetime="2026-11-20T08:00Z">heute</time>'
            '<a href="//creativecommons.org/licenses/by/4.0/">CC</a>',
        )
        assert (found.title, found.authors) == ("Hafen", ("Ann Smith", "Bo Berg"))
        assert (found.canonical, found.language) == ("http://b.test/h", "de")
        assert found.published == "2026-11-20T08:00:00+00:00"
        assert found.licences == ("http://l.test/free", "http://creativecommons.org/licenses/by/4.0/")

    def test_of_linked_data(self) -> None:
        graph = {
            "@graph": [
                {"@type": "WebSite", "name": "Gazette"},
                {
                    "@type": ["NewsArticle", "Thing"],
                    "headline": "Harbour  opens",
                    "author": [{"@type": "Person", "name": "Ann Smith"}, {"name": "Bo"}],
                    "datePublished": "2026-11-20",
                    "dateModified": "Fri, 20 Nov 2026 12:00:00 GMT",
                    "license": "http://l.test/free",
                    "isAccessibleForFree": True,
                },
            ]
        }
        found = about(f'<script type="application/ld+json">{json.dumps(graph)}</script>')
        assert (found.title, found.authors, found.kind) == ("Harbour opens", ("Ann Smith",), "NewsArticle")
        assert (found.published, found.modified) == ("2026-11-20", "2026-11-20T12:00:00+00:00")
        assert (found.site_name, found.licences) == ("Gazette", ("http://l.test/free",))
        assert found.fields["NewsArticle.author.name"] == ("Ann Smith", "Bo")
        assert found.fields["NewsArticle.isAccessibleForFree"] == ("true",)

    def test_of_microdata(self) -> None:
        found = about(
            "",
            '<div itemscope itemtype="https://schema.org/Recipe"><h1 itemprop=name>Soup</h1>'
            '<span itemprop=author itemscope itemtype="https://schema.org/Person"><b itemprop=name>Ann Smith</b></span>'
            "<time itemprop=datePublished datetime=2026-11-20>now</time></div>",
        )
        assert (found.title, found.authors, found.published) == ("Soup", ("Ann Smith",), "2026-11-20")
        assert found.fields == {
            "Recipe.name": ("Soup",),
            "Recipe.author.name": ("Ann Smith",),
            "Recipe.datePublished": ("2026-11-20",),
        }

    def test_of_a_byline(self) -> None:
        found = main_text(NEWS.markup.encode(), URL).about
        assert (found.authors, found.site_name) == (("Ann Smith",), "The Harbour Gazette")
        assert about("", '<p class="byline">By Ann Smith, 20 November 2026</p>').published == "2026-11-20"

    def test_of_a_url(self) -> None:
        assert about("", url="http://gazette.example/2026/11/20/harbour").published == "2026-11-20"

    @pytest.mark.parametrize(
        "data", ["{", "[" * 100_000, "null", '{"@type": 7}', '{"@type": "A", "x": 1e999}', "[[[{}]]]"]
    )
    def test_broken_data_is_passed_over(self, data: str) -> None:
        about(f'<script type="application/ld+json">{data}</script>')

    def test_fields_are_bounded(self) -> None:
        wide = {"@type": "Thing", **{f"p{at}": "v" * 9_000 for at in range(2_000)}}
        found = about(f'<script type="application/ld+json">{json.dumps(wide)[:900_000]}</script>')
        assert found.fields == {}
        wide = {"@type": "Thing", **{f"p{at}": "v" * 3_000 for at in range(300)}}
        found = about(f'<script type="application/ld+json">{json.dumps(wide)}</script>')
        assert len(found.fields) == 256
        assert {len(value) for (value,) in found.fields.values()} == {2_000}


class TestDates:
    @pytest.mark.parametrize(
        ("written", "told"),
        [
            ("2026-11-20", "2026-11-20"),
            ("2026-11-20T10:20:30.123Z", "2026-11-20T10:20:30+00:00"),
            ("2026-11-20 10:20 +0530", "2026-11-20T10:20:00+05:30"),
            ("20261120", "2026-11-20"),
            ("November 20, 2026", "2026-11-20"),
            ("20. März 2026", "2026-03-20"),
            ("20 de enero de 2026", "2026-01-20"),
            ("20/11/2026", "2026-11-20"),
            ("11/20/2026", "2026-11-20"),
            ("20.11.2026", "2026-11-20"),
            ("03/04/2026", ""),
            ("Fri, 20 Nov 2026 12:00:00 GMT", "2026-11-20"),
            ("2026-13-40", ""),
            ("1812-06-24", ""),
            ("soon", ""),
            ("", ""),
        ],
    )
    def test_forms(self, written: str, told: str) -> None:
        assert iso(written) == told or iso(written).startswith(f"{told}T")

    def test_in_text_and_url(self) -> None:
        assert spoken("Posted on Sept. 3rd, 2026 by Ann") == "2026-09-03"
        assert spoken("Nothing of the kind, 12 times") == ""
        assert in_url("http://a.test/2026/09/03/x") == "2026-09-03"
        assert in_url("http://a.test/20260903-x") == "2026-09-03"
        assert in_url("http://a.test/2026/99/03/x") == ""
