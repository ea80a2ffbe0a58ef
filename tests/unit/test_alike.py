"""Hosts that are alike live together: what decides where a host should live."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Any

import numpy as np
import pytest
from tests.settlers import Around, page

from lycosa.model.nodes import Node, Origin
from lycosa.sharing.alike import (
    BUCKETS,
    FEW,
    FOUNDING,
    LATE,
    SLACK,
    TELLS,
    Alike,
    Words,
    fits,
    parted,
    sealed_profile,
    words_of,
)

A, B, C = map(Node, "abc")
FOOTBALL = "goal ball team match league cup player referee"
COOKING = "oven flour butter sugar recipe kitchen dough bake"
STARS = "comet orbit planet moon galaxy telescope nebula eclipse"


def founded(profiles: Mapping[Node, str]) -> Alike:
    """Node a, after it heard how profiles begin."""
    rule = Alike()
    told = {name: sealed(words) for name, words in profiles.items()}
    rule.heard(A, {"profiles": told})
    return rule


def sealed(words: str) -> bytes:
    counts = np.zeros(BUCKETS)
    told = words_of(page("any", words))
    counts[told.buckets] = told.counts
    return sealed_profile(counts)


def some(rule: Alike, around: Around, host: str, words: str) -> Mapping[Node, Mapping[str, Any]]:
    """A page came, and its host stays."""
    return rule.seen(host, page(host, words), around.here, around)


class TestFits:
    PROFILES = np.array([[3.0, 0.0], [0.0, 3.0]])
    SIZES = np.array([3.0, 3.0])

    def fits(self, *counts: float) -> np.ndarray[Any, Any]:
        words = Words(np.flatnonzero(counts), np.array([count for count in counts if count]))
        return fits(words, self.PROFILES, self.PROFILES.sum(axis=0), self.SIZES)

    def test_one_word_under_two_profiles(self) -> None:
        # Together they say 3 of either word, so each is half. Of 300 words each profile has 150 besides its own.
        assert self.fits(1.0, 0.0) == pytest.approx([log((3 + 150) / 303 * 2), log(150 / 303 * 2)])

    def test_is_the_mean_over_the_words(self) -> None:
        both = (3 * self.fits(1.0, 0.0) + self.fits(0.0, 1.0)) / 4
        assert self.fits(3.0, 1.0) == pytest.approx(both)

    def test_without_words_all_are_alike(self) -> None:
        assert self.fits(0.0, 0.0).tolist() == [0.0, 0.0]


class TestParted:
    def test_pages_that_are_alike_come_together(self) -> None:
        pages = [words_of(page("h", words)) for words in (FOOTBALL, COOKING, STARS) * 2]
        profiles = parted(pages, 3)
        groups = [profiles[:, each.buckets].sum(axis=1).argmax() for each in pages]
        assert groups[:3] == groups[3:]
        assert sorted(groups[:3]) == [0, 1, 2]

    def test_no_group_gets_more_than_half_again_its_share(self) -> None:
        pages = [words_of(page("h", FOOTBALL))] * 8
        words_each = len(FOOTBALL.split())
        assert parted(pages, 4).sum(axis=1).max() == words_each * int(1.5 * 8 / 4)


class TestBelongs:
    def test_to_those_with_the_same_words(self) -> None:
        rule, around = founded({A: FOOTBALL, B: COOKING, C: STARS}), Around()
        assert rule.belongs("c", page("c", COOKING), around) == B
        assert rule.belongs("f", page("f", FOOTBALL), around) == A

    def test_to_what_came_since_as_well(self) -> None:
        rule, around = founded({A: "", B: COOKING}), Around(names="ab")
        some(rule, around, "f", FOOTBALL)
        assert rule.belongs("g", page("g", FOOTBALL), around) == A
        rule.heard(B, {"profiles": {B: sealed(f"{COOKING} {FOOTBALL} {FOOTBALL} {FOOTBALL}")}})
        assert rule.belongs("g", page("g", FOOTBALL), around) == B

    def test_before_the_founding_all_stay(self) -> None:
        assert Alike().belongs("c", page("c", COOKING, links="x"), Around(homes={"x": C})) == A

    def test_without_words_to_where_its_links_lead(self) -> None:
        around = Around(homes={"x": C, "y": C, "z": B})
        assert founded({A: FOOTBALL}).belongs("new", page("new", links="x y z"), around) == C

    def test_without_words_and_links_it_stays(self) -> None:
        assert founded({B: FOOTBALL}).belongs("new", page("new"), Around(C)) == C

    def test_only_the_first_page_decides(self) -> None:
        rule, around = founded({A: FOOTBALL, B: COOKING}), Around(names="ab")
        some(rule, around, "h", FOOTBALL)
        assert rule.belongs("h", page("h", COOKING), around) == A

    def test_what_moved_stays(self) -> None:
        rule, around = founded({A: FOOTBALL, B: COOKING}), Around(names="ab")
        around.move("h", A)
        assert rule.belongs("h", page("h", COOKING), around) == A

    def test_what_came_before_the_founding_is_decided_by_its_next_page_unless_it_is_late(self) -> None:
        rule, around = Alike(), Around(C)
        for host, pages in (("few", LATE - 1), ("many", LATE)):
            for _ in range(pages):
                some(rule, around, host, COOKING)
        rule.heard(A, {"profiles": {A: sealed(FOOTBALL), B: sealed(COOKING), C: sealed(STARS)}})
        assert rule.belongs("few", page("few", COOKING), around) == B
        assert rule.belongs("many", page("many", COOKING), around) == C

    def test_who_was_given_its_share_gets_no_more(self) -> None:
        rule, around = founded({A: FOOTBALL}), Around(names="ab")
        for number in range(int((1 + SLACK) * FEW)):
            some(rule, around, f"f{number}", FOOTBALL)
        assert rule.belongs("f", page("f", FOOTBALL), around) == B


class TestTold:
    def test_the_first_pages_to_who_makes_the_founding(self) -> None:
        rule, around = Alike(), Around(B)
        told = some(rule, around, "h", FOOTBALL)
        assert list(told) == [A]
        assert some(rule, around, "h", COOKING) == {}

    def test_how_profiles_begin_once_there_are_two_pages_a_node(self) -> None:
        founder, around = Alike(), Around()
        hearer = Alike()
        for number in range(FOUNDING * 3 - 1):
            words = (FOOTBALL, COOKING, STARS)[number % 3]
            if number % 2:
                founder.heard(B, some(Alike(), Around(B), f"h{number}", words)[A])
            else:
                assert some(founder, around, f"h{number}", words) == {}
        told = some(founder, around, "last", STARS)
        assert list(told) == [B, C]
        hearer.heard(A, told[C])
        lives = [hearer.belongs("new", page("new", words), Around(C)) for words in (FOOTBALL, COOKING, STARS)]
        assert sorted(lives) == [A, B, C]

    def test_the_own_profile_whenever_its_pages_have_doubled(self) -> None:
        rule, around = founded({A: FOOTBALL}), Around()
        told = [number for number in range(1, 20) if some(rule, around, f"h{number}", FOOTBALL)]
        assert told == [4, 8, 16]

    def test_by_who_gets_a_host_as_well(self) -> None:
        around, origin = Around(B), Origin(node=A, life="1", number=1)
        around.move("h", B)
        rule = founded({A: COOKING})
        for number in range(TELLS - 1):
            some(rule, around, f"h{number}", FOOTBALL)
        told = rule.seen("h", page("h", FOOTBALL, origin=origin), B, around)
        assert list(told) == [A, C]

    def test_not_by_who_gave_it_away(self) -> None:
        assert founded({B: FOOTBALL}).seen("h", page("h", FOOTBALL), B, Around(A)) == {}

    def test_one_node_alone_tells_nobody(self) -> None:
        assert some(Alike(), Around(names="a"), "h", FOOTBALL) == {}

    @pytest.mark.parametrize("count", [1, 7, 1000, 10**6])
    def test_counts_are_told_within_a_sixteenth_of_their_logarithm(self, count: int) -> None:
        rule = Alike()
        counts = np.zeros(BUCKETS)
        counts[5] = count
        rule.heard(B, {"profiles": {B: sealed_profile(counts)}})
        profile = rule._profile(B, A)
        assert np.flatnonzero(profile).tolist() == [5]
        assert exp(-1 / 32) <= (1 + profile[5]) / (1 + count) <= exp(1 / 32)

    def test_a_thousand_words_take_less_than_two_kilobytes(self) -> None:
        assert len(sealed(" ".join(f"word{number}" for number in range(1000)))) < 2_000
