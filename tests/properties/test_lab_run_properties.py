"""Runs of experiments: what is finished stays, what was cut short goes on, and what fails fails alone."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.labwebs import record_web, small_experiment
from tests.trials import trials

from lycosa.crawl.strategy import Strategy, View
from lycosa.lab.experiments.cell import Field, Result, not_run, pack, run_cell, unpack
from lycosa.lab.experiments.design import Cell
from lycosa.lab.experiments.experiment import Experiment
from lycosa.lab.experiments.runner import Progress, names_of, opened, plan, run
from lycosa.lab.measures.trajectory import Names, Trajectory
from lycosa.model import naming
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Page
from lycosa.model.url import Url

STRATEGIES = {"plain": "best-first", "broad": "breadth-first", "dice": "random"}
SLOW = settings(max_examples=trials(12), deadline=None)
"""Each example is some crawls."""


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    web = record_web(tmp_path_factory.mktemp("web"))
    return small_experiment(
        web, strategies=STRATEGIES, pages=12, most_topics=2, seeds=(0, 1), random=("dice",)
    )


@pytest.fixture(scope="module")
def whole(experiment: Experiment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All crawls, run at one go."""
    folder = tmp_path_factory.mktemp("whole")
    run(experiment, folder, workers=1)
    return folder


def cells(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((folder / "cells").glob("*.cell"))}


def digests(folder: Path) -> dict[str, str]:
    """By file, what was crawled in which order."""
    found = {name: unpack(packed, Names()) for name, packed in cells(folder).items()}
    return {name: result.digest() for name, result in found.items() if result is not None}


CELLS = 8
"""2 topics × (2 strategies and the random one with two seeds)."""


def test_there_are_as_many_crawls_as_the_properties_think(whole: Path) -> None:
    assert len(cells(whole)) == CELLS


# -- runs ----------------------------------------------------------------------------------------------------


@SLOW
@given(stop=st.integers(0, CELLS))
def test_interrupted_and_resumed_equals_uninterrupted(experiment: Experiment, whole: Path, stop: int) -> None:
    def cut(progress: Progress) -> None:
        if progress.done == stop:
            raise KeyboardInterrupt

    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with pytest.raises(KeyboardInterrupt):
            run(experiment, folder, workers=1, tell=cut)
        assert len(cells(folder)) == stop
        told: list[Progress] = []
        run(experiment, folder, workers=1, tell=told.append)
        assert (told[0].kept, told[-1].done, told[-1].of) == (stop, CELLS, CELLS)
        assert digests(folder) == digests(whole)


@SLOW
@given(data=st.data())
def test_finished_cells_are_kept_and_damaged_ones_run_again(
    experiment: Experiment, whole: Path, data: st.DataObject
) -> None:
    """Whatever became of the other files, one that is whole is not written again."""
    fates = data.draw(
        st.lists(st.sampled_from(["whole", "gone", "cut", "empty"]), min_size=CELLS, max_size=CELLS)
    )
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "run"
        shutil.copytree(whole, folder)
        kept: dict[str, bytes] = {}
        for (name, packed), fate in zip(cells(whole).items(), fates, strict=True):
            file = folder / "cells" / name
            if fate == "whole":
                kept[name] = packed
            elif fate == "gone":
                file.unlink()
            else:
                file.write_bytes(
                    packed[: data.draw(st.integers(1, len(packed) - 1))] if fate == "cut" else b""
                )
        told: list[Progress] = []
        run(experiment, folder, workers=1, tell=told.append)
        assert told[0].kept == len(kept)
        assert {name: cells(folder)[name] for name in kept} == kept
        assert digests(folder) == digests(whole)


class RaisingLater(Strategy):
    """Raises on its n-th page, as the test says."""

    page = 0

    def __init__(self) -> None:
        self.seen = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self.seen += 1
        if self.seen == RaisingLater.page:
            raise RuntimeError("not today")
        return [Enqueue(url=url, score=page.relevance) for url in page.out]


class Brought:
    """What an entry point of another package is."""

    def load(self) -> type[Strategy]:
        return RaisingLater


@SLOW
@given(page=st.integers(1, 12), place=st.integers(0, len(STRATEGIES)))
def test_a_strategy_that_raises_marks_only_its_cells(
    experiment: Experiment, whole: Path, page: int, place: int
) -> None:
    """Wherever it stands and whenever it raises: what it did before is kept, and what others do is as without it."""
    labels = list(STRATEGIES)
    strategies = {
        label: STRATEGIES.get(label, "raising") for label in [*labels[:place], "bad", *labels[place:]]
    }
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as temporary:
        patch.setattr(naming, "brought", lambda group: {"raising": Brought()})
        patch.setattr(RaisingLater, "page", page)
        folder = Path(temporary)
        run(replace(experiment, strategies=strategies), folder, workers=1)
        found = {name: unpack(packed, Names()) for name, packed in cells(folder).items()}
        bad = [each for each in found.values() if each is not None and each.cell.label == "bad"]
        assert len(bad) == 2
        assert all(
            "RuntimeError: not today" in each.problem and len(each.trajectory) == page - 1 for each in bad
        )
        theirs = {name: digest for name, digest in digests(folder).items() if name in cells(whole)}
        assert theirs == digests(whole)


# -- cells ---------------------------------------------------------------------------------------------------


@SLOW
@given(place=st.integers(0, CELLS - 1), label=st.text(max_size=5))
def test_equal_crawls_have_equal_digests(experiment: Experiment, place: int, label: str) -> None:
    """Whatever the crawl is called, whenever it runs, however its pages are numbered; another order has another."""
    order = list(plan(experiment, Path("nowhere")))[place]
    web = opened(Path(order.web.path))
    one = run_cell(order.cell, Field(web, names_of(web)), order.brief)
    again = run_cell(replace(order.cell, label=label), Field(web, names_of(web)), order.brief)
    assert one.digest() == again.digest()
    packed = unpack(pack(one), Names([Url("http://elsewhere.test/")]))
    assert packed is not None
    assert packed.digest() == one.digest()
    assert packed.trajectory.names() == one.trajectory.names()
    turned = replace(one, trajectory=replace(one.trajectory, pages=one.trajectory.pages[::-1]))
    assert turned.digest() != one.digest()


CELL = Cell(
    label="a", strategy="best-first", web="w", task="t", distance=1, pages=9, frontier=0, seed=0, examples=0
)
NUMBERS = st.integers(0, 2**31 - 1)


@st.composite
def results(draw: st.DrawFn) -> Result:
    """Any crawl there may be, made or failed."""
    urls = [Url(f"http://{n}.test/") for n in range(6)]
    count, failures = draw(st.integers(0, 8)), draw(st.integers(0, 3))

    def column(values: st.SearchStrategy[float], kind: str, size: int = count) -> np.ndarray:
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype=kind)

    return Result(
        cell=CELL,
        trajectory=Trajectory(
            urls=urls,
            pages=column(st.integers(0, 5), "i4"),
            visits=column(NUMBERS, "i4"),
            relevance=column(st.floats(0, 1, width=32), "f4"),
            thinking=column(st.floats(0, 1e6), "f8"),
            links=column(NUMBERS, "i4"),
            lacking=column(NUMBERS, "i4"),
            failed_visits=column(NUMBERS, "i4", failures),
            failed_reasons=column(st.integers(0, 5), "i1", failures),
            ended=draw(st.sampled_from(["budget", "exhausted", ""])),
        ),
        seconds=draw(st.floats(0, 1e6)),
        code="abc",
        problem=draw(st.text(max_size=20)),
    )


@given(result=results(), data=st.data())
def test_what_is_packed_comes_back_and_what_is_damaged_does_not(result: Result, data: st.DataObject) -> None:
    packed = pack(result)
    back = unpack(packed, Names())
    assert back is not None
    assert (back.digest(), back.cell, back.seconds, back.problem) == (
        result.digest(),
        result.cell,
        result.seconds,
        result.problem,
    )
    assert back.trajectory.thinking.tolist() == result.trajectory.thinking.tolist()
    place = data.draw(st.integers(0, len(packed) - 1))
    assert unpack(packed[:place], Names()) is None
    other = bytearray(packed)
    other[place] ^= data.draw(st.integers(1, 255))
    damaged = unpack(bytes(other), Names())
    assert damaged is None or damaged.digest() == result.digest()


@given(problem=st.text(min_size=1, max_size=30))
def test_a_cell_that_was_not_run_is_an_empty_crawl_with_its_reason(
    experiment: Experiment, problem: str
) -> None:
    web = opened(Path(experiment.webs["small"].path))
    empty = not_run(CELL, Field(web, names_of(web)), problem)
    assert (len(empty.trajectory), empty.problem) == (0, problem)
    back = unpack(pack(empty), Names())
    assert back is not None
    assert back.digest() == empty.digest()
