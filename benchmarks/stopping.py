"""How well a crawl knows what it has found, and what stopping rules make of that.

    LYCOSA_SHARED=FOLDER python benchmarks/stopping.py [--webs wikispeedia,webkb] [-D 2] [--topics 8] [--pages 3000]

For the first tuning topics of each recorded web (`lab.split`, share .35) that have start pages at distance D and at
least 20 relevant pages in reach, by best-first and by the hunter with keywords only. Relevant is what the crawl's own
topic model says from 0.1 on, as `lycosa crawl` counts; true recall is the share of all relevant pages in reach of the
start pages that were fetched. Held out are ten targets of the topic (half of them, if there are fewer than twenty),
drawn at random, or those that most pages link to; their true recall is that of the other targets in reach.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from math import log
from pathlib import Path
from typing import NamedTuple
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
from lycosa.lab.experiments.pages_only import PagesOnly
from lycosa.lab.tasks.judge import Brief, brief
from lycosa.lab.tasks.split import split
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.lab.webs.link_graph import UNREACHABLE, LinkGraph
from lycosa.model.records import Millis, Page, Visit
from lycosa.model.url import Url
from lycosa.spec.registry import strategy

RELEVANT_FROM = 0.1
SHOWN = (100, 300, 1000, 2000, 3000)
STRATEGIES = ("best-first", "hunter")
HELD_OUT = 10
METHODS = ("Chao", "Chapman", "captures", "at random", "most linked")
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
        self.relevant = frozenset(np.flatnonzero((relevance >= RELEVANT_FROM) & reached).tolist())
        targets = graph.numbers(task.wanted(distance))
        self.targets = frozenset(number for number in targets.tolist() if reached[number])


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


class Told(NamedTuple):
    """What an estimate said, and how it was."""

    said: float
    low: float
    high: float
    true: float


class Sample(NamedTuple):
    """Targets that were held out, and the others, by which they are judged."""

    held_out: frozenset[int]
    others: frozenset[int]


class Onlooker:
    """Feeds each committed visit to all rules, and notes how things stood."""

    def __init__(self, web: LabWeb, truth: Truth, samples: Mapping[str, Sample]) -> None:
        self.web, self.truth, self.naive, self.samples = web, truth, Naive(), samples
        self.fetched: set[int] = set()
        self.pages = 0
        self.rows: dict[int, dict[str, Told]] = {}
        self.stops: dict[str, tuple[int, float, float]] = {}
        """By rule: pages, and true recall of relevant pages and of targets, held-out ones left out."""
        self._rules = {
            name: Stopping(
                rules,
                relevant_from=RELEVANT_FROM,
                held_out=[(web.urls[number],) for number in sorted(samples[sample_of(name)].held_out)],
            )
            for name, rules in RULES.items()
        }

    def watch(self, visit: Visit) -> None:
        if isinstance(visit, Page):
            self.pages += 1
            self.naive.seen(visit)
            if (number := self.web.index(visit.final_url)) is not None:
                self.fetched.add(number)
        for name, rule in self._rules.items():
            rule.seen(visit)
            if rule.reached and name not in self.stops:
                others = self.samples[sample_of(name)].others
                self.stops[name] = self.pages, self._share(self.truth.relevant), self._share(others)
        if isinstance(visit, Page) and self.pages in SHOWN:
            self.rows[self.pages] = dict(self._row())

    def _share(self, wanted: Collection[int]) -> float:
        return len(self.fetched.intersection(wanted)) / max(1, len(wanted))

    def _row(self) -> Iterator[tuple[str, Told]]:
        true = self._share(self.truth.relevant)
        for name, said in (("Chao", self.naive.chao()), ("Chapman", self.naive.chapman())):
            yield name, Told(said, 0, 1, true)
        yield "targets", Told(self._share(self.truth.targets), 0, 1, 0)
        for name, rule in self._rules.items():
            for each in rule.estimates():
                if each.by == "capture–recapture":
                    yield "captures", Told(each.recall, each.low, each.high, true)
                elif "held" in name:
                    others = self._share(self.samples[sample_of(name)].others)
                    yield sample_of(name), Told(each.recall, each.low, each.high, others)


def sample_of(rule: str) -> str:
    """The held-out examples that a rule goes by; it does not matter for those that go by none."""
    return "most linked" if "linked" in rule else "at random"


def samples_of(task: Task, graph: LinkGraph, truth: Truth) -> Mapping[str, Sample]:
    """Ten of the targets, or half of them if there are fewer than twenty."""
    targets, count = sorted(truth.targets), min(HELD_OUT, len(truth.targets) // 2)
    in_links = graph.backwards
    known = sorted(targets, key=lambda number: (-len(in_links.out(number)), number))[:count]
    drawn = random.Random(task.id).sample(targets, count)
    return {
        name: Sample(frozenset(held), frozenset(targets) - frozenset(held))
        for name, held in (("most linked", known), ("at random", drawn))
    }


def crawled(
    web: LabWeb, graph: LinkGraph, task: Task, told: Brief, truth: Truth, name: str, pages: int
) -> Onlooker:
    """One crawl, looked at."""
    onlooker = Onlooker(web, truth, samples_of(task, graph, truth))
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
    """How far each method was from the truth, after so many pages and over all of these."""
    for pages in SHOWN:
        if rows := [crawl.rows[pages] for crawl in crawls if pages in crawl.rows]:
            true, targets = (
                [row[key][place] for row in rows] for key, place in (("Chao", 3), ("targets", 0))
            )
            cells = [cell([row[method] for row in rows if method in row]) for method in METHODS]
            told = f"{sum('captures' in row for row in rows):2}/{len(rows):<2}"
            say(
                f"{name:<11} {pages:>5}  {mean(true)}  {cells[0]}  {cells[1]}  {cells[2]} {told}"
                f"  | {mean(targets)}  {cells[3]}  {cells[4]}\n"
            )
    for method in METHODS[2:]:
        found = [row[method] for crawl in crawls for row in crawl.rows.values() if method in row]
        within = [float(each.low <= each.true <= each.high) for each in found]
        wrong = [(log_odds(each.true) - log_odds(each.said)) ** 2 for each in found]
        say(
            f"{name:<11} {method}: {len(found)} estimates, {mean(within)} of them with the truth in their interval, "
            f"root mean square in log odds {mean([float(np.mean(wrong)) ** 0.5] if wrong else [])}\n"
        )


def cell(found: list[Told]) -> str:
    """The mean of what was said, and how far it was off on average."""
    return f"{mean([each.said for each in found])} ±{mean([abs(each.said - each.true) for each in found])}"


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
        say(f"{'':<11} pages   true  {'Chao':<12} {'Chapman':<12} {'captures: told':<19}")
        say("  | targets  held out: random, most linked\n")
        for name, crawls in by_strategy.items():
            tell_estimates(name, crawls, say)
        say(f"\n{'':<11} {'rule':<36} stopped  pages  relevant  targets  ≥ 80 %\n")
        for name, crawls in by_strategy.items():
            tell_stops(name, crawls, say)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
