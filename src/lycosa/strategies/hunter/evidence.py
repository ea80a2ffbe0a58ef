"""How a hunter judges what it knows of: evidence for the topic's words, kept up page by page, worked out anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.links.smoothing import (
    NO_PAGE,
    Floats,
    Ints,
    Neighbours,
    Siblings,
    distinguishing_terms,
    example_query,
    greatest_by_owner,
    rarity,
    smoothed,
    some_columns,
)
from lycosa.scoring.topics.keywords import damped
from lycosa.scoring.words.terms import PRIOR_TEXTS, Counts, Weights
from lycosa.scoring.words.topic_words import Related
from lycosa.strategies.hunter.corpus import Corpus
from lycosa.strategies.hunter.guard import Guard
from lycosa.strategies.hunter.hunting import HUNTING
from lycosa.strategies.hunter.inherited import Inherited
from lycosa.strategies.hunter.latent import LatentQuery
from lycosa.strategies.hunter.queries import Queries, Taken, WeighedTexts
from lycosa.strategies.hunter.referrers import Referrers
from lycosa.strategies.hunter.score import NO_COLUMN, EvidenceRules, Score
from lycosa.strategies.hunter.texts import Texts
from lycosa.strategies.parts.columns import SparseTable, bytes_of, room_for, with_column

TITLE, WORDING, URL = 0.3, 0.3, 0.1
"""Weights of a page's title, of the words of links to it and of its URL against its text."""
LINK_URL = 0.5
"""Weight of the words of its URL against the words of a link, for what was not fetched."""
MOST = 999.0
MANY = 2_000
"""Of so many nodes it pays to look which are alike."""
DIGITS = 9
"""Of scores: what sums differ in by the order of their summands decides nothing."""
REACH = 3
"""Links before and after a link in its list that lie beside it."""
_LEAST = 1e-9
_BY_PLACE = ("page", "judgements", "worth")
_SPARSE = ("wording", "context", "url", "beside")


class Evidence:
    """Evidence of all nodes, in the columns of a `Score`.

    `learn` works everything out anew from the corpus; `see` takes in one page between that, with the weights of words
    as they were. Both must be told of every page, `see` first.

    Invariant, the name of a property test:

    * the order of the topic's words does not matter.
    """

    def __init__(
        self,
        corpus: Corpus,
        words: Counts,
        examples: Sequence[Counts],
        tuning: EvidenceRules,
        related: Related | None = None,
        shares: Weights | None = None,
    ) -> None:
        """`related` are further terms for some of the words; `shares` of ordinary texts hold a term."""
        self._corpus, self._tuning, self._query = corpus, tuning, words
        self._words = [corpus.number(word) for word in words]
        self._related = [
            (corpus.number(term), column, share)
            for column, word in enumerate(words)
            for term, share in (related or {}).get(word, {}).items()
            if term not in words
        ]
        self._shares = shares or {}
        self._known_shares: Floats = np.zeros(0)  # of the terms of the vocabulary, as far as it was looked at
        self._examples = [
            ([corpus.number(term) for term in page], list(damped(page).values())) for page in examples
        ]
        self._marks: dict[int, bool] = {}  # what people said of pages, by node
        self._guard = Guard(tuning.guard) if tuning.guard else None
        self._referrers = Referrers(tuning.referrers) if tuning.referrers else None
        self._latent = LatentQuery() if tuning.lsa else None
        self._score = Score(words, tuning, like=bool(self._examples), judged=False)
        columns = self._score.columns
        self._queries = Queries(columns)
        self._ask(np.ones(len(corpus.vocabulary)))
        # Of nodes, by number:
        self._wording, self._url = SparseTable(columns), SparseTable(columns)
        self._context = SparseTable(len(words))
        self._beside = SparseTable(columns)  # of the pages that stand beside it in lists of links
        self._average: Floats = np.zeros(columns)  # of that, over all pages: what is not known yet counts so
        self._inherited = Inherited(columns)
        self._places = np.zeros(0, dtype=np.int32)
        # Of pages, by their places among the pages:
        self._page: Floats = np.zeros((0, columns))  # evidence, smoothed
        self._judgements: Floats = np.zeros(0)
        self._worth: Floats = np.zeros(0)  # by what they say that is new
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
        corpus, around = self._corpus, list(contexts)
        self._grow()
        self._have_columns(like=False, judged=bool(judgement))
        self._take_place(node, judgement, worth)
        place = int(self._places[node])
        own = corpus.pages.some(place, place + 1), corpus.titles.some(place, place + 1)
        told = self._queries.take(own, [*self._around(around), *self._unseen()])
        if self._guard is not None:
            followed = self._expected(np.array([node]))
            self._guard.fetched(
                float(self._score.from_words(followed)[0]), float(self._score.from_lessons(followed)[0])
            )
        base = self._base_of(node, told)
        targets = self._corpus.graph.linked(node)
        self._take_page(node, base, targets, worth)
        if self._referrers is not None:
            self._referrers.see(targets, self.of_page(node))

    def _take_page(self, node: int, base: Floats, targets: Ints, worth: float) -> None:
        """Take in what a page says itself and what is known of those it stands among; its targets inherit from it."""
        tuning, inherited = self._tuning, self._inherited
        if HUNTING is not None:
            told, weights = inherited.told(self._page, len(targets)), (worth, tuning.above, tuning.below)
            inherited.hold(HUNTING.take(targets, base, told, self._places, node, *weights))
            return
        expected = np.zeros(self._score.columns)
        if targets.size:
            linked = inherited.means(targets, self._page)
            linked[inherited.degree[targets] == 0] = base
            places = self._places[targets]
            pages = np.flatnonzero(places != NO_PAGE)
            linked[pages] = self._page[places[pages]]
            expected = linked.mean(axis=0)
        (above,), place = inherited.means(np.array([node]), self._page), int(self._places[node])
        self._page[place] = worth * (base + tuning.above * above + tuning.below * expected)
        inherited.add(targets, place, self._page)

    def meet(self) -> None:
        """Take in the URLs and wordings that the corpus has met since."""
        self._grow()
        self._queries.take((), self._unseen())

    def _grow(self) -> None:
        """Room for what the corpus has met since."""
        corpus = self._corpus
        self._met = count = len(corpus.graph)
        self._queries.grow_to(len(corpus.vocabulary))
        if count <= len(self._places):  # all have as much room
            return
        self._places = room_for(count, self._places, NO_PAGE)
        self._inherited.grow_to(len(self._places))
        for name in _SPARSE:
            getattr(self, f"_{name}").grow_to(len(self._places))

    def _have_columns(self, *, like: bool, judged: bool) -> None:
        """Have these columns from now on, and those that were there."""
        before = self._score
        has_like, has_judged = before.like != NO_COLUMN, before.judged != NO_COLUMN
        if (has_like or not like) and (has_judged or not judged):
            return
        score = Score(self._query, self._tuning, like=like or has_like, judged=judged or has_judged)
        self._score = score
        score.measured_as(before)
        for column, known in (score.like, before.like), (score.judged, before.judged):
            if column != NO_COLUMN and known == NO_COLUMN:
                self._insert(column)

    def _insert(self, column: int) -> None:
        """Have one more column in all tables, before those from this place on."""
        for table in (self._wording, self._url, self._beside, self._inherited, self._queries):
            table.insert(column)
        self._average, self._page = with_column(self._average, column), with_column(self._page, column)

    def _unseen(self) -> list[Taken]:
        """The URLs and wordings that the corpus has met since, from now on seen, and which tables take them."""
        urls, wordings = self._corpus.urls, self._corpus.wordings
        owners = np.asarray(self._corpus.owners[self._seen_wordings :])
        unseen: list[Taken] = [
            (urls.some(self._seen_urls, len(urls)), self._seen_urls, self._url),
            (wordings.some(self._seen_wordings, len(wordings)), owners, self._wording),
        ]
        self._seen_urls, self._seen_wordings = len(urls), len(wordings)
        return unseen

    def _around(self, contexts: Sequence[tuple[int, str]]) -> list[Taken]:
        """Texts around links, of which only the words of the query count."""
        if not contexts:
            return []
        nodes = np.array([node for node, _ in contexts])
        return [(self._in_contexts([text for _, text in contexts]), nodes, self._context)]

    def _take_place(self, node: int, judgement: float, worth: float) -> None:
        place = self._corpus.place(node)
        assert place is not None
        if place >= len(self._page):
            for name in _BY_PLACE:
                setattr(self, f"_{name}", room_for(place + 1, getattr(self, f"_{name}")))
        self._places[node], self._judgements[place], self._worth[place] = place, judgement, worth

    def _base_of(self, node: int, own: Sequence[Floats]) -> Floats:
        """What a page says itself, by how much its text and its title are alike to what is looked for."""
        if HUNTING is not None:
            tables = self._wording.told(WORDING), self._url.told(URL)
            judgement = self._score.judged, self._judgements[self._places[node]]
            texts = (1.0, own[0]), (TITLE, own[1])
            return np.frombuffer(HUNTING.base(node, self._score.columns, tables, texts, *judgement))
        found = WORDING * self._wording[node] + URL * self._url[node]
        for cosines, weight in zip(own, (1.0, TITLE), strict=True):
            for like in cosines:
                found += weight * like
        if self._score.judged != NO_COLUMN:
            found[self._score.judged] = self._judgements[self._places[node]]
        return found

    def _in_contexts(self, texts: list[str]) -> Texts:
        """Texts around links; words that are new there get no number for good."""
        around = self._corpus.short.told(texts, for_good=False).weighed()
        self._queries.grow_to(len(self._corpus.vocabulary) + len(around.terms))
        return around

    def mark(self, node: int, good: bool | None) -> None:
        """A page is a good example from now on, or a bad one, or (None) none; it counts once `learn` was called."""
        self.meet()
        self._marks.pop(node, None)
        if good is not None:
            self._marks[node] = good
            self._have_columns(like=True, judged=False)

    # -- working out -----------------------------------------------------------------------------------------

    def learn(self) -> None:
        """Work out the rarities of words, the evidence of all nodes and the words that tell the best pages."""
        corpus, tuning = self._corpus, self._tuning
        frequencies, pages = corpus.frequencies, len(corpus.pages)
        width = len(frequencies)
        self._ask(self._rarity_of(pages, frequencies))
        if self._examples or self._marks:
            self._queries.put(self._score.like, self._example_vector(width))
        if self._latent is not None:
            query = self._plain_query(width)
            self._queries.put(
                self._score.main, self._latent.vector(corpus.pages.matrix(width), self._queries.rarity, query)
            )
        around = corpus.graph.neighbours()
        self._inherited.begin(around)
        siblings = Siblings(around, self._places[: len(corpus.graph)], REACH) if tuning.beside else None
        texts = {
            name: self._queries.weighed(rows, short=rows is not corpus.pages)
            for name, rows in corpus.texts().items()
        }
        for table in (self._wording, self._url, self._beside):
            table.clear()
        self._weigh(slice(0, self._score.lessons), texts, around, siblings)
        self._score.measure(self._page[:pages])
        if self._guard is not None:
            self._guard.check(self._score.from_words(self._page[:pages]))
            self._score.trust = self._guard.trust
        if tuning.lessons and pages >= tuning.first_lesson:
            self._queries.put(self._score.lessons, self._telling_terms(frequencies))
            self._weigh(slice(self._score.lessons, self._score.columns), texts, around, siblings)
            self._score.measure_lessons(self._page[:pages])
        if self._referrers is not None:
            found = self._score.of(self._page[:pages])
            self._referrers.learn(*corpus.graph.edges(), corpus.hosts(), around.pages, found)

    def _telling_terms(self, frequencies: NDArray[np.int32]) -> Floats:
        """The weight of each term by how well it tells the best pages from all others."""
        corpus, tuning, pages = self._corpus, self._tuning, len(self._corpus.pages)
        chosen = min(tuning.chosen, max(5, pages // 4))
        worth = np.round(self._score.of(self._page[:pages]), DIGITS)
        worth[[place for place, good in self._marked_places() if good]] = np.inf
        best = np.argsort(-worth, kind="stable")[:chosen]
        holding = corpus.pages.holding(best.tolist(), len(frequencies))
        telling = distinguishing_terms(holding, chosen, frequencies, pages, tuning.terms, 0.15)
        if self._guard is not None:
            rows, weights = corpus.pages.matrix(len(frequencies)), self._score.weights
            telling = self._guard.guarded(telling, rows, self._words, weights, best)
        return telling

    def _rarity_of(self, pages: int, frequencies: NDArray[np.int32]) -> Floats:
        """By the pages crawled so far and, where a language is known, `PRIOR_TEXTS` ordinary texts before them."""
        if not self._shares:  # few frequencies are many terms'
            return rarity(pages, np.arange(int(frequencies.max(initial=0)) + 1.0))[frequencies]
        fresh = self._corpus.terms[len(self._known_shares) :]
        found = [self._shares.get(term, 0.0) for term in fresh]
        self._known_shares = np.r_[self._known_shares, found]
        return rarity(pages + PRIOR_TEXTS, frequencies + PRIOR_TEXTS * self._known_shares)

    def _ask(self, rarities: Floats) -> None:
        """Look for the words of the query, and those related to them, alone, and weigh all words anew."""
        self._queries.weigh(rarities)
        self._weigh_words()
        wanted = [{word: 1.0} for word in self._words]
        for term, column, share in self._related:
            wanted[column][term] = share
        for column, found in enumerate(wanted):
            terms = sorted(term for term, weight in found.items() if weight)
            self._queries.put_some(column, np.array(terms), np.array([found[term] for term in terms]))

    def _weigh_words(self) -> None:
        if len(self._corpus.pages):  # before the first page nothing is known
            self._score.weigh(self._queries.rarity[self._words])

    def _weigh(
        self, part: slice, texts: Mapping[str, WeighedTexts], around: Neighbours, siblings: Siblings | None
    ) -> None:
        """The evidence of all nodes in some columns."""
        tuning, pages = self._tuning, len(self._corpus.pages)
        whole = self._base_of_pages(part, texts, around)
        telling = some_columns(whole)
        base, told = whole[:, telling], slice(part.start + telling.start, part.start + telling.stop)
        self._average[part] = self._page[:pages, part] = 0.0
        if siblings is not None:
            self._put_beside(base, told, siblings)
        found = smoothed(base, self._worth[:pages], around, above=tuning.above, below=tuning.below)
        self._page[:pages, told] = found
        self._inherited.put(around, found, told)

    def _base_of_pages(self, part: slice, texts: Mapping[str, WeighedTexts], around: Neighbours) -> Floats:
        """What the pages say themselves; what wordings and URLs say of nodes is kept on the way."""
        cosines = self._queries.cosines
        like, found = cosines(texts["wordings"], part)
        owners = self._corpus.graph.nodes()[np.asarray(self._corpus.owners)]
        self._wording.put(*greatest_by_owner(found, like, owners), part)
        self._url.put(*cosines(texts["urls"], part), part)
        base: Floats = self._wording[around.pages][:, part] * WORDING
        base += self._url[around.pages][:, part] * URL
        for name, weight in (("pages", 1.0), ("titles", TITLE)):
            like, found = cosines(texts[name], part)
            base[like] += weight * found
        if part.start <= self._score.judged < part.stop:
            base[:, self._score.judged - part.start] = self._judgements[: len(base)]
        return base

    def _put_beside(self, base: Floats, part: slice, siblings: Siblings) -> None:
        """What the pages say that stand beside nodes."""
        means, self._average[part] = siblings.means(base)
        self._beside.common(self._average)
        self._beside.put(siblings.nodes, means, part)

    def _plain_query(self, width: int) -> Floats:
        """Over all terms the query's words, weighted as in the score; without any, the examples."""
        if not self._words:
            return self._queries.column(self._score.like)
        query = np.zeros(width)
        query[self._words] = self._score.weights
        return query

    def _example_vector(self, width: int) -> Floats:
        """Of the example pages and those that were marked, each of length 1, weighted by rarity (`example_query`)."""
        examples = [(np.array(terms), np.array(weights), True) for terms, weights in self._examples]
        pages = self._corpus.pages
        examples += [(*pages.between(at, at + 1)[:2], good) for at, good in self._marked_places()]
        sums = {True: np.zeros(width), False: np.zeros(width)}
        for terms, weights, good in examples:
            values = weights * self._queries.rarity[terms]
            sums[good][terms] += values / max(float(np.linalg.norm(values)), _LEAST)
        return example_query(sums[True], sums[False])

    def _marked_places(self) -> list[tuple[int, bool]]:
        """The marked pages by their places among the pages, in that order; without those not told of yet."""
        place = self._corpus.place
        return sorted((at, good) for node, good in self._marks.items() if (at := place(node)) is not None)

    # -- judging ---------------------------------------------------------------------------------------------

    def scores(self, nodes: NDArray[np.int64]) -> Floats:
        """How promising nodes are that were not fetched: at least 0 if no page was marked bad, seldom above 4, at most
        `MOST`.

        Most links that wait have no word of the topic, and one page leads to them. Of those that have the same page one
        is worked out.
        """
        if len(nodes) < MANY or self._referrers is not None:
            return self._worked_out(nodes)
        linking = self._inherited.linking
        alike = (self._inherited.degree[nodes] == 1.0) & (linking[nodes] != NO_PAGE)
        for name in _SPARSE:
            alike &= ~getattr(self, f"_{name}").put_any(nodes)
        pages = linking[nodes[alike]]
        one_of = np.full(len(self._corpus.pages), -1, dtype=np.int64)
        one_of[pages] = nodes[alike]
        told = np.flatnonzero(one_of >= 0)
        worked_out = self._worked_out(np.concatenate([one_of[told], nodes[~alike]]))
        of_links = np.zeros(len(one_of))
        of_links[told] = worked_out[: len(told)]
        found = np.empty(len(nodes))
        found[alike], found[~alike] = of_links[pages], worked_out[len(told) :]
        return found

    def _worked_out(self, nodes: NDArray[np.int64]) -> Floats:
        return self._score.rounded(self._expected(nodes), MOST, DIGITS)

    def of_pages(self) -> tuple[NDArray[np.int64], Floats]:
        """The nodes of all pages, in the order in which they came, and the evidence of each put together."""
        pages = self._corpus.graph.pages
        nodes = np.fromiter(pages, dtype=np.int64, count=len(pages))
        return nodes, self._score.of(self._page[: len(pages)])

    def of_page(self, node: int) -> float:
        """The evidence of one page put together."""
        place = self._places[node]
        return float(self._score.of(self._page[place : place + 1])[0])

    def _expected(self, nodes: NDArray[np.int64], *, alike: bool = False) -> Floats:
        """The evidence that is expected of nodes that were not fetched; with `alike` as if referrers were no matter."""
        tuning = self._tuning
        if HUNTING is not None and (alike or self._referrers is None):
            words = self._context.told(tuning.context)
            own = self._wording.told(1.0), self._url.told(LINK_URL), self._beside.told(tuning.beside), words
            columns = self._score.columns
            whole = HUNTING.expected(nodes, self._inherited.told(self._page), columns, own)
            return np.frombuffer(whole).reshape(-1, columns)
        found = self._inherited.means(nodes, self._page)
        if self._referrers is not None and not alike:
            found *= self._referrers.factor(nodes)[:, None]
        self._wording.add_to(found, nodes, 1.0)
        self._url.add_to(found, nodes, LINK_URL)
        self._beside.add_to(found, nodes, tuning.beside)
        self._context.add_to(found[:, : len(self._words)], nodes, tuning.context)
        return found

    def explain(self, node: int) -> dict[str, float]:
        """What the score of a node is made of, by the words of the query and the other columns."""
        if node >= self._met:
            return {}
        whole = self._expected(np.array([node]), alike=True)
        parts = self._score.parts(whole[0], [self._corpus.terms[word] for word in self._words])
        if self._referrers is not None:
            more = self._score.of(self._expected(np.array([node]))) - self._score.of(whole)
            parts["several good pages link here"] = float(more[0])
        return {name: part for name, part in parts.items() if part}

    def learned(self, most: int) -> Iterable[str]:
        """The words that tell the best pages from all others, the most telling first."""
        column = self._queries.column(self._score.lessons)
        best = np.argsort(-column, kind="stable")[:most]
        terms = self._corpus.terms
        yield from (terms[number] for number in best.tolist() if column[number] > 0)

    # -- state -----------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        score, pages = self._score, len(self._corpus.pages)
        arrays = {"mean": score.mean, "most": score.most, "average": self._average}
        arrays |= {name: getattr(self, f"_{name}")[:pages] for name in _BY_PLACE}
        return {
            **{name: bytes_of(array) for name, array in arrays.items()},
            **{name: getattr(self, f"_{name}").save(self._met) for name in _SPARSE},
            "inherited": self._inherited.save(self._met),
            "queries": self._queries.save(),
            "seen": [self._met, self._seen_urls, self._seen_wordings],
            "marks": list(self._marks.items()),
            "columns": [score.like != NO_COLUMN, score.judged != NO_COLUMN],
            **{name: part.save() for name, part in self._switched()},
        }

    def _switched(self) -> Iterator[tuple[str, Guard | Referrers | LatentQuery]]:
        """What is there only where it was asked for."""
        parts = ("guard", self._guard), ("referrers", self._referrers), ("latent", self._latent)
        yield from ((name, part) for name, part in parts if part is not None)

    def load(self, state: Mapping[str, Any]) -> None:
        self._met, self._seen_urls, self._seen_wordings = state["seen"]
        self._marks = dict(state["marks"])
        like, judged = state.get("columns", (True, True))  # snapshots of earlier versions have all
        self._have_columns(like=like, judged=judged)
        pages = self._corpus.graph.pages
        nodes = np.fromiter(pages, dtype=np.int64, count=len(pages))
        self._places = np.full(self._met, NO_PAGE, dtype=np.int32)
        self._places[nodes] = np.arange(len(nodes))
        if "rarity" in state:
            self._load_whole(state, nodes)
        else:
            self._load_arrays(state)
        self._queries.grow_to(len(self._corpus.vocabulary))
        self._weigh_words()
        for name, part in self._switched():
            part.load(state[name])
        self._score.trust = 1.0 if self._guard is None else self._guard.trust

    def _load_arrays(self, state: Mapping[str, Any]) -> None:
        def column(name: str) -> Floats:
            return np.frombuffer(state[name], dtype=np.float64).copy()

        self._score.mean, self._score.most, self._average = column("mean"), column("most"), column("average")
        for name in _BY_PLACE:
            setattr(self, f"_{name}", column(name))
        wide = -1, self._score.columns
        self._page = self._page.reshape(wide)
        if "inherited" in state:
            self._inherited.load(state["inherited"])
        else:  # a snapshot of an earlier version
            linking = np.frombuffer(state["linking"], dtype=np.int32).copy()
            self._inherited.load_whole(column("from").reshape(wide), column("degree"), linking)
        for name in _SPARSE:
            getattr(self, f"_{name}").load(state[name])
        self._queries.load(state["queries"])

    def _load_whole(self, state: Mapping[str, Any], nodes: Ints) -> None:
        """A snapshot of an earlier version: full tables, all of them by node."""
        arrays = {
            name: np.frombuffer(state[name][1], dtype=np.float64).reshape(state[name][0]).copy()
            for name in (
                "mean",
                "most",
                "average",
                "from",
                "degree",
                *_SPARSE,
                *_BY_PLACE,
                "rarity",
                "queries",
            )
        }
        self._score.mean, self._average = arrays["mean"], arrays["average"]
        self._score.most = np.pad(arrays["most"], (0, 5 - len(arrays["most"])), constant_values=1.0)
        linking = np.full(self._met, NO_PAGE, dtype=np.int32)
        self._inherited.load_whole(arrays["from"], arrays["degree"], linking)
        for name in _BY_PLACE:
            setattr(self, f"_{name}", arrays[name][nodes])
        for name in _SPARSE:
            common = self._average if name == "beside" else 0.0
            getattr(self, f"_{name}").fill(arrays[name], common)
        self._queries.weigh(arrays["rarity"])
        for column, weights in enumerate(arrays["queries"].T):
            self._queries.put(column, weights)
