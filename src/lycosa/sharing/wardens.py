"""Politeness of several crawlers: no host, and no address, is asked by two of them at once, or too soon.

Each key (a host, an address) has a warden, chosen by rendezvous hashing. The warden delegates the key to one node at a
time, and while a node holds it, it spaces its own exchanges without writing to anybody: who decides is apart from who
fetches. Delegations are leases (Gray and Cheriton, "Leases: an efficient fault-tolerant mechanism for distributed file
cache consistency", SOSP 1989): they run out by themselves when a node dies, and count from the moment at which the
holder asked, so that no two clocks are ever compared. Nobody waits: what is not one's turn is asked for again later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lycosa.model.nodes import Members, Node
from lycosa.model.url import Url, host_of
from lycosa.sharing.holder import Holder
from lycosa.sharing.letters import (
    Asked,
    Found,
    Granted,
    Item,
    Kept,
    Later,
    Letter,
    Looked,
    Noted,
    Post,
    Recalled,
    Returned,
    Rules,
    Shelved,
    Terms,
)
from lycosa.sharing.shelf import Shelf
from lycosa.sharing.tenure import ALWAYS, Tenure
from lycosa.sharing.warden import Warden

_SETTLED = 3_600_000
"""Milliseconds after which a change of members is over: longer than a span and any Crawl-delay."""
_HELLO = 1_000
"""Milliseconds after which somebody who did not answer is asked again who the members are."""


class Guard:
    """One node's part in the politeness of all: warden of some keys, holder of others. Pure: time is an argument, in
    milliseconds, by a clock of this node alone that never runs back. Letters go in (`hear`) and out (`letters`).

    Before an exchange: `want` each of its keys, the host first, and the address when the host's turn has come, so that
    no two nodes wait for each other. When `wait` is 0 for all of them, `begin`; then `end`. An exchange that still runs
    at `until` must be broken off. `tick` once a second.

    What the nodes keep to, whatever becomes of letters, as long as their clocks run alike within 5 % and only the dead
    are called lost:

    * one at a time: of each key at most one exchange of all nodes runs.
    * spaced: between two exchanges of a key lies at least the delay.
    * not forgotten: a longer delay of one host, or a rest that it asked for, holds as long as somebody lives who was
      told: its holder, its warden, and who is warden next.

    Each is the name of a property test.
    """

    def __init__(
        self, here: Node, life: str, members: Members, terms: Terms, now: int, *, first: bool = False
    ) -> None:
        """`life` names this run, as nothing else before or after it. `first`: nobody crawled here before, on no node,
        so there is nothing to wait for."""
        self.here, self.life, self.terms = here, life, terms
        self._post = Post()
        self._tenure = Tenure(here, members, ALWAYS if first else now)
        self._warden = Warden(here, terms, self._tenure, self._post)
        self._holder = Holder(here, life, terms, self._tenure, self._post)
        self._shelf = Shelf()
        self._certain = first
        self._lives: dict[Node, str] = {}
        self._found: list[Found] = []
        self._hello_at = now
        if not first:
            self._greet(self._tenure.awaited, now)

    # ------------------------------------------------------------------------------------------ exchanges

    def want(self, key: str, now: int) -> bool:
        """Whether a key is delegated to this node; if not, its warden is asked."""
        if self._holder.want(key, now):
            return True
        self._deliver(now)
        return self._holder.want(key, now) if self._tenure.owner(key) == self.here else False

    def holds(self, key: str, now: int) -> bool:
        """Whether a key is delegated to this node. Asks nobody."""
        return self._holder.holds(key, now)

    def wait(self, key: str, now: int) -> int:
        """How long until it is the turn of a key, as far as can be told; 0: it is now."""
        return self._holder.wait(key, now)

    def begin(self, keys: Sequence[str], now: int) -> int:
        """An exchange begins of keys whose turn it is. Answers when it must be broken off if nothing else is said."""
        return self._holder.begin(keys, now)

    def end(self, keys: Iterable[str], now: int) -> None:
        """The exchange is over, or was broken off."""
        self._holder.end(keys, now)
        self._deliver(now)

    def until(self, keys: Iterable[str]) -> int:
        """When the exchange of these keys must be broken off, as far as is known now."""
        return self._holder.until(keys)

    def slow_down(self, key: str, delay: int, now: int) -> None:
        """A host asks for a longer delay (Crawl-delay)."""
        self._holder.slow_down(key, delay, now)
        self._deliver(now)

    def rest(self, key: str, until: int, troubles: int, now: int) -> None:
        """A host is to be left alone until then, after so many troubles in a row."""
        self._holder.rest(key, until, troubles, now)
        self._deliver(now)

    def troubles(self, key: str) -> int:
        """How often in a row a key's host failed, as far as is known here."""
        return self._holder.troubles(key)

    def delay(self, key: str) -> int:
        """The delay that holds for a key, as far as is known here."""
        return self._holder.delay(key)

    # ---------------------------------------------------------------------------------------------- files

    def kept(self, url: str, now: int) -> Rules | None:
        """A file that is kept here for all."""
        return self._shelf.get(url, now)

    def shelve(self, key: str, url: str, rules: Rules, now: int) -> None:
        """Keep what a file of a key's host says, for all: at its warden and its deputy."""
        for node in dict.fromkeys((self._tenure.owner(key), self._tenure.deputy(key))):
            if node is not None:
                self._post.add(node, Shelved(key, url, rules))
        self._deliver(now)

    def look(self, key: str, url: str, number: int, *, at_deputy: bool = False) -> Node | None:
        """Ask a key's warden for a file, or the deputy; answers whom. `found` has the answer by its number."""
        node = self._tenure.deputy(key) if at_deputy else self._tenure.owner(key)
        if node is not None:
            self._post.add(node, Looked(url, number))
        return node

    def found(self) -> list[Found]:
        """Answers that came since this was asked for the last time."""
        found, self._found = self._found, []
        return found

    def is_mine(self, key: str) -> bool:
        """Whether this node is the warden of a key."""
        return self._tenure.owner(key) == self.here

    @property
    def is_certain(self) -> bool:
        """Whether this node has been the warden of its keys from the beginning: what it does not know, nobody asked
        for."""
        return self._certain

    # -------------------------------------------------------------------------------------------- letters

    def hear(self, letter: Letter, now: int) -> None:
        """Take in a letter of another node."""
        if letter.members is not None:
            self.change(letter.members, (), now)
        epoch = self.epoch
        self._tenure.heard(letter.sender, letter.epoch, now)
        if letter.asks or letter.epoch != epoch:
            self._post.head(letter.sender, asks=letter.epoch > epoch)
        if self._lives.get(letter.sender) != letter.life:
            if letter.sender in self._lives or not self._certain or letter.asks:
                self._warden.tell(letter.sender, now)
                self._holder.restarted(letter.sender, now)
                self._bring(letter.sender, now)
            self._lives[letter.sender] = letter.life
        for item in letter.items:
            self._take(letter.sender, letter.life, item, letter.at, now, behind=letter.epoch > epoch)
        self._deliver(now)

    def letters(self, now: int) -> list[tuple[Node, Letter]]:
        """What this node has to say to others now, each letter with its receiver. To be sent at once, and once."""
        self._deliver(now)
        told = self._tenure.members
        return [
            (
                to,
                Letter(
                    sender=self.here,
                    life=self.life,
                    epoch=told.epoch,
                    at=now,
                    items=items,
                    members=None if asks is None else told,
                    asks=bool(asks),
                ),
            )
            for to, items, asks in self._post.take()
        ]

    @property
    def has_letters(self) -> bool:
        """Whether there is something to send."""
        return bool(self._post)

    # ----------------------------------------------------------------------------------- time and members

    def tick(self, now: int) -> None:
        """Once a second: keep up, give back, give on."""
        self._holder.tick(now)
        self._deliver(now)
        self._warden.tick(now)
        self._tenure.forget(now - _SETTLED)
        if now >= self._hello_at + _HELLO:
            self._greet(self._tenure.awaited, now)
        self._deliver(now)

    def change(self, members: Members, lost: Collection[Node], now: int) -> None:
        """Others share the crawl from now on. Whoever is `lost` is dead: nothing of it runs any more."""
        if self._tenure.change(members, lost, now):
            self._certain = False
            self._warden.changed(now)
            self._holder.changed(now)
            self._greet(self._tenure.awaited, now)
            self._deliver(now)

    @property
    def epoch(self) -> int:
        """That of the members whom this node knows of."""
        return self._tenure.members.epoch

    @property
    def settled(self) -> bool:
        """Whether all of whom this node took keys over know of it. Before that, nobody else is to join."""
        return self._tenure.settled

    def leave(self, now: int) -> None:
        """Give back whatever this node holds: it begins nothing more."""
        self._holder.leave(now)
        self._deliver(now)

    # --------------------------------------------------------------------------------------------- within

    def _greet(self, nodes: Iterable[Node], now: int) -> None:
        self._hello_at = now
        for node in sorted(nodes):
            self._post.head(node, asks=True)

    def _bring(self, node: Node, now: int) -> None:
        """Bring a node that was restarted the files that it is to keep for all."""
        for url, rules in self._shelf.latest(now):
            key = host_of(Url(url))
            if node in (self._tenure.owner(key), self._tenure.deputy(key)):
                self._post.add(node, Shelved(key, url, rules))

    def _deliver(self, now: int) -> None:
        """Hand over what this node has to say to itself."""
        while items := self._post.take_for(self.here):
            for item in items:
                self._take(self.here, self.life, item, now, now, behind=False)

    def _take(self, sender: Node, life: str, item: Item, at: int, now: int, *, behind: bool) -> None:
        """`behind`: the sender knows of members of whom this node does not: it is no warden to it for now."""
        match item:
            case Asked() | Kept() if behind or self._tenure.owner(item.key) != self.here:
                pass
            case Asked():
                self._warden.asked(sender, life, item, at, now)
            case Kept():
                self._warden.kept(sender, life, item, at, now)
            case Returned():
                self._warden.returned(sender, life, item, now)
            case Granted() if item.life == self.life:
                self._holder.granted(sender, item, now)
            case Later() if item.life == self.life:
                self._holder.later(item, now)
            case Recalled() if item.life == self.life:
                self._holder.recalled(sender, item, now)
            case Noted():
                self._warden.noted(item, now)
                self._holder.noted(item, now)
            case Shelved():
                self._shelf.put(item.url, item.rules, now)
            case Looked():
                rules = self._shelf.get(item.url, now)
                self._post.add(sender, Found(life, item.number, rules, self._certain))
            case Found() if item.life == self.life:
                self._found.append(item)
            case _:
                pass  # to another life of this node
