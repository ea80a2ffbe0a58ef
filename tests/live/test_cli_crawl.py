"""The command line at work: a made-up web over loopback HTTP, real processes, real signals."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.warm import Command

from lycosa.cli.group import lycosa as commands
from lycosa.model.records import Millis
from lycosa.web.made.graph_web import GraphWeb, WebShape
from lycosa.web.serve import Served

WEB = GraphWeb(WebShape(pages=400, hosts=20, topical=0.2, robots=0.5), seed=5)
TOPIC = ", ".join(WEB.topic_words)
SEEDS = WEB.seeds(3)
ESCAPE = "\x1b"


@contextmanager
def serving(latency: Callable[[str], Millis] | None = None) -> Iterator[int]:
    """The made-up web on a port of its own, at once or with a latency that depends on the URL."""
    loop = asyncio.new_event_loop()
    served = Served(WEB, latency=latency)
    loop.run_until_complete(served.__aenter__())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield served.port
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(served.__aexit__(None, None, None))
        loop.close()


class Dawdling:
    """Answers the first page at once and the others late; `asked` is set when the first of those is asked for."""

    def __init__(self, milliseconds: int) -> None:
        self.milliseconds = milliseconds
        self.asked = threading.Event()
        self.first = ""

    def __call__(self, url: str) -> Millis:
        if url.endswith("/robots.txt"):
            return Millis(0)
        self.first = self.first or url
        if url == self.first:
            return Millis(0)
        self.asked.set()
        return Millis(self.milliseconds)


def asked(*args: str | Path) -> Result:
    """A verb that only looks at a folder, called within this process: a new one takes ten times as long."""
    return CliRunner().invoke(commands, list(map(str, args)))


def crawl_options(port: int, folder: Path, *more: str) -> list[str]:
    options = ["crawl", TOPIC, *SEEDS, "--out", str(folder), "--connect-to", f"::127.0.0.1:{port}"]
    return [*options, "--allow-private", "--delay", "0", *more]


@pytest.fixture(scope="module")
def crawled(
    tmp_path_factory: pytest.TempPathFactory, lycosa: Command
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A finished crawl of 60 pages, and what it said in a pipe."""
    folder = tmp_path_factory.mktemp("crawl") / "coral"
    with serving() as port:
        return folder, lycosa(*crawl_options(port, folder, "--pages", "60"))


Crawled = tuple[Path, subprocess.CompletedProcess[str]]


def test_a_crawl_ends_with_the_best_pages_and_what_to_do_next(crawled: Crawled) -> None:
    folder, told = crawled
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("crawling for 'coral, reef")
    assert "Best pages" in told.stdout
    assert "The budget of pages is used up." in told.stdout
    assert f"lycosa search {folder} WORDS" in told.stdout
    assert f"lycosa resume {folder} --pages 120" in told.stdout
    assert (folder / "report.html").read_text().startswith("<!DOCTYPE html>")


def test_a_pipe_gets_no_escape_codes(crawled: Crawled) -> None:
    folder, told = crawled
    texts = [
        told.stdout,
        told.stderr,
        asked("status", folder).stdout,
        asked("search", folder, "reef").stdout,
    ]
    assert not [text for text in texts if ESCAPE in text or "\r" in text]


def test_status(crawled: Crawled) -> None:
    folder, _ = crawled
    status = json.loads(asked("status", folder, "--json").stdout)
    assert (status["pages"], status["budget"], status["state"]) == (60, 60, "done")
    told = asked("status", folder)
    assert told.exit_code == 0
    assert "60 of 60" in told.stdout
    assert "the budget of pages is used up" in told.stdout


def test_why_of_a_page_of_a_waiting_and_of_an_unknown_url(crawled: Crawled) -> None:
    folder, _ = crawled
    start = json.loads(asked("why", folder, SEEDS[0], "--json").stdout)
    assert (start["state"], [point["url"] for point in start["path"]]) == ("visited", [SEEDS[0]])
    told = asked("why", folder, SEEDS[0]).stdout
    assert "the way to it" in told
    assert "relevance" in told
    assert "unseen" in asked("why", folder, "https://nowhere.example/").stdout


def test_search(crawled: Crawled) -> None:
    folder, _ = crawled
    told = asked("search", folder, "coral", "-n", "3", "--json")
    hits = [json.loads(line) for line in told.stdout.splitlines()]
    assert 1 <= len(hits) <= 3
    assert "«" in hits[0]["snippet"]
    assert hits[0]["url"] in asked("search", folder, "coral").stdout
    assert asked("search", folder, "zyzzyva").stdout == "no page matches\n  no page has zyzzyva\n"


def test_export_as_json_lines_and_csv_agree(crawled: Crawled, tmp_path: Path) -> None:
    folder, _ = crawled
    lines = [json.loads(line) for line in asked("export", folder, "--to", "jsonl").stdout.splitlines()]
    assert len(lines) == 60
    assert [row["step"] for row in lines] == sorted(row["step"] for row in lines)
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", lines[0]["fetched_at"])
    assert lines[0]["text"]
    bare = asked("export", folder, "--to", "jsonl", "--no-text").stdout.splitlines()
    assert [json.loads(line) for line in bare] == [{**row, "text": ""} for row in lines]
    told = asked("export", folder, "--to", "csv", "-o", tmp_path / "pages.csv")
    assert told.stdout == ""
    with (tmp_path / "pages.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["url"] for row in rows] == [row["url"] for row in lines]
    assert [row["text"] for row in rows] == [row["text"] for row in lines]
    assert list(rows[0]) == list(lines[0])
    card = ["pages.csv.card.json", "pages.csv.card.md"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pages.csv", *card]


def test_export_as_parquet(crawled: Crawled, tmp_path: Path) -> None:
    folder, _ = crawled
    told = asked("export", folder, "--to", "parquet", "-o", tmp_path / "pages.parquet")
    try:
        import pyarrow.parquet as pq
    except ImportError:
        assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
        assert "pip install 'lycosa[parquet]'" in told.stderr
        assert list(tmp_path.iterdir()) == []
        return
    table = pq.read_table(tmp_path / "pages.parquet")
    assert table.num_rows == 60
    assert str(table.schema.field("fetched_at").type) == "timestamp[ms, tz=UTC]"


def test_report_elsewhere(crawled: Crawled, tmp_path: Path) -> None:
    folder, _ = crawled
    told = asked("report", folder, "-o", tmp_path / "r.html")
    assert told.stdout == f"{tmp_path / 'r.html'}\n"
    page = (tmp_path / "r.html").read_text()
    assert "coral reef" in page
    assert SEEDS[0] in page
    for heading in (
        "How it went",
        "Best pages",
        "Hosts",
        "Make-up",
        "Specification",
        "Frontier",
    ):
        assert heading in page


@pytest.mark.parametrize("verb", ["report", "map"])
def test_a_dash_is_standard_output(crawled: Crawled, verb: str, tmp_path: Path) -> None:
    folder, _ = crawled
    with chdir(tmp_path):
        told = asked(verb, folder, "-o", "-")
    assert told.exit_code == 0, told.stderr
    assert told.stdout.startswith("<!DOCTYPE html>")
    assert told.stdout.rstrip().endswith("</html>")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_refused(crawled: Crawled, lycosa: Command) -> None:
    folder, _ = crawled
    told = lycosa("crawl", TOPIC, *SEEDS, "--out", folder)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert f"lycosa resume {folder}" in told.stderr


def test_stop_where_nothing_runs(crawled: Crawled) -> None:
    folder, _ = crawled
    told = asked("stop", folder)
    assert told.exit_code == 0
    assert "no crawl is running here" in told.stdout


def test_json_tells_everything(tmp_path: Path, lycosa: Command) -> None:
    with serving() as port:
        told = lycosa(*crawl_options(port, tmp_path / "c", "--pages", "20", "--json"))
    assert told.returncode == 0, told.stderr
    events = [json.loads(line) for line in told.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds[-1], kinds.count("page")) == ("started", "ended", 20)
    assert events[-1]["exit_code"] == 0
    assert events[-1]["status"]["pages"] == 20
    assert len(events[-1]["best"]) == 10
    page = next(event for event in events if event["event"] == "page")
    assert {"url", "final_url", "status", "title", "relevance", "depth", "score", "at"} <= set(page)


def test_what_one_should_know_is_told_once_the_crawl_has_begun(tmp_path: Path, lycosa: Command) -> None:
    with serving() as port:
        told = lycosa(*crawl_options(port, tmp_path / "c", "--pages", "2", "--ignore-robots"))
    assert told.stderr == "lycosa: robots.txt is ignored: do this on your own sites only\n"


def test_quiet_is_silent(tmp_path: Path, lycosa: Command) -> None:
    with serving() as port:
        told = lycosa(*crawl_options(port, tmp_path / "c", "--pages", "5", "-q"))
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def test_verbose_shows_each_visit(tmp_path: Path, lycosa: Command) -> None:
    with serving() as port:
        told = lycosa(*crawl_options(port, tmp_path / "c", "--pages", "5", "-v"))
    assert len(re.findall(r"^\d\.\d{3} 200 http://h\d+\.test/", told.stdout, re.MULTILINE)) == 5


def test_nothing_fetched_is_exit_code_3(tmp_path: Path, lycosa: Command) -> None:
    with serving() as port:
        told = lycosa(
            "crawl", "bees", "http://h0.test/nothing-here", "--out", tmp_path / "c",
            "--connect-to", f"::127.0.0.1:{port}", "--allow-private", "-q",
        )  # fmt: skip
    assert told.returncode == 3
    assert told.stdout == ""
    assert "nothing could be fetched" in told.stderr
    assert told.stderr.count("\n") == 1


@contextmanager
def dawdling_crawl(folder: Path, milliseconds: int, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A crawl that has a page and waits for the next one."""
    web = Dawdling(milliseconds)
    with serving(web) as port:
        command = [sys.executable, "-m", "lycosa.cli", *crawl_options(port, folder, "--pages", "300", *more)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert web.asked.wait(60)
            yield process
        finally:
            process.kill()
            process.wait()


def rest_of(process: subprocess.Popen[str]) -> tuple[list[dict[str, Any]], str]:
    out, errors = process.communicate(timeout=60)
    return [json.loads(line) for line in out.splitlines()], errors


def test_ctrl_c_once_finishes_the_visits_and_can_be_resumed(tmp_path: Path, lycosa: Command) -> None:
    folder = tmp_path / "c"
    with dawdling_crawl(folder, 500, "--json") as process:
        process.send_signal(signal.SIGINT)
        events, errors = rest_of(process)
        assert (process.returncode, errors) == (130, "")
    notes = [event["text"] for event in events if event["event"] == "note"]
    assert re.fullmatch(r"finishing \d+ visits?, press Ctrl-C again to stop now", notes[0])
    assert events[-1]["status"]["state"] == "interrupted"
    before = events[-1]["status"]["pages"]
    assert before >= 1
    with serving() as port:
        spec = folder / "crawl.toml"
        spec.write_text(re.sub(r"::127.0.0.1:\d+", f"::127.0.0.1:{port}", spec.read_text()))
        told = lycosa("resume", folder, "--pages", str(before + 20), "--json")
    assert told.returncode == 0, told.stderr
    again = [json.loads(line) for line in told.stdout.splitlines()]
    assert again[-1]["status"]["pages"] == before + 20
    rows = [json.loads(line) for line in asked("export", folder, "--to", "jsonl").stdout.splitlines()]
    assert len({row["url"] for row in rows}) == before + 20


def test_ctrl_c_twice_stops_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with dawdling_crawl(folder, 60_000, "--json") as process:
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        while '"event":"note"' not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        rest_of(process)
        assert process.returncode == 130
    assert json.loads(asked("status", folder, "--json").stdout)["state"] == "interrupted"


def test_stop_from_another_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with dawdling_crawl(folder, 500, "--json") as process:
        assert json.loads(asked("status", folder, "--json").stdout)["process"] == process.pid
        reader = threading.Thread(target=process.communicate, daemon=True)
        reader.start()
        told = asked("stop", folder, "--time", "15s")
        assert told.exit_code == 0, told.stderr
        assert f"lycosa resume {folder}" in told.stdout
        reader.join(10)
        assert process.returncode == 130


def test_a_closed_pipe_does_not_end_the_crawl(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with serving() as port:
        command = [sys.executable, "-m", "lycosa.cli", *crawl_options(port, folder, "--pages", "30", "-v")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == ""
            assert process.wait(60) == 0
    assert json.loads(asked("status", folder, "--json").stdout)["pages"] == 30


def read_terminal(descriptor: int) -> str:
    told = b""
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # the other end was closed
            break
        if not part:
            break
        told += part
    return told.decode("utf-8", "replace")


def on_terminal(command: list[str], meanwhile: Callable[[subprocess.Popen[bytes]], None]) -> tuple[int, str]:
    """Run a command on a terminal of its own; its exit code and all that it wrote there."""
    ours, theirs = pty.openpty()
    env = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True
    )
    os.close(theirs)
    told: list[str] = []
    reader = threading.Thread(target=lambda: told.append(read_terminal(ours)), daemon=True)
    reader.start()
    try:
        meanwhile(process)
        code = process.wait(60)
    finally:
        process.kill()
        reader.join(5)
        os.close(ours)
    return code, told[0]


def test_a_terminal_gets_a_live_display(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with serving(lambda url: Millis(5)) as port:
        command = [sys.executable, "-m", "lycosa.cli", *crawl_options(port, folder, "--pages", "60")]
        code, told = on_terminal(command, lambda process: None)
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", told)
    for part in (
        "harvest",
        "frontier",
        "hosts resting",
        "failures",
        "Best pages so far",
        "of 60 pages",
        "→ http",
    ):
        assert part in plain
    assert plain.rstrip().endswith(f"lycosa resume {folder} --pages 120")


def test_the_display_says_what_ctrl_c_did(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    web = Dawdling(1_000)

    def interrupt(process: subprocess.Popen[bytes]) -> None:
        assert web.asked.wait(60)
        process.send_signal(signal.SIGINT)

    with serving(web) as port:
        command = [sys.executable, "-m", "lycosa.cli", *crawl_options(port, folder, "--pages", "300")]
        code, told = on_terminal(command, interrupt)
    assert code == 130
    assert "press Ctrl-C again to stop now" in told
    assert f"lycosa resume {folder}" in told
