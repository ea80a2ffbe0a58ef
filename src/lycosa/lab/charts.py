"""The plots of an experiment's report as HTML and inline SVG: curves with bands, bars with errors, scatter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite

import numpy as np

from lycosa.lab.metrics import Floats
from lycosa.model.records import Record
from lycosa.report.markup import Html, element, joined, words
from lycosa.report.plot import HOVERS, SIDE, ticks

COLOURS = 8
"""Strategies that have a colour of their own; others are grey."""
REST, BOUND = "rest", "bound"
_POINTS = 100
"""Of a curve, at most."""

Spell = Callable[[float], str]


class Series(Record, frozen=True, kw_only=True):
    """One line, with its standard error where it has a band."""

    name: str
    look: str
    """A class of the style sheet: `s1` to `s8`, `rest`, or `bound`."""
    x: Floats
    y: Floats
    error: Floats | None = None


class Bar(Record, frozen=True, kw_only=True):
    name: str
    look: str
    value: float
    error: float = 0.0
    told: str = ""
    """Value as text."""
    hint: str = ""
    """Told when the pointer rests on it."""


def curves(title: str, series: Sequence[Series], right: float, spell: Spell, note: str = "") -> Html:
    """Lines over pages fetched, from 0 to `right`, with bands of ±1 standard error."""
    drawn = [_thinned(each) for each in series]
    top = _top(drawn)
    order = sorted(drawn, key=lambda each: (each.look == REST, each.look == BOUND), reverse=True)
    drawing = element(
        "svg",
        element("title", title),
        (_rule(value / top) for value in ticks(top)[1:]),
        (
            _band(each, right, top)
            for each in order
            if each.error is not None and each.look not in (REST, BOUND)
        ),
        (_line(each, right, top) for each in order),
        _hovers(drawn, right, spell),
        viewBox=f"0 0 {SIDE} {SIDE}",
        preserveAspectRatio="none",
        role="img",
        aria_label=title,
    )
    x_labels = [(x / right, f"{x:,.0f}") for x in ticks(right)]
    return _figure(title, series, drawing, _labels(top, spell, x_labels), note)


def steps(title: str, series: Sequence[Series], names: Sequence[str], spell: Spell, note: str = "") -> Html:
    """Lines over named steps with error bars; x of the series are places among the names."""
    right = max(1, len(names) - 1)
    top = _top(series)
    drawing = element(
        "svg",
        element("title", title),
        (_rule(value / top) for value in ticks(top)[1:]),
        (_whiskers(each, right, top) for each in series if each.look != REST),
        (_line(each, right, top) for each in series),
        _hovers(series, right, spell, names),
        viewBox=f"0 0 {SIDE} {SIDE}",
        preserveAspectRatio="none",
        role="img",
        aria_label=title,
    )
    x_labels = [(place / right, name) for place, name in enumerate(names)]
    return _figure(title, series, drawing, _labels(top, spell, x_labels), note)


def bars(title: str, rows: Sequence[Bar], note: str = "") -> Html:
    """Horizontal bars with error bars, as wide as the page lets them be."""
    top = max((row.value + row.error for row in rows if isfinite(row.value + row.error)), default=0.0) or 1.0
    return element(
        "figure",
        element("figcaption", element("b", title)),
        element("div", (_bar(row, top) for row in rows), class_="bars"),
        element("p", note, class_="note") if note else "",
    )


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


def legend(series: Iterable[tuple[str, str]]) -> Html:
    """Names with their colours."""
    keys = (element("span", words(name), class_=f"key {look}") for name, look in series)
    return element("p", keys, class_="legend")


# -- parts ---------------------------------------------------------------------------------------------------


def _figure(title: str, series: Sequence[Series], drawing: Html, labels: Html, note: str) -> Html:
    shown = [(each.name, each.look) for each in series if each.look != REST]
    rest = sum(each.look == REST for each in series)
    if rest:
        shown.append((f"{rest} other{'s' if rest > 1 else ''}", REST))
    return element(
        "figure",
        element("figcaption", element("b", title)),
        element("div", drawing, labels, class_="plot"),
        legend(shown),
        element("p", note, class_="note") if note else "",
    )


def _labels(top: float, spell: Spell, x_labels: Iterable[tuple[float, str]]) -> Html:
    y = (element("span", spell(v), class_="y", style=f"top:{100 * (1 - v / top):.2f}%") for v in ticks(top))
    x = (element("span", name, class_="x", style=f"left:{100 * at:.2f}%") for at, name in x_labels)
    return joined(y, x)


def _top(series: Sequence[Series]) -> float:
    """A round height above all curves and their bands."""
    heights = [each.y if each.error is None else each.y + np.nan_to_num(each.error) for each in series]
    most = max((float(height.max()) for height in heights if height.size), default=0.0)
    if not isfinite(most) or most <= 0:
        return 1.0
    step = ticks(most)[1]
    return float(step * -(-most // step))


def _thinned(series: Series) -> Series:
    if len(series.x) <= _POINTS:
        return series
    at = np.unique(np.linspace(0, len(series.x) - 1, _POINTS).round().astype(np.int64))
    error = None if series.error is None else series.error[at]
    return Series(name=series.name, look=series.look, x=series.x[at], y=series.y[at], error=error)


def _path(x: Floats, y: Floats, right: float, top: float) -> str:
    places = (
        f"{SIDE * a / right:.0f} {SIDE * (1 - min(1.0, max(0.0, b / top))):.0f}"
        for a, b in zip(x.tolist(), y.tolist(), strict=True)
    )
    return "L".join(places)


def _line(series: Series, right: float, top: float) -> Html:
    path = f"M{_path(series.x, series.y, right, top)}"
    return element("path", element("title", series.name), d=path, class_=f"line {series.look}")


def _band(series: Series, right: float, top: float) -> Html:
    assert series.error is not None
    upper = _path(series.x, series.y + series.error, right, top)
    lower = _path(series.x[::-1], (series.y - series.error)[::-1], right, top)
    return element("path", d=f"M{upper}L{lower}Z", class_=f"band {series.look}")


def _whiskers(series: Series, right: float, top: float) -> Html:
    if series.error is None:
        return Html("")
    parts = [
        f"M{SIDE * x / right:.0f} {SIDE * (1 - max(0.0, y - e) / top):.0f}V{SIDE * (1 - min(top, y + e) / top):.0f}"
        for x, y, e in zip(series.x.tolist(), series.y.tolist(), series.error.tolist(), strict=True)
        if isfinite(e)
    ]
    return element("path", d="".join(parts), class_=f"line thin {series.look}") if parts else Html("")


def _rule(height: float) -> Html:
    y = f"{SIDE * (1 - height):.1f}"
    return element("path", d=f"M0 {y}H{SIDE}", class_="rule")


def _hovers(series: Sequence[Series], right: float, spell: Spell, names: Sequence[str] = ()) -> Html:
    """Invisible columns that tell the values below the pointer, highest first."""
    stops = np.arange(len(names)) if names else np.linspace(0, right, HOVERS // 2 + 1)[1:]
    edges = np.concatenate([[0.0], (stops[1:] + stops[:-1]) / 2, [float(right)]])

    def column(place: int) -> Html:
        x = float(stops[place])
        values = sorted(((_at(each, x), each.name) for each in series if len(each.x)), reverse=True)
        told = "\n".join(f"{name}: {spell(value)}" for value, name in values)
        left, until = edges[place], edges[place + 1]
        return element(
            "rect",
            element("title", f"{names[place] if names else f'page {x:,.0f}'}\n{told}"),
            x=f"{SIDE * left / right:.1f}",
            y="0",
            width=f"{SIDE * (until - left) / right:.1f}",
            height=str(SIDE),
        )

    return element("g", (column(place) for place in range(len(stops))), class_="hover")


def _at(series: Series, x: float) -> float:
    """The value of the last point that is not beyond x."""
    place = int(np.searchsorted(series.x, x, side="right")) - 1
    return float(series.y[max(0, place)])


CSS = """
:root{--s1:#1a7f64;--s2:#c2622d;--s3:#4c6fb1;--s4:#9a4f96;--s5:#a8871a;--s6:#c04a6b;--s7:#3b8ea5;--s8:#6b7a2a;
--grey:#b9bfc4}
@media(prefers-color-scheme:dark){:root{--s1:#4cc3a0;--s2:#e8935c;--s3:#8aa9e6;--s4:#d08bcb;--s5:#dcbd55;--s6:#f08aa5;
--s7:#6fc3da;--s8:#b3c466;--grey:#59626a}}
body{max-width:75rem}
.s1{--c:var(--s1)}.s2{--c:var(--s2)}.s3{--c:var(--s3)}.s4{--c:var(--s4)}.s5{--c:var(--s5)}.s6{--c:var(--s6)}
.s7{--c:var(--s7)}.s8{--c:var(--s8)}.rest{--c:var(--grey)}.bound{--c:var(--soft)}
.plot{height:17rem}
.plot .line{stroke:var(--c)}.plot .line.rest{stroke-width:1}.plot .line.thin{stroke-width:1.2;opacity:.7}
.plot .line.bound{stroke-width:1.3;stroke-dasharray:5 4}
.plot .band{fill:var(--c);opacity:.13}
.key::before{background:var(--c)}
.key.bound::before{background:none;border-top:2px dashed var(--c);height:0}
.legend{line-height:1.5;margin:0 .6rem .4rem 3.4rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:0 2.2rem}
.pair>*{min-width:0}
.bars{display:grid;grid-template-columns:minmax(5rem,max-content) 1fr max-content;gap:.28rem .8rem;align-items:center;
font-size:.86rem}
.bars .row{display:contents}
.bars .name{overflow-wrap:anywhere;max-width:13rem}
.bars .told{color:var(--soft);white-space:nowrap;font-size:.8rem}
.track{position:relative;height:.8rem}
.track .fill{position:absolute;inset:0 auto 0 0;background:var(--c);border-radius:.15rem}
.track .fill.bound{background:repeating-linear-gradient(135deg,var(--grey) 0 3px,transparent 3px 6px)}
.track .err{position:absolute;top:50%;height:1.5px;background:var(--ink);transform:translateY(-50%)}
.track .err::before,.track .err::after{content:"";position:absolute;top:-.18rem;width:1.5px;height:.42rem;
background:var(--ink)}
.track .err::after{right:0}
.smalls{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:1rem 1.2rem}
.small{margin:0}.small svg{width:100%;height:auto;background:var(--card);border-radius:.4rem;display:block}
.small figcaption{font-size:.8rem;color:var(--soft);margin:.25rem 0 0;overflow-wrap:anywhere}
.small circle{fill:var(--c);fill-opacity:.75}.small .diagonal{stroke:var(--soft);stroke-width:.6;fill:none}
.answer{font-size:1.15rem;line-height:1.45;max-width:46rem}
.dot{display:inline-block;width:.7em;height:.7em;border-radius:50%;background:var(--c);margin-right:.45em}
.heat td.number{background:color-mix(in srgb,var(--one) calc(var(--h)*32%),transparent)}
.heat td.number,.heat th.number{padding-left:.55rem;padding-right:.55rem}
.heat td:first-child,.numbers td:first-child{white-space:nowrap}
.numbers td,.numbers th{padding-right:1.1rem}
details{margin:.8rem 0}
summary{color:var(--soft)}
h2 small{font-weight:400;color:var(--soft);font-size:.85rem}
h3{margin-top:1.6rem}
.warn{border-left:3px solid var(--wrong);padding-left:.8rem}
@media(max-width:34rem){.legend{margin-left:0}
.bars{grid-template-columns:minmax(4rem,8rem) 1fr max-content;gap:.28rem .5rem}.plot{height:13rem}}
"""
