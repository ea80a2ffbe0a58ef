"""Topics made of what others wrote: pickled scikit-learn pipelines and Python functions."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from lycosa.crawl.inputs import Pickled, PythonFunction
from lycosa.model.errors import InputError
from lycosa.model.records import Page


class PickledTopic:
    """The probability of the last class of a pipeline with `predict_proba`, which is asked for title and text.

    A pipeline takes a list of texts, as those that begin with a vectorizer do. The last of its classes (`True` of
    `False` and `True`, 1 of 0 and 1) is the topic.
    """

    def __init__(self, given: Pickled) -> None:
        self._given = given
        self._pipeline = _unpickled(given)
        if not hasattr(self._pipeline, "predict_proba"):
            raise InputError(
                f"{given.file}: holds a {type(self._pipeline).__name__} without predict_proba; "
                "save a pipeline that has it"
            )

    def relevance(self, page: Page) -> float:
        return float(self._pipeline.predict_proba([f"{page.title}\n{page.text}"])[0][-1])

    def explain(self, page: Page) -> Mapping[str, float]:
        return {f"{type(self._pipeline).__name__} of {self._given.file}": self.relevance(page)}

    def __reduce__(self) -> tuple[object, ...]:
        return PickledTopic, (self._given,)


def _unpickled(given: Pickled) -> Any:
    try:
        import joblib
    except ImportError:
        raise InputError(
            f"{given.file}: a pickled model needs scikit-learn: pip install 'lycosa[learn]'"
        ) from None
    try:
        return joblib.load(io.BytesIO(given.content))
    except ImportError as error:
        raise InputError(f"{given.file}: needs a package that is not installed: {error}") from None
    except (pickle.UnpicklingError, EOFError, ValueError, KeyError, AttributeError, IndexError) as error:
        raise InputError(
            f"{given.file}: is neither a model of lycosa topic train nor a pickled one: {error}"
        ) from None


class FunctionTopic:
    """What a Python function says of a page: a number from 0 to 1, True or False."""

    def __init__(self, given: PythonFunction) -> None:
        self._given = given
        self._function = function_at(given.dotted)

    def relevance(self, page: Page) -> float:
        return float(self._function(page))

    def explain(self, page: Page) -> Mapping[str, float]:
        return {self._given.dotted: self.relevance(page)}

    def __reduce__(self) -> tuple[object, ...]:
        return FunctionTopic, (self._given,)


def function_at(dotted: str) -> Callable[[Page], float]:
    """The function named `package.module:name`. Raises `InputError` if there is none."""
    module, colon, name = dotted.partition(":")
    if not (module and colon and name):
        raise InputError(f"function {dotted!r}: write package.module:name")
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"function {dotted!r}: {error}; is the folder it lies in on PYTHONPATH?") from None
    except Exception as error:
        raise InputError(f"function {dotted!r}: importing {module} failed: {_said(error)}") from error
    for part in name.split("."):
        if (found := getattr(found, part, None)) is None:  # type: ignore[assignment]
            raise InputError(f"function {dotted!r}: {module} has no {name!r}")
    if not callable(found):
        raise InputError(f"function {dotted!r}: is no function but a {type(found).__name__}")
    return found


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def pickled_topic(given: Pickled) -> PickledTopic:
    return PickledTopic(given)


def function_topic(given: PythonFunction) -> FunctionTopic:
    return FunctionTopic(given)
