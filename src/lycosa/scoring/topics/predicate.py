"""Predicates: what is true of pages on the topic, written as an expression.

    word("jazz") and not url(r"/forum/") and classifier("m.json") > .7

`lycosa.scoring.topics.conditions` tells the grammar.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from lycosa.crawl.inputs import Predicate
from lycosa.model.errors import InputError
from lycosa.model.records import Page
from lycosa.scoring.topics.conditions import MANY, Language, Test, Word
from lycosa.scoring.topics.trained import TrainedTopic
from lycosa.scoring.words.terms import counts, stem, tokens

PageTest = Test[Page]
Models = Mapping[str, Mapping[str, Any]]


class PredicateTopic:
    """1 for a page of which the expression is true, 0 for others.

    Tests: `word("…")`, a word or phrase in title or text, compared by stems; `text(r"…")`, `title(r"…")`, a regular
    expression, whatever the case; `url(r"…")`, the same with the case; `language("en", "de")`. Numbers:
    `count("…")`, how often a word or phrase occurs; `length()`, characters of the text; `classifier("FILE")`, the
    probability by a model of `lycosa topic train`.
    """

    def __init__(self, expression: str, models: Models) -> None:
        self._expression, self._models = expression, models
        self._parts: dict[str, PageTest] = {}
        self._holds = _language_of(models).read(expression, self._parts)

    def relevance(self, page: Page) -> float:
        return 1.0 if self._holds(page) else 0.0

    def explain(self, page: Page) -> Mapping[str, float]:
        """Each test and number by itself."""
        return {part: float(test(page)) for part, test in self._parts.items()}

    def __reduce__(self) -> tuple[object, ...]:
        return PredicateTopic, (self._expression, dict(self._models))


def models_named(expression: str) -> list[str]:
    """The files of the classifiers that an expression names, each once. Raises `InputError` for a broken expression."""
    calls = [node for node in ast.walk(_language_of({}).parse(expression)) if isinstance(node, ast.Call)]
    named = [
        argument.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "classifier"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    return list(dict.fromkeys(named))


# -- the tests -----------------------------------------------------------------------------------------------


def _word(phrase: str) -> PageTest:
    count = _count(phrase)
    return lambda page: count(page) > 0


def _count(phrase: str) -> PageTest:
    stems = [stem(token) for token in tokens(phrase, digits="keep")]
    if not stems:
        raise InputError("has no word of two letters")
    if len(stems) == 1 and list(counts(phrase)) == stems:
        return lambda page: page.terms.get(stems[0], 0)
    telling = counts(phrase)

    def count(page: Page) -> int:
        if any(term not in page.terms for term in telling):
            return 0
        of_page = [stem(token) for token in tokens(f"{page.title}\n{page.text}", digits="keep")]
        places = (at for at, each in enumerate(of_page) if each == stems[0])
        return sum(of_page[at : at + len(stems)] == stems for at in places)

    return count


def _text(pattern: str) -> PageTest:
    found = re.compile(pattern, re.IGNORECASE).search
    return lambda page: found(page.text) is not None


def _title(pattern: str) -> PageTest:
    found = re.compile(pattern, re.IGNORECASE).search
    return lambda page: found(page.title) is not None


def _url(pattern: str) -> PageTest:
    found = re.compile(pattern).search
    return lambda page: found(page.final_url) is not None


def _language(*codes: str) -> PageTest:
    wanted = frozenset(code.lower() for code in codes)
    return lambda page: page.language in wanted


def _length() -> PageTest:
    return lambda page: len(page.text)


def _classifier(file: str, *, models: Models) -> PageTest:
    if file not in models:
        raise InputError(f"model {file!r} was not given")
    return TrainedTopic(models[file]).relevance


_EXAMPLE = 'word("jazz") and not url(r"/forum/")'
_WORDS: Mapping[str, Word] = {
    "word": Word(bool, 1, 1, _word),
    "text": Word(bool, 1, 1, _text),
    "title": Word(bool, 1, 1, _title),
    "url": Word(bool, 1, 1, _url),
    "language": Word(bool, 1, MANY, _language),
    "count": Word(float, 1, 1, _count),
    "length": Word(float, 0, 0, _length),
}


def _language_of(models: Models) -> Language[Page]:
    classifier = Word(float, 1, 1, partial(_classifier, models=models))
    return Language("predicate", _EXAMPLE, {**_WORDS, "classifier": classifier})


def predicate_topic(given: Predicate) -> PredicateTopic:
    return PredicateTopic(given.expression, given.models)
