"""What nodes tell one another: it arrives in the end, and may come in any order, any number of times."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.sharers import NAMES
from tests.worlds import made_page, u

from lycosa.model.nodes import Node
from lycosa.model.records import Page, Request
from lycosa.model.url import Url, host_of
from lycosa.sharing.back_links import BackLinks, InwardLinks, OutwardLinks
from lycosa.sharing.lessons import MOST_BEST, Lesson, Lessons, Notes

HERE = NAMES[0]
TARGETS = [u(f"n{owner}/{number}") for owner in range(4) for number in range(4)]


def owner(url: Url) -> Node:
    return Node(host_of(url).partition(".")[0])


def moved_owner(url: Url) -> Node:
    return Node({"n1": "n2", "n2": "n1"}.get(owner(url), owner(url)))


@st.composite
def crawls(draw: st.DrawFn) -> list[Page]:
    lists = draw(st.lists(st.lists(st.sampled_from(TARGETS), max_size=6), max_size=8))
    return [made_page(Request(url=u(f"n0/p{i}"), order=i), *targets) for i, targets in enumerate(lists)]


def links_to(pages: list[Page], url: Url) -> tuple[int, float]:
    """The twin: count them all."""
    of = [page for page in pages if url in page.out]
    return len(of), sum(1 / len(page.out) for page in of)


@given(pages=crawls(), every=st.integers(1, 4), most=st.integers(1, 3), moves=st.booleans())
def test_all_is_told_in_the_end_and_told_once(pages: list[Page], every: int, most: int, moves: bool) -> None:
    outward = OutwardLinks()
    inward = {node: InwardLinks() for node in NAMES[1:4]}
    ask = owner
    told_of: set[tuple[Node, Url, int]] = set()

    def tell() -> bool:
        messages = outward.tell(ask, HERE, most)
        for to, message in messages.items():
            assert to != HERE
            assert 0 < len(message.urls) <= most
            news = {(to, url, count) for url, count in zip(message.urls, message.pages, strict=True)}
            assert not news & told_of  # told once
            told_of.update(news)
            inward[to].hear(HERE, message)
        return bool(messages)

    for number, page in enumerate(pages):
        outward.see(page, lambda url: owner(url) != HERE)
        if number % every == 0:
            tell()
        if number % 3 == 2:
            again = OutwardLinks()
            again.load(outward.save())
            outward = again
    if moves:
        ask = moved_owner
        told_of.clear()
        outward.moved()
    while tell():
        pass
    for url in TARGETS:
        if owner(url) != HERE:
            pages_linking, flow = links_to(pages, url)
            found = inward[ask(url)].of(url)
            assert found.pages == pages_linking
            assert abs(found.flow - flow) < 1e-9


messages = st.lists(
    st.tuples(st.sampled_from(NAMES[:3]), st.sampled_from(TARGETS), st.integers(1, 9), st.floats(0.01, 9)),
    max_size=12,
)


@given(told=messages, data=st.data())
def test_messages_in_any_order_any_number_of_times(
    told: list[tuple[Node, Url, int, float]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(told + told[::2]))
    one, other = InwardLinks(), InwardLinks()
    for into, rows in ((one, told), (other, shuffled)):
        for sender, url, count, flow in rows:
            into.hear(sender, BackLinks(urls=(url,), pages=(count,), flows=(flow,)))
    loaded = InwardLinks()
    loaded.load(other.save())
    for url in TARGETS:
        assert one.of(url) == other.of(url) == loaded.of(url)


# -- lessons -------------------------------------------------------------------------------------------------

WORDS = ("spider", "silk", "web", "leg", "moth", "fang")


@st.composite
def judged_pages(draw: st.DrawFn) -> list[tuple[Node, Page, float]]:
    """Pages at nodes, each with its worth; another node may have the same page."""
    told = draw(
        st.lists(
            st.tuples(
                st.sampled_from(NAMES[:3]),
                st.sampled_from(TARGETS),
                st.lists(st.sampled_from(WORDS), max_size=4),
                st.integers(0, 9),
            ),
            max_size=14,
            unique_by=lambda one: one[:2],
        )
    )
    return [
        (node, made_page(Request(url=url, order=0), text=" ".join(words), relevance=worth / 10), worth / 3)
        for node, url, words, worth in told
    ]


def taught(pages: list[tuple[Node, Page, float]], every: int) -> list[Lesson]:
    """What the nodes tell on the way, and what they tell at last."""
    notes = {node: Notes(["spider"]) for node in NAMES[:3]}
    lessons: list[Lesson] = []
    for number, (node, page, worth) in enumerate(pages):
        notes[node].see(page, worth)
        if number % every == 0:
            lessons.append(notes[node].lesson(node, number))
    return lessons + [noted.lesson(node, 99) for node, noted in notes.items()]


def looks(lessons: Lessons) -> object:
    harvests = [lessons.harvest(host_of(url)) for url in TARGETS]
    return lessons.pages, [(term, lessons.holding(term)) for term in WORDS], lessons.best(), harvests


@given(pages=judged_pages(), every=st.integers(1, 3), data=st.data())
def test_lessons_in_any_order_any_number_of_times(
    pages: list[tuple[Node, Page, float]], every: int, data: st.DataObject
) -> None:
    told = taught(pages, every)
    one, other = Lessons(), Lessons()
    for lesson in told:
        one.hear(lesson)
    for lesson in data.draw(st.permutations(told + told[::2])):
        other.hear(lesson)
        assert not other.hear(lesson)
    loaded = Lessons()
    loaded.load(msgspec.msgpack.decode(msgspec.msgpack.encode(other.save())))
    assert looks(one) == looks(other) == looks(loaded)
    assert not any(loaded.hear(lesson) for lesson in told)


@given(pages=judged_pages(), every=st.integers(1, 3), most=st.integers(1, MOST_BEST))
def test_the_best_of_all_are_told(pages: list[tuple[Node, Page, float]], every: int, most: int) -> None:
    lessons = Lessons()
    for lesson in taught(pages, every):
        lessons.hear(lesson)
    worth: dict[Url, float] = {}
    for _, page, found in pages:
        worth[page.url] = max(found, worth.get(page.url, 0.0))
    wanted = sorted(worth, key=lambda url: (-worth[url], url))[:most]
    assert [page.url for page in lessons.best(most)] == wanted
    assert lessons.pages == len(pages)
    for term in lessons.terms():
        told_by = {node for node, page, _ in pages if term in page.terms}
        having, of = lessons.holding(term)
        assert having == sum(term in page.terms for _, page, _ in pages)
        assert of >= sum(node in told_by for node, _, _ in pages)
