"""Hosts that are alike live together: what decides where a host should live."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from tests.settlers import Around, page

from lycosa.model.nodes import Node, Origin
from lycosa.sharing.alike import FEW, SLACK, Alike, fits

A, B, C = map(Node, "abc")


def lives(rule: Alike, around: Around, host: str, words: str) -> bytes | None:
    """A first page came, and its host stays."""
    return rule.seen(host, page(host, words), around.here, around)


FOOTBALL = "goal ball team match league cup player referee"
COOKING = "oven flour butter sugar recipe kitchen dough bake"


class TestFits:
    def test_one_word_under_two_profiles(self) -> None:
        # All together say 3.5 of either word: 1/2. Of 300 words each profile has 150 besides its own.
        found = fits(np.array([0]), np.array([1.0]), np.array([[3.0, 0.0], [0.0, 3.0]]))
        assert found == pytest.approx([log((3 + 150) / 303 * 2), log(150 / 303 * 2)])

    def test_is_the_mean_over_the_words(self) -> None:
        profiles = np.array([[3.0, 0.0], [0.0, 3.0]])
        first, second = (fits(np.array([word]), np.array([1.0]), profiles) for word in (0, 1))
        both = fits(np.array([0, 1]), np.array([3.0, 1.0]), profiles)
        assert both == pytest.approx((3 * first + second) / 4)

    def test_without_words_all_are_alike(self) -> None:
        assert fits(np.array([], np.intp), np.array([]), np.ones((2, 3))).tolist() == [0.0, 0.0]


class TestBelongs:
    def test_to_those_with_the_same_words(self) -> None:
        here, there, around = Alike(), Alike(), Around()
        lives(here, around, "f1", FOOTBALL)
        told = lives(there, Around(B), "c1", COOKING)
        assert told is not None
        here.heard(B, told)
        assert here.belongs("c2", page("c2", COOKING), around) == B
        assert here.belongs("f2", page("f2", FOOTBALL), around) == A

    def test_to_who_has_nothing_rather_than_to_who_has_other_things(self) -> None:
        rule, around = Alike(), Around(names="ab")
        lives(rule, around, "f1", FOOTBALL)
        assert rule.belongs("c1", page("c1", COOKING), around) == B

    def test_without_words_to_where_its_links_lead(self) -> None:
        around = Around(homes={"x": C, "y": C, "z": B})
        assert Alike().belongs("new", page("new", links="x y z"), around) == C

    def test_without_words_and_links_it_stays(self) -> None:
        assert Alike().belongs("new", page("new"), Around(B)) == B

    def test_where_all_are_alike_it_stays(self) -> None:
        assert Alike().belongs("new", page("new", FOOTBALL), Around(C)) == C

    def test_only_the_first_page_decides(self) -> None:
        rule, around = Alike(), Around(names="ab")
        lives(rule, around, "h", FOOTBALL)
        assert rule.belongs("h", page("h", COOKING), around) == A

    def test_what_moved_stays(self) -> None:
        rule, around = Alike(), Around(names="ab")
        lives(rule, around, "f1", FOOTBALL)
        around.move("h", A)
        assert rule.belongs("h", page("h", COOKING), around) == A

    def test_who_was_given_its_share_gets_no_more(self) -> None:
        rule, around = Alike(), Around(names="ab")
        most = int((1 + SLACK) * 2 * FEW / 2)
        for number in range(most):
            rule.seen(f"f{number}", page(f"f{number}", FOOTBALL), A, around)
        assert rule.belongs("f", page("f", FOOTBALL), around) == B


class TestTold:
    def test_whenever_first_pages_have_doubled(self) -> None:
        rule, around = Alike(), Around()
        told = [number for number in range(1, 20) if lives(rule, around, f"h{number}", FOOTBALL)]
        assert told == [1, 2, 4, 8, 16]

    def test_by_who_gets_a_host_as_well(self) -> None:
        around, origin = Around(B), Origin(node=A, life="1", number=1)
        around.move("h", B)
        assert Alike().seen("h", page("h", FOOTBALL, origin=origin), B, around) is not None

    def test_not_by_who_gave_it_away(self) -> None:
        assert Alike().seen("h", page("h", FOOTBALL), B, Around(A)) is None

    def test_counts_are_told_within_a_sixteenth_of_their_logarithm(self) -> None:
        teller, hearer, around = Alike(), Alike(), Around()
        told = lives(teller, Around(B), "h", "word " * 1000)
        assert told is not None
        hearer.heard(B, told)
        profile = hearer._profile(B, around)
        assert np.count_nonzero(profile) == 1
        assert exp(-1 / 32) <= (1 + profile.max()) / 1001 <= exp(1 / 32)

    def test_a_thousand_words_take_less_than_two_kilobytes(self) -> None:
        told = lives(Alike(), Around(), "h", " ".join(f"word{number}" for number in range(1000)))
        assert told is not None
        assert len(told) < 2_000
