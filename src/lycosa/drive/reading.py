"""Reading as a visit asks for it: in place."""

from __future__ import annotations

from typing import Final, Protocol

from lycosa.drive.page import document_of, is_readable, media_type_of, page_with
from lycosa.model.records import Page, Reason, Record, RecordRef, Request, Response, with_links
from lycosa.model.url import Url
from lycosa.read.document import Document
from lycosa.read.office import WITHOUT_PACKAGE, kind_of

MAX_LINKS: Final = 3_000
"""Distinct targets of a page: three times as many as any of 27,000 recorded pages has. So many are committed in about
0.1 s by the strategy that thinks longest over a link."""


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


def page_or_unread(
    request: Request, response: Response, record: RecordRef | None, max_links: int = MAX_LINKS
) -> Page | Unread:
    """Read a response, if there is text to be had of it. See `within` for `max_links`."""
    if (no_text := without_text(response)) is not None:
        return no_text
    return page_in(document_of(response), request, response, record, max_links)


def without_text(response: Response) -> Unread | None:
    """That there is no text to be had of a response; None if there is."""
    if is_readable(response):
        return None
    return Unread(reason=Reason.NOT_TEXT, detail=_no_text(response))


def page_in(
    document: Document, request: Request, response: Response, record: RecordRef | None, max_links: int
) -> Page | Unread:
    """The page of a response that was read, with as many links as it may have."""
    if document.unread:
        return Unread(reason=Reason.UNREADABLE, detail=document.unread)
    return within(page_with(document, request, response, record), max_links)


def _no_text(response: Response) -> str:
    media_type = media_type_of(response)
    if kind_of(media_type, response.body) is not None:
        return WITHOUT_PACKAGE
    return f"{media_type or 'without a media type'}: no text that lycosa reads"


def within(page: Page, max_links: int) -> Page:
    """The page with its links as far as they have `max_links` distinct targets; 0: with all.

    The journal keeps the targets, so the page is the same when it is read again from the archive.
    """
    if not max_links or len(page.links) <= max_links:
        return page
    targets = set[Url]()
    for place, link in enumerate(page.links):
        targets.add(link.target)
        if len(targets) > max_links:
            return with_links(page, place)
    return page


class InPlace:
    """Reads here and now. Nothing else happens meanwhile, so it suits small bodies and virtual time."""

    def __init__(self, max_links: int = MAX_LINKS) -> None:
        self.max_links = max_links

    async def read(self, request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
        return page_or_unread(request, response, record, self.max_links)

    async def close(self) -> None:
        """There is nothing to close."""


IN_PLACE: Final = InPlace()
