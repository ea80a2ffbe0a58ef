"""What papers say of visiting pages again, tested on changing webs.

    lycosa lab run benchmarks/revisit/statements.toml -o runs/revisit-statements
    lycosa lab run benchmarks/revisit/user-centric.toml -o runs/revisit-user-centric
    python benchmarks/revisit_statements.py runs/revisit-statements runs/revisit-user-centric

Each statement about two policies is tested as those about crawlers are (see `verdicts.py`), over the tasks of each web.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from lycosa.lab.time.design import load_revisits
from lycosa.lab.time.runner import RESULTS, Result, RevisitResults
from verdicts import Claim, Judged, Tested, evidence, judged

HERE = Path(__file__).parent / "revisit"


class Statement(NamedTuple):
    """Policy A has more, or less, of a measure than B."""

    a: str
    claim: Claim
    metric: str
    b: str
    source: str


FRESHNESS = "Cho & Garcia-Molina 2003, page refresh policies"
FREQUENCY = "Cho & Garcia-Molina 2003, frequency of change"
STATEMENTS = (
    Statement("uniform", "more", "freshness", "proportional", FRESHNESS),
    Statement("uniform", "less", "age", "proportional", FRESHNESS),
    Statement("uniform", "more", "freshness", "uniform, random times", FRESHNESS),
    Statement("azar", "more", "relevant freshness", "azar, random times", "Azar et al. 2018"),
    Statement("azar", "more", "relevant freshness", "uniform", "Azar et al. 2018"),
    Statement("lambda", "less", "relevant age", "azar", "Kolobov et al. 2019"),
    Statement("proportional, cgm", "less", "requests per change", "proportional, naive", FREQUENCY),
    Statement("azar", "more", "relevant freshness", "azar, naive", FREQUENCY),
    Statement("longevity", "less", "relevant staleness", "uniform", "Olston & Pandey 2008"),
    Statement("longevity", "less", "relevant staleness", "azar", "Olston & Pandey 2008"),
    Statement("user-centric", "less", "embarrassment", "azar", "Pandey & Olston 2005"),
)


def results_in(folder: Path, name: str) -> RevisitResults:
    """What was kept of an experiment."""
    lines = (folder / RESULTS).read_bytes().splitlines()
    return RevisitResults(
        load_revisits(HERE / name), [msgspec.json.decode(line, type=Result) for line in lines]
    )


def statements(results: RevisitResults) -> None:
    """A row for each statement, a column for each web."""
    webs = [str(group.web) for group in results.groups]
    print(f"| statement | source | {' | '.join(webs)} |")
    print("|---|---|" + "---|" * len(webs))
    columns = [
        judged(
            [
                Tested(said, said.claim, evidence(said.claim, scores[said.a], scores[said.b]))
                if (scores := results.scores(group, said.metric))[said.a]
                else Tested(said, said.claim, None, "nothing to measure")
                for said in STATEMENTS
            ]
        )
        for group in results.groups
    ]
    for place, said in enumerate(STATEMENTS):
        cells = []
        for group, column in zip(results.groups, columns, strict=True):
            means = results.means(group, said.metric)
            cells.append(
                _cell(column[place], *(means[label].mean for label in (said.a, said.b) if label in means))
            )
        told = f"{said.a} has {said.claim} {said.metric} than {said.b}"
        print(f"| {told} | {said.source} | {' | '.join(cells)} |")


def _cell(found: Judged, *means: float) -> str:
    values = " : ".join(f"{mean:.3f}" for mean in means)
    return f"{values}, {found}"


def downloads(results: RevisitResults) -> None:
    """So many requests other policies need for the embarrassment that `user-centric` has with fewer."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for group in results.groups:
        for label, value in results.means(group, "embarrassment").items():
            curves.setdefault(label, []).append((group.budget, value.mean))
    print("| requests a page and day | embarrassment | uniform needs | azar needs |")
    print("|---|---|---|---|")
    for budget, value in curves["user-centric"]:
        needed = (budget_for(curves[label], value) for label in ("uniform", "azar"))
        told = " | ".join(
            "more than tried" if each is None else f"{each / budget:.1f} times" for each in needed
        )
        print(f"| {budget:g} | {value:.3f} | {told} |")


def budget_for(curve: list[tuple[float, float]], value: float) -> float | None:
    """Between which budgets a falling curve has a value, drawn straight over the logarithm of budgets; None beyond."""
    for (b0, v0), (b1, v1) in pairwise(curve):
        if v1 <= value <= v0:
            return exp(log(b0) + (log(b1) - log(b0)) * (v0 - value) / max(v0 - v1, 1e-12))
    return None


def rounds(days: float = 120.0, cycle: float = 30.0, batch: float = 7.0) -> None:
    """The four crawlers of Cho and Garcia-Molina (VLDB 2000). Pages change once in four months, and are visited once a
    month: all through it, or in its first week. Copies are replaced at once, or all together when the round is complete
    (shadowing)."""
    print("| crawler | freshness as published | exact | simulated |")
    print("|---|---|---|---|")
    for name, span, is_shadowed, published in (
        ("steady, in place", cycle, False, 0.88),
        ("batch, in place", batch, False, 0.88),
        ("steady, shadowing", cycle, True, 0.77),
        ("batch, shadowing", batch, True, 0.86),
    ):
        exact = lives(cycle / days) * (lives(span / days) if is_shadowed else 1.0)
        print(f"| {name} | {published} | {exact:.3f} | {_round(days, cycle, span, is_shadowed):.3f} |")


def lives(r: float) -> float:
    """(1 - exp(-r)) / r"""
    return (1 - exp(-r)) / r


def _round(days: float, cycle: float, span: float, is_shadowed: bool) -> float:
    """By 200,000 moments of readers."""
    chance = np.random.default_rng(3)
    visited = chance.uniform(0, span, 200_000)
    shown = np.full(200_000, span) if is_shadowed else visited
    read = shown + chance.uniform(0, cycle, 200_000)
    return float((chance.exponential(days, 200_000) > read - visited).mean())


def main() -> None:
    said, searched = (Path(each) for each in sys.argv[1:3])
    statements(results_in(said, "statements.toml"))
    print()
    downloads(results_in(searched, "user-centric.toml"))
    print()
    rounds()


if __name__ == "__main__":
    main()
