"""Which published statements about crawlers hold on recorded webs.

    python benchmarks/statements.py [KEPT.json…] > benchmarks/results/statements.md

KEPT.json is what kept.py made of a run of `experiments/published.toml`, `which-crawler.toml` and
`which-crawler-universities.toml`; without any, those in results/which-crawler are taken. Each statement (see
`published.py`) names two crawlers, a metric and a setting, and is tested on each web by itself, paired over topics, on
crawls of that setting only. A measure after N pages is asked only of crawls that have N pages.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kept import FOLDER, Kept
from lycosa.lab.experiments.measured import Group, Measured, efficiency, grouped, scores
from lycosa.lab.measures.statistics import by_task
from lycosa.model.errors import LycosaError
from lycosa.report.wording import counted
from published import FOUR, PER_COST, RECALL, SIMILAR, SOURCES, STATEMENTS, UNTESTABLE, Statement
from verdicts import (
    ALPHA,
    MARGIN,
    Evidence,
    Judged,
    Tested,
    Verdict,
    evidence,
    first_places,
    in_words,
    judged,
    tally,
)

Values = Mapping[str, Sequence[float]]
"""By topic, those of all seeds."""


# -- the crawls ------------------------------------------------------------------------------------------------


class Sheet:
    """Finished crawls of one run under one condition, by how a strategy is specified in the experiment."""

    def __init__(self, run: Kept, found: Sequence[Measured]) -> None:
        self.labels = {written: label for label, written in run.experiment.strategies.items()}
        self.pages = run.experiment.pages
        self.found = found

    def values(self, strategy: str, metric: str) -> Values:
        """By topic; empty if no finished crawl of the strategy is long enough, or nothing of the kind was measured."""
        if metric == PER_COST:
            return self._per_cost(strategy)
        least = _pages_asked(metric, self.pages)
        metric = f"{RECALL}@{self.pages}" if metric == RECALL else metric
        long = [each for each in self.found if each.values["pages"] >= least]
        return scores(long, metric).get(self.labels.get(strategy, ""), {})

    def lengths(self, strategy: str) -> list[int]:
        """Pages of each crawl of the strategy, in ascending order."""
        label = self.labels.get(strategy)
        return sorted(int(e.values["pages"]) for e in self.found if e.cell.label == label and not e.problem)

    def _per_cost(self, strategy: str) -> dict[str, list[float]]:
        """Recall × similarity / relative cost of each topic: what equation 9 takes from means over topics."""
        spent = [by_task(self.values(each, "thinking")) for each in FOUR]
        own = [by_task(self.values(strategy, each)) for each in (RECALL, SIMILAR, "thinking")]
        common = set.intersection(*(set(times) for times in (*spent, *own)))
        mean = {task: float(np.mean([times[task] for times in spent])) for task in common}
        recall, similar, thinking = own
        return {task: [recall[task] * similar[task] * mean[task] / thinking[task]] for task in sorted(common)}

    def efficiency(self) -> dict[str, float]:
        """Equation 9 for each of the four crawlers, by specification."""
        names = {self.labels[each]: each for each in FOUR if each in self.labels}
        told = efficiency([each for each in self.found if each.cell.label in names])
        return {names[label]: value for label, value in told.items()}


def _pages_asked(metric: str, budget: int) -> int:
    """How many pages a crawl must have to be asked for a metric. Costs are per page, and asked of all.

    >>> _pages_asked("relevance@50", 1000), _pages_asked("recall", 1000), _pages_asked("ms", 1000)
    (50, 1000, 0)
    """
    if metric in (RECALL, SIMILAR):
        return budget
    return int(metric.partition("@")[2] or 0)


class Found(NamedTuple):
    """A statement on a web: the crawls that speak of it."""

    statement: Statement
    evidence: Evidence | None = None
    groups: tuple[Group, ...] = ()
    """The conditions of A and B."""
    pages: int = 0
    lacking: str = ""
    """Why it was not tested."""
    note: str = ""

    @property
    def tested(self) -> Tested:
        return Tested(self._key(), self.statement.claim, self.evidence, self.lacking)

    def _key(self) -> object:
        """What is compared, and which way: that B has less is the same as that A has more."""
        said = self.statement
        if self.evidence is None:
            return said
        here = [
            (strategy, f"{RECALL}@{self.pages}" if metric == RECALL else metric, group)
            for strategy, metric, group in zip(
                (said.a, said.b), (said.metric, said.metric_b or said.metric), self.groups, strict=True
            )
        ]
        if said.claim == "less":
            here.reverse()
        return tuple(here), self.pages, said.claim == "alike"

    @property
    def setting(self) -> str:
        sizes = [f"{group.frontier:,}" if group.frontier else "no bound" for group in self.groups]
        frontiers = " and ".join(dict.fromkeys(sizes))
        return f"{self.pages:,} pages, D = {self.statement.distance}, frontier: {frontiers}"


class Runs:
    """The crawls of several experiments."""

    def __init__(self, runs: Iterable[Kept]) -> None:
        self.runs = list(runs)
        self.sheets: dict[Group, list[Sheet]] = {}
        for each in self.runs:
            if not each.experiment.examples:
                for group, found in grouped(each.crawls).items():
                    self.sheets.setdefault(group, []).append(Sheet(each, found))

    @property
    def webs(self) -> list[str]:
        return list(dict.fromkeys(group.web for group in self.sheets))

    def found(self, statement: Statement, web: str) -> Found:
        """What the first run with crawls of the statement's setting says."""
        of_a, of_b = (
            Group(web=web, distance=statement.distance, frontier=size)
            for size in (statement.frontier, statement.frontier_b or statement.frontier)
        )
        short = ""
        for ours in self.sheets.get(of_a, ()):
            for theirs in [ours] if of_a == of_b else self.sheets.get(of_b, ()):
                a = ours.values(statement.a, statement.metric)
                b = theirs.values(statement.b, statement.metric_b or statement.metric)
                if a.keys() & b.keys():
                    note = _by_equation(ours, statement) if statement.metric == PER_COST else ""
                    told = evidence(statement.claim, a, b)
                    return Found(statement, told, (of_a, of_b), ours.pages, note=note)
                short = short or _too_short(ours, statement)
        return Found(statement, lacking=short or "no such crawls")

    def verdicts(self, web: str) -> list[Judged]:
        """On all statements."""
        return judged([self.found(each, web).tested for each in STATEMENTS])

    def first(self, web: str) -> list[int]:
        """For each statement, the place of the first one that comes to the same test."""
        return first_places(self.found(each, web).tested.key for each in STATEMENTS)


def _by_equation(sheet: Sheet, statement: Statement) -> str:
    told = sheet.efficiency()
    return f"eq. 9: {told[statement.a]:.4f}, {told[statement.b]:.4f}"


def _too_short(sheet: Sheet, statement: Statement) -> str:
    """That crawls of A ended before the measure is taken, if that is why."""
    least = _pages_asked(statement.metric, sheet.pages)
    lengths = sheet.lengths(statement.a)
    if not lengths or lengths[-1] >= least:
        return ""
    return f"all {counted(len(lengths), 'crawl')} ended before {least:,} pages, the longest after {lengths[-1]:,}"


# -- tables ----------------------------------------------------------------------------------------------------


def rows(lines: Iterable[Iterable[str]]) -> Iterator[str]:
    return ("| " + " | ".join(line) + " |" for line in lines)


def overview(by_web: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """Statements × webs."""
    yield from rows(
        [["", "statement", "source", "how there", *by_web], ["---:", *["---"] * (3 + len(by_web))]]
    )
    for place, each in enumerate(STATEMENTS):
        told = (_short(verdicts[place]) for verdicts in by_web.values())
        yield from rows([[str(place + 1), each.said, each.source, each.there, *told]])


def _short(told: Judged) -> str:
    """A verdict without its p-value."""
    if told.verdict is Verdict.HOLDS:
        return "**holds**"
    seen = told.why if told.p is None else told.why.rpartition(", p = ")[0]
    return f"{told.verdict} ({seen})" if seen else str(told.verdict)


def details(found: Sequence[Found], verdicts: Sequence[Judged]) -> Iterator[str]:
    """One web: all numbers."""
    head = [
        "",
        "A",
        "claim",
        "B",
        "metric",
        "setting",
        "topics",
        "left out",
        "A ± SE",
        "B ± SE",
        "A − B (95 %)",
    ]
    head += ["p for it", "p against it", "p (Holm)", "p (Wilcoxon)", "bars apart", "verdict"]
    yield from rows([head, ["---:", *["---"] * 5, *["---:"] * 9, "---", "---"]])
    first = first_places(each.tested.key for each in found)
    for place, (each, told) in enumerate(zip(found, verdicts, strict=True)):
        if each.evidence is None:
            continue
        same = "" if first[place] == place else f"; the same test as {first[place] + 1}"
        yield from rows([[str(place + 1), *_numbers(each, each.evidence, told.p), f"{told.verdict}{same}"]])


def _numbers(each: Found, told: Evidence, p: float | None) -> Iterator[str]:
    said, found = each.statement, told.comparison
    metric = f"{said.metric}, {said.metric_b}" if said.metric_b else said.metric
    metric += f" ({each.note})" if each.note else ""
    yield from (said.a, said.claim, said.b, metric.replace("@", " at "), each.setting)
    yield from (str(found.difference.count), str(found.left_out), str(found.a), str(found.b))
    between = f" ({found.interval[0]:+.4f} to {found.interval[1]:+.4f})" if found.interval else ""
    yield f"{found.difference.mean:+.4f}{between}"
    yield from (_p(told.for_it.p), _p(told.against_it.p), _p(p), _p(found.wilcoxon.p))
    # S2 calls that significant at 68 %.
    yield "yes" if abs(found.difference.mean) > found.a.error + found.b.error else "no"


def _p(p: float | None) -> str:
    return "–" if p is None else f"{p:.2g}"


def report(runs: Runs) -> str:
    """The whole page."""
    found = {web: [runs.found(each, web) for each in STATEMENTS] for web in runs.webs}
    verdicts = {web: judged([each.tested for each in all_of]) for web, all_of in found.items()}
    lines = [
        "# Published statements, tested on recorded webs",
        "",
        "Made by `python benchmarks/statements.py` from the crawls in [which-crawler](which-crawler). The runs:",
        "",
        *(f"* {_about(each)}" for each in runs.runs),
        "",
        *(f"* {each}." for each in SOURCES),
        "",
        "## What came of them",
        "",
        *(f"* {web}: {told}" for web, told in totals(runs).items()),
        "",
        *overview(verdicts),
        "",
        "".join(_explained()),
        "",
        *("## Not testable here\n", *rows([["statement", "source", "why"], ["---"] * 3, *UNTESTABLE]), ""),
    ]
    for web, all_of in found.items():
        lines += [f"## {web}", "", *details(all_of, verdicts[web]), ""]
    return "\n".join([*lines, "".join(_columns()), ""])


def totals(runs: Runs) -> dict[str, str]:
    """By web, what came of all statements, in words; those that come to one test are counted once."""
    every = range(len(STATEMENTS))
    return {web: in_words(tally(runs.verdicts(web), runs.first(web), every)) for web in runs.webs}


def _explained() -> Iterator[str]:
    yield "A statement is tested in its own direction, by paired tests over topics: one for it, one against it. It "
    yield f"*holds*, or is *refuted*, where twice the smaller p is below {ALPHA:.2g} after Holm's correction for all "
    yield "statements of a web; else it is *open*. That two are *alike* is tested as equivalence by two tests: "
    yield f"their means differ by less than {100 * MARGIN:.0f} % of the larger one; it is refuted where they differ by "
    yield "more than that. Statements that come to one test on the same crawls are counted once. What is said of "
    yield "longer crawls is tested at the end of shorter ones; the tables below tell their pages. A measure after N "
    yield "pages is asked only of crawls that have N pages: topics on which one of the two crawlers ended before are "
    yield "*left out*."


def _columns() -> Iterator[str]:
    yield "Intervals are 95 % by bootstrap over topics. `p for it` and `p against it` are on one side; `p (Holm)` is "
    yield "twice the smaller, corrected. `bars apart`: the bars of one standard error do not overlap (what S2 calls "
    yield "significant at 68 %). `similarity` is to the hidden description, over all pages of a crawl; `relevance` the "
    yield "crawl's own, to the topic's words; `ms`: CPU milliseconds of the strategy's own thinking a page. "
    yield "`performance/cost` is tested as recall × similarity / relative cost of each topic; equation 9 of S2, which "
    yield f"takes means first, stands beside it. Both are relative to {', '.join(FOUR)}."


def _about(run: Kept) -> str:
    experiment, about = run.experiment, run.about
    finished = f"{len(run.crawls):,} of {counted(about.planned, 'crawl')}"
    finished += f" of {counted(experiment.pages, 'page')} each"
    finished += f", {len(run.failed):,} failed" if run.failed else ""
    return f"“{experiment.name}” (`{run.name}`), {about.began}, lycosa {about.lycosa}: {finished}; {about.machine}"


def runs_in(files: Sequence[Path]) -> Runs:
    """Of these files, or of those that are kept with the benchmarks."""
    return Runs(map(Kept.of, files or sorted(FOLDER.glob("*.json"))))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kept", type=Path, nargs="*", help="a file that kept.py wrote")
    try:
        sys.stdout.write(report(runs_in(parser.parse_args().kept)))
    except LycosaError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
