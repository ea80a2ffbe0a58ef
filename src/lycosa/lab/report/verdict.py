"""Which crawler should I use? What the results of an experiment say, in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from lycosa.lab.experiments.measured import BOUNDS, CHANCE, CLAIRVOYANT, ORACLE, Group, compared
from lycosa.lab.experiments.results import Results
from lycosa.lab.measures.bounds import share_of_the_possible
from lycosa.lab.measures.statistics import Estimate
from lycosa.lab.report.paper_tables import title_of
from lycosa.model.records import Record

NEAR = 0.9


class Verdict(Record, frozen=True, kw_only=True):
    """What one group of crawls says."""

    group: Group
    best: str
    value: Estimate
    equals: tuple[str, ...]
    """Strategies that are not significantly worse than the best (paired t, Holm), best first."""
    untested: str
    """Why nothing can be said of that; empty if it was tested."""
    cheapest: str
    """Of the best and those of its equals that have nine tenths of its mean, the one that thinks least."""
    of_clairvoyant: float | None
    of_oracle: float | None


def verdict(results: Results, group: Group) -> Verdict | None:
    """None if no crawl of the group was finished."""
    values = {k: v for k, v in results.means(group).items() if k not in BOUNDS}
    if not values:
        return None
    ranked = sorted(values, key=lambda label: -values[label].mean)
    best, untested, equals = ranked[0], "", []
    comparisons = compared(results.groups[group], results.metric(group), best)
    for label in ranked[1:]:
        if label not in comparisons:
            continue
        found = comparisons[label]
        if found.t.p is None and found.difference.mean != 0:
            untested = found.t.lacking
        elif not found.significant:
            equals.append(label)
    near = [label for label in (best, *equals) if values[label].mean >= NEAR * values[best].mean]
    cost = {label: value.mean for label, value in results.means(group, "ms").items()}
    return Verdict(
        group=group,
        best=best,
        value=values[best],
        equals=tuple(equals),
        untested=untested,
        cheapest=min(near, key=lambda label: cost.get(label, 0.0)),
        of_clairvoyant=share_of_possible(results, group, best, CLAIRVOYANT),
        of_oracle=share_of_possible(results, group, best, ORACLE),
    )


def share_of_possible(results: Results, group: Group, label: str, bound: str = CLAIRVOYANT) -> float | None:
    """How much of the way from chance to a bound a strategy went, by the mean of what decides; None if there is no
    such way."""
    means = results.means(group)
    if label not in means or bound not in means or CHANCE not in means:
        return None
    share = share_of_the_possible(means[label].mean, means[CHANCE].mean, means[bound].mean)
    return None if isnan(share) else share


def widest(results: Results) -> list[Group]:
    """Of the groups of each web and distance the one with the largest frontier: where choosing is least hindered."""
    chosen: dict[tuple[str, int], Group] = {}
    for group in results.groups:
        at = (group.web, group.distance)
        if at not in chosen or _room(group) > _room(chosen[at]):
            chosen[at] = group
    return list(chosen.values())


def _room(group: Group) -> float:
    return group.frontier or float("inf")


def verdicts(results: Results) -> Iterator[str]:
    """A line for each web and distance."""
    for group in widest(results):
        found = verdict(results, group)
        if found is None:
            yield f"{group}: no crawl was finished"
            continue
        decides = f"{title_of(results.metric(group))} {found.value}"
        told = f"{group}: {found.best} is best, {decides} over {found.value.count} topics"
        if found.of_clairvoyant is not None:
            told += f", {found.of_clairvoyant:.0%} of the way from chance to the one-step clairvoyant"
        if found.equals:
            told += f"; not significantly worse: {', '.join(found.equals[:4])}"
        yield f"{told}; no test: {found.untested}" if found.untested else told
