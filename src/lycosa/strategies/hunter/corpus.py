"""What a hunter knows of the web, in numbers: pages with their words, the links between them and the words of these."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lycosa.model.records import Page
from lycosa.model.url import Host, Url, host_of
from lycosa.scoring.words.terms import Counts
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.parts.crawled import CrawledGraph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://")
_NO_LETTERS = re.compile(r"[^a-z]+")


class TextRows:
    """Texts as rows of term numbers and weights 1 + ln(count), 8 bytes a term."""

    def __init__(self) -> None:
        self._terms, self._weights = array("i"), array("f")
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, terms: Sequence[int], weights: Iterable[float]) -> None:
        """Take in the next text."""
        self._terms.extend(terms)
        self._weights.extend(weights)
        self._ends.append(len(self._terms))

    def between(self, first: int, end: int) -> tuple[NDArray[np.int32], NDArray[np.float64], Ints]:
        """Term numbers and weights of some texts, one after the other, and where each text begins."""
        starts = np.array(self._ends[first:end], dtype=np.int64)
        since, until = self._ends[first], self._ends[end]
        terms = np.array(self._terms[since:until], dtype=np.int32)
        return terms, np.array(self._weights[since:until], dtype=np.float64), starts - since

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
        self._numbers: dict[str, int] = {}
        self._holding = array("i")
        self._known: set[int] = set()
        self._hosts, self._host_numbers = array("i"), dict[Host, int]()

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Numbers of terms."""
        return self._numbers

    @property
    def frequencies(self) -> Floats:
        """In how many pages each term occurs, by number."""
        return np.array(self._holding, dtype=np.float64)

    def hosts(self) -> NDArray[np.int32]:
        """The number of each node's host, all of them below that of nodes."""
        for url in self.graph.urls[len(self._hosts) :]:
            self._hosts.append(self._host_numbers.setdefault(host_of(url), len(self._host_numbers)))
        return np.array(self._hosts, dtype=np.int32)

    def number(self, term: str) -> int:
        """The number of a term; a new one gets the next."""
        number = self._numbers.get(term)
        if number is None:
            self._numbers[term] = number = len(self._numbers)
            self._holding.append(0)
        return number

    def add(self, page: Page) -> int:
        """Take in a page. Returns its node; new wordings of its links and new URLs come last in their tables. Of a page
        told twice the first telling holds."""
        known = len(self.graph.pages)
        node = self.graph.add(page)
        if len(self.graph.pages) == known:
            return node
        terms = self.words.in_page(page)
        self._add(self.pages, terms)
        for term in terms:
            self._holding[self._numbers[term]] += 1
        self._add(self.titles, self.words.in_text(page.title))
        for url in self.graph.urls[len(self.urls) :]:
            self._add(self.urls, self.words.in_text(words_of_url(url)))
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
        known = np.concatenate([self._terms_of(other) for other in way])
        return 1.0 - float(np.isin(own, known).mean())

    def _terms_of(self, node: int) -> NDArray[np.int32]:
        place = self.graph.pages[node]
        return self.pages.between(place, place + 1)[0]

    def _word(self, page: Page, node: int) -> None:
        """Keep the wordings of a page's links that are new."""
        for link in page.links:
            to = self.graph.number(link.target)
            if to is None or to == node or not link.anchor:
                continue
            key = to << 32 | crc32(link.anchor.encode("utf-8", "surrogatepass"))
            if key not in self._known:
                self._known.add(key)
                self.owners.append(to)
                self._add(self.wordings, self.words.in_text(link.anchor))

    def _add(self, rows: TextRows, terms: Counts) -> None:
        known = self._numbers
        rows.add(
            [known[term] if term in known else self.number(term) for term in terms],
            map(_DAMPED.__getitem__, terms.values()),
        )

    def save(self) -> Mapping[str, Any]:
        return {
            "graph": self.graph.save(),
            "pages": self.pages.save(),
            "titles": self.titles.save(),
            "urls": self.urls.save(),
            "wordings": self.wordings.save(),
            "owners": self.owners.tobytes(),
            "terms": list(self._numbers),
            "holding": self._holding.tobytes(),
            "known": sorted(self._known),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.graph.load(state["graph"])
        for rows, name in (
            (self.pages, "pages"),
            (self.titles, "titles"),
            (self.urls, "urls"),
            (self.wordings, "wordings"),
        ):
            rows.load(state[name])
        self.owners, self._holding = array("i"), array("i")
        self.owners.frombytes(state["owners"])
        self._holding.frombytes(state["holding"])
        self._numbers = {term: number for number, term in enumerate(state["terms"])}
        self._known = set(state["known"])
        self._hosts, self._host_numbers = array("i"), {}


class _Damped(dict[int, float]):
    """1 + ln(count), worked out once for each count."""

    def __missing__(self, count: int) -> float:
        self[count] = weight = 1.0 + float(np.log(count))
        return weight


_DAMPED = _Damped()


def words_of_url(url: Url) -> str:
    """The letters of a URL without its scheme, in words."""
    return _NO_LETTERS.sub(" ", _SCHEME.sub("", url.lower()))
