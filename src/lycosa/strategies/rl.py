"""Reinforcement learning: links are worth what following such links brought in a graph that is known already."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import neg
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec

from lycosa.crawl.inputs import KnownGraph
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.scoring.learning.bayes import NaiveBayes, every_word
from lycosa.scoring.links.future_reward import link_values
from lycosa.scoring.links.link_text import LinkTexts
from lycosa.scoring.words.terms import Counts
from lycosa.strategies.parts.ledger import best_links

VOCABULARY = 10_000
"""Terms that are kept, those that most links have."""

DIGITS = 12
"""Of a worth: the same words in another order are worth the same, whatever the last bits of their sum."""

TAIL = 0.25
"""With `spread=tail`, each bin is so many times as large as the one below it."""


class Lesson(NamedTuple):
    """What was learnt: a classifier of link texts into bins, and what the links of each bin are worth on average."""

    bayes: NaiveBayes
    means: tuple[float, ...]
    sizes: tuple[int, ...]


class ReinforcementLearning(Strategy):
    """Learns from a known graph which link texts lead to relevant pages, at once or later, and follows the best links.

    When to use it: when a crawl of the same kind of sites was made before, for the same topic or one like it, and few
    pages are relevant: it follows a link that leads nowhere good at once but to what leads there. Give the folder of an
    earlier crawl, or a recorded web, with `--learn-from`. What it learnt is as good as that graph is like the new one.

    Before the crawl each link u→v of the known graph gets the value Q(u→v) = r(v) + γ · max Q(v→w) of an optimal
    crawler, r being a page's relevance by the crawl's topic model. Values are put into bins, and naive Bayes learns
    to tell from a link's anchor, context, heading and the title of its page in which bin it is. In the crawl a link's
    score is Σ Pr(bin|text) · mean Q of the bin; of several links to a URL the best counts.

    Parameters: `gamma`, 0 to 1, what a reward is still worth one link later (0.5, the paper's; 0: immediate reward
    only). `depth`, 0 to 20 links that are looked ahead (6, lycosa's choice). `bins`, 2 to 20 (5; the paper has 2
    for immediate reward, and found 3 to 5 useful for future reward, as recalled). `spread`: `quantile`, bins of
    equal size, or `tail`, each four times as large as the one above it (default tail, lycosa's choice: most links
    of a web are worth next to nothing, and what is told apart should be the best). `backup`: `max`, the best way on
    counts, or `sum`, all ways (default max). `n0`, 0 to 1,000: a text counts as at most so many words (default 10,
    lycosa's choice; 0: each word counts, as in the textbook).

    Cost: O(words of links · bins + links · log frontier) a page, no state but counts; learning takes O(depth · links)
    and a pass over the words of the known links, when the first page is in.

    >>> from lycosa.crawl.inputs import KnownLink
    >>> from lycosa.model.url import Url
    >>> from lycosa.spec.registry import strategy
    >>> links = tuple(KnownLink(source=i, target=i + 1, terms={word: 1}) for i, word in enumerate(["a", "b", "c"]))
    >>> urls = tuple(Url(f"http://{name}.test/") for name in "svwx")
    >>> graph = KnownGraph(pages=urls, rewards=(0.0, 0.0, 0.0, 1.0), links=links)
    >>> made = strategy("rl:bins=3,spread=quantile", [graph])
    >>> made.lesson.means
    (0.25, 0.5, 1.0)

    Invariants, each the name of a property test:

    * looking no link ahead is immediate reward: γ = 0 and depth = 0 give the same scores.
    * values grow with `gamma`: no link is worth less with a larger one.
    """

    reference: ClassVar[str] = (
        "Rennie, McCallum: Using Reinforcement Learning to Spider the Web Efficiently. ICML 1999, p. 335-343"
    )

    def __init__(
        self,
        graph: KnownGraph,
        *,
        gamma: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5,
        depth: Annotated[int, msgspec.Meta(ge=0, le=20)] = 6,
        bins: Annotated[int, msgspec.Meta(ge=2, le=20)] = 5,
        spread: Literal["tail", "quantile"] = "tail",
        backup: Literal["max", "sum"] = "max",
        n0: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 10,
    ) -> None:
        self.gamma, self.depth, self.bins = gamma, depth, bins
        self.spread, self.backup, self.n0 = spread, backup, n0
        self._graph = graph
        if not graph.links:
            raise InputError("the known graph has no links to learn from; give another with --learn-from")

    # -- learning --------------------------------------------------------------------------------------------

    @cached_property
    def lesson(self) -> Lesson:
        """Learnt when it is first needed, so that whoever only looks at a crawl need not wait for it."""
        links = self._graph.links
        values = link_values(
            [link.source for link in links],
            [link.target for link in links],
            self._graph.rewards,
            gamma=self.gamma,
            depth=self.depth,
            backup=self.backup,
        )
        told = [place for place, link in enumerate(links) if link.terms]
        worth = [float(values[place]) for place in told]
        floors = bin_floors(worth, self.bins, self.spread)
        sums, sizes = [0.0] * len(floors), [0] * len(floors)
        classes: list[dict[str, int]] = [{} for _ in floors]
        holding: dict[str, int] = {}
        for place, value in zip(told, worth, strict=True):
            of = max(b for b, floor in enumerate(floors) if value >= floor)
            sums[of] += value
            sizes[of] += 1
            counted = classes[of]
            for term, n in links[place].terms.items():
                counted[term] = counted.get(term, 0) + n
                holding[term] = holding.get(term, 0) + 1
        bayes = NaiveBayes(
            classes,
            vocabulary=sorted(holding, key=lambda term: (-holding[term], term))[:VOCABULARY],
            priors=[float(size) for size in sizes],
            effective_length=self._effective if self.n0 else every_word,
        )
        means = tuple(total / size for total, size in zip(sums, sizes, strict=True))
        return Lesson(bayes, means, tuple(sizes))

    def _effective(self, length: int) -> float:
        return float(min(length, self.n0))

    def worth(self, terms: Counts) -> float:
        """Q̂ = Σ_b Pr(b|text) · mean Q_b."""
        lesson = self.lesson
        shares = lesson.bayes.posterior(terms)
        worth = sum(share * mean for share, mean in zip(shares, lesson.means, strict=True))
        return round(worth, DIGITS)

    # -- events ----------------------------------------------------------------------------------------------

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        texts = LinkTexts(page)
        return best_links((link, self.worth(texts.terms(link))) for link in page.links)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        source = memory.page(request.via.source) if request.via else None
        if source is None or request.via is None:
            return {"start page": 1.0} if request.via is None else {}
        lesson = self.lesson
        shares = lesson.bayes.posterior(LinkTexts(source).terms(request.via))
        return {
            f"like links worth {mean:.3g}": share for mean, share in zip(lesson.means, shares, strict=True)
        }

    def facts(self) -> Mapping[str, Any]:
        graph = self._graph
        return {"learnt from": f"{len(graph.pages):,} pages and {len(graph.links):,} links between them"}


def bin_floors(values: Sequence[float], bins: int, spread: str) -> list[float]:
    """The least value of each bin, ascending; equal values share a bin, so there may be fewer than asked for.

    Counted from the top: a bin is full when it holds its share. Values of which not all find room are left to the next
    bin, unless a bin begins with them.
    """
    ranked = sorted(values, reverse=True)
    if spread == "tail":
        sizes = [max(1.0, len(ranked) * (1 - TAIL) * TAIL ** (bins - 1 - b)) for b in range(bins - 1)]
    else:
        sizes = []
    floors: list[float] = []
    start = 0
    while start < len(ranked) and len(floors) < bins - 1:
        size = sizes[len(floors)] if sizes else (len(ranked) - start) / (bins - len(floors))
        end = min(len(ranked), start + max(1, round(size)))
        if end < len(ranked) and ranked[end] == ranked[end - 1]:
            first = bisect_left(ranked, -ranked[end], key=neg)
            end = first if first > start else bisect_right(ranked, -ranked[end], key=neg)
        floors.append(ranked[end - 1])
        start = end
    if start < len(ranked):
        floors.append(ranked[-1])
    return floors[::-1]
