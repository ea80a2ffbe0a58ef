"""One crawl as a state machine. Give it visits, take requests; it does no I/O and reads no clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, assert_never

import msgspec

from lycosa.crawl.admission import Admission
from lycosa.crawl.company import Company
from lycosa.crawl.compared import compared, is_another
from lycosa.crawl.exchange import Exchange, redirected_elsewhere
from lycosa.crawl.gate import Gate
from lycosa.crawl.order import MOST, Order
from lycosa.crawl.pace import Pace
from lycosa.crawl.ports import Schedule, Store
from lycosa.crawl.rendering import Decision, Renderings
from lycosa.crawl.requests import Requests
from lycosa.crawl.rescheduled import looks_at, rescheduled
from lycosa.crawl.scope import Scope
from lycosa.crawl.signals import feed_of
from lycosa.crawl.split import Split
from lycosa.crawl.stopping import Endless
from lycosa.crawl.strategy import Strategy, View
from lycosa.crawl.topic import Learner, TopicModel
from lycosa.crawl.view import CrawlView
from lycosa.frontier.protocol import Frontier, Lane
from lycosa.model.commands import Command, Enqueue, Reprioritize, Stop
from lycosa.model.endings import REQUESTS, Ending, EndKind
from lycosa.model.errors import LycosaError, StrategyError
from lycosa.model.events import (
    Asked,
    Blocked,
    Dismissed,
    Entry,
    Event,
    HandedOff,
    Idled,
    Joined,
    Marked,
    Operated,
    Parcel,
    Planned,
    Received,
    Recovered,
    Said,
    Searched,
    Snapshot,
    Started,
    Told,
)
from lycosa.model.nodes import Members, Node, Origin
from lycosa.model.records import (
    Arrival,
    Deferred,
    Failure,
    Gone,
    HeldBack,
    Look,
    Millis,
    Page,
    Reason,
    Request,
    Unchanged,
    UrlState,
    as_failure,
)
from lycosa.model.url import Url, host_of

_OF_VISITS: Final = (Page, Failure, Unchanged, Gone, Deferred)
_ONLY_NEW: Sequence[Lane] = ("new",)
PLANNED_AT_ONCE = 50_000
"""Pages that are scheduled in one step."""
MOST_DOUBTED = 64
"""Links that are put behind others before one is leased whatever it is worth."""


class Crawl:
    """A fold over an ordered journal: events go in, commands come out, both are recorded.

    Its life: `start` (or `replay` and `recover`), then `lease`, a visit, `commit`, until `finished`. `budget` is the
    number of distinct pages to bring back. Failures do not count, nor does a page that is fetched again; but there are
    no more repeated visits than that either, so that a strategy that asks for them for ever comes to an end. `requests`
    has what was asked of servers, failures and redirects too, and may have a limit besides.

    With a `schedule` pages are visited again as long as the crawl runs, whatever their number: then only requests and
    time end it. `split` shares the requests between them and new pages.

    In `company` it is one node of a crawl that several share: what others see to goes to them, what they send is taken
    in (`receive`), and it becomes quiet, but is not over before it is dismissed.

    Invariants, each the name of a property test:

    * replay equals run: the same entries, replayed, give the same frontier, strategy and counts.
    * closed at lease: no canonical URL is fetched twice unless a strategy asks for it.
    * within budget: pages brought back plus visits out never exceed the budget, nor do repeated visits, nor do
      requests exceed their limit.
    * pages count once: `pages` is the number of distinct URLs that brought a page.
    * first visits teach: what is learned of links, traps, hosts' pages and the topic, and the rules by which a crawl
      stops, comes from the first visit to each page alone.
    * all or nothing: when a strategy raises, the step leaves no trace in the journal.
    """

    def __init__(
        self,
        strategy: Strategy,
        frontier: Frontier,
        topic: TopicModel,
        store: Store,
        *,
        gate: Gate,
        pace: Pace,
        order: Order | None = None,
        seed: int = 0,
        budget: int = 1_000,
        requests: Requests | None = None,
        stopping: Endless | None = None,
        schedule: Schedule | None = None,
        split: Split | None = None,
        company: Company | None = None,
        renderings: Renderings | None = None,
        feeds: bool = False,
    ) -> None:
        self.strategy, self.frontier, self.topic, self.store = strategy, frontier, topic, store
        self.gate, self.pace, self.order = gate, pace, order or Order()
        self.company = company
        self.exchange = None if company is None else Exchange(company, frontier, store)
        """What passes between this node and the others; None in a crawl that is not shared."""
        self.admission = Admission(gate, frontier, pace, company)
        self.seed, self.budget, self.requests = seed, budget, requests or Requests()
        self.stopping = stopping or Endless()
        self.schedule, self.split = schedule, split or Split()
        self.renderings = renderings
        """Which pages a browser makes; None: none."""
        self.feeds = feeds
        """Whether feeds that pages name are fetched, also without a schedule, which always asks for them."""
        self._learner = topic if isinstance(topic, Learner) else None
        self.step = 0
        self.pages = 0
        self.repeated = 0
        """Visits to pages that the crawl had, whether they were another one, as they were, or gone."""
        self.failures = 0
        self.trimmed = 0
        self.ended: Ending | None = None
        """Why no more is leased; None while it runs."""
        self.held: HeldBack | None = None
        """What was not leased when last asked, since better links are worth waiting for; None if that is not so."""
        self._now = Millis(0)  # as told last
        self._leased: list[Url] = []  # since the last step: they ride along with the next
        self._again_out = 0  # revisits among the leases
        self._idled = False  # the strategy was asked, and nothing came in since
        self._strayed = False  # this replay met a bare page: the strategy no longer answers as it did

    # -- a life: start, then lease, visit, commit until finished ---------------------------------------------

    def start(self, seeds: Sequence[Url], now: Millis) -> None:
        self._take_in(Started(seeds=tuple(seeds)), now)
        self._end_if_idle(now)

    def plan(self, now: Millis) -> None:
        """Schedule what the crawl has, if that was not done with the settings of its schedule: once, when it begins to
        visit pages again. What was not planned to the end, as the crawl was killed, is planned from the beginning."""
        schedule = self.schedule
        if schedule is None or schedule.planned == schedule.settings:
            return
        urls = list(self.store.memory.graph())
        for place in range(0, max(1, len(urls)), PLANNED_AT_ONCE):
            if place:  # the frontier holds in memory what changed since the last one
                self.store.keep(self.snapshot())
            some = urls[place : place + PLANNED_AT_ONCE]
            planned = Planned(policy=schedule.settings, place=place, left=len(urls) - place - len(some))
            self._take_in(planned, now, about=some)
        if not (self.requests.used_up or (self.finished and not self.frontier.revisits)):
            self.ended = None

    def lease(self, now: Millis) -> Request | None:
        """The next request to visit, or None: nothing may be fetched now (see `wakes_at`)."""
        self._now = now
        doubted = 0
        while request := self._next(now):
            self._lease(request)
            host = host_of(request.at)
            if host in self.gate.blockade:  # a redirect of a revisit led there
                self.defer(Deferred(url=request.url, way=request.way), now)
            elif request.due is not None:
                return msgspec.structs.replace(request, before=self.store.memory.capture(request.url))
            elif self.pace.gives_up(host):
                self.commit(Failure(request=request, reason=Reason.HOST_DOWN, at=now), now)
            elif refusal := self.gate.reach.refuses(request.at):
                beyond = Failure(request=request, reason=Reason.OUT_OF_SCOPE, detail=refusal, at=now)
                self.commit(beyond, now)
            elif doubted < MOST_DOUBTED and (score := self._doubts(request)) is not None:
                doubted += 1
                self.defer(Deferred(url=request.url, way=request.way, score=score), now)
            else:
                return request
        return None

    def _lease(self, request: Request) -> None:
        self._leased.append(request.url)
        self._again_out += request.due is not None
        self.split.lease("new" if request.due is None else "again", self._now)
        if self.gate.reach.ask(request.at):
            self.admission.leave_out_further_hosts()

    def _doubts(self, request: Request) -> float | None:
        """The score with which a link should wait that was next, as it is likely dead. Not of a batch that its strategy
        picked, nor where each link is to be fetched in any case."""
        if self.frontier.quota is not None or not self.strategy.ranks:
            return None
        return self.gate.doubts(request)

    def _next(self, now: Millis) -> Request | None:
        """What the frontier has for now: a new page or a revisit, whichever has not had its share."""
        self.held = None
        if self.split.opens_at() > now:
            return None
        for lane in self.split.order() if self.frontier.revisits else _ONLY_NEW:
            found = self._next_new(now) if lane == "new" else self._next_again(now)
            if found is not None:
                return found
        return None

    def _next_again(self, now: Millis) -> Request | None:
        """The next revisit that is due."""
        found = self.frontier.lease(now, lane="again") if self._has_room_again else None
        return found if isinstance(found, Request) else None

    def _next_new(self, now: Millis) -> Request | None:
        """The next new page, if it is worth a share of the budget. Within a batch that its strategy picked nothing is
        out of turn."""
        spent = self._spent
        if not self._has_room_for(spent):
            return None
        within, quota = self.order.within if self.strategy.ranks else None, self.frontier.quota
        if within is not None and quota is not None:
            within = max(within, quota) if quota < MOST else None
        beyond = self.order.goes_beyond(now, spent, self._turns)
        found = self.frontier.lease(now, within, beyond=beyond)
        if found is None or isinstance(found, Request):
            return found
        self.held = found
        return None

    def commit(self, arrival: Arrival, now: Millis) -> Arrival:
        """Take one visit in: remember it, let the strategy think, do what it asks. All or nothing.

        Returns it as it was recorded: a page with its relevance, or a failure where a redirect led to what another
        visit brought, or is to bring, meanwhile, or where the page brings nothing new; of a page that the crawl had,
        and that is not there any more, that it is gone. Raises `StrategyError`; after that the crawl must be abandoned,
        and opened again from its store.
        """
        request = self.frontier.leased[arrival.url]
        before = arrival.request.before
        if before is None and request.known:
            before = self.store.memory.capture(arrival.url)
        if before is None:
            recorded = self._unless_nothing_new(self._unless_known(arrival, now), now)
        else:
            recorded = compared(self._unless_known(arrival, now), before, self.store.memory, self.gate, now)
        if self.exchange is not None:
            recorded = self.exchange.owned(recorded)
        taken_in = self._take_in(recorded, now)
        assert isinstance(taken_in, Arrival)
        self._end_if_idle(now)
        return taken_in

    def defer(self, deferred: Deferred, now: Millis) -> None:
        """Take back a request whose visit has to wait for a turn. The strategy is not asked: nothing came of it yet."""
        self._take_in(deferred, now)
        if self.gate.blockade.hosts:  # it may wait for one of them, and then nothing else may be left
            self._end_if_idle(now)
        else:
            self._note_end(asked=False)

    def hear(self, said: Said, now: Millis) -> None:
        """Take in what somebody outside said: a peer, a person, a sitemap. What is asked of the run is only noted."""
        self._take_in(said, now)
        self._go_on_if_fed()
        self._end_if_idle(now)

    def receive(self, parcel: Parcel, origin: Origin, now: Millis, copy: Url | None = None) -> bool:
        """Take in what another node sent; False if it is not the next parcel of that node: then nothing happened.

        A page that it holds counts as fetched here, but for budgets; one that is here already changes nothing. `copy`
        stands in the place of such a page.
        """
        exchange = self._shared
        assert self.company is not None
        if not self.company.awaits(origin):
            return False
        self._take_in(exchange.opened(parcel, origin, copy), now)
        self._end_if_idle(now)
        return True

    def join(self, members: Members, lost: Sequence[Node], again: Sequence[Enqueue], now: Millis) -> None:
        """Others share the crawl from now on. `again` are the links that were sent to those who are `lost`."""
        self._take_in(Joined(members=members, lost=tuple(lost)), now, links=again)
        self._end_if_idle(now)

    def dismiss(self, ending: Ending, now: Millis) -> None:
        """The whole crawl is over."""
        self._take_in(Dismissed(ending=ending), now)

    def recover(self, now: Millis) -> None:
        """After an interruption: the visits that were out will be made again."""
        self._take_in(Recovered(), now)
        self._end_if_idle(now)

    def extend(self, budget: int, now: Millis, requests: int | None = None) -> None:
        """Set the budgets of pages and of requests (None: no limit); if smaller ones had ended the crawl, it goes on as
        if they had never been smaller."""
        self.budget, self.requests.limit = budget, requests
        if self._ended_by(EndKind.BUDGET) and not (self.pages >= budget or self.requests.used_up):
            self.ended = None
            self._end_if_idle(now)
        elif self.step:
            self._note_end(asked=False)  # with a smaller one it may be over

    def wakes_at(self) -> Millis | None:
        """When to ask for a lease again, if not before the next commit."""
        for_new = self._has_room and self.frontier.quota != 0
        if not for_new and not (self.frontier.revisits and self._has_room_again):
            return None
        if (opens_at := self.split.opens_at()) > self._now:
            return opens_at
        times = (self.frontier.wakes_at(), self.falls_behind_at() if for_new else None)
        return min((at for at in times if at is not None), default=None)

    def falls_behind_at(self) -> Millis | None:
        """When what is held back is leased all the same, to keep the pace; None: nothing is, or not before its turn."""
        return None if self.held is None else self.order.falls_behind_at(self._spent, self._turns)

    @property
    def finished(self) -> bool:
        """Nothing is out and nothing will be leased any more."""
        return self.ended is not None and not self.frontier.leased

    @property
    def quiet(self) -> bool:
        """Of a shared crawl: nothing is out, and nothing may be leased before somebody sends something, or gives more
        budget."""
        if self.company is None or self.frontier.leased:
            return False
        if self.frontier.revisits and self._has_room_again:
            return False
        return not (self._has_room and len(self.frontier) and self.frontier.quota != 0)

    @property
    def _shared(self) -> Exchange:
        if self.exchange is None:
            raise ValueError("this crawl is not shared; give it a company")
        return self.exchange

    def refuses_redirect(self, request: Request, url: Url) -> Reason | None:
        """Why a visit may not follow a redirect to this URL, `Reason.TURN` if not yet; None if it may."""
        if url != request.url and self._is_known_apart_from(request, url):
            return Reason.ALREADY_KNOWN
        if self.gate.refuses_redirect(url, request.depth):
            return Reason.OUT_OF_SCOPE
        if self.company is not None and self.company.routes(url):
            return Reason.ELSEWHERE
        host = host_of(url)
        if host in self.gate.blockade:
            return Reason.TURN  # it waits until the host is let in again
        if host != host_of(request.at) and not self.frontier.is_open(host, self._now):
            return Reason.TURN
        if self.gate.reach.is_new(url):
            return Reason.TURN  # hosts are counted by their leases
        if url != request.at and not self.requests.allows(request, len(self.frontier.leased)):
            return Reason.TURN  # of the next run: it goes on from there if it is given more
        return None

    def decides_rendering(self, page: Page, *, scripted: bool) -> Decision:
        """Whether a browser is to make a page that was fetched, and why. Asked while it is visited."""
        if self.renderings is None:
            return Decision(render=False, why="no page is rendered (--render never)")
        wanted = self.strategy.wants_rendered(page)
        return self.renderings.decides(page, scripted=scripted, wanted=wanted)

    def refuses_requisite(self, scope: Scope, url: Url) -> str | None:
        """Why what a page shows or loads may not be asked for, by a scope of its own; None if it may."""
        if host_of(url) in self.gate.blockade:
            return "its host is blocked"
        return scope.refuses(url, 0)

    def _is_known_apart_from(self, request: Request, url: Url) -> bool:
        """Whether another visit brought this URL or is out for it. A page fetched again may redirect as before."""
        state = self.frontier.state(url)
        if state is not UrlState.VISITED:
            return state is UrlState.LEASED
        before = self.store.memory.capture(request.url)
        return before is None or before.url != url

    def _unless_known(self, visit: Arrival, now: Millis) -> Arrival:
        """Visits side by side may be redirected to one page: asked again when they are home, one of them has it."""
        if not isinstance(visit, Page) or visit.final_url == visit.request.url:
            return visit
        if not self._is_known_apart_from(visit.request, visit.final_url):
            return visit
        return as_failure(visit, Reason.ALREADY_KNOWN, f"redirected to {visit.final_url}", now)

    def _unless_nothing_new(self, visit: Arrival, now: Millis) -> Arrival:
        """A page that brings nothing new is a failure from here on: of it nobody learns, and it does not count.

        The journal has the failure, so a replay does not ask again.
        """
        if not isinstance(visit, Page):
            return visit
        found = self.gate.nothing_new(visit)
        return visit if found is None else as_failure(visit, *found, now)

    # -- durability ------------------------------------------------------------------------------------------

    def replay(self, entries: Iterable[Entry]) -> None:
        """Take in what a crawl committed, down to the leases that were out. Nothing is journaled again.

        A page that comes `bare` counts as it did. The strategy is told of it, but from there on what it answers is not
        what it answered then, and the journal's commands are obeyed in place of its own: the frontier stays as it was.
        """
        self.store.rewind(self.step)
        for entry in entries:
            self._strayed = self._strayed or entry.bare
            for url in entry.leased:
                if url not in self.frontier.leased:  # a checkpoint may hold leases that no entry told yet
                    self._now = entry.at
                    self._claim(url)
            self._leased.clear()
            if entry.leased and self._ended_by(EndKind.RULE):  # the crawl went on: it had other rules then
                self.ended = None
                self.stopping.went_on()
            self._take_in(entry.event, entry.at, entry)
            self._go_on_if_fed()
            self._note_end(asked=isinstance(entry.event, Idled))
        self._strayed = False

    def _claim(self, url: Url) -> None:
        """Lease a URL as the journal says. The gate may have kept it out this time: one that learns, after a bare page,
        or one with other rules than the crawl had then."""
        if self.frontier.state(url) is not UrlState.PENDING and self.frontier.due(url) is None:
            self.frontier.apply([Enqueue(url=url, refetch=True)])
        self._lease(self.frontier.claim(url))

    def snapshot(self) -> Snapshot:
        """Everything held in memory, the frontier apart."""
        counted = ("pages", "repeated", "failures", "trimmed")
        state = {
            **{name: getattr(self, name) for name in counted},
            "refused": self.admission.refused,
            "second_names": self.admission.second_names,
            "requests": self.requests.made,
            "ended": str(self.ended or ""),
            "leased": list(self._leased),
            "pace": self.pace.save(),
            "order": self.order.save(),
            "gate": self.gate.save(),
            "split": self.split.save(),
            "idled": self._idled,
        }
        if self.schedule is not None:
            state["schedule"] = self.schedule.save()
        if self.renderings is not None:
            state["renderings"] = self.renderings.save()
        if self.company is not None:
            state["company"] = self.company.save()
        if stopping := self.stopping.save():
            state["stopping"] = stopping
        if self._learner is not None:
            state["topic"] = self._learner.save()
        return Snapshot(step=self.step, crawl=state, strategy=self.strategy.save())

    def restore(self, snapshot: Snapshot) -> None:
        """Take back a snapshot; the frontier given to the constructor must be of the same step."""
        state = snapshot.crawl
        self.step = snapshot.step
        self.pages, self.failures = state["pages"], state["failures"]
        self.repeated = state.get("repeated", 0)
        visits = self.pages + self.repeated + self.failures  # for snapshots of before requests were counted
        self.requests.made = state.get("requests", visits)
        self.admission.refused, self.trimmed = state["refused"], state["trimmed"]
        self.admission.second_names = state.get("second_names", 0)
        self.ended = Ending.parse(state["ended"])
        self._leased = [Url(url) for url in state["leased"]]
        self.pace.load(state["pace"])
        if "order" in state:
            self.order.load(state["order"])
        self.gate.load(state["gate"])
        if "split" in state:  # snapshots of earlier versions have none
            self.split.load(state["split"])
            self._idled = state["idled"]
        if self.schedule is not None and "schedule" in state:
            self.schedule.load(state["schedule"])
        if self.renderings is not None and "renderings" in state:
            self.renderings.load(state["renderings"])
        if self.company is not None and "company" in state:
            self.company.load(state["company"])
        self._again_out = sum(request.due is not None for request in self.frontier.leased.values())
        if "stopping" in state:
            self.stopping.load(state["stopping"])
        if self._learner is not None and "topic" in state:
            self._learner.load(state["topic"])
        self.strategy.load(snapshot.strategy)

    # -- inside: one step ------------------------------------------------------------------------------------

    @property
    def _has_room(self) -> bool:
        return self._has_room_for(self._spent)

    def _has_room_for(self, spent: float) -> bool:
        return not self.ended and not self.stopping.reached and spent < 1

    @property
    def _has_room_again(self) -> bool:
        """Whether the budget has room for a revisit."""
        if self.schedule is None:
            return self._has_room
        return not self.ended and self.requests.share(len(self.frontier.leased)) < 1

    @property
    def _spent(self) -> float:
        """The share of the budget that is used up once the visits that are out bring a page each: of the budget of
        pages or of that of requests, whichever is greater."""
        out = len(self.frontier.leased)
        visits = (
            max(self.pages, self.repeated) + out
            if self.schedule is None
            else self.pages + out - self._again_out
        )
        of_pages = visits / self.budget if self.budget else 1.0  # a node may have no part of it yet
        return of_pages if self.requests.limit is None else max(of_pages, self.requests.share(out))

    @property
    def _budget_is_used_up(self) -> bool:
        return self.pages >= self.budget or (self.schedule is None and self.repeated >= self.budget)

    @property
    def _new_wait(self) -> bool:
        """Whether there are new pages to fetch, and room for them."""
        return self._has_room and len(self.frontier) > 0

    @property
    def _turns(self) -> int:
        """How many turns of hosts the budget is worth, if all goes well."""
        return min(self.budget, self.requests.limit or self.budget)

    def _take_in(
        self,
        event: Event,
        now: Millis,
        replayed: Entry | None = None,
        about: Sequence[Url] = (),
        links: Sequence[Enqueue] = (),
    ) -> Event:
        """Settle, think, journal, obey. Nothing of it is durable before the journal's next flush."""
        self.step += 1
        self._now = now
        leased = tuple(self._leased)
        again = False
        if isinstance(event, _OF_VISITS) and not _came_by_parcel(event):
            if self.renderings is not None:
                self.renderings.came_home(event.url)
            request = self.frontier.leased[event.url]
            self._again_out -= request.due is not None
            self.requests.came_home(event, request.way)
            if request.known and isinstance(event, Arrival):
                again = event.url in self.store.memory.graph()
        if isinstance(event, Page):
            if replayed is None or not replayed.bare:  # of a bare page the journal has the relevance only
                event = msgspec.structs.replace(event, relevance=self.topic.relevance(event))
            if self._learner is not None and not again and not event.owner:
                self._learner.observe(event)
            if self.renderings is not None and event.origin is None:
                self.renderings.seen(event)
        looks = looks_at(event, self.store.memory, now) if self.schedule is not None else ()
        commands = [*self._think(event, now, again=again), *links]
        scheduled = self._rescheduled(event, looks, about, now)
        if replayed is None:
            commands += scheduled
        else:  # the schedule may have had other settings then
            own = [] if self._strayed else commands
            commands = [*own, *replayed.commands[len(own) :]]
        elsewhere = type(event) in (Received, Joined)
        admitted = self.admission.of([*commands, *self.admission.instead_of(event)], from_peer=elsewhere)
        if Stop in map(type, admitted):
            self.ended = Ending(EndKind.STOPPED, [each for each in admitted if type(each) is Stop][-1].reason)
        if not ((again and isinstance(event, Arrival)) or _came_by_parcel(event)):
            spent = self._spent if type(event) is Recovered else 0.0  # nothing else asks for it
            self.order.tell(event, now, spent, leased=bool(leased or (replayed and replayed.leased)))
        self.trimmed += self.admission.apply(admitted) + self.admission.heed(event)
        sent = self._sent(event, replayed)
        if replayed is None:
            self.store.append(
                Entry(step=self.step, at=now, leased=leased, event=event, commands=tuple(commands), sent=sent)
            )
        else:
            self.store.retrace(replayed)
        self._leased.clear()
        self._idled = (self._idled or type(event) is Idled) and self._is_idle
        return event

    def _sent(self, event: Event, replayed: Entry | None) -> tuple[Parcel, ...]:
        """What this step has for other nodes; of a replayed one it is on its way already."""
        if self.exchange is None or self.company is None:
            return ()
        parcels = self.exchange.parcels(event, self.admission.leaving(), self.pages)
        if replayed is not None:
            self.company.retrace(replayed.sent)
            return replayed.sent
        self.company.outbox.add(self.step, parcels)
        return parcels

    def _rescheduled(
        self, event: Event, looks: Sequence[Look], about: Sequence[Url], now: Millis
    ) -> Sequence[Enqueue]:
        if isinstance(event, Page) and not self._follows(event):
            return ()
        memory, state = self.store.memory, self.frontier.state
        if self.schedule is None:
            return tuple(feed_of(event, state)) if self.feeds and isinstance(event, Page) else ()
        return rescheduled(self.schedule, event, looks, about, memory, state, now, new_wait=self._new_wait)

    def _think(self, event: Event, now: Millis, *, again: bool) -> list[Command]:
        """What the strategy answers to the event, after its visit was settled and its page remembered."""
        view = CrawlView(
            self.step,
            now,
            self.seed,
            self.store.memory,
            self.frontier,
            self.gate,
            self.admission.depth,
        )
        match event:
            case Page() if again:
                before = self.store.memory.page(event.url) if is_another(event) else None
                self._settle(event, UrlState.VISITED, now)
                self.repeated += 1
                self.store.remember(event)
                self.stopping.seen(event, again=True)
                if before is None:
                    return []
                return self._ask(lambda page, view: self.strategy.on_again(page, before, view), event, view)
            case Page(origin=None):
                self._settle(event, UrlState.VISITED, now)
                self.pages += 1
                return self._think_of_page(event, view)
            case Page(origin=origin):
                assert origin is not None
                self._shared.take_page(event, origin)
                return self._think_of_page(event, view)
            case Unchanged() | Gone():
                self._settle(event, UrlState.VISITED, now)
                self.repeated += 1
                return []
            case Failure():
                if self.pace.retries(event):
                    self.frontier.put_back(event.request, self.pace.rest_after(event, now))
                    return []
                if again:  # of the page it tells nothing
                    self._settle(event, UrlState.VISITED, now)
                    return []
                self._settle(event, UrlState.FAILED, now)
                self.failures += 1
                self.gate.seen(event)
                self.stopping.seen(event)
                return [*redirected_elsewhere(event), *self._ask(self.strategy.on_failure, event, view)]
            case Deferred():
                request = self.frontier.leased[event.url]
                self.frontier.defer(event.url, event.way, self.pace.rest_after_deferral(event, now))
                if event.score is not None:
                    self.gate.put_behind(request)
                    moved = Reprioritize(url=event.url, score=event.score, tier=request.tier)
                    self.frontier.apply([moved])
                return []
            case Started(seeds=seeds):
                return self._ask(self.strategy.on_start, seeds, view)
            case Idled():
                return self._ask(lambda _, view: self.strategy.on_idle(view), None, view)
            case HandedOff(command=command):
                return self._ask(self.strategy.on_handoff, command, view)
            case Operated(commands=commands):
                self.gate.wish(commands)
                return list(commands)
            case Marked(url=url, good=good):
                page = self.store.memory.page(url)
                if page is None:
                    return []
                if self._learner is not None:
                    self._learner.mark(page, good)
                return self._ask(lambda page, view: self.strategy.on_mark(page, good, view), page, view)
            case Told(changed=changed):
                return [Enqueue(url=url) for url, _ in changed if self.frontier.state(url) is UrlState.UNSEEN]
            case Asked() | Planned() | Searched() | Blocked():
                return []
            case Received():
                self._shared.take(event)
                return self._ask(self.strategy.on_handoffs, event.links, view) if event.links else []
            case Joined():
                return list(self._shared.join(event))
            case Dismissed(ending=ending):
                self.ended = ending
                return []
            case Recovered():
                self.frontier.give_back()
                self.requests.gave_back()
                self._again_out = 0
                self.ended = None
                return []
            case _:
                assert_never(event)

    def _think_of_page(self, page: Page, view: View) -> list[Command]:
        """A page that is new here: its links are followed, unless another node does so. One that came back taught when
        it was fetched."""
        self.store.remember(page)
        if self.exchange is None or not self.exchange.came_back(page):
            self.gate.seen(page)
            self.stopping.seen(page)
        if not self._follows(page):
            return []
        self.frontier.read_ahead(page.out)
        return self._ask(self.strategy.on_page, page, view)

    def _follows(self, page: Page) -> bool:
        return self.exchange is None or self.exchange.follows(page)

    def _settle(self, visit: Arrival, state: UrlState, now: Millis) -> None:
        request, final = visit.request, visit.final_url
        if type(visit) is Failure and visit.reason is Reason.ELSEWHERE:
            final = None
        also: dict[Url, None] = {}
        if visit.hops or (final and final != request.url):
            also = dict.fromkeys([*visit.hops, final] if final else visit.hops)
            also.pop(request.url, None)
        self.frontier.settle(request, state, self.pace.rest_after(visit, now), also)

    def _ask(self, think: Callable[[Any, View], Iterable[Command]], about: Any, view: View) -> list[Command]:
        """Let the strategy think, and check that its answer makes sense."""
        try:
            commands = list(think(about, view))
        except LycosaError:
            raise
        except Exception as error:
            raise StrategyError(self.step, f"{type(error).__name__}: {error}") from error
        scores = [each.score for each in commands if type(each) is Enqueue or type(each) is Reprioritize]
        if not math.isfinite(sum(scores)):  # one is not, or all are too much
            for command in commands:
                if isinstance(command, Enqueue | Reprioritize) and not math.isfinite(command.score):
                    raise StrategyError(self.step, f"the score of {command.url} is {command.score}")
        return commands

    # -- inside: the end -------------------------------------------------------------------------------------

    def _end_if_idle(self, now: Millis) -> None:
        self._note_end(asked=False)
        if not self._is_idle or self.ended:
            return
        goes_on = self.frontier.revisits or self.company is not None
        if not (self._idled and goes_on):
            self._take_in(Idled(), now)
            self._note_end(asked=True)

    def _note_end(self, *, asked: bool) -> None:
        """See whether the crawl is over; it is exhausted only if the strategy was `asked` and had nothing to add. One
        that is shared is over when it is dismissed."""
        if self.company is not None:
            return
        goes_on = self.schedule is not None and self.frontier.revisits > 0
        if self.stopping.reached and not self.ended and not goes_on:
            self.ended = Ending(EndKind.RULE, self.stopping.reached)
        if self.frontier.leased or self.ended:
            return
        if self._budget_is_used_up and not goes_on:
            self.ended = Ending(EndKind.BUDGET)
        elif self.requests.used_up:
            self.ended = Ending(EndKind.BUDGET, REQUESTS)
        elif asked and self._is_idle and not self.frontier.revisits:
            self.ended = Ending(EndKind.EXHAUSTED)

    def _go_on_if_fed(self) -> None:
        """What came from outside can be new work for a crawl that had run out of it."""
        if self._ended_by(EndKind.EXHAUSTED) and not (self._is_idle and not self.frontier.revisits):
            self.ended = None

    def _ended_by(self, kind: EndKind) -> bool:
        return self.ended is not None and self.ended.kind is kind

    @property
    def _is_idle(self) -> bool:
        """Whether no new page is out, and none may be leased. Revisits go on all the same."""
        none_is_out = len(self.frontier.leased) == self._again_out
        return none_is_out and (len(self.frontier) == 0 or self.frontier.quota == 0)


def _came_by_parcel(event: Event) -> bool:
    return isinstance(event, Page) and event.origin is not None
