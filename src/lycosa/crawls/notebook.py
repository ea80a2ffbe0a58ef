"""A crawl as notebooks show an object: how it stands, the course of its harvest, and its best pages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from html import escape

from lycosa.crawls.answers import PageRow, Status
from lycosa.crawls.frames import encodable
from lycosa.store.history import Point

WINDOW = 50
"""Pages over which the running harvest rate is taken."""
WIDTH, HEIGHT = 480, 90
MOST_POINTS = 240


def as_html(status: Status, best: Sequence[PageRow], series: Iterable[Point], relevant_from: float) -> str:
    """A piece of HTML that stands by itself, without scripts. Text of the web is escaped."""
    ended = f": {status.ended}" if status.ended else ""
    budget = "" if status.budget is None else f" of {status.budget:,}"
    counts = (
        f"{status.pages:,}{budget} pages, {status.relevant:,} relevant, "
        f"{status.requests:,} requests, {status.failures:,} failures"
    )
    lines = "".join(
        f'<tr><td>{row.relevance:.3f}</td><td><a href="{escape(row.final_url)}" rel="noopener noreferrer nofollow">'
        f"<bdi>{escape(encodable(row.title) or row.final_url)}</bdi></a></td></tr>"
        for row in best
    )
    head = f"<b>{escape(status.topic)}</b> by {escape(status.strategy)}, {escape(status.state + ended)}<br>{counts}"
    curve = _curve(harvests(series, relevant_from))
    return f"<div>{head}{curve}<table><tr><th>relevance</th><th>page</th></tr>{lines}</table></div>"


def harvests(series: Iterable[Point], relevant_from: float) -> list[tuple[float, float]]:
    """After each page: the share of relevant ones among all so far, and among the last `WINDOW`, both in [0, 1].

    >>> points = [Point(1, 0, 0.5), Point(2, 0, 0.0)]
    >>> harvests(points, 0.1)
    [(1.0, 1.0), (0.5, 0.5)]
    """
    found, relevant, recent = [], 0, deque[bool](maxlen=WINDOW)
    for number, point in enumerate(series, 1):
        is_relevant = point.relevance >= relevant_from
        relevant += is_relevant
        recent.append(is_relevant)
        found.append((relevant / number, sum(recent) / len(recent)))
    return found


def _curve(shares: Sequence[tuple[float, float]]) -> str:
    """Two lines over the pages: all so far, and, thinner, the last ones. Empty for fewer than two pages."""
    if len(shares) < 2:
        return ""
    step = max(1, len(shares) // MOST_POINTS)
    places = [*range(0, len(shares) - 1, step), len(shares) - 1]

    def line(which: int, width: float) -> str:
        points = " ".join(
            f"{WIDTH * place / (len(shares) - 1):.1f},{HEIGHT * (1 - shares[place][which]):.1f}"
            for place in places
        )
        return f'<polyline points="{points}" fill="none" stroke="#1a7f64" stroke-width="{width}"/>'

    whole, recent = shares[-1]
    told = f"Harvest rate over {len(shares):,} pages: {whole:.0%} in all, {recent:.0%} of the last {WINDOW}."
    return (
        f'<figure style="margin:.5em 0"><svg role="img" aria-label="{told}" viewBox="0 -2 {WIDTH} {HEIGHT + 4}" '
        f'width="{WIDTH}" height="{HEIGHT + 4}" style="max-width:100%">'
        f'<path d="M0 {HEIGHT}H{WIDTH}M0 0H{WIDTH}" stroke="#8888" stroke-width=".5"/>{line(1, 0.8)}{line(0, 2)}</svg>'
        f"<figcaption><small>{told}</small></figcaption></figure>"
    )
