"""What policies of visiting again cost: sharing requests among a million pages, and one page's due time.

    python benchmarks/revisit_solving.py

Pages are made up: rates of change log-normal around one in twenty days, worth mostly low, one page in ten leads to new
ones. A page that is asked about had 64 looks, three days apart, every second with a change.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from datetime import date
from time import process_time

import numpy as np

from lycosa import __version__
from lycosa.model.records import Look, Millis, Sight
from lycosa.model.url import Url
from lycosa.revisit.estimators import ESTIMATORS
from lycosa.revisit.history import DAY, History
from lycosa.revisit.policy import Pages
from lycosa.revisit.registry import BUILT_IN, policy

PAGES, BUDGET = 1_000_000, 20_000.0
LOOKS, ROUNDS = 64, 3


def made_up(pages: int) -> Pages:
    chance = np.random.default_rng(1)
    finds = np.where(chance.random(pages) < 0.1, chance.lognormal(-5, 2, pages), 0.0)
    return Pages(
        changes=np.clip(chance.lognormal(-3, 2, pages), 0.0005, 7),
        worth=chance.beta(0.3, 1, pages),
        finds=finds,
        days=chance.exponential(50, pages),
        links=chance.integers(0, 200, pages).astype(np.float64),
        curve=np.column_stack((chance.beta(1, 1, pages), chance.choice([1.0, 2.0, 5.0, 13.0], pages))),
    )


def looked_at(nth: int) -> History:
    """A page of its own for each time, so that nothing that was remembered helps."""
    sights = (Sight.SAME, Sight.CHANGED)
    looks = [Look(at=Millis(nth), sight=Sight.FIRST, relevance=0.5, new_links=20)]
    for turn in range(1, LOOKS):
        sight = sights[turn % 2]
        share = 0.3 if sight is Sight.CHANGED else 0.0
        at = Millis(turn * 3 * DAY + nth * 60_000 * (turn % 3))
        looks.append(Look(at=at, sight=sight, relevance=0.5, divergence=share, importance=share))
    return History(url=Url(f"http://reef.test/{nth}"), looks=tuple(looks), finds=(0.0,) * LOOKS)


def best(work: Callable[[], object]) -> float:
    """CPU seconds of the best of some rounds."""
    return min(_seconds(work) for _ in range(ROUNDS))


def _seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


def main() -> None:
    pages, histories = made_up(PAGES), [looked_at(nth) for nth in range(1_000)]
    write = sys.stdout.write
    write(
        "# What policies of visiting again cost\n\n"
        f"lycosa {__version__}, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, "
        f"{date.today()}. Command: `python benchmarks/revisit_solving.py`. CPU time, the best of {ROUNDS} rounds; what "
        "is timed stands in the program's head.\n\n"
    )
    write(
        f"| policy | sharing {BUDGET:,.0f} visits among {PAGES:,} pages, s | one page's due time, µs |\n|---|---|---|\n"
    )
    for name in BUILT_IN:
        made = policy(name)
        solving = best(lambda made=made: made.solve(pages, BUDGET))  # type: ignore[misc]
        asking = best(lambda made=made: [made.due(page, page.last.at) for page in histories])  # type: ignore[misc]
        write(f"| {name} | {solving:.2f} | {asking * 1e3:.0f} |\n")
    write(f"\n| estimator | {LOOKS} looks, µs |\n|---|---|\n")
    for name, estimator in ESTIMATORS.items():
        asking = best(lambda by=estimator: [by(page) for page in histories])  # type: ignore[misc]
        write(f"| {name} | {asking * 1e3:.0f} |\n")


if __name__ == "__main__":
    main()
