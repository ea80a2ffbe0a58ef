"""Which page of a running crawl is asked about next."""

from __future__ import annotations

from math import ceil

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.worlds import u

from lycosa.crawls.interview import EARLY, FIRST, RECENT, About, Interview
from lycosa.model.records import Link, Millis, Page, Request, UrlState
from lycosa.model.url import Url


def page(
    name: str, relevance: float, terms: dict[str, int] | None = None, links: tuple[str, ...] = ()
) -> Page:
    url = u(name)
    return Page(
        request=Request(url=url, order=0),
        final_url=url,
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest="",
        title=name,
        text="x" * 9_000,
        links=tuple(Link(source=url, target=u(link), anchor="words") for link in links),
        relevance=relevance,
        terms=terms or {name: 1},
    )


def pending(url: Url) -> UrlState:
    return UrlState.PENDING


def test_the_best_and_the_most_doubtful_in_turn_by_hand() -> None:
    """Line .2, best .6: doubt is 1 at .2, .75 at .3, ½ at .4; b and c have the same doubt, and more hangs on c."""
    interview = Interview(0.2, questions=9, about="both")
    for each in (page("a", 0.6), page("b", 0.3), page("c", 0.3, links=("x", "y")), page("d", 0.0)):
        interview.seen(each)
    asked = []
    for _ in range(4):
        found = interview.next(50, pending)
        if found is None:
            break
        asked.append(found.title)
        interview.asked += 1
        interview.answered(found)
    assert asked == ["a", "c", "b"]  # d has nothing of the topic: it is neither good nor in doubt


def test_what_says_the_same_has_its_answer() -> None:
    interview = Interview(0.2, questions=9)
    first, copy = page("a", 0.6), replace(page("b", 0.6), title="a")
    interview.seen(first)
    interview.seen(copy)
    interview.answered(first)
    assert interview.next(50, pending) is None
    assert not interview.due(50, 100)  # nor is it tried again at once
    assert interview.due(60, 100)


def test_pages_are_kept_without_what_nobody_reads() -> None:
    interview = Interview(0.2, questions=9)
    interview.seen(page("a", 0.6, links=("x", "x", "y")))
    found = interview.next(50, pending)
    assert found is not None
    assert len(found.text) == 2_000
    assert found.out == (u("x"), u("y"))
    assert {link.anchor for link in found.links} == {""}


def test_when_questions_are_due_by_hand() -> None:
    """Of 10 in 100 pages: after 25 pages five, after 49 seven; none before the twentieth page."""
    interview = Interview(0.2, questions=10, early=0.5)
    assert not interview.due(FIRST - 1, 100)
    assert interview.due(FIRST, 100)
    for asked, pages, due in ((4, 25, True), (5, 25, False), (6, 49, True), (7, 49, False), (9, 100, True)):
        interview.asked = asked
        assert interview.due(pages, 100) is due
    interview.asked = 10
    assert not interview.due(500, 100)


@given(
    st.lists(st.tuples(st.integers(0, 400), st.floats(0, 1)), min_size=1, max_size=60),
    st.integers(1, 20),
    st.integers(1, 60),
    st.sampled_from([0.5, EARLY]),
    st.sampled_from(["best", "doubt", "both"]),
)
def test_never_twice_and_within_the_plan(
    found: list[tuple[int, float]], questions: int, budget: int, early: float, about: About
) -> None:
    interview = Interview(0.2, questions, about=about, early=early)
    asked: list[Url] = []
    for number, (name, relevance) in enumerate(found, 1):
        interview.seen(page(f"p{name}", relevance))
        if not interview.due(number + FIRST, budget + FIRST):
            continue
        assert len(asked) + 1 <= ceil(questions * min(1.0, (number + FIRST) / (budget + FIRST)) ** early)
        if (chosen := interview.next(number + FIRST, pending)) is not None:
            asked.append(chosen.url)
            interview.asked += 1
            interview.answered(chosen)
    assert len(set(asked)) == len(asked) <= questions


def test_of_a_long_crawl_the_last_pages_are_kept() -> None:
    interview = Interview(0.2, questions=9)
    interview.seen(page("first", 1.0))
    for n in range(RECENT):
        interview.seen(page(f"p{n}", n / RECENT))
    found = interview.next(RECENT, pending)
    assert found is not None
    assert found.title == f"p{RECENT - 1}"
