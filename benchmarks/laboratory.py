"""What a crawl of the laboratory costs: visits a CPU-second, by strategy, as `lycosa lab run` makes them.

    LYCOSA_SHARED=FOLDER python benchmarks/laboratory.py [--webs wikispeedia,webkb] [--strategies best-first,hunter]
        [--before SOURCE] [--profile] [--write FILE]

Each strategy crawls the first topics of each web in turn, in the strict order or (`--paced`) as the command line
crawls; the first crawl is made once before, untimed: so its pages are known to the process, as they are to all
strategies of an experiment but the first, while those of the other topics are in part new. Timed is all of `run_cell`
in CPU time. `thinking` is the part of it that the strategy itself has, so that the rest is the laboratory's. With
`--before`, the `src` of another version, both run in turns, each in a process of its own, and the table has both.
`crawls` is a digest of all that was crawled, in its order, with all relevances: equal where both crawled the same to
the bit.
"""

from __future__ import annotations

import argparse
import cProfile
import datetime
import hashlib
import json
import os
import platform
import pstats
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

STRATEGIES = "best-first,breadth-first,hunter"


def crawls(web: str, name: str, given: argparse.Namespace) -> Iterator[tuple[float, float, int, int, str]]:
    """CPU seconds, those of thinking, visits, pages and the digest of each crawl; the first is there to warm up."""
    from lycosa.lab.experiments.cell import Field, run_cell
    from lycosa.lab.experiments.design import Design, WebSpec, cells_of, tasks_of
    from lycosa.lab.experiments.runner import names_of, web_of
    from lycosa.lab.tasks.judge import brief

    spec = WebSpec(path=str(Path(os.environ["LYCOSA_SHARED"]) / "webs" / web), strict=not given.paced)
    design = Design(
        strategies={name: name},
        webs={web: spec},
        pages=given.pages,
        most_topics=given.topics,
        distances=(given.distance,),
    )
    opened = web_of(spec)
    names = names_of(opened)
    tasks = {task.id: task for task in tasks_of(design, web)}
    cells = list(cells_of(design, web, list(tasks.values())))
    for cell in [cells[0], *cells]:
        task = tasks[cell.task]
        found = run_cell(cell, Field(opened, names, task.excluded), brief(task, cell.distance))
        if found.problem:
            raise SystemExit(found.problem)
        line = found.trajectory
        thinking = float(line.thinking[-1]) if len(line) else 0.0
        yield found.seconds, thinking, len(line) + len(line.failed_visits), len(line), found.digest()


def measure(web: str, name: str, given: argparse.Namespace) -> dict[str, float | str]:
    """One strategy on one web, warmed up."""
    first, *rest = crawls(web, name, given)
    digest = hashlib.sha256("".join(each[4] for each in [first, *rest]).encode()).hexdigest()[:12]
    cpu, thinking, visits, pages = (sum(each[column] for each in rest) for column in range(4))
    return {"cpu": cpu, "thinking": thinking, "visits": visits, "pages": pages, "crawls": digest}


def apart(source: Path, web: str, name: str, given: argparse.Namespace) -> dict[str, float | str]:
    """Measured in a process of its own, with the source of some version."""
    asked = [f"--pages={given.pages}", f"--topics={given.topics}", f"--distance={given.distance}"]
    command = [sys.executable, __file__, "--webs", web, "--strategies", name, "--one", *asked]
    said = subprocess.run(
        command + ["--paced"] * given.paced,
        env=os.environ | {"PYTHONPATH": str(source)},
        stdout=subprocess.PIPE,
        check=True,
    )
    told: dict[str, float | str] = json.loads(said.stdout)
    return told


def best(rounds: Sequence[dict[str, float | str]]) -> dict[str, float | str]:
    return min(rounds, key=lambda each: each["cpu"])


def row(web: str, name: str, when: str, told: dict[str, float | str]) -> str:
    cpu, thinking, visits, pages = (float(told[key]) for key in ("cpu", "thinking", "visits", "pages"))
    return (
        f"| {web} | {name} | {when} | {pages:,.0f} | {visits:,.0f} | {visits / cpu:,.0f} | {pages / cpu:,.0f} "
        f"| {thinking / cpu:.0%} | {visits / (cpu - thinking):,.0f} | `{told['crawls']}` |"
    )


def table(given: argparse.Namespace) -> str:
    here = Path(__file__).parents[1] / "src"
    versions = {"before": given.before, "now": here} if given.before else {"now": here}
    lines = [
        "| web | strategy | | pages | visits | visits a CPU-second | pages a CPU-second | thinking "
        "| visits a CPU-second, thinking apart | crawls |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for web in given.webs.split(","):
        for name in given.strategies.split(","):
            found: dict[str, list[dict[str, float | str]]] = {when: [] for when in versions}
            for _ in range(given.rounds):
                for when, source in versions.items():
                    found[when].append(apart(source, web, name, given))
            lines += [row(web, name, when, best(rounds)) for when, rounds in found.items()]
            print(*lines[-len(versions) :], sep="\n", file=sys.stderr)
    return "\n".join(lines) + "\n"


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--webs", default="wikispeedia,webkb")
    options.add_argument("--strategies", default=STRATEGIES)
    options.add_argument("--pages", type=int, default=1_000)
    options.add_argument("--topics", type=int, default=3)
    options.add_argument("--distance", type=int, default=3)
    options.add_argument("--rounds", type=int, default=2, help="the best counts")
    options.add_argument(
        "--paced", action="store_true", help="as the command line crawls, not in the strict order"
    )
    options.add_argument("--before", type=Path, help="the src folder of another version, to compare with")
    options.add_argument("--profile", action="store_true", help="show where the time goes instead")
    options.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options.add_argument("--write", type=Path, help="write the table to this file too")
    given = options.parse_args()
    if not os.environ.get("LYCOSA_SHARED"):
        raise SystemExit(
            "LYCOSA_SHARED is not set: it names the folder that holds webs/wikispeedia and others"
        )
    if given.one:
        print(json.dumps(measure(given.webs, given.strategies, given)))
        return
    if given.profile:
        profile = cProfile.Profile()
        profile.runcall(measure, given.webs.split(",")[0], given.strategies.split(",")[0], given)
        pstats.Stats(profile).sort_stats("tottime").print_stats(45)
        return
    command = " ".join(["python", "benchmarks/laboratory.py", *map(str, sys.argv[1:])])
    report = (
        f"# What a crawl of the laboratory costs\n\n`{command}`\n\nPython {platform.python_version()}, "
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[1]:.0f}, {datetime.date.today()}; "
        f"{'as the command line crawls' if given.paced else 'strict order'}, {given.topics} topics of each web.\n\n"
        + table(given)
    )
    print(report)
    if given.write:
        given.write.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
