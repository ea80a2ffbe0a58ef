"""What can be told of visitors' ways through sites: back-steps that a log lacks, and moves from page to page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from lycosa.crawl.inputs import PageView, UsageLog

MOST_BACK_STEPS = 50
"""Who goes farther back had the page open elsewhere. It also keeps the work linear."""


def completed(session: Sequence[PageView]) -> list[PageView]:
    """A session with the views that a browser's back button brought out of its cache, which no server saw.

    Where a view's referrer is not the view before it, but was seen in the session, the visitor went back to it: the
    views on the way back are put in, with the time of the view that follows (path completion, Küçük 2009, sec. 2.4).

    >>> a, b, c = PageView(url=0, at=0), PageView(url=1, at=60), PageView(url=2, at=120, referrer=0)
    >>> [view.url for view in completed([a, b, c])]
    [0, 1, 0, 2]
    """
    way: list[PageView] = []
    for view in session:
        if way and 0 <= view.referrer != way[-1].url:
            back = [seen.url for seen in way[-2 : -2 - MOST_BACK_STEPS : -1]]
            if view.referrer in back:
                way += [PageView(url=url, at=view.at) for url in back[: back.index(view.referrer) + 1]]
        way.append(view)
    return way


def moves(log: UsageLog) -> Iterator[tuple[int, int]]:
    """Each step of a visitor from one URL to the next, back-steps included, in the order of sessions."""
    for session in log.sessions:
        for before, after in pairwise(completed(session)):
            yield before.url, after.url
