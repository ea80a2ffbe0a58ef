"""Memory that is free between blocks goes back to the system with each checkpoint, and when a hunter has learned."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from tests.properties.test_hunter_properties import crawled, hunter_for

from lycosa.model import free_memory
from lycosa.model.events import Snapshot
from lycosa.model.free_memory import give_back
from lycosa.store import crawl_store
from lycosa.store.crawl_store import CrawlStore
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.journal import Journal
from lycosa.strategies.hunter import hunter

BLOCK = 30_000
"""Bytes, each in a page of its own, and too few to be mapped."""


def own_bytes() -> int:
    told = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) << 10 for line in told if line.startswith("RssAnon"))


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="not glibc")
def test_what_is_free_between_blocks_goes_back() -> None:
    blocks = [bytearray(b"x" * BLOCK) for _ in range(2_000)]
    held = blocks[::20]
    del blocks
    before = own_bytes()
    give_back()
    assert before - own_bytes() > 1_000 * BLOCK
    assert all(block[-1] == ord("x") for block in held)


def test_without_glibc_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_memory, "_TRIM", None)
    assert not give_back()


def test_a_checkpoint_gives_it_back_at_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    store = CrawlStore(Journal(tmp_path / "journal"), DiskFrontier(tmp_path / "frontier"))
    monkeypatch.setattr(DiskFrontier, "checkpoint_with", lambda *_: done.append("checkpoint"))
    monkeypatch.setattr(crawl_store, "give_back", lambda: done.append("give back"))
    store.keep(Snapshot(step=0, crawl={}, strategy={}))
    store.close()
    assert done == ["checkpoint", "give back"]


def test_a_hunter_gives_it_back_when_it_has_learned_from_many(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(hunter.Evidence, "learn", lambda _: done.append("learn"))
    monkeypatch.setattr(hunter, "give_back", lambda: done.append("give back"))
    monkeypatch.setattr(hunter, "LARGE", 4)
    links = {"a": ["b"], "b": ["c"], "c": ["d", "e"]}
    crawled(
        {name: ("coral", [(to, "") for to in found], "") for name, found in links.items()},
        hunter_for("coral"),
        "a",
    )
    assert done == ["learn", "learn", "give back", "learn", "give back"]
