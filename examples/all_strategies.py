"""Crawls a recorded web with every registered strategy, from the command line, and prints what each found.

    python examples/all_strategies.py
    python examples/all_strategies.py --web webs/wikispeedia --topics webs/wikispeedia/topics.jsonl --pages 2000

Without options it crawls the bundled sample web for dinosaurs and fossils. With `--topics` the first topic of the file
(or that of `--topic ID`) says words, start pages and the pages to be found. Otherwise these are the pages of the whole
web that the topic model calls relevant, from relevance 0.1 on.

What a strategy needs besides words is made on the way. Of a breadth-first crawl of 150 pages of the same web: example
pages, a taxonomy of two categories, an ontology, back-links, a page database, an earlier crawl to learn from. The log
is that of made-up visitors (`lycosa log make`). Some get what they could do without: see `BESIDES`. This shows that
inputs work, and how they are given; how good strategies can be, it does not: such input is poor, and it knows a part of
what is to be found. A strategy whose input cannot be made is left out with a line that says why; the exit code is 1.

On the sample web it takes about a minute; on 4,604 pages of an encyclopaedia, with 2,000 pages a crawl, some five.

Harvest is the share of the first n pages that were to be found, recall the share of what was to be found that is among
them. A crawl that ended before n pages keeps its last values, in brackets.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
LYCOSA = [shutil.which("lycosa")] if shutil.which("lycosa") else [sys.executable, "-m", "lycosa.cli"]
EARLIER_PAGES = 150
BESIDES = {"user-experience": ("logs",), "infospiders-energy": ("page database",)}
"""Inputs that strategies get here though they can do without."""


class Task(NamedTuple):
    """What every crawl is given, and the pages that it should find."""

    web: Path
    words: str
    seeds: list[str]
    targets: frozenset[str]


class Outcome(NamedTuple):
    strategy: str
    hits: list[int]
    """After each page, how many of those to be found were found."""
    seconds: float
    problem: str = ""


def lycosa(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, LYCOSA), *arguments], capture_output=True, text=True, check=False)


def crawl(task: Task, strategy: str, pages: int, out: Path, options: Sequence[str] = ()) -> str:
    """Run one crawl; returns what went wrong, in a line, or nothing."""
    done = lycosa(
        *("crawl", task.words, *task.seeds, "--web", f"recorded:{task.web}", "--strategy", strategy),
        *("--pages", str(pages), "--delay", "0", "--out", str(out), "-q", *options),
    )
    return (done.stderr.strip().splitlines() or ["it failed"])[-1] if done.returncode else ""


def rows(folder: Path, *options: str) -> list[dict[str, Any]]:
    """The pages of a crawl, in order."""
    file = folder.with_suffix(".jsonl")
    done = lycosa("export", str(folder), "--to", "jsonl", "-o", str(file), *options)
    if done.returncode:
        raise SystemExit(done.stderr)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


# -- the task ------------------------------------------------------------------------------------------------


def sample_task(web: Path, words: str, seeds: list[str], work: Path) -> Task:
    """To be found is what a crawl of everything calls relevant."""
    task = Task(web, words, seeds, frozenset())
    if problem := crawl(task, "breadth-first", 100_000, work / "everything"):
        raise SystemExit(problem)
    found = frozenset(
        row["final_url"] for row in rows(work / "everything", "--no-text") if row["relevance"] >= 0.1
    )
    return task._replace(targets=found)


def task_of_file(web: Path, file: Path, name: str) -> Task:
    topics = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    topic = next((each for each in topics if not name or each.get("id") == name), None)
    if topic is None:
        raise SystemExit(f"{file}: there is no topic {name!r}")
    seeds = topic["seeds"]
    if isinstance(seeds, dict):  # by distance: the farthest are the hardest
        seeds = seeds[max(seeds, key=int)]
    return Task(web, " ".join(topic["keywords"]), list(seeds), frozenset(topic["targets"]))


# -- what strategies need besides words ------------------------------------------------------------------------


class Provisions:
    """Makes each kind of input once, of an earlier crawl. `options` are those that give it to a crawl."""

    def __init__(self, task: Task, work: Path) -> None:
        self.task, self.work = task, work
        self.earlier = work / "earlier"
        if problem := crawl(task, "breadth-first", EARLIER_PAGES, self.earlier):
            raise SystemExit(problem)
        found = rows(self.earlier)
        self.pages = [row for row in found if row["text"].strip()]
        ranked = sorted(self.pages, key=lambda row: -row["relevance"])
        self.best, self.worst = ranked[:5], ranked[-20:]
        self.makers: Mapping[str, Callable[[], list[str]]] = {
            "keywords": list,
            "examples": self.examples,
            "taxonomy": self.taxonomy,
            "ontology": self.ontology,
            "predicate": lambda: [
                "--predicate",
                " or ".join(f'word("{word}")' for word in task.words.split()),
            ],
            "back-links": lambda: ["--back-links", str(self.earlier)],
            "earlier crawl": lambda: ["--learn-from", str(self.earlier)],
            "page database": self.database,
            "logs": self.logs,
        }

    def options(self, inputs: Sequence[str]) -> list[str]:
        return [option for name in inputs for option in self.makers[name]()]

    def lacking(self, inputs: Sequence[str]) -> list[str]:
        return [name for name in inputs if name not in self.makers]

    def _texts(self, pages: Sequence[Mapping[str, Any]], folder: Path) -> list[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"{number}.txt" for number in range(len(pages))]
        for file, page in zip(files, pages, strict=True):
            file.write_text(f"{page['title']}\n{page['text']}", encoding="utf-8")
        return files

    def examples(self) -> list[str]:
        files = self._texts(self.best, self.work / "examples")
        return [option for file in files for option in ("--like", str(file))]

    def taxonomy(self) -> list[str]:
        place = self.work / "taxonomy"
        self._texts(self.best, place / "Topic")
        self._texts(self.worst, place / "Other")
        return ["--taxonomy", str(place), "--good", "Topic"]

    def ontology(self) -> list[str]:
        """A SKOS scheme: the topic above its words."""
        lines = [
            "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .",
            "@prefix : <http://example.org/topic#> .",
            f':topic a skos:Concept ; skos:prefLabel "{self.task.words}"@en .',
        ]
        for number, word in enumerate(self.task.words.split()):
            lines.append(f':word{number} a skos:Concept ; skos:prefLabel "{word}"@en ; skos:broader :topic .')
        file = self.work / "ontology.ttl"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return ["--ontology", str(file), "--focus", self.task.words]

    def database(self) -> list[str]:
        """The pages of the earlier crawl, each labelled by a classifier."""
        file = self.work / "pages.db"
        made = lycosa("database", "update", str(file), str(self.earlier), "-q")
        if made.returncode:
            raise SystemExit(made.stderr)
        return ["--database", str(file)]

    def logs(self) -> list[str]:
        """Visitors who follow links, and keep to an interest of theirs."""
        file = self.work / "access.log"
        made = lycosa("log", "make", str(self.task.web), *self.task.seeds, "--out", str(file))
        if made.returncode:
            raise SystemExit(made.stderr)
        return ["--log", str(file)]


# -- the crawls ------------------------------------------------------------------------------------------------


def outcome(task: Task, info: Mapping[str, Any], provisions: Provisions, pages: int, work: Path) -> Outcome:
    name = info["name"]
    inputs = (*info["inputs"], *BESIDES.get(name, ()))
    if lacking := provisions.lacking(inputs):
        return Outcome(name, [], 0.0, f"needs {', '.join(lacking)}, which this example does not make")
    options = provisions.options(inputs)
    began = time.perf_counter()
    if problem := crawl(task, name, pages, work / name, options):
        return Outcome(name, [], 0.0, problem)
    took = time.perf_counter() - began
    fetched = rows(work / name, "--no-text")
    found = [row["final_url"] in task.targets or row["url"] in task.targets for row in fetched]
    return Outcome(name, list(accumulate(found)), took)


def table(outcomes: Sequence[Outcome], marks: Sequence[int], targets: int) -> str:
    head = ["strategy", "pages", *(f"harvest {n:,}" for n in marks), *(f"recall {n:,}" for n in marks), "s"]
    lines = [head]
    for each in outcomes:
        if not each.hits:
            continue
        told = [(n, min(n, len(each.hits))) for n in marks]
        harvest = [_told(each.hits[made - 1] / made, made < n) for n, made in told]
        recall = [_told(each.hits[made - 1] / max(1, targets), made < n) for n, made in told]
        lines.append([each.strategy, f"{len(each.hits):,}", *harvest, *recall, f"{each.seconds:.1f}"])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    )


def _told(value: float, ended: bool) -> str:
    return f"({value:.3f})" if ended else f"{value:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--web", type=Path, default=HERE / "sample-web")
    parser.add_argument("--topics", type=Path, help="JSON lines with keywords, seeds and targets")
    parser.add_argument("--topic", default="", help="id of the topic; the first one if not given")
    parser.add_argument("--words", default="dinosaur fossil")
    parser.add_argument(
        "--seed", dest="seeds", nargs="+", default=["http://schools.wiki.example/wp/Biosphere.html"]
    )
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--at", help="report after so many pages  [default: a quarter, a half, all of them]")
    parser.add_argument("--only", nargs="+", help="only these strategies")
    parser.add_argument("--keep", type=Path, help="keep the crawls in this new folder")
    given = parser.parse_args()
    marks = (
        [int(n) for n in given.at.split(",")]
        if given.at
        else [given.pages // 4, given.pages // 2, given.pages]
    )
    with tempfile.TemporaryDirectory() as temporary:
        work = given.keep or Path(temporary)
        work.mkdir(exist_ok=True)
        task = (
            task_of_file(given.web, given.topics, given.topic)
            if given.topics
            else sample_task(given.web, given.words, given.seeds, work)
        )
        print(
            f"{task.words!r}: {len(task.targets)} pages to be found, from {len(task.seeds)} start pages",
            flush=True,
        )
        infos = json.loads(lycosa("strategies", "--json").stdout)
        provisions = Provisions(task, work)
        outcomes = []
        for info in infos:
            if given.only and info["name"] not in given.only:
                continue
            each = outcome(task, info, provisions, given.pages, work)
            told = f"left out: {each.problem}" if each.problem else f"{len(each.hits)} pages"
            print(f"{each.strategy}: {told}", flush=True)
            outcomes.append(each)
        print(f"\n{table(outcomes, marks, len(task.targets))}")
        sys.exit(any(each.problem for each in outcomes))


if __name__ == "__main__":
    main()
