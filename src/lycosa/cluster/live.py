"""A shared crawl from its beginning to its end: the folder, the Ray beneath, the nodes, and who leads them."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from lycosa.cluster import ground as grounds
from lycosa.cluster.driver import Driver
from lycosa.cluster.overview import Watching
from lycosa.cluster.place import Ground, Place, Roll, Wish, wish
from lycosa.compose.parts import company_of
from lycosa.crawls.place import refuse_taken
from lycosa.crawls.session import prepare
from lycosa.model.endings import Ending
from lycosa.model.errors import InputError
from lycosa.model.nodes import Node, Share
from lycosa.spec.files import load, save
from lycosa.spec.tree import CrawlSpec
from lycosa.store.database import folder_errors

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def refuse_without_ray() -> None:
    """Raise `InputError` where Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        raise InputError("to share a crawl takes Ray: pip install 'lycosa[cluster]'")


def make(spec: CrawlSpec, folder: Path) -> tuple[Place, CrawlSpec, list[str]]:
    """Make the folder of a new shared crawl, and ask once for all nodes what the topic names. Also the specification as
    it is settled, and what could not be had. Raises `InputError` or `FolderError`, and then leaves nothing behind."""
    refuse_without_ray()
    if spec.scope.most_hosts is not None:
        raise InputError("--max-hosts: nodes that share a crawl cannot count hosts together; leave it out")
    place = Place(folder)
    if place.specification.exists():
        raise InputError(f"{folder}: exists already; lycosa cluster resume {folder}")
    refuse_taken(folder)
    roll = Roll(epoch=1, names=tuple(Node(f"n{number}") for number in range(spec.cluster.nodes)))
    company_of(spec, Share(node=roll.names[0], members=roll.members), "")
    spec, notes = asyncio.run(prepare(spec, place.topic))
    spec = _with_own_classes(spec, place)
    place.save_roll(roll)
    save(spec, place.specification)
    return place, spec, notes


def _with_own_classes(spec: CrawlSpec, place: Place) -> CrawlSpec:
    """With the classes in the crawl's own folder, by a whole path, as nodes are at work elsewhere."""
    if not spec.cluster.classes:
        return spec
    given = Path(spec.cluster.classes)
    if not place.classes.exists():
        with folder_errors(place.folder):
            shutil.copyfile(given, place.classes)
    cluster = msgspec.structs.replace(spec.cluster, classes=str(place.classes.absolute()))
    return msgspec.structs.replace(spec, cluster=cluster)


def changed(
    place: Place, *, pages: int | None = None, requests: int | None = None, seconds: float | None = None
) -> CrawlSpec:
    """The specification of a shared crawl that is gone on with; what is None stays as it was."""
    spec = load(place.there().specification, CrawlSpec)
    given = {"pages": pages, "requests": requests, "seconds": seconds}
    now = msgspec.structs.replace(spec, **{name: value for name, value in given.items() if value is not None})
    now = _with_own_classes(now, place)  # the folder may lie elsewhere now
    if now != spec:
        save(now, place.specification)
    return now


def lead(
    place: Place, spec: CrawlSpec, watching: Watching, *, address: str = "", stopping: bool = False
) -> tuple[Ending, bool]:
    """Lead a shared crawl until it ends or is interrupted; why it ended, and whether somebody interrupted it.

    With an `address` in the Ray that is there; else Ray is started here, on loopback, and ended with the crawl. Ctrl-C
    stops all nodes in order, a second one at once. `stopping`: have the nodes stop that are at work. Raises
    `FolderError` if somebody leads it already.
    """
    refuse_without_ray()
    lock = place.take()
    forget_wishes(place)
    try:
        return _led(place, spec, watching, _ground(place, address), stopping=stopping)
    finally:
        lock.close()


def _ground(place: Place, address: str) -> Ground:
    roll = place.load_roll()
    if not address:
        return grounds.start(place, len(roll.names))
    ground = Ground(address=address)
    place.save_ground(ground)
    return ground


def _led(
    place: Place, spec: CrawlSpec, watching: Watching, ground: Ground, *, stopping: bool
) -> tuple[Ending, bool]:
    if ground.token:  # before Ray is imported, which reads it then
        os.environ.update(grounds.surroundings(ground.token))
    from lycosa.cluster import on_ray

    on_ray.connect(ground)
    try:
        driver = Driver(place, spec, place.load_roll(), on_ray.RayFleet(place), watching)
        if stopping:
            driver.halt("by the user")
        ending = asyncio.run(_with_signals(driver))
        return ending, driver.was_interrupted
    finally:
        on_ray.disconnect()
        grounds.stop(place)


async def _with_signals(driver: Driver) -> Ending:
    """Run it; Ctrl-C is passed on, and counted."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, driver.halt, "by the user")
    try:
        return await driver.run()
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        await driver.clear_away()


def stop(place: Place, wait: Callable[[Callable[[], bool]], bool]) -> bool | None:
    """Ask whoever leads the crawl to stop; whether it did while `wait` waited. None: nobody leads it, and no node of
    it is at work here."""
    if place.there().leader is None:
        return None
    wish(place, Wish(what="stop"))
    return wait(lambda: place.leader is None)


def forget_wishes(place: Place) -> None:
    """What was wished of a run that is over is not meant for the next one."""
    for path in place.wishes.glob("*.json") if place.wishes.exists() else ():
        with suppress(OSError):
            path.unlink()
