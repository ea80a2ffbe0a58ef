"""What dead links cost, and what it helps to let likely dead ones wait.

    LYCOSA_SHARED=… python benchmarks/failures.py [--topics reporting] [--most 8] [-o benchmarks/results/failures.md]

Each web is crawled as it is and with a third of its URLs dead in clusters (whole hosts, directories, single pages),
with and without the model. Without LYCOSA_SHARED it says that it needs the recorded webs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from lycosa.lab.experiments.design import Design, WebSpec
from lycosa.lab.experiments.measured import Measured, measured
from lycosa.lab.experiments.runner import run
from lycosa.lab.measures.statistics import estimate
from lycosa.spec.tree import DeadSpec
from lycosa.web.made.faulty import Faults

WEBS = ("uci-ics-10k", "webkb", "wikispeedia")
ROT = 0.3
MODELS = {"without": DeadSpec(link_rot=False), "with": DeadSpec(link_rot=True)}
VALUES = ("failures a page", "requests a page", "auc over requests", "auc", "took")


def design(shared: Path, given: argparse.Namespace) -> Design:
    webs = {
        f"{web}/{rot}/{model}": WebSpec(
            path=str(shared / "webs" / web),
            faults=Faults(rotten=ROT) if rot == "dead links" else None,
            dead=dead,
            seed=given.seed,
        )
        for web in given.webs
        for rot in given.conditions
        for model, dead in MODELS.items()
    }
    return Design(
        name="failures",
        strategies={name: name for name in given.strategies},
        webs=webs,
        pages=300,
        distances=tuple(given.distances),
        topics=given.topics,
        tuning_share=0.5,
        most_topics=given.most,
    )


Key = tuple[str, str, str]
"""Web, conditions, strategy."""


def gathered(experiment: Design, folder: Path) -> dict[Key, dict[str, dict[tuple[str, int], Measured]]]:
    """By model, the crawls of each topic and distance. Those whose start pages are all dead say nothing."""
    found: dict[Key, dict[str, dict[tuple[str, int], Measured]]] = {}
    for name in experiment.webs:
        web, rot, model = name.split("/")
        for each in measured(experiment, folder, name):
            if each.values["pages"]:
                key = (web, rot, each.cell.label)
                found.setdefault(key, {}).setdefault(model, {})[each.cell.task, each.cell.distance] = each
    return found


def rows(found: Mapping[Key, Mapping[str, Mapping[tuple[str, int], Measured]]]) -> Iterator[Sequence[str]]:
    for (web, rot, strategy), by_model in found.items():
        without, with_ = (by_model.get(model, {}) for model in MODELS)
        pairs = [(without[task], with_[task]) for task in without if task in with_]
        if not pairs:
            continue
        told = [web, rot, strategy, str(len(pairs))]
        for name in VALUES:
            before, after = (np.array([pair[side].values[name] for pair in pairs]) for side in (0, 1))
            change = estimate((after - before).tolist())
            told.append(f"{before.mean():.3f} → {after.mean():.3f} ({change.mean:+.3f} ± {change.error:.3f})")
        yield told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--topics", default="reporting", choices=["tuning", "reporting", "all"])
    parser.add_argument("--most", type=int, default=8, help="topics of each web")
    parser.add_argument("--distances", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--webs", nargs="+", default=WEBS)
    parser.add_argument("--strategies", nargs="+", default=["hunter", "best-first"])
    parser.add_argument("--conditions", nargs="+", default=["as it is", "dead links"])
    parser.add_argument("--seed", type=int, default=0, help="of what is dead")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs/failures"), help="crawls made before are kept here"
    )
    parser.add_argument("-o", "--out", type=Path, help="write the table here, too")
    given = parser.parse_args()
    if "LYCOSA_SHARED" not in os.environ:
        sys.exit("LYCOSA_SHARED is not set: this needs the recorded webs")
    experiment = design(Path(os.environ["LYCOSA_SHARED"]), given)
    run(experiment, given.runs, workers=1)
    found = gathered(experiment, given.runs)
    head = ["web", "links", "strategy", "crawls", *VALUES]
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows(found))]
    print("\n".join(lines))
    if given.out:
        given.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
