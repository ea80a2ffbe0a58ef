"""`lycosa lab run`, `compare`, `tune`, `report` and `bounds`, as a person or a pipe meets them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.labwebs import record_web

from lycosa.cli.group import lycosa
from lycosa.lab.experiments.cell import unpack
from lycosa.lab.measures.trajectory import Names

EXPERIMENT = """
pages = 30
distances = [2]
most_topics = {topics}
[strategies]
plain = "best-first"
broad = "breadth-first"
[webs.small]
path = "{web}"
"""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("web"))


def said(*args: str | Path) -> int:
    with pytest.raises(SystemExit) as left:
        lycosa.main([*map(str, args)], prog_name="lycosa")
    assert isinstance(left.value.code, int)
    return left.value.code


def written(web: Path, folder: Path, topics: int = 6) -> Path:
    file = folder / "first.toml"
    file.write_text(EXPERIMENT.format(web=web, topics=topics))
    return file


def test_run_and_report(web: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(web, tmp_path)
    assert said("lab", "run", file, "--workers", "1") == 0
    out, err = capsys.readouterr()
    assert err.splitlines()[-1].startswith("12 of 12 crawls")
    assert "is best, AUC" in out
    names = {path.name for path in (tmp_path / "first").iterdir()}
    assert {"report.html", "table.md", "table.tex", "table.csv", "experiment.json", "runs.jsonl"} <= names
    assert said("lab", "run", file, "--workers", "1", "-q") == 0
    assert capsys.readouterr() == ("", "")
    assert said("lab", "run", file, "--workers", "1") == 0
    assert "12 of 12 crawls, 12 kept from before" in capsys.readouterr().err
    (tmp_path / "first" / "report.html").unlink()
    assert said("lab", "report", tmp_path / "first") == 0
    assert (tmp_path / "first" / "report.html").exists()
    assert said("lab", "report", tmp_path) == 2
    assert "make one with: lycosa lab run" in capsys.readouterr().err


def test_a_failed_crawl_is_told_by_the_exit_code(
    web: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(web, tmp_path, topics=1)
    file.write_text(file.read_text().replace('"breadth-first"', '"breadth-first:x=1"'))
    assert said("lab", "run", file, "--workers", "1", "-o", tmp_path / "out") == 1
    assert "failed: broad on small, t0, D = 2: " in capsys.readouterr().out


def test_compare(web: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    about = ("--web", web, "-D", "2", "--pages", "30", "-o", tmp_path, "--workers", "1")
    assert said("lab", "compare", "best-first", "breadth-first", *about) == 0
    out, _ = capsys.readouterr()
    assert out.startswith("best-first ")
    assert "than breadth-first by" in out.splitlines()[0] or "equals" in out.splitlines()[0]
    assert said("lab", "compare", "best-first", "breadth-first", *about, "--json", "-q") == 0
    told = json.loads(capsys.readouterr().out)
    assert (
        told["difference"]["mean"] == pytest.approx(told["a"]["mean"] - told["b"]["mean"])
        if isinstance(told["a"], dict)
        else told["difference"]["count"] > 0
    )
    assert said("lab", "compare", "best-first", "best-first", *about, "-q") == 2
    assert said("lab", "compare", "best-first", "random", *about, "-q", "--metric", "speed") == 2
    assert "there is no metric 'speed'" in capsys.readouterr().err


def test_a_recorded_web_is_named_by_its_path_or_as_recorded(
    web: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the laboratory and for crawls alike."""
    told = []
    for named in (web, f"recorded:{web}"):
        assert said("lab", "bounds", "--web", named, "-D", "2", "--pages", "30") == 0
        told.append(capsys.readouterr().out)
        out = tmp_path / f"crawl{len(told)}"
        crawl = ("crawl", "wolf", "http://h0.test/wolf/0", "--web", named, "--pages", "5", "--out", out, "-q")
        assert said(*crawl) == 0
        assert said("export", out, "--to", "jsonl") == 0
        pages = map(json.loads, capsys.readouterr().out.splitlines())
        told.append([page["url"] for page in pages])
    assert told[:2] == told[2:]
    assert len(told[1]) == 5


@pytest.mark.parametrize("named", ["none-there", "recorded:none-there", "recorded:", "lvie"])
def test_a_web_that_is_not_there_is_told_in_one_line(
    named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said("crawl", "wolf", "http://h0.test/", "--web", named, "--out", tmp_path / "out") == 2
    assert "give live, or PATH of a recorded web" in capsys.readouterr().err


def test_the_laboratory_measures_on_one_recorded_web(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for named in ("live", f"{web},{web}"):
        assert said("lab", "bounds", "--web", named) == 2
        assert "give the path of its folder or file" in capsys.readouterr().err


def test_tune_and_bounds(web: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "b.json"
    about = ("--web", web, "-D", "2", "--pages", "20")
    options = ("--trials", "3", "--keep", tmp_path / "kept", "-o", record, "--workers", "1", "-q")
    assert said("lab", "tune", "bfs-n", *about, *options) == 0
    assert f"for an experiment write @{record}" in capsys.readouterr().out
    assert said("lab", "compare", f"@{record}", "best-first", *about, "-q", "-o", tmp_path / "c") == 2
    assert "was tuned on" in capsys.readouterr().err
    assert said("lab", "bounds", *about) == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("oracle")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killed_and_run_again(web: Path, tmp_path: Path) -> None:
    """After kill -9 the workers end, what is finished is whole, and the same command brings the rest."""
    file = written(web, tmp_path, topics=4)
    file.write_text(file.read_text().replace("pages = 30", "pages = 120\nseeds = [0, 1, 2, 3]"))
    command = [sys.executable, "-m", "lycosa.cli", "lab", "run", str(file), "--workers", "2", "-q"]
    running = subprocess.Popen(command, start_new_session=True)
    cells = tmp_path / "first" / "cells"
    until = time.monotonic() + 60
    while len(list(cells.glob("*.cell"))) < 3 and time.monotonic() < until and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert _all_gone(running.pid)
    for cell in cells.glob("*.cell"):
        assert unpack(cell.read_bytes(), Names()) is not None
    assert subprocess.run([*command[:-2], "1", "-q"], check=False).returncode == 0
    assert len(list(cells.glob("*.cell"))) == 4 * 2 * 4


def _all_gone(group: int) -> bool:
    """Whether all processes of a group end soon."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
