"""What visiting again costs crawls that never do: this tree beside another one, by turns.

    LYCOSA_SHARED=FOLDER python -m benchmarks.refreshing_pair OTHER [--web webkb] [--pages 800] [--rounds 6]

run from the project's folder; OTHER is a work tree of the project at an earlier commit. A default crawl of a recorded
web, in a folder, is run in both by turns; of the CPU seconds of each the least and the median count, since a busy
machine only adds. So are the frontier's rates (benchmarks/frontier.py at 100,000 URLs). Writes to the screen.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

HERE = Path(__file__).parents[1]
SEEDS = {"webkb": "http://www.cs.cornell.edu/", "uci-ics-10k": "http://www.ics.uci.edu/"}


def crawl(tree: Path, web: str, pages: int) -> float:
    """CPU seconds of a default crawl."""
    where = Path(os.environ["LYCOSA_SHARED"]) / "webs" / web
    with TemporaryDirectory() as place:
        options = ["--web", f"recorded:{where}", "--pages", str(pages), "--out", f"{place}/crawl", "--quiet"]
        words = ["machine learning, artificial intelligence", SEEDS[web], *options]
        before = os.times()
        run = [sys.executable, "-m", "lycosa.cli", "crawl", *words]
        subprocess.run(run, check=True, env={**os.environ, "PYTHONPATH": str(tree / "src")})
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def frontier(tree: Path) -> dict[str, float]:
    """Rates a CPU second by their names."""
    run = [
        sys.executable,
        str(tree / "benchmarks" / "frontier.py"),
        "--sizes",
        "100000",
        "--hosts",
        "100000",
        "--json",
    ]
    told = subprocess.run(
        run, check=True, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(tree / "src")}
    )
    (found,) = json.loads(told.stdout)
    return {name: found[name] for name in ("inserts_a_s", "leases_a_s")}


def by_turns(other: Path, rounds: int, measure: Callable[[Path], float]) -> tuple[list[float], list[float]]:
    """What both come to, this tree first in every second round."""
    found: dict[Path, list[float]] = {HERE: [], other: []}
    for number in range(rounds):
        for tree in (HERE, other) if number % 2 else (other, HERE):
            found[tree].append(measure(tree))
    return found[HERE], found[other]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("other", type=Path)
    options.add_argument("--web", default="webkb", choices=SEEDS)
    options.add_argument("--pages", type=int, default=800)
    options.add_argument("--rounds", type=int, default=6)
    given = options.parse_args()
    print("| | now: least, median | before: least, median | ratio of the least, of the medians |")
    print("|---|---:|---:|---:|", flush=True)
    now, then = by_turns(given.other, given.rounds, lambda tree: crawl(tree, given.web, given.pages))
    row(f"CPU of a default crawl of {given.pages} pages of {given.web}, s", now, then, min)
    for name in ("inserts_a_s", "leases_a_s"):
        now, then = by_turns(given.other, given.rounds // 2, lambda tree, name=name: frontier(tree)[name])
        row(f"the frontier's {name.replace('_a_s', '')} a CPU second", now, then, max)


def row(what: str, now: list[float], then: list[float], best: Callable[[list[float]], float]) -> None:
    pairs = [(best(now), best(then)), (median(now), median(then))]
    told = [f"{here:,.2f}" if here < 100 else f"{here:,.0f}" for pair in pairs for here in pair]
    ratios = ", ".join(f"{here / there:.2f}" for here, there in pairs)
    print(f"| {what} | {told[0]}, {told[2]} | {told[1]}, {told[3]} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
