"""Which published statements about crawlers hold on the recorded webs? Tests over the finished crawls of experiments.

    python benchmarks/statements.py RUN_DIR… > benchmarks/results/statements.md

RUN_DIR is what `lycosa lab run` wrote for `experiments/which-crawler.toml` and `which-crawler-universities.toml`
(frontiers without a bound, D = 1 to 3) and for `experiments/frontiers.toml` (bounds of 256 to 2,048 URLs, D = 3);
unfinished runs will do. Each statement (see `published.py`) names two crawlers, a metric and a setting, and is tested
on each web by itself, paired over topics. Where no run has the paper's bound of 256, crawls without a bound are taken,
and the table says so.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import lycosa
from lycosa.lab.results import Results
from lycosa.lab.runs import runs_of
from lycosa.lab.statistics import Comparison, by_task, compare, holm
from lycosa.lab.table import Group, Measured, efficiency, grouped, scores
from lycosa.model.errors import LycosaError
from lycosa.report.text import counted
from published import (
    FOUR,
    PER_COST,
    PUBLISHED,
    RECALL,
    SIMILAR,
    SOURCES,
    STATEMENTS,
    UNTESTABLE,
    Claim,
    Statement,
)

ALIKE = 0.1
"""Two crawlers are alike where the 95 % interval of the difference is within this share of the larger mean."""

NOT_RUN = "not run"


# -- the crawls ------------------------------------------------------------------------------------------------


class Sheet:
    """Finished crawls of one run under one condition, by how a strategy is specified in the experiment."""

    def __init__(self, results: Results, found: Sequence[Measured]) -> None:
        self.labels = {written: label for label, written in results.experiment.strategies.items()}
        self.pages = results.experiment.pages
        self.found = found

    def values(self, strategy: str, metric: str) -> Mapping[str, float | Sequence[float]]:
        """By topic; empty if there is no finished crawl of the strategy, or nothing of the kind was measured."""
        if metric == PER_COST:
            return self._per_cost(strategy)
        metric = f"{RECALL}@{self.pages}" if metric == RECALL else metric
        return scores(self.found, metric).get(self.labels.get(strategy, ""), {})

    def _per_cost(self, strategy: str) -> dict[str, float]:
        """Recall × similarity / relative cost of each topic: what equation 9 takes from means over topics."""
        spent = [by_task(self.values(each, "thinking")) for each in FOUR]
        own = [by_task(self.values(strategy, each)) for each in (RECALL, SIMILAR, "thinking")]
        common = set.intersection(*(set(times) for times in (*spent, *own)))
        mean = {task: float(np.mean([times[task] for times in spent])) for task in common}
        recall, similar, thinking = own
        return {task: recall[task] * similar[task] * mean[task] / thinking[task] for task in sorted(common)}

    def efficiency(self) -> dict[str, float]:
        """Equation 9 for each of the four crawlers, by specification."""
        names = {self.labels[each]: each for each in FOUR if each in self.labels}
        told = efficiency([each for each in self.found if each.cell.label in names])
        return {names[label]: value for label, value in told.items()}


class Tested(NamedTuple):
    """A statement on a web."""

    statement: Statement
    comparison: Comparison | None = None
    """None: no run has such crawls."""
    groups: tuple[Group, ...] = ()
    """The conditions of A and B."""
    pages: int = 0
    note: str = ""

    @property
    def test(self) -> tuple[object, ...]:
        """What is compared: where several statements come to the same, it is one test."""
        said = self.statement
        metrics = (
            f"{RECALL}@{self.pages}" if each == RECALL else each for each in (said.metric, said.metric_b)
        )
        return said.a, said.b, *metrics, self.pages, self.groups

    @property
    def setting(self) -> str:
        sizes = [f"{group.frontier:,}" if group.frontier else "no bound" for group in self.groups]
        frontier = self.statement.frontier
        instead = f" (there {frontier:,})" if frontier != self.groups[0].frontier else ""
        frontiers = " and ".join(dict.fromkeys(sizes)) + instead
        return f"{self.pages:,} pages, D = {self.statement.distance}, frontier: {frontiers}"


class Runs:
    """The crawls of several experiments."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.results = [Results.of(folder) for folder in folders]
        self.sheets: dict[Group, list[Sheet]] = {}
        for each in self.results:
            for group, found in grouped(each.crawls).items():
                self.sheets.setdefault(group, []).append(Sheet(each, found))

    @property
    def webs(self) -> list[str]:
        return list(dict.fromkeys(group.web for group in self.sheets))

    def tested(self, statement: Statement, web: str) -> Tested:
        """By the setting of the paper if it was crawled; for a bound of 256, which InfoSpiders always have, else
        without a bound."""
        for frontier in (statement.frontier, 0) if statement.frontier == PUBLISHED else (statement.frontier,):
            ours, theirs = (
                Group(web=web, distance=statement.distance, frontier=size)
                for size in (frontier, statement.frontier_b or frontier)
            )
            if (told := self._tested(statement, ours, theirs)) is not None:
                return told
        return Tested(statement)

    def _tested(self, statement: Statement, of_a: Group, of_b: Group) -> Tested | None:
        for ours in self.sheets.get(of_a, ()):
            for theirs in [ours] if of_a == of_b else self.sheets.get(of_b, ()):
                a = ours.values(statement.a, statement.metric)
                b = theirs.values(statement.b, statement.metric_b or statement.metric)
                if a.keys() & b.keys():
                    note = _by_equation(ours, statement) if statement.metric == PER_COST else ""
                    return Tested(statement, compare(a, b), (of_a, of_b), ours.pages, note)
        return None


def _by_equation(sheet: Sheet, statement: Statement) -> str:
    told = sheet.efficiency()
    return f"eq. 9: {told[statement.a]:.4f}, {told[statement.b]:.4f}"


# -- what came of it -------------------------------------------------------------------------------------------


def verdict(claim: Claim, found: Comparison, p: float | None) -> str:
    """In words, given the p-value after correction.

    >>> ours = {"a": 0.5, "b": 0.6, "c": 0.7, "d": 0.6, "e": 0.5, "f": 0.65}
    >>> theirs = {"a": 0.2, "b": 0.2, "c": 0.4, "d": 0.1, "e": 0.2, "f": 0.25}
    >>> better = compare(ours, theirs)
    >>> verdict("more", better, 0.001), verdict("less", better, 0.001), verdict("more", better, 0.2)
    ('holds', 'does not hold (the opposite, p = 0.001)', 'not decided (as said, p = 0.2)')
    >>> verdict("alike", better, 0.001), verdict("alike", compare(ours, ours), None)
    ('does not hold (the first is above the second, p = 0.001)', 'holds')
    """
    difference = found.difference.mean
    sure = p is not None and p < found.alpha
    told = f"p = {p:.2g}" if p is not None else found.t.lacking
    if claim == "alike":
        room = ALIKE * max(abs(found.a.mean), abs(found.b.mean))
        if found.interval and -room <= found.interval[0] and found.interval[1] <= room:
            return "holds"
        above = "above" if difference > 0 else "below"
        return f"does not hold (the first is {above} the second, {told})" if sure else f"not decided ({told})"
    as_said = (difference > 0) == (claim == "more") and difference != 0
    if sure:
        return "holds" if as_said else f"does not hold (the opposite, {told})"
    return f"not decided ({'as said' if as_said else 'no difference' if not difference else 'the opposite'}, {told})"


def bars_apart(found: Comparison) -> str:
    """Whether the bars of one standard error do not overlap, which S2 calls significant at 68 %."""
    return "yes" if abs(found.difference.mean) > found.a.error + found.b.error else "no"


def corrected(tested: Sequence[Tested]) -> list[float | None]:
    """The p-values of the statements on one web as one family; a test that serves several statements counts once."""
    made = {each.test: each.comparison.t.p for each in tested if each.comparison}
    whole = dict(zip(made, holm(list(made.values())), strict=True))
    return [whole.get(each.test) for each in tested]


def judged(tested: Sequence[Tested]) -> list[str]:
    """The verdicts on the statements on one web."""
    return [
        verdict(each.statement.claim, each.comparison, p) if each.comparison else NOT_RUN
        for each, p in zip(tested, corrected(tested), strict=True)
    ]


# -- tables ----------------------------------------------------------------------------------------------------


def rows(lines: Iterable[Iterable[str]]) -> Iterator[str]:
    return ("| " + " | ".join(line) + " |" for line in lines)


def overview(by_web: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Statements × webs."""
    yield from rows(
        [["", "statement", "source", "how there", *by_web], ["---:", *["---"] * (3 + len(by_web))]]
    )
    for place, each in enumerate(STATEMENTS):
        told = (_short(verdicts[place]) for verdicts in by_web.values())
        yield from rows([[str(place + 1), each.said, each.source, each.there, *told]])


def _short(told: str) -> str:
    """A verdict without its p-value."""
    word, _, why = told.partition(" (")
    if word == "holds":
        return "**holds**"
    seen = why.rstrip(")").rpartition(", ")[0]
    return f"{word} ({seen})" if seen else word


def details(tested: Sequence[Tested], verdicts: Sequence[str]) -> Iterator[str]:
    """One web: all numbers."""
    head = ["", "A", "B", "metric", "setting", "topics", "A ± SE", "B ± SE", "A − B (95 %)"]
    head += ["p (t)", "one-sided", "p (Wilcoxon)", "p (Holm)", "bars apart", "verdict"]
    yield from rows([head, ["---:", *["---"] * 4, *["---:"] * 8, "---", "---"]])
    for place, (each, p, told) in enumerate(zip(tested, corrected(tested), verdicts, strict=True), 1):
        said, found = each.statement, each.comparison
        if found is None:
            continue
        metric = f"{said.metric}, {said.metric_b}" if said.metric_b else said.metric
        metric += f" ({each.note})" if each.note else ""
        line = [
            str(place),
            said.a,
            said.b,
            metric.replace("@", " at "),
            each.setting,
            str(found.difference.count),
        ]
        line += [str(found.a), str(found.b), _difference(found)]
        line += [
            _p(found.t.p),
            _p(_one_sided(said.claim, found)),
            _p(found.wilcoxon.p),
            _p(p),
            bars_apart(found),
            told,
        ]
        yield from rows([line])


def _difference(found: Comparison) -> str:
    between = f" ({found.interval[0]:+.4f} to {found.interval[1]:+.4f})" if found.interval else ""
    return f"{found.difference.mean:+.4f}{between}"


def _p(p: float | None) -> str:
    return "–" if p is None else f"{p:.2g}"


def _one_sided(claim: Claim, found: Comparison) -> float | None:
    """The t-test in the direction of the statement, as S1 has it: half of the other if the mean is on its side."""
    if found.t.p is None or claim == "alike":
        return None
    as_said = (found.difference.mean > 0) == (claim == "more")
    return found.t.p / 2 if as_said else 1 - found.t.p / 2


def report(runs: Runs) -> str:
    tested = {web: [runs.tested(each, web) for each in STATEMENTS] for web in runs.webs}
    verdicts = {web: judged(found) for web, found in tested.items()}
    lines = [
        "# Published statements, tested on recorded webs",
        "",
        f"lycosa {lycosa.__version__}, {datetime.date.today().isoformat()}. Command: `python benchmarks/statements.py "
        f"{' '.join(each.folder.name for each in runs.results)}`. The runs:",
        "",
        *(f"* {_about(each)}" for each in runs.results),
        "",
        *(f"* {each}." for each in SOURCES),
        "",
        *(f"* {web}: {_tally(told)}." for web, told in verdicts.items()),
        "",
        "## What came of them",
        "",
        *overview(verdicts),
        "",
        "A statement *holds*, or *does not hold (the opposite)*, where a paired t-test over topics, on two sides, "
        "gives p < .05 after Holm's correction for all statements of a web; else it is *not decided*, and the "
        "direction of the mean is told. That two are *alike* holds where the 95 % interval of their difference lies "
        f"within {100 * ALIKE:.0f} % of the larger mean. What is said of longer crawls is tested at the end of "
        "shorter ones; the tables below tell their pages.",
        "",
        *("## Not testable here\n", *rows([["statement", "source", "why"], ["---"] * 3, *UNTESTABLE]), ""),
    ]
    for web, found in tested.items():
        lines += [f"## {web}", "", *details(found, verdicts[web]), ""]
    lines += [
        "Intervals are 95 % by bootstrap over topics; p of paired tests on two sides, `one-sided` in the direction of "
        "the statement (as S1 tested). `bars apart`: the bars of one standard error do not overlap (what S2 calls "
        "significant at 68 %). `similarity` is to the hidden description, over all pages of a crawl; `relevance` the "
        "crawl's own, to the topic's words; `ms`: CPU milliseconds of the strategy's own thinking a page. "
        "`performance/cost` is tested as recall × similarity / relative cost of each topic; equation 9 of S2, which "
        f"takes means first, stands beside it. Both are relative to {', '.join(FOUR)}.",
        "",
    ]
    return "\n".join(lines)


def _about(results: Results) -> str:
    experiment, last = results.experiment, runs_of(results.folder)
    finished = f"{len(results.crawls):,} of {counted(results.planned, 'crawl')}"
    finished += f" of {counted(experiment.pages, 'page')} each"
    finished += f", {len(results.failed):,} failed" if results.failed else ""
    where = f"; {last[-1].machine}" if last else ""
    return f"“{experiment.name}” (`{results.folder.name}`): {finished}{where}"


def _tally(verdicts: Sequence[str]) -> str:
    words = [told.partition(" (")[0] for told in verdicts]
    names = {
        "holds": "hold",
        "does not hold": "do not hold",
        "not decided": "are not decided",
        NOT_RUN: "were not run",
    }
    return ", ".join(f"{words.count(word)} {name}" for word, name in names.items() if word in words)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, nargs="+", help="a folder that `lycosa lab run` wrote")
    try:
        sys.stdout.write(report(Runs(parser.parse_args().run)))
    except LycosaError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
