"""Several collections that are searched as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Protocol, TypeVar

from lycosa.crawls.answers import Found, Search
from lycosa.crawls.portal.columns import Shelf, Source
from lycosa.crawls.portal.kept import portal_of
from lycosa.store.full_text import TextIndex
from lycosa.store.paths import Paths

Name = TypeVar("Name")


class Crawler(Protocol):
    """What is asked of a folder that one crawler writes to: see `lycosa.crawls.folder.CrawlFolder`."""

    @property
    def paths(self) -> Paths: ...
    def source(self, index: TextIndex) -> Source: ...


def find_in(collections: Mapping[str, Mapping[str, Crawler]], search: Search) -> Found:
    """The pages of several collections that a search finds, ranked by the words of all.

    Each collection has a name and its crawlers, by their nodes. A page that several have counts once, as it was fetched
    last. Indexes are taken as they are: pages that came since are not found. Raises `InputError` as `Folder.find` does.
    """
    crawlers = {(name, node): each for name, some in collections.items() for node, each in some.items()}
    portal = portal_of(
        [each.paths for each in crawlers.values()],
        [Shelf(collection=name, node=node) for name, node in crawlers],
    )
    with opened_indexes(crawlers) as indexes:
        sources = [each.source(indexes[key]) for key, each in crawlers.items()]
        return portal.find(search, sources)


@contextmanager
def opened_indexes(crawlers: Mapping[Name, Crawler]) -> Iterator[Mapping[Name, TextIndex]]:
    """The indexes of some crawlers, to be read; one that is not there yet is made, without a page."""
    with ExitStack() as opened:
        found: dict[Name, TextIndex] = {}
        for name, each in crawlers.items():
            if not each.paths.index.exists():
                TextIndex(each.paths.index).close()
            found[name] = opened.enter_context(TextIndex(each.paths.index, read_only=True))
        yield found
