"""What follows from crawls for a statement about two crawlers, and how many statements come to what.

Each statement is tested in its own direction: one test speaks for it, one against it. That A has more than B is tested
by a paired t-test over topics on the side of the statement, and on the other. That the two are alike is tested as
equivalence: by two one-sided tests the difference is within a margin; against it speaks that the difference is beyond.
p is twice the smaller of the two, and all statements of a web are one family (Holm).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Literal, NamedTuple

import numpy as np

from lycosa.lab.measures.statistics import (
    Comparison,
    Floats,
    Scores,
    Test,
    by_task,
    compare,
    equivalence,
    holm,
    paired_t,
)
from lycosa.report.wording import counted

MARGIN = 0.1
"""Two crawlers are alike where they differ by less than this share of the larger mean."""
ALPHA = 0.05

Claim = Literal["more", "less", "alike"]


class Verdict(StrEnum):
    HOLDS = "holds"
    REFUTED = "refuted"
    OPEN = "open"
    UNTESTED = "not tested"


class Evidence(NamedTuple):
    """What speaks for a statement and what against it, over the topics that both crawlers did."""

    comparison: Comparison
    for_it: Test
    against_it: Test

    @property
    def p(self) -> float | None:
        """For either of the two, uncorrected; None if there was no test."""
        if self.for_it.p is None or self.against_it.p is None:
            return None
        return min(1.0, 2 * min(self.for_it.p, self.against_it.p))

    @property
    def is_for(self) -> bool:
        """Whether it speaks for the statement rather than against it; undefined without a test."""
        return (self.for_it.p or 0.0) < (self.against_it.p or 0.0)


def evidence(claim: Claim, a: Scores, b: Scores) -> Evidence:
    """Test a claim about A and B. Raises `InputError` if they have no topic in common."""
    found = compare(a, b)
    ours, theirs = by_task(a), by_task(b)
    differences = np.array([ours[task] - theirs[task] for task in ours if task in theirs])
    if claim == "alike":
        margin = MARGIN * max(abs(found.a.mean), abs(found.b.mean))
        return Evidence(found, equivalence(differences, margin), _beyond(differences, margin))
    above, below = paired_t(differences, "greater"), paired_t(differences, "less")
    return Evidence(found, above, below) if claim == "more" else Evidence(found, below, above)


def _beyond(differences: Floats, margin: float) -> Test:
    """That they differ by more than the margin, on the side where the mean is."""
    if differences.mean() > 0:
        return paired_t(differences - margin, "greater")
    return paired_t(differences + margin, "less")


class Judged(NamedTuple):
    """What came of a statement on a web."""

    verdict: Verdict
    why: str
    p: float | None = None
    """After Holm's correction."""

    def __str__(self) -> str:
        return f"{self.verdict} ({self.why})" if self.why else str(self.verdict)


def judge(claim: Claim, found: Evidence, p: float | None) -> Judged:
    """A verdict, given the p-value after correction.

    >>> ours = {"a": 0.5, "b": 0.6, "c": 0.7, "d": 0.6, "e": 0.5, "f": 0.65}
    >>> theirs = {"a": 0.2, "b": 0.2, "c": 0.4, "d": 0.1, "e": 0.2, "f": 0.25}
    >>> print(judge("more", evidence("more", ours, theirs), 0.001))
    holds (p = 0.001)
    >>> print(judge("less", evidence("less", ours, theirs), 0.001))
    refuted (the opposite, p = 0.001)
    >>> print(judge("less", evidence("less", ours, theirs), 0.2))
    open (the opposite, p = 0.2)
    >>> print(judge("alike", evidence("alike", ours, theirs), 0.001))
    refuted (more than 10 % above, p = 0.001)
    """
    if p is None:
        return Judged(Verdict.UNTESTED, found.for_it.lacking or found.against_it.lacking)
    told, difference = f"p = {p:.2g}", found.comparison.difference.mean
    if p < ALPHA and found.is_for:
        return Judged(Verdict.HOLDS, told, p)
    where = "above" if difference > 0 else "below"
    if claim == "alike":
        seen = (
            f"more than {100 * MARGIN:.0f} % {where}"
            if p < ALPHA
            else f"neither alike nor apart, mean {where}"
        )
    else:
        seen = "as said" if found.is_for else "the opposite" if difference else "no difference"
    return Judged(Verdict.REFUTED if p < ALPHA else Verdict.OPEN, f"{seen}, {told}", p)


class Tested(NamedTuple):
    """A statement on a web: its test, or why there is none."""

    key: object
    """Statements with the same one come to one test."""
    claim: Claim
    evidence: Evidence | None
    lacking: str = ""


def first_places(keys: Iterable[object]) -> list[int]:
    """For each key, the place where it stands first.

    >>> first_places("abac")
    [0, 1, 0, 3]
    """
    seen: dict[object, int] = {}
    return [seen.setdefault(key, place) for place, key in enumerate(keys)]


def judged(tested: Sequence[Tested]) -> list[Judged]:
    """The verdicts on all statements of one web as one family; a test that serves several counts once."""
    first = first_places(each.key for each in tested)
    p_values = [
        each.evidence.p if each.evidence and first[place] == place else None
        for place, each in enumerate(tested)
    ]
    whole = holm(p_values)
    return [
        judge(each.claim, each.evidence, whole[first[place]])
        if each.evidence
        else Judged(Verdict.UNTESTED, each.lacking)
        for place, each in enumerate(tested)
    ]


class Tally(NamedTuple):
    """How many different statements came to what."""

    holds: int
    refuted: int
    as_said: int
    """Open, with the mean on the side of the statement."""
    otherwise: int
    """Open, and not on its side, or of two that are said to be alike."""
    untested: int
    again: int
    """The same test as that of an earlier statement: counted there."""

    @property
    def tested(self) -> int:
        return self.holds + self.refuted + self.as_said + self.otherwise

    def __str__(self) -> str:
        """
        >>> print(Tally(1, 0, 2, 1, 3, 0))
        1 of 4 holds, 0 refuted, 3 open (2 as said), 3 not tested
        """
        if not self.tested:
            return "not tested" if self.untested else f"counted above ({self.again})"
        told = f"{self.holds} of {self.tested} {'holds' if self.holds == 1 else 'hold'}"
        told += f", {self.refuted} refuted, {self.as_said + self.otherwise} open ({self.as_said} as said)"
        told += f", {self.untested} not tested" if self.untested else ""
        return told + (f", {self.again} counted above" if self.again else "")


def tally(verdicts: Sequence[Judged], first: Sequence[int], places: Sequence[int]) -> Tally:
    """Of the statements at these places; `first` is what `first_places` gave for all statements of the web."""
    own = [verdicts[place] for place in places if first[place] == place]
    opened = [each for each in own if each.verdict is Verdict.OPEN]
    as_said = sum(each.why.startswith("as said") for each in opened)
    return Tally(
        holds=sum(each.verdict is Verdict.HOLDS for each in own),
        refuted=sum(each.verdict is Verdict.REFUTED for each in own),
        as_said=as_said,
        otherwise=len(opened) - as_said,
        untested=sum(each.verdict is Verdict.UNTESTED for each in own),
        again=len(places) - len(own),
    )


def in_words(whole: Tally) -> str:
    """All of a web's statements, in words.

    >>> print(in_words(Tally(11, 1, 3, 4, 2, 0)))
    of 21 statements, 19 could be tested: 11 hold, 1 is refuted, 7 are open, 3 of these with the mean as said.
    """
    opened = whole.as_said + whole.otherwise
    every = counted(whole.tested + whole.untested, "statement")
    told = f"of {every}, {whole.tested} could be tested: {_are(whole.holds, 'holds', 'hold')}, "
    told += f"{_are(whole.refuted, 'is refuted', 'are refuted')}, {_are(opened, 'is open', 'are open')}, "
    return told + f"{whole.as_said} of these with the mean as said."


def _are(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"
