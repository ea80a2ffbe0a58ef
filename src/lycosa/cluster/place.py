"""Where things lie in the folder of a shared crawl, as who leads it keeps them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from lycosa.model.decoding import from_json
from lycosa.model.errors import FolderError, InputError
from lycosa.model.nodes import Members, Node
from lycosa.spec.files import write_whole
from lycosa.store.database import FolderLock, folder_errors, writer_of
from lycosa.store.paths import Paths, SharedPaths


class Roll(msgspec.Struct, frozen=True, kw_only=True):
    """The members, as `members.json` has them, and who left."""

    epoch: int
    names: tuple[Node, ...]
    weights: tuple[float, ...] = ()
    leaving: tuple[Node, ...] = ()
    """Who is no member any more, and still hands over what it has."""
    left: Mapping[Node, tuple[int, int]] = {}
    """The pages and requests of nodes that are no members any more: they count in the budget."""

    @property
    def members(self) -> Members:
        return Members(epoch=self.epoch, names=self.names, weights=self.weights)

    def joined(self, name: Node) -> Roll:
        if name in (*self.names, *self.leaving, *self.left):
            raise InputError(f"{name}: is or was the name of a node; choose another")
        weights = (*self.weights, 1.0) if self.weights else ()
        return replace(self, epoch=self.epoch + 1, names=(*self.names, name), weights=weights)

    def without(self, name: Node) -> Roll:
        """Without one, which is to hand over what it has."""
        if name not in self.names:
            raise InputError(f"{name}: is no node of this crawl; it has {', '.join(self.names)}")
        if len(self.names) == 1:
            raise InputError(f"{name}: is the last node; stop the crawl instead")
        stay = [place for place, each in enumerate(self.names) if each != name]
        weights = tuple(self.weights[place] for place in stay) if self.weights else ()
        names = tuple(self.names[place] for place in stay)
        leaving = (*self.leaving, name)
        return replace(self, epoch=self.epoch + 1, names=names, weights=weights, leaving=leaving)

    def counting(self, name: Node, pages: int, requests: int) -> Roll:
        """With what one used that has left."""
        leaving = tuple(each for each in self.leaving if each != name)
        return replace(self, leaving=leaving, left={**self.left, name: (pages, requests)})


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """The Ray that the nodes live in."""

    address: str
    process: int = 0
    """The process that started it for this crawl; 0: it was there before."""
    token: str = ""
    """The file with the token that Ray asks for; empty: as the environment says."""


class Place:
    """The folder of a shared crawl."""

    def __init__(self, folder: Path) -> None:
        names = SharedPaths(folder)
        self.folder = folder
        self.specification, self.roll, self.nodes = names.specification, names.members, names.nodes
        self.classes = folder / "classes"
        """The trained classes, where the crawl is shared by topic."""
        self.topic = folder / "topic"
        self.ground = folder / "ray.json"
        self.lock = folder / "cluster.lock"
        self.wishes = folder / "wishes"

    def node(self, name: Node) -> Path:
        return self.nodes / name

    def there(self) -> Place:
        """Itself. Raises `FolderError` if there is no shared crawl."""
        if not self.specification.exists():
            raise FolderError(
                f"{self.folder}: no shared crawl here; begin one with lycosa cluster run SPEC.toml --out DIR"
            )
        return self

    def take(self) -> FolderLock:
        """Lead this crawl, and nobody else. Raises `FolderError` if somebody does."""
        with folder_errors(self.folder):
            return FolderLock(self.lock)

    @property
    def leader(self) -> int | None:
        """The process that leads the crawl now, None if none does."""
        return writer_of(self.lock)

    def load_roll(self) -> Roll:
        try:
            return from_json(self.roll.read_bytes(), Roll)
        except (OSError, msgspec.MsgspecError) as error:
            raise FolderError(f"{self.roll}: cannot be read ({error}); bring back a copy of it") from None

    def save_roll(self, roll: Roll) -> None:
        with folder_errors(self.folder):
            write_whole(self.roll, msgspec.json.format(msgspec.json.encode(roll), indent=2))

    def load_ground(self) -> Ground | None:
        try:
            return from_json(self.ground.read_bytes(), Ground)
        except (OSError, msgspec.MsgspecError):
            return None

    def save_ground(self, ground: Ground | None) -> None:
        with folder_errors(self.folder):
            if ground is None:
                self.ground.unlink(missing_ok=True)
            else:
                write_whole(self.ground, msgspec.json.encode(ground))

    def writers(self) -> dict[Node, int]:
        """The processes on this machine that have a node's folder open."""
        found = {Node(path.name): writer_of(Paths(path).journal) for path in sorted(self.nodes.glob("*"))}
        return {node: process for node, process in found.items() if process is not None}


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of a crawl that somebody else leads."""

    what: str
    """`stop`, `join` or `leave`."""
    node: Node = Node("")


def wish(place: Place, wanted: Wish) -> None:
    """Leave word for who leads the crawl."""
    with folder_errors(place.folder):
        place.wishes.mkdir(exist_ok=True)
        name = f"{time.time_ns():020}-{os.getpid()}.json"
        write_whole(place.wishes / name, msgspec.json.encode(wanted))


def wishes(place: Place) -> list[Wish]:
    """What was wished for since this was asked last, in order."""
    found: list[Wish] = []
    for path in sorted(place.wishes.glob("*.json")) if place.wishes.exists() else ():
        try:
            found.append(from_json(path.read_bytes(), Wish))
        except (OSError, msgspec.MsgspecError):
            continue
        finally:
            path.unlink(missing_ok=True)
    return found
