"""Patterns of URLs, cut where visitors behave differently (after Liu, Cai, Zhang and Zhang, CIKM 2011)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log2
from typing import NamedTuple

from lycosa.crawl.inputs import UsageLog
from lycosa.model.url import Url

MOST_SEGMENTS = 16
"""Of a path that are told apart; what comes after is one last part."""

_CLASSES = (
    ("{num}", re.compile(r"\d+")),
    ("{date}", re.compile(r"(?:19|20)\d\d-\d\d?-\d\d?")),
    ("{hex}", re.compile(r"(?=.*\d)[0-9a-f]{8,}", re.IGNORECASE)),
    ("{slug}", re.compile(r"\w+(?:[-_.]\w+)+")),
)
ANY = "{any}"


def parts_of(url: Url) -> tuple[str, ...]:
    """Host, path segments, and the names in the query, sorted: what patterns generalise.

    >>> parts_of(Url("http://h.test/a/77?page=2&id=3"))
    ('h.test', 'a', '77', '?id&page')
    """
    host, _, rest = url.partition("://")[2].partition("/")
    path, _, query = rest.partition("?")
    segments = path.split("/", MOST_SEGMENTS)
    names = sorted({argument.partition("=")[0] for argument in query.split("&")}) if query else []
    return (host, *segments, "?" + "&".join(names))


@lru_cache(maxsize=65_536)
def class_of(part: str) -> str:
    """What kind of text a part of a URL is.

    >>> [class_of(part) for part in ("77", "2007-12-31", "0a1b2c3d", "sea-urchin.html", "about")]
    ['{num}', '{date}', '{hex}', '{slug}', '{any}']
    """
    return next((name for name, shape in _CLASSES if shape.fullmatch(part)), ANY)


class Behaviour(NamedTuple):
    """How visitors treat one URL, as counts of views."""

    visits: int
    entries: int
    exits: int
    revisits: int
    """Views by somebody who had seen it before."""


def behaviours(log: UsageLog) -> list[Behaviour]:
    """Of each URL of a log."""
    size = len(log.urls)
    visits, entries, exits, again = [0] * size, [0] * size, [0] * size, [0] * size
    seen: set[tuple[int, int]] = set()
    for user, session in zip(log.users, log.sessions, strict=True):
        entries[session[0].url] += 1
        exits[session[-1].url] += 1
        for view in session:
            visits[view.url] += 1
            again[view.url] += (user, view.url) in seen
            seen.add((user, view.url))
    return [Behaviour(*counts) for counts in zip(visits, entries, exits, again, strict=True)]


def divergence(groups: Sequence[Sequence[Behaviour]]) -> float:
    """How differently visitors treat groups of URLs: the largest Jensen-Shannon divergence of four distributions.

    Those are visits per URL (in powers of two), and the shares of entries, exits and revisits among visits. Groups
    weigh alike. In bits: 0 for groups that are treated alike, at most log2 of their number.
    """
    histograms = [_histogram(group) for group in groups]
    totals = [Behaviour(*map(sum, zip(*group, strict=True))) for group in groups]
    shares = [
        [
            {"yes": count / total.visits, "no": 1 - count / total.visits}
            for count, total in zip(of, totals, strict=True)
        ]
        for of in zip(*(total[1:] for total in totals), strict=True)
    ]
    return max(map(jensen_shannon, [histograms, *shares]))


def _histogram(group: Sequence[Behaviour]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in group:
        bucket = str(each.visits.bit_length())
        found[bucket] = found.get(bucket, 0.0) + 1 / len(group)
    return found


def jensen_shannon(distributions: Sequence[Mapping[str, float]]) -> float:
    """H(mean of P_i) - mean of H(P_i), in bits (Lin 1991)."""
    mean: dict[str, float] = {}
    for distribution in distributions:
        for outcome, share in distribution.items():
            mean[outcome] = mean.get(outcome, 0.0) + share / len(distributions)
    return max(0.0, _entropy(mean) - sum(map(_entropy, distributions)) / len(distributions))


def _entropy(distribution: Mapping[str, float]) -> float:
    return -sum(share * log2(share) for share in distribution.values() if share > 0)


class Pattern:
    """A node of the pattern tree. It stands for the URLs that match it and none of the nodes below it."""

    def __init__(self, parts: tuple[str, ...], number: int) -> None:
        self.parts, self.number = parts, number
        self.below: dict[str, Pattern] = {}
        """By literal part or class."""

    def __str__(self) -> str:
        if not self.parts:
            return "*"
        host, *path = self.parts
        if path and path[-1].startswith("?"):
            return "/".join([host, *path[:-1]]) + path[-1].rstrip("?")
        return "/".join([host, *path, "*"])


class PatternTree:
    """URLs of a log by pattern. A node is split only where the parts below it are treated differently.

    The parts of a URL are told apart one after the other: a value that `least` URLs have stands for itself, others
    stand together by class (number, date, hexadecimal, words joined by hyphens, any) if `least` URLs have the class,
    else they stay with the node. A node is split if its groups diverge by more than `threshold`, and goes one part
    deeper without asking if there is one group only, and too few URLs beside it to compare with. Each host is a site
    with a tree of its own.

    Invariants, each the name of a property test:

    * exactly one: every URL has one pattern, the deepest that matches; its own parts match that pattern's.
    * order does not matter: the URLs of a log in any order give the same patterns.
    """

    def __init__(
        self, urls: Sequence[Url], treated: Sequence[Behaviour], least: int, threshold: float
    ) -> None:
        self._parts = [parts_of(url) for url in urls]
        self._treated = treated
        self.least, self.threshold = least, threshold
        self.patterns: list[Pattern] = []
        self.root = self._new(())
        sites: dict[str, list[int]] = {}
        for place in sorted(range(len(urls)), key=self._parts.__getitem__):
            sites.setdefault(self._parts[place][0], []).append(place)
        growing = [(self._child(self.root, host), places) for host, places in sites.items()]
        while growing:
            growing += self._split(*growing.pop())

    def _new(self, parts: tuple[str, ...]) -> Pattern:
        pattern = Pattern(parts, len(self.patterns))
        self.patterns.append(pattern)
        return pattern

    def _child(self, above: Pattern, part: str) -> Pattern:
        above.below[part] = made = self._new((*above.parts, part))
        return made

    def _split(self, pattern: Pattern, places: list[int]) -> list[tuple[Pattern, list[int]]]:
        groups = self._groups(places, len(pattern.parts))
        named = sum(map(len, groups.values()))
        if not groups:
            return []
        if len(groups) > 1 or named < len(places):
            within = {place for group in groups.values() for place in group}
            rest = [place for place in places if place not in within]
            compared = [*groups.values(), rest] if len(rest) >= self.least else [*groups.values()]
            told = [[self._treated[place] for place in group] for group in compared]
            if len(compared) > 1 and divergence(told) <= self.threshold:
                return []
        return [(self._child(pattern, part), group) for part, group in groups.items()]

    def _groups(self, places: Iterable[int], depth: int) -> dict[str, list[int]]:
        """URLs by their next part, or its class; groups that are too small are left out."""
        by_value: dict[str, list[int]] = {}
        for place in places:
            if depth < len(self._parts[place]):
                by_value.setdefault(self._parts[place][depth], []).append(place)
        groups = {value: group for value, group in by_value.items() if len(group) >= self.least}
        by_class: dict[str, list[int]] = {}
        for value, group in by_value.items():
            if value not in groups and not value.startswith("?"):
                by_class.setdefault(class_of(value), []).extend(group)
        return groups | {kind: group for kind, group in by_class.items() if len(group) >= self.least}

    def match(self, url: Url) -> Pattern:
        """The deepest pattern that a URL matches; of a literal and a class that both do, the literal."""
        at = self.root
        for part in parts_of(url):
            found = at.below.get(part)
            if found is None and not part.startswith("?"):
                found = at.below.get(class_of(part))
            if found is None:
                return at
            at = found
        return at

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self.patterns)
