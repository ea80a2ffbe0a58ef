"""What the conformance kit crawls, and what it gives to strategies that ask for more than links."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec.structs import replace

from lycosa.crawl.inputs import (
    Category,
    Concept,
    ContextGraph,
    Examples,
    Importance,
    Input,
    KnownGraph,
    KnownLink,
    KnownPage,
    Ontology,
    PageDatabase,
    Query,
    Ranking,
    Taxonomy,
    UsageLog,
)
from lycosa.drive.reading import Unread, page_or_unread
from lycosa.lab.webs.visitors import SurfShape, looking, surf
from lycosa.model.records import Page, RecordRef, Request, Response
from lycosa.model.url import Url
from lycosa.scoring.words.terms import query_terms
from lycosa.sources.logs import LogReader
from lycosa.strategies.evolved import default_ranking
from lycosa.web.made.graph_web import GraphWeb, WebShape

Counts = Mapping[str, int]


@cache
def kit_web() -> GraphWeb:
    """The generated web on which all checks are made, one for all of this process."""
    return GraphWeb(WebShape(pages=1500, hosts=60, failures=0.08, redirects=0.03), seed=11)


class ReadOnce:
    """Reads each body once, however many crawls meet it: checks make dozens of crawls of the same pages."""

    def __init__(self) -> None:
        self._read: dict[tuple[Url, bytes], Page | Unread] = {}

    async def read(self, request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
        key = response.url, response.body
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = page_or_unread(request, response, record)
        return replace(found, request=request, record=record) if isinstance(found, Page) else found

    async def close(self) -> None:
        """Nothing is open."""


@cache
def kit_reader() -> ReadOnce:
    """One for all checks of this process."""
    return ReadOnce()


@cache
def kit_inputs() -> tuple[Input, ...]:
    """All the inputs that a topic can offer, made for the kit's web."""
    words = query_terms(" ".join(kit_web().topic_words))
    others = query_terms("car bank song recipe phone match vote film hotel train")
    return (
        Query(terms=words),
        Examples(pages=(words,)),
        _taxonomy(words, others),
        _ontology(words),
        _layers(words, others),
        _graph(words, others),
        _log(),
        Ranking(content=default_ranking()),
        PageDatabase(pages=tuple(KnownPage(url=url, score=0.9, label=True) for url in kit_web().seeds(3))),
        _importance(),
    )


def _taxonomy(words: Counts, others: Counts) -> Taxonomy:
    mixed = {**words, **others}
    return Taxonomy(
        categories=(
            Category(path=""),
            Category(path="sea"),
            Category(path="sea/reefs", examples=(words, words)),
            Category(path="sea/trips", examples=(mixed, others)),
            Category(path="town", examples=(others, others)),
        ),
        good=("sea/reefs",),
    )


def _ontology(words: Counts) -> Ontology:
    """The first word of the topic in focus, the others as its subconcepts."""
    first, *others = words
    below = (Concept(name=word, labels=((word,),), broader=(first,)) for word in others)
    return Ontology(concepts=(Concept(name=first, labels=((first,),)), *below), focus=(first,))


def _layers(words: Counts, others: Counts) -> ContextGraph:
    """The farther from the topic, the fewer of its words."""

    def mixed(on_topic: int, off_topic: int) -> Counts:
        return {**dict.fromkeys(words, on_topic), **dict.fromkeys(others, off_topic)}

    return ContextGraph(
        layers=((mixed(6, 1), mixed(4, 1)), (mixed(2, 3), mixed(1, 2)), (mixed(1, 6),)),
        documents=9,
        frequencies={**dict.fromkeys(words, 3), **dict.fromkeys(others, 6)},
    )


def _graph(words: Counts, others: Counts) -> KnownGraph:
    """Four pages in a row, the last on the topic, and one beside them."""
    texts = [(0, 1, others), (1, 2, {**words, **others}), (2, 3, words), (0, 4, others), (3, 4, others)]
    return KnownGraph(
        pages=tuple(Url(f"http://known.test/{number}") for number in range(5)),
        rewards=(0.0, 0.0, 0.1, 1.0, 0.0),
        links=tuple(KnownLink(source=u, target=v, terms=terms) for u, v, terms in texts),
    )


def _log() -> UsageLog:
    """Random surfers on the kit's web."""
    web, reader = kit_web(), LogReader()
    reader.read("surfers", surf(looking(web), web.seeds(3), SurfShape(users=40)))
    return reader.told()[0]


def _importance() -> Importance:
    """1 for what is on the topic, 0 for all else."""
    web = kit_web()
    urls = map(web.url, range(web.shape.pages))
    return Importance(values={url: float(web.truth(url)) for url in urls})
