"""What holds for the main text of any page, made of pieces that come in any order, whole or broken."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.trials import trials

from lycosa.read.html import read
from lycosa.read.main import main_text

URL = "http://a.test/folder/page.html"


def split(listed: str) -> list[str]:
    return listed.split()


WORDS = st.lists(
    st.one_of(
        st.sampled_from(
            split(
                "a harbour of walls, 1. 2) - + * # ## === --- ___ > | ~~~ ``` ` _x_ **y** [z](u) ![i] <b> & &amp; \\ "
                "\\| ! Łódź 東京"
            )
        ),
        st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=12,
).map(" ".join)
TAGS = st.sampled_from(
    split(
        "p div li ul ol blockquote h1 h3 pre table tr td th b em code tt a span article nav section dl dt dd br "
        "caption footer"
    )
)
NAMES = st.sampled_from(["", "", "", "menu", "comments", "entry-content", "footer", "share", "hentry"])


def escape(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")


@st.composite
def elements(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    tag, name = draw(TAGS), draw(NAMES)
    href = ' href="/else where(1)?a|b"' if tag == "a" else ""
    end = "" if draw(st.integers(0, 9)) == 0 else f"</{tag}>"
    return f'<{tag} class="{name}"{href}>{"".join(draw(st.lists(inside, max_size=4)))}{end}'


PAGES = st.lists(st.recursive(WORDS.map(escape), elements, max_leaves=25), max_size=6).map("".join)
RENDER = MarkdownIt("commonmark").enable("table")


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


@given(PAGES)
@settings(deadline=None, max_examples=trials(40))
def test_never_empty(page: str) -> None:
    found = main_text(page.encode(), URL)
    assert bool(found.text) or not read(page.encode(), URL).text
    assert 0.0 <= found.share <= 1.0


@given(PAGES)
@settings(deadline=None, max_examples=trials(40))
def test_nothing_made_up(page: str) -> None:
    lines = iter(re.sub(r"\s", "", read(page.encode(), URL).text))
    assert all(sign in lines for sign in re.sub(r"\s", "", main_text(page.encode(), URL).text))


@given(PAGES)
@settings(deadline=None, max_examples=trials(60))
def test_same_words(page: str) -> None:
    found = main_text(page.encode(), URL, markdown=True)
    rendered = main_text(RENDER.render(found.markdown).encode(), URL)
    whole = read(RENDER.render(found.markdown).encode(), URL).text
    assert words_of(whole) == words_of(found.text)
    assert rendered.share <= 1.0


@given(
    st.binary(max_size=300),
    st.sampled_from(["text/html", "text/plain", "application/xml", "", "application/pdf"]),
)
@settings(deadline=None)
def test_any_bytes(body: bytes, kind: str) -> None:
    main_text(body, URL, kind, markdown=True)


@given(PAGES)
@settings(deadline=None)
def test_one_line_a_block(page: str) -> None:
    lines = main_text(page.encode(), URL).text.split("\n")
    assert lines == [""] or all(line.strip() for line in lines)
