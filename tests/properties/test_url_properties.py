"""What holds of every URL, whatever is thrown at the parser."""

from __future__ import annotations

import re

import ada_url
from hypothesis import assume, example, given
from hypothesis import strategies as st

from lycosa.model.errors import InputError
from lycosa.model.url import UrlProfile, _is_canonical, canonical, host_of, origin_of, page_id, surt

PROFILES: list[UrlProfile] = ["default", "strict", "s1"]
SHAPE = re.compile(r"https?://[^/?#@\s]+/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-F]{2})*")

_pieces = st.sampled_from(
    [
        "/",
        "//",
        ".",
        "..",
        "%2e",
        "%2E%2e",
        "%",
        "%7e",
        "%7E",
        "%25",
        "%32%35",
        "~",
        "?",
        "&",
        "=",
        "#",
        "a",
        "É",
        "index.html",
        "/index.htm",
        "ind%65x.html",
        " ",
        "\\",
        "\t",
        "@",
        ":",
        ":80",
        ";",
        "|",
        "[",
        "]",
        "^",
        "%c3%a9",
    ]
)
_hosts = st.sampled_from(
    [
        "example.org",
        "EXAMPLE.org",
        "bücher.example",
        "u:p@h.example",
        "h.example:80",
        "[::1]",
        "127.1",
        "x_y.example.",
    ]
)
urls = st.builds(
    lambda scheme, host, rest: f"{scheme}://{host}{''.join(rest)}",
    st.sampled_from(["http", "https", "HTTP"]),
    _hosts,
    st.lists(_pieces, max_size=10),
)
anything = st.one_of(
    urls, st.text(max_size=40), st.text(max_size=20).map(lambda text: "http://h.example/" + text)
)


@given(anything, st.sampled_from(PROFILES))
@example("http://h.example/%%32%35", "default")
@example("http://h.example/index.html/index.html", "default")
@example("http://h.example/%2e%2e%2f", "default")
def test_canonical_is_a_fixed_point(raw: str, profile: UrlProfile) -> None:
    try:
        url = canonical(raw, profile=profile)
    except InputError:
        return
    assert canonical(url, profile=profile) == url


@given(
    st.sampled_from(["http://", "https://"]),
    st.lists(
        st.sampled_from(["a", "b-c.", "xn--", "0x1", "1.2.3.4", "256", "01", ".", "-"]),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["/", ":80/", ":443/", ":8080/", ":0/", ":70000/"]),
    st.lists(_pieces | st.sampled_from(["b/c", "'", "x=y"]), max_size=6),
)
@example("http://", ["example.org"], "/", ["a/b.html?c=d"])
@example("https://", ["1.2.3.4"], ":8080/", ["'"])
def test_what_is_plainly_canonical_is_so(scheme: str, host: list[str], port: str, rest: list[str]) -> None:
    """Seen from another URL, where all is asked, it is the same."""
    raw = "".join((scheme, *host, port, *rest))
    if _is_canonical(raw):
        assert canonical(raw, "http://other.example/") == raw == canonical(raw)


def test_most_urls_are_plainly_canonical() -> None:
    assert all(
        map(_is_canonical, ["http://example.org/a/b.html?c=d", "https://1.2.3.4:8080/~o'/", "http://a-b.c/"])
    )
    assert not any(
        map(
            _is_canonical,
            ["http://1.2/", "http://a.b:80/", "http://a.b/./c", "http://xn--a.b/", "http://a.b"],
        )
    )


@given(anything)
def test_canonical_is_parseable_and_plain(raw: str) -> None:
    try:
        url = canonical(raw)
    except InputError:
        return
    assert SHAPE.fullmatch(url)
    assert ada_url.check_url(url)
    assert url.startswith(origin_of(url) + "/")
    assert len(page_id(url)) == 32


@given(st.text(max_size=60), urls)
def test_any_link_resolves_or_is_refused(link: str, base: str) -> None:
    try:
        url = canonical(link, base)
    except InputError:
        return
    assert canonical(url, base) == url


@given(urls)
def test_host_is_changed_only_as_whatwg_does(raw: str) -> None:
    assume(ada_url.check_url(raw))
    assert host_of(canonical(raw)) == ada_url.URL(raw).host


@given(urls, st.text(alphabet="abc/?#%", max_size=8))
def test_spellings_of_one_page_have_one_name(raw: str, fragment: str) -> None:
    assume(ada_url.check_url(raw) and "#" not in raw and raw == raw.strip())
    url = canonical(raw)
    assert canonical(f"  {raw}#{fragment}") == url
    assert canonical(url.replace("~", "%7e")) == url
    assert canonical(url.replace("http", "HTTP", 1)) == url


@given(anything)
def test_surt_takes_anything(raw: str) -> None:
    key = surt(raw)
    assert key == "-" or ")" in key or ":" in key


@given(urls)
def test_scheme_and_www_do_not_matter_to_the_key(raw: str) -> None:
    assume(ada_url.check_url(raw))
    url = canonical(raw)
    scheme, rest = url.split("://", 1)
    if not re.match(r"[^/]*:\d", rest):
        assert surt(f"{'https' if scheme == 'http' else 'http'}://{rest}") == surt(url)
