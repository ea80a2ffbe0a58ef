"""A small language of conditions, of which each user has tests of its own.

    status == 200 and not url(r"/forum/") and relevance > .7

The grammar is a part of Python's own, read by `ast` and never run as Python. Tests are joined by `and`, `or`, `not` and
parentheses; numbers are compared by `<`, `<=`, `>`, `>=`, `==` and `!=`. A test that takes no text may be written
without parentheses.
"""

from __future__ import annotations

import ast
import difflib
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from lycosa.model.errors import InputError

Subject = TypeVar("Subject")
"""Of what a condition is true or not."""
Test = Callable[[Subject], Any]
"""What a part of an expression is of a subject: true or false, or a number."""

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
MANY = 1_000
"""Texts that a test takes which may take several."""


class Word(NamedTuple):
    """A word of the language."""

    kind: type
    """`bool` or `float`: whether it is true or false, or a number."""
    least: int
    most: int
    """How few and how many texts it takes."""
    make: Callable[..., Callable[[Any], Any]]
    """Makes the test or number of these texts. Raises `InputError` or `re.error` for texts that it cannot take."""


class Language(Generic[Subject]):
    """Conditions on subjects of one kind, in these words."""

    def __init__(self, what: str, example: str, words: Mapping[str, Word]) -> None:
        """`what` an expression is called in errors, which show the `example` where there is none."""
        self.what, self.example, self.words = what, example, words

    def parse(self, expression: str) -> ast.expr:
        """The expression as Python has it. Raises `InputError`."""
        if not expression.strip():
            raise InputError(f"the {self.what} is empty; write one like {self.example}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of style: what is wrong is told below
                return ast.parse(expression.strip(), mode="eval").body
        except SyntaxError as error:
            raise InputError(f"{self.what}, column {error.offset or 1}: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise InputError(f"{self.what}: cannot be read: {error}") from None

    def read(self, expression: str, parts: dict[str, Test[Subject]]) -> Test[Subject]:
        """The condition; its single tests and numbers are put into `parts`. Raises `InputError`, with the column."""
        return _Reader(self, expression, parts).read()


class _Reader(Generic[Subject]):
    """From an expression to tests of subjects. Errors name the column."""

    def __init__(self, language: Language[Subject], expression: str, parts: dict[str, Test[Subject]]) -> None:
        self._language, self._source, self._parts = language, expression.strip(), parts

    def read(self) -> Test[Subject]:
        return self._truth(self._language.parse(self._source), 0)

    def _truth(self, node: ast.expr, depth: int) -> Test[Subject]:
        if depth > DEEPEST:
            raise self._error(node, f"more than {DEEPEST} levels; write it with fewer parentheses")
        match node:
            case ast.BoolOp(op=op, values=values):
                tests = [self._truth(value, depth + 1) for value in values]
                together = all if isinstance(op, ast.And) else any
                return lambda subject: together(test(subject) for test in tests)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                test = self._truth(operand, depth + 1)
                return lambda subject: not test(subject)
            case ast.Compare():
                return self._comparison(node)
            case ast.Call() | ast.Name():
                kind, test = self._call(node)
                if kind is not bool:
                    raise self._error(node, "is a number; compare it, as in > 0.5")
                return test
            case _:
                raise self._error(node, "is no test; there are: " + ", ".join(self._language.words))

    def _comparison(self, node: ast.Compare) -> Test[Subject]:
        sides = [self._number(each) for each in (node.left, *node.comparators)]
        compare = []
        for op in node.ops:
            if type(op) not in _COMPARISONS:
                raise self._error(node, "compares in a way that is not known; use < <= > >= == !=")
            compare.append(_COMPARISONS[type(op)])

        def test(subject: Subject) -> bool:
            values = [side(subject) for side in sides]
            pairs = zip(compare, values, values[1:], strict=False)
            return all(holds(one, other) for holds, one, other in pairs)

        return test

    def _number(self, node: ast.expr) -> Test[Subject]:
        match node:
            case ast.Constant(value=bool()):
                raise self._error(node, "is no number")
            case ast.Constant(value=int() | float() as value):
                return lambda subject: value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return lambda subject: -value
            case ast.Call() | ast.Name():
                kind, number = self._call(node)
                if kind is not float:
                    raise self._error(node, "is true or false, and cannot be compared")
                return number
            case _:
                raise self._error(node, f"is no number; write one, or {self._numbers()}")

    def _call(self, node: ast.Call | ast.Name) -> tuple[type, Test[Subject]]:
        words = self._language.words
        call = node if isinstance(node, ast.Call) else ast.Call(func=node, args=[], keywords=[])
        name = call.func.id if isinstance(call.func, ast.Name) else ast.unparse(call.func)
        if name not in words:
            close = difflib.get_close_matches(name, words, n=1)
            what = f"did you mean {close[0]!r}?" if close else "there are: " + ", ".join(words)
            raise self._error(node, f"there is no test {name!r}; {what}")
        given = [each.value if isinstance(each, ast.Constant) else None for each in call.args]
        if call.keywords or not all(isinstance(each, str) for each in given):
            raise self._error(node, f"{name} takes text in quotes")
        kind, least, most, make = words[name]
        if not least <= len(given) <= most:
            raise self._error(node, f"{name} takes {least if least == most else 'at least 1'} text")
        try:
            test = make(*given)
        except re.error as error:
            raise self._error(node, f"{given[0]!r} is no regular expression: {error}") from None
        except InputError as error:
            raise self._error(node, str(error)) from None
        self._parts[ast.unparse(node)] = test
        return kind, test

    def _numbers(self) -> str:
        named = [
            f"{name}(…)" if w.most else name for name, w in self._language.words.items() if w.kind is float
        ]
        return " or ".join(filter(None, (", ".join(named[:-1]), named[-1])))

    def _error(self, node: ast.expr, what: str) -> InputError:
        line = self._source.splitlines()[node.lineno - 1].encode()
        column = len(line[: node.col_offset].decode("utf-8", "replace")) + 1
        part = ast.get_source_segment(self._source, node) or ""
        return InputError(f"{self._language.what}, column {column}, {part[:60]!r}: {what}")
