"""Deduplication across crawls: what is looked up, what refers to what, and what happens where it is missing."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from base64 import b32encode
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastwarc.warc import ArchiveIterator
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.unit.test_revisit_records import AT, DAY, HERE, headers_in, last, page, unmodified
from tests.unit.test_wacz import ABOUT, SAMPLE, exported, packed

import lycosa
from lycosa.archive.cdxj import Capture, captures_of, to_line
from lycosa.archive.collection import Collection
from lycosa.archive.originals import originals_of
from lycosa.archive.others import Others, PayloadFile
from lycosa.archive.places import ELSEWHERE, depends_on
from lycosa.archive.reader import MissingFile, Reader
from lycosa.archive.wacz import write_wacz
from lycosa.archive.warc import WarcArchive
from lycosa.archive.warc_file import WarcFile
from lycosa.cli.crawl import command as crawl_command
from lycosa.cli.doctor import command as doctor_command
from lycosa.cli.doctor import dependencies
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.digests import sha1_base32
from lycosa.model.errors import InputError
from lycosa.model.moments import iso
from lycosa.model.records import Millis, RecordRef
from lycosa.model.url import Url

LONG = b"a page that both crawls meet " * 50
THERE = Url("http://b.example/y")


@pytest.fixture
def first(tmp_path: Path) -> Path:
    archive = WarcArchive.open(tmp_path / "first")
    archive.write(page(0, LONG))
    archive.write(page(0, b"only here", Url("http://a.example/only")))
    archive.close()
    return tmp_path / "first"


def against(folder: Path, *others: Path) -> WarcArchive:
    return WarcArchive.open(folder, others=Others.open(others))


def test_a_payload_of_another_archive_is_referred_to(first: Path, tmp_path: Path) -> None:
    archive = against(tmp_path / "second", first)
    again = archive.write(page(9, LONG, THERE))
    own = archive.write(page(9, b"new"))
    assert archive.read(again) == page(9, LONG, THERE)
    assert archive.read(own).body == b"new"
    archive.close()
    old = next(headers_in(first))
    revisit, response = headers_in(tmp_path / "second")
    assert response["WARC-Type"] == "response"
    assert revisit["WARC-Profile"].endswith("/identical-payload-digest")
    assert revisit["WARC-Refers-To"] == old["WARC-Record-ID"]
    assert revisit["WARC-Refers-To-Target-URI"] == HERE
    assert revisit["WARC-Refers-To-Date"] == iso(Millis(AT))
    assert revisit["WARC-Payload-Digest"] == sha1_base32(LONG)
    assert depends_on(tmp_path / "second") == [first]


def test_it_is_read_again_after_both_were_closed(first: Path, tmp_path: Path) -> None:
    archive = against(tmp_path / "second", first)
    ref = archive.write(page(9, LONG, THERE))
    archive.close()
    assert Reader([tmp_path / "second"]).read(ref).body == LONG
    collection = Collection.open([tmp_path / "second"])
    found = collection.find(THERE)
    assert found is not None
    assert found.body == LONG
    collection.close()


def test_where_the_other_archive_is_missing_that_is_said(first: Path, tmp_path: Path) -> None:
    archive = against(tmp_path / "second", first)
    ref = archive.write(page(9, LONG, THERE))
    archive.close()
    moved = first.rename(tmp_path / "moved")
    with pytest.raises(
        MissingFile, match=rf"the WARC file lycosa-\S+ is missing from .*{first}; bring it back"
    ):
        Reader([tmp_path / "second"]).read(ref)
    (tmp_path / "second" / ELSEWHERE).write_text("# where it is now\n../moved\n")
    assert Reader([tmp_path / "second"]).read(ref).body == LONG
    assert moved.exists()


def test_an_archive_that_needs_no_other_depends_on_none(first: Path, tmp_path: Path) -> None:
    archive = against(tmp_path / "second", first)
    archive.write(page(9, b"nothing that they have"))
    archive.close()
    assert not (tmp_path / "second" / ELSEWHERE).exists()


def test_files_of_the_same_name_are_told_apart(first: Path, tmp_path: Path) -> None:
    """Two crawls that begin in the same second name their files alike."""
    archive = against(tmp_path / "second", first)
    ref = archive.write(page(9, LONG, THERE))
    archive.write(page(9, os.urandom(3000)))
    archive.close()
    [theirs], [ours] = first.glob("*.warc.gz"), (tmp_path / "second").glob("*.warc.gz")
    ours.rename(ours.with_name(theirs.name))
    (tmp_path / "second" / "index.cdxj").unlink()
    assert (
        Reader([tmp_path / "second"])
        .read(RecordRef(file=theirs.name, offset=ref.offset, length=ref.length))
        .body
        == LONG
    )


def test_only_whole_bodies_that_are_the_same_are_referred_to(tmp_path: Path) -> None:
    other = WarcArchive.open(tmp_path / "first")
    ref = other.write(page(0, LONG))
    other.close()
    lies = [
        Capture(
            url=HERE,
            at=Millis(AT),
            ref=ref,
            mime="text/html",
            status=200,
            digest=sha1_base32(b"another body"),
        )
    ]
    (tmp_path / "first" / "index.cdxj").write_bytes(b"".join(map(to_line, lies)))
    archive = against(tmp_path / "second", tmp_path / "first")
    archive.write(page(9, b"another body"))
    archive.close()
    [kept] = headers_in(tmp_path / "second")
    assert kept["WARC-Type"] == "response", "the index lies about the digest, and is not believed"


@pytest.mark.parametrize("kind", ["WARC folder", "crawl folder", "WARC file", "WACZ"])
def test_whatever_holds_an_archive_can_be_compared_with(kind: str, first: Path, tmp_path: Path) -> None:
    place = first
    if kind == "crawl folder":
        (tmp_path / "crawl").mkdir()
        shutil.move(first, tmp_path / "crawl" / "archive")
        place = tmp_path / "crawl"
    elif kind == "WARC file":
        [place] = first.glob("*.warc.gz")
    elif kind == "WACZ":
        place = tmp_path / "first.wacz"
        place.write_bytes(packed(first))
        shutil.rmtree(first)
    archive = against(tmp_path / "second", place)
    ref = archive.write(page(9, LONG, THERE))
    archive.close()
    assert [headers["WARC-Type"] for headers in headers_in(tmp_path / "second")] == ["revisit"]
    assert Reader([tmp_path / "second"]).read(ref).body == LONG


def test_a_place_without_an_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"cannot deduplicate against .*nowhere: there is no .*nowhere; .*leave it out"
    ):
        Others.open([tmp_path / "nowhere"])


def test_the_look_up_is_kept_and_made_again_where_it_does_not_fit(first: Path, tmp_path: Path) -> None:
    Others.open([first]).close()
    kept = first / "archive.payloads"
    before, size = kept.stat().st_mtime_ns, kept.stat().st_size
    Others.open([first]).close()
    assert kept.stat().st_mtime_ns == before
    grown = WarcArchive.open(first)
    grown.write(page(1, b"more"))
    grown.close()
    Others.open([first]).close()
    assert kept.stat().st_size - size == 16, "16 bytes a payload"
    kept.write_bytes(kept.read_bytes()[:-3])
    others = Others.open([first])
    assert others.original(sha1_base32(LONG), LONG) is not None
    others.close()


def test_an_archive_that_cannot_be_written_to_is_compared_with_all_the_same(
    first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first / "archive.payloads.new").mkdir()  # nothing can be written there, whoever one is
    others = Others.open([first])
    assert others.original(sha1_base32(LONG), LONG) is not None
    assert not (first / "archive.payloads").exists()
    others.close()


def test_digests_of_other_kinds_are_told(first: Path, tmp_path: Path) -> None:
    index = first / "index.cdxj"
    index.write_bytes(index.read_bytes().replace(b"sha1:", b"sha-256:"))
    others = Others.open([first])
    assert [note.partition(": ")[2] for note in others.notes] == [
        "2 payloads have digests other than SHA-1: they are not known again"
    ]
    others.close()


DIGEST = st.integers(0, 40).map(lambda n: hashlib.sha1(b"%d" % n).digest())


@settings(max_examples=trials(60), deadline=None)
@given(
    st.lists(st.tuples(DIGEST, st.integers(0, 2**47)), max_size=40),
    st.lists(DIGEST, max_size=5),
    st.booleans(),
)
def test_finds_each_payload(
    tmp_path_factory: pytest.TempPathFactory, stored: list[tuple[bytes, int]], asked: list[bytes], plain: bool
) -> None:
    """Against a table, with digests as different programs write them."""

    class Listed:
        """What a look-up file is made of."""

        def captures(self) -> list[Capture]:
            return [
                Capture(
                    url=HERE,
                    at=Millis(AT),
                    ref=RecordRef(file="f.warc.gz", offset=offset, length=1),
                    digest=digest.hex() if plain else f"sha1:{b32encode(digest).decode()}",
                )
                for digest, offset in stored
            ]

        def whole(self) -> list[WarcFile]:
            return [WarcFile(path=Path("f.warc.gz"), name="f.warc.gz", size=2**48)]

    found = PayloadFile.make(Listed(), tmp_path_factory.mktemp("kept") / "x.payloads")  # type: ignore[arg-type]
    assert len(found) == len(stored)
    for digest in [*asked, *(digest for digest, _ in stored)]:
        offsets = sorted(offset for other, offset in stored if other == digest)
        assert [ref.offset for ref in found.refs(f"sha1:{b32encode(digest).decode()}")] == offsets


# -- packed --------------------------------------------------------------------------------------------------------


def test_what_lies_elsewhere_goes_with_a_wacz(first: Path, tmp_path: Path) -> None:
    archive = against(tmp_path / "second", first)
    archive.write(page(9, LONG, THERE))
    ref = archive.write(page(9, b"our own"))
    archive.write(unmodified(10), last(ref, page(9, b"our own")))
    archive.close()
    collection = Collection.open([tmp_path / "second"])
    out = io.BytesIO()
    with originals_of(collection, [tmp_path / "second"]) as borrowed:
        assert len(borrowed.lines) == 1
        lines = sorted([*collection.lines(), *borrowed.lines])
        write_wacz(out, [*collection.whole(), *borrowed.warcs], lines, [], [], ABOUT)
    collection.close()
    shutil.rmtree(first)
    shutil.rmtree(tmp_path / "second")
    (tmp_path / "x.wacz").write_bytes(out.getvalue())
    alone = Collection.open([tmp_path / "x.wacz"])
    found = alone.find(THERE)
    assert found is not None
    assert (found.body, found.fetched_at) == (LONG, AT + 9 * DAY)
    alone.close()


def test_a_wacz_is_refused_where_what_it_needs_is_missing(first: Path, tmp_path: Path) -> None:
    archive = against(tmp_path / "second", first)
    archive.write(page(9, LONG, THERE))
    archive.close()
    shutil.rmtree(first)
    collection = Collection.open([tmp_path / "second"])
    with pytest.raises(MissingFile, match="bring it back"), originals_of(collection, [tmp_path / "second"]):
        pass
    collection.close()


# -- crawls --------------------------------------------------------------------------------------------------------


def crawl(place: Path, **more: object) -> CrawlFolder:
    seed = "http://schools.wiki.example/wp/Biosphere.html"
    return lycosa.crawl("dinosaur fossil", [seed], web=f"recorded:{SAMPLE}", pages=20, out=place, **more)  # type: ignore[arg-type]


def test_a_crawl_against_an_earlier_one_is_small_and_whole(tmp_path: Path) -> None:
    crawl(tmp_path / "one").close()
    args = ["dinosaur fossil", "http://schools.wiki.example/wp/Biosphere.html", "--web", f"recorded:{SAMPLE}"]
    args += ["--pages", "20", "--out", str(tmp_path / "two"), "--dedup-against", str(tmp_path / "one"), "-q"]
    done = CliRunner().invoke(crawl_command, args, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    lines = list(captures_of(tmp_path / "two" / "archive" / "index.cdxj"))
    assert {line.mime for line in lines} == {"warc/revisit"}
    with CrawlFolder.open(tmp_path / "one") as one, CrawlFolder.open(tmp_path / "two") as two:
        assert [(row.url, row.text) for row in one.rows()] == [(row.url, row.text) for row in two.rows()]
    exported(tmp_path / "two", "--to", "wacz", tmp_path / "two.wacz")
    shutil.rmtree(tmp_path / "one")
    alone = Collection.open([tmp_path / "two.wacz"])
    assert {capture.mime for capture in alone.captures()} == {"warc/revisit", "text/html"}
    alone.close()


def test_the_doctor_tells_what_a_crawl_depends_on(tmp_path: Path) -> None:
    crawl(tmp_path / "one").close()
    crawl(tmp_path / "two").close()
    refers = dependencies(tmp_path / "two")
    assert (refers.verdict, refers.found) == ("ok", f"{tmp_path / 'two'} refers to none")
    (tmp_path / "two" / "archive" / ELSEWHERE).write_text(f"{tmp_path / 'one'}\n")
    refers = dependencies(tmp_path / "two")
    assert (refers.verdict, refers.found) == ("ok", f"{tmp_path / 'two'} refers to {tmp_path / 'one'}")
    (tmp_path / "one").rename(tmp_path / "gone")
    told = CliRunner().invoke(
        doctor_command, [str(tmp_path / "two"), "--offline", "--json"], standalone_mode=False
    )
    found = json.loads(told.output.splitlines()[0])
    assert (found["name"], found["verdict"]) == ("other archives", "problem")
    assert f"there is no {tmp_path / 'one'}" in found["found"]
    assert "bring them back, or write their new place into" in found["remedy"]
    assert told.return_value == 1


def test_a_crawl_against_nothing_leaves_nothing_behind(tmp_path: Path) -> None:
    args = [
        "bees",
        "http://schools.wiki.example/",
        "--web",
        f"recorded:{SAMPLE}",
        "--out",
        str(tmp_path / "two"),
    ]
    done = CliRunner().invoke(crawl_command, [*args, "--dedup-against", str(tmp_path / "nowhere")])
    assert isinstance(done.exception, InputError)
    assert not (tmp_path / "two").exists()


def test_other_readers_find_what_is_referred_to(first: Path, tmp_path: Path) -> None:
    archive = against(tmp_path / "second", first)
    archive.write(page(9, LONG, THERE))
    archive.close()
    [file] = (tmp_path / "second").glob("*.warc.gz")
    with file.open("rb") as stream:
        kinds = [record.headers["WARC-Type"] for record in ArchiveIterator(stream)]
    assert kinds == ["warcinfo", "revisit"]
