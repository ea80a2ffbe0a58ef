"""What people say to a crawl about its pages: marks, and that pages changed."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lycosa.console.desk import Desk
from lycosa.console.rest.operation import OfCrawl, Operation
from lycosa.crawls.answers import Mark
from lycosa.model.records import Record
from lycosa.model.url import Url

URLS = 1_000
"""That may be named at once."""

Urls = Annotated[
    tuple[Annotated[str, msgspec.Meta(max_length=10_000)], ...], msgspec.Meta(min_length=1, max_length=URLS)
]


class Marking(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of pages of the crawl."""

    urls: Urls
    good: bool | None
    """Whether they are on topic; null: what was said before is taken back."""


class Changed(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pages that changed just now."""

    urls: Urls


def list_marks(desk: Desk, given: OfCrawl) -> list[Mark]:
    """List what was said of pages; the last of a page is what holds."""
    with desk.opened(given.name) as folder:
        return list(folder.marks())


def mark_pages(desk: Desk, given: OfCrawl, marking: Marking) -> list[Mark]:
    """Say of pages of a crawl whether they are on topic, or take that back."""
    with desk.opened(given.name) as folder:
        return list(folder.mark(*marking.urls, good=marking.good))


def tell_changed(desk: Desk, given: OfCrawl, changed: Changed) -> list[Url]:
    """Tell a crawl that pages changed just now; the URLs as it asks for them."""
    with desk.opened(given.name) as folder:
        return folder.ping(*changed.urls)


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/marks",
        answer=list_marks,
        takes=OfCrawl,
        gives=list[Mark],
        tag="saying",
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/marks",
        answer=mark_pages,
        takes=OfCrawl,
        body=Marking,
        gives=list[Mark],
        tag="saying",
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/changed",
        answer=tell_changed,
        takes=OfCrawl,
        body=Changed,
        gives=list[Url],
        tag="saying",
    ),
)
