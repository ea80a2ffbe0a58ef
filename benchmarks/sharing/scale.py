"""A web of ten million pages, crawled by 64 and by 1,000 nodes: counted, not crawled (`lycosa.lab.sharing.scale`).

    python benchmarks/sharing/scale.py run FOLDER [--only NAME ...]     each run in a process of its own, into NAME.json
    python benchmarks/sharing/scale.py tell FOLDER [--write FILE] [--picture FILE]

A run takes two to four minutes on one core; runs that are in FOLDER already are left alone.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from lycosa.lab.sharing.scale import COUNTS, Outcome, Plan, counted
from lycosa.report.plot import ticks
from lycosa.web.made.ground import TopicalShape

SHAPE = TopicalShape(
    pages=10_000_000, hosts=625_000, unevenness=1.1, topic_unevenness=0.7, parents=16, leaves=64
)
"""1,024 topics. The largest host has 0.7 % of all pages, half the hosts have three or fewer."""
MILLION = TopicalShape(
    pages=1_000_000, hosts=62_500, unevenness=1.1, topic_unevenness=0.7, parents=16, leaves=64
)
BUDGET = 8_000_000
POINTS = 200
HOTTEST = 10

ABOUT = """\
# Ten million pages, crawled by 64 and by 1,000 nodes

`python benchmarks/sharing/scale.py run FOLDER`, then `tell FOLDER --write benchmarks/results/sharing-scale.md --picture
docs/images/sharing-scale.svg`, {day}, Python {python}, on one of two cores.

A generated web of 10,000,000 pages on 625,000 hosts, of which nothing is stored (`lycosa.web.made.ground_arrays`):
1,024 topics of unequal size, 7 links a page; the largest host has 0.7 % of all pages, half the hosts three pages or
fewer, the 625 largest a fifth of all. It is crawled breadth-first from 1,000 home pages. No page is made: who fetches
what and who tells whom is counted, in turns of {interval} s, the time from one visit to a host to the next. A node
takes in 50 pages a second. Boxes are emptied every four turns, 5.2 s. A node sends a URL only once, and remembers it.
`url` and `host` are hashes; `topic` sends pages to the node of their topic, which a classifier without error tells;
`neighbours` is a simple model of that partition: hosts go to who finds them first, and after 8, 16, 32 and 64 pages to
where their links lead. A visit has to be asked for if another node visited the host last: its warden hands it over.

Bytes: 100 for a link and 7,000 for a page, squeezed, as `sizes.py` measures on recorded webs. Real pages have more
links than 7, so figures of links are to be multiplied; see [at scale](../../docs/explanation/at-scale.md).

![Pages fetched over time](../../docs/images/sharing-scale.svg)"""


def plans() -> dict[str, Plan]:
    """What is run, by name."""
    found = dict[str, Plan]()
    for nodes in (64, 1000):
        for partition in ("host", "url", "topic", "neighbours"):
            plan = Plan(shape=SHAPE, seed=1, nodes=nodes, partition=partition, budget=BUDGET)
            found[f"{nodes}-{partition}"] = plan
            if nodes == 64:
                found[f"64-{partition}-million"] = _with(plan, shape=MILLION, budget=BUDGET // 10)
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


# -- telling -------------------------------------------------------------------------------------------------

LINK, PAGE = 100, 7_000
"""Bytes of a link and of a page on their way, squeezed: sizes.py, between 64 and 120 and between 2,700 and 12,600 on
four recorded webs."""
COLOURS = {"host": "#4269d0", "url": "#ff725c", "topic": "#6cc5b0", "neighbours": "#a463f2"}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 300, 60, 20, 30, 46

Run = Mapping[str, Any]


def report(runs: Mapping[str, Run]) -> Iterator[str]:
    yield ABOUT.format(
        day=date.today().isoformat(), python=platform.python_version(), interval=Plan(shape=SHAPE).interval
    )
    for nodes in (64, 1000):
        some = {name: run for name, run in runs.items() if name in [f"{nodes}-{each}" for each in COLOURS]}
        yield f"\n## {nodes:,} nodes, until {BUDGET:,} pages were fetched\n"
        yield from table(some, WHOLE)
        yield "\nOf the busiest node, as a multiple of the mean:\n"
        yield from table(some, BUSIEST)
    yield "\n## A million pages, 64 nodes: how often a host is handed over\n"
    yield from table({name: run for name, run in runs.items() if name.endswith("-million")}, ASKED)
    yield "\n## How long links wait in their boxes: 1,000 nodes, partition `host`\n"
    yield from table(
        {name: runs[name] for name in runs if name.startswith("1000-host") and "lost" not in name}, BOXES
    )
    yield "\n## Nodes that are lost with their folders\n"
    yield from table({name: runs[name] for name in runs if name.endswith("-lost")}, LOSSES)
    if whole := runs.get("64-host-all"):
        yield "\n## To the last page: 64 nodes, partition `host`, no budget\n"
        yield from to_the_end(whole)
    yield "\n## What the runs took\n"
    yield from table(runs, COST)


def table(runs: Mapping[str, Run], columns: Mapping[str, Callable[[Run], str]]) -> Iterator[str]:
    yield f"| run | {' | '.join(columns)} |"
    yield f"| --- |{' ---: |' * len(columns)}"
    for name, run in runs.items():
        yield f"| {name} | {' | '.join(tell(run) for tell in columns.values())} |"


def a_page(run: Run, *names: str) -> float:
    """The sum of some counts for each page that was fetched."""
    return sum(run["totals"][name] for name in names) / run["totals"]["downloads"]


def bytes_sent(run: Run) -> float:
    """For each page that was fetched."""
    return LINK * a_page(run, "sent_links", "forwarded", "sent_again") + PAGE * a_page(run, "sent_pages")


def in_a_message(run: Run) -> float:
    items = a_page(run, "sent_links", "forwarded", "sent_again", "sent_pages")
    return items / a_page(run, "sent_messages")


def minutes(run: Run, turns: int) -> float:
    return turns * run["interval"] / 60


def most(name: str) -> Callable[[Run], str]:
    return lambda run: f"{run['most'][name]:.2f}"


Columns = Mapping[str, Callable[[Run], str]]
WHOLE: Columns = {
    "fetched a page kept": lambda run: f"{1 / a_page(run, 'kept'):.2f}",
    "links that lead to own pages": lambda run: f"{run['totals']['local'] / run['totals']['found']:.1%}",
    "links sent a page": lambda run: f"{a_page(run, 'sent_links', 'forwarded'):.2f}",
    "of these new to the owner": lambda run: f"{run['totals']['taken_in'] / run['totals']['got']:.0%}",
    "pages sent a page": lambda run: f"{a_page(run, 'sent_pages'):.2f}",
    "bytes sent a page": lambda run: f"{bytes_sent(run):,.0f}",
    "messages a page": lambda run: f"{a_page(run, 'sent_messages'):.2f}",
    "in a message": lambda run: f"{in_a_message(run):.1f}",
    "URLs known a page": lambda run: f"{a_page(run, 'known'):.2f}",
    "moves a host": lambda run: f"{run['totals']['moves'] / SHAPE.hosts:.2f}",
    "minutes": lambda run: f"{minutes(run, run['last_fetch']):.1f}",
    "then quiet after s": lambda run: f"{(run['quiet'] - run['last_fetch']) * run['interval']:.1f}",
}
BUSIEST: Columns = {
    "pages fetched": most("downloads"),
    "pages kept": most("kept"),
    "URLs known": most("known"),
    "messages sent": most("sent_messages"),
    "messages got": most("got_messages"),
    "links or pages got": most("got"),
}
ASKED: Columns = {
    "visits that had to be asked for": lambda run: f"{a_page(run, 'asks'):.1%}",
    "links that lead to own pages": WHOLE["links that lead to own pages"],
    "links sent a page": WHOLE["links sent a page"],
}
BOXES: Columns = {
    "emptied every": lambda run: f"{run['box_turns'] * run['interval']:,.0f} s",
    "messages a page": WHOLE["messages a page"],
    "in a message": WHOLE["in a message"],
    "links sent a page": WHOLE["links sent a page"],
    "minutes": WHOLE["minutes"],
    "then quiet after s": WHOLE["then quiet after s"],
}
LOSSES: Columns = {
    "pages fetched in vain": lambda run: f"{run['totals']['lost_pages']:,}",
    "links sent again": lambda run: f"{run['totals']['sent_again']:,}",
    "pages in all": lambda run: f"{run['totals']['downloads']:,}",
    "minutes": WHOLE["minutes"],
}
COST: Columns = {
    "CPU, s": lambda run: f"{run['cpu_s']:.0f}",
    "peak memory, MB": lambda run: f"{run['peak_mb']:,.0f}",
    "turns": lambda run: f"{run['quiet']:,}",
}


def to_the_end(run: Run) -> Iterator[str]:
    """When how much was there, and what was left."""
    everything = run["pages"]
    yield f"{everything:,} of {SHAPE.pages:,} pages can be reached from the {Plan(shape=SHAPE).seeds:,} start pages.\n"
    yield "| share of these | minutes | hosts at which something waits |"
    yield "| ---: | ---: | ---: |"
    for share in (0.5, 0.8, 0.9, 0.95, 0.99, 1.0):
        turn, _, busy = next(point for point in run["course"] if point[1] >= share * everything)
        yield f"| {share:.0%} | {minutes(run, turn):,.0f} | {busy:,} |"
    told = ", ".join(f"{visits:,}" for visits in run["hottest"][:5])
    yield f"\nPages of the largest hosts: {told}."


def picture(runs: Mapping[str, Run]) -> str:
    """Pages fetched over time, a panel for each number of nodes."""
    panels = [line for place, nodes in enumerate((64, 1000)) for line in panel(place, nodes, runs)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * 2} {HEIGHT}" '
            'font-family="sans-serif" font-size="12">',
            "<title>Pages fetched over time by 64 and by 1,000 nodes, for each partition, repeats included</title>",
            f'<rect width="{WIDTH * 2}" height="{HEIGHT}" fill="#ffffff"/>',
            *panels,
            "</svg>",
            "",
        ]
    )


def panel(place: int, nodes: int, runs: Mapping[str, Run]) -> Iterator[str]:
    left, across, up = WIDTH * place + LEFT, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    shown = {each: runs[f"{nodes}-{each}"] for each in COLOURS if f"{nodes}-{each}" in runs}
    last = max(minutes(run, run["quiet"]) for run in shown.values())
    top = BUDGET / 1e6

    def at(passed: float, pages: float) -> str:
        return f"{left + across * passed / last:.1f} {TOP + up * (1 - pages / top):.1f}"

    yield f'<text x="{left}" y="16" fill="#333333" font-weight="bold">{nodes:,} nodes</text>'
    for pages in range(0, int(top) + 1, 2):
        yield f'<path d="M{at(0, pages)}H{left + across}" stroke="#dddddd"/>'
        x, y = at(0, pages).split()
        yield f'<text x="{float(x) - 6}" y="{float(y) + 4}" text-anchor="end" fill="#555555">{pages} M</text>'
    for tick in ticks(last):
        x, y = at(tick, 0).split()
        yield f'<text x="{x}" y="{float(y) + 16}" text-anchor="middle" fill="#555555">{tick:g}</text>'
    x, y = at(last / 2, 0).split()
    yield f'<text x="{x}" y="{float(y) + 34}" text-anchor="middle" fill="#555555">minutes</text>'
    for number, (name, run) in enumerate(shown.items()):
        line = "L".join(at(minutes(run, turn), pages / 1e6) for turn, pages, _ in run["course"])
        yield f'<path d="M{line}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>'
        yield f'<text x="{left + 100 + 54 * number}" y="16" fill="{COLOURS[name]}">{name}</text>'


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
        return
    paths = {name: arguments.folder / f"{name}.json" for name in plans()}
    runs = {name: json.loads(path.read_text("utf-8")) for name, path in paths.items() if path.exists()}
    told = "\n".join(report(runs)) + "\n"
    print(told)
    if arguments.write:
        arguments.write.write_text(told, encoding="utf-8")
    if arguments.picture:
        arguments.picture.write_text(picture(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
