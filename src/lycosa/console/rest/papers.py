"""The papers among the pages of a crawl."""

from __future__ import annotations

import time
from typing import Annotated, Final, Literal

import msgspec

from lycosa.console.desk import Desk
from lycosa.console.rest.operation import OfCrawl, Operation
from lycosa.crawls.answers import Paper
from lycosa.crawls.interface import LEAST_PAPER, Folder
from lycosa.model.records import Record

MOST: Final = 100
"""Papers at once."""
READING: Final = 5.0
"""Seconds after which the reading of new PDFs is told of, and to be asked for again."""


class Asked(OfCrawl, frozen=True, kw_only=True):
    """Which papers."""

    order: Literal["cited", "relevance", "year"] = "cited"
    """The most cited, the most relevant or the newest first."""
    least: Annotated[float, msgspec.Meta(ge=0, le=1)] = LEAST_PAPER
    """The chance to be a paper that a PDF has at least."""
    start: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    """Papers that are passed over."""
    most: Annotated[int, msgspec.Meta(ge=0, le=MOST)] = 20


class Papers(Record, frozen=True, kw_only=True):
    """Papers of a crawl."""

    papers: tuple[Paper, ...] = ()
    found: int = 0
    """All that there are."""
    unread: int = 0
    """PDFs that are still to be read: then no paper is told yet, ask again."""


def list_papers(desk: Desk, given: Asked) -> Papers:
    """List the papers among a crawl's PDFs, with who cites whom; all is read of the PDFs, and may be wrong."""
    with desk.opened(given.name) as folder:
        return papers_in(folder, given)


class _Enough(Exception):
    """The time is over."""


def papers_in(folder: Folder, given: Asked) -> Papers:
    """The papers of a folder, or how many PDFs are left to read when the time is over; what was read stays so."""
    until, left = time.monotonic() + READING, 0

    def progress(done: int, of: int) -> None:
        nonlocal left
        left = of - done
        if left and time.monotonic() > until:
            raise _Enough

    try:
        papers = list(folder.papers(given.least, progress))
    except _Enough:
        return Papers(unread=left)
    if given.order == "relevance":
        papers.sort(key=lambda paper: -paper.relevance)
    elif given.order == "year":
        papers.sort(key=lambda paper: -(paper.year or 0))
    return Papers(papers=tuple(papers[given.start : given.start + given.most]), found=len(papers))


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/papers",
        answer=list_papers,
        takes=Asked,
        gives=Papers,
        tag="search",
    ),
)
