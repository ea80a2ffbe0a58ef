"""A crawling strategy made of anybody's estimator: what has scikit-learn's `partial_fit` and `predict` scores links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar
from zlib import crc32

import msgspec
import numpy as np

from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.bounds import Share
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Link, Page, Request
from lycosa.strategies.other_crawlers import words_of
from lycosa.strategies.parts.rhythm import Rhythm

BITS = 18
"""Words are hashed into 2¹⁸ columns."""
PLAIN = ("relevance of the page", "navigation", "place on the page")
"""Columns after those of the words, in [0, 1]."""

Columns = tuple[int, ...]
Plain = tuple[float, ...]


class EstimatorScorer(Strategy):
    """Scores links by an estimator that learns while it crawls which links lead to relevant pages.

    When to use it: to try an estimator of your own. `scored_by` makes such a strategy in one line. A link is a row of
    a sparse matrix: the words of its URL, anchor and surroundings, hashed, and a few plain values. When a page
    arrives, its link becomes a sample; every `batch` samples go to `partial_fit`. A classifier (with `predict_proba`)
    learns whether the page's relevance is at least `relevant_from`, a regressor the relevance itself. Until the first
    `partial_fit` a link has the relevance of its page. All that waits is scored again when the crawl has grown by a
    tenth.

    Parameters: `batch`, samples of a `partial_fit`, at least 1 (20); `relevant_from`, 0 to 1 (.1).

    Cost: the estimator's, a prediction for each page and each rescoring; state: all samples, some 300 bytes each, as
    loading fits a fresh estimator with the same samples in the same batches instead of unpickling one.

    Invariants, each the name of a test:

    * learns: a link with words that led to relevant pages stands above one with words that did not.
    * fitted alike: after loading, the estimator has had the same calls of `partial_fit`.
    """

    reference: ClassVar[str] = "scikit-learn's estimator interface: partial_fit, predict_proba, predict"

    make: ClassVar[Callable[[], Any]]
    """Makes a fresh estimator; give it a fixed `random_state`, or replays differ."""

    def __init__(self, *, batch: Annotated[int, msgspec.Meta(ge=1)] = 20, relevant_from: Share = 0.1) -> None:
        self.batch, self.relevant_from = batch, relevant_from
        self.estimator: Any = type(self).make()
        self.is_classifier = hasattr(self.estimator, "predict_proba")
        self._samples: list[tuple[Columns, Plain, float]] = []
        self._fitted = 0
        self._rhythm = Rhythm(every=5 * batch)
        self._pages = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self._pages += 1
        self._note(page, crawl)
        links = list({link.target: link for link in reversed(page.links)}.values())[::-1]
        scores = self._scores([features(link, page.relevance) for link in links], page.relevance)
        commands: list[Command] = [
            Enqueue(url=link.target, via=link, score=score) for link, score in zip(links, scores, strict=True)
        ]
        if self._fitted and self._rhythm.due(self._pages):
            commands += self._rescored(crawl)
        return commands

    def _note(self, page: Page, crawl: View) -> None:
        if page.request.via is None:
            return
        columns, plain = self._features(page.request.via, crawl.memory)
        self._samples.append((columns, plain, page.relevance))
        if len(self._samples) - self._fitted >= self.batch:
            self._fit(self._samples[self._fitted :])

    def _features(self, link: Link, memory: Memory) -> tuple[Columns, Plain]:
        source = memory.page(link.source)
        return features(link, source.relevance if source else 0.0)

    def _fit(self, samples: Sequence[tuple[Columns, Plain, float]]) -> None:
        rows = matrix([(columns, plain) for columns, plain, _ in samples])
        values = np.array([value for _, _, value in samples])
        if self.is_classifier:
            self.estimator.partial_fit(rows, (values >= self.relevant_from).astype(int), classes=[0, 1])
        else:
            self.estimator.partial_fit(rows, values)
        self._fitted += len(samples)

    def _scores(self, rows: Sequence[tuple[Columns, Plain]], otherwise: float) -> list[float]:
        if not self._fitted or not rows:
            return [otherwise] * len(rows)
        if self.is_classifier:
            found = self.estimator.predict_proba(matrix(rows))[:, 1]
        else:
            found = self.estimator.predict(matrix(rows))
        return [float(value) for value in np.nan_to_num(found)]

    def _rescored(self, crawl: View) -> list[Command]:
        waiting = [request for request in crawl.pending() if request.via is not None]
        rows = [self._features(request.via, crawl.memory) for request in waiting if request.via is not None]
        scores = self._scores(rows, 0.0)
        return [Reprioritize(url=each.url, score=score) for each, score in zip(waiting, scores, strict=True)]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        if request.via is None:
            return {"start page": 1.0}
        (score,) = self._scores([self._features(request.via, memory)], request.score)
        return {"estimator" if self._fitted else "relevance of the page": score}

    def facts(self) -> Mapping[str, Any]:
        return {"samples": len(self._samples), "estimator": type(self.estimator).__name__}

    def save(self) -> Mapping[str, Any]:
        samples = [[list(columns), list(plain), value] for columns, plain, value in self._samples]
        return {"samples": samples, "pages": self._pages, "rhythm": dict(self._rhythm.save())}

    def load(self, state: Mapping[str, Any]) -> None:
        self.estimator = type(self).make()
        self._samples = [(tuple(columns), tuple(plain), value) for columns, plain, value in state["samples"]]
        self._pages, self._fitted = state["pages"], 0
        self._rhythm.load(state["rhythm"])
        while len(self._samples) - self._fitted >= self.batch:
            self._fit(self._samples[self._fitted : self._fitted + self.batch])


def features(link: Link, relevance: float) -> tuple[Columns, Plain]:
    """The columns of a link's words, each once, ascending, and its plain values."""
    columns = {crc32(word.encode()) & ((1 << BITS) - 1) for word in words_of(link)}
    return tuple(sorted(columns)), (relevance, float(link.in_nav), link.position)


def matrix(rows: Sequence[tuple[Columns, Plain]]) -> Any:
    """Rows of features as a scipy matrix in compressed rows, of 2¹⁸ + 3 columns."""
    from scipy import sparse

    columns = [each for words, _ in rows for each in (*words, *range(1 << BITS, (1 << BITS) + len(PLAIN)))]
    values = [value for words, plain in rows for value in (*([1.0] * len(words)), *plain)]
    ends = np.cumsum([0, *(len(words) + len(PLAIN) for words, _ in rows)])
    return sparse.csr_matrix((values, columns, ends), shape=(len(rows), (1 << BITS) + len(PLAIN)))


def scored_by(make: Callable[[], Any], name: str = "Scored") -> type[EstimatorScorer]:
    """A strategy whose links are scored by the estimators that `make` makes, in one line:

    Mine = scored_by(lambda: SGDClassifier(loss="log_loss", random_state=0))
    """
    manual = EstimatorScorer.__doc__
    return type(name, (EstimatorScorer,), {"make": staticmethod(make), "__doc__": manual})
