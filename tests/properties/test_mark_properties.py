"""Promises about marks and questions, for any web and any marks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.test_hunter_properties import World, answer, hunter_for, scored, webs
from tests.trials import trials
from tests.worlds import failed, looks, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import Query
from lycosa.model.events import Marked, Snapshot
from lycosa.model.records import Millis, Reason, Request
from lycosa.scoring.topics.keywords import ExampleTopic
from lycosa.scoring.topics.uncertainty import ALIKE, doubt, to_ask
from lycosa.scoring.words.terms import cosine
from lycosa.strategies.hunter.hunter import START, Hunter

NAMES = "abcdefgh"
Mark = tuple[str, bool | None]

saying = st.sampled_from([True, False, None])
marks = st.lists(st.tuples(st.sampled_from(NAMES), saying), max_size=6)
held = st.dictionaries(st.sampled_from(NAMES), st.booleans(), min_size=1, max_size=5)


def visits(crawl: Crawl, world: World, most: int) -> None:
    while most and (request := crawl.lease(Millis(0))) is not None:
        page = answer(world, request)
        if page is not None and crawl.refuses_redirect(request, page.final_url):
            page = None
        crawl.commit(page or failed(request, Reason.STATUS, 404), Millis(0))
        most -= 1


def half(world: World, hunter: Hunter, said: Sequence[Mark]) -> Crawl:
    """Five visits, then the marks."""
    crawl = make_crawl(hunter)
    crawl.start([u("a"), u("b")], Millis(0))
    visits(crawl, world, 5)
    for name, good in said:
        crawl.hear(Marked(url=u(name), good=good), Millis(0))
    return crawl


@given(webs, marks, marks)
@settings(max_examples=trials(25), deadline=None)
def test_finite_scores_start_pages_first_and_replay_equals_run(
    world: World, first: list[Mark], later: list[Mark]
) -> None:
    crawl = half(world, hunter_for("coral", "reef"), first)
    kept = msgspec.msgpack.decode(msgspec.msgpack.encode(crawl.snapshot()), type=Snapshot)
    twin = make_crawl(hunter_for("coral", "reef"))
    twin.replay(crawl.store.entries())
    twin.strategy = hunter_for("coral", "reef")
    twin.restore(kept)
    for each in (crawl, twin):
        visits(each, world, 3)
        for name, good in later:
            each.hear(Marked(url=u(name), good=good), Millis(0))
        visits(each, world, 9)
    assert looks(twin) == looks(crawl)
    again = make_crawl(hunter_for("coral", "reef"))
    again.replay(crawl.store.entries())
    assert looks(again) == looks(crawl)
    starts = {u("a"), u("b")}
    for url, score in scored(crawl):
        assert math.isfinite(score)
        assert score == START if url in starts else score < START


@given(webs, held, st.sampled_from(NAMES))
@settings(max_examples=trials(25), deadline=None)
def test_hunters_go_by_the_last_mark_of_each_page_in_any_order(
    world: World, said: dict[str, bool], other: str
) -> None:
    """Of webs without redirects: there each name is a page of its own."""
    world = {name: (text, links, "") for name, (text, links, _) in world.items()}
    wavering = [(name, not good) for name, good in said.items()]
    turned = [*said.items()][::-1]
    back: list[Mark] = [] if other in said else [(other, True), (other, None)]
    one = half(world, hunter_for("coral", "reef"), [*said.items()])
    two = half(world, hunter_for("coral", "reef"), [*wavering, *back, *turned])
    assert one.frontier.keys() == two.frontier.keys()


@given(webs, marks)
@settings(max_examples=trials(15), deadline=None)
def test_with_no_weight_for_likeness_and_no_lessons_marks_change_nothing(
    world: World, said: list[Mark]
) -> None:
    def plain() -> Hunter:
        return Hunter(Query(terms={"coral": 1, "reef": 1}), None, likeness=0.0, lessons=0.0)

    marked = half(world, plain(), said)
    taken_back = half(world, plain(), [(name, None) for name, _ in said])
    assert marked.frontier.keys() == taken_back.frontier.keys()


# -- topics --------------------------------------------------------------------------------------------------

texts = st.lists(st.sampled_from(["coral", "reef", "street", "tram"]), max_size=8).map(" ".join)
said_of_texts = st.dictionaries(st.sampled_from(NAMES), st.tuples(texts, st.booleans()), max_size=5)


def taught(said: Sequence[tuple[str, tuple[str, bool | None]]]) -> ExampleTopic:
    topic = ExampleTopic([{"coral": 2, "reef": 1}, {"street": 1}])
    for name, (text, good) in said:
        topic.mark(made_page(Request(url=u(name), order=0), text=text), good)
    return topic


@given(said_of_texts, st.permutations(list(NAMES)), texts)
def test_in_any_order(said: dict[str, tuple[str, bool]], order: list[str], text: str) -> None:
    page = made_page(Request(url=u("z"), order=0), text=text)
    relevance = taught([*said.items()]).relevance(page)
    assert 0 <= relevance <= 1
    turned = taught([(name, said[name]) for name in order if name in said])
    assert turned.relevance(page) == relevance
    again = ExampleTopic([{"coral": 2, "reef": 1}, {"street": 1}])
    again.load(msgspec.msgpack.decode(msgspec.msgpack.encode(turned.save())))
    assert again.relevance(page) == relevance


@given(said_of_texts, st.sampled_from(NAMES), texts, st.booleans())
def test_taken_back(said: dict[str, tuple[str, bool]], name: str, text: str, good: bool) -> None:
    said.pop(name, None)
    back = [*said.items(), (name, (text, good)), (name, (text, None))]
    assert taught(back).centroid == taught([*said.items()]).centroid


# -- questions -----------------------------------------------------------------------------------------------

share = st.floats(0, 1)
vectors = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 5), max_size=4)


@given(share, share, share, share)
def test_doubt_is_greatest_on_the_line(one: float, other: float, line: float, best: float) -> None:
    low, high = sorted([one, other])
    assert 0 <= doubt(min(low, best), line, best) <= 1
    if high < line:
        assert doubt(low, line, best) <= doubt(high, line, best)
    if line <= low and high <= best:
        assert doubt(low, line, best) >= doubt(high, line, best)


@given(
    st.lists(st.tuples(st.floats(0, 10, allow_subnormal=False), vectors), max_size=8),
    st.lists(vectors, max_size=3),
    st.integers(1, 8),
)
def test_no_question_is_like_another(
    given_: list[tuple[float, dict[str, int]]], answered: list[dict[str, int]], most: int
) -> None:
    worths, found = [worth for worth, _ in given_], [text for _, text in given_]
    asked = to_ask(worths, found, answered, most)
    assert asked == to_ask(worths, found, answered, most + 1)[:most]
    assert len(set(asked)) == len(asked) <= most
    known = list(answered)
    for place in asked:
        assert worths[place] > 0
        assert all(cosine(found[place], other) < ALIKE for other in known)
        known.append(found[place])
    if len(asked) < most:
        for place in set(range(len(found))) - set(asked):
            assert worths[place] == 0 or any(cosine(found[place], other) >= ALIKE for other in known)
