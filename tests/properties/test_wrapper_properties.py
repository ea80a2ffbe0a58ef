"""What wrappers promise, on generated webs and for any history."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.lab.kit.conformance import Trial, kit_inputs, trace
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.url import Url, host_of
from lycosa.scoring.words.fingerprints import hamming
from lycosa.spec.registry import strategy
from lycosa.strategies.best_first import BestFirst
from lycosa.strategies.wrappers.hosts import HostSpacing
from lycosa.strategies.wrappers.links import DampRepeats
from lycosa.web.made.graph_web import GraphWeb, WebShape

HOSTS = 30


def crawl_of(name: str, pages: int = 400, budget: int = 150) -> Crawl:
    web = GraphWeb(WebShape(pages=pages, hosts=HOSTS, failures=0.05), seed=3)
    return Trial(partial(strategy, name, kit_inputs()), budget=budget, web=web).whole()


def brought(crawl: Crawl) -> list[Page]:
    return [entry.event for entry in crawl.store.entries() if isinstance(entry.event, Page)]


@pytest.mark.parametrize("n", [1, 4])
def test_capped(n: int) -> None:
    counts = Counter(host_of(page.final_url) for page in brought(crawl_of(f"best-first+host-cap:n={n}")))
    assert max(counts.values()) == n
    assert max(Counter(host_of(page.final_url) for page in brought(crawl_of("best-first"))).values()) > n


@pytest.mark.parametrize("wrapper", ["host-share:share=0.05,grace=2", "host-spacing:k=8"])
def test_soft(wrapper: str) -> None:
    """A crawl of a whole small web brings the same pages, in another order."""
    plain, wrapped = (crawl_of(name, 150, 1000) for name in ("best-first", f"best-first+{wrapper}"))
    assert sorted(trace(wrapped)) == sorted(trace(plain))
    assert trace(wrapped) != trace(plain)


@pytest.mark.parametrize("wrapper", ["host-spacing:k=0", "host-share:share=1", "damp-repeats:factor=1"])
def test_transparent(wrapper: str) -> None:
    """What spaces, shares or damps nothing changes nothing."""
    assert trace(crawl_of(f"best-first+{wrapper}")) == trace(crawl_of("best-first"))


def test_max_is_the_default() -> None:
    assert trace(crawl_of("best-first+merge")) == trace(crawl_of("best-first"))
    assert trace(crawl_of("best-first+merge:rule=last")) != trace(crawl_of("best-first"))


def test_shares_are_kept_while_others_wait() -> None:
    """Wherever a host over its share was visited, every link that waited was of such a host."""
    share = Counter(
        host_of(page.final_url) for page in brought(crawl_of("best-first+host-share:share=0.1,grace=2"))
    )
    plain = Counter(host_of(page.final_url) for page in brought(crawl_of("best-first")))
    assert max(share.values()) <= 0.1 * 150 + 2 < max(plain.values())


@hypothesis_settings(max_examples=trials(60), deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6))
def test_spaced(seed: int, k: int) -> None:
    """Whenever a host is visited before k others were, no other host had a link to offer."""
    rng = random.Random(seed)
    names = [u(f"h{rng.randrange(8)}/{i}") for i in range(60)]
    crawl = make_crawl(HostSpacing(BestFirst(), k=k), budget=40)
    crawl.start(rng.sample(names, 2), Millis(0))
    recent: list[str] = []
    while not crawl.finished:
        waiting = {host_of(request.url) for request in crawl.frontier.pending()}
        request = crawl.lease(Millis(0))
        assert request is not None
        host = host_of(request.url)
        if host in recent[-k:]:
            assert waiting <= set(recent[-k:])
        recent = [*(other for other in recent if other != host), host]
        crawl.commit(made_page(request, *rng.sample(names, rng.randrange(5))), Millis(0))


def test_no_deeper() -> None:
    """Behind each page there are, link by link, at most 1 irrelevant one in a row."""
    pages = brought(crawl_of("best-first+tunnel:steps=1,threshold=0.3"))
    behind: dict[Url, int] = {}
    for page in pages:
        via = page.request.via
        before = behind[via.source] if via else 0
        assert before <= 1
        behind[page.final_url] = 0 if page.relevance >= 0.3 else before + 1
    assert max(behind.values()) == 2  # such pages are visited, and their links are not followed


@given(
    st.lists(
        st.builds(
            lambda base, flips: base ^ sum(1 << bit for bit in set(flips)),
            st.sampled_from([0xAAAA_BBBB_CCCC_DDDD, 0x0123_4567_89AB_CDEF]),
            st.lists(st.integers(0, 63), max_size=5),
        ),
        max_size=15,
    ),
    st.integers(0, 3),
)
def test_finds_all(marks: list[int], bits: int) -> None:
    damping = DampRepeats(BestFirst(), bits=bits)
    originals: list[int] = []
    for number, mark in enumerate(marks):
        page = made_page(Request(url=u(f"p/{number}"), order=number))
        damping.met(_marked(page, mark), None)  # type: ignore[arg-type]
        repeats = any(hamming(mark, other) <= bits for other in originals)
        originals += [] if repeats else [mark]
        assert (page.final_url in damping._repeats) == repeats
    again = DampRepeats(BestFirst(), bits=bits)
    again.load(damping.save())
    assert again.save() == damping.save()


def _marked(page: Page, mark: int) -> Page:
    return msgspec.structs.replace(
        page, fingerprint=mark, links=(Link(source=page.final_url, target=u("x")),)
    )
