"""The tables of docs/explanation/which-crawler.md, from the finished crawls of experiments.

    python benchmarks/which_crawler.py RUN_DIR… [--page docs/explanation/which-crawler.md]

RUN_DIR is what `lycosa lab run` wrote for `experiments/which-crawler.toml`, `which-crawler-universities.toml`,
`frontiers.toml` and `with-examples.toml`, for as many as there are; unfinished runs will do. Of each web the first run
counts that has it. Prints the tables, or with `--page` puts each between the comments in that page that bear its name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lycosa.crawl.inputs import ContextGraph, Importance, Taxonomy
from lycosa.lab.experiment import Experiment, tasks_of
from lycosa.lab.offers import GIVEN
from lycosa.lab.results import METRIC, Results
from lycosa.lab.statistics import Comparison, Estimate, Scores, by_task, compare, compare_all, estimate
from lycosa.lab.table import BOUNDS, Measured, scores
from lycosa.lab.tables import mark
from lycosa.model.errors import LycosaError
from lycosa.registry import inputs_asked
from lycosa.report.text import counted
from lycosa.spec import write_whole
from published import STATEMENTS, THEMES
from statements import NOT_RUN, Runs, judged, rows

NEAR = 0.9
"""Of the best: what one is still content with where something else counts."""

Values = dict[str, list[float]]
"""By topic, one value for each distance."""

WORDS = (
    *("best-first", "bfs-64", "bfs-256", "explore", "fish", "shark", "wtms", "evolved"),
    *("infospiders", "infospiders-no-evolution", "infospiders-energy", "intelligent"),
)
SITUATIONS: Mapping[str, tuple[str, ...]] = {
    "a few words": WORDS,
    "words, and pages sorted into categories": ("focused",),
    "words, and concepts that belong together": ("ontology",),
    "words, and who links to whom": ("context-graph",),
    "words, and an earlier crawl of the neighbourhood": ("rl",),
    "logs of what visitors read": ("user-experience", "url-patterns"),
    "no topic: what is important": ("pagerank", "opic", "rankmass", "wire"),
    "no topic: all of it": ("breadth-first", "depth-first", "random"),
    "another crawler's strategy": ("crawl4ai-keywords", "nutch-parent", "ache-links"),
}
"""What one has, and the strategies of the experiment that can make use of it."""


class Figures(NamedTuple):
    """A strategy on a web."""

    mean: Estimate
    against: Comparison | None
    """The baseline; None for the baseline itself, and for bounds."""


class Web:
    """All crawls on one web without a bound of the frontier, each topic's values averaged over D and seeds."""

    def __init__(self, found: Sequence[Measured], experiment: Experiment) -> None:
        self.pages, baseline = experiment.pages, experiment.against
        pooled = {metric: _pooled(found, metric) for metric in (METRIC, "ms")}
        distances = {task: len(values) for task, values in pooled[METRIC].get(baseline, {}).items()}
        self.auc = {label: _whole(tasks, distances) for label, tasks in pooled[METRIC].items()}
        self.auc = {label: tasks for label, tasks in self.auc.items() if tasks}
        self.ms = {
            label: float(np.mean([value for values in tasks.values() for value in values]))
            for label, tasks in pooled["ms"].items()
        }
        self.baseline = self.auc.get(baseline, {})
        others = {k: v for k, v in self.auc.items() if k != baseline and k not in BOUNDS}
        tests = compare_all(self.baseline, others) if self.baseline else {}
        self.figures = {
            label: Figures(estimate([float(np.mean(values)) for values in tasks.values()]), tests.get(label))
            for label, tasks in self.auc.items()
        }

    def share(self, label: str) -> float | None:
        """Of the baseline's AUC."""
        if label not in self.figures or not self.baseline:
            return None
        return self.figures[label].mean.mean / float(np.mean([np.mean(v) for v in self.baseline.values()]))


def _pooled(found: Iterable[Measured], metric: str) -> dict[str, Values]:
    by: dict[str, dict[str, dict[int, list[float]]]] = {}
    for each in found:
        cell = each.cell
        if metric in each.values and not each.problem:
            by.setdefault(cell.label, {}).setdefault(cell.task, {}).setdefault(cell.distance, []).append(
                each.values[metric]
            )
    return {
        label: {
            task: [float(np.mean(seeds)) for _, seeds in sorted(at.items())] for task, at in tasks.items()
        }
        for label, tasks in by.items()
    }


def _whole(tasks: Values, distances: Mapping[str, int]) -> Values:
    """Topics that were crawled from as many distances as the baseline: others would be no fair comparison."""
    return {task: values for task, values in tasks.items() if len(values) == distances.get(task)}


def _webs(runs: Iterable[Results]) -> dict[str, Web]:
    """Of each web the crawls of the first run that has it."""
    found: dict[str, Web] = {}
    for results in runs:
        blind = _blind(results)
        measured = [
            each
            for each in (*results.crawls, *results.bounds)
            if not each.cell.frontier and (each.cell.web, each.cell.task, each.cell.label) not in blind
        ]
        for web in dict.fromkeys(each.cell.web for each in measured):
            here = [each for each in measured if each.cell.web == web]
            found.setdefault(web, Web(here, results.experiment))
    return found


def _blind(results: Results) -> set[tuple[str, str, str]]:
    """Webs, topics and strategies that learn from the topic's example pages where the topic hides all of them."""
    learning = [
        label
        for label, written in results.experiment.strategies.items()
        if {Taxonomy, ContextGraph} & set(inputs_asked(written))
    ]
    return {
        (web, task.id, label)
        for web in results.experiment.webs
        for task in tasks_of(results.experiment, web)
        if set(task.examples) <= set(task.excluded)
        for label in learning
    }


class Tables:
    """What the page shows, of several runs."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        plain = [
            each for each in runs.results if not each.experiment.examples and 0 in each.experiment.frontiers
        ]
        self.bounded = next((each for each in plain if len(each.experiment.frontiers) > 1), None)
        self.mains = [each for each in plain if len(each.experiment.frontiers) == 1] or plain
        self.examples = next((each for each in runs.results if each.experiment.examples), None)
        self.written = {k: v for each in self.mains for k, v in each.experiment.strategies.items()}
        self.webs = _webs(self.mains)

    def all(self) -> dict[str, str]:
        """By name, every table that there are crawls for."""
        made = {
            "about": self.about(),
            "situations": self.situations(),
            "strategies": self.strategies(),
            "frontiers": self.frontiers(),
            "examples": self.with_examples(),
            "statements": self.statements(),
        }
        return {name: "\n".join(lines) for name, told in made.items() if (lines := list(told))}

    def about(self) -> Iterator[str]:
        """What was crawled, in a sentence for each run."""
        for each in self.mains:
            topics = [
                f"{counted(len(self.webs[name].baseline), 'topic')} of {name}"
                for name in each.experiment.webs
                if name in self.webs
            ]
            crawls, pages = f"{len(each.crawls):,} crawls", counted(each.experiment.pages, "page")
            rest = (
                "" if len(each.crawls) == each.planned else f" (of {each.planned:,}: the run is not finished)"
            )
            yield f"{' and '.join(topics)}: {crawls} of {pages} each{rest}."

    def situations(self) -> Iterator[str]:
        """For each thing that one may have, the best that can use it."""
        yield from rows(
            [["you have", "best of its kind here", *self.webs, "ms/page"], _line(2, len(self.webs) + 1)]
        )
        for what, labels in SITUATIONS.items():
            if best := self._best(labels):
                yield from rows([[what, f"`{best}`", *self._cells(best)]])
        content = self._best(WORDS)
        if content and (cheap := self._cheapest(WORDS, NEAR * self._rank(content))):
            yield from rows([["a few words, and little CPU", f"`{cheap}`", *self._cells(cheap)]])

    def strategies(self) -> Iterator[str]:
        """All strategies and what was possible, best first."""
        heads = ["strategy", "given besides words", *self.webs, "ms/page"]
        yield from rows([heads, _line(2, len(self.webs) + 1)])
        labels = dict.fromkeys(label for web in self.webs.values() for label in web.figures)
        for label in sorted(labels, key=lambda label: (label in BOUNDS, -self._rank(label))):
            name = f"*{label}*" if label in BOUNDS else f"`{label}`"
            yield from rows([[name, self._given(label), *self._cells(label)]])

    def frontiers(self) -> Iterator[str]:
        """What a bound of the frontier costs."""
        if self.bounded is None:
            return
        sizes = sorted(self.bounded.experiment.frontiers, key=lambda size: size or float("inf"))
        yield from rows(
            [
                ["web", "strategy", *(f"{size:,}" if size else "no bound" for size in sizes)],
                _line(2, len(sizes)),
            ]
        )
        for web in self.bounded.experiment.webs:
            by_size = {size: self._values(web, size) for size in sizes}
            for label in self.bounded.experiment.strategies:
                values = {str(size): found[label] for size, found in by_size.items() if label in found}
                against = values.pop("0", None)
                tests = compare_all(against, values) if against else {}
                told = (
                    _told(estimate(list(by_task(found[label]).values())), tests.get(str(size)))
                    if label in found
                    else ""
                    for size, found in by_size.items()
                )
                if any(label in found for found in by_size.values()):
                    yield from rows([[web, f"`{label}`", *told]])

    def with_examples(self) -> Iterator[str]:
        """What example pages bring."""
        if self.examples is None:
            return
        pages = self.examples.experiment.pages
        webs = {
            k: v for k, v in _webs([self.examples]).items() if k in self.webs and self.webs[k].pages == pages
        }
        yield from rows([["strategy", *webs], _line(1, len(webs))])
        for label in self.examples.experiment.strategies:
            told = []
            for name, web in webs.items():
                before, after = self.webs[name].auc.get(label, {}), web.auc.get(label, {})
                both = before.keys() & after.keys()
                told.append(_told(web.figures[label].mean, compare(after, before)) if both else "")
            yield from rows([[f"`{label}`", *told]])

    def statements(self) -> Iterator[str]:
        """How many of the published statements of each kind hold."""
        webs = self.runs.webs
        verdicts = {web: iter(judged([self.runs.tested(each, web) for each in STATEMENTS])) for web in webs}
        yield from rows([["published", *webs], _line(1, 0) + ["---"] * len(webs)])
        for theme, statements in THEMES.items():
            told = ([next(verdicts[web]) for _ in statements] for web in webs)
            yield from rows([[theme, *map(_tally, told)]])

    # -- cells ---------------------------------------------------------------------------------------------------

    def _values(self, web: str, size: int) -> Mapping[str, Scores]:
        assert self.bounded is not None
        return scores(
            [m for m in self.bounded.crawls if (m.cell.web, m.cell.frontier) == (web, size)], METRIC
        )

    def _cells(self, label: str) -> Iterator[str]:
        """AUC on each web, and milliseconds."""
        for web in self.webs.values():
            yield _told(*web.figures[label]) if label in web.figures else "–"
        yield "" if label in BOUNDS else f"{self._ms(label):.2f}"

    def _given(self, label: str) -> str:
        if label in BOUNDS:
            return ""
        asked = inputs_asked(self.written[label])
        return ", ".join(kind.name for kind in asked if kind in GIVEN and kind is not Importance)

    def _rank(self, label: str) -> float:
        """The mean over webs of its share of the baseline's AUC."""
        shares = [share for web in self.webs.values() if (share := web.share(label)) is not None]
        return float(np.mean(shares)) if shares else 0.0

    def _best(self, labels: Iterable[str]) -> str:
        return max(labels, key=self._rank, default="") if any(map(self._rank, labels)) else ""

    def _cheapest(self, labels: Iterable[str], least: float) -> str:
        return min((label for label in labels if self._rank(label) >= least), key=self._ms, default="")

    def _ms(self, label: str) -> float:
        return float(np.mean([web.ms[label] for web in self.webs.values() if label in web.ms] or [0.0]))


def _told(mean: Estimate, against: Comparison | None) -> str:
    told = f"{mean.mean:.3f}" if isnan(mean.error) else f"{mean.mean:.3f} ± {mean.error:.3f}"
    return f"{told} {mark(against)}".strip().replace("*", "\\*")


def _tally(verdicts: Sequence[str]) -> str:
    """How many were tested, and what came of them.

    >>> _tally(["holds", "not decided (as said, p = 0.2)", "does not hold (the opposite, p = 0.01)", NOT_RUN])
    '1 of 3 holds; 1 open (1 as said); 1 refuted'
    """
    made = [told for told in verdicts if told != NOT_RUN]
    if not made:
        return NOT_RUN
    held, refuted, as_said = (
        sum(told.startswith(how) for told in made)
        for how in ("holds", "does not hold", "not decided (as said")
    )
    told = [f"{held} of {len(made)} {'holds' if held == 1 else 'hold'}"]
    if still := len(made) - held - refuted:
        told.append(f"{still} open ({as_said} as said)")
    if refuted:
        told.append(f"{refuted} refuted")
    return "; ".join(told)


def _line(texts: int, numbers: int) -> list[str]:
    return ["---"] * texts + ["---:"] * numbers


# -- the page --------------------------------------------------------------------------------------------------


def filled(page: str, tables: Mapping[str, str]) -> str:
    """The page with tables between `<!-- NAME -->` and `<!-- end of NAME -->`; what has no table stays.

    >>> filled("a\\n<!-- x -->\\nold\\n<!-- end of x -->\\nb", {"x": "new", "y": "z"})
    'a\\n<!-- x -->\\n\\nnew\\n\\n<!-- end of x -->\\nb'
    """
    for name, table in tables.items():
        before, begins, rest = page.partition(f"<!-- {name} -->\n")
        _, ends, after = rest.partition(f"<!-- end of {name} -->")
        if begins and ends:
            page = f"{before}{begins}\n{table}\n\n{ends}{after}"
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, nargs="+", help="a folder that `lycosa lab run` wrote")
    parser.add_argument("--page", type=Path, help="put the tables into this page")
    asked = parser.parse_args()
    try:
        tables = Tables(Runs(asked.run)).all()
    except LycosaError as error:
        raise SystemExit(str(error)) from None
    if asked.page:
        write_whole(asked.page, filled(asked.page.read_text("utf-8"), tables).encode())
    else:
        sys.stdout.write("\n\n".join(f"## {name}\n\n{table}" for name, table in tables.items()) + "\n")


if __name__ == "__main__":
    main()
