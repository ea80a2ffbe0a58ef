"""Read a page: bytes in, a `Document` out. For HTML, XHTML, feeds, other XML, plain text and PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lycosa.model.errors import InputError
from lycosa.model.records import Link
from lycosa.model.url import Url, canonical
from lycosa.read.apart import Unreadable
from lycosa.read.charset import decode
from lycosa.read.compiled import Standing
from lycosa.read.document import Document
from lycosa.read.duplicates import simhash
from lycosa.read.gathered import gathered
from lycosa.read.kinds import is_pdf, media_type, page_kind
from lycosa.read.language import language, language_tag
from lycosa.read.office import Kind, kind_of, marked_up
from lycosa.read.resolve import LinkResolver
from lycosa.read.rights import of_markup
from lycosa.read.scripted import needs_script
from lycosa.read.walk import MAX_LICENCES, Walk
from lycosa.scoring.words.terms import counts


def read(body: bytes, url: str, content_type: str = "text/html") -> Document:
    """Read a page from its bytes. Never raises for what a body holds.

    `content_type` is the header's value, parameters included. An HTML page's links are `<a>`, `<area>`, `<frame>` and
    `<iframe>`, a refreshing `<meta>`, and `<link>` with rel next or prev (in_nav, as it repeats what the page's own
    navigation says). Feeds and translations named by rel=alternate are no links: they hold what the crawl finds anyway;
    the first feed is told apart (`Document.feed`), for crawls that follow it.
    Only http and https targets are kept, without references to the page itself. Links in navigation, headers, footers,
    asides, and blocks that are mostly links are flagged `in_nav`, not dropped. A tag cut off by the end of a
    truncated body is no link. Plain text has none. Of a PDF see `lycosa.read.printed.document`; one that cannot be read
    gives a document that says so (`Document.unread`).

    Raises `InputError` if `url` is not an http(s) URL.
    """
    own = canonical(url)
    if is_pdf(media_type(content_type), body):
        return _printed(body, own)
    if (office := kind_of(media_type(content_type), body)) is not None:
        return _office(office, body, own)
    source, charset = decode(body, content_type)
    kind = page_kind(media_type(content_type), body)
    if kind == "plain":
        return _plain(source, own, charset)
    if kind == "json feed":
        from lycosa.read.feeds import read_json_feed

        return read_json_feed(source, own, charset) or _plain(source, own, charset)
    if kind == "xml":
        from lycosa.read.xml import read_xml

        if (document := read_xml(source, own, charset)) is not None:
            return document
    return _page(source, own, charset)


def _printed(body: bytes, url: Url) -> Document:
    from lycosa.read.printed import read_pdf

    try:
        return read_pdf(body, url)
    except Unreadable as error:
        return Document(url=url, base=url, unread=str(error))


def _office(kind: Kind, body: bytes, url: Url) -> Document:
    """The document of an office file, a book or a mail: that of its markup."""
    try:
        return _page(marked_up(kind, body), url, "utf-8")
    except Unreadable as error:
        return Document(url=url, base=url, unread=str(error))


def _page(source: str, url: Url, charset: str) -> Document:
    found, standing, text, content_lines, nav_lines, terms, fingerprint, tame = gathered(source)
    base = _base(found.base, url)
    resolver = LinkResolver(base)
    asked = {token.strip() for name in ("robots", "lycosa") for token in found.meta.get(name, "").split(",")}
    nofollow = not asked.isdisjoint({"nofollow", "none"})
    title = found.title or next(iter(found.headings), "")
    links, places = _links(standing, resolver, url, nofollow)
    return Document(
        url=url,
        base=base,
        title=title,
        description=_description(found),
        headings=tuple(found.headings),
        text=text,
        content_lines=content_lines,
        nav_lines=nav_lines,
        language=language(text, found.declared_language or found.meta.get("content-language", "")),
        charset=charset,
        links=links,
        places=places,
        noindex=not asked.isdisjoint({"noindex", "none"}),
        nofollow=nofollow,
        rights=of_markup(found.meta, _licences(found, standing)),
        feed=resolver.resolve(found.feed) if found.feed else None,
        alternates=tuple(_alternates(found, resolver)) if found.alternates else (),
        canonical_url=resolver.resolve(found.canonical) if found.canonical else None,
        terms=terms,
        fingerprint=fingerprint,
        needs_script=needs_script(tame, text),
        markup=source,
    )


def _base(written: str, url: Url) -> Url:
    """The page's base: what it says, if that is an http(s) URL."""
    if not written:
        return url
    return LinkResolver(url).resolve(written) or url


def _licences(found: Walk, standing: list[Standing]) -> list[tuple[str, str]]:
    """Links to licences, in the head and in the text."""
    linked = [(link[0], "") for link in standing if link[4] and "license" in link[4].lower().split()]
    return [*found.licences, *linked][:MAX_LICENCES]


def _alternates(found: Walk, resolver: LinkResolver) -> Iterator[tuple[str, Url]]:
    for written, href in found.alternates:
        if (language := language_tag(written)) and (target := resolver.resolve(href)) is not None:
            yield language, target


def _description(found: Walk) -> str:
    written = found.meta.get("description") or found.meta.get("og:description") or ""
    return " ".join(written.split())


def _links(
    standing: list[Standing], resolver: LinkResolver, source: Url, nofollow: bool
) -> tuple[tuple[Link, ...], tuple[int, ...]]:
    """The links, and where in the text each stands."""
    found = resolver.resolve_all([link[0] for link in standing])
    targets = [target for target in found if target is not None]
    if len(targets) < len(found):
        standing = [link for target, link in zip(found, standing, strict=True) if target is not None]
    total = len(targets) or 1
    links = tuple([
        Link(
            source=source,
            target=target,
            anchor=anchor,
            context=context,
            heading=heading,
            path=path,
            position=number / total,
            rel=rel,
            nofollow=nofollow or (rel != "" and "nofollow" in rel.lower().split()),
            in_nav=in_nav,
        )
        for number, (target, (_, anchor, heading, path, rel, in_nav, context, _)) in enumerate(
            zip(targets, standing, strict=True)
        )
    ])  # fmt: skip
    return links, tuple([link[7] for link in standing])


def _plain(source: str, url: Url, charset: str) -> Document:
    """Paragraphs, which blank lines part, are the blocks of a plain text."""
    paragraphs = [
        " ".join(words) for part in re.split(r"\n\s*\n", source) if (words := part.replace("\0", " ").split())
    ]
    text = "\n".join(paragraphs)
    terms = counts(text)
    return Document(
        url=url,
        base=url,
        text=text,
        content_lines=(True,) * len(paragraphs),
        language=language(text),
        charset=charset,
        terms=terms,
        fingerprint=simhash(terms),
    )


__all__ = ["Document", "InputError", "read"]
