"""Intelligent crawling: learns, while it crawls, which features lead to pages that satisfy any predicate at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
from msgspec.structs import replace

from lycosa.crawl.inputs import Experience
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.bounds import Share
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Link, Page, Request
from lycosa.strategies.intelligent.candidates import Candidates, Weights
from lycosa.strategies.intelligent.interest import Rule
from lycosa.strategies.parts.columns import Numbers
from lycosa.strategies.parts.ledger import links_out
from lycosa.strategies.parts.rhythm import Rhythm

Weight = Annotated[float, msgspec.Meta(ge=0, le=100)]
Significance = Annotated[float, msgspec.Meta(ge=0, le=10)]
Smoothing = Annotated[float, msgspec.Meta(ge=1e-6, le=100)]
Often = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]

GOOD_GROWTH = 1.25
"""All candidates are weighed again, too, whenever there are so many times as many good pages: while these are few,
each one changes what is known."""

SPARE = 1_000
"""So many failures and hand-offs more than is likely may come before all candidates are weighed again."""


class Intelligent(Strategy):
    """Learns which words, URLs, links and siblings lead to pages that satisfy a predicate, and follows those.

    When to use it: with any predicate whatever (a classifier, a pattern, words), and with start pages that are general,
    such as a portal: it needs no examples of good pages and no words of the topic. On broad topics whose pages link to
    each other best-first learns nothing and does as well. It begins breadth-first, until one page satisfies.

    A page satisfies if the crawl's own topic model gives it a relevance of `relevant_from` or more. For each feature E
    of a candidate, the interest ratio I(C, E) = P(C|E) / P(C) says how much likelier it makes the candidate to satisfy;
    it is estimated on the pages crawled so far. The score is Σ w_i · log I_i of four parts: the words of the pages that
    link to the candidate, those that differ significantly, |P(C|W) - P(C)| ≥ t·σ; the words of its URL, likewise; the
    links, a factor f1/g1 for each page that links to it and satisfies, f3/g3 for each other; its siblings, r of s
    that were crawled satisfy, r / (s·P(C)). All candidates are weighed again every `every` pages and then whenever the
    crawl has grown by a tenth, or the good pages by a quarter; of those that cannot be reached before the next time the
    frontier only hears that they stand behind. What is not known counts as 1: such a candidate
    scores 0.

    With an earlier crawl of this strategy (`--learn-from`) it begins with what that crawl had learned of words, URLs
    and links; the predicate may be a related one.

    Parameters: `relevant_from` (0 to 1, default 0.1, that of `--relevant`). `t` (0 to 10, default 2; recalled). The
    weights `content`, `tokens`, `links`, `siblings` (0 to 100, default 1 each, as in the paper). `smoothing` (1e-6 to
    100, default 0.5, lycosa's): so much is added to both sides of a ratio; near 0 it is the paper's plain ratio.
    `geometric` (default true, lycosa's): of a candidate's words the geometric mean of their ratios counts, so that a
    long page says no more than a short one; false is the product, as published. In either case a word that stands on
    several of the pages that link to a candidate counts for each. `words` (1 to 100,000, default 200, lycosa's): of
    each page so many of the most frequent words are kept. `every` (1 to 1,000,000 pages, default 100, lycosa's).

    Cost: O(links + words · in-links) a page, in-links up to 64, and O(words and links of the crawl) whenever it has
    grown by a tenth. State: 4 bytes a word kept, 16 bytes a link, some 150 bytes a URL and its text.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("intelligent:t=3,links=0.5").weights.links
    0.5

    Invariants, each the name of a property test:

    * no evidence, no effect: a feature that is independent of the predicate has a ratio near 1.
    * breadth-first at first: until a page satisfies, pages are visited in the order in which they were found.
    """

    reference: ClassVar[str] = (
        "Aggarwal, Al-Garawi, Yu: Intelligent Crawling on the World Wide Web with Arbitrary Predicates. WWW10, 2001"
    )
    kind: ClassVar[str] = "intelligent"

    def __init__(
        self,
        experience: Experience | None = None,
        *,
        relevant_from: Share = 0.1,
        t: Significance = 2.0,
        content: Weight = 1.0,
        tokens: Weight = 1.0,
        links: Weight = 1.0,
        siblings: Weight = 1.0,
        smoothing: Smoothing = 0.5,
        geometric: bool = True,
        words: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 200,
        every: Often = 100,
    ) -> None:
        self.relevant_from, self.words, self.every = relevant_from, words, every
        self.rule = Rule(t=t, smoothing=smoothing, geometric=geometric)
        self.weights = Weights(content, tokens, links, siblings)
        self._known = Candidates(self.rule, self.weights, words)
        self._pages, self._good = 0, 0
        self._by_pages = Rhythm(every)
        self._by_good = Rhythm(1, GOOD_GROWTH)
        if experience is not None:
            self._begin_with(experience)

    def _begin_with(self, experience: Experience) -> None:
        if experience.strategy != self.kind:
            raise InputError(
                f"strategy {self.kind!r} cannot learn from a crawl by {experience.strategy!r}; "
                f"give one by {self.kind!r} with --learn-from"
            )
        self._known.learn_from(learned_by(experience))

    # -- events ----------------------------------------------------------------------------------------------

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        good = page.relevance >= self.relevant_from
        self._pages += 1
        self._good += good
        firsts = links_out(page)
        met_before = len(self._known)
        found = self._known.add(page, good, list(firsts))
        due = (self._by_good.due(self._good) if good else False) | self._by_pages.due(self._pages)
        commands: list[Command] = self._weighed_all() if due else []
        return [*commands, *self._placed(found, firsts.values(), met_before)]

    def _placed(self, numbers: list[int], vias: Iterable[Link | None], met_before: int) -> list[Command]:
        """URLs that were found now, to the place that they have by what is known now, forward or back."""
        old, new = self._known.scores.values[numbers], self._weigh(numbers)
        self._known.scores.values[numbers] = new
        commands: list[Command] = []
        for number, via, before, score in zip(numbers, vias, old.tolist(), new.tolist(), strict=True):
            url = self._known.urls[number]
            commands.append(Enqueue(url=url, via=via, score=score))
            if number < met_before and score < before:
                commands.append(Reprioritize(url=url, score=score))
        return commands

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        self._known.drop((failure.url, *failure.hops))
        return ()

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        found = self._known.meet([handoff.url])
        self._known.scores.values[found] = score = self._weigh(found)
        return [replace(handoff, score=float(score[0]))]

    def _weighed_all(self) -> list[Command]:
        """Every candidate to its place, as far as the frontier can get before they are weighed again.

        Exact are the places of the best `reach`, and that all others stand behind them, as they stood when they were
        last moved. To move them all would cost the frontier more than all the rest of the crawl; it would be seen only
        where so many hosts rest that a visit goes to one that stands farther behind.
        """
        known = self._known
        known.sum_up()
        waiting = known.waiting()
        old, new = known.scores.values[waiting], self._weigh(waiting)
        reach = SPARE + 2 * max(self.every, round(self._pages * (self._by_pages.growth - 1)))
        moved = old != new
        if len(waiting) > reach:
            least = np.partition(new, -reach)[-reach]
            moved &= (new >= least) | (old >= least)
        numbers, scores = waiting[moved], new[moved]
        known.scores.values[numbers] = scores
        urls = known.urls
        return [
            Reprioritize(url=urls[number], score=score)
            for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)
        ]

    def _weigh(self, numbers: Sequence[int] | Numbers) -> Numbers:
        if not self._known.base.good:
            return np.zeros(len(numbers))  # breadth-first
        return self._known.weigh(numbers)

    # -- what it found ---------------------------------------------------------------------------------------

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        number = self._known.number(request.url)
        if number is None or not self._known.base.good:
            return {"nothing is known of what leads to good pages": 0.0}
        parts = self._known.parts(np.array([number]))
        return {f"log interest by {name}": float(value[0]) for name, value in parts.items()}

    def facts(self) -> Mapping[str, Any]:
        base = self._known.base
        if not 0 < base.good < base.pages:
            return {"satisfying": f"{self._good} of {self._pages} pages"}
        good, other = np.exp(base.parents_logs(self.rule.smoothing))
        return {
            "satisfying": f"{self._good} of {self._pages} pages",
            "interest of words": _told(self._known.words.most_telling(base, self.rule, 8)),
            "interest of URL words": _told(self._known.tokens.most_telling(base, self.rule, 8)),
            "interest of a link": f"{good:.2f} from a satisfying page, {other:.2f} from another",
        }

    # -- to survive ------------------------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        return {
            "pages": self._pages,
            "good": self._good,
            "by pages": self._by_pages.save(),
            "by good": self._by_good.save(),
            "known": self._known.save(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._pages, self._good = state["pages"], state["good"]
        self._by_pages.load(state["by pages"])
        self._by_good.load(state["by good"])
        self._known.load(state["known"])


def learned_by(experience: Experience) -> Mapping[str, Any]:
    """The statistics in the state of an earlier crawl. Raises `InputError` where they are not to be found."""
    try:
        statistics: Mapping[str, Any] = experience.state["known"]["statistics"]
    except (KeyError, TypeError):
        raise InputError(
            f"the earlier crawl by {experience.strategy!r} kept nothing to learn from; give another with --learn-from"
        ) from None
    return statistics


def _told(telling: Iterable[Any]) -> str:
    return ", ".join(f"{each.name} {each.ratio:.1f}" for each in telling) or "none is telling yet"
