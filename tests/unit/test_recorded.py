"""Recorded webs: what is found, under which names, and what is said of bad files."""

from __future__ import annotations

import asyncio
import gzip
import os
import shutil
from io import BytesIO
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lycosa.archive.collection import Collection
from lycosa.archive.warc import WarcArchive
from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.web.made.graph_web import GraphWeb, WebShape
from lycosa.web.recorded import RecordedWeb


def response(
    url: str, body: bytes = b"<p>page</p>", status: int = 200, *headers: tuple[str, str]
) -> Response:
    return Response(
        url=Url(url),
        status=status,
        headers=(("Content-Type", "text/html"), *headers),
        body=body,
        fetched_at=Millis(1_000_000),
        elapsed=Millis(7),
        reason_phrase="OK",
    )


def record(folder: Path, *responses: Response) -> Path:
    archive = WarcArchive.open(folder)
    for each in responses:
        archive.write(each)
    archive.close()
    return folder


def ask(web: RecordedWeb | GraphWeb, url: str) -> Response | Fault:
    return asyncio.run(web.fetch(Url(url)))


def body_of(web: RecordedWeb, url: str) -> bytes | None:
    found = ask(web, url)
    return found.body if isinstance(found, Response) else None


def test_what_was_written_is_fetched_again(tmp_path: Path) -> None:
    page = response("http://a.example/x?y=1", b"text")
    assert ask(RecordedWeb(Collection.open([record(tmp_path, page)])), page.url) == page


def test_what_is_lacking_is_said_and_counted(tmp_path: Path) -> None:
    web = RecordedWeb(Collection.open([record(tmp_path, response("http://a.example/"))]))
    missing = ask(web, "http://a.example/robots.txt")
    assert isinstance(missing, Fault)
    assert missing.reason is Reason.NOT_RECORDED
    ask(web, "http://a.example/")
    assert (web.asked, web.lacking) == (2, 1)


def test_a_url_is_found_under_its_other_spellings(tmp_path: Path) -> None:
    recorded = {
        "http://a.example/dir/index.html": b"default file",
        "http://a.example:80/port": b"port",
        "http://a.example/%7euser": b"escape",
        "https://www.b.example/secure/": b"secure",
        "http://c.example/both/": b"short",
        "http://c.example/both/index.html": b"long",
    }
    web = RecordedWeb(Collection.open([record(tmp_path, *(response(u, b) for u, b in recorded.items()))]))
    assert {url: body_of(web, url) for url in recorded} == recorded
    assert body_of(web, "http://a.example/dir/") == b"default file"
    assert body_of(web, "http://a.example/port") == b"port"
    assert body_of(web, "http://a.example/~user") == b"escape"
    assert body_of(web, "http://b.example/secure") == b"secure"
    assert body_of(web, "http://c.example/both/") == b"short"


def test_a_redirect_to_the_url_itself_does_not_stand_in_for_it(tmp_path: Path) -> None:
    moved = response("http://a.example/x", b"", 301, ("Location", "https://a.example/x"))
    web = RecordedWeb(Collection.open([record(tmp_path, moved)]))
    found = ask(web, "http://a.example/x")
    assert isinstance(found, Response)
    assert found.status == 301
    assert isinstance(ask(web, "https://a.example/x"), Fault), "answering it would be an endless loop"


def test_of_several_captures_the_latest_counts(tmp_path: Path) -> None:
    first = response("http://a.example/", b"first")
    record(tmp_path / "1", first)
    later = Response(url=first.url, status=200, headers=(), body=b"later", fetched_at=Millis(9_000_000))
    record(tmp_path / "2", later)
    (old,) = (tmp_path / "1").glob("*.warc.gz")
    (tmp_path / "1" / "index.cdxj").unlink()
    old.rename(tmp_path / "1" / "old.warc.gz")
    for folders in (["1", "2"], ["2", "1"]):
        web = RecordedWeb(Collection.open([tmp_path / name for name in folders]))
        assert body_of(web, "http://a.example/") == b"later"


def test_other_archives_files_are_read_too(tmp_path: Path) -> None:
    """Chunked and gzipped as on the wire, and a revisit that names its original by URL and date only."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=True)
    zipped = gzip.compress(b"from the wire")
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(zipped), zipped)
    fields = [("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")]
    lying = [("Content-Encoding", "gzip"), ("Content-Length", "5")]
    for url, body, headers in [
        ("http://a.example/", chunked, fields),
        ("http://a.example/lie", b"plain", lying),
    ]:
        http = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(url, "response", payload=BytesIO(body), http_headers=http)
        )
    (tmp_path / "theirs.warc.gz").write_bytes(out.getvalue())
    found = next(c for c in Collection.open([tmp_path]).captures() if c.url == "http://a.example/")
    revisit = writer.create_revisit_record(
        "http://a.example/copy", found.digest, "http://a.example/", "2026-01-01T00:00:00Z"
    )
    writer.write_record(revisit)
    (tmp_path / "theirs.warc.gz").write_bytes(out.getvalue())
    web = RecordedWeb(Collection.open([tmp_path]))
    assert body_of(web, "http://a.example/") == b"from the wire"
    assert body_of(web, "http://a.example/lie") == b"plain"
    assert body_of(web, "http://a.example/copy") == b"from the wire"


def test_an_uncompressed_file_is_read(tmp_path: Path) -> None:
    (source,) = record(
        tmp_path / "gz", response("http://a.example/1", b"one"), response("http://a.example/2", b"two")
    ).glob("*.gz")
    plain = tmp_path / "plain.warc"
    plain.write_bytes(gzip.decompress(source.read_bytes()))
    web = RecordedWeb(Collection.open([plain]))
    assert [body_of(web, f"http://a.example/{n}") for n in (1, 2)] == [b"one", b"two"]


def test_a_crawl_folder_counts_as_its_archive(tmp_path: Path) -> None:
    record(tmp_path / "archive", response("http://a.example/", b"home"))
    assert body_of(RecordedWeb(Collection.open([tmp_path])), "http://a.example/") == b"home"


def test_an_index_counts_as_far_as_it_reaches(tmp_path: Path) -> None:
    pages = [response(f"http://a.example/{n}", os.urandom(50)) for n in range(6)]
    record(tmp_path, *pages[:3])
    shutil.copy(tmp_path / "index.cdxj", tmp_path / "kept")
    record(tmp_path, *pages[3:])
    assert Collection.open([tmp_path]).info().indexed
    (tmp_path / "kept").replace(tmp_path / "index.cdxj")
    collection = Collection.open([tmp_path])
    assert not collection.info().indexed
    assert [body_of(RecordedWeb(collection), page.url) for page in pages] == [page.body for page in pages]


def test_a_cut_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    record(
        tmp_path,
        response("http://a.example/1", os.urandom(500)),
        response("http://a.example/2", os.urandom(500)),
    )
    (path,) = tmp_path.glob("*.gz")
    os.truncate(path, path.stat().st_size - 100)
    collection = Collection.open([tmp_path])
    assert [capture.url for capture in collection.captures()] == ["http://a.example/1"]
    assert collection.warnings
    assert "the file is cut here" in collection.warnings[0]


@pytest.mark.parametrize("content", [b"<html>not a warc</html>", b"PK\x03\x04 zip"], ids=["html", "zip"])
def test_a_file_that_is_no_warc_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "page.warc.gz").write_bytes(content)
    with pytest.raises(InputError, match=r"page\.warc\.gz is not a WARC file"):
        Collection.open([tmp_path])


def test_a_gzip_file_of_something_else_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "other.warc.gz").write_bytes(gzip.compress(b"not a warc at all"))
    collection = Collection.open([tmp_path])
    assert collection.info().captures == 0
    assert collection.warnings


def test_a_file_gzipped_as_a_whole_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (path,) = record(tmp_path, response("http://a.example/")).glob("*.gz")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())))
    (tmp_path / "index.cdxj").unlink()
    with pytest.raises(InputError, match="warcio recompress"):
        Collection.open([tmp_path])


def test_folders_without_warc_files_and_missing_ones_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \.warc or \.warc\.gz files"):
        Collection.open([tmp_path])
    with pytest.raises(InputError, match="there is no"):
        Collection.open([tmp_path / "nowhere"])


def test_info_counts_what_is_there(tmp_path: Path) -> None:
    record(
        tmp_path,
        response("http://a.example/", b"1"),
        response("http://a.example/2", b"", 404),
        response("http://b.example/", b"3"),
    )
    info = Collection.open([tmp_path]).info()
    assert (info.captures, info.urls, info.hosts, info.files, info.indexed) == (3, 3, 2, 1, True)
    assert info.statuses == {200: 2, 404: 1}
    assert info.media_types == {"text/html": 3}
    assert info.largest_hosts == {"a.example": 2, "b.example": 1}
    assert info.first == info.last == 1_000_000


def test_latency_is_modelled_where_none_was_recorded(tmp_path: Path) -> None:
    bare = Response(url=Url("http://a.example/"), status=200, headers=(), body=b"", fetched_at=Millis(0))
    web = RecordedWeb(Collection.open([record(tmp_path, bare)]), seed=3)
    found = ask(web, bare.url)
    assert isinstance(found, Response)
    assert found.elapsed == web.latency(bare.url) >= 50
    assert len({web.latency(Url(f"http://a.example/{n}")) for n in range(50)}) > 30


@pytest.mark.parametrize(("name", "pages", "hosts"), [("webkb", 8213, 589), ("uci-ics-10k", 10_000, 79)])
def test_the_shared_webs_are_whole(shared: Path, name: str, pages: int, hosts: int) -> None:
    info = Collection.open([shared / "webs" / name]).info()
    assert (info.captures, info.hosts, info.statuses, info.warnings) == (pages, hosts, {200: pages}, ())


def test_a_generated_web_is_the_same_in_every_process() -> None:
    web = GraphWeb(WebShape(pages=400, hosts=20, many_links=5000), seed=1)
    found = ask(web, web.url(200))
    assert isinstance(found, Response)
    assert found.body.count(b"<a href") == 5000
    topical = sum(web.truth(web.url(n)) for n in range(400))
    assert 4 <= topical <= 80
