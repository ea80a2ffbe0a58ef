"""Small plots as inline SVG. Drawn in a square of 1,000 that the page stretches; labels are HTML, so they stay legible
on a phone. Values show when the pointer rests on a plot, by `<title>`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import floor, log10
from typing import NamedTuple

from lycosa.report.markup import Html, element, joined

SIDE = 1000
MOST_POINTS = 400
HOVERS = 80

Point = tuple[float, float]


class Curve(NamedTuple):
    """One line (or, with `dots`, one cloud) of a plot. `points` ascend in x."""

    name: str
    points: Sequence[Point]
    dots: bool = False


def plot(
    title: str,
    curves: Sequence[Curve],
    *,
    top: float,
    spell: Callable[[float], str],
    note: str = "",
) -> Html:
    """A figure: y from 0 to `top`, x from 0 to the last point; `spell` writes a y value."""
    right = max((curve.points[-1][0] for curve in curves if curve.points), default=1) or 1
    top = top or 1
    drawing = element(
        "svg",
        element("title", title),
        (_rule(value / top) for value in ticks(top)[1:]),
        (_curve(number, curve, right, top) for number, curve in enumerate(curves, 1)),
        _hovers(curves, right, spell),
        viewBox=f"0 0 {SIDE} {SIDE}",
        preserveAspectRatio="none",
        role="img",
        aria_label=title,
    )
    legend = (
        element("span", curve.name, class_=f"key k{number}{' dots' if curve.dots else ''}")
        for number, curve in enumerate(curves, 1)
    )
    y_labels = (
        element("span", spell(v), class_="y", style=f"top:{100 * (1 - v / top):.2f}%") for v in ticks(top)
    )
    x_labels = (
        element("span", f"{x:,.0f}", class_="x", style=f"left:{100 * x / right:.2f}%") for x in ticks(right)
    )
    return element(
        "figure",
        element("figcaption", element("b", title), " ", legend),
        element("div", drawing, y_labels, x_labels, class_="plot"),
        element("p", note, class_="note") if note else "",
    )


def ticks(top: float, about: int = 5) -> list[float]:
    """Round values from 0 to `top`, about as many as asked for: steps of 1, 2 or 5 times a power of ten.

    >>> ticks(437)
    [0, 100, 200, 300, 400]
    """
    rough = top / about
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    found = [step * i for i in range(int(top / step * 1.0001) + 1)]
    return [round(v) if step >= 1 else v for v in found]


def thinned(points: Sequence[Point], most: int = MOST_POINTS) -> list[Point]:
    """At most so many points, evenly spaced, the last one always among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]


def _place(point: Point, right: float, top: float) -> str:
    x, y = point
    return f"{SIDE * x / right:.1f} {SIDE * (1 - min(1.0, y / top)):.1f}"


def _curve(number: int, curve: Curve, right: float, top: float) -> Html:
    places = [
        _place(point, right, top) for point in thinned(curve.points, 1200 if curve.dots else MOST_POINTS)
    ]
    if not places:
        return Html("")
    shape = "".join(f"M{p}h0" for p in places) if curve.dots else f"M{'L'.join(places)}"
    return element("path", d=shape, class_=f"c{number}{' dots' if curve.dots else ''}")


def _rule(height: float) -> Html:
    y = f"{SIDE * (1 - height):.1f}"
    return element("path", d=f"M0 {y}H{SIDE}", class_="rule")


def _hovers(curves: Sequence[Curve], right: float, spell: Callable[[float], str]) -> Html:
    """Invisible columns that tell the values below the pointer."""
    lines = [curve for curve in curves if not curve.dots and curve.points]
    if not lines:
        return Html("")
    stops = thinned(lines[0].points, HOVERS)
    edges = [0.0, *((a + b) / 2 for (a, _), (b, _) in pairwise(stops)), right]

    def column(left: float, until: float, x: float) -> Html:
        told = "; ".join(f"{curve.name} {spell(_value_at(curve.points, x))}" for curve in lines)
        return element(
            "rect",
            element("title", f"page {x:,.0f}: {told}"),
            x=f"{SIDE * left / right:.1f}",
            y="0",
            width=f"{SIDE * (until - left) / right:.1f}",
            height=str(SIDE),
        )

    columns = zip(edges, edges[1:], stops, strict=False)
    return element("g", joined(column(a, b, x) for a, b, (x, _) in columns), class_="hover")


def _value_at(points: Sequence[Point], x: float) -> float:
    """The value of the last point that is not beyond x."""
    low, high = 0, len(points)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if points[middle][0] <= x else (low, middle)
    return points[max(0, low - 1)][1]
