"""Recorded webs in the laboratory: visits as if read anew, the graph of visits, what is hidden and what is lacking."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lycosa.archive.collection import Collection
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.drive.clock import VirtualClock
from lycosa.drive.visit import Visitor
from lycosa.lab.webs import cache, parse
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Failure, Millis, Page, Reason, Request, Response, Visit
from lycosa.model.url import Url
from lycosa.scoring.words.terms import document_frequencies
from lycosa.web.made.graph_web import GraphWeb, WebShape
from lycosa.web.recorded import RecordedWeb
from lycosa.web.robots.cache import RobotsCache

SHAPE = WebShape(pages=120, hosts=12, failures=0.2, redirects=0.2, robots=0.5)


def known(request: Request, url: Url) -> Reason | None:
    """A crawl that knows every third page: redirects there are not followed."""
    return Reason.ALREADY_KNOWN if url.endswith(("0", "3", "6")) and url != request.url else None


def anything(request: Request, url: Url) -> Reason | None:
    return None


def write(folder: Path, *responses: Response) -> Path:
    archive = WarcArchive.open(folder, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for response in responses:
        archive.write(response)
    archive.close()
    return folder


def answer(url: str, body: str = "", status: int = 200, kind: str = "text/html", **headers: str) -> Response:
    return Response(
        url=Url(url),
        status=status,
        headers=(
            ("Content-Type", kind),
            *((name.replace("_", "-"), value) for name, value in headers.items()),
        ),
        body=body.encode("latin-1"),
        fetched_at=Millis(1_000_000),
    )


def page(url: str, *targets: str) -> Response:
    links = "".join(f'<p>see <a href="{target}">the {target}</a> there</p>' for target in targets)
    return answer(url, f"<title>{url}</title><h1>About corals</h1>{links}")


async def record(folder: Path) -> None:
    """Record a generated web: pages, redirects, error pages and robots.txt."""
    web = GraphWeb(SHAPE)
    urls = [web.url(number) for number in range(SHAPE.pages)]
    robots = dict.fromkeys(Url(url[: url.index("/", 8)] + "/robots.txt") for url in urls)
    answers = [await web.fetch(url) for url in [*urls, *robots]]
    write(folder, *(answer for answer in answers if isinstance(answer, Response)))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    asyncio.run(record(folder))
    return folder


@pytest.fixture(scope="module")
def web(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> LabWeb:
    return open_web([recorded], kept_in=tmp_path_factory.mktemp("kept"))


@pytest.fixture
def small(tmp_path: Path) -> LabWeb:
    """Pages a → b, c by a redirect, lost; b → a by https, a by its default file; c → c; d → nothing that is there."""
    write(
        tmp_path,
        page("http://a.test/", "http://b.test/b", "/old", "http://lost.test/", "/old", "http://a.test/none"),
        page("http://b.test/b", "https://a.test/", "http://a.test/index.html", "http://d.test/d"),
        page("http://c.test/c", "http://c.test/c", "http://a.test/loop"),
        page("http://d.test/d", "http://lost.test/", "http://also.lost.test/", "/picture"),
        answer("http://a.test/old", status=301, Location="http://c.test/c"),
        answer("http://a.test/loop", status=302, Location="/loop"),
        answer("http://a.test/none", "<p>gone", status=404),
        answer("http://d.test/picture", "\x89PNG....", kind="text/html"),
        answer("http://d.test/robots.txt", "User-agent: *\nDisallow: /private", kind="text/plain"),
    )
    return open_web([tmp_path])


def requests() -> list[Request]:
    """Each page asked for twice, the second time from elsewhere, and one that was not recorded."""
    urls = [GraphWeb(SHAPE).url(number) for number in range(SHAPE.pages)] + [Url("http://h0.test/none")]
    first = [Request(url=url, order=order) for order, url in enumerate(urls)]
    return first + [Request(url=url, order=500 + order, depth=7, score=0.5) for order, url in enumerate(urls)]


def visits(visitor: Visitor, asked: list[Request]) -> list[Visit]:
    async def all_of_them() -> list[Visit]:
        return [await visitor(request) for request in asked]

    return asyncio.run(all_of_them())


def anew(folder: Path, asked: list[Request], seed: int = 0) -> list[Visit]:
    """What the requests bring where each page is read when it is visited."""
    clock = VirtualClock()
    web = RecordedWeb(Collection.open([folder]), seed)
    return visits(Visitor(web, RobotsCache(web, "lycosa", clock), None, known, clock), asked)


def kept(web: LabWeb, asked: list[Request], seed: int = 0) -> list[Visit]:
    clock = VirtualClock()
    visitor = web.visitor(
        known, clock, seed=seed, robots=lambda crawled: RobotsCache(crawled, "lycosa", clock)
    )
    return visits(visitor, asked)


def visit(web: LabWeb, url: str, **how: object) -> Visit:
    visitor = web.visitor(anything, VirtualClock(), **how)  # type: ignore[arg-type]
    return asyncio.run(visitor(Request(url=Url(url), order=0)))


def reason(web: LabWeb, url: str, **how: object) -> Reason | None:
    found = visit(web, url, **how)
    return found.reason if isinstance(found, Failure) else None


# -- visits --------------------------------------------------------------------------------------------------


def test_as_if_read_anew(recorded: Path, web: LabWeb) -> None:
    plain = anew(recorded, requests())
    assert kept(web, requests()) == plain
    pages = [visit for visit in plain if isinstance(visit, Page)]
    reasons = {visit.reason for visit in plain if isinstance(visit, Failure)}
    assert any(page.hops for page in pages)
    assert any(page.crawl_delay is None and page.links for page in pages)
    assert {Reason.ROBOTS, Reason.STATUS, Reason.NOT_RECORDED, Reason.ALREADY_KNOWN} <= reasons


def test_the_seed_of_modelled_times_is_not_kept(recorded: Path, web: LabWeb) -> None:
    assert kept(web, requests(), seed=1) == anew(recorded, requests(), seed=1)


def test_other_names_of_a_page_are_read_as_such(small: LabWeb, tmp_path: Path) -> None:
    """Relative links are resolved against the name that was asked for."""
    by_https = visit(small, "https://a.test/")
    assert isinstance(by_https, Page)
    assert "https://a.test/old" in [link.target for link in by_https.links]
    assert small.pages.outcome("https://a.test/") >= len(small)
    assert [by_https] == anew(tmp_path, [by_https.request])


def test_what_is_no_text_and_what_was_never_linked(small: LabWeb, tmp_path: Path) -> None:
    urls = ["http://d.test/picture", "http://www.d.test/d", "http://x.test/", "http://d.test/robots.txt"]
    asked = [Request(url=Url(url), order=0) for url in urls]
    found = kept(small, asked)
    assert found == anew(tmp_path, asked)
    reasons = [visit.reason for visit in found if isinstance(visit, Failure)]
    assert reasons == [Reason.NOT_TEXT, Reason.NOT_RECORDED]


def test_several_names_beyond_the_limit_are_read_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parse, "ALIASES", 0.0)
    write(tmp_path, page("http://a.test/", "https://a.test/", "/b"), page("http://a.test/b"))
    web = open_web([tmp_path])
    assert len(web) == len(web.pages) == 2
    asked = [Request(url=Url("https://a.test/"), order=0)]
    assert kept(web, asked) == anew(tmp_path, asked)


def test_times_are_as_recorded(tmp_path: Path) -> None:
    timed = Response(
        url=Url("http://a.test/"),
        status=200,
        headers=(("Content-Type", "text/html"),),
        body=b"<p>x",
        fetched_at=Millis(1),
        elapsed=Millis(70),
    )
    found = visit(open_web([write(tmp_path, timed)]), "http://a.test/")
    assert isinstance(found, Page)
    assert (found.elapsed, found.fetched_at) == (70, 1)


def test_a_damaged_record_is_a_failure_here_too(recorded: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(recorded, tmp_path / "copy")
    warc = next(copy.glob("*.warc.gz"))
    octets = bytearray(warc.read_bytes())
    middle = len(octets) // 2
    octets[middle : middle + 200] = bytes(200)
    warc.write_bytes(octets)
    web = open_web([copy])
    assert kept(web, requests()) == anew(copy, requests())


# -- hidden and lacking --------------------------------------------------------------------------------------


def test_excluded_pages_are_not_there(small: LabWeb) -> None:
    excluded = ["http://c.test/c"]
    gone = visit(small, "http://a.test/old", excluded=excluded)
    assert isinstance(gone, Failure)
    assert (gone.reason, gone.status, gone.final_url) == (Reason.STATUS, 404, "http://c.test/c")
    assert reason(small, "http://www.c.test/c", excluded=excluded) is Reason.STATUS
    assert reason(small, "http://www.c.test/c") is None
    assert reason(small, "http://a.test/", excluded=excluded) is None
    assert reason(small, "https://a.test/", excluded=["http://a.test/"]) is Reason.STATUS
    assert reason(small, "http://lost.test/", excluded=["http://lost.test/"]) is Reason.STATUS


def test_what_was_not_recorded_is_counted(small: LabWeb) -> None:
    visitor = small.visitor(anything, VirtualClock(), excluded=["http://d.test/d"])
    urls = ["http://a.test/", "http://lost.test/", "http://also.lost.test/", "http://d.test/d"]
    visits(visitor, [Request(url=Url(url), order=0) for url in urls])
    assert (visitor.view.asked, visitor.view.lacking, visitor.view.refused) == (4, 2, 1)


def test_coverage_counts_links_that_lead_nowhere(small: LabWeb) -> None:
    """By hand: a: b, old → c; lost, none. b: a, d (twice a: two URLs). c: loop. d: lost, also lost, picture."""
    assert (small.coverage().links, small.coverage().recorded) == (10, 4)
    assert small.coverage().missing == pytest.approx(0.6)
    assert small.coverage(["http://d.test/d"]).recorded == 3
    assert small.coverage(["http://d.test/d"]).links == 7


# -- graph and columns ---------------------------------------------------------------------------------------


def edges(graph: LinkGraph) -> set[tuple[str, str]]:
    return {(graph.urls[i], graph.urls[j]) for i in range(len(graph)) for j in graph.out(i).tolist()}


def test_the_graph_worked_by_hand(small: LabWeb) -> None:
    a, b, c, d = "http://a.test/", "http://b.test/b", "http://c.test/c", "http://d.test/d"
    graph = small.graph()
    assert edges(graph) == {(a, b), (a, c), (b, a), (b, d)}
    assert dict(zip(graph.urls, graph.missing.tolist(), strict=True)) == {a: 2, b: 0, c: 1, d: 3}
    assert edges(graph.backwards) == {(b, a), (c, a), (a, b), (d, b)}
    assert edges(small.graph([c])) == {(a, b), (b, a), (b, d)}
    assert small.graph([c]).missing[graph.urls.index(Url(a))] == 3
    assert edges(small.graph([a])) == {(b, d)}


def test_a_url_has_the_number_of_the_page_it_brings(small: LabWeb) -> None:
    number = small.urls.index(Url("http://c.test/c"))
    names = ["http://c.test/c", "http://a.test/old", "http://www.c.test/c", "http://c.test/c#part"]
    assert [small.index(name) for name in names] == [number] * 4
    assert [
        small.index(name) for name in ("http://lost.test/", "http://a.test/loop", "http://d.test/picture")
    ] == [None] * 3
    with pytest.raises(InputError):
        small.index("mailto:a@b.test")


def test_texts_and_terms_without_pages(web: LabWeb) -> None:
    terms = web.all_terms()
    for number in range(len(web)):
        made = web.page(number)
        start, end = terms.indptr[number : number + 2]
        words = [terms.vocabulary[word] for word in terms.numbers[start:end].tolist()]
        assert dict(zip(words, terms.counts[start:end].tolist(), strict=True)) == made.terms
        assert (web.text(number), web.title(number), web.terms(number)) == (made.text, made.title, made.terms)
        assert list(web.terms(number)) == list(made.terms)
        assert made.final_url == web.urls[number]
    assert terms.indptr[-1] == len(terms.counts) > 1000
    assert web.frequencies() == document_frequencies(web.page(number).terms for number in range(len(web)))


def test_copies_are_kept_once(tmp_path: Path) -> None:
    body = "<title>One</title>" + "<p>coral reef</p>" * 200
    write(tmp_path, *(answer(f"http://a.test/{n}", body) for n in range(20)))
    web = open_web([tmp_path])
    assert len(web) == 20
    assert len(np.unique(web.pages.contents)) == 1
    assert web.text(0) == web.text(19) != ""


# -- where it is kept ----------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Iterator[Path]:
    yield (copy := Path(shutil.copytree(recorded, tmp_path / "copied")))
    copy.chmod(0o755)


def test_pages_are_kept_in_the_users_cache_and_nothing_beside_the_recording(copied: Path, home: Path) -> None:
    before = sorted(copied.iterdir())
    kept_at = open_web([copied]).kept.path
    assert kept_at.parent == home / "lycosa" / "pages"
    assert kept_at.name.startswith("copied-")
    assert sorted(copied.iterdir()) == before


def test_a_recording_that_must_not_be_written(copied: Path, home: Path) -> None:
    copied.chmod(0o555)
    assert len(open_web([copied])) > 0


def test_it_is_told_where_pages_are_kept_and_how_much(copied: Path, home: Path) -> None:
    told: list[str] = []
    web = open_web([copied], tell=told.append)
    megabytes = f"{web.kept.path.stat().st_size / 1e6:.1f} MB"
    assert (
        told[-1] == f"copied: {len(web)} pages kept in {web.kept.path} ({megabytes}), to be deleted at will"
    )


def test_what_was_deleted_is_made_again(copied: Path, home: Path) -> None:
    web = open_web([copied])
    shutil.rmtree(home / "lycosa" / "pages")
    again = open_web([copied])
    assert again.kept.path.exists()
    assert (len(again), list(again.notes)) == (len(web), [])


def test_two_folders_are_kept_in_the_users_cache(copied: Path, home: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", page("http://other.test/", GraphWeb(SHAPE).url(0)))
    next(other.glob("*.warc.gz")).rename(other / "other.warc.gz")
    for index in other.glob("*.cdxj"):
        index.unlink()
    web = open_web([copied, other])
    assert web.kept.path.parent == home / "lycosa" / "pages"
    assert web.index("http://other.test/") is not None
    assert len(web.graph().out(web.index("http://other.test/") or 0)) <= 1


def test_a_part_of_a_folder_has_a_file_of_its_own(tmp_path: Path, home: Path) -> None:
    files = [tmp_path / name for name in ("a.warc.gz", "b.warc.gz")]
    for number, file in enumerate(files):
        folder = write(tmp_path / file.name.partition(".")[0], page(f"http://{number}.test/"))
        next(folder.glob("*.warc.gz")).rename(file)
    assert len({open_web(part).kept.path.name for part in (files, files[:1], files[1:])}) == 3


def test_read_once(copied: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "EVERY", 0.0)
    told: list[str] = []
    first = open_web([copied], tell=told.append)
    assert "read once" in told[0]
    urls = told[-2].split()[1]
    assert told[1:-1] == [f"copied: {n} of {urls} URLs" for n in (32, 64, 96, urls)]
    assert len(first) <= int(urls) <= 132
    written = first.kept.path.stat().st_mtime_ns
    told.clear()
    again = open_web([copied], tell=told.append)
    assert (told, list(again.notes)) == ([], [])
    assert again.kept.path.stat().st_mtime_ns == written


def test_older_than_its_source(copied: Path, home: Path) -> None:
    """Another time with the same bytes is no harm; other bytes are."""
    web = open_web([copied])
    warc = next(copied.glob("*.warc.gz"))
    os.utime(warc, ns=(1, 1))
    assert list(open_web([copied]).notes) == []
    url = "http://new.test/"
    write(copied, page(url))
    told: list[str] = []
    new = open_web([copied], tell=told.append)
    assert len(new) == len(web) + 1
    assert new.index(url) is not None
    assert "read anew" in new.notes[0]
    assert new.notes[0] in told


def test_written_by_another_reader(copied: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_web([copied])
    monkeypatch.setattr(cache, "reader_version", lambda: "another")
    assert "another version" in open_web([copied]).notes[0]
    assert list(open_web([copied]).notes) == []


@pytest.mark.parametrize("harm", ["cut", "grown", "altered", "empty", "other"])
def test_a_damaged_file_is_made_anew(copied: Path, home: Path, harm: str) -> None:
    path = open_web([copied]).kept.path
    octets = bytearray(path.read_bytes())
    octets[len(octets) // 2] ^= 1
    harmed = {
        "cut": octets[: len(octets) // 2],
        "grown": path.read_bytes() + b"x",
        "altered": octets,
        "empty": b"",
        "other": b"another kind of file that is long enough",
    }
    path.write_bytes(harmed[harm])
    web = open_web([copied])
    assert "read anew" in web.notes[0]
    assert kept(web, requests()) == anew(copied, requests())
    assert list(open_web([copied]).notes) == []


def test_a_place_that_cannot_be_written(recorded: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FolderError, match="cannot be kept there"):
        open_web([recorded], kept_in=tmp_path / "file")


def test_no_recording(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \.warc"):
        open_web([tmp_path])


def test_a_recording_without_pages(tmp_path: Path) -> None:
    web = open_web([write(tmp_path, answer("http://a.test/", status=500))])
    assert (len(web), len(web.graph().indices), web.coverage().missing, len(web.all_terms().counts)) == (
        0,
        0,
        0.0,
        0,
    )
    assert reason(web, "http://a.test/") is Reason.STATUS


def test_read_by_several_processes(copied: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = open_web([copied], kept_in=home / "one")
    monkeypatch.setattr(parse, "ALONE", 10)
    monkeypatch.setattr(parse, "cores", lambda: 2)
    two = open_web([copied], kept_in=home / "two")
    assert one.kept.path.read_bytes() == two.kept.path.read_bytes()
