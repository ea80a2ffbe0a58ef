"""Start pages that lie exactly D links away from what is to be found.

After Menczer, Pant and Srinivasan, ACM TOIT 4(4), 2004, section 2.3, where in-links are walked backwards from the
targets, at most 20 a page and step. There the distance was an upper bound; here it is exact.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from lycosa.lab.measures.metrics import reachable_share
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.link_graph import Ints, LinkGraph
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.report.wording import counted

DISTANCES = (0, 1, 2, 3, 4)


class SeedRules(Record, frozen=True, kw_only=True):
    """How start pages are drawn."""

    distances: tuple[int, ...] = (1, 2, 3)
    """The D wanted, 0 to 4. With D = 0 some of the targets are start pages, at most half of them."""
    in_links: int = 20
    """So many pages that link to a page are looked at, drawn at random."""
    drawn: int = 10
    """Start pages for each D."""
    least: int = 5
    """A D with fewer start pages is left out."""
    least_reachable: float = 0.0
    """A D from whose start pages a smaller share of the targets can be reached is left out."""
    least_targets: int = 0
    """A D from whose start pages fewer targets than these can be reached is left out."""
    seed: int = 20040911
    """Of all draws; a topic's draws do not depend on the other topics."""


def with_seeds(task: Task, graph: LinkGraph, rules: SeedRules | None = None) -> Task:
    """The task with start pages, and with the share of its targets that can be reached from those of each D.

    Seeds and shares that it had are replaced. Raises `InputError` if no target is a page of the web.
    """
    rules = rules or SeedRules()
    if wrong := [d for d in rules.distances if d not in DISTANCES]:
        raise InputError(f"start pages at distance {wrong[0]}: give distances from 0 to {DISTANCES[-1]}")
    targets, excluded = graph.numbers(task.targets), graph.numbers(task.excluded)
    if not np.setdiff1d(targets, excluded).size:
        raise InputError(f"task {task.id!r}: none of its {len(task.targets)} targets is a page of this web")
    away = graph.backwards.distances(targets, excluded)
    seeds: dict[int, tuple[Url, ...]] = {}
    for distance in sorted(set(rules.distances)):
        drawn = seeds_at(distance, task, graph, rules, away)
        if len(drawn) >= (1 if distance == 0 else rules.least):
            seeds[distance] = tuple(graph.urls[page] for page in drawn)
    found = replace(task, seeds=seeds)
    shares = {distance: reachable(found, distance, graph) for distance in seeds}
    kept = {
        distance: urls for distance, urls in seeds.items() if _reaches_enough(found, distance, shares, rules)
    }
    return replace(task, seeds=kept, reachable={distance: round(shares[distance], 4) for distance in kept})


def _reaches_enough(task: Task, distance: int, shares: Mapping[int, float], rules: SeedRules) -> bool:
    share, wanted = shares[distance], len(task.wanted(distance))
    return share >= rules.least_reachable and round(share * wanted) >= rules.least_targets


def seeds_at(distance: int, task: Task, graph: LinkGraph, rules: SeedRules, away: Ints) -> Sequence[int]:
    """Start pages of this distance, as numbers in the graph: as many as there are, at most `rules.drawn`.

    `away` says of each page how far it is from the nearest target.
    """
    rng = random.Random(f"{rules.seed}/{task.id}/{distance}")
    excluded = graph.numbers(task.excluded)
    targets = np.setdiff1d(graph.numbers(task.targets), excluded)
    if distance == 0:
        return sorted(rng.sample(targets.tolist(), min(rules.drawn, targets.size // 2)))
    of_the_topic = {*targets.tolist(), *graph.numbers((*task.on_topic(), *task.examples)).tolist()}
    reached: list[int] = targets.tolist()
    for _ in range(distance):
        reached = _step_back(reached, graph, rules, rng)
    exact = [page for page in reached if away[page] == distance and page not in of_the_topic]
    return sorted(rng.sample(exact, min(rules.drawn, len(exact))))


def _step_back(pages: Sequence[int], graph: LinkGraph, rules: SeedRules, rng: random.Random) -> list[int]:
    """X(d + 1): pages that link to those of X(d), at most so many for each of them; in the order of their numbers."""
    found: set[int] = set()
    for page in pages:
        into = graph.backwards.out(page).tolist()
        found.update(into if len(into) <= rules.in_links else rng.sample(into, rules.in_links))
    return sorted(found)


def reachable(task: Task, distance: int, graph: LinkGraph) -> float:
    """The share of the wanted targets to which a path leads from the seeds of this D. What the web lacks counts too."""
    wanted, seeds = task.wanted(distance), graph.numbers(task.seeds.get(distance, ()))
    if not wanted:
        return 0.0
    there = graph.numbers(wanted)
    return reachable_share(graph, seeds, there, graph.numbers(task.excluded)) * there.size / len(wanted)


def halves(seeds: Sequence[Url], seed: int = 0) -> tuple[tuple[Url, ...], tuple[Url, ...]]:
    """Start pages dealt out at random into two disjoint halves, for robustness; of an odd number the first has more."""
    shuffled = list(dict.fromkeys(seeds))
    random.Random(f"{seed}/halves").shuffle(shuffled)
    middle = (len(shuffled) + 1) // 2
    return tuple(shuffled[:middle]), tuple(shuffled[middle:])


class TaskCheck(Record, frozen=True, kw_only=True):
    """What a web says of a task: whether it can be done there."""

    task: str
    missing_targets: int
    """Targets that are no pages of the web."""
    missing_seeds: Mapping[int, int]
    """Start pages that are none, by D, where there are any."""
    reachable: Mapping[int, float]
    """By D, the share of the targets to which a path leads."""
    inexact: Mapping[int, int]
    """By D, start pages that do not lie D links from the nearest target, where there are any."""

    @property
    def problems(self) -> list[str]:
        """In words, for a person; empty if the task is sound."""
        told = []
        if self.missing_targets:
            told.append(f"{counted(self.missing_targets, 'target')} not in the web")
        for d, n in self.missing_seeds.items():
            told.append(f"D = {d}: {counted(n, 'start page')} not in the web")
        told += [f"D = {d}: no path leads to any target" for d, share in self.reachable.items() if not share]
        for d, n in self.inexact.items():
            told.append(
                f"D = {d}: {counted(n, 'start page')} not {counted(d, 'link')} from the nearest target"
            )
        return told


def check(task: Task, graph: LinkGraph) -> TaskCheck:
    """Look whether a task can be done on a web, and whether its start pages are where they should be."""
    excluded = graph.numbers(task.excluded)
    away = graph.backwards.distances(graph.numbers(task.targets), excluded)
    missing: dict[int, int] = {}
    inexact: dict[int, int] = {}
    for distance, urls in task.seeds.items():
        there = graph.numbers(urls)
        missing[distance] = len(urls) - there.size
        inexact[distance] = int((away[there] != distance).sum())
    return TaskCheck(
        task=task.id,
        missing_targets=len(task.targets) - graph.numbers(task.targets).size,
        missing_seeds={distance: n for distance, n in missing.items() if n},
        reachable={distance: reachable(task, distance, graph) for distance in task.seeds},
        inexact={distance: n for distance, n in inexact.items() if n},
    )
