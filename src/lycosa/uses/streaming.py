"""The stream of a crawl for other programs: as WARC, as JSON lines, as texts; and the same over HTTP."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

import msgspec
from aiohttp import web

from lycosa.crawls.frames import encodable
from lycosa.crawls.interface import Folder, Records
from lycosa.crawls.opening import open_folder
from lycosa.crawls.stream import Streamed, condition
from lycosa.model.errors import InputError, LycosaError
from lycosa.model.moments import iso

Kind = Literal["warc", "jsonl", "text"]
KINDS: tuple[Kind, ...] = get_args(Kind)
TYPES = {"warc": "application/warc", "jsonl": "application/jsonl", "text": "text/plain; charset=utf-8"}

CHUNK = 1 << 20
"""Bytes after which a chunk of an answer is sent."""
MOST_WHOLE = 64 << 20
"""Bytes after which an answer with a limit ends, if the limit is not reached before."""
PAUSE = 0.5
"""Seconds after which a stream that follows a crawl looks again."""
OWN_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})

_encode = msgspec.json.Encoder().encode


def stream_of(folder: Folder, kind: Kind, token: str, where: str) -> Records:
    """The stream to be written as this kind: of texts there are only those of pages. Raises `InputError`."""
    if kind == "text":
        condition(where)  # what is wrong is told of what was written
        where = f"({where}\n) and page" if where.strip() else "page"
    return folder.stream(token, where, with_pages=kind == "jsonl")


def packed(record: Streamed, kind: Kind) -> bytes:
    """One record of a stream. Raises `FolderError` for WARC that is not there any more."""
    match kind:
        case "warc":
            return record.raw
        case "jsonl":
            return _encode(_fields(record)) + b"\n"
        case "text":
            return bundled(record.url, iso(record.at), record.text.encode("utf-8", "replace") + b"\n")


def bundled(url: str, date: str, body: bytes) -> bytes:
    """One object of a bundle: `URL SIZE DATE`, a line end, and as many bytes (Burner, "Crawling towards Eternity",
    1997). Whoever looks for an object skips the others by their sizes."""
    return f"{url} {len(body)} {date}\n".encode("utf-8", "replace") + body


def _fields(record: Streamed) -> dict[str, object]:
    page, place = record.page, record.record
    return {
        "token": record.token,
        **({"node": record.node} if record.node else {}),
        "url": record.url,
        "fetched_at": iso(record.at),
        "status": record.status,
        "media_type": record.media_type,
        "digest": record.capture.digest,
        "step": None if page is None else page.step,
        "relevance": None if page is None else page.relevance,
        "title": None if page is None else encodable(page.title),
        "text": encodable(record.text),
        "warc_file": place.file,
        "warc_offset": place.offset,
        "warc_length": place.length,
    }


# -- over HTTP -----------------------------------------------------------------------------------------------


class StreamServer:
    """Answers `GET /?from=TOKEN&where=CONDITION&to=KIND&limit=N&follow` for any number of readers at once.

    With a limit the answer is whole, and its header `Lycosa-Token` says where to go on. Without one it comes in chunks
    to the end of what is stored; with `follow` to the end of the crawl's run. Requests that do not name this machine
    as their host are refused, so that no web page can read the crawl through a name of its own (DNS rebinding).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def application(self) -> web.Application:
        served = web.Application()
        served.router.add_get("/", self.answer)
        return served

    async def answer(self, request: web.Request) -> web.StreamResponse:
        host = request.host.rpartition(":")[0] or request.host
        if host not in OWN_NAMES and request.host not in OWN_NAMES:
            raise web.HTTPForbidden(text="this server answers to localhost only\n")
        try:
            with open_folder(self.folder) as folder:
                return await self._answer(request, folder)
        except InputError as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from None
        except LycosaError as error:
            raise web.HTTPInternalServerError(text=f"{error}\n") from None

    async def _answer(self, request: web.Request, folder: Folder) -> web.StreamResponse:
        asked = request.query
        kind, limit = _kind(asked.get("to", "warc")), _limit(asked.get("limit", ""))
        stream = stream_of(folder, kind, asked.get("from", ""), asked.get("where", ""))
        if limit is not None:
            body, token = await asyncio.to_thread(_whole, stream, kind, limit)
            return web.Response(body=body, headers={**_headers(kind), "Lycosa-Token": token})
        # What is wrong with the token comes out with the first record, when an error can still be told.
        chunks = _chunks(stream, kind)
        first = await asyncio.to_thread(next, chunks, b"")
        answer = web.StreamResponse(headers=_headers(kind))
        answer.enable_chunked_encoding()
        await answer.prepare(request)
        grows = "follow" in asked and stream.is_growing  # asked before, so that nothing is missed
        await _send(answer, first, chunks)
        while grows:
            await asyncio.sleep(PAUSE)
            grows = stream.is_growing
            await _send(answer, b"", _chunks(stream, kind))
        await answer.write_eof()
        return answer


async def _send(answer: web.StreamResponse, first: bytes, chunks: Iterator[bytes]) -> None:
    chunk = first
    while chunk or (chunk := await asyncio.to_thread(next, chunks, b"")):
        await answer.write(chunk)
        chunk = b""


def _chunks(stream: Records, kind: Kind) -> Iterator[bytes]:
    """What is there now, in pieces of some size."""
    parts: list[bytes] = []
    size = 0
    for record in stream:
        parts.append(packed(record, kind))
        size += len(parts[-1])
        if size >= CHUNK:
            yield b"".join(parts)
            parts, size = [], 0
    if parts:
        yield b"".join(parts)


def _whole(stream: Records, kind: Kind, limit: int) -> tuple[bytes, str]:
    """Up to so many records, and where to go on."""
    parts: list[bytes] = []
    size = 0
    for record in islice(stream, limit):
        parts.append(packed(record, kind))
        size += len(parts[-1])
        if size >= MOST_WHOLE:
            break
    return b"".join(parts), stream.token


def _headers(kind: Kind) -> dict[str, str]:
    """No browser is to take what others wrote for a page of this server."""
    return {"Content-Type": TYPES[kind], "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}


def _kind(written: str) -> Kind:
    if written not in KINDS:
        raise InputError(f"to={written}: there are {', '.join(KINDS)}")
    return written


def _limit(written: str) -> int | None:
    if not written:
        return None
    if not (written.isascii() and written.isdigit() and int(written)):
        raise InputError(f"limit={written}: is no number above 0")
    return int(written)


async def serve(folder: Path, port: int, say: Callable[[str], None]) -> None:
    """Serve on loopback until cancelled or told to end (SIGTERM). `say` is told the address once it is known.

    Raises `InputError` if the port is taken.
    """
    runner = web.AppRunner(StreamServer(folder).application(), access_log=None, shutdown_timeout=PAUSE)
    await runner.setup()
    told = asyncio.Event()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not in the main thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
        say(f"Streaming on http://127.0.0.1:{runner.addresses[0][1]}/ . Ctrl-C ends.")
        await told.wait()
    except OSError as error:
        raise InputError(
            f"cannot listen on 127.0.0.1:{port}: {error.strerror}; choose another with --serve"
        ) from None
    finally:
        await runner.cleanup()
