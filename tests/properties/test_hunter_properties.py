"""Promises of the hunter, on webs of all kinds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import failed, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import Query
from lycosa.model.commands import Enqueue, Reprioritize
from lycosa.model.records import Link, Millis, Page, Reason, Request
from lycosa.strategies.hunter import evidence
from lycosa.strategies.hunter.corpus import Corpus
from lycosa.strategies.hunter.hunter import START, Hunter

NAMES = "abcdefgh"
TEXTS = ("", "coral", "reef reef", "coral reef lagoon", "street", "42", "the of", "Korallen " * 30)

webs = st.fixed_dictionaries(
    {
        name: st.tuples(
            st.sampled_from(TEXTS),
            st.lists(st.tuples(st.sampled_from(NAMES + "zy"), st.sampled_from(TEXTS)), max_size=6),
            st.sampled_from(["", *NAMES]),
        )
        for name in NAMES
    }
)
World = dict[str, tuple[str, list[tuple[str, str]], str]]


def answer(world: World, request: Request, order: int = 0) -> Page | None:
    """A page of the world, perhaps by a redirect to another; None where there is none."""
    name = request.url.removeprefix("http://")[0]
    if name not in world:
        return None
    text, links, elsewhere = world[name]
    final = u(elsewhere) if elsewhere else request.url
    told = tuple(Link(source=final, target=u(to), anchor=anchor, context=anchor) for to, anchor in links)
    return made_page(request, text=text, title=text[:9], final=final, links=told)


def crawled(world: World, hunter: Hunter, seeds: Sequence[str]) -> Crawl:
    crawl = make_crawl(hunter)
    crawl.start([u(name) for name in seeds], Millis(0))
    while (request := crawl.lease(Millis(0))) is not None:
        page = answer(world, request)
        if page is not None and crawl.refuses_redirect(request, page.final_url):
            page = None
        crawl.commit(page or failed(request, Reason.STATUS, 404), Millis(0))
    return crawl


def hunter_for(*words: str) -> Hunter:
    return Hunter(Query(terms=dict.fromkeys(words, 1)), None, first_lesson=3)


def scored(crawl: Crawl) -> list[tuple[str, float]]:
    told = [c for entry in crawl.store.entries() for c in entry.commands]
    return [(c.url, c.score) for c in told if isinstance(c, Enqueue | Reprioritize)]


@given(webs, st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
@settings(max_examples=trials(25), deadline=None)
def test_finite_scores_and_start_pages_first(world: World, seeds: list[str]) -> None:
    crawl = crawled(world, hunter_for("coral", "reef"), seeds)
    starts = {u(name) for name in seeds}
    for url, score in scored(crawl):
        assert math.isfinite(score)
        assert score == START if url in starts else 0 <= score < START


@given(webs, st.sampled_from(NAMES))
@settings(max_examples=trials(20), deadline=None)
def test_the_order_of_the_topics_words_does_not_matter(world: World, seed: str) -> None:
    one = scored(crawled(world, hunter_for("coral", "reef", "street"), [seed]))
    other = scored(crawled(world, hunter_for("street", "coral", "reef"), [seed]))
    assert [url for url, _ in one] == [url for url, _ in other]
    assert np.allclose([score for _, score in one], [score for _, score in other])


@given(
    webs,
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True),
    st.integers(0, 3),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.0, 0.25, 1.0])),
    st.dictionaries(st.sampled_from(NAMES), st.booleans()),
)
@settings(max_examples=trials(40), deadline=None)
def test_columns_that_are_there_from_the_start_change_no_score(
    world: World,
    seeds: list[str],
    words: int,
    relevance: dict[str, float],
    marks: dict[str, bool],
) -> None:
    """Columns come when a page is judged or marked, and what is known then is kept."""

    def told(hunter: Hunter) -> object:
        own, found = hunter.evidence, []
        crawl = make_crawl(hunter)
        crawl.start([u(name) for name in seeds], Millis(0))
        while (request := crawl.lease(Millis(0))) is not None:
            page = answer(world, request)
            if page is None or crawl.refuses_redirect(request, page.final_url):
                crawl.commit(failed(request, Reason.STATUS, 404), Millis(0))
                continue
            name = page.final_url.removeprefix("http://")[0]
            hunter._judgement = lambda _page, name=name: relevance.get(name, 0.0)  # type: ignore[method-assign,misc]
            crawl.commit(page, Millis(0))
            if name in marks:
                own.mark(hunter.corpus.graph.number_of(page.final_url), marks[name])
            nodes = range(len(hunter.corpus.graph))
            found.append((own.scores(np.arange(len(nodes))).tolist(), [own.explain(node) for node in nodes]))
        state = msgspec.msgpack.decode(msgspec.msgpack.encode(own.save()))
        if all(state["columns"]):
            del state["columns"]  # as earlier versions told it
        own.load(state)
        own.learn()
        return found, scored(crawl), own.scores(np.arange(len(hunter.corpus.graph))).tolist()

    on_demand = told(hunter_for(*("coral", "reef", "street")[:words]))
    whole = hunter_for(*("coral", "reef", "street")[:words])
    whole.evidence._have_columns(like=True, judged=True)
    assert on_demand == told(whole)


@given(webs)
@settings(max_examples=trials(20), deadline=None)
def test_grounds_loaded_as_saved(world: World) -> None:
    corpus = Corpus()
    for number, name in enumerate(world):
        page = answer(world, Request(url=u(name), order=number))
        assert page is not None
        corpus.add(page)
    again = Corpus()
    again.load(msgspec.msgpack.decode(msgspec.msgpack.encode(corpus.save())))
    assert again.save() == corpus.save()
    width = len(corpus.vocabulary)
    assert (again.pages.matrix(width).toarray() == corpus.pages.matrix(width).toarray()).all()
    assert (again.frequencies == corpus.frequencies).all()


@given(webs, st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True), st.booleans())
@settings(max_examples=trials(40), deadline=None)
def test_links_that_are_alike_have_the_scores_that_each_has_alone(
    world: World, seeds: list[str], learned: bool
) -> None:
    hunter = hunter_for("coral", "reef")
    crawled(world, hunter, seeds)
    if learned:
        hunter.evidence.learn()
    nodes = np.arange(len(hunter.corpus.graph))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "MANY", 1)
        together = hunter.evidence.scores(nodes)
    assert (together == [hunter.evidence.scores(nodes[at : at + 1])[0] for at in nodes]).all()
