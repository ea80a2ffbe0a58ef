"""Tasks: the format of topics.jsonl, what is wrong with a line, and which targets count from where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lycosa.lab.tasks.task import Task, read_tasks, task_from, write_tasks
from lycosa.model.errors import InputError
from lycosa.model.url import Url

LEAST = {"id": "spiders", "keywords": ["wolf", "spider"], "targets": ["http://a.test/1", "http://a.test/2"]}


def line(**changed: object) -> str:
    return json.dumps({**LEAST, **changed})


def test_what_a_line_must_have_and_what_it_may() -> None:
    task = task_from(line(seeds={"3": ["http://b.test/"], "0": ["http://a.test/2"]}, colour="any"))
    assert (task.id, task.keywords) == ("spiders", ("wolf", "spider"))
    assert task.on_topic() == task.targets == ("http://a.test/1", "http://a.test/2")
    assert list(task.seeds) == [0, 3]
    assert task.wanted(3) == task.targets
    assert task.wanted(0) == ("http://a.test/1",)


def test_urls_are_canonical_and_come_once() -> None:
    task = task_from(line(targets=["HTTP://A.test:80/x/index.html", "http://a.test/x/"]))
    assert task.targets == ("http://a.test/x/",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no task"),
        (json.dumps({"id": "x", "keywords": ["y"]}), "`targets`"),
        (line(targets=[]), "no targets"),
        (line(keywords=[" "]), "no keywords"),
        (line(id=""), "empty id"),
        (line(seeds={"-1": []}), "negative"),
        (line(targets=["mailto:a@b"]), "not an http"),
    ],
)
def test_a_bad_line_is_told_in_one_line_with_its_number(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "topics.jsonl"
    path.write_text(f"{line(id='good')}\n\n{text}\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 3: ") as error:
        read_tasks(path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_two_tasks_of_one_name_an_empty_file_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "topics.jsonl"
    path.write_text(line() + "\n" + line(), encoding="utf-8")
    with pytest.raises(InputError, match="line 2: the id 'spiders' was used in line 1"):
        read_tasks(path)
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no task"):
        read_tasks(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_tasks(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be written"):
        write_tasks([], tmp_path)


def test_written_and_read_again(tmp_path: Path) -> None:
    one = Task(
        id="a",
        keywords=("x",),
        targets=(Url("http://a.test/é"),),
        seeds={2: (Url("http://b.test/"),)},
        labels={"best": (Url("http://a.test/"),)},
        cohesion=0.25,
        reachable={2: 1.0},
    )
    path = tmp_path / "tasks.jsonl"
    write_tasks([one], path)
    again = read_tasks(path)
    assert again[0].targets == ("http://a.test/%C3%A9",)
    write_tasks(again, path)
    assert read_tasks(path) == again
    assert "description" not in json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("web", "tasks", "targets"), [("wikispeedia", 50, 25.7), ("webkb", 33, 11.9), ("uci-ics-10k", 33, 10.7)]
)
def test_the_recorded_webs_tasks(shared: Path, tmp_path: Path, web: str, tasks: int, targets: float) -> None:
    """Counts as in the webs' README files."""
    read = read_tasks(shared / "webs" / web / "topics.jsonl")
    assert len(read) == tasks
    assert sum(len(task.targets) for task in read) / tasks == pytest.approx(targets, abs=0.05)
    assert all(set(task.targets) <= set(task.relevant) for task in read)
    write_tasks(read, tmp_path / "again")
    assert read_tasks(tmp_path / "again") == read
