"""Runs the simulations of an experiment with revisits, one after the other, and keeps what they came to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from math import isnan
from pathlib import Path

import msgspec

from lycosa.lab.experiments.kept import gone_on_with
from lycosa.lab.measures.statistics import Comparison, Estimate, compare_all, estimate
from lycosa.lab.time.crawled import Refreshed, Refreshing
from lycosa.lab.time.design import ChangingSpec, Revisits, Task, tasks_of, world_of
from lycosa.lab.time.measures import gains, measured
from lycosa.lab.time.optimum import is_bound, made
from lycosa.lab.time.visiting import Visiting, Visits
from lycosa.lab.time.world import World
from lycosa.model.records import Record
from lycosa.revisit.registry import policy
from lycosa.web.made.lives import ChangingShape

RESULTS = "revisits.jsonl"


class Result(Record, frozen=True, kw_only=True):
    """What one policy came to in one world."""

    key: str
    web: str
    task: str
    label: str
    budget: float
    values: Mapping[str, float | None]
    """By measure; None where there was nothing to measure."""


class Group(Record, frozen=True, kw_only=True):
    """The results of one web with one budget."""

    web: str
    budget: float

    def __str__(self) -> str:
        return f"{self.web}, {self.budget:g} requests a page and day"


class RevisitResults:
    """What all simulations of an experiment came to."""

    def __init__(self, design: Revisits, results: Iterator[Result] | list[Result]) -> None:
        self.design = design
        self.results = list(results)

    @property
    def groups(self) -> list[Group]:
        return [Group(web=web, budget=budget) for web in self.design.webs for budget in self.design.budgets]

    def scores(self, group: Group, metric: str) -> dict[str, dict[str, float]]:
        """By policy the values of a measure by task; what could not be measured is left out."""
        found: dict[str, dict[str, float]] = {label: {} for label in self.design.policies}
        for result in self.results:
            value = result.values.get(metric)
            if (result.web, result.budget) == (group.web, group.budget) and value is not None:
                found.setdefault(result.label, {})[result.task] = value
        return found

    def means(self, group: Group, metric: str) -> dict[str, Estimate]:
        """By policy the mean of a measure over the tasks."""
        scores = self.scores(group, metric)
        return {label: estimate(list(values.values())) for label, values in scores.items() if values}

    def compared(self, group: Group, metric: str) -> dict[str, Comparison]:
        """All policies against the baseline, bounds left out, with the sign at which more is better. Holm's correction
        is over them."""
        scores = {
            label: {task: gains({metric: value})[metric] for task, value in values.items()}
            for label, values in self.scores(group, metric).items()
            if not is_bound(self.design.policies[label])
        }
        baseline = scores.pop(self.design.against)
        others = {label: values for label, values in scores.items() if values.keys() & baseline.keys()}
        return compare_all(baseline, others)


def run(
    design: Revisits, folder: Path, *, again: bool = False, tell: Callable[[str], None] = lambda line: None
) -> RevisitResults:
    """Run what the folder does not hold yet. Raises `InputError` if nothing can be written there."""
    found = gone_on_with(folder / RESULTS, Result, lambda kept: _results(design, kept, tell), again=again)
    return RevisitResults(design, found)


def _results(design: Revisits, kept: Mapping[str, Result], tell: Callable[[str], None]) -> Iterator[Result]:
    for web, spec in design.webs.items():
        for task in tasks_of(design, web):
            world: World | None = None
            for budget in design.budgets:
                for label, specification in design.policies.items():
                    key = _key(design, web, task, budget, specification)
                    if key in kept:
                        yield msgspec.structs.replace(kept[key], web=web, label=label)
                        continue
                    if spec.crawled and is_bound(specification):
                        continue
                    tell(f"{web}, {task.id}, {budget:g}: {label}")
                    if spec.changing is not None and spec.crawled:
                        visits = _crawled(design, spec, task, budget, specification)
                    else:
                        world = world or world_of(design, web, task)
                        made_for = made(specification, world)
                        visits = Visiting(world, made_for, budget * len(world.collection)).run()
                    values = _values(visits, design.since)
                    yield Result(key=key, web=web, task=task.id, label=label, budget=budget, values=values)


def _crawled(design: Revisits, spec: ChangingSpec, task: Task, budget: float, specification: str) -> Visits:
    shape = spec.changing or ChangingShape()
    told = Refreshed(
        shape=shape,
        seed=task.number,
        topic=task.number % (shape.pages.parents * shape.pages.leaves),
        days=design.days,
        budget=budget,
        share=spec.share,
    )
    return Refreshing(told, policy(specification)).run()


def _values(visits: Visits, since: float) -> dict[str, float | None]:
    values = measured(visits, since)
    return {name: None if isnan(value) else value for name, value in values.items()}


def _key(design: Revisits, web: str, task: Task, budget: float, specification: str) -> str:
    """Names a simulation: the same one has the same key, whatever it is called."""
    spec = design.webs[web]
    halved = design.side if spec.changes else "all"
    where = msgspec.structs.replace(spec, seeds=0, years=(), sections=())
    told = msgspec.json.encode([where, halved, task, budget, specification, design.days, design.since])
    return hashlib.sha256(told).hexdigest()[:32]
