"""How well a crawl knows what it has found, and what stopping rules make of that.

    LYCOSA_SHARED=FOLDER python benchmarks/stopping.py [--webs wikispeedia,webkb] [-D 2] [--topics 8] [--pages 3000]

For the first tuning topics of each recorded web (`lab.split`, share .35) that have start pages at distance D and at
least 20 relevant pages in reach, by best-first and by the hunter with keywords only. Relevant is what the crawl's own
topic model says from 0.1 on, as `lycosa crawl` counts; true recall is the share of all relevant pages in reach of the
start pages that were fetched. Held out are ten targets of the topic, drawn at random, or the ten that most pages link
to; their true recall is that of all targets in reach.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from zlib import crc32

import msgspec
import numpy as np

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.recall import chao, chapman
from lycosa.crawl.scope import Scope
from lycosa.crawl.stopping import Stopping, StopRules
from lycosa.crawl.traps import Traps
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.judge import Brief, brief
from lycosa.lab.links import UNREACHABLE, LinkGraph
from lycosa.lab.split import split
from lycosa.lab.store import PagesOnly
from lycosa.lab.substrate import LabWeb, open_web
from lycosa.lab.tasks import Task, read_tasks
from lycosa.model.records import Millis, Page, Visit
from lycosa.model.url import Url
from lycosa.registry import strategy

RELEVANT_FROM = 0.1
SHOWN = (100, 300, 1000, 2000, 3000)
STRATEGIES = ("best-first", "hunter")
HELD_OUT = 10
LEAST = 20
"""Relevant pages in reach below which a topic is left out: there is little to estimate."""

RULES = {
    "harvest < 10 % of the last 100": StopRules(harvest=0.1),
    "harvest < 5 % of the last 100": StopRules(harvest=0.05),
    "harvest < 5 % of the last 300": StopRules(harvest=0.05, window=300),
    "recall 80 %, captures": StopRules(recall=0.8, recall_by="captures"),
    "recall 80 %, captures, surely": StopRules(recall=0.8, recall_by="captures", surely=True),
    "recall 80 %, held out at random": StopRules(recall=0.8, recall_by="held-out"),
    "recall 80 %, held out, most linked": StopRules(recall=0.8, recall_by="held-out"),
}


class Truth:
    """What a topic's crawl could find, by number of page."""

    def __init__(self, pages: list[Page], graph: LinkGraph, task: Task, told: Brief, distance: int) -> None:
        model = told.source().model()
        relevance = np.array([model.relevance(page) for page in pages])
        starts, excluded = graph.numbers(task.seeds[distance]), graph.numbers(task.excluded)
        reached = graph.distances(starts, excluded) != UNREACHABLE
        self.relevant = set(np.flatnonzero((relevance >= RELEVANT_FROM) & reached).tolist())
        targets = graph.numbers(task.wanted(distance))
        self.targets = {number for number in targets.tolist() if reached[number]}


class Naive:
    """The textbook estimators, on relevant pages fetched, by the relevant pages that link to them."""

    def __init__(self) -> None:
        self.fetched: set[Url] = set()
        self.halves: tuple[set[Url], set[Url]] = (set(), set())
        self.links: defaultdict[Url, int] = defaultdict(int)

    def seen(self, page: Page) -> None:
        if page.relevance < RELEVANT_FROM:
            return
        self.fetched.add(page.url)
        self.halves[crc32(page.url.encode()) % 2].update(page.out)
        for url in page.out:
            self.links[url] += 1

    def chao(self) -> float:
        """Recall, by Chao 1984."""
        times = [self.links[url] for url in self.fetched]
        missing = chao(times.count(1), times.count(2))
        return len(times) / (len(times) + missing) if times else 0.0

    def chapman(self) -> float:
        """Recall, by Chapman 1951: links from one half of the pages, and from the other."""
        first, second = (self.fetched & half for half in self.halves)
        total = max(len(self.fetched), chapman(len(first), len(second), len(first & second)))
        return len(self.fetched) / total if total else 0.0


class Onlooker:
    """Feeds each committed visit to all rules, and notes how things stood."""

    def __init__(self, web: LabWeb, truth: Truth, held_out: dict[str, list[tuple[Url, ...]]]) -> None:
        self.web, self.truth, self.naive = web, truth, Naive()
        self.relevant: set[int] = set()
        self.targets: set[int] = set()
        self.pages = 0
        self.rows: dict[int, dict[str, tuple[float, float, float] | None]] = {}
        self.stops: dict[str, tuple[int, float, float]] = {}
        self._rules = {
            name: Stopping(
                rules,
                relevant_from=RELEVANT_FROM,
                held_out=held_out["most linked" if "linked" in name else "at random"],
            )
            for name, rules in RULES.items()
        }

    def watch(self, visit: Visit) -> None:
        for name, rule in self._rules.items():
            rule.seen(visit)
            if rule.reached and name not in self.stops and isinstance(visit, Page):
                self._count(visit)
                self.stops[name] = (self.pages + 1, *self.recalls())
        if not isinstance(visit, Page):
            return
        self._count(visit)
        self.pages += 1
        self.naive.seen(visit)
        if self.pages in SHOWN:
            self.rows[self.pages] = self._row()

    def _count(self, page: Page) -> None:
        number = self.web.index(page.final_url)
        if number is not None:
            self.relevant |= {number} & self.truth.relevant
            self.targets |= {number} & self.truth.targets

    def recalls(self) -> tuple[float, float]:
        """True recall of relevant pages, and of targets."""
        return len(self.relevant) / len(self.truth.relevant), len(self.targets) / max(
            1, len(self.truth.targets)
        )

    def _row(self) -> dict[str, tuple[float, float, float] | None]:
        relevant, targets = self.recalls()
        row: dict[str, tuple[float, float, float] | None] = {
            "true": (relevant, 0, 1),
            "true of targets": (targets, 0, 1),
            "Chao": (self.naive.chao(), 0, 1),
            "Chapman": (self.naive.chapman(), 0, 1),
            "captures": None,
        }
        for name, rule in self._rules.items():
            for estimate in rule.estimates():
                told = (estimate.recall, estimate.low, estimate.high)
                if estimate.by == "capture–recapture":
                    row["captures"] = told
                elif rule.rules.recall_by == "held-out":
                    row["most linked" if "linked" in name else "at random"] = told
        return row


def crawled(
    web: LabWeb, graph: LinkGraph, task: Task, told: Brief, truth: Truth, name: str, pages: int
) -> Onlooker:
    """One crawl, looked at."""
    targets = sorted(truth.targets)
    links_to = graph.backwards
    known = sorted(targets, key=lambda number: (-len(links_to.out(number)), number))[:HELD_OUT]
    drawn = random.Random(task.id).sample(targets, min(HELD_OUT, len(targets)))
    held_out = {"most linked": [(web.urls[n],) for n in known], "at random": [(web.urls[n],) for n in drawn]}
    onlooker = Onlooker(web, truth, held_out)
    crawl = Crawl(
        strategy(name, told.source().inputs()),
        MemoryFrontier(),
        told.source().model(),
        PagesOnly(),
        gate=Gate(Scope(), Traps()),
        pace=Pace(PaceRules(delay=Millis(0), slowness=0.0)),
        budget=pages,
    )
    clock = VirtualClock()
    visitor = web.visitor(crawl.refuses_redirect, clock, excluded=task.excluded)
    crawl.start(told.seeds, clock.now())
    asyncio.run(simulate(crawl, visitor, visitor.latency, clock, watch=onlooker.watch))
    return onlooker


def looked_at(path: Path, chosen: argparse.Namespace) -> Iterator[tuple[str, Onlooker]]:
    """All crawls of one web: the strategy, and what came of it."""
    web = open_web([path])
    graph = LinkGraph.of_web(web)
    tasks = read_tasks(path / "topics.jsonl")
    tuning = split([task.id for task in tasks], 0.35).pick(tasks, "tuning")
    pages = [msgspec.structs.replace(web.page(number), links=(), text="") for number in range(len(web))]
    looked = 0
    for task in [task for task in tuning if chosen.distance in task.seeds]:
        if looked == chosen.topics:
            return
        told = brief(task, chosen.distance)
        truth = Truth(pages, graph, task, told, chosen.distance)
        if len(truth.relevant) < LEAST or len(truth.targets) < HELD_OUT:
            continue
        looked += 1
        for name in STRATEGIES:
            yield name, crawled(web, graph, task, told, truth, name, chosen.pages)


def log_odds(share: float) -> float:
    held = min(max(share, 0.005), 0.995)
    return log(held / (1 - held))


def mean(values: list[float]) -> str:
    return f"{np.mean(values):5.2f}" if values else "    –"


def tell_estimates(name: str, crawls: list[Onlooker], say: Callable[[str], object]) -> None:
    for pages in SHOWN:
        rows = [crawl.rows[pages] for crawl in crawls if pages in crawl.rows]
        if not rows:
            continue
        cells = []
        for method in ("Chao", "Chapman", "captures", "at random", "most linked"):
            true = "true of targets" if method in ("at random", "most linked") else "true"
            pairs = [(row[method], row[true][0]) for row in rows if row.get(method) and row[true]]  # type: ignore[index]
            told = [(each, right) for each, right in pairs if each is not None]
            errors = [abs(each[0] - right) for each, right in told]
            cells.append(f"{mean([each[0] for each, _ in told])} ±{mean(errors)}")
            if method == "captures":
                held = [float(each[1] <= right <= each[2]) for each, right in told]
                wrong = [(log_odds(right) - log_odds(each[0])) ** 2 for each, right in told]
                cells[-1] += (
                    f" {len(told):2}/{len(rows):<2} {mean(held)} {mean([np.mean(wrong) ** 0.5] if wrong else [])}"
                )
        true_recalls = [mean([row[which][0] for row in rows]) for which in ("true", "true of targets")]  # type: ignore[index]
        say(
            f"{name:<11} {pages:>5}  {true_recalls[0]}  {cells[0]}  {cells[1]}  {cells[2]}"
            f"  | {true_recalls[1]}  {cells[3]}  {cells[4]}\n"
        )


def tell_stops(name: str, crawls: list[Onlooker], say: Callable[[str], object]) -> None:
    for rule in RULES:
        stops = [crawl.stops[rule] for crawl in crawls if rule in crawl.stops]
        enough = [float(stop[2 if "held" in rule else 1] >= 0.8) for stop in stops]
        pages = f"{np.mean([stop[0] for stop in stops]):7,.0f}" if stops else "      –"
        say(
            f"{name:<11} {rule:<36} {len(stops):2}/{len(crawls):<2} {pages}"
            f"  {mean([stop[1] for stop in stops])}  {mean([stop[2] for stop in stops])}"
            f"  {mean(enough) if 'recall' in rule else ''}\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--webs", default="wikispeedia,webkb,uci-ics-10k")
    parser.add_argument("-D", "--distance", type=int, default=2)
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--pages", type=int, default=3000)
    chosen = parser.parse_args()
    say = sys.stdout.write
    for web in chosen.webs.split(","):
        by_strategy: dict[str, list[Onlooker]] = {name: [] for name in STRATEGIES}
        for name, onlooker in looked_at(Path(os.environ["LYCOSA_SHARED"]) / "webs" / web, chosen):
            by_strategy[name].append(onlooker)
        say(f"\n{web}, D = {chosen.distance}, {len(by_strategy[STRATEGIES[0]])} topics\n\n")
        say(f"{'':<11} pages   true  {'Chao':<12} {'Chapman':<12} {'captures: told, in 95 %, log odds':<32}")
        say("  | targets  held out: random, most linked\n")
        for name, crawls in by_strategy.items():
            tell_estimates(name, crawls, say)
        say(f"\n{'':<11} {'rule':<36} stopped  pages  relevant  targets  ≥ 80 %\n")
        for name, crawls in by_strategy.items():
            tell_stops(name, crawls, say)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
