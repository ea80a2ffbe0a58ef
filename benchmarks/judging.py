"""What answers are worth to the hunter: somebody who knows, or nearly, is asked about some pages of each crawl.

    LYCOSA_SHARED=FOLDER python benchmarks/judging.py [--tasks FOLDER] [--topics 12] [--choose] [--out runs/judging]

Crawls of 300 pages at D = 3 in the strict order, with keywords only, of topics on the trying half (`tuning_share` 0.5),
on webkb, uci-ics-10k and wikispeedia. FOLDER holds WEB.jsonl for a web; without it, the tasks of the recorded web are
taken.
Without `--choose` it tells what 20, 50 and 200 questions bring if 0, 10 and 20 % of the answers are wrong; with it,
which pages to ask about, and when. What is finished in `--out` is not crawled again.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from lycosa.lab.experiments.design import Design, WebSpec
from lycosa.lab.experiments.measured import scores
from lycosa.lab.experiments.results import Results
from lycosa.lab.experiments.runner import run
from lycosa.lab.tasks.stand_in import Questions
from lycosa.model.errors import LycosaError

WEBS = ("webkb", "uci-ics-10k", "wikispeedia")
PAGES = 300
METRICS = (f"recall@{PAGES}", "auc")
NOTHING = "nothing besides"

Values = dict[str, float]
"""By topic."""


def amounts() -> Iterator[tuple[str, Questions | None]]:
    """How many questions, and how reliable."""
    yield NOTHING, None
    for most in (20, 50, 200):
        for wrong in (0.0, 0.1, 0.2):
            yield f"{most} questions, {wrong:.0%} wrong", Questions(most=most, wrong=wrong)


def choices() -> Iterator[tuple[str, Questions | None]]:
    """Which pages, and when: of 50 questions with one wrong answer in ten."""
    yield NOTHING, None
    for about in ("best", "doubt", "both"):
        for early in (0.5, 1.0):
            when = "evenly" if early == 1 else "early"
            yield f"{about}, {when}", Questions(most=50, wrong=0.1, about=about, early=early)


def file_of(web: str, tasks: Path | None) -> str:
    """The tasks of a web in a folder, empty if it has none."""
    file = tasks / f"{web}.jsonl" if tasks else None
    return str(file) if file and file.exists() else ""


def experiment(
    ways: Mapping[str, Questions | None], tasks: Path | None, topics: int, pages: int = PAGES
) -> Design:
    """Each way to ask on each web."""
    shared = Path(os.environ["LYCOSA_SHARED"]) / "webs"
    webs = {
        f"{web}: {way}": WebSpec(
            path=str(shared / web), tasks=file_of(web, tasks), strict=True, questions=questions
        )
        for web in WEBS
        for way, questions in ways.items()
    }
    return Design(
        name="judging",
        strategies={"hunter": "hunter"},
        webs=webs,
        pages=pages,
        topics="tuning",
        tuning_share=0.5,
        most_topics=topics,
    )


def values(results: Results, metric: str) -> dict[str, dict[str, Values]]:
    """By web and way, of each topic."""
    found: dict[str, dict[str, Values]] = {}
    for group in results.groups:
        web, _, way = group.web.partition(": ")
        told = scores(results.groups[group], metric)["hunter"]
        found.setdefault(web, {})[way] = {task: float(np.mean(each)) for task, each in told.items()}
    return found


def row(way: str, of: Mapping[str, Values]) -> tuple[float, float, float]:
    """Mean of a way, its gain over nothing, and the standard error of that, paired by topic."""
    gains = np.array([value - of[NOTHING][topic] for topic, value in of[way].items()])
    error = float(gains.std(ddof=1) / np.sqrt(gains.size)) if gains.size > 1 else float("nan")
    return float(np.mean(list(of[way].values()))), float(gains.mean()), error


def table(results: Results, metric: str) -> Iterator[str]:
    """Markdown: a row a way, a column a web, and one for all topics together; a way may be missing on a web."""
    found = values(results, metric)
    joined: dict[str, Values] = {}
    for web, ways in found.items():
        for way, told in ways.items():
            joined.setdefault(way, {}).update({f"{web}/{topic}": value for topic, value in told.items()})
    columns = {**found, "all": joined}
    heads = [f"{web} ({len(ways[NOTHING])} topics)" for web, ways in columns.items()]
    yield f"| {metric} | {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * len(heads)}"
    for way in joined:
        told = []
        for ways in columns.values():
            if way not in ways:
                told.append("")
                continue
            mean, gain, error = row(way, ways)
            told.append(f"{mean:.3f}" if way == NOTHING else f"{mean:.3f} ({gain:+.3f} ± {error:.3f})")
        yield f"| {way} | {' | '.join(told)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=Path)
    parser.add_argument("--topics", type=int, default=12)
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("runs/judging"))
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    design = experiment(dict(choices() if chosen.choose else amounts()), chosen.tasks, chosen.topics)
    try:
        run(design, chosen.out, workers=chosen.workers)
        results = Results.of(chosen.out)
        for metric in METRICS:
            sys.stdout.write("\n".join(table(results, metric)) + "\n\n")
        seconds = sum(crawl.seconds for crawl in results.crawls)
        sys.stdout.write(f"{len(results.crawls)} crawls, {seconds / 60:.0f} minutes of CPU\n")
    except LycosaError as error:
        sys.exit(f"judging.py: {error}")


if __name__ == "__main__":
    main()
