"""Ontology-focused crawling: pages and links are judged by the concepts that they mention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import msgspec

from lycosa.crawl.inputs import Ontology
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.bounds import Share
from lycosa.model.commands import Command
from lycosa.model.records import Link, Page, Request
from lycosa.scoring.topics.ontology import EntityRelevance, Idf, Measure
from lycosa.scoring.words.terms import idf as inverse_frequency
from lycosa.strategies.parts.ledger import best_links

METADATA_ENDINGS = (".rdf", ".owl", ".ttl", ".nt", ".n3", ".jsonld", ".rdfs")
"""How URLs of RDF documents end."""
METADATA_RELS = frozenset({"meta", "describedby"})


class OntologyFocused(Strategy):
    """Scores links by the concepts of an ontology that their page and their words mention, near those in focus.

    When to use it: where the topic has a vocabulary that somebody wrote down as OWL, RDF or SKOS. A page that never
    says "cycling" but speaks of mountain bikes, racing bikes and the Tour de France is then about cycling, and so is
    a link. Keywords need no preparation and do as well where a topic has one unmistakable name.

    A text's relevance is the sum over the concepts in focus of s(e) / √|d|, at most 1, |d| being its number of terms.
    Entities are found by their labels, of several that fit the longest, compared by stems. s(e) is the number of
    mentions of e with `measure=single`; `taxonomic` adds w_t times those of its direct super- and subconcepts and
    instances, `relational` w_r times those of related entities, `total` both. A link's score is page_share ·
    relevance of its page + (1 - page_share) · relevance of its anchor text; of several links to a URL the best
    counts.

    Parameters: `measure` (`single`, `taxonomic`, `relational` or `total`, the default). `w_t` (0 to 1, default 0.5),
    `w_r` (0 to 1, 0.25). `depth` (1 or 2, default 1): at 2 neighbours of neighbours count by the product of both
    weights. `page_share` (0 to 1, 0.5). `idf` (default false): weigh mentions by 1 + ln(N / df) over the pages so
    far, as the published measure is a TF-IDF; without it a page's score does not depend on when it was found.
    `metadata` (default false): links to RDF documents (by the ending of the URL, or rel=meta or describedby) count as
    if their words had relevance 1, so that metadata is crawled along with the pages (of RDF/XML the words and
    rdfs:seeAlso are read; `<link>` elements of HTML are no links to lycosa). The four measures are those of
    Ehrig and Maedche; weights, depths and the even split between page and link are lycosa's choice.

    Cost: O(terms + words of links + links · log frontier) a page. State: none; with `idf` one number a concept.

    >>> from lycosa.crawl.inputs import Concept, Ontology
    >>> from lycosa.spec.registry import strategy
    >>> bikes = Concept(name="bikes", labels=(("bike",),))
    >>> strategy("ontology:measure=single,depth=2", [Ontology(concepts=(bikes,), focus=("bikes",))]).depth
    2

    Invariant, the name of a property test:

    * scores lie in [0, 1].
    """

    reference: ClassVar[str] = (
        "Ehrig, Maedche: Ontology-Focused Crawling of Web Documents. ACM Symposium on Applied Computing, 2003"
    )

    def __init__(
        self,
        ontology: Ontology,
        *,
        measure: Measure = "total",
        w_t: Share = 0.5,
        w_r: Share = 0.25,
        depth: Annotated[int, msgspec.Meta(ge=1, le=2)] = 1,
        page_share: Share = 0.5,
        idf: bool = False,
        metadata: bool = False,
    ) -> None:
        self.measure, self.w_t, self.w_r, self.depth = measure, w_t, w_r, depth
        self.page_share, self.idf, self.metadata = page_share, idf, metadata
        self._relevance = EntityRelevance(ontology, measure=measure, w_t=w_t, w_r=w_r, depth=depth)
        self._documents = 0
        self._frequencies: dict[str, int] = {}  # in how many pages a concept was mentioned, by name

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        mentions = self._relevance.lexicon.in_page(page)
        if self.idf:
            self._count(mentions)
        of_page = self._of_page(page, mentions)
        share = self.page_share
        return best_links((link, share * of_page + (1 - share) * self._of_link(link)) for link in page.links)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        link = request.via
        if link is None:
            return {"start page": 1.0}
        page = memory.page(link.source)
        of_page = self._of_page(page, self._relevance.lexicon.in_page(page)) if page else 0.0
        return {"relevance of the page": of_page, "relevance of the link's words": self._of_link(link)}

    def facts(self) -> Mapping[str, Any]:
        ranked = sorted(self._frequencies.items(), key=lambda item: (-item[1], item[0]))
        return {"pages by concept": dict(ranked[:20])} if ranked else {}

    def save(self) -> Mapping[str, Any]:
        return {"documents": self._documents, "frequencies": dict(self._frequencies)}

    def load(self, state: Mapping[str, Any]) -> None:
        self._documents = state["documents"]
        self._frequencies = dict(state["frequencies"])

    def _of_page(self, page: Page, mentions: Mapping[int, int]) -> float:
        return self._relevance.of_mentions(mentions, sum(page.terms.values()), self._weigh())

    def _of_link(self, link: Link) -> float:
        if self.metadata and is_metadata(link):
            return 1.0
        return self._relevance.of_text(link.anchor, self._weigh()) if link.anchor else 0.0

    def _weigh(self) -> Idf | None:
        return self._rarity if self.idf else None

    def _rarity(self, place: int) -> float:
        name = self._relevance.concepts[place].name
        return inverse_frequency(max(1, self._documents), self._frequencies.get(name, 0))

    def _count(self, mentions: Iterable[int]) -> None:
        self._documents += 1
        for place in mentions:
            name = self._relevance.concepts[place].name
            self._frequencies[name] = self._frequencies.get(name, 0) + 1


def is_metadata(link: Link) -> bool:
    """Whether a link leads to an RDF document, as far as it shows.

    >>> from lycosa.model.url import Url
    >>> is_metadata(Link(source=Url("http://a.test/"), target=Url("http://a.test/course.rdf?v=2")))
    True
    """
    path = link.target.partition("?")[0].lower()
    return path.endswith(METADATA_ENDINGS) or not METADATA_RELS.isdisjoint(link.rel.lower().split())
