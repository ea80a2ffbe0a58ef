"""What was published about crawlers that lycosa has, as statements that can be tested. `statements.py` tests them.

Taken from the text of the papers; their figures are not to be read to the digit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from verdicts import Claim

PUBLISHED = 256
"""The bound of the frontier in most of what S2 says; InfoSpiders have it without being told."""
LARGEST = 2_048
"""The largest bound of S2. InfoSpiders driven by energy have it without being told."""
BREADTH, BFS1, BFS256, SHARK = "breadth-first", "best-first", "bfs-n:n=256", "shark"
SPIDERS, CENTRAL = "infospiders", "infospiders:evolution=false"
IMPROVED, PLAIN = "infospiders-energy", "infospiders-energy:keep_frontier=false"
"""The InfoSpiders of S4: as improved there, and as they were before."""
PAGERANK = "pagerank"
FOUR = (BREADTH, BFS1, SHARK, SPIDERS)
"""Crawlers that relative cost is relative to. (S2, section 3.2.3)"""
RECALL, SIMILAR, COST, PER_COST = "recall", "similarity", "ms", "performance/cost"
"""Of whole crawls; `recall` is that at their end, be they of 1,000 pages or fewer."""

SOURCES = (
    "S1: Pant, Srinivasan and Menczer, Crawling the Web, 2004",
    "S2: Menczer, Pant and Srinivasan, Topical Web Crawlers: Evaluating Adaptive Algorithms, ACM TOIT 4(4), 2004",
    "S4: Küçük, Evolving Strategies for Web Crawler, MSc thesis, Işık University, 2009",
)


class Statement(NamedTuple):
    """That crawler A has more of a metric than crawler B, or less, or about as much."""

    said: str
    source: str
    there: str
    """How it was found there."""
    a: str
    claim: Claim
    b: str
    metric: str
    metric_b: str = ""
    """Where another metric is B's, as after another number of pages."""
    distance: int = 3
    frontier: int = 0
    """The bound of the frontier; 0: none."""
    frontier_b: int = 0
    """Where B has another."""


class Untestable(NamedTuple):
    said: str
    source: str
    why: str


def _s2(said: str, there: str, a: str, claim: Claim, b: str, metric: str, m: int = PUBLISHED) -> Statement:
    """A statement about 1,000 pages from D = 3 with frontiers of m links."""
    return Statement(said, "S2", there, a, claim, b, metric, frontier=m)


def _s4(said: str, a: str, claim: Claim) -> Statement:
    """A statement about the course of one crawler."""
    return Statement(said, "S4", ONE_QUERY, a, claim, a, "relevance@500", "relevance@50", frontier=LARGEST)


FIGURE_6 = "fig. 6: 10,000 pages, 159 topics, one-tailed t-test p < .01"
DYNAMIC, GREED = "3.2.1: D = 3, 50 topics", "4.2.1: D = 3, 50 topics"
COSTS, VARIANTS = "3.2.3: D = 3, 50 topics", "5.2.3: D = 3, 50 topics"
LONG, FEWER = "6.2: 50,000 pages, 10 topics", "3.2.2: D = 3, 28 topics"
NEAREST = "3.2.1: D = 0, 53 topics"
ONE_QUERY = "4.5: one query, start pages from a search engine and, if improved, a database"
BOTH = (("similarity", SIMILAR), ("recall", RECALL))

THEMES: Mapping[str, tuple[Statement, ...]] = {
    "best-first is above breadth-first (S1)": tuple(
        Statement(
            f"best-first is above breadth-first in {name} (D = {d})",
            "S1",
            FIGURE_6,
            BFS1,
            "more",
            BREADTH,
            metric,
        )._replace(distance=d)
        for d in (1, 3)
        for name, metric in BOTH
    ),
    "best-first and InfoSpiders are above breadth-first": tuple(
        _s2(f"{better} above breadth-first in {name}", DYNAMIC, a, "more", BREADTH, metric)
        for better, a in (("best-first is", BFS1), ("InfoSpiders are", SPIDERS))
        for name, metric in BOTH
    ),
    "best-first and InfoSpiders are above Shark": tuple(
        _s2(f"{better} above Shark in {name}", DYNAMIC, a, "more", SHARK, metric)
        for better, a in (("best-first is", BFS1), ("InfoSpiders are", SPIDERS))
        for name, metric in BOTH
    ),
    "Shark finds as much as breadth-first, and is above it in similarity": (
        _s2("Shark finds about as much as breadth-first", DYNAMIC, SHARK, "alike", BREADTH, RECALL),
        _s2("Shark is above breadth-first in similarity", DYNAMIC, SHARK, "more", BREADTH, SIMILAR),
    ),
    "in batches of 256, best-first loses early and wins later": (
        _s2("BFS256 is below BFS1 early (300 pages)", GREED, BFS256, "less", BFS1, "recall@300"),
        _s2("BFS256 has caught up with BFS1 after 500 pages", GREED, BFS256, "alike", BFS1, "recall@500"),
        _s2("BFS256 has overtaken BFS1 in recall after 1,000 pages", GREED, BFS256, "more", BFS1, RECALL),
    ),
    "InfoSpiders get worse with larger frontiers": (
        _s2(
            "InfoSpiders find less with 2,048 links than with 256",
            FEWER,
            SPIDERS,
            "less",
            SPIDERS,
            RECALL,
            LARGEST,
        )._replace(frontier_b=PUBLISHED),
    ),
    "evolution makes InfoSpiders cheaper": (
        _s2("evolution lowers the cost of InfoSpiders", VARIANTS, SPIDERS, "less", CENTRAL, COST),
        _s2("… also with 2,048 links", VARIANTS, SPIDERS, "less", CENTRAL, COST, LARGEST),
    ),
    "InfoSpiders cost as little as breadth-first, and have the best performance/cost": (
        _s2(
            "InfoSpiders with 2,048 links cost what breadth-first does",
            COSTS,
            SPIDERS,
            "alike",
            BREADTH,
            COST,
            LARGEST,
        ),
        *(
            _s2(f"InfoSpiders are above {name} in performance/cost", COSTS, SPIDERS, "more", b, PER_COST)
            for name, b in (("breadth-first", BREADTH), ("best-first", BFS1), ("Shark", SHARK))
        ),
    ),
    "in long crawls breadth-first is last, and BFS256 at first above InfoSpiders": (
        _s2("in long crawls BFS256 is above breadth-first", LONG, BFS256, "more", BREADTH, RECALL, LARGEST),
        _s2(
            "in long crawls InfoSpiders are above breadth-first",
            LONG,
            SPIDERS,
            "more",
            BREADTH,
            RECALL,
            LARGEST,
        ),
        _s2(
            "in long crawls BFS256 is above InfoSpiders at first",
            LONG,
            BFS256,
            "more",
            SPIDERS,
            RECALL,
            LARGEST,
        ),
    ),
    "PageRank is below breadth-first": tuple(
        Statement(
            f"PageRank is below breadth-first in {name}", "S2", NEAREST, PAGERANK, "less", BREADTH, metric
        )._replace(distance=1)
        for name, metric in BOTH
    ),
    "relevance falls in improved energy-driven InfoSpiders, not in plain ones": (
        _s4("the mean relevance of improved InfoSpiders falls (500 pages against 50)", IMPROVED, "less"),
        _s4("that of plain InfoSpiders stays nearly the same", PLAIN, "alike"),
    ),
}
STATEMENTS = tuple(each for statements in THEMES.values() for each in statements)

UNTESTABLE = (
    Untestable(
        "best-first is above breadth-first after 10,000 pages",
        "S1",
        "the webs have 4,600 to 10,000 pages: whoever fetches all of them finds all. Nearest: after 1,000 pages",
    ),
    Untestable(
        "InfoSpiders overtake BFS256 in recall after 7,500 of 50,000 pages, significantly after 20,000",
        "S2",
        "the webs have 4,600 to 10,000 pages. Nearest: that BFS256 is first above InfoSpiders",
    ),
    Untestable(
        "InfoSpiders find almost 70 % of the targets in the end; nobody finds much after 20,000 pages",
        "S2",
        "the same; and a level of recall belongs to a web, not to a crawler",
    ),
    Untestable(
        "PageRank is below breadth-first with start pages that are the targets (D = 0)",
        "S2",
        "the tasks have no start pages at D = 0: all targets would be found at once. Nearest: D = 1",
    ),
    Untestable(
        "InfoSpiders with larger frontiers are lower in similarity",
        "S2",
        "document frequencies are those of the crawls under one condition: two frontiers cannot be compared",
    ),
    Untestable(
        "with a database of earlier pages the mean relevance is .53 after 50 pages",
        "S4",
        "another measure, one query, and no database was given. Nearest: that the mean falls",
    ),
    Untestable(
        "the population grows to some 70 agents in 500 pages",
        "S4",
        "an experiment keeps what was crawled, not how many agents there were; `lycosa status` tells it for a crawl",
    ),
)
