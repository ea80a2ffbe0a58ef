"""How relevant a page is to a crawl's topic.

A topic is given by keywords, by a description, by example pages, or by several of these. All of them compare term
counts by cosine, so a relevance lies in [0, 1], needs no other page, and costs O(distinct terms). Only the page itself
is looked at: what a judge knows of a topic never comes here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt
from typing import Any

from lycosa.crawl.topic import Learner, TopicModel
from lycosa.model.errors import InputError
from lycosa.model.records import Page
from lycosa.model.spaceless import is_short
from lycosa.scoring.topics.running_tfidf import Frequencies, Running, TfIdfTopic
from lycosa.scoring.words.terms import PLAIN, Counts, Vocabulary, Weights, cosine, norm
from lycosa.scoring.words.topic_words import Related, with_related

EXAMPLE_TERMS = 500
"""Terms of the examples that are kept, the heaviest: the long tail of a centroid tells pages, not topics."""
AGAINST = 1 / 3
"""Weight of bad examples against good ones: .25 to .75 (Salton and Buckley, JASIS 41(4), 1990)."""

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
        self.query: Weights = vocabulary.counts(keywords)
        self._vocabulary = vocabulary
        self._counts_again = vocabulary is not PLAIN
        self._short = tuple(filter(is_short, self.query))
        if not self.query:
            raise InputError(
                f"the topic {keywords!r} has no words to look for; give at least one word of two letters"
            )

    @classmethod
    def of_counts(cls, query: Weights) -> KeywordTopic:
        """The cosine to a text whose terms were counted already."""
        return _keyword_topic(dict(query), None)

    def widened(self, related: Related) -> KeywordTopic:
        """The same with words that are related to those of the query."""
        query = with_related({term: int(n) for term, n in self.query.items()}, related)
        return _keyword_topic(dict(query), self._vocabulary if self._counts_again else None)

    def relevance(self, page: Page) -> float:
        return cosine(self.query, self.terms_of(page))

    def explain(self, page: Page) -> dict[str, float]:
        return _shares(self.query, self.terms_of(page))

    def terms_of(self, page: Page) -> Counts:
        """The page's counts, by the vocabulary of the query's.

        A word of the query too short to be a term where others stand beside it (茶 in 绿茶) is counted where it stands.
        """
        if not (self._counts_again or self._short):
            return page.terms
        text = f"{page.title}\n{page.text}"
        terms = self._vocabulary.counts(text) if self._counts_again else page.terms
        found = {word: n for word in self._short if (n := text.count(word))}
        return {**terms, **found} if found else terms

    def __reduce__(self) -> tuple[object, ...]:
        return _keyword_topic, (dict(self.query), None if not self._counts_again else self._vocabulary)


def _keyword_topic(query: dict[str, float], vocabulary: Vocabulary | None) -> KeywordTopic:
    topic = KeywordTopic.__new__(KeywordTopic)
    topic.query = query
    topic._vocabulary = vocabulary or PLAIN
    topic._counts_again = vocabulary is not None
    topic._short = tuple(filter(is_short, query))
    return topic


class ExampleTopic:
    """Cosine to the centroid of example pages, each of length 1 so that a long one counts no more than a short one.

    (Rocchio's relevance feedback, in Salton, "The SMART retrieval system", 1971.) Counts enter as 1 + ln(count): pages
    are compared with whole pages here, where a single word's repetition should not rule. A page that is marked good is
    one more example; the centroid of those marked bad is subtracted, by the weight `AGAINST`, and what falls below 0
    is left out.

    Invariants, each the name of a property test:

    * in any order: the same marks give the same judgement, in whatever order they came.
    * taken back: a mark that was taken back was never made.
    """

    def __init__(self, examples: Sequence[Counts]) -> None:
        self._given = [damped(terms) for terms in examples if terms]
        if not self._given:
            raise InputError("the example pages have no words; give at least one page with text")
        self._marks: dict[str, tuple[bool, Weights]] = {}
        self.centroid: Weights = self._weighed()
        """By term, weights above 0."""

    def _weighed(self) -> Weights:
        marks = [self._marks[url] for url in sorted(self._marks)]
        good = [*self._given, *(terms for is_good, terms in marks if is_good)]
        bad = [terms for is_good, terms in marks if not is_good]
        return centroid(good, EXAMPLE_TERMS, against=bad)

    def observe(self, page: Page) -> None:
        """Pages that nobody marked teach nothing."""

    def mark(self, page: Page, good: bool | None) -> None:
        self._marks.pop(page.url, None)
        if good is not None and page.terms:
            self._marks[page.url] = (good, damped(page.terms))
        self.centroid = self._weighed()

    def save(self) -> Mapping[str, Any]:
        return {"marks": [[url, good, dict(terms)] for url, (good, terms) in self._marks.items()]}

    def load(self, state: Mapping[str, Any]) -> None:
        self._marks = {url: (good, terms) for url, good, terms in state["marks"]}
        self.centroid = self._weighed()

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
        self._learners = {name: topic for name, (_, topic) in parts.items() if isinstance(topic, Learner)}

    def relevance(self, page: Page) -> float:
        mean = sum(weight * topic.relevance(page) for weight, topic in self._parts.values()) / self._total
        return min(1.0, mean)

    def observe(self, page: Page) -> None:
        for topic in self._learners.values():
            topic.observe(page)

    def mark(self, page: Page, good: bool | None) -> None:
        for topic in self._learners.values():
            topic.mark(page, good)

    def save(self) -> Mapping[str, Any]:
        return {name: topic.save() for name, topic in self._learners.items()}

    def load(self, state: Mapping[str, Any]) -> None:
        for name, topic in self._learners.items():
            topic.load(state[name])

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
    related: Related | None = None,
    shares: Weights | None = None,
) -> TopicModel:
    """The topic that a person asked for; plain keywords give the plain measure, several ways an equal mix.

    `examples` are the term counts of example pages, `start_pages` those of all start pages together. With `running`
    words count by how rare they are among the pages that came in (examples excepted, whose words were weighed when
    they were read); `shares` of ordinary texts that hold a word stand for pages before the first. `related` are words
    that mean nearly the same as some of the keywords. Raises `InputError` if there is nothing to go by.
    """
    frequencies = Frequencies(shares or {})

    def by_words(topic: KeywordTopic) -> TopicModel:
        return TfIdfTopic(topic.query, frequencies, topic.terms_of) if running else topic

    parts: dict[str, tuple[float, TopicModel]] = {}
    if keywords.strip():
        parts["keywords"] = (1.0, by_words(KeywordTopic(keywords).widened(related or {})))
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


def centroid(vectors: Iterable[Weights], most: int, against: Sequence[Weights] = ()) -> dict[str, float]:
    """The mean of vectors, each scaled to length 1, less `AGAINST` times the mean of those `against` it, cut to its
    heaviest terms (ties by term) of a weight above 0."""
    total = _mean(vectors)
    for term, weight in _mean(against).items():
        total[term] = total.get(term, 0.0) - AGAINST * weight
    heaviest = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:most]
    return {term: weight for term, weight in heaviest if weight > 0}


def _mean(vectors: Iterable[Weights]) -> dict[str, float]:
    """Of vectors, each scaled to length 1."""
    total: dict[str, float] = {}
    count = 0
    for vector in vectors:
        count += 1
        length = norm(vector)
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + weight / length
    return {term: weight / count for term, weight in total.items()}


def _shares(query: Weights, terms: Weights) -> dict[str, float]:
    """The summands of the cosine, largest first."""
    length = sqrt(sum(w * w for w in query.values()) * sum(w * w for w in terms.values()))
    shares = {term: weight * terms[term] / length for term, weight in query.items() if term in terms}
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))
