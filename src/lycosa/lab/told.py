"""What a folder with experiments has to tell: which there are, how far each is, and what its crawls came to so far.

Nothing is written, and nothing is run. What takes long is told apart from what does not.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import isnan
from pathlib import Path
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace

from lycosa.lab.experiments.measured import BOUNDS, POINTS, Group
from lycosa.lab.experiments.results import Results
from lycosa.lab.experiments.runner import CELLS, SPECIFICATION, saved_experiment
from lycosa.lab.experiments.runs import Run, runs_of
from lycosa.lab.measures.statistics import Comparison, Estimate
from lycosa.lab.report.page_tables import in_words
from lycosa.lab.report.paper_tables import mark, metrics_of, rows_of, title_of
from lycosa.lab.report.verdict import verdicts, widest
from lycosa.lab.sharing import runner as sharing
from lycosa.lab.time import runner as revisiting
from lycosa.model.errors import LycosaError
from lycosa.model.records import Record

SILENT: Final = 600.0
"""Seconds without a new result, after which a run that did not say that it ended is no longer taken for one that goes
on."""
LIGHT: Final = (revisiting.RESULTS, sharing.RESULTS)
"""Files of results of simulations, a line each."""
CHANGED: Final = (
    "The results that are there belong to other webs, topics or strategies than the experiment has now; the command "
    "that made them makes them anew."
)
TABLES: Final = "table.md"
DIGITS: Final = 4
"""Of points on curves."""

State = Literal["running", "silent", "interrupted", "finished"]


class Standing(Record, frozen=True, kw_only=True):
    """An experiment in short."""

    experiment: str
    """The name of its folder."""
    title: str
    kind: str
    """`crawls`, or `simulations` of policies of revisiting or of shared crawls."""
    state: State
    """`running`, `interrupted` or `finished`; `silent`: it did not say that it ended, but nothing came for ten
    minutes."""
    done: int
    """Results that are there."""
    run_done: int = 0
    """Of the last run."""
    run_of: int = 0
    seconds_left: float | None = None
    """As the last run went so far; None if nothing can be said of that."""
    last_at: float = 0.0
    """When the last result came, in seconds since 1970."""
    command: str = ""
    """That ran it last."""


class Mean(Record, frozen=True, kw_only=True):
    """A mean over topics."""

    mean: float
    error: float | None
    """Standard error; None of a single topic."""
    topics: int
    mark: str = ""
    """`*` and `**` for a difference to the baseline with p < .05 and p < .01 after Holm's correction; with a minus if
    it is worse."""


class Against(Record, frozen=True, kw_only=True):
    """A strategy against the baseline, topic by topic: see `lycosa.lab.measures.statistics.Comparison`."""

    difference: float
    low: float | None
    """The 95 % interval of the difference, by bootstrap."""
    high: float | None
    p: float | None
    """Paired t, two-sided, after Holm's correction; None: no test was made."""
    p_wilcoxon: float | None
    d: float | None
    """Cohen's."""
    wins: int
    ties: int
    losses: int
    told: str
    """All of it as a sentence."""


class StrategyRow(Record, frozen=True, kw_only=True):
    """One strategy in one setting."""

    label: str
    specification: str
    """Empty of a bound: what was possible."""
    values: Mapping[str, Mean]
    """By metric."""
    against: Against | None
    """By what decides."""


class Setting(Record, frozen=True, kw_only=True):
    """One web, distance and frontier: crawls that may be compared."""

    title: str
    topics: int
    metric: str
    """What decides."""
    metrics: tuple[str, ...]
    """The columns of a table."""
    heads: tuple[str, ...]
    """How these are called."""
    rows: tuple[StrategyRow, ...]
    """The best first, then bounds."""


class Failed(Record, frozen=True, kw_only=True):
    """Crawls that could not be run to their end."""

    label: str
    problem: str
    crawls: int


class Told(Record, frozen=True, kw_only=True):
    """An experiment and what it came to."""

    standing: Standing
    against: str = ""
    """The baseline."""
    pages: int = 0
    """Of a crawl."""
    planned: int = 0
    """Crawls, equal ones counted for each strategy."""
    strategies: Mapping[str, str] = {}
    """Specifications by their names."""
    verdicts: tuple[str, ...] = ()
    """A sentence for each web and distance."""
    settings: tuple[Setting, ...] = ()
    failed: tuple[Failed, ...] = ()
    runs: tuple[Run, ...] = ()
    """The last ones, the latest first."""
    tables: str = ""
    """Of simulations: their tables, in Markdown."""
    trouble: str = ""
    """Why there are no numbers."""
    is_read: bool = True
    """False: its crawls are being read, which takes a while if its webs are large; ask again."""


class Course(Record, frozen=True, kw_only=True):
    """The mean curve of a strategy over topics."""

    label: str
    is_bound: bool
    recall: tuple[float, ...]
    recall_error: tuple[float, ...]
    """Standard errors."""
    harvest: tuple[float, ...]
    """Empty where there is none."""
    harvest_error: tuple[float, ...]


class Courses(Record, frozen=True, kw_only=True):
    """The curves of one setting."""

    setting: str
    at: tuple[int, ...]
    """Pages fetched."""
    courses: tuple[Course, ...]
    """In the order of the table."""


# -- which there are ---------------------------------------------------------------------------------------------


def experiments_in(folder: Path) -> list[Standing]:
    """The experiments in a folder, or the one that it is, those first of which something came last."""
    found = [standing_of(each) for each in folders_in(folder).values()]
    return sorted(found, key=lambda each: (each.state != "running", -each.last_at, each.experiment))


def folders_in(folder: Path) -> Mapping[str, Path]:
    """The folders of experiments by their names."""
    if not folder.is_dir():
        return {}
    some = [folder] if _is_one(folder) else sorted(each for each in folder.iterdir() if each.is_dir())
    return {each.resolve().name: each for each in some if _is_one(each)}


def _is_one(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (SPECIFICATION, *LIGHT))


def standing_of(folder: Path) -> Standing:
    """How far an experiment is, by what lies in its folder."""
    return _of_crawls(folder) if (folder / SPECIFICATION).is_file() else _of_simulations(folder)


def _of_crawls(folder: Path) -> Standing:
    times = sorted(file.stat().st_mtime for file in (folder / CELLS).glob("*.cell"))
    runs, last = runs_of(folder), times[-1] if times else 0.0
    run = runs[-1] if runs else None
    began = _moment(run.began) if run is not None else 0.0
    made = sum(at >= began for at in times) if run is not None else 0
    if run is not None and run.seconds is not None:
        made = run.made
    state = _state(run, max(last, began))
    took = last - began
    return Standing(
        experiment=folder.resolve().name,
        title=_title(folder),
        kind="crawls",
        state=state,
        done=len(times),
        run_done=made,
        run_of=run.crawls if run is not None else 0,
        seconds_left=took / made * (run.crawls - made)
        if run is not None and made and state == "running"
        else None,
        last_at=last,
        command=run.command if run is not None else "",
    )


def _state(run: Run | None, last: float) -> State:
    if run is None or run.seconds is None:
        return "running" if time.time() - last < SILENT else "silent"
    return "finished" if run.made >= run.crawls else "interrupted"


def _of_simulations(folder: Path) -> Standing:
    file = next(folder / name for name in LIGHT if (folder / name).is_file())
    tables, last = folder / TABLES, file.stat().st_mtime
    is_told = tables.is_file() and tables.stat().st_mtime >= last
    return Standing(
        experiment=folder.resolve().name,
        title=folder.resolve().name,
        kind="simulations",
        state="finished" if is_told else "running" if time.time() - last < SILENT else "silent",
        done=file.read_bytes().count(b"\n"),
        last_at=last,
    )


def _title(folder: Path) -> str:
    try:
        return saved_experiment(folder).name
    except LycosaError:
        return folder.name


def _moment(began: str) -> float:
    """Of a run, to the minute."""
    try:
        return datetime.strptime(began, "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


# -- what one came to --------------------------------------------------------------------------------------------


class Findings:
    """What the crawls of one experiment came to when this was made: some milliseconds a crawl, and what it takes to
    open its webs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._results: Results | None = None
        self._told = Told(standing=standing_of(folder), tables=_tables(folder))
        if not (folder / SPECIFICATION).is_file():
            return
        try:
            results = Results.of(folder, keeps=False)
            results.measure()
            if results.crawls:
                self._results = results
                self._told = self._tell(results)
            elif self._told.standing.done:
                self._told = replace(self._told, trouble=CHANGED)
        except LycosaError as error:
            self._told = replace(self._told, trouble=str(error))

    def told(self) -> Told:
        """All but the curves; how far it is, as of now."""
        return replace(self._told, standing=standing_of(self._folder))

    def _tell(self, results: Results) -> Told:
        failed = Counter((each.cell.label, each.problem) for each in results.failed)
        return Told(
            standing=self._told.standing,
            against=results.experiment.against,
            pages=results.experiment.pages,
            planned=results.planned,
            strategies=results.experiment.strategies,
            verdicts=tuple(verdicts(results)),
            settings=tuple(_setting(results, group) for group in self._groups),
            failed=tuple(
                Failed(label=label, problem=problem, crawls=n)
                for (label, problem), n in failed.most_common(50)
            ),
            runs=tuple(reversed(runs_of(self._folder)[-10:])),
        )

    def courses(self, setting: int) -> Courses | None:
        """The curves of a setting by its place; None if there is no such setting."""
        if self._results is None or not 0 <= setting < len(self._groups):
            return None
        group = self._groups[setting]
        return _courses(self._results, group)

    @property
    def _groups(self) -> Sequence[Group]:
        """Those with the largest frontiers first: there a strategy is least hindered."""
        if self._results is None:
            return ()
        first = widest(self._results)
        return [*first, *(group for group in self._results.groups if group not in first)]


def _setting(results: Results, group: Group) -> Setting:
    metrics = metrics_of(results)
    decides = results.metric(group)
    rows = (
        StrategyRow(
            label=row.label,
            specification="" if row.label in BOUNDS else results.experiment.strategies.get(row.label, ""),
            values={metric: _mean(value, row.tests.get(metric)) for metric, value in row.values.items()},
            against=_against(row.tests.get(decides), results.experiment.against),
        )
        for row in rows_of(results, group, metrics)
    )
    return Setting(
        title=str(group),
        topics=results.topics(group),
        metric=decides,
        metrics=tuple(metrics),
        heads=tuple(map(title_of, metrics)),
        rows=tuple(rows),
    )


def _mean(value: Estimate, tested: Comparison | None) -> Mean:
    return Mean(mean=value.mean, error=_or_none(value.error), topics=value.count, mark=mark(tested))


def _against(found: Comparison | None, baseline: str) -> Against | None:
    if found is None:
        return None
    low, high = found.interval or (None, None)
    return Against(
        difference=found.difference.mean,
        low=low,
        high=high,
        p=found.p,
        p_wilcoxon=found.wilcoxon.p,
        d=_or_none(found.d),
        wins=found.wins,
        ties=found.ties,
        losses=found.losses,
        told=in_words(found, baseline),
    )


def _courses(results: Results, group: Group) -> Courses:
    budget = results.experiment.pages
    places = np.linspace(1, budget, min(POINTS, budget)).round().astype(int).tolist()
    recall, harvest = results.curves(group, "recall"), results.curves(group, "harvest")
    order = [row.label for row in rows_of(results, group, metrics_of(results))]
    courses = (
        Course(
            label=label,
            is_bound=label in BOUNDS,
            recall=_points(recall[label][0]),
            recall_error=_points(recall[label][1]),
            harvest=_points(harvest[label][0]) if label in harvest else (),
            harvest_error=_points(harvest[label][1]) if label in harvest else (),
        )
        for label in order
        if label in recall
    )
    return Courses(setting=str(group), at=tuple(places), courses=tuple(courses))


def _points(curve: np.ndarray) -> tuple[float, ...]:
    return tuple(curve.round(DIGITS).tolist())


def _or_none(value: float) -> float | None:
    return None if isnan(value) else value


def _tables(folder: Path) -> str:
    file = folder / TABLES
    return file.read_text("utf-8", "replace") if file.is_file() else ""
