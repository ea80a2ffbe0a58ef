"""How relevant a page is to a crawl's topic.

A topic is given by keywords, by a description, by example pages, or by several of these. All of them compare term
counts by cosine, so a relevance lies in [0, 1], needs no other page, and costs O(distinct terms). Only the page itself
is looked at: what a judge knows of a topic never comes here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt

from lycosa.crawl.topic import TopicModel
from lycosa.model.errors import InputError
from lycosa.model.records import Page
from lycosa.scoring.running import Frequencies, Running, TfIdfTopic
from lycosa.scoring.terms import PLAIN, Counts, Vocabulary, Weights, cosine, norm

EXAMPLE_TERMS = 500
"""Terms of the examples that are kept, the heaviest: the long tail of a centroid tells pages, not topics."""

_DAMPED = (0.0, *(1.0 + log(n) for n in range(1, 64)))


class KeywordTopic:
    """Cosine of the counts of the query's words and of the page's (Pant, Srinivasan and Menczer 2004, eq. 1).

    The measure of naive best-first crawling: plain term frequency, no document frequencies. It works for a few
    keywords and as well for a longer description. With a `vocabulary` of its own (other stop words, no stemming), and
    for keywords that are stop words only, the page's text is counted again, which costs a hundred times more than using
    the counts that a page carries.

    >>> KeywordTopic("rock climbing").query
    {'rock': 1, 'climb': 1}
    """

    def __init__(self, keywords: str, vocabulary: Vocabulary = PLAIN) -> None:
        if not vocabulary.counts(keywords):
            vocabulary = vocabulary.of_all_words()
        self.query: Counts = vocabulary.counts(keywords)
        self._vocabulary = vocabulary
        self._counts_again = vocabulary is not PLAIN
        if not self.query:
            raise InputError(
                f"the topic {keywords!r} has no words to look for; give at least one word of two letters"
            )

    @classmethod
    def of_counts(cls, query: Counts) -> KeywordTopic:
        """The cosine to a text whose terms were counted already."""
        return _keyword_topic(dict(query), None)

    def relevance(self, page: Page) -> float:
        return cosine(self.query, self._terms(page))

    def explain(self, page: Page) -> dict[str, float]:
        return _shares(self.query, self._terms(page))

    def _terms(self, page: Page) -> Counts:
        return self._vocabulary.counts(f"{page.title}\n{page.text}") if self._counts_again else page.terms

    def __reduce__(self) -> tuple[object, ...]:
        return _keyword_topic, (dict(self.query), None if not self._counts_again else self._vocabulary)


def _keyword_topic(query: dict[str, int], vocabulary: Vocabulary | None) -> KeywordTopic:
    topic = KeywordTopic.__new__(KeywordTopic)
    topic.query = query
    topic._vocabulary = vocabulary or PLAIN
    topic._counts_again = vocabulary is not None
    return topic


class ExampleTopic:
    """Cosine to the centroid of example pages, each of length 1 so that a long one counts no more than a short one.

    (Rocchio's centroid without negative examples: Salton, "The SMART retrieval system", 1971.) Counts enter as
    1 + ln(count): pages are compared with whole pages here, where a single word's repetition should not rule.
    """

    def __init__(self, examples: Sequence[Counts]) -> None:
        usable = [damped(terms) for terms in examples if terms]
        if not usable:
            raise InputError("the example pages have no words; give at least one page with text")
        self.centroid: Weights = centroid(usable, EXAMPLE_TERMS)

    def relevance(self, page: Page) -> float:
        return cosine(self.centroid, damped(page.terms))

    def explain(self, page: Page) -> dict[str, float]:
        return _shares(self.centroid, damped(page.terms))


class MixedTopic:
    """The weighted mean of several topic models, weights above 0."""

    def __init__(self, parts: Mapping[str, tuple[float, TopicModel]]) -> None:
        self._parts = dict(parts)
        self._total = sum(weight for weight, _ in self._parts.values())
        if not self._parts or any(weight <= 0 for weight, _ in self._parts.values()):
            raise InputError("a mixed topic needs at least one part, and weights above 0")

    def relevance(self, page: Page) -> float:
        mean = sum(weight * topic.relevance(page) for weight, topic in self._parts.values()) / self._total
        return min(1.0, mean)

    def explain(self, page: Page) -> dict[str, float]:
        """The share of each part, and within it of each word: ``keywords: spider``."""
        return {
            f"{name}: {what}": share * weight / self._total
            for name, (weight, topic) in self._parts.items()
            for what, share in topic.explain(page).items()
        }


def topic_model(
    keywords: str = "",
    description: str = "",
    examples: Sequence[Counts] = (),
    *,
    start_pages: Counts | None = None,
    running: bool = False,
) -> TopicModel:
    """The topic that a person asked for; plain keywords give the plain measure, several ways an equal mix.

    `examples` are the term counts of example pages, `start_pages` those of all start pages together. With `running`
    words count by how rare they are among the pages that came in (examples excepted, whose words were weighed when
    they were read). Raises `InputError` if there is nothing to go by.
    """
    frequencies = Frequencies()

    def by_words(topic: KeywordTopic) -> TopicModel:
        return TfIdfTopic(topic.query, frequencies) if running else topic

    parts: dict[str, tuple[float, TopicModel]] = {}
    if keywords.strip():
        parts["keywords"] = (1.0, by_words(KeywordTopic(keywords)))
    if description.strip():
        parts["description"] = (1.0, by_words(KeywordTopic(description)))
    if examples:
        parts["examples"] = (1.0, ExampleTopic(examples))
    if start_pages:
        parts["start pages"] = (1.0, by_words(KeywordTopic.of_counts(start_pages)))
    if not parts:
        raise InputError("the crawl has no topic; give keywords, a description or example pages")
    mixed = next(iter(parts.values()))[1] if len(parts) == 1 else MixedTopic(parts)
    return Running(mixed, frequencies) if running else mixed


def damped(terms: Counts) -> dict[str, float]:
    """1 + ln(count) of each term."""
    return {term: _DAMPED[n] if n < len(_DAMPED) else 1.0 + log(n) for term, n in terms.items()}


def centroid(vectors: Iterable[Weights], most: int) -> dict[str, float]:
    """The mean of vectors, each scaled to length 1, cut to its heaviest terms (ties by term)."""
    total: dict[str, float] = {}
    count = 0
    for vector in vectors:
        count += 1
        length = norm(vector)
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + weight / length
    heaviest = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:most]
    return {term: weight / count for term, weight in heaviest}


def _shares(query: Weights, terms: Weights) -> dict[str, float]:
    """The summands of the cosine, largest first."""
    length = sqrt(sum(w * w for w in query.values()) * sum(w * w for w in terms.values()))
    shares = {term: weight * terms[term] / length for term, weight in query.items() if term in terms}
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))
