"""One crawl of an experiment: made, run under virtual time, and written down."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import zstandard

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import Input
from lycosa.crawl.strategy import Strategy
from lycosa.drive.clock import VirtualClock
from lycosa.drive.loop import Watching
from lycosa.drive.simulated import simulate
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.experiments.design import Cell
from lycosa.lab.experiments.pages_only import PagesOnly
from lycosa.lab.measures.trajectory import Names, Recorder, Timed, Trajectory
from lycosa.lab.tasks.judge import Brief
from lycosa.lab.tasks.stand_in import Interviewed, StandIn
from lycosa.lab.webs.conditions import visitor_under
from lycosa.lab.webs.generated import GeneratedLab
from lycosa.lab.webs.lab_web import LabWeb
from lycosa.model.decoding import converted
from lycosa.model.errors import LycosaError
from lycosa.model.records import Arrival, Page, Record
from lycosa.model.url import Url
from lycosa.spec.registry import strategy

FORMAT = 1
"""Version of a written result. Others are run again."""


class Result(Record, frozen=True, kw_only=True):
    """What became of a cell."""

    cell: Cell
    trajectory: Trajectory
    seconds: float
    """CPU time of the whole crawl."""
    code: str
    """Digest of the source that ran it."""
    problem: str = ""
    """Why it could not be run to its end, in a line; empty if it was."""

    def digest(self) -> str:
        """Of what was crawled in which order, not of the time it took: equal crawls have equal digests."""
        told = hashlib.sha256(self.problem.encode() + b"\0" + self.trajectory.ended.encode())
        told.update("\n".join(self.trajectory.names()).encode())
        for name in _COLUMNS:
            if name not in ("pages", "thinking", "times"):
                told.update(getattr(self.trajectory, name).tobytes())
        return told.hexdigest()


class Field:
    """A web as the crawls of one task find it: some pages hidden, all pages numbered alike."""

    def __init__(self, web: LabWeb | GeneratedLab, names: Names, excluded: Sequence[str] = ()) -> None:
        """`names` must have been made for this web, its URLs first where it is recorded."""
        self.web, self.names, self.excluded = web, names, tuple(excluded)
        self._missing = web.graph(excluded).missing if isinstance(web, LabWeb) else None

    def lacking(self, page: Page) -> int:
        """How many of a page's links lead to what was not recorded, or is hidden. Generated webs lack nothing."""
        if self._missing is None:
            return 0
        number = self.web.index(page.final_url)
        return 0 if number is None else int(self._missing[number])


def run_cell(
    cell: Cell,
    field: Field,
    brief: Brief,
    offered: Sequence[Input] = (),
    code: str = "",
    stand_in: StandIn | None = None,
) -> Result:
    """Run one crawl. A strategy that fails marks the cell; whatever else goes wrong is raised.

    `offered` are inputs besides keywords and examples; a `stand_in` watches the crawl, and marks pages.
    """
    began = time.process_time()
    recorder, problem, ended = Recorder(field.names), "", None
    try:
        timed, clock = Timed(_made(cell.strategy, (*brief.source().inputs(), *offered))), VirtualClock()
        conditions = cell.conditions
        recorder = Recorder(
            field.names,
            lacking=field.lacking,
            thinking=lambda: timed.seconds,
            now=clock.now,
        )
        crawl = _crawl(cell, timed, brief, offered)
        visitor = visitor_under(
            conditions, field.web, crawl.refuses_redirect, clock, excluded=field.excluded, seed=cell.seed
        )
        crawl.start(brief.seeds, clock.now())
        width, watch = conditions.connections, _watching(recorder, crawl, field, stand_in, clock)
        asyncio.run(simulate(crawl, visitor, visitor.latency, clock, width=width, watch=watch))
        ended = crawl.ended
    except LycosaError as error:
        problem = str(error)
    return Result(
        cell=cell,
        trajectory=recorder.trajectory(ended),
        seconds=time.process_time() - began,
        code=code,
        problem=problem,
    )


def _watching(
    recorder: Recorder, crawl: Crawl, field: Field, stand_in: StandIn | None, clock: VirtualClock
) -> Watching:
    """What is told of each visit: who writes it down and, after that, who may be asked about it."""
    if stand_in is None:
        return recorder.watch
    interviewed = Interviewed(crawl, stand_in, field.names.numbers, clock.now)

    def watch(visit: Arrival) -> None:
        recorder.watch(visit)
        interviewed.watch(visit)

    return watch


def not_run(cell: Cell, field: Field, problem: str, code: str = "") -> Result:
    """A cell whose crawl could not even begin."""
    return Result(
        cell=cell, trajectory=Recorder(field.names).trajectory(), seconds=0.0, code=code, problem=problem
    )


def _made(specification: str, offered: Sequence[Input]) -> Strategy:
    """A strategy; what its constructor may raise is a problem of its cell like any other."""
    try:
        return strategy(specification, offered)
    except LycosaError:
        raise
    except Exception as error:
        raise LycosaError(f"the strategy cannot be made: {type(error).__name__}: {error}") from error


def _crawl(cell: Cell, timed: Timed, brief: Brief, offered: Sequence[Input]) -> Crawl:
    frontier = MemoryFrontier(capacity=cell.frontier or None, seed=cell.seed)
    told = brief.source()
    source = msgspec.structs.replace(told, given=(*told.given, *offered))
    return Crawl(
        timed,
        frontier,
        source.model(),
        PagesOnly(),
        gate=cell.conditions.gate(),
        pace=cell.conditions.pace(cell.seed),
        order=cell.conditions.in_order(),
        seed=cell.seed,
        budget=cell.pages,
    )


# -- written down ------------------------------------------------------------------------------------------------


def pack(result: Result) -> bytes:
    """A result as bytes; pages of the web by number, others by name."""
    plain = result.trajectory
    columns = {name: getattr(plain, name) for name in _COLUMNS}
    known = int(plain.pages.max()) + 1 if len(plain) else 0
    told = {
        "format": FORMAT,
        "cell": result.cell,
        "seconds": result.seconds,
        "code": result.code,
        "problem": result.problem,
        "ended": plain.ended,
        "columns": {name: (array.dtype.str, array.tobytes()) for name, array in columns.items()},
        "names": {int(n): plain.urls[n] for n in np.unique(plain.pages)} if known else {},
    }
    return zstandard.ZstdCompressor(write_checksum=True).compress(msgspec.msgpack.encode(told))


def unpack(packed: bytes, names: Names) -> Result | None:
    """Take back what `pack` gave; None if it is damaged or of another version."""
    try:
        told: Mapping[str, Any] = msgspec.msgpack.decode(zstandard.decompress(packed), strict=False)
        if told["format"] != FORMAT:
            return None
        columns = {
            name: np.frombuffer(raw, dtype=np.dtype(kind)) for name, (kind, raw) in told["columns"].items()
        }
        cell = converted(told["cell"], Cell)
    except (zstandard.ZstdError, msgspec.MsgspecError, KeyError, ValueError, TypeError):
        return None
    renumbered = {int(n): names.number(Url(url)) for n, url in told["names"].items()}
    columns["pages"] = np.array([renumbered[n] for n in columns["pages"].tolist()], dtype=np.int32)
    return Result(
        cell=cell,
        trajectory=Trajectory(urls=names.urls, ended=told["ended"], **columns),
        seconds=told["seconds"],
        code=told["code"],
        problem=told["problem"],
    )


_COLUMNS = (
    "pages",
    "visits",
    "requests",
    "relevance",
    "thinking",
    "links",
    "lacking",
    "failed_visits",
    "failed_reasons",
    "times",
)
