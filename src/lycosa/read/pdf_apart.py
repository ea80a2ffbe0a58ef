"""PDFium in a process of its own: it is written in C++, and a file may keep it busy for ever, fill the memory, or end
it.

The process is started when the first PDF comes, anew rather than forked, and reads one file at a time for whoever asks
in this process. It has so many seconds for a file, and so much memory. A file that takes more ends it, and the next one
finds another.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Lock
from typing import Any, BinaryIO, Final

import msgspec

from lycosa.model.decoding import from_msgpack
from lycosa.model.records import Record
from lycosa.read.pdf import WITHOUT_PACKAGE, Print, UnreadablePdf, can_read, printed

CPU_LIMIT: Final = 10.0
"""Seconds of CPU for a file. One of 300 pages takes 2."""
LIMIT: Final = 60.0
"""Seconds by the clock."""
MEMORY: Final = 1 << 30
"""Bytes of address space; ordinary files take a tenth."""
_SIZE: Final = 8


class Outcome(Record, frozen=True, kw_only=True):
    """What came of a file: one of the two."""

    found: Print | None = None
    unread: str = ""


def printed_apart(body: bytes) -> Print:
    """What is printed in a PDF. Raises `UnreadablePdf`. Takes as long as it takes to read it, and `LIMIT` at most."""
    if not can_read():
        raise UnreadablePdf(WITHOUT_PACKAGE)
    with _LOCK:
        return _helper().ask(body)


class _Helper:
    """The process, and how to ask it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,  # Ctrl-C is for the process that asks
        )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, body: bytes) -> Print:
        orders, answers = self._process.stdin, self._process.stdout
        assert orders is not None
        assert answers is not None
        try:
            orders.write(len(body).to_bytes(_SIZE) + body)
            orders.flush()
            content = answers.read(int.from_bytes(answers.read(_SIZE)))
        except BrokenPipeError:
            content = b""
        if not content:
            raise UnreadablePdf(_why(self.end()))
        outcome = from_msgpack(content, Outcome)
        if outcome.found is None:
            raise UnreadablePdf(outcome.unread)
        return outcome.found

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


_LOCK = Lock()
_helpers: list[_Helper] = []


def _helper() -> _Helper:
    if not _helpers or not _helpers[0].is_alive:
        _helpers[:] = [_Helper()]
    return _helpers[0]


@atexit.register
def _end() -> None:
    for helper in _helpers:
        helper.end()
    _helpers.clear()


def _forget() -> None:
    """In a process that was forked from one that has a process for this: it gets one of its own."""
    global _LOCK
    _LOCK = Lock()
    _helpers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _why(code: int) -> str:
    if code == -getattr(signal, "SIGPROF", 0):
        return f"a PDF that takes more than {CPU_LIMIT:g} seconds of CPU"
    if code == -getattr(signal, "SIGALRM", 0):
        return f"a PDF that takes more than {LIMIT:g} seconds"
    return "a PDF that ends the process that reads it, as one does that takes too much memory"


# -- in the other process ------------------------------------------------------------------------------------


def serve(orders: BinaryIO, answers: BinaryIO) -> None:
    """Read files as they are asked for, until nobody can ask any more."""
    _bound_memory()
    alarm: Any = getattr(signal, "setitimer", lambda *_: None)
    while size := orders.read(_SIZE):
        body = orders.read(int.from_bytes(size))
        alarm(getattr(signal, "ITIMER_PROF", 0), CPU_LIMIT)
        alarm(getattr(signal, "ITIMER_REAL", 0), LIMIT)
        content = msgspec.msgpack.encode(_outcome(body))
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


def _outcome(body: bytes) -> Outcome:
    try:
        return Outcome(found=printed(body))
    except UnreadablePdf as error:
        return Outcome(unread=str(error))
    except Exception as error:
        return Outcome(unread=f"a PDF that cannot be read: {type(error).__name__}: {error}")


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
