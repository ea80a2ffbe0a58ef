"""How a crawl went so far, as curves of a few hundred points, for whoever looks on and draws them on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, Protocol

from lycosa.model.records import Millis, Record
from lycosa.watch.tally import WINDOW

POINTS: Final = 400
"""Of each curve, at most."""


class Fetched(Protocol):
    """One page in time: `lycosa.store.history.Point`."""

    @property
    def at(self) -> Millis: ...
    @property
    def relevance(self) -> float: ...


class Sample(Record, frozen=True, kw_only=True):
    """How it was after so many pages."""

    pages: int
    at: Millis
    harvest: float
    """The share of relevant pages among all so far."""
    recent: float
    """Among the last fifty."""
    relevance: float
    """The mean of the last fifty."""
    rate: float
    """Pages a second over the last fifty, by the crawl's clock; 0 before there are two."""


class Course(Record, frozen=True, kw_only=True):
    """Curves, and what is needed to go on with them."""

    samples: tuple[Sample, ...]
    pages: int
    relevant: int
    last: tuple[tuple[Millis, float], ...]
    """When each of the last fifty pages came, and its relevance, oldest first."""


def course(fetched: Iterable[Fetched], relevant_from: float, most: int = POINTS) -> Course:
    """The curves of pages in the order of the crawl: a sample after each page, or after each 2nd, 4th, 8th … page where
    these would be more than `most`, and one after the last."""
    last: deque[tuple[Millis, float]] = deque(maxlen=WINDOW)
    samples: list[Sample] = []
    pages = relevant = 0
    every = 1
    newest = None
    for page in fetched:
        pages += 1
        relevant += page.relevance >= relevant_from
        last.append((page.at, page.relevance))
        newest = None
        if pages % every:
            continue
        newest = _sample(pages, relevant, last, relevant_from)
        samples.append(newest)
        if len(samples) > most:
            every *= 2
            samples = [sample for sample in samples if sample.pages % every == 0]
    if pages and (newest is None or samples[-1:] != [newest]):
        samples.append(_sample(pages, relevant, last, relevant_from))
    return Course(samples=tuple(samples), pages=pages, relevant=relevant, last=tuple(last))


def _sample(pages: int, relevant: int, last: deque[tuple[Millis, float]], relevant_from: float) -> Sample:
    took = last[-1][0] - last[0][0]
    return Sample(
        pages=pages,
        at=last[-1][0],
        harvest=relevant / pages,
        recent=sum(value >= relevant_from for _, value in last) / len(last),
        relevance=sum(value for _, value in last) / len(last),
        rate=1_000 * (len(last) - 1) / took if took > 0 else 0.0,
    )
