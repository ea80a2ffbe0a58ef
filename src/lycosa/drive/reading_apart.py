"""Reading large bodies in processes of their own, which are ended when it takes too long.

The processes are started anew rather than forked, with the interpreter and the paths of this one, and told what to
read over pipes: nothing of the caller's program runs in them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any, BinaryIO, Final

import msgspec

from lycosa.drive.page import media_type_of
from lycosa.drive.reading import MAX_LINKS, Unread, page_or_unread
from lycosa.model.decoding import from_msgpack
from lycosa.model.records import Page, Reason, Record, RecordRef, Request, Response
from lycosa.read.compiled import tags_in
from lycosa.read.kinds import is_pdf
from lycosa.read.office import kind_of

LARGE: Final = 256 * 1024
"""Bytes that are read in place: ordinary ones take some 15 ms, the worst that are known 150."""
MANY_TAGS: Final = 10_000
"""Tags that are read in place, begun or ended: by their number, markup takes longest."""
CPU_LIMIT: Final = 10.0
"""Seconds of CPU for a page. Ordinary markup takes half a second a MiB; of the worst that is known, which takes 4, two
MiB and a half are read."""
LIMIT: Final = 60.0
"""Seconds by the clock, where the machine is so busy, or the system knows no alarms."""
PROCESSES: Final = 2
_SIZE: Final = 8


class Order(Record, frozen=True, kw_only=True):
    """What a process is to read, and in how many seconds."""

    request: Request
    response: Response
    record: RecordRef | None
    max_links: int
    cpu_limit: float
    limit: float


class Outcome(Record, frozen=True, kw_only=True):
    """What came of it: one of the two."""

    page: Page | None = None
    unread: Unread | None = None


def may_take_long(body: bytes, media_type: str = "") -> bool:
    """Whether a body is to be read apart: any PDF, too, as some ten pages take as long as a large page of markup, and
    any office file, as archives do not show how large they are."""
    if is_pdf("application/pdf", body) or kind_of(media_type, body) is not None:
        return True
    return len(body) > LARGE or (len(body) > MANY_TAGS and tags_in(body) > MANY_TAGS)


class ReadingApart:
    """Reads small bodies in place, and others in up to `processes` processes. None is started before it is needed.

    A process that takes more than `cpu_limit` seconds of CPU or `limit` by the clock, or dies, is ended, and its page
    is unread. That is a failure in the journal like any other, so a replay does not try again.

    Invariants, each the name of a property test:

    * the same page: a body read apart gives the page that it gives in place.
    """

    def __init__(
        self,
        max_links: int = MAX_LINKS,
        *,
        cpu_limit: float = CPU_LIMIT,
        limit: float = LIMIT,
        processes: int = PROCESSES,
    ) -> None:
        self._max_links, self._cpu_limit, self._limit = max_links, cpu_limit, limit
        self._turns = asyncio.Semaphore(processes)
        self._idle: list[_Worker] = []
        self._started: list[_Worker] = []

    async def read(self, request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
        if not may_take_long(response.body, media_type_of(response)):
            return page_or_unread(request, response, record, self._max_links)
        order = Order(
            request=request,
            response=response,
            record=record,
            max_links=self._max_links,
            cpu_limit=self._cpu_limit,
            limit=self._limit,
        )
        async with self._turns:
            return await self._read_apart(order)

    async def close(self) -> None:
        """End the processes."""
        for worker in self._started:
            worker.end()
        await asyncio.gather(*(worker.process.wait() for worker in self._started))
        self._started.clear()
        self._idle.clear()

    async def _read_apart(self, order: Order) -> Page | Unread:
        worker = self._idle.pop() if self._idle else await self._start()
        outcome = None
        try:
            async with asyncio.timeout(self._limit):
                outcome = await worker.ask(order)
        except TimeoutError:
            return _unread(f"reading it took more than {self._limit:g} seconds")
        except (asyncio.IncompleteReadError, ConnectionError):
            if await worker.process.wait() == -getattr(signal, "SIGPROF", 0):
                return _unread(f"reading it took more than {self._cpu_limit:g} seconds of CPU")
            return _unread("the process that read it died")
        finally:
            if outcome is None:
                worker.end()
            else:
                self._idle.append(worker)
        return outcome.page or outcome.unread or _unread("nothing came of it")

    async def _start(self) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            __name__,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,  # Ctrl-C is for this process, which decides what becomes of the others
        )
        worker = _Worker(process)
        self._started.append(worker)
        return worker


class _Worker:
    """A process that reads one page at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self._orders, self._outcomes = process, process.stdin, process.stdout
        self._is_ended = False

    async def ask(self, order: Order) -> Outcome:
        self._orders.write(_packed(order))
        await self._orders.drain()
        size = await self._outcomes.readexactly(_SIZE)
        return from_msgpack(await self._outcomes.readexactly(int.from_bytes(size)), Outcome)

    def end(self) -> None:
        """Kill the process, once: a second kill would wait for it behind asyncio's back, which then knows no longer
        how it ended and logs a warning."""
        if not self._is_ended and self.process.returncode is None:
            self.process.kill()
        self._is_ended = True


def _unread(detail: str) -> Unread:
    return Unread(reason=Reason.UNREADABLE, detail=detail)


def _packed(message: Record) -> bytes:
    """A message behind its length."""
    content = msgspec.msgpack.encode(message)
    return len(content).to_bytes(_SIZE) + content


# -- in the other process ----------------------------------------------------------------------------------------


def serve(orders: BinaryIO, outcomes: BinaryIO) -> None:
    """Read pages as they are asked for, until nobody can ask any more.

    Where the system has alarms, they end this process: one when the page has had its CPU, one after twice the time
    given by the clock, as whoever asked may be gone.
    """
    alarm: Any = getattr(signal, "setitimer", None)
    while size := orders.read(_SIZE):
        order = from_msgpack(orders.read(int.from_bytes(size)), Order)
        if alarm is not None:
            alarm(signal.ITIMER_PROF, order.cpu_limit)
            alarm(signal.ITIMER_REAL, 2 * order.limit)
        outcomes.write(_packed(_outcome(order)))
        outcomes.flush()
        if alarm is not None:
            alarm(signal.ITIMER_PROF, 0)
            alarm(signal.ITIMER_REAL, 0)


def _outcome(order: Order) -> Outcome:
    try:
        found = page_or_unread(order.request, order.response, order.record, order.max_links)
    except Exception as error:
        return Outcome(unread=_unread(f"{type(error).__name__}: {error}"))
    return Outcome(page=found) if isinstance(found, Page) else Outcome(unread=found)


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
