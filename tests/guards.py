"""Several nodes that keep a web polite together, in time that jumps: letters are late or lost, nodes die and return."""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lycosa.model.nodes import Members, Node
from lycosa.sharing.letters import Terms, decode, encode
from lycosa.sharing.rendezvous import Rendezvous
from lycosa.sharing.wardens import Guard


@dataclass
class Exchange:
    """What a server sees of one exchange: when it began and ended, in true time."""

    node: Node
    keys: tuple[str, ...]
    began: int
    ended: int = -1


@dataclass
class Mail:
    """How letters travel: after `shortest` to `longest` milliseconds, some not at all, some twice."""

    shortest: int = 1
    longest: int = 1
    lost: float = 0.0
    doubled: float = 0.0


@dataclass
class Running:
    """A node that is alive: its guard, and how its clock runs."""

    guard: Guard
    offset: int
    rate: float
    exchanges: list[Exchange] = field(default_factory=list)

    def clock(self, now: int) -> int:
        return int(now * self.rate) + self.offset

    def true(self, told: int) -> int:
        """When its clock shows that: never too early."""
        return int((told - self.offset) / self.rate)


class Street:
    """The nodes, the letters under way, and the log of all exchanges."""

    def __init__(
        self,
        names: Sequence[str],
        *,
        terms: Terms,
        mail: Mail | None = None,
        seed: int = 0,
        skew: float = 0.0,
    ):
        self.terms, self.mail, self.skew = terms, mail or Mail(), skew
        self.random = random.Random(seed)
        self.now = 0
        self.members = Members(epoch=1, names=tuple(map(Node, names)))
        self.nodes: dict[Node, Running] = {}
        self.log: list[Exchange] = []
        self.sent = 0
        self.letters = 0
        self.spent = 0.0
        """Seconds of this process's time that deciding and writing took, on all nodes."""
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._lives = 0
        for name in self.members.names:
            self.start(name, first=True)

    # ---------------------------------------------------------------------------------------------- nodes

    def start(self, name: Node, *, first: bool = False) -> None:
        """A node begins, or begins again with nothing in its memory."""
        self._lives += 1
        offset, rate = self.random.randrange(1 << 30), 1 + self.random.uniform(-self.skew, self.skew)
        now = int(self.now * rate) + offset
        guard = Guard(name, f"life {self._lives}", self.members, self.terms, now, first=first)
        running = self.nodes[name] = Running(guard, offset, rate)
        self._tick(name, running)
        self.flush(name)

    def kill(self, name: Node) -> None:
        """Its connections close at once; nobody is told."""
        running = self.nodes.pop(name, None)
        if running is not None:
            for exchange in running.exchanges:
                exchange.ended = self.now

    def change(self, names: Sequence[Node], lost: Sequence[Node] = (), *, late: int = 0) -> None:
        """Others are members now; every node hears of it, some of them late. Who leaves hears it first."""
        members = self.members = Members(epoch=self.members.epoch + 1, names=tuple(names))
        for name, running in list(self.nodes.items()):

            def hear(name: Node = name, running: Running = running) -> None:
                if self.nodes.get(name) is running:
                    running.guard.change(members, lost, running.clock(self.now))
                    self.flush(name)

            self.at(self.now + (self.random.randint(0, late) if name in names else 0), hear)

    @property
    def settled(self) -> bool:
        """Whether every node knows who the members are, and that all know whose keys it took over."""
        epoch = self.members.epoch
        return all(each.guard.epoch == epoch and each.guard.settled for each in self.nodes.values())

    def ranked(self, key: str) -> list[Node]:
        """The warden of a key, then who is warden after it."""
        return Rendezvous(self.members).ranked(key)

    # ----------------------------------------------------------------------------------------------- time

    def at(self, when: int, act: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._due, (when, self._count, act))

    def run(self, until: int) -> None:
        while self._due and self._due[0][0] <= until:
            when, _, act = heapq.heappop(self._due)
            self.now = max(self.now, when)
            act()
        self.now = max(self.now, until)

    def _tick(self, name: Node, running: Running) -> None:
        def tick() -> None:
            if self.nodes.get(name) is running:
                began = time.process_time()
                running.guard.tick(running.clock(self.now))
                self.spent += time.process_time() - began
                self.flush(name)
                self._tick(name, running)

        self.at(self.now + 1000, tick)

    # -------------------------------------------------------------------------------------------- letters

    def flush(self, name: Node) -> None:
        """Send what a node has to say, and break off what must not run on."""
        running = self.nodes[name]
        if not running.guard.has_letters:
            return
        began = time.process_time()
        written = [(to, encode(letter)) for to, letter in running.guard.letters(running.clock(self.now))]
        self.spent += time.process_time() - began
        for to, sent in written:
            self.sent += len(sent)
            self.letters += 1
            copies = (self.random.random() >= self.mail.lost) + (self.random.random() < self.mail.doubled)
            for _ in range(copies):
                delay = self.random.randint(self.mail.shortest, self.mail.longest)
                self.at(self.now + delay, lambda to=to, sent=sent: self._arrive(to, sent))

    def _arrive(self, to: Node, sent: bytes) -> None:
        running = self.nodes.get(to)
        if running is not None:
            began = time.process_time()
            running.guard.hear(decode(sent), running.clock(self.now))
            self.spent += time.process_time() - began
            self.flush(to)

    # ------------------------------------------------------------------------------------------ exchanges

    def visit(
        self,
        name: Node,
        keys: tuple[str, ...],
        length: int,
        then: Callable[[], None] = lambda: None,
        tries: int = 1000,
    ) -> None:
        """A node asks a server as soon as it may, and goes on to something else."""
        running = self.nodes.get(name)
        if running is None:
            return
        guard, now = running.guard, running.clock(self.now)
        began = time.process_time()
        for key in keys:
            guard.want(key, now)
            if wait := guard.wait(key, now):
                break
        self.spent += time.process_time() - began
        self.flush(name)
        if wait:
            if tries:
                self.at(self.now + wait, lambda: self.visit(name, keys, length, then, tries - 1))
            return
        guard.begin(keys, now)
        exchange = Exchange(name, keys, self.now)
        running.exchanges.append(exchange)
        self.log.append(exchange)
        self._watch(running, exchange, self.now + length, then)

    def keep_visiting(self, name: Node, keys: tuple[str, ...], length: int) -> None:
        """A node asks one server without end."""
        self.visit(name, keys, length, lambda: self.keep_visiting(name, keys, length))

    def _watch(self, running: Running, exchange: Exchange, ends: int, then: Callable[[], None]) -> None:
        """End an exchange when it is over, or when it must be broken off."""

        def look() -> None:
            if exchange.ended >= 0:
                return
            now = running.clock(self.now)
            if self.now < ends and now < running.guard.until(exchange.keys):
                self._watch(running, exchange, ends, then)
                return
            exchange.ended = self.now
            running.exchanges.remove(exchange)
            began = time.process_time()
            running.guard.end(exchange.keys, now)
            self.spent += time.process_time() - began
            self.flush(exchange.node)
            then()

        until = running.true(running.guard.until(exchange.keys))
        self.at(max(self.now + 1, min(ends, until, self.now + 100)), look)

    # -------------------------------------------------------------------------------------------- judging

    def gaps(self, key: str) -> list[int]:
        """Milliseconds between the end of each exchange of a key and the beginning of the next; below 0: together."""
        told = sorted((each for each in self.log if key in each.keys), key=lambda each: each.began)
        ends, gaps = None, []
        for each in told:
            if ends is not None:
                gaps.append(each.began - ends)
            ended = each.ended if each.ended >= 0 else self.now
            ends = ended if ends is None else max(ends, ended)
        return gaps
