"""PageRank while a crawl goes on."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import made_page, u

from lycosa.model.records import Request
from lycosa.strategies.importance.ranks import Dangling, PageRanks

NAMES = "abcdefgh"
tellings = st.lists(
    st.tuples(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=5)),
    min_size=1,
    max_size=8,
    unique_by=lambda told: told[0],
)


def told(pages: list[tuple[str, list[str]]], dangling: Dangling) -> PageRanks:
    ranks = PageRanks(0.8, 1e-10, dangling, 100)
    for order, (name, targets) in enumerate(pages):
        ranks.add(made_page(Request(url=u(name), order=order), *map(u, targets)))
    return ranks


def waiting(pages: list[tuple[str, list[str]]]) -> list[str]:
    met = [target for _, targets in pages for target in targets]
    return [name for name in dict.fromkeys(met) if name not in dict(pages)]


@given(tellings, st.sampled_from(["buffered", "all", "none"]))
@settings(max_examples=trials(100), deadline=None)
def test_as_defined_and_sum_of_ranks(pages: list[tuple[str, list[str]]], dangling: Dangling) -> None:
    ranks, outside = told(pages, dangling), waiting(pages)
    ranks.compute([u(name) for name in outside])
    inside = [name for name, _ in pages]
    got = {name: ranks.rank(u(name)) for name in [*inside, *outside]}
    links = {name: dict.fromkeys(t for t in targets if t != name) for name, targets in pages}
    lost = sum(rank for name, rank in got.items() if not links.get(name))
    sinks = {"buffered": inside, "all": list(got), "none": []}[dangling]
    for name, rank in got.items():
        passed = sum(got[source] / len(to) for source, to in links.items() if name in to)
        passed += lost / len(sinks) if name in sinks else 0.0
        assert rank == pytest.approx(0.2 + 0.8 * passed, abs=1e-6)
    total = sum(got.values())
    assert total < len(got) + 1e-6 if dangling == "none" else total == pytest.approx(len(got))


@given(tellings, tellings)
@settings(max_examples=trials(50), deadline=None)
def test_what_was_saved_goes_on_as_before(
    pages: list[tuple[str, list[str]]], more: list[tuple[str, list[str]]]
) -> None:
    one = told(pages, "buffered")
    one.compute([u(name) for name in waiting(pages)])
    other = PageRanks(0.8, 1e-10, "buffered", 100)
    other.load(msgspec.msgpack.decode(msgspec.msgpack.encode(one.save())))
    for name, targets in more:
        page = made_page(Request(url=u(name), order=9), *map(u, targets))
        one.add(page)
        other.add(page)
    assert [one.rank(u(name)) for name in NAMES] == [other.rank(u(name)) for name in NAMES]
