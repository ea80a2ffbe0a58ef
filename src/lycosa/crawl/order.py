"""Priority and politeness together: whether a good link may be fetched while better ones wait for their hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lycosa.model.events import Asked, Event, Recovered, Started, Wish
from lycosa.model.records import Failure, Millis, Page, Record
from lycosa.model.url import host_of

Kind = Literal["strict", "paced", "eager"]
"""What is leased while better links wait at closed hosts: nothing; what is in turn, or paid for; whatever is open."""

MOST = 128
"""Better links are counted up to here, and the window grows no further: so many are as good as no limit."""
FEW = 8
"""The window with which a wide crawl begins. On 12 topics of webkb, on which nothing was reported, the hunter reached
with 4, 8 and 16 in turn 101, 98 and 90 % of its AUC in the strict order, in 292, 280 and 256 s."""
ENOUGH = 10
"""Pages of the inner and of the outer window, each, by which the window is judged."""
AS_GOOD = 0.7
"""The share of the inner pages' relevance that the outer ones must have for a wider window."""


class OrderRules(Record, frozen=True, kw_only=True):
    """How much a crawl gives for the best order."""

    kind: Kind = "paced"
    width: int = 32
    """Visits side by side."""
    patience: float = 2.0
    """The crawl may take as long as if all its pages came from one host, so many times."""
    delay: Millis = Millis(1_000)
    """The least rest of a host between two visits."""
    limit: Millis = Millis(0)
    """The longest that a run may take; 0: no limit."""


class Order:
    """In turn, or paid for.

    A link is in turn if fewer than N better ones wait; these are at hosts that rest or are being asked. One further
    behind is leased only if the crawl is behind its pace, that is if the share of the budget that is spent is less
    than the share of the time that is gone. Of the time there is T = patience · turn · budget, where a turn is the
    delay or the mean answer's time, whichever is longer; and the limit of the run, for what it began with.

    N begins at half the visits side by side, and at 8 at most. Pages leased at ranks below N/4 are compared with those
    from N/4 to N: after ten of each N doubles if the outer ones' mean relevance is at least 0.7 of the inner ones',
    else it is halved, but it never falls below its beginning. So a crawl with good links everywhere soon waits for
    nothing, and one whose topic lives at few hosts keeps to their turns. Ranks, unlike scores, mean the same for all
    strategies.

    Start pages are evidence, too: nobody waits for them, and they come first. Let r be the relevance of the first start
    page of each host. (Σr)² / Σr² is the number of good hosts: n if n are equally so and the others not at all.
    If half of it exceeds N, N is set to that. A crawl that begins with 16 good hosts or fewer does not notice.

    Invariants, each the name of a property test:

    * scale free: a strategy whose scores are all multiplied by a positive number leads to the same leases.
    * sixteen good hosts change nothing: start pages of at most sixteen hosts leave the window as it is.
    * never below its beginning: the window is at least half the width, or 8 where that is less, and at least 1.
    * the pace is kept: while links wait at open hosts, a paced crawl is behind its pace by less than one lease.
    * only work counts: time between two runs, or while the crawl is paused, does not make it fall behind.
    """

    def __init__(self, rules: OrderRules | None = None) -> None:
        self.rules = rules or OrderRules()
        self._least = max(1, min(self.rules.width // 2, FEW))
        self.window = self._least
        """N, as it is now."""
        self.counts = {"first": 0, "in turn": 0, "paid for": 0}
        """Pages by the rank of their lease: 0, below the window, beyond it."""
        self._inner: tuple[int, float] = (0, 0.0)  # pages, and the sum of their relevance
        self._outer: tuple[int, float] = (0, 0.0)
        self._start_hosts: set[str] = set()
        self._start_relevance: tuple[float, float] = (
            0.0,
            0.0,
        )  # of a page each: the sum, and that of the squares
        self._worked, self._since = 0, Millis(0)  # time up to `since`, and when the clock was started again
        self._runs = True
        self._told_at = Millis(0)
        self._run_began = (0, 0.0)  # the time worked by then, and the share of the budget that was spent
        self._visits, self._elapsed = 0, 0

    # -- what may be leased ----------------------------------------------------------------------------------

    @property
    def within(self) -> int | None:
        """How far better links are counted; None: not at all."""
        match self.rules.kind:
            case "eager":
                return None
            case "strict":
                return 1
            case "paced":
                return min(self.window, MOST)

    def goes_beyond(self, now: Millis, spent: float, budget: int) -> bool:
        """Whether a link may be leased that is not in turn; `spent` is the share of the budget."""
        if self.rules.kind != "paced":
            return self.rules.kind == "eager"
        return self.window > MOST or self._work(now) > self._paid_until(spent, budget)

    def falls_behind_at(self, spent: float, budget: int) -> Millis | None:
        """When the crawl will be behind its pace if nothing is leased until then; None: never."""
        if self.rules.kind != "paced" or not self._runs:
            return None
        return Millis(self._since + self._paid_until(spent, budget) + 1 - self._worked)

    def _paid_until(self, spent: float, budget: int) -> int:
        """The time worked up to which the crawl keeps its pace with this share of the budget spent."""
        rules = self.rules
        turn = max(float(rules.delay), self._elapsed / self._visits if self._visits else 0.0)
        paid = spent * rules.patience * turn * budget
        if rules.limit:
            worked, before = self._run_began
            paid = min(paid, worked + rules.limit * (spent - before) / max(1.0 - before, 1e-9))
        return int(paid)

    def _work(self, now: Millis) -> int:
        return self._worked + (now - self._since if self._runs else 0)

    # -- what happens ----------------------------------------------------------------------------------------

    def tell(self, event: Event, now: Millis, spent: float, *, leased: bool) -> None:
        """A step is taken; `leased`: there were leases since the one before. What is `spent` matters
        only to a crawl that recovers."""
        if leased and not self._runs:
            self._start(now)
        match event:
            case Page():  # nearly all
                self._visited(event.elapsed)
                if not event.request.depth:
                    self._began_at(host_of(event.request.url), event.relevance)
                self._judge(event.request.rank, event.relevance)
            case Started():
                self._start(now)
            case Recovered():
                self._worked, self._runs = self._work(self._told_at), False
                self._start(now)
                self._run_began = (self._worked, spent)
            case Asked(wish=Wish.PAUSE):
                self._worked, self._runs = self._work(now), False
            case Asked(wish=Wish.GO_ON) if not self._runs:
                self._start(now)
            case Failure(elapsed=elapsed) if elapsed:
                self._visited(elapsed)
            case _:
                pass
        self._told_at = now

    def _start(self, now: Millis) -> None:
        self._since, self._runs = now, True

    def _visited(self, elapsed: Millis) -> None:
        self._visits += 1
        self._elapsed += elapsed

    def _began_at(self, host: str, relevance: float) -> None:
        """A start page came; only the first of each host counts, and no more hosts than the window could be wide."""
        if host in self._start_hosts or len(self._start_hosts) >= 2 * MOST:
            return
        self._start_hosts.add(host)
        whole, squares = self._start_relevance
        whole, squares = whole + relevance, squares + relevance * relevance
        self._start_relevance = (whole, squares)
        half_the_good = round(whole * whole / squares / 2) if squares else 0
        if half_the_good > max(self.window, FEW):
            self.window = half_the_good
            self._inner = self._outer = (0, 0.0)

    def _judge(self, rank: int, relevance: float) -> None:
        window = min(self.window, MOST)
        in_turn = rank < window or self.window > MOST
        self.counts["first" if not rank else "in turn" if in_turn else "paid for"] += 1
        if rank < window / 4:
            self._inner = (self._inner[0] + 1, self._inner[1] + relevance)
        elif in_turn:
            self._outer = (self._outer[0] + 1, self._outer[1] + relevance)
        (inner, sum_inner), (outer, sum_outer) = self._inner, self._outer
        if min(inner, outer) >= ENOUGH:
            as_good = sum_outer / outer >= AS_GOOD * sum_inner / inner
            self.window = min(2 * self.window, 2 * MOST) if as_good else max(self.window // 2, self._least)
            self._inner = self._outer = (0, 0.0)

    # -- state -----------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        return {
            "window": self.window,
            "counts": dict(self.counts),
            "judged": [*self._inner, *self._outer],
            "starts": [sorted(self._start_hosts), *self._start_relevance],
            "clock": [self._worked, self._since, self._runs, self._told_at],
            "run began": list(self._run_began),
            "visits": [self._visits, self._elapsed],
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.window, self.counts = state["window"], dict(state["counts"])
        inner, sum_inner, outer, sum_outer = state["judged"]
        self._inner, self._outer = (inner, sum_inner), (outer, sum_outer)
        hosts, whole, squares = state.get("starts", ([], 0.0, 0.0))  # earlier versions did not count them
        self._start_hosts, self._start_relevance = set(hosts), (whole, squares)
        self._worked, self._since, self._runs, self._told_at = state["clock"]
        worked, spent = state["run began"]
        self._run_began = (worked, spent)
        self._visits, self._elapsed = state["visits"]
