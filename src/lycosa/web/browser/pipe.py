"""The DevTools protocol over two pipes: messages in JSON, each ended by a NUL.

Chromium speaks it over a WebSocket, too. But then it listens on a port, where every program of the machine can lead it;
a pipe belongs to its two ends. It ends with either of them, so no browser outlives a crawl, however that ended. A
client library (playwright) would bring a process of Node and its own ideas of when a page is done, for what takes
these few lines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from lycosa.model.decoding import json_reader
from lycosa.model.records import Record

Said = Mapping[str, Any]
"""Parameters of an event, results of a call."""
Ear = Callable[[str, Said], None]
"""Hears the events of a session: their name, and what they say."""

_LONGEST: Final = 256 << 20
"""Bytes of one message. The longest that is asked for is the markup of a page."""


class BrowserEnded(Exception):
    """There is nobody at the other end any more."""


class Denied(Exception):
    """The browser did not do what it was told."""


class _Message(Record, frozen=True, gc=False):
    id: int = 0
    method: str = ""
    params: Mapping[str, Any] = {}
    result: Mapping[str, Any] = {}
    error: Mapping[str, Any] = {}
    sessionId: str = ""


_read: Final = json_reader(_Message)


class Pipe(asyncio.Protocol):
    """Both directions. Calls wait for their answers, in any order; events go to the ear of their session at once.

    Invariants, each the name of a property test:

    * whole and in order: events are heard as they were said, wherever what comes is cut.
    """

    def __init__(self) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._writer: asyncio.WriteTransport | None = None
        self._reader: asyncio.BaseTransport | None = None
        self._parts: list[bytes] = []
        self._length = 0
        self._number = 0
        self._calls: dict[int, asyncio.Future[Said]] = {}
        self._otherwise: dict[int, Callable[[], None]] = {}
        self._ears: dict[str, Ear] = {}

    def begin(self, writer: asyncio.WriteTransport) -> None:
        self._writer = writer

    def listen(self, session: str, ear: Ear) -> None:
        """Let `ear` hear what is told of a session; the browser itself is the session without a name."""
        self._ears[session] = ear

    def ignore(self, session: str) -> None:
        self._ears.pop(session, None)

    async def call(self, method: str, session: str = "", **params: Any) -> Said:
        """Raises `Denied` for what cannot be done, and `BrowserEnded`."""
        answer: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
        self._calls[number := self.tell(method, session, **params)] = answer
        try:
            return await answer
        finally:
            self._calls.pop(number, None)

    def tell(
        self, method: str, session: str = "", otherwise: Callable[[], None] | None = None, **params: Any
    ) -> int:
        """Call without waiting. What is answered is not heard; `otherwise` is done if it was denied."""
        if self._writer is None or self.ended.done():
            raise BrowserEnded
        self._number += 1
        said = {"id": self._number, "method": method, "params": params}
        if session:
            said["sessionId"] = session
        if otherwise is not None:
            self._otherwise[self._number] = otherwise
        self._writer.write(msgspec.json.encode(said) + b"\0")
        return self._number

    def end(self) -> None:
        if self.ended.done():
            return
        for transport in (self._writer, self._reader):
            if transport is not None:
                transport.close()
        self.connection_lost(None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._reader = transport

    def data_received(self, data: bytes) -> None:
        *whole, rest = data.split(b"\0")
        for part in whole:
            message = b"".join((*self._parts, part))
            self._parts, self._length = [], 0
            self._hear(message)
        if rest:
            self._parts.append(rest)
            self._length += len(rest)
        if self._length > _LONGEST:
            self.end()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.ended.done():
            return
        self.ended.set_result(None)
        for answer in self._calls.values():
            if not answer.done():
                answer.set_exception(BrowserEnded())

    def _hear(self, message: bytes) -> None:
        try:
            said = _read(message)
        except (msgspec.DecodeError, RecursionError):  # whoever waits for it must learn that it will not come
            self.end()
            return
        if said.method:
            if ear := self._ears.get(said.sessionId):
                ear(said.method, said.params)
            return
        otherwise = self._otherwise.pop(said.id, None)
        if otherwise is not None and said.error:
            otherwise()
        if (answer := self._calls.get(said.id)) and not answer.done():
            if said.error:
                answer.set_exception(Denied(str(said.error.get("message", ""))[:500]))
            else:
                answer.set_result(said.result)
