"""What `lycosa crawl` makes of bad input and of a web that misbehaves, from the command line to the exit code."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.live.hostile import Hostile, hostile_thread
from tests.live.misdeeds import host_of_deed

import lycosa
from lycosa.cli.group import lycosa as command
from lycosa.crawls.answers import Status
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import resume
from lycosa.drive.loop import unwatched
from lycosa.model.errors import FolderError
from lycosa.model.events import Asked, Wish
from lycosa.model.url import Url
from lycosa.store.inbox import Inbox

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "sample-web"
START = "http://schools.wiki.example/wp/Biosphere.html"
RECORDED = ("--web", f"recorded:{SAMPLE}")


@pytest.fixture(scope="module")
def server() -> Iterator[Hostile]:
    with hostile_thread() as served:
        yield served


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def started(*arguments: str | Path, **more: str) -> subprocess.Popen[str]:
    """The command line as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "lycosa.cli", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **more},
    )


def mapped(server: Hostile) -> list[str]:
    """Options that bring every host to the hostile server, but one that is down."""
    rules = [
        "down.test:80:127.0.0.1:1",
        f"garbage.test:443:127.0.0.1:{server.garbage_port}",
        f"*:80:127.0.0.1:{server.port}",
        f"*:443:127.0.0.1:{server.tls_port}",
    ]
    return [part for rule in rules for part in ("--connect-to", rule)]


def impatient(folder: Path) -> None:
    """Let a crawl's next run wait but a moment after troubles, and take the same text under several names for pages."""
    written = folder / "crawl.toml"
    soon = re.sub(r"(?m)^(backoff|max_backoff) = .*", r"\1 = 0.02", written.read_text("utf-8"))
    written.write_text(re.sub(r"(?m)^aliases = .*", "aliases = false", soon), "utf-8")


def lines_of(told: Result) -> list[str]:
    """Standard error: bad input is told in one line."""
    return told.stderr.splitlines()


# -- input that cannot be used: exit code 2, one line ------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("bees", START, "--strategy", "best-frist"), "did you mean 'best-first'?"),
        (("bees", "http://[half"), "http://[half"),
        (("bees", "ftp://example.org/"), "ftp://example.org/"),
        (("bees", START, "--web", "recorded:/nowhere/at/all"), "/nowhere/at/all"),
        (("bees", START, "--include", "(half"), "(half"),
        (("bees", START, "--like", "/nowhere.html"), "/nowhere.html"),
    ],
)
def test_bad_input_is_told_in_a_line_and_leaves_no_folder(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    told = run("crawl", *arguments, "--contact", "me@a.example", "--out", tmp_path / "crawl")
    assert told.exit_code == 2
    assert len(lines_of(told)) == 1
    assert says in told.stderr
    assert not (tmp_path / "crawl").exists()


def test_a_wrong_key_is_told_with_its_line(tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    topic.write_text('description = "bees"\nseeds = ["http://a.test/"]\n\n[scope]\nhots = ["a.test"]\n')
    told = run("crawl", "--topic-file", topic, "--out", tmp_path / "crawl")
    assert told.exit_code == 2
    assert f"{topic}, line 5" in told.stderr
    assert "did you mean 'hosts'?" in told.stderr


def test_an_existing_folder_is_refused_and_a_crawl_in_it_offered(tmp_path: Path) -> None:
    mine, crawl = tmp_path / "mine", tmp_path / "crawl"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    told = run("crawl", "bees", START, "--out", mine)
    assert (told.exit_code, "choose another with --out" in told.stderr) == (2, True)
    assert run("crawl", "dinosaurs", START, *RECORDED, "--pages", "3", "--out", crawl, "-q").exit_code == 0
    told = run("crawl", "dinosaurs", START, *RECORDED, "--out", crawl)
    assert (told.exit_code, f"lycosa resume {crawl}" in told.stderr) == (2, True)


def test_a_beginning_that_was_cut_short_can_be_begun_again_or_gone_on_with(tmp_path: Path) -> None:
    """As a kill leaves it before the specification is written, before the journal is, and before its tables are."""
    folder, again = (
        tmp_path / "crawl",
        ("crawl", "dinosaurs", START, *RECORDED, "--pages", "3", "-q", "--out"),
    )
    folder.mkdir()
    (folder / "topic.json").write_text('{"keywo')
    (folder / ".crawl.toml.new").write_text("topic")
    assert run(*again, folder).exit_code == 0
    for journal in (None, b""):
        for path in folder.glob("journal.*"):
            path.unlink()
        shutil.rmtree(folder / "frontier")
        if journal is not None:
            (folder / "journal.db").write_bytes(journal)
        told = run("status", folder)
        assert (told.exit_code, f"lycosa resume {folder}" in told.stderr) == (2, True)
        assert run("resume", folder, "-q").exit_code == 0
        with CrawlFolder.open(folder) as crawl:
            assert crawl.status().pages == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_can_be_looked_at(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    run("crawl", "dinosaurs", START, *RECORDED, "--pages", "9", "--out", folder, "-q")
    before = run("search", folder, "earth").output
    everything = [folder, *folder.rglob("*")]
    for path in everything:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        assert run("status", folder).exit_code == 0
        assert run("why", folder, START).exit_code == 0
        assert run("search", folder, "earth").output == before
        told = run("resume", folder, "--pages", "12")
        assert (told.exit_code, "copy it" in told.stderr, len(lines_of(told))) == (2, True, 1)
    finally:
        for path in everything:
            path.chmod(0o700)


def test_a_folder_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    run("crawl", "dinosaurs", START, *RECORDED, "--pages", "3", "--out", folder, "-q")
    written = folder / "crawl.toml"
    written.write_text(written.read_text().replace("format = 1", "format = 2"))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for verb in ("resume", "status"):
        told = run(verb, folder)
        assert told.exit_code == 2
        assert "use a newer lycosa" in told.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_recording_that_is_cut_is_read_as_far_as_it_goes_and_one_that_is_none_is_refused(
    tmp_path: Path,
) -> None:
    whole = next(SAMPLE.glob("*.warc.gz")).read_bytes()
    cut, none = tmp_path / "cut.warc.gz", tmp_path / "none.warc.gz"
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    none.write_bytes(b"this is no archive" * 1000)
    told = run("crawl", "bees", START, "--web", f"recorded:{none}", "--out", tmp_path / "a")
    assert (told.exit_code, str(none) in told.stderr, len(lines_of(told))) == (2, True, 1)
    told = run(
        "crawl", "dinosaurs", START, "--web", f"recorded:{cut}", "--pages", "20", "--out", tmp_path / "b"
    )
    assert told.exit_code == 0
    assert "cut.warc.gz" in told.stderr


# -- nothing can be fetched: exit code 3 -----------------------------------------------------------------------


def nothing(folder: Path, *arguments: str) -> str:
    told = run("crawl", "bees", *arguments, "--delay", "0", "--out", folder)
    assert told.exit_code == 3
    assert "nothing could be fetched" in told.stderr
    return told.stderr


def test_private_addresses_are_refused_by_default(server: Hostile, tmp_path: Path) -> None:
    assert "1 private-address" in nothing(tmp_path / "a", server.url("/ok"))
    assert "--allow-private lets it in" in run("why", tmp_path / "a", server.url("/ok")).output
    private = "http://public.test/to-private"
    assert "1 out-of-scope" in nothing(tmp_path / "b", private, *mapped(server))
    assert "port 9 is neither 80, 443 nor" in run("why", tmp_path / "b", private).output
    assert "1 private-address" in nothing(tmp_path / "d", private, *mapped(server), "--port", "9")
    told = run("crawl", "bees", server.url("/ok"), "--allow-private", "--pages", "1", "--out", tmp_path / "c")
    assert told.exit_code == 0


def test_robots_may_forbid_the_start_page(server: Hostile, tmp_path: Path) -> None:
    assert "1 robots" in nothing(tmp_path / "a", "http://robots-closed.test/ok", *mapped(server))
    assert "Disallow: /" in run("why", tmp_path / "a", "http://robots-closed.test/ok").output
    unreachable = ("http://robots-500.test/ok", *mapped(server), "--time", "0.3s")
    assert "robots" in nothing(tmp_path / "b", *unreachable)


def test_a_start_page_that_is_not_there(server: Hostile, tmp_path: Path) -> None:
    assert "1 status" in nothing(tmp_path / "a", "http://a.test/404", *mapped(server))


# -- one crawl over everything that servers do -----------------------------------------------------------------

LOST = {
    "/304": "status", "/404": "status", "/410": "status", "/500": "status", "/429": "status",
    "/to-nothing": "status", "/to-nowhere": "status", "/to-mail": "status",
    "/loop": "redirect-loop", "/loop-a": "redirect-loop", "/loop-b": "redirect-loop",
    "/to-private": "out-of-scope",
    "/binary": "not-text", "/pdf": "unreadable", "/early-hints": "not-text",
    "/stacked-deep": "protocol", "/bad-gzip": "protocol", "/bad-length": "protocol",
    "/two-lengths": "protocol", "/bad-chunks": "protocol", "/null-header": "protocol",
    "/length-and-chunks": "protocol", "/not-http": "protocol", "/endless-headers": "protocol",
    "/endless-header": "protocol", "/headers-then-hang-up": "connect", "/hang-up": "connect",
    "/nothing": "timeout", "/slow-headers": "timeout", "/headers-then-silence": "timeout",
}  # fmt: skip
FOUND = (
    "/", "/ok", "/gzip", "/gzip-members", "/gzip-padded", "/deflate", "/deflate-bare", "/brotli", "/zstd",
    "/stacked", "/unknown-coding", "/cut-gzip", "/bomb", "/bomb-twice", "/bomb-brotli", "/bomb-zstd", "/big",
    "/links", "/nested", "/no-links", "/empty", "/chain/0", "/cookies", "/charset-garbage", "/charset-latin",
    "/no-type", "/robots-header", "/raw-header", "/to-latin", "/half", "/half-then-silence", "/dripping",
    "/endless", "/endless-chunks", "/long-length", "/long-length-late", "/http-1.0",
)  # fmt: skip


@pytest.fixture(scope="module")
def everything(server: Hostile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a crawl from a page that links to every page and deed of the server."""
    folder = tmp_path_factory.mktemp("hub") / "crawl"
    limits = (
        "--depth",
        "1",
        "--delay",
        "0",
        "--max-time",
        "2.5",
        "--max-filesize",
        "1500000",
        "--width",
        "64",
    )
    begun = run("crawl", "numerical analysis", "http://hub.test/hub", "--pages", "1", *limits, *mapped(server),
                "--out", folder, "-q")  # fmt: skip
    assert begun.exit_code == 0
    impatient(folder)
    told = run("resume", folder, "--pages", "500", "--json")
    ended = json.loads(told.stdout.splitlines()[-1])
    assert (ended["event"], ended["exit_code"], told.exit_code) == ("ended", 0, 0)
    assert ended["status"]["ended"] == "no links are left to follow"
    return folder


def deed(path: str) -> Url:
    return Url(f"http://{host_of_deed(path)}{path}")


def test_a_crawl_over_all_faults_ends_with_the_good_pages_and_each_fault_by_its_name(
    everything: Path,
) -> None:
    with CrawlFolder.open(everything) as folder:
        found = {row.url for row in folder.history.rows()}
        lost = {row.url: row.reason for row in folder.history.failures()}
    assert {path: lost.get(deed(path), "found" if deed(path) in found else "?") for path in LOST} == LOST
    assert {path for path in FOUND if deed(path) not in found} == set()
    assert lost[Url("http://robots-closed.test/ok")] == "robots"
    assert lost[Url("https://unknown.test/ok")] == lost[Url("https://garbage.test/ok")] == "tls"


def test_a_host_that_is_down_is_given_up(everything: Path, server: Hostile) -> None:
    with CrawlFolder.open(everything) as folder:
        reasons = [row.reason for row in folder.history.failures() if "down.test" in row.url]
        tried = sum(row.attempt for row in folder.history.failures() if row.reason == "connect")
    assert len(reasons) == 15
    assert set(reasons) == {"connect", "host-down"}
    assert reasons.count("host-down") >= 11
    assert tried <= 20


def test_a_server_that_is_always_busy_is_asked_three_times(everything: Path, server: Hostile) -> None:
    assert sum(asked.host == host_of_deed("/429") and asked.path == "/429" for asked in server.log) == 3
    assert "3 times" in run("why", everything, deed("/429")).output


@pytest.mark.parametrize(
    ("path", "state", "says"),
    [
        ("/ok", "visited", "fetched with status 200"),
        ("/chain/0", "visited", "it redirects to"),
        ("/404", "failed", "404"),
        ("/nothing", "failed", "did not answer in time"),
        ("/to-private", "failed", "port 9 is neither"),
        ("/loop", "failed", "in circles"),
        ("/never", "unseen", "no page of the crawl links to it"),
    ],
)
def test_why(everything: Path, path: str, state: str, says: str) -> None:
    told = run("why", everything, deed(path), "--json")
    about = json.loads(told.stdout)
    assert about["state"] == state
    assert says in about["reason"]
    if state != "unseen":
        assert about["path"][0]["url"] == "http://hub.test/hub"


def test_why_of_a_link_that_the_scope_kept_out(everything: Path) -> None:
    about = json.loads(run("why", everything, f"http://{host_of_deed('/links')}/link/7", "--json").stdout)
    assert about["state"] == "refused"
    assert "depth" in about["reason"] or "links" in about["reason"]


# -- interrupted, and gone on with -----------------------------------------------------------------------------


def wait_for_pages(folder: Path, least: int) -> None:
    """Look at a running crawl from outside until it has so many pages."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(FolderError), CrawlFolder.open(folder) as crawl:
            status = crawl.status()
            if status.pages >= least:
                assert status.process is not None
                assert status.state == "running"
                return
        time.sleep(0.02)
    raise AssertionError("the crawl does not get on")


def pages_at_rest(folder: Path) -> int:
    """How many pages there are once there are no more after a second: what was out has come home."""
    until = time.monotonic() + 60
    before, now = -1, stands(folder).pages
    while now > before:
        assert time.monotonic() < until, "it goes on"
        time.sleep(1)
        before, now = now, stands(folder).pages
    return now


SLOW = ("--delay", "0", "--depth", "2", "--pages", "300")


def test_a_crawl_pauses_goes_on_takes_another_budget_and_stops_by_its_inbox(
    server: Hostile, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    process = started("crawl", "numerical analysis", "http://a.test/links", *mapped(server), *SLOW, "--delay",
                      "0.3", "--max-filesize", "20k", "--out", folder)  # fmt: skip
    wait_for_pages(folder, 3)
    assert "paused" in run("pause", folder).output
    until = time.monotonic() + 60
    while stands(folder).state != "paused":
        assert time.monotonic() < until
        time.sleep(0.02)
    paused = pages_at_rest(folder)
    Inbox(folder / "inbox.jsonl").add([Asked(wish=Wish.BUDGET, pages=paused + 200)], after=1)
    assert "goes on" in run("pause", folder, "--off").output
    wait_for_pages(folder, paused + 2)
    assert stands(folder).budget == paused + 200
    assert "stopped; go on with" in run("stop", folder).output
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert (stands(folder).state, stands(folder).ended_by) == ("interrupted", "interrupted")
    assert "no crawl is running" in run("stop", folder).output
    Inbox(folder / "inbox.jsonl").add([Asked(wish=Wish.STOP)], after=9)
    told = run("resume", folder, "--pages", str(paused + 6), "-q")
    assert told.exit_code == 0, "a stop that nobody heard does not stop the next run"


def stands(folder: Path) -> Status:
    with CrawlFolder.open(folder) as crawl:
        return crawl.status()


def test_sigterm_once_ends_in_order_and_the_crawl_can_be_resumed(server: Hostile, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    process = started("crawl", "numerical analysis", "http://a.test/links", *mapped(server), *SLOW, "--delay",
                      "0.05", "--max-filesize", "20k", "--out", folder)  # fmt: skip
    wait_for_pages(folder, 3)
    refused = run("resume", folder)
    assert (refused.exit_code, f"in use by process {process.pid}" in refused.stderr) == (2, True)
    assert "numerical" in run("search", folder, "numerical analysis").output.lower()
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert f"lycosa resume {folder}" in out
    with CrawlFolder.open(folder) as crawl:
        before = crawl.status()
    assert before.state == "interrupted"
    assert "by the user" in before.ended
    moved = tmp_path / "elsewhere"
    shutil.move(folder, moved)
    told = run("resume", moved, "--pages", str(before.pages + 2), "-q")
    assert told.exit_code == 0
    with CrawlFolder.open(moved) as crawl:
        assert crawl.status().pages == before.pages + 2
        assert crawl.status().ended == "the budget of pages is used up"
        urls = [row.url for row in crawl.rows(text=False)]
    assert len(urls) == len(set(urls))
    exported = run("export", moved, "--to", "jsonl").stdout.splitlines()
    assert [json.loads(line)["url"] for line in exported] == urls


async def looked_at(folder: Path) -> list[str]:
    """What is told when a crawl is resumed, and stopped at once."""
    session = await resume(folder)
    session.halt.ask("seen enough")
    session.halt.ask("seen enough")
    await session.run(unwatched)
    return session.notes


def test_sigterm_twice_drops_the_visits_and_they_are_made_again(server: Hostile, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    process = started("crawl", "bees", "http://a.test/ok", "http://b.test/nothing", *mapped(server), *SLOW,
                      "--out", folder)  # fmt: skip
    wait_for_pages(folder, 1)
    process.terminate()
    time.sleep(0.3)
    assert process.poll() is None  # it waits for the visit that never ends
    process.terminate()
    began = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 3
    assert process.returncode == 130
    assert "press Ctrl-C again" in err
    again = asyncio.run(looked_at(folder))
    assert any("made again" in note for note in again), again


def test_stop_from_another_process(server: Hostile, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    process = started("crawl", "bees", "http://a.test/links", *mapped(server), *SLOW, "--delay", "0.3",
                      "--max-filesize", "20k", "--out", folder)  # fmt: skip
    wait_for_pages(folder, 1)
    told = run("stop", folder)
    assert told.exit_code == 0
    assert "stopped" in told.output
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert "no crawl is running" in run("stop", folder).output


# -- what breaks while it runs: exit code 1, resumable ---------------------------------------------------------

BROKEN = '''
from lycosa.strategies.best_first import BestFirst
class Broken(BestFirst):
    """Fails at one page, as long as the file `fails` is there."""
    def on_page(self, page, view):
        import pathlib
        if view.step > 4 and pathlib.Path(__file__).with_name("fails").exists():
            raise ZeroDivisionError("by nought")
        return super().on_page(page, view)
'''


def test_a_strategy_that_raises_halts_the_crawl_with_its_step(tmp_path: Path) -> None:
    """The strategy is another package's, found by its entry point."""
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "fails").touch()
    package = tmp_path / "broken-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[lycosa.strategies]\nbroken = broken:Broken\n")
    there = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    folder = tmp_path / "crawl"
    process = started("crawl", "dinosaurs", START, *RECORDED, "--pages", "9", "--strategy", "broken", "--out",
                      folder, "-q", **there)  # fmt: skip
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert len(err.splitlines()) == 1
    assert "at step 5: ZeroDivisionError: by nought" in err
    assert f"lycosa resume {folder}" in err
    (tmp_path / "fails").unlink()
    with CrawlFolder.open(folder) as crawl:
        assert crawl.status().state == "failed"
        assert "at step 5" in crawl.status().ended
    process = started("resume", folder, "-q", **there)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 0
    with CrawlFolder.open(folder) as crawl:
        assert crawl.status().pages == 9


LIMITED = (
    "import resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
    "from lycosa.cli import main\n"
    "main()"
)


def test_a_full_disk_halts_the_crawl_and_it_can_be_resumed(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk that is full."""
    folder = tmp_path / "crawl"
    arguments = ["crawl", "dinosaurs", START, *RECORDED, "--pages", "60", "--out", str(folder), "-q"]
    told = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    assert told.returncode == 1
    assert len(told.stderr.splitlines()) == 1
    assert f"lycosa resume {folder}" in told.stderr
    with CrawlFolder.open(folder) as crawl:
        assert crawl.status().state == "failed"
        before = list(crawl.rows(text=True))
    assert 5 < len(before) < 60
    assert run("resume", folder, "-q").exit_code == 0
    with CrawlFolder.open(folder) as crawl:
        after = list(crawl.rows(text=True))
    assert len(after) == 60
    assert after[: len(before)] == before


# -- the same web, served and recorded -------------------------------------------------------------------------


def test_the_served_web_gives_the_pages_of_the_recorded_one(tmp_path: Path) -> None:
    """Same order (one visit at a time), same strategy: the same URLs in the same order."""
    from tests.live.killing import watched_server

    with watched_server(tmp_path / "requests") as server:
        there = ("--connect-to", f"*:*:127.0.0.1:{server.port}", "--delay", "0")
        served = run(
            "crawl", "dinosaurs", START, "--pages", "300", *there, "-q", "--out", tmp_path / "served"
        )
    recorded = run(
        "crawl", "dinosaurs", START, "--pages", "300", *RECORDED, "-q", "--out", tmp_path / "recorded"
    )
    assert (served.exit_code, recorded.exit_code) == (0, 0)
    with lycosa.open(tmp_path / "served") as one, lycosa.open(tmp_path / "recorded") as other:
        urls = [(row.url, row.relevance, row.digest) for row in one.rows(text=False)]
        assert urls == [(row.url, row.relevance, row.digest) for row in other.rows(text=False)]
    assert len(urls) >= 295
