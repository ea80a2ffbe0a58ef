"""How often a crawl asks at all, and how new pages and revisits share its requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lycosa.frontier.protocol import Lane
from lycosa.model.records import Millis, Record

DAY: Final = 86_400_000
BURST: Final = Millis(60_000)
"""So much of what was not used up may be made up for at once."""
MOST_OWED: Final = 8.0
"""Requests: a lane that has had nothing to ask for cannot claim more than these when it has."""


class SplitRules(Record, frozen=True, kw_only=True):
    rate: float | None = None
    """Requests a day, new pages and revisits together; None: as many as politeness allows."""
    share: float = 0.3
    """Of requests, for new pages, while both kinds wait: 0 to 1."""


class Split:
    """Whose turn it is: a new page's or a revisit's; and when the next request may be made at all.

    Invariants, each the name of a property test:

    * the share is kept: while both kinds wait, of n leases n·share are of new pages, give or take `MOST_OWED`.
    * nothing is wasted: where one kind has nothing to ask for, the other may go.
    * the rate is kept: in any span of time there are no more leases than the rate allows for it and `BURST` together,
      and one more.
    """

    def __init__(self, rules: SplitRules | None = None) -> None:
        self.rules = rules or SplitRules()
        self._owed = 0.0  # requests that new pages did not get yet
        self._free_at = 0.0  # when the next request is due by the rate
        self.counts: dict[Lane, int] = {"new": 0, "again": 0}

    def order(self) -> Sequence[Lane]:
        """The lanes, the one first that is to be asked first."""
        return ("new", "again") if self._owed + self.rules.share >= 0.5 else ("again", "new")

    def opens_at(self) -> Millis:
        """When the next request may be made."""
        return Millis(int(self._free_at))

    def lease(self, lane: Lane, now: Millis) -> None:
        """A request goes out."""
        self.counts[lane] += 1
        share = self.rules.share
        owed = self._owed + (share - 1.0 if lane == "new" else share)
        self._owed = max(-MOST_OWED, min(MOST_OWED, owed))
        if self.rules.rate is not None:
            self._free_at = max(self._free_at, now - BURST) + DAY / self.rules.rate

    def save(self) -> Mapping[str, Any]:
        return {"owed": self._owed, "free at": self._free_at, "counts": dict(self.counts)}

    def load(self, state: Mapping[str, Any]) -> None:
        self._owed, self._free_at = state["owed"], state["free at"]
        self.counts = dict(state["counts"])
