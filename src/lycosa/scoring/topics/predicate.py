"""Predicates: what is true of pages on the topic, written as an expression.

    word("jazz") and not url(r"/forum/") and classifier("m.json") > .7

The grammar is a part of Python's own, read by `ast` and never run as Python. Tests are joined by `and`, `or`, `not` and
parentheses; numbers are compared by `<`, `<=`, `>`, `>=`, `==` and `!=`.
"""

from __future__ import annotations

import ast
import difflib
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from lycosa.crawl.inputs import Predicate
from lycosa.model.errors import InputError
from lycosa.model.records import Page
from lycosa.scoring.topics.trained import TrainedTopic
from lycosa.scoring.words.terms import counts, stem, tokens

Test = Callable[[Page], Any]
"""What a part of an expression is of a page: true or false, or a number."""

Models = Mapping[str, Mapping[str, Any]]

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
DEEPEST = 50
"""Levels of parentheses and operators: more would exhaust Python's stack."""


class PredicateTopic:
    """1 for a page of which the expression is true, 0 for others.

    Tests: `word("…")`, a word or phrase in title or text, compared by stems; `text(r"…")`, `title(r"…")`, a regular
    expression, whatever the case; `url(r"…")`, the same with the case; `language("en", "de")`. Numbers:
    `count("…")`, how often a word or phrase occurs; `length()`, characters of the text; `classifier("FILE")`, the
    probability by a model of `lycosa topic train`.
    """

    def __init__(self, expression: str, models: Models) -> None:
        self._expression, self._models = expression, models
        self._parts: dict[str, Test] = {}
        self._holds = _Reader(expression, models, self._parts).read()

    def relevance(self, page: Page) -> float:
        return 1.0 if self._holds(page) else 0.0

    def explain(self, page: Page) -> Mapping[str, float]:
        """Each test and number by itself."""
        return {part: float(test(page)) for part, test in self._parts.items()}

    def __reduce__(self) -> tuple[object, ...]:
        return PredicateTopic, (self._expression, dict(self._models))


def models_named(expression: str) -> list[str]:
    """The files of the classifiers that an expression names, each once. Raises `InputError` for a broken expression."""
    calls = [node for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Call)]
    named = [
        argument.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "classifier"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    return list(dict.fromkeys(named))


def _parsed(expression: str) -> ast.expr:
    if not expression.strip():
        raise InputError('the predicate is empty; write one like word("jazz") and not url(r"/forum/")')
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of style: what is wrong is told below
            return ast.parse(expression.strip(), mode="eval").body
    except SyntaxError as error:
        raise InputError(f"predicate, column {error.offset or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"predicate: cannot be read: {error}") from None


class _Reader:
    """From an expression to tests of pages. Errors name the column."""

    def __init__(self, expression: str, models: Models, parts: dict[str, Test]) -> None:
        self._source, self._models, self._parts = expression.strip(), models, parts

    def read(self) -> Test:
        return self._truth(_parsed(self._source), 0)

    def _truth(self, node: ast.expr, depth: int) -> Test:
        if depth > DEEPEST:
            raise self._error(node, f"more than {DEEPEST} levels; write it with fewer parentheses")
        match node:
            case ast.BoolOp(op=op, values=values):
                tests = [self._truth(value, depth + 1) for value in values]
                together = all if isinstance(op, ast.And) else any
                return lambda page: together(test(page) for test in tests)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                test = self._truth(operand, depth + 1)
                return lambda page: not test(page)
            case ast.Compare():
                return self._comparison(node)
            case ast.Call():
                kind, test = self._call(node)
                if kind is not bool:
                    raise self._error(node, "is a number; compare it, as in > 0.5")
                return test
            case _:
                raise self._error(node, "is no test; there are: " + ", ".join(_TESTS))

    def _comparison(self, node: ast.Compare) -> Test:
        sides = [self._number(each) for each in (node.left, *node.comparators)]
        compare = []
        for op in node.ops:
            if type(op) not in _COMPARISONS:
                raise self._error(node, "compares in a way that is not known; use < <= > >= == !=")
            compare.append(_COMPARISONS[type(op)])

        def test(page: Page) -> bool:
            values = [side(page) for side in sides]
            pairs = zip(compare, values, values[1:], strict=False)
            return all(holds(one, other) for holds, one, other in pairs)

        return test

    def _number(self, node: ast.expr) -> Test:
        match node:
            case ast.Constant(value=bool()):
                raise self._error(node, "is no number")
            case ast.Constant(value=int() | float() as value):
                return lambda page: value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return lambda page: -value
            case ast.Call():
                kind, number = self._call(node)
                if kind is not float:
                    raise self._error(node, "is true or false, and cannot be compared")
                return number
            case _:
                raise self._error(node, "is no number; write one, or count(…), length() or classifier(…)")

    def _call(self, node: ast.Call) -> tuple[type, Test]:
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        if name not in _TESTS:
            close = difflib.get_close_matches(name, _TESTS, n=1)
            what = f"did you mean {close[0]!r}?" if close else "there are: " + ", ".join(_TESTS)
            raise self._error(node, f"there is no test {name!r}; {what}")
        given = [each.value if isinstance(each, ast.Constant) else None for each in node.args]
        if node.keywords or not all(isinstance(each, str) for each in given):
            raise self._error(node, f"{name} takes text in quotes")
        kind, least, most, make = _TESTS[name]
        if not least <= len(given) <= most:
            raise self._error(node, f"{name} takes {least if least == most else 'at least 1'} text")
        try:
            test = make(*given, models=self._models) if name == "classifier" else make(*given)
        except re.error as error:
            raise self._error(node, f"{given[0]!r} is no regular expression: {error}") from None
        except InputError as error:
            raise self._error(node, str(error)) from None
        self._parts[ast.unparse(node)] = test
        return kind, test

    def _error(self, node: ast.expr, what: str) -> InputError:
        line = self._source.splitlines()[node.lineno - 1].encode()
        column = len(line[: node.col_offset].decode("utf-8", "replace")) + 1
        part = ast.get_source_segment(self._source, node) or ""
        return InputError(f"predicate, column {column}, {part[:60]!r}: {what}")


# -- the tests -----------------------------------------------------------------------------------------------


def _word(phrase: str) -> Test:
    count = _count(phrase)
    return lambda page: count(page) > 0


def _count(phrase: str) -> Test:
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


def _text(pattern: str) -> Test:
    found = re.compile(pattern, re.IGNORECASE).search
    return lambda page: found(page.text) is not None


def _title(pattern: str) -> Test:
    found = re.compile(pattern, re.IGNORECASE).search
    return lambda page: found(page.title) is not None


def _url(pattern: str) -> Test:
    found = re.compile(pattern).search
    return lambda page: found(page.final_url) is not None


def _language(*codes: str) -> Test:
    wanted = frozenset(code.lower() for code in codes)
    return lambda page: page.language in wanted


def _length() -> Test:
    return lambda page: len(page.text)


def _classifier(file: str, *, models: Models) -> Test:
    if file not in models:
        raise InputError(f"model {file!r} was not given")
    return TrainedTopic(models[file]).relevance


_MANY = 1_000
_TESTS: Mapping[str, tuple[type, int, int, Callable[..., Test]]] = {
    "word": (bool, 1, 1, _word),
    "text": (bool, 1, 1, _text),
    "title": (bool, 1, 1, _title),
    "url": (bool, 1, 1, _url),
    "language": (bool, 1, _MANY, _language),
    "count": (float, 1, 1, _count),
    "length": (float, 0, 0, _length),
    "classifier": (float, 1, 1, _classifier),
}
"""By name: true or false, or a number; how few and many texts it takes; what makes it."""


def predicate_topic(given: Predicate) -> PredicateTopic:
    return PredicateTopic(given.expression, given.models)
