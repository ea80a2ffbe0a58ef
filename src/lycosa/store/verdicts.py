"""What a model was asked about a crawl's pages and what it said: one call a line, so that none is paid for twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from lycosa.model.decoding import json_reader
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.store.lines import Lines


class Verdict(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One call, as far as it has come."""

    model: str
    digest: str
    """SHA-256 of all that the model is told."""
    url: Url
    came: Literal["out", "refused", "answered"] = "out"
    """`refused`: the endpoint took no question, so nothing was paid. What stays `out` was cut off: its answer is lost,
    though it may have been paid."""
    relevant: bool | None = None
    """What the model said; None if that was not to be understood, or nothing."""
    tokens: int = 0
    """That the call took."""


_decode = json_reader(Verdict)


class Verdicts:
    """A file of calls, as `Lines` are; the lowest line on a question holds.

    Invariants, each the name of a test:

    * told before it is asked: a call is in the file before it is made, so one that a kill cut off counts, and is not
      made again.
    """

    def __init__(self, path: Path) -> None:
        """Raises `FolderError` for a file that cannot be read."""
        self._lines = Lines(path, _decode, "answer of a judge")
        self._held = {(each.model, each.digest): each for each in self._lines.held}

    def of(self, model: str, digest: str) -> Verdict | None:
        """What became of a question, None if nobody asked it, or the endpoint did not take it."""
        found = self._held.get((model, digest))
        return None if found is None or found.came == "refused" else found

    def note(self, verdict: Verdict) -> None:
        """Add a line, durable when this returns. Raises `FolderError`."""
        self._lines.add(verdict, durable=True)
        self._held[verdict.model, verdict.digest] = verdict

    def __iter__(self) -> Iterator[Verdict]:
        """The calls that count, in the order in which they were made."""
        return (each for each in self._held.values() if each.came != "refused")

    @property
    def calls(self) -> int:
        return sum(1 for _ in self)

    @property
    def tokens(self) -> int:
        return sum(each.tokens for each in self)

    def counts(self, calls: int, tokens: int) -> Mapping[str, int]:
        """What was said and what it took, and what is left of a budget of calls and, unless it is 0, of tokens."""
        said = Counter(each.relevant for each in self)
        left = {"tokens left": max(0, tokens - self.tokens)} if tokens else {}
        return {
            "calls": self.calls,
            "good": said[True],
            "bad": said[False],
            "unclear": said[None],
            "calls left": max(0, calls - self.calls),
            "tokens": self.tokens,
            **left,
        }
