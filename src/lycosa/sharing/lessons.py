"""What the strategies of several nodes can tell one another of a topic, in a few kilobytes.

Each node of a topical crawl sees a part of the web, and so learns from a part: how rare words are, which words tell
the best pages from all others, which hosts bring anything. A lesson says what one node knows of this, in numbers that
add up:

* of the words that matter, in how many of its pages each occurs. Their sums give the rarity that one crawler would
  know;
* its best pages, with those of these words that they have. The best of all nodes are among the best of each, so the
  best k of all that was told are the best k of all pages, and from these follow the words that tell them from all
  others (log-odds, as the hunter learns them);
* how many pages of a host it has, and how relevant they were.

A lesson tells all that is known so far, not what is new. So the latest of a node takes the place of those before, and
lessons may come late, twice, or out of order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import nsmallest
from math import log
from typing import Any, Final, NamedTuple

import msgspec

from lycosa.model.decoding import converted
from lycosa.model.nodes import Node
from lycosa.model.records import Page, Record
from lycosa.model.url import Host, Url, host_of

MOST_BEST: Final = 20
"""Best pages in a lesson: as many as the hunter learns from."""
MOST_TERMS: Final = 400
MOST_HOSTS: Final = 100


class Best(Record, frozen=True, kw_only=True):
    """One of the best pages of a node."""

    url: Url
    worth: float
    """How good it is, by a measure that is the same on all nodes; infinite: a person said so."""
    terms: tuple[str, ...]
    """Those of its distinct terms that matter, in their order."""


class Harvest(NamedTuple):
    """What came of a host."""

    pages: int = 0
    relevance: float = 0.0
    """The sum over these pages."""


class Lesson(Record, frozen=True, kw_only=True):
    """What one node has learned so far."""

    node: Node
    number: int
    """Grows with each lesson of a node, also if it lost its folder and began anew, as the time does."""
    pages: int
    """That the node has."""
    holding: Mapping[str, int]
    """In how many of them each of the terms occurs that are told of; at least the topic's own words."""
    best: tuple[Best, ...]
    """The best first."""
    hosts: Mapping[Host, Harvest]
    """Those with the most pages."""


def lesson(
    node: Node,
    number: int,
    pages: int,
    holding: Callable[[str], int],
    best: Iterable[Best],
    hosts: Mapping[Host, Harvest],
    words: Collection[str] = (),
) -> Lesson:
    """What a node with so many `pages` tells: all of the topic's `words`, and of the rest what says most.

    `holding` says in how many pages a term occurs. Of its terms those are told that many of the best pages have and few
    of all, by k ln(1 + (N + 1) / (df + ½)), k of the best.
    """
    chosen = nsmallest(MOST_BEST, best, key=_best_first)
    counts = Counter(term for page in chosen for term in page.terms if term not in words)

    def says_little(term: str) -> tuple[float, str]:
        return -counts[term] * log(1 + (pages + 1) / (holding(term) + 0.5)), term

    told = [*dict.fromkeys(words), *nsmallest(max(0, MOST_TERMS - len(words)), counts, key=says_little)]
    known = frozenset(told)
    largest = nsmallest(MOST_HOSTS, hosts.items(), key=lambda of: (-of[1].pages, of[0]))
    return Lesson(
        node=node,
        number=number,
        pages=pages,
        holding={term: holding(term) for term in told},
        best=tuple(
            Best(url=page.url, worth=page.worth, terms=tuple(filter(known.__contains__, page.terms)))
            for page in chosen
        ),
        hosts=dict(largest),
    )


class Notes:
    """What a node notes down of its pages, to make lessons of: for strategies that keep no such accounts themselves.

    Memory: a dictionary entry for each distinct term of all pages, and for each host.
    """

    def __init__(self, words: Collection[str] = ()) -> None:
        """`words` are the topic's own."""
        self._words = tuple(words)
        self._pages = 0
        self._holding: Counter[str] = Counter()
        self._best: list[Best] = []
        self._hosts: dict[Host, Harvest] = {}

    def see(self, page: Page, worth: float) -> None:
        """A page came in, for the first time; its relevance is set."""
        self._pages += 1
        self._holding.update(page.terms.keys())
        noted = Best(url=page.final_url, worth=worth, terms=tuple(sorted(page.terms)))
        self._best = nsmallest(MOST_BEST, [*self._best, noted], key=_best_first)
        host = host_of(page.final_url)
        pages, relevance = self._hosts.get(host, Harvest())
        self._hosts[host] = Harvest(pages + 1, relevance + page.relevance)

    def lesson(self, node: Node, number: int) -> Lesson:
        """All of it, in short."""
        return lesson(
            node,
            number,
            self._pages,
            self._holding.__getitem__,
            self._best,
            self._hosts,
            self._words,
        )

    def save(self) -> Mapping[str, Any]:
        """Plain values."""
        return {
            "pages": self._pages,
            "holding": dict(self._holding),
            "best": msgspec.to_builtins(self._best),
            "hosts": msgspec.to_builtins(self._hosts),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        self._pages = state["pages"]
        self._holding = Counter(state["holding"])
        self._best = converted(state["best"], list[Best])
        self._hosts = converted(state["hosts"], dict[Host, Harvest])


class Lessons:
    """What a node heard from all others.

    Invariants, each the name of a property test:

    * in any order, any number of times: lessons that come late, twice, or out of order come to the same.
    * the best of all: the best k that were told are the best k pages of all nodes, for k up to `MOST_BEST`.
    """

    def __init__(self) -> None:
        self._latest: dict[Node, Lesson] = {}

    def hear(self, lesson: Lesson) -> bool:
        """A node told what it knows. Returns whether that is news."""
        known = self._latest.get(lesson.node)
        if known is not None and known.number >= lesson.number:
            return False
        self._latest[lesson.node] = lesson
        return True

    def forget(self, node: Node) -> None:
        """The pages of this node are told of by others now, or gone."""
        self._latest.pop(node, None)

    @property
    def pages(self) -> int:
        """How many pages all of them have."""
        return sum(lesson.pages for lesson in self._latest.values())

    def terms(self) -> Sequence[str]:
        """All terms that somebody told of, sorted."""
        return sorted({term for lesson in self._latest.values() for term in lesson.holding})

    def holding(self, term: str) -> tuple[int, int]:
        """In how many pages a term occurs, and of how many: the pages of those who told of it."""
        told = [lesson for lesson in self._latest.values() if term in lesson.holding]
        return sum(lesson.holding[term] for lesson in told), sum(lesson.pages for lesson in told)

    def best(self, most: int = MOST_BEST) -> list[Best]:
        """The best pages of all, each once."""
        told = (page for _, lesson in sorted(self._latest.items()) for page in lesson.best)
        by_url: dict[Url, Best] = {}
        for page in sorted(told, key=_best_first):
            by_url.setdefault(page.url, page)
        return list(by_url.values())[:most]

    def harvest(self, host: Host) -> Harvest:
        """What came of a host, by all that was told."""
        told = [lesson.hosts.get(host, Harvest()) for _, lesson in sorted(self._latest.items())]
        return Harvest(sum(of.pages for of in told), sum(of.relevance for of in told))

    def save(self) -> Mapping[str, Any]:
        """Plain values."""
        return {"latest": msgspec.to_builtins(list(self._latest.values()))}

    def load(self, state: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        self._latest = {lesson.node: lesson for lesson in converted(state["latest"], list[Lesson])}


def _best_first(page: Best) -> tuple[float, str]:
    return -page.worth, page.url
