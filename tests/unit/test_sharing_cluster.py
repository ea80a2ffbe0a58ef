"""Clusters of whole crawls: the known answer, the light twin, deaths, budgets and politeness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sharedwebs import ground, grounds
from tests.trials import trials

from lycosa.crawl.company import Company
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.ports import Store
from lycosa.drive.clock import VirtualClock
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.experiments.cell import Field
from lycosa.lab.experiments.design import Cell
from lycosa.lab.experiments.runner import names_of
from lycosa.lab.sharing.cluster import Cluster, Fall, Made, SharedTurns, Told
from lycosa.lab.sharing.ground import Ground, generated_ground
from lycosa.lab.sharing.ground_web import GroundVisitor
from lycosa.lab.sharing.light import Light, Rates
from lycosa.lab.sharing.post import Delivery
from lycosa.lab.sharing.rules import LabelClasses, members, rules
from lycosa.lab.sharing.together import crawl_together
from lycosa.lab.tasks.judge import Judge, brief
from lycosa.lab.tasks.made_up import tasks_made
from lycosa.lab.webs.conditions import STRICT
from lycosa.lab.webs.generated import Generated
from lycosa.model.records import Page
from lycosa.sharing.registry import partition
from lycosa.strategies.order import BreadthFirst

KINDS = ("url", "host", "content", "topic", "topic:transfer=urls", "alike")
ENDLESS = 10**9


class Everything:
    """A topic to which all pages belong."""

    def relevance(self, page: Page) -> float:
        return 1.0


def cluster(on: Ground, name: str, nodes: int, *, budget: int = ENDLESS, **told: object) -> Cluster:
    def make(company: Company, store: Store, clock: VirtualClock) -> Made:
        visitor = GroundVisitor(on, clock)
        crawl = Crawl(
            BreadthFirst(),
            MemoryFrontier(),
            Everything(),
            store,
            gate=STRICT.gate(),
            pace=STRICT.pace(0),
            order=STRICT.in_order(),
            company=company,
        )
        return Made(crawl, visitor, visitor.latency)

    classes = LabelClasses(on)
    return Cluster(nodes, lambda share: partition(name, share, classes), make, budget=budget, **told)  # type: ignore[arg-type]


def run(on: Ground, name: str, seeds: Sequence[Sequence[int]], **told: object) -> Told:
    """Where URLs have owners, every node is given all seeds."""
    made = cluster(on, name, len(seeds), **told)  # type: ignore[arg-type]
    known = [page for pages in seeds for page in pages]
    return made.run([[on.urls[page] for page in (known if made.routes else pages)] for pages in seeds])


def fetched(told: Told) -> Counter[tuple[int, str]]:
    return Counter((each.node, each.url) for each in told.downloads)


def reachable(on: Ground, seeds: Sequence[Sequence[int]]) -> set[str]:
    """What one crawl alone would fetch."""
    sources = np.array([page for pages in seeds for page in pages], np.int64)
    return {on.urls[page] for page in np.flatnonzero(on.graph.distances(sources) >= 0)}


# -- known answers -------------------------------------------------------------------------------------------


def test_sport_and_business() -> None:
    """Four downloads for three pages, and each page with the node of its class."""
    on = ground({0: [1, 2], 1: [2]}, [0, 1, 0])
    told = rules("topic", on, 2)
    sport = told.owners[0]
    told_seeds = [[0] if node == sport else [] for node in range(2)]
    found = run(on, "topic", told_seeds)
    assert fetched(found) == Counter(
        {(sport, on.urls[0]): 1, (sport, on.urls[1]): 1, (sport, on.urls[2]): 1, (1 - sport, on.urls[2]): 1}
    )
    assert set(found.kept[sport]) == {on.urls[0], on.urls[2]}
    assert found.kept[1 - sport] == (on.urls[1],)
    assert found.duplicates == 1


def test_a_host_is_asked_by_one_node_at_a_time() -> None:
    """With turns that all nodes share, two requests to a host are a delay apart, whoever makes them."""
    on = generated_ground(Generated(pages=400, hosts=16, parents=4, leaves=1).web())
    starts = np.flatnonzero(on.answers)[:8].tolist()
    seeds = [starts[:2], starts[2:4], starts[4:6], starts[6:]]

    def nearest(told: Told) -> int:
        by_host: dict[str, list[int]] = {}
        for each in sorted(told.requests):
            by_host.setdefault(each.host, []).append(each.at)
        return min(b - a for times in by_host.values() for a, b in pairwise(times))

    assert nearest(run(on, "url", seeds)) < 1_000
    assert nearest(run(on, "url", seeds, turns=SharedTurns(1_000))) >= 1_000


def test_a_topical_crawl_is_measured_as_one_crawl_is() -> None:
    """One node is the crawl itself; four fetch no page twice and no more pages than one."""
    spec = Generated(pages=2_000, hosts=150, topics=1, parents=4, leaves=2)
    (task,) = tasks_made(spec, (2,))
    web = spec.web()
    names = names_of(web)
    cell = Cell(
        label="",
        strategy="best-first",
        web="made",
        task=task.id,
        distance=2,
        pages=120,
        frontier=0,
        seed=0,
        examples=0,
    )
    judge, field = Judge(task, 2, names), Field(web, names, task.excluded)
    alone = crawl_together(cell, field, brief(task, 2), nodes=1)
    four = crawl_together(cell, field, brief(task, 2), nodes=4)
    assert len(alone.result.trajectory) == 120
    assert 100 < len(four.result.trajectory) <= 120
    assert max(Counter(each.final_url for each in four.told.downloads).values()) == 1
    assert 0 < judge.recall(four.result.trajectory)[-1] <= 1
    assert sum(each.exported.urls for each in four.told.volumes) > 0


# -- what holds of every cluster -----------------------------------------------------------------------------

seedings = st.lists(st.lists(st.integers(0, 2), max_size=2), min_size=3, max_size=3)
deliveries = st.builds(
    Delivery,
    batch_links=st.integers(1, 5),
    batch_seconds=st.sampled_from([0.0, 0.3, 5.0]),
    latency=st.integers(0, 300),
)
falls = st.lists(
    st.builds(
        lambda node, at, away, keeps: Fall(node=node, at=at, back=at + away, keeps=keeps),
        st.integers(0, 2),
        st.integers(1, 6_000),
        st.integers(1, 4_000),
        st.booleans(),
    ),
    max_size=4,
)


@settings(max_examples=trials(60), deadline=None)
@given(grounds(), st.sampled_from(KINDS), seedings, deliveries)
def test_the_union_is_what_one_crawl_fetches(
    on: Ground, name: str, seeds: list[list[int]], delivery: Delivery
) -> None:
    told = run(on, name, seeds, delivery=delivery)
    assert {each.url for each in told.downloads} == reachable(on, seeds)


@settings(max_examples=trials(60), deadline=None)
@given(grounds(), st.sampled_from(["url", "host", "content", "alike"]), seedings, deliveries)
def test_where_urls_have_owners_each_is_fetched_once(
    on: Ground, name: str, seeds: list[list[int]], delivery: Delivery
) -> None:
    told = run(on, name, seeds, delivery=delivery)
    assert max(Counter(each.url for each in told.downloads).values(), default=1) == 1


@settings(max_examples=trials(60), deadline=None)
@given(grounds(), st.sampled_from(["url", "host", "content", "topic", "topic:transfer=urls"]), seedings)
def test_the_light_simulation_fetches_the_same(on: Ground, name: str, seeds: list[list[int]]) -> None:
    """By URL and by host each node the same; by topic, where what was sent in time need not be fetched, the same in
    all."""
    told = rules(name, on, 3)
    known = [page for pages in seeds for page in pages]
    dealt = seeds if told.of_url is None else [[p for p in known if told.of_url[p] == n] for n in range(3)]
    light = Light(on, told, Rates()).run(dealt)
    whole = run(on, name, seeds)
    for node, pages in enumerate(light.downloads):
        own = {on.urls[page] for page in pages}
        if told.of_url is not None:
            assert own == {each.url for each in whole.downloads if each.node == node}
    union = {on.urls[page] for pages in light.downloads for page in pages}
    assert union == {each.url for each in whole.downloads}


@settings(max_examples=trials(80), deadline=None)
@given(grounds(), st.sampled_from(KINDS), seedings, deliveries, falls)
def test_nothing_lost(
    on: Ground, name: str, seeds: list[list[int]], delivery: Delivery, dead: list[Fall]
) -> None:
    told = run(on, name, seeds, delivery=delivery, falls=dead)
    assert {url for pages in told.kept for url in pages} == reachable(on, seeds)


@settings(max_examples=trials(60), deadline=None)
@given(grounds(), st.sampled_from(["url", "host", "alike"]), seedings, deliveries, falls)
def test_nothing_is_taken_in_twice(
    on: Ground, name: str, seeds: list[list[int]], delivery: Delivery, dead: list[Fall]
) -> None:
    """Who keeps its folder fetches no page again, whatever comes twice, and however often."""
    kept = [Fall(node=each.node, at=each.at, back=each.back) for each in dead]
    told = run(on, name, seeds, delivery=delivery, falls=kept)
    assert max(Counter(each.url for each in told.downloads).values(), default=1) == 1
    for pages in told.kept:
        assert len(pages) == len(set(pages))


@settings(max_examples=trials(40), deadline=None)
@given(grounds(), st.sampled_from(KINDS), seedings, st.integers(1, 12), st.sampled_from([0, 1, 3, 20]))
def test_within_the_clusters_budget(
    on: Ground, name: str, seeds: list[list[int]], budget: int, portions: int
) -> None:
    whole = len(run(on, name, seeds).downloads)
    found = len(run(on, name, seeds, budget=budget, portions=portions).downloads)
    assert found <= budget
    if whole <= budget or name in ("url", "host"):
        assert found == min(whole, budget)


@settings(max_examples=trials(20), deadline=None)
@given(grounds(), st.sampled_from(KINDS), seedings, deliveries, falls)
def test_deterministic(
    on: Ground, name: str, seeds: list[list[int]], delivery: Delivery, dead: list[Fall]
) -> None:
    assert run(on, name, seeds, delivery=delivery, falls=dead) == run(
        on, name, seeds, delivery=delivery, falls=dead
    )


def test_nodes_have_the_names_of_the_rules() -> None:
    assert members(3).names == ("n0", "n1", "n2")


@pytest.mark.parametrize("name", ["host", "topic"])
def test_many_nodes(name: str) -> None:
    """Sixteen nodes fetch all that can be reached."""
    on = generated_ground(Generated(pages=1_500, hosts=100, parents=16, leaves=1).web())
    starts = [np.flatnonzero((on.classes == number) & on.answers)[:1].tolist() for number in range(16)]
    told = run(on, name, starts)
    assert {each.url for each in told.downloads} == reachable(on, starts)
