"""What was possible on the recorded webs: chance, the one-step clairvoyant and the oracle.

    LYCOSA_SHARED=FOLDER python benchmarks/bounds.py [--webs wikispeedia,webkb] [-D 3] [--topics 20]

For each recorded web in `webs/` and the first topics that have start pages at distance D: mean target recall at 100,
300, 600 and 1,000 pages, and the area under the recall curve over 1,000 pages.

For comparison, what another program found on the same 20 topics of D = 3, whose link graph knows each page by one
spelling only: on wikispeedia the clairvoyant .16 .65 .80 .82 (AUC .64) and the oracle .87 (AUC .86); on webkb the
clairvoyant .49 .70 .81 .91 (AUC .72) and the oracle .97 (AUC .96).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lycosa.lab.measures.bounds import chance, clairvoyant, oracle
from lycosa.lab.measures.metrics import Floats, hold, target_recall
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.lab_web import open_web
from lycosa.lab.webs.link_graph import LinkGraph

PAGES = 1000
SHOWN = (100, 300, 600, 1000)


def curves(task: Task, distance: int, graph: LinkGraph) -> Iterator[tuple[str, Floats]]:
    """The recall curve of each bound."""
    seeds, excluded = graph.numbers(task.seeds[distance]), graph.numbers(task.excluded)
    targets = graph.numbers(task.wanted(distance))
    relevant = graph.numbers(task.on_topic())
    yield "chance", chance(graph, seeds, targets, PAGES, excluded)
    crawls = {
        "clairvoyant, first in first out": clairvoyant(
            graph, seeds, relevant, PAGES, excluded, heeds_parents=False
        ),
        "clairvoyant": clairvoyant(graph, seeds, relevant, PAGES, excluded),
        "oracle": oracle(graph, seeds, targets, PAGES, excluded),
    }
    for name, crawl in crawls.items():
        yield name, hold(target_recall(crawl, targets), PAGES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--webs", default="wikispeedia,webkb,uci-ics-10k")
    parser.add_argument("-D", "--distance", type=int, default=3)
    parser.add_argument("--topics", type=int, default=20)
    chosen = parser.parse_args()
    webs = Path(os.environ["LYCOSA_SHARED"]) / "webs"
    for name in chosen.webs.split(","):
        graph = open_web([webs / name]).graph()
        tasks = [task for task in read_tasks(webs / name / "topics.jsonl") if chosen.distance in task.seeds]
        began = time.process_time()
        rows: dict[str, list[Floats]] = {}
        for task in tasks[: chosen.topics]:
            for bound, curve in curves(task, chosen.distance, graph):
                rows.setdefault(bound, []).append(curve)
        took = time.process_time() - began
        count = min(len(tasks), chosen.topics)
        sys.stdout.write(f"{name}, D = {chosen.distance}, {count} topics, {took:.1f} s of CPU time\n")
        for bound, found in rows.items():
            mean = np.mean(found, axis=0)
            shown = "  ".join(f"@{n} {mean[n - 1]:.3f}" for n in SHOWN)
            sys.stdout.write(f"  {bound:<32} {shown}  AUC {mean.mean():.3f}\n")


if __name__ == "__main__":
    main()
