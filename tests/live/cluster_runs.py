"""Shared crawls in real processes, which can be killed: for the tests and the benchmarks."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from tests.live.killing import WatchedServer, specification

from lycosa.cluster.place import Place
from lycosa.model.nodes import Node
from lycosa.spec.files import save
from lycosa.spec.tree import ClusterSpec, CrawlSpec, ScopeSpec
from lycosa.store.paths import Paths

PATIENCE = 300.0
"""Seconds after which a story has failed. On a busy machine some take half of that."""
PAGES = 298
"""What the sample web has for these start pages."""
WHOLE = ScopeSpec()
HALF, PAGES_OF_HALF = ScopeSpec(exclude=("/wp/[N-Z]",)), 188
"""A part of it, for tests: one host, for whose turns several nodes wait, gives some five pages a second."""
N0, N1, N2 = (Node(f"n{number}") for number in range(3))


def shared_specification(server: WatchedServer, *, nodes: int = 3, scope: ScopeSpec = WHOLE) -> CrawlSpec:
    cluster = ClusterSpec(nodes=nodes, partition="url", batch_seconds=0.5)
    return replace(specification(server.port), scope=scope, cluster=cluster)


def awaited(met: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """Look until there is something, and give it. The processes that are looked at tell nothing of themselves."""
    until = time.monotonic() + patience
    while not (found := met()):
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.02)
    return found


class SharedRun:
    """A shared crawl of the sample web by `lycosa cluster`, and the requests that it makes."""

    def __init__(self, folder: Path, server: WatchedServer, spec: CrawlSpec) -> None:
        self.place, self.server = Place(folder), server
        self.again: Counter[str] = Counter()
        """Pages that were asked for although a node had them in its journal on disk."""
        self._committed: list[tuple[int, set[str]]] = [(0, set())]
        self._written = folder.with_suffix(".toml")
        self._said = folder.with_suffix(".log")
        save(spec, self._written)
        self.driver: subprocess.Popen[bytes] | None = None
        self._asked_before = len(server.requests())

    def begin(self, *options: str, python_path: Path | None = None) -> None:
        self._start("run", str(self._written), "--out", str(self.place.folder), *options, path=python_path)

    def resume(self, *options: str) -> None:
        self._start("resume", str(self.place.folder), *options)

    def _start(self, *command: str, path: Path | None = None) -> None:
        more = {} if path is None else {"PYTHONPATH": str(path)}
        with self._said.open("ab") as said:
            self.driver = subprocess.Popen(
                [sys.executable, "-m", "lycosa.cli", "cluster", *command],
                stdout=said,
                stderr=said,
                env={**os.environ, **more},
            )

    def tell(self, verb: str, *given: str) -> str:
        """What a verb on the running crawl answers."""
        told = [sys.executable, "-m", "lycosa.cli", "cluster", verb, str(self.place.folder), *given]
        return subprocess.run(told, capture_output=True, text=True, check=True).stdout

    def ended(self) -> int:
        assert self.driver is not None
        return self.driver.wait(PATIENCE)

    @property
    def said(self) -> str:
        return self._said.read_text("utf-8")

    def process(self, node: Node) -> int:
        """The process of a node that has its folder open."""
        return int(awaited(lambda: self.place.writers().get(node)))

    def kill(self, node: Node) -> int:
        """Kill a node's process once it is at work, and note what it had; the process."""
        process = self.process(node)
        os.kill(process, signal.SIGKILL)
        self.note()
        return process

    def kill_driver(self) -> None:
        assert self.driver is not None
        self.driver.kill()
        self.driver.wait()

    def note(self) -> None:
        """From now on nothing may be asked for that is in the journals now."""
        self._committed.append((len(self.server.requests()), set(self.pages())))

    def pages(self) -> dict[str, str]:
        """What is in the journals now: the URLs that were asked for, and who has the page."""
        return pages_of(self.place.nodes)

    def requests(self) -> list[str]:
        return self.server.requests()[self._asked_before :]

    def check(self, pages: int, *, lost: int = 0) -> None:
        """So many pages are there, each at one node, and none was asked for again that a journal had.

        `lost`: as many were lost with a folder, and may have been asked for again.
        """
        assert len(self.pages()) == pages
        self.tally()
        assert self.again.total() <= lost, self.again

    def tally(self) -> None:
        """Count what was asked for again, once it is over."""
        requests = self.server.requests()
        marks = [*(since for since, _ in self._committed[1:]), len(requests)]
        for (since, had), until in zip(self._committed, marks, strict=True):
            self.again.update(url for url in requests[since:until] if url in had)

    def close(self) -> None:
        """End what still runs of it, by the processes that it noted itself."""
        if self.driver is not None and self.driver.poll() is None:
            self.driver.kill()
            self.driver.wait()
        ground = self.place.load_ground()
        if ground is not None and ground.process:
            with suppress(ProcessLookupError):
                os.kill(ground.process, signal.SIGTERM)
            awaited(lambda: self.place.load_ground() is None, 30)


def pages_of(nodes: Path) -> dict[str, str]:
    """What is in the journals of nodes: the URLs that were asked for, and who has the page. None has two."""
    found: dict[str, str] = {}
    for path in sorted(nodes.glob("*")):
        for url, owner in _rows(Paths(path).journal):
            if not owner:
                assert url not in found, f"{url} was fetched by {found.get(url)} and by {path.name}"
                found[url] = path.name
    return found


def _rows(journal: Path) -> list[tuple[str, str | None]]:
    if not journal.exists():
        return []
    try:
        with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as opened:
            return opened.execute("SELECT url, owner FROM steps WHERE kind = 'page'").fetchall()
    except sqlite3.OperationalError:  # it is being made
        return []


@contextmanager
def shared_run(folder: Path, server: WatchedServer, spec: CrawlSpec) -> Iterator[SharedRun]:
    run = SharedRun(folder, server, spec)
    try:
        yield run
    finally:
        run.close()
