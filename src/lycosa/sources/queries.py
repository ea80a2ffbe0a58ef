"""What people ask for, from a log of queries: a text file, one query a line, `COUNT<TAB>QUERY` or the query alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import ClassVar

from lycosa.crawl.inputs import Input
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Record
from lycosa.sources.kinds import Kind, load_inputs, save_inputs
from lycosa.store.query import match_of


class Asked(Record, frozen=True, kw_only=True, gc=False):
    """A query, and how much of all asking it is."""

    words: str
    """As the full-text index takes it, see `lycosa.store.query.match_of`."""
    share: float
    """In (0, 1]; those of a log add up to 1."""


class QueryLog(Input, frozen=True, kw_only=True):
    """The queries of a log, those asked most often first."""

    name: ClassVar[str] = "queries"
    remedy: ClassVar[str] = "give a log of queries with --queries"

    queries: tuple[Asked, ...]
    left_out: int = 0
    """Lines that no index can answer: without a word, or with operators that make no sense."""


def read_queries(path: Path) -> QueryLog:
    """Read a log of queries, in UTF-8. Equal queries, whatever their case, are counted together; empty lines are none.

    Raises `InputError` for a file that cannot be read, or holds no query that can be answered.
    """
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    asked = Counter[str]()
    left_out = 0
    for line in lines:
        times, words = _parts(line)
        if not words:
            continue
        if _can_be_answered(words):
            asked[words] += times
        else:
            left_out += 1
    if not (total := asked.total()):
        raise InputError(
            f"{path}: no query here; write one a line, with how often it was asked and a tab before it"
        )
    ranked = sorted(asked.items(), key=lambda item: (-item[1], item[0]))
    return QueryLog(
        queries=tuple(Asked(words=words, share=times / total) for words, times in ranked if times),
        left_out=left_out,
    )


def keep_queries(log: QueryLog, folder: Path) -> None:
    """Keep a log among the inputs of a crawl. Raises `FolderError`."""
    try:
        save_inputs([log], folder)
    except OSError as error:
        raise FolderError(f"{folder}: cannot be written: {error.strerror}") from None


def kept_queries(folder: Path) -> QueryLog | None:
    """The log among the inputs of a crawl. Raises `FolderError` for a file that cannot be read."""
    kept = load_inputs(folder, {QueryLog: Kind("lycosa.sources.queries:read_queries")})
    return next((log for log in kept if isinstance(log, QueryLog)), None)


def _parts(line: str) -> tuple[int, str]:
    """How often, and what. A tab belongs to the query unless a whole number stands before it."""
    count, tab, rest = line.partition("\t")
    if tab and count.strip().isdecimal():
        return int(count), _plain(rest)
    return 1, _plain(line)


def _plain(words: str) -> str:
    """In small letters, but for operators, which are capitals."""
    return " ".join(word if word in ("OR", "AND", "NOT") else word.lower() for word in words.split())


def _can_be_answered(words: str) -> bool:
    try:
        match_of(words)
    except InputError:
        return False
    return True
