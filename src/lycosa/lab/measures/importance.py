"""How important a page is for a topic: the six kinds of measure of the literature.

After Pant, Srinivasan and Menczer, "Crawling the Web", 2004, section 4.1: keywords in the page, similarity to a query
or description, similarity to the start pages, a classifier's score, the rank that a retrieval system gives, and
popularity by links. The last two are relative to the pool of pages that is scored: pool the pages of all crawls that
are compared.

    >>> from lycosa.scoring.words.terms import counts
    >>> sorted(MEASURES)[:3]
    ['authority', 'classifier', 'in-degree']
    >>> importance("keywords-any", Reference(query=counts("wolf spider"))).name
    'keywords-any'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from math import log
from typing import Any, Protocol, TypeVar

import numpy as np

from lycosa.lab.measures.metrics import Floats
from lycosa.lab.measures.popularity import authorities, in_degrees, pagerank
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Record
from lycosa.model.url import Url
from lycosa.scoring.words.terms import Counts, cosine, document_frequencies

_T = TypeVar("_T")
K1, B = 1.2, 0.75
FOLDS = 5


class Reference(Record, frozen=True, kw_only=True):
    """What pages are measured by; each measure needs a part of it. All texts as counts of their terms."""

    query: Mapping[str, int] = {}
    description: Mapping[str, int] = {}
    """The topic in many words; where it is given, `similarity` and the retrieval ranks use it, else the query."""
    seeds: tuple[Counts, ...] = ()
    """The start pages."""
    positives: tuple[Counts, ...] = ()
    """Pages on the topic, for the classifier; where there are none, the start pages."""
    negatives: tuple[Counts, ...] = ()
    """Pages on anything, drawn at random, for the classifier."""

    @property
    def need(self) -> Counts:
        return self.description or self.query


class Measure(Protocol):
    """One way to tell how important pages are."""

    @property
    def name(self) -> str: ...

    def score(self, pages: Sequence[Page]) -> Floats:
        """One value a page, higher is more important."""
        ...


class _Formula:
    """A measure made of a function of the pages."""

    def __init__(self, name: str, formula: Callable[[Sequence[Page]], Sequence[float] | Floats]) -> None:
        self.name = name
        self._formula = formula

    def score(self, pages: Sequence[Page]) -> Floats:
        return np.asarray(self._formula(pages), dtype=np.float64)


def importance(name: str, reference: Reference) -> Measure:
    """The measure of this name. Raises `InputError` for an unknown one, or if the reference lacks what it needs."""
    if name not in MEASURES:
        close = get_close_matches(name, MEASURES, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(sorted(MEASURES))}"
        raise InputError(f"there is no measure of importance {name!r}{hint}")
    return MEASURES[name](name, reference)


# -- words --------------------------------------------------------------------------------------------------


def _keywords(kind: str) -> Callable[[str, Reference], Measure]:
    def make(name: str, reference: Reference) -> Measure:
        words = _given(name, "query", reference.query)

        def of(page: Page) -> float:
            found = [page.terms.get(word, 0) for word in words]
            return float({"any": any(found), "all": all(found), "frequency": sum(found)}[kind])

        return _Formula(name, lambda pages: [of(page) for page in pages])

    return make


def _similarity(name: str, reference: Reference) -> Measure:
    need = _given(name, "query or description", reference.need)
    return _Formula(name, lambda pages: [cosine(need, page.terms) for page in pages])


def _seed_similarity(name: str, reference: Reference) -> Measure:
    joined = joint(_given(name, "start pages", reference.seeds))
    return _Formula(name, lambda pages: [cosine(joined, page.terms) for page in pages])


def joint(texts: Sequence[Counts]) -> dict[str, int]:
    """The counts of all texts put together into one."""
    total: dict[str, int] = {}
    for terms in texts:
        for term, n in terms.items():
            total[term] = total.get(term, 0) + n
    return total


# -- a retrieval system -------------------------------------------------------------------------------------


def bm25(query: Counts, texts: Sequence[Counts], k1: float = K1, b: float = B) -> Floats:
    """Okapi BM25 of each text among all of them, 0 for one without a word of the query.

    Σ qf · ln(1 + (N - df + ½) / (df + ½)) · f (k1 + 1) / (f + k1 (1 - b + b · length / mean length)); with 1 + the
    logarithm is never negative. (Robertson and Zaragoza, Foundations and Trends in Information Retrieval 3, 2009)
    """
    frequencies = document_frequencies(texts)
    lengths = np.array([sum(terms.values()) for terms in texts], dtype=np.float64)
    mean = lengths.mean() if lengths.any() else 1.0
    scores = np.zeros(len(texts))
    for term, wanted in query.items():
        df = frequencies.get(term, 0)
        weight = wanted * log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        f = np.array([terms.get(term, 0) for terms in texts], dtype=np.float64)
        scores += weight * f * (k1 + 1) / (f + k1 * (1 - b + b * lengths / mean))
    return scores


def ranks(scores: Floats, same: Sequence[str]) -> Floats:
    """The place of each score among the distinct pages, from 1; equal scores share the best, 0 has none (infinity).

    `same` names the content of each page: copies count once, with the best of their scores.
    """
    best: dict[str, float] = {}
    for content, score in zip(same, scores.tolist(), strict=True):
        best[content] = max(score, best.get(content, 0.0))
    ordered = np.sort(np.array(list(best.values())))
    own = np.array([best[content] for content in same])
    places = len(ordered) - np.searchsorted(ordered, own, side="right") + 1.0
    return np.where(own > 0, places, np.inf)


def _contents(pages: Sequence[Page]) -> list[str]:
    return [page.digest or page.final_url for page in pages]


def _retrieval(name: str, reference: Reference) -> Measure:
    """1 / rank, or the share of distinct pages that stand no better."""
    need = _given(name, "query or description", reference.need)

    def of(pages: Sequence[Page]) -> Floats:
        if not pages:
            return np.zeros(0)
        contents = _contents(pages)
        places = ranks(bm25(need, [page.terms for page in pages]), contents)
        if name == "retrieval-rank":
            return np.where(np.isinf(places), 0.0, 1.0 / places)
        total = len(set(contents))
        return np.where(np.isinf(places), 0.0, (total - places + 1) / total)

    return _Formula(name, of)


# -- a classifier -------------------------------------------------------------------------------------------


class Classifier:
    """The probability of being on topic, by logistic regression on TF-IDF, trained on examples of both kinds.

    `held_out` is the share of examples that a classifier trained without them gets right: below .7 or so its scores say
    little. Needs scikit-learn, which is imported when it is first used (seconds).
    """

    name = "classifier"

    def __init__(self, reference: Reference) -> None:
        good = _given(
            self.name, "pages on the topic (positives or seeds)", reference.positives or reference.seeds
        )
        bad = _given(self.name, "other pages (negatives)", reference.negatives)
        sklearn = _sklearn()
        self._model = sklearn["pipeline"].make_pipeline(
            sklearn["feature_extraction"].DictVectorizer(),
            sklearn["text"].TfidfTransformer(sublinear_tf=True),
            sklearn["linear_model"].LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000),
        )
        texts = [dict(terms) for terms in (*good, *bad)]
        labels = [1] * len(good) + [0] * len(bad)
        self.held_out: float | None = None
        """In [0, 1]; None with fewer than two examples of a kind."""
        folds = min(FOLDS, len(good), len(bad))
        if folds >= 2:
            found = sklearn["model_selection"].cross_val_score(self._model, texts, labels, cv=folds)
            self.held_out = float(found.mean())
        self._model.fit(texts, labels)

    def score(self, pages: Sequence[Page]) -> Floats:
        if not pages:
            return np.zeros(0)
        found: Floats = self._model.predict_proba([dict(page.terms) for page in pages])[:, 1]
        return found


def _sklearn() -> Mapping[str, Any]:
    try:
        from sklearn import feature_extraction, linear_model, model_selection, pipeline
        from sklearn.feature_extraction import text
    except ImportError:
        raise InputError(
            "the classifier needs scikit-learn; install it with: pip install 'lycosa[learn]'"
        ) from None
    return {
        "feature_extraction": feature_extraction,
        "linear_model": linear_model,
        "model_selection": model_selection,
        "pipeline": pipeline,
        "text": text,
    }


# -- popularity ---------------------------------------------------------------------------------------------


def pooled(pages: Sequence[Page]) -> tuple[LinkGraph, list[int]]:
    """The links between the pages of a pool, and the number of each page: a URL fetched twice is one page."""
    names: dict[Url, Url] = {}
    for page in pages:
        for url in (page.final_url, page.url, *page.hops):
            names.setdefault(url, page.final_url)
    first = {page.final_url: page for page in reversed(pages)}
    graph = LinkGraph.of(
        (url, [names[target] for target in page.out if target in names]) for url, page in first.items()
    )
    number = {url: at for at, url in enumerate(graph.urls)}
    return graph, [number[page.final_url] for page in pages]


def _popularity(by: Callable[[LinkGraph], Floats], name: str, reference: Reference) -> Measure:
    def of(pages: Sequence[Page]) -> Floats:
        graph, numbers = pooled(pages)
        return by(graph)[numbers] if numbers else np.zeros(0)

    return _Formula(name, of)


def _given(name: str, what: str, value: _T) -> _T:
    if not value:
        raise InputError(f"the measure {name!r} needs the topic's {what}")
    return value


MEASURES: Mapping[str, Callable[[str, Reference], Measure]] = {
    "keywords-any": _keywords("any"),
    "keywords-all": _keywords("all"),
    "keywords-frequency": _keywords("frequency"),
    "similarity": _similarity,
    "seed-similarity": _seed_similarity,
    "classifier": lambda name, reference: Classifier(reference),
    "retrieval-rank": _retrieval,
    "retrieval-percentile": _retrieval,
    "in-degree": partial(_popularity, in_degrees),
    "pagerank": partial(_popularity, pagerank),
    "authority": partial(_popularity, authorities),
}
