"""What every reader of inputs needs: the topic as it was written, and a way to read the pages that it names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from lycosa.build import start_url
from lycosa.crawl.ports import Clock, Web
from lycosa.crawl.topic import TopicModel
from lycosa.drive.page import page_of
from lycosa.drive.visit import Robots, Visitor
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Page, Request, Response
from lycosa.model.url import Url
from lycosa.spec import TopicSpec

Item = TypeVar("Item")

MEDIA_TYPES = {".txt": "text/plain", ".md": "text/plain", ".xml": "application/xml"}


class Reading:
    """Reads what a topic names. Pages come from files, or from the crawl's own web by its own manners."""

    def __init__(
        self,
        topic: TopicSpec,
        web: Web,
        robots: Robots | None,
        clock: Clock,
        *,
        seeds: Sequence[Url] = (),
    ) -> None:
        self.topic, self.seeds = topic, tuple(seeds)
        self._web, self._robots, self._clock = web, robots, clock
        self.model: TopicModel | None = None
        """The crawl's own topic model, for readers that are asked for after it was made."""
        self.notes: list[str] = []
        """What a person should know of what was read, a line each."""

    async def page(self, example: str) -> Page:
        """A page by URL or file name. Raises `InputError` for one that cannot be had or has no words."""
        page = await self._fetched(example) if is_url(example) else page_in_file(Path(example))
        if not page.terms:
            raise InputError(f"example page {example}: has no words to go by")
        return page

    async def _fetched(self, example: str) -> Page:
        visitor = Visitor(self._web, self._robots, None, lambda request, url: None, self._clock)
        visit = await visitor(Request(url=start_url(example), order=0))
        if isinstance(visit, Page):
            return visit
        raise InputError(f"example page {example}: cannot be fetched ({visit.reason.value}: {visit.detail})")


def evenly(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of them, at equal distances."""
    n = len(items)
    return list(items) if n <= most else [items[i * n // most] for i in range(most)]


def is_url(example: str) -> bool:
    return example.startswith(("http://", "https://"))


def page_in_file(path: Path) -> Page:
    """A page saved as a file, read by the kind that its name says. Raises `InputError` if it cannot be read."""
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"example page {path}: cannot be read: {error.strerror}") from None
    url = Url("http://example.invalid/")
    media_type = MEDIA_TYPES.get(path.suffix.lower(), "text/html")
    headers = (("Content-Type", media_type),)
    response = Response(url=url, status=200, headers=headers, body=body, fetched_at=Millis(0))
    return page_of(Request(url=url, order=0), response, None)
