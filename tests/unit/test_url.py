"""Canonical URLs: the rules of the papers, each row of their tables a test."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.recordings import RECORDS, recorded

from lycosa.model.errors import InputError
from lycosa.model.url import (
    Host,
    Url,
    UrlProfile,
    canonical,
    default_files,
    domain_of,
    host_of,
    origin_of,
    page_id,
)

# Pant, Srinivasan and Menczer, "Crawling the Web" (2004), section 2.4.
PANT = [
    ("HTTP://www.UIOWA.edu", "http://www.uiowa.edu/"),
    ("http://myspiders.biz.uiowa.edu/faq.html#what", "http://myspiders.biz.uiowa.edu/faq.html"),
    ("http://dollar.biz.uiowa.edu/%7Epant/", "http://dollar.biz.uiowa.edu/~pant/"),
    ("http://dollar.biz.uiowa.edu", "http://dollar.biz.uiowa.edu/"),
    ("http://dollar.biz.uiowa.edu/index.html", "http://dollar.biz.uiowa.edu/"),
    ("http://dollar.biz.uiowa.edu/a/index.htm", "http://dollar.biz.uiowa.edu/a/"),
    (
        "http://dollar.biz.uiowa.edu/%7Epant/BizIntel/Seeds/../ODPSeeds.dat",
        "http://dollar.biz.uiowa.edu/~pant/BizIntel/ODPSeeds.dat",
    ),
    ("http://dollar.biz.uiowa.edu:80/a", "http://dollar.biz.uiowa.edu/a"),
    ("http://dollar.biz.uiowa.edu:8080/a", "http://dollar.biz.uiowa.edu:8080/a"),
]

# Küçük, "Evolving strategies for web crawler" (2009), table 3.1. Two of its rows are misprints: "%staj"
# stands for "%7Estaj", and "/staj/../../staj/" is "/staj/" by RFC 3986, 5.2.4, not "/staj/staj/".
KUCUK = [
    ("http://IT.ISIKUN.EDU.TR", "http://it.isikun.edu.tr/"),
    ("http://it.isikun.edu.tr/sss.html#3", "http://it.isikun.edu.tr/sss.html"),
    ("http://it.isikun.edu.tr/%7Estaj/", "http://it.isikun.edu.tr/~staj/"),
    ("http://it.isikun.edu.tr", "http://it.isikun.edu.tr/"),
    ("http://it.isikun.edu.tr/index.html", "http://it.isikun.edu.tr/"),
    ("http://it.isikun.edu.tr/staj/../../staj/", "http://it.isikun.edu.tr/staj/"),
    ("http://it.isikun.edu.tr:80/", "http://it.isikun.edu.tr/"),
]

OTHERS = [
    ("https://h.example:443/", "https://h.example/"),
    ("https://h.example:80/", "https://h.example:80/"),
    ("http://h.example:443/", "http://h.example:443/"),
    ("http://3279880203/blah", "http://195.127.0.11/blah"),
    ("http://[::1]:80/", "http://[::1]/"),
    ("B\u00fccher.ch:8080", "http://xn--bcher-kva.ch:8080/"),
    ("example.org/a", "http://example.org/a"),
    ("example.org:8080/a", "http://example.org:8080/a"),
    ("  http://h.example/a b\t\n", "http://h.example/a%20b"),
    ("http://h.example/a\nb", "http://h.example/ab"),
    ("http://user:secret@h.example/", "http://h.example/"),
    ("http://h.example/%c3%a9%41%2f%2E", "http://h.example/%C3%A9A%2F."),
    ("http://h.example/é?é=é", "http://h.example/%C3%A9?%C3%A9=%C3%A9"),
    ("http://h.example/%zz%", "http://h.example/%25zz%25"),
    ("http://h.example/%25%32%35", "http://h.example/%2525"),
    ("http://h.example/[x]|{y}", "http://h.example/%5Bx%5D%7C%7By%7D"),
    ("http://h.example/?q=[x]|{y}", "http://h.example/?q=%5Bx%5D%7C%7By%7D"),
    ("http://h.example/Path/CASE", "http://h.example/Path/CASE"),
    ("http://h.example/x/", "http://h.example/x/"),
    ("http://h.example/x", "http://h.example/x"),
    ("http://h.example?q", "http://h.example/?q"),
    ("http://h.example/index.html?q", "http://h.example/index.html?q"),
    ("http://h.example/ind%65x.html", "http://h.example/"),
    ("http://h.example/myindex.html", "http://h.example/myindex.html"),
    ("http://h.example/a/%2e%2E/b/./c", "http://h.example/b/c"),
    ("http:\\\\h.example\\a", "http://h.example/a"),
]


@pytest.mark.parametrize(("raw", "expected"), PANT + KUCUK + OTHERS)
def test_known_answers(raw: str, expected: str) -> None:
    assert canonical(raw) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("c.html", "http://h.example/a/c.html"),
        ("../c.html", "http://h.example/c.html"),
        ("/c", "http://h.example/c"),
        ("//o.example/c", "http://o.example/c"),
        ("?q=1", "http://h.example/a/b.html?q=1"),
        ("#top", "http://h.example/a/b.html"),
        ("", "http://h.example/a/b.html"),
        (" HTTPS://O.example ", "https://o.example/"),
        ("example.org", "http://h.example/a/example.org"),
    ],
)
def test_links_are_resolved_against_their_page(link: str, expected: str) -> None:
    assert canonical(link, "http://h.example/a/b.html") == expected


@pytest.mark.parametrize(
    ("raw", "profile", "expected"),
    [
        ("http://h.example/a/index.html", "strict", "http://h.example/a/index.html"),
        ("http://h.example/%7ea/index.htm", "strict", "http://h.example/~a/index.htm"),
        ("http://h.example/~a/index.html", "s1", "http://h.example/%7Ea/"),
        ("http://h.example/%7ea?~", "s1", "http://h.example/%7Ea?%7E"),
        ("http://h.example/plain", "s1", "http://h.example/plain"),
    ],
)
def test_profiles(raw: str, profile: UrlProfile, expected: str) -> None:
    assert canonical(raw, profile=profile) == expected
    assert canonical(expected, profile=profile) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "",
        " ",
        "foo",
        "not a url",
        "http://",
        "http://a b/",
        "http://h.example:99999/",
        "mailto:a@example.org",
        "javascript:void(0)",
        "ftp://example.org/",
        "data:text/html,x.y",
        "file:///etc/passwd",
        "//example.org/x",
        "http://h.example/\udc80",
        "a@example.org",
    ],
)
def test_what_is_no_web_address_is_refused_in_one_line(raw: str) -> None:
    with pytest.raises(InputError) as refusal:
        canonical(raw)
    assert "\n" not in str(refusal.value)
    assert "URL" in str(refusal.value)


def test_the_base_is_blamed_where_it_is_wrong() -> None:
    with pytest.raises(InputError, match="not a base"):
        canonical("a.html", "nowhere")
    with pytest.raises(InputError, match="not an http"):
        canonical("a.html", "ftp://example.org/")


def test_page_id_is_the_md5_of_the_canonical_url() -> None:
    assert page_id(canonical("http://www.uiowa.edu")) == "160766577426e1d01fcb7735091ec584"


def test_parts_of_a_url() -> None:
    url = canonical("https://www.example.org:8443/a?b")
    assert host_of(url) == "www.example.org:8443"
    assert origin_of(url) == "https://www.example.org:8443"
    assert origin_of(canonical("http://example.org:80")) == "http://example.org"


def test_default_files_are_the_other_names_of_a_directory() -> None:
    url = canonical("http://h.example/a/index.html")
    assert default_files(url) == ("http://h.example/a/index.html", "http://h.example/a/index.htm")
    assert default_files(Url("http://h.example/a")) == ()
    assert default_files(Url("http://h.example/a?b/")) == ()


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("www.example.org:8080", "example.org"),
        ("www.example.org.", "example.org"),
        ("www.cs.ox.ac.uk", "ox.ac.uk"),
        ("www.bbc.co.uk", "bbc.co.uk"),
        ("a.b.com.au", "b.com.au"),
        ("www.uni.de", "uni.de"),
        ("a.k12.ca.us", "a.k12.ca.us"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),
        ("docs.a.github.io", "a.github.io"),
        ("b.github.io:8080", "b.github.io"),
        ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
        ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("crawl.intranet", "crawl.intranet"),
        ("www.crawl.intranet", "crawl.intranet"),
    ],
)
def test_a_domain_is_what_was_registered(host: str, domain: str) -> None:
    assert domain_of(Host(host)) == domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("co.uk", "co.uk"),
        ("com.au:8080", "com.au"),
        ("github.io", "github.io"),
        ("a.kawasaki.jp", "a.kawasaki.jp"),
        ("localhost", "localhost"),
        ("localhost:8080", "localhost"),
        ("192.168.0.1", "192.168.0.1"),
        ("192.168.0.1:8080", "192.168.0.1"),
        ("[::1]", "[::1]"),
        ("[2001:db8::1]:8080", "[2001:db8::1]"),
    ],
)
def test_a_host_below_no_domain_is_its_own(host: str, domain: str) -> None:
    assert domain_of(Host(host)) == domain


def test_a_canonical_name_has_the_domain_of_its_unicode_form() -> None:
    host = host_of(canonical("http://www.食狮.公司.cn/"))
    assert domain_of(host) == "xn--85x722f.xn--55qx5d.cn"


def test_recorded_urls_keep_their_names(shared: Path) -> None:
    """Only the case of escapes and default files may differ from what real servers were asked for."""
    count = changed = 0
    for _, raw in recorded(shared):
        count += 1
        url = canonical(raw)
        if url == raw or raw in default_files(url):
            continue
        changed += 1
        assert url.lower() == raw.lower()
    assert (count, changed) == (RECORDS, 34)
