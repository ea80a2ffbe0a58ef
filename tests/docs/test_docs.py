"""The manual is true: its code runs, its links lead somewhere, and what is made from the program is up to date.

Blocks of a page run in their order, in one folder of their own in which `examples` is the project's:

* ```` ```python ```` runs; the blocks of a page share their names.
* ```` ```sh run ```` runs, and must succeed; ```` ```sh server ```` runs beside the rest until the page ends.
* ```` ```text output ```` after one of these: its lines must occur in the output, in their order; `…` is anything.
* ```` ```sh install ```` does what pip does for the entry points of the page's `pyproject.toml`, without a network.
* A file name after the language writes the block to that file.
* Any other block (`text`, `pycon`, …) is shown only.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from docs.make_reference import pages

from lycosa.spec.registry import BUILT_IN

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(?P<kind>\w+)(?: (?P<about>[^\n]+))?\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<title>.+)$", re.MULTILINE)
PORT = "8080"
"""In the manual; where the tests run it may be taken."""
PATIENCE = 60.0


class Block(NamedTuple):
    kind: str
    about: str
    code: str

    @property
    def runs(self) -> bool:
        return (self.kind == "python" and not self.is_file) or (
            self.kind == "sh" and self.about in ("run", "server")
        )

    @property
    def is_file(self) -> bool:
        return "." in self.about


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m["kind"], m["about"] or "", m["code"]) for m in FENCE.finditer(text)]


WITH_CODE = [page for page in PAGES if any(block.runs for block in blocks(page))]


class Reader:
    """Somebody who follows a page of the manual to the letter."""

    def __init__(self, folder: Path, warm: Path) -> None:
        self.folder = folder
        self.said = ""
        """What the last block that ran wrote."""
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._servers: list[subprocess.Popen[bytes]] = []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        modules = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
        self._environment = {**os.environ, "PATH": path, "PYTHONPATH": modules, "COLUMNS": "100"}
        self._environment.pop("LYCOSA_CONTACT", None)
        self._warm = {**self._environment, "PATH": f"{warm}{os.pathsep}{path}"}

    def follow(self, block: Block) -> None:
        code = block.code.replace(PORT, str(self._port))
        if block.is_file:
            file = self.folder / block.about
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code, encoding="utf-8")
        elif block.kind == "python":
            self._python(code)
        elif block.kind == "sh" and block.about == "run":
            self._shell(code)
        elif block.kind == "sh" and block.about == "server":
            self._serve(code)
        elif block.kind == "sh" and block.about == "install":
            self._install()
        elif (block.kind, block.about) == ("text", "output"):
            expect(code, self.said)

    def _python(self, code: str) -> None:
        written = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(written):
            exec(compile(code, "<manual>", "exec"), self._names)
        self.said = written.getvalue()

    def _shell(self, code: str) -> None:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", code],
            cwd=self.folder,
            env=self._environment if "kill " in code else self._warm,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self.said = done.stdout
        assert done.returncode == 0, f"{code}\n{self.said}"

    def _serve(self, code: str) -> None:
        self._servers.append(
            subprocess.Popen(
                ["bash", "-c", f"exec {code}"],
                cwd=self.folder,
                env=self._environment,
                stdout=subprocess.DEVNULL,
            )
        )
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with socket.socket() as caller:
                if caller.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"nothing answers: {code}")

    def _install(self) -> None:
        project = tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        about = self.folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        about.mkdir()
        fields = {"Metadata-Version": "2.1", "Name": project["name"], "Version": project["version"]}
        (about / "METADATA").write_text("".join(f"{name}: {value}\n" for name, value in fields.items()))
        groups = [
            "\n".join([f"[{group}]", *(f"{name} = {place}" for name, place in points.items()), ""])
            for group, points in project["entry-points"].items()
        ]
        (about / "entry_points.txt").write_text("\n".join(groups))

    def leave(self) -> None:
        for server in self._servers:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=PATIENCE)


def expect(shown: str, said: str) -> None:
    """Each line that the manual shows must occur in what was written, in this order."""
    at = 0
    for line in filter(None, (line.strip() for line in shown.splitlines())):
        if line == "…":
            continue
        pattern = ".*?".join(map(re.escape, line.split("…")))
        found = re.compile(pattern).search(said, at)
        assert found, f"the manual shows {line!r}, but there was:\n{said}"
        at = found.end()


@pytest.fixture
def reader(tmp_path: Path, warm: Path) -> Iterator[Reader]:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    someone = Reader(tmp_path, warm)
    yield someone
    someone.leave()


@pytest.mark.parametrize("page", WITH_CODE, ids=named)
def test_code_of_the_manual_runs(page: Path, reader: Reader) -> None:
    for block in blocks(page):
        reader.follow(block)


def test_every_page_with_commands_runs_some() -> None:
    """A page that shows how to do something must not be one that nobody tried."""
    untried = [
        named(page) for page in sorted((ROOT / "docs" / "how-to").glob("*.md")) if page not in WITH_CODE
    ]
    assert untried == []


def anchors(page: Path) -> set[str]:
    """The names under which headings can be linked to, as code hosts make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = [re.sub(r"[^\w\- ]", "", m["title"].lower()) for m in HEADING.finditer(text)]
    return {title.strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = []
    for target in (m["target"] for m in LINK.finditer(text)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def test_the_readme_counts_the_strategies() -> None:
    assert f"one of {len(BUILT_IN)} [strategies]" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_page_can_be_reached() -> None:
    """From the README, by links."""
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        targets = (m["target"].partition("#")[0] for m in LINK.finditer(page.read_text(encoding="utf-8")))
        waiting += [(page.parent / target).resolve() for target in targets if target and "://" not in target]
    lost = [named(page) for page in PAGES if page not in seen]
    assert lost == []


def test_pages_made_from_the_program_are_up_to_date() -> None:
    stale = [
        named(page)
        for page, text in pages().items()
        if not page.exists() or page.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run python docs/make_reference.py"


@pytest.mark.parametrize("module", sorted({place.partition(":")[0] for place in BUILT_IN.values()}))
def test_examples_of_strategies_run(module: str) -> None:
    outcome = doctest.testmod(import_module(module))
    assert outcome.attempted > 0
    assert outcome.failed == 0
