"""What an experiment came to: its crawls in numbers, and what follows from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from lycosa.lab.experiments.cell import Result
from lycosa.lab.experiments.design import Cell, Design, cells_of, tasks_of
from lycosa.lab.experiments.measured import (
    Group,
    Measured,
    bounds_of,
    compared,
    curves,
    efficiency,
    grouped,
    means,
    measured,
    scores,
)
from lycosa.lab.experiments.runner import is_bounded, saved_experiment, web_digest, web_of
from lycosa.lab.measures.statistics import Comparison, Estimate, compare
from lycosa.lab.tasks.judge import Judge
from lycosa.lab.tasks.task import Task
from lycosa.model.decoding import from_msgpack
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.spec.files import write_whole

KEPT_BOUNDS = "bounds"
BOUNDS_FORMAT = 3
"""Version of what is kept of a bound. Others are worked out again."""
METRIC = "auc"

Watch = Callable[[Result, Measured, Judge], None]


class Results:
    """The finished crawls of an experiment, measured. Nothing is read before it is asked for.

    results = Results.of(Path("runs/first"))
    for group in results.groups:
        print(group, results.means(group), results.tests(group))
    """

    def __init__(self, experiment: Design, folder: Path, *, keeps: bool = True) -> None:
        """Unless it `keeps` what takes long to work out, nothing is written: of bounds there is then what was kept."""
        self.experiment, self.folder, self._keeps = experiment, folder, keeps
        self._tests: dict[tuple[Group, str], dict[str, Comparison]] = {}  # a bootstrap takes its time

    @classmethod
    def of(cls, folder: Path | str, *, keeps: bool = True) -> Results:
        """Of a folder that was run before. Raises `FolderError` if it holds no experiment."""
        return cls(saved_experiment(Path(folder)), Path(folder), keeps=keeps)

    def measure(self, watch: Watch = lambda result, numbers, judge: None) -> None:
        """Measure all crawls now; `watch` sees each of them whole, with its judge."""
        self._tests.clear()
        self.__dict__.pop("groups", None)
        self.crawls = [
            found
            for web in self.experiment.webs
            for found in measured(self.experiment, self.folder, web, watch)
        ]

    @cached_property
    def crawls(self) -> list[Measured]:
        """All finished crawls, topic by topic, those that failed among them."""
        self.measure()
        return self.__dict__["crawls"]  # type: ignore[no-any-return]

    @cached_property
    def bounds(self) -> list[Measured]:
        """What was possible on each task that was crawled (see `lycosa.lab.measures.bounds`), on webs not too large
        for that."""
        there = {(each.cell.web, each.cell.task, each.cell.distance) for each in self.crawls}
        return [
            found
            for web in self.experiment.webs
            for task in tasks_of(self.experiment, web)
            for distance in self.experiment.distances
            if (web, task.id, distance) in there and web not in self.unbounded
            for found in self._bounds(web, task, distance)
        ]

    @cached_property
    def unbounded(self) -> Sequence[str]:
        """The webs of which it cannot be told what was possible, as they are generated and too large."""
        return [name for name, spec in self.experiment.webs.items() if not is_bounded(web_of(spec))]

    @cached_property
    def groups(self) -> Mapping[Group, list[Measured]]:
        """Crawls that may be compared with each other, with the bounds."""
        return grouped([*self.crawls, *self.bounds])

    @property
    def failed(self) -> list[Measured]:
        """Crawls that could not be run to their end."""
        return [each for each in self.crawls if each.problem]

    @property
    def planned(self) -> int:
        """How many crawls the whole experiment has, equal ones counted for each label."""
        return sum(1 for _ in self._cells())

    def metric(self, group: Group) -> str:
        """What decides between strategies here."""
        return self.experiment.webs[group.web].metric or self.experiment.metric

    def means(self, group: Group, metric: str = "") -> dict[str, Estimate]:
        """By label, the mean over topics with its standard error; without a metric, of what decides."""
        return means(self.groups[group], metric or self.metric(group))

    def tests(self, group: Group, metric: str = "") -> dict[str, Comparison]:
        """Each strategy against the baseline, corrected by Holm; empty if the baseline has no crawl here."""
        metric = metric or self.metric(group)
        if (group, metric) not in self._tests:
            try:
                found = compared(self.groups[group], metric, self.experiment.against)
            except InputError:
                found = {}
            self._tests[group, metric] = found
        return self._tests[group, metric]

    def compare(self, a: str, b: str, group: Group, metric: str = "") -> Comparison:
        """One strategy against another. Raises `InputError` if one has no finished crawl here."""
        values = scores(self.groups[group], metric or self.metric(group))
        for label in (a, b):
            if label not in values:
                raise InputError(f"{label!r} has no finished crawl for {group}")
        return compare(values[a], values[b])

    def curves(self, group: Group, which: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """By label, mean curve and standard error; `which`: recall or harvest."""
        return curves(self.groups[group], which)

    def efficiency(self, group: Group) -> dict[str, float]:
        """By label, performance/cost."""
        return efficiency(self.groups[group])

    def topics(self, group: Group) -> int:
        """Topics with a finished crawl."""
        return len({each.cell.task for each in self.groups[group] if each.code})

    def _cells(self) -> Iterator[Cell]:
        for web in self.experiment.webs:
            yield from cells_of(self.experiment, web, tasks_of(self.experiment, web))

    def _bounds(self, web: str, task: Task, distance: int) -> list[Measured]:
        """Kept in a file, as they take longer than to read a crawl."""
        opened_web = web_of(self.experiment.webs[web])
        conditions = self.experiment.webs[web].conditions
        faults = [conditions.faults, conditions.seed] if conditions.faults else []
        about = msgspec.json.encode(
            [BOUNDS_FORMAT, web_digest(opened_web), task, distance, self.experiment.pages, *faults]
        )
        file = self.folder / KEPT_BOUNDS / f"{hashlib.sha256(about).hexdigest()[:32]}.bounds"
        if file.exists():
            try:
                kept = from_msgpack(file.read_bytes(), list[_Bound])
                return [each.measured(web) for each in kept]
            except msgspec.MsgspecError:
                pass  # damaged: made again
        if not self._keeps:
            return []
        found = list(bounds_of(self.experiment, web, task, distance))
        file.parent.mkdir(exist_ok=True)
        write_whole(file, msgspec.msgpack.encode([_Bound.of(each) for each in found]))
        return found


class _Bound(Record, frozen=True, kw_only=True):
    """A bound as it is kept."""

    cell: Cell
    values: dict[str, float]
    recall: list[float]
    harvest: list[float]

    @classmethod
    def of(cls, found: Measured) -> _Bound:
        return cls(
            cell=found.cell,
            values=dict(found.values),
            recall=found.recall.tolist(),
            harvest=found.harvest.tolist(),
        )

    def measured(self, web: str) -> Measured:
        return Measured(
            cell=msgspec.structs.replace(self.cell, web=web),
            values=self.values,
            recall=np.array(self.recall),
            harvest=np.array(self.harvest),
        )
