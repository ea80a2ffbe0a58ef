"""Target recall of a topical crawl on several nodes, beside that of one node at as many pages in all.

    python benchmarks/sharing/recall.py [--nodes 4] [--pages 1000] [--topics 10] [--partition host …] …

Each node has the default conditions, a strategy and a topic model of its own. The table tells the mean over the topics
and, of each partition, the difference from one node with its 95 % interval.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from lycosa.lab.experiments.cell import Field
from lycosa.lab.experiments.design import Cell, WebSpec, tasks_of
from lycosa.lab.experiments.experiment import Experiment, written_path
from lycosa.lab.experiments.measured import of_result
from lycosa.lab.experiments.runner import names_of, web_of
from lycosa.lab.measures.statistics import compare, estimate
from lycosa.lab.sharing.together import crawl_together
from lycosa.lab.tasks.judge import Judge, brief
from lycosa.lab.webs.generated import Generated
from lycosa.sharing.registry import partition

WEBS = {
    "webkb": "${LYCOSA_SHARED}/webs/webkb",
    "uci-ics-10k": "${LYCOSA_SHARED}/webs/uci-ics-10k",
    "wikispeedia": "${LYCOSA_SHARED}/webs/wikispeedia",
}
ALONE = "one node"


def experiment(options: argparse.Namespace) -> Experiment:
    here = Path(__file__)
    webs = {
        name: WebSpec(path=written_path(WEBS[name], here), strict=options.strict)
        if name in WEBS
        else WebSpec(generated=Generated(pages=20_000, topics=2 * options.topics), strict=options.strict)
        for name in options.web
    }
    return Experiment(
        strategies={"": options.strategy},
        webs=webs,
        pages=options.pages,
        distances=(2,),
        topics=options.side,
        most_topics=options.topics,
    )


def rows(told: Experiment, web: str, options: argparse.Namespace) -> Iterator[tuple[str, str, float, float]]:
    """Label, task, recall and area under the curve."""
    opened = web_of(told.webs[web])
    names = names_of(opened)
    for task in tasks_of(told, web):
        if not task.seeds.get(2):
            continue
        judge, field = Judge(task, 2, names), Field(opened, names, task.excluded)
        cell = Cell(
            label="",
            strategy=options.strategy,
            web=web,
            task=task.id,
            distance=2,
            pages=options.pages,
            frontier=0,
            seed=0,
            examples=0,
            conditions=told.webs[web].conditions,
        )
        for label in (ALONE, *options.partition):
            nodes = 1 if label == ALONE else options.nodes
            kind = "host" if label == ALONE else label
            found = crawl_together(
                cell,
                field,
                brief(task, 2),
                nodes=nodes,
                partition=lambda share, kind=kind: partition(kind, share),
                portions=0 if label == ALONE else options.portions,
            )
            values = of_result(found.result, judge).values
            yield label, task.id, float(judge.recall(found.result.trajectory)[-1]), values["auc"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--web", nargs="+", default=["webkb", "generated"])
    parser.add_argument("--partition", nargs="+", default=["host", "url"])
    parser.add_argument("--strategy", default="hunter")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--portions", type=int, default=0, help="of the budget; 0: it is shared evenly")
    parser.add_argument("--strict", action="store_true", help="the strict order, without rests")
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--side", default="tuning", choices=["tuning", "reporting", "all"])
    options = parser.parse_args()
    told = experiment(options)
    for web in told.webs:
        recall: dict[str, dict[str, float]] = {}
        area: dict[str, dict[str, float]] = {}
        for label, task, at_end, under in rows(told, web, options):
            recall.setdefault(label, {})[task] = at_end
            area.setdefault(label, {})[task] = under
        print(
            f"{web}, {len(recall[ALONE])} topics ({options.side}), {options.pages:,} pages, {options.strategy}"
        )
        for label in recall:
            line = f"  {label:<24} recall {estimate(list(recall[label].values()))}"
            line += f"  AUC {estimate(list(area[label].values()))}"
            if label != ALONE:
                found = compare(recall[label], recall[ALONE])
                line += f"  recall {found.difference.mean:+.3f} {found.interval} p {found.p}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
