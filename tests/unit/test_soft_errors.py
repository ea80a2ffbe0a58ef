"""Pages that say that they are none: what is taken for one, and what is not."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.worlds import (
    Scripted,
    by_table,
    drive,
    html,
    journal,
    lease,
    looks,
    made_page,
    make_crawl,
    response,
    u,
)

import lycosa
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.soft_errors import OFFER, SAME, SHORT, TITLED, SoftErrors
from lycosa.model.records import Failure, Millis, Page, Reason, RecordRef, Request, UrlState
from lycosa.spec.tree import DeadSpec
from lycosa.strategies.best_first import BestFirst

T0 = Millis(0)


def page(name: str = "a/x", title: str = "", text: str = "", depth: int = 1, **facts: Any) -> Page:
    made = made_page(Request(url=u(name), order=0, depth=depth), text=text, **facts)
    return replace(made, title=title)


def reason(one: Page) -> Reason | None:
    found = SoftErrors().nothing_new(one)
    return found[0] if found else None


@pytest.mark.parametrize(
    "title",
    [
        "404 Not Found",
        "404",
        "Error 404 (Not Found)!!1",
        "Acme Bees – Page not found",
        "Oops! That page can’t be found. | Acme",
        "HTTP Error 404. The requested resource is not found.",
        "Page not found at /bees/17",
        "Sorry, the page you are looking for does not exist.",
        "404 – Seite nicht gefunden",
        "Page introuvable - Acme",
        "Página no encontrada",
        "Pagina non trovata",
        "Страница не найдена",
        "お探しのページは見つかりませんでした",
    ],
)
def test_a_title_says_it(title: str) -> None:
    assert reason(page(title=title, text="menu " * (TITLED - 1))) is Reason.SOFT_404
    assert reason(page(title=title, text="menu " * TITLED)) is None, "a page of so many words is about it"


@pytest.mark.parametrize(
    "title",
    [
        "CS 404: Ethics",
        "404 – Toronto",
        "410",
        "404 area code",
        "Lost and not found",
        "Room 404",
        "Why pages are not found",
        "",
    ],
)
def test_a_title_about_something_else(title: str) -> None:
    assert reason(page(title=title, text="bees")) is None


def test_a_line_of_a_short_page_says_it() -> None:
    said = "Bees\nThe document you have accessed no longer exists.\nCopyright"
    assert reason(page(text=said)) is Reason.SOFT_404
    assert reason(page(text="file not found")) is Reason.SOFT_404
    assert reason(page(text=f"{said}\n{'bee ' * SHORT}")) is None, "a long page may quote it"
    assert (
        reason(page(text="The page that I looked for last year was not found in the book, but here it is."))
        is None
    )
    assert reason(page(headings=("Not Found",))) is Reason.SOFT_404
    assert reason(page(text="Error 404")) is Reason.SOFT_404
    assert reason(page(text="Room\n404", headings=("404",))) is None


@pytest.mark.parametrize(
    "offer",
    [
        "bees.com is for sale",
        "Buy this domain!",
        "This domain may be for sale",
        "Diese Domain steht zum Verkauf",
        "The domain name bees.com could be parked",
        "Parked free, courtesy of somebody",
        "Domain parking",
        "Diese Domain bees.de ist zu verkaufen",
        "Ce nom de domaine est à vendre",
        "Este dominio está en venta",
        "Este domínio bees.br está à venda",
        "Questo dominio è in vendita",
        "Dit domein is te koop",
        "Dit domeinnaam bees.nl is te koop",
        "Ta domena jest na sprzedaż",
        "Домен bees.ru продаётся",
        "此域名正在出售",
        "このドメインは販売",
    ],
)
def test_a_domain_that_is_offered(offer: str) -> None:
    assert reason(page(text=offer)) is Reason.PARKED
    assert reason(page(text=f"{offer} {'bee ' * OFFER}")) is None


@pytest.mark.parametrize(
    "piece", ["a-", "a.", "domain ", "domain-", "aa.bb is for ", "é", "this domain\u2003"]
)
def test_no_text_takes_long(piece: str) -> None:
    """One word, however long, is a short page. Once each part of `a-a-a` was looked at to its end, for minutes."""
    text = (piece * (1 << 17))[: 1 << 17] + " is for sale domain"
    began = time.process_time()
    reason(page(title=text, text=text))
    reason(page(text=text.replace(" ", "-")))
    assert time.process_time() - began < 2


def test_a_bicycle_that_is_offered() -> None:
    assert reason(page(title="For Sale!", text="My bicycle is for sale.")) is None


def test_a_start_page_is_never_doubted() -> None:
    assert reason(page(title="404 Not Found", depth=0)) is None


def test_the_third_short_page_of_one_trouble_is_none() -> None:
    """Where a site has words of its own for it: three names that have nothing in common, and one page."""
    soft = SoftErrors()
    pages = [page(f"a/{n}/{n}", text="sorry, it flew away", fingerprint=0b1000) for n in range(SAME + 1)]
    for one in pages[:-1]:
        assert soft.nothing_new(one) is None
        soft.seen(one)
    assert (soft.nothing_new(pages[-1]) or [None])[0] is Reason.SOFT_404
    assert soft.nothing_new(replace(pages[-1], fingerprint=0b1111 << 8)) is None, "another text"
    assert soft.nothing_new(replace(pages[-1], text="it flew away")) is None, "no trouble"
    beside = page("a/0/5", text="sorry, it flew away", fingerprint=0b1000)
    assert soft.nothing_new(beside) is None, "beside one of two: a series of pages"
    elsewhere = page("b/7/7", text="sorry, it flew away", fingerprint=0b1000)
    assert soft.nothing_new(elsewhere) is None


PAGES = st.builds(
    page,
    name=st.sampled_from(["a/1/1", "a/2/2", "a/3/3", "b/1/1"]),
    title=st.sampled_from(["", "404", "bees"]),
    text=st.sampled_from(["sorry", "bees", "buy this domain", "sorry bees"]),
    depth=st.integers(0, 1),
    fingerprint=st.sampled_from([0, 1, 255]),
)


@given(st.lists(PAGES, max_size=12), PAGES)
def test_asking_changes_nothing_and_load_restores(seen: list[Page], asked: Page) -> None:
    soft = SoftErrors()
    for one in seen:
        soft.seen(one)
    before, told = soft.save(), soft.nothing_new(asked)
    assert (soft.nothing_new(asked), soft.save()) == (told, before)
    again = SoftErrors()
    again.load(before)
    assert (again.nothing_new(asked), again.save()) == (told, before)


# -- what a crawl makes of it --------------------------------------------------------------------------------


def crawl_of(strategy: Any) -> Crawl:
    crawl = make_crawl(strategy)
    crawl.gate.soft_errors = SoftErrors()
    return crawl


def test_a_page_that_brings_nothing_new_is_a_failure_that_knows_its_record() -> None:
    strategy = Scripted()
    crawl = crawl_of(strategy)
    crawl.start([u("a")], T0)
    crawl.commit(made_page(lease(crawl), u("b")), T0)
    record = RecordRef(file="web-00.warc.gz", offset=7, length=9)
    gone = replace(
        made_page(lease(crawl), u("c"), text="bees"), title="Not found", record=record, address="192.0.2.1"
    )
    found = crawl.commit(gone, T0)
    assert isinstance(found, Failure)
    assert (found.reason, found.status, found.title, found.record) == (
        Reason.SOFT_404,
        200,
        "Not found",
        record,
    )
    assert found.detail == "its title says “Not found”"
    assert (crawl.pages, crawl.failures) == (1, 1)
    assert crawl.frontier.state(u("b")) is UrlState.FAILED
    assert crawl.frontier.state(u("c")) is UrlState.UNSEEN, "its links are not followed"
    assert crawl.store.memory.page(u("b")) is None
    assert strategy.failures == [found]


def test_a_replay_takes_it_as_it_was_journaled() -> None:
    table = {"a": "bc", "b": "d", "c": "", "d": ""}
    crawl, again = crawl_of(BestFirst()), crawl_of(BestFirst())
    bring = by_table(table)
    crawl.start([u("a")], T0)
    drive(crawl, lambda request: replace(bring(request), title="404" if request.url == u("b") else ""))
    assert [e.event.url for e in journal(crawl) if isinstance(e.event, Failure)] == [u("b")]
    again.replay(journal(crawl))
    assert looks(again) == looks(crawl)


# -- in a folder ---------------------------------------------------------------------------------------------


def recording(place: Path) -> Path:
    archive = WarcArchive.open(place, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    archive.write(response(u("s"), html("bees and honey", [u("s/gone"), u("s/bees")])))
    missing = "<title>404 – Page not found</title>"
    archive.write(response(u("s/gone"), html("honey, honey", [u("s/x")], missing)))
    archive.write(response(u("s/bees"), html("more bees")))
    archive.close()
    return place


def test_a_soft_404_stays_in_the_archive_and_is_no_result(tmp_path: Path) -> None:
    web = recording(tmp_path / "web")
    with lycosa.crawl("bees", [u("s")], web=str(web), out=tmp_path / "c") as folder:
        status = folder.status()
        assert (status.pages, status.failures, status.requests) == (2, 1, 3)
        assert status.failures_by_reason == {"soft-404": 1}
        assert [row.url for row in folder.rows()] == [u("s"), u("s/bees")]
        gone = next(row for row in folder.rows(nothing_new=True) if row.nothing_new)
        assert (gone.url, gone.nothing_new, gone.title) == (u("s/gone"), "soft-404", "404 – Page not found")
        assert "honey, honey" in gone.text, "read again from the archive"
        told = folder.why(u("s/gone"))
        assert (told.state, told.title) == ("soft-404", "404 – Page not found")
        assert (
            "it was fetched, but there is no such page (its title says “404 – Page not found”)" in told.reason
        )
        assert folder.why(u("s/x")).state == "unseen"
        failure = next(e.event for e in folder._journal.entries() if isinstance(e.event, Failure))
        assert failure.record is not None
    with lycosa.crawl(
        "bees", [u("s")], web=str(web), out=tmp_path / "d", dead=DeadSpec(soft_errors=False)
    ) as all_in:
        assert all_in.status().pages == 3
