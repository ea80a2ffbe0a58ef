"""Maps a level at a time: what stands where, by links and by folders."""

from __future__ import annotations

import pytest

from lycosa.model.errors import InputError
from lycosa.model.url import Url
from lycosa.uses.map.levels import Asked, Tree, levels
from lycosa.uses.map.places import Place, SiteMap


def place(url: str, parent: int | None, relevance: float, title: str = "", anchor: str = "") -> Place:
    return Place(
        url=Url(url),
        title=title,
        relevance=relevance,
        step=1,
        depth=0,
        parent=parent,
        anchor=anchor,
        links=(),
    )


WHOLE = SiteMap(
    topic="apples",
    site="",
    relevant_from=0.5,
    places=(
        place("http://a.test/", None, 0.1, "Home"),
        place("http://a.test/fruit/red.html", 0, 0.9, "Red", "ripe ones"),
        place("http://a.test/fruit/", 0, 0.2, "Fruit"),
        place("http://b.test/x?of=/fruit/red", 1, 0.6),
        place("http://a.test/gr%C3%BCn/all.html", 2, 0.0, "Green"),
    ),
    pages=5,
)


def rows(tree: Tree, under: str = "", asked: Asked | None = None) -> list[tuple[str, int, int]]:
    found = tree.level(under, asked or Asked()).branches
    return [(branch.label, branch.pages, branch.relevant) for branch in found]


def test_by_links_what_leads_to_the_most_relevant_comes_first() -> None:
    tree = Tree(WHOLE)
    assert rows(tree) == [("Home", 5, 2)]
    assert rows(tree, "http://a.test/") == [("Red", 2, 2), ("Fruit", 2, 0)]
    assert rows(tree, "http://a.test/fruit/red.html") == [("http://b.test/x?of=/fruit/red", 1, 1)]


def test_by_paths_folders_are_pages_where_there_is_one() -> None:
    tree = Tree(WHOLE, "paths")
    assert rows(tree) == [("Home", 4, 1), ("http://b.test/", 1, 1)]
    assert rows(tree, "http://a.test/") == [("Fruit", 2, 1), ("grün/", 1, 0)]
    assert [branch.url for branch in tree.level("http://a.test/", Asked()).branches] == [
        "http://a.test/fruit/",
        None,
    ]
    assert rows(tree, "http://a.test/fruit/") == [("Red", 1, 1)]
    assert rows(tree, "http://b.test/") == [("x?of=/fruit/red", 1, 1)]


def test_only_what_fits_and_the_ways_to_it() -> None:
    tree, relevant = Tree(WHOLE), Asked(least=0.5)
    assert tree.found(relevant) == 2
    assert rows(tree, "", relevant) == [("Home", 2, 2)]
    assert tree.level("", relevant).branches[0].fits is False
    by_anchor = Asked(words="RIPE a.test")
    assert rows(tree, "http://a.test/", by_anchor) == [("Red", 1, 1)]
    assert tree.level("", Asked(words="pears")).branches == ()


def test_a_level_is_given_in_parts() -> None:
    tree = Tree(WHOLE)
    second = tree.level("http://a.test/", Asked(), 1, 1)
    assert [branch.label for branch in second.branches] == ["Fruit"]
    assert second.total == 2


def test_what_is_not_there_any_more_is_passed_over_and_told_to_who_asks_for_it() -> None:
    tree = Tree(WHOLE)
    assert list(levels(tree, ["http://gone.test/", "http://a.test/"], Asked())) == ["", "http://a.test/"]
    with pytest.raises(InputError, match="no such place"):
        tree.level("http://gone.test/", Asked())


def test_what_is_most_relevant_is_unfolded_first() -> None:
    assert Tree(WHOLE).first(Asked(), rows=3) == ["http://a.test/"]
    assert Tree(WHOLE).first(Asked())[:2] == ["http://a.test/", "http://a.test/fruit/red.html"]
