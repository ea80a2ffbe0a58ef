"""Bodies made to keep a reader busy: what they cost grows with their length, and no faster."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from lycosa.read.html import read
from lycosa.read.kinds import readable
from lycosa.read.markup import flat
from lycosa.read.tags import MAX_ATTRIBUTES

URL = "http://example.org/dir/page.html"
SMALL, LARGE = 2**17, 2**19
"""Both beyond the length from which a body is looked through for what nests too deep, which costs more at once. Four
times the length may take 12 times as long; what grows with the square takes 16 times."""
SECONDS_PER_MIB = 12.0
"""Several times what the worst of them takes on a machine that has other things to do too."""


def repeated(unit: str, *, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + unit * (size // len(unit)) + after


def numbered(unit: str, *, before: str = "", after: str = "") -> Callable[[int], str]:
    """The unit with a number of its own in each."""
    return lambda size: before + "".join(unit.format(n) for n in range(size // (len(unit) + 4))) + after


HTML: dict[str, Callable[[int], str]] = {
    "attributes of one tag": numbered("a{} ", before="<p ", after=">x</p>"),
    "attributes with values": numbered("a{}='>' ", before="<p ", after=">x</p>"),
    "attributes of an end tag": numbered("a{} ", before="<p>x</p ", after=">"),
    "attributes of an unfinished tag": numbered("a{} ", before="<p "),
    "attributes of many tags": repeated("<p " + " ".join(f"a{n}" for n in range(2_000)) + ">"),
    "attributes behind an empty comment": numbered("a{} ", before="<!--><p ", after=">x</p><!-- -->"),
    "attributes of html": numbered("<html a{}>"),
    "attributes of body": numbered("<body a{}>"),
    "attributes of a script": numbered("a{} ", before="<script ", after="></script>"),
    "nested": repeated("<div>"),
    "nested behind an empty comment": repeated("<div>", before="<!-->", after="<!-- -->"),
    "nested, with end tags in values": repeated('<div x="></div>">'),
    "nested, with end tags in cells": repeated("<div><table><tr><td></div>"),
    "nested, with end tags in sections": repeated("<g><![CDATA[> </g>]]>", before="<svg>"),
    "nested, with end tags in scripts": repeated("<div><script><!--<script></script></div></script>"),
    "nested within a style of SVG": repeated("<g>", before="<svg><style>"),
    "formatting left open": repeated("<b><!--</b>-->"),
    "formatting left open in paragraphs": repeated("<p><b>"),
    "tables": repeated("<table>"),
    "tables in cells": repeated("<table><tr><td>"),
    "text in tables": repeated("x<tr>", before="<table>"),
    "forms": repeated("<form><div>"),
    "selects": repeated("<select><option>"),
    "options": repeated("<optgroup><option>", before="<select>"),
    "buttons": repeated("<p><button>"),
    "links left open": repeated("<a href=x>"),
    "links": numbered("<a href=/{}>w</a> "),
    "links in one line, two blanks apart": numbered("<a href=/{}> w  </a>  "),
    "a link of many words": repeated("word ", before="<a href=x>", after="</a>"),
    "a link with a long title": repeated("word ", before="<a href=x title='", after="'>x</a>"),
    "a link to far away": repeated("../x/%41", before="<a href='", after="'>x</a>"),
    "links after a long text": repeated("<a href=x></a>", before="word " * 1_000),
    "images in a link": repeated("<img alt=x>", before="<a href=x>"),
    "srcset": numbered("i{}.png 2x, ", before="<img srcset='", after="'>"),
    "headings left open": repeated("<h1>"),
    "headings in headings": repeated("word ", before="<h2><div>" * 500),
    "terms in terms": repeated("word ", before="<dl>" + "<dt><dl>" * 250),
    "captions": repeated("<table><caption>"),
    "headers within parts": repeated("<header></header>", before="<section>" * 500),
    "class names": repeated("nav-x- ", before="<div class='", after="'>x</div>"),
    "comments": repeated("<!-- -->"),
    "comments left open": repeated("<!--"),
    "declarations": repeated("<!x"),
    "instructions": repeated("<?x "),
    "end tags": repeated("</x>"),
    "end tags left open": repeated("</x "),
    "start tags left open": repeated("<x "),
    "titles": repeated("<title>x</title>"),
    "titles left open": repeated("<title>"),
    "scripts": repeated("<script>x</script>"),
    "scripts left open": repeated("<script><!--"),
    "quotes": repeated("<a b=\"'"),
    "less-than signs": repeated("<"),
    "ampersands": repeated("&"),
    "character references": repeated("&amp;"),
    "unknown references": repeated("&nosuch"),
    "numbers of characters": repeated("&#x1F600;"),
    "equals signs": repeated("="),
    "blanks": repeated(" "),
    "wide blanks": repeated("\u3000 "),
    "one word": repeated("x"),
    "words": numbered("w{} "),
    "Chinese": repeated("蜘蛛"),
    "refreshes": repeated("<meta http-equiv=refresh content='" + " " * 500 + "0 url'>"),
    "a long refresh": repeated(" ", before="<meta http-equiv=refresh content='0", after="x'>"),
    "robots": repeated("<meta name=robots content='a,'>"),
    "bases": repeated("<base href=x>"),
}  # fmt: skip

XML: dict[str, Callable[[int], str]] = {
    "items": repeated("<item><title>x</title><link>/x</link></item>", before="<rss>", after="</rss>"),
    "items in items": lambda size: f"<rss>{'<item>' * (size // 13)}x{'</item>' * (size // 13)}</rss>",
    "titles of items in items": lambda size: (
        f"<rss>{'<item><title>' * (size // 28)}x{'</title></item>' * (size // 28)}</rss>"
    ),
    "children of an item": repeated("<a/>", before="<rss><item>", after="</item></rss>"),
    "markup in an item": repeated("&lt;p&gt;", before="<rss><item><title>", after="</title></item></rss>"),
    "elements": lambda size: f"{'<a>' * (size // 7)}x{'</a>' * (size // 7)}",
    "attributes of one element": numbered("a{}='' ", before="<a ", after="/>"),
    "names": numbered("<x{}/>", before="<a>", after="</a>"),
    "name spaces": numbered("<x xmlns='u{}'>", before="<a>"),
    "entities": lambda size: (
        '<!DOCTYPE a [<!ENTITY e0 "xxxxxxxxxx">'
        + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
        + f"]><a>&e11;{' ' * size}</a>"
    ),
}

PLAIN: dict[str, Callable[[int], str]] = {
    "line ends": repeated("\n"),
    "blank lines": repeated("\n "),
    "long blank lines": repeated("\n" + " " * 1_000),
    "lines": repeated("x\n"),
}

BODIES = [
    *(pytest.param(make, "text/html; charset=utf-8", id=name) for name, make in HTML.items()),
    *(pytest.param(make, "text/xml; charset=utf-8", id=f"XML: {name}") for name, make in XML.items()),
    *(pytest.param(make, "text/plain", id=f"plain: {name}") for name, make in PLAIN.items()),
]


def seconds(work: Callable[[], object]) -> float:
    """CPU, without looking for garbage among all that other tests have left."""
    gc.disable()
    try:
        begun = time.process_time()
        work()
        return time.process_time() - begun
    finally:
        gc.enable()


@pytest.mark.parametrize(("make", "content_type"), BODIES)
def test_the_cost_of_reading_grows_with_the_length(make: Callable[[int], str], content_type: str) -> None:
    small, large = make(SMALL).encode(), make(LARGE).encode()
    first = seconds(lambda: read(small, URL, content_type))
    then = seconds(lambda: read(large, URL, content_type))
    assert then < SECONDS_PER_MIB * len(large) / 2**20
    assert then < 3 * first * len(large) / len(small) or then < 0.1


@pytest.mark.parametrize(
    "body", [b"<!---->" * 140 + b"x", b"<!-- -->" * 120, b" " * 1_000 + b"x", b"<!doctype" + b" " * 1_000]
)
def test_what_is_sent_without_a_type_is_told_at_once(body: bytes) -> None:
    assert seconds(lambda: readable("", body)) < 0.1


@pytest.mark.parametrize(
    "content_type", ["text/html; charset=" + " " * 50_000, "text/html; " + "charset" * 9_000]
)
def test_a_long_content_type_is_told_at_once(content_type: str) -> None:
    assert seconds(lambda: read(b"x", URL, content_type)) < 0.1


def test_attributes_behind_the_last_that_counts_are_left_out() -> None:
    attributes = " ".join(f"a{n}='{n}>'" for n in range(3_000))
    document = read(f"<a href=/first {attributes}>one</a><a href=/second>two</a>".encode(), URL)
    assert [(link.target, link.anchor) for link in document.links] == [
        ("http://example.org/first", "one"),
        ("http://example.org/second", "two"),
    ]
    flattened = flat(f"<p {attributes}>x</p>")
    assert flattened.endswith(f"a{MAX_ATTRIBUTES - 1}='{MAX_ATTRIBUTES - 1}>'>x</p>")


def test_long_tags_of_few_attributes_are_left_alone() -> None:
    markup = f"<p title='{'x' * 50_000} > y' class=a>x</p><img src=\"data:{'A' * 50_000}\">" * 3
    assert flat(markup) == markup


def test_a_long_script_is_left_alone() -> None:
    markup = "<script>" + "if (a <b && c <d) e = '</p>'; " * 2_000 + "</script><p>x</p>"
    assert flat(markup) == markup
