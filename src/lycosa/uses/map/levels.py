"""A map a level at a time: a tree of pages to fold and unfold, of which nobody needs the whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.report.wording import clean, cut
from lycosa.uses.map.places import Place, SiteMap

By = Literal["links", "paths"]
"""`links`: each page below the one with the link by which it was found. `paths`: by host, and the folders of its
URLs."""
UNFOLDED: Final = 40
"""Rows that a map shows at first."""
LEVEL: Final = 200
"""Rows of a level that are given at once."""
LABEL: Final = 200
"""Characters of a label."""


class Branch(Record, frozen=True, kw_only=True):
    """A page, or a folder of pages, and what is below it."""

    key: str
    """By which the level below it is asked for."""
    label: str
    url: Url | None
    """None of a folder that is no page itself."""
    relevance: float | None
    best: float
    """The largest relevance, its own and those below."""
    pages: int
    """That fit what is asked for, itself among them."""
    relevant: int
    """How many of these are."""
    below: int
    """Branches directly below it that have such pages."""
    fits: bool
    """Whether it is a page that fits what is asked for itself."""


class Level(Record, frozen=True, kw_only=True):
    """The branches directly below one: those that lead to what is most relevant first."""

    under: str
    """The key of that one; empty: the top."""
    branches: tuple[Branch, ...]
    total: int
    """How many there are, those that are left out too."""


class Asked(Record, frozen=True, kw_only=True):
    """Which pages are wanted."""

    least: float = 0.0
    """From this relevance on."""
    words: str = ""
    """All of them stand in its title, its URL or the words of the link to it, in any case."""


@dataclass(slots=True)
class _Twig:
    """A branch as the tree keeps it."""

    key: str
    label: str
    place: Place | None = None
    below: list[int] = field(default_factory=list)


class _Sum(Record, frozen=True):
    """What is below a twig, of what is asked for."""

    best: float
    pages: int
    relevant: int
    fits: bool


class Tree:
    """The pages of a map as a tree.

    Invariants, each the name of a property test:

    * nothing lost: whatever is asked for, the pages at the top are all pages that fit.
    * level by level: what can be reached from the top, level by level, is each page that fits and the ways to it.
    """

    def __init__(self, whole: SiteMap, by: By = "links") -> None:
        self.pages, self.relevant_from = len(whole.places), whole.relevant_from
        twigs = _by_links(whole.places) if by == "links" else _by_paths(whole.places)
        self._twigs: Sequence[_Twig] = list(twigs)
        self._numbers = {twig.key: number for number, twig in enumerate(self._twigs)}
        self._summed = lru_cache(4)(self._sum)

    def level(self, under: str, asked: Asked, start: int = 0, most: int = LEVEL) -> Level:
        """The branches below one. Raises `InputError` for a key that there is not."""
        sums, below = self._summed(asked), self._below(under, asked)
        branches = (self._branch(number, sums, asked) for number in below[start : start + most])
        return Level(under=under, branches=tuple(branches), total=len(below))

    def found(self, asked: Asked) -> int:
        """How many pages fit."""
        return self._summed(asked)[0].pages

    def first(self, asked: Asked, rows: int = UNFOLDED) -> list[str]:
        """The keys of what is unfolded at first: the most relevant branches, level by level, as long as the map stays
        small; while it is very small, large ones too."""
        unfolded: list[str] = []
        shown, edge = len(self._below("", asked)), [""]
        while edge:
            coming: list[str] = []
            for key in edge:
                for branch in self.level(key, asked).branches:
                    if branch.below and (shown + branch.below <= rows or shown <= rows // 3):
                        unfolded.append(branch.key)
                        coming.append(branch.key)
                        shown += branch.below
            edge = coming
        return unfolded

    def _below(self, under: str, asked: Asked) -> list[int]:
        number = self._numbers.get(under)
        if number is None:
            raise InputError(f"{under}: there is no such place on the map")
        sums = self._summed(asked)
        there = [each for each in self._twigs[number].below if sums[each].pages]
        return sorted(there, key=lambda each: (-sums[each].best, each))

    def _branch(self, number: int, sums: Sequence[_Sum], asked: Asked) -> Branch:
        twig, told = self._twigs[number], sums[number]
        return Branch(
            key=twig.key,
            label=cut(twig.label, LABEL),
            url=twig.place.url if twig.place is not None else None,
            relevance=twig.place.relevance if twig.place is not None else None,
            best=told.best,
            pages=told.pages,
            relevant=told.relevant,
            below=sum(sums[each].pages > 0 for each in twig.below),
            fits=told.fits,
        )

    def _sum(self, asked: Asked) -> Sequence[_Sum]:
        """From the leaves to the top: whatever is below a twig stands behind it."""
        words = asked.words.casefold().split()
        sums = [_Sum(0.0, 0, 0, False)] * len(self._twigs)
        for number in range(len(self._twigs) - 1, -1, -1):
            twig = self._twigs[number]
            fits = twig.place is not None and _fits(twig.place, asked.least, words)
            own = twig.place.relevance if fits and twig.place is not None else 0.0
            below = [sums[each] for each in twig.below]
            sums[number] = _Sum(
                max([own, *(each.best for each in below)]),
                fits + sum(each.pages for each in below),
                (fits and own >= self.relevant_from) + sum(each.relevant for each in below),
                fits,
            )
        return sums


def _fits(place: Place, least: float, words: Sequence[str]) -> bool:
    if place.relevance < least:
        return False
    text = f"{place.title} {place.url} {place.anchor}".casefold() if words else ""
    return all(word in text for word in words)


def _by_links(places: Sequence[Place]) -> Iterator[_Twig]:
    """The top, then the places as they are on the map: parents stand before what is below them."""
    twigs = [_Twig("", "")]
    for number, place in enumerate(places, 1):
        twigs.append(_Twig(place.url, place.title or place.url, place))
        twigs[0 if place.parent is None else place.parent + 1].below.append(number)
    return iter(twigs)


def _by_paths(places: Sequence[Place]) -> Iterator[_Twig]:
    """The top, hosts, and the folders of their URLs, each before what is in it."""
    twigs, numbers = [_Twig("", "")], {"": 0}
    for place in places:
        above = 0
        for key in _folders(place.url):
            if key not in numbers:
                numbers[key] = len(twigs)
                twigs.append(_Twig(key, clean(unquote(key[len(twigs[above].key) :]))))
                twigs[above].below.append(numbers[key])
            above = numbers[key]
        twigs[above].place = place
        twigs[above].label = place.title or twigs[above].label
    return iter(twigs)


def _folders(url: Url) -> Iterator[str]:
    """The keys of a URL's host, of its folders, and of itself.

    >>> list(_folders(Url("http://a.test/b/c?d=/e")))
    ['http://a.test/', 'http://a.test/b/', 'http://a.test/b/c?d=/e']
    """
    path = urlsplit(url).path
    start = len(url) - len(url.split("/", 3)[3]) if url.count("/") > 2 else len(url)
    end = start + len(path) - 1
    while True:
        yield url[:start]
        following = url.find("/", start, end)
        if following < 0:
            break
        start = following + 1
    if start < len(url):
        yield url


def levels(tree: Tree, unfolded: Sequence[str], asked: Asked) -> Mapping[str, Level]:
    """The top and the levels below what is unfolded, by their keys; keys that there are no more are passed over."""
    found = {"": tree.level("", asked)}
    for key in unfolded:
        try:
            found[key] = tree.level(key, asked)
        except InputError:
            continue
    return found
