"""Which pages belong to the community of a topic: a classifier trained on a set of pages known to."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from typing import NamedTuple

from lycosa.scoring.topics.keywords import EXAMPLE_TERMS, centroid, damped
from lycosa.scoring.words.terms import Counts, cosine

NEGATIVES = 10
"""So many pages for each page of the seed set, those least like it, stand for all that is not of the topic."""

LEAST_NEGATIVES = 20
AS_NEAR = 0.5
"""Without a classifier: so near the seed set's centre, compared with the seeds themselves, is near enough."""


class Judgement(NamedTuple):
    score: float
    """In [0, 1]."""
    label: bool


def can_classify() -> bool:
    """Whether scikit-learn is installed."""
    return importlib.util.find_spec("sklearn") is not None


def members(seeds: Sequence[Counts], pages: Sequence[Counts]) -> list[Judgement]:
    """Judge pages by a linear support vector machine trained on the features of a seed set (Küçük 2009, section 4.1).

    Features are damped, inverse-frequency weighted term counts. What is not of the topic has no examples, so the pages
    least like the seeds' centroid take that part (`NEGATIVES` for each seed, at most half of the pages). The score is
    1 / (1 + exp(-d)) of the distance d from the separating plane, the label whether d > 0. Without scikit-learn the
    cosine with the centroid is the score, and `AS_NEAR` of the seeds' own mean cosine the limit.
    """
    if not seeds or not pages:
        return [Judgement(0.0, False)] * len(pages)
    centre = centroid(map(damped, seeds), EXAMPLE_TERMS)
    nearness = [cosine(centre, damped(terms)) for terms in pages]
    if can_classify() and len(pages) > 1:
        others = min(max(LEAST_NEGATIVES, NEGATIVES * len(seeds)), len(pages) // 2)
        farthest = sorted(range(len(pages)), key=lambda place: (nearness[place], place))[:others]
        return _by_machine(seeds, [pages[place] for place in farthest], pages)
    limit = AS_NEAR * sum(cosine(centre, damped(terms)) for terms in seeds) / len(seeds)
    return [Judgement(near, near >= limit) for near in nearness]


def _by_machine(
    positives: Sequence[Counts], negatives: Sequence[Counts], pages: Sequence[Counts]
) -> list[Judgement]:
    from sklearn.feature_extraction import DictVectorizer  # type: ignore[import-untyped,unused-ignore]
    from sklearn.feature_extraction.text import TfidfTransformer  # type: ignore[import-untyped,unused-ignore]
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped,unused-ignore]
    from sklearn.svm import LinearSVC  # type: ignore[import-untyped,unused-ignore]

    machine = make_pipeline(
        DictVectorizer(),
        TfidfTransformer(sublinear_tf=True),
        LinearSVC(class_weight="balanced", random_state=0),
    )
    known = [dict(terms) for terms in (*positives, *negatives)]
    machine.fit(known, [True] * len(positives) + [False] * len(negatives))
    distances = machine.decision_function([dict(terms) for terms in pages]).tolist()
    return [Judgement(1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, d)))), d > 0.0) for d in distances]
