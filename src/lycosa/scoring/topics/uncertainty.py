"""Which pages to ask a person about: those of which the judgement is least certain, that decide most, each unlike the
others.

To label what a classifier is least sure of teaches it most for the least asking (uncertainty sampling: Lewis and Gale,
"A sequential algorithm for training text classifiers", SIGIR 1994). A crawl asks for something besides: an answer puts
the waiting links of a page elsewhere, so one counts the more, the more links wait on it. And questions that are alike
are answered by one answer (maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log1p

from lycosa.scoring.words.terms import Weights, cosine

ALIKE = 0.9
"""From this cosine on, a page says the same as another: the answer for one holds for both. Ours."""


def doubt(relevance: float, line: float, best: float) -> float:
    """How little a judgement decides, in [0, 1]: 1 on the line from which pages count, 0 at relevance 0 and at `best`.

    In between it falls in proportion, on either side; with a probability, the line 1/2 and the best 1 it is Lewis and
    Gale's 1 - |2p - 1|. The best relevance of the crawl stands for certainty, as a cosine hardly ever comes near 1.

    >>> [doubt(r, 0.1, 0.5) for r in (0.0, 0.05, 0.1, 0.3, 0.5)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    if relevance < line:
        return relevance / line
    return (best - relevance) / (best - line) if best > line else float(best == line)


def influence(sources: Iterable[int]) -> float:
    """How many waiting links of a page hang on it: one that stands on n pages is its by 1/n. `sources` are these n."""
    return sum(1 / n for n in sources)


def worth(doubted: float, hanging: float) -> float:
    """doubt · (1 + ln(1 + influence)): without links that wait, an answer still teaches what the topic is not."""
    return doubted * (1 + log1p(hanging))


def to_ask(
    worths: Sequence[float], texts: Sequence[Weights], answered: Iterable[Weights], most: int
) -> list[int]:
    """The places of up to `most` pages to ask about, each time that of the greatest worth · (1 - likeness).

    Likeness is the greatest cosine with a page that was `answered` or that is asked about already; from `ALIKE` on a
    page is left out. Of equal ones the first counts.
    """
    known = list(answered)
    likeness = [max((cosine(own, other) for other in known), default=0.0) for own in texts]
    asked: list[int] = []
    while len(asked) < most:
        gains = [
            worth * (1 - alike) if alike < ALIKE else 0.0
            for worth, alike in zip(worths, likeness, strict=True)
        ]
        best = max(range(len(gains)), key=gains.__getitem__, default=None)
        if best is None or gains[best] <= 0:
            break
        asked.append(best)
        likeness = [max(alike, cosine(own, texts[best])) for own, alike in zip(texts, likeness, strict=True)]
        likeness[best] = 1.0
    return asked
