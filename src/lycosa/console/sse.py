"""Server-sent events: what a crawl does, as it does it (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lycosa.console.desk import desk_of
from lycosa.crawls.answers import Happening
from lycosa.watch.hub import Update

ALIVE_EVERY: Final = 15.0
"""Seconds after which a word is sent that says nothing, so that a connection that is gone is noticed."""
MEDIA_TYPE: Final = "text/event-stream"
RETRY: Final = 2_000
"""Milliseconds after which a browser comes again."""


def event(kind: str, data: object, token: str = "") -> bytes:
    """One event. JSON has no line breaks, so its data is one line."""
    written = msgspec.json.encode(data, enc_hook=str)
    number = f"id: {token}\n".encode() if token else b""
    return b"event: " + kind.encode() + b"\n" + number + b"data: " + written + b"\n\n"


def events_of(update: Update) -> list[bytes]:
    """An update as events: `happenings` (with the token to go on from), `status`, `outlook`, `trouble`, `again`."""
    found = []
    if update.anew:
        found.append(event("anew", {}))
    if update.trouble:
        found.append(event("trouble", {"detail": update.trouble}))
    if update.again:
        found.append(event("again", {}))
    if update.happenings:
        told: tuple[Happening, ...] = update.happenings
        found.append(event("happenings", told, told[-1].token))
    if update.status is not None:
        found.append(event("status", update.status))
    if update.outlook is not None:
        found.append(event("outlook", update.outlook))
    return found


async def follow(request: Request) -> Response:
    """`GET …/events`: from now on, or from the token of `Last-Event-ID` or `?after=` on."""
    if request.method == "HEAD":
        return Response(media_type=MEDIA_TYPE)
    desk, name = desk_of(request), request.path_params["name"]
    token = request.headers.get("last-event-id") or request.query_params.get("after")
    updates = desk.hub.follow(name, token)
    first = await anext(updates)  # no such crawl, or no such token: told before the stream begins

    async def sent() -> AsyncIterator[bytes]:
        yield f"retry: {RETRY}\n\n".encode()
        for each in events_of(first):
            yield each
        coming = asyncio.ensure_future(anext(updates, None))
        try:
            while True:
                done, _ = await asyncio.wait([coming], timeout=ALIVE_EVERY)
                if not done:
                    yield b": still here\n\n"
                    continue
                if (update := coming.result()) is None:
                    return
                for each in events_of(update):
                    yield each
                coming = asyncio.ensure_future(anext(updates, None))
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
            await updates.aclose()

    return StreamingResponse(sent(), media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"})
