"""The plots of all reports as HTML and inline SVG: lines with bands or dots, steps, bars with errors, scatter.

Lines are drawn in a square of 1,000 that the page stretches; labels are HTML, so they stay legible on a phone. Values
show when the pointer rests on a plot, by `<title>`. Colours are classes of the style sheet, see `lycosa.report.style`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import floor, isfinite, log10

from lycosa.model.records import Record
from lycosa.report.markup import Html, element, joined, words

COLOURS = 8
"""Lines that have a colour of their own, `s1` to `s8`; others are grey."""
REST, BOUND = "rest", "bound"
SIDE = 1000
MOST_POINTS, MOST_DOTS = 400, 1200
HOVERS = 40

Point = tuple[float, float]
Spell = Callable[[float], str]


class Series(Record, frozen=True, kw_only=True):
    """One line (or, with `dots`, one cloud) of a plot. `points` ascend in x."""

    name: str
    points: Sequence[Point]
    look: str = "s1"
    """A class of the style sheet: `s1` to `s8`, `rest`, or `bound`."""
    errors: Sequence[float] = ()
    """The standard error at each point, where there is a band; NaN where it is not known."""
    dots: bool = False

    def at(self, x: float) -> float:
        """The value of the last point that is not beyond x."""
        return self.points[max(0, bisect_right(self.points, x, key=lambda point: point[0]) - 1)][1]


class Bar(Record, frozen=True, kw_only=True):
    name: str
    look: str
    value: float
    error: float = 0.0
    told: str = ""
    """Value as text."""
    hint: str = ""
    """Told when the pointer rests on it."""


class _Field:
    """The square in which lines are drawn: x from 0 to `right`, y from 0 to `top`."""

    def __init__(self, right: float, top: float) -> None:
        self.right, self.top = right or 1, top or 1

    def x(self, value: float) -> str:
        return f"{SIDE * value / self.right:.1f}"

    def y(self, value: float) -> str:
        return f"{SIDE * (1 - min(1.0, max(0.0, value / self.top))):.1f}"

    def path(self, points: Iterable[Point]) -> str:
        return "L".join(f"{self.x(x)} {self.y(y)}" for x, y in points)


def curves(
    title: str,
    series: Sequence[Series],
    spell: Spell,
    *,
    right: float = 0,
    top: float = 0,
    note: str = "",
    along: str = "page",
) -> Html:
    """Lines, bands of ±1 standard error and clouds over pages, or over what `along` names; `spell` writes a y value.

    x goes from 0 to `right`, or the last point; y from 0 to `top`, or a round height above all.
    """
    drawn = [_thinned(each) for each in series]
    last = max((each.points[-1][0] for each in drawn if each.points), default=1.0)
    field = _Field(right or last, top or _top(drawn))
    # Colours above grey, bounds below all.
    order = sorted(drawn, key=lambda each: (each.look == REST, each.look == BOUND), reverse=True)
    marks = joined(
        (_band(each, field) for each in order if each.errors and each.look not in (REST, BOUND)),
        (_line(each, field) for each in order),
    )
    stops = [field.right * (place + 1) / HOVERS for place in range(HOVERS)]
    hovers = _hovers(
        drawn,
        [(x, f"{along} {x:,.3g}" if field.right < HOVERS else f"{along} {x:,.0f}") for x in stops],
        field,
        spell,
    )
    labels = [(x, f"{x:,.0f}") for x in ticks(field.right)]
    return _figure(title, series, joined(marks, hovers), _labels(labels, field, spell), field, note)


def steps(title: str, series: Sequence[Series], names: Sequence[str], spell: Spell, note: str = "") -> Html:
    """Lines over named steps with error bars; x of the series are places among the names."""
    field = _Field(max(1, len(names) - 1), _top(series))
    marks = joined(
        (_whiskers(each, field) for each in series if each.errors and each.look != REST),
        (_line(each, field) for each in series),
    )
    labels = [(float(place), name) for place, name in enumerate(names)]
    hovers = _hovers(series, labels, field, spell)
    return _figure(title, series, joined(marks, hovers), _labels(labels, field, spell), field, note)


def bars(title: str, rows: Sequence[Bar], note: str = "") -> Html:
    """Horizontal bars with error bars, as wide as the page lets them be."""
    top = max((row.value + row.error for row in rows if isfinite(row.value + row.error)), default=0.0) or 1.0
    return element(
        "figure",
        element("figcaption", element("b", title)),
        element("div", (_bar(row, top) for row in rows), class_="bars"),
        element("p", note, class_="note") if note else "",
    )


def scatter(name: str, look: str, points: Iterable[tuple[float, float, str]], top: float) -> Html:
    """One small square: x the baseline, y the strategy, a dot a topic; above the line the strategy is better."""
    dots = [
        element(
            "circle",
            element("title", f"{topic}: {y:.3f} against {x:.3f}"),
            cx=f"{100 * x / top:.1f}",
            cy=f"{100 - 100 * y / top:.1f}",
            r="2.2",
        )
        for x, y, topic in points
    ]
    drawing = element(
        "svg",
        element("path", d="M0 100L100 0", class_="diagonal"),
        element("g", dots, class_=look),
        viewBox="-3 -3 106 106",
        role="img",
        aria_label=f"{name} against the baseline, topic by topic",
    )
    return element("figure", drawing, element("figcaption", words(name)), class_="small")


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


def thinned(places: int, most: int) -> list[int]:
    """At most so many of the places from 0, evenly spaced, the first and the last one always among them.

    >>> thinned(1001, 11)
    [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]
    """
    if places <= most:
        return list(range(places))
    return [round(i * (places - 1) / (most - 1)) for i in range(most)]


# -- parts ---------------------------------------------------------------------------------------------------


def _figure(
    title: str, series: Sequence[Series], marks: Html, labels: Html, field: _Field, note: str
) -> Html:
    drawing = element(
        "svg",
        element("title", title),
        (_rule(value, field) for value in ticks(field.top)[1:]),
        marks,
        viewBox=f"0 0 {SIDE} {SIDE}",
        preserveAspectRatio="none",
        role="img",
        aria_label=title,
    )
    return element(
        "figure",
        element("figcaption", element("b", title)),
        element("div", drawing, labels, class_="plot"),
        _legend(series),
        element("p", note, class_="note") if note else "",
    )


def _legend(series: Sequence[Series]) -> Html:
    """Names with their colours."""
    keys = [
        element("span", words(each.name), class_=f"key {each.look}{' dots' if each.dots else ''}")
        for each in series
        if each.look != REST
    ]
    if rest := sum(each.look == REST for each in series):
        keys.append(element("span", f"{rest} other{'s' if rest > 1 else ''}", class_=f"key {REST}"))
    return element("p", keys, class_="legend")


def _labels(x_labels: Iterable[tuple[float, str]], field: _Field, spell: Spell) -> Html:
    top = field.top
    y = (element("span", spell(v), class_="y", style=f"top:{100 * (1 - v / top):.2f}%") for v in ticks(top))
    x = (
        element("span", name, class_="x", style=f"left:{100 * at / field.right:.2f}%")
        for at, name in x_labels
    )
    return joined(y, x)


def _top(series: Sequence[Series]) -> float:
    """A round height above all lines and their bands."""
    heights = (
        y + (error if isfinite(error) else 0.0)
        for each in series
        for (_, y), error in zip(each.points, each.errors or [0.0] * len(each.points), strict=True)
    )
    most = max(heights, default=0.0)
    if not isfinite(most) or most <= 0:
        return 1.0
    step = ticks(most)[1]
    return step * -(-most // step)


def _thinned(series: Series) -> Series:
    kept = thinned(len(series.points), MOST_DOTS if series.dots else MOST_POINTS)
    return Series(
        name=series.name,
        look=series.look,
        points=[series.points[place] for place in kept],
        errors=[series.errors[place] for place in kept] if series.errors else (),
        dots=series.dots,
    )


def _line(series: Series, field: _Field) -> Html:
    if not series.points:
        return Html("")
    if series.dots:
        dots = "".join(f"M{field.path([point])}h0" for point in series.points)
        return element("path", d=dots, class_=f"dots {series.look}")
    path = f"M{field.path(series.points)}"
    return element("path", element("title", series.name), d=path, class_=f"line {series.look}")


def _band(series: Series, field: _Field) -> Html:
    sides = [(x, y, error) for (x, y), error in zip(series.points, series.errors, strict=True)]
    upper = field.path((x, y + error) for x, y, error in sides if isfinite(error))
    lower = field.path((x, y - error) for x, y, error in reversed(sides) if isfinite(error))
    return element("path", d=f"M{upper}L{lower}Z", class_=f"band {series.look}") if upper else Html("")


def _whiskers(series: Series, field: _Field) -> Html:
    parts = [
        f"M{field.x(x)} {field.y(y - error)}V{field.y(y + error)}"
        for (x, y), error in zip(series.points, series.errors, strict=True)
        if isfinite(error)
    ]
    return element("path", d="".join(parts), class_=f"line thin {series.look}") if parts else Html("")


def _rule(value: float, field: _Field) -> Html:
    return element("path", d=f"M0 {field.y(value)}H{SIDE}", class_="rule")


def _hovers(
    series: Sequence[Series], stops: Sequence[tuple[float, str]], field: _Field, spell: Spell
) -> Html:
    """Invisible columns that tell the values below the pointer, highest first."""
    lines = [each for each in series if each.points and not each.dots]
    if not lines:
        return Html("")
    edges = [0.0, *((a + b) / 2 for (a, _), (b, _) in pairwise(stops)), field.right]

    def column(left: float, until: float, x: float, name: str) -> Html:
        values = sorted(((each.at(x), each.name) for each in lines), reverse=True)
        told = "\n".join(f"{line}: {spell(value)}" for value, line in values)
        return element(
            "rect",
            element("title", f"{name}\n{told}"),
            x=field.x(left),
            y="0",
            width=field.x(until - left),
            height=str(SIDE),
        )

    columns = (column(a, b, *stop) for (a, b), stop in zip(pairwise(edges), stops, strict=True))
    return element("g", columns, class_="hover")


def _bar(row: Bar, top: float) -> Html:
    length = 100 * max(0.0, row.value) / top if isfinite(row.value) else 0.0
    error = 100 * row.error / top if isfinite(row.error) else 0.0
    low = max(0.0, length - error)
    place = f"left:{low:.1f}%;width:{length + error - low:.1f}%"
    track = element(
        "span",
        element("i", class_=f"fill {row.look}", style=f"width:{length:.1f}%"),
        element("i", class_="err", style=place) if error else "",
        class_="track",
        aria_hidden="true",
    )
    hint = {"title": row.hint} if row.hint else {}
    return element(
        "div",
        element("span", words(row.name), class_="name", **hint),
        track,
        element("span", row.told, class_="told", **hint),
        class_="row",
    )
