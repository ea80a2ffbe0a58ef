"""Many pages read again from the archive, in processes beside this one, and given in their order.

The processes are started anew rather than forked, as in `lycosa.drive.reading_apart`. Each reads the archive itself:
over pipes go places in it, and texts.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import IO, Final, Generic, TypeVar

import msgspec

from lycosa.archive.reader import Reader
from lycosa.drive.reread import Rereader
from lycosa.model.decoding import from_msgpack
from lycosa.model.records import Record, RecordRef
from lycosa.model.url import Url
from lycosa.read.said import MainText

ALONE: Final = 256
"""So many pages are read in place: to start a process costs as much, and meanwhile there is nobody else to read."""
BATCH: Final = 16
"""Pages that a process is asked for at a time."""
AHEAD: Final = 3
"""Batches that each process is ahead of whoever takes them."""
ROOM: Final = 8_192
"""Bytes of orders that are under way to a process. Systems give a pipe 64 KB, some 16."""
_SIZE: Final = 8

What = TypeVar("What")


class Kept(Record, frozen=True, kw_only=True):
    """A page that is to be read again."""

    record: RecordRef
    url: Url
    dom: RecordRef | None = None
    """Of what a browser made of it."""


class Manner(Record, frozen=True, kw_only=True):
    """What is wanted of pages."""

    text: bool = True
    """All of it."""
    main: bool = False
    """The main text, and what a page says of itself."""
    markdown: bool = False
    """The main text as Markdown, too."""


class Again(Record, frozen=True, kw_only=True):
    """What was read of a page."""

    text: str = ""
    main: MainText | None = None
    told: tuple[tuple[str, Url | None], ...] = ()
    """What could not be read, as `Rereader.told` has it."""


class Task(Record, frozen=True, kw_only=True):
    """What a process is told as it begins."""

    folders: tuple[str, ...]
    most: int
    """Bytes of a body that are read."""
    manner: Manner


class Batch(Record, frozen=True):
    pages: tuple[Kept | None, ...]


class Answers(Record, frozen=True):
    pages: tuple[Again | None, ...]
    """None: to be read in place, as its texts cannot be sent."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def again(rereader: Rereader, asked: Kept | None, manner: Manner) -> Again:
    """What is wanted of a page; nothing of one without a record."""
    if asked is None:
        return Again()
    before, main, text = len(rereader.told), None, ""
    if manner.main:
        main = rereader.main_text(asked.record, asked.url, asked.dom, markdown=manner.markdown)
    if manner.text:
        text = rereader.text(asked.record, asked.url, asked.dom)
    told = tuple(islice(rereader.told.items(), before, None)) if len(rereader.told) > before else ()
    return Again(text=text, main=main, told=told)


class RereadApart:
    """Reads pages of an archive again, in as many processes as there are cores once they are many.

    Memory holds few batches, however many pages there are. A process that dies costs time, and no page.

    Invariants, each the name of a property test:

    * as in place: pages, their order, and what is told of those that cannot be read are as if `rereader` alone read
      them.
    """

    def __init__(
        self, rereader: Rereader, folders: Sequence[Path], most: int, *, processes: int | None = None
    ) -> None:
        """`most` is the length of the longest body; `processes` None: as many as there are cores."""
        self._rereader, self._processes = rereader, cores() if processes is None else processes
        self._folders, self._most = tuple(str(folder.absolute()) for folder in folders), most

    def read(
        self, pages: Iterable[tuple[What, Kept | None]], manner: Manner
    ) -> Generator[tuple[What, Again], None, None]:
        """What was read of each page, beside what was given with it; nothing of one without a record. Closed, it
        ends its processes."""
        rest = iter(pages)
        while near := list(islice(rest, ALONE)):
            here = ((what, again(self._rereader, asked, manner)) for what, asked in near)
            are_many = self._processes > 1 and 2 * sum(asked is not None for _, asked in near) > ALONE
            if are_many and (first := list(islice(rest, BATCH))):
                batches = chain([first], iter(lambda: list(islice(rest, BATCH)), []))
                yield from self._shared_out(here, batches, manner)
                return
            yield from here

    def _shared_out(
        self,
        here: Iterator[tuple[What, Again]],
        batches: Iterator[list[tuple[What, Kept | None]]],
        manner: Manner,
    ) -> Iterator[tuple[What, Again]]:
        """Each worker in its turn is asked, and in the same order answers are taken. What is read here is read while
        they begin."""
        task = Task(folders=self._folders, most=self._most, manner=manner)
        crew = [_Worker[What](task) for _ in range(self._processes)]
        try:
            out: deque[_Worker[What]] = deque()
            for batch in islice(batches, AHEAD * len(crew)):
                out.append(crew[len(out) % len(crew)])
                out[-1].ask(batch)
            yield from here
            while out:
                worker = out.popleft()
                yield from self._taken(worker, manner)
                if batch := next(batches, []):
                    worker.ask(batch)
                    out.append(worker)
        finally:
            for worker in crew:
                worker.end()

    def _taken(self, worker: _Worker[What], manner: Manner) -> Iterator[tuple[What, Again]]:
        batch, answers = worker.answers()
        for (what, asked), found in zip(batch, answers, strict=True):
            if found is None:
                yield what, again(self._rereader, asked, manner)
                continue
            for each in found.told:
                self._rereader.tell(*each)
            yield what, found


class _Worker(Generic[What]):
    """A process, and the batches that it was asked for."""

    def __init__(self, task: Task) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,  # Ctrl-C is for this process
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._orders, self._outcomes = process, process.stdin, process.stdout
        self._asked: deque[list[tuple[What, Kept | None]]] = deque()
        self._unsent: deque[bytes] = deque()
        self._sent: deque[int] = deque()  # lengths of what is not answered yet
        self._is_lost = False
        self._send(msgspec.msgpack.encode(task))

    def ask(self, batch: list[tuple[What, Kept | None]]) -> None:
        self._asked.append(batch)
        self._unsent.append(msgspec.msgpack.encode(Batch(tuple(asked for _, asked in batch))))
        self._go_on()

    def answers(self) -> tuple[list[tuple[What, Kept | None]], Sequence[Again | None]]:
        """The oldest batch, and what was read of it."""
        batch = self._asked.popleft()
        found = None if self._is_lost else _received(self._outcomes)
        if found is None:
            self._is_lost = True
            return batch, (None,) * len(batch)
        self._sent.popleft()
        self._go_on()
        return batch, from_msgpack(found, Answers).pages

    def end(self) -> None:
        self._process.kill()
        self._outcomes.close()
        with suppress(OSError):  # what was not taken has nobody to go to
            self._orders.close()
        self._process.wait()

    def _go_on(self) -> None:
        """Send as much as a pipe takes in: a process that waits until its answers are taken reads no orders."""
        while self._unsent and (not self._sent or sum(self._sent) + len(self._unsent[0]) <= ROOM):
            self._sent.append(len(self._unsent[0]))
            self._send(self._unsent.popleft())

    def _send(self, content: bytes) -> None:
        try:
            self._orders.write(_packed(content))
            self._orders.flush()
        except OSError:
            self._is_lost = True


def _packed(content: bytes) -> bytes:
    """A message behind its length."""
    return len(content).to_bytes(_SIZE) + content


def _received(stream: IO[bytes]) -> bytes | None:
    """A message; None if there is no whole one any more."""
    size = stream.read(_SIZE)
    if len(size) < _SIZE:
        return None
    content = stream.read(int.from_bytes(size))
    return content if len(content) == int.from_bytes(size) else None


# -- in the other process ----------------------------------------------------------------------------------------


def serve(orders: IO[bytes], outcomes: IO[bytes]) -> None:
    """Read pages until nobody asks any more."""
    if (begun := _received(orders)) is None:
        return
    task = from_msgpack(begun, Task)
    rereader = Rereader(Reader([Path(folder) for folder in task.folders], most=task.most))
    while (order := _received(orders)) is not None:
        asked = from_msgpack(order, Batch).pages
        outcomes.write(_packed(_answers([again(rereader, each, task.manner) for each in asked])))
        outcomes.flush()


def _answers(pages: Sequence[Again]) -> bytes:
    try:
        return msgspec.msgpack.encode(Answers(tuple(pages)))
    except UnicodeEncodeError:  # half a surrogate pair
        return msgspec.msgpack.encode(Answers((None,) * len(pages)))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(sys.stdin.buffer, sys.stdout.buffer)
