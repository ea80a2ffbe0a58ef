"""From the crawls of an experiment to numbers: metrics of every crawl, means over topics, tests against a baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from lycosa.lab.experiments.cell import Result
from lycosa.lab.experiments.design import Cell, Design, tasks_of
from lycosa.lab.experiments.runner import names_of, results, web_of
from lycosa.lab.measures.bounds import chance, clairvoyant, oracle
from lycosa.lab.measures.metric_names import SHORTEST, marks
from lycosa.lab.measures.metrics import (
    Floats,
    TermRows,
    area_over_time,
    area_under,
    hold,
    over_requests,
    performance_per_cost,
)
from lycosa.lab.measures.statistics import Comparison, Estimate, compare_all, estimate
from lycosa.lab.measures.trajectory import Names, Trajectory
from lycosa.lab.tasks.judge import Judge
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.lab_web import LabWeb
from lycosa.lab.webs.link_graph import Ints
from lycosa.model.errors import InputError
from lycosa.model.records import Record

POINTS = 200
"""Points of a curve that are kept for plots."""

CHANCE, CLAIRVOYANT, ORACLE = "chance", "one-step clairvoyant", "oracle"
BOUNDS = (CHANCE, CLAIRVOYANT, ORACLE)


class Measured(Record, frozen=True, kw_only=True):
    """One crawl in numbers."""

    cell: Cell
    values: Mapping[str, float]
    """`auc`, `auc@N` (over the first N pages), `recall@N`, `harvest@N`, `relevance@N`, `hosts`, `ms` (thinking a page),
    `thinking` (seconds), `similarity` (where the task has a description), `not recorded`, `pages`.

    `auc over requests`: over as many requests as there may be pages. Each try of a URL and each redirect is one,
    whatever came of it; robots.txt and what was not recorded are none. `requests a page`, and of them `failures a
    page`. `took`, in seconds, and where their web has a span of `seconds`, of that time `auc over time`, `recall over
    time` and `pages over time`."""
    recall: Floats
    """At `POINTS` places, evenly spread over the budget."""
    harvest: Floats
    problem: str = ""
    digest: str = ""
    """Of what was crawled in which order."""
    code: str = ""
    """Digest of the source that crawled."""
    seconds: float = 0.0
    """CPU time of the crawl, simulation and all."""


class Group(Record, frozen=True, kw_only=True):
    """What may be compared: crawls of the same pages under the same conditions."""

    web: str
    distance: int
    frontier: int

    @classmethod
    def of(cls, cell: Cell) -> Group:
        return cls(web=cell.web, distance=cell.distance, frontier=cell.frontier)

    def __str__(self) -> str:
        bound = f", frontier of {self.frontier:,}" if self.frontier else ""
        return f"{self.web}, D = {self.distance}{bound}"


def measured(
    experiment: Design,
    folder: Path,
    web: str,
    watch: Callable[[Result, Measured, Judge], None] = lambda result, numbers, judge: None,
) -> Iterator[Measured]:
    """The finished crawls of one web in numbers, topic by topic. `watch` sees each with its judge while it is at hand.

    Opens the web, as similarity is a matter of pages. There is none on webs that are generated, or littered: crawls
    bring pages of which nothing is kept.
    """
    opened_web = web_of(experiment.webs[web])
    names = names_of(opened_web)
    whole = opened_web if isinstance(opened_web, LabWeb) and not experiment.webs[web].litter else None
    rows: TermRows | None = None
    for task in tasks_of(experiment, web):
        judges: dict[int, Judge] = {}
        crawls = list(results(experiment, folder, web, names, [task]))
        for crawl in crawls:
            if crawl.cell.distance not in judges:
                judges[crawl.cell.distance] = Judge(task, crawl.cell.distance, names)
        if task.description and rows is None and crawls and whole is not None:
            rows = whole.all_terms()
        similar = _similarities(crawls, judges, rows) if task.description and rows is not None else {}
        for place, crawl in enumerate(crawls):
            judge = judges[crawl.cell.distance]
            found = of_result(crawl, judge, experiment.webs[web].seconds)
            if place in similar:
                found = replace(found, values={**found.values, "similarity": similar[place]})
            watch(crawl, found, judge)
            yield found


def _similarities(crawls: Sequence[Result], judges: Mapping[int, Judge], rows: TermRows) -> dict[int, float]:
    """By place, the mean similarity of the pages of each crawl to the topic's description; document frequencies are
    those of all crawls under the same conditions."""
    alike: dict[Group, list[int]] = {}
    for place, crawl in enumerate(crawls):
        if len(crawl.trajectory) and not crawl.problem:
            alike.setdefault(Group.of(crawl.cell), []).append(place)
    found: dict[int, float] = {}
    for group, places in alike.items():
        curves = judges[group.distance].similarity([crawls[place].trajectory for place in places], rows)
        found |= {place: float(curve[-1]) for place, curve in zip(places, curves, strict=True)}
    return found


def of_result(result: Result, judge: Judge, seconds: int = 0) -> Measured:
    """One crawl in numbers; `seconds` are those of the virtual time that is looked at."""
    crawl, budget = result.trajectory, result.cell.pages
    recall, harvest = judge.recall(crawl), judge.harvest(crawl)
    relevance = np.cumsum(crawl.relevance) / np.arange(1, len(crawl) + 1)
    values = areas(recall, budget)
    for n in marks(budget):
        values[f"recall@{n}"] = float(hold(recall, n)[-1])
        values[f"harvest@{n}"] = _rate_at(harvest, n)
        values[f"relevance@{n}"] = float(hold(relevance, n)[-1])
    values["hosts"] = float(judge.relevant_hosts(crawl)[-1]) if len(crawl) else 0.0
    values["ms"] = 1e3 * float(crawl.thinking[-1]) / len(crawl) if len(crawl) else 0.0
    values["thinking"] = float(crawl.thinking[-1]) if len(crawl) else 0.0
    values["not recorded"] = crawl.not_recorded()
    values["pages"] = float(len(crawl))
    values |= _of_requests_and_time(recall, crawl, budget, seconds)
    return Measured(
        cell=result.cell,
        values=values,
        recall=_points(recall, budget),
        harvest=_points(_held_rate(harvest, budget), budget),
        problem=result.problem,
        digest=result.digest(),
        code=result.code,
        seconds=result.seconds,
    )


def _of_requests_and_time(recall: Floats, crawl: Trajectory, budget: int, seconds: int) -> dict[str, float]:
    """What failures and waiting cost."""
    values = {
        "auc over requests": float(over_requests(recall, crawl.spent(), budget).mean()),
        "requests a page": float(crawl.spent()[-1]) / len(crawl) if len(crawl) else 0.0,
        "failures a page": crawl.failed() / len(crawl) if len(crawl) else 0.0,
        "took": float(crawl.times[-1]) / 1000 if len(crawl.times) else 0.0,
    }
    if seconds:
        span = 1000 * seconds
        there = int(np.searchsorted(crawl.times, span, side="right"))
        values["auc over time"] = area_over_time(recall, crawl.times, span)
        values["recall over time"] = float(recall[there - 1]) if there else 0.0
        values["pages over time"] = float(there)
    return values


def areas(recall: Floats, budget: int) -> dict[str, float]:
    """The area under the curve over the whole budget, and over each mark that is not too near the beginning."""
    early = {f"auc@{n}": area_under(recall, n) for n in marks(budget) if n >= SHORTEST}
    return {"auc": area_under(recall, budget), **early}


def bounds_of(experiment: Design, web: str, task: Task, distance: int) -> Iterator[Measured]:
    """What was possible on a task, as if crawlers with the names in `BOUNDS` had been there.

    What fails by the web's conditions is no page of it, a redirect that fails apart. What is put in leads nowhere, so
    it makes no difference to who knows better.
    """
    opened_web = web_of(experiment.webs[web])
    names = names_of(opened_web)
    conditions = experiment.webs[web].conditions
    lost = set(conditions.lost(opened_web.urls))
    graph = opened_web.graph([*task.excluded, *lost])
    judge, budget = Judge(task, distance, names), experiment.pages
    cell = Cell(
        label="",
        strategy="",
        web=web,
        task=task.id,
        distance=distance,
        pages=budget,
        frontier=0,
        seed=0,
        examples=0,
    )
    starts = (url for url in task.seeds[distance] if url not in lost)
    here = [number for url in starts if (number := graph.number(url)) is not None]
    seeds, targets = np.array(here, dtype=np.int64), graph.numbers(task.wanted(distance))
    relevant = graph.numbers((*task.on_topic(), *task.targets))
    for label, order in (
        (CLAIRVOYANT, clairvoyant(graph, seeds, relevant, budget)),
        (ORACLE, oracle(graph, seeds, targets, budget)),
    ):
        found = of_result(_as_if(order, names, replace(cell, label=label, strategy=label)), judge)
        told = {k: v for k, v in found.values.items() if k.startswith(("auc", "recall", "harvest"))}
        yield replace(found, values=told)
    curve = chance(graph, seeds, targets, budget) * (len(targets) / len(task.wanted(distance)))
    values = {**areas(curve, budget), **{f"recall@{n}": float(curve[n - 1]) for n in marks(budget)}}
    cell = replace(cell, label=CHANCE, strategy=CHANCE)
    yield Measured(cell=cell, values=values, recall=_points(curve, budget), harvest=np.zeros(0))


def _as_if(order: Ints, names: Names, cell: Cell) -> Result:
    """The pages of a bound as a crawl's."""
    count = len(order)
    nothing = np.zeros(count, dtype=np.int32)
    crawl = Trajectory(
        urls=names.urls,
        pages=np.asarray(order, dtype=np.int32),
        visits=np.arange(1, count + 1, dtype=np.int32),
        relevance=np.zeros(count, dtype=np.float32),
        thinking=np.zeros(count),
        links=nothing,
        lacking=nothing,
        failed_visits=np.zeros(0, dtype=np.int32),
        failed_reasons=np.zeros(0, dtype=np.int8),
    )
    return Result(cell=cell, trajectory=crawl, seconds=0.0, code="")


# -- over topics -------------------------------------------------------------------------------------------------


def grouped(found: Iterable[Measured]) -> dict[Group, list[Measured]]:
    """Crawls by what they may be compared with. Bounds belong to every frontier."""
    groups: dict[Group, list[Measured]] = {}
    everywhere: list[Measured] = []
    for each in found:
        if each.cell.label in BOUNDS:
            everywhere.append(each)
            continue
        groups.setdefault(Group.of(each.cell), []).append(each)
    for each in everywhere:
        for group, crawls in groups.items():
            if (group.web, group.distance) == (each.cell.web, each.cell.distance):
                crawls.append(each)
    return groups


def scores(found: Iterable[Measured], metric: str) -> dict[str, dict[str, list[float]]]:
    """By label and task, the values of all seeds. Crawls that failed are left out."""
    by_label: dict[str, dict[str, list[float]]] = {}
    for each in found:
        if metric in each.values and not each.problem:
            by_label.setdefault(each.cell.label, {}).setdefault(each.cell.task, []).append(
                each.values[metric]
            )
    return by_label


def means(found: Iterable[Measured], metric: str) -> dict[str, Estimate]:
    """By label, the mean over topics (of each the mean over seeds) and its standard error."""
    return {
        label: estimate([float(np.mean(values)) for values in tasks.values()])
        for label, tasks in scores(found, metric).items()
    }


def compared(found: Iterable[Measured], metric: str, baseline: str) -> dict[str, Comparison]:
    """Each other strategy against the baseline, paired over topics, p-values corrected as one family (Holm).

    Raises `InputError` if the baseline has no crawls here.
    """
    values = scores([each for each in found if each.cell.label not in BOUNDS], metric)
    if baseline not in values:
        raise InputError(f"baseline {baseline!r} has no finished crawl to compare with")
    against = values.pop(baseline)
    return compare_all(against, {k: v for k, v in values.items() if v.keys() & against.keys()})


def efficiency(found: Iterable[Measured]) -> dict[str, float]:
    """By label, performance/cost: mean recall × mean similarity / mean relative cost, at the end of the budget (eq. 8
    and 9 of ACM TOIT 4(4)). Empty where no topic has a description, or no time was measured."""
    crawls = [each for each in found if each.cell.label not in BOUNDS and not each.problem]
    if not crawls:
        return {}
    last = f"recall@{max(each.cell.pages for each in crawls)}"
    recall, similar, spent = (_by_task(crawls, metric) for metric in (last, "similarity", "thinking"))
    tasks = {task for times in spent.values() for task in times}
    mean = {
        task: float(np.mean([times[task] for times in spent.values() if task in times])) for task in tasks
    }
    told = {}
    for label, times in spent.items():
        costs = [time / mean[task] for task, time in times.items() if mean[task]]
        if costs and similar.get(label):
            found_share = np.array(list(recall[label].values()))
            likeness = np.array(list(similar[label].values()))
            told[label] = performance_per_cost(found_share, likeness, np.array(costs))
    return told


def _by_task(found: Iterable[Measured], metric: str) -> dict[str, dict[str, float]]:
    return {
        label: {task: float(np.mean(values)) for task, values in tasks.items()}
        for label, tasks in scores(found, metric).items()
    }


def curves(found: Iterable[Measured], which: str) -> dict[str, tuple[Floats, Floats]]:
    """By label, the mean curve over topics and its standard error at `POINTS` places; `which`: recall or harvest."""
    by_label: dict[str, dict[str, list[Floats]]] = {}
    for each in found:
        curve: Floats = getattr(each, which)
        if curve.size and not each.problem:
            by_label.setdefault(each.cell.label, {}).setdefault(each.cell.task, []).append(curve)
    told = {}
    for label, tasks in by_label.items():
        rows = np.array([np.mean(seeds, axis=0) for seeds in tasks.values()])
        spread = rows.std(axis=0, ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.zeros(rows.shape[1])
        told[label] = rows.mean(axis=0), spread
    return told


def _rate_at(rate: Floats, n: int) -> float:
    """A harvest rate after n pages; a crawl that ended before has wasted the rest."""
    if not rate.size:
        return 0.0
    return float(rate[n - 1]) if len(rate) >= n else float(rate[-1]) * len(rate) / n


def _held_rate(rate: Floats, budget: int) -> Floats:
    """A harvest curve over the whole budget; a crawl that ended before has wasted the rest."""
    if not rate.size or len(rate) >= budget:
        return rate
    after = np.arange(len(rate) + 1, budget + 1)
    return np.concatenate([rate, rate[-1] * len(rate) / after])


def _points(curve: Floats, budget: int) -> Floats:
    places = np.linspace(1, budget, min(POINTS, budget)).round().astype(np.int64) - 1
    found: Floats = hold(curve, budget)[places]
    return found
