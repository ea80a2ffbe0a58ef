"""Why a crawl, or one run of it, came to its end."""

from __future__ import annotations

from enum import Enum
from typing import Self

from lycosa.model.records import Record


class EndKind(Enum):
    BUDGET = "budget"
    """As many pages came in as were asked for; or, if the detail is `REQUESTS`, as many requests were made."""
    EXHAUSTED = "exhausted"
    """Nothing is left to visit, and the strategy had nothing to add."""
    RULE = "rule"
    """A stopping rule held; the detail is a sentence."""
    STOPPED = "stopped"
    """The strategy, or somebody outside, said `Stop`; the detail is the reason given."""
    INTERRUPTED = "interrupted"
    """A person, a signal or a time limit cut the run short; the crawl can be resumed."""
    FAILED = "failed"
    """Something has to be mended; then the crawl can be resumed."""


REQUESTS = "requests"

OVER = frozenset({EndKind.BUDGET, EndKind.EXHAUSTED, EndKind.RULE, EndKind.STOPPED})
"""The crawl itself is over. All else ends a run only."""


class Ending(Record, frozen=True, gc=False):
    """As text (`str`, `parse`) it is the kind, or the kind, a colon and the detail."""

    kind: EndKind
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.detail}" if self.detail else self.kind.value

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """What `str` told; None for an empty text. Raises `ValueError` for a kind that there is not."""
        kind, _, detail = text.partition(": ")
        return cls(EndKind(kind), detail) if text else None

    @property
    def is_over(self) -> bool:
        """Whether the crawl is over, and not only this run."""
        return self.kind in OVER
