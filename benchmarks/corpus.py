"""A crawl as a corpus: what each text costs, how many copies there are, and what each rule leaves out.

    python benchmarks/corpus.py RECORDING START [START …] [--pages 3900] [--part texts|copies|rules …]

Crawls a recorded web breadth-first, then exports it several times. Times are CPU seconds of this process: the better of
two runs. Near copies are held beside the exact share of five-word runs that two texts have in common; those that were
missed are found by comparing all texts that share a rare run (a text with J ≥ 0.8 shares one of its smallest 20 % of
hashes with the other).
"""

from __future__ import annotations

import argparse
import io
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import lycosa
from lycosa.crawls.answers import PageRow
from lycosa.crawls.corpus.filters import Filters
from lycosa.crawls.corpus.near_firsts import ALIKE
from lycosa.crawls.corpus.selection import Choice
from lycosa.crawls.interface import Folder
from lycosa.read.duplicates import jaccard, shingles
from lycosa.report.card import Measured, Tally
from lycosa.report.exported import write_jsonl

TEXTS: Sequence[tuple[str, Choice]] = (
    ("none", {"text": False}),
    ("all", {"text": "all"}),
    ("main", {"text": "main"}),
    ("markdown", {"text": "markdown"}),
)
RULES: Sequence[tuple[str, Filters]] = (
    ("--min-words 50", Filters(min_words=50)),
    ("--max-words 100000", Filters(max_words=100_000)),
    ("--language-confidence 65%", Filters(language_confidence=0.65)),
    ("--max-repetition 20%", Filters(max_repetition=0.2)),
    ("--max-repetition 10%", Filters(max_repetition=0.1)),
    ("--max-boilerplate 90%", Filters(max_boilerplate=0.9)),
    ("--max-boilerplate 70%", Filters(max_boilerplate=0.7)),
    ("--licence '*creativecommons.org/*'", Filters(licence=("*creativecommons.org/*",))),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("web", type=Path)
    parser.add_argument("start", nargs="+")
    parser.add_argument("--pages", type=int, default=3_900)
    parser.add_argument("--part", action="append", choices=PARTS)
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        settings = {"web": f"recorded:{given.web}", "strategy": "breadth-first", "pages": given.pages}
        with lycosa.crawl("research", given.start, out=Path(place) / "crawl", **settings) as folder:
            for part in given.part or PARTS:
                PARTS[part](folder)
                print(flush=True)


def texts(folder: Folder) -> None:
    print("| text | CPU s | ms a page | MB | duplicates | near |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, choice in TEXTS:
        print(exported(folder, name, choice), flush=True)


def copies(folder: Folder) -> None:
    print("| near copies of | J below 0.7 | 0.7 to 0.8 | from 0.8 | not named, J from 0.8 | from 0.9 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    print(resemblances("all", list(folder.rows(text="all"))), flush=True)
    print(resemblances("main", list(folder.rows(text="main"))))


def rules(folder: Folder) -> None:
    rows = list(folder.rows(text="main"))
    print(f"| rule, with main texts | of {len(rows):,} pages it leaves out | |\n| --- | ---: | ---: |")
    for name, rule in RULES:
        print(left_out(name, [bool(rule.refused(row)) for row in rows]))
    print(left_out("--language en", [row.language != "en" for row in rows]))
    print(left_out("--distinct", [bool(row.duplicate_of or row.near_duplicate_of) for row in rows]))


def left_out(name: str, each: Sequence[bool]) -> str:
    return f"| `{name}` | {sum(each):,} | {100 * sum(each) / len(each):.1f} % |"


PARTS: dict[str, Callable[[Folder], None]] = {"texts": texts, "copies": copies, "rules": rules}


def exported(folder: Folder, name: str, choice: Choice) -> str:
    """One row: the better of two runs."""
    runs = [run(folder, choice) for _ in range(2)]
    seconds = min(each[0] for each in runs)
    _, pages, size, copies, near = runs[0]
    each = 1000 * seconds / pages
    return f"| {name} | {seconds:.2f} | {each:.2f} | {size / 1e6:.1f} | {copies} | {near} |"


def run(folder: Folder, choice: Choice) -> tuple[float, int, int, int, int]:
    begun = time.process_time()
    found, tally, file = folder.selected(**choice), Tally(), Measured(io.BytesIO())
    write_jsonl(tally.counted(found), file)
    seconds = time.process_time() - begun
    return seconds, tally.pages, file.tell(), found.given["duplicate"], found.given["near_duplicate"]


def resemblances(name: str, rows: Sequence[PageRow]) -> str:
    by_url = {row.url: row.text for row in rows}
    runs = {url: frozenset(map(hash, shingles(text.lower().split()))) for url, text in by_url.items()}
    named = [jaccard(runs[row.url], runs[row.near_duplicate_of]) for row in rows if row.near_duplicate_of]
    firsts = [runs[row.url] for row in rows if not (row.duplicate_of or row.near_duplicate_of)]
    missed = list(alike([first for first in firsts if first]))
    counts = [
        sum(j < 0.7 for j in named),
        sum(0.7 <= j < ALIKE for j in named),
        sum(j >= ALIKE for j in named),
    ]
    return f"| {name} | {' | '.join(map(str, counts))} | {len(missed)} | {sum(j >= 0.9 for j in missed)} |"


def alike(texts: Sequence[frozenset[int]]) -> Iterator[float]:
    """Of each text that resembles one before it: how much, at most."""
    having: dict[int, list[int]] = defaultdict(list)
    for place, runs in enumerate(texts):
        rare = sorted(runs)[: len(runs) - int(ALIKE * len(runs)) + 1]
        others = {other for run in rare for other in having[run]}
        best = max(map(partial(jaccard, runs), (texts[other] for other in others)), default=0.0)
        if best >= ALIKE:
            yield best
        for run in rare:
            having[run].append(place)


if __name__ == "__main__":
    main()
