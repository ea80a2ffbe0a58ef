"""WACZ: what goes into the file, and what comes out of files that others made, or spoilt."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.unit.test_revisit_records import AT, HERE, last, page, unmodified

import lycosa
from lycosa.archive import wacz as writing
from lycosa.archive import wacz_file
from lycosa.archive.cdxj import from_line
from lycosa.archive.collection import Collection
from lycosa.archive.wacz import About, WaczPage, write_wacz
from lycosa.archive.wacz_file import Wacz
from lycosa.archive.warc import WarcArchive
from lycosa.cli.export import command as export
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.errors import InputError
from lycosa.model.moments import iso
from lycosa.model.records import Millis
from lycosa.model.url import Url

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
ABOUT = About(title="bees", description="about bees", created=Millis(AT), has_text=True)


def listed(number: int, relevance: float = 1.0) -> WaczPage:
    return WaczPage(
        id=f"p{number}",
        url=f"http://a.example/{number}",
        ts=iso(AT),
        title=f"Page {number}",
        text="words",
        relevance=relevance,
        depth=number,
        status=200,
        seed=number == 0,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An archive of ten pages, two copies and a 304, in two WARC files."""
    archive = WarcArchive.open(tmp_path / "archive", rotate_at=4_000)
    refs = [archive.write(page(0, b"page %d " % n * 40, Url(f"http://a.example/{n}"))) for n in range(10)]
    first = page(0, b"page 0 " * 40, Url("http://a.example/0"))
    archive.write(unmodified(1, first.url), last(refs[0], first))
    archive.write(page(2, b"page 1 " * 40, HERE))
    archive.close()
    return tmp_path / "archive"


def packed(folder: Path, pages: Sequence[WaczPage] = (), others: Sequence[WaczPage] = ()) -> bytes:
    collection = Collection.open([folder])
    out = io.BytesIO()
    write_wacz(out, collection.whole(), collection.lines(), pages, others, ABOUT)
    collection.close()
    return out.getvalue()


def written(folder: Path, content: bytes) -> Path:
    path = folder.parent / "x.wacz"
    path.write_bytes(content)
    return path


def offset_of(line: bytes) -> int:
    return from_line(line).ref.offset


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def remade(
    content: bytes, change: Callable[[zipfile.ZipInfo, bytes], tuple[zipfile.ZipInfo, bytes] | None]
) -> bytes:
    """The same zip archive with other members."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            if (changed := change(info, old.read(info))) is not None:
                new.writestr(*changed)
    return out.getvalue()


# -- what is written -----------------------------------------------------------------------------------------------


def test_all_that_the_specification_asks_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "LINES", 5)
    content = packed(folder, [listed(0), listed(1)], [listed(2, 0.1)])
    files = members(content)
    warcs = {f"archive/{path.name}": path.read_bytes() for path in folder.glob("*.warc.gz")}
    assert len(warcs) == 2
    assert warcs.items() <= files.items()
    lines = gzip.decompress(files["indexes/index.cdx.gz"]).splitlines(keepends=True)
    assert b"".join(lines) == (folder / "index.cdxj").read_bytes()
    blocks = files["indexes/index.idx"].decode().splitlines()
    assert blocks[0] == '!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}'
    assert len(blocks) == 4, "twelve lines are three blocks of five at most"
    for number, block in enumerate(blocks[1:]):
        key, time, where = block.split(" ", 2)
        part = json.loads(where)
        begin = files["indexes/index.cdx.gz"][part["offset"] : part["offset"] + part["length"]]
        assert gzip.decompress(begin) == b"".join(lines[5 * number : 5 * number + 5])
        assert lines[5 * number].startswith(f"{key} {time} ".encode())
        assert part["digest"] == f"sha256:{hashlib.sha256(begin).hexdigest()}"
    package = json.loads(files["datapackage.json"])
    assert (package["profile"], package["wacz_version"], package["title"]) == (
        "data-package",
        "1.1.1",
        "bees",
    )
    told = {each["path"]: (each["bytes"], each["hash"]) for each in package["resources"]}
    rest = {name: data for name, data in files.items() if not name.startswith("datapackage")}
    assert told == {
        name: (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}") for name, data in rest.items()
    }
    digest = json.loads(files["datapackage-digest.json"])
    assert digest["hash"] == f"sha256:{hashlib.sha256(files['datapackage.json']).hexdigest()}"


def test_pages_are_listed_with_titles_times_and_texts(folder: Path) -> None:
    files = members(packed(folder, [listed(0), listed(1)], [listed(2, 0.1)]))
    head, *pages = map(json.loads, files["pages/pages.jsonl"].splitlines())
    assert head == {"format": "json-pages-1.0", "id": "pages", "title": "Pages", "hasText": True}
    assert [each["title"] for each in pages] == ["Page 0", "Page 1"]
    assert pages[0] == {
        "id": "p0",
        "url": "http://a.example/0",
        "ts": "2023-11-14T22:13:20.123Z",
        "title": "Page 0",
        "text": "words",
        "relevance": 1.0,
        "depth": 0,
        "status": 200,
        "seed": True,
        "language": "",
    }
    head, *rest = map(json.loads, files["pages/extraPages.jsonl"].splitlines())
    assert head["id"] == "extraPages"
    assert rest[:2] == pages, "ReplayWeb.page searches this list alone, if it is there"
    assert [each["relevance"] for each in rest[2:]] == [0.1]
    assert "pages/extraPages.jsonl" not in members(packed(folder, [listed(0)]))


def test_what_must_be_read_in_place_is_stored(folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(packed(folder))) as archive:
        for info in archive.infolist():
            in_place = info.filename.startswith("archive/") or info.filename.endswith(".gz")
            assert (info.compress_type == zipfile.ZIP_STORED) is in_place
            assert not info.extra, "wabac.js takes further fields of a header for content"


class Pipe(io.RawIOBase):
    """Standard output: what was written is gone."""

    def __init__(self) -> None:
        self.content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, part: bytes) -> int:  # type: ignore[override]
        self.content += part
        return len(part)


def test_it_can_be_written_to_a_pipe(folder: Path) -> None:
    collection, pipe = Collection.open([folder]), Pipe()
    write_wacz(pipe, collection.whole(), collection.lines(), [], [], ABOUT)  # type: ignore[arg-type]
    collection.close()
    assert len(list(Collection.open([written(folder, bytes(pipe.content))]).captures())) == 12


def test_an_archive_that_is_being_written_is_packed_as_far_as_it_is_whole(folder: Path) -> None:
    warc = max(folder.glob("*.warc.gz"))
    whole = warc.stat().st_size
    with warc.open("ab") as file:
        file.write(warc.read_bytes()[:50])
    files = members(packed(folder))
    assert len(files[f"archive/{warc.name}"]) == whole


# -- and back ------------------------------------------------------------------------------------------------------


def answers(web: Path) -> list[tuple[str, int, int, bytes]]:
    """All that a collection says of its captures, and their contents as they were then."""
    collection = Collection.open([web])
    found = []
    for capture in collection.captures():
        response = collection.find(capture.url, capture.at)
        assert response is not None
        found.append((capture.url, capture.at, response.status, response.body))
    assert not collection.warnings
    collection.close()
    return found


def test_a_wacz_answers_as_the_folder_that_it_was_made_of(folder: Path) -> None:
    path = written(folder, packed(folder))
    assert answers(path) == answers(folder)
    assert len(answers(path)) == 12
    collection = Collection.open([path])
    assert collection.info().indexed
    assert collection.files == [path]
    collection.close()


@pytest.mark.parametrize("kind", ["no index", "plain index", "other names", "unsorted", "too short", "torn"])
def test_its_index_is_used_as_far_as_it_is_sound(folder: Path, kind: str) -> None:
    lines = (folder / "index.cdxj").read_bytes().splitlines(keepends=True)

    def change(info: zipfile.ZipInfo, data: bytes) -> tuple[zipfile.ZipInfo, bytes] | None:
        if info.filename == "indexes/index.idx" or (
            info.filename.startswith("indexes") and kind == "no index"
        ):
            return None if kind in ("no index", "plain index") else (info, data)
        if info.filename == "indexes/index.cdx.gz":
            if kind == "plain index":
                return zipfile.ZipInfo("indexes/index.cdxj"), b"!meta 0 {}\n" + b"".join(lines)
            if kind == "too short":
                return info, gzip.compress(b"".join(sorted(lines, key=offset_of)[:3]))
            if kind == "torn":
                return info, data[:-9]
            changed = (
                [line.replace(b"lycosa-", b"archive/") for line in lines]
                if kind == "other names"
                else lines[::-1]
            )
            return info, gzip.compress(b"".join(changed))
        return info, data

    path = written(folder, remade(packed(folder), change))
    collection = Collection.open([path])
    assert len(list(collection.captures())) == 12
    assert bool(collection.warnings) == (kind == "torn")
    found = collection.find("http://a.example/7")
    assert found is not None
    assert found.body.startswith(b"page 7")
    collection.close()


def test_an_index_that_unpacks_for_ever_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wacz_file, "LEAST_INDEX", 1 << 20)
    bomb = gzip.compress(bytes(8 << 20))

    def change(info: zipfile.ZipInfo, data: bytes) -> tuple[zipfile.ZipInfo, bytes]:
        return info, bomb if info.filename == "indexes/index.cdx.gz" else data

    collection = Collection.open([written(folder, remade(packed(folder), change))])
    assert ["unpacks to far more" in each for each in collection.warnings] == [True]
    assert len(list(collection.captures())) == 12
    collection.close()


def test_names_are_no_paths(folder: Path) -> None:
    """A member may be called what it likes: nothing is unpacked under that name, or looked for."""
    secret = folder.parent / "secret.warc.gz"
    shutil.copy(max(folder.glob("*.warc.gz")), secret)

    def change(info: zipfile.ZipInfo, data: bytes) -> tuple[zipfile.ZipInfo, bytes]:
        if info.filename.endswith("00000.warc.gz"):
            return zipfile.ZipInfo("archive/../../secret.warc.gz"), data
        return info, data

    before = sorted(folder.parent.rglob("*"))
    path = written(folder, remade(packed(folder), change))
    assert len(answers(path)) == 12
    assert sorted(folder.parent.rglob("*")) == sorted([*before, path])


def test_warc_files_that_cannot_be_read_in_place_are_refused(folder: Path) -> None:
    def change(info: zipfile.ZipInfo, data: bytes) -> tuple[zipfile.ZipInfo, bytes]:
        info.compress_type = zipfile.ZIP_DEFLATED
        return info, data

    path = written(folder, remade(packed(folder), change))
    with pytest.raises(
        InputError, match="is compressed within it, so no record can be read in place; unpack"
    ):
        Collection.open([path])


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04", b"<html>not found</html>" * 50], ids=["empty", "short", "html"]
)
def test_what_is_no_zip_is_refused_in_a_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.wacz").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.wacz is no WACZ file, or was cut .*; fetch it again$"):
        Collection.open([tmp_path / "x.wacz"])


def test_a_zip_of_other_things_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.wacz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match="holds no WARC files under archive/"):
        Collection.open([tmp_path / "x.wacz"])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    place = tmp_path_factory.mktemp("small")
    archive = WarcArchive.open(place)
    for number in range(3):
        archive.write(page(0, b"page %d " % number * 40, Url(f"http://a.example/{number}")))
    archive.close()
    return packed(place)


@settings(max_examples=trials(150), deadline=None)
@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=8))
def test_whatever_befalls_a_file_it_is_read_or_refused(
    small: bytes, tmp_path_factory: pytest.TempPathFactory, cut: int, changes: list[tuple[int, int]]
) -> None:
    """Cut anywhere, or with any bytes changed: an InputError, or what can still be read."""
    content = bytearray(small)
    for at, value in changes:
        content[at % len(content)] = value
    if not changes:
        content = content[: cut % len(content)]
    path = tmp_path_factory.mktemp("spoilt") / "x.wacz"
    path.write_bytes(content)
    try:
        collection = Collection.open([path])
    except InputError:
        return
    for capture in collection.captures():
        assert capture.end <= path.stat().st_size
    collection.close()


def test_two_files_of_one_name_are_refused(folder: Path) -> None:
    path = written(folder, packed(folder))
    with pytest.raises(InputError, match="two files are named"):
        Collection.open([path, folder])


# -- crawls --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("crawled") / "crawl"
    seed = "http://schools.wiki.example/wp/Biosphere.html"
    lycosa.crawl("dinosaur fossil", [seed], web=f"recorded:{SAMPLE}", pages=20, out=place).close()
    return place


def exported(*args: str | Path) -> str:
    done = CliRunner().invoke(export, list(map(str, args)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_crawl_is_exported_with_its_relevant_pages_first(crawl: Path, tmp_path: Path) -> None:
    said = exported(crawl, "--to", "wacz", tmp_path / "x.wacz")
    assert "20 pages" in said
    files = members((tmp_path / "x.wacz").read_bytes())
    pages = [json.loads(line) for line in files["pages/pages.jsonl"].splitlines()[1:]]
    both = [json.loads(line) for line in files["pages/extraPages.jsonl"].splitlines()[1:]]
    assert both[: len(pages)] == pages
    others = both[len(pages) :]
    scores = [each["relevance"] for each in (*pages, *others)]
    with CrawlFolder.open(crawl) as folder:
        rows = {row.final_url: row for row in folder.rows()}
        from_ = folder.spec.relevant_from
    assert scores == sorted(scores, reverse=True)
    assert all(each["relevance"] >= from_ for each in pages)
    assert all(each["relevance"] < from_ for each in others)
    assert {each["url"]: (each["title"], each["text"]) for each in (*pages, *others)} == {
        url: (row.title, row.text) for url, row in rows.items()
    }
    assert pages


def test_texts_may_be_left_out(crawl: Path, tmp_path: Path) -> None:
    exported(crawl, "--to", "wacz", "-o", tmp_path / "x.wacz", "--no-text")
    head, *pages = map(
        json.loads, members((tmp_path / "x.wacz").read_bytes())["pages/pages.jsonl"].splitlines()
    )
    assert head["hasText"] is False
    assert {each["text"] for each in pages} == {""}


def test_a_crawl_of_the_export_is_the_crawl(crawl: Path, tmp_path: Path) -> None:
    exported(crawl, "--to", "wacz", tmp_path / "x.wacz")
    seed = "http://schools.wiki.example/wp/Biosphere.html"
    web = f"recorded:{tmp_path / 'x.wacz'}"
    with (
        lycosa.crawl("dinosaur fossil", [seed], web=web, pages=20, out=tmp_path / "again") as again,
        CrawlFolder.open(crawl) as first,
    ):
        kept = [(row.url, row.digest) for row in first.rows(text=False)]
        assert [(row.url, row.digest) for row in again.rows(text=False)] == kept


def test_as_it_was_then(crawl: Path, tmp_path: Path) -> None:
    with CrawlFolder.open(crawl) as folder:
        first = min(row.fetched_at for row in folder.rows(text=False))
    exported(crawl, "--to", "wacz", tmp_path / "x.wacz", "--at", "2000-01-01")
    files = members((tmp_path / "x.wacz").read_bytes())
    assert first > 946_684_800_000  # date -u -d 2000-01-01 +%s
    assert gzip.decompress(files["indexes/index.cdx.gz"] or gzip.compress(b"")) == b""
    assert len(files["pages/pages.jsonl"].splitlines()) == 1


def test_two_names_for_one_file_are_refused(crawl: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(export, [str(crawl), "--to", "wacz", "a.wacz", "-o", "b.wacz"])
    assert isinstance(done.exception, InputError)
    assert "name one" in str(done.exception)


def test_wacz_reads_its_own_members_where_they_lie(folder: Path) -> None:
    content = packed(folder)
    for warc in Wacz.open(written(folder, content)).warcs:
        with warc.open() as file:
            assert file.read() == (folder / warc.name).read_bytes()
            file.seek(10)
            assert file.read(5) == (folder / warc.name).read_bytes()[10:15]
            assert content[warc.start : warc.start + 3] == b"\x1f\x8b\x08"
