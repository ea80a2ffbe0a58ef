"""Invariants of the files in which the long parts of snapshots lie."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.model.decoding import from_msgpack
from lycosa.model.events import Snapshot
from lycosa.store import pieces
from lycosa.store.pieces import PIECE, Pieces
from lycosa.store.rocks import DamagedStore

Change = tuple[int, int, int]  # the part that is grown, by how many bytes, and which of its bytes is changed
changes = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3 * PIECE), st.integers(0, 1 << 20)), min_size=1, max_size=8
)


class State:
    """What a strategy might hold: bytes that grow, and a list and a mapping of many entries."""

    def __init__(self) -> None:
        self.rng = random.Random(3)
        self.parts = [bytearray() for _ in range(3)]
        self.step = 0

    def change(self, change: Change) -> None:
        number, more, at = change
        part = self.parts[number]
        part += self.rng.randbytes(more)
        if part:
            part[at % len(part)] ^= 1
        self.step += 1

    def snapshot(self) -> Snapshot:
        parts: dict[str, Any] = {f"part {number}": bytes(part) for number, part in enumerate(self.parts)}
        urls = [f"http://h{n}.test/{'x' * (n % 90)}" for n in range(400 * self.step)]
        return Snapshot(
            step=self.step,
            crawl={"counts": {"pages": self.step, "rate": 0.5, "none": None}, "urls": urls},
            strategy={"inner": {**parts, "by host": {url: len(url) for url in urls}}},
        )


def packed(snapshot: Snapshot) -> Snapshot:
    """As it comes back from where it was kept."""
    return from_msgpack(msgspec.msgpack.encode(snapshot), Snapshot)


@settings(deadline=None, max_examples=trials(25))
@given(changes, st.data())
def test_as_it_was(steps: list[Change], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        state, files = State(), Pieces(Path(folder) / "memory")
        kept: list[tuple[Snapshot, Snapshot]] = []
        for change in steps:
            state.change(change)
            told = state.snapshot()
            short = packed(files.write(told))
            if data.draw(st.booleans(), label="killed before it is settled"):
                files = Pieces(Path(folder) / "memory")
                if kept:
                    files.adopt(kept[-1][1])
            else:
                files.settle()
                kept.append((told, short))
            for whole, reference in kept[-2:]:
                assert files.read(reference) == whole
            if kept and data.draw(st.booleans(), label="opened again"):
                files = Pieces(Path(folder) / "memory")
                files.adopt(kept[-1][1])


@settings(deadline=None, max_examples=trials(10))
@given(changes)
def test_no_more_than_twice(steps: list[Change]) -> None:
    spare = 5 * PIECE
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "SPARE", spare)
        state, files = State(), Pieces(Path(folder) / "memory")
        for change in steps * 6:
            state.change((change[0], change[1] % 1000, change[2]))
            before = (
                sum(path.stat().st_size for path in files.folder.iterdir()) if files.folder.exists() else 0
            )
            whole = state.snapshot()
            files.write(whole)
            files.settle()
            held = sum(path.stat().st_size for path in files.folder.iterdir())
            needed = len(msgspec.msgpack.encode(whole))
            # Those of the snapshot before are there for one more checkpoint.
            assert held - before <= needed
            assert held <= 2 * needed + spare + needed


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    files = Pieces(tmp_path / "memory")
    known = random.Random(1).randbytes(10 * PIECE)
    files.write(Snapshot(step=1, crawl={}, strategy={"known": known}))
    files.settle()
    grown = known[:PIECE] + b"!" + known[PIECE + 1 :] + b"more"
    short = files.write(Snapshot(step=2, crawl={}, strategy={"known": memoryview(grown)}))
    sizes = sorted(path.stat().st_size for path in files.folder.iterdir())
    assert sizes == [PIECE + len(b"more"), 10 * PIECE]  # the second piece of ten, and the new one
    assert files.read(short).strategy["known"] == grown
    files.settle()
    files.write(Snapshot(step=3, crawl={}, strategy={"known": grown}))
    assert len(list(files.folder.iterdir())) == 2  # nothing to write, no file


def test_a_byte_that_changed_on_disk_is_noticed(tmp_path: Path) -> None:
    files = Pieces(tmp_path / "frontier" / "memory")
    files.folder.parent.mkdir()
    short = files.write(Snapshot(step=1, crawl={}, strategy={"known": bytes(3 * PIECE)}))
    (file,) = files.folder.iterdir()
    with file.open("r+b") as damaged:
        damaged.seek(PIECE)
        damaged.write(b"?")
    with pytest.raises(DamagedStore, match="lycosa resume"):
        files.read(short)
    file.unlink()
    with pytest.raises(DamagedStore):
        files.read(short)


def test_what_could_not_be_written_changes_nothing(tmp_path: Path) -> None:
    files = Pieces(tmp_path / "memory")
    kept = files.write(Snapshot(step=1, crawl={}, strategy={"known": bytes(PIECE)}))
    files.settle()
    with pytest.raises(TypeError):
        files.write(Snapshot(step=2, crawl={}, strategy={"known": bytes(2 * PIECE), "other": object()}))
    assert len(list(files.folder.iterdir())) == 1
    assert files.read(kept).strategy == {"known": bytes(PIECE)}
