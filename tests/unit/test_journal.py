"""The journal: what goes in comes out, groups are whole, one writer, clear errors."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.ports import Memory, Store
from lycosa.model.commands import Enqueue, Forget, Grant, Reprioritize, Stop
from lycosa.model.errors import FolderError
from lycosa.model.events import Entry, HandedOff, Idled, Marked, Operated, Recovered, Snapshot, Started
from lycosa.model.records import Failure, Link, Millis, Page, Reason, RecordRef, Request
from lycosa.model.url import Host, Url
from lycosa.store.crawl_store import CrawlStore
from lycosa.store.database import writer_of
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.journal import Journal
from lycosa.store.page_memory import JournalMemory

A, B, C, D = (Url(f"http://{name}.test/") for name in "abcd")
BODIES: dict[int, Page] = {}


def link(source: Url, target: Url, n: int = 0) -> Link:
    return Link(
        source=source,
        target=target,
        anchor=f"link {n}",
        context=f"words around link {n}",
        heading="Heading",
        path="html body a",
        position=n / 100,
        rel="next",
        nofollow=n % 2 == 1,
        in_nav=n % 3 == 1,
    )


def page(url: Url, *targets: Url, final: Url | None = None, number: int = 1, **facts: Any) -> Page:
    made = Page(
        request=Request(url=url, order=number, via=link(A, url, 7), depth=2, score=0.25, tier=1, attempt=2),
        final_url=final or url,
        status=200,
        fetched_at=Millis(1000 + number),
        media_type="text/html",
        digest="sha1:ABC",
        title=f"Title {number}",
        text=f"text of {url}",
        links=tuple(link(url, target, n) for n, target in enumerate(targets)),
        relevance=number / 100,
        terms={"text": 1},
        headings=("Heading",),
        description="what it is",
        language="en",
        fingerprint=(1 << 64) - number,
        noindex=True,
        record=RecordRef(file="a.warc.gz", offset=number, length=10),
        address="10.0.0.1",
        elapsed=Millis(12),
        crawl_delay=Millis(500),
        hops=(C,) if final else (),
    )
    made = msgspec.structs.replace(made, **facts)
    BODIES[number] = made
    return made


def reread(bare: Page) -> Page:
    """Stands for archive and parser: knows the text of each record by its offset."""
    assert bare.record is not None
    whole = BODIES[bare.record.offset]
    return msgspec.structs.replace(
        bare, text=whole.text, links=whole.links, terms=whole.terms, headings=whole.headings
    )


def failure(url: Url) -> Failure:
    return Failure(
        request=Request(url=url, order=3),
        reason=Reason.STATUS,
        detail="404 Not Found",
        at=Millis(77),
        status=404,
        final_url=D,
        retry_after=Millis(9),
        address="10.0.0.2",
        elapsed=Millis(5),
        crawl_delay=Millis(3),
        hops=(C,),
    )


def every_kind() -> list[Entry]:
    linked = page(A, B, C, B, D, number=1)
    own = [Enqueue(url=k.target, score=0.5 + n, tier=n % 2, via=k) for n, k in enumerate(linked.links)]
    strange = Enqueue(url=C, via=Link(source=D, target=C), refetch=True, score=-2.5)
    commands = (
        Grant(n=3),
        *own[:2],
        strange,
        *own[2:],
        Reprioritize(url=B, score=1e300, tier=-1),
        Forget(url=D),
    )
    events: list[Any] = [
        (Started(seeds=(A, B)), (Enqueue(url=A), Enqueue(url=B))),
        (linked, commands),
        (page(B, A, C, final=D, number=2), tuple(Enqueue(url=k.target, via=k) for k in BODIES[2].links)),
        (failure(C), (Stop(reason="enough"),)),
        (Idled(), ()),
        (HandedOff(command=strange, peer="node 2"), ()),
        (Operated(commands=(Forget(url=B), Grant(n=2)), by="someone"), ()),
        (Recovered(), ()),
        (
            Marked(url=A, good=False, number=7),
            (Reprioritize(url=B, score=0.5), Reprioritize(url=C, score=0.0)),
        ),
        (Marked(url=A, good=None), ()),
    ]
    return [
        Entry(step=n, at=Millis(n * 10), leased=(A, B)[: n % 3], event=event, commands=answered)
        for n, (event, answered) in enumerate(events, start=1)
    ]


def started(step: int) -> Entry:
    return Entry(step=step, at=Millis(step), leased=(), event=Started(seeds=(A,)))


def test_every_kind_of_step_comes_back_as_it_went_in(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db", rehydrate=reread)
    for entry in every_kind():
        journal.append(entry)
    assert list(journal.entries()) == every_kind()
    journal.close()
    again = Journal(tmp_path / "journal.db", rehydrate=reread)
    assert list(again.entries()) == every_kind()
    assert list(again.entries(6)) == every_kind()[6:]
    assert again.last_step == 10
    assert [(each.step, each.mark.number, each.moved) for each in again.history.markings()] == [
        (9, 7, 2),
        (10, 0, 0),
    ]
    assert again.history.markings(9)[0].mark == Marked(url=A, good=None)
    again.close()


def test_a_page_without_a_record_keeps_bare_links(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db", rehydrate=reread)
    made = page(A, B, C, record=None)
    enqueue = Enqueue(url=C, score=0.5, via=made.links[1])
    journal.append(Entry(step=1, at=Millis(0), leased=(), event=made, commands=(enqueue,)))
    (found,) = journal.entries()
    assert isinstance(found.event, Page)
    assert found.event.links == (Link(source=A, target=B), Link(source=A, target=C))
    assert found.commands == (Enqueue(url=C, score=0.5, via=Link(source=A, target=C)),)
    journal.close()


def test_commands_keep_their_urls_when_a_page_is_read_differently_today(tmp_path: Path) -> None:
    def fewer_links(bare: Page) -> Page:
        return msgspec.structs.replace(bare, links=BODIES[1].links[1:])

    journal = Journal(tmp_path / "journal.db", rehydrate=fewer_links)
    made = page(A, B, C)
    commands = tuple(Enqueue(url=k.target, via=k) for k in made.links)
    journal.append(Entry(step=1, at=Millis(0), leased=(), event=made, commands=commands))
    (found,) = journal.entries()
    assert [c.url for c in found.commands if isinstance(c, Enqueue)] == [B, C]
    journal.close()


def test_text_that_is_not_unicode_does_no_harm(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")
    odd = msgspec.structs.replace(failure(A), detail="Server: \udcff")
    journal.append(Entry(step=1, at=Millis(0), leased=(), event=odd))
    journal.flush()
    assert [row.detail for row in journal.history.failures()] == ["Server: ?"]
    journal.close()


def test_no_gaps(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")
    journal.append(started(1))
    with pytest.raises(ValueError, match="step 3 does not follow step 1"):
        journal.append(started(3))
    journal.close()


def test_steps_are_written_in_groups_by_count_and_by_time(tmp_path: Path) -> None:
    now = [0.0]
    journal = Journal(tmp_path / "journal.db", clock=lambda: now[0])
    reader = Journal(tmp_path / "journal.db", read_only=True)

    def written() -> int:
        return sum(reader.history.kinds().values())

    for step in range(1, 64):
        journal.append(started(step))
    assert written() == 0
    journal.append(started(64))
    assert written() == 64
    journal.append(started(65))
    now[0] = 0.6
    assert written() == 64
    journal.append(started(66))
    assert written() == 66
    journal.append(started(67))
    journal.flush()
    assert written() == 67
    journal.close()
    reader.close()


def test_record_first(tmp_path: Path) -> None:
    """The archive is flushed before each commit, and nothing is committed if that fails."""
    reader: list[Journal] = []
    seen: list[int] = []

    def flush_archive() -> None:
        seen.append(sum(reader[0].history.kinds().values()))
        if len(seen) == 2:
            raise OSError(28, "No space left on device")

    journal = Journal(tmp_path / "journal.db", before_commit=flush_archive)
    reader.append(Journal(tmp_path / "journal.db", read_only=True))
    journal.append(started(1))
    journal.flush()
    journal.append(started(2))
    with pytest.raises(
        FolderError, match="disk is full; the crawl halted after step 1, make room and resume"
    ):
        journal.flush()
    assert seen == [0, 1]
    assert reader[0].history.kinds() == {"started": 1}
    journal.flush()
    assert reader[0].history.kinds() == {"started": 2}
    journal.close()
    reader[0].close()


def test_a_full_disk_halts_and_is_resumable(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = Journal(path)
    journal.append(started(1))
    journal.flush()
    pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
    journal._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    rng = random.Random(0)
    words = "".join(chr(rng.randrange(97, 123)) for _ in range(20_000))
    journal.append(Entry(step=2, at=Millis(2), leased=(), event=page(A, B, title=words)))
    with pytest.raises(FolderError, match="disk is full; the crawl halted after step 1"):
        journal.flush()
    with pytest.raises(FolderError, match="disk is full"):
        journal.close()
    again = Journal(path)
    assert [entry.step for entry in again.entries()] == [1]
    again.append(started(2))
    again.close()


def test_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    assert writer_of(path) is None
    first = Journal(path)
    assert writer_of(path) == os.getpid()
    with pytest.raises(FolderError, match=f"in use by process {os.getpid()}"):
        Journal(path)
    first.append(started(1))
    first.flush()
    reader = Journal(path, read_only=True)
    assert reader.history.kinds() == {"started": 1}
    with pytest.raises(FolderError, match="may not be opened or written"):
        reader.note("key", "value")
    first.close()
    assert writer_of(path) is None
    Journal(path).close()
    reader.close()


KILLED = """
import os, sys
from pathlib import Path
from lycosa.model.events import Entry, Started
from lycosa.store.journal import Journal
journal = Journal(Path(sys.argv[1]))
for step in range(1, 1000):
    journal.append(Entry(step=step, at=step, leased=(), event=Started(seeds=())))
    if step == 64 * 3 + 10:
        print("ready", flush=True)
        sys.stdin.read()
"""


def test_whole_groups_survive_a_killed_process(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    command = [sys.executable, "-c", KILLED, str(path)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ))
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    reader = Journal(path, read_only=True)
    assert reader.last_step >= 192
    reader.close()
    with pytest.raises(FolderError, match=f"in use by process {child.pid}"):
        Journal(path)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    journal = Journal(path)
    assert [entry.step for entry in journal.entries()] == list(range(1, journal.last_step + 1))
    assert journal.last_step >= 192
    journal.close()


def test_what_is_not_a_journal_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="no crawl here"):
        Journal(tmp_path / "none.db", read_only=True)
    (tmp_path / "text.db").write_text("this is no database at all\n" * 100)
    with pytest.raises(FolderError, match="not a crawl's journal"):
        Journal(tmp_path / "text.db")
    (tmp_path / "empty").mkdir()
    journal = Journal(tmp_path / "empty" / "journal.db")
    journal.note("format", "99")
    journal.close()
    for read_only in (True, False):
        with pytest.raises(FolderError, match="written in format 99, this lycosa reads up to 5"):
            Journal(tmp_path / "empty" / "journal.db", read_only=read_only)


def test_notes_are_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")
    assert journal.noted("ended") is None
    journal.note("ended", "dead end")
    journal.note("ended", "page budget")
    journal.close()
    again = Journal(tmp_path / "journal.db", read_only=True)
    assert again.noted("ended") == "page budget"
    again.close()


def test_history_answers_what_faces_ask(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")
    seed = page(A, B, number=1, request=Request(url=A, order=1), relevance=0.1)
    child = page(B, D, number=2, request=Request(url=B, order=2, via=link(A, B, 4)), relevance=0.9)
    moved = page(
        Url("http://b.test/x"),
        number=3,
        final=D,
        request=Request(url=C, order=3, via=link(B, C, 5)),
        relevance=0.5,
    )
    for step, event in enumerate((seed, failure(D), child, moved), start=1):
        journal.append(Entry(step=step, at=Millis(step * 10), leased=(), event=event))
    journal.flush()
    history = journal.history
    assert history.kinds() == {"page": 3, "failure": 1}
    assert history.statuses() == {200: 3, 404: 1}
    assert history.reasons() == {"status": 1}
    assert [(h.host, h.pages, h.failures) for h in history.hosts()] == [
        (Host("a.test"), 1, 0),
        (Host("b.test"), 1, 0),
        (Host("c.test"), 1, 0),
        (Host("d.test"), 0, 1),
    ]
    assert history.host_names() == {count.host for count in history.hosts()}
    assert [(p.language, p.depth) for p in history.series()] == [
        (row.language, row.depth) for row in history.rows()
    ]
    standing = history.standing(0.5)
    assert standing[:3] == history.harvest(0.5)
    assert (standing.requests, (standing.first, standing.last)) == (history.requests(), history.span())
    assert [row.step for row in history.failures(most=1)] == list(
        {row.reason: row.step for row in reversed(list(history.failures()))}.values()
    )[::-1]
    assert [(p.step, p.at, p.relevance) for p in history.series()] == [
        (1, 10, 0.1),
        (3, 30, 0.9),
        (4, 40, 0.5),
    ]
    assert history.span() == (10, 40)
    assert [row.url for row in history.best(2)] == [B, C]
    assert [row.step for row in history.rows()] == [1, 3, 4]
    assert [row.reason for row in history.failures()] == ["status"]
    assert [row.step for row in history.visits(D)] == [2, 4]  # failed itself, then a redirect ended there
    assert [row.step for row in history.visits(C)] == [2, 4]  # was a hop of both, and requested in step 4
    assert [row.url for row in history.path(history.visits(C)[-1])] == [A, B, C]
    row = history.row(3)
    assert row is not None
    assert (row.via, row.anchor, row.title, row.warc_offset) == (A, "link 4", "Title 2", 2)
    assert row.fingerprint == (1 << 64) - 2
    assert history.row(9) is None
    journal.close()


def test_other_tools_can_read_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db")
    for entry in every_kind():
        journal.append(entry)
    journal.close()
    with sqlite3.connect(tmp_path / "journal.db") as plain:
        assert plain.execute("SELECT url, final_url, title FROM pages").fetchall() == [
            (A, A, "Title 1"),
            (B, D, "Title 2"),
        ]
        assert plain.execute("SELECT url, reason, detail FROM failures").fetchall() == [
            (C, "status", "404 Not Found")
        ]
    plain.close()


def first_in_links(memory: Memory, url: Url) -> Sequence[Url]:
    """As who asks for the first time."""
    if not isinstance(memory, JournalMemory):
        return memory.in_links(url)[:2]
    kept, memory._mentions = memory._mentions, None
    found = memory.first_in_links(url, 2)
    memory._mentions = kept
    assert memory.first_in_links(url, 2) == found
    return found


def answers(memory: Memory, urls: list[Url]) -> dict[str, Any]:
    def url_of(found: Page | None) -> Any:
        return found and (found.url, found.final_url, found.text, [k.target for k in found.links])

    return {
        "pages": [url_of(memory.page(url)) for url in urls],
        "out": [list(memory.out_links(url)) for url in urls],
        "first in": [list(first_in_links(memory, url)) for url in urls],
        "in": [list(memory.in_links(url)) for url in urls],
        "recent": [list(memory.recent(n)) for n in (0, 1, 3, 99)],
        "graph": [(url, list(targets)) for url, targets in memory.graph().items()],
        "nodes": [list(memory.graph()), len(memory.graph())],
        "lookup": [url in memory.graph() for url in urls],
    }


def test_memory_on_disk_answers_as_the_one_in_memory(tmp_path: Path) -> None:
    urls = [Url(f"http://h.test/{n}") for n in range(9)]
    for trial in range(6):
        rng = random.Random(trial)
        path = tmp_path / f"{trial}.db"
        journal, twin = Journal(path, rehydrate=reread), MemoryStore()
        for step in range(1, 40):
            url = rng.choice(urls)
            final = rng.choice(urls) if rng.random() < 0.3 else None
            targets = rng.choices(urls, k=rng.randrange(5))
            made = page(url, *targets, final=final, number=1000 * trial + step)
            stores: list[Journal | MemoryStore] = [journal, twin]
            for store in stores:
                store.remember(made)
            assert answers(journal.memory, urls) == answers(twin.memory, urls)
            for store in stores:
                store.append(Entry(step=step, at=Millis(step), leased=(), event=made))
            if rng.random() < 0.2:
                journal.flush()
            if rng.random() < 0.1:
                journal.close()
                journal = Journal(path, rehydrate=reread)
            assert answers(journal.memory, urls) == answers(twin.memory, urls)
        journal.close()


def test_a_replay_sees_the_memory_as_it_was(tmp_path: Path) -> None:
    urls = [Url(f"http://h.test/{n}") for n in range(7)]
    rng = random.Random(5)
    journal = Journal(tmp_path / "journal.db", rehydrate=reread)
    entries = []
    for step in range(1, 41):
        final = rng.choice(urls) if rng.random() < 0.3 else None
        made = page(rng.choice(urls), *rng.choices(urls, k=4), final=final, number=20_000 + step)
        entries.append(Entry(step=step, at=Millis(step), leased=(), event=made))
        journal.append(entries[-1])
    for since in (0, 13, 40):
        twin = MemoryStore()
        for entry in entries[:since]:
            twin.append(entry)
        journal.rewind(since)
        assert answers(journal.memory, urls) == answers(twin.memory, urls)
        for entry in journal.entries(since):
            assert isinstance(entry.event, Page)
            for store in (journal, twin):
                store.remember(entry.event)
            assert answers(journal.memory, urls) == answers(twin.memory, urls)
            journal.retrace(entry)
            twin.append(entry)
            assert answers(journal.memory, urls) == answers(twin.memory, urls)
    journal.close()


@pytest.mark.parametrize("seed", range(5))
def test_never_ahead_of_the_journal(tmp_path: Path, seed: int) -> None:
    """What others see of the folder at any time is what a crash would leave."""
    rng, path = random.Random(seed), tmp_path / "frontier"
    store = CrawlStore(Journal(tmp_path / "journal.db", rehydrate=reread), DiskFrontier(path))
    for entry in every_kind():
        store.append(entry)
        if rng.random() < 0.5:
            store.keep(Snapshot(step=entry.step, crawl={}, strategy={}))
            journal, frontier = (
                Journal(tmp_path / "journal.db", read_only=True),
                DiskFrontier(path, read_only=True),
            )
            assert frontier.snapshot is not None
            assert frontier.snapshot.step == entry.step <= journal.last_step
            journal.close()
            frontier.close()
    store.close()


def test_who_looks_on_does_not_mind_files_of_the_memory_that_are_gone(tmp_path: Path) -> None:
    writer = DiskFrontier(tmp_path / "frontier")
    snapshot = Snapshot(step=1, crawl={}, strategy={"known": bytes(1 << 20)})
    writer.checkpoint(snapshot)
    writer.close()
    (tmp_path / "frontier" / "memory" / "00000099").symlink_to(tmp_path / "gone")
    looking = DiskFrontier(tmp_path / "frontier", read_only=True)
    assert looking.snapshot == snapshot
    looking.close()


def test_the_whole_store_keeps_snapshots_with_the_frontier(tmp_path: Path) -> None:
    def opened() -> CrawlStore:
        journal = Journal(tmp_path / "journal.db", rehydrate=reread)
        return CrawlStore(journal, DiskFrontier(tmp_path / "frontier"))

    store = opened()
    typed: Store = store
    assert store.snapshot is None
    for entry in every_kind()[:3]:
        typed.append(entry)
    typed.keep(Snapshot(step=3, crawl={"visited": 2}, strategy={"weights": [0.5], "bytes": b"\0"}))
    typed.append(every_kind()[3])
    typed.flush()
    store.close()
    again = opened()
    assert again.snapshot == Snapshot(
        step=3, crawl={"visited": 2}, strategy={"weights": [0.5], "bytes": b"\0"}
    )
    assert list(again.entries(3)) == every_kind()[3:4]
    again.close()
    (tmp_path / "journal.db").unlink()
    with pytest.raises(FolderError, match="ends at step 0, but the frontier stands at step 3"):
        opened()
