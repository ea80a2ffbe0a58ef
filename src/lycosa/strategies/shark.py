"""Shark search: links are judged by their own words, the words around them, and what their page inherited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec

from lycosa.crawl.inputs import Query
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.bounds import Share
from lycosa.model.commands import Command
from lycosa.model.records import Link, Page, Request
from lycosa.model.url import Url
from lycosa.scoring.words.around import anchor_end, words_around
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.parts.ledger import best_links
from lycosa.strategies.wrappers.wrapper import Batches

WHOLE_CONTEXT = 20
"""Words on either side of a link that `Link.context` holds at most."""


class Lineage(NamedTuple):
    """What all links of a page have from it."""

    depth: int
    """So many levels of irrelevant pages more are followed."""
    inherited: float


class Shark(Strategy):
    """Scores every link by its anchor text, the words around it and what its page inherited from its ancestors.

    When to use it: where the links of one page differ and say what they lead to, as in directories and lists of
    references. It gives up on paths that hold nothing of the query, so it can end before its budget is spent.
    In a published comparison, on topics that are leaves of a directory, it did not do significantly better than
    breadth-first, similarity with the smallest frontier apart (Menczer et al. 2004, sec. 3.2.1).

    The score is γ·inherited + (1-γ)·neighborhood. Inherited is δ times the page's similarity to the query or, for
    an irrelevant page, δ times what that page inherited; start pages inherit 0. Neighborhood is β·anchor +
    (1-β)·context; context counts 1 where the anchor holds a word of the query, else it is the similarity of the
    `window` words of its block on either side of the link, anchor included. All similarities are cosines of raw term
    counts with the query, that of a page too, whatever topic model the crawl has. Links of a relevant page get depth
    d, those of another one less than their page has; pages of depth 0 are fetched, but their links are not followed.
    Of several links to a URL the best counts, and with it the depth and the inheritance of its page.

    Parameters: `gamma` (0 to 1, default 0.1, the paper's r), weight of what is inherited. `delta` (0 to 1, 0.5),
    what is left of it at each level. `beta` (0 to 1, 0.8), weight of the anchor against its context. `d` (0 to
    1,000, default 3). `window` (0 to 20 words, 10). `rel_threshold` (0 to 1, default 0 as published): a page is
    relevant if its similarity is above this; at 0 a single word of the query is enough, so that a path is hardly
    ever given up. `reset_before_test` (default false, as in the pseudocode of Menczer et al.): links of a relevant
    page are followed even if its depth is 0. γ and d are those of Menczer et al. 2004, sec. 3.1.4; δ and β are
    recalled from Hersovici et al. 1998 and not checked; the paper gives no window.

    Cost: O(words of links and contexts + links · log frontier) a page; state of one number and one depth for each
    page whose links were followed.

    >>> from lycosa.crawl.inputs import Query
    >>> from lycosa.spec.registry import strategy
    >>> strategy("shark:d=2,beta=0.7", [Query(terms={"spider": 1})]).beta
    0.7

    Invariants, each the name of a property test:

    * a matching anchor counts: a link has at least (1-γ)·(1-β) then, for its context counts 1.
    * scores lie in [0, 1].
    * a chain without any similarity ends after d levels.
    """

    reference: ClassVar[str] = (
        "Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim, Ur: The Shark-Search Algorithm – An Application: Tailored "
        "Web Site Mapping. WWW7, 1998; Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive "
        "Algorithms. ACM TOIT 4(4), 2004, fig. 8"
    )

    def __init__(
        self,
        query: Query,
        *,
        gamma: Share = 0.1,
        delta: Share = 0.5,
        beta: Share = 0.8,
        d: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 3,
        window: Annotated[int, msgspec.Meta(ge=0, le=WHOLE_CONTEXT)] = 10,
        rel_threshold: Share = 0.0,
        reset_before_test: bool = False,
    ) -> None:
        self.gamma, self.delta, self.beta = gamma, delta, beta
        self.d, self.window = d, window
        self.rel_threshold, self.reset_before_test = rel_threshold, reset_before_test
        self._words = TopicWords.of(query)
        self._similarity = self._words.in_texts()
        # By the page that a URL's link stands on, which its request names: so a URL that is trimmed, refused or
        # found by a better link needs no care, and the state is as many times smaller as a page has links.
        self._lineages: dict[Url, Lineage] = {}

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        similarity = self._words.similarity(page)
        own = self._lineage_of(page.request)
        relevant = similarity > self.rel_threshold
        if not page.links or (own.depth <= 0 and not (relevant and self.reset_before_test)):
            return []
        self._lineages[page.final_url] = handed_on = self._handed_on(own, similarity)
        return self._scored(page, handed_on.inherited)

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        return self.on_page(page, crawl)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        link = request.via
        if link is None:
            return {"start page": 1.0}
        lineage = self._retraced(link.source, memory)
        page = memory.page(link.source)
        if page is None or link not in page.links:
            anchor, context = self._anchor_and_context(link, None, -1)
        else:
            anchor, context = self._anchor_and_context(link, page, page.links.index(link))
        return {
            "inherited": lineage.inherited,
            "neighborhood": self._neighborhood(anchor, context),
            "anchor": anchor,
            "context": context,
            "depth": float(lineage.depth),
        }

    def save(self) -> Mapping[str, Any]:
        return {"lineages": {url: list(lineage) for url, lineage in self._lineages.items()}}

    def load(self, state: Mapping[str, Any]) -> None:
        self._lineages = {Url(url): Lineage(*lineage) for url, lineage in state["lineages"].items()}

    # -- what a page hands on to its links -------------------------------------------------------------------

    @property
    def _fresh(self) -> Lineage:
        """A start page's, and that of a link which a peer found."""
        return Lineage(self.d, 0.0)

    def _lineage_of(self, request: Request) -> Lineage:
        return self._lineages.get(request.via.source, self._fresh) if request.via else self._fresh

    def _handed_on(self, own: Lineage, similarity: float) -> Lineage:
        """inherited(u) = δ·sim(q, p) if p is relevant, else δ·inherited(p) (Pant et al. 2004, eq. 3)."""
        if similarity > self.rel_threshold:
            return Lineage(self.d, self.delta * similarity)
        return Lineage(own.depth - 1, self.delta * own.inherited)

    def _retraced(self, source: Url, memory: Memory) -> Lineage:
        """What a page handed on, from the pages that led to it: at most d irrelevant ones follow each other."""
        similarities: list[float] = []
        at: Url | None = source
        while at is not None and len(similarities) <= self.d and (page := memory.page(at)) is not None:
            similarities.append(self._words.similarity(page))
            if similarities[-1] > self.rel_threshold:
                break
            at = page.request.via.source if page.request.via else None
        lineage = self._fresh
        for similarity in reversed(similarities):
            lineage = self._handed_on(lineage, similarity)
        return lineage

    # -- what a link has of its own --------------------------------------------------------------------------

    def _scored(self, page: Page, inherited: float) -> list[Command]:
        def score(number: int, link: Link) -> float:
            neighborhood = self._neighborhood(*self._anchor_and_context(link, page, number))
            return self.gamma * inherited + (1 - self.gamma) * neighborhood

        return best_links((link, score(number, link)) for number, link in enumerate(page.links))

    def _neighborhood(self, anchor: float, context: float) -> float:
        """neighborhood(u) = β·anchor(u) + (1-β)·context(u)."""
        return self.beta * anchor + (1 - self.beta) * context

    def _anchor_and_context(self, link: Link, page: Page | None, number: int) -> tuple[float, float]:
        """context(u) = 1 if anchor(u) > 0, else sim(q, augmented context) (Pant et al. 2004, eq. 4)."""
        if anchor := self._similarity.of(link.anchor):
            return anchor, 1.0
        if not self._similarity.may_find(link.context):
            return 0.0, 0.0
        return 0.0, self._similarity.of(augmented(link, page, number, self.window))


def augmented(link: Link, page: Page | None, number: int, window: int) -> str:
    """A link's words with `window` words on either side; `number` counts the page's links.

    Where the link stands in the page's text is not known of a page that is gone, or has no `places`: then it is all of
    the link's context.
    """
    if window >= WHOLE_CONTEXT or page is None or len(page.places) != len(page.links):
        return link.context
    if (start := page.places[number]) < 0:
        return link.context
    return words_around(page.text, start, anchor_end(page.text, start, link.anchor), window)


class SharkInBatches(Batches):
    """Shark search in batches: picks the n best links, visits them all, then scores what they link to (Shark-N).

    When to use it: where shark search is too greedy. In the paper batches of 256 did better than single links, though
    not as well as best-first in the same batches (Menczer et al. 2004, sec. 4.2.1).

    Parameters: `n`, the links of a batch, 1 to 256 (default 16, lycosa's choice); `n=1` is shark search. The others are
    those of `shark`.

    Cost: that of `shark`, spent at the end of a batch; holds the n pages of a batch.

    >>> from lycosa.crawl.inputs import Query
    >>> from lycosa.spec.registry import strategy
    >>> strategy("shark-n:n=64,d=2", [Query(terms={"spider": 1})]).n
    64
    """

    reference: ClassVar[str] = (
        "Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive Algorithms. ACM TOIT 4(4), 2004, fig. 17"
    )

    def __init__(
        self,
        query: Query,
        *,
        n: Annotated[int, msgspec.Meta(ge=1, le=256)] = 16,
        gamma: Share = 0.1,
        delta: Share = 0.5,
        beta: Share = 0.8,
        d: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 3,
        window: Annotated[int, msgspec.Meta(ge=0, le=WHOLE_CONTEXT)] = 10,
        rel_threshold: Share = 0.0,
        reset_before_test: bool = False,
    ) -> None:
        inner = Shark(
            query,
            gamma=gamma,
            delta=delta,
            beta=beta,
            d=d,
            window=window,
            rel_threshold=rel_threshold,
            reset_before_test=reset_before_test,
        )
        super().__init__(inner, n=n)
