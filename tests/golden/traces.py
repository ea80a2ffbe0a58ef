"""Traces of whole crawls, kept as text so that a change of behaviour is seen and judged.

``python -m tests.golden.traces`` writes them anew, from the project's root. Read the difference before you commit it.
"""

from __future__ import annotations

from pathlib import Path

from lycosa.crawl.crawl import Crawl
from lycosa.lab.kit.conformance import Trial, maker, marked
from lycosa.model.records import Failure, Page
from lycosa.spec.registry import BUILT_IN

FOLDER = Path(__file__).parent
VISITS = 100
MARKED = "hunter"
"""The strategy that listens to marks."""


def trace_of(name: str) -> str:
    """The first 100 visits on the generated web: what came of it, the URL, its score."""
    crawl = Trial(maker(name), budget=VISITS).whole()
    return "".join(line_of(visit) + "\n" for visit in visits_of(crawl)[:VISITS])


def trace_with_marks(name: str) -> str:
    """The visits after some of the first 60 pages were marked good and bad."""
    trial = Trial(maker(name), budget=VISITS)
    crawl = marked(trial)
    before = len(visits_of(crawl))
    trial.run(crawl, now=list(crawl.store.entries())[-1].at)
    return "".join(line_of(visit) + "\n" for visit in visits_of(crawl)[before:])


def visits_of(crawl: Crawl) -> list[Page | Failure]:
    return [e.event for e in crawl.store.entries() if isinstance(e.event, Page | Failure)]


def line_of(visit: Page | Failure) -> str:
    outcome = "page" if isinstance(visit, Page) else visit.reason.value
    if isinstance(visit, Failure) and visit.status:
        outcome += f" {visit.status}"
    return f"{outcome:<14} {visit.url:<26} {visit.request.score:.6f}"


def file_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


if __name__ == "__main__":
    for name in BUILT_IN:
        file_of(name).write_text(trace_of(name), encoding="utf-8")
    file_of(f"{MARKED}-marked").write_text(trace_with_marks(MARKED), encoding="utf-8")
