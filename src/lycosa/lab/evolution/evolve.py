"""Evolution of ranking functions: simulated crawls of pages that are known, over topics whose pages are labelled.

Johnson, Tsioutsiouliklis and Giles, "Evolving strategies for focused web crawling", ICML 2003. Labels are the judge's:
a crawl sees a page's relevance by keywords, fitness counts labelled pages. Topics to train on and to test on are apart.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lycosa.archive.collection import Collection
from lycosa.compose.outside import robots_of
from lycosa.crawl.ports import Web
from lycosa.drive.clock import VirtualClock
from lycosa.drive.patience import visited
from lycosa.drive.visit import Visitor
from lycosa.lab.evolution.chc import Chc, Population
from lycosa.model.decoding import from_json
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Record, Request
from lycosa.model.url import Url, canonical
from lycosa.scoring.links.ranking import BITS, Numbers, RankingFunction
from lycosa.scoring.topics.keywords import KeywordTopic
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.spec.files import write_whole
from lycosa.spec.tree import CrawlSpec
from lycosa.strategies.evolved import LinkTexts
from lycosa.strategies.parts.in_links import InLinks, Places
from lycosa.strategies.parts.ledger import links_out
from lycosa.web.made.graph_web import GraphWeb, WebShape
from lycosa.web.recorded import RecordedWeb

DURATIONS = (0.25, 0.5, 1.0)
"""Shares of the budget at which labelled pages are counted: a good function is good early too."""


class LabelledTopic(Record, frozen=True, kw_only=True):
    """One line of a topics file: what crawlers see, and the pages that a judge holds to be about it."""

    keywords: tuple[str, ...]
    seeds: tuple[str, ...] | Mapping[str, tuple[str, ...]]
    """Start pages; a mapping names them by their distance from the targets, and the farthest are taken."""
    targets: tuple[str, ...] = ()
    relevant: tuple[str, ...] = ()
    id: str = ""

    def starts(self) -> list[Url]:
        chosen = self.seeds
        if isinstance(chosen, Mapping):
            chosen = chosen[max(chosen, key=lambda distance: (len(distance), distance))] if chosen else ()
        return [canonical(url) for url in chosen]


class Rehearsal:
    """The pages of a web, read once, as one topic's crawls see them: numbers in place of URLs and words."""

    def __init__(
        self, pages: Mapping[Url, Page], keywords: str, seeds: Sequence[Url], labelled: Iterable[Url]
    ):
        model = KeywordTopic(keywords)
        texts = LinkTexts(TopicWords.read(keywords).query())
        moved = {url: page.final_url for page in pages.values() for url in (page.request.url, *page.hops)}
        numbers: dict[Url, int] = {page.final_url: n for n, page in enumerate(pages.values())}
        self.relevance = [model.relevance(page) for page in pages.values()]
        self.targets: list[Places] = []
        self.texts: list[Numbers] = []
        for page in pages.values():
            links: dict[int, Url] = {}
            for url, link in links_out(page).items():
                number = numbers.setdefault(moved.get(url, url), len(numbers))
                if not link.nofollow and number != numbers[page.final_url]:
                    links.setdefault(number, url)
            self.targets.append(np.fromiter(links, dtype=np.int64, count=len(links)))
            self.texts.append(texts.of(page.links, list(links.values())))
        self.seeds = [numbers[moved.get(url, url)] for url in seeds if moved.get(url, url) in numbers]
        self.labelled = {numbers[url] for each in labelled if (url := moved.get(each, each)) in numbers}
        self.labelled = {number for number in self.labelled if number < len(pages)}

    def crawl(self, function: RankingFunction, budget: int) -> list[int]:
        """The pages that `evolved` with this function brings, in order."""
        return _Walk(self, function).pages(budget)

    def fitness(self, function: RankingFunction, budget: int) -> float:
        """The mean, over durations, of the share of labelled pages that could be found by then: 0 to 1."""
        path = self.crawl(function, budget)
        shares = []
        for share in DURATIONS:
            pages = max(1, round(share * budget))
            found = sum(page in self.labelled for page in path[:pages])
            shares.append(found / max(1, min(pages, len(self.labelled))))
        return sum(shares) / len(shares)


class _Walk:
    """One simulated crawl: the rules of the strategy `evolved` and of a frontier without hosts, on numbers.

    Invariant, the name of a test:

    * a simulated crawl is that of the strategy.
    """

    def __init__(self, rehearsal: Rehearsal, function: RankingFunction) -> None:
        self.known, self.function = rehearsal, function
        self.in_links = InLinks(function.community)
        self.waiting = [(0, -1.0, order, seed) for order, seed in enumerate(rehearsal.seeds)]
        self.order = {seed: place for place, seed in enumerate(rehearsal.seeds)}
        self.depth = dict.fromkeys(rehearsal.seeds, 0)
        self.told: dict[int, float] = {}
        self.via: dict[int, int] = {}
        self.closed: set[int] = set()

    def pages(self, budget: int) -> list[int]:
        path: list[int] = []
        while self.waiting and len(path) < budget:
            tier, below, _, page = heapq.heappop(self.waiting)
            if page in self.closed or (tier and self.told.get(page) != -below):
                continue  # visited, or it has another place by now
            self.closed.add(page)
            self.told.pop(page, None)
            if page < len(self.known.targets):
                path.append(page)
                for number, score in {**self._beside(page), **self._found(page)}.items():
                    heapq.heappush(self.waiting, (1, -score, self.order[number], number))
        return path

    def _beside(self, page: int) -> dict[int, float]:
        """New scores of the links beside which the page was found."""
        source = self.via.get(page)
        if source is None:
            return {}
        self.in_links.led(source, self.known.relevance[page])
        beside = self.in_links.hanging_on(source, self.known.targets[source])
        moved = {n: s for n, s in self._scored(beside) if self.told.get(n, s) != s}
        self.told.update(moved)
        return moved

    def _found(self, page: int) -> dict[int, float]:
        """Scores of the page's own links."""
        known, targets, depth = self.known, self.known.targets[page], self.depth[page]
        self.in_links.linked(page, known.relevance[page], depth, targets, known.texts[page])
        found: dict[int, float] = {}
        for number, score in self._scored(targets):
            before = self.told.get(number)
            if number in self.closed or (before is None and number in self.order):
                continue  # visited, or a start page
            if before is None:
                self.order[number], self.depth[number] = len(self.order), depth + 1
            if before is None or score > before:
                self.via[number] = page
            self.told[number] = found[number] = score
        return found

    def _scored(self, numbers: Places) -> Iterator[tuple[int, float]]:
        scores = self.function.scores(self.in_links.features(numbers))
        return zip(numbers.tolist(), scores.tolist(), strict=True)


class Settings(Record, frozen=True, kw_only=True):
    """What decides the outcome of an evolution, besides the pages."""

    web: str
    topics: str = ""
    pages: int = 300
    population: int = 50
    seed: int = 0


class Evolution(Record, frozen=True, kw_only=True):
    """How far an evolution has come; kept beside its outcome after every generation."""

    settings: Settings
    population: Population
    history: tuple[float, ...]
    """The best fitness of each generation."""


def fitness_of(function: RankingFunction, rehearsals: Sequence[Rehearsal], pages: int) -> float:
    """The mean over topics."""
    return sum(rehearsal.fitness(function, pages) for rehearsal in rehearsals) / len(rehearsals)


def begin(settings: Settings, rehearsals: Sequence[Rehearsal]) -> Evolution:
    first = _chc(settings).first(_fitness(settings, rehearsals))
    return Evolution(settings=settings, population=first, history=(first.best.fitness,))


def advance(evolution: Evolution, rehearsals: Sequence[Rehearsal]) -> Evolution:
    """One generation further."""
    settings = evolution.settings
    population = _chc(settings).next(evolution.population, _fitness(settings, rehearsals))
    history = (*evolution.history, population.best.fitness)
    return Evolution(settings=settings, population=population, history=history)


def outcome(evolution: Evolution, told: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a ranking file; `told` is what a person should know of how it was made."""
    content = RankingFunction.of_bits(evolution.population.best.number).content()
    made = {**msgspec.to_builtins(evolution.settings), "generations": evolution.population.generation, **told}
    return {**content, "evolved": made}


def save(evolution: Evolution, path: Path) -> None:
    write_whole(path, msgspec.json.encode(evolution))


def load(path: Path, settings: Settings) -> Evolution | None:
    """What `save` kept, if it was begun with the same settings. `InputError` if it was not, or cannot be read."""
    if not path.exists():
        return None
    try:
        kept = from_json(path.read_bytes(), Evolution)
    except (OSError, msgspec.MsgspecError) as error:
        raise InputError(f"{path}: cannot be read: {error}; remove it to begin anew") from None
    if kept.settings != settings:
        raise InputError(f"{path}: was begun with other settings; remove it, or give another -o")
    return kept


def _chc(settings: Settings) -> Chc:
    return Chc(bits=BITS, size=settings.population, seed=settings.seed)


def _fitness(settings: Settings, rehearsals: Sequence[Rehearsal]) -> Any:
    return lambda bits: fitness_of(RankingFunction.of_bits(bits), rehearsals, settings.pages)


# -- pages and topics --------------------------------------------------------------------------------------------


def load_topics(path: Path) -> list[LabelledTopic]:
    """JSON lines. Raises `InputError` that names file, line and what is wrong."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    topics = []
    for number, line in enumerate(lines, 1):
        try:
            topic = from_json(line, LabelledTopic) if line.strip() else None
        except msgspec.MsgspecError as error:
            raise InputError(f"{path}, line {number}: {error}") from None
        if topic is not None:
            if not (topic.starts() and (topic.targets or topic.relevant)):
                raise InputError(f"{path}, line {number}: give `seeds` and `targets`")
            topics.append(topic)
    if len(topics) < 2:
        raise InputError(f"{path}: {len(topics)} topics; give two at least, to train on and to test on")
    return topics


def split(rehearsals: Sequence[Rehearsal]) -> tuple[list[Rehearsal], list[Rehearsal]]:
    """Topics to train on, and topics to test on: by turns, so that both are of all kinds."""
    return list(rehearsals[::2]), list(rehearsals[1::2])


async def recorded_rehearsals(path: Path, topics: Sequence[LabelledTopic]) -> list[Rehearsal]:
    """One rehearsal for each topic on a recorded web."""
    collection = Collection.open([path])
    web = RecordedWeb(collection)
    captured = dict.fromkeys(canonical(capture.url) for capture in collection.captures())
    pages = await _visited(web, captured)
    if not pages:
        raise InputError(f"{path}: holds no page that can be read")
    return [
        Rehearsal(
            pages,
            " ".join(topic.keywords),
            topic.starts(),
            [canonical(url) for url in (*topic.targets, *topic.relevant)],
        )
        for topic in topics
    ]


async def generated_rehearsals(count: int, pages: int = 1500, seeds: int = 3) -> list[Rehearsal]:
    """Each of its own generated web, with that web's topic and truth."""
    rehearsals = []
    for seed in range(count):
        web = GraphWeb(WebShape(pages=pages, hosts=max(1, pages // 20), failures=0.03), seed=seed)
        urls = [web.url(number) for number in range(pages)]
        found = await _visited(web, urls)
        labelled = [url for url in urls if web.truth(url)]
        rehearsals.append(Rehearsal(found, " ".join(web.topic_words), web.seeds(seeds), labelled))
    return rehearsals


async def _visited(web: Web, urls: Iterable[Url]) -> dict[Url, Page]:
    """The pages that a crawl could have, by where they are, as robots.txt and redirects have it."""
    clock = VirtualClock()
    robots = robots_of(CrawlSpec(), web, clock)
    visitor = Visitor(web, robots, None, lambda request, url: None, clock)
    found: dict[Url, Page] = {}
    for order, url in enumerate(urls):
        visit = await visited(visitor, Request(url=url, order=order), clock)
        if isinstance(visit, Page):
            known = found.get(visit.final_url)
            hops = (visit.request.url, *visit.hops, *(known.hops if known else ()))
            found[visit.final_url] = msgspec.structs.replace(known or visit, hops=hops)
    return found
