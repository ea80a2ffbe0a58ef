"""Reading as a visit asks for it: in place."""

from __future__ import annotations

from typing import Final, Protocol

from lycosa.drive.page import is_readable, media_type_of, page_of
from lycosa.model.records import Page, Reason, Record, RecordRef, Request, Response


class Unread(Record, frozen=True, kw_only=True, gc=False):
    """Why a response gave no page."""

    reason: Reason
    detail: str = ""


class Reader(Protocol):
    """Makes pages of responses."""

    async def read(self, request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
        """The page of a response with a status of success. What the way cost is not known here."""
        ...

    async def close(self) -> None:
        """Let go of what was opened for reading. Nothing is under way any more."""
        ...


def page_or_unread(request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
    """Read a response, if there is text to be had of it."""
    if not is_readable(response):
        what = f"{media_type_of(response) or 'without a media type'}: no text that lycosa reads"
        return Unread(reason=Reason.NOT_TEXT, detail=what)
    return page_of(request, response, record)


class InPlace:
    """Reads here and now. Nothing else happens meanwhile, so it suits small bodies and virtual time."""

    async def read(self, request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
        return page_or_unread(request, response, record)

    async def close(self) -> None:
        """There is nothing to close."""


IN_PLACE: Final = InPlace()
