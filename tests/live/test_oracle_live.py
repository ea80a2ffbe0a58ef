"""A model that is asked while another process crawls over loopback: slow, killed beside it, and gone on with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.live.test_cli_crawl import asked, crawl_options, serving
from tests.model_server import GOOD, ModelServer, model_server, until

import lycosa
from lycosa.model.records import Millis
from lycosa.store.verdicts import Verdicts


def crawling(model: ModelServer, port: int, folder: Path, pages: int) -> subprocess.Popen[bytes]:
    options = crawl_options(port, folder, "--pages", str(pages), "-q", "--width", "2")
    judge = ["--judge", model.judge, "--judge-calls", "30"]
    return subprocess.Popen([sys.executable, "-m", "lycosa.cli", *options, *judge])


def test_told_before_it_is_asked_and_never_again_after_kill_9(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with model_server(lambda asked: GOOD) as model, serving(lambda url: Millis(10)) as port:
        model.answer = lambda asked: GOOD._replace(wait=60.0 if len(model.asked) == 3 else 0.0)
        process = crawling(model, port, folder, 390)
        try:
            until(lambda: len(model.asked) == 3)
            lost = model.pages[2]
            until(lambda: len(list(Verdicts(folder / "judge.jsonl"))) == 3)
        finally:
            process.kill()
            process.wait()
        out = list(Verdicts(folder / "judge.jsonl"))[2]
        assert (out.url, out.came) == (lost, "out")
        told = json.loads(asked("status", folder, "--json").stdout)["judge"]
        assert (told["calls"], told["unclear"], told["calls left"]) == (3, 1, 27)
        again = asked("resume", folder, "--pages", "200", "-q")
        assert again.exit_code == 0, again.stderr
        assert len(model.asked) > 3
        assert len(set(model.pages)) == len(model.pages)
    with lycosa.open(folder) as crawl:
        marks = crawl.marks()
    assert len({mark.url for mark in marks}) == len(marks) >= len(model.asked) - 2
    assert lost not in {mark.url for mark in marks}


def test_a_model_that_is_slow_holds_up_no_page(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with (
        model_server(lambda asked: GOOD._replace(wait=60.0)) as model,
        serving(lambda url: Millis(1)) as port,
    ):
        process = crawling(model, port, folder, 60)
        try:
            assert process.wait(timeout=40.0) == 0
        finally:
            process.kill()
        assert len(model.asked) == 1
    with lycosa.open(folder) as crawl:
        assert crawl.status().pages == 60
        assert crawl.marks() == []
