"""How well each kind of trained model tells pages apart, and what judging a page costs.

    python benchmarks/classifiers.py WEB POSITIVE NEGATIVE [--folds 3] [--kinds nb,lewis,…]

WEB is a recorded web; POSITIVE and NEGATIVE are files with a URL a line. CPU time: the
least of five rounds over 300 pages.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

from lycosa.archive.collection import Collection
from lycosa.drive.clock import VirtualClock
from lycosa.model.records import Page
from lycosa.scoring.learning.classifiers import KINDS
from lycosa.scoring.learning.features import Fields, features
from lycosa.scoring.learning.training import cross_validated, trained
from lycosa.scoring.topics.keywords import topic_model
from lycosa.scoring.topics.predicate import PredicateTopic
from lycosa.scoring.topics.trained import TrainedTopic, packed
from lycosa.sources.reading import Reading
from lycosa.sources.training_pages import names_in, read_corpus
from lycosa.spec.tree import TopicSpec
from lycosa.web.recorded import RecordedWeb

ROUNDS, SAMPLE = 5, 300


def micros(judge: object, pages: list[Page]) -> float:
    """CPU time of one relevance, in microseconds."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        for page in pages:
            judge.relevance(page)  # type: ignore[attr-defined]
        best = min(best, time.process_time() - began)
    return best / len(pages) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("web", type=Path)
    parser.add_argument("positive")
    parser.add_argument("negative")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    web = RecordedWeb(Collection.open([given.web]), 0)
    reading = Reading(TopicSpec(), web, None, VirtualClock())
    sides = [
        asyncio.run(read_corpus(reading, names_in([f"@{name}"]))).pages
        for name in (given.positive, given.negative)
    ]
    texts = [[features(page) for page in pages] for pages in sides]
    mixed = [*sides[0][: SAMPLE // 2], *sides[1][: SAMPLE // 2]]
    terms = sum(len(page.terms) for page in mixed) / len(mixed)
    print(
        f"{len(sides[0])} positive, {len(sides[1])} negative; judged pages have {terms:.0f} terms", flush=True
    )
    words = topic_model("course homework lecture"), topic_model("course homework lecture", running=True)
    predicate = PredicateTopic('word("course") and word("office hours") and not url("/~")', {})
    for name, judge in (("keywords tf", words[0]), ("keywords tf-idf", words[1]), ("predicate", predicate)):
        print(f"{name:<16} {micros(judge, mixed):7.1f} us", flush=True)
    for kind in given.kinds.split(","):
        model = trained(kind, *texts)
        topic = TrainedTopic(packed(kind, model, Fields(), (len(texts[0]), len(texts[1])), None))
        cost = micros(topic, mixed)
        print(f"{kind:<16} {cost:7.1f} us", flush=True)
        told = cross_validated(kind, *texts, folds=given.folds)
        print(
            f"{kind:<16} precision {told.precision:.3f} recall {told.recall:.3f} F1 {told.f1:.3f} "
            f"accuracy {told.accuracy:.3f} Brier {told.brier:.4f} calibration error {told.calibration_error:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
