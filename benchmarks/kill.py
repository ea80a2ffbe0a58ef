"""Crawls killed with SIGKILL at 500 random moments: what is lost, what is fetched again, how long reopening takes.

    python -m benchmarks.kill [KILLS]

run from the project's folder. The bundled sample web is served on loopback; each crawl is killed again and again until
it ends, then the next begins. Checks after each kill are those of tests/live/test_kill.py. Writes
benchmarks/results/kill.md.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.live.killing import Kill, Ordeal, pages, uninterrupted, watched_server

RESULTS = Path(__file__).parent / "results" / "kill.md"
WHERE = {
    "start": "by time, from the start of the process",
    "opened": "by time, once the folder was open",
    "warc": "at the n-th growth of a WARC file",
    "rotation": "when a WARC file was begun or ended",
    "journal": "at the n-th commit of the journal",
    "checkpoint": "at the n-th checkpoint of the frontier",
    "merge": "while the index was merged, at the end",
    "opening": "while the folder was made or opened",
}


class Toll:
    """What all the kills cost."""

    def __init__(self) -> None:
        self.kills: list[Kill] = []
        self.crawls = self.lost = self.again = 0

    def suffer(self, ordeal: Ordeal, most: int, expected: set[str]) -> None:
        ordeal.run(most, to_the_end=True)
        ordeal.check_end()
        self.kills += ordeal.kills
        self.crawls += 1
        self.lost += len(expected - pages(ordeal.steps))
        self.again += ordeal.again.total()

    def mended(self, pattern: str) -> int:
        """The sum of the numbers that notes of this form name; 1 a note without one."""
        found = [re.search(pattern, note) for kill in self.kills for note in kill.notes]
        return sum(int(match[1]) if match.groups() else 1 for match in found if match)

    def table(self) -> list[str]:
        reopened = sorted(1000 * kill.reopened for kill in self.kills if kill.reopened)
        rows = {
            "kills": len(self.kills),
            "crawls, each killed until it ended": self.crawls,
            "pages lost": self.lost,
            "committed URLs asked for again": self.again,
            "WARC files with a torn last record": sum(kill.torn for kill in self.kills),
            "torn records cut off at resume, as told": self.mended("last record was torn"),
            "index lines that were missing and were added": self.mended(r"(\d+) records were missing"),
            "steps replayed from the journal": self.mended(r"(\d+) steps were replayed"),
            "visits made again that a checkpoint knew to be out": self.mended(r"(\d+) visits were under way"),
            "time to open the folder again, median, ms": f"{median(reopened):.0f}",
            "… 95th percentile, ms": f"{reopened[len(reopened) * 95 // 100]:.0f}",
            "… worst, ms": f"{reopened[-1]:.0f}",
        }
        return [f"| {name} | {value} |" for name, value in rows.items()]

    def moments(self) -> list[str]:
        kinds = Counter(kill.moment.kind for kill in self.kills)
        return [f"| {WHERE[kind]} | {count} |" for kind, count in kinds.most_common()]


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    toll, rng, began = Toll(), random.Random(500), time.monotonic()
    with TemporaryDirectory() as place, watched_server(Path(place) / "requests.log") as server:
        expected, length = uninterrupted(Path(place) / "whole", server)
        while len(toll.kills) < most:
            ordeal = Ordeal(Path(place) / str(toll.crawls), server, rng, length)
            toll.suffer(ordeal, min(40, most - len(toll.kills)), expected)
            print(f"{len(toll.kills)} kills, {time.monotonic() - began:.0f} s", flush=True)
            write(toll)
    print(RESULTS.read_text("utf-8"))


def write(toll: Toll) -> None:
    head = ["# Killed at any moment", "", "`python -m benchmarks.kill`", ""]
    table = ["| what | |", "|---|---:|", *toll.table(), "", "| when | kills |", "|---|---:|", *toll.moments()]
    foot = [
        "",
        "After half of the kills the last record, where no committed page depends on it, was cut at a random byte,",
        "as a kill within its write leaves it: such a write is over so soon that a kill hardly ever finds it.",
        "After each kill the journal has no gap and all that it had before, unchanged; each committed page's record",
        "has the payload of which the journal holds the digest. Once mended, FastWARC and warcio read all records.",
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n".join([*head, *table, *foot]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
