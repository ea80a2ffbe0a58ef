"""The link graph of a recorded web as arrays, and distances in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from lycosa.model.records import Page
from lycosa.model.url import Url

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = npt.NDArray[np.integer[Any]]
Marks = npt.NDArray[np.bool_]

UNREACHABLE = -1


class Library(Protocol):
    """A recorded web whose pages can be looked at, by number; `LabWeb` is one."""

    def graph(self) -> LinkGraph:
        """All pages and the links between them."""
        ...

    def index(self, url: str) -> int | None:
        """The number of the page to which a URL leads, by redirects or under another name; None if to none."""
        ...

    def page(self, number: int) -> Page: ...

    def title(self, number: int) -> str: ...

    def text(self, number: int) -> str: ...

    def frequencies(self) -> Mapping[str, int]:
        """On how many pages each term occurs."""
        ...


class LinkGraph:
    """Pages numbered from 0 and the links between them: page i links to ``indices[indptr[i]:indptr[i + 1]]``, in the
    order in which they stand on the page, each target once, itself left out. `index` finds a page under another name
    than its own; `missing` tells of each page how many distinct URLs it links to that bring no page of the web.

    12 bytes a page and 4 a link. Invariants, each the name of a property test:

    * there and back: reversed twice, a graph has the same links.
    * as a walk finds it: `distances` gives what a search link by link gives.
    """

    def __init__(
        self,
        urls: Sequence[Url],
        indptr: Ints,
        indices: Ints,
        index: Callable[[Url], int | None] = lambda url: None,
        missing: Ints | None = None,
    ) -> None:
        self.urls = urls
        self._index = index
        self.indptr = np.asarray(indptr, dtype=np.int64)
        self.indices = np.asarray(indices, dtype=np.int32)
        self.missing = np.zeros(len(urls), np.int32) if missing is None else np.asarray(missing, np.int32)

    @classmethod
    def of(cls, links: Iterable[tuple[Url, Iterable[Url]]]) -> LinkGraph:
        """From each page and the URLs that it links to. Links to URLs that are no page of the web are left out."""
        pages = [(url, list(targets)) for url, targets in links]
        number = {url: at for at, (url, _) in enumerate(pages)}
        indptr = np.zeros(len(pages) + 1, dtype=np.int64)
        indices: list[int] = []
        for at, (_, targets) in enumerate(pages):
            found = dict.fromkeys(number[url] for url in targets if url in number)
            found.pop(at, None)
            indices.extend(found)
            indptr[at + 1] = len(indices)
        return cls([url for url, _ in pages], indptr, np.array(indices, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.urls)

    @cached_property
    def _number(self) -> dict[Url, int]:
        return {url: number for number, url in enumerate(self.urls)}

    def number(self, url: Url) -> int | None:
        """The number of a page, or None if the web does not hold it."""
        found = self._number.get(url)
        return found if found is not None else self._index(url)

    def numbers(self, urls: Iterable[Url]) -> Ints:
        """The numbers of those of the URLs that are pages of the web, in their order, each once."""
        known = map(self.number, urls)
        return np.array(list(dict.fromkeys(n for n in known if n is not None)), dtype=np.int64)

    def matrix(self) -> csr_array:
        """A 1 in row u, column v for a link from u to v, as `lycosa.scoring.graphs.analysis` asks for."""
        from scipy.sparse import csr_array

        size = (len(self), len(self))
        return csr_array((np.ones(len(self.indices)), self.indices, self.indptr), shape=size)

    def out(self, page: int) -> Ints:
        """The pages that a page links to, in their order on it."""
        return self.indices[self.indptr[page] : self.indptr[page + 1]]

    @cached_property
    def backwards(self) -> LinkGraph:
        """The same pages, each with those that link to it, in the order of their numbers."""
        sources = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.indptr))
        order = np.argsort(self.indices, kind="stable")
        counts = np.bincount(self.indices, minlength=len(self))
        return LinkGraph(self.urls, np.concatenate([[0], np.cumsum(counts)]), sources[order])

    def next_to(self, pages: Ints) -> Ints:
        """All that these pages link to, page by page; what several link to comes several times."""
        starts, ends = self.indptr[pages], self.indptr[np.asarray(pages) + 1]
        lengths = ends - starts
        before = np.repeat(np.cumsum(lengths) - lengths, lengths)
        found: Ints = self.indices[np.arange(lengths.sum()) - before + np.repeat(starts, lengths)]
        return found

    def distances(self, sources: Ints, avoiding: Ints | None = None) -> Ints:
        """Links on the shortest path from the nearest source to each page, -1 where there is none.

        No path leads through the pages to avoid, and they are at no distance themselves.
        """
        distance = np.full(len(self), UNREACHABLE, dtype=np.int32)
        open_ = np.ones(len(self), dtype=np.bool_)
        if avoiding is not None:
            open_[avoiding] = False
        reached: Ints = np.unique(np.asarray(sources, dtype=np.int64))
        reached = reached[open_[reached]]
        steps = 0
        while reached.size:
            distance[reached] = steps
            open_[reached] = False
            found = self.next_to(reached)
            reached = np.unique(found[open_[found]])
            steps += 1
        return distance
