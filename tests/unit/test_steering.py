"""A crawl that is steered while it runs, or between two runs: hosts blocked, start pages added, budgets changed."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.live.killing import replayed
from tests.worlds import by_table, drive, journal, lease, looks, make_crawl, u

import lycosa
from lycosa.archive.warc import WarcArchive
from lycosa.cli.group import lycosa as command_line
from lycosa.crawl.crawl import Crawl
from lycosa.crawls.answers import WaitingLink
from lycosa.crawls.blocks import host_named
from lycosa.crawls.interface import Folder
from lycosa.crawls.session import begin, resume
from lycosa.crawls.waiting import together
from lycosa.model.commands import WISHED, Enqueue
from lycosa.model.errors import InputError
from lycosa.model.events import Blocked, Operated, Wish
from lycosa.model.records import Arrival, Deferred, Millis, Page, Reason, Response, UrlState
from lycosa.model.url import Host, Url, host_of
from lycosa.spec.tree import CrawlSpec, ScopeSpec, TopicSpec
from lycosa.store.database import Answering, open_reader
from lycosa.store.history import History
from lycosa.store.paths import Paths
from lycosa.strategies.best_first import BestFirst

T0 = Millis(0)
HOSTS = ("reef.example", "fish.example", "spam.example")
START = Url("http://reef.example/")
LEAVES = 6


def page_of(host: str, number: int) -> Url:
    return Url(f"http://{host}/page/{number}")


def record(archive: WarcArchive, url: Url, text: str, links: list[Url]) -> None:
    below = "".join(f"<a href='{to}'>coral of {to}</a> " for to in links)
    body = f"<!doctype html><title>{text}</title><p>{text} {url} has fish and corals.</p>{below}".encode()
    archive.write(
        Response(
            url=url,
            status=200,
            headers=(("Content-Type", "text/html"),),
            body=body,
            fetched_at=Millis(1_760_000_000_000),
            elapsed=Millis(40),
        )
    )


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A start page that links to six pages of each of three hosts; these link to nothing, but for `lonely`, to which
    nothing links, and which links to one more."""
    folder = tmp_path_factory.mktemp("reefs")
    archive = WarcArchive.open(folder)
    leaves = [page_of(host, number) for host in HOSTS for number in range(LEAVES)]
    record(archive, START, "coral reef", leaves)
    for leaf in leaves:
        record(archive, leaf, "coral reef page", [])
    record(archive, Url("http://lonely.example/"), "lonely coral", [Url("http://lonely.example/more")])
    record(archive, Url("http://lonely.example/more"), "more coral", [])
    archive.close()
    return folder


def crawled(web: Path, out: Path, pages: int, **more: Any) -> Folder:
    return lycosa.crawl(
        "coral", [START], web=f"recorded:{web}", strategy="best-first", pages=pages, out=out, **more
    )


def hosts_in(folder: Folder) -> list[str]:
    return [host_of(row.url) for row in folder.rows(text=False)]


def on_the_line(*words: object) -> Result:
    return CliRunner().invoke(command_line, list(map(str, words)))


# -- the crawl -----------------------------------------------------------------------------------------------


def blocked(*names: str, off: bool = False) -> Blocked:
    return Blocked(hosts=tuple(Host(f"{name}.test") for name in names), off=off, by="ann")


def begun() -> Crawl:
    crawl = make_crawl(BestFirst())
    crawl.start([u("a")], T0)
    crawl.commit(by_table({"a": ["b/1", "b/2", "c"]})(lease(crawl)), T0)
    return crawl


def test_a_crawl_that_has_nothing_else_left_ends_and_goes_on_when_the_host_is_let_in() -> None:
    crawl = begun()
    crawl.hear(blocked("b"), T0)
    drive(crawl, by_table({"c": ["b/3"]}))
    assert str(crawl.ended) == "exhausted"
    assert crawl.gate.blockade.aside(Host("b.test")) == 3
    crawl.hear(blocked("b", off=True), T0)
    assert not crawl.finished
    assert sorted(each.url for each in crawl.frontier.pending()) == [u("b/1"), u("b/2"), u("b/3")]
    again = make_crawl(BestFirst())
    again.replay(journal(crawl))
    assert looks(again) == looks(crawl)
    drive(crawl, by_table({}))
    assert str(crawl.ended) == "exhausted"


def test_a_visit_that_is_out_comes_home() -> None:
    crawl = begun()
    request = lease(crawl)
    assert request.url == u("b/1")
    crawl.hear(blocked("b"), T0)
    crawl.commit(by_table({"b/1": ["b/4"]})(request), T0)
    assert crawl.frontier.state(u("b/1")) is UrlState.VISITED
    assert crawl.frontier.state(u("b/4")) is UrlState.UNSEEN
    assert crawl.gate.blockade.holds(u("b/4"))


def test_what_a_redirect_leads_to_waits_for_its_host_to_be_let_in() -> None:
    crawl = begun()
    crawl.hear(blocked("c"), T0)
    request = lease(crawl)
    assert crawl.refuses_redirect(request, u("c/to")) is Reason.TURN
    crawl.defer(Deferred(url=request.url, way=(u("c/to"),)), T0)
    assert crawl.gate.blockade.aside(Host("c.test")) == 2
    drive(crawl, by_table({"b/2": ""}))
    assert str(crawl.ended) == "exhausted"
    crawl.hear(blocked("c", off=True), T0)
    assert {each.url for each in crawl.frontier.pending()} == {request.url, u("c")}


def test_a_snapshot_has_what_is_set_aside() -> None:
    crawl = begun()
    crawl.hear(blocked("b"), T0)
    twin = make_crawl(BestFirst())
    twin.replay(journal(crawl))
    restored = make_crawl(BestFirst(), frontier=twin.frontier, store=twin.store)  # type: ignore[arg-type]
    restored.restore(crawl.snapshot())
    for each in (crawl, restored):
        each.hear(blocked("b", off=True), T0)
    assert looks(restored) == looks(crawl)
    assert len(crawl.frontier) == 3


def test_a_smaller_budget_ends_a_crawl_whose_hosts_all_rest() -> None:
    crawl = begun()
    crawl.extend(1, T0)
    assert crawl.finished
    assert str(crawl.ended) == "budget"
    crawl.extend(3, T0)
    drive(crawl, by_table({"b/1": "", "b/2": ""}))
    assert crawl.pages == 3


# -- the folder ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "host"),
    [
        ("Example.ORG", "example.org"),
        ("example.org:8080", "example.org:8080"),
        ("http://example.org:80/a", "example.org"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
    ],
)
def test_hosts_as_people_name_them(raw: str, host: str) -> None:
    assert host_named(raw) == host


@pytest.mark.parametrize("raw", ["", "a b", "http://"])
def test_what_is_no_host(raw: str) -> None:
    with pytest.raises(InputError, match="is no host; give one like"):
        host_named(raw)


def test_a_stopped_crawl_hears_when_it_goes_on(web: Path, tmp_path: Path) -> None:
    where = tmp_path / "c"
    with crawled(web, where, 4) as folder:
        spam = page_of("spam.example", LEAVES - 1)
        assert folder.why(spam).state == "pending"
        [block] = folder.block("http://spam.example/page/3", by="ann")
        assert (block.host, block.by, block.step) == ("spam.example", "ann", None)
        told = folder.why(spam)
        assert told.state == "blocked"
        assert told.reason.startswith("its host is blocked from when the crawl goes on, by ann; ")
        had = hosts_in(folder).count("spam.example")
    with lycosa.resume(where, pages=100) as folder:
        assert hosts_in(folder).count("spam.example") == had
        assert len(hosts_in(folder)) == 1 + 2 * LEAVES + had
        [block] = folder.blocks()
        assert block.step is not None
        assert block.links == LEAVES - had
        told = folder.why(spam)
        assert (told.state, told.linked_from) == ("blocked", (START,))
        assert told.score is not None
        assert f"since step {block.step}, by ann; lycosa block DIR spam.example --off" in told.reason
        status = folder.status()
        assert status.blocked == (block,)
        assert status.ended == "no links are left to follow but those of blocked hosts"
        assert [one.detail for one in folder.happened().happenings if one.kind == "blocked"] == [
            "spam.example blocked by ann"
        ]
        assert folder.unblock("spam.example") == [block]
        assert folder.blocks() == []
    with lycosa.resume(where, pages=100) as folder:
        assert counted(hosts_in(folder)) == dict.fromkeys(HOSTS[1:], LEAVES) | {HOSTS[0]: LEAVES + 1}


def counted(hosts: list[str]) -> dict[str, int]:
    return {host: hosts.count(host) for host in hosts}


def test_a_running_crawl_hears_before_its_next_page(web: Path, tmp_path: Path) -> None:
    where = tmp_path / "c"
    seen: list[str] = []

    async def main() -> None:
        topic = TopicSpec(keywords=("coral",))
        spec = CrawlSpec(topic=topic, seeds=(START,), web=f"recorded:{web}", pages=100, strategy="best-first")
        session = await begin(spec, where)

        def watch(visit: Arrival) -> None:
            seen.append(host_of(visit.url))
            if len(seen) == 2:
                with lycosa.open(where) as folder:
                    folder.block("spam.example", "fish.example")
                    assert [one.state for one in folder.add("http://lonely.example")] == ["new"]

        await session.run(watch)

    asyncio.run(main())
    assert set(seen[4:]) == {"reef.example", "lonely.example"}
    with lycosa.open(where) as folder:
        rows = {row.url: row for row in folder.rows(text=False)}
        assert rows[Url("http://lonely.example/")].depth == 0
        assert rows[Url("http://lonely.example/more")].depth == 1
        assert folder.status().pages == len(rows) < 1 + 3 * LEAVES

    async def again() -> None:
        """What the checkpoint and the journal beyond it give is what the whole journal gives."""
        session = await resume(where)
        whole = replayed(session)
        assert session.crawl.gate.save() == whole.gate.save()
        assert dict(session.crawl.frontier.keys()) == dict(whole.frontier.keys())
        assert sum(map(whole.gate.blockade.aside, whole.gate.blockade.hosts)) > LEAVES
        session.halt.ask("only looked at")
        await session.run(lambda visit: None)

    asyncio.run(again())


def test_start_pages_are_added_as_they_were_begun_with(web: Path, tmp_path: Path) -> None:
    where = tmp_path / "c"
    with crawled(web, where, 4) as folder:
        missing = page_of("reef.example", 99)
        added = folder.add("http://lonely.example", START, missing, START, by="ann")
        assert [(one.url, one.state) for one in added] == [
            ("http://lonely.example/", "new"),
            (START, "fetched"),
            (missing, "new"),
        ]
        with pytest.raises(InputError, match="not a URL"):
            folder.add("http://lonely.example", "no url")
        folder.block("spam.example")
        with pytest.raises(
            InputError, match="its host is blocked; let it in first with lycosa block DIR HOST --off"
        ):
            folder.add("http://spam.example/")
    with lycosa.resume(where, pages=100) as folder:
        lonely = list(folder.rows(text=False))[4]
        assert (lonely.url, lonely.depth, lonely.via) == ("http://lonely.example/", 0, None)
        assert [one.state for one in folder.add(missing)] == ["again"]
        said = [one.detail for one in folder.happened().happenings if one.kind == "operated"]
        assert said == ["links by ann: 2 added"]


def test_what_is_out_of_scope_is_not_added(web: Path, tmp_path: Path) -> None:
    scope = ScopeSpec(hosts=("reef.example",))
    with (
        crawled(web, tmp_path / "c", 4, scope=scope) as folder,
        pytest.raises(InputError, match=r"^http://lonely.example/: lonely.example is outside the hosts"),
    ):
        folder.add("http://lonely.example/")


def test_a_budget_counts_for_a_stopped_crawl_too(web: Path, tmp_path: Path) -> None:
    where = tmp_path / "c"
    with crawled(web, where, 4) as folder:
        with pytest.raises(InputError, match="has 4 pages already"):
            folder.ask(Wish.BUDGET, pages=3)
        assert folder.ask(Wish.BUDGET, pages=7, by="ann") is None
        assert folder.ask(Wish.STOP) is None

    async def go_on() -> None:
        session = await resume(where)
        await session.run(lambda visit: None)

    asyncio.run(go_on())
    with lycosa.open(where) as folder:
        assert (folder.status().pages, folder.spec.pages) == (7, 7)


# -- what waits ----------------------------------------------------------------------------------------------


def test_the_best_waiting_links_are_those_that_are_fetched_next(web: Path, tmp_path: Path) -> None:
    where = tmp_path / "c"
    with crawled(web, where, 3) as folder:
        waiting = folder.waiting(100)
        assert len(waiting) == 3 * LEAVES - 2
        assert [link.place for link in waiting] == [*range(1, len(waiting) + 1)]
        assert [link.score for link in waiting] == sorted((link.score for link in waiting), reverse=True)
        assert {(link.via, link.anchor.split(" ")[0], link.depth) for link in waiting} == {
            (START, "coral", 1)
        }
        assert all(link.host == host_of(link.url) for link in waiting)
        assert [link.url for link in folder.waiting(5)] == [link.url for link in waiting[:5]]
        assert [place_of(folder, link.url) for link in waiting[:5]] == [1, 2, 3, 4, 5]
        assert (
            all(link.parts for link in folder.waiting(2, parts=True))
            or not folder.why(waiting[0].url).score_parts
        )
        assert {link.host for link in waiting if link.rests_until} <= set(HOSTS)


def place_of(folder: Folder, url: Url) -> int | None:
    return folder.why(url).place


def test_a_wish_waits_before_all_else(web: Path, tmp_path: Path) -> None:
    crawl = begun()
    crawl.hear(Operated(commands=(Enqueue(url=u("d"), score=1.0, tier=WISHED),), by="ann"), T0)
    assert lease(crawl).url == u("d")
    assert isinstance(crawl.store.memory.page(u("a")), Page)


def test_what_waits_at_several_nodes_is_told_in_one_order() -> None:
    def link(name: str, score: float, tier: int = 0) -> WaitingLink:
        return WaitingLink(place=1, url=u(name), host=host_of(u(name)), score=score, tier=tier, depth=1)

    found = together({"n1": [link("a", 3), link("b", 1)], "n2": [link("c", 9, -5), link("d", 2)]}, 3)
    assert [(one.place, one.url, one.node) for one in found] == [
        (1, u("c"), "n2"),
        (2, u("a"), "n1"),
        (3, u("d"), "n2"),
    ]


# -- the command line ----------------------------------------------------------------------------------------


def test_the_verbs_tell_what_they_did(web: Path, tmp_path: Path) -> None:
    where = tmp_path / "c"
    crawled(web, where, 4).close()
    assert on_the_line("block", where).stdout == "no host is blocked\n"
    told = on_the_line("block", where, "spam.example", "http://fish.example/page/1", "--by", "ann")
    assert told.stdout == (
        "spam.example: blocked by ann\nfish.example: blocked by ann\n"
        f"it counts when the crawl goes on: lycosa resume {where}\n"
    )
    assert on_the_line("block", where, "fish.example", "--off").stdout.startswith(
        "fish.example: let in again\n"
    )
    assert on_the_line("block", where, "fish.example", "--off").stdout == "these hosts were not blocked\n"
    assert [
        json.loads(line)["host"] for line in on_the_line("block", where, "--json").stdout.splitlines()
    ] == ["spam.example"]
    assert "blocked         spam.example by ann, to be heard by lycosa resume" in squeezed(
        on_the_line("status", where).stdout
    )
    assert on_the_line("add", where, "lonely.example", START).stdout == (
        "https://lonely.example/: added\nhttp://reef.example/: the crawl has it already\n"
        f"it counts when the crawl goes on: lycosa resume {where}\n"
    )
    refused = on_the_line("block", where, "no host")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "lycosa: 'no host': is no host; give one like example.org\n",
    )


def squeezed(text: str) -> str:
    """With as many spaces after the first word of a line as the test above has."""
    return "\n".join(
        f"{first:<16}{rest.strip()}" for first, _, rest in (line.partition(" ") for line in text.splitlines())
    )


def test_what_was_said_is_found_without_looking_at_each_step(web: Path, tmp_path: Path) -> None:
    where = tmp_path / "c"
    with crawled(web, where, 4) as folder:
        folder.block("spam.example")
    lycosa.resume(where, pages=5).close()
    with closing(open_reader(Paths(where).journal)) as journal:
        journal.row_factory = sqlite3.Row
        asked: list[str] = []
        journal.set_trace_callback(asked.append)
        history = History(Answering(journal, Paths(where).journal))
        assert len(history.blockings()) == history.heard() == 1
        assert history.markings() == []
        journal.set_trace_callback(None)
        for question in asked:
            [plan] = journal.execute(f"EXPLAIN QUERY PLAN {question}").fetchall()
            assert "USING INDEX steps_said" in plan[3]
