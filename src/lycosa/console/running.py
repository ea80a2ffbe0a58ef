"""The server of the page, on loopback unless told otherwise."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import uvicorn

from lycosa.console.app import app
from lycosa.console.desk import Desk
from lycosa.library.library import Library
from lycosa.model.records import Record
from lycosa.serving.address import bound, is_loopback, names_of, token_for

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
        self.desk = Desk(library, lab=lab)
        made = app(self.desk, hosts=names_of(host, self.address.port), token=token)
        config = uvicorn.Config(
            made,
            log_level="warning",
            access_log=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=PATIENCE,
            server_header=False,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until Ctrl-C."""
        with closing(self._socket):
            self._server.run(sockets=[self._socket])

    @contextmanager
    def beside(self) -> Iterator[Address]:
        """Serve in a thread of its own, as long as the context lasts."""
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        while not self._server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield self.address
        finally:
            self._server.should_exit = True
            thread.join(5 * PATIENCE)
