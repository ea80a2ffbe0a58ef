"""Reading beside the event loop, on another core, once reading keeps the loop busy.

Half of what a fast crawl does is reading, and it depends on nothing but bytes. A polite crawl of few hosts reads a page
now and then: it never starts a process for it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from asyncio.subprocess import DEVNULL, Process
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final, cast

import msgspec

from lycosa.drive.page import media_type_of
from lycosa.drive.reading import MAX_LINKS, Reader, Unread, page_in, page_or_unread, without_text
from lycosa.drive.reading_apart import ReadingApart, may_take_long
from lycosa.model.decoding import from_msgpack
from lycosa.model.records import Page, Record, RecordRef, Request, Response
from lycosa.model.url import Url
from lycosa.read.document import Document
from lycosa.read.html import read

BUSY: Final = 0.25
"""A process is started when reading takes so much of the loop's time: it costs 0.3 s of CPU, and in copying a tenth of
what reading a page does."""
SPAN: Final = 2.0
"""Seconds over which that is measured."""
PATIENCE: Final = 60.0
"""Seconds after which a process that does not answer is given up."""
_SIZE: Final = 8
_BUFFER: Final = 1 << 20
"""Bytes of pages that wait in the socket, so that the reading goes on while the loop thinks."""


class Order(Record, frozen=True, array_like=True):
    """What a document is read from."""

    url: Url
    content_type: str
    body: bytes


class Told(Record, frozen=True, array_like=True):
    """What was read; None if the reading raised: it is done again in place, where the error counts."""

    document: Document | None


def spare_core() -> bool:
    """Whether another process could run at once: there is a second core for it, and the machine leaves one free."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 1.0
    return cores > 1 and load < cores


class ReadingBeside:
    """Reads in place while that is little, and from then on in one other process, if a core is free.
    What may take long is left to `apart`.

    One process, and pages come home in the order in which their answers came, as from reading in place. It holds
    nothing but what it reads just now; should it die or fall silent, its pages are read again in place.

    Invariants, each the name of a property test:

    * the same page: a body read beside gives the page that it gives in place.
    * in order: what was asked first comes home first.
    """

    def __init__(
        self,
        apart: Reader | None = None,
        max_links: int = MAX_LINKS,
        *,
        busy: float = BUSY,
        patience: float = PATIENCE,
    ) -> None:
        """With `busy` at 0 a process is started for the first page."""
        self._apart: Reader = ReadingApart(max_links) if apart is None else apart
        self._max_links, self._patience = max_links, patience
        self._load = Load(busy)
        self._starting: asyncio.Task[None] | None = None
        self._helper: Helper | None = None

    async def read(self, request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
        if may_take_long(response.body, media_type_of(response)):
            return await self._apart.read(request, response, record)
        if (no_text := without_text(response)) is not None:
            return no_text
        document = None
        if self._helper is not None:
            document = await self._read_beside(self._helper, response)
        if document is not None:
            return page_in(document, request, response, record, self._max_links)
        began = time.perf_counter()
        page = page_or_unread(request, response, record, self._max_links)
        ended = time.perf_counter()
        if self._starting is None and self._load.is_high(began, ended) and spare_core():
            self._starting = asyncio.create_task(self._start())
        return page

    async def close(self) -> None:
        """End the processes."""
        if self._starting is not None:
            self._starting.cancel()
            with suppress(asyncio.CancelledError):
                await self._starting
        if (helper := self._helper) is not None:
            self._helper = None
            await helper.end()
        await self._apart.close()

    async def _start(self) -> None:
        with suppress(OSError):  # without another process the crawl goes on in this one
            self._helper = await Helper.start()

    async def _read_beside(self, helper: Helper, response: Response) -> Document | None:
        """None if it is to be read in place."""
        try:
            async with asyncio.timeout(self._patience):
                return await helper.ask(response)
        except (TimeoutError, ConnectionError):
            if self._helper is helper:
                self._helper = None
                await helper.end()
            return None


class Load:
    """How much of the time goes by with reading."""

    def __init__(self, busy: float) -> None:
        self._busy = busy
        self._since = self._spent = 0.0

    def is_high(self, began: float, ended: float) -> bool:
        """Count a page that was read from `began` to `ended`, in seconds. Whether it is much since the last span."""
        if not self._busy:
            return True
        self._since = self._since or began
        self._spent += ended - began
        if (span := ended - self._since) < SPAN:
            return False
        share, self._since, self._spent = self._spent / span, ended, 0.0
        return share > self._busy


class Helper(asyncio.Protocol):
    """The other process, which reads what it is sent, one after the other."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._asked: deque[asyncio.Future[Document | None]] = deque()
        self._came = bytearray()
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def start(cls) -> Helper:
        """Raises `OSError` if there can be no process."""
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", __name__),
                stdin=theirs.fileno(),
                stdout=DEVNULL,
                stderr=DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                start_new_session=True,  # Ctrl-C is for the crawl, which decides what becomes of this
            )
        _, helper = await asyncio.get_running_loop().create_connection(lambda: cls(process), sock=ours)
        return helper

    def ask(self, response: Response) -> asyncio.Future[Document | None]:
        """The document of a response, when its turn has come; ConnectionError if the process is gone."""
        asked: asyncio.Future[Document | None] = asyncio.get_running_loop().create_future()
        if self._transport is None or self._transport.is_closing():
            raise ConnectionResetError
        self._asked.append(asked)
        order = Order(response.url, response.header("content-type") or "", response.body)
        self._transport.write(_packed(order))
        return asked

    async def end(self) -> None:
        """Let the process end, and wait until it has."""
        if self._transport is not None:
            self._transport.close()
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own are no subclasses

    def data_received(self, data: bytes) -> None:
        came = self._came
        came += data
        while len(came) >= _SIZE and len(came) >= (end := _SIZE + int.from_bytes(came[:_SIZE])):
            told = from_msgpack(bytes(came[_SIZE:end]), Told)
            del came[:end]
            asked = self._asked.popleft()
            if not asked.done():  # else the visit was given up
                asked.set_result(told.document)

    def connection_lost(self, exc: Exception | None) -> None:
        while self._asked:
            asked = self._asked.popleft()
            if not asked.done():
                asked.set_exception(ConnectionResetError())


def _packed(message: Record) -> bytes:
    """A message behind its length."""
    content = msgspec.msgpack.encode(message)
    return len(content).to_bytes(_SIZE) + content


# -- in the other process ----------------------------------------------------------------------------------------


def serve(crawl: socket.socket) -> None:
    """Read what comes until nobody sends any more."""
    with crawl, crawl.makefile("rb", buffering=_BUFFER) as orders:
        while size := orders.read(_SIZE):
            order = from_msgpack(orders.read(int.from_bytes(size)), Order)
            crawl.sendall(_packed(Told(_document(order))))


def _document(order: Order) -> Document | None:
    try:
        document = read(order.body, order.url, order.content_type)
    except Exception:
        return None
    return msgspec.structs.replace(document, markup="")  # what a page has of it does not need the source


if __name__ == "__main__":
    with suppress(EOFError, ConnectionError, msgspec.DecodeError):  # the crawl was ended
        serve(socket.socket(fileno=sys.stdin.fileno()))
