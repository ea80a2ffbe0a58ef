"""Whoever doubts a figure can make it again: each file of results has its command, and the commands can be run."""

from __future__ import annotations

import ast
import shlex
import sys
from pathlib import Path

import pytest
from benchmarks import all as everything
from benchmarks.all import Benchmark, as_rows, run, with_table

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
ALL = everything.benchmarks()
COMMANDS = [command for one in ALL for command in (*one.commands, *one.quick)]


def script_of(words: list[str]) -> tuple[Path, list[str]]:
    """The file that `python …` runs, and what it is told."""
    if words[1] == "-m":
        return ROOT / (words[2].replace(".", "/") + ".py"), words[3:]
    return ROOT / words[1], words[2:]


def texts_in(script: Path) -> set[str]:
    """All text constants of a program: the options that it knows are among them."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_each_file_of_results_has_its_command() -> None:
    named = {file for one in ALL for file in one.results}
    assert named == {each.name for each in RESULTS.iterdir()}


def test_each_name_is_of_one_benchmark() -> None:
    names = [one.name for one in ALL]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_is_there_and_knows_its_options(command: str) -> None:
    words = shlex.split(command)
    if words[0] == "lycosa":
        assert words[1:3] == ["lab", "run"]
        assert (ROOT / words[3]).exists()
        return
    script, told = script_of(words)
    known = texts_in(script)
    own = told[: told.index("--")] if "--" in told else told
    assert [option for option in own if option.startswith("-") and option not in known] == []


def test_the_readme_has_the_table() -> None:
    """Mend it with: python benchmarks/all.py --readme."""
    page = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert with_table(page, as_rows(ALL)) == page


def test_one_that_fails_is_told_and_what_it_printed_is_kept(tmp_path: Path) -> None:
    one = Benchmark("one", "?", ("echo first", "exit 3", "echo never"))
    ran = run(one, tmp_path, quick=False)
    assert ran.outcome == "failed with code 3: exit 3"
    told = (tmp_path / "one.md").read_text()
    assert "`echo first`, 20" in told
    assert "\nfirst\n" in told
    assert "never" not in told


def test_what_cannot_be_run_here_is_skipped_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LYCOSA_SHARED", raising=False)
    recorded = Benchmark("webs", "?", ("echo 1",), recorded=True)
    assert run(recorded, tmp_path, quick=False).outcome.startswith("skipped: needs recorded webs")
    long = Benchmark("long", "?", ("echo 1",), hours=True)
    assert run(long, tmp_path, quick=True).outcome == "skipped: takes hours"
    assert run(long, tmp_path, quick=False).outcome == "done"


def test_quick_runs_the_shorter_command(tmp_path: Path) -> None:
    run(Benchmark("one", "?", ("echo whole",), quick=("echo short",)), tmp_path, quick=True)
    assert "short" in (tmp_path / "one.md").read_text()
    assert "whole" not in (tmp_path / "one.md").read_text()


def test_all_of_them_in_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = [
        Benchmark("good", "?", ("true",)),
        Benchmark("bad", "?", ("false",)),
        Benchmark("next", "?", ("true",)),
    ]
    monkeypatch.setattr(everything, "benchmarks", lambda: some)
    monkeypatch.setattr(sys, "argv", ["all.py", "--into", str(tmp_path)])
    assert everything.main() == 1
    assert "2 done, 1 failed, 0 skipped" in capsys.readouterr().out
