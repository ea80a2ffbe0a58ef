"""Context graphs: pages about a topic, those that link to them, those that link to these, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from heapq import nlargest
from pathlib import Path

from lycosa.crawl.inputs import ContextGraph
from lycosa.model.errors import InputError
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.url import Url, canonical
from lycosa.scoring.words.terms import Counts, document_frequencies
from lycosa.sources.earlier import Earlier, opened
from lycosa.sources.reading import Reading, evenly, is_url
from lycosa.spec.derived import start_url
from lycosa.spec.tree import TopicSpec
from lycosa.strategies.parts.crawled import CrawledGraph

LAYERS = 5
"""Layers that are read; strategies may use fewer."""
IN_LINKS = 20
"""Pages that link to one page, at most, evenly chosen from the order in which they are known."""
LAYER_PAGES = 300
"""Pages of a layer, at most, chosen likewise: a few words' shares need no more."""
BEST = 20
"""Where no examples are given, so many of the most relevant pages that are known make layer 0."""
FORWARD_PAGES = 60
"""Where no back-links are given, so many pages are fetched from the start pages on, to see what leads where."""


async def read_context_graph(reading: Reading) -> ContextGraph:
    """The context graph of what `--back-links` names; without, that of what lies around the start pages.

    Layer 0 are the examples of the topic, else the most relevant of the pages that are known, by the topic's own
    measure. A page in several layers counts in the nearest. Raises `InputError` where less than two layers are found.
    """
    known = Surroundings(reading)
    with ExitStack() as open_places:
        for place in map(Path, reading.topic.back_links):
            if place.is_dir() or place.name.endswith((".warc", ".warc.gz")):
                known.survey(open_places.enter_context(opened(place)))
            else:
                known.take_in(_listed(place))
        if not reading.topic.back_links:
            await known.go_forward()
        layers = [layer for layer in await known.layers() if layer]
    if len(layers) < 2:
        raise InputError(_nothing_leads(reading.topic))
    return known.context_graph(layers)


def _nothing_leads(topic: TopicSpec) -> str:
    what = "the pages given with --like" if topic.examples else "pages about the topic"
    where = "in what --back-links names" if topic.back_links else "around the start pages"
    remedy = "name another crawl or recorded web" if topic.back_links else "give one with --back-links"
    return f"no links to {what} are known {where}: {remedy} in which they are linked to"


class Surroundings:
    """Known pages and links, and the words of those that are asked for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._graph = CrawledGraph()
        self._earlier: list[Earlier] = []
        self._documents = 0
        self._frequencies: dict[str, int] = {}
        self._fetched: dict[Url, Counts] = {}  # what no earlier crawl has
        self._best: list[tuple[float, int]] = []  # relevance and minus number of the most relevant pages

    # -- what is known ---------------------------------------------------------------------------------------

    def survey(self, earlier: Earlier) -> None:
        """Take in an earlier crawl or a recorded web: links, document frequencies, the most relevant pages."""
        self._earlier.append(earlier)
        for page in earlier.pages():
            self._add(page)
        for url, end in earlier.aliases():
            self._same(url, end)

    def take_in(self, links: Mapping[Url, Sequence[Url]]) -> None:
        """Pages that are known by their links only."""
        for source, targets in links.items():
            self._graph.add(_bare(source, source, (Link(source=source, target=url) for url in targets)))

    async def go_forward(self) -> None:
        """Fetch what the start pages and the examples lead to, breadth first."""
        examples = [start_url(example) for example in self._reading.topic.examples if is_url(example)]
        waiting = list(dict.fromkeys([*self._reading.seeds, *examples]))
        met = set(waiting)
        for fetched, url in enumerate(waiting):  # grows meanwhile
            if fetched == FORWARD_PAGES:
                return
            if (page := await self._page(url)) is not None:
                self._add(page)
                self._fetched[page.final_url] = page.terms
                new = [target for target in page.out if target not in met]
                met.update(new)
                waiting += new

    def _add(self, page: Page) -> None:
        before = self._graph.number(page.final_url)
        known = before is not None and self._graph.is_page(before)
        number = self._graph.add(page)
        if known:
            return
        self._documents += 1
        for term in page.terms:
            self._frequencies[term] = self._frequencies.get(term, 0) + 1
        if self._reading.model is not None and (relevance := self._reading.model.relevance(page)):
            self._best = nlargest(BEST, [*self._best, (relevance, -number)])

    def _same(self, url: Url, end: Url) -> None:
        number = self._graph.number(end)
        if number is not None and self._graph.is_page(number):
            self._graph.add(_bare(url, end, ()))

    async def _page(self, url: Url) -> Page | None:
        try:
            return await self._reading.page(url)
        except InputError:
            return None

    # -- layers ----------------------------------------------------------------------------------------------

    async def layers(self) -> list[list[Counts]]:
        """Term counts of the pages of each layer."""
        examples = self._reading.topic.examples
        texts = [(await self._reading.page(example)).terms for example in examples]
        numbers = [self._graph.number(start_url(example)) for example in examples if is_url(example)]
        layer = [number for number in numbers if number is not None]
        if not examples:
            layer = [-minus for _, minus in self._best]
            texts = await self._terms(layer)
        found = [list(texts)]
        taken = set(layer)
        linking = self._linking()
        while layer and len(found) < LAYERS:
            sources = (source for number in layer for source in evenly(linking(number), IN_LINKS))
            layer = evenly([each for each in dict.fromkeys(sources) if each not in taken], LAYER_PAGES)
            taken.update(layer)
            found.append(await self._terms(layer))
        return found

    def _linking(self) -> Callable[[int], list[int]]:
        """The pages that link to a URL, by their numbers, in the order in which they became known."""
        matrix = self._graph.matrix().tocsc()

        def linking(number: int) -> list[int]:
            sources: list[int] = matrix.indices[matrix.indptr[number] : matrix.indptr[number + 1]].tolist()
            return sorted(sources)

        return linking

    async def _terms(self, numbers: Iterable[int]) -> list[Counts]:
        found = []
        for number in numbers:
            url = self._graph.urls[number]
            pages = (page for earlier in self._earlier if (page := earlier.page(url)) is not None)
            terms = self._fetched.get(url)
            if terms is None:
                page = next(pages, None) or await self._page(url)
                terms = page.terms if page is not None else {}
            if terms:
                found.append(terms)
        return found

    def context_graph(self, layers: Sequence[Sequence[Counts]]) -> ContextGraph:
        """With the document frequencies of what was surveyed or, if nothing was, of the layers themselves."""
        texts = [terms for layer in layers for terms in layer]
        documents, frequencies = self._documents, self._frequencies
        if not documents:
            documents, frequencies = len(texts), document_frequencies(texts)
        used = dict.fromkeys(term for terms in texts for term in terms)
        return ContextGraph(
            layers=tuple(tuple(dict(terms) for terms in layer) for layer in layers),
            documents=documents,
            frequencies={term: frequencies.get(term, 1) for term in used},
        )


def _bare(url: Url, end: Url, links: Iterable[Link]) -> Page:
    """A page of which nothing is known but its links."""
    return Page(
        request=Request(url=url, order=0),
        final_url=end,
        status=200,
        fetched_at=Millis(0),
        media_type="",
        digest="",
        title="",
        text="",
        links=tuple(links),
    )


def _listed(place: Path) -> Mapping[Url, list[Url]]:
    """Lines `URL BACK-LINK`, as targets by source. Empty lines and those that begin with # are passed over."""
    found: dict[Url, list[Url]] = {}
    for number, line in enumerate(_lines(place), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise InputError(
                f"{place}, line {number}: is not `URL BACK-LINK`, two URLs with a blank between them"
            )
        try:
            target, source = map(canonical, words)
        except InputError as error:
            raise InputError(f"{place}, line {number}: {error}") from None
        found.setdefault(source, []).append(target)
    if not found:
        raise InputError(f"{place}: holds no back-links; write lines `URL BACK-LINK`")
    return found


def _lines(place: Path) -> Iterator[str]:
    try:
        yield from place.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"back-links {place}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"back-links {place}: is not UTF-8 text (byte {error.start})") from None
