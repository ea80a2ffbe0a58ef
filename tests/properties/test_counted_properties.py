"""What is counted of each step as it is written, beside what the steps themselves say."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.crawl.requests import UNSENT
from lycosa.model.events import Entry, Event, Idled
from lycosa.model.nodes import Node, Origin
from lycosa.model.records import Change, Failure, Gone, Millis, Page, Reason, Request, Unchanged, Worth
from lycosa.model.url import Url, canonical, host_of
from lycosa.store.counted import HOST
from lycosa.store.history import History, HostCount, Standing
from lycosa.store.journal import Journal

URLS = [Url(f"http{'s' * (n % 2)}://{host}/{n}") for host in ("a.test", "b.test:8080") for n in range(4)]
RELEVANT_FROM = 0.5


def some_event(rng: random.Random, at: Millis) -> Event:
    """A visit to one of a few URLs, which is thus visited again and again; or something else."""
    url = rng.choice(URLS)
    request = Request(url=url, order=1, depth=rng.randrange(3))
    hops = tuple(rng.sample(URLS, rng.choice([0, 0, 1, 2])))
    match rng.choice(["page", "page", "failure", "failure", "unchanged", "gone", "other"]):
        case "page":
            return Page(
                request=request,
                final_url=url,
                status=rng.choice([200, 203]),
                fetched_at=at,
                media_type="text/html",
                digest="",
                title="",
                text="",
                links=(),
                terms={},
                relevance=rng.random(),
                language=rng.choice(["en", "de", ""]),
                change=rng.choice([None, Change(worth=Worth.SAME)]),
                owner=Node(rng.choice(["", "", "", "n2"])),
                origin=rng.choice([None, None, Origin(node=Node("n3"), life="1", number=1)]),
                hops=hops,
            )
        case "failure":
            reason = rng.choice([Reason.STATUS, Reason.TIMEOUT, Reason.ROBOTS, Reason.ELSEWHERE])
            status = 404 if reason is Reason.STATUS else 0
            return Failure(request=request, reason=reason, at=at, status=status, hops=hops)
        case "unchanged":
            return Unchanged(request=request, at=at, final_url=url, hops=hops)
        case "gone":
            return Gone(request=request, at=at, status=410, hops=hops)
    return Idled()


def write(journal: Journal, rng: random.Random, steps: int) -> None:
    for _ in range(steps):
        step = journal.last_step + 1
        at = Millis(1000 * step - rng.randrange(3000))
        journal.append(Entry(step=step, at=at, event=some_event(rng, at), leased=(), commands=()))
        if rng.random() < 0.2:
            journal.flush()


def answers(history: History) -> list[Any]:
    """All that goes by what was counted."""
    return [
        history.standing(RELEVANT_FROM),
        history.statuses(),
        history.reasons(),
        history.host_names(),
        history.hosts(),
        list(history.series()),
        list(history.series(5)),
        [row.step for row in history.best(3)],
        [row.step for row in history.failures(since=3, most=1)],
    ]


class Twin:
    """The same from the rows, without SQL."""

    def __init__(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.row_factory = sqlite3.Row
            self.rows = connection.execute("SELECT * FROM steps ORDER BY step").fetchall()
        pages = {row["url"]: row for row in self.rows if row["kind"] == "page" and row["owner"] is None}
        self.pages = sorted(pages.values(), key=lambda row: int(row["step"]))
        self.failures = [row for row in self.rows if row["kind"] == "failure"]
        brought = {row["url"] for row in self.rows if row["kind"] == "page"}
        last = {row["url"]: row for row in self.failures if row["url"] not in brought}
        self.final = sorted(last.values(), key=lambda row: int(row["step"]))
        self.final = [row for row in self.final if row["reason"] != "elsewhere"]

    def standing(self) -> Standing:
        times = [row["at"] for row in self.rows]
        told = [row["relevance"] for row in self.pages]
        visits = [row for row in self.rows if row["url"] is not None and row["origin"] is None]
        sent = [len((row["hops"] or "").split()) + self._was_sent(row) for row in visits]
        again = [row["at"] for row in self.rows if row["kind"] in ("unchanged", "gone") or row["change"]]
        return Standing(
            pages=len(told),
            relevant=sum(each >= RELEVANT_FROM for each in told),
            mean_relevance=pytest.approx(sum(told) / len(told) if told else 0.0),
            requests=sum(sent),
            first=min(times, default=0),
            last=max(times, default=0),
            first_revisit=min(again, default=None),
        )

    def _was_sent(self, row: sqlite3.Row) -> bool:
        unsent = {reason.value for reason in UNSENT}
        return row["reason"] is None or row["status"] > 0 or row["reason"] not in unsent

    def hosts(self) -> set[HostCount]:
        pages = Counter(host_of(row["url"]) for row in self.pages)
        failures = Counter(host_of(row["url"]) for row in self.failures)
        return {HostCount(host, pages[host], failures[host], 0.0) for host in {*pages, *failures}}


def check(path: Path) -> None:
    """What was counted is what the steps say, to the bit where both are SQL."""
    with closing(Journal(path, read_only=True)) as journal:
        found = answers(journal.history)
        standing, statuses, reasons, names, hosts = found[:5]
        was_counted = not journal._connection.execute("SELECT 1 FROM temp.sqlite_schema").fetchone()
        journal.pass_over([])  # from now on nothing goes by what was counted
        assert answers(journal.history) == found
    twin = Twin(path)
    assert was_counted
    assert standing == twin.standing()
    assert statuses == Counter(row["status"] for row in twin.rows if row["url"] is not None)
    assert reasons == Counter(row["reason"] for row in twin.final)
    assert names == {each.host for each in hosts}
    assert {HostCount(each.host, each.pages, each.failures, 0.0) for each in hosts} == twin.hosts()
    assert [point.step for point in found[5]] == [row["step"] for row in twin.pages]


@given(st.randoms(use_true_random=False), st.integers(0, 60))
@settings(max_examples=trials(30), deadline=None)
def test_what_is_counted_is_what_the_steps_say(rng: random.Random, steps: int) -> None:
    with TemporaryDirectory() as place:
        path = Path(place) / "journal.db"
        for _ in range(2):
            with closing(Journal(path)) as journal:
                write(journal, rng, steps)
            check(path)


def killed(journal: Path, place: Path, rng: random.Random, *, power: bool) -> Path:
    """The files as they lie there when the process is killed, or, at a power cut, the log as far as the disk has it."""
    place.mkdir(exist_ok=True)
    left = place / "journal.db"
    log, log_left = (path.with_name("journal.db-wal") for path in (journal, left))
    shutil.copy(journal, left)
    content = log.read_bytes()
    log_left.write_bytes(content[: rng.randrange(len(content) + 1)] if power else content)
    return left


@given(st.randoms(use_true_random=False), st.booleans())
@settings(max_examples=trials(30), deadline=None)
def test_no_kill_parts_steps_from_what_is_counted_of_them(rng: random.Random, power: bool) -> None:
    with TemporaryDirectory() as place:
        path = Path(place) / "journal.db"
        with closing(Journal(path)) as journal:
            journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            write(journal, rng, 40)
            left = killed(path, Path(place) / "left", rng, power=power)
        check(left)


@pytest.mark.parametrize("counted_once", [False, True])
def test_an_earlier_version_is_counted_as_it_is_asked_and_once_it_goes_on(
    counted_once: bool, tmp_path: Path
) -> None:
    """It knows nothing of what is counted, whether it began the crawl or went on with it."""
    path, rng = tmp_path / "journal.db", random.Random(3)
    with closing(Journal(path)) as journal:
        write(journal, rng, 50)
        journal.flush()
        counted = journal._connection.execute("SELECT * FROM counted").fetchall()
        write(journal, rng, 50)
    with closing(Journal(path, read_only=True)) as journal:
        before = answers(journal.history)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM counted" if counted_once else "DROP TABLE counted")
        if counted_once:
            cells = ", ".join("?" * len(counted[0]))
            connection.executemany(f"INSERT INTO counted VALUES ({cells})", map(tuple, counted))
    with closing(Journal(path, read_only=True)) as journal:
        assert answers(journal.history) == before
    Journal(path).close()
    check(path)


@given(st.from_regex(r"https?://[a-z0-9.-]{1,20}(:[0-9]{1,5})?(/[!-~]{0,30})?", fullmatch=True))
@settings(max_examples=trials(100), deadline=None)
def test_sql_knows_the_host_of_a_url(raw: str) -> None:
    try:
        url = canonical(raw)
    except Exception:
        return
    with closing(sqlite3.connect(":memory:")) as connection:
        (host,) = connection.execute(f"SELECT {HOST} FROM (SELECT ? AS url)", (url,)).fetchone()
    assert host == host_of(url)
