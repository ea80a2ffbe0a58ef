"""The frozen lists of `benchmarks/topics.py`: topics enough, on sides that never move, and the same tasks each time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lycosa.lab.tasks.seeds import check
from lycosa.lab.tasks.split import split
from lycosa.lab.webs.lab_web import open_web

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import topics as benchmark

WEBS = sorted(benchmark.RULES)


@pytest.mark.parametrize("name", WEBS)
def test_a_hundred_topics_each(name: str) -> None:
    listed = benchmark.frozen(name)
    assert len(listed) >= 100
    assert len({topic.id for topic in listed}) == len(listed)
    assert len({frozenset(topic.keywords.lower().split()) for topic in listed}) == len(listed)
    assert all(1 <= len(topic.keywords.split()) <= 6 for topic in listed)
    hubs = [topic.made_of for topic in listed if topic.kind == "hub"]
    assert len(set(hubs)) == len(hubs)


@pytest.mark.parametrize("name", WEBS)
def test_sides_are_those_of_the_split(name: str) -> None:
    """About half and half, as the hash of the ids has it."""
    listed = benchmark.frozen(name)
    made = split((topic.id for topic in listed), benchmark.SHARE)
    assert {topic.id for topic in listed if topic.side == "tuning"} == set(made.tuning)
    assert {topic.id for topic in listed if topic.side == "reporting"} == set(made.reporting)
    assert 0.4 <= len(made.tuning) / len(listed) <= 0.6


def test_no_id_is_in_two_lists() -> None:
    ids = [topic.id for name in WEBS for topic in benchmark.frozen(name)]
    assert len(set(ids)) == len(ids)


def test_the_recorded_web_gives_the_same_tasks_again(shared: Path) -> None:
    """Those of webkb: `made` compares the digest of each. All can be done, apart from what the web came with."""
    folder = shared / "webs" / "webkb"
    web = open_web([folder])
    source = benchmark.Source(folder, web, benchmark.RULES["webkb"])
    tasks, graph = benchmark.made(source, benchmark.frozen("webkb")), web.graph()
    before = source.present()
    for task in tasks:
        assert check(task, graph).problems == []
        assert all(round(share * len(task.targets)) >= 5 for share in task.reachable.values())
        for other in before:
            assert task.id != other.id
            assert len({*task.targets} & {*other.targets}) <= 0.2 * len(task.targets)
            assert not {*task.excluded} & {*other.excluded}
        before.append(task)
