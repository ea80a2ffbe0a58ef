"""Where a crawl may go, and what it says where it may not."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.compose.parts import scope_of
from lycosa.crawl.scope import Scope
from lycosa.model.errors import InputError
from lycosa.model.url import Url, canonical
from lycosa.spec.tree import CrawlSpec, ScopeSpec

PAGE = canonical("http://www.example.org:8080/docs/a.html?x=1")


@pytest.mark.parametrize(
    ("scope", "url", "admitted"),
    [
        (Scope(), "http://anything.example/x", True),
        (Scope(), "https://anything.example/x", True),
        (Scope(schemes=("https",)), "http://a.example/", False),
        (Scope(hosts=("www.example.org:8080",)), PAGE, True),
        (Scope(hosts=("www.example.org",)), PAGE, False),
        (Scope(hosts=("EXAMPLE.org",)), "http://example.org/", True),
        (Scope(hosts=("example.org",)), "http://www.example.org/", False),
        (Scope(domains=("example.org",)), PAGE, True),
        (Scope(domains=("example.org",)), "http://example.org/", True),
        (Scope(domains=("example.org",)), "http://badexample.org/", False),
        (Scope(domains=(".Example.org",)), "http://a.example.org/", True),
        (Scope(surts=("org,example:8080)/docs",)), PAGE, True),
        (Scope(surts=("org,example)/docs",)), PAGE, False),
        (Scope(surts=("org,example)/docs",)), "http://www.example.org/Docs/x", True),
        (Scope(surts=("org,example,",)), "http://a.b.example.org/", True),
        (Scope(hosts=("a.example",), domains=("example.org",)), "http://b.example.org/", True),
        (Scope(include=(r"/docs/",)), PAGE, True),
        (Scope(include=(r"/docs/$", r"\.pdf$")), PAGE, False),
        (Scope(exclude=(r"x=\d",)), PAGE, False),
        (Scope(hosts=("www.example.org:8080",), exclude=(r"\.pdf$",)), PAGE, True),
        (Scope(hosts=("a.example",), include=(r"docs",)), PAGE, False),
        (Scope(ports=()), PAGE, False),
        (Scope(ports=(8081,)), PAGE, False),
        (Scope(ports=(8080,)), PAGE, True),
        (Scope(ports=()), "http://a.example/", True),
        (Scope(ports=()), "https://a.example/", True),
        (Scope(ports=()), "http://a.example:443/", True),
        (Scope(ports=()), "http://[2001:db8::25]/", True),
        (Scope(ports=()), "http://[2001:db8::1]:25/", False),
    ],
)
def test_rules(scope: Scope, url: str, admitted: bool) -> None:
    assert (scope.refuses(Url(url), 3) is None) is admitted


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (Scope(schemes=("https",)), "scheme http is not among https"),
        (Scope(ports=()), "port 8080 is neither 80, 443 nor that of a start page; --port 8080 lets it in"),
        (Scope(max_depth=2), "3 links from the start pages, the scope ends at 2"),
        (Scope(hosts=("a.example",)), "www.example.org:8080 is outside the hosts"),
        (Scope(domains=("a.example",), surts=("x",)), "outside the domains and SURT prefixes"),
        (Scope(exclude=("docs", "x=")), "excluded pattern 'docs'"),
        (Scope(include=("nothing",)), "none of the included"),
    ],
)
def test_reasons_name_the_rule(scope: Scope, said: str) -> None:
    assert said in (scope.refuses(PAGE, 3) or "")


def test_depth_counts_links_from_the_start_pages() -> None:
    assert Scope(max_depth=0).refuses(PAGE, 0) is None
    assert Scope(max_depth=0).refuses(PAGE, 1) is not None
    assert Scope().refuses(PAGE, 1_000_000) is None


def test_a_bad_pattern_is_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"scope\.exclude: '\('"):
        Scope(exclude=("(",))


def test_around_start_pages() -> None:
    seeds = [
        canonical("http://www.cs.example.ac.uk/a"),
        canonical("http://example.org/"),
        canonical("http://example.org/b"),
    ]
    assert Scope.around(seeds) == Scope(hosts=("www.cs.example.ac.uk", "example.org"))
    assert Scope.around(seeds, "domain") == Scope(domains=("example.ac.uk", "example.org"))
    for scope in (Scope.around(seeds), Scope.around(seeds, "domain")):
        assert all(scope.refuses(seed, 0) is None for seed in seeds)


@pytest.mark.parametrize(
    "seed", ["http://[2001:db8::1]:8080/a", "http://192.168.0.1:8080/a", "http://localhost/"]
)
def test_around_a_host_without_a_domain(seed: str) -> None:
    assert Scope.around([canonical(seed)], "domain").refuses(canonical(seed), 0) is None


def test_around_one_of_many_sites_below_a_public_suffix() -> None:
    scope = Scope.around([canonical("http://a.github.io/")], "domain")
    assert scope.refuses(canonical("http://docs.a.github.io/"), 0) is None
    assert scope.refuses(canonical("http://b.github.io/"), 0) is not None


_words = st.lists(st.sampled_from(["docs", "x=1", "a", "org", "nothing"]), max_size=2).map(tuple)


@given(_words, _words, st.sampled_from(["docs", "org", "zzz"]), st.integers(0, 5), st.integers(0, 5))
def test_more_exclusion_never_admits_more(
    include: tuple[str, ...], exclude: tuple[str, ...], more: str, depth: int, limit: int
) -> None:
    wide = Scope(include=include, exclude=exclude, max_depth=limit)
    narrow = msgspec.structs.replace(
        wide, exclude=(*exclude, more), max_depth=max(0, limit - 1), ports=(8081,)
    )
    if wide.refuses(PAGE, depth) is not None:
        assert narrow.refuses(PAGE, depth) is not None


@pytest.mark.parametrize(
    ("spec", "ports"),
    [
        (CrawlSpec(seeds=("a.example",)), [80, 443]),
        (CrawlSpec(seeds=("http://127.0.0.1:8080/a", "https://b.example:8443/")), [80, 443, 8080, 8443]),
        (CrawlSpec(sitemaps=("http://a.example:81/s.xml",)), [80, 81, 443]),
        (CrawlSpec(scope=ScopeSpec(hosts=("a.example:82",))), [80, 82, 443]),
        (CrawlSpec(scope=ScopeSpec(prefixes=("org,example:83)/docs",))), [80, 83, 443]),
        (CrawlSpec(scope=ScopeSpec(ports=(84,))), [80, 84, 443]),
    ],
)
def test_only_ports_that_somebody_named_are_asked(spec: CrawlSpec, ports: list[int]) -> None:
    scope = msgspec.structs.replace(scope_of(spec), hosts=(), surts=())
    asked = [port for port in range(1, 9999) if not scope.refuses(canonical(f"http://x.example:{port}/"), 1)]
    assert asked == ports


@pytest.mark.parametrize("spec", [CrawlSpec(web="recorded:x"), CrawlSpec(scope=ScopeSpec(ports=(0,)))])
def test_any_port_is_asked_where_nobody_is_behind_it_or_the_user_says_so(spec: CrawlSpec) -> None:
    assert scope_of(spec).ports is None
