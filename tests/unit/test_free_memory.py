"""Memory that is free between blocks goes back to the system with each checkpoint."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from lycosa.model.events import Snapshot
from lycosa.store import crawl_store, free_memory
from lycosa.store.crawl_store import CrawlStore
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.free_memory import give_back
from lycosa.store.journal import Journal

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
    monkeypatch.setattr(DiskFrontier, "checkpoint", lambda *_: done.append("checkpoint"))
    monkeypatch.setattr(crawl_store, "give_back", lambda: done.append("give back"))
    store.keep(Snapshot(step=0, crawl={}, strategy={}))
    store.close()
    assert done == ["checkpoint", "give back"]
