"""Sitemaps in all their shapes, whole and broken, and what they must not be able to do."""

from __future__ import annotations

import gzip
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.web.sitemap import SIZE_LIMIT, URL_LIMIT, Sitemap, parse

HERE = "https://example.org/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
URLSET = f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset {NAMESPACE} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <!-- <url><loc>https://example.org/old</loc></url> -->
  <url><loc> https://example.org/a?x=1&amp;y=2 </loc><lastmod>2024-01-01</lastmod><priority>0.8</priority>
    <image:image><image:loc>https://example.org/a.png</image:loc></image:image></url>
  <url><loc><![CDATA[https://example.org/b?x=1&y=2]]></loc></url>
  <url><loc>/relative</loc></url>
  <url><loc>mailto:a@example.org</loc></url>
  <url><loc></loc></url>
  <url><loc>https://EXAMPLE.org/%7Eü</loc></url>
  <url><loc>/relative</loc></url>
</urlset>"""
INDEX = f"""<sitemapindex {NAMESPACE}><sitemap><loc>https://example.org/1.xml.gz</loc></sitemap>
<sitemap><loc>https://example.org/2.xml</loc></sitemap></sitemapindex>"""

KNOWN = Sitemap(
    urls=(
        "https://example.org/a?x=1&y=2",
        "https://example.org/b?x=1&y=2",
        "https://example.org/relative",
        "https://example.org/~%C3%BC",
    ),
    dated={"https://example.org/a?x=1&y=2": 1_704_153_599_999},  # the end of that day
)


@pytest.mark.parametrize(
    "body",
    [
        URLSET.encode(),
        b"\xef\xbb\xbf" + URLSET.encode(),
        URLSET.encode("utf-16"),
        URLSET.replace("UTF-8", "ISO-8859-1").encode("latin-1"),
        gzip.compress(URLSET.encode(), mtime=0),
        gzip.compress(URLSET[:300].encode(), mtime=0) + gzip.compress(URLSET[300:].encode(), mtime=0),
        URLSET.replace("</url>", "").replace("</urlset>", "<b").encode(),
        URLSET.replace("<url>", "<URL>").replace("loc>", "LOC>").encode(),
        URLSET.replace("<url>", "<s:url>").replace("<loc>", "<s:loc>").replace("<last", "<s:last").encode(),
    ],
    ids=["plain", "bom", "utf-16", "latin-1", "gzip", "members", "unclosed", "upper", "prefix"],
)
def test_urlset_in_any_wrapping(body: bytes) -> None:
    assert parse(body, HERE) == KNOWN


def test_index_names_sitemaps_not_pages() -> None:
    assert parse(INDEX.encode(), HERE) == Sitemap(
        sitemaps=("https://example.org/1.xml.gz", "https://example.org/2.xml")
    )


def test_index_is_known_by_its_root_where_elements_are_missing() -> None:
    body = b"<sitemapindex><loc>https://example.org/1.xml</loc></sitemapindex>"
    assert parse(body, HERE).sitemaps == ("https://example.org/1.xml",)


def test_plain_text_is_one_url_a_line() -> None:
    body = b"https://example.org/a\r\nnot a url\nhttp://example.org/b#c\n\nhttps://example.org/a\n"
    assert parse(body, HERE).urls == ("https://example.org/a", "http://example.org/b")


@pytest.mark.parametrize(
    "body", [b"", b"<html><body>Not found</body></html>", b"\x1f\x8b", b"\x00\xff", b"<loc>"]
)
def test_what_is_no_sitemap_is_empty(body: bytes) -> None:
    assert parse(body, HERE) == Sitemap()


def test_damaged_gzip_gives_what_precedes_the_damage() -> None:
    lines = b"".join(b"https://example.org/%d/%d\n" % (n, n * n) for n in range(40_000))
    whole = gzip.compress(lines)
    urls = parse(whole[: len(whole) // 2], HERE).urls
    assert 10_000 < len(urls) < 40_000
    assert urls[0] == "https://example.org/0/0"


def test_no_entity_is_expanded_and_no_file_read() -> None:
    body = b"""<!DOCTYPE u [<!ENTITY a "https://example.org/"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
    <urlset><url><loc>https://example.org/&b;x</loc></url><url><loc>&f;</loc></url></urlset>"""
    assert parse(body, HERE).urls == ("https://example.org/&b;x", "https://example.org/&f;")


def test_limits_of_the_protocol() -> None:
    body = "".join(f"<url><loc>/{n}</loc></url>" for n in range(URL_LIMIT + 10))
    assert len(parse(f"<urlset>{body}".encode(), HERE).urls) == URL_LIMIT


def test_a_gzip_bomb_is_read_only_to_the_limit() -> None:
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(60)) + packer.compress(
        b"http://a.org/x"
    )
    assert SIZE_LIMIT < 60 << 20
    assert parse(packed + packer.flush(), HERE) == Sitemap()


@pytest.mark.parametrize(
    "piece", ["<loc ", "<loc>", "<!--", "<url><loc><![CDATA[", "<a:loc", "&#", "<sitemapindex "]
)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    def cost(octets: int) -> float:
        body = b"<" + piece.encode() * (octets // len(piece))
        started = time.process_time()
        parse(body, HERE)
        return time.process_time() - started

    small, large = min(cost(100_000) for _ in range(3)), cost(800_000)
    assert large < 30 * small + 0.05  # eight times the octets; squared it would be 64 times


HOSTILE = {
    "tags of another namespace": b"<urlset>" + b"<x:loc>" * 1_500_000,
    "tags that are none": b"<" * 10_000_000,
    "entities": b"<urlset>" + (b"<loc>/" + b"&#65;" * 400 + b"</loc>") * 5_000,
    "words": b"a " * 5_000_000,
    "members": gzip.compress(b"") * 500_000,
}


@pytest.mark.parametrize("what", HOSTILE)
def test_ten_megabytes_of_nothing_are_soon_done_with(what: str) -> None:
    """A second of CPU at most, and four more as a margin for slow machines."""
    began = time.process_time()
    parse(HOSTILE[what], HERE)
    assert time.process_time() - began < 5


def test_words_beyond_what_a_url_may_be_long_are_passed_over() -> None:
    body = b"http://a.test/" + b"x" * 5000 + b"\nhttp://b.test/\nxhttp://c.test/ HTTPS://d.test/"
    assert parse(body, HERE).urls == ("http://b.test/", "https://d.test/")


@given(st.binary(max_size=300))
def test_any_octets_give_some_sitemap(body: bytes) -> None:
    assert isinstance(parse(body, HERE), Sitemap)


@given(st.text(alphabet="<>!-[]CDATAurlocsitemp:/ &;x", max_size=200))
def test_any_markup_gives_some_sitemap(text: str) -> None:
    assert isinstance(parse(b"<urlset>" + text.encode(), HERE), Sitemap)
