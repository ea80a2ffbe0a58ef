"""lycosa from Python."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import pydoc
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import lycosa
from lycosa.cli.group import lycosa as commands
from lycosa.model.errors import FolderError, InputError
from lycosa.spec.tree import TopicSpec
from lycosa.store.paths import folder_name

SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
START = "http://schools.wiki.example/wp/Biosphere.html"


def test_five_lines_give_a_folder(tmp_path: Path) -> None:
    with lycosa.crawl("dinosaur fossil", [START], web=SAMPLE, pages=40, out=tmp_path / "c") as folder:
        assert folder.status().state == "done"
        assert folder.status().pages == 40
        assert [page.title for page in folder.best(2)] == ["Dinosaur", "Fossil"]
        assert "Dinosaur" in [hit.title for hit in folder.search("reptile fossil")]
        assert folder.paths.report.stat().st_size > 1000
        assert next(folder.rows()).text.startswith("Biosphere")


def test_resume_takes_a_larger_budget(tmp_path: Path) -> None:
    lycosa.crawl("dinosaur", [START], web=SAMPLE, pages=10, out=tmp_path / "c").close()
    seen = []
    with lycosa.resume(
        tmp_path / "c", pages=25, watch=lambda visit: seen.append(visit.request.url)
    ) as folder:
        urls = [row.url for row in folder.rows(text=False)]
    assert len(urls) == 25
    assert urls[10:] == seen
    with lycosa.open(tmp_path / "c") as again:
        assert again.spec.pages == 25


def test_the_same_within_a_running_loop(tmp_path: Path) -> None:
    async def main() -> int:
        with pytest.raises(InputError, match="acrawl"):
            lycosa.crawl("dinosaur", [START], web=SAMPLE, out=tmp_path / "no")
        topic = TopicSpec(keywords=("dinosaur",))
        with await lycosa.acrawl(topic, [START], web=SAMPLE, pages=5, out=tmp_path / "c") as folder:
            return folder.status().pages

    assert asyncio.run(main()) == 5
    assert not (tmp_path / "no").exists()


def test_a_cancelled_crawl_keeps_what_it_has(tmp_path: Path) -> None:
    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        visits = 0

        def watch(visit: object) -> None:
            nonlocal visits
            visits += 1
            if visits == 70:
                task.cancel()

        await lycosa.acrawl("dinosaur", [START], web=SAMPLE, pages=200, out=tmp_path / "c", watch=watch)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    with lycosa.open(tmp_path / "c") as folder:
        assert folder.status().state == "interrupted"
        assert 70 <= folder.status().pages < 200
    lycosa.resume(tmp_path / "c").close()
    with lycosa.open(tmp_path / "c") as folder:
        urls = [row.url for row in folder.rows(text=False)]
        assert len(urls) == len(set(urls)) == 200


def test_what_cannot_be_used_leaves_nothing_behind(tmp_path: Path) -> None:
    for problem in (
        {"seeds": []},
        {"seeds": ["http://"]},
        {"strategy": "best-frist"},
        {"web": "recorded:/nowhere"},
        {"web": "dead"},
    ):
        given = {"topic": "a topic", "seeds": [START], "web": SAMPLE, **problem}
        with pytest.raises(InputError):
            lycosa.crawl(out=tmp_path / "c", **given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="one string"):
        lycosa.crawl("a topic", START, out=tmp_path / "c")
    with pytest.raises(FolderError, match="no crawl here"):
        lycosa.open(tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="exists already; choose another"):
        lycosa.crawl("dinosaur", [START], web=SAMPLE, out=tmp_path)
    lycosa.crawl("dinosaur", [START], web=SAMPLE, pages=2, out=tmp_path / "c").close()
    with pytest.raises(InputError, match="exists already; lycosa resume"):
        lycosa.crawl("dinosaur", [START], web=SAMPLE, out=tmp_path / "c")


def test_a_start_that_fetched_nothing_does_not_block_the_same_command(tmp_path: Path) -> None:
    nowhere = ["http://schools.wiki.example/wp/Nowhere.html"]
    for start, pages in ((nowhere, 0), (nowhere, 0), ([START], 3)):
        with lycosa.crawl("dinosaur", start, web=SAMPLE, pages=3, out=tmp_path / "c") as folder:
            assert folder.status().pages == pages
            assert folder.status().seeds == tuple(start)
    with pytest.raises(InputError, match="exists already; lycosa resume"):
        lycosa.crawl("dinosaur", [START], web=SAMPLE, out=tmp_path / "c")


def test_a_fruitless_crawl_beside_other_files_is_left_alone(tmp_path: Path) -> None:
    given: dict[str, Any] = {"web": SAMPLE, "out": tmp_path / "c"}
    lycosa.crawl("dinosaur", ["http://schools.wiki.example/wp/Nowhere.html"], **given).close()
    (tmp_path / "c" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="exists already; lycosa resume"):
        lycosa.crawl("dinosaur", [START], **given)
    assert (tmp_path / "c" / "notes.txt").read_text() == "mine"


def test_a_budget_that_is_used_up_twice_over_is_refused(tmp_path: Path) -> None:
    lycosa.crawl("dinosaur", [START], web=SAMPLE, pages=6, out=tmp_path / "c").close()
    with pytest.raises(InputError, match=r"has 6 pages already.* --pages 8, or --pages \+2, is for 2 more"):
        lycosa.resume(tmp_path / "c", pages=2)
    with lycosa.open(tmp_path / "c") as folder:
        assert (folder.spec.pages, folder.status().state) == (6, "done")
    told = CliRunner().invoke(commands, ["resume", str(tmp_path / "c"), "--pages", "+2", "-q"])
    assert told.exit_code == 0, told.output
    with lycosa.open(tmp_path / "c") as folder:
        assert (folder.spec.pages, folder.status().pages) == (8, 8)


@pytest.mark.parametrize(
    ("words", "name"),
    [("Dinosaur, Fossil!", "dinosaur-fossil"), ("", "crawl"), ("Ökologie", "okologie"), ("生態學", "crawl")],
)
def test_a_folder_is_named_after_the_topic(words: str, name: str) -> None:
    assert folder_name(words) == name


def test_the_room_and_the_function_of_one_name() -> None:
    """`lycosa.crawl` is a function, and what lies in the room of that name can be imported, in either order."""
    for program in (
        "import lycosa; from lycosa.crawl.strategy import Strategy; import inspect; inspect.signature(lycosa.crawl)",
        "from lycosa.crawl.strategy import Strategy; import lycosa; assert lycosa.crawl.__name__ == 'crawl'",
        "import lycosa.crawl.strategy as s; assert s.Strategy; import lycosa; assert lycosa.crawl.strategy is s",
        "import lycosa.crawl.gate; import lycosa.crawl.pace; lycosa.crawl.gate.Gate; lycosa.crawl.pace.Pace",
        "from unittest.mock import patch; patch('lycosa.crawl.gate.Gate').start()",
        "import lycosa; from importlib import reload; reload(lycosa); lycosa.crawl.__call__",
        "from importlib import import_module as i; import lycosa; assert i('lycosa.crawl').__path__",
    ):
        subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="nothing"):
        lycosa.nothing  # noqa: B018 - the access is the test


@pytest.mark.parametrize("name", ["crawl", "acrawl", "resume", "open"])
def test_help_shows_each_function_by_the_name_it_is_called_by(name: str) -> None:
    function = getattr(lycosa, name)
    told = pydoc.render_doc(function, renderer=pydoc.plaintext)
    assert re.search(rf"^{'async ' if name == 'acrawl' else ''}{name}\(", told, re.MULTILINE), told
    assert inspect.getdoc(function) in textwrap.dedent(told[told.index("\n    ") :])
    assert inspect.signature(function).parameters
    assert pickle.loads(pickle.dumps(function)) is function


def test_dir_lists_the_public_names() -> None:
    assert set(lycosa.__all__) <= set(dir(lycosa))
    assert all(getattr(lycosa, name) for name in lycosa.__all__)
