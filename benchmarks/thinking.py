"""What strategies that learn from logs and from features think a page costs, at a frontier of so many URLs:

    python benchmarks/thinking.py [NAME ...] [--frontier 100000]

Pages of 80 links and 250 words are made up: 60 links are new, 20 lead to URLs met before, one page in ten satisfies.
Told are milliseconds of CPU time a page in `on_page`, the mean over the last 500 pages before the frontier has the size
asked for and 500 from there on, and the same for the whole way: work that is done now and then is in both.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator

from lycosa.crawl.inputs import PageView, UsageLog
from lycosa.crawl.strategy import Strategy
from lycosa.lab.conformance import kit_inputs
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.url import Url
from lycosa.registry import strategy

NEW, KNOWN, WORDS, VOCABULARY = 60, 20, 250, 30_000
NAMES = ("breadth-first", "best-first", "intelligent", "user-experience", "url-patterns")


class Crawl:
    """As much of a crawl as these strategies look at."""

    step = 1


def url(number: int) -> Url:
    return Url(
        f"http://h{number % 500}.test/{('news', 'wiki', 'shop')[number % 3]}/{number}/page-{number % 97}.html"
    )


def pages(seed: int) -> Iterator[Page]:
    """Pages that a breadth-first crawl could bring."""
    rng, met = random.Random(seed), 1
    number = 0
    while True:
        targets = [*range(met, met + NEW), *(rng.randrange(met) for _ in range(KNOWN))]
        met += NEW
        words = {f"word{int(VOCABULARY * rng.random() ** 3)}": rng.randrange(1, 9) for _ in range(WORDS)}
        links = tuple(Link(source=url(number), target=url(target), anchor="a link") for target in targets)
        yield Page(
            request=Request(url=url(number), order=number),
            final_url=url(number),
            status=200,
            fetched_at=Millis(0),
            media_type="text/html",
            digest="",
            title="",
            text="",
            links=links,
            terms=words,
            relevance=float(rng.random() < 0.1),
        )
        number += 1


def made_up_log(seed: int = 1) -> UsageLog:
    """100,000 views by 5,000 users of 20,000 of the URLs."""
    rng = random.Random(seed)
    sessions = tuple(
        tuple(
            PageView(url=int(20_000 * rng.random() ** 2), at=Millis(rng.randrange(10**9))) for _ in range(10)
        )
        for _ in range(10_000)
    )
    return UsageLog(
        urls=tuple(url(number) for number in range(20_000)),
        users=tuple(rng.randrange(5_000) for _ in sessions),
        sessions=sessions,
    )


def measured(made: Strategy, frontier: int) -> tuple[float, float]:
    """Milliseconds a page about the size asked for, and over all."""
    upto = frontier // (NEW - 1) + 500
    times = []
    for number, page in enumerate(pages(0)):
        if number == upto:
            break
        begun = time.process_time()
        list(made.on_page(page, Crawl()))  # type: ignore[arg-type]
        times.append(time.process_time() - begun)
    return 1000 * sum(times[-1000:]) / len(times[-1000:]), 1000 * sum(times) / len(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--frontier", type=int, default=100_000)
    asked = parser.parse_args()
    inputs = [each for each in kit_inputs() if not isinstance(each, UsageLog)]
    for name in asked.names:
        about, over_all = measured(strategy(name, [*inputs, made_up_log()]), asked.frontier)
        print(f"{name:<20} {about:8.3f} ms a page at {asked.frontier:,}, {over_all:8.3f} over all")


if __name__ == "__main__":
    main()
