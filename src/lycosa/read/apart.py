"""Readers in processes of their own: for files that may keep a reader busy for ever, fill the memory, or end it.

A process is started when the first file of its kind comes, anew rather than forked, and reads one file at a time for
whoever asks in this process. It has so many seconds for a file, and so much memory. A file that takes more ends it, and
the next one finds another.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from threading import Lock
from typing import Any, BinaryIO, Final, Generic, TypeVar

import msgspec

from lycosa.model.decoding import from_msgpack
from lycosa.model.errors import LycosaError
from lycosa.model.records import Record

CPU_LIMIT: Final = 10.0
"""Seconds of CPU for a file. A PDF of 300 pages takes 2."""
LIMIT: Final = 60.0
"""Seconds by the clock."""
MEMORY: Final = 1 << 30
"""Bytes of address space; ordinary files take a tenth."""
_SIZE: Final = 8


class Unreadable(LycosaError):
    """A file that gives no text: it needs a password, is damaged beyond repair, or what reads it is not installed."""


class Outcome(Record, frozen=True, kw_only=True):
    """What came of a file: one of the two."""

    found: bytes = b""
    """The record, packed."""
    unread: str = ""


Made = TypeVar("Made", bound=Record)


class Apart(Generic[Made]):
    """One kind of file, read in a process of its own.

    There the function `read_apart` of a module is asked, which takes bytes, and gives a record or raises `Unreadable`.
    """

    def __init__(self, module: str, made: type[Made], what: str) -> None:
        """`made` is the record's type, `what` a file of that kind in words."""
        self._module, self._made, self._what = module, made, what
        self._lock = Lock()
        self._process: _Process | None = None
        _all.append(self)

    def read(self, body: bytes) -> Made:
        """Takes as long as it takes to read it, and `LIMIT` at most. Raises `Unreadable`."""
        with self._lock:
            if self._process is None or not self._process.is_alive:
                self._process = _Process(self._module, self._what)
            content = self._process.ask(body)
        if not content:
            code = self._process.end()
            raise Unreadable(_why(code, self._what))
        outcome = from_msgpack(content, Outcome)
        if outcome.unread:
            raise Unreadable(outcome.unread)
        return from_msgpack(outcome.found, self._made)

    def end(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def forget(self) -> None:
        """In a process that was forked from one that has a process for this: it gets one of its own."""
        self._lock = Lock()
        self._process = None


_all: list[Apart[Any]] = []


class _Process:
    """The process, and how to ask it."""

    def __init__(self, module: str, what: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, module, what],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,  # Ctrl-C is for the process that asks
        )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, body: bytes) -> bytes:
        """An outcome, packed; empty if the process is no more."""
        orders, answers = self._process.stdin, self._process.stdout
        assert orders is not None
        assert answers is not None
        try:
            orders.write(len(body).to_bytes(_SIZE) + body)
            orders.flush()
            return answers.read(int.from_bytes(answers.read(_SIZE)))
        except BrokenPipeError:
            return b""

    def end(self) -> int:
        """End the process, if it did not end by itself; how it ended."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        try:
            return self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


@atexit.register
def _end() -> None:
    for each in _all:
        each.end()


def _forget() -> None:
    for each in _all:
        each.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _why(code: int, what: str) -> str:
    if code == -getattr(signal, "SIGPROF", 0):
        return f"{what} that takes more than {CPU_LIMIT:g} seconds of CPU"
    if code == -getattr(signal, "SIGALRM", 0):
        return f"{what} that takes more than {LIMIT:g} seconds"
    return f"{what} that ends the process that reads it, as one does that takes too much memory"


# -- in the other process ------------------------------------------------------------------------------------


def serve(read: Callable[[bytes], Record], what: str, orders: BinaryIO, answers: BinaryIO) -> None:
    """Read files as they are asked for, until nobody can ask any more."""
    _bound_memory()
    alarm: Any = getattr(signal, "setitimer", lambda *_: None)
    while size := orders.read(_SIZE):
        body = orders.read(int.from_bytes(size))
        alarm(getattr(signal, "ITIMER_PROF", 0), CPU_LIMIT)
        alarm(getattr(signal, "ITIMER_REAL", 0), LIMIT)
        content = msgspec.msgpack.encode(_outcome(read, what, body))
        alarm(getattr(signal, "ITIMER_PROF", 0), 0.0)
        alarm(getattr(signal, "ITIMER_REAL", 0), 0.0)
        answers.write(len(content).to_bytes(_SIZE) + content)
        answers.flush()


def _bound_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # macOS has the name, and no such limit
        pass


def _outcome(read: Callable[[bytes], Record], what: str, body: bytes) -> Outcome:
    try:
        return Outcome(found=msgspec.msgpack.encode(read(body)))
    except Unreadable as error:
        return Outcome(unread=str(error))
    except Exception as error:
        return Outcome(unread=f"{what} that cannot be read: {type(error).__name__}: {error}"[:300])


def main() -> None:
    """What the process runs, given the module that reads and what it reads, in words."""
    # This file runs as a program here, and the module that reads imports it by its name: one of the two is used.
    from lycosa.read import apart

    module, what = sys.argv[1:3]
    apart.serve(import_module(module).read_apart, what, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
