"""What is told of a page's main text, in records of their own: who only sends or keeps them imports no reader."""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.model.records import Record
from lycosa.model.url import Url


class About(Record, frozen=True, kw_only=True):
    """What a page says of itself. What it does not say is empty."""

    title: str = ""
    """The headline without the name of the site, if the page tells one from the other; else `<title>`."""
    authors: tuple[str, ...] = ()
    published: str = ""
    """ISO 8601: a date, or a date with its time."""
    modified: str = ""
    """Likewise."""
    site_name: str = ""
    canonical: Url | None = None
    alternates: tuple[tuple[str, Url], ...] = ()
    """Its copies in other languages: see `lycosa.read.document.Document`."""
    licences: tuple[str, ...] = ()
    """URLs of licences: rel=license, links to Creative Commons, `license` of schema.org and Dublin Core. The last
    two may be words."""
    language: str = ""
    """ISO 639-1 (639-3 where there is no code of two letters), of the main text or as the page declares it."""
    language_confidence: float = 0.0
    """From 0 to 1: how probable the model of languages holds it for the main text; 0 where that is too short."""
    kind: str = ""
    """The type in the words of schema.org, such as NewsArticle, or of OpenGraph, such as article."""
    fields: Mapping[str, tuple[str, ...]] = {}
    """JSON-LD, microdata and OpenGraph: see `lycosa.read.main.stated`."""


class MainText(Record, frozen=True, kw_only=True):
    """What a page is about, without what is around it.

    Invariants, each the name of a property test:

    * never empty: where the page has text, `text` has some.
    * nothing made up: the blocks of `text` stand on the page in this order, or in a field of the page.
    * same words: `markdown`, rendered, has the words of `text`.
    """

    text: str = ""
    """One block (paragraph, heading, item, cell) a line, without empty lines; code keeps its own lines."""
    markdown: str = ""
    """The same in CommonMark with tables, links absolute; empty if not asked for."""
    about: About = About()
    share: float = 0.0
    """Of the page's characters of text, how many are in `text`: from 0 to 1."""
