"""How near the words of a topic stand to each link of a page, counted in the links that lie between."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

from lycosa.model.records import Page
from lycosa.scoring.words.around import anchor_end
from lycosa.scoring.words.similarity import CHANGED_BY_STEMMING
from lycosa.scoring.words.terms import PLAIN, Vocabulary

Inputs = tuple[tuple[int, float], ...]
"""What a net sees of a link: places of keywords, ascending, each with its value; those left out are 0."""

_LONGER_IN_LOWER_CASE = "\u0130"
"""The only letter of Unicode that becomes two in lower case."""

_REST_OF_WORD = re.compile(r"[^\W_]*")


def vicinity(
    page: Page, keywords: Sequence[str], rho: int, vocabulary: Vocabulary = PLAIN
) -> dict[int, Inputs]:
    """The inputs in_k of each link near a keyword, by the link's place on the page; other links have none.

    in_k = Σ 1/dist over the occurrences of keyword k with dist ≤ ρ. dist is 1 within the link's own words, and else 1
    plus the number of other links from there to here, that in whose words the occurrence stands included (Küçük, MSc
    thesis, 2009, eq. 4-1, after Menczer and Belew 2000). Keywords are stems. Costs two searches for each keyword in
    the page's text, and O(ρ) for each place where one is found. Of a page whose links have no `places` only the words
    of the links count.
    """
    found = _in_anchors(page, keywords, vocabulary)
    if len(page.places) == len(page.links):
        found.update(_between_anchors(page, keywords, vocabulary))
    near: dict[int, dict[int, float]] = {}
    for (before, behind, k), n in found.items():
        # From the nearest links outwards: distances 1, 2, … ρ on either side.
        for place in range(max(0, before - rho + 1), before + 1):
            _add(near, place, k, n / (1 + before - place))
        for place in range(max(behind, before + 1), min(len(page.links), behind + rho)):
            _add(near, place, k, n / (1 + place - behind))
    return {place: tuple(sorted(values.items())) for place, values in near.items()}


def _add(near: dict[int, dict[int, float]], place: int, k: int, value: float) -> None:
    values = near.setdefault(place, {})
    values[k] = values.get(k, 0.0) + value


Spot = tuple[int, int, int]
"""The nearest link at or before an occurrence, the nearest at or behind it (the same, if it is in a link), keyword."""


def _in_anchors(page: Page, keywords: Sequence[str], vocabulary: Vocabulary) -> Counter[Spot]:
    anchors = [link.anchor for link in page.links]
    starts = list(accumulate((len(anchor) + 1 for anchor in anchors), initial=0))
    spots: Counter[Spot] = Counter()
    for at, _, k in occurrences("\n".join(anchors), keywords, vocabulary):
        place = bisect_right(starts, at) - 1
        spots[place, place, k] += 1
    return spots


def _between_anchors(page: Page, keywords: Sequence[str], vocabulary: Vocabulary) -> Counter[Spot]:
    # What does not stand in the text has the place of the link before it.
    places = list(accumulate(page.places, max))
    standing = list(accumulate((n if place >= 0 else -1 for n, place in enumerate(page.places)), max))
    spots: Counter[Spot] = Counter()
    if not places or places[-1] < 0:
        return spots
    present = [term if term in page.terms or vocabulary is not PLAIN else "" for term in keywords]
    for at, end, k in occurrences(page.text, present, vocabulary):
        before = bisect_right(places, at) - 1
        if before < 0 or end > _end(page, standing[before]):
            spots[before, before + 1, k] += 1
    return spots


def _end(page: Page, number: int) -> int:
    """Where the words of a link that stands in the text end."""
    return anchor_end(page.text, page.places[number], page.links[number].anchor)


def occurrences(
    text: str, keywords: Sequence[str], vocabulary: Vocabulary = PLAIN
) -> Iterator[tuple[int, int, int]]:
    """Beginning and end of each word with the stem of a keyword, and that keyword's place. Empty keywords are none.

    >>> list(occurrences("Climbing rocks", ["rock", "climb"]))
    [(9, 14, 0), (0, 8, 1)]
    """
    lowered = text.replace(_LONGER_IN_LOWER_CASE, "i").lower()  # each letter keeps its place
    for k, term in enumerate(keywords):
        beginning = term[: max(1, len(term) - CHANGED_BY_STEMMING)]
        at = lowered.find(beginning) if term else -1
        while at >= 0:
            rest = _REST_OF_WORD.match(lowered, at)
            end = max(rest.end() if rest else at, at + 1)
            while at > 0 and lowered[at - 1].isalnum():
                at -= 1
            if term in _stems(lowered[at:end], vocabulary):
                yield at, end, k
            at = lowered.find(beginning, end)


@lru_cache(maxsize=20_000)
def _stems(word: str, vocabulary: Vocabulary) -> Mapping[str, int]:
    return vocabulary.counts(word)
