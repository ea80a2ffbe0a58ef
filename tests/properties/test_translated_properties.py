"""Copies in other languages among the pages of an export."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import u

from lycosa.crawls.corpus.translated import Translated
from lycosa.model.url import Url

DE, EN, FR = u("de/page"), u("en/page"), u("fr/page")


def test_the_first_of_a_set_is_told_to_all_others() -> None:
    translated, every = Translated(), (DE, EN, FR)
    assert [translated.first(url, url, every) for url in every] == [None, DE, DE]


def test_a_page_that_is_redirected_to_is_the_same_page() -> None:
    translated = Translated()
    assert translated.first(DE, u("de/new"), (u("de/new"), EN)) is None
    assert translated.first(u("en/old"), EN, (u("de/new"), EN)) == DE


def test_one_that_names_alone_is_not_believed() -> None:
    translated = Translated()
    assert translated.first(DE, DE, (DE, EN)) is None
    assert translated.first(FR, FR, (FR, DE)) is None
    assert translated.first(EN, EN, ()) is None


PAGES = st.lists(st.integers(0, 5), unique=True, max_size=6).flatmap(
    lambda order: st.tuples(
        *[st.tuples(st.just(at), st.lists(st.integers(0, 5), unique=True)) for at in order]
    )
)


@given(PAGES)
def test_each_names_the_other(pages: tuple[tuple[int, list[int]], ...]) -> None:
    translated = Translated()
    first: dict[int, int] = {}
    named = dict(pages)
    before = list[int]()
    for at, names in pages:
        mutual = [each for each in names if each != at and each in before and at in named[each]]
        told = translated.first(u(f"a/{at}"), u(f"a/{at}"), tuple(Url(u(f"a/{each}")) for each in names))
        expected = first[mutual[0]] if mutual else None
        assert told == (None if expected is None else u(f"a/{expected}"))
        first[at] = at if expected is None else expected
        before.append(at)
