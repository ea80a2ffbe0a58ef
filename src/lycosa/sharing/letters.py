"""What nodes write to one another about the turns of hosts and addresses. Frozen values; times are spans, since clocks
of machines differ.

`since` counts the delegations that a node asked for, so that no late letter is taken for word of another one. `at` is
the asker's own clock, which nobody else reads: it is echoed, and what is granted counts from there.
"""

from __future__ import annotations

import msgspec

from lycosa.model.decoding import msgpack_reader
from lycosa.model.nodes import Members, Node
from lycosa.model.records import Millis


class Gate(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How a host or an address is to be left alone, in milliseconds from when it is said."""

    rest: int = 0
    """Until it may be asked again."""
    delay: int = 0
    """Between two exchanges, if it asks for more than the crawl's own delay."""
    troubles: int = 0
    """How often in a row it failed, by halves forgiven."""


class Asked(msgspec.Struct, frozen=True, array_like=True, tag="a", gc=False):
    """To a warden: this node wants to ask the key's server."""

    key: str
    since: int


class Kept(msgspec.Struct, frozen=True, array_like=True, tag="k", gc=False):
    """To a warden: this node holds the key and wants to go on; `gate` if there is news of it."""

    key: str
    since: int
    gate: Gate | None = None


class Returned(msgspec.Struct, frozen=True, array_like=True, tag="r", gc=False):
    """To a warden: nothing runs under this delegation, and nothing will. Without `gate` nobody knows any more how its
    last exchange left the host."""

    key: str
    since: int
    gate: Gate | None = None


class Granted(msgspec.Struct, frozen=True, array_like=True, tag="g", gc=False):
    """From a warden: the key is delegated, for a span that counts from `at`."""

    key: str
    life: str
    since: int
    at: int
    gate: Gate
    wanted: bool = False
    """Whether somebody waits for it: as if it were `Recalled`."""


class Later(msgspec.Struct, frozen=True, array_like=True, tag="l", gc=False):
    """From a warden: somebody else has the key; ask again after so long."""

    key: str
    life: str
    since: int
    wait: int


class Recalled(msgspec.Struct, frozen=True, array_like=True, tag="c", gc=False):
    """From a warden: somebody else wants the key; give it back after the next exchange."""

    key: str
    life: str
    since: int


class Noted(msgspec.Struct, frozen=True, array_like=True, tag="n", gc=False):
    """To who is warden after the sender: how a gate stands."""

    key: str
    gate: Gate


class Rules(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What came of asking for a file that one node reads for all, such as robots.txt."""

    body: bytes | None
    """None: it could not be had."""
    good_for: int
    """Milliseconds until it is to be asked for again."""
    problem: str = ""


class Shelved(msgspec.Struct, frozen=True, array_like=True, tag="s", gc=False):
    """To a warden and its deputy: what a file of the key's host says."""

    key: str
    url: str
    rules: Rules


class Looked(msgspec.Struct, frozen=True, array_like=True, tag="q", gc=False):
    """To a warden or its deputy: is that file known?"""

    url: str
    number: int


class Found(msgspec.Struct, frozen=True, array_like=True, tag="f", gc=False):
    """The answer to `Looked`."""

    life: str
    number: int
    rules: Rules | None
    certain: bool
    """Whether the file was asked for by nobody, if it is not known here."""


Item = Asked | Kept | Returned | Granted | Later | Recalled | Noted | Shelved | Looked | Found


class Letter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that one node has to say to another now. May be lost, doubled or overtaken by others."""

    sender: Node
    life: str
    """Names the run of the sender: one that was restarted holds nothing."""
    epoch: int
    at: int
    """The sender's clock."""
    items: tuple[Item, ...] = ()
    members: Members | None = None
    """Whom the sender takes for the members, where the receiver may not know."""
    asks: bool = False
    """Whether the sender wants to hear whom the receiver takes for the members."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What all nodes must agree on, in milliseconds."""

    delay: Millis = Millis(1_000)
    """The least time between two exchanges of a key."""
    span: Millis = Millis(10_000)
    """How long a delegation holds that is not renewed. So long a host rests whose node was killed."""
    idle: Millis = Millis(60_000)
    """A delegation that was not used for so long is given back."""
    busy: Millis = Millis(250)
    """How long to wait for what nobody can tell the end of."""

    @property
    def margin(self) -> int:
        """By so much a node's clock may run slow over one span: 5 %. It also covers closing a connection."""
        return self.span // 20

    def is_special(self, rest: int, delay: int) -> bool:
        """Whether others must be told how a gate stands: by this alone a host would be asked too soon if its holder
        died, for a delegation runs on for a third of its span at least, and then for the usual delay."""
        return delay > self.delay or rest > self.delay + self.span // 3


class Post:
    """Letters that are being written."""

    def __init__(self) -> None:
        self._items: dict[Node, list[Item]] = {}
        self._headed: dict[Node, bool] = {}

    def add(self, to: Node, item: Item) -> None:
        self._items.setdefault(to, []).append(item)

    def head(self, to: Node, *, asks: bool) -> None:
        """Tell who the members are, and maybe ask."""
        self._headed[to] = asks or self._headed.get(to, False)
        self._items.setdefault(to, [])

    def __bool__(self) -> bool:
        return bool(self._items)

    def take(self) -> list[tuple[Node, tuple[Item, ...], bool | None]]:
        """All that was written: receiver, items, and whether it asks for members (None: it does not tell them)."""
        taken = [(to, tuple(items), self._headed.get(to)) for to, items in self._items.items()]
        self._items, self._headed = {}, {}
        return taken

    def take_for(self, node: Node) -> list[Item]:
        return self._items.pop(node, [])


_ENCODER = msgspec.msgpack.Encoder()
_read = msgpack_reader(Letter)


def encode(letter: Letter) -> bytes:
    """A letter as bytes."""
    return _ENCODER.encode(letter)


def decode(sent: bytes) -> Letter:
    """The letter that was sent. `msgspec.DecodeError` if it is none."""
    return _read(sent)
