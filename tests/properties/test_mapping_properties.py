"""What a map promises, for any tree of pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.url import Url
from lycosa.uses.map.places import Place, SiteMap, tailored


@st.composite
def maps(draw: st.DrawFn) -> SiteMap:
    count = draw(st.integers(1, 12))
    places: list[Place] = []
    for number in range(count):
        parent = draw(st.none() | st.integers(0, number - 1)) if number else None
        links = draw(
            st.lists(
                st.integers(0, count - 1).filter(lambda n, own=number: n != own), unique=True, max_size=4
            )
        )
        places.append(
            Place(
                url=Url(f"http://a.test/{number}"),
                title=str(number),
                relevance=draw(st.floats(0, 1)),
                step=number + 1,
                depth=0 if parent is None else places[parent].depth + 1,
                parent=parent,
                anchor="",
                links=tuple(links),
            )
        )
    return SiteMap(topic="", site="", relevant_from=0.5, places=tuple(places), pages=count)


@given(maps(), st.integers(1, 14))
def test_closed_under_parents_and_parents_come_first(whole: SiteMap, most: int) -> None:
    found = tailored(whole, most)
    by_url = {each.url: each for each in whole.places}
    for number, place in enumerate(found.places):
        before = by_url[place.url]
        if place.parent is None:
            assert before.parent is None
        else:
            assert place.parent < number
            assert found.places[place.parent].url == whole.places[before.parent or 0].url
        kept = {found.places[target].url for target in place.links}
        assert kept == {whole.places[t].url for t in before.links} & {each.url for each in found.places}


@given(maps(), st.integers(1, 14))
def test_the_most_relevant_page_is_always_there_and_the_bound_is_kept(whole: SiteMap, most: int) -> None:
    found = tailored(whole, most)
    best = max(whole.places, key=lambda place: (place.relevance, -place.step))
    assert best.url in {each.url for each in found.places}
    assert len(found.places) <= max(most, best.depth + 1)
    assert found.pages == len(whole.places)
