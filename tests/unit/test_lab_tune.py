"""Tuning: what is drawn, which topics are used, and that the same seed finds the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labwebs import record_web, small_experiment

from lycosa.lab.experiments.design import tasks_of
from lycosa.lab.experiments.ranges import Range, ranges_of
from lycosa.lab.experiments.tune import FACTOR, drawn, rounds, sensitivity, tune
from lycosa.lab.tasks.split import read_tuned, split, write_tuned
from lycosa.model.errors import InputError


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("web"))


@given(
    low=st.floats(0.001, 50),
    width=st.floats(0.001, 1e4),
    log=st.booleans(),
    whole=st.booleans(),
    seed=st.integers(0, 99),
)
def test_within_bounds(low: float, width: float, log: bool, whole: bool, seed: int) -> None:
    high = low + width
    if whole:
        low, high = float(int(low) + 1), float(int(high) + 2)
    each = Range(name="x", low=low, high=high, log=log, whole=whole)
    value = each.draw(random.Random(seed))
    assert low <= value <= high
    assert isinstance(value, int) is whole


def test_ranges_come_from_the_constructor() -> None:
    (n,) = ranges_of("bfs-n")
    assert n == Range(name="n", low=1, high=256, whole=True, log=True)
    assert ranges_of("bfs-n", ["n=4:8"]) == [Range(name="n", low=4, high=8, whole=True)]
    assert ranges_of("bfs-n", ["n=4,16"]) == [Range(name="n", choices=("4", "16"))]
    for wrong, told in (
        ("m=1:2", "no such parameter"),
        ("n", "write name=low:high"),
        ("n=8:4", "the lower end first"),
    ):
        with pytest.raises(InputError, match=told):
            ranges_of("bfs-n", [wrong])
    with pytest.raises(InputError, match="no parameter with bounds"):
        ranges_of("best-first")


def test_the_first_trial_is_the_strategy_as_it_is_and_none_comes_twice() -> None:
    ranges = [Range(name="n", low=1, high=6, whole=True)]
    found = drawn("bfs-n+explore:epsilon=0.2", ranges, 12, seed=3)
    told = [trial.specification for trial in found]
    assert told[0] == "bfs-n+explore:epsilon=0.2"
    assert len(set(told)) == len(told)
    assert all(each.endswith("+explore:epsilon=0.2") for each in told)
    assert [trial.specification for trial in drawn("bfs-n+explore:epsilon=0.2", ranges, 12, seed=3)] == told
    assert [trial.specification for trial in drawn("bfs-n", [Range(name="n", choices=("999",))], 5, 0)] == [
        "bfs-n"
    ]


@given(st.integers(1, 200), st.integers(1, 100))
def test_rounds_rise_to_all_topics(topics: int, trials: int) -> None:
    counts = rounds(topics, trials)
    assert counts[-1] == topics
    assert counts == sorted(set(counts))
    assert FACTOR ** (len(counts) - 1) <= max(1, trials)


def test_only_tuning_topics_are_used_and_the_same_seed_finds_the_same(web: Path, tmp_path: Path) -> None:
    experiment = small_experiment(web, tuning_share=0.5)
    ranges = ranges_of("bfs-n", ["n=1:20"])
    found = tune(experiment, "bfs-n", ranges, tmp_path / "one", trials=5, workers=1, seed=4)
    lock = split((task.id for task in tasks_of(small_experiment(web), "small")), 0.5)
    assert set(found.record.topics) <= set(lock.tuning)
    assert found.best.values[-1].mean >= found.default.values[-1].mean or len(found.default.values) < len(
        found.best.values
    )
    crawled = {each.name for each in (tmp_path / "one" / "cells").iterdir()}
    again = tune(experiment, "bfs-n", ranges, tmp_path / "one", trials=5, workers=1, seed=4)
    assert [trial.specification for trial in again.trials] == [trial.specification for trial in found.trials]
    assert {each.name for each in (tmp_path / "one" / "cells").iterdir()} == crawled
    write_tuned(found.record, tmp_path / "bfs.tuned.json")
    assert read_tuned(tmp_path / "bfs.tuned.json") == found.record
    told = sensitivity(found, ranges)
    assert [each.name for each in told] == ["n"]
    assert len(told[0].means) == 3


def test_a_metric_that_is_not_there_is_told(web: Path, tmp_path: Path) -> None:
    experiment = small_experiment(web, tuning_share=0.5)
    with pytest.raises(InputError, match=r"no metric 'speed'; there are: auc"):
        tune(experiment, "bfs-n", ranges_of("bfs-n"), tmp_path, trials=1, metric="speed", workers=1)
