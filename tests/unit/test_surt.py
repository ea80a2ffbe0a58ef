"""Keys of web archives, by the rules of the Internet Archive."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.recordings import RECORDS, recorded

from lycosa.model.url import surt

SESSION = "0123456789abcdefghijklemopqrstuv"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://archive.org/", "org,archive)/"),
        ("http://www.archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"),
        (
            f"http://archive.org/index.php?PHPSESSID={SESSION}&action=profile;u=4221",
            "org,archive)/index.php?action=profile;u=4221",
        ),
        ("http://host/%25%32%35", "host)/%25"),
        ("http://3279880203/blah", "11,0,127,195)/blah"),
        ("B\u00fccher.ch:8080", "ch,xn--bcher-kva:8080)/"),
        ("http://archive.org/goo/", "org,archive)/goo"),
        ("http://archive.org/goo/?", "org,archive)/goo"),
        ("http://archive.org/goo/?b&a", "org,archive)/goo?a&b"),
        ("http://www12.archive.org/GOO?X=Y", "org,archive)/goo?x=y"),
        ("http://www2go.archive.org/", "org,archive,www2go)/"),
        ("https://archive.org:443/a//b/../c#d", "org,archive)/a/c"),
        ("http://archive.org:443/", "org,archive:443)/"),
        ("http://archive.org/?a=1&", "org,archive)/?&a=1"),
        (f"http://archive.org/?jsessionid={SESSION}", "org,archive)/"),
        (f"http://archive.org/?a=1&sid={SESSION}&b=2", "org,archive)/?a=1&b=2"),
        ("http://archive.org/?sid=short", "org,archive)/?sid=short"),
        ("http://archive.org/?ASPSESSIONIDABCDEFGH=" + "a" * 24 + "&x", "org,archive)/?x"),
        ("http://archive.org/?cfid=1&cftoken=2&x=3", "org,archive)/?x=3"),
        ("http://a.org/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx", "org,a)/mileg.aspx"),
        ("http://a.org/(4hqa0555fwsecu455xqckv45)/mileg.aspx", "org,a)/mileg.aspx"),
        (
            "http://a.org/(4hqa0555fwsecu455xqckv45)/mileg.html",
            "org,a)/(4hqa0555fwsecu455xqckv45)/mileg.html",
        ),
        ("http://a.org/é%20~|", "org,a)/%c3%a9%20~|"),
        ("http://user:secret@a.org/", "org,a)/"),
        ("http://a.org", "org,a)/"),
        ("dns:archive.org", "org,archive)"),
        ("warcinfo:foo.warc.gz", "warcinfo:foo.warc.gz"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("", "-"),
    ],
)
def test_known_keys(url: str, key: str) -> None:
    assert surt(url) == key


def test_keys_equal_those_of_the_recorded_webs(shared: Path) -> None:
    records = list(recorded(shared))
    assert len(records) == RECORDS
    for key, url in records:
        assert surt(url) == key
