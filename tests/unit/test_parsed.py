"""Pages that are read once and kept: as if read anew, from memory and from a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lycosa.archive.collection import Collection
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.drive.clock import VirtualClock
from lycosa.drive.parsed import ParsedRecording, ParsedVisitor, kept_in
from lycosa.drive.visit import Visitor
from lycosa.model.errors import FolderError
from lycosa.model.records import Failure, Millis, Page, Reason, Request, Response, Visit
from lycosa.model.url import Url
from lycosa.web.generated import GraphWeb, WebShape
from lycosa.web.recorded import RecordedWeb
from lycosa.web.robots_cache import RobotsCache

SHAPE = WebShape(pages=120, hosts=12, failures=0.2, redirects=0.2, robots=0.5)


def known(request: Request, url: Url) -> Reason | None:
    """A crawl that knows every third page: redirects there are not followed."""
    return Reason.ALREADY_KNOWN if url.endswith(("0", "3", "6")) and url != request.url else None


async def record(folder: Path) -> None:
    """Record a generated web: pages, redirects, error pages and robots.txt."""
    web = GraphWeb(SHAPE)
    archive = WarcArchive.open(folder, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    urls = [web.url(number) for number in range(SHAPE.pages)]
    robots = dict.fromkeys(Url(url[: url.index("/", 8)] + "/robots.txt") for url in urls)
    for url in [*urls, *robots]:
        answer = await web.fetch(url)
        if isinstance(answer, Response):
            archive.write(answer)
    archive.close()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    asyncio.run(record(folder))
    return folder


def requests() -> list[Request]:
    """Each page asked for twice, the second time from elsewhere, and one that was not recorded."""
    urls = [GraphWeb(SHAPE).url(number) for number in range(SHAPE.pages)] + [Url("http://h0.test/none")]
    first = [Request(url=url, order=order) for order, url in enumerate(urls)]
    return first + [Request(url=url, order=500 + order, depth=7, score=0.5) for order, url in enumerate(urls)]


def visits(folder: Path, parsed: ParsedRecording | None, seed: int = 0) -> list[Visit]:
    """What each of the requests brings, with kept pages or without."""
    clock = VirtualClock()
    web = RecordedWeb(Collection.open([folder]) if parsed is None else parsed, seed)
    robots = RobotsCache(web, "lycosa", clock)
    visitor = Visitor(web, robots, None, known, clock)
    if parsed is not None:
        visitor = ParsedVisitor(web, parsed, robots, known, clock)

    async def all_of_them() -> list[Visit]:
        return [await visitor(request) for request in requests()]

    return asyncio.run(all_of_them())


def test_as_if_read_anew(recorded: Path) -> None:
    plain = visits(recorded, None)
    parsed = ParsedRecording(Collection.open([recorded]))
    assert visits(recorded, parsed) == plain
    assert visits(recorded, parsed) == plain
    pages = [visit for visit in plain if isinstance(visit, Page)]
    reasons = {visit.reason for visit in plain if isinstance(visit, Failure)}
    assert any(page.hops for page in pages)
    assert any(page.crawl_delay is None and page.links for page in pages)
    assert {Reason.ROBOTS, Reason.STATUS, Reason.NOT_RECORDED, Reason.ALREADY_KNOWN} <= reasons


def test_the_seed_of_modelled_times_is_not_kept(recorded: Path) -> None:
    parsed = ParsedRecording(Collection.open([recorded]))
    visits(recorded, parsed, seed=0)
    assert visits(recorded, parsed, seed=1) == visits(recorded, None, seed=1)


def test_each_page_is_read_once(recorded: Path) -> None:
    parsed = ParsedRecording(Collection.open([recorded]))
    first = [visit for visit in visits(recorded, parsed) if isinstance(visit, Page)]
    again = [visit for visit in visits(recorded, parsed) if isinstance(visit, Page)]
    assert all(one.links is other.links for one, other in zip(first[-40:], again[-40:], strict=True))


def test_kept_on_disk_and_loaded_again(recorded: Path, tmp_path: Path) -> None:
    path = kept_in(sorted(recorded.glob("*.warc.gz")), tmp_path)
    parsed = ParsedRecording(Collection.open([recorded]))
    visits(recorded, parsed)
    parsed.save(path)
    loaded = ParsedRecording(Collection.open([recorded]))
    loaded.load(path)
    assert len(loaded) == len(parsed) > 80
    assert visits(recorded, loaded) == visits(recorded, None)
    written = path.stat().st_mtime_ns
    loaded.save(path)
    assert path.stat().st_mtime_ns == written


def test_beside_the_recording(recorded: Path, tmp_path: Path) -> None:
    before = sorted(recorded.iterdir())
    parsed = ParsedRecording(Collection.open([recorded]))
    visits(recorded, parsed)
    parsed.save(kept_in(sorted(recorded.glob("*.warc.gz")), tmp_path))
    assert sorted(recorded.iterdir()) == before


def test_true_to_its_source(tmp_path: Path) -> None:
    """The name changes with a WARC file's size or time, and saving under a new one removes the old."""
    warc = tmp_path / "a.warc.gz"
    warc.write_bytes(b"one")
    before = kept_in([warc], tmp_path)
    assert kept_in([warc], tmp_path) == before
    warc.write_bytes(b"other")
    after = kept_in([warc], tmp_path)
    assert after != before
    assert after.name.partition("-")[0] == before.name.partition("-")[0]


def test_an_outdated_file_is_removed(recorded: Path, tmp_path: Path) -> None:
    parsed = ParsedRecording(Collection.open([recorded]))
    visits(recorded, parsed)
    (tmp_path / "abc-old.zst").write_bytes(b"")
    (tmp_path / "other-old.zst").write_bytes(b"")
    parsed.save(tmp_path / "abc-new.zst")
    assert {path.name for path in tmp_path.iterdir()} == {"abc-new.zst", "other-old.zst"}


@pytest.mark.parametrize("body", [b"", b"no zstandard", b"\x28\xb5\x2f\xfd"])
def test_a_damaged_file_is_read_past(recorded: Path, tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "a.zst"
    path.write_bytes(body)
    parsed = ParsedRecording(Collection.open([recorded]))
    parsed.load(path)
    parsed.load(tmp_path / "missing.zst")
    assert len(parsed) == 0


def test_a_cut_file_gives_what_it_holds(recorded: Path, tmp_path: Path) -> None:
    parsed = ParsedRecording(Collection.open([recorded]))
    visits(recorded, parsed)
    parsed.save(tmp_path / "a.zst")
    whole = (tmp_path / "a.zst").read_bytes()
    (tmp_path / "a.zst").write_bytes(whole[: len(whole) // 2])
    loaded = ParsedRecording(Collection.open([recorded]))
    loaded.load(tmp_path / "a.zst")
    assert visits(recorded, loaded) == visits(recorded, None)


def test_a_place_that_cannot_be_written(recorded: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    parsed = ParsedRecording(Collection.open([recorded]))
    visits(recorded, parsed)
    with pytest.raises(FolderError, match="cannot be kept there"):
        parsed.save(tmp_path / "file" / "a.zst")


def test_times_are_as_recorded(tmp_path: Path) -> None:
    """A recorded time is taken as it is, and told to whoever asks again."""
    archive = WarcArchive.open(tmp_path, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    url = Url("http://a.test/")
    headers = (("Content-Type", "text/html"),)
    archive.write(
        Response(url=url, status=200, headers=headers, body=b"<p>x", fetched_at=Millis(1), elapsed=Millis(70))
    )
    archive.close()
    parsed = ParsedRecording(Collection.open([tmp_path]))
    web = RecordedWeb(parsed)
    visitor = ParsedVisitor(web, parsed, None, lambda request, url: None, VirtualClock())
    request = Request(url=url, order=0)
    assert asyncio.run(visitor(request)) == asyncio.run(visitor(request))
