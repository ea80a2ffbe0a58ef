"""Tasks that start at many hosts: those of `benchmarks/topics.py`, with other start pages.

    python benchmarks/wide_starts.py webkb 50 > runs/topics/webkb-50-hosts.jsonl

Start pages are drawn of all pages that lie exactly three links from the nearest target, at most one a host. Tasks for
which fewer hosts have such a page are left out. What it is for: `benchmarks/order/wide_starts.toml`.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.lab_web import open_web
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.url import Url, host_of

DISTANCE = 3


def widened(task: Task, graph: LinkGraph, hosts: int) -> Task | None:
    """The task with one start page on each of so many hosts, or None if there are not so many."""
    excluded = graph.numbers(task.excluded)
    away = graph.backwards.distances(np.setdiff1d(graph.numbers(task.targets), excluded), excluded)
    of_the_topic = {*task.targets, *task.on_topic(), *task.examples}
    pages = [
        url for page in np.flatnonzero(away == DISTANCE) if (url := graph.urls[page]) not in of_the_topic
    ]
    random.Random(f"{hosts}/{task.id}").shuffle(pages)
    one_each: dict[str, Url] = {}
    for url in pages:
        one_each.setdefault(host_of(url), url)
    if len(one_each) < hosts:
        return None
    return replace(task, seeds={DISTANCE: tuple(sorted([*one_each.values()][:hosts]))}, reachable={})


def all_widened(web: str, tasks: Path, hosts: int) -> Iterator[Task]:
    graph = open_web([Path(os.environ["LYCOSA_SHARED"]) / "webs" / web]).graph()
    for task in read_tasks(tasks):
        if (wide := widened(task, graph, hosts)) is not None:
            yield wide


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web")
    parser.add_argument("hosts", type=int)
    parser.add_argument("--topics", type=Path, default=Path("runs/topics"))
    given = parser.parse_args()
    for made in all_widened(given.web, given.topics / f"{given.web}.jsonl", given.hosts):
        sys.stdout.write(msgspec.json.encode(made).decode() + "\n")
