"""What a hunter knows of the web, in numbers: pages with their words, the links between them and the words of these."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lycosa.model.records import Page
from lycosa.model.url import Host, Url, host_of
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.hunter.hunting import HUNTING
from lycosa.strategies.hunter.texts import TermsOfWords, TextRows, counted
from lycosa.strategies.parts.columns import Column, Keys
from lycosa.strategies.parts.crawled import CrawledGraph
from lycosa.strategies.parts.names import InOrder, no_names, run_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LETTERS = bytes(byte if chr(byte) in ascii_lowercase + "\n" else ord(" ") for byte in range(256))

_SUM = 0xFFFFFFFF


class Corpus:
    """Pages, and the URLs that they link to, as nodes of one graph, each with its texts.

    A node has the words of its URL and of every link to it, each wording once however many pages repeat it; a page has
    those of its title and its whole text besides. Memory: 4 bytes for each distinct word of a text, 4 for each link.

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
        self.vocabulary = no_names()
        """Numbers of terms."""
        self.terms: Sequence[str] = InOrder(self.vocabulary)
        """By number."""
        self.short = TermsOfWords(self.words.vocabulary, self.vocabulary)
        """Of short texts, such as those of links."""
        self._holding = Column("i4")
        self._sums = array("I")  # of each wording the checksum: by it and its owner it is known
        self._known = Keys()
        self._hosts, self._host_numbers = array("i"), dict[Host, int]()

    def texts(self) -> Mapping[str, TextRows]:
        """All tables of texts, by name."""
        return {"pages": self.pages, "titles": self.titles, "urls": self.urls, "wordings": self.wordings}

    @property
    def frequencies(self) -> NDArray[np.int32]:
        """In how many pages each term occurs, by number; uncopied: valid until there is another page."""
        self._holding.grow_to(len(self.vocabulary))
        return self._holding.values

    def hosts(self) -> NDArray[np.int32]:
        """The number of each node's host, all of them below that of nodes."""
        for url in self.graph.urls[len(self._hosts) :]:
            self._hosts.append(self._host_numbers.setdefault(host_of(url), len(self._host_numbers)))
        return np.array(self._hosts, dtype=np.int32)

    def number(self, term: str) -> int:
        """The number of a term; a new one gets the next."""
        return self.vocabulary.enter(term)

    def add(self, page: Page) -> int:
        """Take in a page. Returns its node; new wordings of its links and new URLs come last in their tables. Of a page
        told twice the first telling holds."""
        known = len(self.graph.pages)
        node = self.graph.add(page)
        if len(self.graph.pages) == known:
            return node
        text = counted(self.words.in_page(page), self.vocabulary)
        self.pages.add(text)
        self._holding.grow_to(len(self.vocabulary))
        self._holding.values[text.terms] += 1
        self._add_short([page.title], self._new_wordings(page, node))
        return node

    def add_links(self, page: Page) -> None:
        """Take in the URLs and wordings of a page that was told before and has other links now. What it links to stays
        as it was told first."""
        node = self.graph.number_of(page.final_url)
        for target in page.out:
            self.graph.number_of(target)
        self._add_short([], self._new_wordings(page, node))

    def _add_short(self, titles: Sequence[str], wordings: Sequence[str]) -> None:
        """Take in the short texts of one page, and those of the URLs that it was the first to name, counted
        together."""
        urls = words_of_urls(self.graph.urls[len(self.urls) :])
        texts = self.short.told([*titles, *urls, *wordings])
        first = 0
        for rows, count in (
            (self.titles, len(titles)),
            (self.urls, len(urls)),
            (self.wordings, len(wordings)),
        ):
            if count:
                rows.add(texts, first, first + count)
                first += count

    def place(self, node: int) -> int | None:
        """The place of a page among the pages; None for what is no page."""
        return self.graph.pages.get(node)

    def _new_wordings(self, page: Page, node: int) -> list[str]:
        """The wordings of a page's links that are new; their owners are kept."""
        anchors = [link.anchor for link in page.links]
        owners, sums, new = new_wordings(anchors, self.graph.targets_of(page), node, self._known)
        self.owners.frombytes(owners)
        self._sums.frombytes(sums)
        return new

    def save(self) -> Mapping[str, Any]:
        self._holding.grow_to(len(self.vocabulary))
        return {
            "graph": self.graph.save(),
            **{name: rows.save() for name, rows in self.texts().items()},
            "owners": memoryview(self.owners).cast("B"),
            "sums": memoryview(self._sums).cast("B"),
            "terms": run_of(self.vocabulary),
            "holding": self._holding.save(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.graph.load(state["graph"])
        for name, rows in self.texts().items():
            rows.load(state[name])
        self.owners, self._sums = array("i"), array("I")
        self.owners.frombytes(state["owners"])
        self._holding.load(state["holding"])
        terms = state["terms"]
        if "known" in state:  # a snapshot of an earlier version, which has them in no order
            by_owner: dict[int, list[int]] = {}
            for key in state["known"]:
                by_owner.setdefault(key >> 32, []).append(key & 0xFFFFFFFF)
            self._sums.extend(by_owner[owner].pop() for owner in self.owners)
            terms = "\n".join(terms).encode("utf-8", "surrogatepass")
        else:
            self._sums.frombytes(state["sums"])
        self._known = Keys()
        self._known.add(np.array(self.owners, dtype=np.int64) << 32 | np.array(self._sums, dtype=np.int64))
        self.vocabulary = no_names()
        self.vocabulary.load(terms)
        self.terms = InOrder(self.vocabulary)
        self.short = TermsOfWords(self.words.vocabulary, self.vocabulary)
        self._hosts, self._host_numbers = array("i"), {}


def new_wordings(anchors: list[str], targets: Ints, node: int, known: Keys) -> tuple[bytes, bytes, list[str]]:
    """Of the words of links to other nodes than this one, those that are not known of what they lead to, and are now:
    the nodes, as numbers of 32 bits, the CRC-32 of the words, and the words."""
    if HUNTING is not None:
        found: tuple[bytes, bytes, list[str]]
        found = HUNTING.wordings(anchors, targets, node, known.open(len(anchors)))
        known.hold(len(found[2]))
        return found
    told = [
        (target << 32 | crc32(anchor.encode("utf-8", "surrogatepass")), anchor)
        for anchor, target in zip(anchors, targets.tolist(), strict=True)
        if anchor and target >= 0 and target != node
    ]
    keys = np.array([key for key, _ in told], dtype=np.int64)
    new = known.add(keys)
    owners, sums = (keys[new] >> 32).astype(np.int32), (keys[new] & _SUM).astype(np.uint32)
    return owners.tobytes(), sums.tobytes(), [told[place][1] for place in new.tolist()]


def words_of_urls(urls: Sequence[Url]) -> list[str]:
    """The letters of each URL without its scheme, in words."""
    whole = "\n".join([url.partition("://")[2] for url in urls]).lower()
    found = whole.encode("ascii", "replace").translate(_LETTERS).decode("ascii").split("\n")
    return found if urls else []
