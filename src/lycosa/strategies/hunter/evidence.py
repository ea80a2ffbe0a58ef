"""How a hunter judges what it knows of: evidence for the topic's words, kept up page by page, worked out anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.model.records import Record
from lycosa.scoring.links.smoothing import (
    Floats,
    Neighbours,
    distinguishing_terms,
    example_query,
    greatest_by_owner,
    likeness,
    mean_of_siblings,
    rarity,
    smoothed,
)
from lycosa.scoring.topics.keywords import damped
from lycosa.scoring.words.terms import Counts
from lycosa.strategies.hunter.corpus import Corpus, TextRows
from lycosa.strategies.hunter.guard import Guard
from lycosa.strategies.hunter.latent import LatentQuery
from lycosa.strategies.hunter.referrers import Referrers
from lycosa.strategies.parts.columns import room_for

TITLE, WORDING, URL = 0.3, 0.3, 0.1
"""Weights of a page's title, of the words of links to it and of its URL against its text."""
LINK_URL = 0.5
"""Weight of the words of its URL against the words of a link, for what was not fetched."""
MOST = 999.0
DIGITS = 9
"""Of scores: what sums differ in by the order of their summands decides nothing."""
FAINT = 0.05
"""Where even the best page has less evidence, it counts as if it had so much: a first trace is no proof."""
REACH = 3
"""Links before and after a link in its list that lie beside it."""
_LEAST = 1e-9
_LEAST_MEAN = 1e-4
_WHOLE = ("rarity", "queries", "mean", "most", "average")
_BY_NODE = ("wording", "context", "url", "page", "from", "degree", "judgements", "beside", "worth")


class EvidenceRules(Record, frozen=True, kw_only=True):
    """See `lycosa.strategies.hunter.hunter.Hunter`."""

    above: float
    below: float
    beside: float
    saturation: float
    lessons: float
    likeness: float
    chosen: int
    terms: int
    first_lesson: int
    context: float
    guard: float = 0.0
    referrers: float = 0.0
    lsa: float = 0.0


class Evidence:
    """Evidence of all nodes in columns: one for each word of the query, then likeness to examples, the crawl's own
    judgement, with `lsa` likeness to the query in the latent space, and the words learned.

    `learn` works everything out anew from the corpus; `see` takes in one page between that, with the weights of words
    as they were. Both must be told of every page, `see` first.

    Invariant, the name of a property test:

    * the order of the topic's words does not matter.
    """

    def __init__(
        self, corpus: Corpus, words: Counts, examples: Sequence[Counts], tuning: EvidenceRules
    ) -> None:
        self._corpus, self._tuning = corpus, tuning
        self._words = [corpus.number(word) for word in words]
        self._emphasis = np.array([1.0 + np.log(count) for count in words.values()])
        self._examples = [
            ([corpus.number(term) for term in page], list(damped(page).values())) for page in examples
        ]
        self._marks: dict[int, bool] = {}  # what people said of pages, by node
        count = len(words)
        self._guard = Guard(tuning.guard) if tuning.guard else None
        self._referrers = Referrers(tuning.referrers) if tuning.referrers else None
        self._latent = LatentQuery() if tuning.lsa else None
        self._like, self._judged, self._main = count, count + 1, count + 2
        self._learned = self._main + bool(tuning.lsa)
        self._columns = self._learned + 1
        self._rarity: Floats = np.zeros(0)
        self._queries: Floats = np.zeros((0, self._columns))
        self._mean = np.ones(count)
        self._most = np.ones(5)  # of words together, likeness, judgement, lessons, lsa: the most of any page
        nothing = np.zeros((0, self._columns))
        self._wording, self._context, self._url = nothing, nothing[:, :count], nothing
        self._page = nothing  # evidence of pages, smoothed
        self._from = nothing  # summed over the pages that link here
        self._beside = nothing  # of the pages that stand beside it in lists of links
        self._average: Floats = np.zeros(
            self._columns
        )  # of that, over all pages: what is not known yet counts so
        self._degree: Floats = np.zeros(0)
        self._judgements: Floats = np.zeros(0)
        self._worth: Floats = np.zeros(0)  # of pages, by what they say that is new
        self._met = self._seen_urls = self._seen_wordings = 0  # the tables by node may be longer

    # -- taking in -------------------------------------------------------------------------------------------

    def see(
        self,
        node: int,
        contexts: Iterable[tuple[int, str]],
        judgement: float,
        worth: float,
    ) -> None:
        """Take in the page that the corpus has just been given; `contexts` are texts around links to nodes. Its
        evidence counts as much as it is worth, in [0, 1]."""
        self.meet()
        self._judgements[node], self._worth[node] = judgement, worth
        around = list(contexts)
        if around:
            found = self._in_contexts([text for _, text in around])
            np.maximum.at(self._context, [to for to, _ in around], found)
        if self._guard is not None:
            followed = self._expected(np.array([node]))
            self._guard.fetched(float(self._from_words(followed)[0]), float(self._from_lessons(followed)[0]))
        base = self._base_of(node)
        inherited = self._from[node] / max(self._degree[node], 1.0)
        targets = np.array(self._corpus.graph.targets(node), dtype=np.int64)
        expected = np.zeros(self._columns)
        if targets.size:
            degrees = self._degree[targets]
            from_others = np.where(
                degrees[:, None] > 0, self._from[targets] / np.maximum(degrees, 1.0)[:, None], base
            )
            pages = self._is_page(targets)
            expected = np.where(pages[:, None], self._page[targets], from_others).mean(axis=0)
        tuning = self._tuning
        self._page[node] = worth * (base + tuning.above * inherited + tuning.below * expected)
        self._from[targets] += self._page[node]
        self._degree[targets] += 1.0
        if self._referrers is not None:
            self._referrers.see(targets, self.of_page(node))

    def meet(self) -> None:
        """Take in the URLs and wordings that the corpus has met since."""
        corpus = self._corpus
        count, urls = len(corpus.graph), len(corpus.urls)
        for name in _BY_NODE:
            setattr(self, f"_{name}", room_for(count, getattr(self, f"_{name}")))
        self._beside[self._met : count] = self._average
        if urls > self._seen_urls:
            self._url[self._seen_urls : urls] = self._alike(corpus.urls, self._seen_urls, urls)
        wordings = len(corpus.wordings)
        if wordings > self._seen_wordings:
            fresh = self._alike(corpus.wordings, self._seen_wordings, wordings)
            np.maximum.at(self._wording, corpus.owners[self._seen_wordings :].tolist(), fresh)
        self._seen_urls, self._seen_wordings, self._met = urls, wordings, count

    def _base_of(self, node: int) -> Floats:
        place = self._corpus.place(node)
        assert place is not None
        found: Floats = self._alike(self._corpus.pages, place, place + 1)[0]
        found = found + TITLE * self._alike(self._corpus.titles, place, place + 1)[0]
        found = found + WORDING * self._wording[node] + URL * self._url[node]
        found[self._judged] = self._judgements[node]
        return found

    def _is_page(self, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        pages = self._corpus.graph.pages
        return np.fromiter((node in pages for node in nodes.tolist()), dtype=bool, count=len(nodes))

    def _alike(self, rows: TextRows, first: int, end: int) -> Floats:
        """The cosines of some texts with all columns, by the last rarities; words that are new are as rare as any."""
        terms, weights, starts = rows.between(first, end)
        found = np.zeros((end - first, self._columns))
        filled = np.diff(np.r_[starts, len(terms)]) > 0
        if not len(self._rarity) or not filled.any():
            return found
        known = terms < len(self._rarity)
        inside = np.where(known, terms, 0)
        values = weights * np.where(known, self._rarity[inside], float(self._rarity.max()))
        squares = np.add.reduceat(values * values, starts[filled])
        products = np.where(known, values, 0.0)[:, None] * self._queries[inside]
        sums = np.add.reduceat(products, starts[filled], axis=0)
        found[filled] = sums / np.maximum(np.sqrt(squares), _LEAST)[:, None]
        return found

    def _in_contexts(self, texts: Sequence[str]) -> Floats:
        """The cosines of texts around links with each word of the query; each text holds some word."""
        numbers = self._corpus.vocabulary
        counted = [damped(self._corpus.words.in_text(text)) for text in texts]
        terms = np.array([numbers.get(term, -1) for each in counted for term in each])
        weights = np.array([weight for each in counted for weight in each.values()])
        sizes = np.array([len(each) for each in counted])
        owners = np.repeat(np.arange(len(texts)), sizes)
        known = (terms >= 0) & (terms < len(self._rarity))
        rarest = float(self._rarity.max()) if len(self._rarity) else 1.0
        values = weights * (
            np.where(known, self._rarity[np.where(known, terms, 0)], rarest) if known.any() else rarest
        )
        lengths = np.sqrt(np.bincount(owners, weights=values * values, minlength=len(texts)))
        found = np.zeros((len(texts), len(self._words)))
        for column, word in enumerate(self._words):
            here = terms == word
            found[owners[here], column] = values[here] / lengths[owners[here]]
        return found

    def mark(self, node: int, good: bool | None) -> None:
        """A page is a good example from now on, or a bad one, or (None) none; it counts once `learn` was called."""
        self.meet()
        self._marks.pop(node, None)
        if good is not None:
            self._marks[node] = good

    # -- working out -----------------------------------------------------------------------------------------

    def learn(self) -> None:
        """Work out the rarities of words, the evidence of all nodes and the words that tell the best pages."""
        corpus, tuning = self._corpus, self._tuning
        count, width = len(corpus.graph), len(corpus.vocabulary)
        pages = len(corpus.pages)
        frequencies = corpus.frequencies
        self._rarity = rarity(pages, frequencies)
        around = Neighbours(*corpus.graph.edges(), count)
        self._queries = np.zeros((width, self._columns))
        self._queries[self._words, range(len(self._words))] = 1.0
        self._queries[:, self._like] = self._example_vector(width)
        rows = corpus.pages.matrix(width)
        if self._latent is not None:
            self._queries[:, self._main] = self._latent.vector(rows, self._rarity, self._plain_query())
        nodes = np.fromiter(corpus.graph.pages, dtype=np.int64, count=pages)
        is_page = np.zeros(count, dtype=bool)
        is_page[nodes] = True
        self._weigh(slice(0, self._learned), nodes, is_page, rows, around)
        self._measure(nodes)
        if self._guard is not None:
            self._guard.check(self._from_words(self._page[nodes]))
        if tuning.lessons and pages >= tuning.first_lesson:
            chosen = min(tuning.chosen, max(5, pages // 4))
            worth = np.round(self._together(self._page[nodes]), DIGITS)
            worth[[place for place, good in self._marked_places() if good]] = np.inf
            best = np.argsort(-worth, kind="stable")[:chosen]
            holding = np.bincount(rows[best].indices, minlength=width).astype(np.float64)
            learned = distinguishing_terms(holding, chosen, frequencies, pages, tuning.terms, 0.15)
            if self._guard is not None:
                weights = self._rarity[self._words] * self._emphasis
                learned = self._guard.guarded(learned, rows, self._words, weights, best)
            self._queries[:, self._learned] = learned
            self._weigh(slice(self._learned, self._columns), nodes, is_page, rows, around)
            self._most[3] = max(float(self._page[nodes, self._learned].max()), FAINT)
        if self._referrers is not None:
            hosts, found = corpus.hosts(), self._together(self._page[nodes])
            self._referrers.learn(*corpus.graph.edges(), hosts, nodes, found)

    def _weigh(
        self, part: slice, nodes: NDArray[np.int64], is_page: NDArray[np.bool_], rows: Any, around: Neighbours
    ) -> None:
        """The evidence of all nodes in some columns."""
        corpus, count = self._corpus, len(self._corpus.graph)
        width, queries = len(corpus.vocabulary), self._queries[:, part]
        owners = corpus.graph.nodes()[np.array(corpus.owners, dtype=np.int64)].astype(np.int64)
        wordings = likeness(corpus.wordings.matrix(width), self._rarity, queries)
        self._wording[:count, part] = greatest_by_owner(wordings, owners, count)
        urls = likeness(corpus.urls.matrix(width), self._rarity, queries)
        self._url[: len(urls), part] = urls
        own = likeness(rows, self._rarity, queries) + TITLE * likeness(
            corpus.titles.matrix(width), self._rarity, queries
        )
        base = np.zeros((count, own.shape[1]))
        base[nodes] = own + WORDING * self._wording[nodes, part] + URL * self._url[nodes, part]
        if part.start <= self._judged < part.stop:
            base[nodes, self._judged - part.start] = self._judgements[nodes]
        tuning = self._tuning
        if tuning.beside:
            links = corpus.graph.edges()
            self._beside[:count, part], self._average[part] = mean_of_siblings(base, *links, is_page, REACH)
        worth = self._worth[:count]
        found = smoothed(base, is_page, worth, around, above=tuning.above, below=tuning.below)
        self._page[:count, part] = found
        self._degree[:count] = around.in_degrees
        self._from[:count, part] = around.of_sources(found) * self._degree[:count, None]

    def _measure(self, nodes: NDArray[np.int64]) -> None:
        """The means and the greatest values of pages, by which evidence is put together."""
        evidence = self._page[nodes]
        words = evidence[:, : len(self._words)]
        self._mean = np.maximum(words.mean(axis=0), _LEAST_MEAN) if len(self._words) else self._mean
        self._most = np.array(
            [1.0, 1.0, 1.0, self._most[3], max(float(evidence[:, self._main].max()), FAINT)]
        )
        if len(self._words):
            faint = self._of_words(np.full((1, len(self._words)), FAINT))
            self._most[0] = max(float(self._of_words(words).max()), float(faint[0]), _LEAST)
        self._most[1] = max(float(evidence[:, self._like].max()), FAINT)
        self._most[2] = max(float(evidence[:, self._judged].max()), FAINT)

    def _plain_query(self) -> Floats:
        """Over all terms the query's words, weighted as in `_of_words`; without any, the examples."""
        if not self._words:
            return self._queries[:, self._like]
        query = np.zeros(len(self._rarity))
        query[self._words] = self._rarity[self._words] * self._emphasis
        return query

    def _example_vector(self, width: int) -> Floats:
        """Of the example pages and those that were marked, each of length 1, weighted by rarity (`example_query`)."""
        examples = [(np.array(terms), np.array(weights), True) for terms, weights in self._examples]
        pages = self._corpus.pages
        examples += [(*pages.between(at, at + 1)[:2], good) for at, good in self._marked_places()]
        sums = {True: np.zeros(width), False: np.zeros(width)}
        for terms, weights, good in examples:
            values = weights * self._rarity[terms]
            sums[good][terms] += values / max(float(np.linalg.norm(values)), _LEAST)
        return example_query(sums[True], sums[False])

    def _marked_places(self) -> list[tuple[int, bool]]:
        """The marked pages by their places among the pages, in that order; without those not told of yet."""
        place = self._corpus.place
        return sorted((at, good) for node, good in self._marks.items() if (at := place(node)) is not None)

    # -- judging ---------------------------------------------------------------------------------------------

    def scores(self, nodes: NDArray[np.int64]) -> Floats:
        """How promising nodes are that were not fetched: at least 0 if no page was marked bad, seldom above 4, at most
        `MOST`."""
        found: Floats = np.minimum(self._together(self._expected(nodes)), MOST).round(DIGITS)
        return found

    def of_pages(self) -> tuple[NDArray[np.int64], Floats]:
        """The nodes of all pages, in the order in which they came, and the evidence of each put together."""
        pages = self._corpus.graph.pages
        nodes = np.fromiter(pages, dtype=np.int64, count=len(pages))
        return nodes, self._together(self._page[nodes])

    def of_page(self, node: int) -> float:
        """The evidence of one page put together."""
        return float(self._together(self._page[node : node + 1])[0])

    def _expected(self, nodes: NDArray[np.int64], *, alike: bool = False) -> Floats:
        """The evidence that is expected of nodes that were not fetched; with `alike` as if referrers were no matter."""
        tuning = self._tuning
        found: Floats = self._from[nodes] / np.maximum(self._degree[nodes], 1.0)[:, None]
        if self._referrers is not None and not alike:
            found *= self._referrers.factor(nodes)[:, None]
        found += self._wording[nodes] + LINK_URL * self._url[nodes] + tuning.beside * self._beside[nodes]
        found[:, : len(self._words)] += tuning.context * self._context[nodes]
        return found

    def _together(self, evidence: Floats) -> Floats:
        found = self._from_words(evidence)
        found += self._tuning.likeness * self._of_examples(evidence[:, self._like])
        found += evidence[:, self._judged] / self._most[2]
        found += self._from_lessons(evidence)
        if self._latent is not None:
            found += self._from_main(evidence)
        return found

    def _from_words(self, evidence: Floats) -> Floats:
        if not len(self._words):
            return np.zeros(len(evidence))
        found: Floats = self._of_words(evidence[:, : len(self._words)]) / self._most[0]
        return found

    def _from_lessons(self, evidence: Floats) -> Floats:
        trust = 1.0 if self._guard is None else self._guard.trust
        found: Floats = self._tuning.lessons * trust * evidence[:, self._learned] / self._most[3]
        return found

    def _from_main(self, evidence: Floats) -> Floats:
        found: Floats = self._tuning.lsa * evidence[:, self._main] / self._most[4]
        return found

    def _of_examples(self, likeness: Floats) -> Floats:
        """Measured by the most of any page; but likeness to bad examples is a cosine, however little there is of it."""
        found: Floats = np.where(likeness > 0, likeness / self._most[1], likeness)
        return found

    def _of_words(self, evidence: Floats) -> Floats:
        """Σ_w rarity(w) · (1 + ln n_w) · ln(1 + e_w / (c · mean e_w)): some of each is worth more than much of one."""
        if not len(self._rarity):
            return np.zeros(len(evidence))
        weights = self._rarity[self._words] * self._emphasis
        found: Floats = np.log1p(evidence / (self._tuning.saturation * self._mean)) @ weights
        return found

    def explain(self, node: int) -> dict[str, float]:
        """What the score of a node is made of, by the words of the query and the other columns."""
        if node >= self._met:
            return {}
        names = {number: term for term, number in self._corpus.vocabulary.items()}
        whole = self._expected(np.array([node]), alike=True)
        parts = {}
        for column, word in enumerate(self._words):
            only = np.zeros((1, len(self._words)))
            only[0, column] = whole[0, column]
            parts[f"word {names[word]}"] = float(self._of_words(only)[0] / self._most[0])
        like = self._of_examples(whole[:, self._like])[0]
        parts["like the examples"] = float(self._tuning.likeness * like)
        parts["the crawl's judgement of pages that link here"] = float(whole[0, self._judged] / self._most[2])
        parts["words of the best pages"] = float(self._from_lessons(whole)[0])
        if self._latent is not None:
            parts["words that stand with the topic's"] = float(self._from_main(whole)[0])
        if self._referrers is not None:
            more = self._together(self._expected(np.array([node]))) - self._together(whole)
            parts["several good pages link here"] = float(more[0])
        return {name: part for name, part in parts.items() if part}

    def learned(self, most: int) -> Iterable[str]:
        """The words that tell the best pages from all others, the most telling first."""
        if not len(self._queries):
            return
        column = self._queries[:, self._learned]
        best = np.argsort(-column, kind="stable")[:most]
        names = list(self._corpus.vocabulary)
        yield from (names[number] for number in best.tolist() if column[number] > 0)

    # -- state -----------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        arrays: dict[str, Floats] = {name: getattr(self, f"_{name}") for name in _WHOLE}
        arrays |= {name: getattr(self, f"_{name}")[: self._met] for name in _BY_NODE}
        packed = {name: [list(array.shape), array.tobytes()] for name, array in arrays.items()}
        seen = [self._met, self._seen_urls, self._seen_wordings]
        switched = {name: part.save() for name, part in self._switched()}
        return {**packed, "seen": seen, "marks": list(self._marks.items()), **switched}

    def _switched(self) -> Iterator[tuple[str, Guard | Referrers | LatentQuery]]:
        """What is there only where it was asked for."""
        parts = ("guard", self._guard), ("referrers", self._referrers), ("latent", self._latent)
        yield from ((name, part) for name, part in parts if part is not None)

    def load(self, state: Mapping[str, Any]) -> None:
        for name in (*_WHOLE, *_BY_NODE):
            shape, raw = state[name]
            setattr(self, f"_{name}", np.frombuffer(raw, dtype=np.float64).reshape(shape).copy())
        self._met, self._seen_urls, self._seen_wordings = state["seen"]
        self._marks = dict(state["marks"])
        for name, part in self._switched():
            part.load(state[name])
