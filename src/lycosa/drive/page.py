"""From a response to a page: the same whether it comes from the web or, years later, from the archive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from lycosa.model.digests import payload_digest
from lycosa.model.records import Link, Page, RecordRef, Request, Response
from lycosa.model.url import Url
from lycosa.read.document import Document
from lycosa.read.html import read
from lycosa.read.kinds import readable
from lycosa.read.rights import of_headers
from lycosa.read.robots_tag import RobotsTag

DOM_TYPE: Final = "text/html; charset=utf-8"
MAX_TITLE: Final = 1_000
"""Characters of a title or a description. They stand in the journal, and whoever lists pages reads them: some ten
megabytes of each page of a hostile site would be too much."""


def media_type_of(response: Response) -> str:
    """The media type in lower case, without parameters; empty if none was sent."""
    return (response.header("content-type") or "").partition(";")[0].strip().lower()


def is_readable(response: Response) -> bool:
    """Whether there is text to be had of it."""
    return readable(media_type_of(response), response.body)


def page_of(request: Request, response: Response, record: RecordRef | None) -> Page:
    """Read a response. Relevance, hops and times of the way are not known here."""
    return page_with(document_of(response), request, response, record)


def document_of(response: Response) -> Document:
    """What a response says, by its body alone."""
    return read(response.body, response.url, response.header("content-type") or "")


def page_with(document: Document, request: Request, response: Response, record: RecordRef | None) -> Page:
    """The page of a response that was read."""
    tag = RobotsTag.of(response.header_values("x-robots-tag"))
    return Page(
        request=request,
        final_url=response.url,
        status=response.status,
        fetched_at=response.fetched_at,
        media_type=media_type_of(response),
        digest=payload_digest(response.body),
        title=document.title[:MAX_TITLE],
        text=document.text,
        links=_all_nofollow(document.links) if tag.nofollow else document.links,
        places=document.places,
        nav_lines=document.nav_lines,
        terms=document.terms,
        headings=document.headings,
        description=document.description[:MAX_TITLE],
        language=document.language,
        fingerprint=document.fingerprint,
        noindex=document.noindex or tag.noindex,
        needs_script=document.needs_script,
        rights=of_headers(response) + document.rights,
        record=record,
        address=response.address,
        elapsed=response.elapsed,
        etag=response.header("etag") or "",
        last_modified=response.header("last-modified") or "",
        feed=document.feed,
        dated=document.dated,
        alternates=document.alternates,
    )


def as_rendered(sent: Response, dom: Response) -> Response:
    """An answer with the DOM in place of what was sent: the headers hold for it too, but for those of the bytes."""
    kept = tuple(each for each in sent.headers if each[0].lower() != "content-type")
    return msgspec.structs.replace(
        sent, headers=(("Content-Type", DOM_TYPE), *kept), body=dom.body, truncated=dom.truncated
    )


def with_lead(page: Page, target: Url | None) -> Page:
    """The page with where a script wanted to lead it as its first link."""
    if target is None or target in (page.request.url, page.final_url):
        return page
    lead = Link(source=page.final_url, target=target, path="script")
    places = (-1, *page.places) if page.places else ()
    return msgspec.structs.replace(page, links=(lead, *page.links), places=places)


def _all_nofollow(links: Iterable[Link]) -> tuple[Link, ...]:
    return tuple(msgspec.structs.replace(link, nofollow=True) for link in links)
