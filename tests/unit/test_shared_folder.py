"""The folder of a crawl that several nodes share: one collection, whatever is asked of it."""

from __future__ import annotations

import asyncio
import json
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.sharedcrawls import START, ByTitle, by_title, sample, shared_crawl

import lycosa
from lycosa.archive.collection import Collection
from lycosa.cli.completion import CrawlPath
from lycosa.cli.group import lycosa as command_line
from lycosa.crawls.answers import Browse, Search
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.opening import open_folder
from lycosa.crawls.packed import write_packed
from lycosa.crawls.session import resume, said_before
from lycosa.crawls.shared.folder import SharedFolder
from lycosa.crawls.shared.refreshing import plan_refresh
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import FolderError, InputError
from lycosa.model.events import Wish
from lycosa.model.nodes import Node
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.report.page import report_of
from lycosa.sharing.registry import partition
from lycosa.sources.earlier import opened as opened_earlier
from lycosa.spec.tree import RevisitSpec
from lycosa.store.database import FolderLock, lock_path
from lycosa.store.full_text import TextIndex
from lycosa.store.inbox import Inbox
from lycosa.uses.map.places import map_of

PAGES = 36
NAMES = ["n0", "n1", "n2"]
KINDS = ("url", "whole", "links")
DINOSAUR = "http://schools.wiki.example/wp/Dinosaur.html"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Shared by hash of the URL, by topic with pages that are sent, and by topic with links that are sent alone."""
    place = tmp_path_factory.mktemp("shared")
    return {
        "url": shared_crawl(place / "url", sample(), lambda members: partition("url", members), pages=PAGES),
        "whole": shared_crawl(place / "whole", sample(), by_title("pages"), pages=PAGES),
        "links": shared_crawl(place / "links", sample(), by_title("urls"), pages=PAGES),
    }


@pytest.fixture(params=KINDS)
def folder(made: dict[str, Path], request: pytest.FixtureRequest) -> Iterator[SharedFolder]:
    with SharedFolder.open(made[request.param]) as opened:
        yield opened


@pytest.fixture
def by_url(made: dict[str, Path]) -> Iterator[SharedFolder]:
    with SharedFolder.open(made["url"]) as opened:
        yield opened


@pytest.fixture
def overlapping(made: dict[str, Path]) -> Iterator[SharedFolder]:
    with SharedFolder.open(made["links"]) as opened:
        yield opened


@pytest.mark.parametrize("most", [1, 5, 100])
def test_pages_in_parts_are_all_pages(folder: SharedFolder, most: int) -> None:
    found, token = [], ""
    while (told := folder.pages(token, most)).pages:
        assert len(told.pages) <= most
        found += told.pages
        token = told.token
    assert found == list(folder.rows(text=False))
    assert folder.pages(token, most).token == token
    with pytest.raises(InputError, match="no place in this crawl"):
        folder.pages("n0:x", most)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command_line, [str(argument) for argument in arguments], catch_exceptions=False)


def fetched(folder: SharedFolder) -> dict[Node, set[Url]]:
    """What each node fetched, from its whole journal."""
    return {name: set(node.history.exchanges.fetched()) for name, node in folder.nodes.items()}


class TestOneCollection:
    def test_it_is_opened_as_any_other(self, made: dict[str, Path]) -> None:
        for path in made.values():
            with lycosa.open(path) as opened, lycosa.open(str(path / "nodes" / "n0")) as node:
                assert isinstance(opened, SharedFolder)
                assert isinstance(node, CrawlFolder)
                assert list(opened.nodes) == NAMES

    def test_each_page_once(self, folder: SharedFolder) -> None:
        rows = list(folder.rows(text=False))
        urls = [row.url for row in rows]
        everywhere = set[Url]().union(*fetched(folder).values())
        assert len(urls) == len(set(urls))
        assert set(urls) == everywhere
        assert [url for url, _ in folder.links()] == urls
        assert {row.url for row in folder.best(1_000)} == {row.url for row in rows if row.relevance >= 0.1}
        status = folder.status()
        assert status.pages == len(rows) == sum(node.pages for node in status.nodes)
        assert folder.history.harvest(0.1) == pytest.approx(
            (
                len(rows),
                sum(row.relevance >= 0.1 for row in rows),
                sum(row.relevance for row in rows) / len(rows),
            )
        )
        assert folder.history.pages_by("depth") == Counter(row.depth for row in rows)
        makeup = Counter((point.language, point.depth) for point in folder.history.series())
        assert makeup == Counter((row.language, row.depth) for row in rows)
        assert folder.history.host_names() == {count.host for count in folder.history.hosts()}
        assert sum(host.pages for host in folder.history.hosts()) == len(rows)
        assert len(list(folder.history.series())) == len(rows)

    def test_rows_come_in_the_order_of_the_crawl_and_name_their_nodes(self, folder: SharedFolder) -> None:
        rows = list(folder.rows())
        times = [folder.nodes[row.node].history.row(row.step).at for row in rows]  # type: ignore[attr-defined,union-attr]
        assert times == sorted(times)
        for row in rows:
            assert (folder.path / "nodes" / row.node / "archive" / row.warc_file).exists()  # type: ignore[attr-defined]
            assert row.text
        best = list(folder.rows(text=False, best_first=True))
        assert [row.relevance for row in best] == sorted((row.relevance for row in rows), reverse=True)

    def test_a_page_that_was_sent_on_is_its_owners(self, made: dict[str, Path]) -> None:
        with SharedFolder.open(made["whole"]) as folder:
            sent = sum(node.exported for node in folder.status().nodes)
            assert sent > 5
            for row in folder.rows(text=False):
                assert row.node == NAMES[ByTitle().of_title(row.title)]  # type: ignore[attr-defined]

    def test_of_a_page_that_two_nodes_have_the_latest_counts(self, overlapping: SharedFolder) -> None:
        several = {
            url
            for url, times in Counter(url for urls in fetched(overlapping).values() for url in urls).items()
            if times > 1
        }
        assert several
        visits = [row for row in overlapping.rows(text=False, all_visits=True) if row.url in several]
        for row in overlapping.rows(text=False):
            if row.url in several:
                same = [visit for visit in visits if visit.url == row.url]
                assert len(same) > 1
                last = max((visit.fetched_at, NAMES.index(visit.node)) for visit in same)  # type: ignore[attr-defined]
                assert (row.fetched_at, NAMES.index(row.node)) == last  # type: ignore[attr-defined]
        for url in several:
            sights = [version.sight for version in overlapping.versions(url)]
            assert sights[0] == "first"
            assert set(sights[1:]) == {"same"}
        assert len([v for v in overlapping.changes() if v.url in several]) == len(several)

    def test_a_folder_of_nothing_is_told_in_a_line(self, made: dict[str, Path], tmp_path: Path) -> None:
        shutil.copy(made["url"] / "cluster.toml", tmp_path / "cluster.toml")
        with pytest.raises(FolderError, match="hardly begun; lycosa cluster resume"):
            open_folder(tmp_path)

    def test_a_node_that_has_not_begun_is_passed_over(self, made: dict[str, Path], tmp_path: Path) -> None:
        copied = shutil.copytree(made["url"], tmp_path / "crawl")
        shutil.rmtree(copied / "nodes" / "n1" / "frontier")
        (copied / "nodes" / "n1" / "journal.db").unlink()
        with SharedFolder.open(copied) as folder:
            assert list(folder.nodes) == ["n0", "n2"]
            assert folder.status().pages > 0


class TestSearch:
    QUERIES = (
        "dinosaur",
        "earth OR fossil",
        '"the earth" life',
        "animal -plant",
        "dino*",
        "biosphere evolution",
    )

    def test_as_one_index(self, folder: SharedFolder, tmp_path: Path) -> None:
        with TextIndex(tmp_path / "text.db") as index:
            index.add([(n, row.final_url, row.title, row.text) for n, row in enumerate(folder.rows(), 1)])
            for query in self.QUERIES:
                whole = {hit.url: hit.rank for hit in index.search(query, 50)}
                hits = folder.search(query, 50)
                found = {hit.url: hit.rank for hit in hits}
                assert found.keys() == whole.keys()
                if folder.path.name != "links":
                    assert found == pytest.approx(whole)
                assert [hit.rank for hit in hits] == sorted(found.values(), reverse=True)
                assert all(folder.nodes[hit.node].history.row(hit.step) is not None for hit in hits)
                assert all(hit.snippet for hit in hits)

    def test_as_many_as_asked_for(self, folder: SharedFolder) -> None:
        assert [hit.url for hit in folder.search("earth", 3)] == [
            hit.url for hit in folder.search("earth", 30)
        ][:3]
        with pytest.raises(InputError, match="nothing to search for"):
            folder.search("-")


class TestWhy:
    def test_of_a_url_that_another_node_told_of(self, by_url: SharedFolder) -> None:
        told = by_url.why(DINOSAUR)
        assert (told.state, told.node, told.owner) == ("visited", told.fetched_by[0], told.node)
        (leg,) = told.came
        assert leg.to == told.node != leg.found_at
        sender, receiver = (by_url.nodes[name].history for name in (leg.found_at, leg.to))
        sent = sender.row(leg.step or 0)
        assert sent is not None
        assert sent.url == leg.on == told.path[-2].url
        taken = receiver.exchanges.received(Url(DINOSAUR))
        assert taken is not None
        assert (taken[0], taken[1].origin.number) == (leg.taken_in, leg.parcel)
        assert told.path[0].url == START

    def test_what_a_node_knew_did_not_come_by_a_parcel(self, folder: SharedFolder) -> None:
        for row in islice(folder.rows(text=False), 20):
            told = folder.why(row.url)
            for leg in told.came:
                if not leg.whole:
                    visits = [visit.step for visit in folder.nodes[leg.to].history.visits(row.url)]
                    assert leg.taken_in < min(visits)

    def test_the_way_leads_over_pages_of_several_nodes(self, by_url: SharedFolder) -> None:
        depths = {row.url: row.depth for row in by_url.rows(text=False)}
        deepest = max(depths, key=lambda url: depths[url])
        way = by_url.why(deepest).path
        linked = dict(by_url.links())
        assert (way[0].url, way[-1].url) == (START, deepest)
        assert all(later.url in linked[point.url] for point, later in pairwise(way))
        assert len({by_url.why(point.url).node for point in way}) > 1

    def test_of_a_page_that_was_sent_whole(self, made: dict[str, Path]) -> None:
        with SharedFolder.open(made["whole"]) as folder:
            moved = [
                (name, row)
                for name, node in folder.nodes.items()
                for row in node.history.rows()
                if row.origin
            ]
            name, row = moved[0]
            told = folder.why(row.url)
            assert (told.node, told.owner) == (name, name)
            assert told.came[-1].whole
            assert told.came[-1].found_at == row.origin.split("/")[0]
            assert told.came[-1].found_at in told.fetched_by

    def test_of_what_waits_and_of_what_nobody_knows(self, by_url: SharedFolder) -> None:
        pages = {row.url for row in by_url.rows(text=False)}
        linked = dict.fromkeys(target for _, targets in by_url.links() for target in targets)
        waiting = next(url for url in linked if url not in pages)
        told = by_url.why(waiting)
        assert (told.state, told.owner, told.fetched_by) == ("pending", told.node, ())
        nowhere = by_url.why("http://schools.wiki.example/wp/Nowhere.html")
        assert (nowhere.state, nowhere.node, nowhere.came) == ("unseen", None, ())
        assert nowhere.owner in NAMES

    def test_on_the_command_line(self, made: dict[str, Path]) -> None:
        told = run("why", made["url"], DINOSAUR).output
        assert "fetched by n" in told
        assert "in parcel" in told
        assert "by the link 'Dinosaur'" in told


class TestStream:
    @given(
        parts=st.lists(st.integers(1, 20), max_size=6), where=st.sampled_from(["", "page", "relevance > .1"])
    )
    def test_resumed_equals_whole(self, made: dict[str, Path], parts: list[int], where: str) -> None:
        with SharedFolder.open(made["whole"]) as folder:
            whole = [(record.node, record.url, record.token) for record in folder.stream("", where)]
            found: list[tuple[str, str, str]] = []
            token = ""
            for part in [*parts, 10_000]:
                stream = folder.stream(token, where)
                found += [(record.node, record.url, record.token) for record in islice(stream, part)]
                token = stream.token
            assert found == whole

    def test_each_node_in_its_own_order(self, folder: SharedFolder) -> None:
        woven = [(record.node, record.url) for record in folder.stream()]
        for name, node in folder.nodes.items():
            assert [url for where, url in woven if where == name] == [record.url for record in node.stream()]

    def test_pages_are_pages_where_they_are_kept(self, made: dict[str, Path]) -> None:
        with SharedFolder.open(made["whole"]) as folder:
            pages = [record.url for record in folder.stream(where="page")]
            assert sorted(pages) == sorted(row.final_url for row in folder.rows(text=False))

    def test_it_goes_on_where_it_stopped(self, by_url: SharedFolder) -> None:
        stream = by_url.stream()
        first = [record.url for record in islice(stream, 7)]
        rest = [record.url for record in stream]
        assert first + rest == [record.url for record in by_url.stream()]

    @pytest.mark.parametrize("token", ["n9@x-00000.warc.gz:7", "n0", "n0@nothing", "x-00000.warc.gz:7"])
    def test_a_token_of_nowhere_is_refused(self, by_url: SharedFolder, token: str) -> None:
        with pytest.raises(InputError, match=r"token|place"):
            list(by_url.stream(token))

    def test_json_lines_name_the_node(self, made: dict[str, Path]) -> None:
        lines = run("stream", made["url"], "--to", "jsonl", "--limit", "5").stdout.splitlines()
        assert {json.loads(line)["node"] for line in lines} <= set(NAMES)


class TestAsItWas:
    def test_a_page_and_its_capture(self, folder: SharedFolder) -> None:
        page, capture = folder.page(START), folder.capture(START)
        assert page is not None
        assert capture is not None
        assert "biosphere" in page.text.lower()
        assert capture.text == page.text
        assert folder.page(START, Millis(0)) is None
        assert [each.url for each in folder.timemap(START).captures] == [START]

    def test_a_capture_is_found_at_the_node_that_has_it(self, folder: SharedFolder) -> None:
        capture = folder.timemap(START).captures[0]
        assert b"iosphere" in folder.captured(capture).response.body
        with pytest.raises(InputError, match="no node"):
            folder.captured(replace(capture, at=Millis(1)))

    def test_what_a_page_links_to_is_the_same_whoever_fetched_it(
        self, folder: SharedFolder, overlapping: SharedFolder
    ) -> None:
        found = folder.links_of(START)
        assert [link.url for link in found] == [link.url for link in overlapping.links_of(START)]
        relevances = {row.url: row.relevance for row in folder.rows(text=False)}
        assert {link.url: link.relevance for link in found if link.url in relevances} == {
            link.url: relevances[link.url] for link in found if link.url in relevances
        }
        assert folder.links_of("http://nowhere.example/") == []

    def test_what_was_fetched_by_nobody(self, folder: SharedFolder) -> None:
        assert folder.page("http://nowhere.example/") is None
        assert folder.versions("http://nowhere.example/") == []
        with pytest.raises(InputError, match="did not fetch it"):
            folder.timemap("http://nowhere.example/")

    def test_the_collection_at_a_time(self, overlapping: SharedFolder) -> None:
        rows = list(overlapping.rows(text=False))
        last = max(row.fetched_at for row in rows)
        assert list(overlapping.rows(text=False, at=last)) == rows
        assert list(overlapping.rows(text=False, at=Millis(min(row.fetched_at for row in rows) - 1))) == []


class TestWhatPeopleSay:
    @pytest.fixture
    def copied(self, made: dict[str, Path], tmp_path: Path) -> Iterator[SharedFolder]:
        with SharedFolder.open(shutil.copytree(made["whole"], tmp_path / "crawl")) as opened:
            yield opened

    def test_marks_go_to_who_has_the_page(self, copied: SharedFolder) -> None:
        rows = list(copied.rows(text=False))
        urls = [next(row.url for row in rows if row.node == name) for name in NAMES]  # type: ignore[attr-defined]
        marks = copied.mark(*urls, good=True)
        assert {mark.url: mark.node for mark in marks} == dict(zip(urls, NAMES, strict=True))
        assert list(copied.marks()) == list(marks)
        assert copied.status().marks == {"good": 3, "bad": 0, "waiting": 3}
        assert copied.why(urls[0]).marked is True
        with pytest.raises(InputError, match="is no page"):
            copied.mark(urls[0], "http://nowhere.example/", good=False)
        assert len(copied.marks()) == 3

    def test_pings_go_to_who_has_the_page(self, copied: SharedFolder) -> None:
        row = next(row for row in copied.rows(text=False) if row.node == "n2")  # type: ignore[attr-defined]
        assert copied.ping(row.url, "http://schools.wiki.example/new.html") == [
            row.url,
            "http://schools.wiki.example/new.html",
        ]
        heard = {name: Inbox(node.paths.inbox).news(0) for name, node in copied.nodes.items()}
        assert [name for name in NAMES if heard[Node(name)]] == ["n0", "n2"]

    def test_questions_are_of_all_nodes(self, copied: SharedFolder) -> None:
        found = copied.questions(3)
        every = [question.url for node in copied.nodes.values() for question in node.questions(10)]
        assert 0 < len(found) <= 3
        assert {question.url for question in found} <= set(every)

    def test_who_does_not_run_is_asked_nothing(self, copied: SharedFolder) -> None:
        assert copied.process is None
        assert copied.ask(Wish.STOP) is None


class TestRefresh:
    @pytest.fixture
    def copied(self, made: dict[str, Path], tmp_path: Path) -> Path:
        return shutil.copytree(made["url"], tmp_path / "crawl")

    def test_every_node_visits_its_pages_again(self, copied: Path) -> None:
        plan_refresh(copied, RevisitSpec(once=1), pages=None, seconds=0.0)
        with SharedFolder.open(copied) as folder:
            has = {name: node.pages for name, node in zip(NAMES, folder.status().nodes, strict=True)}
        for name in NAMES:
            asyncio.run(visited_again(copied / "nodes" / name, has[name]))
        with SharedFolder.open(copied) as folder:
            status = folder.status()
            assert (status.pages, status.requests) == (PAGES, 2 * PAGES)
            assert status.refreshing is not None
            assert (status.refreshing.policy, status.refreshing.revisits) == ("once", PAGES)
            assert len(folder.looked_ago()) == PAGES
            assert folder.changes_by_day() == [(1, 0)]
            assert [version.sight for version in folder.versions(START)] == ["first", "same"]

    def test_what_cannot_be_is_told_in_a_line(self, copied: Path) -> None:
        with pytest.raises(InputError, match="give --once"):
            plan_refresh(copied, RevisitSpec(policy="uniform"), pages=None, seconds=9.0)
        lock = FolderLock(lock_path(copied / "nodes" / "n1" / "journal.db"))
        with pytest.raises(FolderError, match="stop it first"):
            plan_refresh(copied, RevisitSpec(once=1), pages=None, seconds=0.0)
        lock.close()


async def visited_again(node: Path, pages: int) -> None:
    """Let a node run until it has looked at so many pages; until then it is not quiet."""
    session = await resume(node)
    looked = 0

    def watch(visit: object) -> None:
        nonlocal looked
        looked += 1
        if looked == pages:
            session.crawl.dismiss(Ending(EndKind.EXHAUSTED), session.clock.now())
        else:
            assert not session.crawl.quiet

    session.allow(pages, None)
    await session.run(watch)
    assert looked == pages


class TestWhatIsMadeOfIt:
    def test_exports_have_a_column_for_the_node(self, folder: SharedFolder) -> None:
        table = folder.to_arrow(text=False)
        assert table.column_names[-1] == "node"
        assert set(table["node"].to_pylist()) <= set(NAMES)
        head, *lines = run("export", folder.path, "--to", "csv", "--no-text").stdout.splitlines()
        assert head.endswith(",near_duplicate_of,alternate_of,node")
        assert len(lines) == table.num_rows

    def test_an_ordinary_export_has_none(self, made: dict[str, Path]) -> None:
        """Who crawls on one machine sees nothing of this."""
        line = run("export", made["url"] / "nodes" / "n0", "--to", "jsonl", "--no-text").stdout.splitlines()[
            0
        ]
        assert "node" not in json.loads(line)

    def test_wacz_holds_all_archives(self, folder: SharedFolder, tmp_path: Path) -> None:
        with (tmp_path / "x.wacz").open("wb") as file:
            written = write_packed(folder, file, Millis(0))
        assert written.pages + written.others == folder.status().pages
        with zipfile.ZipFile(tmp_path / "x.wacz") as packed:
            warcs = [name for name in packed.namelist() if name.endswith(".warc.gz")]
        assert len(warcs) == len(NAMES)
        collection = Collection.open([tmp_path / "x.wacz"])
        assert all(collection.find(row.final_url) is not None for row in folder.rows(text=False))
        collection.close()

    def test_it_is_a_recorded_web_and_an_earlier_crawl(self, folder: SharedFolder) -> None:
        collection = Collection.open([folder.path])
        urls = {row.final_url for row in folder.rows(text=False)}
        assert {capture.url for capture in collection.captures()} >= urls
        collection.close()
        with opened_earlier(folder.path) as earlier:
            assert sorted(earlier.urls()) == sorted(urls)
            assert {page.final_url for page in earlier.pages()} == urls
            page = earlier.page(Url(START))
            assert page is not None
            assert page.text

    def test_the_map(self, folder: SharedFolder) -> None:
        found = map_of(folder)
        assert found.pages == folder.status().pages
        assert sum(place.parent is None for place in found.places) == 1


class TestFigures:
    def test_volumes_are_those_that_nodes_counted(self, folder: SharedFolder) -> None:
        figures, counts = folder.sharing(), fetched(folder)
        for each, status in zip(figures.nodes, folder.status().nodes, strict=True):
            volumes = each.volumes
            assert volumes.downloaded.pages == len(counts[each.node]) == status.requests
            assert volumes.retained.pages + volumes.exported.pages == volumes.downloaded.pages
            assert (volumes.exported.pages, volumes.imported.pages) == (status.exported, status.imported)
            assert (volumes.exported.urls, volumes.imported.urls) == (
                status.exported_links,
                status.imported_links,
            )
        assert figures.whole.exported.urls == figures.whole.imported.urls
        assert figures.whole.exported.bytes > 0

    def test_overlap_and_locality_by_counting(self, folder: SharedFolder) -> None:
        figures, counts = folder.sharing(), fetched(folder)
        times = Counter(url for urls in counts.values() for url in urls)
        assert figures.histogram == tuple(list(times.values()).count(n) for n in (1, 2, 3))
        assert figures.overlap == pytest.approx(sum(times.values()) / len(times))
        at = {row.url: row.node for row in folder.rows(text=False)}  # type: ignore[attr-defined]
        ends = [
            (at[url], at[target]) for url, targets in folder.links() for target in targets if target in at
        ]
        assert figures.stay == pytest.approx(sum(one == other for one, other in ends) / len(ends))
        assert all(-1 <= node.tau <= 1 for node in figures.nodes)

    def test_hashes_of_urls_have_no_overlap(self, by_url: SharedFolder) -> None:
        figures = by_url.sharing()
        assert figures.histogram == (PAGES, 0, 0)
        assert figures.overlap == 1.0
        assert figures.politeness is None

    def test_the_course_ends_with_all_pages(self, folder: SharedFolder) -> None:
        figures = folder.sharing()
        ends = [points[-1] for points in figures.course]
        assert {page for page, _ in ends} == {folder.status().pages}
        assert [own for _, own in ends] == [node.pages for node in folder.status().nodes]

    def test_the_report_shows_them(self, folder: SharedFolder) -> None:
        page = report_of(folder)
        for told in ("How it was shared", "Export ratio", "PageRank", "Pages of each node", "cluster.toml"):
            assert told in page
        assert "How it was shared" not in report_of(folder.nodes[Node("n0")])


class TestSteering:
    @pytest.fixture
    def place(self, made: dict[str, Path], tmp_path: Path) -> Path:
        return shutil.copytree(made["whole"], tmp_path / "crawl")

    def test_all_nodes_hear_of_a_blocked_host_and_those_that_begin_later(self, place: Path) -> None:
        with SharedFolder.open(place) as folder:
            [block] = folder.block("schools.wiki.example", by="ann")
            assert (block.host, block.by, block.step) == ("schools.wiki.example", "ann", None)
            assert folder.blocks() == list(folder.status().blocked) == [block]
            assert all(node.blocks() == [block] for node in folder.nodes.values())
            waiting = folder.waiting(3)[0].url
            assert folder.why(waiting).state == "blocked"
            with pytest.raises(InputError, match="its host is blocked"):
                folder.add(START)
            [before] = said_before(place / "nodes" / "n7")
            assert before.hosts == ("schools.wiki.example",)
            assert said_before(place) == []
            assert folder.unblock("schools.wiki.example") == [block]
            assert folder.blocks() == []

    def test_start_pages_go_to_a_node_that_is_there(self, place: Path) -> None:
        new = "http://schools.wiki.example/wp/nowhere.html"
        with SharedFolder.open(place) as folder:
            assert [one.state for one in folder.add(new, START)] == ["new", "fetched"]
        heard = [len(Inbox(place / "nodes" / name / "inbox.jsonl").news(0)) for name in NAMES]
        assert heard == [1, 0, 0]

    def test_its_budget_is_given_by_who_leads_it(self, place: Path) -> None:
        with (
            SharedFolder.open(place) as folder,
            pytest.raises(InputError, match=r"lycosa cluster resume .* --pages N"),
        ):
            folder.ask(Wish.BUDGET, pages=100)

    def test_what_waits_is_told_in_one_order(self, place: Path) -> None:
        with SharedFolder.open(place) as folder:
            told = folder.waiting(1_000)
            assert len(told) == folder.status().pending
            assert {link.node for link in told} <= set(NAMES)
            assert [-link.score for link in told] == sorted(-link.score for link in told)


class TestStatus:
    def test_of_all_and_of_each(self, folder: SharedFolder) -> None:
        status = folder.status()
        assert (status.state, status.ended_by) == ("done", "budget")
        assert status.requests == sum(node.requests for node in status.nodes) == PAGES
        assert [node.node for node in status.nodes] == NAMES
        told = run("status", folder.path).output
        assert "3 nodes, by" in told
        assert [line.split()[0] for line in told.splitlines()[-3:]] == NAMES
        assert msgspec.json.decode(run("status", folder.path, "--json").output)["nodes"][2]["node"] == "n2"


def takes_a_crawl(command: click.Command, name: str = "") -> Iterator[str]:
    """The verbs that take the folder of a crawl."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for verb in command.list_commands(context):
            found = command.get_command(context, verb)
            assert found is not None
            yield from takes_a_crawl(found, f"{name} {verb}".strip())
    elif any(isinstance(each.type, CrawlPath) for each in command.params):
        yield name


WORK: dict[str, list[str]] = {
    "add": ["http://schools.wiki.example/wp/Earth.html"],
    "ask": [],
    "block": ["schools.wiki.example"],
    "changes": [],
    "dns": [],
    "doctor": ["--offline"],
    "export": ["--to", "jsonl", "--no-text"],
    "map": ["-o", "-"],
    "ping": [START],
    "report": ["-o", "-"],
    "browse": [],
    "papers": [],
    "search": ["earth"],
    "show": [START],
    "status": [],
    "stop": [],
    "pause": [],
    "stream": ["--to", "jsonl", "--limit", "2"],
    "why": [START],
    "mark": [START, "--good"],
}
"""Verbs that work on a shared crawl as on any other, and what they are given besides."""
OTHERWISE = {"resume", "symbiosis"}
"""Verbs that say in a line what to do."""
APART = {
    "refresh",
    "database update",
    "log discover",
    "ontology suggest",
    "ontology facets",
    "ontology cluster",
}
"""Verbs that take more than a folder: tested below."""


class TestEveryVerb:
    def test_is_seen_to(self) -> None:
        led = {verb for verb in takes_a_crawl(command_line) if verb.startswith("cluster ")}
        assert set(takes_a_crawl(command_line)) - led == {*WORK, *OTHERWISE, *APART}

    @pytest.mark.parametrize("verb", sorted(WORK))
    def test_works(self, verb: str, made: dict[str, Path], tmp_path: Path) -> None:
        place = shutil.copytree(made["whole"], tmp_path / "crawl")
        told = run(verb, place, *WORK[verb])
        assert told.exit_code == 0, told.output

    @pytest.mark.parametrize("verb", sorted(OTHERWISE))
    def test_or_says_what_to_do(self, verb: str, made: dict[str, Path]) -> None:
        more = ["earth"] if verb == "symbiosis" else []
        for place in (made["url"], made["url"] / "nodes" / "n1"):
            told = run(verb, place, *more)
            assert told.exit_code == 2, told.output
            assert len(told.stderr.splitlines()) == 1
            assert "lycosa cluster resume" in told.stderr or "give " in told.stderr

    def test_logs_are_compared_with_all_nodes(self, made: dict[str, Path], tmp_path: Path) -> None:
        line = '1.2.3.4 - - [20/Nov/2026:10:00:00 +0000] "GET {} HTTP/1.1" 200 99 "-" "Mozilla/5.0"\n'
        with lycosa.open(made["url"]) as folder:
            known = [row.url.split("example", 1)[1] for row in folder.rows(text=False)]
        (tmp_path / "log").write_text("".join(map(line.format, [*known, "/wp/Nobody_was_here.html"])))
        told = json.loads(run("log", "discover", tmp_path / "log", "--crawl", made["url"], "--json").stdout)
        assert (told["urls"], told["undiscovered"]) == (len(known) + 1, 1)

    def test_pages_go_into_a_database(self, made: dict[str, Path], tmp_path: Path) -> None:
        told = run("database", "update", tmp_path / "x.db", made["whole"])
        with lycosa.open(made["whole"]) as folder:
            assert f"{folder.status().pages} pages" in told.output

    def test_the_shell_completes_them(self, made: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(made["url"].parent)
        items = CrawlPath().shell_complete(click.Context(command_line), click.Argument(["folder"]), "")
        assert [item.value for item in items] == sorted(KINDS)


def test_spec_of_the_whole_stands_in_its_file(by_url: SharedFolder) -> None:
    assert by_url.spec == replace(by_url.spec, pages=PAGES)
    assert by_url.spec.cluster.partition == "url"


def test_a_shared_crawl_is_searched_and_browsed_as_one(made: dict[str, Path]) -> None:
    with SharedFolder.open(made["url"]) as folder:
        found = folder.find(Search(words="dinosaur", folded=False, limit=100))
        plain = folder.search("dinosaur", 100)
        assert {hit.url: hit.rank for hit in found.hits} == pytest.approx(
            {hit.url: hit.rank for hit in plain}
        )
        assert {(hit.url, hit.node) for hit in found.hits} == {(hit.url, hit.node) for hit in plain}
        nodes = {
            value.value: value.pages
            for facet in found.facets
            if facet.name == "node"
            for value in facet.values
        }
        assert nodes == Counter(hit.node for hit in plain)
        everything = folder.browse(Browse(by="node"))
        assert everything.found.pages == len(list(folder.rows(text=False)))
        assert sum(value.pages for value in everything.below) == everything.found.pages
        assert folder.learn_clusters() > 0
        assert folder.browse(Browse()).by == "cluster"
