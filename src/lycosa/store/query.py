"""What people ask a text index, as an expression of FTS5."""

from __future__ import annotations

import re
from typing import Final

from lycosa.model.errors import InputError
from lycosa.store.spaceless import SEAM, spaced

MAX_DEPTH: Final = 20
"""Parentheses within each other."""
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
_PART = re.compile(r'(?:(?<=[\s(])|^)-(?=[^\s-])|"[^"]*"?|[()]|[^\s"()](?:[^\s"]*[^\s"()])?|\S')
_WORD = re.compile(r"\w")
_PHRASE = re.compile(r'"[^"]*"(?: \*)?')


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
    parts = [part for part in _PART.findall(query) if part in ("(", ")", "-") or _WORD.search(part)]
    if not any(_is_term(part) for part in parts):
        raise InputError(
            f"nothing to search for in {query!r}: give at least one word or a phrase in double quotes"
        )
    return _Parsing(query, parts).whole()


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

    def whole(self) -> str:
        found = self._any_of(0)
        if self._parts:
            raise self._error("a parenthesis is closed that was not opened")
        return found

    def _any_of(self, depth: int) -> str:
        if depth > MAX_DEPTH:
            raise self._error(f"more than {MAX_DEPTH} parentheses within each other")
        choices = [self._all_of(depth)]
        while self._takes("OR"):
            choices.append(self._all_of(depth))
        return " OR ".join(choices)

    def _all_of(self, depth: int) -> str:
        wanted: list[str] = []
        unwanted: list[str] = []
        while self._parts and self._parts[-1] not in ("OR", ")"):
            if self._takes("AND") and not wanted:
                raise self._error("there is nothing before AND")
            excludes = self._takes("NOT") or self._takes("-")
            (unwanted if excludes else wanted).append(self._operand(depth))
        if not wanted:
            where = "to search for, only to leave out" if unwanted else "beside OR, or between parentheses"
            raise self._error(f"there is nothing {where}")
        return " AND ".join(wanted) + "".join(f" NOT {term}" for term in unwanted)

    def _operand(self, depth: int) -> str:
        part = self._parts.pop() if self._parts else ""
        if part == "(":
            inner = self._any_of(depth + 1)
            if not self._takes(")"):
                raise self._error("a parenthesis is opened that is not closed")
            return f"({inner})"
        if not part or not _is_term(part):
            raise self._error("there is nothing behind AND, NOT or a minus")
        return _term(part)

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
