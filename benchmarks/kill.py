"""Crawls killed with SIGKILL at 500 random moments: what is lost, what is fetched again, how long reopening takes.

    python -m benchmarks.kill [KILLS]
    python -m benchmarks.kill refresh [KILLS]

run from the project's folder. The bundled sample web is served on loopback; each crawl, or each refresh that visits all
pages of a crawl once again, is killed again and again until it ends, then the next begins. Checks after each kill are
those of tests/live/test_kill.py. Writes benchmarks/results/kill.md or kill-refresh.md.
"""

from __future__ import annotations

import random
import re
import shutil
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.live.killing import Kill, Ordeal, RefreshOrdeal, pages, refresh, uninterrupted, watched_server

RESULTS = Path(__file__).parent / "results"
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
        self.crawls = self.lost = self.again = self.missed = self.twice = 0

    def suffer(self, ordeal: Ordeal, most: int, expected: set[str]) -> None:
        ordeal.run(most, to_the_end=True)
        ordeal.check_end()
        self.kills += ordeal.kills
        self.crawls += 1
        self.lost += len(expected - pages(ordeal.steps))
        self.again += ordeal.again.total()
        if isinstance(ordeal, RefreshOrdeal):
            looks = ordeal.looks()
            self.missed += len({*pages(ordeal.steps)} - {*ordeal.done(ordeal.steps)})
            self.twice += sum(count > 1 for count in looks.values())

    @property
    def of_refreshes(self) -> dict[str, object]:
        return {
            "pages that were not visited again": self.missed,
            "pages that the journal has visited again twice": self.twice,
        }

    def mended(self, pattern: str) -> int:
        """The sum of the numbers that notes of this form name; 1 a note without one."""
        found = [re.search(pattern, note) for kill in self.kills for note in kill.notes]
        return sum(int(match[1]) if match.groups() else 1 for match in found if match)

    def table(self, *, is_refresh: bool) -> list[str]:
        reopened = sorted(1000 * kill.reopened for kill in self.kills if kill.reopened)
        rows = {
            "kills": len(self.kills),
            f"{'refreshes' if is_refresh else 'crawls'}, each killed until it ended": self.crawls,
            "pages lost": self.lost,
            "committed URLs asked for again": self.again,
            **(self.of_refreshes if is_refresh else {}),
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
    is_refresh = sys.argv[1:2] == ["refresh"]
    numbers = sys.argv[1 + is_refresh :]
    most = int(numbers[0]) if numbers else 500
    toll, rng, began = Toll(), random.Random(500), time.monotonic()
    with TemporaryDirectory() as place, watched_server(Path(place) / "requests.log") as server:
        whole = Path(place) / "whole"
        expected, length = uninterrupted(whole, server)
        if is_refresh:
            server.change()
            shutil.copytree(whole, Path(place) / "refreshed")
            length = uninterrupted(Path(place) / "refreshed", server, refresh)[1]
        while len(toll.kills) < most:
            folder = Path(place) / str(toll.crawls)
            if is_refresh:
                shutil.copytree(whole, folder)
            ordeal = (RefreshOrdeal if is_refresh else Ordeal)(folder, server, rng, length)
            toll.suffer(ordeal, min(40, most - len(toll.kills)), expected)
            shutil.rmtree(folder)
            print(f"{len(toll.kills)} kills, {time.monotonic() - began:.0f} s", flush=True)
            written = write(toll, is_refresh=is_refresh)
    print(written.read_text("utf-8"))


def write(toll: Toll, *, is_refresh: bool) -> Path:
    title, words = ("Killed while refreshing", " refresh") if is_refresh else ("Killed at any moment", "")
    head = [f"# {title}", "", f"`python -m benchmarks.kill{words}`", ""]
    table = ["| what | |", "|---|---:|", *toll.table(is_refresh=is_refresh)]
    table += ["", "| when | kills |", "|---|---:|", *toll.moments()]
    foot = [
        "",
        "After half of the kills the last record, where no committed page depends on it, was cut at a random byte,",
        "as a kill within its write leaves it: such a write is over so soon that a kill hardly ever finds it.",
        "After each kill the journal has no gap and all that it had before, unchanged; each committed page's record",
        "has the payload of which the journal holds the digest. Once mended, FastWARC and warcio read all records.",
    ]
    path = RESULTS / ("kill-refresh.md" if is_refresh else "kill.md")
    path.write_text("\n".join([*head, *table, *foot]) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
