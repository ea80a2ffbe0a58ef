"""The one interface of everything that decides when a page is visited again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from lycosa.model.records import Millis, Record
from lycosa.revisit.history import History

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
Bools = np.ndarray[tuple[int], np.dtype[np.bool_]]
Curves = np.ndarray[tuple[int, int], np.dtype[np.float64]]
NEVER = Millis(1 << 60)


class Estimates(Record, frozen=True, kw_only=True, gc=False):
    """What a policy makes of one page's history: a row of `Pages`."""

    changes: float
    """A day, above 0."""
    worth: float
    """At least 0."""
    finds: float = 0.0
    """Relevance of new pages that the page leads to, a day."""
    days: float = 0.0
    """For how long the page was watched, so how much is known of it."""
    links: float = 0.0
    """Distinct targets, when it was seen first."""
    is_told: bool = False
    """Whether signals tell all its changes."""
    curve: tuple[float, float] = (0.0, 0.0)
    """Two parameters of a curve, for policies that go by how a page changes and not by a rate alone."""


class Pages:
    """All pages that may be visited again, as columns of equal length: what `Policy.solve` shares requests among.

    The columns are those of `Estimates`; what is not given is 0.
    """

    def __init__(
        self,
        changes: Floats,
        worth: Floats,
        finds: Floats,
        days: Floats | None = None,
        links: Floats | None = None,
        is_told: Bools | None = None,
        curve: Curves | None = None,
    ) -> None:
        nothing = np.zeros(len(changes))
        self.changes, self.worth, self.finds = changes, worth, finds
        self.days = nothing if days is None else days
        self.links = nothing if links is None else links
        self.is_told = nothing.astype(np.bool_) if is_told is None else is_told
        self.curve = np.zeros((len(changes), 2)) if curve is None else curve

    @classmethod
    def of(cls, rows: Sequence[Estimates]) -> Pages:
        """The rows as columns."""
        told = np.array([row.is_told for row in rows], np.bool_)
        numbers = [(row.changes, row.worth, row.finds, row.days, row.links) for row in rows]
        changes, worth, finds, days, links = np.array(numbers, np.float64).reshape(len(rows), 5).T.copy()
        curve = np.array([row.curve for row in rows], np.float64).reshape(len(rows), 2)
        return cls(changes, worth, finds, days, links, told, curve)

    def __len__(self) -> int:
        return len(self.changes)

    def every(self, step: int) -> Pages:
        """Every so many of them, from the first."""
        return Pages(
            self.changes[::step],
            self.worth[::step],
            self.finds[::step],
            self.days[::step],
            self.links[::step],
            self.is_told[::step],
            self.curve[::step],
        )


class Policy(ABC):
    """When to visit pages again.

    Thinking is pure: no I/O, no clock, no chance but by hashes of what is given. What `solve` finds out about all pages
    together are a few numbers (a price of a request, a common interval), so that `due` can answer for one page from its
    history alone. A subclass's constructor takes its parameters as keywords with defaults; its docstring is its page in
    the manual.

    Invariants, each the name of a property test of all policies:

    * not in the past: `due` is later than the last look.
    * within its means: the rates at which all pages come due add up to the budget that was solved for, if the histories
      stay as they are (policies that take no budget excepted).
    * the same again: `due` and `urgency` depend on history, `now` and what was solved alone; `load(save())` changes
      neither.
    """

    reference: ClassVar[str] = ""
    """The work that describes the policy."""
    goes_by_queries: ClassVar[bool] = False
    """Whether it looks at `History.gains` and `History.standing`."""

    @abstractmethod
    def due(self, history: History, now: Millis) -> Millis:
        """When to visit the page again, `NEVER` if not before the next `solve`."""

    def urgency(self, history: History, now: Millis) -> float:
        """Among pages that are due the higher ones go first; those of equal urgency by their due times."""
        return 0.0

    def estimate(self, history: History) -> Estimates:
        """The page's row, for `solve`: told anew after each look."""
        return Estimates(changes=1.0, worth=history.worth)

    def solve(self, pages: Pages, budget: float) -> None:
        """Share `budget` visits a day among the pages. At most two seconds for a million of them."""
        return

    def save(self) -> Mapping[str, Any]:
        """What `solve` found out, as plain values."""
        return {}

    def load(self, state: Mapping[str, Any]) -> None:  # noqa: B027 - optional, not abstract
        """Take back what `save` returned."""
