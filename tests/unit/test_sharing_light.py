"""Clusters without crawls: known answers, and what holds of every web, partition and delivery."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sharedwebs import ground, grounds
from tests.trials import trials

from lycosa.lab.sharing.figures import MEASURES, PER_NODE, figures
from lycosa.lab.sharing.ground import Ground, generated_ground
from lycosa.lab.sharing.light import Light, Rates, Shared
from lycosa.lab.sharing.post import Delivery, Post
from lycosa.lab.sharing.rules import FINDER, Rules, rules
from lycosa.lab.webs.generated import Generated
from lycosa.model.errors import InputError
from lycosa.model.nodes import Handling

KINDS = (
    "url",
    "host",
    "content",
    "content:fetch=url",
    "topic",
    "topic:transfer=urls",
    "topic:order=focused",
    "majority",
)
S1, B1, S2 = range(3)
SPORT, BUSINESS = range(2)


def run(
    on: Ground, name: str, seeds: list[list[int]], nodes: int = 3, rates: Rates | None = None, **told: int
) -> Shared:
    return Light(on, rules(name, on, nodes, **told), rates).run(seeds)


# -- known answers -------------------------------------------------------------------------------------------


def test_sport_and_business() -> None:
    """SPORT fetches S1, B1, S2 and sends B1 away; BUSINESS follows B1 to S2, fetches it again, and sends it back."""
    on = ground({S1: [B1, S2], B1: [S2]}, [SPORT, BUSINESS, SPORT])
    shared = run(on, "topic", [[S1], []], nodes=2)
    assert [pages.tolist() for pages in shared.downloads] == [[S1, B1, S2], [S2]]
    assert [sorted(pages.tolist()) for pages in shared.kept] == [[S1, S2], [B1]]
    sport, business = shared.volumes
    assert (sport.retained.pages, sport.exported.pages, sport.imported.pages) == (2, 1, 1)
    assert (business.retained.pages, business.exported.pages, business.imported.pages) == (0, 1, 1)
    assert shared.duplicates == 1
    found = figures(on, shared)
    assert found.overlap == (2, 1)
    assert found.values["downloads a page"] == pytest.approx(4 / 3)


def test_only_links_are_sent() -> None:
    """B1 stays where it was fetched; BUSINESS is told of its link to S2, fetches it, and tells of its links: none."""
    on = ground({S1: [B1, S2], B1: [S2]}, [SPORT, BUSINESS, SPORT])
    shared = run(on, "topic:transfer=urls", [[S1], []], nodes=2)
    assert [sorted(pages.tolist()) for pages in shared.kept] == [[S1, B1, S2], [S2]]
    assert [(each.exported.urls, each.exported.pages) for each in shared.volumes] == [(1, 0), (0, 0)]


@cache
def thousands() -> Ground:
    return generated_ground(Generated(pages=4_000, hosts=250, parents=16, leaves=1).web())


@pytest.mark.parametrize("nodes", [2, 4, 16])
def test_what_hashing_moves_is_what_chung_and_clarke_say(nodes: int) -> None:
    """Of n nodes each exports (n - 1) / n of what it downloads, and a link stays within 1 / n of the time."""
    on = thousands()
    seeds = [np.flatnonzero(on.answers)[:20].tolist()] + [[]] * (nodes - 1)
    found = figures(on, run(on, "content:fetch=url", seeds, nodes=nodes)).values
    expected, downloads = (nodes - 1) / nodes, found["downloads"]
    assert found["pages exported"] == pytest.approx(expected, abs=3 * (expected / nodes / downloads) ** 0.5)
    assert found["locality"] == pytest.approx(1 / nodes, abs=0.02)
    assert found["bytes moved"] > 2 * expected - 0.1
    assert found["downloads a page"] == 1.0


def test_the_most_likely_pages_links_come_first() -> None:
    """Of two start pages of the class the likelier one's link is fetched first, though it was found later."""
    on = ground({0: [2], 1: [3]}, [0, 0, 0, 0], size=16_000)
    likely = np.array([[0.6], [0.9], [1.0], [1.0]], np.float32)
    likely_on = Ground(**{**{f: getattr(on, f) for f in on.__struct_fields__}, "posterior": likely})
    found = run(likely_on, "topic:order=focused", [[0, 1]], nodes=1)
    assert found.downloads[0].tolist() == [0, 1, 3, 2]


def test_pages_without_a_class_go_where_they_are_told_to() -> None:
    on = ground({0: [1]}, [1, -1, 0])
    seeds = [[], [0]]
    assert 1 in run(on, "topic", seeds, nodes=2).kept[1]
    assert 1 in run(on, "topic", seeds, nodes=2, unclear=0).kept[0]


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(InputError, match="there is no partition 'tpoic'"):
        rules("tpoic", ground({}, [0]), 2)


def test_every_figure_has_a_name() -> None:
    on = ground({0: [1, 2], 1: [0], 2: [0, 1]}, [0, 1, 1])
    found = figures(on, run(on, "topic", [[0], [1]], nodes=2))
    assert set(found.values) <= set(MEASURES)
    assert tuple(found.nodes) == PER_NODE


# -- what holds of every cluster -----------------------------------------------------------------------------


def closure(on: Ground, told: Rules, seeds: list[list[int]]) -> list[set[int]]:
    """What each node downloads in the end, round by round over all pages: the simple twin, without marks."""
    fetched: list[set[int]] = [set() for _ in range(told.nodes)]
    followed: list[set[int]] = [set() for _ in range(told.nodes)]
    found = [(node, page) for node, pages in enumerate(seeds) for page in pages]
    while found:
        node, page = found.pop()
        at = node if told.of_url is None else int(told.of_url[page])
        if page in fetched[at]:
            continue
        fetched[at].add(page)
        owner = at if told.of_page is None or told.of_page[page] == FINDER else int(told.of_page[page])
        follower = at if told.handling is Handling.COPY else owner
        if page not in followed[follower]:
            followed[follower].add(page)
            start, end = on.graph.indptr[page : page + 2]
            found += [(follower, int(target)) for target in on.graph.indices[start:end]]
    return fetched


deliveries = st.builds(
    Delivery,
    batch_links=st.integers(1, 5),
    batch_seconds=st.sampled_from([0.0, 0.3, 60.0]),
    latency=st.integers(0, 500),
)
seedings = st.lists(st.lists(st.integers(0, 2), max_size=2), min_size=3, max_size=3)


@given(grounds(), st.sampled_from(KINDS), seedings, deliveries)
def test_as_the_closure(on: Ground, name: str, seeds: list[list[int]], delivery: Delivery) -> None:
    told = rules(name, on, 3)
    shared = Light(on, told, Rates(delivery=delivery, marks=False)).run(seeds)
    assert [set(pages.tolist()) for pages in shared.downloads] == closure(on, told, seeds)
    for pages in shared.downloads:
        assert not [page for page, times in Counter(pages.tolist()).items() if times > 1]


@given(grounds(), st.sampled_from(KINDS), seedings, st.integers(0, 6))
def test_within_the_budget(on: Ground, name: str, seeds: list[list[int]], budget: int) -> None:
    endless = sum(map(len, run(on, name, seeds).downloads))
    shared = run(on, name, seeds, rates=Rates(budget=budget))
    assert sum(map(len, shared.downloads)) <= budget
    assert sum(map(len, shared.downloads)) == min(budget, endless) or name.startswith("topic")


@given(grounds(), seedings, deliveries, st.booleans())
def test_each_page_at_its_owner(on: Ground, seeds: list[list[int]], delivery: Delivery, marks: bool) -> None:
    told = rules("topic", on, 3, unclear=0)
    assert told.of_page is not None
    shared = Light(on, told, Rates(delivery=delivery, marks=marks)).run(seeds)
    union = {page for pages in shared.downloads for page in pages.tolist()}
    for node, pages in enumerate(shared.kept):
        assert sorted(pages.tolist()) == sorted(page for page in union if told.of_page[page] == node)


@given(grounds(), st.sampled_from(KINDS), seedings, deliveries)
def test_the_union_is_what_one_crawler_fetches(
    on: Ground, name: str, seeds: list[list[int]], delivery: Delivery
) -> None:
    """On a closed web, whatever the partition."""
    alone = run(on, "url", [[page for pages in seeds for page in pages]], nodes=1)
    shared = run(on, name, seeds, rates=Rates(delivery=delivery))
    assert {page for pages in shared.downloads for page in pages.tolist()} == set(alone.downloads[0].tolist())


@given(grounds(), st.sampled_from(["url", "host", "content", "majority"]), seedings, deliveries)
def test_hash_partitions_fetch_each_url_once(
    on: Ground, name: str, seeds: list[list[int]], delivery: Delivery
) -> None:
    shared = run(on, name, seeds, rates=Rates(delivery=delivery))
    fetched = [page for pages in shared.downloads for page in pages.tolist()]
    assert len(fetched) == len(set(fetched))


@given(grounds(), st.sampled_from(KINDS), seedings)
def test_what_one_exports_another_imports(on: Ground, name: str, seeds: list[list[int]]) -> None:
    shared = run(on, name, seeds)
    sent = sum(each.exported.pages for each in shared.volumes)
    assert sent == sum(each.imported.pages for each in shared.volumes)
    for each in shared.volumes:
        if shared.rules.handling is not Handling.COPY:
            assert each.retained.pages + each.exported.pages == each.downloaded.pages


# -- the post ------------------------------------------------------------------------------------------------

sendings = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 4_000), st.integers(1, 3)), max_size=20
)


def delivered(
    delivery: Delivery, sendings: list[tuple[int, int, int, int]]
) -> list[tuple[int, int, int, int]]:
    """The place of each sending, in the order of arrival, with its time, its sender and its receiver. As in a cluster,
    nothing is sent before what arrives earlier has arrived."""
    post: Post[int] = Post(delivery)
    found: list[tuple[int, int, int, int]] = []

    def until(now: int | None) -> None:
        while (at := post.next_at()) is not None and (now is None or at <= now):
            for batch in post.arrivals(at):
                found.extend((item, at, batch.sender, batch.to) for item in batch.items)

    for place, (sender, to, at, links) in enumerate(sorted(sendings, key=lambda each: each[2])):
        until(at - 1)
        post.send(sender, to, place, at, links=links)
    until(None)
    assert not post
    return found


def test_what_is_urgent_leaves_at_once_with_what_waited() -> None:
    post: Post[str] = Post(Delivery(batch_seconds=5.0, latency=100))
    post.send(0, 1, "waits", 1000)
    post.send(0, 1, "presses", 2000, urgent=True)
    assert post.next_at() == 2100
    assert [batch.items for batch in post.arrivals(2100)] == [("waits", "presses")]


@given(deliveries, sendings)
@settings(max_examples=trials(200))
def test_nothing_lost(delivery: Delivery, sendings: list[tuple[int, int, int, int]]) -> None:
    found = delivered(delivery, sendings)
    assert sorted(place for place, *_ in found) == list(range(len(sendings)))


@given(deliveries, sendings)
@settings(max_examples=trials(200))
def test_in_order(delivery: Delivery, sendings: list[tuple[int, int, int, int]]) -> None:
    found = delivered(delivery, sendings)
    for pair in {(sender, to) for _, _, sender, to in found}:
        places = [place for place, _, sender, to in found if (sender, to) == pair]
        assert places == sorted(places)


@given(deliveries, sendings)
@settings(max_examples=trials(200))
def test_never_early(delivery: Delivery, sendings: list[tuple[int, int, int, int]]) -> None:
    sent = sorted(sendings, key=lambda each: each[2])
    latest = delivery.latency + 1000 * delivery.batch_seconds
    for place, at, _, _ in delivered(delivery, sendings):
        assert sent[place][2] + delivery.latency <= at <= sent[place][2] + latest
