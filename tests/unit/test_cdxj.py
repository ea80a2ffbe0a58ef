"""CDXJ lines, searching and merging."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.archive.cdxj import Capture, Index, captures_of, from_line, lines_of, merge, to_line
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, RecordRef

LINE = (
    b'com,example)/a 20070102030405 {"url": "http://www.example.com/a", "mime": "text/html", '
    b'"status": "200", "digest": "sha1:AAAA", "length": "17", "offset": "42", "filename": "w.warc.gz"}\n'
)


def capture(url: str, at: int = 0, offset: int = 0) -> Capture:
    ref = RecordRef(file="w.warc.gz", offset=offset, length=10)
    return Capture(url=url, at=Millis(at), ref=ref, mime="text/html", status=200, digest="sha1:A")


def written(path: Path, *captures: Capture) -> Path:
    path.write_bytes(b"".join(map(to_line, captures)))
    return path


def test_a_line_is_read_as_written_by_others() -> None:
    found = from_line(LINE)
    assert (found.url, found.mime, found.status) == ("http://www.example.com/a", "text/html", 200)
    assert found.ref == RecordRef(file="w.warc.gz", offset=42, length=17)
    assert found.at == 1_167_707_045_000  # date -u -d '2007-01-02 03:04:05' +%s
    assert to_line(found).replace(b'":"', b'": "').replace(b'","', b'", "') == LINE


def test_numbers_may_stand_as_numbers() -> None:
    line = (
        b'com,example)/ 2007 {"url":"http://example.com/","status":404,"length":1,"offset":2,"filename":"f"}'
    )
    with pytest.raises(ValueError, match="not an index line"):
        from_line(line)
    found = from_line(line.replace(b" 2007 ", b" 20070101000000 "))
    assert (found.status, found.ref.offset, found.mime) == (404, 2, "unk")


@pytest.mark.parametrize("torn", [LINE[:-5], LINE[:40], b"\n", b"not an index\n"])
def test_a_torn_line_is_no_line(torn: bytes) -> None:
    with pytest.raises(ValueError, match="not an index line"):
        from_line(torn)


def test_only_whole_lines_count(tmp_path: Path) -> None:
    path = tmp_path / "i.cdxj"
    path.write_bytes(b'!meta {"format": "cdxj"}\n' + LINE + LINE[:30])
    assert list(lines_of(path)) == [LINE]


def test_an_unreadable_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "i.cdxj"
    path.write_bytes(LINE + b"rubbish\n")
    with pytest.raises(InputError, match="line 2"):
        list(captures_of(path))


def test_the_nearest_capture_in_time_is_found(tmp_path: Path) -> None:
    times = [1_000_000, 2_000_000, 4_000_000]
    index = Index.open(written(tmp_path / "i", *(capture("http://a.example/x", at) for at in times)))
    nearest = [
        index.closest("http://a.example/x", Millis(at))
        for at in (0, 1_400_000, 1_600_000, 3_900_000, 9_000_000)
    ]
    assert [found.at for found in nearest if found] == [1_000_000, 1_000_000, 2_000_000, 4_000_000, 4_000_000]
    latest = index.closest("http://a.example/x")
    assert latest is not None
    assert latest.at == 4_000_000
    assert index.closest("http://a.example/y") is None


def test_the_url_itself_goes_before_another_of_the_same_key(tmp_path: Path) -> None:
    other, own = capture("http://www.a.example/x", 9_000_000), capture("http://a.example/x", 1_000_000)
    index = Index.open(written(tmp_path / "i", own, other))
    assert index.closest("http://a.example/x") == own
    assert index.closest("http://A.example/X/") == other, "no such URL: the latest of its key"


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "i").write_bytes(b"")
    assert Index.open(tmp_path / "i").closest("http://a.example/") is None


def test_merging_sorts_and_keeps_each_line_once(tmp_path: Path) -> None:
    target = written(tmp_path / "index.cdxj", capture("http://a.example/1"), capture("http://a.example/3"))
    parts = [
        written(tmp_path / "p1", capture("http://b.example/"), capture("http://a.example/2")),
        written(tmp_path / "p2", capture("http://a.example/3"), capture("http://a.example/0")),
    ]
    merge(target, parts)
    assert [c.url[-1] for c in captures_of(target)] == ["0", "1", "2", "3", "/"]
    lines = list(lines_of(target))
    assert lines == sorted(lines)
    assert not list(tmp_path.glob("*.new"))
