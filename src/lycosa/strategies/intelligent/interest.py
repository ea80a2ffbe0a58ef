"""What the features of pages say of the chance that they satisfy a predicate: interest ratios, learned while crawling.

Aggarwal, Al-Garawi and Yu, "Intelligent Crawling on the World Wide Web with Arbitrary Predicates", WWW10, 2001. The
formulas are recalled, not checked against the paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.strategies.parts.columns import Column, Numbers

MOST_TOKENS = 32
"""Of one URL: what comes after is the tail of a query."""
ROUNDING = 1e-9
"""So that what is just significant is so on every machine."""

_TOKEN = re.compile(r"[a-z]{2,}|[0-9]{4}")


def interest_ratio(observed: float, expected: float, smoothing: float = 0.0) -> float:
    """I(C, E) = P(C | E) / P(C), of how many with E satisfy and how many would if E did not matter.

    With `smoothing` both count so many more, so that little evidence says little, and none says 1.

    >>> interest_ratio(observed=4, expected=8 * 0.1)  # of 8 pages with a word 4 satisfy, of all pages a tenth
    5.0
    """
    return (observed + smoothing) / (expected + smoothing)


def significance(observed: float, n: float, share: float) -> float:
    """|P(C|E) - P(C)| / σ with σ = √(P(C)(1 - P(C)) / n): how surely E matters.

    >>> round(significance(observed=4, n=8, share=0.1), 2)
    3.77
    """
    return abs(observed / n - share) / sqrt(share * (1 - share) / n) if n and 0 < share < 1 else 0.0


def url_tokens(url: Url) -> list[str]:
    """The distinct words and years of a URL, in their order, its scheme left out.

    >>> url_tokens(Url("http://www.example.org/News/2007/sea-urchin.html"))
    ['www', 'example', 'org', 'news', '2007', 'sea', 'urchin', 'html']
    """
    return list(dict.fromkeys(_TOKEN.findall(url.partition("://")[2].lower())))[:MOST_TOKENS]


class Rule(Record, frozen=True, kw_only=True):
    """How evidence becomes a score."""

    t: float = 2.0
    """Significance from which a word or token counts."""
    smoothing: float = 0.5
    geometric: bool = True
    """Of a candidate's words (and tokens) the geometric mean of their ratios counts; else their product."""


class Base:
    """How many pages there are, how many of them satisfy, and how links between pages fall out."""

    def __init__(self) -> None:
        self.pages = 0.0
        self.good = 0.0
        self.links = 0.0
        """Links between crawled pages, known when the page at their end came in."""
        self.good_to_good = 0.0
        self.other_to_good = 0.0

    @property
    def share(self) -> float:
        """P(C)"""
        return self.good / self.pages if self.pages else 0.0

    def parents_logs(self, smoothing: float) -> tuple[float, float]:
        """log(f1 / g1) and log(f3 / g3): what one good parent, and one other parent, adds.

        g1 = P² and g3 = (1 - P)P are the shares of links that were to be expected if links did not matter.
        """
        p = self.share
        expected = p * p * self.links, (1 - p) * p * self.links
        observed = self.good_to_good, self.other_to_good
        ratios = [interest_ratio(o, e, smoothing) for o, e in zip(observed, expected, strict=True)]
        return float(np.log(ratios[0])), float(np.log(ratios[1]))

    def save(self) -> Mapping[str, float]:
        return dict(vars(self))

    def load(self, state: Mapping[str, float]) -> None:
        for name in vars(self):
            setattr(self, name, float(state[name]))


class Telling(NamedTuple):
    """A feature that tells good pages from others."""

    name: str
    ratio: float
    pages: float


class Features:
    """Words, tokens or users: on how many pages each was met, and how many of these satisfy."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._met, self._good = Column("f8"), Column("f8")

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, names: Iterable[str]) -> list[int]:
        """Their numbers; a name that is new gets one."""
        known = self._numbers
        found = [known.setdefault(name, len(known)) for name in names]
        self._met.grow_to(len(known))
        self._good.grow_to(len(known))
        return found

    def count(self, numbers: Numbers, good: bool) -> None:
        """One more page that has these features; a number may occur several times and counts once."""
        # Assignment by an index array writes equal values where a number is repeated.
        self._met.values[numbers] = self._met.values[numbers] + 1
        if good:
            self._good.values[numbers] = self._good.values[numbers] + 1

    def log_ratios(self, base: Base, rule: Rule, numbers: Numbers | None = None) -> Numbers:
        """log I of each feature (or of those given); nan where it is not significant."""
        which = slice(None) if numbers is None else numbers
        met, good = self._met.values[which], self._good.values[which]
        p = base.share
        if not 0 < p < 1:
            return np.full(len(met), np.nan)
        expected = met * p
        told = np.log((good + rule.smoothing) / (expected + rule.smoothing))
        # |good/n - P| ≥ t·√(P(1-P)/n), multiplied by n
        significant = (met > 0) & (np.abs(good - expected) >= rule.t * np.sqrt(met * p * (1 - p)) - ROUNDING)
        told[~significant] = np.nan
        return told

    def most_telling(self, base: Base, rule: Rule, n: int) -> list[Telling]:
        """The features with the largest significant ratios, largest first; ties by age."""
        logs = np.nan_to_num(self.log_ratios(base, rule), nan=-inf)
        names = list(self._numbers)
        best = [int(i) for i in np.argsort(-logs, kind="stable")[:n] if logs[i] > 0]
        return [Telling(names[i], float(np.exp(logs[i])), float(self._met.values[i])) for i in best]

    def save(self) -> Mapping[str, Any]:
        return {"names": list(self._numbers), "met": self._met.save(), "good": self._good.save()}

    def load(self, state: Mapping[str, Any]) -> None:
        self._numbers = {name: number for number, name in enumerate(state["names"])}
        self._met.load(state["met"])
        self._good.load(state["good"])
