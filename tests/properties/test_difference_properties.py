"""What holds for any two versions of a page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.worlds import u

from lycosa.model.records import SAME, Link, Millis, Page, Request, Worth
from lycosa.read.difference import _ascending, difference

LINES = st.lists(
    st.sampled_from(
        [
            "one two three four five six",
            "seven eight nine ten eleven twelve",
            "a line of prose that was written in 2026",
            "on 3 May 2026",
            "4711",
            "pending",
            "a heading",
            "menu",
            "two words",
        ]
    ),
    max_size=12,
)
LINKS = st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=6)


@st.composite
def versions(draw: st.DrawFn) -> Page:
    lines, links = draw(LINES), draw(LINKS)
    return Page(
        request=Request(url=u("page"), order=0),
        final_url=u("page"),
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest=f"{lines} {links}",
        title="",
        text="\n".join(lines),
        headings=("a heading",),
        nav_lines=tuple(n for n in range(len(lines)) if draw(st.booleans())),
        links=tuple(
            Link(source=u("page"), target=u(name), context="menu" if in_nav else "", in_nav=in_nav)
            for name, in_nav in links
        ),
    )


@given(versions())
def test_a_version_and_itself_do_not_differ(page: Page) -> None:
    assert difference(page, page) == SAME
    other_bytes = replace(page, digest="another")
    assert difference(page, other_bytes).worth is Worth.DRESSING


@given(versions(), versions())
def test_either_way(one: Page, other: Page) -> None:
    there, back = difference(one, other), difference(other, one)
    assert (there.worth, there.divergence) == (back.worth, back.divergence)
    assert (there.new_links, there.lost_links) == (back.lost_links, back.new_links)


@given(versions(), versions())
def test_within_bounds(one: Page, other: Page) -> None:
    found = difference(one, other)
    assert 0 <= found.importance <= 1
    assert 0 <= found.divergence <= 1
    assert found.worth is Worth.CONTENT or (found.importance, found.divergence) == (0, 0)


@given(st.lists(st.integers(0, 60), unique=True, max_size=9))
def test_the_longest_ascending_run_is_that_of_all_subsets(numbers: list[int]) -> None:
    run = _ascending(numbers)
    assert [numbers[place] for place in run] == sorted(numbers[place] for place in run)
    assert run == sorted(run)
    longest = [0] * len(numbers)
    for place, number in enumerate(numbers):
        longest[place] = 1 + max((longest[n] for n in range(place) if numbers[n] < number), default=0)
    assert len(run) == max(longest, default=0)
