"""Context-focused crawling: estimates how many links a page is away from the topic, and follows the nearest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lycosa.crawl.inputs import ContextGraph
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.scoring.learning.bayes import NaiveBayes, every_word
from lycosa.scoring.words.terms import Counts, pure_idf, tf_idf, together
from lycosa.strategies.parts.ledger import links_out


class ContextFocused(Strategy):
    """Classifies each page by how many links it is away from the topic, and follows the links of the nearest first.

    When to use it: where pages about the topic are reached over pages that do not look like it, such as a department's
    page on the way to a paper. It has to know how pages about the topic were reached before: give an earlier crawl, a
    recorded web or a file of back-links with `--back-links`, and pages about the topic with `--like`.

    Layer 0 of the context graph holds the pages about the topic, layer l + 1 those that link to layer l. A naive Bayes
    classifier with equal priors puts each page that comes in into a layer, by the words that tell layer 0 best (TF-IDF
    of all its pages taken as one). A page whose best layer has a probability below theta goes to "other", behind all
    layers. Of the nearest layer that has links left, those of the page with the highest probability are visited, in
    document order; a link that waited already goes before them. The start pages come before all else.

    A crawl's frontier holds links, not pages: the links of a page stand in the tier of its layer with its probability
    as their score, so that of several pages that link to a URL the one that comes first counts.

    Parameters: `vocab`, 1 to 10,000 terms of the vocabulary (40, as recalled). `vocab_layers`, 1 to 5: the
    vocabulary is taken from so many layers (1; the paper also has 2). `layers`, 2 to 5: so many are used at most
    (default 4: up to three links away). `theta`, 0 to 1 (0.5). `n0`, 0 to 10,000: a page's
    words of the vocabulary count as at most so many, so that a probability says something of long pages too (20,
    lycosa's choice; 0: each word counts, as in the textbook). `evidence`, `vocabulary` (the default) or `page`: by
    `page` all words of a page together count as n0, also those out of the vocabulary. Then most pages go to "other", in
    which those full of the vocabulary's words come first: no layers any more, but in an encyclopaedia, where all pages
    are a few links from each other, it found twice as much.

    Cost: O(distinct terms + links · log frontier) a page and no state but a count for each layer.

    >>> from lycosa.spec.registry import strategy
    >>> graph = ContextGraph(layers=(({"x": 3},), ({"y": 3},)), documents=9, frequencies={"x": 1, "y": 1})
    >>> made = strategy("context-graph:n0=0,vocab_layers=2", [graph])
    >>> [round(share, 4) for share in made.shares({"x": 2})]
    [0.9412, 0.0588]
    >>> made.layer({"x": 1, "y": 1}), made.layer({"x": 2})
    (0, 0)
    >>> strategy("context-graph:n0=0,vocab_layers=2,theta=0.6", [graph]).layer({"x": 1, "y": 1})
    2

    Invariants, each the name of a property test:

    * nearest first: no link of a farther layer is picked while one of a nearer layer waits.
    * the top page's links: what is picked is a link of the page that comes first in the nearest layer.
    """

    reference: ClassVar[str] = (
        "Diligenti, Coetzee, Lawrence, Giles, Gori: Focused Crawling Using Context Graphs. VLDB 2000, p. 527-534; "
        "Pant, Srinivasan, Menczer: Crawling the Web. 2004, sec. 3.4"
    )

    def __init__(
        self,
        graph: ContextGraph,
        *,
        vocab: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 40,
        vocab_layers: Annotated[int, msgspec.Meta(ge=1, le=5)] = 1,
        layers: Annotated[int, msgspec.Meta(ge=2, le=5)] = 4,
        theta: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5,
        n0: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 20,
        evidence: Literal["vocabulary", "page"] = "vocabulary",
    ) -> None:
        self.vocab, self.vocab_layers, self.theta, self.n0 = vocab, vocab_layers, theta, n0
        self.evidence = evidence
        self._graph = graph
        self._layers = graph.layers[:layers]
        self._pages = [0] * (len(self._layers) + 1)  # that came in, by layer, "other" last
        if len(self._layers) < 2:
            raise InputError(
                "the context graph has less than two layers, so it cannot tell how far a page is from the topic; "
                "name examples to which pages that are known link"
            )

    # -- where a page stands ---------------------------------------------------------------------------------

    def shares(self, terms: Counts) -> list[float]:
        """Pr(c_l|p) of each layer: log p_l = log 1/L + (m/|p|) · Σ n_t log θ_lt.

        |p| are the page's words of the vocabulary and m = min(n0, |p|); by `evidence=page` |p| are all words, m = n0.
        """
        if self.evidence == "page" and self.n0 and (length := sum(terms.values())):
            return self._bayes.posterior(terms, self.n0 / length)
        return self._bayes.posterior(terms)

    def layer(self, terms: Counts) -> int:
        """The layer of a page; the number of layers stands for "other"."""
        return self._placed(self.shares(terms))[0]

    def _placed(self, shares: list[float]) -> tuple[int, float]:
        """argmax_l Pr(c_l|p), the nearest of equals, and that probability."""
        best = max(shares)
        return (shares.index(best) if best >= self.theta else len(shares)), best

    @cached_property
    def _bayes(self) -> NaiveBayes:
        return NaiveBayes(
            [together(layer) for layer in self._layers],
            vocabulary=self.vocabulary,
            effective_length=self._effective if self.n0 else every_word,
        )

    def _effective(self, length: int) -> float:
        return float(min(length, self.n0))

    @cached_property
    def vocabulary(self) -> list[str]:
        """The terms of layer 0, taken as one text, with the highest f · ln(N / df), best first (ties by term)."""
        graph = self._graph
        text = together([terms for layer in self._layers[: self.vocab_layers] for terms in layer])
        weights = tf_idf(text, graph.frequencies, graph.documents, pure_idf)
        return sorted(weights, key=lambda term: (-weights[term], term))[: self.vocab]

    # -- events ----------------------------------------------------------------------------------------------

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        layer, confidence = self._placed(self.shares(page.terms))
        self._pages[layer] += 1
        return [
            Enqueue(url=url, via=link, tier=layer, score=confidence) for url, link in links_out(page).items()
        ]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        source = memory.page(request.via.source) if request.via else None
        if source is None:
            return {"start page": 1.0} if request.via is None else {}
        shares = enumerate(self.shares(source.terms))
        return {f"the page that links here is of layer {layer}": share for layer, share in shares}

    def facts(self) -> Mapping[str, Any]:
        names = [*(f"layer {layer}" for layer in range(len(self._layers))), "other"]
        return {"pages by layer": [f"{n:,} {name}" for name, n in zip(names, self._pages, strict=True)]}

    def save(self) -> Mapping[str, Any]:
        return {"pages": list(self._pages)}

    def load(self, state: Mapping[str, Any]) -> None:
        self._pages = list(state["pages"])
