"""A first table: what every registered strategy finds on a recorded web, and which published statements hold there.

    LYCOSA_SHARED=FOLDER python benchmarks/all_strategies.py [--topics N] [--folder RUN] [--write FILE]

Crawls `webs/wikispeedia` under virtual time, 2,000 pages a topic from start pages 3 links away from the nearest target,
with every strategy as it comes, on topics of the reporting side of the split (nothing was tuned on them). Prints target
recall and harvest after 500, 1,000 and 2,000 pages as means over topics with standard errors, the area under the recall
curve, the strategy's own thinking in milliseconds of CPU a page, and what it was given besides the topic's words. A
crawl that ended before has found all that it will: its recall stays, and its harvest counts the pages that it did not
fetch as misses. A harvested page is a target: the topics of this web have few other relevant pages.

Then the published statements about these strategies, each as a difference of means over topics, with p-values of paired
t-tests on two sides, corrected as one family (Holm). Those of Menczer, Pant and Srinivasan (2004) are about frontiers
of 256 URLs, and so are these crawls. Finished crawls are kept in the run's folder; interrupted, it goes on.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import lycosa
from lycosa.crawl.inputs import Importance
from lycosa.lab.experiment import Experiment, WebSpec, tasks_of
from lycosa.lab.offers import GIVEN
from lycosa.lab.runner import Progress, run
from lycosa.lab.statistics import Comparison, Estimate, compare, estimate, holm
from lycosa.lab.table import BOUNDS, Measured, bounds, grouped, measured, scores
from lycosa.registry import inputs_of, strategy_class, strategy_names

WEB, DISTANCE, PAGES = "wikispeedia", 3, 2_000
MARKS = (500, 1_000, 2_000)
OMNISCIENT = "wire, omniscient"
PATIENT = "wtms, threshold 0.02"
"""Its default is for targets made of pages; with words alone its manual says to choose less."""
SMALL, LARGE = 256, 2_048
"""Frontiers of the published comparisons."""
PUBLISHED = {
    "breadth-first": "breadth-first",
    "best-first": "best-first",
    "bfs-n, n = 1": "bfs-n:n=1",
    "bfs-n, n = 256": "bfs-n:n=256",
    "shark": "shark",
    "pagerank": "pagerank",
    "infospiders, M = 256": f"infospiders:max_buffer={SMALL}",
    "infospiders, M = 2,048": f"infospiders:max_buffer={LARGE}",
    "infospiders, M = 256, no evolution": f"infospiders:max_buffer={SMALL},evolution=false",
}
"""What the published statements are about. InfoSpiders keep their bound themselves."""


class Statement(NamedTuple):
    """That A has more of a metric than B."""

    said: str
    source: str
    a: str
    b: str
    metric: str
    bounded: bool = True
    """Whether in frontiers of 256, else without a bound."""
    equal: bool = False
    """Whether A is said to be about as good as B instead."""
    less: bool = False


IS, BFS1, BFS256 = "infospiders, M = 256", "bfs-n, n = 1", "bfs-n, n = 256"
STATEMENTS = (
    Statement(
        "best-first above breadth-first, recall", "S1", "best-first", "breadth-first", "recall@2000", False
    ),
    Statement(
        "best-first above breadth-first, harvest", "S1", "best-first", "breadth-first", "harvest@2000", False
    ),
    Statement("best-first above breadth-first by 1,000 pages", "S2", BFS1, "breadth-first", "recall@1000"),
    Statement("InfoSpiders above breadth-first by 1,000 pages", "S2", IS, "breadth-first", "recall@1000"),
    Statement("best-first above Shark by 1,000 pages", "S2", BFS1, "shark", "recall@1000"),
    Statement("InfoSpiders above Shark by 1,000 pages", "S2", IS, "shark", "recall@1000"),
    Statement("Shark about as breadth-first", "S2", "shark", "breadth-first", "recall@1000", equal=True),
    Statement("BFS256 below BFS1 early (300 pages)", "S2", BFS256, BFS1, "recall@300", less=True),
    Statement("BFS256 above BFS1 at 1,000 pages", "S2", BFS256, BFS1, "recall@1000"),
    Statement(
        "InfoSpiders worse with a larger M", "S2", "infospiders, M = 2,048", IS, "recall@1000", less=True
    ),
    Statement("InfoSpiders above BFS256 (there from 7,500 pages on)", "S2", IS, BFS256, "recall@2000"),
    Statement("evolution lowers the cost of InfoSpiders", "S2", IS, f"{IS}, no evolution", "ms", less=True),
    Statement(
        "PageRank below breadth-first (there: D = 0)",
        "S2",
        "pagerank",
        "breadth-first",
        "recall@1000",
        less=True,
    ),
)


def free_of_bounds(web: Path, topics: int) -> Experiment:
    """Every registered strategy as it comes, and the upper bound of the long-term orders."""
    return Experiment(
        name="all strategies",
        strategies={
            **{name: name for name in strategy_names()},
            OMNISCIENT: "wire:order=omniscient",
            PATIENT: "wtms:threshold=0.02",
        },
        baseline="best-first",
        webs={WEB: WebSpec(path=str(web))},
        pages=PAGES,
        distances=(DISTANCE,),
        topics="reporting",
        most_topics=topics,
    )


def as_published(web: Path, topics: int) -> Experiment:
    """The strategies of the published comparisons in small frontiers."""
    return Experiment(
        name="published",
        strategies=PUBLISHED,
        baseline="breadth-first",
        webs={WEB: WebSpec(path=str(web))},
        pages=PAGES,
        distances=(DISTANCE,),
        frontiers=(SMALL,),
        topics="reporting",
        most_topics=topics,
    )


# -- the table -------------------------------------------------------------------------------------------------


def over_topics(found: Sequence[Measured], metric: str) -> dict[str, Estimate]:
    return {
        label: estimate([sum(values) / len(values) for values in tasks.values()])
        for label, tasks in scores(found, metric).items()
    }


def table(found: Sequence[Measured]) -> str:
    """The strategies by their area under the recall curve, best first; the bounds stand among them."""
    columns = ["auc", *(f"recall@{n}" for n in MARKS), *(f"harvest@{n}" for n in MARKS), "ms", "pages"]
    values = {column: over_topics(found, column) for column in columns}
    head = [
        "strategy",
        "AUC",
        *(f"recall {n:,}" for n in MARKS),
        *(f"harvest {n:,}" for n in MARKS),
        "ms",
        "pages",
        "given",
    ]
    lines = [head, ["---", *["---:"] * (len(head) - 2), "---"]]
    for label in sorted(values["auc"], key=lambda name: -values["auc"][name].mean):
        shown = [_told(values[column].get(label), column) for column in columns]
        if label in BOUNDS:
            shown[-2:] = ["", ""]
            if label == BOUNDS[0]:
                shown[4:7] = ["", "", ""]
        name = f"*{label}*" if label in (*BOUNDS, OMNISCIENT) else label
        lines.append([name, *shown, "" if label in BOUNDS else ", ".join(given(label))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _told(value: Estimate | None, column: str) -> str:
    if value is None:
        return ""
    if column == "pages":
        return f"{value.mean:,.0f}"
    return f"{value.mean:.2f}" if column == "ms" else f"{value.mean:.3f} ± {value.error:.3f}"


def given(label: str) -> list[str]:
    """The names of the inputs that a row's strategy got, words apart."""
    if label == OMNISCIENT:
        return ["true importances"]
    asked = inputs_of(strategy_class(label.partition(",")[0])).values()
    return [kind.name for kind, _ in asked if kind in GIVEN and kind is not Importance]


# -- the statements --------------------------------------------------------------------------------------------


def judged(free: Sequence[Measured], small: Sequence[Measured]) -> str:
    """What was said, and what was seen."""
    compared = [_compared(each, small if each.bounded else free) for each in STATEMENTS]
    corrected = holm([comparison.t.p for comparison in compared])
    lines = [
        ["statement", "source", "metric", "A", "B", "difference, 95 %", "p", "corrected", "seen"],
        ["---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---"],
    ]
    for each, found, p in zip(STATEMENTS, compared, corrected, strict=True):
        between = f" ({found.interval[0]:+.3f} to {found.interval[1]:+.3f})" if found.interval else ""
        lines.append(
            [
                each.said,
                each.source,
                each.metric.replace("@", " at "),
                f"{found.a.mean:.3f}",
                f"{found.b.mean:.3f}",
                f"{found.difference.mean:+.3f}{between}",
                "–" if found.t.p is None else f"{found.t.p:.2g}",
                "–" if p is None else f"{p:.2g}",
                verdict(each, found, p),
            ]
        )
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _compared(each: Statement, found: Sequence[Measured]) -> Comparison:
    values: Mapping[str, Mapping[str, Sequence[float]]] = scores(found, each.metric)
    return compare(values[each.a], values[each.b])


def verdict(each: Statement, found: Comparison, p: float | None) -> str:
    """In a word. That two are as good as each other cannot be shown by a test that finds no difference."""
    difference = found.difference.mean
    sure = p is not None and p < found.alpha
    if each.equal:
        return "a difference" if sure else "no difference shown"
    if not sure:
        return (
            "open: as said, but not significant" if (difference < 0) == each.less and difference else "open"
        )
    return "holds" if (difference < 0) == each.less else "the opposite"


# -- the report ------------------------------------------------------------------------------------------------


def report(free: Sequence[Measured], small: Sequence[Measured], topics: Sequence[str]) -> str:
    problems = sorted({f"{each.cell.label}: {each.problem}" for each in (*free, *small) if each.problem})
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    command = " ".join(["python", "benchmarks/all_strategies.py", *sys.argv[1:]])
    what = dict.fromkeys(name for label in strategy_names() for name in given(label))
    notes = [
        f"* {kind.name}: {said}." for kind, said in GIVEN.items() if kind.name in {*what, *given(OMNISCIENT)}
    ]
    return "\n".join(
        [
            "# What every strategy finds on a recorded web",
            "",
            f"lycosa {lycosa.__version__}, {machine}, load average {os.getloadavg()[1]:.0f}, "
            f"{datetime.date.today().isoformat()}. Command: `{command}`. {WEB}, D = {DISTANCE}, {len(topics)} topics "
            f"of the reporting side, {PAGES:,} pages each, one seed, no bound on the frontier, every strategy as it "
            "comes. Means over topics ± standard error; `ms`: the strategy's thinking, CPU milliseconds a page, the "
            "topic model and the frontier apart; `pages`: how long the crawls were. In italics what no crawler can do.",
            "",
            table(free),
            "",
            "All got the topic's words, and nothing else but what is named in the last column. Who got more can be "
            "better for that reason alone:",
            "",
            *notes,
            "",
            "`focused` and `ontology` judge pages by their own input, the others by the words. The rest were given "
            "nothing though they could use it: `evolved` its default ranking, `infospiders-energy` no page database, "
            "`intelligent` and `user-experience` no experience.",
            "",
            f"## Published statements, frontiers of {SMALL} URLs where S2 is named",
            "",
            "S1: Pant, Srinivasan and Menczer, Crawling the Web, 2004. S2: Menczer, Pant and Srinivasan, ACM TOIT "
            "4(4), 2004. Differences are A - B over the same topics; p of a paired t-test on two sides, and the same "
            f"corrected for {len(STATEMENTS)} tests (Holm).",
            "",
            judged(free, small),
            "",
            *(["## Problems", "", *(f"* {each}" for each in problems), ""] if problems else []),
            "## Topics",
            "",
            ", ".join(topics),
            "",
        ]
    )


def crawled(experiment: Experiment, folder: Path, workers: int) -> list[Measured]:
    def tell(progress: Progress) -> None:
        sys.stderr.write(f"\r{experiment.name}: {progress.done} of {progress.of}, {progress.seconds:.0f} s  ")

    run(experiment, folder, workers=workers, tell=tell)
    sys.stderr.write("\n")
    return list(measured(experiment, folder, WEB))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--topics", type=int, default=0, help="so many topics at most; 0: all of the reporting side"
    )
    parser.add_argument("--folder", type=Path, help="keep the crawls here")
    parser.add_argument(
        "--workers", type=int, default=0, help="processes; 0: as many as there are processors"
    )
    parser.add_argument("--write", type=Path, help="write the report to this file too")
    asked = parser.parse_args()
    if not (shared := os.environ.get("LYCOSA_SHARED")):
        raise SystemExit("LYCOSA_SHARED is not set: it names the folder that holds webs/wikispeedia")
    web = Path(shared) / "webs" / WEB
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        whole, small = free_of_bounds(web, asked.topics), as_published(web, asked.topics)
        free = [*crawled(whole, folder / "all", asked.workers), *bounds(whole, WEB)]
        bounded = grouped(crawled(small, folder / "published", asked.workers))
        topics = [task.id.removeprefix(f"{WEB}-") for task in tasks_of(whole, WEB)]
        at_small = next(found for group, found in bounded.items() if group.frontier == SMALL)
        text = report(free, at_small, topics)
    sys.stdout.write(text)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
