"""Logs of JSON lines: every line parses, and says when, how grave, what, and of which crawl."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.warm import Command

from lycosa.library.library import Library
from lycosa.library.new_crawl import NewCrawl

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
SEED = "http://schools.wiki.example/wp/Biosphere.html"
WEB = f"recorded:{SAMPLE}"


def lines(text: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in text.splitlines()]
    for line in found:
        assert list(line)[:3] == ["time", "level", "event"]
        assert line["level"] in ("info", "warning", "error")
        assert line["time"].endswith("Z")
    return found


def test_a_run_is_logged_and_says_nothing_else(tmp_path: Path, lycosa: Command) -> None:
    place = tmp_path / "first"
    done = lycosa(
        "crawl", "dinosaur fossil", SEED, "--web", WEB, "--pages", "8", "--out", place, "--log-json"
    )
    assert (done.returncode, done.stdout) == (0, "")
    found = lines(done.stderr)
    assert [line["event"] for line in found if line["event"] not in ("failure", "note", "status")] == [
        "started", *["page"] * 8, "ended",
    ]  # fmt: skip
    assert {line["crawl"] for line in found if line["event"] != "note"} == {"first"}
    assert all(line["url"].startswith("http") for line in found if line["event"] == "page")
    again = lycosa("resume", place, "--pages", "10", "--log-json")
    assert [line["event"] for line in lines(again.stderr)].count("page") == 2
    fresh = lycosa("refresh", place, "--once", "--log-json")
    assert lines(fresh.stderr)[-1]["event"] == "ended"


def test_what_goes_wrong_is_a_line_of_the_log_too(tmp_path: Path, lycosa: Command) -> None:
    done = lycosa("resume", tmp_path, "--log-json")
    assert done.returncode == 2
    [line] = lines(done.stderr)
    assert (line["level"], line["event"]) == ("error", "error")
    assert str(tmp_path) in line["text"]
    nothing = lycosa(
        "crawl", "dinosaur", "http://nowhere.example/", "--web", WEB, "--out", tmp_path / "c", "--log-json"
    )
    assert nothing.returncode == 3
    assert lines(nothing.stderr)[-1]["exit_code"] == 3
    both = lycosa("crawl", "x", SEED, "--web", WEB, "--json", "--log-json")
    assert both.returncode == 2
    assert "give one of them" in both.stderr


def test_a_crawl_that_a_face_began_logs_into_its_folder(tmp_path: Path) -> None:
    library = Library([tmp_path], given={"web": WEB})
    name = library.begin(NewCrawl(topic="dinosaur fossil", urls=(SEED,), pages=5))
    log = tmp_path / name / "crawl.log"
    until = time.monotonic() + 60
    while not (found := lines(log.read_text())) or found[-1]["event"] != "ended":
        assert time.monotonic() < until
        time.sleep(0.05)
    assert found[0]["event"] == "started"
    assert found[-1]["status"]["pages"] == 5
    assert {line["crawl"] for line in found} == {name}


def test_requests_are_logged_without_their_secrets(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    command = [sys.executable, "-m", "lycosa.cli", "serve", str(tmp_path), "--port", "0", "--log-json"]
    server = subprocess.Popen(
        [*command, "--token", "a-secret"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    origin = server.stdout.readline().split()[-1].partition("/?")[0]
    with httpx.Client(base_url=origin) as client:
        assert client.get("/?token=a-secret", follow_redirects=True).status_code == 200
        assert client.get("/nowhere").status_code == 404
    server.send_signal(signal.SIGINT)
    _, told = server.communicate(timeout=30)
    found = [line for line in lines(told) if line["event"] == "request"]
    assert [(line["method"], line["path"], line["status"]) for line in found] == [
        ("GET", "/", 303),
        ("GET", "/", 200),
        ("GET", "/nowhere", 404),
    ]
    assert all(line["client"] == "127.0.0.1" and line["seconds"] < 10 for line in found)
    assert "a-secret" not in told
