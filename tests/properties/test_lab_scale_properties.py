"""Crawls by many nodes that are counted with arrays, against the same counted page by page; the web as arrays."""

from __future__ import annotations

import random
from collections import Counter, defaultdict, deque

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.lab.sharing.divisions import (
    FEW,
    HOMES,
    LEAST,
    MARGIN,
    MOST_MOVES,
    SLACK,
    STAGES,
    dealt,
    scattered,
)
from lycosa.lab.sharing.host_queues import HostQueues, KnownPages
from lycosa.lab.sharing.scale import COUNTS, SEEDS, Plan, counted, oldest
from lycosa.model.errors import InputError
from lycosa.web.made.chance import mix
from lycosa.web.made.ground import Ground, TopicalShape
from lycosa.web.made.ground_arrays import GroundArrays

shapes = st.builds(
    TopicalShape,
    pages=st.integers(120, 600),
    hosts=st.integers(12, 80),
    parents=st.just(3),
    leaves=st.integers(1, 4),
    unevenness=st.floats(0, 2),
    topic_unevenness=st.floats(0, 2),
    links=st.floats(0, 12),
    shy=st.floats(0, 1),
    homes=st.floats(0, 1),
)
plans = st.builds(
    Plan,
    shape=shapes,
    seed=st.integers(0, 2**64),
    nodes=st.integers(1, 7),
    partition=st.sampled_from(["host", "url", "topic", "neighbours"]),
    pace=st.floats(0.5, 20),
    box_turns=st.integers(1, 5),
    box_links=st.integers(1, 20),
    budget=st.sampled_from([0, 0, 50, 200]),
    seeds=st.integers(1, 12),
)


@given(shapes, st.integers(-5, 2**64))
@settings(max_examples=trials(25), deadline=None)
def test_one_web(shape: TopicalShape, seed: int) -> None:
    ground = Ground(shape, seed)
    arrays, pages = GroundArrays(ground), np.arange(shape.pages)
    assert arrays.hosts(pages).tolist() == [ground.host(page) for page in range(shape.pages)]
    topics = [-1 if (topic := ground.topic(page)) is None else topic for page in range(shape.pages)]
    assert arrays.topics(pages).tolist() == topics
    rows, targets = arrays.links(pages)
    links = [(page, target) for page in range(shape.pages) for target in ground.links(page)]
    assert list(zip(rows.tolist(), targets.tolist(), strict=True)) == links


class Twin:
    """The crawl of a plan, page by page, as the text of `lycosa.lab.sharing.scale` says."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.ground = plan, Ground(plan.shape, plan.seed)
        self.counts: dict[str, Counter[int]] = {name: Counter() for name in COUNTS}
        self.known: dict[int, set[int]] = defaultdict(set)
        self.queues: dict[int, deque[tuple[int, int, int]]] = defaultdict(deque)
        self.boxes: list[tuple[int, int, int | None]] = []
        self.kept, self.entered = set[int](), set[int]()
        self.times, self.visits = Counter[int](), Counter[int]()
        self.arrivals = self.now = self.last_fetch = self.parcels = 0
        self.fetched = list[int]()
        hosts = range(plan.shape.hosts)
        self.home = {host: self.scattered(HOMES, host) for host in hosts}
        self.holders = dict(self.home)
        self.first, self.told, self.moves = dict(self.home), set[tuple[int, int]](), Counter[int]()
        topics = self.ground.topics
        order = sorted(range(topics), key=lambda topic: mix(mix(plan.seed, 3), topic))
        self.node_of = {topic: place % plan.nodes for place, topic in enumerate(order)}
        homes = self.ground.starts[:-1]
        drawn = np.random.default_rng(mix(plan.seed, SEEDS)).permutation(len(homes))[: plan.seeds]
        for host in sorted(drawn.tolist()):
            self.take_in(self.owner(homes[host]), homes[host])
        while self.boxes or (any(self.queues.values()) and self.left > 0):
            self.turn()

    def scattered(self, what: int, number: int) -> int:
        return mix(mix(self.plan.seed, what), number) % self.plan.nodes

    def owner(self, page: int) -> int:
        match self.plan.partition:
            case "url":
                return self.scattered(2, page)
            case "topic":
                topic = self.ground.topic(page)
                some = mix(mix(self.plan.seed, 3), page) % self.ground.topics
                return self.node_of[some if topic is None else topic]
            case _:
                return self.home[self.ground.host(page)]

    @property
    def left(self) -> float:
        return (self.plan.budget or float("inf")) - self.counts["downloads"].total()

    def turn(self) -> None:
        self.now += 1
        if self.left > 0 and any(self.queues.values()):
            self.visit(self.leased())
        if self.now % self.plan.box_turns == 0:
            self.deliver()
        self.fetched.append(self.counts["downloads"].total())

    def leased(self) -> list[tuple[int, int]]:
        pace = self.plan.pace * self.plan.interval
        room = {node: int(self.now * pace) - int((self.now - 1) * pace) for node in range(self.plan.nodes)}
        spare, chosen, refused, left = sum(room.values()), list[tuple[int, int]](), list[int](), self.left
        for _, page, node, host in sorted((*queue[0], host) for host, queue in self.queues.items() if queue):
            node = node if self.plan.partition == "topic" else self.owner(page)
            if room[node] and len(chosen) < left:
                room[node] -= 1
                chosen.append((node, page))
                self.queues[host].popleft()
            else:
                refused.append(host)
        if len(chosen) < spare and self.plan.partition in ("url", "topic"):
            for host in refused:
                self.queues[host].rotate(-1)
        return chosen

    def visit(self, chosen: list[tuple[int, int]]) -> None:
        transfers, kept, moving = self.plan.partition == "topic", list[tuple[int, int]](), set[int]()
        for node, page in chosen:
            if transfers and page in self.kept and self.owner(page) == node:
                continue
            self.last_fetch, host = self.now, self.ground.host(page)
            self.counts["downloads"][node] += 1
            self.times[page] += 1
            self.visits[host] += 1
            self.counts["asks"][node] += self.holders[host] != node
            self.holders[host] = node
            if self.visits[host] in STAGES:
                moving.add(host)
            if transfers and self.owner(page) != node:
                self.counts["sent_pages"][node] += 1
                self.boxes.append((node, self.owner(page), page))
            else:
                kept.append((node, page))
        self.keep(kept)
        if self.plan.partition == "neighbours":
            self.move(self.better(sorted(moving)))

    def keep(self, pages: list[tuple[int, int]]) -> None:
        self.kept.update(page for _, page in pages)
        parcels = set[tuple[int, int]]()
        for node, page in pages:
            self.counts["kept"][node] += 1
            for target in self.ground.links(page):
                self.counts["found"][node] += 1
                self.counts["local"][node] += self.owner(target) == node
                if target in self.known[node]:
                    continue
                self.known[node].add(target)
                host = self.ground.host(target)
                if self.plan.partition == "topic":
                    self.wait(node, target)
                elif (to := self.believed(node, host, target)) == node:
                    self.take_in(node, target)
                else:
                    parcels.add((page, to))
                    self.counts["sent_links"][node] += 1
                    self.boxes.append((node, to, target))
        self.parcels += len(parcels)

    def believed(self, node: int, host: int, page: int) -> int:
        knows = (node, host) in self.told or node in (self.home[host], self.first[host])
        return self.owner(page) if self.plan.partition != "neighbours" or knows else self.first[host]

    def take_in(self, node: int, page: int) -> bool:
        self.known[node].add(page)
        if page in self.entered:
            return False
        self.entered.add(page)
        self.wait(node, page)
        return True

    def wait(self, node: int, page: int) -> None:
        self.queues[self.ground.host(page)].append((self.arrivals, page, node))
        self.arrivals += 1

    def deliver(self) -> None:
        boxes, self.boxes = self.boxes, []
        for (source, to), items in Counter((source, to) for source, to, _ in boxes).items():
            self.counts["sent_messages"][source] += -(-items // self.plan.box_links)
            self.counts["got_messages"][to] += -(-items // self.plan.box_links)
        kept, notices = list[tuple[int, int]](), set[tuple[int, int]]()
        wrong, claims, found = list[tuple[int, int, int]](), dict[int, int](), self.found_hosts()
        room = self.room()
        for source, to, page in boxes:
            if page is None:
                continue
            self.counts["got"][to] += 1
            if self.plan.partition == "topic":
                if page not in self.kept:
                    self.kept.add(page)
                    self.known[to].add(page)
                    self.counts["taken_in"][to] += 1
                    kept.append((to, page))
            elif self.owner(page) != to:
                wrong.append((source, to, page))
            else:
                claims.setdefault(self.ground.host(page), source)
                self.counts["taken_in"][to] += self.take_in(to, page)
        self.keep(kept)
        if self.plan.partition == "neighbours":
            self.move([(h, to) for h, to in sorted(claims.items()) if h not in found and room[to] > 0])
        for source, to, page in wrong:
            self.told.add((source, self.ground.host(page)))
            notices.add((to, source))
        self.boxes += [(to, source, None) for to, source in sorted(notices)]
        for _, to, page in wrong:
            if page not in self.known[to]:
                self.known[to].add(page)
                self.counts["forwarded"][to] += 1
                self.boxes.append((to, self.owner(page), page))

    def found_hosts(self) -> set[int]:
        return {self.ground.host(page) for page in self.entered}

    def room(self) -> list[float]:
        loads = Counter(self.home[self.ground.host(page)] for page in self.entered)
        most = (1 + SLACK) * max(FEW, loads.total() / self.plan.nodes)
        return [max(0.0, 1 - loads[node] / most) for node in range(self.plan.nodes)]

    def better(self, hosts: list[int]) -> list[tuple[int, int]]:
        room, found = self.room(), list[tuple[int, int]]()
        for host in hosts:
            pages = range(self.ground.starts[host], self.ground.starts[host + 1])
            targets = [
                self.ground.host(to) for page in pages if page in self.kept for to in self.ground.links(page)
            ]
            links = Counter(self.home[other] for other in targets if other != host)
            pull = [links[node] / max(links.total(), 1) for node in range(self.plan.nodes)]
            here = self.home[host]
            best = max(range(self.plan.nodes), key=lambda node: (pull[node] * room[node], node == here))
            clear = room[best] > 0 and pull[best] - pull[here] > MARGIN
            if clear and links.total() >= LEAST and self.moves[host] < MOST_MOVES:
                found.append((host, best))
        return found

    def move(self, moves: list[tuple[int, int]]) -> None:
        for host, to in moves:
            old, self.home[host] = self.home[host], to
            self.told = {each for each in self.told if each[1] != host} | {(old, host)}
            self.moves[host] += 1
            self.counts["moves"][old] += 1
            self.boxes.append((old, to, None))
            theirs = self.known[old] & set(range(self.ground.starts[host], self.ground.starts[host + 1]))
            self.counts["moved_known"][old] += len(theirs)
            self.known[to] |= theirs


@given(plans)
@settings(max_examples=trials(20), deadline=None)
def test_counted_as_page_by_page(plan: Plan) -> None:
    twin, outcome = Twin(plan), counted(plan)
    for name in COUNTS:
        nodes = range(plan.nodes)
        if name == "known":
            assert outcome.counts[name].tolist() == [len(twin.known[node]) for node in nodes]
        else:
            assert outcome.counts[name].tolist() == [twin.counts[name][node] for node in nodes], name
    assert (outcome.counts.parcels, outcome.last_fetch, outcome.quiet) == (
        twin.parcels,
        twin.last_fetch,
        twin.now,
    )
    assert outcome.fetched == tuple(twin.fetched)
    assert outcome.times == tuple(Counter(twin.times.values())[n + 1] for n in range(len(outcome.times)))
    assert outcome.hosts.tolist() == [twin.visits[host] for host in range(plan.shape.hosts)]


@given(
    plans,
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 6)), max_size=3, unique_by=lambda each: each[1]),
)
@settings(max_examples=trials(12), deadline=None)
def test_nothing_is_missing_after_a_loss(plan: Plan, losses: list[tuple[int, int]]) -> None:
    assume(plan.partition != "topic")
    losses = [each for each in losses if each[1] < plan.nodes][: plan.nodes - 1]
    whole = msgspec.structs.replace(plan, budget=0)
    expected, outcome = counted(whole), counted(msgspec.structs.replace(whole, losses=tuple(losses)))
    counts = outcome.counts
    assert ((outcome.hosts > 0) == (expected.hosts > 0)).all()
    assert sum(outcome.times) == sum(expected.times) == counts.total("downloads") - counts.total("lost_pages")
    for turn, node in losses:
        if turn < outcome.quiet:
            assert counts["downloads"][node] <= turn * (plan.pace * plan.interval + 1)


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=6), st.randoms(use_true_random=False))
def test_first_come_first_served(batches: list[list[int]], chance: random.Random) -> None:
    queues, twin, arrivals = HostQueues(6), defaultdict[int, deque[int]](deque), 0
    for hosts in batches:
        pages = np.arange(arrivals, arrivals + len(hosts))
        queues.add(np.array(hosts, np.int64), pages, pages % 3)
        for host in hosts:
            twin[host].append(arrivals)
            arrivals += 1
        assert sorted(queues.busy.tolist()) == sorted(host for host, queue in twin.items() if queue)
        offered = dict(zip(queues.busy.tolist(), queues.offers().tolist(), strict=True))
        assert offered == {host: queue[0] for host, queue in twin.items() if queue}
        assert sorted(queues.waiting().tolist()) == sorted(each for queue in twin.values() for each in queue)
        taken = [host for host in offered if chance.random() < 0.4]
        passed = [host for host in offered if host not in taken and chance.random() < 0.5]
        queues.pass_over(np.array(passed, np.int64))
        queues.take(np.array(taken, np.int64))
        for host in passed:
            twin[host].rotate(-1)
        for host in taken:
            twin[host].popleft()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 40)), max_size=60))
def test_known_once(pairs: list[tuple[int, int]]) -> None:
    known = KnownPages(5, 41)
    nodes, pages = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    new = known.add_new(nodes, pages)
    assert [pairs[place] for place in new.tolist()] == list(dict.fromkeys(pairs))
    assert known.has(nodes, pages).all()
    assert not len(known.add_new(nodes, pages))
    known.forget(2)
    assert known.has(nodes, pages).tolist() == [node != 2 for node, _ in pairs]


@given(
    st.lists(st.integers(0, 10**6), max_size=80, unique=True),
    st.lists(st.integers(0, 12), min_size=4, max_size=4),
    st.randoms(use_true_random=False),
)
def test_the_oldest_of_each_node(entries: list[int], room: list[int], chance: random.Random) -> None:
    nodes = [chance.choice([0, 0, 0, 1, 2, 3]) for _ in entries]
    chosen = oldest(np.array(entries, np.int64), np.array(nodes, np.int64), np.array(room))
    left, expected = list(room), list[int]()
    for entry, place in sorted(zip(entries, range(len(entries)), strict=True)):
        if left[nodes[place]]:
            left[nodes[place]] -= 1
            expected.append(entry)
    assert chosen.tolist() == expected


@given(st.integers(0, 2**64 - 1), st.integers(2, 9), st.data())
def test_only_what_was_lost_moves(key: int, nodes: int, data: st.DataObject) -> None:
    numbers, alive = np.arange(500), np.ones(nodes, np.bool_)
    before = scattered(key, numbers, alive)
    lost = data.draw(st.lists(st.integers(0, nodes - 1), min_size=1, max_size=nodes - 1, unique=True))
    alive[lost] = False
    after = scattered(key, numbers, alive)
    assert alive[after].all()
    assert (after == before)[alive[before]].all()


@given(st.integers(0, 2**64 - 1), st.integers(1, 60), st.integers(1, 60))
def test_topics_are_dealt_out_evenly(seed: int, topics: int, nodes: int) -> None:
    each = np.bincount(dealt(seed, topics, nodes), minlength=nodes)
    assert each.max() - each.min() <= 1


def test_losses_are_not_counted_by_topic_and_that_is_told() -> None:
    with pytest.raises(InputError, match="partitions of URLs only"):
        counted(Plan(shape=TopicalShape(), partition="topic", losses=((1, 0),)))
