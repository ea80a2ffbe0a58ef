"""Crawling as an environment: what is offered, what it is worth, with Gymnasium and without."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from tests.labwebs import record_web, small_experiment

from lycosa.lab.experiments.design import WebSpec, tasks_of
from lycosa.lab.experiments.runner import results, run
from lycosa.lab.kit.gym_env import FEATURES, CrawlEnv
from lycosa.lab.measures.trajectory import Names
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.errors import InputError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def web(folder: Path) -> LabWeb:
    return open_web([folder])


@pytest.fixture(scope="module")
def task(folder: Path) -> Task:
    return tasks_of(small_experiment(folder), "small")[0]


def crawled(env: CrawlEnv, choose: object = lambda seen: 0) -> list[str]:
    """The pages of an episode, in order."""
    seen, _ = env.reset(seed=1)
    pages, over = [], False
    while not over:
        seen, _, terminated, truncated, info = env.step(choose(seen))  # type: ignore[operator]
        over = terminated or truncated
        if info["recorded"]:
            pages.append(info["url"])
    return pages


def test_best_first_by_action_0(folder: Path, web: LabWeb, task: Task, tmp_path: Path) -> None:
    strict = {"small": WebSpec(path=str(folder), strict=True)}
    experiment = small_experiment(
        folder, webs=strict, strategies={"a": "best-first"}, most_topics=1, pages=20
    )
    run(experiment, tmp_path, workers=1)
    (crawl,) = results(experiment, tmp_path, "small", Names())
    theirs = crawl.trajectory.names()
    env = CrawlEnv(web, task, distance=2, pages=40)
    mine = crawled(env)
    assert mine[:20] == theirs[: len(mine)][:20]


def test_never_twice(web: LabWeb, task: Task) -> None:
    chance = np.random.default_rng(3)
    pages = crawled(CrawlEnv(web, task, pages=200), lambda seen: int(chance.integers(0, 64)))
    assert len(set(pages)) == len(pages) > 20


def test_rewards_are_targets_or_relevance(web: LabWeb, task: Task) -> None:
    env = CrawlEnv(web, task, distance=2, pages=200)
    env.reset()
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(0)
        total += reward
        over = terminated or truncated
    assert total == round(env.recall * len(task.wanted(2)))
    assert info["recall"] == env.recall > 0
    by_relevance = CrawlEnv(web, task, reward="relevance")
    by_relevance.reset()
    assert 0 <= by_relevance.step(0)[1] <= 1
    with pytest.raises(InputError, match="reward 'fame'"):
        CrawlEnv(web, task, reward="fame")
    with pytest.raises(InputError, match="no start pages at D = 4"):
        CrawlEnv(web, task, distance=4)


def test_observations_stay_in_their_space(web: LabWeb, task: Task) -> None:
    env = CrawlEnv(web, task, offered=5, pages=10)
    seen, info = env.reset()
    assert seen["candidates"].shape == (5, len(FEATURES))
    assert int(seen["mask"].sum()) == len(info["urls"])
    assert seen["candidates"][0, 0] == 1.0  # start pages
    for _ in range(10):
        assert env.observation_space.contains(seen)
        seen, _, _, truncated, _ = env.step(4)
    assert truncated


def test_without_gymnasium(web: LabWeb, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    env = CrawlEnv(web, task, offered=5)
    seen, _ = env.reset()
    assert env.observation_space.contains(seen)
    assert not env.observation_space.contains({**seen, "mask": seen["mask"] + 1})
    env.action_space.seed(1)
    assert env.action_space.contains(env.action_space.sample())
    assert not env.action_space.contains(5)


def test_with_gymnasium(folder: Path, task: Task) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    env = gymnasium.make("lycosa/Crawl-v0", web=str(folder), task=task.id, distance=2, pages=20)
    checker.check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=0)
    assert len(env.step(env.action_space.sample())) == 5
