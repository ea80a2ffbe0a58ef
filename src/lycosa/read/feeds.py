"""What feeds have in common, however they are written: items with links, words and dates; and JSON Feed 1.1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from lycosa.crawl.signals import dated
from lycosa.model.decoding import json_reader
from lycosa.model.records import Link, Millis, Record
from lycosa.model.url import Url
from lycosa.read.document import Document
from lycosa.read.duplicates import simhash
from lycosa.read.language import language
from lycosa.read.markup import parse
from lycosa.read.resolve import LinkResolver
from lycosa.scoring.words.terms import counts

MAX_ITEMS: Final = 3_000


class Item(Record, frozen=True, kw_only=True, gc=False):
    """One entry of a feed."""

    title: str = ""
    body: str = ""
    hrefs: tuple[str, ...] = ()
    changed: Millis | None = None
    """When it changed last, as it says itself."""


def feed_document(
    url: Url, charset: str, title: str, lines: Iterable[str], items: Iterable[Item]
) -> Document:
    """A feed as a page: its items' titles and bodies are the text, their addresses the links."""
    texts = [line for line in lines if line]
    found: list[tuple[str, str, str]] = []
    stamps: dict[str, Millis] = {}
    for item in items:
        texts += [line for line in (item.title, item.body) if line]
        found += [(href, item.title, item.body) for href in item.hrefs]
        if item.changed is not None:
            stamps.update(dict.fromkeys(item.hrefs, item.changed))
    document = plain_document(url, charset, title, texts, feed_links(found, url))
    return msgspec.structs.replace(document, dated=tuple(_resolved(stamps, url)))


def plain_document(
    url: Url, charset: str, title: str, lines: Sequence[str], links: tuple[Link, ...]
) -> Document:
    """A page of lines, all of them content."""
    text = "\n".join(lines)
    terms = counts(f"{title}\n{text}")
    return Document(
        url=url,
        base=url,
        title=title,
        text=text,
        content_lines=(True,) * len(lines),
        language=language(text),
        charset=charset,
        links=links,
        terms=terms,
        fingerprint=simhash(terms),
    )


def feed_links(found: Iterable[tuple[str, str, str]], url: Url) -> tuple[Link, ...]:
    """Links of items: where they lead, the title of the item, and its words."""
    resolver = LinkResolver(url)
    resolved = [
        (target, anchor, body)
        for href, anchor, body in found
        if (target := resolver.resolve(href)) is not None
    ]
    return tuple(
        Link(
            source=url,
            target=target,
            anchor=anchor,
            context=" ".join([*anchor.split(), *body.split()[:20]]),
            path="feed item link",
            position=place / len(resolved),
        )
        for place, (target, anchor, body) in enumerate(resolved)
    )


def plain_words(text: str) -> str:
    """The words of a text; markup in it is read as HTML."""
    if "<" in text:
        body = parse(text).body
        text = body.text(separator=" ") if body is not None else ""
    return " ".join(text.split())


def _resolved(stamps: Mapping[str, Millis], url: Url) -> Iterator[tuple[Url, Millis]]:
    resolver = LinkResolver(url)
    for href, at in stamps.items():
        if (target := resolver.resolve(href)) is not None:
            yield target, at


# -- JSON Feed (jsonfeed.org, version 1.1) -------------------------------------------------------------------


class _Item(msgspec.Struct, frozen=True):
    url: str = ""
    external_url: str = ""
    title: str = ""
    content_html: str = ""
    content_text: str = ""
    summary: str = ""
    date_published: str = ""
    date_modified: str = ""


class _Feed(msgspec.Struct, frozen=True):
    version: str
    title: str = ""
    description: str = ""
    items: tuple[_Item, ...] = ()


_read: Final = json_reader(_Feed)


def read_json_feed(source: str, url: Url, charset: str) -> Document | None:
    """A JSON Feed as a page; None if it is none. An item leads to its own address, else to what it is about."""
    try:
        feed = _read(source)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    if "jsonfeed.org/version/" not in feed.version:
        return None
    items = (
        Item(
            title=plain_words(each.title),
            body=plain_words(each.content_html or each.content_text or each.summary),
            hrefs=(href,) if (href := each.url or each.external_url) else (),
            changed=dated(each.date_modified or each.date_published),
        )
        for each in feed.items[:MAX_ITEMS]
    )
    title = plain_words(feed.title)
    return feed_document(url, charset, title, (title, plain_words(feed.description)), items)
