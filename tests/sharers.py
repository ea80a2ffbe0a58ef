"""Nodes that share a crawl, and classes without training, for tests of partitions."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from hypothesis import strategies as st
from tests.worlds import made_page

from lycosa.model.nodes import Members, Node
from lycosa.model.records import Page, Request
from lycosa.model.url import Url

NAMES = tuple(Node(f"n{number}") for number in range(1000))


def nodes(count: int, weights: tuple[float, ...] = ()) -> Members:
    """n0, n1, …"""
    return Members(epoch=1, names=NAMES[:count], weights=weights)


def page_at(url: Url, text: str = "") -> Page:
    return made_page(Request(url=url, order=0), text=text)


class NamedClasses:
    """A page is of the class that it names most often, of none if it names none."""

    def __init__(self, *names: str) -> None:
        self.names = names

    @property
    def digest(self) -> str:
        return sha256(" ".join(self.names).encode()).hexdigest()

    def of(self, page: Page) -> int | None:
        counts = [page.text.split().count(name) for name in self.names]
        return counts.index(max(counts)) if any(counts) else None

    def posterior(self, page: Page) -> Sequence[float]:
        counts = [page.text.split().count(name) for name in self.names]
        return [(count + 1 / len(self.names)) / (sum(counts) + 1) for count in counts]


@st.composite
def memberships(draw: st.DrawFn, most: int = 8, weighted: bool = True) -> Members:
    """Some nodes, as a rule of the same weight."""
    names = draw(st.lists(st.sampled_from(NAMES[: 2 * most]), min_size=1, max_size=most, unique=True))
    heavy = st.lists(st.floats(0.1, 10), min_size=len(names), max_size=len(names)).map(tuple)
    weights = draw(st.just(()) | heavy) if weighted else ()
    return Members(epoch=draw(st.integers(1, 9)), names=tuple(names), weights=weights)


paths = st.text("abcdefg/-._~%25?=&", max_size=12)


@st.composite
def urls(draw: st.DrawFn, host: str | None = None) -> Url:
    """Canonical enough: the scheme, a host (with a port, now and then), a path."""
    scheme = draw(st.sampled_from(["http", "https"]))
    host = host or draw(st.sampled_from(["a.test", "www.a.test", "a.test:8080", "b.test", "[2001:db8::1]"]))
    return Url(f"{scheme}://{host}/{draw(paths)}")


texts = st.lists(st.sampled_from(["sport", "biz", "arts", "one", "two", "ünï"]), max_size=6).map(" ".join)
