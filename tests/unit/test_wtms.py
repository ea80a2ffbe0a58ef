"""WTMS: the target vector worked by hand, the threshold, and pages that are passed through."""

from __future__ import annotations

import math

import pytest
from tests.worlds import lease, made_page, make_crawl, u

from lycosa.crawl.inputs import Examples, Query
from lycosa.model.commands import Enqueue
from lycosa.model.errors import InputError
from lycosa.model.records import Link, Millis, Request
from lycosa.strategies.wtms import Wtms

APPLE = Query(terms={"appl": 1})


def asked(strategy: Wtms, text: str, via: str = "start", name: str = "p") -> list[tuple[str, float, int]]:
    """What a page that was found on `via` puts in, with score and tier."""
    request = Request(url=u(name), order=1, via=Link(source=u(via), target=u(name)))
    found = strategy.on_page(made_page(request, u("x"), u("x"), text=text), None)  # type: ignore[arg-type]
    return [(each.url, each.score, each.tier) for each in found if isinstance(each, Enqueue)]


def test_the_target_is_the_mean_of_examples_and_words() -> None:
    """Examples (pear, pear) and (apple, pear) of length 1, and the query apple: their mean."""
    examples = Examples(pages=({"pear": 2}, {"appl": 1, "pear": 1}))
    target = Wtms(examples, APPLE).target
    half = 1 / math.sqrt(2)
    assert target == pytest.approx({"pear": (1 + half) / 3, "appl": (half + 1) / 3})


def test_links_have_the_similarity_of_their_page() -> None:
    """apple ×2 and pear: (1 + ln 2) / √((1 + ln 2)² + 1)."""
    weight = 1 + math.log(2)
    assert asked(Wtms(None, APPLE), "apple apples pear") == [
        (u("x"), pytest.approx(weight / math.hypot(weight, 1)), 0)
    ]


def test_nothing_from_below() -> None:
    """apple among three other words: 1 / √4."""
    assert asked(Wtms(None, APPLE, threshold=0.5), "apple pear plum cherry") == [(u("x"), 0.5, 0)]
    assert asked(Wtms(None, APPLE, threshold=0.51), "apple pear plum cherry") == []


def test_start_pages_are_kept_whatever_they_say() -> None:
    crawl = make_crawl(Wtms(None, APPLE))
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("a"), text="pear"), Millis(0))
    assert list(crawl.frontier.keys()) == [u("a")]


def test_so_many_pages_below_are_passed_through_after_all_others() -> None:
    strategy = Wtms(None, APPLE, tolerance=2)
    assert asked(strategy, "pear", "s", "a") == [(u("x"), 0.0, 1)]
    assert asked(strategy, "pear", "a", "b") == [(u("x"), 0.0, 1)]
    again = Wtms(None, APPLE, tolerance=2)
    again.load(strategy.save())
    assert asked(again, "pear", "b", "c") == []
    assert asked(again, "apple", "b", "c") == [(u("x"), 1.0, 0)]
    assert asked(again, "pear", "c", "d") == [(u("x"), 0.0, 1)]  # c was kept: counted anew


def test_without_a_target_there_is_nothing_to_do() -> None:
    with pytest.raises(InputError, match="needs a target"):
        Wtms(None, None)
