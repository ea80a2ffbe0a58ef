"""How an experiment's strategies differ from its baseline, topic by topic.

    python benchmarks/differences.py RUN_DIR [METRIC]

RUN_DIR is what `lycosa lab run` wrote; an unfinished run will do. For each web and distance the mean of the paired
differences ± its standard error, and over how many topics; at the end all of these with each web and distance counting
as one: d = Σ dᵢ / k, s = √(Σ sᵢ²) / k.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import nan, sqrt

from lycosa.lab.experiments.results import Results
from lycosa.lab.measures.statistics import Estimate


def together(found: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates, each counting as one; NaN for none."""
    k = len(found)
    if not k:
        return Estimate(mean=nan, error=nan, count=0)
    error = sqrt(sum(each.error**2 for each in found)) / k
    return Estimate(
        mean=sum(each.mean for each in found) / k, error=error, count=sum(each.count for each in found)
    )


def told(found: Estimate) -> str:
    return f"{found.mean:+.3f} ± {found.error:.3f} ({found.count})"


def main(folder: str, metric: str = "") -> None:
    results = Results.of(folder)
    results.__dict__["bounds"] = []  # what was possible takes its time, and nothing is compared with it here
    tests = {group: results.tests(group, metric) for group in results.groups}
    baseline = results.experiment.against
    own = [f"{results.means(group, metric)[baseline].mean:.3f}" for group in tests]
    rows = [
        ["strategy", *map(str, tests), "all"],
        ["---", *["---:"] * (len(tests) + 1)],
        [baseline, *own, ""],
    ]
    for label in results.experiment.strategies:
        found = {group: tests[group][label].difference for group in tests if label in tests[group]}
        if found:
            cells = [told(found[group]) if group in found else "–" for group in tests]
            rows.append([label, *cells, told(together(list(found.values())))])
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
