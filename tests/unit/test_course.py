"""The curves of a crawl, as few points as can be drawn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.records import Millis
from lycosa.store.history import Point
from lycosa.watch.course import Sample, course


def points(*relevances: float, every: int = 500) -> list[Point]:
    return [Point(step + 1, Millis(step * every), value) for step, value in enumerate(relevances)]


def test_worked_by_hand() -> None:
    told = course(points(1.0, 0.0, 0.5), 0.5)
    assert told.samples == (
        Sample(pages=1, at=Millis(0), harvest=1.0, recent=1.0, relevance=1.0, rate=0.0),
        Sample(pages=2, at=Millis(500), harvest=0.5, recent=0.5, relevance=0.5, rate=2.0),
        Sample(pages=3, at=Millis(1000), harvest=2 / 3, recent=2 / 3, relevance=0.5, rate=2.0),
    )
    assert (told.pages, told.relevant) == (3, 2)
    assert told.last == ((0, 1.0), (500, 0.0), (1000, 0.5))


def test_the_last_fifty_are_recent() -> None:
    told = course(points(*[1.0] * 50, *[0.0] * 25), 0.5)
    assert (told.samples[-1].recent, told.samples[-1].harvest) == (0.5, 50 / 75)
    assert len(told.last) == 50


def test_nothing_yet() -> None:
    assert course([], 0.1).samples == ()


@given(st.integers(0, 300), st.integers(2, 40))
def test_few_points_that_end_with_the_last_page(pages: int, most: int) -> None:
    told = course(points(*[float(n % 3 == 0) for n in range(pages)]), 0.5, most)
    at = [sample.pages for sample in told.samples]
    assert len(at) <= most + 1
    assert at[-1:] == [pages][: min(1, pages)]
    assert at == sorted(set(at))
    gaps = {after - before for before, after in zip([0, *at[:-1]], at[:-1], strict=False)}
    assert len(gaps) <= 1
    assert len(at) >= min(pages, most // 2)
