"""The exchange of back-links: what is told, what it comes to, and that it mends a local PageRank."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.sharers import nodes
from tests.worlds import made_page, u

from lycosa.model.nodes import Node
from lycosa.model.records import Page, Request
from lycosa.model.url import Url, host_of
from lycosa.scoring.graphs.analysis import kendall_tau, pagerank
from lycosa.sharing.back_links import BackLinks, InwardLinks, Linked, OutwardLinks
from lycosa.sharing.by_hash import ByHost

A, B, C = map(Node, "abc")


def owner(url: Url) -> Node:
    """http://b.test/… is b's."""
    return Node(host_of(url)[0])


def foreign(url: Url) -> bool:
    return owner(url) != A


def page(name: str, *targets: str) -> Page:
    return made_page(Request(url=u(name), order=0), *map(u, targets))


def test_each_owner_is_told_of_its_urls() -> None:
    outward = OutwardLinks()
    outward.see(page("a/1", "b/1", "b/1", "c/1", "a/2"), foreign)  # three distinct links
    outward.see(page("a/2", "b/1", "b/2"), foreign)
    told = outward.tell(owner, A)
    assert told == {
        B: BackLinks(urls=(u("b/1"), u("b/2")), pages=(2, 1), flows=(pytest.approx(1 / 3 + 1 / 2), 1 / 2)),
        C: BackLinks(urls=(u("c/1"),), pages=(1,), flows=(1 / 3,)),
    }
    assert outward.tell(owner, A) == {}


def test_what_was_told_is_told_again_when_it_grew() -> None:
    outward, inward = OutwardLinks(), InwardLinks()
    outward.see(page("a/1", "b/1", "b/2"), foreign)
    inward.hear(A, outward.tell(owner, A)[B])
    outward.see(page("a/2", "b/1"), foreign)
    news = outward.tell(owner, A)[B]
    assert news == BackLinks(urls=(u("b/1"),), pages=(2,), flows=(1.5,))
    inward.hear(A, news)
    inward.hear(C, BackLinks(urls=(u("b/1"),), pages=(5,), flows=(0.25,)))
    assert inward.of(u("b/1")) == Linked(pages=7, flow=1.75)
    assert inward.of(u("b/2")) == Linked(pages=1, flow=0.5)
    assert inward.of(u("b/3")) == Linked(pages=0, flow=0.0)


def test_a_new_owner_is_told_all() -> None:
    outward = OutwardLinks()
    outward.see(page("a/1", "b/1", "c/1"), foreign)
    outward.tell(owner, A)
    outward.moved()
    assert outward.tell(owner, A) == {}
    outward.moved()
    assert outward.tell(lambda url: C, A) == {C: BackLinks(urls=(u("b/1"),), pages=(1,), flows=(0.5,))}
    outward.moved()
    assert outward.tell(lambda url: A, A) == {}


def test_a_message_is_short_and_the_rest_comes_with_the_next() -> None:
    outward = OutwardLinks()
    outward.see(page("a/1", "b/1", "b/2", "b/3"), foreign)
    outward.see(page("a/2", "b/3"), foreign)
    assert [outward.tell(owner, A, most=2).get(B) for _ in range(3)] == [
        BackLinks(urls=(u("b/3"), u("b/1")), pages=(2, 1), flows=(4 / 3, 1 / 3)),
        BackLinks(urls=(u("b/2"),), pages=(1,), flows=(1 / 3,)),
        None,
    ]


class TestPageRank:
    """A local PageRank, with and without what other nodes tell, against that of the whole: 600 pages of 60 hosts with
    eight links each to any host, to some pages far more often than to others."""

    GAMMA = 0.85

    def made(self) -> list[Page]:
        chance = random.Random(4)
        names = [f"h{number % 60}/{number}" for number in range(600)]
        return [
            page(name, *{names[int(600 * chance.random() ** 3)] for _ in range(8)} - {name}) for name in names
        ]

    def ranks(self, pages: list[Page], inward: InwardLinks | None = None) -> np.ndarray:
        """Links to pages that are not here take their share away."""
        place = {made.url: number for number, made in enumerate(pages)}
        n = len(pages)
        rows = [
            (number, place.get(to, n), 1 / len(made.out))
            for number, made in enumerate(pages)
            for to in made.out
        ]
        row, column, data = zip(*rows, strict=True)
        links = csr_array((data, (row, column)), shape=(n + 1, n + 1))
        jump = np.full(n + 1, 1 - self.GAMMA)
        jump[:n] += [self.GAMMA * inward.of(made.url).flow for made in pages] if inward else 0
        jump[n] = 0
        return pagerank(links, gamma=self.GAMMA, tolerance=1e-9, teleport=jump, dangling=np.zeros(n + 1))[:n]

    def test_it_mends_a_local_pagerank(self) -> None:
        pages = self.made()
        partition = ByHost(nodes(4))
        here = {
            name: [made for made in pages if partition.of_url(made.url) == name] for name in nodes(4).names
        }
        inward = {name: InwardLinks() for name in here}
        for name, own in here.items():
            outward = OutwardLinks()
            for made in own:
                outward.see(made, lambda url, name=name: partition.of_url(url) != name)
            for to, message in outward.tell(partition.of_url, name).items():
                inward[to].hear(name, message)
        whole = dict(zip([made.url for made in pages], self.ranks(pages), strict=True))
        for name, own in here.items():
            truth = [whole[made.url] for made in own]
            alone = kendall_tau(self.ranks(own), truth)
            told = kendall_tau(self.ranks(own, inward[name]), truth)
            assert alone < 0.55 < 0.65 < told
