"""The archive by the protocol of Memento (RFC 7089), step by step as its examples go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from memento_client import MementoClient
from msgspec.structs import replace
from tests.console.browsing import served
from tests.console.hostile import counting
from tests.diaries import Diary
from tests.worlds import redirect, response, u

from lycosa.archive.cdxj import Capture
from lycosa.crawls.answers import TimeMap
from lycosa.crawls.memento import link_header
from lycosa.model.records import Millis, RecordRef
from lycosa.model.url import Url

DAY = 86_400_000
NOON = 1_795_176_000_000
"""2026-11-20 12:00 UTC."""
PAGE = u("a")
ASKED = Url("http://b.test/search?q=wolf+spider&at=50%25")
MOVED = Url("http://b.test/old")
LINK = re.compile(r'<([^>]*)>((?:\s*;\s*[a-z]+="[^"]*")*)\s*,?\s*')
"""A link and its attributes (RFC 8288, section 3)."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    place = tmp_path_factory.mktemp("memento")
    with Diary(place / "spiders crawl") as diary:
        diary.page(PAGE, NOON, "Wolf spiders hunt by night.")
        diary.changed(PAGE, NOON + 2 * DAY, "Wolf spiders hunt by day.")
        diary.gone(PAGE, NOON + 4 * DAY)
        diary.archive.write(
            replace(
                response(ASKED, b"alert(1)", 200, ("Content-Type", "text/javascript")),
                fetched_at=Millis(NOON),
            )
        )
        diary.archive.write(replace(redirect(MOVED, PAGE), fetched_at=Millis(NOON)))
    with (
        served(place) as address,
        httpx.Client(base_url=f"{address.origin}/crawls/spiders%20crawl", timeout=30) as found,
    ):
        yield found


def links(header: str) -> dict[str, tuple[str, dict[str, str]]]:
    """By relation: the target and the attributes of each link. A header that is no list of links fails."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    rest = header.strip()
    while rest:
        link = LINK.match(rest)
        assert link, rest
        attributes = dict(re.findall(r'([a-z]+)="([^"]*)"', link[2]))
        for relation in attributes["rel"].split():
            found.setdefault(relation, (link[1], attributes))
        rest = rest[link.end() :]
    return found


def test_negotiation_in_time(client: httpx.Client) -> None:
    """Section 4.2.1, steps 3 to 6: TimeGate, then memento."""
    gate = client.get(f"/timegate/{PAGE}", headers={"Accept-Datetime": "Sat, 21 Nov 2026 12:00:00 GMT"})
    assert gate.status_code == 302
    assert "accept-datetime" in gate.headers["vary"].lower().split(", ")
    assert "memento-datetime" not in gate.headers
    told = links(gate.headers["link"])
    assert told["original"][0] == PAGE
    assert told["timemap"][1]["type"] == "application/link-format"
    memento = client.get(gate.headers["location"])
    assert memento.status_code == 200
    assert memento.headers["memento-datetime"] == "Fri, 20 Nov 2026 12:00:00 GMT"
    assert "by night" in memento.text
    told = links(memento.headers["link"])
    assert told["original"][0] == PAGE
    assert told["timegate"][0] == f"{client.base_url}timegate/{PAGE}"
    assert told["first"][1]["datetime"] == memento.headers["memento-datetime"]
    following = client.get(told["next"][0])
    assert following.headers["memento-datetime"] == "Sun, 22 Nov 2026 12:00:00 GMT"
    assert "by day" in following.text


def test_another_client_finds_its_way(tmp_path: Path) -> None:
    """Of those who wrote the standard: `memento_client`."""
    with counting() as original:
        original.pages["/page"] = ("as it is now", [])
        page = Url(f"{original.origin}/page")
        with Diary(tmp_path / "crawl") as diary:
            diary.page(page, NOON, "One.")
            diary.changed(page, NOON + 2 * DAY, "Two.")
            diary.changed(page, NOON + 4 * DAY, "Three.")
        with served(tmp_path) as address:
            gate = f"{address.origin}/crawls/crawl/timegate/"
            asking = MementoClient(timegate_uri=gate, check_native_timegate=False)
            told = asking.get_memento_info(page, datetime(2026, 11, 23))
    assert told["original_uri"] == page
    assert told["timegate_uri"] == gate + page
    assert {name: each["datetime"].day for name, each in told["mementos"].items()} == {
        "closest": 22,
        "first": 20,
        "prev": 20,
        "next": 24,
        "last": 24,
    }


def test_without_a_time_it_is_the_latest_and_an_error_page_is_a_memento_too(client: httpx.Client) -> None:
    gate = client.head(f"/timegate/{PAGE}")
    memento = client.get(gate.headers["location"])
    assert memento.status_code == 404
    assert memento.headers["memento-datetime"] == "Tue, 24 Nov 2026 12:00:00 GMT"


def test_a_time_before_all_is_the_first(client: httpx.Client) -> None:
    gate = client.get(f"/timegate/{PAGE}", headers={"Accept-Datetime": "Thu, 31 May 2007 20:35:00 GMT"})
    assert gate.headers["location"].endswith(f"/memento/20261120120000/{PAGE}")


def test_what_cannot_be_answered(client: httpx.Client) -> None:
    """Sections 4.5.3 and 4.5.4."""
    wrong = client.get(f"/timegate/{PAGE}", headers={"Accept-Datetime": "yesterday"})
    assert wrong.status_code == 400
    assert client.get("/timegate/http://nowhere.test/").status_code == 404
    assert client.get("/timemap/link/http://nowhere.test/").status_code == 404
    assert client.get(f"/memento/2026112/{PAGE}").status_code == 400


def test_a_time_between_mementos_leads_to_one(client: httpx.Client) -> None:
    found = client.get(f"/memento/20261121/{PAGE}")
    assert found.status_code == 302
    assert found.headers["location"].endswith(f"/memento/20261120120000/{PAGE}")


def test_the_timemap(client: httpx.Client) -> None:
    """Section 5."""
    told = client.get(f"/timemap/link/{PAGE}")
    assert told.headers["content-type"] == "application/link-format"
    found = links(told.text)
    assert found["self"][0] == str(told.url)
    assert found["timegate"][0] == f"{client.base_url}timegate/{PAGE}"
    assert told.text.count('datetime="') == 3
    assert client.get(found["last"][0]).headers["memento-datetime"] == found["last"][1]["datetime"]
    as_json = client.get(f"/timemap/json/{PAGE}").json()
    assert [each["uri"] for each in as_json["mementos"]["list"]][-1] == found["last"][0]


def test_a_redirect_leads_on_within_the_archive(client: httpx.Client) -> None:
    moved = client.get(f"/memento/20261120120000/{MOVED}")
    assert moved.status_code == 302
    assert moved.headers["memento-datetime"] == "Fri, 20 Nov 2026 12:00:00 GMT"
    assert "by night" in client.get(moved.headers["location"]).text


@pytest.mark.parametrize("written", [ASKED, quote(ASKED, safe=""), ASKED.replace("//", "/")])
def test_a_url_is_what_it_was_however_it_is_written(client: httpx.Client, written: str) -> None:
    told = client.get(f"/timemap/link/{written}")
    assert links(told.text)["original"][0] == ASKED
    assert client.get(links(told.text)["memento"][0]).content == b"alert(1)"


def test_nothing_of_it_is_shown_or_run_on_our_own_origin(client: httpx.Client) -> None:
    script = client.get(f"/memento/20261120120000/{ASKED}")
    assert script.headers["content-type"] == "application/octet-stream", "no browser runs that"
    assert script.headers["x-archive-orig-content-type"] == "text/javascript"
    page = client.get(f"/memento/20261120120000/{PAGE}")
    for answer in (script, page):
        assert answer.headers["content-disposition"] == "attachment"
        assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
        assert answer.headers["x-content-type-options"] == "nosniff"
    browser = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    for path in (f"/memento/20261120120000/{PAGE}", f"/timegate/{PAGE}"):
        led = client.get(path, headers=browser)
        assert led.status_code == 302
        assert led.headers["location"].startswith("/crawls/spiders%20crawl/archive?url=")
    assert (
        client.get(f"/memento/20261120120000/{ASKED}", headers={"Sec-Fetch-Dest": "script"}).status_code
        == 302
    )


def test_the_links_of_an_answer() -> None:
    """By hand, after the example of section 4.1.1: the chosen one has its neighbours, and each stands once."""
    captures = tuple(
        Capture(url=PAGE, at=Millis(NOON + day * DAY), ref=RecordRef(file="f", offset=day, length=1))
        for day in range(5)
    )
    header = link_header(TimeMap(url=PAGE, captures=captures), "http://m", captures[3])
    told = links(header)
    assert {relation: told[relation][0] for relation in ("first", "prev", "next", "last")} == {
        "first": f"http://m/memento/20261120120000/{PAGE}",
        "prev": f"http://m/memento/20261122120000/{PAGE}",
        "next": f"http://m/memento/20261124120000/{PAGE}",
        "last": f"http://m/memento/20261124120000/{PAGE}",
    }
    assert header.count("/memento/2026112") == 4, "first, two neighbours of which one is the last, and itself"
    assert f'<http://m/memento/20261123120000/{PAGE}>; rel="memento"; ' in header
