"""Archived HTML made inert, whatever it is."""

from __future__ import annotations

import re
import time
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.console.hostile import TRIES
from tests.trials import trials

from lycosa.console.inert import _ATTRIBUTES, _KEPT, inert
from lycosa.console.inert_style import LONGEST_SHEET, fetches, harmless_declarations, harmless_sheet

MADE_BY_PARSERS = {"html", "head", "body", "tbody", "colgroup", "tr"}
ALLOWED = _ATTRIBUTES | {"href", "src", "style"}
PIECES = st.sampled_from(
    [
        *re.findall(r"<[^<]*|[^<]+", TRIES),
        *"""< > " ' = / & ; -- <!-- --> <![CDATA[ ]]> \0 \f <svg> </svg> <math> <style> </style> <p <a <img <table>
        <td> <select> <template> </template> <noscript> <plaintext> <title> src= href= onclick=x <a|href='#top'>
        <a|href='|#x'> <a|href=http://e/> <img|src='data:image/png;base64,AA=='> &lt;script&gt; <x-y>
        <img|src='data:image/svg+xml;base64,AA=='> <p|style='color:red;background:url(x)'> style='b:\\75rl(x)'
        """.replace("\n", " ")
        .replace("|", "\t")
        .split(" "),
    ]
)
"""Some hold a tab, as markup does."""
SHEETS = st.lists(
    st.sampled_from(
        r"""a{ } color:red; background: url( x) ' " \75rl( u\72|l( u\ /* */ @ import @import|'x'; @\69mport|'x';
        @font-face{ src: image-set( 'x'|1x) < </style> <!-- ; behavior: expression( content:'\201C' @media|print{ (
        ) UR L( | """.replace("\n", " ")
        .replace("|", "\t")
        .split(" ")
    ),
    max_size=14,
).map("".join)


@given(st.lists(PIECES, max_size=12).map("".join))
@settings(max_examples=trials(400), deadline=None)
def test_nothing_else_is_read(source: str) -> None:
    written = inert(
        source, "http://a.test/", lambda url: "http://127.0.0.1:1/shown?x" if "png" in url else ""
    )
    tree = LexborHTMLParser(written)
    assert tree.root is not None
    for node in tree.root.traverse(include_text=False):
        assert node.tag in _KEPT | MADE_BY_PARSERS | {"a", "img", "style"}
        for name, value in node.attributes.items():
            assert name in ALLOWED
            match name:
                case "href":
                    assert (value or "").startswith("#")
                case "src":
                    assert (value or "").startswith(("http://127.0.0.1:1/shown", "data:image/"))
                    assert "svg" not in (value or "")
                case "style":
                    assert not fetches(value or "")
    assert all(not fetches(style.text()) for style in tree.css("style"))


@given(SHEETS)
@settings(max_examples=trials(150))
def test_names_nothing(sheet: str) -> None:
    for made in (harmless_sheet(sheet), harmless_declarations(sheet)):
        assert "<" not in made
        plain = re.sub(
            r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", lambda m: chr(int(m[1], 16)) if m[1] else m[2], made
        )
        for word in ("url(", "@import", "@font-face", "image-set", "expression(", "behavior:"):
            assert word not in plain.lower()


@pytest.mark.parametrize(
    "piece", ["\n ", "url( ", "url(", 'url("', "url('a", "@import ", "@import a{", "/*", "}", "\\6 ", "src "]
)
def test_no_sheet_takes_long(piece: str) -> None:
    """Blanks behind `url(` were once gone through by the square of their number."""
    for sheet in (f"{(piece * LONGEST_SHEET)[: LONGEST_SHEET - 9]}{{", f"url({piece * (LONGEST_SHEET // 9)}"):
        began = time.process_time()
        harmless_sheet(sheet)
        harmless_declarations(sheet)
        assert time.process_time() - began < 4


@given(st.text(alphabet="ab<>&\"'é\u202e", max_size=30))
def test_words_remain(text: str) -> None:
    written = inert(f"<p>{escape(text)}</p>", "http://a.test/", lambda url: "")
    paragraph = LexborHTMLParser(written).css_first("p")
    assert paragraph is not None
    assert paragraph.text() == text
