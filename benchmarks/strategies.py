"""What thinking costs: strategy and frontier, for pages of 80 and of 424 links, by the size of the frontier.

    python benchmarks/strategies.py [NAME ...] [--sizes 1000,10000,100000] [--write FILE]

Every registered strategy, and best-first in every wrapper (or those named), crawls made-up pages in memory until so
many URLs wait. A page has 400 words and 80 links on 1,000 hosts; 15 % of the links stand among words of the topic.
First all links are new; then one is new, a tenth of the others lead to visited pages and the rest to URLs that were met
before, most of which wait: so the frontier keeps its size. Timed is all of `Crawl.commit` (relevance, strategy, gate,
pace, frontier; the store is a list in memory), in CPU time. The
garbage collector is off: its pauses would tell of the pages that this program holds in memory.

A column for each size: microseconds a page there, the best of three rounds of 60 pages. `whole` is the mean over all
pages of the crawl to the largest size, so what is done now and then, as the crawl grows, is in it; `thinking` is what
the strategy itself has of that; `slowest` is its slowest page. `424 links` and the `thinking` behind it are `whole` and
`thinking` of a second crawl to the largest size, with pages of so many links.

`KB a page` is all that the strategy's state holds after the first crawl, URLs included, shared out over its pages.
Nearly every link of that crawl leads to a new URL: 80 a page, where recorded webs have 2 to 9
(`benchmarks/hunter_cost.py`).

Flags: a mean above 1 ms for strategies that only look at words, 3 ms for those that learn or look at the link graph;
and `grows`, if the last size's column is more than four times the first and 0.2 ms more.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import os
import platform
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FunctionType, ModuleType

import msgspec
import numpy as np

import lycosa
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.inputs import Input, Query
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.traps import Traps
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.kit.conformance import kit_inputs
from lycosa.lab.measures.trajectory import Timed
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.url import Url
from lycosa.scoring.topics.keywords import KeywordTopic
from lycosa.scoring.words.terms import Vocabulary, counts, query_terms
from lycosa.spec.registry import strategy, strategy_names, wrapper_names

LINKS, MANY_LINKS, HOSTS, ROUND, ROUNDS = 80, 424, 1_000, 60, 3
TELLING = 0.15
"""Share of links with words of the topic around them."""
LEXICAL = (
    "best-first",
    "bfs-n",
    "breadth-first",
    "depth-first",
    "fish",
    "random",
    "shark",
    "shark-n",
    "wtms",
)
"""They look at words alone, or at nothing; their limit is 1 ms, that of all others 3 ms."""
TOPIC = "coral lagoon sponge"
WORDS = """
river stone market engine garden window letter music paper bridge winter school doctor silver yellow number simple
orchard travel summer forest island change season wonder planet copper velvet
""".split()  # noqa: SIM905 - a list of words is read as a text


class PageMaker:
    """Pages as the benchmark wants them: made before the clock runs, the same in every run."""

    def __init__(self, links: int) -> None:
        self.links = links
        self.rng = random.Random(5)
        self.topic = TOPIC.split()
        texts = [" ".join(self._words(400, self.rng.choice([0.0, 0.02, 0.3]))) for _ in range(40)]
        self.texts = [(text, counts(text), self.rng.getrandbits(64)) for text in texts]
        about = [self.rng.random() < TELLING for _ in range(500)]
        self.contexts = [" ".join(self._words(20, 0.2 if tells else 0.0)) for tells in about]
        self.made: list[Url] = []
        self.visited: list[Url] = []

    def _words(self, n: int, share: float) -> list[str]:
        return [self.rng.choice(self.topic if self.rng.random() < share else WORDS) for _ in range(n)]

    def page(self, request: Request, new: int, *, known: bool) -> Page:
        """A page with `new` links to new URLs; the others lead to URLs that wait or, a tenth, to visited ones."""
        rng = self.rng
        targets = [self._new() for _ in range(new if known else self.links)]
        while len(targets) < self.links:
            old = self.visited if self.visited and rng.random() < 0.1 else self.made
            targets.append(rng.choice(old))
        rng.shuffle(targets)
        text, terms, mark = rng.choice(self.texts)
        self.visited.append(request.url)
        return Page(
            request=request,
            final_url=request.url,
            status=200,
            fetched_at=Millis(0),
            media_type="text/html",
            digest="",
            title=text[:30],
            text=text,
            terms=terms,
            fingerprint=mark ^ rng.getrandbits(64),
            links=tuple(self._link(request.url, target, i / self.links) for i, target in enumerate(targets)),
        )

    def _new(self) -> Url:
        number = len(self.made)
        host = self.rng.randrange(HOSTS)
        url = Url(f"http://h{host}.test/{self.rng.choice(WORDS)}/{self.rng.choice(WORDS)}-{number}.html")
        self.made.append(url)
        return url

    def _link(self, source: Url, target: Url, position: float) -> Link:
        context = self.rng.choice(self.contexts)
        anchor = context[40 : context.index(" ", 60)]
        path = "html body div#main ul.list li a"
        return Link(
            source=source, target=target, anchor=anchor, context=context, path=path, position=position
        )


class Cost(msgspec.Struct):
    """What one strategy's crawl cost: microseconds a page at each size reached, and over all."""

    name: str
    sizes: dict[int, float] = {}
    whole: float = 0.0
    thinking: float = 0.0
    slowest: float = 0.0
    held: float = 0.0
    whole_of_many: float = 0.0
    thinking_of_many: float = 0.0

    def flags(self) -> str:
        if not self.sizes:
            return "reaches no size"
        limit = 1_000.0 if self.name.partition("+")[0].partition(":")[0] in LEXICAL else 3_000.0
        values = list(self.sizes.values())
        grows = values[-1] > 4 * values[0] and values[-1] > values[0] + 200
        above = max(values[-1], self.whole) > limit
        said = [f"above {limit / 1000:g} ms" if above else "", "grows" if grows else ""]
        return ", ".join(filter(None, said))


def inputs() -> tuple[Input, ...]:
    """What the conformance kit offers, but words: three, as a person would give."""
    return tuple(Query(terms=query_terms(TOPIC)) if isinstance(one, Query) else one for one in kit_inputs())


class Bench:
    """One strategy's crawl, page by page."""

    def __init__(self, name: str, links: int) -> None:
        self.strategy = Timed(strategy(name, inputs()))
        self.crawl = Crawl(
            self.strategy,
            MemoryFrontier(),
            KeywordTopic(TOPIC),
            MemoryStore(),
            gate=Gate(Scope(), Traps()),
            pace=Pace(PaceRules(delay=Millis(0), slowness=0.0)),
            budget=10**9,
        )
        self.maker = PageMaker(links)
        self.crawl.start([self.maker._new() for _ in range(10)], Millis(0))
        self.times: list[float] = []

    def pages(self, count: int, *, new: int, known: bool) -> Iterator[float]:
        """The CPU seconds of each commit."""
        for _ in range(count):
            request = self.crawl.lease(Millis(0))
            if request is None:
                return
            page = self.maker.page(request, new, known=known)
            began = time.process_time_ns()
            self.crawl.commit(page, Millis(0))
            self.times.append((time.process_time_ns() - began) / 1e9)
            yield self.times[-1]

    def grown(self, size: int) -> bool:
        """Let the frontier grow to a size; whether it got there with at most twice the pages that it takes."""
        for _ in self.pages(2 * size // self.maker.links + 100, new=LINKS, known=False):
            if len(self.crawl.frontier) >= size:
                return True
        return False

    def sized(self, sizes: Sequence[int]) -> dict[int, float]:
        """Microseconds a page at each size that the frontier reaches."""
        found = {}
        for size in sizes:
            if not self.grown(size):
                break
            rounds = [list(self.pages(ROUND, new=1, known=True)) for _ in range(ROUNDS)]
            found[size] = min(sum(times) / len(times) for times in rounds if times) * 1e6
        return found

    def mean(self) -> tuple[float, float]:
        """Microseconds a page over all pages: of the commits, and what the strategy has of them."""
        count = len(self.times) / 1e6
        return sum(self.times) / count, self.strategy.seconds / count


def held(root: object) -> int:
    """Bytes of all that an object reaches, code apart and the memory of words that all share."""
    seen, total, open_ = set[int](), 0, [root]
    while open_:
        one = open_.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType | Vocabulary):
            continue
        seen.add(id(one))
        total += sys.getsizeof(one)
        open_ += gc.get_referents(one)
        if isinstance(one, np.ndarray) and one.base is not None:
            open_.append(one.base)
    return total


def cost_of(name: str, sizes: Sequence[int]) -> Cost:
    bench, cost = Bench(name, LINKS), Cost(name)
    cost.sizes = bench.sized(sizes)
    cost.whole, cost.thinking = bench.mean()
    cost.slowest = max(bench.times) * 1e3
    cost.held = held(bench.strategy.inner) / len(bench.times) / 1e3
    if len(cost.sizes) == len(sizes):
        many = Bench(name, MANY_LINKS)
        many.sized(sizes)
        cost.whole_of_many, cost.thinking_of_many = many.mean()
    return cost


def table(costs: Sequence[Cost], sizes: Sequence[int]) -> str:
    means = ["whole", "thinking", "slowest, ms", f"{MANY_LINKS} links", "thinking", "KB a page"]
    head = ["strategy", *(f"{size:,}" for size in sizes), *means, ""]
    rows = [
        [
            cost.name,
            *(f"{cost.sizes[size]:,.0f}" if size in cost.sizes else "–" for size in sizes),
            f"{cost.whole:,.0f}",
            f"{cost.thinking:,.0f}",
            f"{cost.slowest:,.1f}",
            f"{cost.whole_of_many:,.0f}" if cost.whole_of_many else "–",
            f"{cost.thinking_of_many:,.0f}" if cost.whole_of_many else "–",
            f"{cost.held:,.1f}",
            cost.flags(),
        ]
        for cost in costs
    ]
    lines = [head, ["---", *["---:"] * (len(head) - 2), "---"], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--write", type=Path, help="write the table to this file too")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    gc.disable()
    costs = []
    wrapped = [f"best-first+{wrapper}" for wrapper in wrapper_names()]
    for name in given.names or [*strategy_names(), *wrapped]:
        costs.append(cost_of(name, sizes))
        shown = " ".join(f"{size:,}: {value:,.0f} µs;" for size, value in costs[-1].sizes.items())
        sys.stdout.write(f"{name}: {shown} {costs[-1].flags()}\n")
        sys.stdout.flush()
    text = table(costs, sizes)
    sys.stdout.write(f"\n{text}\n")
    if given.write:
        machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
        about = (
            f"lycosa {lycosa.__version__}, {machine}, load average {os.getloadavg()[1]:.0f} (a busy machine makes CPU "
            f"time longer too), {datetime.date.today().isoformat()}. Command: `python benchmarks/strategies.py`. CPU "
            f"microseconds a page of {LINKS} and of {MANY_LINKS} links, by the number of URLs that wait; what is timed "
            "and flagged stands in the program's head.\n"
        )
        given.write.write_text(f"# What thinking costs\n\n{about}\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
