"""Files that are sent while they are written: in bounded memory, at the pace of whoever reads them."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, BinaryIO, Final, cast
from urllib.parse import quote

from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

CHUNK: Final = 1 << 16
"""Bytes that are sent at once."""
AHEAD: Final = 4
"""Chunks that may be written before they are sent."""


class Flowing(StreamingResponse):
    """A file to keep, written in a thread of its own. If whoever reads it goes away, the writing ends."""

    def __init__(self, write: Callable[[BinaryIO], object], media_type: str, name: str) -> None:
        """`write` is given the file. `name` is what the file is to be called."""
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
        super().__init__(_chunks(write), media_type=media_type, headers=headers)


class _Pipe(io.RawIOBase):
    """The end that is written to. Its other end is in the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.chunks: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._room = threading.Semaphore(AHEAD)
        self._gone = threading.Event()
        self._swallows = False

    def writable(self) -> bool:
        return True

    def write(self, part: ReadableBuffer) -> int:
        if self._swallows:
            return memoryview(part).nbytes
        if not self._gone.is_set():
            self._room.acquire()
        if self._gone.is_set():
            raise BrokenPipeError
        chunk = bytes(part)
        self._put(chunk)
        return len(chunk)

    def _put(self, chunk: bytes | Exception | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self.chunks.put_nowait, chunk)
        except RuntimeError:  # the server has ended
            self._gone.set()

    def end(self, error: Exception | None = None) -> None:
        if not self._gone.is_set():
            self._put(error)

    def swallow(self) -> None:
        """Whoever writes was told that nobody reads; what his buffers still hold goes nowhere, without complaint."""
        self._swallows = True

    def taken(self) -> None:
        self._room.release()

    def let_go(self) -> None:
        """Nobody reads any more."""
        self._gone.set()
        self._room.release()


async def _chunks(write: Callable[[BinaryIO], object]) -> AsyncIterator[bytes]:
    pipe = _Pipe(asyncio.get_running_loop())
    threading.Thread(target=_written, args=(write, pipe), daemon=True).start()
    try:
        while (chunk := await pipe.chunks.get()) is not None:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk
            pipe.taken()
    finally:
        pipe.let_go()


def _written(write: Callable[[BinaryIO], object], pipe: _Pipe) -> None:
    file = io.BufferedWriter(pipe, CHUNK)
    try:
        write(cast("BinaryIO", file))
        file.flush()
    except BrokenPipeError:
        pipe.swallow()
    except Exception as error:
        pipe.end(error)  # what was sent has begun as a success: the connection is cut
    else:
        pipe.end()
