"""A topical crawl that several nodes share, measured as one crawl is: by its pages in the order in which they came.

found = crawl_together(cell, field, brief, nodes=4)
of_result(found.result, judge).values["recall@1000"]
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from lycosa.crawl.company import Company
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import Input
from lycosa.crawl.partition import Partition
from lycosa.crawl.ports import Store
from lycosa.drive.clock import VirtualClock
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.experiments.cell import Field, Result
from lycosa.lab.experiments.design import Cell
from lycosa.lab.measures.trajectory import Recorder
from lycosa.lab.sharing.cluster import Cluster, Made, Told
from lycosa.lab.sharing.post import Delivery
from lycosa.lab.tasks.judge import Brief
from lycosa.lab.webs.conditions import visitor_under
from lycosa.model.nodes import Members
from lycosa.model.records import Arrival, Millis, Record
from lycosa.model.url import Url
from lycosa.sharing.registry import partition
from lycosa.spec.registry import strategy


class Together(Record, frozen=True, kw_only=True):
    """What became of it."""

    result: Result
    """As of one crawl. A page that two nodes fetched is in it twice, and the first time counts."""
    told: Told


def by_host(members: Members) -> Partition:
    """Each host to a node by its hash."""
    return partition("host", members)


def crawl_together(
    cell: Cell,
    field: Field,
    brief: Brief,
    offered: Sequence[Input] = (),
    *,
    nodes: int,
    partition: Callable[[Members], Partition] = by_host,
    delivery: Delivery | None = None,
    portions: int = 0,
) -> Together:
    """Run one crawl on so many nodes: `cell.pages` are those of all, `cell.conditions` those of each. Each has a
    strategy and a topic model of its own, and all the start pages; where whoever finds a URL fetches it, they are dealt
    out. `portions`: see `Cluster`.
    """
    began = time.process_time()
    clock = VirtualClock()
    recorder = Recorder(field.names, lacking=field.lacking, now=clock.now)

    def watch(now: Millis, visit: Arrival) -> None:
        clock.pass_to(now)
        recorder.watch(visit)

    def make(company: Company, store: Store, clock: VirtualClock) -> Made:
        crawl = _crawl(cell, brief, offered, company, store)
        visitor = visitor_under(
            cell.conditions, field.web, crawl.refuses_redirect, clock, excluded=field.excluded, seed=cell.seed
        )
        return Made(crawl, visitor, visitor.latency)

    cluster = Cluster(
        nodes,
        partition,
        make,
        budget=cell.pages,
        width=cell.conditions.connections,
        delivery=delivery,
        portions=portions,
        watch=watch,
    )
    told = cluster.run(_seeds(brief.seeds, nodes, routes=cluster.routes))
    result = Result(cell=cell, trajectory=recorder.trajectory(), seconds=time.process_time() - began, code="")
    return Together(result=result, told=told)


def _seeds(seeds: Sequence[Url], nodes: int, *, routes: bool) -> Sequence[Sequence[Url]]:
    return [list(seeds) if routes else list(seeds[number::nodes]) for number in range(nodes)]


def _crawl(cell: Cell, brief: Brief, offered: Sequence[Input], company: Company, store: Store) -> Crawl:
    source = brief.source()
    whole = replace(source, given=(*source.given, *offered))
    return Crawl(
        strategy(cell.strategy, (*source.inputs(), *offered)),
        MemoryFrontier(capacity=cell.frontier or None, seed=cell.seed),
        whole.model(),
        store,
        gate=cell.conditions.gate(),
        pace=cell.conditions.pace(cell.seed),
        order=cell.conditions.in_order(),
        seed=cell.seed,
        company=company,
    )
