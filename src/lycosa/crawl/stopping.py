"""When a crawl has found enough: rules that look at what came in, and the estimates they go by."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, Literal

import msgspec

from lycosa.crawl.captures import OCCASIONS, Captures, always
from lycosa.crawl.recall import Estimate, of_catches, of_examples
from lycosa.crawl.scope import Scope
from lycosa.model.records import Page, Reason, Record, Visit
from lycosa.model.url import Url

ENOUGH = 20
"""Relevant pages before capture–recapture says anything: of fewer, one page more changes all."""


class StopRules(Record, frozen=True, kw_only=True):
    """What ends a crawl before its budget does. A rule of 0 is off."""

    harvest: float = 0.0
    """The share of relevant pages, in [0, 1], below which…"""
    window: int = 100
    """… the last so many pages must not fall, once there were as many: a crawl on its way to the topic goes on."""
    recall: float = 0.0
    """The estimated share of the relevant pages, in [0, 1], that is enough."""
    recall_by: Literal["", "held-out", "captures"] = ""
    """Which estimate counts. Empty: held-out examples where there are any, else captures."""
    surely: bool = False
    """The lower end of the estimate's interval must have reached `recall`, not its middle."""
    bytes: int = 0
    """The most that the pages may take in the archive, compressed."""
    after: int = 100
    """Pages before which neither harvest nor recall ends the crawl."""


class Endless:
    """Ends nothing and counts nothing: for crawls that have a budget only."""

    reached = ""
    """Why the crawl is to end, as a sentence; empty while it goes on."""

    def seen(self, visit: Visit, *, again: bool = False) -> None:
        """A visit was committed: a page with its relevance, for the first time or `again`, or a failure that is not
        tried again."""

    def estimates(self) -> tuple[Estimate, ...]:
        """How much was found, by each method that can tell; the better founded first."""
        return ()

    def went_on(self) -> None:
        """Whatever was reached, the crawl went on: it had other rules then."""

    def save(self) -> Mapping[str, Any]:
        """What must survive between two runs, as plain values (see `Snapshot`)."""
        return {}

    def load(self, state: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""


class Stopping(Endless):
    """A fold over a crawl's visits that says when one of the rules holds.

    Invariants, each the name of a property test:

    * a fold: the same visits in the same order reach the same, at the same page, saved and loaded in between or not.
    * never before: neither harvest nor recall is reached before `after` pages, harvest not before a whole window, and
      not unless the harvest rate was as high before.
    * it stays: what was reached stays so while the last visits come home, under the same rules.
    * more asks more: of two crawls that differ only in the recall that is enough, the one that asks for less never
      ends later.
    """

    def __init__(
        self,
        rules: StopRules,
        *,
        relevant_from: float,
        scope: Scope | None = None,
        held_out: Iterable[Sequence[Url]] = (),
    ) -> None:
        """`held_out` are example pages that nobody else knows of, each by all its names. Links out of `scope` lead
        to nothing that this crawl could find."""
        self.rules, self.relevant_from = rules, relevant_from
        self.pages = 0
        self.archived = 0
        """Bytes that the pages take in the archive."""
        self._scope = None if scope == Scope() else scope
        self._held_out = [tuple(names) for names in held_out]
        self._example = {name: number for number, names in enumerate(self._held_out) for name in names}
        self._met: set[int] = set()  # held-out examples that were fetched
        self._last: deque[bool] = deque(maxlen=rules.window)
        self._most = 0  # relevant pages within one window, so far
        self._captures = Captures()

    def seen(self, visit: Visit, *, again: bool = False) -> None:
        if isinstance(visit, Page):
            self.archived += visit.record.length if visit.record is not None else 0
            if not again:
                self._seen_page(visit)
        elif visit.reason in (Reason.ALREADY_KNOWN, Reason.ALIAS, Reason.ELSEWHERE):
            self._captures.alias(visit.url)
        else:
            self._captures.fetched(visit.url, relevant=False)
        self.reached = self.reached or self._reached()

    def _seen_page(self, page: Page) -> None:
        relevant = page.relevance >= self.relevant_from
        self.pages += 1
        self._last.append(relevant)
        self._most = max(self._most, sum(self._last))
        captures = self._captures
        captures.fetched(page.url, relevant=relevant)
        for name in (page.url, *page.hops, page.final_url):
            if name != page.url:
                captures.alias(name)
            if name in self._example:
                self._met.add(self._example[name])
        captures.linked(page.url, page.out, relevant=relevant, counts=self._may_fetch(page.request.depth + 1))

    def _may_fetch(self, depth: int) -> Callable[[Url], bool]:
        """Whether the crawl may fetch a URL at this depth: what it may not does not count."""
        if (scope := self._scope) is None:
            return always
        return lambda url: scope.refuses(url, depth) is None

    # -- what it comes to ------------------------------------------------------------------------------------

    def estimates(self) -> tuple[Estimate, ...]:
        return tuple(self._estimates())

    def _estimates(self) -> Iterator[Estimate]:
        if (by_examples := of_examples(len(self._met), len(self._held_out))) is not None:
            yield by_examples
        by_captures = of_catches(self._captures.catches(), OCCASIONS, self._captures.fresh)
        if by_captures is not None and by_captures.found >= ENOUGH:
            yield by_captures

    def _reached(self) -> str:
        rules = self.rules
        if rules.bytes and self.archived >= rules.bytes:
            return f"the pages take {self.archived:,} bytes in the archive; {rules.bytes:,} were allowed"
        if self.pages < rules.after:
            return ""
        return self._harvest_reached() or (self._recall_reached() if rules.recall else "")

    def _harvest_reached(self) -> str:
        rules, relevant = self.rules, sum(self._last)
        # Less a little, so that 7 of 100 are 7 %, whatever 0.07 is in binary.
        enough = ceil(rules.harvest * rules.window - 1e-9)
        if len(self._last) < rules.window or not relevant < enough <= self._most:
            return ""
        return (
            f"{relevant} of the last {rules.window:,} pages are relevant, less than {_percent(rules.harvest)}"
        )

    def _recall_reached(self) -> str:
        wanted = {"held-out": "held-out examples", "captures": "capture–recapture"}.get(self.rules.recall_by)
        found = next((each for each in self.estimates() if wanted in (None, each.by)), None)
        if found is None or (found.low if self.rules.surely else found.recall) < self.rules.recall:
            return ""
        surely = " surely" if self.rules.surely else ""
        return f"{found}; {_percent(self.rules.recall)} were asked for{surely}"

    # -- durability ------------------------------------------------------------------------------------------

    def went_on(self) -> None:
        self.reached = ""

    def save(self) -> Mapping[str, Any]:
        return {
            "rules": msgspec.to_builtins(self.rules),
            "reached": self.reached,
            "pages": self.pages,
            "archived": self.archived,
            "met": sorted(self._met),
            "most": self._most,
            "last": [int(relevant) for relevant in self._last],
            "captures": self._captures.save(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.pages, self.archived = state["pages"], state["archived"]
        self._met = set(state["met"])
        self._last = deque(map(bool, state["last"]), maxlen=self.rules.window)
        self._most = state["most"]
        self._captures.load(state["captures"])
        same = state["rules"] == msgspec.to_builtins(self.rules)
        self.reached = state["reached"] if same else self._reached()


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"
