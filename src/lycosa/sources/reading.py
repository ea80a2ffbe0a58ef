"""What every reader of inputs needs: the topic as it was written, and a way to read the pages that it names.

What fetches and reads pages is imported when there is one: whoever looks at a folder takes the topic as it was kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from lycosa.crawl.ports import Clock, Web
from lycosa.crawl.topic import TopicModel
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Millis, Page, Request, Response
from lycosa.model.url import Url
from lycosa.spec.derived import start_url
from lycosa.spec.tree import TopicSpec

if TYPE_CHECKING:
    from lycosa.drive.visit import Robots

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
        self.seeds = tuple(seeds)
        self.set_aside: tuple[str, ...] = ()
        """Examples that nobody is told of, so that it can be seen whether the crawl finds them."""
        self.topic = replace(topic, examples=self.told(topic.examples, topic.hold_out))
        self._web, self._robots, self._clock = web, robots, clock
        self.model: TopicModel | None = None
        """The crawl's own topic model, for readers that are asked for after it was made."""
        self.notes: list[str] = []
        """What a person should know of what was read, a line each."""

    def told(self, examples: Sequence[str], share: float) -> tuple[str, ...]:
        """The examples that the crawl may know of; a `share` of those that are URLs and no start pages is set aside.

        Which ones depends on their URLs alone: the same come aside whatever else is given. At least one is, and at
        least one stays.
        """
        if not share:
            return tuple(examples)
        open_to_find = [
            one for one in dict.fromkeys(examples) if is_url(one) and start_url(one) not in self.seeds
        ]
        count = min(max(1, round(share * len(open_to_find))), len(set(examples)) - 1)
        aside = sorted(open_to_find, key=lambda one: sha256(start_url(one).encode()).digest())[:count]
        self.set_aside = tuple(dict.fromkeys((*self.set_aside, *aside)))
        return tuple(one for one in examples if one not in self.set_aside)

    async def held_out(self) -> tuple[tuple[Url, ...], ...]:
        """The examples set aside, each by all its names. One that redirects to a start page is left out, and one that
        cannot be fetched, which is noted."""
        found: dict[Url, tuple[Url, ...]] = {}
        for example in self.set_aside:
            try:
                page = await self.page(example)
            except InputError as error:
                self.notes.append(f"{error}; it is not held out")
                continue
            names = tuple(dict.fromkeys((page.url, *page.hops, page.final_url)))
            if not set(names) & set(self.seeds):
                found[page.final_url] = names
        return tuple(found.values())

    async def page(self, example: str) -> Page:
        """A page by URL or file name. Raises `InputError` for one that cannot be had or has no words."""
        page = await self._fetched(example) if is_url(example) else page_in_file(Path(example))
        if not page.terms:
            raise InputError(f"example page {example}: has no words to go by")
        return page

    async def _fetched(self, example: str) -> Page:
        from lycosa.drive.patience import visited
        from lycosa.drive.visit import Visitor

        visitor = Visitor(self._web, self._robots, None, lambda request, url: None, self._clock)
        visit = await visited(visitor, Request(url=start_url(example), order=0), self._clock)
        if isinstance(visit, Page):
            return visit
        why = f"{visit.reason.value}: {visit.detail}" if isinstance(visit, Failure) else f"{visit.status}"
        raise InputError(f"example page {example}: cannot be fetched ({why})")


def evenly(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of them, at equal distances."""
    n = len(items)
    return list(items) if n <= most else [items[i * n // most] for i in range(most)]


def is_url(example: str) -> bool:
    return example.startswith(("http://", "https://"))


def page_in_file(path: Path) -> Page:
    """A page saved as a file, read by the kind that its name says. Raises `InputError` if it cannot be read."""
    from lycosa.drive.page import document_of, page_with

    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"example page {path}: cannot be read: {error.strerror}") from None
    url = Url("http://example.invalid/")
    media_type = MEDIA_TYPES.get(path.suffix.lower(), "text/html")
    headers = (("Content-Type", media_type),)
    response = Response(url=url, status=200, headers=headers, body=body, fetched_at=Millis(0))
    document = document_of(response)
    if document.unread:
        raise InputError(f"example page {path}: is {document.unread}")
    return page_with(document, Request(url=url, order=0), response, None)
