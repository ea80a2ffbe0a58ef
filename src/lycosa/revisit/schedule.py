"""Turns the answers of a policy into revisits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from lycosa.model.commands import Enqueue
from lycosa.model.events import Searched
from lycosa.model.records import Failure, Gone, Look, Millis, Page, Record, Sight, Unchanged
from lycosa.model.url import Url
from lycosa.revisit.chance import chance
from lycosa.revisit.history import DAY, History
from lycosa.revisit.paced import trust
from lycosa.revisit.policy import Policy
from lycosa.revisit.table import Table

SOONEST: Final = Millis(1_000)
"""No page is asked for again sooner than so long after a look: one that changes all the time must not starve others."""
LATEST: Final = 60.0
"""Days: a page that a policy would leave alone is looked at after so long all the same, or after four rounds of the
budget, whichever is later. Otherwise nobody would ever learn that it has changed its ways."""
ROUNDS: Final = 4.0
AGAIN: Final = (Millis(3_600_000), Millis(DAY))
"""The least and the longest wait after a revisit that told nothing of the page."""
GREW, OLD, NEW_LOOKS = 1.1, Millis(DAY), 0.25
"""Requests are shared out anew when there are so many times as many pages, after so long, or when so many of the
estimates are new, as a share of the pages."""
FEW: Final = 50
"""Looks that are too few to share out requests anew."""
BELIEVED: Final = 0.5
"""The share of a page's signals that must have been right for the next one to be heeded at once."""
MOST_SIGNALS: Final = 16
"""Times at which a page was said to have changed that are remembered, the latest."""
MOST_FRESH: Final = 100_000
"""Links found by revisits that are waited for, the latest."""


class ScheduleRules(Record, frozen=True, kw_only=True):
    """How many revisits there may be, and the policy by its name, as it is written."""

    policy: str
    every: float = 7.0
    """Days in which there are as many revisits as pages, if there is no `rate`."""
    rate: float | None = None
    """Requests a day, those for new pages too."""
    share: float = 0.3
    """Of the `rate`, for new pages, while some wait."""
    by_queries: bool = False
    """Whether `searched` is told what pages are to people: a page of which it was not told is nothing to them."""


class Schedule:
    """Implements the schedule of a crawl (`lycosa.crawl.ports.Schedule`) by a policy.

    It remembers what the policy makes of each page, in columns, and what revisits found; the looks themselves are in
    the crawl's memory.

    Invariants, each the name of a property test:

    * one revisit a page waits: whatever was seen of it, there is one answer.
    * not at once: no revisit is due sooner than `SOONEST` after the look before.
    * looked at now and then: no page is left alone for ever, whatever the policy says.
    * the same again: what it answers depends on what it was told alone; `load(save())` changes nothing of that.
    """

    def __init__(self, policy: Policy, rules: ScheduleRules) -> None:
        self.policy, self.rules = policy, rules
        self.planned = ""
        self._table = Table()
        self._finds: dict[Url, list[tuple[Millis, float]]] = {}  # by the pages whose revisits brought them
        self._fresh: dict[Url, tuple[Url, Millis]] = {}  # links that a revisit brought: from where, and when
        self._signals: dict[Url, list[Millis]] = {}
        self._gains: dict[Url, dict[Millis, float]] = {}  # by the times of looks
        self._standings: dict[Url, float] = {}  # above 0
        self._solved_at = Millis(-1)
        self._solved_for = 0
        self._solved_budget = 0.0
        self._looks = 0  # since then

    @property
    def settings(self) -> str:
        rules = self.rules
        amount = f"every {rules.every:g} days" if rules.rate is None else f"{rules.rate:g} requests a day"
        asked = ", by queries" if rules.by_queries else ""
        return f"{rules.policy}, {amount}, {rules.share:g} of them for new pages{asked}"

    def __len__(self) -> int:
        """Pages that are known."""
        return len(self._table)

    # -- the pages that a crawl had ---------------------------------------------------------------------------

    def begin(self, known: Iterable[tuple[Url, Sequence[Look]]], *, new_wait: bool, now: Millis) -> None:
        for url, looks in known:
            if looks:
                self._table.set(url, self.policy.estimate(self._history(url, looks)))
        self._solve(new_wait, now)

    def plan(self, url: Url, looks: Sequence[Look], now: Millis) -> Enqueue | None:
        """Pages that were seen at one time come due spread over their intervals, as policies see to it for those that
        were seen once; those that are overdue as if they had been seen now."""
        if not looks:
            return None
        history = self._history(url, looks)
        due = self.policy.due(history, now)
        if due <= now:
            late = now - looks[-1].at
            due = self.policy.due(replace(history, looks=tuple(_later(look, late) for look in looks)), now)
            if len(looks) > 1:
                due = Millis(int(now + chance(url, 0) * (due - now)))
        return self._revisit(history, due, now)

    # -- what visits find --------------------------------------------------------------------------------------

    def seen(
        self, arrival: Page | Unchanged | Gone, looks: Sequence[Look], now: Millis, *, new_wait: bool
    ) -> Sequence[Enqueue]:
        history = self._history(arrival.url, looks)
        self._table.set(arrival.url, self.policy.estimate(history))
        self._looks += 1
        if self._solve_is_due(now):
            self._solve(new_wait, now)
        return [self._revisit(history, self.policy.due(history, now), now)]

    def found(self, page: Page, looks: Sequence[Look], unseen: Iterable[Url]) -> Url | None:
        """What a new page is worth counts for the page whose revisit showed the link to it. Links that a revisit
        brings are waited for."""
        last = looks[-1]
        if last.sight is Sight.FIRST:
            if (source := self._fresh.pop(page.url, None)) is None:
                return None
            self._finds.setdefault(source[0], []).append((source[1], page.relevance))
            return source[0]
        for target in unseen:
            self._fresh.setdefault(target, (page.url, last.at))
        while len(self._fresh) > MOST_FRESH:
            self._fresh.pop(next(iter(self._fresh)))
        return None

    def again(self, url: Url, looks: Sequence[Look], now: Millis) -> Sequence[Enqueue]:
        if found := self._finds.get(url):  # those of looks that nobody remembers say nothing
            self._finds[url] = [(at, worth) for at, worth in found if at >= looks[0].at]
        history = self._history(url, looks)
        self._table.set(url, self.policy.estimate(history))
        return [self._revisit(history, self.policy.due(history, now), now)]

    def missed(self, failure: Failure, looks: Sequence[Look], now: Millis) -> Sequence[Enqueue]:
        """As long again as the page was not seen: so a server that is down for a day is not asked all day long."""
        least, longest = AGAIN
        wait = min(max(now - looks[-1].at, least), longest)
        return [self._revisit(self._history(failure.url, looks), Millis(now + wait), now)]

    def told(
        self, url: Url, at: Millis, looks: Sequence[Look], now: Millis, *, surely: bool
    ) -> Sequence[Enqueue]:
        """At once, if those who say so were right about this page as often as not; otherwise as the policy makes of it.
        So a site that always says that everything changed costs one visit to each page, and no more."""
        signals = self._signals.setdefault(url, [])
        if at <= looks[-1].at or at in signals:
            return []
        self._signals[url] = sorted([*signals, at])[-MOST_SIGNALS:]
        history = self._history(url, looks)
        self._table.set(url, self.policy.estimate(history))
        due = self.policy.due(history, now)
        if surely or trust(history) >= BELIEVED:
            due = min(due, now)
        return [self._revisit(history, due, now)]

    def searched(
        self, said: Searched, known: Mapping[Url, Sequence[Look]], now: Millis, *, new_wait: bool
    ) -> Sequence[Enqueue]:
        gains: dict[Url, dict[Millis, float]] = {}
        for url, at, gain in said.gains:
            gains.setdefault(url, {})[at] = gain
        standings = dict(said.standings)
        for url, looks in known.items():
            all_gains = {**self._gains.get(url, {}), **gains.get(url, {})}
            if all_gains:
                self._gains[url] = {look.at: all_gains[look.at] for look in looks if look.at in all_gains}
            if (standing := standings.get(url, self._standings.get(url, 0.0))) > 0:
                self._standings[url] = standing
            else:
                self._standings.pop(url, None)
            self._table.set(url, self.policy.estimate(self._history(url, looks)))
        self._looks += len(known)
        if self._solve_is_due(now):
            self._solve(new_wait, now)
        histories = [self._history(url, looks) for url, looks in known.items()]
        return [self._revisit(history, self.policy.due(history, now), now) for history in histories]

    def standings(self) -> Mapping[Url, float]:
        return self._standings

    def explain(self, url: Url, looks: Sequence[Look]) -> Mapping[str, float]:
        if not looks:
            return {}
        row = self.policy.estimate(history := self._history(url, looks))
        told = {"changes a day": row.changes, "worth": row.worth, "finds a day": row.finds}
        if history.standing:
            told["part of people's answers"] = history.standing
        if history.signals:
            told["signals that were right"] = trust(history)
        return {name: value for name, value in told.items() if value or name == "worth"}

    # -- inside ------------------------------------------------------------------------------------------------

    def _history(self, url: Url, looks: Sequence[Look]) -> History:
        return History(
            url=url,
            looks=tuple(looks),
            finds=self._finds_by_look(url, looks),
            gains=self._gains_by_look(url, looks),
            standing=self._standings.get(url, 0.0) if self.rules.by_queries else None,
            signals=tuple(self._signals.get(url, ())),
        )

    def _finds_by_look(self, url: Url, looks: Sequence[Look]) -> tuple[float, ...]:
        if not (found := self._finds.get(url)):
            return ()
        return tuple(sum(worth for at, worth in found if at == look.at) for look in looks)

    def _gains_by_look(self, url: Url, looks: Sequence[Look]) -> tuple[float | None, ...]:
        known = self._gains.get(url)
        return tuple(known.get(look.at) for look in looks) if known else ()

    def _revisit(self, history: History, due: Millis, now: Millis) -> Enqueue:
        last = history.last.at
        latest = max(LATEST, ROUNDS * len(self._table) / max(self._solved_budget, 1e-9)) * DAY
        due = min(max(due, Millis(last + SOONEST)), Millis(int(max(last, now) + latest)))
        score = self.policy.urgency(history, now)
        return Enqueue(url=history.url, score=score, refetch=True, not_before=due)

    def _solve_is_due(self, now: Millis) -> bool:
        known = len(self._table)
        return (
            known > GREW * self._solved_for
            or now - self._solved_at >= OLD
            or self._looks >= max(FEW, NEW_LOOKS * known)
        )

    def _solve(self, new_wait: bool, now: Millis) -> None:
        self._solved_at, self._solved_for, self._looks = now, len(self._table), 0
        self._solved_budget = self._budget(new_wait)
        if len(self._table):
            self.policy.solve(self._table.pages(), self._solved_budget)

    def _budget(self, new_wait: bool) -> float:
        """Revisits a day."""
        rules = self.rules
        if rules.rate is None:
            return len(self._table) / rules.every
        return rules.rate * (1.0 - rules.share if new_wait else 1.0)

    # -- state -------------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        return {
            "planned": self.planned,
            "table": self._table.save(),
            "policy": dict(self.policy.save()),
            "finds": {url: [list(find) for find in finds] for url, finds in self._finds.items()},
            "fresh": {url: list(source) for url, source in self._fresh.items()},
            "signals": self._signals,
            "gains": {url: [list(gain) for gain in gains.items()] for url, gains in self._gains.items()},
            "standings": self._standings,
            "solved": [self._solved_at, self._solved_for, self._solved_budget, self._looks],
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.planned = state["planned"]
        if "table" not in state:  # another kind of schedule kept it
            return
        self._finds = {
            Url(url): [(at, worth) for at, worth in finds] for url, finds in state["finds"].items()
        }
        self._fresh = {Url(url): (source, at) for url, (source, at) in state["fresh"].items()}
        self._signals = {Url(url): list(times) for url, times in state["signals"].items()}
        self._gains = {
            Url(url): {Millis(at): gain for at, gain in gains}
            for url, gains in state.get("gains", {}).items()
        }
        self._standings = {Url(url): standing for url, standing in state.get("standings", {}).items()}
        if self.planned == self.settings:  # what another policy made of the pages means nothing to this one
            self._table.load(state["table"])
            self.policy.load(state["policy"])
            self._solved_at, self._solved_for, self._solved_budget, self._looks = state["solved"]


def _later(look: Look, by: int) -> Look:
    return replace(look, at=Millis(look.at + by))
