"""Which papers of a collection cite one another: references are looked up among the papers' titles.

A paper is cited where a reference has its title, and at least its first author or its year (or one before or after: a
report of one year is a paper of the next). References are looked at as text, so one whose parts could not be told apart
is found all the same. Copies of one paper are one paper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from lycosa.read.cited_work import CitedWork
from lycosa.read.names import family_of, folded
from lycosa.read.papers import Manuscript
from lycosa.read.rules import confidence

LEAST_LETTERS: Final = 12
LEAST_WORDS: Final = 2
"""Of a title that is looked up: shorter ones stand in other titles by chance."""
MOST_ALIKE: Final = 50
"""Papers whose titles begin with the same words that are compared with one reference."""


class Citation(NamedTuple):
    """One paper cites another."""

    citing: int
    """Its place among the papers."""
    cited: int
    reference: int
    """Which of its references says so."""
    rule: str
    confidence: float
    """The chance that it is this paper."""


def citations(papers: Sequence[Manuscript]) -> list[Citation]:
    """Who cites whom, each pair once, by its best reference. Of copies only the first is cited, or cites."""
    originals = originals_of(papers)
    known = _Titles([paper if originals[place] == place else None for place, paper in enumerate(papers)])
    best: dict[tuple[int, int], Citation] = {}
    for place, paper in enumerate(papers):
        if originals[place] != place:
            continue
        for number, reference in enumerate(paper.references):
            for cited, rule in known.in_reference(reference):
                found = Citation(place, cited, number, rule, confidence("citation", rule))
                known_best = best.get((place, cited))
                if cited != place and (known_best is None or found.confidence > known_best.confidence):
                    best[place, cited] = found
    return list(best.values())


def originals_of(papers: Sequence[Manuscript]) -> list[int]:
    """Of each paper the first with the same title and first author: itself, if it is no copy."""
    first: dict[tuple[str, str], int] = {}
    found = []
    for place, paper in enumerate(papers):
        title = _letters(paper.title)
        author = family_of(paper.authors[0]) if paper.authors else ""
        found.append(first.setdefault((title, author), place) if len(title) >= LEAST_LETTERS else place)
    return found


class _Titles:
    """Titles by the two words that they begin with."""

    def __init__(self, papers: Sequence[Manuscript | None]) -> None:
        self._papers = papers
        self._by_words: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._letters: Mapping[int, str] = {
            place: _letters(paper.title) for place, paper in enumerate(papers) if paper is not None
        }
        for place, paper in enumerate(papers):
            words = folded(paper.title).split() if paper is not None else []
            if len(words) >= LEAST_WORDS and len(self._letters[place]) >= LEAST_LETTERS:
                self._by_words[words[0], words[1]].append(place)

    def in_reference(self, reference: CitedWork) -> list[tuple[int, str]]:
        """The papers whose titles stand in a reference, and by which rule; of titles within titles the longest."""
        words = folded(reference.text).split()
        letters = "".join(words)
        candidates = dict.fromkeys(
            place
            for pair in pairwise(words)
            for place in self._by_words.get(pair, ())[:MOST_ALIKE]
            if self._letters[place] in letters
        )
        longest = max((len(self._letters[place]) for place in candidates), default=0)
        ruled = (
            (place, self._rule(place, reference, words))
            for place in candidates
            if len(self._letters[place]) == longest
        )
        return [(place, rule) for place, rule in ruled if rule]

    def _rule(self, place: int, reference: CitedWork, words: Sequence[str]) -> str:
        """What the two have in common; empty if it is too little."""
        paper = self._papers[place]
        assert paper is not None
        has_author = bool(paper.authors) and family_of(paper.authors[0]) in words
        near = {paper.year + off for off in (-1, 0, 1)} if paper.year is not None else set()
        has_year = reference.year in near
        if not (has_author or has_year):
            return ""
        title = "title" if _letters(reference.title) == self._letters[place] else "title in the text"
        return ", ".join([title, *["author"][: int(has_author)], *["year"][: int(has_year)]])


def _letters(title: str) -> str:
    """A title's letters and figures: hyphens and blanks differ between copies."""
    return folded(title).replace(" ", "")
