"""A web of ten million pages, crawled by 64 and by 1,000 nodes: counted, not crawled (`lycosa.lab.sharing.scale`).

    python benchmarks/sharing/scale.py run FOLDER [--only NAME ...]     each run in a process of its own, into NAME.json
    python benchmarks/sharing/scale.py tell FOLDER [--write FILE] [--picture FILE]

A run takes two to four minutes on one core; runs that are in FOLDER already are left alone.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from lycosa.lab.sharing.scale import COUNTS, Outcome, Plan, counted
from lycosa.web.made.ground import TopicalShape

SHAPE = TopicalShape(
    pages=10_000_000, hosts=625_000, unevenness=1.1, topic_unevenness=0.7, parents=16, leaves=64
)
"""1,024 topics. The largest host has 0.7 % of all pages, half the hosts have three or fewer."""
BUDGET = 8_000_000
POINTS = 200
HOTTEST = 10


def plans() -> dict[str, Plan]:
    """What is run, by name."""
    found = dict[str, Plan]()
    for nodes in (64, 1000):
        for partition in ("host", "url", "topic", "neighbours"):
            found[f"{nodes}-{partition}"] = Plan(
                shape=SHAPE, seed=1, nodes=nodes, partition=partition, budget=BUDGET
            )
    host = found["1000-host"]
    found["1000-host-minute"] = _with(host, box_turns=46)
    found["1000-host-half-hour"] = _with(host, box_turns=1385)
    found["64-host-lost"] = _with(found["64-host"], losses=((900, 7),))
    found["64-neighbours-lost"] = _with(found["64-neighbours"], losses=((900, 7),))
    found["1000-host-lost"] = _with(host, losses=tuple((70 + turn, 11 * turn) for turn in range(10)))
    found["64-host-all"] = _with(found["64-host"], budget=0)
    return found


def _with(plan: Plan, **changes: Any) -> Plan:
    return Plan(**{**{name: getattr(plan, name) for name in Plan.__struct_fields__}, **changes})


def run(plan: Plan, path: Path) -> None:
    began = time.process_time()
    outcome = counted(plan)
    told = summary(outcome)
    told["cpu_s"] = time.process_time() - began
    told["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def summary(outcome: Outcome) -> dict[str, Any]:
    """What is told of a run: sums, what the busiest node has of the mean, and the course of the crawl."""
    counts, plan = outcome.counts, outcome.plan
    ends = np.unique(np.linspace(0, len(outcome.fetched) - 1, POINTS).astype(int)).tolist()
    busiest = np.argsort(outcome.hosts)[::-1][:HOTTEST]
    return {
        "nodes": plan.nodes,
        "partition": plan.partition,
        "interval": plan.interval,
        "box_turns": plan.box_turns,
        "totals": {name: counts.total(name) for name in COUNTS},
        "most": {name: float(counts[name].max() / max(1e-9, counts[name].mean())) for name in COUNTS},
        "parcels": counts.parcels,
        "idle": int(np.count_nonzero(counts["kept"] == 0)),
        "last_fetch": outcome.last_fetch,
        "quiet": outcome.quiet,
        "times": outcome.times[:40],
        "pages": sum(outcome.times),
        "hottest": outcome.hosts[busiest].tolist(),
        "course": [(end + 1, outcome.fetched[end], outcome.busy[end]) for end in ends],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("what", choices=["run", "tell"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", default=list(plans()), choices=list(plans()), metavar="NAME")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "run":
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.only:
            if not (path := arguments.folder / f"{name}.json").exists():
                process = multiprocessing.Process(target=run, args=(plans()[name], path))
                process.start()
                process.join()
                sys.stderr.write(f"{name}\n")


if __name__ == "__main__":
    main()
