"""What people ask a text index, as an expression of FTS5."""

from __future__ import annotations

import re
from typing import Final

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.spaceless import SEAM, spaced

MAX_DEPTH: Final = 20
"""Parentheses within each other."""
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
_PART = re.compile(r'(?:(?<=[\s(])|^)-(?=[^\s-])|"[^"]*"?|[()]|[^\s"()](?:[^\s"]*[^\s"()])?|\S')
_WORD = re.compile(r"\w")
_PHRASE = re.compile(r'"[^"]*"(?: \*)?')


class Phrase(Record, frozen=True):
    """A word, the beginning of one, or words in a row."""

    expression: str
    """Of FTS5."""


class AllOf(Record, frozen=True):
    """What has all that is wanted, and nothing that is not."""

    wanted: tuple[Part, ...]
    """At least one."""
    unwanted: tuple[Part, ...] = ()


class AnyOf(Record, frozen=True):
    """What has one of several."""

    choices: tuple[Part, ...]


Part = Phrase | AllOf | AnyOf
"""A query, or what stands between parentheses in one."""


def match_of(query: str) -> str:
    """The query as an FTS5 expression in which every word is quoted, so that none has a meaning of its own.

    Words side by side must all occur; OR binds less than that, and parentheses more. NOT, or a minus before a word,
    parenthesis or phrase, excludes. Operators are written in capitals.

    >>> match_of('spider "wolf spider" -web crawl*')
    '"spider" AND "wolf spider" AND "crawl" * NOT "web"'
    >>> match_of("wolf (spider OR beetle) NOT web OR 蜘蛛")
    '"wolf" AND ("spider" OR "beetle") NOT "web" OR "蜘 蛛"'

    Raises `InputError` for a query without a word to look for, and for one that cannot be understood.
    """
    return expression_of(parsed(query))


def parsed(query: str) -> Part:
    """The query as a tree: see `match_of` for how it is written, and for what it raises.

    >>> parsed("wolf -web")
    AllOf(wanted=(Phrase(expression='"wolf"'),), unwanted=(Phrase(expression='"web"'),))
    """
    parts = [part for part in _PART.findall(query) if part in ("(", ")", "-") or _WORD.search(part)]
    if not any(_is_term(part) for part in parts):
        raise InputError(
            f"nothing to search for in {query!r}: give at least one word or a phrase in double quotes"
        )
    return _Parsing(query, parts).whole()


def expression_of(part: Part) -> str:
    """A query as an expression of FTS5."""
    match part:
        case Phrase(expression):
            return expression
        case AnyOf(choices):
            return " OR ".join(
                expression_of(choice) if isinstance(choice, AllOf) else _enclosed(choice)
                for choice in choices
            )
        case AllOf(wanted, unwanted):
            return " AND ".join(map(_enclosed, wanted)) + "".join(
                f" NOT {_enclosed(each)}" for each in unwanted
            )


def _enclosed(part: Part) -> str:
    return expression_of(part) if isinstance(part, Phrase) else f"({expression_of(part)})"


def phrases_of(expression: str) -> list[str]:
    """The words and phrases of an expression that `match_of` gave, as often as they stand there, each an expression by
    itself.

    >>> phrases_of(match_of('spider "wolf spider" -web crawl*'))
    ['"spider"', '"wolf spider"', '"crawl" *', '"web"']
    """
    return _PHRASE.findall(expression)


def _is_term(part: str) -> bool:
    return part not in _OPERATORS and _WORD.search(part) is not None


class _Parsing:
    """One query, read from left to right."""

    def __init__(self, query: str, parts: list[str]) -> None:
        self._query, self._parts = query, parts[::-1]

    def whole(self) -> Part:
        found = self._any_of(0)
        if self._parts:
            raise self._error("a parenthesis is closed that was not opened")
        return found

    def _any_of(self, depth: int) -> Part:
        if depth > MAX_DEPTH:
            raise self._error(f"more than {MAX_DEPTH} parentheses within each other")
        choices = [self._all_of(depth)]
        while self._takes("OR"):
            choices.append(self._all_of(depth))
        return AnyOf(tuple(choices)) if len(choices) > 1 else choices[0]

    def _all_of(self, depth: int) -> Part:
        wanted: list[Part] = []
        unwanted: list[Part] = []
        while self._parts and self._parts[-1] not in ("OR", ")"):
            if self._takes("AND") and not wanted:
                raise self._error("there is nothing before AND")
            excludes = self._takes("NOT") or self._takes("-")
            (unwanted if excludes else wanted).append(self._operand(depth))
        if not wanted:
            where = "to search for, only to leave out" if unwanted else "beside OR, or between parentheses"
            raise self._error(f"there is nothing {where}")
        alone = len(wanted) == 1 and not unwanted
        return wanted[0] if alone else AllOf(tuple(wanted), tuple(unwanted))

    def _operand(self, depth: int) -> Part:
        part = self._parts.pop() if self._parts else ""
        if part == "(":
            inner = self._any_of(depth + 1)
            if not self._takes(")"):
                raise self._error("a parenthesis is opened that is not closed")
            return inner
        if not part or not _is_term(part):
            raise self._error("there is nothing behind AND, NOT or a minus")
        return Phrase(_term(part))

    def _takes(self, part: str) -> bool:
        found = bool(self._parts) and self._parts[-1] == part
        if found:
            self._parts.pop()
        return found

    def _error(self, what: str) -> InputError:
        return InputError(
            f"{self._query!r} cannot be understood: {what}; put words that are no operators in quotes"
        )


def _term(part: str) -> str:
    """A word or a phrase. A star behind a word stands for what may follow."""
    quoted = part.startswith('"')
    words = part.strip('"') if quoted else part.rstrip("*")
    term = '"{}"'.format(" ".join(spaced(words).replace(SEAM, " ").split()))
    return f"{term} *" if not quoted and part.endswith("*") else term
