"""What a WARC file of ours holds, seen through other people's readers."""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator as WarcioIterator
from warcio.checker import Checker

from lycosa.archive.cdxj import captures_of
from lycosa.archive.payloads import Payloads
from lycosa.archive.repair import repair
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.model.digests import sha1_base32
from lycosa.model.errors import FolderError
from lycosa.model.moments import iso
from lycosa.model.records import Millis, RecordRef, Response
from lycosa.model.url import Url

AT = Millis(1_795_000_000_123)


def page(path: str = "", body: bytes = b"<p>hello</p>", **changes: object) -> Response:
    whole = Response(
        url=Url(f"http://a.example/{path}"),
        status=200,
        headers=(("Content-Type", "text/html; charset=utf-8"), ("Server", "x")),
        body=body,
        fetched_at=AT,
        elapsed=Millis(37),
        address="192.0.2.7",
        reason_phrase="OK",
        request_headers=(("Host", "a.example"), ("User-Agent", "lycosa")),
    )
    return replace(whole, **changes)


def as_read(response: Response) -> Response:
    return replace(response, request_headers=())


def records(folder: Path) -> list[tuple[dict[str, str], bytes]]:
    """All records, by warcio: WARC headers and the raw block (HTTP headers included)."""
    found = []
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in WarcioIterator(file, no_record_parse=True):
                found.append((dict(record.rec_headers.headers), record.raw_stream.read()))
    return found


def check(path: Path) -> bool:
    """`warcio check`: digests and framing."""

    checker = Checker(Namespace(inputs=[str(path)], verbose=False))
    checker.process_all()
    return not checker.exit_value


def test_a_file_begins_with_who_made_it_and_how(tmp_path: Path) -> None:
    told = Provenance(
        name="reefs", crawl_id="c-1", operator="Ann <ann@a.example>", user_agent="lycosa/0", robots="obey"
    )
    archive = WarcArchive.open(tmp_path, told)
    archive.write(page())
    archive.close()
    headers, block = records(tmp_path)[0]
    assert headers["WARC-Type"] == "warcinfo"
    assert headers["WARC-Filename"].startswith("reefs-20")
    assert headers["WARC-Filename"].endswith("-00000.warc.gz")
    fields = dict(line.split(": ", 1) for line in block.decode().splitlines())
    assert fields["format"] == "WARC File Format 1.1"
    assert (fields["operator"], fields["robots"], fields["isPartOf"]) == (
        "Ann <ann@a.example>",
        "obey",
        "c-1",
    )


def test_request_response_and_metadata_refer_to_each_other(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    response = page()
    ref = archive.write(response)
    archive.annotate(ref, response.url, {"relevance": "0.25", "via": "http://b.example/\r\nX-Evil: 1"})
    archive.close()
    assert check(tmp_path / ref.file)
    info, answer, request, metadata = records(tmp_path)
    assert answer[0]["WARC-Date"] == "2026-11-18T11:06:40.123Z" == iso(AT)
    assert answer[0]["WARC-IP-Address"] == "192.0.2.7"
    assert answer[0]["WARC-Warcinfo-ID"] == info[0]["WARC-Record-ID"]
    assert answer[1].endswith(b"\r\n\r\n<p>hello</p>")
    assert request[0]["WARC-Concurrent-To"] == answer[0]["WARC-Record-ID"]
    assert request[1] == b"GET / HTTP/1.1\r\nHost: a.example\r\nUser-Agent: lycosa\r\n\r\n"
    assert metadata[0]["WARC-Refers-To"] == answer[0]["WARC-Record-ID"]
    assert metadata[1].splitlines()[1:] == [b"relevance: 0.25", b"via: http://b.example/  X-Evil: 1"]


def test_sha1_in_base_32() -> None:
    # RFC 3174, test 1: SHA-1("abc") = a9993e36 4706816a ba3e2571 7850c26c 9cd0d89d
    assert sha1_base32(b"a", b"bc") == "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"


def test_headers_of_the_wire_are_renamed_in_the_file_and_come_back(tmp_path: Path) -> None:
    headers = (
        ("content-encoding", "gzip"),
        ("Content-Length", "20"),
        ("Transfer-Encoding", "chunked"),
        ("X-Archive-Orig-Content-Length", "7"),
        ("X-Name", "caf\xe9 \udcff"),
        ("Set-Cookie", "a"),
        ("Set-Cookie", "b"),
    )
    archive = WarcArchive.open(tmp_path)
    ref = archive.write(page(body=b"decoded", headers=headers))
    block = records(tmp_path)[1][1]
    names = [line.split(b":")[0] for line in block.split(b"\r\n\r\n")[0].splitlines()[1:]]
    assert names == [
        b"X-Archive-Orig-content-encoding",
        b"X-Archive-Orig-Content-Length",
        b"X-Archive-Orig-Transfer-Encoding",
        b"X-Archive-Orig-X-Archive-Orig-Content-Length",
        b"X-Name",
        b"Set-Cookie",
        b"Set-Cookie",
        b"Content-Length",
    ]
    assert b"\r\nContent-Length: 7\r\n\r\ndecoded" in block
    assert archive.read(ref).headers == headers
    archive.close()


def test_same_payload_once(tmp_path: Path) -> None:
    body = b"copied " * 1000
    archive = WarcArchive.open(tmp_path)
    first = archive.write(page("1", body))
    second = archive.write(page("2", body, headers=(("X-Own", "kept"),), fetched_at=Millis(AT + 5000)))
    third = archive.write(page("3", b""))
    assert archive.write(page("4", b"")) != third
    assert archive.read(second) == as_read(
        page("2", body, headers=(("X-Own", "kept"),), fetched_at=Millis(AT + 5000))
    )
    archive.close()
    revisits = [headers for headers, _ in records(tmp_path) if headers["WARC-Type"] == "revisit"]
    assert len(revisits) == 1, "empty bodies are no copies"
    assert revisits[0]["WARC-Refers-To-Target-URI"] == "http://a.example/1"
    assert revisits[0]["WARC-Refers-To-Date"] == iso(AT)
    assert revisits[0]["WARC-Profile"].endswith("/revisit/identical-payload-digest")
    assert check(tmp_path / first.file)
    mimes = {capture.url[-1]: capture.mime for capture in captures_of(tmp_path / "index.cdxj")}
    assert mimes == {"1": "text/html", "2": "warc/revisit", "3": "text/html", "4": "text/html"}


def test_payloads_are_known_again_after_reopening(tmp_path: Path) -> None:
    body = b"again " * 100
    for path in "12":
        archive = WarcArchive.open(tmp_path)
        archive.write(page(path, body))
        archive.close()
    kinds = [headers["WARC-Type"] for headers, _ in records(tmp_path)]
    assert kinds == ["warcinfo", "response", "request", "revisit", "request"]


def test_a_cut_body_says_so_and_is_no_ones_original(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    ref = archive.write(page("1", b"cut here", truncated="length"))
    archive.write(page("2", b"cut here"))
    assert archive.read(ref).truncated == "length"
    archive.close()
    assert [headers.get("WARC-Truncated") for headers, _ in records(tmp_path)][1] == "length"
    assert "revisit" not in [headers["WARC-Type"] for headers, _ in records(tmp_path)]


def test_files_are_rotated_by_size_and_each_begins_with_warcinfo(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path, rotate_at=5000)
    refs = [archive.write(page(str(n), os.urandom(1500))) for n in range(10)]
    assert len({ref.file for ref in refs}) == 5
    assert [archive.read(ref).url for ref in refs] == [f"http://a.example/{n}" for n in range(10)]
    archive.close()
    for path in tmp_path.glob("*.warc.gz"):
        with path.open("rb") as file:
            assert next(iter(WarcioIterator(file))).rec_type == "warcinfo"
        assert check(path)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".cdxj") == ["index.cdxj"]


def test_nothing_lost_of_what_is_flushed_when_killed(tmp_path: Path) -> None:
    program = (
        "import os, sys, pathlib; sys.path.insert(0, 'tests/unit')\n"
        "from test_warc import page, WarcArchive\n"
        "archive = WarcArchive.open(pathlib.Path(sys.argv[1]))\n"
        "refs = [archive.write(page(str(n), b'%d' % n * 500)) for n in range(20)]\n"
        "archive.flush(); archive.write(page('late')); os.kill(os.getpid(), 9)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], env=environment, check=False)
    assert ended.returncode == -9
    archive = WarcArchive.open(tmp_path)
    assert archive.repairs == [
        f"{next(tmp_path.glob('*.gz')).name}: 1 records were missing from the index and were added"
    ]
    archive.close()
    assert len(list(captures_of(tmp_path / "index.cdxj"))) == 21


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """Files cannot grow beyond `size` bytes: to a writer that looks like a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_told_and_leaves_whole_records(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    refs = [archive.write(page(str(n), os.urandom(1500))) for n in range(8)]
    with disk_of(20_000), pytest.raises(FolderError, match="free some space and resume"):
        archive.write(page("large", os.urandom(15_000)))
    assert check(tmp_path / refs[0].file)
    archive.write(page("after", b"there is room again"))
    archive.close()
    assert len(list(captures_of(tmp_path / "index.cdxj"))) == len(refs) + 1


def test_no_empty_file_is_left_when_a_new_one_cannot_be_begun(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    with disk_of(100), pytest.raises(FolderError, match="free some space"):
        archive.write(page())
    assert not list(tmp_path.iterdir())
    archive.write(page())
    archive.close()
    assert records(tmp_path)[0][0]["WARC-Type"] == "warcinfo"


def test_index_lines_that_point_beyond_their_file_are_dropped(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    refs = [archive.write(page(str(n), os.urandom(300))) for n in range(4)]
    archive.close()
    os.truncate(tmp_path / refs[0].file, refs[2].offset + 10)
    archive = WarcArchive.open(tmp_path)
    after = archive.write(page("after", b"new"))
    assert after.offset == refs[2].offset
    archive.close()
    captures = {capture.url[-1]: capture.ref for capture in captures_of(tmp_path / "index.cdxj")}
    assert captures == {"0": refs[0], "1": refs[1], "r": after}


def test_damage_in_the_middle_is_told_and_costs_one_record(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    refs = [archive.write(page(str(n), os.urandom(300))) for n in range(3)]
    archive.close()
    (tmp_path / "index.cdxj").unlink()
    with (tmp_path / refs[1].file).open("r+b") as file:
        file.seek(refs[1].offset + 40)
        file.write(b"\0\0\0\0\0\0")
    size = (tmp_path / refs[0].file).stat().st_size
    told = repair(tmp_path)
    assert "damaged and were left as they are" in told[0]
    assert (tmp_path / refs[0].file).stat().st_size == size, "nothing that may be rescued is cut off"
    archive = WarcArchive.open(tmp_path)
    assert archive.read(refs[2]).url == "http://a.example/2"
    with pytest.raises(FolderError, match=r"no whole record|damaged"):
        archive.read(refs[1])
    archive.close()


def test_reading_what_is_not_there_says_which_file(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    with pytest.raises(FolderError, match=r"gone\.warc\.gz is missing"):
        archive.read(RecordRef(file="gone.warc.gz", offset=0, length=10))
    archive.close()


def test_the_latest_payloads_are_remembered_within_a_bound() -> None:
    known = Payloads(limit=10)
    refs = [RecordRef(file="f", offset=n, length=1) for n in range(1000)]
    for n, ref in enumerate(refs):
        known.add(str(n), ref)
        assert known.get("0") == refs[0], "what is asked for stays"
        assert len(known) <= 11
    assert known.get("999") == refs[999]
    assert known.get("500") is None


def test_a_member_is_a_gzip_file_of_its_own(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    ref = archive.write(page(body=b"by itself"))
    archive.close()
    with (tmp_path / ref.file).open("rb") as file:
        file.seek(ref.offset)
        raw = gzip.GzipFile(fileobj=BytesIO(file.read(ref.length))).read()
    assert raw.startswith(b"WARC/1.1\r\nWARC-Type: response\r\n")
    assert raw.endswith(b"by itself\r\n\r\n")
