"""Small webs that crawlers share, for tests of the laboratory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from lycosa.lab.sharing.ground import Ground
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.url import Url


def page_url(number: int, hosts: int = 3) -> Url:
    return Url(f"http://h{number % hosts}.test/{number}")


def ground(
    links: Mapping[int, Sequence[int]], classes: Sequence[int], *, hosts: int = 3, size: int = 1_600
) -> Ground:
    """Page i is on host i modulo `hosts`; all pages are of one size."""
    count = len(classes)
    urls = [page_url(number, hosts) for number in range(count)]
    graph = LinkGraph.of((urls[page], [urls[to] for to in links.get(page, ())]) for page in range(count))
    return Ground(
        name="small",
        graph=graph,
        classes=np.array(classes),
        names=tuple(f"c{number}" for number in range(max(classes, default=0) + 1)),
        hosts=np.arange(count) % hosts,
        bytes=np.full(count, size),
        answers=np.ones(count, np.bool_),
    )


@st.composite
def grounds(draw: st.DrawFn, most: int = 14, classes: int = 3) -> Ground:
    """Any links between a few pages of any classes, the last of which are sure to be there."""
    count = draw(st.integers(classes, most))
    pages = st.integers(0, count - 1)
    links = {page: draw(st.lists(pages, max_size=4)) for page in range(count)}
    told = draw(st.lists(st.integers(-1, classes - 1), min_size=count - classes, max_size=count - classes))
    return ground(links, [*told, *range(classes)])
