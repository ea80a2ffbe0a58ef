"""A page is fetched again over the wire: what is asked, what is stored, and what can be read of it."""

from __future__ import annotations

from pathlib import Path

from fastwarc.warc import ArchiveIterator
from tests.live.conftest import Run
from tests.live.hostile import Hostile
from tests.live.test_live_fetch import LIMITS, mapped

from lycosa.archive.warc import WarcArchive
from lycosa.drive.clock import VirtualClock
from lycosa.drive.visit import Visitor
from lycosa.model.records import LastCapture, Link, Page, Request, Unchanged
from lycosa.model.url import Url
from lycosa.web.http.live import LiveWeb

HERE = Url("http://a.test/validated")
VIA = Link(source=Url("http://b.test/list?of=pages"), target=HERE)


def captured(page: Page) -> LastCapture:
    return LastCapture(
        url=page.final_url,
        at=page.fetched_at,
        digest=page.digest,
        etag=page.etag,
        last_modified=page.last_modified,
        record=page.record,
    )


def test_an_unchanged_page_is_asked_for_with_its_validators_and_stored_as_a_revisit(
    run: Run, tmp_path: Path
) -> None:
    archive = WarcArchive.open(tmp_path)

    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(limits=LIMITS, router=mapped(server))
            visit = Visitor(web, None, archive, lambda request, url: None, VirtualClock())
            first = await visit(Request(url=HERE, order=1, via=VIA))
            assert isinstance(first, Page)
            again = await visit(Request(url=HERE, order=1, via=VIA, before=captured(first)))
            assert isinstance(again, Unchanged)
            await web.close()
            assert first.record is not None
            assert again.record is not None
            assert archive.read(again.record).body == archive.read(first.record).body != b""
            assert archive.read(again.record).status == 200
            assert server.log[0].headers["referer"] == "http://b.test/"
            assert "if-none-match" not in server.log[0].headers
            assert {"if-none-match", "if-modified-since", "referer"} <= server.log[1].headers.keys()

    run(story())
    archive.close()
    [file] = tmp_path.glob("*.warc.gz")
    with file.open("rb") as stream:
        records = [
            (record.headers["WARC-Type"], dict(record.http_headers or {}))
            for record in ArchiveIterator(stream, parse_http=True)
        ]
    kinds = [kind for kind, _ in records]
    assert kinds == ["warcinfo", "response", "request", "revisit", "request", "metadata"]
    asked = [fields for kind, fields in records if kind == "request"]
    assert [fields.get("Referer") for fields in asked] == ["http://b.test/", "http://b.test/"]
    assert "If-None-Match" in asked[1]
