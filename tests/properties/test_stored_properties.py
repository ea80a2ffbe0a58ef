"""Promises of reading an archive in stored order, tried with whatever hypothesis thinks up."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

from lycosa.archive.reader import Reader
from lycosa.archive.record import first_record, target_of
from lycosa.archive.stored import Place, StoredOrder
from lycosa.archive.warc import WarcArchive
from lycosa.model.records import Millis, RecordRef, Response
from lycosa.model.url import Url


@contextmanager
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def response(number: int) -> Response:
    """Every third one has a payload that the archive has already."""
    return Response(
        url=Url(f"http://h{number % 2}.example/{number}"),
        status=200,
        headers=(("Content-Type", "text/html"),),
        body=f"<p>{number - number % 3}".encode() * 9,
        fetched_at=Millis(1_700_000_000_000 + 1000 * (100 - number)),
        request_headers=(("Host", "h.example"),),
    )


DEEDS = st.lists(
    st.sampled_from(["write", "write", "write", "flush", "close", "lose", "read", "go on"]), max_size=40
)


@example(
    deeds=["write", "flush", "read", "close", "write", "write", "flush", "read"], rotate_at=10**9, some=1
)
@given(deeds=DEEDS, rotate_at=st.sampled_from([1, 2_000, 10**9]), some=st.integers(1, 4))
@settings(deadline=None)
def test_each_once(deeds: list[str], rotate_at: int, some: int) -> None:
    """Readers come and go while the archive is written, closed, opened again, and loses its unsorted index lines."""
    with folder() as place:
        archive = WarcArchive.open(place, rotate_at=rotate_at)
        reader = StoredOrder(place)
        written: list[RecordRef] = []
        read: list[RecordRef] = []
        for deed in [*deeds, "close", "read"]:
            match deed:
                case "write":
                    answer = response(len(written))
                    written.append(archive.write(answer))
                    archive.annotate(written[-1], answer.url, {"relevance": "0.5"})
                case "flush":
                    archive.flush()
                case "close":
                    archive.close()
                    archive = WarcArchive.open(place, rotate_at=rotate_at)
                case "lose":
                    archive.flush()
                    for side in [*place.glob("lycosa*.cdxj")]:
                        side.write_bytes(side.read_bytes()[:-7])
                    archive = WarcArchive.open(place, rotate_at=rotate_at)
                case "read":
                    read += [capture.ref for capture in reader.more()]
                case "go on":
                    for _, capture in zip(range(some), reader.more(), strict=False):
                        read.append(capture.ref)
                    reader = StoredOrder(place, Place.parse(str(reader.place)))
        archive.close()
        assert read == written
        assert [capture.ref for capture in StoredOrder(place).more()] == written
        raw = Reader([place]).raw
        for number, ref in enumerate(read):
            record = first_record(raw(ref))
            assert record is not None
            assert target_of(record) == response(number).url


@given(cut=st.integers(1, 4_000), indexed=st.booleans())
@settings(deadline=None)
def test_a_truncated_tail_is_left_out(cut: int, indexed: bool) -> None:
    with folder() as place:
        archive = WarcArchive.open(place)
        written = [archive.write(response(number)) for number in range(8)]
        archive.close()
        (file,) = place.glob("*.warc.gz")
        file.write_bytes(file.read_bytes()[:-cut])
        if not indexed:
            (place / "index.cdxj").unlink()
        size = file.stat().st_size
        whole = [ref for ref in written if ref.offset + ref.length <= size]
        reader = StoredOrder(place)
        assert [capture.ref for capture in reader.more()] == whole
        assert list(reader.more()) == []


def test_a_damaged_record_costs_itself_and_no_other(tmp_path: Path) -> None:
    archive = WarcArchive.open(tmp_path)
    written = [archive.write(response(number)) for number in range(5)]
    archive.close()
    (file,) = tmp_path.glob("*.warc.gz")
    content = bytearray(file.read_bytes())
    content[written[2].offset + 20 : written[2].offset + 40] = bytes(20)
    file.write_bytes(content)
    (tmp_path / "index.cdxj").unlink()
    found = [capture.ref for capture in StoredOrder(tmp_path).more()]
    assert found == [*written[:2], *written[3:]]


def test_the_index_is_enough(tmp_path: Path) -> None:
    """What an index covers is not scanned: here there would be nothing to scan."""
    archive = WarcArchive.open(tmp_path / "a")
    written = [archive.write(response(number)) for number in range(4)]
    archive.close()
    (file,) = (tmp_path / "a").glob("*.warc.gz")
    end = written[-1].offset + written[-1].length
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    (tmp_path / "b" / file.name).write_bytes(file.read_bytes()[:2] + bytes(end - 2))
    assert [capture.ref for capture in StoredOrder(tmp_path / "b").more()] == written
