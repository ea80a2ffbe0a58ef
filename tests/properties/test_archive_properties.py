"""Promises of the archive, tried with whatever hypothesis thinks up."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.trials import trials
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from lycosa.archive.cdxj import Capture, Index, captures_of, from_line, lines_of, merge, to_line
from lycosa.archive.collection import Collection
from lycosa.archive.warc import WarcArchive
from lycosa.model.digests import sha1_base32
from lycosa.model.records import LastCapture, Millis, RecordRef, Response
from lycosa.model.url import Url, canonical
from lycosa.web.http.live import Limits
from lycosa.web.made.graph_web import GraphWeb, WebShape

TOKEN = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_.!#$%&'*+^`|~", min_size=1, max_size=20)
NAME = TOKEN | st.sampled_from(
    [
        "Content-Length",
        "content-length",
        "Content-Encoding",
        "Transfer-Encoding",
        "X-Archive-Orig-Content-Length",
    ]
)
VALUE = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"])
    | st.sampled_from(" ,;=\udcff\udc80"),
    max_size=30,
).map(str.strip) | st.sampled_from(["0", "3", "gzip", "br", "chunked", "identity"])
RESPONSE = st.builds(
    Response,
    url=st.sampled_from(
        [f"http://h{n}.example/{path}" for n in (1, 2) for path in ("", "a", "a?b=c%20d")]
    ).map(Url),
    status=st.integers(100, 599),
    headers=st.lists(st.tuples(NAME, VALUE), max_size=6).map(tuple),
    body=st.binary(max_size=60) | st.sampled_from([b"abc", b"the same body"]),
    fetched_at=st.integers(0, 4_000_000_000_000).map(Millis),
    elapsed=st.integers(0, 100_000).map(Millis),
    address=st.sampled_from(["", "192.0.2.1", "2001:db8::1"]),
    http_version=st.sampled_from(["1.0", "1.1"]),
    reason_phrase=st.sampled_from(["", "OK", "Not Found"]),
    request_headers=st.sampled_from([(), (("Host", "h1.example"),)]),
    truncated=st.sampled_from(["", "length", "time", "disconnect"]),
)


@contextmanager
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


@settings(max_examples=trials(60), deadline=None)
@given(st.lists(RESPONSE, min_size=1, max_size=5))
def test_round_trip(responses: list[Response]) -> None:
    with folder() as place:
        archive = WarcArchive.open(place)
        refs = [archive.write(response) for response in responses]
        for ref, response in zip(refs, responses, strict=True):
            assert archive.read(ref) == replace(response, request_headers=())
        archive.close()


def text_of(size: st.SearchStrategy[int], *, line: bool = True) -> st.SearchStrategy[str]:
    """A few odd bytes, over and over, up to so many: as they come off the wire."""
    odd = st.binary(min_size=1, max_size=6).filter(lambda some: not line or not set(some) & set(b"\r\n\0"))
    repeated = st.builds(lambda some, most: (some * (most // len(some) + 1))[:most], odd, size)
    return repeated.map(lambda raw: raw.decode("utf-8", "surrogateescape").strip())


LIMITS = Limits()
GREAT = st.sampled_from([0, 1, 100, 8_190, LIMITS.header - 100])
HOSTILE = st.builds(
    Response,
    url=st.builds(
        lambda tail, many: canonical(f"http://h.example/{tail * many}"),
        st.sampled_from(["a", "é", "%ff", "?q=<b>", "/x", "a b", "[", "|", "日本/"]),
        st.sampled_from([0, 1, 100, 30_000]),
    ),
    status=st.integers(100, 999),
    headers=st.builds(
        lambda fields, times: (fields * times)[: LIMITS.headers],
        st.lists(
            st.tuples(NAME | st.sampled_from(["Content-Type", "Set-Cookie"]), text_of(GREAT)), max_size=4
        ).map(tuple),
        st.sampled_from([1, 50, 200]),
    ),
    body=st.sampled_from([b"", b"<p>", b"\0\xff", bytes(LIMITS.body), b"<p>some words</p>" * 60_000]),
    fetched_at=st.integers(0, 4_000_000_000_000).map(Millis),
    http_version=st.sampled_from(["1.0", "1.1"]),
    reason_phrase=text_of(GREAT),
    request_headers=st.just((("Host", "h.example"),)),
    truncated=st.sampled_from(["", "length"]),
)


@settings(max_examples=trials(12), deadline=None)
@given(st.lists(HOSTILE, min_size=1, max_size=2))
def test_what_is_written_can_be_read(responses: list[Response]) -> None:
    """By reference, after a repair, and as a recorded web; whatever a live web lets through."""
    with folder() as place:
        archive = WarcArchive.open(place, most=LIMITS.body)
        refs = [archive.write(response) for response in responses]
        for ref, response in zip(refs, responses, strict=True):
            assert archive.read(ref) == replace(response, request_headers=())
            archive.annotate(ref, response.url, {"via": response.url, "odd": response.reason_phrase})
        archive.close()
        (place / "index.cdxj").unlink()
        collection = Collection.open([place])
        assert not collection.warnings
        for response in responses:
            found = collection.find(response.url)
            assert found is not None
            assert found.body in {each.body for each in responses if each.url == response.url}
        collection.close()


def by_fastwarc(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [f"{record.record_id}" for record in ArchiveIterator(file, parse_http=False)]


def by_warcio(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [record.rec_headers.get_header("WARC-Record-ID") for record in WarcioIterator(file)]


def page(path: str, body: bytes) -> Response:
    return Response(
        url=Url(f"http://a.example/{path}"),
        status=200,
        headers=(("Content-Type", "text/html"),),
        body=body,
        fetched_at=Millis(1_000_000),
        request_headers=(("Host", "a.example"),),
    )


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[int], str]:
    """A small WARC file: its bytes, where its records end, and its name."""
    place = tmp_path_factory.mktemp("good")
    archive = WarcArchive.open(place)
    for n in range(4):
        ref = archive.write(page(str(n), b"same body" if n % 2 else os.urandom(40)))
        archive.annotate(ref, Url(f"http://a.example/{n}"), {"relevance": "0.5"})
    archive.close()
    path = place / ref.file
    with path.open("rb") as file:
        starts = [record.stream_pos for record in ArchiveIterator(file)]
    return path.read_bytes(), [*starts[1:], path.stat().st_size], path.name


@pytest.mark.parametrize("indexed", [False, True], ids=["no index", "part of the index"])
def test_whole_records_wherever_the_file_is_cut(
    good: tuple[bytes, list[int], str], indexed: bool, tmp_path: Path
) -> None:
    """Every eleventh byte position and each edge of a record: repaired, read by two others' readers, written on."""
    content, ends, name = good
    (tmp_path / name).write_bytes(content)
    WarcArchive.open(tmp_path).close()
    index = (tmp_path / "index.cdxj").read_bytes()
    edges = {end + step for end in (0, *ends) for step in (-1, 0, 1)}
    for cut in sorted({*range(0, len(content), 11), *edges} & set(range(len(content) + 1))):
        (tmp_path / "index.cdxj").unlink(missing_ok=True)
        for left in tmp_path.glob("*.gz"):
            left.unlink()
        path = tmp_path / name
        path.write_bytes(content[:cut])
        if indexed:
            (tmp_path / name.replace(".warc.gz", ".cdxj")).write_bytes(
                index[: cut * len(index) // len(content)]
            )
        whole = sum(end <= cut for end in ends)
        archive = WarcArchive.open(tmp_path)
        assert any("torn" in told for told in archive.repairs) == (cut not in (0, *ends)), cut
        ref = archive.write(page("after", b"written after the repair"))
        assert archive.read(ref).body == b"written after the repair"
        archive.close()
        kept = by_fastwarc(path)
        assert len(kept) == max(whole, 1) + 2, cut
        assert len(by_warcio(path)) == len(kept)
        captures = list(captures_of(tmp_path / "index.cdxj"))
        assert len({capture.url for capture in captures}) == len(captures)
        assert {path.read_bytes()[c.ref.offset : c.ref.offset + 3] for c in captures} == {b"\x1f\x8b\x08"}


CAPTURE = st.builds(
    Capture,
    url=st.sampled_from(
        [
            f"{scheme}://{host}.example/{path}"
            for scheme in ("http", "https")
            for host in "ab"
            for path in "xy"
        ]
    ),
    at=st.integers(0, 200_000).map(lambda seconds: Millis(seconds * 1000)),
    ref=st.builds(
        RecordRef, file=st.just("f.warc.gz"), offset=st.integers(0, 10**12), length=st.integers(1, 10**9)
    ),
    mime=st.sampled_from(["text/html", "warc/revisit", "unk"]),
    status=st.sampled_from([0, 200, 301, 404]),
    digest=st.sampled_from(["", "sha1:ABC"]),
)


@given(CAPTURE)
def test_a_line_says_all_of_a_capture(capture: Capture) -> None:
    assert from_line(to_line(capture)) == capture


@settings(deadline=None)
@given(st.lists(CAPTURE, max_size=30), st.integers(0, 200_000_000).map(Millis))
def test_finds_all_and_finds_the_closest(captures: list[Capture], at: Millis) -> None:
    """Against the stupid twin: a list."""
    with folder() as place:
        half = len(captures) // 2
        for name, part in (("1", captures[:half]), ("2", captures[half:])):
            (place / name).write_bytes(b"".join(map(to_line, part)))
        merge(place / "index.cdxj", [place / "1"])
        merge(place / "index.cdxj", [place / "2"])
        index = Index.open(place / "index.cdxj")
        for url in ["http://a.example/x", "https://b.example/y", "http://c.example/"]:
            alike = {c for c in captures if c.url.split("://")[1] == url.split("://")[1]}
            found = list(index.captures(url))
            assert len(found) == len(alike)
            assert set(found) == alike
            assert [c.at for c in found] == sorted(c.at for c in found)
            nearest = index.closest(url, at)
            same = {c for c in alike if c.url == url} or alike
            assert (nearest is None) == (not same)
            if nearest is not None:
                assert nearest in same
                assert abs(nearest.at - at) == min(abs(c.at - at) for c in same)


@settings(max_examples=trials(100), deadline=None)
@given(st.lists(CAPTURE, max_size=12), st.integers(0, 200_000_000).map(Millis))
def test_point_in_time(captures: list[Capture], at: Millis) -> None:
    """The index by bisection, and its naive twin: all captures, sorted."""
    with folder() as place:
        (place / "1").write_bytes(b"".join(map(to_line, captures)))
        merge(place / "index.cdxj", [place / "1"])
        index = Index.open(place / "index.cdxj")
        for url in ["http://a.example/x", "https://a.example/x", "http://c.example/"]:
            alike = [c for c in captures if c.url.split("://")[1] == url.split("://")[1]]
            for then in (at, None):
                early = [c for c in alike if then is None or c.at <= then]
                pool = [c for c in early if c.url == url] or early
                found = index.at(url, then)
                assert (found is None) == (not pool)
                assert found is None or (found in pool and found.at == max(c.at for c in pool))
                newest = [from_line(line) for line in index.newest(url, then)]
                assert set(newest) == set(early)
                assert [c.at for c in newest] == sorted((c.at for c in newest), reverse=True)


@settings(max_examples=trials(40), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), min_size=1, max_size=10, unique=True),
    st.integers(-1, 10),
    st.integers(0, 10),
)
def test_point_in_time_over_files(written: list[tuple[str, int]], at: int, indexed: int) -> None:
    """However much of the files is indexed, `find` answers as the list of what was written does."""
    with folder() as place:
        archive = WarcArchive.open(place)
        for name, when in written:
            archive.write(
                replace(page(name, f"{name} as of {when}".encode()), fetched_at=Millis(when * 1000))
            )
        archive.close()
        index = place / "index.cdxj"
        lines = sorted(lines_of(index), key=lambda line: from_line(line).ref.offset)
        index.write_bytes(b"".join(sorted(lines[:indexed])))
        collection = Collection.open([place])
        for name in "ab":
            early = [when for each, when in written if each == name and when <= at]
            found = collection.find(f"http://a.example/{name}", Millis(at * 1000 + 999))
            assert (found and found.body) == (f"{name} as of {max(early)}".encode() if early else None)
        collection.close()


NAMES = ["", "index.html", "a", "a/", "a/index.html", "a?x=1", "A", "%7Eb", "~b", "a#f"]


@settings(max_examples=trials(60), deadline=None)
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=8, unique=True), st.integers(0, 8), st.booleans()
)
def test_finds_what_was_recorded_by_index_or_scan(names: list[str], kept: int, indexed: bool) -> None:
    with folder() as place:
        archive = WarcArchive.open(place)
        for name in names:
            archive.write(page(name, name.encode() + b" body"))
        archive.close()
        index = place / "index.cdxj"
        lines = index.read_bytes().splitlines(keepends=True)
        by_offset = sorted(lines, key=lambda line: from_line(line).ref.offset)
        index.unlink()
        if indexed:
            index.write_bytes(b"".join(sorted(by_offset[:kept])))
        collection = Collection.open([place])
        assert len(list(collection.captures())) == len(names)
        for name in names:
            url = f"http://a.example/{name}"
            exact, tidy = collection.find(url), collection.find(canonical(url))
            assert exact is not None
            assert exact.body == name.encode() + b" body"
            assert tidy is not None
            assert canonical("http://a.example/" + tidy.body.decode().removesuffix(" body")) == canonical(url)
        collection.close()


@settings(max_examples=trials(40), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from([b"one", b"two", None]), st.booleans()), max_size=12
    )
)
def test_refers_rightly(answers: list[tuple[str, bytes | None, bool]]) -> None:
    """Pages and 304s in any order, asked for or not; the twin is a table of what each URL brought last."""
    with folder() as place:
        archive = WarcArchive.open(place)
        last: dict[str, tuple[Response, LastCapture]] = {}
        due: list[tuple[RecordRef, Response]] = []
        for number, (name, body, asked) in enumerate(answers):
            told = replace(page(name, body or b""), fetched_at=Millis(number * 1000))
            told = told if body else replace(told, status=304)
            before = last.get(name)
            ref = archive.write(told, before[1] if before and asked else None)
            known = before[0] if before and asked and not body else told
            due.append((ref, replace(known, fetched_at=told.fetched_at, request_headers=())))
            if body:
                capture = LastCapture(
                    url=told.url, at=told.fetched_at, digest=sha1_base32(body), etag="1", record=ref
                )
                last[name] = told, capture
        assert [archive.read(ref) for ref, _ in due] == [response for _, response in due]
        archive.close()
        stated = {(r.url, r.at): r for r in captures_of(place / "index.cdxj")} if due else {}
        for _, response in due:
            assert stated[response.url, response.fetched_at].digest == sha1_base32(response.body)


@settings(max_examples=trials(30), deadline=None)
@given(st.integers(0, 1000), st.integers(1, 300), st.integers(1, 40))
def test_a_function_with_no_dangling_links(seed: int, pages: int, hosts: int) -> None:
    shape = WebShape(pages=pages, hosts=hosts, failures=0.2, redirects=0.2)
    one, other = GraphWeb(shape, seed), GraphWeb(shape, seed)
    known = {one.url(number) for number in range(pages)}
    assert len(known) == pages
    for number in range(0, pages, 7):
        url = one.url(number)
        found = asyncio.run(one.fetch(url))
        assert found == asyncio.run(other.fetch(url))
        assert one.truth(url) == other.truth(url)
        if isinstance(found, Response):
            links = [part.split('"')[0] for part in found.body.decode().split('href="')[1:]]
            target = found.header("location")
            assert known.issuperset([*links, *([target] if target else [])])
