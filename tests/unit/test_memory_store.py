"""The history kept in memory: known answers on a web of three pages."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import made_page

from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.ports import Store
from lycosa.model.events import Entry, Snapshot, Started
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import Url

A, B, C, D = (Url(f"http://{name}.test/") for name in "abcd")
_names = st.sampled_from([A, B, C, D])


def page(url: Url, *targets: Url, final: Url | None = None, relevance: float = 0.0) -> Page:
    return made_page(Request(url=url, order=1), *targets, final=final, relevance=relevance)


def entry(step: int, event: Page | Started) -> Entry:
    return Entry(step=step, at=Millis(step), leased=(), event=event)


def test_pages_enter_the_memory_with_their_links_both_ways() -> None:
    store: Store = MemoryStore()
    store.append(entry(1, page(A, B, C, B, A)))
    store.append(entry(2, page(B, C)))
    memory = store.memory
    assert memory.out_links(A) == (B, C)
    assert memory.in_links(C) == (A, B)
    assert memory.recent(1) == [B]
    assert memory.recent(5) == [B, A]
    assert memory.out_links(D) == ()
    assert memory.in_links(A) == ()
    assert dict(memory.graph()) == {A: (B, C), B: (C,)}


def test_a_page_is_found_by_its_final_url() -> None:
    store = MemoryStore()
    store.remember(page(A, B, final=C))
    found = store.memory.page(C)
    assert found is not None
    assert found.url == A
    assert store.memory.out_links(C) == (B,)
    assert store.memory.page(B) is None


def test_last_visit_counts() -> None:
    store = MemoryStore()
    store.append(entry(1, page(A, B)))
    store.append(entry(2, page(B, C)))
    assert store.memory.in_links(B) == (A,)
    store.append(entry(3, page(A, C)))
    assert store.memory.in_links(B) == ()
    assert store.memory.in_links(C) == (B, A)
    assert store.memory.recent(2) == [A, B]


@given(st.lists(st.tuples(_names, st.lists(_names, max_size=3), _names), max_size=12))
def test_both_ways_agree(visits: list[tuple[Url, list[Url], Url]]) -> None:
    """Pages fetched again, links to themselves and redirects included."""
    store = MemoryStore()
    for step, (url, targets, final) in enumerate(visits, 1):
        store.append(entry(step, page(url, *targets, final=final)))
    fetched = {url for url, _, _ in visits}
    for one, other in product((A, B, C, D), repeat=2):
        assert (one in store.memory.in_links(other)) == (
            one in fetched and other in store.memory.out_links(one)
        )


def test_remembering_first_and_appending_then_counts_once() -> None:
    store = MemoryStore()
    store.remember(page(A, B))
    assert store.memory.in_links(B) == (A,)
    store.append(entry(1, page(A, B, relevance=0.5)))
    assert store.memory.in_links(B) == (A,)
    found = store.memory.page(A)
    assert found is not None
    assert found.relevance == 0.5
    assert store.memory.recent(9) == [A]


def test_entries_come_back_in_order_and_steps_have_no_gaps() -> None:
    store = MemoryStore()
    for step in (1, 2, 3):
        store.append(entry(step, Started(seeds=(A,))))
    assert [e.step for e in store.entries()] == [1, 2, 3]
    assert [e.step for e in store.entries(2)] == [3]
    with pytest.raises(ValueError, match="step 5 does not follow step 3"):
        store.append(entry(5, Started(seeds=())))


def test_the_last_snapshot_is_kept() -> None:
    store = MemoryStore()
    store.keep(Snapshot(step=1, crawl={}, strategy={}))
    store.keep(Snapshot(step=2, crawl={"n": 1}, strategy={}))
    assert store.snapshot == Snapshot(step=2, crawl={"n": 1}, strategy={})
