"""What may be done with a page: each vocabulary by the examples of its specification."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.crawl.preferences import dictionary, signals, usage
from lycosa.crawl.rights import NEEDS, quoted, refused
from lycosa.drive.page import page_of
from lycosa.model.records import Millis, Request, Response
from lycosa.model.rights import VERSIONS, Place, Purpose, Rights, Use
from lycosa.model.url import Url
from lycosa.read.rights import (
    directives,
    may_speak,
    of_headers,
    of_markup,
    reservation,
    shown_until,
    snippet_limit,
)
from lycosa.store.codec import pack_rights, unpack_rights
from lycosa.web.robots import Robots

URL = Url("http://site.test/page")


def said(rights: Rights) -> dict[Use, bool | None]:
    return {use: each.allowed for each in rights for use in each.uses}


def answer(*headers: tuple[str, str], body: str = "<p>Words.</p>") -> Response:
    return Response(
        url=URL,
        status=200,
        headers=(("Content-Type", "text/html"), *headers),
        body=body.encode(),
        fetched_at=Millis(0),
    )


def read(response: Response) -> Rights:
    return page_of(Request(url=URL, order=1), response, None).rights


# -- AIPREF: draft-ietf-aipref-vocab, sections 6 and 6.5; draft-ietf-aipref-attach, section 3.4 ---------


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("train-ai=n", {"ai-train": False}),
        ("train-ai=y, search=n", {"ai-train": True, "search": False}),
        ('train-ai=y, train-ai, search=n, search="n"', {}),  # the last value counts, and neither is a token
        ("train-ai;allow=n, train-ai=y", {"ai-train": True}),
        ('train-ai;has;parameters="?"', {}),
        ("Train-AI=n", {}),  # keys are case sensitive, so the dictionary fails as a whole
        ("train-ai=n, SEARCH=y", {}),
        ("train-ai=n,", {}),  # RFC 9651, 4.2.2: no comma at the end
        ("train-ai=maybe, search=y", {"search": True}),
        ("unknown=n, train-ai=n", {"ai-train": False}),
        ("train-ai=(y n), search=n;x=1.5", {"search": False}),
        ("", {}),
    ],
)
def test_aipref(statement: str, expected: dict[Use, bool]) -> None:
    assert said(usage(statement, "header")) == expected


def test_a_statement_may_not_be_endless() -> None:
    assert dictionary("a=1, " * 5_000 + "b=2") == {}


EXAMPLE = b"""User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("lycosa", "/test", False),
        ("lycosa", "/ai-ok/test", True),
        ("ExampleBot", "/test", True),
        ("ExampleBot", "/ai-ok/test", True),
    ],
)
def test_aipref_in_robots_txt(agent: str, path: str, allowed: bool) -> None:
    robots = Robots.parse(EXAMPLE)
    assert said(robots.rights(agent, f"http://site.test{path}")) == {"ai-train": allowed}
    assert not robots.allowed("lycosa", "http://site.test/never/test")


def test_of_equal_paths_the_stricter_counts() -> None:
    robots = Robots.parse(b"User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n\n")
    rule = refused(robots.rights("lycosa", "http://site.test/a"), "ai-train")
    assert rule is not None
    assert rule.written == "Content-Usage: /a train-ai=n"


def test_a_preference_decides_nothing_of_access() -> None:
    """Other parsers pass over the line, so it may not part the crawlers of a group."""
    robots = Robots.parse(b"User-agent: a\nContent-Usage: train-ai=n\nUser-agent: b\nDisallow: /x\n")
    assert not robots.allowed("a", "http://site.test/x")
    assert not robots.allowed("b", "http://site.test/x")


def test_a_path_may_hold_wildcards() -> None:
    robots = Robots.parse(b"User-agent: *\nContent-Usage: /*.pdf$ train-ai=n\n")
    assert said(robots.rights("lycosa", "http://site.test/a/b.pdf")) == {"ai-train": False}
    assert said(robots.rights("lycosa", "http://site.test/a/b.html")) == {}


# -- content signals ---------


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "search=yes, ai-train=no",
            {"search": True, "ai-train": False},
        ),  # ai-input: neither granted nor restricted
        ("search=yes,ai-train=no,ai-input=no", {"search": True, "ai-train": False, "ai-input": False}),
        ("AI-Train=No", {"ai-train": False}),
        ("ai-train=yes, ai-train=no", {"ai-train": False}),
        ("ai-train=conditional, other=no", {}),
    ],
)
def test_content_signals(statement: str, expected: dict[Use, bool]) -> None:
    assert said(signals(statement, "header")) == expected


def test_content_signals_in_robots_txt() -> None:
    robots = Robots.parse(b"User-Agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n")
    assert said(robots.rights("lycosa", URL)) == {"search": True, "ai-train": False}


# -- TDMRep: sections 5 and 6 ---------


@pytest.mark.parametrize(
    ("value", "expected"), [("1", {"mining": False}), ("0", {"mining": True}), ("2", {}), ("true", {})]
)
def test_tdmrep_in_a_header(value: str, expected: dict[Use, bool]) -> None:
    assert said(of_headers(answer(("tdm-reservation", value)))) == expected


def test_tdmrep_in_a_page() -> None:
    found = read(
        answer(
            body='<meta name="tdm-reservation" content="1">'
            '<meta name="tdm-policy" content="https://provider.com/policies/policy.json"><p>Words.'
        )
    )
    assert said(found) == {"mining": False}
    assert found[0].written == "tdm-reservation: 1; tdm-policy: https://provider.com/policies/policy.json"


def test_of_tdmrep_what_stands_nearer_counts() -> None:
    """Processing priority: the page over the header, whichever is the stricter."""
    page = '<meta name="tdm-reservation" content="{}"><p>Words.'
    assert refused(read(answer(("TDM-Reservation", "1"), body=page.format(0))), "ai-train") is None
    assert refused(read(answer(("TDM-Reservation", "0"), body=page.format(1))), "ai-train") is not None


# -- robots, licences ---------


@pytest.mark.parametrize(
    ("directive", "purposes"),
    [
        ("noarchive", {"archive"}),
        ("noai", {"ai-input", "ai-train"}),
        ("nosnippet", {"ai-input"}),
        ("noimageai", set()),
        ("noindex", set()),
        ("unavailable_after: 25 jun 2010 15:00:00 pst", set()),
        ("nofollow", set()),
    ],
)
def test_which_purposes_a_directive_refuses(directive: str, purposes: set[Purpose]) -> None:
    rights = directives([directive], "meta")
    assert {purpose for purpose in NEEDS if refused(rights, purpose)} == purposes


def test_directives_for_others_are_not_ours() -> None:
    assert said(of_headers(answer(("X-Robots-Tag", "otherbot: noai")))) == {}
    assert said(of_headers(answer(("X-Robots-Tag", "lycosa: noarchive")))) == {"archive": False}


@pytest.mark.parametrize(
    ("asked", "limit"),
    [(["max-snippet:20", "max-snippet:10"], 10), (["nosnippet"], 0), (["max-snippet:-1"], None), ([], None)],
)
def test_how_much_may_be_shown(asked: list[str], limit: int | None) -> None:
    assert snippet_limit(directives(asked, "meta")) == limit


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", 1_277_506_800),
        ("unavailable_after: Sunday, 06-Nov-94 08:49:37 GMT, noarchive", 784_111_777),
        ("NOARCHIVE,Unavailable_After : Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("unavailable_after: 1994-11-06T08:49:37Z", 784_111_777),
        ("unavailable_after: 1994-11-06T09:49:37+01:00", 784_111_777),
        ("unavailable_after: 1970-01-01", 0),
        ("unavailable_after: 1994-11-07, unavailable_after: 1994-11-06T08:49:37Z", 784_111_777),
        ("unavailable_after: soon", None),
        ("unavailable_after: 99999-01-01", None),
        ("unavailable_after", None),
        ("noarchive", None),
    ],
)
def test_until_when_a_page_may_be_found(said: str, until: int | None) -> None:
    """The formats are those that Google names: RFC 822, RFC 850 and ISO 8601."""
    expected = None if until is None else until * 1000
    assert shown_until(of_markup({"robots": said}, ())) == expected
    assert shown_until(of_headers(answer(("X-Robots-Tag", said)))) == expected


def test_the_comma_of_a_date_hides_no_directive() -> None:
    rights = of_headers(
        answer(("X-Robots-Tag", "unavailable_after: Fri, 06 Nov 2099 08:49:37 GMT, nosnippet"))
    )
    assert snippet_limit(rights) == 0
    assert of_headers(answer(("X-Robots-Tag", "unavailable_after: friend, noai"))) != ()
    assert said(of_headers(answer(("X-Robots-Tag", "unavailable_after: friday , noai")))) == {}


def test_licences_are_recorded() -> None:
    cc = "https://creativecommons.org/licenses/by/4.0/"
    found = read(
        answer(
            ("Link", '<https://site.test/l.xml>; rel="license"; type="application/rsl+xml"'),
            body=f'<link rel="license" type="application/rsl+xml" href="/rsl.xml"><p><a rel="license" href="{cc}">CC',
        )
    )
    assert [(each.vocabulary, each.place, each.written) for each in found] == [
        ("RSL", "header", "license: https://site.test/l.xml"),
        ("RSL", "link", "license: /rsl.xml"),
        ("licence", "link", f"license: {cc}"),
    ]
    assert all(refused(found, purpose) is None for purpose in NEEDS)


def test_rsl_in_robots_txt() -> None:
    robots = Robots.parse(b"License: https://example.com/license.xml\n\nUser-agent: Googlebot\nAllow: /\n")
    (rule,) = robots.rights("lycosa", URL)
    assert quoted(rule) == "robots.txt: License: https://example.com/license.xml (RSL, 1.0)"


@pytest.mark.parametrize(
    ("body", "may"),
    [
        (b'<meta name=robots content="NoAI">', True),
        ("<meta name=robots content=noai>".encode("utf-16"), True),
        (b"<p>Words.", False),
    ],
)
def test_most_pages_need_not_be_read_to_be_judged(body: bytes, may: bool) -> None:
    assert may_speak(body) == may


# -- told ---------


def test_the_page_on_rights_has_the_tables_of_the_code() -> None:
    page = (Path(__file__).parents[2] / "docs/explanation/rights.md").read_text()
    for vocabulary, version in VERSIONS.items():
        assert f"| {vocabulary} | {version} |" in page
    for purpose, uses in NEEDS.items():
        assert f"| `{purpose}` | {', '.join(sorted(uses)) or 'nothing'} |" in page


# -- kept ---------


@pytest.mark.parametrize("place", ["header", "meta"])
def test_rights_come_back_from_the_journal(place: Place) -> None:
    rights = reservation("1", "http://site.test/policy", place) + directives(["noai"], place)
    assert unpack_rights(pack_rights(rights)) == rights
    assert pack_rights(()) is None
    assert unpack_rights(None) == ()
