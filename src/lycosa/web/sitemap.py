"""Sitemaps (sitemaps.org, version 0.9): the URLs that a site names itself. Parsing only, no fetching."""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice

from lycosa.crawl.signals import dated
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Record
from lycosa.model.url import Url, canonical

URL_LIMIT = 50_000
"""URLs that one file may name, by the protocol; more are not read."""
SIZE_LIMIT = 50 * 1024 * 1024
"""Octets of one file after decompression, by the protocol; more are not read."""

MARKS_LIMIT = 1_000_000
"""Tags and entities that are read of one file, roughly: 50,000 URLs with all that belongs to them have half as many."""
MEMBERS_LIMIT = 1_000
"""Members of one gzip file. Those who pack in blocks make one of 64 KiB and more."""

_GZIP = b"\x1f\x8b"
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}encoding=["']([\w.\-]{1,20})["']""")
_ENCODINGS = frozenset({"utf-8", "us-ascii", "iso-8859-1", "iso-8859-15", "windows-1252"})
_TOKEN = re.compile(
    r"<!--|<(?:([\w.\-]{1,40}):)?(url|sitemap|loc|lastmod)(?:\s[^<>]{0,400})?>", re.IGNORECASE
)
_WORD = re.compile(r"(?<!\S)https?://\S{1,2200}(?!\S)", re.IGNORECASE)
_CDATA = "<![CDATA["


class Sitemap(Record, frozen=True, kw_only=True):
    """What a sitemap names, in its order, each once. It may name any host: the scope decides."""

    urls: tuple[Url, ...] = ()
    sitemaps: tuple[Url, ...] = ()
    """Further sitemaps, if it was an index."""
    dated: Mapping[Url, Millis] = {}
    """When it says that some of the `urls` changed last (`lastmod`)."""


def parse(body: bytes, url: str) -> Sitemap:
    """Read the sitemap fetched from `url`: a urlset, an index of sitemaps or plain text, gzipped or not.

    Never raises. Broken XML gives what can be read of it, anything else nothing. Only the elements url,
    sitemap, loc and lastmod are looked for; no entity but the predefined ones is expanded, so there is nothing to blow
    up and no file to reach. Priorities and frequencies are not kept: no crawl relies on what sites claim there.
    The work grows with the file, and is bounded where a file holds more than any honest one.
    """
    text = _decoded(_unpacked(body))
    if not re.match(r"\s*<", text):
        named = [word[0] for word in islice(_WORD.finditer(text), URL_LIMIT)]
        return Sitemap(urls=tuple(dict.fromkeys(_canonical(named, url).values())))
    while text.count("<") + text.count("&") > MARKS_LIMIT:
        text = text[: len(text) // 2]
    found: dict[str, list[str]] = {"url": [], "sitemap": []}
    stamps: dict[str, Millis] = {}
    for kind, location, changed in islice(_locations(text), URL_LIMIT):
        found[kind].append(location)
        if kind == "url" and (at := dated(changed)) is not None:
            stamps[location] = at
    urls = _canonical(found["url"], url)
    return Sitemap(
        urls=tuple(dict.fromkeys(urls.values())),
        sitemaps=tuple(dict.fromkeys(_canonical(found["sitemap"], url).values())),
        dated={target: stamps[location] for location, target in urls.items() if location in stamps},
    )


def _unpacked(body: bytes) -> bytes:
    """The first SIZE_LIMIT octets of the file; of damaged gzip, as far as it can be read."""
    if not body.startswith(_GZIP):
        return body[:SIZE_LIMIT]
    parts: list[bytes] = []
    room, at = SIZE_LIMIT, 0
    for _ in range(MEMBERS_LIMIT):
        if not body.startswith(_GZIP, at):
            break
        member = zlib.decompressobj(wbits=31)
        try:
            while at < len(body) and not member.eof and room > 0:
                # Small bites, so that what precedes an error is not lost with it.
                bite = body[at : at + 65536]
                part = member.decompress(bite, room)
                parts.append(part)
                room -= len(part)
                at += len(bite) - len(member.unused_data)
        except zlib.error:
            break
    return b"".join(parts)


def _decoded(octets: bytes) -> str:
    for mark, encoding in _MARKS:
        if octets.startswith(mark):
            return octets.decode(encoding, "replace").removeprefix("\ufeff")
    declared = _DECLARED.match(octets.lstrip()[:200])
    name = declared[1].decode().lower() if declared else "utf-8"
    return octets.decode(name if name in _ENCODINGS else "utf-8", "replace")


def _locations(text: str) -> Iterator[tuple[str, str, str]]:
    """The element around each loc, the loc's text, and that of the lastmod beside it, in any order; empty without one.
    A loc of another namespace (``image:loc``) is no page."""
    kind = "sitemap" if re.search(r"<(?:[\w.\-]{1,40}:)?sitemapindex[\s>]", text[:4000]) else "url"
    prefix: str | None = None
    location = changed = ""
    at = 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        if token[0] == "<!--":
            at = text.find("-->", at)
            if at < 0:
                break
        elif (name := token[2].lower()) not in ("loc", "lastmod"):
            if location:
                yield kind, location, changed
            kind, prefix, location, changed = name, token[1], "", ""
        elif token[1] != prefix:
            continue
        elif name == "lastmod":
            changed = _content(text, at)
        else:
            if location:
                yield kind, location, changed
                changed = ""
            location = _content(text, at)
    if location:
        yield kind, location, changed


def _content(text: str, start: int) -> str:
    """What stands at `start`, up to the next tag; nothing if it exceeds the protocol's 2,048 characters."""
    limit = start + 2200
    end = text.find("<", start, limit)
    if end < 0:
        return ""
    if not text.startswith(_CDATA, end):
        return html.unescape(text[start:end])
    stop = text.find("]]>", end, limit)
    return text[end + len(_CDATA) : max(stop, 0)]


def _canonical(locations: list[str], url: str) -> dict[str, Url]:
    """Those that are URLs, as they are written."""
    kept: dict[str, Url] = {}
    for location in locations:
        try:
            if location.strip():
                kept[location] = canonical(location, url)
        except InputError:
            continue
    return kept
