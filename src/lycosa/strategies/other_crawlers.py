"""Crawl strategies of other crawlers, made anew from their documented behaviour, to be compared with on the same pages.

They are no strategies that lycosa recommends, and `lycosa strategies` does not list them: experiments name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec

from lycosa.crawl.inputs import Examples, Query
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.bounds import Share
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Link, Page, Request
from lycosa.model.url import Url
from lycosa.scoring.learning.linear import LinearModel, fitted
from lycosa.scoring.words.terms import cosine, tokens
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.wrappers.wrapper import Batches


class _UrlKeywords(Strategy):
    """Scores a link by the share of the keywords that its URL holds."""

    def __init__(self, topic: Query, weight: float) -> None:
        self.words, self.weight = tuple(topic.terms), weight

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        links = {link.target: link for link in reversed(page.links)}
        return [
            Enqueue(url=url, via=links[url], score=self.score(url) - self.depth_cost(page))
            for url in page.out
        ]

    def score(self, url: Url) -> float:
        lower = url.lower()
        return self.weight * sum(word in lower for word in self.words) / max(1, len(self.words))

    def depth_cost(self, page: Page) -> float:
        """So little that it only decides between equal scores: the shallower link first."""
        return 1e-9 * min(page.request.depth, 10**6)


class UrlKeywords(Batches):
    """Crawl4ai's best-first crawl: links by the share of the keywords found in their URL, in batches.

    When to use it: as a baseline. It reads neither pages nor anchors, so a site with telling URLs suits it and no
    other. Score: weight × keywords that are part of the URL / keywords, without regard to case; of equal scores the
    shallower link goes first. A batch is picked, fetched, and its links are scored.

    From the manual (deep crawling: `BestFirstCrawlingStrategy`, `KeywordRelevanceScorer` with weight .7); batches of 10
    and ties by depth are recalled from its source. Ours: keywords are stems, as strategies are given these, so they are
    found at least as often as the words; further ties go first in, first out; no limit of depth.

    Parameters: `weight`, 0 to 1 (.7), which changes no order; `n`, the links of a batch, 1 to 256 (10).

    Cost: O(links × keywords) a page and no state.
    """

    reference: ClassVar[str] = (
        "crawl4ai, documentation of deep crawling, docs.crawl4ai.com/core/deep-crawling"
    )

    def __init__(
        self, topic: Query, *, weight: Share = 0.7, n: Annotated[int, msgspec.Meta(ge=1, le=256)] = 10
    ) -> None:
        super().__init__(_UrlKeywords(topic, weight), n=n)


class _ParentCosine(Strategy):
    """Gives all links of a page its cosine to the gold standard."""

    def __init__(self, topic: Query, examples: Examples | None) -> None:
        self._words = TopicWords.of(topic)
        gold = dict(topic.terms)
        for page in examples.pages if examples else ():
            for term, count in page.items():
                gold[term] = gold.get(term, 0) + count
        self.gold = gold

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        links = {link.target: link for link in reversed(page.links)}
        score = cosine(self.gold, self._words.in_page(page))
        return [Enqueue(url=url, via=links[url], score=score) for url in page.out]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        source = memory.page(request.via.source) if request.via else None
        return (
            {"cosine of the page that links here": cosine(self.gold, self._words.in_page(source))}
            if source
            else {}
        )


class ParentCosine(Batches):
    """Nutch's similarity scoring: every link has the cosine of its page to a gold-standard text, in rounds.

    When to use it: as a baseline. It is best-first in large batches with a text in place of a query: the keywords, and
    the example pages where these are given, put together. Raw term counts, stop words left out.

    From the wiki (SimilarityScoringFilter: cosine model, score passed on to all outlinks; generate, fetch and update
    in rounds of `topN`). Ours: of several pages that link to a URL the most similar one counts, terms are stemmed,
    keywords and examples take the place of the file, and a round has 50 links, as small crawls would end in one of
    1,000.

    Parameters: `n`, the links of a round, at least 1 (50).

    Cost: O(terms + links) a page and no state; holds the pages of a round.
    """

    reference: ClassVar[str] = "Apache Nutch wiki, SimilarityScoringFilter; NUTCH-2039"

    def __init__(
        self, topic: Query, examples: Examples | None = None, *, n: Annotated[int, msgspec.Meta(ge=1)] = 50
    ) -> None:
        super().__init__(_ParentCosine(topic, examples), n=n)


class Sample(NamedTuple):
    """The words of a link, and whether it led to a relevant page."""

    words: tuple[str, ...]
    good: bool


class LinkClassifier(Strategy):
    """ACHE's link classifier: learns from the words of links that were followed which links lead to relevant pages.

    When to use it: as a baseline of a crawler that learns. Until the first model a link of a relevant page stands above
    all others, and chance decides among equals (baseline mode). Every `learn` pages a linear classifier is trained
    anew on the words of URLs, anchors and texts around links, and all that waits is scored again by its probability;
    the best goes first (top k).

    From its code and documentation (0.13): `learning_limit` 500; features by field; C = 1; at most 5,000 samples of
    each kind, drawn as a reservoir, and no more bad ones than good ones. Ours: L2 logistic regression in place of a
    support vector machine with Platt scaling; a page is relevant from `relevant_from` by the crawl's topic model,
    where ACHE has a page classifier trained on examples; words are unstemmed and count once a field.

    Parameters: `learn`, pages from one training to the next, at least 10 (500; the cost of scoring all that waits grows
    with the square of the crawl, as it does there); `relevant_from`, 0 to 1 (.1, ours); `c`, the weight of the samples
    against the size of the weights, above 0 (1); `most`, samples of each kind, at least 10 (5,000).

    Cost: O(words of links) a page, and a training of up to a second every 500; state: the samples, some 5 MB.

    Invariants, each the name of a test:

    * baseline first: before the first model links of relevant pages stand above all others.
    * balanced: never more bad samples than good ones in a training, and at most `most` of each.
    """

    reference: ClassVar[str] = (
        "ACHE 0.13, LinkClassifierBuilder and LinkNeighborhood, github.com/VIDA-NYU/ache"
    )

    def __init__(
        self,
        *,
        learn: Annotated[int, msgspec.Meta(ge=10)] = 500,
        relevant_from: Share = 0.1,
        c: Annotated[float, msgspec.Meta(gt=0, le=1e6)] = 1.0,
        most: Annotated[int, msgspec.Meta(ge=10)] = 5_000,
    ) -> None:
        self.learn, self.relevant_from, self.c, self.most = learn, relevant_from, c, most
        self.model: LinearModel | None = None
        self._samples: dict[bool, list[tuple[str, ...]]] = {True: [], False: []}
        self._met = {True: 0, False: 0}
        self._pages = 0

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return [Enqueue(url=url, score=3.0) for url in seeds]  # above whatever follows

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self._pages += 1
        good = page.relevance >= self.relevant_from
        if page.request.via is not None:
            self._note(Sample(words_of(page.request.via), good), crawl)
        commands: list[Command] = [
            Enqueue(url=link.target, via=link, score=self._score(link, good, crawl)) for link in page.links
        ]
        if self._pages % self.learn == 0 and self._train():
            commands += [
                Reprioritize(url=request.url, score=self._probability(request.via))
                for request in crawl.pending()
                if request.via is not None
            ]
        return commands

    def _score(self, link: Link, good: bool, crawl: View) -> float:
        """As ACHE's, over 100: a probability, or 1 more for the links of relevant pages, and chance."""
        return crawl.rng.random() + good if self.model is None else self._probability(link)

    def _probability(self, link: Link) -> float:
        assert self.model is not None
        return self.model.probability(words_of(link))

    def _note(self, sample: Sample, crawl: View) -> None:
        """A reservoir: each sample that was met is kept with the same chance (Vitter 1985, algorithm R)."""
        kept = self._samples[sample.good]
        self._met[sample.good] += 1
        if len(kept) < self.most:
            kept.append(sample.words)
        elif (place := crawl.rng.randrange(self._met[sample.good])) < self.most:
            kept[place] = sample.words

    def training_set(self) -> list[Sample]:
        """What a model is trained on: all good samples, and as many bad ones, those met last."""
        good, bad = self._samples[True], self._samples[False]
        return [
            *(Sample(words, True) for words in good),
            *(Sample(w, False) for w in bad[-len(good) :] if good),
        ]

    def _train(self) -> bool:
        """Whether there is a model now."""
        samples = self.training_set()
        if len({sample.good for sample in samples}) == 2:
            self.model = fitted(
                [sample.words for sample in samples], [sample.good for sample in samples], self.c
            )
        return self.model is not None

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        if request.via is None:
            return {"start page": 3.0}
        if self.model is None:
            return {"baseline mode": request.score}
        return {"probability of a relevant page": self._probability(request.via)}

    def facts(self) -> Mapping[str, Any]:
        return {"samples": dict(zip(("good", "bad"), map(len, self._samples.values()), strict=True))}

    def save(self) -> Mapping[str, Any]:
        return {
            "good": [list(words) for words in self._samples[True]],
            "bad": [list(words) for words in self._samples[False]],
            "met": [self._met[True], self._met[False]],
            "pages": self._pages,
            "model": self.model.save() if self.model else None,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._samples = {True: list(map(tuple, state["good"])), False: list(map(tuple, state["bad"]))}
        self._met = {True: state["met"][0], False: state["met"][1]}
        self._pages = state["pages"]
        self.model = LinearModel.of(state["model"]) if state["model"] else None


def words_of(link: Link) -> tuple[str, ...]:
    """The words of a link, each with the field it stands in, once: URL, anchor, around.

    >>> from lycosa.model.url import Url
    >>> words_of(Link(source=Url("http://a.test/"), target=Url("http://b.test/wolf-den"), anchor="Wolf den"))
    ('url:http', 'url:test', 'url:wolf', 'url:den', 'anchor:wolf', 'anchor:den')
    """
    fields = (("url", link.target), ("anchor", link.anchor), ("around", link.context))
    return tuple(dict.fromkeys(f"{field}:{word}" for field, text in fields for word in tokens(text)))
