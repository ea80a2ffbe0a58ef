"""What strategies need besides words, made for a task on a recorded web: of example pages, links, and visitors made up.

Nothing is made of targets, descriptions or labels, and no page that is hidden from the crawl is looked at. But links of
the whole web, and the pages of a crawl that was made before, are more than a crawler with a few words has: whoever
compares strategies must say what each was given. `GIVEN` has the words for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.inputs import (
    Category,
    Concept,
    ContextGraph,
    Importance,
    Input,
    KnownGraph,
    Ontology,
    Taxonomy,
    UsageLog,
)
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.traps import Traps
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.experiments.pages_only import PagesOnly
from lycosa.lab.measures.popularity import pagerank
from lycosa.lab.measures.trajectory import Recorder
from lycosa.lab.tasks.judge import Brief
from lycosa.lab.webs.lab_web import LabWeb
from lycosa.lab.webs.visitors import Sight, SurfShape, surf
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Page, Record, Request
from lycosa.model.url import Url
from lycosa.scoring.words.terms import query_terms
from lycosa.sources.back_links import Surroundings
from lycosa.sources.known_graph import GraphSurvey
from lycosa.sources.logs import LogReader
from lycosa.sources.reading import Reading
from lycosa.spec.registry import strategy
from lycosa.spec.tree import TopicSpec

EARLIER_PAGES = 500
"""Pages of the crawl that a known graph is made of."""
EXAMPLES = 30
"""Example pages of a category, at most, the first of its task."""
VISITORS = SurfShape(users=50)

GIVEN: Mapping[type[Input], str] = {
    Taxonomy: "a category for each task of the web, of its example pages; the task's own is good",
    Ontology: "a concept for the topic, and one below it for each of its words",
    ContextGraph: "the task's example pages, and the pages of the whole web that link to them, in layers",
    KnownGraph: f"a breadth-first crawl of {EARLIER_PAGES} pages from the same start pages, which is not counted",
    UsageLog: f"the sessions of {VISITORS.users} made-up visitors with interests of their own",
    Importance: "the PageRank of every page, by all links of the web",
}
"""What is offered, by kind."""


class Clues(Record, frozen=True, kw_only=True):
    """What offers are made of besides the brief: example pages, which are neither targets nor relevant."""

    task: str
    examples: Mapping[str, tuple[Url, ...]]
    """The example pages of all tasks of the web, by their ids."""
    excluded: tuple[Url, ...] = ()
    """Pages hidden from the task's crawls."""


def offered(web: LabWeb, brief: Brief, clues: Clues, kinds: Iterable[type[Input]]) -> list[Input]:
    """Make those of the kinds that can be made; the same for the same web, task and brief.

    Raises `InputError` for a taxonomy or a context graph where the crawls of the task may see none of its example pages
    (that of a task from a hub is the hub, from which its answers were taken), or where no page links to them.
    """
    wanted = dict.fromkeys(kinds)
    return [make(web, brief, clues) for kind, make in _MAKERS.items() if kind in wanted]


def offered_kinds(kinds: Iterable[type[Input]]) -> list[type[Input]]:
    """Those of the kinds that `offered` makes."""
    return [kind for kind in dict.fromkeys(kinds) if kind in _MAKERS]


# -- of examples and words ---------------------------------------------------------------------------------------


def _taxonomy(web: LabWeb, brief: Brief, clues: Clues) -> Taxonomy:
    """The tasks as categories below the root; a page that is an example of several belongs to each."""
    hidden = _numbers(web, clues.excluded)
    _own_examples(web, clues)
    below = []
    for task, urls in clues.examples.items():
        pages = [number for number in _numbers(web, urls) if number not in hidden][:EXAMPLES]
        if pages:
            below.append(Category(path=task, examples=tuple(dict(web.terms(number)) for number in pages)))
    return Taxonomy(categories=(Category(path=""), *below), good=(clues.task,))


def _ontology(web: LabWeb, brief: Brief, clues: Clues) -> Ontology:
    """Not even a small ontology, but what can be had where nobody wrote one."""
    stems = tuple(query_terms(" ".join(brief.keywords)))
    topic = "topic"
    below = (Concept(name=f"word {stem}", labels=((stem,),), broader=(topic,)) for stem in stems)
    return Ontology(concepts=(Concept(name=topic, labels=(stems,)), *below), focus=(topic,))


def _own_examples(web: LabWeb, clues: Clues) -> tuple[Url, ...]:
    """The example pages of the task that its crawls may see."""
    hidden, examples = _numbers(web, clues.excluded), clues.examples.get(clues.task, ())
    seen = tuple(url for url in examples if (n := web.index(url)) is not None and n not in hidden)
    if not seen:
        why = "all its example pages are hidden from its crawls" if examples else "it has no example pages"
        if any(web.index(url) is None for url in examples):
            why = "the web has none of its example pages that its crawls may see"
        raise InputError(
            f"task {clues.task!r}: {why}, so there is nothing to learn its category or surroundings from"
        )
    return seen


# -- of links ----------------------------------------------------------------------------------------------------


def _context_graph(web: LabWeb, brief: Brief, clues: Clues) -> ContextGraph:
    """As `--back-links WEB --like EXAMPLE …` gives it."""
    hidden = _numbers(web, clues.excluded)
    before = PagesBefore(web, [number for number in range(len(web)) if number not in hidden])
    own = _own_examples(web, clues)
    known = Surroundings(PlainReading(web, before, brief, own))
    known.survey(before)
    layers = [layer for layer in asyncio.run(known.layers()) if layer]
    if len(layers) < 2:
        raise InputError(
            f"task {clues.task!r}: no page of the web links to its example pages, so there is no way there to learn"
        )
    return known.context_graph(layers)


def _known_graph(web: LabWeb, brief: Brief, clues: Clues) -> KnownGraph:
    """As `--learn-from` gives it for a breadth-first crawl with the same topic and start pages."""
    before = PagesBefore(web, _crawled(web, brief, clues))
    reading = PlainReading(web, before, brief)
    reading.model = brief.source().model()
    survey = GraphSurvey(reading)
    survey.expect(before)
    survey.take_in(before)
    return survey.known_graph()


def _crawled(web: LabWeb, brief: Brief, clues: Clues) -> list[int]:
    """The pages of a breadth-first crawl, in its order."""
    crawl = Crawl(
        strategy("breadth-first"),
        MemoryFrontier(),
        brief.source().model(),
        PagesOnly(),
        gate=Gate(Scope(), Traps()),
        pace=Pace(PaceRules(delay=Millis(0))),
        budget=EARLIER_PAGES,
    )
    clock, recorder = VirtualClock(), Recorder()
    visitor = web.visitor(crawl.refuses_redirect, clock, excluded=clues.excluded)
    crawl.start(brief.seeds, clock.now())
    asyncio.run(simulate(crawl, visitor, visitor.latency, clock, watch=recorder.watch))
    return list(_numbers(web, recorder.trajectory().names()))


class PagesBefore:
    """Some pages of a recorded web, as an earlier crawl that readers of inputs can learn from."""

    def __init__(self, web: LabWeb, numbers: Sequence[int]) -> None:
        self._web, self._numbers, self._among = web, numbers, frozenset(numbers)

    def urls(self) -> Iterator[Url]:
        return (self._web.urls[number] for number in self._numbers)

    def pages(self) -> Iterator[Page]:
        return map(self._asked_for, self._numbers)

    def page(self, url: Url) -> Page | None:
        number = self._web.index(url)
        return self._asked_for(number) if number is not None and number in self._among else None

    def _asked_for(self, number: int) -> Page:
        return self._web.pages.page(number, Request(url=self._web.urls[number], order=0))

    def aliases(self) -> Iterator[tuple[Url, Url]]:
        """Targets of links that are another name of a page."""
        met = dict.fromkeys(target for page in self.pages() for target in page.out)
        for url in met:
            number = self._web.index(url)
            if number is not None and number in self._among and (end := self._web.urls[number]) != url:
                yield url, end

    def close(self) -> None:
        """Nothing is open."""


class PlainReading(Reading):
    """Reads the pages that a topic names where they have been read already."""

    def __init__(
        self, web: LabWeb, before: PagesBefore, brief: Brief, examples: tuple[Url, ...] = ()
    ) -> None:
        topic = TopicSpec(keywords=brief.keywords, examples=examples)
        super().__init__(topic, web.view(), None, VirtualClock(), seeds=brief.seeds)
        self._before = before

    async def page(self, example: str) -> Page:
        """A page by its URL. Raises `InputError` for one that is not there."""
        page = self._before.page(Url(example))
        if page is None:
            raise InputError(f"page {example}: the recorded web does not hold it")
        return page


def _importance(web: LabWeb, brief: Brief, clues: Clues) -> Importance:
    """As the long-term orders of WIRE were judged: by PageRank over all that there is to crawl."""
    ranks = pagerank(web.graph(clues.excluded))
    return Importance(values=dict(zip(web.urls, ranks.tolist(), strict=True)))


# -- of visitors -------------------------------------------------------------------------------------------------


def _usage_log(web: LabWeb, brief: Brief, clues: Clues) -> UsageLog:
    """Visitors come by the same start pages; what they like has nothing to do with the topic."""
    hidden = frozenset(_numbers(web, clues.excluded))

    def look(url: Url) -> Sight | None:
        number = web.index(url)
        if number is None or number in hidden:
            return None
        page = web.page(number)
        return Sight(page.out, page.terms)

    reader = LogReader()
    reader.read("visitors", surf(_once(look), brief.seeds, VISITORS), _site(brief.seeds))
    return reader.told()[0]


def _once(look: Callable[[Url], Sight | None]) -> Callable[[Url], Sight | None]:
    seen: dict[Url, Sight | None] = {}

    def looked(url: Url) -> Sight | None:
        if url not in seen:
            seen[url] = look(url)
        return seen[url]

    return looked


def _site(seeds: Sequence[Url]) -> str:
    """The origin of the start pages, for lines that name only a path: then all are of one host."""
    return seeds[0][: seeds[0].index("/", 8)]


def _numbers(web: LabWeb, urls: Iterable[str]) -> dict[int, None]:
    """Of the pages that the web has, in order, each once."""
    found = (web.index(url) for url in urls)
    return dict.fromkeys(number for number in found if number is not None)


_MAKERS: Mapping[type[Input], Callable[[LabWeb, Brief, Clues], Input]] = {
    Taxonomy: _taxonomy,
    Ontology: _ontology,
    ContextGraph: _context_graph,
    KnownGraph: _known_graph,
    UsageLog: _usage_log,
    Importance: _importance,
}
