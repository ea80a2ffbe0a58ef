"""Leads a shared crawl: makes its nodes, shares out the budget, sees who is missing, and tells when all is done."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable
from contextlib import suppress
from typing import Protocol

import msgspec

from lycosa import __version__
from lycosa.cluster.grants import share
from lycosa.cluster.known import Known
from lycosa.cluster.messages import Hello, Member, Orders, Report, State
from lycosa.cluster.overview import Overview, Watching
from lycosa.cluster.place import Place, Roll, Wish, wishes
from lycosa.cluster.post import Unreachable
from lycosa.cluster.quiet import Quiet, all_taken_in
from lycosa.cluster.shares import Holding, portion_of, shared_out
from lycosa.model.endings import REQUESTS, Ending, EndKind
from lycosa.model.errors import InputError, LycosaError
from lycosa.model.nodes import Node
from lycosa.spec.tree import CrawlSpec

ROUND_EVERY = 0.25
"""Seconds between two rounds of asking all nodes how they stand."""
MISSED_AFTER = 10.0
"""Seconds: a node that has not answered for so long is told of."""
TRIED_AGAIN = (5.0, 15.0, 30.0)
"""Seconds after which a node that failed is opened again, one time after the other."""
MADE_WITHIN, ASKED_AGAIN = 180.0, 0.5
"""Seconds for which a node is waited for that is to be made, and between two times that it is asked."""
TIME_LIMIT = "time limit"
"""Why a halt was asked for that nobody had to ask for."""


class Fleet(Protocol):
    """Where nodes live."""

    async def make(self, orders: Orders) -> Member:
        """The node of this name: the one that is there, or a new one."""
        ...

    async def remove(self, node: Node) -> None:
        """End a node, whatever it does."""
        ...


class Driver:
    """One run of a shared crawl.

    Nodes go on without it with the budget that they have, and wait for it when that is used up. So it keeps nothing in
    memory that it could not learn again by asking them.

    Invariants, each the name of a test:

    * never more than the budget: what nodes may use, and what those used that left, is no more in all. A share is made
      larger only after another one was made smaller, as that node confirmed.
    * one epoch: every node that answers is told of the members until it knows them; while some know and others do not,
      no visit begins.
    """

    def __init__(self, place: Place, spec: CrawlSpec, roll: Roll, fleet: Fleet, watching: Watching) -> None:
        self.place, self.spec, self.roll = place, spec, roll
        self.ended: Ending | None = None
        self._fleet, self._watching = fleet, watching
        self._known: dict[Node, Known] = {}
        self._first = not any(self.place.nodes.glob("*"))  # nobody crawled before
        self._wanted: deque[Wish] = deque()
        self._lost: tuple[Node, ...] = ()
        self._quiet = Quiet()
        self._began = time.monotonic()
        self._halts = self._halted = 0
        self._reason = ""
        self._over_by: Ending | None = None  # from then on nodes are told of it
        self._woken = asyncio.Event()

    # -- from outside ----------------------------------------------------------------------------------------

    def halt(self, reason: str) -> None:
        """Have all nodes stop in order; asked again, at once. May be called by a signal's handler within the loop."""
        self._halts += 1
        self._reason = self._reason or reason
        self._woken.set()

    @property
    def was_interrupted(self) -> bool:
        """Whether somebody had it stop before its end; a limit of time is no interruption."""
        return bool(self._halts) and self._reason != TIME_LIMIT

    @property
    def overview(self) -> Overview:
        return Overview(
            reports={node: known.report if known.answers else None for node, known in self._known.items()},
            budget=self.spec.pages,
            requests=self.spec.requests,
            rates={node: known.rate for node, known in self._known.items()},
            left=self.roll.left,
            seconds=time.monotonic() - self._began,
        )

    # -- the run ---------------------------------------------------------------------------------------------

    async def run(self) -> Ending:
        """Make the nodes, and lead them to the end. Raises `InputError` for a node that cannot take part."""
        await self._muster()
        while (ending := await self._round()) is None:
            self._watching.tick(self.overview)
            await self._pause()
        self.ended = ending
        self._watching.tick(self.overview)
        return ending

    async def clear_away(self) -> None:
        """End the nodes, whose folders are closed."""
        await asyncio.gather(*(self._fleet.remove(node) for node in self._known))

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(ROUND_EVERY):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()

    async def _muster(self) -> None:
        nobody = dict.fromkeys(self.roll.names, Holding(granted=0, used=0))
        first = min(
            self._pages_left, portion_of(self._pages_left, nobody)
        )  # until it is known where good links wait
        pages = shared_out(first, nobody)
        try:
            everybody = (*self.roll.names, *self.roll.leaving)
            await asyncio.gather(*(self._enlist(node, pages.get(node, 0)) for node in everybody))
            self._first = False
        except InputError:
            await asyncio.gather(*(self._fleet.remove(node) for node in self.roll.names))
            raise

    async def _enlist(self, node: Node, pages: int, *, paused: bool = False) -> None:
        requests = self.spec.requests and max(1, self.spec.requests // len(self.roll.names))
        orders = Orders(
            here=node,
            folder=str(self.place.node(node).absolute()),
            spec=msgspec.structs.replace(self.spec, seconds=0.0),
            members=self.roll.members,
            pages=pages,
            requests=requests,
            topic=str(self.place.topic.absolute()),
            paused=paused,
            first=self._first,
        )
        member, hello = await self._made(orders)
        if hello.version != __version__:
            raise InputError(
                f"{node}: runs lycosa {hello.version}, this is {__version__}: install the same on all machines"
            )
        if hello.refused:
            raise InputError(f"{node}: {hello.refused}")
        digests = {hello.digest, *(known.digest for known in self._known.values())}
        if len(digests) > 1:
            raise InputError(
                f"{node}: divides URLs by another partition ({' is not '.join(sorted(digests))}): give all nodes the "
                "same --partition and --classes"
            )
        self._known[node] = Known(member, hello.digest)

    async def _made(self, orders: Orders) -> tuple[Member, Hello]:
        """The node, and how it presents itself. One whose run is over, with whoever led it before, is made anew."""
        until = time.monotonic() + MADE_WITHIN
        while True:
            member = await self._fleet.make(orders)
            with suppress(Unreachable):
                hello = await member.hello()
                if not hello.ended:
                    return member, hello
                await self._fleet.remove(orders.here)
            if time.monotonic() > until:
                raise LycosaError(f"{orders.here}: does not answer; lycosa cluster resume tries again")
            await asyncio.sleep(ASKED_AGAIN)

    async def _round(self) -> Ending | None:
        """Ask all how they stand, and see to what follows from it."""
        await asyncio.gather(*(known.ask() for known in self._known.values()))
        self._tell()
        await self._heed_wishes()
        if self.spec.seconds and not self._halts and time.monotonic() - self._began >= self.spec.seconds:
            self.halt(TIME_LIMIT)
        if self._halts:
            return await self._stop()
        await self._reconcile()
        await self._move()
        await self._let_go()
        self._over_by = self._over_by or self._over()
        if self._over_by is not None:
            return await self._dismiss(self._over_by)
        await self._share()
        return None

    # -- who is there ----------------------------------------------------------------------------------------

    def _tell(self) -> None:
        """Tell a person what came up."""
        for node, known in self._known.items():
            report = known.report
            if known.answers and report is not None:
                for line in report.told:
                    self._watching.say(f"{node}: {line}")
                if known.missed:
                    self._watching.say(f"{node}: answers again")
                    known.missed = False
            elif not known.missed and known.silent_for > MISSED_AFTER:
                self._watching.say(
                    f"{node}: does not answer; the others go on, and it is made again where it can be"
                )
                known.missed = True

    async def _reconcile(self) -> None:
        """Open again what failed."""
        for node, known in self._known.items():
            report = known.report
            if report is None or not known.answers:
                continue
            if report.state is not State.FAILED:
                known.failed_at = None
                known.failures *= report.state is not State.RUNNING or report.standing.steps == 0
            elif known.failed_at is None:
                known.failed_at = time.monotonic()
                self._watching.say(f"{node}: {report.ended}")
            elif (
                known.failures < len(TRIED_AGAIN)
                and time.monotonic() - known.failed_at >= TRIED_AGAIN[known.failures]
            ):
                known.failures += 1
                known.failed_at = None
                await self._surely(known.member.go_on())

    async def _move(self) -> None:
        """Who sees to what changes for all at one time: no visit begins between the first who knows of it and the last
        who has what the others hand over to it. Else a page could be fetched by its old owner and its new one."""
        there = {
            node: (known.member, known.report)
            for node, known in self._known.items()
            if known.report is not None
            and known.report.state is State.RUNNING
            and (known.answers or known.silent_for < MISSED_AFTER)
        }
        behind = [member for member, report in there.values() if report.epoch < self.roll.epoch]
        if behind:
            for member, report in there.values():
                if not report.paused:
                    await self._surely(member.pause(True))
        if behind and all(report.paused for _, report in there.values()):
            for member in behind:
                await self._surely(member.join(self.roll.members, self._lost))
        elif not behind and all_taken_in({node: report.standing for node, (_, report) in there.items()}):
            for node, (member, report) in there.items():
                if report.paused and node not in self.roll.leaving:
                    await self._surely(member.pause(False))

    async def _surely(self, call: Awaitable[None]) -> None:
        """What does not arrive is told again in the next round, for the report will show it."""
        with suppress(Unreachable):
            await call

    # -- joining and leaving ---------------------------------------------------------------------------------

    async def _heed_wishes(self) -> None:
        """One after the other: who watches over which host has to be settled before others join."""
        self._wanted.extend(wishes(self.place))
        while self._wanted and (self._wanted[0].what == "stop" or self._is_settled):
            wanted = self._wanted.popleft()
            try:
                match wanted.what:
                    case "stop":
                        self.halt("by the user")
                    case "join":
                        await self._join(wanted.node)
                    case "leave":
                        self._leave(wanted.node)
            except LycosaError as error:
                self._watching.say(str(error))

    @property
    def _is_settled(self) -> bool:
        reports = [
            known.report for known in self._known.values() if known.answers and known.report is not None
        ]
        return not self.roll.leaving and all(
            each.settled and each.epoch == self.roll.epoch for each in reports
        )

    async def _join(self, node: Node) -> None:
        roll = self.roll.joined(node)
        before, self.roll = self.roll, roll
        try:
            await self._enlist(node, 0, paused=True)
        except LycosaError:
            self.roll = before
            await self._fleet.remove(node)
            raise
        self.place.save_roll(roll)
        self._watching.say(f"{node}: joined; {len(roll.names)} nodes share the crawl")

    def _leave(self, node: Node) -> None:
        known = self._known.get(node)
        self.roll = self.roll.without(node)
        self.place.save_roll(self.roll)
        if known is None or not known.answers:
            self._lost = (*self._lost, node)
        self._watching.say(f"{node}: leaves, and hands over what waits there")

    async def _let_go(self) -> None:
        """See to nodes that leave: they begin no more visits, and go when all know of it, those that were out are home,
        and nothing is on its way to or from them. A page that came later would have parcels that nobody sends."""
        reports = {node: known.report for node, known in self._known.items()}
        for node in self.roll.leaving:
            report = reports[node]
            if node not in self._lost:
                there = {name: each for name, each in reports.items() if each is not None}
                if report is None or len(there) < len(reports) or not self._known[node].answers:
                    continue
                if any(each.epoch < self.roll.epoch for each in there.values()):
                    continue
                if report.state is State.RUNNING and not report.paused:
                    await self._surely(self._known[node].member.pause(True))
                    continue
                standings = {name: each.standing for name, each in there.items()}
                if report.leased or report.unsent or not all_taken_in(standings):
                    continue
                if report.state is State.RUNNING:
                    await self._surely(self._known[node].member.halt())
                    continue
            await self._fleet.remove(node)
            used = (report.pages.used, report.requests.used) if report is not None else (0, 0)
            self.roll = self.roll.counting(node, *used)
            self.place.save_roll(self.roll)
            del self._known[node]

    # -- the budget ------------------------------------------------------------------------------------------

    @property
    def _pages_left(self) -> int:
        """For the nodes that are there."""
        return self.spec.pages - sum(pages for pages, _ in self.roll.left.values())

    @property
    def _requests_left(self) -> int:
        return (self.spec.requests or 0) - sum(requests for _, requests in self.roll.left.values())

    async def _share(self) -> None:
        """Give budget to who is short of it."""
        limit = None if self.spec.requests is None else self._requests_left
        await share(self._known, self._pages_left, limit)

    # -- the end ---------------------------------------------------------------------------------------------

    def _over(self) -> Ending | None:
        """Why the crawl is over, if it is."""
        reports = {node: known.report for node, known in self._known.items() if known.report is not None}
        for report in reports.values():
            ended = Ending.parse(report.ended) if report.state is State.ENDED else None
            if ended is not None and ended.is_over:
                return ended
            if ended is not None and not self.roll.leaving:  # somebody told the node itself
                self.halt(ended.detail)
        failed = [node for node, report in reports.items() if report.state is State.FAILED]
        if self._gave_up(failed) and all(
            report.standing.quiet for node, report in reports.items() if node not in failed
        ):
            return Ending(EndKind.FAILED, f"{', '.join(failed)}: {reports[failed[0]].ended}")
        if self.roll.leaving:
            self._quiet.look({})
            return None
        if not all(known.fresh for known in self._known.values()):
            return None  # a slow node may answer in another round than the others
        for known in self._known.values():
            known.fresh = False
        if not self._quiet.look({node: report.standing for node, report in reports.items()}):
            return None
        return self._why(list(reports.values()))

    def _why(self, reports: list[Report]) -> Ending | None:
        """Why all are quiet; None if some only wait for a share of the budget."""
        if sum(report.pages.used for report in reports) >= self._pages_left:
            return Ending(EndKind.BUDGET)
        if self.spec.requests and sum(report.requests.used for report in reports) >= self._requests_left:
            return Ending(EndKind.BUDGET, REQUESTS)
        if any(report.waiting and _is_starved(report) for report in reports):
            return None
        reached = [report.reached for report in reports if report.reached]
        return Ending(EndKind.RULE, reached[0]) if reached else Ending(EndKind.EXHAUSTED)

    def _gave_up(self, failed: list[Node]) -> bool:
        return bool(failed) and all(self._known[node].failures >= len(TRIED_AGAIN) for node in failed)

    async def _dismiss(self, ending: Ending) -> Ending | None:
        """Tell all that it is over; the ending when all of them know."""
        failed = ending.kind is EndKind.FAILED
        over = (State.ENDED, State.FAILED) if failed else (State.ENDED,)
        running = [known for known in self._known.values() if known.report and known.report.state not in over]
        for known in running:
            await self._surely(known.member.halt() if failed else known.member.dismiss(str(ending)))
        return None if running else ending

    async def _stop(self) -> Ending | None:
        """Pass on that a stop was asked for; the ending when all stopped that answer."""
        while self._halted < min(self._halts, 2):
            self._halted += 1
            await asyncio.gather(*(self._surely(known.member.halt()) for known in self._known.values()))
        running = [
            known
            for known in self._known.values()
            if known.answers and known.report and known.report.state in (State.RUNNING, State.OPENING)
        ]
        return None if running else Ending(EndKind.INTERRUPTED, self._reason)


def _is_starved(report: Report) -> bool:
    """Whether a node has used up what it was given."""
    return report.pages.left <= 0 or 0 < report.requests.granted <= report.requests.used
