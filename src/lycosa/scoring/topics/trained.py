"""Trained models as topics: what `lycosa topic train` saves, and how it judges pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from lycosa.crawl.inputs import TrainedModel
from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import Page
from lycosa.scoring.learning.classifiers import KINDS, Classifier
from lycosa.scoring.learning.features import Fields, features
from lycosa.scoring.learning.quality import Quality

MARK, FORMAT = "lycosa topic model", 1
"""What a model's file says it is, and the version of its layout."""

SHOWN = 10
"""Terms that an explanation names."""


def packed(
    kind: str, classifier: Classifier, fields: Fields, pages: tuple[int, int], quality: Quality | None
) -> dict[str, Any]:
    """A trained classifier as plain values; `pages` are the numbers of positive and negative ones."""
    return {
        "is": MARK,
        "format": FORMAT,
        "kind": kind,
        "fields": msgspec.to_builtins(fields),
        "positives": pages[0],
        "negatives": pages[1],
        "quality": msgspec.to_builtins(quality),
        "model": dict(classifier.save()),
    }


def checked(content: Any, name: str) -> Mapping[str, Any]:
    """The content of a model's file, if this version can read it. Raises `InputError` that begins with `name`."""
    if not isinstance(content, dict) or content.get("is") != MARK:
        raise InputError(f"{name}: is no topic model; make one with lycosa topic train")
    if (version := content.get("format")) != FORMAT:
        raise InputError(
            f"{name}: a topic model of format {version}, this lycosa reads {FORMAT}; train it again"
        )
    classifier_of(content, name)
    return content


def classifier_of(content: Mapping[str, Any], name: str = "the model") -> tuple[Classifier, Fields]:
    """Raises `InputError` for content that is damaged."""
    try:
        made = KINDS[content["kind"]].load(content["model"])
        return made, converted(content["fields"], Fields)
    except (KeyError, TypeError, ValueError, AttributeError, msgspec.ValidationError) as error:
        raise InputError(
            f"{name}: is damaged ({type(error).__name__}: {error}); make it again with lycosa topic train"
        ) from None


def quality_in(content: Mapping[str, Any]) -> Quality | None:
    """What the cross-validation told when the model was made, if there was one."""
    return converted(content["quality"], Quality | None)


class TrainedTopic:
    """The probability that a trained classifier gives a page; 0 for a page without words."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._classifier, self._fields = classifier_of(content)

    def relevance(self, page: Page) -> float:
        return self._classifier.probability(features(page, self._fields)) if page.terms else 0.0

    def explain(self, page: Page) -> Mapping[str, float]:
        """The terms that said most, for (above 0) and against (below)."""
        said = self._classifier.evidence(features(page, self._fields))
        return dict(list(said.items())[:SHOWN])


def topic_of(given: TrainedModel) -> TrainedTopic:
    return TrainedTopic(given.content)
