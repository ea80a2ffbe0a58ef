"""Time between two requests to one host or address, where several crawlers share a crawl."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager

from lycosa.crawl.pace import PASSING_STATUS, TROUBLES, UNANSWERED, PaceRules
from lycosa.model.nodes import Members, Node
from lycosa.model.records import Fault, Millis, Reason, Record, Response
from lycosa.model.url import Url, host_of
from lycosa.sharing.letters import Found, Rules, Terms, decode, encode
from lycosa.sharing.tenure import NEVER
from lycosa.sharing.wardens import Guard
from lycosa.web.spacing import BUSY, TurnLost, retry_after

PATIENCE = 0.1
"""Seconds for a warden to answer; later the visit is put off, and finds the answer when it comes again."""
GATHERED = 0.002
"""Seconds for which letters are gathered."""
TICK = 1.0
SPAN = Terms().span

Send = Callable[[Node, bytes], None]
"""Sends a letter, in its own time. It may be lost, but is not to wait long: it says what is so now."""


class Peer(Record, frozen=True, kw_only=True):
    """Which of the nodes of a shared crawl this is."""

    here: Node
    life: str
    """Names this run of it, as nothing else before or after."""
    members: Members
    first: bool = False
    """Whether no node crawled before it: then there is nothing to wait for."""
    send: Send


class SharedSpacing:
    """What `Spacing` is to one crawler, to one of several: see `sharing.wardens`.

    Whoever runs the node passes on what peers write (`hear`), tells who the members are (`change`), and ends it. Use it
    from one event loop.

    Invariants, each the name of a property test of `Guard`, and of a test over real connections:

    * one at a time: of each key at most one exchange of all nodes runs.
    * spaced: between two exchanges of a key lies at least the delay, whichever node is killed.
    * asked for once: of all nodes one asks a host for its robots.txt, once a day.
    """

    def __init__(self, rules: PaceRules, peer: Peer, span: Millis = SPAN) -> None:
        """`span`: how long a delegation lasts that is not renewed, the same on all nodes."""
        self._rules = rules
        self._send = peer.send
        terms = Terms(delay=rules.delay, span=span, busy=BUSY)
        self._guard = Guard(peer.here, peer.life, peer.members, terms, _now(), first=peer.first)
        self._epoch = peer.members.epoch
        self.delay = rules.delay
        self._held: dict[str, asyncio.Future[None]] = {}
        self._span = span
        self._unanswered: dict[str, int] = {}
        self._looks: dict[int, asyncio.Future[Found]] = {}
        self._count = 0
        self._running: dict[asyncio.Timeout, tuple[str, ...]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._flushing: asyncio.TimerHandle | None = None
        self._ended = False

    # --------------------------------------------------------------------------------- what exchanges ask

    async def waits(self, *keys: str) -> list[Millis]:
        """How long until it is the turn of each key, the host's first; 0: it is now. Wardens are asked, who answer soon
        or are not waited for. An address is asked for when it is the host's turn."""
        for key in keys:
            if not await self._delegated(key) or self._guard.wait(key, _now()):
                break
        now = _now()
        waits = [Millis(self._guard.wait(key, now)) for key in keys]
        closed = next((place for place, wait in enumerate(waits) if wait), len(waits))
        return [wait if place <= closed else Millis(0) for place, wait in enumerate(waits)]

    async def _delegated(self, key: str) -> bool:
        """Ask for a key, and wait a little for the answer."""
        if self._guard.want(key, _now()):
            return True
        self._work()
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = asyncio.get_running_loop().create_future()
        await asyncio.wait([held], timeout=PATIENCE)
        if not held.done() and self._held.get(key) is held:
            del self._held[key]
        return self._guard.want(key, _now())

    @asynccontextmanager
    async def exchange(self, *keys: str) -> AsyncIterator[None]:
        """Hold the gates of these keys during an exchange; each of them must be open (`waits` says 0).

        `TurnLost` if a delegation ran out before the exchange was over: it was broken off.
        """
        until = self._guard.begin(keys, _now())
        try:
            async with asyncio.timeout_at(_loop_time(until)) as limit:
                self._running[limit] = keys
                try:
                    yield
                finally:
                    del self._running[limit]
                    self._guard.end(keys, _now())
                    self._work()
        except TimeoutError:
            if limit.expired():
                raise TurnLost(f"{keys[0]}: its warden did not answer any more") from None
            raise

    def answered(self, keys: Sequence[str], answer: Response | Fault) -> None:
        """What an exchange says of how its host is. Whoever asks it next, from whichever node, is as careful."""
        if isinstance(answer, Fault) and answer.reason in UNANSWERED | {Reason.TURN}:
            return
        rules, now = self._rules, _now()
        slow = min(int(rules.slowness * answer.elapsed), rules.max_slowness_rest)
        shared = trouble = max(rules.delay, slow)
        troubles = self._guard.troubles(keys[0])
        if _is_trouble(answer):
            troubles += 1
            trouble = max(shared, self._backoff(keys[0], troubles), self._asked_for(answer))
            if isinstance(answer, Response) and answer.status in (429, 503):
                shared = trouble
        else:
            troubles //= 2
        self._guard.rest(keys[0], now + trouble, troubles, now)
        for address in keys[1:]:
            self._guard.rest(address, now + shared, 0, now)
        self._work()

    def _backoff(self, key: str, troubles: int) -> int:
        """As `Pace` has it: backoff·2^(troubles−1)·(0.75…1.25), bounded."""
        rules = self._rules
        jitter = random.Random(f"{key}/{troubles}").uniform(0.75, 1.25)
        return min(int(rules.backoff * 2.0 ** min(troubles - 1, 30) * jitter), rules.max_backoff)

    def _asked_for(self, answer: Response | Fault) -> int:
        wait = retry_after(answer, answer.fetched_at) if isinstance(answer, Response) else answer.retry_after
        return min(wait or 0, self._rules.max_retry_after)

    # -------------------------------------------------------------------------------- as `Spacing` has it

    def wait(self, key: str) -> Millis:
        """How long until it is this key's turn, as far as can be told without asking; 0: it is now."""
        return Millis(self._guard.wait(key, _now()))

    def delay_for(self, key: str) -> Millis:
        """The delay that holds for a key, as far as is known here."""
        return Millis(self._guard.delay(key))

    def slow_down(self, key: str, delay: Millis) -> None:
        """Raise one key's delay, as a Crawl-delay asks. It can only grow."""
        self._guard.slow_down(key, delay, _now())
        self._work()

    def rest(self, key: str, span: Millis) -> None:
        """Keep a key's gate closed for so long from now, as an exchange of an earlier run asks."""
        if span > 0:
            now = _now()
            self._guard.rest(key, now + span, self._guard.troubles(key), now)
            self._work()

    # -------------------------------------------------------------------------------------- files for all

    async def look(self, url: Url) -> Rules | Millis | None:
        """What one of the nodes read at this URL already; or how long to wait for whoever is about to.

        None: it is for this node to read it now, and to say so (`keep`). It holds the host's key then, and nobody else
        gets that before it knows the answer.
        """
        key = host_of(url)
        mine = await self._delegated(key)
        known = await self._looked(key, url)
        if isinstance(known, Rules):
            return known
        mine = mine and known and self._guard.want(key, _now())
        return None if mine else Millis(max(BUSY, self._guard.wait(key, _now())))

    def is_mine(self, url: Url) -> bool:
        """Whether this node is the warden of a URL's host: it reads what is to be read once, such as sitemaps."""
        return self._guard.is_mine(host_of(url))

    def keep(self, url: Url, rules: Rules) -> None:
        """Let all know what was read at this URL."""
        self._guard.shelve(host_of(url), url, rules, _now())
        self._work()

    async def _looked(self, key: str, url: str) -> Rules | bool:
        """Ask the warden, and where it is not warden since the beginning, the deputy. Without rules: whether it is sure
        enough that there are none."""
        if (rules := self._guard.kept(url, _now())) is not None:
            return rules
        if not self._guard.is_mine(key):
            found = await self._found(key, url, at_deputy=False)
            if found is None or found.rules is not None or found.certain:
                return (found.rules or True) if found is not None else False
        elif self._guard.is_certain:
            return True
        if (found := await self._found(key, url, at_deputy=True)) is not None:
            self._unanswered.pop(url, None)
            return found.rules or True
        # It may be dead, too. Then the host is asked again.
        return _now() - self._unanswered.setdefault(url, _now()) > self._span

    async def _found(self, key: str, url: str, *, at_deputy: bool) -> Found | None:
        self._count += 1
        number = self._count
        if self._guard.look(key, url, number, at_deputy=at_deputy) is None:
            return Found(life="", number=number, rules=None, certain=True)  # there is no other node
        answer = self._looks[number] = asyncio.get_running_loop().create_future()
        self._work()
        await asyncio.wait([answer], timeout=PATIENCE)
        del self._looks[number]
        return answer.result() if answer.done() else None

    # ---------------------------------------------------------------------------------------------- peers

    def hear(self, sent: bytes) -> None:
        """Take in a letter of a peer, as it was sent. `msgspec.DecodeError` if it is none."""
        if self._ended:
            return
        self._guard.hear(decode(sent), _now())
        if self._guard.epoch != self._epoch:  # members of whom a peer heard first
            self._renew_limits()
        self._work()

    def change(self, members: Members, lost: Collection[Node] = ()) -> None:
        """Others share the crawl from now on. Whoever is `lost` is dead: none of its requests is under way."""
        self._guard.change(members, lost, _now())
        self._renew_limits()
        self._work()

    @property
    def settled(self) -> bool:
        """Whether everybody whose hosts came here knows of it. Before that, nobody else is to join."""
        return self._guard.settled

    def close(self) -> None:
        """Give back what is held, so that nobody has to wait for it. It goes on answering others until its `end`: a
        node whose disk is full is still the warden of its hosts."""
        self._guard.leave(_now())
        self._flush()

    def end(self) -> None:
        """Say nothing more, as if this node were dead."""
        self._ended = True
        for timer in (self._timer, self._flushing):
            if timer is not None:
                timer.cancel()

    # --------------------------------------------------------------------------------------------- within

    def _work(self) -> None:
        """Wake who waited for what came, and have letters sent."""
        if self._ended:
            return
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)
        now = _now()
        for key in [key for key in self._held if self._guard.holds(key, now)]:
            self._held.pop(key).set_result(None)
        for found in self._guard.found():
            if (answer := self._looks.get(found.number)) is not None and not answer.done():
                answer.set_result(found)
        if self._flushing is None and self._guard.has_letters:
            self._flushing = asyncio.get_running_loop().call_later(GATHERED, self._flush)

    def _flush(self) -> None:
        self._flushing = None
        for to, letter in self._guard.letters(_now()):
            self._send(to, encode(letter))

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)
        self._guard.tick(_now())
        self._renew_limits()
        self._work()

    def _renew_limits(self) -> None:
        """An exchange may run on for as long as its keys are delegated."""
        self._epoch = self._guard.epoch
        for limit, keys in self._running.items():
            if not limit.expired():
                limit.reschedule(_loop_time(self._guard.until(keys)))


def _is_trouble(answer: Response | Fault) -> bool:
    return answer.reason in TROUBLES if isinstance(answer, Fault) else answer.status in PASSING_STATUS


def _now() -> int:
    """Milliseconds of a clock that nobody sets, and that runs while the machine sleeps where there is one."""
    return (
        time.clock_gettime_ns(_CLOCK) // 1_000_000 if _CLOCK is not None else time.monotonic_ns() // 1_000_000
    )


_CLOCK: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def _loop_time(until: int) -> float | None:
    """When that is by the loop's clock; None: never."""
    return None if until >= NEVER else asyncio.get_running_loop().time() + (until - _now()) / 1000
