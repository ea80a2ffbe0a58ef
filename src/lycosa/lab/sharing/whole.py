"""Clusters of whole crawls on a web that is only its links, told as the light simulation tells what became of it.

For partitions whose answers change while they run, and to see whether the light simulation leaves out what counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lycosa.crawl.company import Company
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.ports import Store
from lycosa.drive.clock import VirtualClock
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.sharing.cluster import Cluster, Made, Told
from lycosa.lab.sharing.ground import Ground, Ints
from lycosa.lab.sharing.ground_web import GroundVisitor
from lycosa.lab.sharing.light import ENDLESS, Rates, Shared
from lycosa.lab.sharing.rules import MAJORITY, LabelClasses, Rules, members
from lycosa.lab.webs.conditions import STRICT
from lycosa.model.nodes import Handling, Members
from lycosa.model.records import Millis, Page
from lycosa.model.url import Url
from lycosa.sharing.division import Division
from lycosa.sharing.registry import partition
from lycosa.strategies.order import BreadthFirst


class Everything:
    """A topic to which all pages belong."""

    def relevance(self, page: Page) -> float:
        return 1.0

    def explain(self, page: Page) -> Mapping[str, float]:
        return {}


def moves(name: str, ground: Ground, nodes: int) -> bool:
    """Whether a partition moves territories while it runs, so that its answers are no columns."""
    if name == MAJORITY:
        return False
    return partition(name, members(nodes), LabelClasses(ground)).housing() is not None


def run_whole(
    ground: Ground,
    name: str,
    nodes: int,
    rates: Rates,
    starts: Sequence[Sequence[int]],
    *,
    seed: int = 0,
    unclear: int | None = None,
) -> Shared:
    """Breadth-first crawls, one page at a time. `starts`: of each node the pages that it is given."""
    classes, share = LabelClasses(ground, unclear), members(nodes, seed)

    def divided(among: Members) -> Division:
        return partition(name, among, classes)

    def make(company: Company, store: Store, clock: VirtualClock) -> Made:
        crawl = Crawl(
            BreadthFirst(),
            MemoryFrontier(seed=seed),
            Everything(),
            store,
            gate=STRICT.gate(),
            pace=STRICT.pace(seed),
            order=STRICT.in_order(),
            seed=seed,
            company=company,
        )
        visitor = GroundVisitor(ground, clock, seed, wordy=True)
        return Made(crawl, visitor, lambda url: Millis(0))

    sizes = ground.bytes.tolist()

    def size(url: Url) -> int:
        number = ground.graph.number(url)
        return 0 if number is None else int(sizes[number])

    cluster = Cluster(
        nodes,
        divided,
        make,
        budget=min(rates.budget, ENDLESS),
        delivery=rates.delivery,
        bandwidth=rates.bandwidth,
        size=size,
        names=share.names,
    )
    known = [page for pages in starts for page in pages]
    told = cluster.run(
        [[ground.urls[page] for page in (known if cluster.routes else pages)] for pages in starts]
    )
    rules = Rules(name=name, nodes=nodes, handling=Handling.COPY)
    return shared(told, rules, ground)


def shared(told: Told, rules: Rules, ground: Ground) -> Shared:
    """By numbers of pages."""

    def numbers(urls: Sequence[Url]) -> Ints:
        found = (ground.graph.number(url) for url in urls)
        return np.array([number for number in found if number is not None], np.int64)

    by_node = [[each for each in told.downloads if each.node == node] for node in range(rules.nodes)]
    return Shared(
        rules=rules,
        downloads=tuple(numbers([each.final_url for each in some]) for some in by_node),
        times=tuple(np.array([each.at for each in some], np.int64) for some in by_node),
        kept=tuple(np.unique(numbers(urls)) for urls in told.kept),
        volumes=told.volumes,
        duplicates=told.duplicates,
        batches=told.batches,
        ended_at=told.ended_at,
    )
