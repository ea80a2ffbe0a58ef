"""Pages to be and what points to them: the evidence that intelligent crawling weighs, and its scores, in columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Any, NamedTuple

import numpy as np

from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.strategies.intelligent.interest import Base, Features, Rule, url_tokens
from lycosa.strategies.parts.columns import Column, Numbers, Rows

WAITS, GONE = 1, 0
MOST_PARENTS = 64
"""In-links of a page that are learned from, the latest: so one page costs no more than a bounded time."""
DIGITS = 4
"""Scores are rounded, so that a change of no consequence moves nothing in the frontier."""


class Weights(NamedTuple):
    """w_i of each part of the score Σ w_i · log I_i."""

    content: float = 1.0
    tokens: float = 1.0
    links: float = 1.0
    siblings: float = 1.0


class Candidates:
    """All URLs met, the pages among them, and the links between: every part of the score as a sum over in-links.

    URLs are numbered as they are met, pages as they come in. Between two calls of `weigh_all` the sums of a URL grow
    with each link that is found; words are weighed as they stood when the link was found, siblings as they stood at
    the last `weigh_all`.

    Invariants, each the name of a property test:

    * one sum: after `weigh_all` every score is what going over all pages one by one gives.
    * a page is learned from once, however often it is told.
    """

    def __init__(self, rule: Rule, weights: Weights, words: int) -> None:
        self.rule, self.weights, self.most_words = rule, weights, words
        self.base = Base()
        self.words, self.tokens = Features(), Features()
        self.urls: list[Url] = []
        self._numbers: dict[Url, int] = {}
        self._tokens_of = Rows()
        self._waits, self._is_page = Column("u1"), Column("u1")
        self._last_link = Column("i8")  # plus 1; 0: none
        self._sums = {
            name: Column("f8") for name in ("content", "told", "good", "other", "kids", "good_kids")
        }
        self.scores = Column("f8")
        """Of each URL, what the frontier was told last."""
        # by page
        self._words_of = Rows()
        self._satisfies = Column("u1")
        self._kids, self._good_kids = Column("i8"), Column("i8")
        # by link
        self._source, self._target, self._before = Column("i4"), Column("i4"), Column("i8")

    def __len__(self) -> int:
        return len(self.urls)

    # -- what happens ----------------------------------------------------------------------------------------

    def meet(self, urls: Sequence[Url]) -> list[int]:
        """The numbers of URLs; each that is new waits from now on."""
        known, found = self._numbers, []
        for url in urls:
            number = known.get(url)
            if number is None:
                known[url] = number = len(self.urls)
                self.urls.append(url)
                self._tokens_of.append(self.tokens.numbers(url_tokens(url)))
            found.append(number)
        size = len(self.urls)
        for column in (self._is_page, self._last_link, self.scores, *self._sums.values()):
            column.grow_to(size)
        self._waits.extend(np.full(size - len(self._waits), WAITS))
        return found

    def drop(self, urls: Iterable[Url]) -> None:
        """They are no candidates any more."""
        for url in urls:
            if (number := self._numbers.get(url)) is not None:
                self._waits.values[number] = GONE

    def add(self, page: Page, good: bool, targets: Sequence[Url]) -> list[int]:
        """Learn from a page that came in, and take in its links. Returns the numbers of their targets."""
        number, *found = self.meet([page.url, *targets])
        self.drop((page.url, page.final_url, *page.hops))
        if not self._is_page.values[number]:
            self._is_page.values[number] = 1
            self._learn(number, good)
            self._link(self._enter(page, good), found)
        return found

    def _learn(self, number: int, good: bool) -> None:
        """Count what was known of the page before it came: words of its in-links, tokens, links, siblings."""
        parents = self._parents(number)
        self.base.pages += 1
        self.base.good += good
        self.tokens.count(self._tokens_of[number], good)
        if not parents:
            return
        self.words.count(np.concatenate([self._words_of[parent] for parent in parents]), good)
        good_parents = int(self._satisfies.values[parents].sum())
        self.base.links += len(parents)
        if good:
            self.base.good_to_good += good_parents
            self.base.other_to_good += len(parents) - good_parents
        self._kids.values[parents] += 1
        self._good_kids.values[parents] += good

    def _parents(self, number: int) -> list[int]:
        """The pages that link to a URL, the latest first, at most MOST_PARENTS."""
        found: list[int] = []
        at = int(self._last_link.values[number]) - 1
        source, before = self._source.values, self._before.values
        while at >= 0 and len(found) < MOST_PARENTS:
            found.append(int(source[at]))
            at = int(before[at]) - 1
        return found

    def _enter(self, page: Page, good: bool) -> int:
        """Keep the page's most frequent words, of equals the earlier ones. Returns the page's number."""
        terms: Iterable[str] = page.terms
        if len(page.terms) > self.most_words:
            terms = nlargest(self.most_words, page.terms, key=page.terms.__getitem__)
        self._words_of.append(self.words.numbers(terms))
        self._satisfies.append(good)
        self._kids.append(0)
        self._good_kids.append(0)
        return len(self._satisfies) - 1

    def _link(self, page: int, targets: list[int]) -> None:
        if not targets:
            return
        places = np.arange(len(self._source), len(self._source) + len(targets))
        self._source.extend(np.full(len(targets), page))
        self._target.extend(targets)
        self._before.extend(self._last_link.values[targets])
        self._last_link.values[targets] = places + 1
        logs = self.words.log_ratios(self.base, self.rule, self._words_of[page])
        good = bool(self._satisfies.values[page])
        self._sums["content"].values[targets] += np.nansum(logs)
        self._sums["told"].values[targets] += np.count_nonzero(~np.isnan(logs))
        self._sums["good" if good else "other"].values[targets] += 1

    # -- what it comes to ------------------------------------------------------------------------------------

    def parts(self, numbers: Numbers) -> Mapping[str, Numbers]:
        """w_i · log I_i of each URL, by part."""
        sums = {name: column.values[numbers] for name, column in self._sums.items()}
        content = sums["content"] / np.maximum(sums["told"], 1) if self.rule.geometric else sums["content"]
        good, other = self.base.parents_logs(self.rule.smoothing)
        smoothing, expected = self.rule.smoothing, sums["kids"] * self.base.share
        siblings = np.log((sums["good_kids"] + smoothing) / (expected + smoothing))
        return {
            "words": self.weights.content * content,
            "URL": self.weights.tokens * self._token_logs(numbers),
            "links": self.weights.links * (sums["good"] * good + sums["other"] * other),
            "siblings": self.weights.siblings * siblings,
        }

    def _token_logs(self, numbers: Numbers) -> Numbers:
        tokens, places = self._tokens_of.gathered(numbers)
        logs = self.tokens.log_ratios(self.base, self.rule)[tokens]
        told = ~np.isnan(logs)
        total = np.bincount(places[told], logs[told], minlength=len(numbers))
        if not self.rule.geometric:
            return total
        return total / np.maximum(np.bincount(places[told], minlength=len(numbers)), 1)

    def weigh(self, numbers: Sequence[int] | Numbers, more: Numbers | float = 0.0) -> Numbers:
        """The scores of some URLs, of evidence as it stands, and `more` from elsewhere."""
        which = np.asarray(numbers, dtype=np.int64)
        scores: Numbers = np.round(sum(self.parts(which).values()) + more, DIGITS) + 0.0  # no minus zero
        return scores

    def waiting(self) -> Numbers:
        """The numbers of all candidates, by age."""
        return np.flatnonzero(self._waits.values == WAITS)

    def waits(self, url: Url) -> bool:
        number = self._numbers.get(url)
        return number is not None and self._waits.values[number] == WAITS

    def has_page(self, url: Url) -> bool:
        number = self._numbers.get(url)
        return number is not None and bool(self._is_page.values[number])

    def number(self, url: Url) -> int | None:
        return self._numbers.get(url)

    def sum_up(self) -> None:
        """Make the sums of all URLs anew, with what is known of words and siblings now."""
        size, pages, urls = len(self.urls), self._source.values, self._target.values
        logs = self.words.log_ratios(self.base, self.rule)
        words, places = self._words_of.gathered(np.arange(len(self._words_of)))
        found = logs[words]
        told = ~np.isnan(found)
        content = np.bincount(places[told], found[told], minlength=len(self._words_of))
        counted = np.bincount(places[told], minlength=len(self._words_of))
        by_page = {"content": content, "told": counted, "kids": self._kids.values}
        by_page["good_kids"] = self._good_kids.values
        for name, of_page in by_page.items():
            self._sums[name].values[:] = np.bincount(urls, of_page[pages], minlength=size)

    # -- to survive ------------------------------------------------------------------------------------------

    _COLUMNS = ("_waits", "_is_page", "_last_link", "scores", "_satisfies", "_kids", "_good_kids", "_source")
    _MORE = ("_target", "_before", "_tokens_of", "_words_of")

    def statistics(self) -> Mapping[str, Any]:
        """What another crawl can go by."""
        return {"base": self.base.save(), "words": self.words.save(), "tokens": self.tokens.save()}

    def learn_from(self, statistics: Mapping[str, Any]) -> None:
        """Begin with what another crawl learned."""
        self.base.load(statistics["base"])
        self.words.load(statistics["words"])
        self.tokens.load(statistics["tokens"])

    def save(self) -> Mapping[str, Any]:
        columns = {name: getattr(self, name).save() for name in (*self._COLUMNS, *self._MORE)}
        sums = {name: column.save() for name, column in self._sums.items()}
        return {"statistics": self.statistics(), "urls": list(self.urls), "sums": sums, **columns}

    def load(self, state: Mapping[str, Any]) -> None:
        self.learn_from(state["statistics"])
        self.urls = [Url(url) for url in state["urls"]]
        self._numbers = {url: number for number, url in enumerate(self.urls)}
        for name in (*self._COLUMNS, *self._MORE):
            getattr(self, name).load(state[name])
        for name, column in self._sums.items():
            column.load(state["sums"][name])
