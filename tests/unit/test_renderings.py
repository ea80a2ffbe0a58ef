"""Which pages are worth a browser: by hand, and for any course of a crawl."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.worlds import made_page, u

from lycosa.crawl.rendering import LEARNT, Renderings, RenderRules, pays
from lycosa.model.records import Millis, Page, RecordRef, Rendering, Request
from lycosa.model.url import Url

DOM = RecordRef(file="f", offset=1, length=1)


def page(name: str, *, bare: bool = True, score: float = 0.0, links: int = 0, words: int = 0) -> Page:
    request = Request(url=u(name), order=0, score=score)
    targets = [u(f"z/{number}") for number in range(links)]
    return made_page(request, *targets, needs_script=bare, terms={"reef": words} if words else {})


def rendered(page: Page, *, paid: bool) -> Page:
    return replace(page, rendering=Rendering(record=DOM, pays=paid, bare=page.needs_script, took=Millis(9)))


def failed(page: Page) -> Page:
    return replace(page, rendering=Rendering(failed="it hung", bare=page.needs_script))


def test_more_links_or_words_than_a_tenth_pay() -> None:
    assert pays(1, 0, page("a"))
    assert not pays(1, 0, page("a", links=10))
    assert pays(2, 0, page("a", links=10))
    assert not pays(0, 24, page("a"))
    assert pays(0, 25, page("a"))
    assert not pays(0, 99, page("a", words=1000))
    assert pays(0, 100, page("a", words=1000))


def test_bare_pages_are_rendered_until_a_host_shows_that_it_does_not_pay() -> None:
    renderings = Renderings()
    for number in range(LEARNT):
        decision = renderings.decides(page(f"a/{number}"), scripted=True)
        assert decision.render
        assert decision.why == "it has hardly any text without its scripts"
        renderings.seen(rendered(page(f"a/{number}"), paid=False))
    after = [renderings.decides(page(f"a/x{number}"), scripted=True) for number in range(1_000)]
    assert 20 <= sum(each.render for each in after) <= 90, "a sample of 5 %"
    assert {each.why for each in after} == {
        "0 of 3 pages of its host that were rendered brought more",
        "as a sample: 0 of 3 pages of its host that were rendered brought more",
    }
    assert renderings.decides(page("b"), scripted=True).render, "another host"


def test_pages_with_text_are_rendered_where_two_of_three_brought_more() -> None:
    renderings = Renderings()
    for number, paid in enumerate((True, False, True)):
        renderings.seen(rendered(page(f"a/{number}", bare=False), paid=paid))
    found = renderings.decides(page("a/9", bare=False), scripted=True)
    assert found.render
    assert found.why == "2 of 3 pages of its host that were rendered brought more"
    renderings.seen(failed(page("a/4", bare=False)))
    assert renderings.decides(page("a/9", bare=False), scripted=True) == found, "a failure teaches nothing"


def test_a_link_among_the_worse_half_does_not_earn_a_browser_for_a_page_with_text() -> None:
    renderings = Renderings()
    for number in range(5):
        renderings.seen(rendered(page(f"a/{number}", bare=False, score=number / 10), paid=True))
    assert not renderings.decides(page("a/8", bare=False, score=0.1), scripted=True).render
    assert renderings.decides(page("a/8", bare=False, score=0.2), scripted=True).render
    assert renderings.decides(page("a/8", score=0.1), scripted=True).render, "without text it is nothing"


def test_the_strategy_may_ask() -> None:
    renderings = Renderings()
    assert renderings.decides(page("a", bare=False), scripted=True, wanted=True).render
    assert not renderings.decides(page("a"), scripted=True, wanted=False).render


@given(st.sampled_from(["auto", "always"]), st.booleans(), st.booleans())
def test_without_scripts_nothing_is_rendered(when: str, bare: bool, wanted: bool) -> None:
    renderings = Renderings(RenderRules(when=when))  # type: ignore[arg-type]
    assert renderings.decides(page("a", bare=bare), scripted=False, wanted=wanted).render is (
        when == "always"
    )


courses = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 30), st.booleans(), st.booleans()), max_size=60
)


@given(courses, st.integers(1, 4), st.integers(1, 8), st.sampled_from(["auto", "always"]))
def test_budgets_hold(
    course: list[tuple[int, int, bool, bool]], per_host: int, pages: int, when: str
) -> None:
    renderings = Renderings(RenderRules(when=when, per_host=per_host, pages=pages))  # type: ignore[arg-type]
    made: list[Url] = []
    course = [
        (host, place, bare, home) for place, (host, _, bare, home) in enumerate(course)
    ]  # each page once
    for host, number, bare, home in course:
        found = page(f"{'abc'[host]}/{number}", bare=bare)
        if renderings.decides(found, scripted=True).render:
            made.append(found.url)
            found = rendered(found, paid=number % 2 == 0)
        if home:
            renderings.came_home(found.url)
            renderings.seen(found)
    assert len(made) <= pages
    assert all(sum(url.startswith(f"http://{host}.") for url in made) <= per_host for host in "abc")


@given(courses, courses)
def test_learnt_from_pages_alone(
    course: list[tuple[int, int, bool, bool]], questions: list[tuple[int, int, bool, bool]]
) -> None:
    asked, unasked, restored = Renderings(), Renderings(), Renderings()
    for host, number, bare, paid in course:
        found = rendered(page(f"{'abc'[host]}/{number}", bare=bare, score=number / 30), paid=paid)
        asked.decides(found, scripted=True)
        asked.seen(found)
        unasked.seen(found)
    restored.load(unasked.save())
    for host, number, bare, _ in questions:
        found = page(f"{'abc'[host]}/q{number}", bare=bare, score=number / 30)
        answers = {each.decides(found, scripted=True) for each in (asked, unasked, restored)}
        assert len(answers) == 1
