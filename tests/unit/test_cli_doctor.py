"""The doctor: what it looks at, and what it says when something is wrong."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from lycosa.cli import doctor
from lycosa.cli.group import lycosa


def test_it_looks_at_every_library_that_is_needed() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    needed = {re.split(r"[^\w-]", line)[0].lower() for line in project["dependencies"]}
    assert set(doctor.MODULES) == needed


def test_a_sound_machine_is_fit() -> None:
    told = CliRunner().invoke(lycosa, ["doctor", "--offline", "--json"])
    checkups = [json.loads(line) for line in told.output.splitlines()]
    assert [c["name"] for c in checkups if c["verdict"] == "problem"] == []
    assert {
        "Python",
        "libraries",
        "extras",
        "reading",
        "SQLite",
        "browser",
        "loopback",
        "clock",
        "disk",
        "open files",
        "writing",
    } == {c["name"] for c in checkups}
    assert told.exit_code == 0


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    found = doctor.writing(tmp_path / "missing")
    assert found.verdict == "problem"
    assert "--out" in found.remedy


def test_no_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "LEAST_FREE", 1 << 60)
    assert doctor.free_space(tmp_path).verdict == "problem"


def test_few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "SCANT_FILES", 1 << 60)
    assert doctor.open_files().verdict in ("warning", "ok")  # ok: this system sets no limit


def test_a_problem_gives_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "EARLIEST_YEAR", 3000)
    told = CliRunner().invoke(lycosa, ["doctor", "--offline"])
    assert told.exit_code == 1
    assert "problem  clock" in told.output
    assert "set the clock" in told.output
