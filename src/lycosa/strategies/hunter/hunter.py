"""lycosa's own strategy: links are judged by the evidence of their neighbourhood, and the words of the best pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.crawl.inputs import Examples, Query, WordFrequencies
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.free_memory import give_back
from lycosa.model.records import Failure, Link, Page, Request, UrlState
from lycosa.model.url import Url
from lycosa.scoring.links.smoothing import Floats, Ints
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.hunter.corpus import Corpus
from lycosa.strategies.hunter.evidence import DIGITS, MOST, Evidence
from lycosa.strategies.hunter.further import FurtherEvidence
from lycosa.strategies.hunter.hunting import HUNTING
from lycosa.strategies.hunter.score import EvidenceRules
from lycosa.strategies.hunter.walk import Walk
from lycosa.strategies.hunter.ways import By, Ways
from lycosa.strategies.parts.columns import bytes_of, room_for
from lycosa.strategies.parts.rhythm import Rhythm

START = 1000.0
"""Score of start pages: above that of any link (see `nose.MOST`)."""
MOST_WORDS = 12
"""A query of more words is taken for a page about the topic."""
AHEAD = 4
"""So many times as many links are put in order as can be visited before they are put in order again."""
LEAST_AHEAD = 500
WORTH_TELLING = 0.02
"""A link is moved between two orderings if its score changes by at least this share."""
LEARNED_SINCE = "what was learned since"
"""The part of an explanation that makes up for what is known now and was not when the score was given."""
EXPLAINED = 1e-6
IN_A_ROW = 3
"""Pages without anything new, one linked from the other, that make a trap."""
MEMORY = 6
"""Pages on the way to a page whose words are compared with its own."""
LARGE = 1 << 16
"""Of so many nodes on, learning needs megabytes for a moment."""
TRIES = 2
"""A link that is found missing in the frontier so often is given up."""

Weight = Annotated[float, msgspec.Meta(ge=0, le=2)]


class Hunter(Strategy):
    """Follows links into neighbourhoods that smell of all the topic's words, and learns the words of the best pages.

    When to use it: for any topical crawl that may think for some milliseconds a page. It needs keywords or example
    pages, better both, and works with any other topic too, by the crawl's own judgement of pages.

    For each word of the topic a page has evidence: the cosine of its text with the word, weighted by how rare the word
    is in this crawl, and so for its title, its URL and the words of links to it. Evidence is smoothed over the link
    graph: a page inherits from pages that link to it (`above`) and from pages it links to (`below`), two links far; a
    link has what its own words say, the mean of the pages it stands on, and that of the pages which are linked to
    `beside` it there (three links before and after). The words are then put together as Σ rarity
    · ln(1 + evidence / (`saturation` · mean evidence)), so that some of each word is worth more than much of one. From
    `first_lesson` pages on, the words that tell the best `chosen` pages from all others count as a further piece of
    evidence, of weight `lessons`; so do example pages, of weight `likeness`. Pages that a person marks good are further
    examples, and their words are learned; likeness to those marked bad counts against. Words that are related to one of
    the topic's are evidence for it, by their shares; what is known of a language stands for pages before the first. Of
    three pages in a row, each with less than the share `novelty` of words that no page on the way to it has, the third
    and those beyond count for less: that is how endless traps are left. All scores are worked out anew at each mark and
    whenever the crawl has grown by a twentieth; between that, pages count as they come.

    Parameters: all are 0 to 2 where nothing else is said, and lycosa's own, chosen on the tuning topics of three
    recorded webs: `above` (0.2), `below` (0.6), `beside` (0.5), `saturation` (above 0, to 100, default 3), `lessons`
    (1.0), `likeness` (1.0), `chosen` (1 to 1,000 pages, default 20), `terms` (1 to 10,000, default 60), `first_lesson`
    (default 60 pages), `context` (0.5), the weight of the words around a link against the link's own words, `novelty`
    (0 to 1, default 0.15).

    Switches, all off: `guard` (0 to 1) makes learned words count less the less they stand near the topic's own and the
    less they brought; with `referrers` a link inherits more the more good pages link to it, of different hosts above
    all; `lsa` is the weight of words that stand with the topic's, by latent semantic analysis of the crawl's pages;
    `rank` that of walks from good pages, menus left out; and `ways` (`ftrl`, `bandit` or `thompson`) learns which kinds
    of links lead on, to pages that say nothing of the topic but name links that do, of weight `ways_weight` (0.5).

    Cost: O(words of links + links) a page, and O(all words and links) at each growth by a twentieth, which is some
    twenty times the last such work over a whole crawl. State: 4 bytes for each distinct word of a page, 4 for a link,
    and some 400 for each URL that was met, itself included (`benchmarks/strategies.py`, `benchmarks/hunter_cost.py`).

    >>> from lycosa.crawl.inputs import Query
    >>> from lycosa.spec.registry import strategy
    >>> strategy("hunter:lessons=0", [Query(terms={"spider": 1})]).tuning.lessons
    0.0

    Invariants, each the name of a property test:

    * finite scores: whatever pages hold, no score is infinite or not a number.
    * start pages first: no link has a score above theirs.
    """

    reference: ClassVar[str] = (
        "lycosa; after Menczer: Lexical and Semantic Clustering by Web Links. JASIST 55(14), 2004, and Chakrabarti, "
        "Punera, Subramanyam: Accelerated Focused Crawling through Online Relevance Feedback. WWW 2002"
    )

    def __init__(
        self,
        query: Query | None,
        examples: Examples | None,
        frequencies: WordFrequencies | None = None,
        *,
        above: Weight = 0.2,
        below: Weight = 0.6,
        beside: Weight = 0.5,
        saturation: Annotated[float, msgspec.Meta(gt=0, le=100)] = 3.0,
        lessons: Weight = 1.0,
        likeness: Weight = 1.0,
        chosen: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20,
        terms: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 60,
        first_lesson: Annotated[int, msgspec.Meta(ge=1)] = 60,
        context: Weight = 0.5,
        novelty: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.15,
        guard: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0,
        referrers: Weight = 0.0,
        lsa: Weight = 0.0,
        rank: Weight = 0.0,
        ways: By = "off",
        ways_weight: Weight = 0.5,
    ) -> None:
        self.novelty = novelty
        self.tuning = EvidenceRules(
            above=above,
            below=below,
            beside=beside,
            saturation=saturation,
            lessons=lessons,
            likeness=likeness,
            chosen=chosen,
            terms=terms,
            first_lesson=first_lesson,
            context=context,
            guard=guard,
            referrers=referrers,
            lsa=lsa,
        )
        self._words = TopicWords.of(query)
        words = self._words.terms
        pages = list(examples.pages) if examples is not None else []
        if len(words) > MOST_WORDS:
            words, pages = {}, [words, *pages]
        self._query = words
        self._similarity = self._words.in_texts() if words else None
        self.corpus = Corpus(self._words)
        shares = frequencies.shares if frequencies is not None else {}
        related = self._words.related if words else {}
        self.evidence = Evidence(self.corpus, words, pages, self.tuning, related, shares)
        self._further: list[tuple[float, FurtherEvidence]] = []
        if rank:
            self._further.append((rank, Walk(self.corpus, self.evidence)))
        if ways != "off" and ways_weight:
            self._further.append((ways_weight, Ways(self.corpus, self.evidence, ways)))
        self._rhythm = Rhythm(every=1, growth=1.05)
        self._told: NDArray[np.float64] = np.zeros(0)  # by node: the score that the frontier has; NaN: none
        self._closed: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self._finder: NDArray[np.int32] = np.zeros(0, dtype=np.int32)  # the page whose link was followed
        self._news: NDArray[np.float64] = np.zeros(0)  # of pages, by place: the share of words that were new
        self._tries: dict[int, int] = {}

    # -- events ----------------------------------------------------------------------------------------------

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        nodes = [self.corpus.graph.number_of(url) for url in seeds]
        self._grow()
        self._told[nodes] = START
        return [Enqueue(url=url, score=START) for url in seeds]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        known = len(self.corpus.pages)
        asked = self.corpus.graph.number_of(page.request.url)
        node = self.corpus.add(page)
        self._grow()
        self._finder[node] = max(self._finder[node], self._finder[asked])  # a redirect makes two nodes one
        self._closed[node] = True
        targets = self.corpus.graph.targets_of(page)
        places, untold = sifted(targets, self._closed, self._told)
        fresh, refused = self._fresh(page, untold, targets, crawl)
        if len(self.corpus.pages) == known:
            return [*self._found(fresh, node), *refused]
        around = self._surroundings(page, places, targets)
        self.evidence.see(node, around, self._judgement(page), self._worth(node))
        for _, further in self._further:
            further.see(page, node, fresh)
        if self._rhythm.due(len(self.corpus.pages)):
            self._learn(crawl)
            return [*self._found(fresh, node), *refused, *self._put_in_order(crawl)]
        waiting = standing(self.corpus.graph.linked(node), self._closed, self._told)
        nodes = np.concatenate([np.fromiter(fresh, dtype=np.int64, count=len(fresh)), waiting])
        scores = self._scores(nodes)
        found = self._enqueued(fresh, nodes[: len(fresh)], scores[: len(fresh)], node)
        return [*found, *refused, *self._moved(waiting, scores[len(fresh) :])]

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        """Links that are new count by their words and URLs. What the page says of them, and of others, is as it was
        told first."""
        self.corpus.add_links(page)
        self._grow()
        self.evidence.meet()
        return self.on_page(page, crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        node = self.corpus.graph.number(failure.request.url)
        if node is not None:
            self._closed[node] = True
        return ()

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return self.on_handoffs([handoff], crawl)

    def on_handoffs(self, handoffs: Sequence[Enqueue], crawl: View) -> Iterable[Command]:
        """The peer saw the page on which a link stands, here is only its URL: it counts by whichever says more."""
        nodes = np.array([self.corpus.graph.number_of(handoff.url) for handoff in handoffs])
        self._grow()
        self.evidence.meet()
        told = np.array([handoff.score for handoff in handoffs])
        self._told[nodes] = scores = np.maximum(told, self._scores(nodes))
        return [
            msgspec.structs.replace(handoff, score=score)
            for handoff, score in zip(handoffs, scores.tolist(), strict=True)
        ]

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        """The page is a good or a bad example from now on, and all links are put in order anew."""
        node = self.corpus.graph.number_of(page.final_url)
        self._grow()
        self.evidence.mark(node, good)
        if not len(self.corpus.pages):  # all pages are held back by a wrapper: it counts when they are told
            return ()
        self._learn(crawl)
        return self._put_in_order(crawl)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        if request.score >= START:
            return {"start page": 1.0}
        node = self.corpus.graph.number(request.url)
        parts = {} if node is None else self._parts(node)
        since = sum(parts.values()) - request.score
        return {**parts, LEARNED_SINCE: -since} if parts and abs(since) > EXPLAINED else parts

    def facts(self) -> Mapping[str, Any]:
        words = list(self.evidence.learned(12))
        return {"learned": words} if words else {}

    def _learn(self, crawl: View) -> None:
        """Work out anew what all that is known comes to."""
        is_large = len(self.corpus.graph) >= LARGE
        if is_large:  # what others have left free is not to lie beside what this takes
            give_back()
        self.evidence.learn()
        for _, further in self._further:
            further.learn(crawl.rng)
        if is_large:
            give_back()

    def _scores(self, nodes: NDArray[np.int64]) -> Floats:
        found = self.evidence.scores(nodes)
        for weight, further in self._further:
            found = np.minimum(found + weight * further.of(nodes), MOST).round(DIGITS)
        return found

    def _parts(self, node: int) -> dict[str, float]:
        parts = self.evidence.explain(node)
        for weight, further in self._further:
            if part := weight * float(further.of(np.array([node]))[0]):
                parts[further.name] = part
        return parts

    # -- commands --------------------------------------------------------------------------------------------

    def _fresh(
        self, page: Page, untold: Sequence[int], targets: Ints, crawl: View
    ) -> tuple[dict[int, Link], list[Command]]:
        """The links that the frontier has not been told of, by node, and what is told to be refused; `untold` are the
        places of those to what may still be fetched, `targets` the nodes of all. What may not be followed from here
        stays untold: another page may lead there."""
        links: dict[int, Link] = {}
        refused: list[Command] = []
        for place in untold:
            link, node = page.links[place], targets.item(place)
            if node in links:
                continue
            if link.nofollow and not crawl.admits(command := Enqueue(url=link.target, via=link)):
                refused.append(command)
            else:
                links[node] = link
        return links, refused

    def _found(self, links: Mapping[int, Link], source: int) -> list[Command]:
        """Ask for the links of a page."""
        nodes = np.fromiter(links, dtype=np.int64, count=len(links))
        return self._enqueued(links, nodes, self._scores(nodes), source) if links else []

    def _enqueued(
        self, links: Mapping[int, Link], nodes: NDArray[np.int64], scores: Floats, source: int
    ) -> list[Command]:
        self._told[nodes] = scores
        self._finder[nodes] = source
        return [
            Enqueue(url=link.target, via=link, score=score)
            for link, score in zip(links.values(), scores.tolist(), strict=True)
        ]

    def _moved(self, nodes: Ints, scores: Floats) -> list[Command]:
        """What is told anew of them, as their scores are these now."""
        changed, told = moved(nodes, scores, self._told)
        urls = self.corpus.graph.urls.at(changed)
        return [Reprioritize(url=url, score=score) for url, score in zip(urls, told, strict=True)]

    def _put_in_order(self, crawl: View) -> list[Command]:
        """All links that may be visited before the next time, and those that stand before them without reason."""
        # What was not told of is NaN, which is less than nothing.
        nodes = np.flatnonzero(~self._closed & (self._told < START))
        if not nodes.size:
            return []
        scores, told = self._scores(nodes), self._told[nodes]
        ahead = LEAST_AHEAD + AHEAD * self._rhythm.until_next(len(self.corpus.pages))
        least = np.partition(scores, -ahead)[-ahead] if ahead < len(scores) else -np.inf
        changed = ((scores >= least) | (told > least)) & (scores != told)
        nodes, scores = nodes[changed], scores[changed]
        urls, pending = self.corpus.graph.urls.at(nodes), UrlState.PENDING
        states = crawl.states(urls)
        commands: list[Command] = []
        others = [place for place, state in enumerate(states) if state is not pending]
        for place in others:
            if states[place] is UrlState.UNSEEN:
                commands += self._again(int(nodes[place]), float(scores[place]), crawl)
            elif states[place] is not UrlState.LEASED:
                self._closed[nodes[place]] = True
        if others:
            nodes, scores = np.delete(nodes, others), np.delete(scores, others)
            urls = [url for url, state in zip(urls, states, strict=True) if state is pending]
        self._told[nodes] = scores
        moved = zip(urls, scores.tolist(), strict=True)
        return [*commands, *[Reprioritize(url=url, score=score) for url, score in moved]]

    def _again(self, node: int, score: float, crawl: View) -> list[Command]:
        """A link that a bounded frontier dropped is offered once more; not for ever, nor what the crawl refused."""
        urls, finder = self.corpus.graph.urls, int(self._finder[node])
        via = Link(source=urls[finder], target=urls[node]) if finder >= 0 else None
        command = Enqueue(url=urls[node], via=via, score=score)
        self._tries[node] = tries = self._tries.get(node, 0) + 1
        if tries >= TRIES or not crawl.admits(command):
            self._closed[node] = True
            return []
        self._told[node] = score
        return [command]

    # -- what the page says besides its words ----------------------------------------------------------------

    def _surroundings(self, page: Page, places: Sequence[int], targets: Ints) -> list[tuple[int, str]]:
        """The words around the links at these places, of those that may hold a word of the query, each with the node it
        leads to; `targets` are the nodes of all links."""
        if self._similarity is None or not self.tuning.context:
            return []
        around = [page.links[place].context for place in places]
        telling = self._similarity.places_that_may(around)
        return [(targets.item(places[place]), around[place]) for place in telling]

    def _judgement(self, page: Page) -> float:
        """The page's relevance where the crawl judges by something else than the query's words."""
        if self._query and abs(page.relevance - self._words.similarity(page)) < 1e-6:
            return 0.0
        return page.relevance

    def _worth(self, node: int) -> float:
        """Less than 1 for the third page in a row that hardly says what the pages on the way to it did not say: an
        endless trap repeats the words that led into it, so they must not lead on."""
        way, finder = [node], self._finder.item
        source = finder(node)
        while len(way) <= MEMORY and source >= 0 and source not in way:
            way.append(source)
            source = finder(source)
        pages = self.corpus.graph.pages
        places = pages.of(way)
        self._news = room_for(len(pages), self._news, 1)
        self._news[places[0]] = self.corpus.pages.share_new(places[0], places[1:])
        newest = max(map(self._news.item, places[:IN_A_ROW]))
        return min(1.0, newest / self.novelty) if self.novelty else 1.0

    # -- state -----------------------------------------------------------------------------------------------

    def _grow(self) -> None:
        """Room for nodes that were met since."""
        count = len(self.corpus.graph)
        if count <= len(self._told):  # all of these grow together
            return
        self._told = room_for(count, self._told, np.nan)
        self._closed = room_for(count, self._closed)
        self._finder = room_for(count, self._finder, -1)

    def save(self) -> Mapping[str, Any]:
        count = len(self.corpus.graph)
        return {
            "grounds": self.corpus.save(),
            "nose": self.evidence.save(),
            "rhythm": self._rhythm.save(),
            "told": bytes_of(self._told[:count]),
            "closed": bytes_of(self._closed[:count]),
            "finder": bytes_of(self._finder[:count]),
            "news of pages": bytes_of(self._news[: len(self.corpus.pages)]),
            "tries": list(self._tries.items()),
            **{further.name: further.save() for _, further in self._further},
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self.corpus.load(state["grounds"])
        self.evidence.load(state["nose"])
        self._rhythm.load(state["rhythm"])
        self._told = np.frombuffer(state["told"], dtype=np.float64).copy()
        self._closed = np.frombuffer(state["closed"], dtype=bool).copy()
        self._finder = np.frombuffer(state["finder"], dtype=np.int32).copy()
        if "news" in state:  # a snapshot of an earlier version: of all nodes
            self._news = np.frombuffer(state["news"], dtype=np.float64)[list(self.corpus.graph.pages)]
        else:
            self._news = np.frombuffer(state["news of pages"], dtype=np.float64).copy()
        self._tries = dict(state["tries"])
        for _, further in self._further:
            further.load(state[further.name])


def sifted(nodes: Ints, closed: NDArray[np.bool_], told: Floats) -> tuple[list[int], list[int]]:
    """The places of links to what may still be fetched, by the nodes they lead to (-1: none); and of those among them
    of which the frontier was not told."""
    if HUNTING is not None:
        found: tuple[list[int], list[int]] = HUNTING.sifted(nodes, closed, told)
        return found
    places = np.flatnonzero((nodes >= 0) & ~closed[nodes])
    return places.tolist(), places[np.isnan(told[nodes[places]])].tolist()


def standing(nodes: Ints, closed: NDArray[np.bool_], told: Floats) -> Ints:
    """The links among some nodes that wait, start pages apart. What the frontier was not told of is NaN, which is less
    than nothing."""
    if HUNTING is not None:
        return np.frombuffer(HUNTING.waiting(nodes, closed, told, START), dtype=np.int64)
    return nodes[~closed[nodes] & (told[nodes] < START)]


def moved(nodes: Ints, scores: Floats, told: Floats) -> tuple[Ints, list[float]]:
    """The nodes of which something else is worth telling than what was told, and that; now it counts as told."""
    if HUNTING is not None:
        in_bytes, found = HUNTING.moved(nodes, scores, told, WORTH_TELLING)
        return np.frombuffer(in_bytes, dtype=np.int64), found
    before = told[nodes]
    changed = np.abs(scores - before) > WORTH_TELLING * np.maximum(np.abs(before), WORTH_TELLING)
    told[nodes[changed]] = scores[changed]
    return nodes[changed], scores[changed].tolist()
