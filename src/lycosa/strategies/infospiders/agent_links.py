"""The links that one agent of a population chooses from."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Literal, NamedTuple

import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from lycosa.model.records import Link
from lycosa.model.url import Url
from lycosa.scoring.links.vicinity import Inputs

BetaScale = Literal["none", "log"]
"""Whether β is taken as it is, or times the logarithm of the number of links to choose from."""

_FIELDS = Link.__struct_fields__


class Candidate(NamedTuple):
    """A URL that an agent may visit next."""

    url: Url
    link: Link | None
    score: float
    inputs: Inputs = ()
    """What the agent's net saw of the link when it was found."""


def softmax(scores: Sequence[float] | NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """Pr(λ) = exp(β μ(λ)) / Σ exp(β μ(λ')) (Menczer, Pant and Srinivasan 2004, eq. 6).

    >>> [round(float(p), 4) for p in softmax([0.2, 0.4, 0.6], 5)]
    [0.09, 0.2447, 0.6652]
    """
    given = np.asarray(scores, dtype=np.float64)
    weights = np.exp(beta * (given - given.max()))
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


class OwnLinks:
    """Candidates of one agent, by URL. Adding costs O(1), drawing one and trimming O(their number), in numpy.

    Invariants, each the name of a property test:

    * best score kept: of several finds of a URL the one with the highest score is kept, of equals the first.
    * trimmed to the best: after `trim(n)` at most n are left, and none that went scores more than one that stayed.
    * nothing lost in giving: what is given away and what is kept are the links there were.
    """

    def __init__(self) -> None:
        self._place: dict[Url, int] = {}
        self._urls: list[Url] = []
        self._links: list[Link | None] = []
        self._inputs: list[Inputs] = []
        self._scores = array("d")
        self._orders = array("q")
        self._added = 0

    def add(self, candidate: Candidate) -> None:
        place = self._place.get(candidate.url)
        if place is None:
            self._place[candidate.url] = len(self._urls)
            self._urls.append(candidate.url)
            self._links.append(candidate.link)
            self._inputs.append(candidate.inputs)
            self._scores.append(candidate.score)
            self._orders.append(self._added)
            self._added += 1
        elif candidate.score > self._scores[place]:
            self._links[place], self._inputs[place] = candidate.link, candidate.inputs
            self._scores[place] = candidate.score

    def draw(self, rng: Random, beta: float, scale: BetaScale = "none") -> Candidate | None:
        """Take one out, by chance, the better the likelier; None if there is none."""
        if not self._urls:
            return None
        if scale == "log":
            beta *= math.log(len(self._urls))
        heaped = np.cumsum(softmax(np.frombuffer(self._scores), beta))
        place = int(np.searchsorted(heaped, rng.random() * heaped[-1], side="right"))
        return self._take(min(place, len(self._urls) - 1))

    def trim(self, most: int) -> None:
        """Let go of the lowest scores beyond so many; of equals, of those found last."""
        excess = len(self._urls) - most
        if excess <= 0:
            return
        for place in _worst(np.array(self._scores), np.array(self._orders), excess):
            self._take(place)

    def give(self, rng: Random, n: int) -> list[Candidate]:
        """Take n out at random."""
        return [self._take(place) for place in sorted(rng.sample(range(len(self)), n), reverse=True)]

    def keep_starts(self) -> None:
        """Let go of all that was found on pages."""
        for place in range(len(self._urls) - 1, -1, -1):
            if self._links[place] is not None:
                self._take(place)

    def _take(self, place: int) -> Candidate:
        """Take one out; the last steps into its place."""
        taken = self._at(place)
        del self._place[taken.url]
        columns: tuple[Any, ...] = (self._urls, self._links, self._inputs, self._scores, self._orders)
        for column in columns:
            last = column.pop()
            if place < len(column):
                column[place] = last
        if place < len(self._urls):
            self._place[self._urls[place]] = place
        return taken

    def _at(self, place: int) -> Candidate:
        return Candidate(self._urls[place], self._links[place], self._scores[place], self._inputs[place])

    def __contains__(self, url: object) -> bool:
        return url in self._place

    def __iter__(self) -> Iterator[Candidate]:
        return map(self._at, range(len(self._urls)))

    def __len__(self) -> int:
        return len(self._urls)

    def save(self) -> Mapping[str, Any]:
        return {
            "candidates": [packed(candidate) for candidate in self],
            "orders": list(self._orders),
            "added": self._added,
        }

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> OwnLinks:
        loaded = cls()
        for candidate in state["candidates"]:
            loaded.add(unpacked(candidate))
        loaded._orders = array("q", state["orders"])
        loaded._added = state["added"]
        return loaded


def _worst(scores: NDArray[np.float64], orders: NDArray[np.int64], n: int) -> list[int]:
    """The places of the n lowest scores, of equals those found last; the last place first."""
    limit = np.partition(scores, n - 1)[n - 1]
    below = np.flatnonzero(scores < limit)
    equal = np.flatnonzero(scores == limit)
    latest = equal[np.argsort(-orders[equal])][: n - len(below)]
    places: list[int] = np.sort(np.concatenate([below, latest]))[::-1].tolist()
    return places


def packed(candidate: Candidate) -> list[Any]:
    """A candidate as plain values."""
    url, link, score, inputs = candidate
    return [url, list(astuple(link)) if link else None, score, [list(each) for each in inputs]]


def unpacked(values: Sequence[Any]) -> Candidate:
    url, link, score, inputs = values
    made = Link(**dict(zip(_FIELDS, link, strict=True))) if link else None
    return Candidate(Url(url), made, score, tuple((k, value) for k, value in inputs))
