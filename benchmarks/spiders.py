"""InfoSpiders on a recorded web: target recall of all kinds beside simpler strategies, and what they cost.

    LYCOSA_SHARED=FOLDER python benchmarks/spiders.py [--topics 20] [--pages 1000] [--only NAME …] [--write FILE]

Crawls the recorded encyclopaedia `webs/wikispeedia` under virtual time, one visit at a time and without politeness, for
its first topics from their start pages at distance 3. Prints the mean share of each topic's targets that were found at
several points, with the standard error over topics at the last; and the strategy's own thinking in milliseconds of CPU
a page (`time.process_time`, all its topics together; the crawl's settling and storing apart).

The page database is made of crawls of the same web for the same topics by the strategy without one: it holds pages that
the classifier took for the topic's, some of them targets. That is what a second search knows from the first, so its
recall counts pages found again, and must not be compared with that of strategies that search for the first time. Of a
third kind is `other topics' pages`: a database made of crawls for all other topics, which tells what a wrong one does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.drive.parsed import ParsedRecording, ParsedVisitor, kept_in

from lycosa.archive.collection import Collection
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.inputs import Input, KnownPage, PageDatabase, Query
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import View
from lycosa.crawl.traps import Traps
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.commands import Command
from lycosa.model.records import Millis, Page
from lycosa.model.url import Url, canonical
from lycosa.scoring.topics.community import members
from lycosa.scoring.topics.keywords import KeywordTopic
from lycosa.scoring.words.terms import query_terms
from lycosa.spec.registry import strategy
from lycosa.strategies.wrappers.wrapper import StrategyWrapper
from lycosa.web.recorded import RecordedWeb

VARIANTS = {
    "learning, evolution": "",
    "no learning": ",learning=false",
    "no evolution": ",evolution=false",
    "neither": ",learning=false,evolution=false",
}
RUNS: Mapping[str, tuple[str, str]] = {
    "breadth-first": ("breadth-first", ""),
    "best-first": ("best-first", ""),
    "bfs-n, n = 256": ("bfs-n:n=256", ""),
    **{
        f"infospiders, M = {m}, {name}": (f"infospiders:max_buffer={m}{options}", "")
        for m in (256, 2048)
        for name, options in VARIANTS.items()
    },
    "infospiders, M = 2048, β log": ("infospiders:max_buffer=2048,beta_scale=log", ""),
    "infospiders-energy": ("infospiders-energy", ""),
    "infospiders-energy, visits cheaper": ("infospiders-energy:cost=0.02,cost_of_time=0", ""),
    "infospiders-energy, memoryless": ("infospiders-energy:keep_frontier=false", ""),
    "infospiders-energy, own pages known": ("infospiders-energy", "own"),
    "infospiders-energy, other topics' pages": ("infospiders-energy", "other"),
}
"""Strategies, and which page database they are given."""


class Topic(NamedTuple):
    name: str
    keywords: str
    targets: frozenset[Url]
    seeds: tuple[Url, ...]


class Thinking(StrategyWrapper):
    """Measures the strategy inside."""

    seconds = 0.0

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_start(seeds, crawl))

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_page(page, crawl))

    def on_idle(self, crawl: View) -> Iterable[Command]:
        return self._timed(lambda: self.inner.on_idle(crawl))

    def _timed(self, think: Callable[[], Iterable[Command]]) -> Iterable[Command]:
        began = time.process_time()
        commands = list(think())
        self.seconds += time.process_time() - began
        return commands


class Outcome(NamedTuple):
    """One crawl."""

    pages: list[Page]
    thinking: float
    ended: str
    facts: Mapping[str, Any]

    def recall(self, topic: Topic, n: int) -> float:
        found = {url for page in self.pages[:n] for url in (page.url, page.final_url)}
        return len(topic.targets & found) / len(topic.targets)

    def relevance(self, n: int) -> float:
        return sum(page.relevance for page in self.pages[:n]) / max(1, min(n, len(self.pages)))


def crawled(
    parsed: ParsedRecording, topic: Topic, name: str, given: Sequence[Input], budget: int, seed: int
) -> Outcome:
    clock, web = VirtualClock(), RecordedWeb(parsed)
    thinking = Thinking(strategy(name, [Query(terms=query_terms(topic.keywords)), *given]))
    crawl = Crawl(
        thinking,
        MemoryFrontier(),
        KeywordTopic(topic.keywords),
        MemoryStore(),
        gate=Gate(Scope(), Traps()),
        pace=Pace(PaceRules(delay=Millis(0), slowness=0.0)),
        seed=seed,
        budget=budget,
    )
    visitor = ParsedVisitor(web, parsed, None, crawl.refuses_redirect, clock)
    crawl.start(topic.seeds, clock.now())
    asyncio.run(simulate(crawl, visitor, web.latency, clock, width=1))
    pages = [entry.event for entry in crawl.store.entries() if isinstance(entry.event, Page)]
    return Outcome(pages, thinking.seconds, str(crawl.ended or ""), thinking.inner.facts())


def topics_of(file: Path, n: int) -> list[Topic]:
    found = []
    for line in file.read_text(encoding="utf-8").splitlines()[:n]:
        told = json.loads(line)
        found.append(
            Topic(
                told["id"],
                " ".join(told["keywords"]),
                frozenset(map(canonical, told["targets"])),
                tuple(map(canonical, told["seeds"]["3"])),
            )
        )
    return found


def database_of(outcome: Outcome, topic: Topic) -> list[KnownPage]:
    """What `lycosa database update` makes of a crawl without example pages: its ten best are the seed set."""
    best = sorted(outcome.pages, key=lambda page: -page.relevance)[:10]
    judged = members([page.terms for page in best], [page.terms for page in outcome.pages])
    pages = [
        KnownPage(url=page.final_url, score=one.score, label=one.label, community=topic.keywords)
        for page, one in zip(outcome.pages, judged, strict=True)
    ]
    return sorted(pages, key=lambda page: (-page.score, page.url))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--topics", type=int, default=20)
    options.add_argument("--pages", type=int, default=1_000)
    options.add_argument("--seeds", type=int, default=1, help="crawls for each topic by strategies of chance")
    options.add_argument("--only", nargs="*", help="names of rows")
    options.add_argument("--write", type=Path, help="write the table to this file too")
    given = options.parse_args()
    shared = os.environ.get("LYCOSA_SHARED")
    if not shared:
        raise SystemExit("LYCOSA_SHARED is not set: it names the folder that holds webs/wikispeedia")
    folder = Path(shared) / "webs" / "wikispeedia"
    files = sorted(folder.glob("*.warc.gz"))
    parsed = ParsedRecording(Collection.open(files))
    parsed.load(kept := kept_in(files))
    topics = topics_of(folder / "topics.jsonl", given.topics)
    points = [given.pages // 5, given.pages // 2, given.pages]
    rows = [
        f"| strategy | {' | '.join(f'{n:,}' for n in points)} | ± | relevance | pages | ms a page | alive |"
    ]
    rows.append("|---|---|---|---|---|---|---|---|---|")
    first: dict[str, list[KnownPage]] = {}
    for name, (specification, knows) in RUNS.items():
        if given.only and name not in given.only:
            continue
        outcomes = []
        for topic in topics:
            inputs = _inputs(knows, topic, topics, first)
            runs = [
                crawled(parsed, topic, specification, inputs, given.pages, seed)
                for seed in range(given.seeds if "spiders" in name else 1)
            ]
            outcomes.append((topic, runs))
            if specification == "infospiders-energy" and not knows:
                first[topic.name] = database_of(runs[0], topic)
        rows.append(_row(name, outcomes, points))
        print(rows[-1], file=sys.stderr, flush=True)
    parsed.save(kept)
    command = " ".join(["python", "benchmarks/spiders.py", *sys.argv[1:]])
    report = f"# InfoSpiders on a recorded web\n\n`{command}`\n\n" + "\n".join(rows) + "\n"
    print(report)
    if given.write:
        given.write.write_text(report, encoding="utf-8")


def _inputs(
    knows: str, topic: Topic, topics: Sequence[Topic], first: Mapping[str, list[KnownPage]]
) -> list[Input]:
    if knows == "own":
        return [PageDatabase(pages=tuple(first[topic.name]))]
    if knows == "other":
        others = [page for each in topics if each != topic for page in first[each.name]]
        return [PageDatabase(pages=tuple(sorted(others, key=lambda page: (-page.score, page.url))))]
    return []


def _row(name: str, outcomes: Sequence[tuple[Topic, list[Outcome]]], points: Sequence[int]) -> str:
    def mean(numbers: Iterable[float]) -> float:
        listed = list(numbers)
        return sum(listed) / len(listed)

    def recalls(n: int) -> list[float]:
        return [mean(run.recall(topic, n) for run in runs) for topic, runs in outcomes]

    last = recalls(points[-1])
    spread = math.sqrt(sum((each - mean(last)) ** 2 for each in last) / max(1, len(last) - 1) / len(last))
    all_runs = [run for _, runs in outcomes for run in runs]
    pages = sum(len(run.pages) for run in all_runs)
    thinking = sum(run.thinking for run in all_runs)
    alive = [len(run.facts["agents"]) for run in all_runs if "agents" in run.facts]
    cells = [
        *(f"{mean(recalls(n)):.3f}" for n in points),
        f"{spread:.3f}",
        f"{mean(run.relevance(points[-1]) for run in all_runs):.3f}",
        f"{pages / len(all_runs):,.0f}",
        f"{1000 * thinking / pages:.2f}",
        f"{mean(alive):.1f}" if alive else "",
    ]
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
