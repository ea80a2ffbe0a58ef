"""From a page's bytes to its main text."""

from __future__ import annotations

from html import escape
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from lycosa.model.url import Url, canonical
from lycosa.read.boxes.choose import choose
from lycosa.read.boxes.main import main_of, told
from lycosa.read.boxes.outline import Outline, outline
from lycosa.read.charset import decode
from lycosa.read.document import Document
from lycosa.read.html import read
from lycosa.read.kinds import is_html
from lycosa.read.language import probability
from lycosa.read.main.about import about
from lycosa.read.main.clues import clues, has
from lycosa.read.main.markdown import markdown as as_markdown
from lycosa.read.main.markdown import paragraphs
from lycosa.read.markup import base_of, parse
from lycosa.read.said import About, MainText

HIDDEN: Final = 2
"""A page that states a text so many times as long as the one that it shows keeps most of it from those who have no
script, or do not pay. Then the text is the stated one."""


def main_text(body: bytes, url: str, content_type: str = "text/html", *, markdown: bool = False) -> MainText:
    """The main text of a page, and what the page says of itself. Never raises for what a body holds.

    `content_type` is the header's value, parameters included. Of what is not HTML (plain text, feeds, PDF), the main
    text is all of its text but headers and footers of printed pages.

    Raises `InputError` if `url` is not an http(s) URL.
    """
    own = canonical(url)
    if is_html(content_type, body):
        return _of_tree(parse(decode(body, content_type)[0]), own, markdown)
    document = read(body, own, content_type)
    if document.markup:
        return _of_tree(parse(document.markup), own, markdown)
    return _of_document(document, markdown)


def _of_tree(tree: LexborHTMLParser, url: Url, with_markdown: bool) -> MainText:
    there, main = clues(tree), main_of(tree.root)
    base = base_of(tree, url) if has(there, "base") else url
    share = main.letters / main.whole if main.whole else 0.0
    said, body = about(tree, url, base, main.text, there)
    hidden = _stated(body) if len(body) > HIDDEN * len(main.text) else None
    if hidden is not None:
        main, share = told(hidden.runs, hidden.letters), 1.0
        said, _ = about(tree, url, base, main.text, there)
    return MainText(
        text=main.text,
        markdown=_markdown(tree, hidden, base) if with_markdown else "",
        about=said,
        share=round(min(1.0, share), 4),
    )


def _markdown(tree: LexborHTMLParser, hidden: Outline | None, base: Url) -> str:
    page = hidden or outline(tree.root)
    return as_markdown(page.runs if hidden else choose(page), page, base)


def _stated(body: str) -> Outline:
    """An article that is a field of the page: markup, or lines of plain text."""
    source = body if "</" in body else "".join(f"<p>{escape(line)}</p>" for line in body.splitlines())
    return outline(parse(source).root)


def _of_document(document: Document, with_markdown: bool) -> MainText:
    text = document.content or document.text
    return MainText(
        text=text,
        markdown=paragraphs(text.split("\n")) if with_markdown else "",
        about=About(
            title=document.title,
            canonical=document.canonical_url,
            language=document.language,
            language_confidence=probability(text, document.language) if document.language else 0.0,
        ),
        share=round(min(1.0, len(text) / len(document.text)), 4) if document.text else 0.0,
    )
