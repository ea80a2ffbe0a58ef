"""The text alone, beside what reading the whole page gives: see also `test_same_text` among the properties."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.archive.collection import Collection
from lycosa.read.html import read
from lycosa.read.wording import html_text

URL = "http://example.org/"
KEPT_OF = 37
"""Of a recorded web one page in so many is read."""


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "<title>no text</title>",
        "<p>a</p><!-- c -->b<script>x</script>c",
        "<span><nav>a</nav></span>b<span><div>c</div></span>d",
        "<a href=x><div>a</div></a>b<a href=y>c</a><a><p>d</p></a>e",
        "<a href=x><div>a</div><a href=y>b</a>c",
        "<h1>a</h1><dl><dt>b<dd>c</dl><table><caption>d</caption><tr><td>e</table>f",
        "<p>a<img alt=x>b<iframe>c</iframe>d<br>e<select><option>f</select>g",
    ],
)
def test_text_is_what_the_page_has(markup: str) -> None:
    assert html_text(markup.encode(), "text/html") == read(markup.encode(), URL).text


@pytest.mark.parametrize(("body", "kind"), [(b"a", "text/plain"), (b"<rss/>", "text/xml"), (b"%PDF-1.4", "")])
def test_of_what_is_no_html_it_says_nothing(body: bytes, kind: str) -> None:
    assert html_text(body, kind) is None


@pytest.mark.parametrize("web", ["webkb", "wikispeedia", "uci-ics-10k", "boost-www"])
def test_recorded_pages_have_the_same_text(shared: Path, web: str) -> None:
    recorded = Collection.open([shared / "webs" / web])
    urls = [capture.url for capture in recorded.captures()][::KEPT_OF]
    for response in filter(None, map(recorded.find, urls)):
        kind = response.header("content-type") or ""
        text = html_text(response.body, kind)
        assert text is None or text == read(response.body, URL, kind).text
