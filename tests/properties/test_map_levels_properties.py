"""What a map promises that is looked at level by level."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.properties.test_mapping_properties import maps

from lycosa.uses.map.levels import Asked, Branch, By, Tree
from lycosa.uses.map.places import SiteMap


def reached(tree: Tree, asked: Asked, most: int) -> dict[str, Branch]:
    """All branches, level by level, each level some at a time."""
    found: dict[str, Branch] = {}
    waiting = [""]
    while waiting:
        key = waiting.pop()
        start, total = 0, 1
        while start < total:
            level = tree.level(key, asked, start, most)
            start, total = start + most, level.total
            found.update((branch.key, branch) for branch in level.branches)
            waiting += [branch.key for branch in level.branches]
    return found


WHICH: st.SearchStrategy[By] = st.sampled_from(("links", "paths"))


@given(maps(), WHICH, st.floats(0, 1), st.sampled_from(["", "1", "a.test 2", "nowhere"]), st.integers(1, 5))
def test_level_by_level_and_nothing_lost(whole: SiteMap, by: By, least: float, words: str, most: int) -> None:
    asked, tree = Asked(least=least, words=words), Tree(whole, by)
    fit = {
        place.url
        for place in whole.places
        if place.relevance >= least and all(word in f"{place.title} {place.url}" for word in words.split())
    }
    found = reached(tree, asked, most)
    assert {branch.url for branch in found.values() if branch.fits} == fit
    assert tree.found(asked) == len(fit)
    assert sum(branch.pages for branch in tree.level("", asked).branches) == len(fit)
    for branch in found.values():
        assert branch.pages > 0, "whatever is shown leads to a page that fits"
        below = [found[each.key] for each in tree.level(branch.key, asked, most=100).branches]
        assert branch.pages == branch.fits + sum(each.pages for each in below)
        assert branch.below == len(below)
        assert branch.best == max([branch.relevance or 0.0] * branch.fits + [each.best for each in below])


@given(maps(), WHICH, st.integers(1, 20))
def test_what_is_unfolded_first_hangs_together(whole: SiteMap, by: By, rows: int) -> None:
    asked, tree = Asked(), Tree(whole, by)
    seen = {branch.key for branch in tree.level("", asked).branches}
    for key in tree.first(asked, rows):
        assert key in seen, "its row is there already"
        seen |= {branch.key for branch in tree.level(key, asked).branches}
