"""How far off are estimates of how often pages change? On made-up and on real changes, by the estimators of policies.

    LYCOSA_SHARED=FOLDER python benchmarks/revisit_estimators.py

Made-up pages change by Poisson and are visited 20 times, at equal spans or at spans drawn from an exponential
distribution. Real pages (those with five changes and more, in a year and more) are visited at equal spans over all the
time that they were watched; what is right there is how many changes there were, by the time.

Last, what is lost with the looks that a crawl does not remember, and what policies make of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from math import inf, log
from pathlib import Path
from statistics import mean, median

import numpy as np
from msgspec.structs import replace

from lycosa.crawl.looks import MOST_LOOKS
from lycosa.lab.time.design import load_revisits, tasks_of, world_of
from lycosa.lab.time.measures import measured
from lycosa.lab.time.optimum import made
from lycosa.lab.time.recorded import read_changes, read_versions
from lycosa.lab.time.visiting import Visiting, seen
from lycosa.lab.time.world import Floats, PageLife
from lycosa.model.records import Look, Sight
from lycosa.model.url import Url
from lycosa.revisit.estimators import ESTIMATORS, LEAST, MOST
from lycosa.revisit.history import History

RATIOS = (0.1, 0.3, 1.0, 2.0, 5.0)
"""Changes per visit."""
PAGES, VISITS, RATE = 400, 20, 0.1
SLOW, MANY = (0.005, 0.02, 0.1, 0.5), 600
"""Changes per visit, and visits, of pages that are visited more often than a crawl remembers."""
SPANS = (1.0, 7.0, 30.0)
"""Days between visits to real pages."""


def history_of(page: PageLife, times: Sequence[float] | Floats) -> History:
    """The history of a page that was visited at these times, the first one included."""
    looks: list[Look] = []
    for last, now in pairwise((-inf, *map(float, times))):
        looks.append(seen(page, looks, last, now))
    return History(url=page.url, looks=tuple(looks))


def made_up(ratio: float, is_regular: bool, visits: int = VISITS) -> Iterator[tuple[float, History]]:
    """True rates and histories."""
    chance = np.random.default_rng(7)
    span = ratio / RATE
    for _ in range(PAGES):
        spans = np.full(visits, span) if is_regular else chance.exponential(span, visits)
        times = np.concatenate(([0.0], np.cumsum(spans)))
        changes = np.sort(chance.uniform(0, times[-1], chance.poisson(RATE * times[-1])))
        yield RATE, history_of(PageLife(url=Url("http://a.test/"), changes=changes), times)


def real(pages: dict[str, tuple[Floats, float]], span: float) -> Iterator[tuple[float, History]]:
    """Of real pages by name: their changes and the days for which they were watched."""
    for name, (changes, days) in pages.items():
        if len(changes) >= 5 and days >= 365:
            page = PageLife(url=Url(f"http://{name}/"), changes=changes)
            yield len(changes) / days, history_of(page, np.arange(0.0, days, span))


def page_changes(shared: Path) -> dict[str, tuple[Floats, float]]:
    found = read_changes(shared / "cases" / "page-changes" / "changes.tsv")
    return {name: (np.array(each.times), each.span) for name, each in found.items()}


def boost(shared: Path) -> dict[str, tuple[Floats, float]]:
    """From a page's first version to its removal, or to the last version of all."""
    versions = read_versions(shared / "webs" / "boost-www")
    end = max(told[-1].at for told in versions.values())
    found = {}
    for url, told in versions.items():
        there = [version.at for version in told if version.digest]
        if there:
            until = end if told[-1].digest else told[-1].at
            found[url[7:]] = np.array(there[1:]) - there[0], until - there[0]
    return found


def last_looks(looks: Sequence[Look]) -> Sequence[Look]:
    """What a crawl remembers of a page: the last 64 looks."""
    return looks[-MOST_LOOKS:]


def merged(looks: Sequence[Look]) -> Sequence[Look]:
    """The last 64 after runs of unchanged ones were merged into one, which has the time of the last of its run."""
    kept: list[Look] = []
    for look in looks:
        if len(kept) > 1 and look.sight is kept[-1].sight is Sight.SAME:
            kept[-1] = look
        else:
            kept.append(look)
    return kept[-MOST_LOOKS:]


MEMORIES: dict[str, Callable[[Sequence[Look]], Sequence[Look]]] = {
    "all looks": lambda looks: looks,
    "the last 64": last_looks,
    "64 merged": merged,
}


def remembered(name: str, pairs: Sequence[tuple[float, History]]) -> Iterator[str]:
    """How far off estimates are that rest on what is remembered of many looks."""
    for memory, keep in MEMORIES.items():
        kept = [(rate, replace(history, looks=tuple(keep(history.looks)))) for rate, history in pairs]
        yield row(f"{name}: {memory}", kept)


class Merging(Visiting):
    """Visits of a crawl that merges the looks that it remembers."""

    def _look(self, place: int, now: float) -> None:
        super()._look(place, now)
        self._looks[place][:] = merged(self._looks[place])


def kept_fresh() -> Iterator[str]:
    """What policies make of it: relevant freshness by both memories, on the tuning half of the tasks."""
    design = load_revisits(Path(__file__).parent / "revisit" / "remembering.toml")
    yield "| policy | visits to a page, a day | task | the last 64 | 64 merged |"
    yield "|---|---|---|---|---|"
    for web in design.webs:
        for task in tasks_of(design, web):
            world = world_of(design, web, task)
            for budget, policy in product(design.budgets, design.policies.values()):
                runs = [
                    kind(world, made(policy, world), budget * len(world.collection)).run()
                    for kind in (Visiting, Merging)
                ]
                fresh = " | ".join(f"{measured(run, design.since)['relevant freshness']:.4f}" for run in runs)
                yield f"| {policy} | {budget:g} | {task.id} | {fresh} |"


def row(name: str, pairs: Sequence[tuple[float, History]]) -> str:
    """Of each estimator the median of estimate by truth, and the mean size of the logarithm of that."""
    cells = []
    for estimator in ESTIMATORS.values():
        off = [estimator(history) / min(max(rate, LEAST), MOST) for rate, history in pairs]
        cells.append(f"{median(off):.2f}, {mean(abs(log(each)) for each in off):.2f}")
    return f"| {name} | {len(pairs)} | {' | '.join(cells)} |"


def main() -> None:
    print(f"| changes | pages | {' | '.join(ESTIMATORS)} |")
    print("|---|---|" + "---|" * len(ESTIMATORS))
    for is_regular in (True, False):
        for ratio in RATIOS:
            told = "equal spans" if is_regular else "drawn spans"
            print(row(f"Poisson, {told}, {ratio:g} a visit", list(made_up(ratio, is_regular))))
    for ratio in SLOW:
        for line in remembered(
            f"Poisson, {MANY} equal spans, {ratio:g} a visit", list(made_up(ratio, True, MANY))
        ):
            print(line)
    shared = os.environ.get("LYCOSA_SHARED")
    if not shared:
        print("\nno real changes: set LYCOSA_SHARED")
        return
    for name, pages in (("page-changes", page_changes(Path(shared))), ("boost-www", boost(Path(shared)))):
        for span in SPANS:
            print(row(f"{name}, every {span:g} days", list(real(pages, span))))
        for line in remembered(f"{name}, every day", list(real(pages, 1.0))):
            print(line)
    print()
    for line in kept_fresh():
        print(line, flush=True)


if __name__ == "__main__":
    main()
