"""Search for the parameters of a strategy, on topics that are set apart for that and are never reported on.

Random search with successive halving: all trials are run on a few topics, the better third of them on three times as
many, and so on to all tuning topics. The first trial is the strategy as it is. Sources: Bergstra and Bengio, Journal of
Machine Learning Research 13, 2012; Jamieson and Talwalkar, AISTATS 2016 (successive halving, with a factor of 3).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lycosa.lab.experiments.design import tasks_of
from lycosa.lab.experiments.experiment import Experiment
from lycosa.lab.experiments.ranges import Range
from lycosa.lab.experiments.results import METRIC, Results
from lycosa.lab.experiments.runner import Progress, run
from lycosa.lab.measures.statistics import Estimate
from lycosa.lab.tasks.split import Tuned, split, tuned
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.spec.registry import strategy, with_parameters

FACTOR = 3
FEWEST = 3
"""Topics of the first round, if there are so many."""
DRAWS = 20
"""So many times a draw that was had before, or that the strategy refuses, is drawn anew."""


class Trial(Record, frozen=True, kw_only=True):
    """One set of parameters and what it came to."""

    parameters: Mapping[str, Any]
    specification: str
    values: tuple[Estimate, ...] = ()
    """Of each round that it took part in: the last over the most topics."""


class Tuning(Record, frozen=True, kw_only=True):
    """What a search found."""

    best: Trial
    default: Trial
    """The strategy as it was given, on the topics of the first round at least."""
    trials: tuple[Trial, ...]
    """All, those that came furthest first."""
    record: Tuned
    metric: str


def tune(
    experiment: Experiment,
    specification: str,
    ranges: Sequence[Range],
    folder: Path,
    *,
    trials: int = 30,
    metric: str = METRIC,
    seed: int = 0,
    workers: int = 0,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Tuning:
    """Search the ranges of a strategy's parameters on the tuning topics of the experiment's only web.

    `experiment` says web, distances, frontiers, pages and seeds; its strategies do not matter. The same seed tries the
    same parameters, and crawls that the folder holds are not run again. Raises `InputError` without tuning topics.
    """
    base = msgspec.structs.replace(
        experiment, strategies={"": specification}, baseline="", topics="tuning", tuned_on=()
    )
    (web,) = base.webs
    topics = [task.id for task in tasks_of(base, web)]
    going = drawn(specification, ranges, trials, seed)
    out: list[Trial] = []
    for count in rounds(len(topics), len(going)):
        tried = _round(base, going, count, metric, folder, workers, tell)
        tried.sort(key=lambda trial: -trial.values[-1].mean)
        keep = max(1, len(tried) // FACTOR) if count < len(topics) else len(tried)
        out = [*tried[keep:], *out]
        going = tried[:keep]
    ranked = (*going, *out)
    if not any(np.isfinite(trial.values[-1].mean) for trial in ranked):
        raise InputError(
            f"no trial of {specification!r} could be run to its end; try it with: lycosa lab run"
        )
    best = ranked[0]
    there = base.webs[web].all_tasks(base.distances)
    lock = split((task.id for task in there), base.tuning_share)
    record = tuned(specification, best.parameters, web, topics, lock)
    default = next(trial for trial in ranked if not trial.parameters)
    return Tuning(best=best, default=default, trials=ranked, record=record, metric=metric)


def drawn(specification: str, ranges: Sequence[Range], trials: int, seed: int) -> list[Trial]:
    """The parameters to be tried: none changed, then by chance. Sets that the strategy refuses are drawn anew."""
    found = [Trial(parameters={}, specification=specification)]
    seen = {specification}
    for number in range(1, trials):
        chance = random.Random(f"{seed}/{number}")
        for _ in range(DRAWS):
            values = {each.name: each.draw(chance) for each in ranges}
            written = with_parameters(specification, values)
            if written not in seen and _is_allowed(written):
                seen.add(written)
                found.append(Trial(parameters=values, specification=written))
                break
    return found


def _is_allowed(specification: str) -> bool:
    """Whether a strategy takes its parameters; that an input is missing here says nothing."""
    try:
        strategy(specification)
    except InputError as error:
        return " needs " in str(error)
    except ValueError:
        return False
    return True


def rounds(topics: int, trials: int) -> list[int]:
    """How many topics each round has, rising to all of them.

    >>> rounds(12, 30), rounds(12, 3), rounds(2, 30)
    ([3, 9, 12], [9, 12], [2])
    """
    most, counts = topics, [topics]
    while trials >= FACTOR and most > FEWEST:
        most = FACTOR ** round(np.log(most - 1) / np.log(FACTOR) - 0.5)
        if most < FEWEST:
            break
        counts.append(most)
        trials //= FACTOR
    return counts[::-1]


def _round(
    base: Experiment,
    going: Sequence[Trial],
    topics: int,
    metric: str,
    folder: Path,
    workers: int,
    tell: Callable[[Progress], None],
) -> list[Trial]:
    strategies = {trial.specification: trial.specification for trial in going}
    experiment = msgspec.structs.replace(base, strategies=strategies, most_topics=topics)
    run(experiment, folder, workers=workers, command="tuning", tell=tell)
    results = Results(experiment, folder)
    found: dict[str, list[Estimate]] = {}
    for group in results.groups:
        for label, value in results.means(group, metric).items():
            found.setdefault(label, []).append(value)
    if not any(found.values()):
        known = {name for each in results.crawls for name in each.values}
        if known and metric not in known:
            raise InputError(f"there is no metric {metric!r}; there are: {', '.join(sorted(known))}")
    return [
        msgspec.structs.replace(trial, values=(*trial.values, _together(found.get(trial.specification, []))))
        for trial in going
    ]


def _together(values: Sequence[Estimate]) -> Estimate:
    """The mean over settings; of a trial that failed everywhere, as bad as can be."""
    if not values:
        return Estimate(mean=float("-inf"), error=float("nan"), count=0)
    return Estimate(
        mean=float(np.mean([value.mean for value in values])),
        error=float(np.mean([value.error for value in values])),
        count=min(value.count for value in values),
    )


class Sensitivity(Record, frozen=True, kw_only=True):
    """How much the first round's values depend on one parameter."""

    name: str
    means: Mapping[str, float]
    """The metric's mean for low, middle and high values, or for each choice."""
    correlation: float | None
    """Of ranks (Spearman), for numbers."""


def sensitivity(tuning: Tuning, ranges: Sequence[Range]) -> list[Sensitivity]:
    """What the trials of the first round say of each parameter; all of them had the same topics."""
    tried = [trial for trial in tuning.trials if trial.parameters and np.isfinite(trial.values[0].mean)]
    return [_of_one(each, tried) for each in ranges] if len(tried) >= FACTOR else []


def _of_one(each: Range, tried: Sequence[Trial]) -> Sensitivity:
    scores = np.array([trial.values[0].mean for trial in tried])
    values = [trial.parameters[each.name] for trial in tried]
    if each.choices:
        told = {
            str(choice): float(scores[[value == choice for value in values]].mean())
            for choice in each.choices
            if choice in values
        }
        return Sensitivity(name=each.name, means=told, correlation=None)
    order = np.argsort(np.array(values, dtype=np.float64), kind="stable")
    thirds = np.array_split(order, 3)
    told = {f"{values[third[0]]:g} to {values[third[-1]]:g}": float(scores[third].mean()) for third in thirds}
    return Sensitivity(name=each.name, means=told, correlation=_spearman(np.array(values), scores))


def _spearman(one: Any, other: Any) -> float | None:
    from scipy import stats

    if len(set(one.tolist())) < 2 or len(set(other.tolist())) < 2:
        return None
    return float(stats.spearmanr(one, other).statistic)
