"""Connections that are let go: of clients that say too little, or take too little, for too long."""

from __future__ import annotations

import asyncio
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

WHOLE_WITHIN: Final = 15.0
"""Seconds in which a request must have come whole, head and body."""
READ_WITHIN: Final = 30.0
"""Seconds in which something of what waits for a client must have been taken."""
LONGEST_HEAD: Final = 16 << 10
"""Bytes of a request's line and headers together."""
BARE: Final = (
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; sandbox"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"connection", b"close"),
)
"""Headers of an answer to what is no request."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with bounds on time.

    Invariants, each the name of a test:

    * requests come whole: a connection of which no whole request comes in time is cut, however it drips.
    * readers read: a connection whose client takes nothing of what waits for it is cut.
    * what is no request learns nothing: it is answered in one line, under the walls of all answers.
    """

    whole_within = WHOLE_WITHIN
    read_within = READ_WITHIN
    _awaits: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._awaits = self.loop.call_later(self.whole_within, self._cut)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            if self._awaits is None:
                self._awaits = self.loop.call_later(self.whole_within, self._cut)
        else:
            self._stop_waiting()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.read_within, self._cut)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():  # it closes once all was taken, which may be never
            self.loop.call_later(self.read_within, self.transport.abort)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self.loop.call_later(self.read_within, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def send_400_response(self, msg: str) -> None:
        """To what is no request of HTTP/1.1, or one with a longer head than there may be."""
        answer = h11.Response(status_code=400, headers=list(BARE), reason=b"Bad Request")
        try:
            for event in (answer, h11.Data(data=f"{msg}\n".encode("ascii")), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # an answer to an earlier request is under way
        self.transport.close()
        self.loop.call_later(self.read_within, self.transport.abort)

    def _cut(self) -> None:
        self._awaits = None
        self.transport.abort()

    def _stop_waiting(self) -> None:
        if self._awaits is not None:
            self._awaits.cancel()
            self._awaits = None
