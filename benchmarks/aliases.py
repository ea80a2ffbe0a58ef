"""Pages under two names: which differences between names make none, what the rules learned from that get wrong, and
what a crawl gains.

    LYCOSA_SHARED=FOLDER python benchmarks/aliases.py [--webs uci-ics-10k,webkb,boost-www] [--orders 5]
    LYCOSA_SHARED=FOLDER python benchmarks/aliases.py --crawls [--webs uci-ics-10k,webkb] [--tasks FOLDER] [--reporting]

The first tells, for each recorded web in `webs/`: pairs of recorded URLs that differ in one kind of variant, by whether
they hold the same words, nearly the same (fingerprints differ in at most three bits) or others; the URLs that pages
link to and that the recording has under another name only; and what a crawl of all pages, in orders drawn by chance,
would not have fetched, and would have lost by that.

The second crawls 300 pages as the command line does, with each name a page and with names learned, on topics of the
half for trying (`--reporting`: of the other). It tells pages, distinct texts, visits, and target recall by name and by
text.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from lycosa.crawl.aliases import Aliases
from lycosa.crawl.sketch import exact
from lycosa.crawl.traps import NEAR
from lycosa.crawl.variants import SHAPES, parameters, site_of, without
from lycosa.lab.experiments.cell import Field, Result, run_cell
from lycosa.lab.experiments.design import Cell
from lycosa.lab.measures.trajectory import Names
from lycosa.lab.tasks.judge import brief
from lycosa.lab.tasks.split import split
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.clutter import Clutter
from lycosa.lab.webs.conditions import Conditions
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.records import Request, UrlState
from lycosa.model.url import Host, Url

SAME, NEARLY, OTHERWISE = "same", "nearly the same", "different"
SHOWN = 12
"""Parameters that are told one by one, those of most pairs."""


class Texts:
    """What the pages of a web say."""

    def __init__(self, web: LabWeb) -> None:
        self.words = [exact(web.text(row)) for row in range(len(web))]
        pages = map(web.page, range(len(web)))
        self.marks = [(page.digest, page.fingerprint) for page in pages]

    def compared(self, one: int, other: int) -> str:
        (digest, mark), (its_digest, its_mark) = self.marks[one], self.marks[other]
        if digest == its_digest or (mark and self.words[one] == self.words[other]):
            return SAME
        near = mark and its_mark and (mark ^ its_mark).bit_count() <= NEAR
        return NEARLY if near else OTHERWISE


def pairs(urls: Iterable[Url]) -> Iterator[tuple[str, int, int]]:
    """Kind of variant, and two rows: the first of each group of names and each other one."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, url in enumerate(urls):
        for kind in {*SHAPES, *(kind for kind, _ in parameters(url))}:
            groups[kind, without(url, {kind})].append(row)
    bare = {url: row for row, url in enumerate(urls)}
    for (kind, name), rows in groups.items():
        shown = [bare[Url(name)]] if kind not in SHAPES and Url(name) in bare else []
        first, *others = dict.fromkeys([*shown, *rows])
        for other in others:
            yield kind, first, other


def table_of_pairs(web: LabWeb, texts: Texts) -> Iterator[str]:
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    by_site: dict[str, dict[Host, set[str]]] = defaultdict(lambda: defaultdict(set))
    for kind, one, other in pairs(web.urls):
        verdict = texts.compared(one, other)
        counted[kind][verdict] += 1
        by_site[kind][site_of(web.urls[one])].add(verdict)
    yield "| kind | pairs | same | nearly | different | sites | of them always the same |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    order = sorted(counted, key=lambda kind: (kind not in SHAPES, -counted[kind].total(), kind))
    for kind in [kind for kind in order if kind in SHAPES] + [k for k in order if k not in SHAPES][:SHOWN]:
        counts, sites = counted[kind], by_site[kind].values()
        always = sum(verdicts == {SAME} for verdicts in sites)
        yield (
            f"| {kind} | {counts.total():,} | {counts[SAME]:,} | {counts[NEARLY]:,} | {counts[OTHERWISE]:,} "
            f"| {len(sites)} | {always} |"
        )
    rest = Counter[str]()
    for kind in [kind for kind in order if kind not in SHAPES][SHOWN:]:
        rest += counted[kind]
    yield f"| other parameters | {rest.total():,} | {rest[SAME]:,} | {rest[NEARLY]:,} | {rest[OTHERWISE]:,} | | |"


def known_otherwise(web: LabWeb) -> Counter[str]:
    """Links' targets that the recording has, but under another name, by the kinds between the names."""
    found = Counter[str]()
    for number, row in enumerate(web.pages.nodes):
        asked = Url(web.pages.urls[number])
        if row < 0 or asked == (name := web.urls[row]):
            continue
        needed = [
            kind
            for kind in sorted(SHAPES)
            if without(asked, SHAPES - {kind}) != without(name, SHAPES - {kind})
        ]
        alike = without(asked, SHAPES) == without(name, SHAPES)
        found[" and ".join(needed) if alike and needed else "something else"] += 1
    return found


def read_by_chance(web: LabWeb, texts: Texts, draw: random.Random) -> Counter[str]:
    """All pages in an order by chance: what is not fetched, as it is a second name, and whether its text is missed."""
    aliases, rows = Aliases(), list(range(len(web)))
    draw.shuffle(rows)
    fetched, refused = list[int](), list[tuple[int, int]]()
    numbers = {url: row for row, url in enumerate(web.urls)}
    for row in rows:
        first = aliases.first_name(web.urls[row], lambda url: UrlState.VISITED)
        if first is not None:
            refused.append((row, numbers[first]))
        else:
            fetched.append(row)
            aliases.seen(web.pages.page(row, Request(url=web.urls[row], order=row)))
    had = {texts.words[row] for row in fetched}
    told = Counter(texts.compared(*pair) for pair in refused)
    told["lost"] = len({texts.words[row] for row, _ in refused} - had)
    told["wrongly"] = sum(
        texts.words[row] not in had and texts.compared(row, first) == OTHERWISE for row, first in refused
    )
    return told


def table_of_orders(web: LabWeb, texts: Texts, orders: int) -> Iterator[str]:
    second = len(web) - len(set(texts.words))
    yield f"{len(web):,} pages, {second:,} of them with a text that another one has."
    yield ""
    yield "| order | not fetched | same text | nearly | different | texts missed | of different pages |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for seed in range(orders):
        told = read_by_chance(web, texts, random.Random(seed))
        counts = [told[name] for name in (SAME, NEARLY, OTHERWISE)]
        yield (
            f"| {seed} | {sum(counts)} | "
            + " | ".join(map(str, [*counts, told["lost"], told["wrongly"]]))
            + " |"
        )


# -- crawls ------------------------------------------------------------------------------------------------------

PAGES = 300
STRATEGIES = ("hunter", "best-first")
LITTER = Clutter(copied=0.3, copies=3, traps=0.1)
WAYS = {"each name a page": False, "names learned": True}


class Found(NamedTuple):
    """What one crawl came to."""

    pages: int
    texts: int
    visits: int
    recall: float
    by_text: float


def judged(result: Result, task: Task, distance: int, field: Field, texts: Texts) -> Found:
    """Pages that were put in have no text that counts."""
    numbers, known = result.trajectory.pages.tolist(), len(texts.words)
    targets = set(field.names.numbers(task.wanted(distance)).tolist())
    wanted = {texts.words[target] for target in targets if target < known}
    had = {texts.words[number] for number in numbers if number < known}
    return Found(
        pages=len(numbers),
        texts=len(had),
        visits=len(numbers) + len(result.trajectory.failed_visits),
        recall=len(targets & set(numbers)) / len(targets),
        by_text=len(wanted & had) / max(1, len(wanted)),
    )


def table_of_crawls(
    web: LabWeb, tasks: Sequence[Task], texts: Texts, litter: Clutter | None
) -> Iterator[str]:
    names = Names(web.urls, web.index)
    yield "| strategy | D | | topics | pages | distinct texts | visits | target recall | by text | better, worse |"
    yield "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|"
    for strategy, distance in product(STRATEGIES, (2, 3)):
        before: list[Found] = []
        for way, aliases in WAYS.items():
            conditions = Conditions(aliases=aliases, litter=litter)
            found = [
                crawled(web, names, texts, task, strategy, distance, conditions)
                for task in tasks
                if task.seeds.get(distance)
            ]
            if found:
                yield f"| {strategy} | {distance} | {way} | {len(found)} | {means(found)} | {turns(before, found)} |"
            before = found


def means(found: Sequence[Found]) -> str:
    columns = [sum(column) / len(found) for column in zip(*found, strict=True)]
    return " | ".join([f"{value:.1f}" for value in columns[:3]] + [f"{value:.3f}" for value in columns[3:]])


def turns(before: Sequence[Found], after: Sequence[Found]) -> str:
    """Topics with more recall by text than before, and with less."""
    pairs = [(one.by_text, other.by_text) for one, other in zip(before, after, strict=False)]
    return f"{sum(b > a for a, b in pairs)}, {sum(b < a for a, b in pairs)}" if pairs else ""


def crawled(
    web: LabWeb,
    names: Names,
    texts: Texts,
    task: Task,
    strategy: str,
    distance: int,
    conditions: Conditions,
) -> Found:
    field = Field(web, names, task.excluded)
    cell = Cell(
        label=strategy,
        strategy=strategy,
        web="",
        task=task.id,
        distance=distance,
        pages=PAGES,
        frontier=0,
        seed=0,
        examples=0,
        conditions=conditions,
    )
    result = run_cell(cell, field, brief(task, distance))
    if result.problem:
        raise RuntimeError(result.problem)
    return judged(result, task, distance, field, texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--webs", default="uci-ics-10k,webkb,boost-www")
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--crawls", action="store_true")
    parser.add_argument("--litter", action="store_true", help="with near-copies and traps put in")
    parser.add_argument("--topics", type=int, default=12)
    parser.add_argument(
        "--tasks", type=Path, help="a folder of tasks, WEB.jsonl; else those that came with the web"
    )
    parser.add_argument("--reporting", action="store_true", help="topics of the other half")
    given = parser.parse_args()
    for name in given.webs.split(","):
        folder = Path(os.environ["LYCOSA_SHARED"]) / "webs" / name
        web = open_web([folder])
        texts = Texts(web)
        say(f"## {name}\n")
        if given.crawls:
            tasks = read_tasks(given.tasks / f"{name}.jsonl" if given.tasks else folder / "topics.jsonl")
            half = split((task.id for task in tasks), 0.5)
            tasks = half.pick(tasks, "reporting" if given.reporting else "tuning")[: given.topics]
            for line in table_of_crawls(web, tasks, texts, LITTER if given.litter else None):
                say(line)
        else:
            for line in table_of_pairs(web, texts):
                say(line)
            others = ", ".join(
                f"{count:,} by {kinds}" for kinds, count in known_otherwise(web).most_common(6)
            )
            say(f"\nLinks to pages that were recorded under another name: {others or 'none'}.\n")
            for line in table_of_orders(web, texts, given.orders):
                say(line)
        say("")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
