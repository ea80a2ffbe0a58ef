"""Feeds as pages: items are links with dates; and the feeds that pages name."""

from __future__ import annotations

import time

import pytest

from lycosa.read.html import read

HERE = "https://reef.example/feed"
RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Reef news</title><link>https://reef.example/</link>
<lastBuildDate>Sun, 10 May 2026 08:00:00 GMT</lastBuildDate>
<atom:link href="https://reef.example/feed" rel="self" type="application/rss+xml"/>
<item><title>Corals bleach</title><link>https://reef.example/corals</link>
  <pubDate>Fri, 01 May 2026 12:00:00 +0200</pubDate>
  <description>&lt;p&gt;It is &lt;b&gt;warm&lt;/b&gt;.&lt;/p&gt;</description></item>
<item><title>Fish</title><link>/fish</link><dc:date>2026-05-02</dc:date></item>
<item><title>No date</title><link>https://reef.example/none</link></item>
<item><title>No true date</title><link>https://reef.example/odd</link><pubDate>yesterday</pubDate></item>
</channel></rss>"""
ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Reef</title><updated>2026-05-09T00:00:00Z</updated>
<link rel="self" href="https://reef.example/feed"/>
<entry><title>Corals</title><link rel="alternate" href="/corals"/><link rel="edit" href="/edit"/>
  <published>2026-04-01T00:00:00Z</published><updated>2026-05-01T12:00:00+02:00</updated><summary>Warm.</summary></entry>
</feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://reef.example/"><title>Reef</title></channel>
<item rdf:about="https://reef.example/corals"><title>Corals</title><link>https://reef.example/corals</link>
<dc:date>2026-05-01T10:00Z</dc:date></item></rdf:RDF>"""
JSON = """{"version": "https://jsonfeed.org/version/1.1", "title": "Reef", "items": [
 {"id": 1, "title": "Corals <i>bleach</i>", "url": "/corals", "content_html": "<p>It is <b>warm</b>.</p>",
  "date_published": "2026-04-01T00:00:00Z", "date_modified": "2026-05-01T12:00:00+02:00"},
 {"id": 2, "external_url": "https://sea.example/fish", "content_text": "Seen elsewhere."}, {"id": 3}]}"""

MAY_1_AT_TEN = 1_777_629_600_000
END_OF_MAY_2 = 1_777_766_399_999


def test_items_of_rss_are_links_with_their_dates() -> None:
    page = read(RSS.encode(), HERE, "application/rss+xml")
    assert [link.target for link in page.links] == [
        f"https://reef.example/{name}" for name in ("corals", "fish", "none", "odd")
    ]
    assert dict(page.dated) == {
        "https://reef.example/corals": MAY_1_AT_TEN,
        "https://reef.example/fish": END_OF_MAY_2,
    }
    assert "It is warm" in page.text
    assert "2026" not in page.text  # a new date around the same items is no change


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (ATOM, "application/atom+xml"),
        (RDF, "application/rdf+xml"),
        (RDF, "text/xml"),
        (ATOM, "application/xml"),
    ],
)
def test_other_feeds(body: str, kind: str) -> None:
    page = read(body.encode(), HERE, f"{kind}; charset=utf-8")
    assert [link.target for link in page.links] == ["https://reef.example/corals"]
    assert dict(page.dated) == {"https://reef.example/corals": MAY_1_AT_TEN}


@pytest.mark.parametrize(
    ("head", "feed"),
    [
        ('<link rel="alternate" type="application/rss+xml" href="/rss">', "https://reef.example/rss"),
        ('<link rel="ALTERNATE home" type=" Application/Atom+XML " href="a">', "https://reef.example/a"),
        (
            "<link rel=alternate type=application/rss+xml href=1><link rel=alternate type=application/rss+xml href=2>",
            "https://reef.example/1",
        ),
        ('<link rel="alternate" hreflang="de" href="/de">', None),
        ('<link rel="alternate" type="application/json+oembed" href="/o">', None),
        ('<link rel="stylesheet" type="application/rss+xml" href="/s">', None),
        ('<link rel="alternate" type="application/rss+xml" href="feed:x">', None),
        ('<link rel="alternate" type="application/rss+xml">', None),
    ],
)
def test_the_first_feed_that_a_page_names(head: str, feed: str | None) -> None:
    page = read(f"<head>{head}</head><p>text".encode(), "https://reef.example/page")
    assert page.feed == feed
    assert page.links == ()  # it is no link: a crawl that visits nothing again has no use for it


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
HOSTILE = {
    "entities": f"<?xml version='1.0'?><!DOCTYPE rss [{LAUGHS}]><rss><item><title>&l9;</title></item></rss>",
    "file": "<!DOCTYPE rss [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><rss><item><title>&f;</title></item></rss>",
    "deep": "<rss>" + "<item>" * 100_000,
    "deep and whole": "<rss>" + "<a>" * 20_000 + "</a>" * 20_000 + "</rss>",
    "wide": "<rss>" + "<item><link>/a</link><pubDate>x</pubDate></item>" * 20_000 + "</rss>",
    "dates": f"<rss><item><link>/a</link><pubDate>{'9' * 500_000}</pubDate></item></rss>",
    "date in tags": "<rss><item><link>/a</link><pubDate><b>2026-05-01</b></pubDate></item></rss>",
    "far": "<rss><item><link>/a</link><pubDate>Fri, 01 May 99999 12:00:00 GMT</pubDate></item></rss>",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_xml_is_read_in_time_and_says_nothing(body: str) -> None:
    began = time.process_time()
    page = read(body.encode(), HERE, "application/rss+xml")
    assert page.dated == ()
    assert "root:" not in page.text
    assert len(page.text) < 1_000_000
    assert time.process_time() - began < 5


def test_items_of_a_json_feed_are_links_with_their_dates() -> None:
    page = read(JSON.encode(), HERE, "application/feed+json; charset=utf-8")
    assert [(link.target, link.anchor) for link in page.links] == [
        ("https://reef.example/corals", "Corals bleach"),
        ("https://sea.example/fish", ""),
    ]
    assert page.dated == (("https://reef.example/corals", MAY_1_AT_TEN),)
    assert page.text == "Reef\nCorals bleach\nIt is warm .\nSeen elsewhere."


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[" * 100_000,
        '{"version": 1}',
        '{"version": "2.0", "items": []}',
        '{"items": [{"url": "/a"}]}',
    ],
)
def test_what_is_no_json_feed_is_plain_text(body: str) -> None:
    page = read(body.encode(), HERE, "application/feed+json")
    assert (page.links, page.dated) == ((), ())
    assert page.text == body.strip()


def test_a_page_names_its_json_feed() -> None:
    head = '<link rel="alternate" type="application/feed+json" href="/feed.json"><p>reef</p>'
    assert read(head.encode(), "https://reef.example/").feed == "https://reef.example/feed.json"
