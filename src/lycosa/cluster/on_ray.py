"""Nodes as actors of Ray: detached, made again where they died. The only module that knows Ray besides `ground`."""

from __future__ import annotations

import asyncio
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError

from lycosa.cluster.messages import Hello, Orders, Report
from lycosa.cluster.place import Ground, Place
from lycosa.cluster.post import Unreachable
from lycosa.model.decoding import from_msgpack
from lycosa.model.errors import LycosaError
from lycosa.model.garbage import collect_rarely
from lycosa.model.nodes import Members, Node

ANSWERED_WITHIN, TAKEN_WITHIN = 20.0, 120.0
"""Seconds after which a node counts as not answering; to read the pages of a batch may take it longer."""
MADE_WITHIN = 180.0
"""Seconds that it may take until a new node presents itself: its machine may have to load models first."""


def namespace_of(place: Place) -> str:
    """Names of actors are those of nodes, within the crawl."""
    return f"lycosa-{hashlib.sha256(str(place.folder.absolute()).encode()).hexdigest()[:12]}"


def connect(ground: Ground) -> None:
    """Connect this process with Ray. Raises `LycosaError` if there is none."""
    try:
        ray.init(address=ground.address, logging_level="ERROR", log_to_driver=False, configure_logging=False)
    except (ConnectionError, RayError, RuntimeError, ValueError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise LycosaError(f"no Ray at {ground.address}: {first}") from None


def disconnect() -> None:
    ray.shutdown()


class RayNode:
    """What lives in an actor: one node, and how it reaches the others."""

    def __init__(self, version: str, orders: bytes, namespace: str, place: str) -> None:
        """`place`: the working directory of who leads the crawl, from where paths are seen."""
        with suppress(OSError):
            os.chdir(place)
        collect_rarely()
        again = ray.get_runtime_context().was_current_actor_reconstructed
        self._version, self._orders, self._namespace, self._again = version, orders, namespace, again
        self._node: Any = None

    async def _there(self) -> Any:
        """The node; made in the event loop, for what it opens belongs to that thread."""
        if self._node is None:
            from lycosa.cluster.node import SharedNode

            orders = from_msgpack(self._orders, Orders)
            self._node = SharedNode(orders, RayPeers(self._namespace, orders.here), again=self._again)
            self._node.begin()
        return self._node

    async def hello(self) -> bytes:
        from lycosa import __version__

        if self._version != __version__:
            return msgspec.msgpack.encode(Hello(version=__version__))
        return msgspec.msgpack.encode(await (await self._there()).hello())

    async def report(self) -> bytes:
        return msgspec.msgpack.encode(await (await self._there()).report())

    async def deliver(self, sealed: bytes) -> int:
        return int(await (await self._there()).deliver(sealed))

    async def taken(self, node: Node, life: str) -> int:
        return int(await (await self._there()).taken(node, life))

    async def meet(self, node: Node, life: str) -> None:
        await (await self._there()).meet(node, life)

    async def hear(self, letter: bytes) -> None:
        (await self._there()).hear(letter)

    async def grant(self, pages: int, requests: int) -> tuple[int, int]:
        pages, requests = await (await self._there()).grant(pages, requests)
        return pages, requests

    async def join(self, members: bytes, lost: tuple[Node, ...]) -> None:
        await (await self._there()).join(from_msgpack(members, Members), lost)

    async def pause(self, paused: bool) -> None:
        await (await self._there()).pause(paused)

    async def dismiss(self, ending: str) -> None:
        await (await self._there()).dismiss(ending)

    async def halt(self) -> None:
        await (await self._there()).halt()

    async def go_on(self) -> None:
        """Ray makes it again, in another process: what a run that failed holds open still is let go of."""
        asyncio.get_running_loop().call_later(0.1, os._exit, 1)


async def answered(call: Any, within: float = ANSWERED_WITHIN) -> Any:
    """What an actor answers. Raises `Unreachable` if it does not, and what it raises itself."""
    try:
        async with asyncio.timeout(within):
            return await call
    except (RayActorError, GetTimeoutError, TimeoutError) as error:
        raise Unreachable(type(error).__name__) from None
    except RayTaskError as error:
        if isinstance(error.cause, Unreachable):
            raise Unreachable(str(error.cause)) from None
        if isinstance(error.cause, LycosaError):
            raise type(error.cause)(str(error.cause)) from None
        raise
    except RayError as error:
        raise Unreachable(type(error).__name__) from None


class RayMember:
    """An actor, as who leads the crawl sees it."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    async def hello(self) -> Hello:
        told = await answered(self._actor.hello.remote(), MADE_WITHIN)
        return from_msgpack(told, Hello)

    async def report(self) -> Report:
        return from_msgpack(await answered(self._actor.report.remote()), Report)

    async def grant(self, pages: int, requests: int) -> tuple[int, int]:
        pages, requests = await answered(self._actor.grant.remote(pages, requests))
        return pages, requests

    async def join(self, members: Members, lost: tuple[Node, ...]) -> None:
        await answered(self._actor.join.remote(msgspec.msgpack.encode(members), lost))

    async def pause(self, paused: bool) -> None:
        await answered(self._actor.pause.remote(paused))

    async def dismiss(self, ending: str) -> None:
        await answered(self._actor.dismiss.remote(ending))

    async def halt(self) -> None:
        await answered(self._actor.halt.remote())

    async def go_on(self) -> None:
        await answered(self._actor.go_on.remote())


class RayPeers:
    """How one actor reaches the others: by name."""

    def __init__(self, namespace: str, here: Node) -> None:
        self._namespace, self._here = namespace, here
        self._actors: dict[Node, Any] = {}
        self._writing: set[asyncio.Task[None]] = set()

    async def taken(self, to: Node, life: str) -> int:
        return int(await self.ask(to, "taken", self._here, life))

    async def deliver(self, to: Node, sealed: bytes) -> int:
        return int(await self.ask(to, "deliver", sealed))

    async def meet(self, to: Node, here: Node, life: str) -> None:
        await self.ask(to, "meet", here, life)

    def write(self, to: Node, letter: bytes) -> None:
        if (actor := self._actors.get(to)) is not None:
            actor.hear.remote(letter)
            return
        task = asyncio.get_running_loop().create_task(self._write_first(to, letter))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _write_first(self, to: Node, letter: bytes) -> None:
        with suppress(Unreachable):
            (await self._actor(to)).hear.remote(letter)

    async def ask(self, to: Node, what: str, *given: Any) -> Any:
        """Call a method of another node. Raises `Unreachable`."""
        actor = await self._actor(to)
        try:
            within = TAKEN_WITHIN if what == "deliver" else ANSWERED_WITHIN
            return await answered(getattr(actor, what).remote(*given), within)
        except Unreachable:
            self._actors.pop(to, None)  # another may have its name by now
            raise

    async def _actor(self, to: Node) -> Any:
        actor = self._actors.get(to)
        if actor is None:
            try:
                actor = await asyncio.to_thread(ray.get_actor, to, self._namespace)
            except (ValueError, RayError):
                raise Unreachable(f"{to} is not there") from None
            self._actors[to] = actor
        return actor


class RayFleet:
    """The actors of one crawl."""

    def __init__(self, place: Place) -> None:
        self._namespace = namespace_of(place)
        self._class = ray.remote(RayNode)

    async def make(self, orders: Orders) -> RayMember:
        from lycosa import __version__

        made = self._class.options(
            name=orders.here,
            namespace=self._namespace,
            lifetime="detached",
            get_if_exists=True,
            max_restarts=-1,
            max_task_retries=0,
            num_cpus=0,
            scheduling_strategy="SPREAD",
        )
        actor = await asyncio.to_thread(
            made.remote, __version__, msgspec.msgpack.encode(orders), self._namespace, str(Path.cwd())
        )
        return RayMember(actor)

    async def remove(self, node: Node) -> None:
        with suppress(ValueError, RayError):
            actor = await asyncio.to_thread(ray.get_actor, node, self._namespace)
            ray.kill(actor, no_restart=True)
