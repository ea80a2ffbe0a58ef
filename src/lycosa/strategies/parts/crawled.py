"""The link graph of the pages that a strategy was told of, in numbers, as graph algorithms want it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

from lycosa.model.compiled import compiled
from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.strategies.parts.names import InOrder, no_names, run_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from lycosa.scoring.links.smoothing import Ints, Neighbours

_HUNTING: Final = compiled("lycosa.scoring._hunting")
NO_PLACE = -1


class Places(Mapping[int, int]):
    """Numbers of pages with their places among the pages, in the order in which they came. Memory: 4 bytes a page, and
    4 for each number below the largest."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self.numbers, self._places = array("i"), array("i")
        for number in numbers:
            self.add(number)

    def add(self, number: int) -> None:
        """The next page has this number, which is new."""
        if number >= len(self._places):
            self._places.extend(repeat(NO_PLACE, number + 1 - len(self._places)))
        self._places[number] = len(self.numbers)
        self.numbers.append(number)

    def __getitem__(self, number: int) -> int:
        place = self._places[number] if 0 <= number < len(self._places) else NO_PLACE
        if place == NO_PLACE:
            raise KeyError(number)
        return place

    def __contains__(self, number: object) -> bool:
        return (
            isinstance(number, int) and 0 <= number < len(self._places) and self._places[number] != NO_PLACE
        )

    def of(self, numbers: Iterable[int]) -> list[int]:
        """The places of some pages."""
        return [self._places[number] for number in numbers]

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)


class CrawledGraph:
    """URLs are numbered in the order in which they were met; pages have links, all other URLs have none.

    A page that was reached by a redirect and the URL it ended at are one node. Links are distinct and lead to other
    nodes. Memory: the bytes of a URL and some 15 more (see `Names`), 4 a link.

    Invariants, each the name of a property test:

    * one node a page: however often its URLs redirect to each other, they have the same number.
    * links as told: the targets of a page's node are the nodes of its distinct targets, in document order, as they
      were told first. (Should its URL redirect to another page later, it is that page from then on.)
    """

    def __init__(self) -> None:
        self._names = no_names()
        self.urls = InOrder[Url](self._names)
        """By number; of a page, the URL it was met under first."""
        self._also: dict[Url, int] = {}  # those that are not in `urls`: where redirects ended
        self._same: dict[int, int] = {}  # number of a URL that redirected -> that of the page it ended at
        self._places = Places()
        self._targets = array("i")
        self._ends = array("q", [0])  # the targets of place p lie from _ends[p] to _ends[p + 1]
        self._told: tuple[Page, NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.urls)

    @property
    def pages(self) -> Places:
        """The numbers of pages with their places among the pages, in the order in which they were told."""
        return self._places

    def number(self, url: Url) -> int | None:
        number = self._met(url)
        return None if number < 0 else self._node(number)

    def _met(self, url: Url) -> int:
        """The number that a URL was given; -1: none."""
        number = self._names.number(url)
        return self._also.get(url, -1) if number < 0 else number

    def numbers(self, urls: list[Url]) -> NDArray[np.int64]:
        """`number` of each, -1 for those not met."""
        import numpy as np

        found = np.frombuffer(self._names.numbers(urls), dtype=np.int64)
        if self._also:
            found = found.copy()
            for place in np.flatnonzero(found < 0).tolist():
                found[place] = self._also.get(urls[place], -1)
        return self._nodes_of(found)

    def is_page(self, number: int) -> bool:
        return number in self._places

    def add(self, page: Page) -> int:
        """Take in a page and its links; returns its number. Of a page told twice the first telling holds."""
        asked = self.number_of(page.request.url)
        ended = self._met(page.final_url)
        if ended < 0:
            self._also[page.final_url] = ended = asked
        number = self._node(ended)
        if number != asked:
            self._same[asked] = number
        self._told = None
        if number not in self._places:
            self._places.add(number)
            found = self._numbers_of(page.targets)
            self._told = page, found
            self._targets.frombytes(distinct(found, number))
            self._ends.append(len(self._targets))
        return number

    def targets_of(self, page: Page) -> NDArray[np.int64]:
        """The number of each of a page's links, -1 for what was not met. They are kept of the page that was taken in
        last."""
        if self._told is None or self._told[0] is not page:
            self._told = page, self.numbers(page.targets)
        return self._told[1]

    def targets(self, number: int) -> list[int]:
        """The numbers a page links to, in document order; empty for what is no page."""
        place = self._places.get(number)
        if place is None:
            return []
        met = self._targets[self._ends[place] : self._ends[place + 1]]
        if not self._same:
            return met.tolist()
        found = dict.fromkeys(map(self._node, met))
        found.pop(number, None)
        return list(found)

    def linked(self, number: int) -> NDArray[np.int64]:
        """`targets` as an array."""
        import numpy as np

        place = None if self._same else self._places.get(number)
        if place is None:
            return np.array(self.targets(number), dtype=np.int64)
        return np.array(self._targets[self._ends[place] : self._ends[place + 1]], dtype=np.int64)

    def nodes(self) -> NDArray[np.int32]:
        """For each number ever given the one that stands for it now: another where its URL redirected."""
        import numpy as np

        node = np.arange(len(self), dtype=np.int32)
        for number in self._same:
            node[number] = self._node(number)
        return node

    def neighbours(self) -> Neighbours:
        """All links as operators; nothing can be added before they are let go."""
        import numpy as np

        from lycosa.scoring.links.smoothing import Neighbours

        pages = np.asarray(self._places.numbers)
        nodes = self.nodes() if self._same else None
        return Neighbours(pages, np.asarray(self._targets), np.asarray(self._ends), len(self), nodes)

    def edges(self) -> tuple[Ints, Ints]:
        """The two ends of every link, page by page. A link found twice by way of redirects comes twice."""
        around = self.neighbours()
        places, targets = around.between(0, len(self._places))
        return around.pages[places], targets

    def matrix(self) -> csr_array:
        """len(self) × len(self) of 0 and 1: row u, column v is 1 if u links to v."""
        import numpy as np
        from scipy.sparse import csr_array

        sources, targets = self.edges()
        matrix = csr_array((np.ones(len(targets)), (sources, targets)), shape=(len(self), len(self)))
        matrix.data[:] = 1.0  # two links that turned out to lead to one page were added up
        return matrix

    def _node(self, number: int) -> int:
        while number in self._same:
            number = self._same[number]
        return number

    def _numbers_of(self, urls: list[Url]) -> NDArray[np.int64]:
        """`number_of` each."""
        import numpy as np

        if self._also and not self._also.keys().isdisjoint(urls):
            return np.array([self.number_of(url) for url in urls], dtype=np.int64)
        return self._nodes_of(np.frombuffer(self._names.enter_all(urls), dtype=np.int64))

    def _nodes_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """`_node` of each; -1 stays."""
        import numpy as np

        if not self._same or self._same.keys().isdisjoint(told := numbers.tolist()):
            return numbers
        return np.fromiter(map(self._node, told), dtype=np.int64, count=len(told))

    def number_of(self, url: Url) -> int:
        """Its number; a URL that was not met yet gets one."""
        also = self._also.get(url) if self._also else None
        return self._node(self._names.enter(url) if also is None else also)

    def save(self) -> Mapping[str, Any]:
        """Long parts as bytes that only grow at their ends."""
        return {
            "urls": run_of(self._names),
            "also": list(self._also.items()),
            "same": list(self._same.items()),
            "pages": memoryview(self._places.numbers).cast("B"),
            "targets": memoryview(self._targets).cast("B"),
            "ends": memoryview(self._ends).cast("B"),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._targets, self._ends, self._names = array("i"), array("q"), no_names()
        self.urls = InOrder[Url](self._names)
        self._targets.frombytes(state["targets"])
        self._ends.frombytes(state["ends"])
        self._same = dict(state["same"])
        pages: Iterable[int]
        if "numbers" in state:  # a snapshot of an earlier version
            urls = [Url(url) for url in state["urls"]]
            self._names.load("\n".join(urls).encode("utf-8", "surrogatepass"))
            numbered = {Url(url): number for url, number in state["numbers"].items()}
            self._also = {url: number for url, number in numbered.items() if urls[number] != url}
            pages = state["pages"]
        else:
            self._names.load(state["urls"])
            self._also = {Url(url): number for url, number in state["also"]}
            pages = array("i", bytes(state["pages"]))
        self._places = Places(pages)


def distinct(numbers: NDArray[np.int64], one: int) -> bytes:
    """The distinct ones, in order, without this one, as numbers of 32 bits."""
    if _HUNTING is not None:
        in_bytes: bytes = _HUNTING.distinct(numbers, one)
        return in_bytes
    found = dict.fromkeys(numbers.tolist())
    found.pop(one, None)
    return array("i", found).tobytes()
