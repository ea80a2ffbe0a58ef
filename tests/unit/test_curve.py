"""The frontier's curve stays small and even."""

from __future__ import annotations

from itertools import pairwise

from lycosa.crawls.curve import MOST, Curve


def test_bounded_and_even() -> None:
    curve = Curve()
    for pages in range(1, 10_001):
        curve.add(pages, 2 * pages)
        assert len(curve.points) <= MOST
    xs = [pages for pages, _ in curve.points]
    assert xs[0] == 1
    assert {b - a for a, b in pairwise(xs)} == {curve.stride}
    assert all(waiting == 2 * pages for pages, waiting in curve.points)


def test_saved_and_loaded_it_goes_on_as_before() -> None:
    whole, first = Curve(), Curve()
    for pages in range(1, 3000):
        whole.add(pages, pages)
        if pages < 1700:
            first.add(pages, pages)
    again = Curve.load(first.save())
    for pages in range(1500, 3000):  # some are told twice after a crash
        again.add(pages, pages)
    assert (again.points, again.stride) == (whole.points, whole.stride)
    assert Curve.load(None).points == []
