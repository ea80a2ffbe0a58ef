"""Why, and the archive: in a browser, by keyboard, on a phone, in the dark, and with a collection that means ill."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient
from tests.console.browsing import (
    DESK,
    PHONE,
    crawled,
    needs_chromium,
    overflow,
    seen,
    serious_findings,
    served,
    tab,
)
from tests.diaries import Diary
from tests.sharedcrawls import START, by_title, sample, shared_crawl
from tests.worlds import redirect, response, u

import lycosa
from lycosa.archive.collection import Collection
from lycosa.console.app import app
from lycosa.console.desk import Desk
from lycosa.console.pages import archive_path, why_path
from lycosa.console.running import Address
from lycosa.library.library import Library
from lycosa.model.records import Millis
from lycosa.model.url import Url

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DAY = 86_400_000
NOON = 1_795_176_000_000
"""2026-11-20 12:00 UTC."""
DINOSAUR = "http://schools.wiki.example/wp/Dinosaur.html"
SENT = 300_000
"""Bytes of a page as it is sent, at most."""
VIEWS = [(DESK, False), (PHONE, True)]


def apart(work: Callable[[], object]) -> None:
    """Do something that has an event loop: in this thread the browser's driver has one."""
    with ThreadPoolExecutor(1) as beside:
        beside.submit(work).result()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """A crawl of the sample web, and one whose page changed."""
    place = tmp_path_factory.mktemp("archive")
    crawled(place / "dinosaurs", 25)
    with Diary(place / "spiders") as diary:
        diary.page(u("a"), NOON, "Wolf spiders hunt by night, and spin no web at all.")
        diary.changed(u("a"), NOON + 2 * DAY, "Wolf spiders hunt by day, and spin no web at all.")
        diary.gone(u("a"), NOON + 4 * DAY)
    with served(place) as found:
        yield found


@needs_chromium
@pytest.mark.parametrize(("size", "dark"), VIEWS)
def test_the_views_fit_any_window_and_please_axe(
    address: Address, chromium: Browser, size: tuple[int, int], dark: bool
) -> None:
    paths = {
        "why": why_path("dinosaurs", DINOSAUR),
        "why-nothing": why_path("dinosaurs", ""),
        "archive": archive_path("spiders"),
        "archive-page": archive_path("dinosaurs", DINOSAUR),
        "archive-text": archive_path("dinosaurs", DINOSAUR) + "&as=text",
        "archive-headers": archive_path("dinosaurs", DINOSAUR) + "&as=headers",
        "archive-changes": archive_path("spiders", u("a"), Millis(NOON + 2 * DAY)) + "&as=changes",
    }
    with tab(chromium, size, dark=dark) as page:
        for name, path in paths.items():
            page.goto(address.origin + path)
            assert overflow(page) <= 0, name
            assert serious_findings(page) == [], name
            seen(page, f"{name}-{size[0]}-{'dark' if dark else 'light'}")


@needs_chromium
def test_from_why_to_the_archive_by_keyboard(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.origin}/crawls/dinosaurs/why")
        page.get_by_label("URL").focus()
        page.keyboard.type(DINOSAUR)
        page.keyboard.press("Enter")
        page.wait_for_url("**/why?url=*")
        assert page.locator(".verdict .state").inner_text() == "visited"
        way = page.locator("ol.way li")
        assert way.count() >= 2
        assert DINOSAUR in way.last.inner_text()
        assert page.locator("table.parts").count() >= 1
        assert page.frame_locator("iframe.archived").locator("h1").inner_text() == "Dinosaur"
        page.get_by_role("link", name="In the archive").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/archive?url=*")
        page.get_by_role("link", name="Text", exact=True).focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**as=text")
        assert "Dinosaur" in page.locator(".text").inner_text()
        page.go_back()
        assert page.frame_locator("iframe.archived").locator("h1").inner_text() == "Dinosaur"


@needs_chromium
def test_a_mark_is_made_where_the_reasons_stand(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(address.origin + why_path("dinosaurs", DINOSAUR))
        group = page.get_by_role("group", name="Is this page on topic?")
        group.get_by_role("button", name="Yes").click()
        page.get_by_text("Marked as on topic.").wait_for()
        assert group.get_by_role("button", name="Yes").get_attribute("aria-pressed") == "true"
        page.reload()
        assert group.get_by_role("button", name="Yes").get_attribute("aria-pressed") == "true"
        group.get_by_role("button", name="Not said").click()
        page.get_by_text("The mark is taken back.").wait_for()


@needs_chromium
def test_a_page_at_its_times(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.origin}/crawls/spiders/archive")
        page.get_by_role("link", name="changed").click()
        page.wait_for_url("**as=changes")
        shown = page.locator(".difference")
        assert shown.locator("del").inner_text() == "− night,"
        assert shown.locator("ins").inner_text() == "+ day,"
        page.get_by_role("link", name="As it was").click()
        assert "by day" in page.frame_locator("iframe.archived").locator("p").inner_text()
        page.get_by_role("link", name="← Earlier").click()
        page.get_by_role("heading", name="2026-11-20 12:00 UTC").wait_for()
        assert "by night" in page.frame_locator("iframe.archived").locator("p").inner_text()
        page.get_by_label("As it was").fill("2026-11-23")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="2026-11-22 12:00 UTC").wait_for()
        page.get_by_label("As it was").fill("tomorrow")
        page.keyboard.press("Enter")
        assert "is no time" in page.get_by_role("alert").inner_text()


def test_every_way_of_asking(address: Address) -> None:
    """The operations, each beside what Python answers."""
    with httpx.Client(base_url=f"{address.origin}/api/v1/crawls/spiders", timeout=30) as client:

        def asked(path: str, **given: object) -> object:
            return (
                client.get(path, params={key: str(value) for key, value in given.items()})
                .raise_for_status()
                .json()
            )

        page = u("a")
        assert "by night" in asked("/page", url=page, at="2026-11-21")["text"]  # type: ignore[index]
        assert [look["sight"] for look in asked("/versions", url=page)] == ["first", "changed", "gone"]  # type: ignore[index, attr-defined]
        assert [each["status"] for each in asked("/captures", url=page)["captures"]] == [200, 200, 404]  # type: ignore[index]
        pieces = asked("/difference", url=page, earlier="2026-11-20", later="2026-11-22")
        assert [piece["kind"] for piece in pieces] == ["same", "removed", "added", "same"]  # type: ignore[index, attr-defined]
        told = asked("/changes", since="2026-11-21", most=1)
        assert (told["changes"][0]["sight"], told["total"]) == ("changed", 2)  # type: ignore[index]
        assert asked("/changes", since="2026-11-21", skip=1)["changes"][0]["sight"] == "gone"  # type: ignore[index]
        assert asked("/page-links", url=page) == []
        assert client.get("/page", params={"url": "http://nowhere.test/"}).status_code == 404
        assert client.get("/page", params={"url": page, "at": "soon"}).status_code == 400


def test_links_are_told_with_what_was_found_there(address: Address) -> None:
    with httpx.Client(base_url=f"{address.origin}/api/v1/crawls/dinosaurs", timeout=30) as client:
        told = client.get("/page-links", params={"url": DINOSAUR}).json()
        why = client.get("/why", params={"url": DINOSAUR}).json()
    assert (why["state"], why["title"], why["path"][-1]["url"]) == ("visited", "Dinosaur", DINOSAUR)
    found = [link for link in told if link["relevance"] is not None]
    assert found
    assert all(link["title"] for link in found)
    assert len({link["url"] for link in told}) == len(told)


def test_the_archive_to_keep(address: Address, tmp_path: Path) -> None:
    """The file that is sent while it is written is one that lycosa itself crawls."""
    with httpx.Client(base_url=address.origin, timeout=60) as client:
        answer = client.get("/api/v1/crawls/dinosaurs/wacz")
        assert client.get("/api/v1/crawls/none/wacz").status_code == 404
        assert client.get("/api/v1/crawls/dinosaurs/wacz?at=soon").status_code == 400
    assert answer.headers["content-type"] == "application/wacz"
    assert "dinosaurs.wacz" in answer.headers["content-disposition"]
    with zipfile.ZipFile(BytesIO(answer.content)) as packed:
        assert packed.testzip() is None
        assert "datapackage.json" in packed.namelist()
    file = tmp_path / "dinosaurs.wacz"
    file.write_bytes(answer.content)
    with closing(Collection.open([file])) as archive:
        found = archive.find(DINOSAUR)
        assert found is not None
        assert b"<h1>Dinosaur</h1>" in found.body


def test_a_crawl_that_several_nodes_share_is_one_archive(tmp_path: Path) -> None:
    apart(lambda: shared_crawl(tmp_path / "shared", sample(), by_title("urls"), pages=12))
    with served(tmp_path) as address, httpx.Client(base_url=address.origin, timeout=30) as client:
        told = client.get(why_path("shared", START)).text
        assert "Node: <bdi>fetched by n" in told
        assert '<iframe class="archived"' in told
        frame = LexborHTMLParser(client.get(archive_path("shared", START)).text).css_first("iframe.archived")
        assert frame is not None
        assert "<h1>Biosphere</h1>" in httpx.get(frame.attributes["src"] or "").text


def test_without_another_origin_there_are_texts_only(tmp_path: Path) -> None:
    with Diary(tmp_path / "spiders") as diary:
        diary.page(u("a"), NOON, "Wolf spiders hunt by night.")
    made = app(Desk(Library([tmp_path])), hosts=["here"])
    with TestClient(made, base_url="http://here") as client:
        shown = client.get(archive_path("spiders", u("a")))
        assert "<iframe" not in shown.text
        assert "only their texts are shown" in shown.text
        assert "frame-src 'none'" in shown.headers["content-security-policy"]
        assert "hunt by night" in client.get(archive_path("spiders", u("a")) + "&as=text").text


def test_a_redirect_is_shown_with_where_it_led(tmp_path: Path) -> None:
    with Diary(tmp_path / "spiders") as diary:
        diary.page(u("b"), NOON, "Arrived.")
        diary.archive.write(replace(redirect(u("old"), u("b")), fetched_at=Millis(NOON)))
    with served(tmp_path) as address, httpx.Client(base_url=address.origin, timeout=30) as client:
        shown = LexborHTMLParser(client.get(archive_path("spiders", u("old"))).text)
        links = [link.attributes["href"] for link in shown.css("main p a")]
        assert archive_path("spiders", u("b"), Millis(NOON)) in links


# -- a collection that means ill -----------------------------------------------------------------------------------

SCRIPT = "</title><script>document.title='taken'</script>\u202egnp.exe\u2066"
ODD = Url("http://b.test/%3Cscript%3E'%22%E2%80%AE")
LONG = Url("http://long.test/" + "a" * 8_000 + "?<script>alert(1)</script>")


@pytest.fixture(scope="module")
def ill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    place = tmp_path_factory.mktemp("ill")
    with Diary(place / "ill") as diary:
        diary.page(u("a"), NOON, f"{SCRIPT} <b>words</b>", links=[ODD, LONG, u("many")])
        diary.page(ODD, NOON, SCRIPT * 1_000)
        big = b"<title>" + b"T" * 25_000_000 + b"</title><p>" + b"word " * 5_000_000
        diary.archive.write(replace(response(LONG, big), fetched_at=Millis(NOON)))
        headers = [(f"X-{number}", SCRIPT) for number in range(500)]
        diary.archive.write(replace(response(u("many"), b"<p>x", 200, *headers), fetched_at=Millis(NOON)))

    def crawl() -> None:
        lycosa.crawl(
            "words", [u("a")], web=f"recorded:{place / 'ill' / 'archive'}", out=place / "met"
        ).close()

    apart(crawl)
    with served(place) as found:
        yield found


@needs_chromium
def test_hostile_titles_and_urls_are_words(ill: Address, chromium: Browser) -> None:
    paths = [
        why_path("met", u("a")),
        why_path("met", ODD),
        why_path("met", "http://x.test/<script>document.title='taken'</script>\u202e"),
        why_path("met", "\"'><script>document.title='taken'</script>"),
        archive_path("ill"),
        *(archive_path("ill", u("a")) + f"&as={look}" for look in ("page", "text", "headers", "changes")),
        archive_path("ill", ODD),
        archive_path("ill", "\"'><script>document.title='taken'</script>"),
        archive_path("ill", u("many")) + "&as=headers",
    ]
    with tab(chromium, PHONE) as page:
        page.goto(ill.origin + paths[0])
        assert page.locator(".verdict .state").inner_text() == "visited", "so there is something to show"
        for path in paths:
            answer = page.goto(ill.origin + path)
            assert answer is not None
            assert len(answer.body()) <= SENT
            assert "taken" not in page.title()
            assert page.locator("script:not([src])").count() == 0
            assert overflow(page) <= 0, path
            assert not set("\u202e\u2066") & set(page.locator("main").inner_text())


def test_fifty_megabytes_are_shown_in_part(ill: Address) -> None:
    """No page is above its bound, whatever was archived."""
    with httpx.Client(base_url=ill.origin, timeout=60) as client:
        for path in (
            why_path("met", LONG),
            why_path("met", u("a")),
            archive_path("ill", LONG),
            archive_path("ill", LONG) + "&as=text",
            archive_path("ill", LONG) + "&as=headers",
            archive_path("ill", u("many")) + "&as=headers",
        ):
            answer = client.get(path)
            assert answer.status_code == 200
            assert len(answer.content) <= SENT
        frame = LexborHTMLParser(client.get(archive_path("ill", LONG)).text).css_first("iframe.archived")
        assert frame is not None
        assert len(httpx.get(frame.attributes["src"] or "", timeout=60).content) <= 3_000_000
