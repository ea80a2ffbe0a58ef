"""From a response to a page: the same whether it comes from the web or, years later, from the archive."""

from __future__ import annotations

import msgspec

from lycosa.model.records import Page, RecordRef, Request, Response
from lycosa.read.html import Document, read, readable
from lycosa.read.robots_tag import RobotsTag


def media_type_of(response: Response) -> str:
    """The media type in lower case, without parameters; empty if none was sent."""
    return (response.header("content-type") or "").partition(";")[0].strip().lower()


def is_readable(response: Response) -> bool:
    """Whether there is text to be had of it."""
    return readable(media_type_of(response), response.body)


def page_of(
    request: Request, response: Response, record: RecordRef | None, *, follow_nofollow: bool = False
) -> Page:
    """Read a response. Relevance, hops and times of the way are not known here."""
    document = read(response.body, response.url, response.header("content-type") or "")
    tag = RobotsTag.of(response.header_values("x-robots-tag"))
    nofollow = (document.nofollow or tag.nofollow) and not follow_nofollow
    return Page(
        request=request,
        final_url=response.url,
        status=response.status,
        fetched_at=response.fetched_at,
        media_type=media_type_of(response),
        digest=document.digest,
        title=document.title,
        text=document.text,
        links=_all_nofollow(document) if nofollow else document.links,
        terms=document.terms,
        headings=document.headings,
        description=document.description,
        language=document.language,
        fingerprint=document.fingerprint,
        noindex=document.noindex or tag.noindex,
        record=record,
        address=response.address,
        elapsed=response.elapsed,
    )


def _all_nofollow(document: Document):
    return tuple(msgspec.structs.replace(link, nofollow=True) for link in document.links)
