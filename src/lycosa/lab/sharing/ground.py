"""What is true of a web that several crawlers share: its links, and the class, host and size of each page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.lab.webs.generated import GeneratedLab
from lycosa.lab.webs.lab_web import LabWeb
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.records import Record
from lycosa.model.url import Url, host_of
from lycosa.scoring.words.terms import Counts, counts

Ints = NDArray[np.integer[Any]]

Terms = Callable[[int], Counts]

NONE = -1
"""The class of a page of which none can be told."""
TAGS, WORD = 1_000, 7
"""Bytes of a page's markup apart from links, and of a word: for pages whose bodies are not at hand."""
ANCHOR = 70
"""Bytes of a link in a page."""


class Ground(Record, frozen=True, kw_only=True):
    """A web as plain columns by number of page."""

    name: str
    graph: LinkGraph
    classes: Ints
    """What every node's classifier says of each page, from 0; `NONE` where it says nothing."""
    names: tuple[str, ...]
    """Of the classes."""
    hosts: Ints
    """A number for each host."""
    bytes: Ints
    """Of a page's body."""
    answers: NDArray[np.bool_]
    """Which of the numbers are pages: of a generated web some fail or redirect."""
    posterior: NDArray[np.float32] | None = None
    """How likely each page is of each class, a row a page, where the classifier says so."""
    terms: Terms | None = None
    """Counts of the words of a page, by its number; made when they are asked for."""

    def __len__(self) -> int:
        return len(self.graph)

    @property
    def urls(self) -> Sequence[Url]:
        return self.graph.urls


def generated_ground(web: GeneratedLab, name: str = "generated") -> Ground:
    """A generated web with its own topics for classes: a classifier that never errs. Pages on no topic have none.

    Bytes are modelled: 1,000, and 7 a word and 70 a link.
    """
    graph, made = web.graph(), web.web
    count = len(graph)
    topics = [made.topic(page) for page in range(count)]
    answers = [made.fate(page) == "page" for page in range(count)]
    links = np.diff(graph.indptr)
    return Ground(
        name=name,
        graph=graph,
        classes=np.array([NONE if topic is None else topic for topic in topics], np.int32),
        names=tuple(f"topic {number}" for number in range(made.topics)),
        hosts=_hosts(graph.urls),
        bytes=TAGS + WORD * made.shape.words + ANCHOR * links,
        answers=np.array(answers),
        terms=lambda number: counts(" ".join(made.words(number))),
    )


def recorded_ground(web: LabWeb, classes: Ints, names: Sequence[str], name: str) -> Ground:
    """A recorded web, its pages' classes told by somebody. Bytes are modelled: 1,000, the text and 70 a link."""
    graph = web.graph()
    lengths = np.array([len(web.pages.text(page)) for page in range(len(graph))])
    return Ground(
        name=name,
        graph=graph,
        classes=np.asarray(classes, np.int32),
        names=tuple(names),
        hosts=_hosts(graph.urls),
        bytes=TAGS + lengths + ANCHOR * np.diff(graph.indptr),
        answers=np.ones(len(graph), np.bool_),
        terms=web.terms,
    )


def _hosts(urls: Sequence[Url]) -> Ints:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(host_of(url), len(numbers)) for url in urls], np.int32)
