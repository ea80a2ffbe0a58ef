"""What a hunter knows of the web, in numbers: pages with their words, the links between them and the words of these."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, count, islice
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.scoring.words.terms import Counts
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.parts.columns import Column
from lycosa.strategies.parts.crawled import CrawledGraph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LETTERS = bytes(byte if chr(byte) in ascii_lowercase else ord(" ") for byte in range(256))


class TextRows:
    """Texts as rows of term numbers and weights 1 + ln(count), 8 bytes a term."""

    def __init__(self) -> None:
        self._terms, self._weights = array("i"), array("f")
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, texts: Sequence[Counts], numbers: Mapping[str, int]) -> None:
        """Take in the next texts, by the numbers of their terms."""
        since = len(self._terms)
        self._terms.extend(map(numbers.__getitem__, chain.from_iterable(texts)))
        self._weights.frombytes(damped_counts(texts).astype(np.float32).tobytes())
        self._ends.extend(islice(accumulate(map(len, texts), initial=since), 1, None))

    def between(self, first: int, end: int) -> tuple[NDArray[np.int32], NDArray[np.float32], Ints]:
        """Term numbers and weights of some texts, one after the other; where each text begins, and the end."""
        since, until = self._ends[first], self._ends[end]
        terms = np.array(memoryview(self._terms)[since:until])
        weights = np.array(memoryview(self._weights)[since:until])
        return terms, weights, np.array(memoryview(self._ends)[first : end + 1]) - since

    def matrix(self, width: int) -> csr_array:
        """One row a text, one column a term."""
        from scipy.sparse import csr_array

        parts = (
            np.array(self._weights, dtype=np.float32),
            np.array(self._terms, dtype=np.int32),
            np.array(self._ends, dtype=np.int64),
        )
        return csr_array(parts, shape=(len(self), width))

    def save(self) -> Mapping[str, Any]:
        return {
            "terms": self._terms.tobytes(),
            "weights": self._weights.tobytes(),
            "ends": self._ends.tobytes(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._terms, self._weights, self._ends = array("i"), array("f"), array("q")
        for own, name in ((self._terms, "terms"), (self._weights, "weights"), (self._ends, "ends")):
            own.frombytes(state[name])


class Corpus:
    """Pages, and the URLs that they link to, as nodes of one graph, each with its texts.

    A node has the words of its URL and of every link to it, each wording once however many pages repeat it; a page has
    those of its title and its whole text besides. Memory: 8 bytes for each distinct word of a text, 4 for each link.

    Invariants, each the name of a property test:

    * one wording once: a menu that a thousand pages repeat is kept once.
    * loaded as saved: what is loaded tells the same.
    """

    def __init__(self, words: TopicWords | None = None) -> None:
        self.words = words if words is not None else TopicWords({})
        self.graph = CrawledGraph()
        self.pages, self.titles = TextRows(), TextRows()
        """Of each page, in the order in which they came."""
        self.urls = TextRows()
        """Of each node."""
        self.wordings = TextRows()
        self.owners = array("i")
        """The node to which each wording leads."""
        self._numbers = _Numbers()
        self._holding = Column("i4")
        self._known: set[int] = set()

    def texts(self) -> Mapping[str, TextRows]:
        """All tables of texts, by name."""
        return {"pages": self.pages, "titles": self.titles, "urls": self.urls, "wordings": self.wordings}

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Numbers of terms."""
        return self._numbers

    @property
    def frequencies(self) -> Floats:
        """In how many pages each term occurs, by number."""
        self._holding.grow_to(len(self._numbers))
        return self._holding.values.astype(np.float64)

    def number(self, term: str) -> int:
        """The number of a term; a new one gets the next."""
        return self._numbers[term]

    def add(self, page: Page) -> int:
        """Take in a page. Returns its node; new wordings of its links and new URLs come last in their tables. Of a page
        told twice the first telling holds."""
        known = len(self.graph.pages)
        node = self.graph.add(page)
        if len(self.graph.pages) == known:
            return node
        self.pages.add([self.words.in_page(page)], self._numbers)
        self._holding.grow_to(len(self._numbers))
        self._holding.values[self._terms_of(node)] += 1
        self.titles.add([self.words.in_text(page.title)], self._numbers)
        new = self.graph.urls[len(self.urls) :]
        self.urls.add([self.words.in_text(words_of_url(url)) for url in new], self._numbers)
        self._word(page, node)
        return node

    def place(self, node: int) -> int | None:
        """The place of a page among the pages; None for what is no page."""
        return self.graph.pages.get(node)

    def share_new(self, node: int, way: Sequence[int]) -> float:
        """The share of a page's distinct terms that no page on the way has, all of them nodes of pages. 1 without a way
        or without words."""
        own = self._terms_of(node)
        if not own.size or not way:
            return 1.0
        known = np.zeros(len(self._numbers), dtype=bool)
        for other in way:
            known[self._terms_of(other)] = True
        return 1.0 - float(known[own].mean())

    def _terms_of(self, node: int) -> NDArray[np.int32]:
        place = self.graph.pages[node]
        return self.pages.between(place, place + 1)[0]

    def _word(self, page: Page, node: int) -> None:
        """Keep the wordings of a page's links that are new."""
        known, new = self._known, list[str]()
        targets = self.graph.numbers([link.target for link in page.links])
        for link, to in zip(page.links, targets.tolist(), strict=True):
            if to in (node, -1) or not link.anchor:
                continue
            key = to << 32 | crc32(link.anchor.encode("utf-8", "surrogatepass"))
            if key not in known:
                known.add(key)
                self.owners.append(to)
                new.append(link.anchor)
        self.wordings.add([self.words.in_text(anchor) for anchor in new], self._numbers)

    def save(self) -> Mapping[str, Any]:
        return {
            "graph": self.graph.save(),
            **{name: rows.save() for name, rows in self.texts().items()},
            "owners": self.owners.tobytes(),
            "terms": list(self._numbers),
            "holding": self.frequencies.astype(np.int32).tobytes(),
            "known": sorted(self._known),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.graph.load(state["graph"])
        for name, rows in self.texts().items():
            rows.load(state[name])
        self.owners = array("i")
        self.owners.frombytes(state["owners"])
        self._holding.load(state["holding"])
        self._numbers = _Numbers(zip(state["terms"], count(), strict=False))
        self._known = set(state["known"])


class _Numbers(dict[str, int]):
    """Numbers of terms. One that is asked for first gets the next."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


def damped_counts(texts: Iterable[Counts]) -> Floats:
    """1 + ln(count) of each term of some texts, one after the other."""
    counts = np.fromiter(chain.from_iterable(text.values() for text in texts), dtype=np.float64)
    return 1.0 + np.log(counts)


def words_of_url(url: Url) -> str:
    """The letters of a URL without its scheme, in words."""
    return url.partition("://")[2].lower().encode("ascii", "replace").translate(_LETTERS).decode("ascii")
