"""A crawl that three nodes share, killed a hundred times: what is lost, and what is fetched again.

    python -m benchmarks.sharing.kill [KILLS]

run from the project's folder. The bundled sample web is served on loopback, and shared by the hash of the URL, so
that most links go from node to node. Each kill is a SIGKILL to the process of a random node at a random moment. Each
twentieth is to the one that leads the crawl, which is begun again; each fiftieth node loses its folder too. After some
kills the crawl ends by itself, and the next begins. Writes benchmarks/results/sharing-kill.md.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.live.cluster_runs import PAGES, SharedRun, awaited, shared_run, shared_specification
from tests.live.killing import WatchedServer, watched_server

from lycosa.model.nodes import Node

RESULT = Path(__file__).parents[1] / "results" / "sharing-kill.md"
A_CRAWL = 12
"""Kills of one crawl."""
DRIVER, FOLDER = 20, 50


class Toll:
    """What all the kills cost."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.back: list[float] = []
        """Seconds until a killed node had its folder open again."""

    @property
    def kills(self) -> int:
        return sum(self.counts[kind] for kind in KINDS)

    def suffer(self, run: SharedRun, rng: random.Random, most: int) -> None:
        run.begin()
        awaited(lambda: len(run.place.writers()) == 3)
        lost: set[str] = set()
        for _ in range(most):
            time.sleep(rng.uniform(0, 2.5))
            if run.driver is not None and run.driver.poll() is not None:
                break
            lost |= self._kill(run, rng)
        if run.ended():
            raise SystemExit(run.said)
        self.counts["crawls"] += 1
        self.counts["pages lost"] += PAGES - len(run.pages())
        run.tally()
        self.counts["again"] += sum(count for url, count in run.again.items() if url not in lost)
        requests = Counter(run.requests())
        self.counts["repeated visits"] += sum(requests.values()) - len(requests)

    def _kill(self, run: SharedRun, rng: random.Random) -> set[str]:
        """One kill; what was lost with a folder."""
        number = self.kills + 1
        if number % DRIVER == 0:
            run.kill_driver()
            run.note()
            run.resume()
            awaited(lambda: run.driver is not None and run.place.leader == run.driver.pid)
            self.counts[LEADER] += 1
            return set()
        node = Node(f"n{rng.randrange(3)}")
        if (process := run.place.writers().get(node)) is None:
            return set()
        began = time.monotonic()
        with suppress(ProcessLookupError):
            os.kill(process, 9)
        lost: set[str] = set()
        if number % FOLDER == 0:
            lost = {url for url, has in run.pages().items() if has == node}
            shutil.rmtree(run.place.node(node), ignore_errors=True)
            self.counts[WITH_FOLDER] += 1
        else:
            self.counts[NODE] += 1
        run.note()
        awaited(lambda: run.place.writers().get(node) not in (None, process) or run.driver.poll() is not None)
        self.back.append(time.monotonic() - began)
        return lost

    def table(self) -> list[str]:
        back = sorted(self.back)
        rows = {
            "kills": self.kills,
            **{f"… of {kind}": self.counts[kind] for kind in KINDS},
            "crawls, each gone on with until it ended": self.counts["crawls"],
            "pages lost": self.counts["pages lost"],
            "pages asked for again that a journal had on disk": self.counts["again"],
            AGAIN_IN_ALL: self.counts["repeated visits"],
            "seconds until the node was back, median": f"{median(back):.1f}",
            "… longest": f"{back[-1]:.1f}",
        }
        return [f"| {name} | {value} |" for name, value in rows.items()]


AGAIN_IN_ALL = "visits made again in all, those under way at a kill and those lost with a folder included"
NODE, WITH_FOLDER, LEADER = "nodes", "nodes that lost their folders too", "who leads"
KINDS = (NODE, WITH_FOLDER, LEADER)


def trial(folder: Path, server: WatchedServer, toll: Toll, rng: random.Random, most: int) -> None:
    with shared_run(folder, server, shared_specification(server)) as run:
        toll.suffer(run, rng, most)
    shutil.rmtree(folder)


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    toll, rng, began = Toll(), random.Random(13), time.monotonic()
    with TemporaryDirectory() as place, watched_server(Path(place) / "requests.log") as server:
        while toll.kills < kills:
            most = min(A_CRAWL, kills - toll.kills)
            trial(Path(place) / str(toll.counts["crawls"]), server, toll, rng, most)
            print(f"{toll.kills} kills, {time.monotonic() - began:.0f} s", flush=True)
            head = [
                "# A shared crawl, killed",
                "",
                "`python -m benchmarks.sharing.kill`",
                "",
                "| what | |",
                "|---|---:|",
            ]
            foot = [
                "",
                "A visit that was under way when its node was killed is made again, and so is what the journal had not",
                "on disk: the steps of the last half second. Nothing else may be.",
            ]
            RESULT.write_text("\n".join([*head, *toll.table(), *foot]) + "\n", encoding="utf-8")
    print(RESULT.read_text("utf-8"))


if __name__ == "__main__":
    main()
