"""Tasks from hubs: pages on which somebody has collected links to pages on one subject."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt

from lycosa.lab.tasks.labelled import keywords_of, slug
from lycosa.lab.tasks.subjects import is_subject, without_forms
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.link_graph import Library, LinkGraph
from lycosa.model.records import Page, Record
from lycosa.model.url import Url, host_of
from lycosa.scoring.words.terms import Counts, counts, document_frequencies, pure_idf

_FEW = 8
"""Pages of a host below which nothing is said about its titles."""


class HubRules(Record, frozen=True, kw_only=True):
    """Which pages are hubs of a topic."""

    links: tuple[int, int] = (8, 60)
    """How many targets a hub has, at least and at most."""
    in_degree: tuple[int, int] = (2, 40)
    """How many pages link to a target, at least and at most: what everybody links to is on no topic."""
    text: int = 400
    """Characters of text that a target has more than."""
    distinct: float = 0.8
    """The share of the targets' texts that are different, at least."""
    cohesion: tuple[float, float] = (0.06, 0.5)
    """Mean TF-IDF cosine of two targets: below they have no subject in common, above they are copies of a template."""
    shared: float = 0.2
    """The share of the targets that earlier topics may have, at most."""
    per_host: int = 6
    """Hubs of one host, at most."""
    everywhere: float = 0.25
    """A word in more than this share of the titles of a host of eight pages or more names the site, not a topic."""
    named: float = 0.0
    """The share of the targets in which each keyword occurs, at least. Above 0, the title must name what the hub
    collects: words of pages as such ("home", "news", "1996") are no keywords, and "people" alone is no topic."""
    telling: float = 0.0
    """One keyword occurs in the targets at least so many times as often as in the pages of the web."""
    words: tuple[int, int] = (1, 1_000)
    """Keywords of a hub, at least and at most."""
    context: int = 250
    """Characters of anchor and context of each target in the description, at most."""
    prefix: str = ""
    seed: int = 20040911


def from_hubs(library: Library, rules: HubRules | None = None, among: Iterable[Url] = ()) -> Iterator[Task]:
    """A task for each hub, in an order drawn at random, without start pages (see `with_seeds`).

    Of pages to choose `among`, only these are hubs, in their order. Then neither the hubs of a host are counted, nor
    what they share.

    The keywords are the words of the hub's title without those that name the whole site, the targets the pages it links
    to, the hidden description its anchors with their context. As it answers its own task, the hub and its copies are
    excluded; it serves as the example.
    """
    hubs = _Hubs(library, rules or HubRules())
    numbers = library.graph().numbers(among).tolist()
    return hubs.tasks_of(numbers) if numbers else hubs.tasks()


class _Hubs:
    def __init__(self, library: Library, rules: HubRules) -> None:
        self._library, self._rules = library, rules
        self._graph = library.graph()
        pages = (library.page(number) for number in range(len(self._graph)))
        self._texts: list[int] = []
        self._digests: list[str] = []
        self._pages_of = Counter[str]()  # by host
        self._titled: dict[str, Counter[str]] = defaultdict(Counter)  # by host: titles that have each word
        self._frequencies = document_frequencies(map(self._noted, pages))
        self._copies: dict[str, list[int]] = defaultdict(list)
        for number, digest in enumerate(self._digests):
            self._copies[digest].append(number)
        self._ids = Counter[str]()

    def _noted(self, page: Page) -> Counts:
        self._texts.append(len(page.text))
        self._digests.append(page.digest)
        host = host_of(self._graph.urls[len(self._digests) - 1])
        self._pages_of[host] += 1
        self._titled[host].update(word.lower() for word in keywords_of([page.title]))
        return page.terms

    def _words(self, hub: int, targets: Sequence[int]) -> tuple[str, ...]:
        """The words of a hub's title that tell its topic, none if it has no topic that it tells.

        Many sites write their name behind every title.
        """
        rules, page, host = self._rules, self._library.page(hub), host_of(self._graph.urls[hub])
        pages, titled = self._pages_of[host], self._titled[host]
        most = pages if pages < _FEW else rules.everywhere * pages
        words = tuple(word for word in keywords_of([page.title]) if titled[word.lower()] <= most)
        if rules.named or rules.telling:
            words = without_forms(words)
            if not is_subject(words) or not self._are_told_by(targets, words):
                return ()
        return words if rules.words[0] <= len(words) <= rules.words[1] else ()

    def _are_told_by(self, targets: Sequence[int], words: Sequence[str]) -> bool:
        """Whether each of the words occurs in enough of the targets, and one more often than elsewhere."""
        texts = [self._library.page(number).terms for number in targets]
        told = False
        for word in words:
            terms = counts(word)
            share = sum(all(term in text for term in terms) for text in texts) / len(texts)
            if not terms or share < self._rules.named:
                return False
            common = min(self._frequencies.get(term, 0) for term in terms) / len(self._graph)
            told |= share >= self._rules.telling * common
        return told

    def tasks(self) -> Iterator[Task]:
        order = list(range(len(self._graph)))
        random.Random(f"{self._rules.seed}/hubs").shuffle(order)
        hosts, taken = Counter[str](), set[int]()
        for hub in order:
            host = host_of(self._graph.urls[hub])
            if hosts[host] >= self._rules.per_host:
                continue
            targets = self._targets(hub)
            if not targets or len(taken.intersection(targets)) > self._rules.shared * len(targets):
                continue
            if (task := self._task(hub, targets)) is not None:
                hosts[host] += 1
                taken.update(targets)
                yield task

    def tasks_of(self, hubs: Iterable[int]) -> Iterator[Task]:
        for hub in hubs:
            if (targets := self._targets(hub)) and (task := self._task(hub, targets)) is not None:
                yield task

    def _targets(self, hub: int) -> list[int]:
        """The pages that a hub collects; none if it is no hub."""
        rules, graph = self._rules, self._graph
        own = set(self._copies[self._digests[hub]])
        into = graph.backwards.indptr
        targets = [
            page
            for page in graph.out(hub).tolist()
            if page not in own
            and rules.in_degree[0] <= into[page + 1] - into[page] <= rules.in_degree[1]
            and self._texts[page] > rules.text
        ]
        different = len({self._digests[page] for page in targets})
        if not rules.links[0] <= len(targets) <= rules.links[1] or different < rules.distinct * len(targets):
            return []
        return targets

    def _task(self, hub: int, targets: Sequence[int]) -> Task | None:
        """The task of a hub, or None if what it collects has no subject in common or its title does not tell it."""
        graph, rules = self._graph, self._rules
        page, texts = self._library.page(hub), [self._library.page(number).terms for number in targets]
        words, cohesion = self._words(hub, targets), mean_cosine(texts, self._frequencies, len(graph))
        if not words or not rules.cohesion[0] <= cohesion <= rules.cohesion[1]:
            return None
        name = slug(f"{rules.prefix} {page.title}")
        self._ids[name] += 1
        relevant = dict.fromkeys([*targets, *(c for n in targets for c in self._copies[self._digests[n]])])
        return Task(
            id=name if self._ids[name] == 1 else f"{name}-{self._ids[name]}",
            keywords=words,
            description=" ".join([page.title, *self._described(page, targets)]),
            targets=_urls(graph, targets),
            relevant=_urls(graph, relevant),
            examples=(graph.urls[hub],),
            excluded=_urls(graph, self._copies[self._digests[hub]]),
            cohesion=round(cohesion, 4),
        )

    def _described(self, hub: Page, targets: Sequence[int]) -> Iterator[str]:
        """Anchor and context of the first link to each target."""
        wanted = dict.fromkeys(targets)
        for link in hub.links:
            number = self._library.index(link.target)
            if number in wanted:
                del wanted[number]
                yield f"{link.anchor} {link.context}".strip()[: self._rules.context]


def mean_cosine(texts: Sequence[Counts], frequencies: Counts, documents: int) -> float:
    """The mean TF-IDF cosine of two of the texts, in [0, 1]; 0 with fewer than two.

    Of n vectors of length 1 with sum s: (|s|² - n) / (n (n - 1)). Empty texts are similar to nothing.
    """
    if len(texts) < 2:
        return 0.0
    total: dict[str, float] = defaultdict(float)
    filled = 0
    for terms in texts:
        weights = {term: n * pure_idf(documents, frequencies.get(term, 0)) for term, n in terms.items()}
        length = sqrt(sum(w * w for w in weights.values()))
        filled += bool(length)
        for term, weight in weights.items():
            total[term] += weight / length if length else 0.0
    return max(0.0, sum(w * w for w in total.values()) - filled) / (len(texts) * (len(texts) - 1))


def _urls(graph: LinkGraph, pages: Sequence[int] | dict[int, None]) -> tuple[Url, ...]:
    return tuple(graph.urls[page] for page in pages)
