"""What every strategy must keep to, as checks that can be run on any of them.

A check takes a function that makes fresh strategies and raises `Nonconformity` with one line that says what
happened. All of them crawl generated webs under virtual time, so a failing check fails again.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import count

import msgspec

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.order import Kind, Order, OrderRules
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import Strategy
from lycosa.crawl.traps import Traps
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Outcome, Visitor
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.kit.trial_web import kit_inputs, kit_reader, kit_web
from lycosa.model.commands import Enqueue
from lycosa.model.decoding import from_msgpack
from lycosa.model.errors import LycosaError
from lycosa.model.events import Entry, Marked, Snapshot
from lycosa.model.records import Arrival, Deferred, Failure, Link, Millis, Page, Reason, Request
from lycosa.model.url import Url
from lycosa.scoring.topics.keywords import KeywordTopic
from lycosa.spec.registry import strategy
from lycosa.web.made.graph_web import GraphWeb

Make = Callable[[], Strategy]
"""Makes a fresh strategy, in another process too: a class, or a `partial` of a function, that can be imported."""

Change = Callable[[Request, Arrival], Arrival]
"""What a check does to visits before the crawl sees them."""

BUDGET = 300

PATIENCE = 4
"""So many visits for each page of the budget are waited for before a crawl is taken to be endless."""


class Nonconformity(LycosaError):
    """A strategy does not keep to what is asked of all of them."""


@dataclass
class Trial:
    """One crawl of the generated web by one strategy."""

    make: Make
    budget: int = BUDGET
    seed: int = 7
    capacity: int | None = None
    change: Change = lambda request, visit: visit
    order: Kind = "paced"
    web: GraphWeb = field(default_factory=kit_web)

    def fresh(self) -> Crawl:
        return Crawl(
            self.make(),
            MemoryFrontier(capacity=self.capacity),
            KeywordTopic(" ".join(self.web.topic_words)),
            MemoryStore(),
            gate=Gate(Scope(), Traps()),
            pace=Pace(PaceRules(delay=Millis(200)), seed=self.seed),
            order=Order(OrderRules(kind=self.order)),
            seed=self.seed,
            budget=self.budget,
        )

    def run(
        self, crawl: Crawl, *, until: int | None = None, width: int = 1, now: Millis = Millis(0)
    ) -> Crawl:
        """Let a crawl go on to its end, or until so many pages are in."""
        clock = VirtualClock(now)
        visitor = Visitor(self.web, None, None, crawl.refuses_redirect, clock, kit_reader())
        visits = 0

        async def visit(request: Request) -> Outcome:
            nonlocal visits
            visits += 1
            if visits > PATIENCE * self.budget:
                raise Nonconformity(f"{visits - 1} visits brought {crawl.pages} pages and no end is in sight")
            outcome = await visitor(request)
            return outcome if isinstance(outcome, Deferred) else self.change(request, outcome)

        budget, crawl.budget = crawl.budget, until or crawl.budget
        asyncio.run(simulate(crawl, visit, self.web.latency, clock, width=width))
        crawl.extend(budget, clock.now())
        return crawl

    def whole(self, *, width: int = 1) -> Crawl:
        crawl = self.fresh()
        crawl.start(self.web.seeds(3), Millis(0))
        return self.run(crawl, width=width)


@lru_cache(maxsize=2)
def known(make: Make, width: int) -> Crawl:
    """The whole crawl that a strategy makes. One per width is kept for all its checks; nobody may change it."""
    return Trial(make).whole(width=width)


def journal(crawl: Crawl) -> list[Entry]:
    return list(crawl.store.entries())


def trace(crawl: Crawl) -> list[tuple[str, str]]:
    """Kind and URL of each visit, in order."""
    visits = [entry.event for entry in journal(crawl)]
    return [(type(v).__name__, v.request.url) for v in visits if isinstance(v, Page | Failure)]


def check_same_seed_same_trace(make: Make) -> None:
    """Two crawls with one seed make the same visits in the same order and leave the same frontier."""
    for width in (1, 8):
        first, second = known(make, width), Trial(make).whole(width=width)
        _same(trace(first), trace(second), f"two runs with the same seed and {width} visits side by side")
        _same(first.frontier.keys(), second.frontier.keys(), "the frontiers of two runs with the same seed")


def check_hash_seed_does_not_matter(make: Make) -> None:
    """PYTHONHASHSEED changes nothing: no set was iterated where order matters."""
    first, second = (fingerprints_elsewhere([make], hash_seed) for hash_seed in ("1", "2"))
    _same(first, second, "the visits under two values of PYTHONHASHSEED (is a set iterated somewhere?)")


def fingerprints_elsewhere(makes: Sequence[Make], hash_seed: str) -> list[str]:
    """What a crawl by each strategy comes to, all in one process of their own with this PYTHONHASHSEED.

    Raises `Nonconformity` if the strategies cannot be made there, or a crawl fails.
    """
    try:
        pickled = pickle.dumps(list(makes))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Nonconformity(f"other processes cannot make the strategy: {error}") from None
    program = (
        "import pickle, sys; from lycosa.lab.kit.conformance import Trial, fingerprint\n"
        "for make in pickle.load(sys.stdin.buffer): print(fingerprint(Trial(make, budget=120).whole()))"
    )
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
        input=pickled,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise Nonconformity(f"under PYTHONHASHSEED={hash_seed} the crawl failed: {last}")
    return done.stdout.decode().split()


def check_replay_equals_run(make: Make) -> None:
    """The journal, replayed into fresh parts, gives the same frontier, strategy and answers."""
    for width in (1, 8):
        run = known(make, width)
        again = Trial(make).fresh()
        again.replay(journal(run))
        _same(again.frontier.keys(), run.frontier.keys(), "the frontier after a replay")
        _same(dict(again.frontier.leased), dict(run.frontier.leased), "the leases after a replay")
        _same(_plain(again.strategy), _plain(run.strategy), "the strategy's state after a replay")


def check_crash_and_continue_equals_run(make: Make) -> None:
    """Stopped after some pages, replayed and continued, more than once, a crawl ends as if it had never stopped."""
    trial = Trial(make)
    crawl, now = _started(trial), Millis(0)
    for pages in (
        1,
        60,
        200,
    ):  # one that is stopped again and again: what a replay gets wrong shows at its end
        half = trial.run(crawl, until=pages, now=now)
        crawl, now = trial.fresh(), _last_at(half)
        crawl.replay(journal(half))
    whole = trace(known(make, 1))
    _same(trace(trial.run(crawl, now=now)), whole, "a crawl continued after 1, 60 and 200 pages by replay")


def check_save_and_load_equals_run(make: Make) -> None:
    """What `save` returns is plain values, and a fresh strategy that loads it goes on as the old one would."""
    whole = trace(known(make, 1))
    trial = Trial(make)
    half = trial.run(_started(trial), until=100)
    try:
        kept = from_msgpack(msgspec.msgpack.encode(half.snapshot()), Snapshot)
    except (TypeError, OverflowError) as error:
        raise Nonconformity(f"save() returns what cannot be stored: {error}") from None
    again = trial.fresh()
    again.replay(journal(half))
    again.strategy = make()
    again.restore(kept)
    _same(_continued(trial, half, again), whole, "a crawl continued with a loaded strategy")


def check_failing_start_pages(make: Make) -> None:
    """With start pages that all fail the crawl ends; with one that lives it goes on."""
    seeds = Trial(make).web.seeds(3)

    def failing(urls: Sequence[Url]) -> Change:
        def change(request: Request, visit: Arrival) -> Arrival:
            return _not_found(request) if request.url in urls else visit

        return change

    dead = Trial(make, change=failing(seeds)).whole()
    if dead.pages or not dead.finished:
        raise Nonconformity(f"all start pages failed, yet the crawl has {dead.pages} pages and is not over")
    alive = Trial(make, change=failing(seeds[:2])).whole()
    if alive.pages < 2:
        raise Nonconformity("one of three start pages answered, yet the crawl did not get beyond it")


def check_odd_pages(make: Make) -> None:
    """Pages without links and pages with 5,000 links do no harm."""
    places = count()

    def odd(request: Request, visit: Arrival) -> Arrival:
        if not isinstance(visit, Page):
            return visit
        place = next(places)
        if place % 10 == 5:
            return msgspec.structs.replace(visit, links=(), text="", title="", terms={})
        return msgspec.structs.replace(visit, links=_many_links(visit)) if place % 25 == 2 else visit

    # Thousands of dead links stand as high as any: a crawl that waited for them would visit little else.
    crawl = Trial(make, budget=100, change=odd, order="eager").whole()
    if not crawl.finished:
        raise Nonconformity("a crawl among odd pages did not come to its end")


def check_bounded_frontier(make: Make) -> None:
    """A frontier of 16 is never exceeded, and the crawl comes to its end."""
    trial = Trial(make, capacity=16)
    crawl = _started(trial)
    while not crawl.finished:
        trial.run(crawl, until=crawl.pages + 10, now=_last_at(crawl))
        if len(crawl.frontier) > 16:
            raise Nonconformity(f"a frontier bounded by 16 holds {len(crawl.frontier)} URLs")
    whole = trace(Trial(make, capacity=16).whole())
    _same(trace(crawl), whole, "a bounded crawl made in portions")


def check_marks(make: Make) -> None:
    """Pages marked good, bad and neither in the middle of a crawl do no harm, and a replay gives the same again."""
    trial = Trial(make, budget=120)
    half = marked(trial)
    again = trial.fresh()
    again.replay(journal(half))
    _same(again.frontier.keys(), half.frontier.keys(), "the frontier after marks and its replay")
    _same(_plain(again.strategy), _plain(half.strategy), "the strategy's state after marks and its replay")
    continued = _continued(trial, half, again)
    _same(continued, trace(trial.run(half, now=_last_at(half))), "a crawl with marks, continued by replay")


def marked(trial: Trial) -> Crawl:
    """A crawl of 60 pages, of which some were marked: the last mark of a page holds."""
    crawl = trial.run(_started(trial), until=60)
    pages = [entry.event.request.url for entry in journal(crawl) if isinstance(entry.event, Page)]
    marks = [(url, number % 3 == 0) for number, url in enumerate(pages[:9])]
    for url, good in [*marks, (pages[0], None), (pages[1], True), (Url("http://unheard.test/"), True)]:
        crawl.hear(Marked(url=url, good=good), _last_at(crawl))
    return crawl


def check_finite_scores_and_budget(make: Make) -> None:
    """All scores are finite, no URL is fetched twice unasked, and the budget is kept."""
    crawl = known(make, 8)  # a score that is not finite raises
    if crawl.pages > BUDGET:
        raise Nonconformity(f"the budget is {BUDGET} pages, the crawl brought {crawl.pages}")
    asked = Counter(
        command.url
        for entry in journal(crawl)
        for command in entry.commands
        if isinstance(command, Enqueue) and command.refetch
    )
    brought = Counter(Url(url) for kind, url in trace(crawl) if kind == "Page")
    for url, times in brought.items():
        if times > 1 + asked[url]:
            raise Nonconformity(f"{url} was fetched {times} times, asked for again {asked[url]} times")


CHECKS: tuple[Callable[[Make], None], ...] = (
    check_same_seed_same_trace,
    check_hash_seed_does_not_matter,
    check_replay_equals_run,
    check_crash_and_continue_equals_run,
    check_save_and_load_equals_run,
    check_failing_start_pages,
    check_odd_pages,
    check_bounded_frontier,
    check_marks,
    check_finite_scores_and_budget,
)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one check; `problem` is empty if it was passed."""

    check: str
    asks: str
    problem: str = ""


def maker(name: str) -> Make:
    """Makes fresh strategies of this name, given all the inputs that a topic can offer."""
    return partial(strategy, name, kit_inputs())


def examine(name: str, checks: Sequence[Callable[[Make], None]] = CHECKS) -> list[Finding]:
    """Run the checks on a registered strategy, given as `NAME` or `NAME:parameter=value,…`."""
    findings = []
    make = maker(name)
    for check in checks:
        problem = ""
        try:
            check(make)
        except LycosaError as error:
            problem = str(error)
        except Exception as error:  # its constructor, save or load raised
            problem = f"{type(error).__name__}: {error}"
        asks = (check.__doc__ or "").strip()
        findings.append(
            Finding(check=check.__name__.removeprefix("check_").replace("_", " "), asks=asks, problem=problem)
        )
    return findings


def fingerprint(crawl: Crawl) -> str:
    """A digest of all visits and of what is pending at the end."""
    told = msgspec.json.encode([trace(crawl), sorted(crawl.frontier.keys().items())])
    return hashlib.sha256(told).hexdigest()


def _started(trial: Trial) -> Crawl:
    crawl = trial.fresh()
    crawl.start(trial.web.seeds(3), Millis(0))
    return crawl


def _continued(trial: Trial, half: Crawl, again: Crawl) -> list[tuple[str, str]]:
    """The visits of the first half, replayed, and of the continuation."""
    return trace(trial.run(again, now=_last_at(half)))


def _last_at(crawl: Crawl) -> Millis:
    *_, last = journal(crawl)
    return last.at


def _not_found(request: Request) -> Failure:
    return Failure(request=request, reason=Reason.STATUS, status=404)


def _many_links(page: Page) -> tuple[Link, ...]:
    made = (Url(f"http://many.test/{page.request.order}/{i}") for i in range(5000))
    return tuple(Link(source=page.final_url, target=url, anchor="one of many") for url in made)


def _plain(strategy: Strategy) -> object:
    return msgspec.to_builtins(dict(strategy.save()))


def _same(got: object, wanted: object, what: str) -> None:
    if got != wanted:
        raise Nonconformity(f"{what} differ{_where(got, wanted)}")


def _where(got: object, wanted: object) -> str:
    if isinstance(got, list) and isinstance(wanted, list):
        at = next(
            (i for i, (a, b) in enumerate(zip(got, wanted, strict=False)) if a != b),
            min(len(got), len(wanted)),
        )
        return f" from place {at}: {got[at : at + 1]} instead of {wanted[at : at + 1]}"
    return ""
