"""The tables of docs/explanation/which-crawler.md, from crawls that are kept.

    python benchmarks/which_crawler.py [KEPT.json…] [--page docs/explanation/which-crawler.md]

KEPT.json is what kept.py made of a run of `experiments/which-crawler.toml`, `published.toml` and `with-examples.toml`;
without any, those in results/which-crawler are taken. Prints the tables, or with `--page` puts each between the
comments in that page that bear its name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from kept import BLIND, Kept
from lycosa.crawl.inputs import Importance
from lycosa.lab.experiments.given_inputs import GIVEN
from lycosa.lab.experiments.measured import BOUNDS, Measured, scores
from lycosa.lab.experiments.results import METRIC
from lycosa.lab.measures.statistics import (
    Comparison,
    Estimate,
    Scores,
    by_task,
    compare,
    compare_all,
    estimate,
    holm,
)
from lycosa.lab.report.paper_tables import mark
from lycosa.model.errors import LycosaError
from lycosa.spec.files import write_whole
from lycosa.spec.registry import inputs_asked
from published import STATEMENTS, THEMES
from statements import Runs, rows, runs_in, totals
from verdicts import tally

NEAR = 0.9
"""Of the best: what one is still content with where something else counts."""

Values = dict[str, list[float]]
"""By topic, one value for each distance."""

EARLY = ("best-first", "shark", "infospiders", "bfs-256", "breadth-first")
"""Of whose first pages the page speaks."""
SOON = (50, 100, 300)

WORDS = (
    *("hunter", "best-first", "bfs-64", "bfs-256", "explore", "fish", "shark", "wtms", "evolved"),
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

    def __init__(self, run: Kept, name: str) -> None:
        self.pages, baseline = run.experiment.pages, run.experiment.against
        self.crawls = [each for each in run.crawls if each.cell.web == name and not each.cell.frontier]
        found = [*self.crawls, *(each for each in run.bounds if each.cell.web == name)]
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

    def topics(self, distance: int = 0) -> int:
        """Topics with a finished crawl, of all distances or of one."""
        there = {e.cell.task for e in self.crawls if not e.problem and distance in (0, e.cell.distance)}
        return len(there)

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


class Tables:
    """What the page shows, of several runs."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        plain = [each for each in runs.runs if not each.experiment.examples]
        self.bounded = next((each for each in plain if len(each.experiment.frontiers) > 1), None)
        unbounded = [each for each in plain if each.experiment.frontiers == (0,)]
        self.main = max(unbounded, key=lambda each: len(each.experiment.strategies), default=None)
        self.examples = next((each for each in runs.runs if each.experiment.examples), None)
        self.written = dict(self.main.experiment.strategies) if self.main else {}
        names = dict.fromkeys(crawl.cell.web for crawl in self.main.crawls) if self.main else ()
        self.webs = {name: Web(self.main, name) for name in names if self.main}

    def all(self) -> dict[str, str]:
        """By name, every table that there are crawls for."""
        made = {
            "about": self.about(),
            "situations": self.situations(),
            "early": self.early(),
            "strategies": self.strategies(),
            "frontiers": self.frontiers(),
            "examples": self.with_examples(),
            "totals": self.totals(),
            "statements": self.statements(),
        }
        return {name: "\n".join(lines) for name, told in made.items() if (lines := list(told))}

    def about(self) -> Iterator[str]:
        """What was crawled."""
        distances = sorted({each.cell.distance for web in self.webs.values() for each in web.crawls})
        heads = ["web", "topics", *(f"D = {d}" for d in distances), "crawls", "pages each", "failed"]
        yield from rows([[*heads, "nothing to learn from"], _line(1, len(heads))])
        for name, web in self.webs.items():
            problems = [each.problem for each in web.crawls if each.problem]
            blind = problems.count(BLIND)
            numbers = (web.topics(), *map(web.topics, distances), len(web.crawls), web.pages)
            yield from rows([[name, *(f"{n:,}" for n in (*numbers, len(problems) - blind, blind))]])

    def early(self) -> Iterator[str]:
        """Who finds the first pages sooner: recall after so many pages, with the largest frontier that was run."""
        if self.bounded is None:
            return
        largest = max(self.bounded.experiment.frontiers)
        yield from rows([["web", "topics", "strategy", *(f"{n} pages" for n in SOON)], _line(3, len(SOON))])
        for web in self.bounded.experiment.webs:
            found = [e for e in self.bounded.crawls if (e.cell.web, e.cell.frontier) == (web, largest)]
            columns = [self._early(found, n) for n in SOON]
            topics = str(len({each.cell.task for each in found}))
            for label in EARLY:
                if any(label in told for told in columns):
                    yield from rows(
                        [[web, topics, f"`{label}`", *(told.get(label, "–") for told in columns)]]
                    )

    def _early(self, found: Iterable[Measured], pages: int) -> dict[str, str]:
        assert self.bounded is not None
        reached = [each for each in found if each.values["pages"] >= pages]
        values = {k: v for k, v in scores(reached, f"recall@{pages}").items() if k in EARLY}
        against = values.get(self.bounded.experiment.against, {})
        others = {k: v for k, v in values.items() if v is not against and v.keys() & against.keys()}
        tests = compare_all(against, others) if against else {}
        return {k: _told(_over_topics(v), tests.get(k)) for k, v in values.items()}

    def situations(self) -> Iterator[str]:
        """For each thing that one may have, the best that can use it."""
        yield from rows(
            [["you have", "best of its kind here", *self.webs, "ms/page"], _line(2, len(self.webs) + 1)]
        )
        for what, labels in SITUATIONS.items():
            if best := self._best(labels):
                yield from rows([[what, f"`{best}`", *self._cells(best)]])
        content = self._best(WORDS)
        cheap = self._cheapest(WORDS, NEAR * self._rank(content)) if content else ""
        if cheap != content:
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
        largest = str(sizes[-1])
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
                against = values.pop(largest, None)
                tests = compare_all(against, values) if against else {}
                told = (
                    _told(_over_topics(found[label]), tests.get(str(size))) if label in found else ""
                    for size, found in by_size.items()
                )
                if any(label in found for found in by_size.values()):
                    yield from rows([[web, f"`{label}`", *told]])

    def with_examples(self) -> Iterator[str]:
        """What example pages bring."""
        if self.examples is None:
            return
        pages = self.examples.experiment.pages
        heads = ["web", "strategy", "topics", "words only", "with examples", "difference (95 %)", "p (Holm)"]
        yield from rows([heads, _line(2, len(heads) - 2)])
        for name in self.examples.experiment.webs:
            before = self.webs.get(name)
            if before is None or before.pages != pages:
                continue
            after = Web(self.examples, name)
            both = [
                label for label in after.auc if after.auc[label].keys() & before.auc.get(label, {}).keys()
            ]
            found = [compare(after.auc[label], before.auc[label]) for label in both]
            for label, each, p in zip(both, found, holm([each.t.p for each in found]), strict=True):
                yield from rows([[name, f"`{label}`", *_difference(replace(each, corrected=p))]])

    def totals(self) -> Iterator[str]:
        """What came of all statements."""
        return (f"* {web}: {told}" for web, told in totals(self.runs).items())

    def statements(self) -> Iterator[str]:
        """How many of the published statements of each kind hold. Those that are one test are counted once."""
        webs = self.runs.webs
        verdicts = {web: (self.runs.verdicts(web), self.runs.first(web)) for web in webs}
        yield from rows([["published", *webs], ["---"] * (1 + len(webs))])
        for theme, statements in THEMES.items():
            places = [STATEMENTS.index(each) for each in statements]
            yield from rows([[theme, *(str(tally(*told, places)) for told in verdicts.values())]])

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


def _over_topics(values: Scores) -> Estimate:
    return estimate(list(by_task(values).values()))


def _difference(found: Comparison) -> Iterator[str]:
    """Topics, both means, what lies between them and how sure that is."""
    yield from (str(found.difference.count), _told(found.b, None), _told(found.a, None))
    between = f" ({found.interval[0]:+.3f} to {found.interval[1]:+.3f})" if found.interval else ""
    yield f"{found.difference.mean:+.3f}{between}"
    yield "–" if found.p is None else f"{found.p:.2g}"


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
    parser.add_argument("kept", type=Path, nargs="*", help="a file that kept.py wrote")
    parser.add_argument("--page", type=Path, help="put the tables into this page")
    asked = parser.parse_args()
    try:
        tables = Tables(runs_in(asked.kept)).all()
    except LycosaError as error:
        raise SystemExit(str(error)) from None
    if asked.page:
        write_whole(asked.page, filled(asked.page.read_text("utf-8"), tables).encode())
    else:
        sys.stdout.write("\n\n".join(f"## {name}\n\n{table}" for name, table in tables.items()) + "\n")


if __name__ == "__main__":
    main()
