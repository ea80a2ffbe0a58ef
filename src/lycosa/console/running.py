"""The server of the page, on loopback unless told otherwise."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import uvicorn

from lycosa.console.app import app
from lycosa.console.desk import Desk
from lycosa.console.inert_origin import archive_app
from lycosa.console.patience import LONGEST_HEAD, PatientProtocol
from lycosa.library.library import Library
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.serving.address import bound, is_loopback, names_of, token_for

if TYPE_CHECKING:
    from starlette.types import ASGIApp

DEFAULT_PORT: Final = 8_900
CONNECTIONS: Final = 500
"""That may be open at once; more are told to come again."""
PATIENCE: Final = 2
"""Seconds for requests that are being answered when the server ends; event streams are cut then."""


class Address(Record, frozen=True, kw_only=True):
    """Where the page is."""

    host: str
    port: int
    token: str = ""
    """Without which nobody may ask; empty: whoever is on this machine may."""

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def first(self) -> str:
        """The address to open first: with the token, which becomes a cookie."""
        return self.at("/")

    def at(self, path: str) -> str:
        """The address of a path, to be opened first."""
        return f"{self.origin}{path}{f'?token={self.token}' if self.token else ''}"


class Server:
    """The page's server, bound to its port and ready to run."""

    def __init__(
        self, library: Library, *, host: str = "127.0.0.1", port: int = DEFAULT_PORT, token: str = "",
        lab: Path | None = None,
    ) -> None:  # fmt: skip
        """`port` 0: any that is free. Another `host` than loopback needs a `token`; empty: one is made up.

        Raises `InputError` if the port is taken, or the host is none of this machine.
        """
        self._socket = bound(host, port)
        token = token_for(host, token)
        self.address = Address(host=host, port=self._socket.getsockname()[1], token=token)
        self._other = _next_to(host, self.address.port)
        other = Address(host=host, port=self._other.getsockname()[1])
        names = names_of(host, self.address.port)
        # A policy cannot name an address of IPv6, or one that is called by any name: there archived pages are texts.
        named = ":" not in host and bool(names)
        self.desk = Desk(library, lab=lab, archive_origin=other.origin if named else "")
        self._server = _Listening(_configured(app(self.desk, hosts=names, token=token)), self.desk)
        pages = [f"http://{name}" for name in names if not name.startswith("[")]
        self._archive = uvicorn.Server(
            _configured(archive_app(self.desk, hosts=names_of(host, other.port), framed_by=pages))
        )

    def run(self) -> None:
        """Serve until Ctrl-C."""
        beside = threading.Thread(target=self._archive.run, args=([self._other],), daemon=True)
        with closing(self._socket), closing(self._other):
            beside.start()
            try:
                self._server.run(sockets=[self._socket])
            finally:
                self._archive.should_exit = True
                beside.join(PATIENCE)

    @contextmanager
    def beside(self) -> Iterator[Address]:
        """Serve in a thread of its own, as long as the context lasts."""
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        while not (self._server.started and self._archive.started) and thread.is_alive():
            time.sleep(0.01)
        try:
            yield self.address
        finally:
            self._server.should_exit = True
            thread.join(5 * PATIENCE)


class _Listening(uvicorn.Server):
    """Ends the event streams when it ends: whoever follows would keep it up for as long as its patience lasts."""

    def __init__(self, config: uvicorn.Config, desk: Desk) -> None:
        super().__init__(config)
        self._desk = desk

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._desk.hub.end()
        await super().shutdown(sockets)


def _configured(made: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        made,
        log_level="critical",  # faults are logged by the guard, and strangers could fill a log with the rest
        log_config=None,  # whoever begins the server says where logs go
        access_log=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=PATIENCE,
        server_header=False,
        http=PatientProtocol,
        ws="none",
        h11_max_incomplete_event_size=LONGEST_HEAD,
    )


def _next_to(host: str, port: int) -> socket.socket:
    """A socket for the other origin: on the next port, or on any that is free."""
    try:
        return bound(host, port + 1)
    except (InputError, OverflowError):
        return bound(host, 0)
