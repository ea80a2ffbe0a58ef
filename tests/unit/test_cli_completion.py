"""What the shell completes."""

from __future__ import annotations

import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from lycosa.cli.group import VERBS, lycosa
from lycosa.spec.registry import BUILT_IN, wrapper_names


def completed(*words: str) -> list[str]:
    """The values offered for the last word; `dir` or `file` where the shell is to offer its own."""
    items = ShellComplete(lycosa, {}, "lycosa", "_LYCOSA_COMPLETE").get_completions(
        list(words[:-1]), words[-1]
    )
    return [item.value if item.type == "plain" else item.type for item in items]


def test_verbs_and_options() -> None:
    assert set(completed("")) == set(VERBS)
    assert completed("cr") == ["crawl"]
    assert completed("lab", "ru") == ["run"]
    assert completed("crawl", "--stra") == ["--strategy"]
    assert completed("crawl", "--tie", "") == ["fifo", "lifo", "random"]
    assert completed("crwal", "--x") == []


@pytest.mark.parametrize("verb", [("crawl", "--strategy"), ("strategies",), ("check-strategy",)])
def test_strategies_and_their_wrappers(verb: tuple[str, ...]) -> None:
    assert set(BUILT_IN) <= set(completed(*verb, ""))
    assert completed(*verb, "hun") == ["hunter"]
    assert completed(*verb, "shark+tun") == ["shark+tunnel"]
    assert len(completed(*verb, "shark+")) == len(wrapper_names())


@pytest.mark.parametrize(
    "verb", ["resume", "status", "why", "mark", "ask", "pause", "stop", "search", "export", "report", "map"]
)
def test_folders_of_crawls(verb: str, tmp_path: Path) -> None:
    for name in ("bees", "beetles", "runs/ants"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "crawl.toml").touch()
    (tmp_path / "beef").mkdir()
    with chdir(tmp_path):
        assert completed(verb, "") == ["bees", "beetles"]
        assert completed(verb, "bee") == ["bees", "beetles"]
        assert completed(verb, "runs/") == ["runs/ants"]
        assert completed(verb, "r") == ["dir"]
        assert completed(verb, "[") == ["dir"]


def test_files_and_webs() -> None:
    for option in ("--like", "--topic-file", "--taxonomy", "--model", "--log", "--learn-from"):
        assert completed("crawl", option, "x") == ["file"]
    assert completed("crawl", "--web", "") == ["live", "recorded:", "cc:", "wayback:", "pywb:", "cdx:"]


def test_bash_asks_the_program() -> None:
    script = (
        'eval "$(_LYCOSA_COMPLETE=bash_source lycosa)"; complete -p lycosa; COMP_WORDS=(lycosa crawl --strategy hun); '
        'COMP_CWORD=3; _lycosa_completion lycosa; echo "${COMPREPLY[@]}"'
    )
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    told = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env={"PATH": path})
    assert told.stdout.splitlines() == ["complete -o nosort -F _lycosa_completion lycosa", "hunter"], told
