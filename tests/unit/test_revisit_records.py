"""Revisit records: what a 304 or a copy becomes in the archive, and how it is read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from lycosa.archive.cdxj import Capture, captures_of, to_line
from lycosa.archive.collection import Collection
from lycosa.archive.record import pack
from lycosa.archive.warc import WarcArchive
from lycosa.model.digests import sha1_base32
from lycosa.model.errors import FolderError
from lycosa.model.moments import iso
from lycosa.model.records import LastCapture, Millis, RecordRef, Response
from lycosa.model.url import Url

HERE = Url("http://a.example/x")
AT = 1_700_000_000_123
DAY = 86_400_000
BODY = b"<html>the page as it was</html>"
EMPTY = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


def page(day: int = 0, body: bytes = BODY, url: Url = HERE) -> Response:
    return Response(
        url=url,
        status=200,
        reason_phrase="OK",
        headers=(("Content-Type", "text/html"), ("ETag", '"1"'), ("Content-Length", str(len(body)))),
        body=body,
        fetched_at=Millis(AT + day * DAY),
        elapsed=Millis(30),
    )


def unmodified(day: int, url: Url = HERE) -> Response:
    return Response(
        url=url,
        status=304,
        reason_phrase="Not Modified",
        headers=(("ETag", '"1"'), ("Content-Length", "5000")),
        body=b"",
        fetched_at=Millis(AT + day * DAY),
        elapsed=Millis(7),
        address="192.0.2.1",
        request_headers=(("If-None-Match", '"1"'),),
    )


def last(ref: RecordRef | None, answer: Response) -> LastCapture:
    return LastCapture(
        url=answer.url, at=answer.fetched_at, digest=sha1_base32(answer.body), etag='"1"', record=ref
    )


def headers_in(folder: Path) -> Iterator[dict[str, str]]:
    """The WARC headers of all response and revisit records, in order."""
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=False):
                if record.headers["WARC-Type"] in ("response", "revisit"):
                    yield dict(record.headers)


def test_a_304_refers_to_the_capture_that_it_speaks_of(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    first = archive.write(page())
    again = archive.write(unmodified(1), last(first, page()))
    assert archive.read(again) == replace(
        page(1), elapsed=Millis(7), address="192.0.2.1", fetched_at=Millis(AT + DAY)
    )
    archive.close()
    old, new = headers_in(tmp_path)
    assert new["WARC-Type"] == "revisit"
    assert new["WARC-Profile"] == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    assert new["WARC-Refers-To"] == old["WARC-Record-ID"]
    assert (new["WARC-Refers-To-Target-URI"], new["WARC-Refers-To-Date"]) == (HERE, iso(Millis(AT)))
    assert new["WARC-Payload-Digest"] == old["WARC-Payload-Digest"] == sha1_base32(BODY) != EMPTY
    lines = list(captures_of(tmp_path / "index.cdxj"))
    assert [(line.mime, line.status, line.digest) for line in lines] == [
        ("text/html", 200, sha1_base32(BODY)),
        ("warc/revisit", 0, sha1_base32(BODY)),
    ]
    with Path(tmp_path / again.file).open("rb") as file:
        found = iter(WarcioIterator(file))
        record = next(r for r in found if r.rec_type == "revisit")
        assert record.content_stream().read() == b""
        kept = next(r for r in found if r.rec_type == "metadata")
        assert kept.rec_headers["WARC-Refers-To"] == new["WARC-Record-ID"]
        told = b'http-status: 304 Not Modified\r\nETag: "1"\r\nContent-Length: 5000\r\n'
        assert kept.content_stream().read() == told


def test_a_304_of_a_revisit_refers_to_what_that_refers_to(tmp_path: Path) -> None:
    """No chains: readers follow a revisit once."""
    archive = WarcArchive.open(tmp_path)
    archive.write(page())
    copy = archive.write(page(1))
    third = archive.write(unmodified(2), last(copy, page(1)))
    fourth = archive.write(unmodified(3), last(third, page(2)))
    assert {archive.read(ref).body for ref in (copy, third, fourth)} == {BODY}
    assert archive.read(fourth).status == 200
    archive.close()
    first, *others = headers_in(tmp_path)
    assert {other["WARC-Refers-To"] for other in others} == {first["WARC-Record-ID"]}
    assert {other["WARC-Refers-To-Date"] for other in others} == {iso(Millis(AT))}


@pytest.mark.parametrize(
    "case", ["unasked", "unconditional", "without history", "another URL", "another digest", "lost"]
)
def test_a_304_that_refers_to_nothing_known_is_a_response(case: str, tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    known = last(archive.write(page()), page())
    refers_to = {
        "unasked": None,
        "unconditional": replace(known, etag=""),
        "without history": replace(known, record=None),
        "another URL": replace(known, url=Url("http://a.example/y")),
        "another digest": replace(known, digest=EMPTY),
        "lost": replace(known, record=RecordRef(file="gone.warc.gz", offset=0, length=10)),
    }[case]
    ref = archive.write(unmodified(1), refers_to)
    assert (archive.read(ref).status, archive.read(ref).body) == (304, b"")
    archive.close()
    _, kept = headers_in(tmp_path)
    assert (kept["WARC-Type"], kept["WARC-Payload-Digest"]) == ("response", EMPTY)
    assert not [name for name in kept if name.startswith("WARC-Refers-To")]


def test_the_same_body_is_kept_once_however_long_ago_it_came(tmp_path: Path) -> None:
    """An archive that was opened without its index remembers no payloads, but the capture before is at hand."""
    archive = WarcArchive.open(tmp_path)
    first = archive.write(page())
    archive.close()
    (tmp_path / "index.cdxj").write_bytes(b"")
    later = WarcArchive(tmp_path, archive._provenance, 10**9, 10**6, revisits=True)
    ref = later.write(page(1), last(first, page()))
    assert later.read(ref) == page(1)
    changed = later.write(page(2, b"other"), last(first, page()))
    assert later.read(changed).body == b"other"
    later.close()
    kinds = [(h["WARC-Type"], h.get("WARC-Profile", "").rpartition("/")[2]) for h in headers_in(tmp_path)]
    assert kinds == [("response", ""), ("revisit", "identical-payload-digest"), ("response", "")]


def test_a_304_is_a_revisit_even_where_copies_are_stored_whole(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path, revisits=False)
    first = archive.write(page())
    copy = archive.write(page(1), last(first, page()))
    archive.write(unmodified(2), last(copy, page(1)))
    archive.close()
    assert [headers["WARC-Type"] for headers in headers_in(tmp_path)] == ["response", "response", "revisit"]


def others(folder: Path, *fields: tuple[str, str], block: bytes = b"") -> None:
    """A revisit as other crawlers write it, in a file of its own, a day after the page."""
    stated = [
        ("WARC-Record-ID", "<urn:uuid:12345678-1234-4234-8234-123456789abc>"),
        ("WARC-Date", iso(Millis(AT + DAY))),
        ("WARC-Target-URI", HERE),
        ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/server-not-modified"),
        *fields,
        ("Content-Type", "application/http; msgtype=response"),
    ]
    (folder / "other.warc.gz").write_bytes(pack("revisit", stated, block))


@pytest.mark.parametrize(
    ("fields", "block"),
    [
        ([], b""),
        ([("WARC-Payload-Digest", EMPTY)], b"HTTP/1.1 304 Not Modified\r\n\r\n"),
        ([("WARC-Refers-To-Target-URI", HERE), ("WARC-Refers-To-Date", iso(Millis(AT)))], b""),
        ([("WARC-Payload-Digest", sha1_base32(BODY))], b""),
    ],
    ids=["bare", "digest of nothing", "target and date", "digest"],
)
def test_what_others_write_of_a_304_is_read(
    fields: list[tuple[str, str]], block: bytes, tmp_path: Path
) -> None:
    archive = WarcArchive.open(tmp_path)
    archive.write(page(-1, b"earlier"))
    archive.write(page())
    archive.write(page(5, b"later"))
    archive.close()
    others(tmp_path, *fields, block=block)
    collection = Collection.open([tmp_path])
    found = collection.find(HERE, Millis(AT + 2 * DAY))
    assert found is not None
    assert (found.status, found.body, found.fetched_at) == (200, BODY, AT + DAY)
    collection.close()


def test_a_revisit_whose_page_is_not_here_says_what_is_missing(tmp_path: Path) -> None:
    others(tmp_path, ("WARC-Refers-To-Target-URI", "http://a.example/elsewhere"))
    collection = Collection.open([tmp_path])
    with pytest.raises(FolderError, match="payload that is not here"):
        collection.find(HERE)
    collection.close()


def test_the_line_of_a_revisit_survives_a_lost_index(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    archive.write(unmodified(1), last(archive.write(page()), page()))
    archive.close()
    index = tmp_path / "index.cdxj"
    kept: list[Capture] = list(captures_of(index))
    index.unlink()
    WarcArchive.open(tmp_path).close()
    assert list(captures_of(index)) == kept
    assert b"".join(map(to_line, kept)) == index.read_bytes()
