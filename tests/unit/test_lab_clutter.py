"""Near-copies and traps: what they are called, and what stands on them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.labwebs import record_web, url

from lycosa.crawl.traps import NEAR
from lycosa.drive.clock import VirtualClock
from lycosa.lab.webs.clutter import Clutter, ClutteredVisitor, Copy, Trap
from lycosa.lab.webs.conditions import Conditions, visitor_under
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.records import Failure, Page, Request
from lycosa.model.url import Url, canonical
from lycosa.scoring.words.terms import counts

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
ALL = Clutter(copied=1.0, copies=2, traps=1.0)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> LabWeb:
    return open_web([record_web(tmp_path_factory.mktemp("web"))])


def visitor(web: LabWeb, litter: Clutter, excluded: tuple[str, ...] = ()) -> ClutteredVisitor:
    made = visitor_under(
        Conditions(litter=litter), web, lambda request, url: None, VirtualClock(), excluded=excluded
    )
    assert isinstance(made, ClutteredVisitor)
    return made


def visit(visitor: ClutteredVisitor, address: str) -> Page:
    found = asyncio.run(visitor(Request(url=Url(address), order=0)))
    assert isinstance(found, Page)
    return found


# -- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "number", "copy"),
    [
        ("http://a.test/x", 1, "http://a.test/x?print-version=1"),
        ("http://a.test/x?y=1", 3, "http://a.test/x?y=1&print-version=3"),
        ("http://a.test/x", 2, "http://mirror2.a.test/x"),
        ("https://a.test/", 4, "https://mirror4.a.test/"),
        ("http://192.0.2.7/x", 2, "http://192.0.2.7/x?print-version=2"),
        ("http://a.test:8080/x", 2, "http://a.test:8080/x?print-version=2"),
    ],
)
def test_copies_have_names_that_tell_their_pages(page: str, number: int, copy: str) -> None:
    made = Copy(page=Url(page), number=number)
    assert made.url == copy == canonical(copy)
    assert Copy.at(copy) == made


@pytest.mark.parametrize(
    "other",
    ["http://a.test/x", "http://mirror3.a.test/x", "http://a.test/x?print-version=2", "http://mirror.test/"],
)
def test_what_is_named_otherwise_is_no_copy(other: str) -> None:
    """The third copy stands on the page's own host, the second on another."""
    assert Copy.at(other) is None


def test_a_calendar_leads_to_later_months(web: LabWeb) -> None:
    page = Url("http://a.test/x")
    month = Trap.at("http://a.test/x?calendar-month=2026-11")
    assert month is not None
    assert month.page == page
    december, january, next_year = month.onward(None, ())  # type: ignore[arg-type] # it draws nothing
    assert december == "http://a.test/x?calendar-month=2026-12"
    assert january == "http://a.test/x?calendar-month=2027-01"
    assert next_year == "http://a.test/x?calendar-month=2027-11"


# -- pages ---------------------------------------------------------------------------------------------------


def test_a_page_links_to_a_copy_of_each_page_it_links_to_and_to_all_of_its_own(web: LabWeb) -> None:
    plain, littered = visit(visitor(web, Clutter()), url(8)), visit(visitor(web, ALL), url(8))
    assert plain.out == web.page(web.index(url(8)) or 0).out
    copies = [copy for link in littered.links if (copy := Copy.at(link.target))]
    assert {copy.page for copy in copies} == {*plain.out, url(8)}
    assert sorted(copy.number for copy in copies if copy.page == url(8)) == [1, 2]
    traps = [trap.page for link in littered.links if (trap := Trap.at(link.target))]
    assert traps == [url(8)]
    others = [link for link in littered.links if not Copy.at(link.target) and not Trap.at(link.target)]
    assert others == list(plain.links)
    assert len(littered.places) == len(littered.links)
    first, its_copy = littered.links[:2]
    assert (first.anchor, first.context) == (its_copy.anchor, its_copy.context)
    assert Copy.at(its_copy.target).page == first.target  # type: ignore[union-attr]


def test_a_copy_has_the_text_and_links_of_its_page_and_a_few_words_more(web: LabWeb) -> None:
    found = visitor(web, ALL)
    page, copy = visit(found, url(8)), visit(found, Copy(page=url(8), number=2).url)
    assert copy.final_url == copy.request.url == Copy(page=url(8), number=2).url
    text, _, more = copy.text.rpartition("\n")
    assert text == page.text
    assert len(more.split()) == 2
    assert set(more.split()) <= set(page.text.split())
    assert copy.terms == {
        term: page.terms.get(term, 0) + counts(more).get(term, 0) for term in {*page.terms, *counts(more)}
    }
    assert set(copy.out) == {*page.out, url(8)} - {copy.final_url}
    assert {link.source for link in copy.links} == {copy.final_url}
    assert web.index(copy.final_url) is None  # no target, whatever the judge wants


def test_copies_are_near_and_traps_are_not() -> None:
    """By the fingerprints by which crawls know near-duplicates; pages of some hundred words."""
    web = open_web([SAMPLE])
    found = visitor(web, ALL)
    pages = [visit(found, web.urls[number]) for number in range(0, len(web), 10)]
    copies = [visit(found, Copy(page=page.final_url, number=1).url) for page in pages]
    traps = [visit(found, next(url for url in page.out if Trap.at(url))) for page in pages]

    def near(others: list[Page]) -> float:
        pairs = zip(pages, others, strict=True)
        return sum((a.fingerprint ^ b.fingerprint).bit_count() <= NEAR for a, b in pairs) / len(pages)

    assert near(copies) > 0.8
    assert near(traps) < 0.2


def test_a_page_of_a_trap_has_a_third_of_the_page_that_led_there() -> None:
    found = visitor(open_web([SAMPLE]), ALL)
    page = visit(found, found.visitor.view.web.urls[0])  # type: ignore[attr-defined]
    entrance = next(url for url in page.out if Trap.at(url))
    trap = visit(found, entrance)
    words = len(page.text.split())
    assert words / 3 - 25 <= len(trap.text.split()) <= words / 3 + 25
    assert set(trap.text.split()) <= set(page.text.split())
    assert trap.terms == counts(f"{page.title}\n{trap.text}")
    assert page.final_url in trap.out
    assert all((Trap.at(url) or trap).page == page.final_url for url in trap.out if url != page.final_url)  # type: ignore[union-attr]


def test_what_is_made_of_a_page_that_fails_fails_too(web: LabWeb) -> None:
    hidden = visitor(web, ALL, excluded=(url(8),))
    for address in (Copy(page=url(8), number=1).url, Url(f"{url(8)}?calendar-month=2026-01")):
        failure = asyncio.run(hidden(Request(url=address, order=3)))
        assert isinstance(failure, Failure)
        assert failure.request.url == failure.final_url == address
        assert failure.hops == ()


def test_no_more_copies_than_asked_for(web: LabWeb) -> None:
    found = visitor(web, ALL)
    for address in (Copy(page=url(8), number=3).url, Copy(page=url(8), number=4).url):
        assert isinstance(asyncio.run(found(Request(url=address, order=0))), Failure)


def test_latencies_are_those_of_the_pages(web: LabWeb) -> None:
    found = visitor(web, ALL)
    for address in (Copy(page=url(8), number=2).url, Url(f"{url(8)}?calendar-month=2026-01")):
        assert found.latency(address) == found.latency(url(8)) == web.latency(url(8))
