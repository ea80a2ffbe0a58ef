"""Copies of pages in other languages: what a page names, what is fetched no more, and what still is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.diaries import Diary
from tests.worlds import made_page, u

from lycosa.crawl.gate import Gate
from lycosa.crawl.scope import Scope
from lycosa.crawl.translations import MOST, Translations
from lycosa.crawl.traps import Traps
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.commands import Enqueue
from lycosa.model.records import Link, Page, Request
from lycosa.model.url import Url
from lycosa.read.html import read
from lycosa.read.walk import MAX_ALTERNATES

EN, DE, AT, FR, ALL = (Url(f"http://{host}.a.test/page") for host in ("en", "de", "at", "fr", "all"))
NAMED = (("en", EN), ("de", DE), ("de-at", AT), ("fr", FR), ("x-default", ALL))


def page(url: Url, *alternates: tuple[str, Url], language: str = "") -> Page:
    return made_page(Request(url=url, order=0), alternates=alternates, language=language)


def after(*pages: Page, languages: tuple[str, ...] = ("de",)) -> Translations:
    translations = Translations(languages)
    for each in pages:
        translations.seen(each)
    return translations


def refused(translations: Translations, *urls: Url) -> set[Url]:
    return {url for url in urls if translations.refuses(url)}


# -- what a page names -------------------------------------------------------------------------------------------


def test_a_page_names_its_copies() -> None:
    source = """<link rel=alternate hreflang=en-GB href=/en><link rel="Alternate" hreflang=" DE " href="http://b.test/de">
    <link rel=alternate hreflang=x-default href=/><link rel=alternate hreflang="en_US" href=/us>
    <link rel=alternate hreflang=fr href="mailto:a@b.test"><link rel=alternate hreflang=it>
    <link rel=alternate type="application/rss+xml" hreflang=es href=/feed><link rel=stylesheet hreflang=pt href=/s>
    <link rel=alternate media=print href=/print><p>Words."""
    found = read(source.encode(), "http://a.test/page")
    assert found.alternates == (
        ("en-gb", "http://a.test/en"),
        ("de", "http://b.test/de"),
        ("x-default", "http://a.test/"),
    )
    assert found.feed == "http://a.test/feed"
    assert not found.links, "they are none of the links"


def test_no_page_names_endless_copies() -> None:
    source = "".join(f"<link rel=alternate hreflang=de href=/{number}>" for number in range(1_000))
    assert len(read(source.encode(), "http://a.test/").alternates) == MAX_ALTERNATES


def test_the_archive_gives_them_back(tmp_path: Path) -> None:
    """The journal does not keep them, and a replay needs them."""
    with Diary(tmp_path / "crawl") as diary:
        diary.page(DE, 1_000, "Die Spinne.", head=f'<link rel=alternate hreflang=en href="{EN}">')
    with CrawlFolder.open(tmp_path / "crawl") as folder:
        found = folder.whole(DE)
    assert found is not None
    assert found.alternates == (("en", EN),)


# -- what is fetched ---------------------------------------------------------------------------------------------


def test_copies_in_other_languages_are_not_wanted() -> None:
    translations = after(page(DE, *NAMED))
    assert refused(translations, EN, DE, AT, FR, ALL) == {EN, FR}
    assert translations.refuses(EN) == f"{DE} names it as its copy in en (hreflang); pages in de are wanted"


def test_several_languages_may_be_wanted() -> None:
    assert refused(after(page(DE, *NAMED), languages=("de", "fr")), EN, FR) == {EN}


@pytest.mark.parametrize(
    ("named", "language", "believed"),
    [
        ((("en", EN), ("fr", FR)), "", False),  # it is to be had in no wanted language
        ((("en", EN), ("fr", FR), ("x-default", ALL)), "en", False),
        ((("en", EN), ("fr", FR)), "de", True),
        ((("en", EN), ("de", DE), ("fr", FR)), "en", True),
    ],
)
def test_a_page_is_believed_if_it_is_to_be_had_as_wanted(
    named: tuple[tuple[str, Url], ...], language: str, believed: bool
) -> None:
    assert refused(after(page(ALL, *named, language=language)), FR) == ({FR} if believed else set())


def test_the_page_itself_is_wanted_whatever_it_calls_itself() -> None:
    assert not refused(after(page(DE, ("en", DE), language="de")), DE)


def test_no_site_keeps_the_pages_of_others_out() -> None:
    other = Url("http://other.test/")
    assert not refused(after(page(DE, ("de", DE), ("en", other))), other)


def test_of_pages_that_differ_the_one_that_wants_it_counts() -> None:
    assert not refused(after(page(DE, ("de", DE), ("fr", FR)), page(EN, ("en", EN), ("de", FR))), FR)


def test_the_gate_asks_of_links_only() -> None:
    gate = Gate(Scope(), Traps(), translations=Translations(("de",)))
    gate.seen(page(DE, *NAMED))
    link = Link(source=DE, target=EN)
    assert gate.refuses(Enqueue(url=EN, via=link), 1)
    assert gate.refuses(Enqueue(url=EN), 0) is None, "a start page"
    again = Gate(Scope(), Traps(), translations=Translations(("de",)))
    again.load(gate.save())
    assert again.refuses(Enqueue(url=EN, via=link), 1)


def test_a_crawl_that_an_earlier_version_began_goes_on_as_it_was() -> None:
    gate = Gate(Scope(), Traps(), translations=Translations(("de",)))
    gate.load(Gate(Scope(), Traps()).save())
    gate.seen(page(DE, *NAMED))
    assert gate.refuses(Enqueue(url=EN, via=Link(source=DE, target=EN)), 1) is None


# -- invariants --------------------------------------------------------------------------------------------------

URLS = st.integers(0, 9).map(lambda number: u(f"a/{number}"))
PAGES = st.lists(
    st.builds(
        lambda url, named, language: page(url, *named, language=language),
        URLS,
        st.lists(st.tuples(st.sampled_from(["de", "de-at", "en", "fr", "x-default"]), URLS), max_size=5),
        st.sampled_from(["", "de", "en"]),
    ),
    max_size=8,
)


@given(PAGES)
def test_wanted(pages: list[Page]) -> None:
    translations = Translations(("de",))
    for each in pages:
        translations.seen(each)
        fitting = {url for language, url in each.alternates if language in ("de", "de-at")}
        if each.alternates and (fitting or each.language == "de"):
            default = {url for language, url in each.alternates if language == "x-default"}
            assert not refused(translations, each.url, *fitting, *default)


@given(PAGES, st.integers(2, 6))
def test_bounded(pages: list[Page], most: int) -> None:
    translations = Translations(("de",), most)
    for each in pages:
        translations.seen(each)
        assert len(translations.save()["copies"]) <= most <= MOST


@given(PAGES)
def test_load_restores_every_answer(pages: list[Page]) -> None:
    translations, again = after(*pages), Translations(("de",))
    again.load(translations.save())
    asked = [u(f"a/{number}") for number in range(10)]
    assert [again.refuses(url) for url in asked] == [translations.refuses(url) for url in asked]
    for each in pages:
        again.seen(each)
        translations.seen(each)
    assert again.save() == translations.save()
