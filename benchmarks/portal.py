"""Searching a collection of 100,000 pages with all facets counted: how long answers take.

    python benchmarks/portal.py [--pages N] [--seed N] [--keep FOLDER]

Makes a collection from a seed: journal and full-text index are written as a crawl writes them, without an archive.
Words are drawn by Zipf's law, from one list for all pages and one for each of 40 subjects; a tenth of the pages are
copies or near copies. Then asks queries of nine kinds: each for the first time, then narrowed by values of two facets,
then by date and from the sixth page on; and the same words of the plain search, without facets. Prints wall times,
median and 99th percentile: answers are waited for.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha1
from pathlib import Path
from typing import Any

import numpy as np

from lycosa import __version__
from lycosa.crawls.answers import Search
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.events import Entry
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import Url
from lycosa.read.duplicates import simhash
from lycosa.spec.files import save
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.full_text import TextIndex
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths

VOCABULARY, SUBJECTS, OF_SUBJECT = 150_000, 40, 3_000
STOP_WORDS = 200
HOSTS = 3_000
LANGUAGES = ["en"] * 70 + ["de"] * 10 + ["fr"] * 8 + ["es"] * 6 + ["ru"] * 4 + [""] * 2
TYPES = ["text/html"] * 90 + ["application/xhtml+xml"] * 6 + ["text/plain"] * 4
FIRST = 1_577_836_800_000  # 2020
DAY = 86_400_000
COPIES = 0.1
WAYS = ("first", "narrowed", "by date", "plain")
ROUNDS = 40
"""Queries of each kind."""


def word(number: int) -> str:
    """A word that can be spoken: short ones are frequent."""
    said, rest = "", number + 7
    while rest:
        rest, sound = divmod(rest, 70)
        said += "bcdfghklmnprst"[sound % 14] + "aeiou"[sound // 14]
    return said


class Pages:
    """Texts, as they might stand on pages."""

    def __init__(self, seed: int) -> None:
        self._numbers = np.random.default_rng(seed)
        self._random = random.Random(seed)
        self.words = [word(number) for number in range(VOCABULARY)]
        self._common = np.cumsum(1.0 / np.arange(1, VOCABULARY + 1))
        self._special = np.cumsum(1.0 / np.arange(1, OF_SUBJECT + 1))
        self._subjects = [
            self._numbers.choice(VOCABULARY - 500, OF_SUBJECT, replace=False) + 500 for _ in range(SUBJECTS)
        ]
        self._texts: list[list[str]] = []

    def text(self) -> list[str]:
        if self._texts and self._random.random() < COPIES:
            found = list(self._random.choice(self._texts))
            if self._random.random() < 0.5:
                found[self._random.randrange(len(found))] = self._random.choice(self.words)
            return found
        length = int(min(4_000, max(20, self._numbers.lognormal(5.7, 0.8))))
        subject = self._subjects[int(self._numbers.integers(SUBJECTS))]
        common = _drawn(self._numbers, self._common, length)
        special = subject[_drawn(self._numbers, self._special, length)]
        numbers = np.where(self._numbers.random(length) < 0.3, special, common)
        found = [self.words[number] for number in numbers]
        if len(self._texts) < 20_000:
            self._texts.append(found)
        return found


def _drawn(numbers: np.random.Generator, sums: np.ndarray, n: int) -> np.ndarray:
    return np.minimum(np.searchsorted(sums, numbers.random(n) * sums[-1]), len(sums) - 1)


def make(folder: Path, pages: int, seed: int) -> None:
    """Write journal and index of a crawl."""
    paths = Paths(folder)
    for place in (folder, paths.archive, paths.index.parent):
        place.mkdir(parents=True, exist_ok=True)
    spec = CrawlSpec(topic=TopicSpec(keywords=("benchmark",)), seeds=("http://h0.test/",), lycosa=__version__)
    save(spec, paths.specification)
    source, rng = Pages(seed), random.Random(seed)
    unsaying = frozenset(source.words[:STOP_WORDS])
    with TextIndex(paths.index) as index:
        journal = Journal(paths.journal)
        batch = []
        for step in range(1, pages + 1):
            words = source.text()
            text = " ".join(words)
            page = _page(step, words, unsaying, rng)
            journal.append(Entry(step=step, at=page.fetched_at, event=page, leased=(page.url,), commands=()))
            batch.append((step, page.url, page.title, text))
            if len(batch) == 1_000:
                index.add(batch)
                batch = []
        index.add(batch)
        journal.flush()
        journal.close()


def _page(step: int, words: Sequence[str], unsaying: frozenset[str], rng: random.Random) -> Page:
    host = int(HOSTS * rng.random() ** 3)
    url = Url(f"http://h{host}.test/{step}.html")
    counts: dict[str, int] = {}
    for each in words:
        if each not in unsaying:  # fingerprints are of words that say something
            counts[each] = counts.get(each, 0) + 1
    return Page(
        request=Request(url=url, order=step, depth=min(12, int(rng.expovariate(0.35)))),
        final_url=url,
        status=200,
        fetched_at=Millis(FIRST + int(2_000 * DAY * rng.random())),
        media_type=rng.choice(TYPES),
        digest=f"sha1:{sha1(' '.join(words).encode()).hexdigest()[:32].upper()}",
        title=" ".join(words[:6]).capitalize(),
        text="",
        links=(),
        relevance=rng.betavariate(1.2, 4.0),
        language=rng.choice(LANGUAGES),
        fingerprint=simhash(counts),
    )


def queries(source: Pages, rng: random.Random, folder: CrawlFolder) -> Iterator[tuple[str, str]]:
    """By kind, words to look for."""
    texts = [row.title.lower().split() for row in folder.history.best(400)]

    def of(least: int, most: int) -> str:
        return source.words[rng.randrange(least, most)]

    makers: dict[str, Callable[[], str]] = {
        "rare word": lambda: of(20_000, 60_000),
        "usual word": lambda: of(300, 5_000),
        "common word": lambda: of(0, 60),
        "two words": lambda: f"{of(100, 2_000)} {of(100, 5_000)}",
        "common and rare": lambda: f"{of(0, 60)} {of(5_000, 20_000)}",
        "OR": lambda: f"{of(300, 5_000)} OR {of(300, 5_000)} OR {of(20_000, 60_000)}",
        "NOT": lambda: f"{of(100, 2_000)} -{of(0, 60)}",
        "phrase": lambda: '"{}"'.format(" ".join(rng.choice(texts)[1:3])),
        "beginning": lambda: f"{of(300, 5_000)}*",
    }
    for kind, make_one in makers.items():
        for _ in range(ROUNDS):
            yield kind, make_one()


def timed(work: Callable[[Any], object], given: object, cpu: list[float] | None = None) -> float:
    begun, used = time.perf_counter(), time.process_time()
    work(given)
    if cpu is not None:
        cpu.append((time.process_time() - used) * 1000)
    return (time.perf_counter() - begun) * 1000


def measure(folder: CrawlFolder, seed: int) -> None:
    rng = random.Random(seed)
    began = time.perf_counter()
    nothing = folder.find(Search())
    loaded = time.perf_counter() - began
    print(f"{nothing.collection:,} pages, {nothing.distinct:,} without copies and near copies.")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"The first answer, which reads the columns: {loaded:.1f} s. Memory of the process: {peak} MB.\n")
    times: dict[str, dict[str, list[float]]] = {}
    asked = list(queries(Pages(seed), rng, folder))
    rng.shuffle(asked)
    found: dict[str, list[int]] = {}
    cpu: list[float] = []
    for kind, words in asked:
        here = times.setdefault(kind, {way: [] for way in WAYS})
        here["first"].append(timed(folder.find, Search(words=words), cpu))
        answer = folder.find(Search(words=words))
        found.setdefault(kind, []).append(answer.pages)
        within = {
            facet.name: tuple(value.value for value in facet.values[: rng.randrange(1, 3)])
            for facet in rng.sample(answer.facets, 2)
            if facet.values
        }
        here["narrowed"].append(timed(folder.find, Search(words=words, within=within), cpu))
        here["by date"].append(timed(folder.find, Search(words=words, order="date", start=50), cpu))
        here["plain"].append(timed(folder.search, words))
    _tell(times, found)
    print(
        f"CPU time of these: {_cell(cpu)}. Load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
    )


def _tell(times: dict[str, dict[str, list[float]]], found: dict[str, list[int]]) -> None:
    print("| query | pages found, median | asked first | narrowed | by date, page 6 | plain search |")
    print("|---|---|---|---|---|---|")
    for kind, here in times.items():
        cells = " | ".join(_cell(each) for each in here.values())
        print(f"| {kind} | {int(np.median(found[kind])):,} | {cells} |")
    columns = [[each for here in times.values() for each in here[way]] for way in WAYS]
    everything = [each for column in columns[:3] for each in column]
    pages = [each for some in found.values() for each in some]
    print(f"| all | {int(np.median(pages)):,} | {' | '.join(_cell(column) for column in columns)} |")
    print(f"\nAll {len(everything):,} answers with facets: {_cell(everything)}.")


def _cell(times: Sequence[float]) -> str:
    return f"{np.median(times):.0f} / {np.percentile(times, 99):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="make the collection here, or take the one that is here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.keep or Path(place) / "collection"
        if not Paths(folder).journal.exists():
            make(folder, given.pages, given.seed)
        with CrawlFolder.open(folder) as opened:
            measure(opened, given.seed)


if __name__ == "__main__":
    main()
