"""The links around a URL in the browser and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import httpx
import pytest
from tests.console.browsing import (
    DESK,
    PHONE,
    needs_chromium,
    overflow,
    seen,
    serious_findings,
    served,
    tab,
)
from tests.linkings import Linking, linked, url

from lycosa.console.running import Address

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "\u202e</script><img src=x onerror=alert(1)>\u2066" + "long " * 2_000
WEB = [
    Linking("start", ["hub", "other"], 0.1),
    Linking("hub", ["good", "better", "dead", "start"], 0.6, title=EVIL),
    Linking("other", ["good", "better"], 0.2),
    Linking("good", ["better"], 0.8),
    Linking("better", ["http://far.test/a?b=<i>"], 0.9),
    Linking("dead", failed=True),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    place = tmp_path_factory.mktemp("graph")
    linked(place / "crawl", WEB)
    with served(place) as found:
        yield found


def path(name: str, **more: object) -> str:
    asked = "".join(f"&{key}={value}" for key, value in more.items())
    return f"/crawls/crawl/graph?url={quote(url(name), safe='')}{asked}"


@needs_chromium
def test_from_one_page_to_the_next_and_back(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.origin}/crawls/crawl/graph")
        page.get_by_role("link", name="better").click()
        page.locator("#chosen h2", has_text="better").wait_for()
        assert page.locator("#list tbody tr").count() == 5
        assert "4 pages, 1 other; 6 links." in page.locator("#told").inner_text()
        box = page.locator("#graph").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert page.locator("#list tr.is-chosen").inner_text().startswith("better")
        page.locator("#list thead button", has_text="Links").last.click()
        assert page.locator("#list th[aria-sort=descending]").inner_text().startswith("Links")
        assert "sort=out_links" in page.url
        page.locator("#by").select_option("authority")
        assert "by=authority" in page.url
        page.locator("#list").get_by_role("link", name="good", exact=True).click()
        page.locator("#chosen h2", has_text="good").wait_for()
        page.go_back()
        page.locator("#chosen h2", has_text="better").wait_for()
        assert page.locator("#by").input_value() == "authority"
        assert "sort=out_links" in page.url
        assert page.locator("#chosen a", has_text="Why").get_attribute("href") == (
            f"/crawls/crawl/why?url={quote(url('better'), safe='')}"
        )


@needs_chromium
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_it_fits_any_window_and_pleases_axe(
    address: Address, chromium: Browser, size: tuple[int, int], dark: bool
) -> None:
    """The title of one page is hostile: it is text, cut, and turns no other text around."""
    with tab(chromium, size, dark=dark) as page:
        page.goto(f"{address.origin}{path('good', depth=3)}&at={quote(url('hub'), safe='')}")
        page.locator("#chosen dl").wait_for()
        assert "<img src=x" in page.locator("#chosen h2").inner_text()
        assert page.locator("#chosen h2").inner_text().endswith("…")
        assert page.locator("main img").count() == 0
        assert page.locator("#list tbody tr").count() == 7
        assert page.locator("#more").is_hidden()
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, f"graph-{size[0]}-{'dark' if dark else 'light'}")


@needs_chromium
def test_what_is_unknown_is_told(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.origin}{path('nowhere')}")
        page.locator("#problem", has_text="no page of it links to it").wait_for()
        assert page.locator("#shown").is_hidden()
        assert serious_findings(page) == []


def test_programs_get_the_same(address: Address) -> None:
    with httpx.Client(base_url=f"{address.origin}/api/v1") as client:
        found = client.get(path("good", depth=1)).json()
        names = [node["url"] for node in found["nodes"]]
        assert names == [url(name) for name in ("good", "better", "hub", "other")]
        assert {"source": 0, "target": 1} in found["links"]
        assert found["nodes"][1]["authority"] == 1.0
        assert found["nodes"][0]["in_links"] == 2
        for wrong in ("depth=9", "most=0", "most=9999999", "colour=red"):
            assert client.get(f"{path('good')}&{wrong}").status_code == 400
        assert client.get(path("nowhere")).status_code == 400
        assert client.get("/crawls/none/graph?url=http://a.test/").status_code == 404
    assert httpx.get(f"{address.origin}/crawls/none/graph?url=http://a.test/").status_code == 404
