"""Kinds of variants: the name of a page without what a kind varies."""

from __future__ import annotations

import pytest

from lycosa.crawl.variants import (
    ALWAYS,
    CASE,
    EXTENSION,
    INDEX,
    PARAMETER,
    SESSION,
    SHAPES,
    SLASH,
    TRACKING,
    WWW,
    parameters,
    site_of,
    without,
)
from lycosa.model.url import Url


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (WWW, "http://www.a.test/x", "http://a.test/x"),
        (CASE, "http://a.test/About", "http://a.test/about"),
        (INDEX, "http://a.test/d/index.php", "http://a.test/d/"),
        (INDEX, "http://a.test/d/Default.aspx?x=1", "http://a.test/d/?x=1"),
        (INDEX, "http://a.test/index", "http://a.test/"),
        (EXTENSION, "http://a.test/d/page.php?x=1", "http://a.test/d/page?x=1"),
        (SLASH, "http://a.test/d/", "http://a.test/d"),
        (TRACKING, "http://a.test/d?utm_source=a&x=1&gclid=b", "http://a.test/d?x=1"),
        (TRACKING, "http://a.test/d?fbclid=b", "http://a.test/d"),
        (SESSION, "http://a.test/d?x=1&PHPSESSID=0a", "http://a.test/d?x=1"),
        (SESSION, "http://a.test/d;jsessionid=0a.b1?x=1", "http://a.test/d?x=1"),
        (PARAMETER + "page", "http://a.test/d?page=2&x=1", "http://a.test/d?x=1"),
        (PARAMETER + "p#_id", "http://a.test/d?p17_id=2", "http://a.test/d"),
    ],
)
def test_a_kind_makes_variants_equal_and_no_other_kind_does(kind: str, one: str, other: str) -> None:
    assert without(Url(one), {kind}) == without(Url(other), {kind})
    assert without(Url(one), SHAPES - {kind}) != without(Url(other), SHAPES - {kind})


def test_the_scheme_is_no_difference_on_any_site_and_a_port_is() -> None:
    assert without(Url("https://a.test/x"), ALWAYS) == without(Url("http://a.test/x"), ALWAYS) == "a.test/x"
    assert without(Url("https://a.test/x?y=1"), ALWAYS) == without(Url("http://a.test/x?y=1"), ALWAYS)
    assert site_of(Url("https://www.a.test:8443/x")) == "a.test:8443"


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/",
        "http://a.test/indexes.html/x",
        "http://a.test/myindex",
        "http://a.test/.html",
        "http://a.test/v1.2",
        "http://a.test/a.txt",
        "http://a.test/d?utmost=1&sid=5",
    ],
)
def test_what_only_looks_like_a_variant_stays(url: str) -> None:
    assert without(Url(url), {INDEX, EXTENSION, TRACKING, SESSION}) == url


def test_parameters_are_kinds_with_values_but_those_that_never_count_and_not_too_many() -> None:
    url = Url("http://a.test/d?x=1&utm_id=2&y&p3=4")
    assert list(parameters(url)) == [(PARAMETER + "x", "1"), (PARAMETER + "y", ""), (PARAMETER + "p#", "4")]
    assert list(parameters(Url("http://a.test/d?a&b&c&d&e&f&g"))) == []
    assert list(parameters(Url("http://a.test/d"))) == []
