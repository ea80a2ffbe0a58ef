"""Finished crawls in a file small enough to be committed: what statements.py and which_crawler.py are made of.

    python benchmarks/kept.py RUN_DIR… [--bounds] [-o benchmarks/results/which-crawler]

RUN_DIR is what `lycosa lab run` wrote; of an unfinished run those topics are kept of which no crawl is missing. Of each
it writes NAME.json, the experiment, and NAME.csv, one row a crawl. The pages can then be made again without crawling.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
import numpy as np

from lycosa import __version__
from lycosa.crawl.inputs import ContextGraph, Taxonomy
from lycosa.lab.experiments.design import Cell, Design, WebSpec, cells_of, tasks_of
from lycosa.lab.experiments.measured import BOUNDS, Measured
from lycosa.lab.experiments.results import Results
from lycosa.lab.experiments.runs import runs_of
from lycosa.model.errors import InputError, LycosaError
from lycosa.model.records import Record
from lycosa.spec.files import write_whole
from lycosa.spec.registry import inputs_asked

HERE = Path(__file__).parent
FOLDER = HERE / "results" / "which-crawler"
METRICS = (
    *("pages", "auc", "ms", "similarity", "relevance@50", "relevance@500"),
    *(f"recall@{n}" for n in (50, 100, 300, 500, 1000)),
)
WHERE = ("web", "topic", "distance", "frontier", "strategy", "seed")
BLIND = "nothing to learn from: the topic hides its example pages"


class About(Record, frozen=True, kw_only=True):
    """An experiment and where it was run."""

    experiment: Design
    """Its webs without their paths."""
    planned: int
    """Crawls."""
    began: str
    machine: str
    lycosa: str


class Kept:
    """The crawls of one experiment."""

    def __init__(self, name: str, about: About, found: Iterable[Measured]) -> None:
        self.name, self.about = name, about
        crawls = list(found)
        self.crawls = [each for each in crawls if each.cell.label not in BOUNDS]
        self.bounds = [each for each in crawls if each.cell.label in BOUNDS]

    @classmethod
    def of(cls, file: Path) -> Kept:
        """From NAME.json and the NAME.csv beside it. Raises `InputError` if they cannot be read."""
        try:
            about = msgspec.json.decode(file.read_bytes(), type=About)
            with file.with_suffix(".csv").open(encoding="utf-8", newline="") as rows:
                found = [_measured(row, about.experiment) for row in csv.DictReader(rows)]
        except (OSError, msgspec.MsgspecError, KeyError, ValueError) as error:
            raise InputError(f"{file}: holds no kept crawls ({error}); make it with: {__file__}") from None
        return cls(file.stem, about, found)

    @property
    def experiment(self) -> Design:
        return self.about.experiment

    @property
    def blind(self) -> list[Measured]:
        """Crawls of strategies that had nothing to learn from. They are no part of any comparison."""
        return [each for each in self.crawls if each.problem == BLIND]

    @property
    def failed(self) -> list[Measured]:
        return [each for each in self.crawls if each.problem and each.problem != BLIND]


def keep(run: Path, folder: Path, *, bounds: bool = False) -> Path:
    """Write down the crawls of a run, and what was possible, if that is wanted; give the file. Raises `FolderError`."""
    results, last = Results.of(run), runs_of(run)
    about = About(
        experiment=_without_paths(results.experiment),
        planned=results.planned,
        began=last[-1].began if last else "",
        machine=last[-1].machine if last else "",
        lycosa=__version__,
    )
    blind, whole = _blind(results), _whole(results)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{run.name}.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*WHERE, *METRICS, "problem"])
        for each in (*results.crawls, *(results.bounds if bounds else ())):
            cell = each.cell
            if (cell.web, cell.task) not in whole:
                continue
            problem = BLIND if (cell.web, cell.task, cell.label) in blind else each.problem
            where = (cell.web, cell.task, cell.distance, cell.frontier, cell.label, cell.seed)
            rows.writerow([*where, *_numbers(each.values), problem])
    path = folder / f"{run.name}.json"
    write_whole(path, msgspec.json.format(msgspec.json.encode(about), indent=1) + b"\n")
    return path


def _numbers(values: Mapping[str, float]) -> Iterator[str]:
    return (f"{values[name]:.5g}" if name in values else "" for name in METRICS)


def _without_paths(experiment: Design) -> Design:
    webs = {name: WebSpec(path=name) for name in experiment.webs}
    return msgspec.structs.replace(experiment, webs=webs)


def _whole(results: Results) -> set[tuple[str, str]]:
    """Webs and topics of which every crawl is there: others would be no fair comparison."""
    there = Counter((each.cell.web, each.cell.task) for each in results.crawls)
    planned = Counter(
        (web, cell.task)
        for web in results.experiment.webs
        for cell in cells_of(results.experiment, web, tasks_of(results.experiment, web))
    )
    return {topic for topic, count in planned.items() if there[topic] == count}


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


def _measured(row: Mapping[str, str], experiment: Design) -> Measured:
    label = row["strategy"]
    values = {name: float(row[name]) for name in METRICS if row[name]}
    if "ms" in values:
        values["thinking"] = values["ms"] * values["pages"] / 1e3
    cell = Cell(
        label=label,
        strategy=experiment.strategies.get(label, label),
        web=row["web"],
        task=row["topic"],
        distance=int(row["distance"]),
        pages=experiment.pages,
        frontier=int(row["frontier"]),
        seed=int(row["seed"]),
        examples=experiment.examples,
    )
    none = np.zeros(0)
    return Measured(cell=cell, values=values, recall=none, harvest=none, problem=row["problem"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, nargs="+", help="a folder that `lycosa lab run` wrote")
    parser.add_argument("-o", "--out", type=Path, default=FOLDER, help="where to keep them")
    parser.add_argument("--bounds", action="store_true", help="also what was possible: it takes a minute")
    asked = parser.parse_args()
    try:
        for run in asked.run:
            print(keep(run, asked.out, bounds=asked.bounds))
    except LycosaError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
