"""What nodes tell one another of a topic: what is chosen, how big it is, what it comes to."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np
import pytest
from tests.sharers import NAMES
from tests.worlds import made_page, u

from lycosa.model.records import Page, Request
from lycosa.model.url import Host, Url
from lycosa.scoring.links.smoothing import distinguishing_terms
from lycosa.sharing.lessons import (
    MOST_BEST,
    MOST_HOSTS,
    MOST_TERMS,
    Best,
    Harvest,
    Lesson,
    Lessons,
    Notes,
    lesson,
)

A, B = NAMES[:2]


def page(name: str, text: str, relevance: float = 0.0) -> Page:
    return made_page(Request(url=u(name), order=0), text=text, relevance=relevance)


def test_what_a_node_tells() -> None:
    notes = Notes(["spider", "moth"])
    notes.see(page("a/1", "spider silk menu", 0.5), 2.0)
    notes.see(page("a/2", "spider spider menu", 0.25), 3.0)
    notes.see(page("b/1", "menu silk"), 0.0)
    assert notes.lesson(A, 7) == Lesson(
        node=A,
        number=7,
        pages=3,
        holding={"spider": 2, "moth": 0, "silk": 2, "menu": 3},
        best=(
            Best(url=u("a/2"), worth=3.0, terms=("menu", "spider")),
            Best(url=u("a/1"), worth=2.0, terms=("menu", "silk", "spider")),
            Best(url=u("b/1"), worth=0.0, terms=("menu", "silk")),
        ),
        hosts={Host("a.test"): Harvest(2, 0.75), Host("b.test"): Harvest(1, 0.0)},
    )


def test_of_a_page_that_another_node_has_too_the_better_word_holds() -> None:
    lessons = Lessons()
    for node, worth in ((A, 1.0), (B, 4.0)):
        notes = Notes()
        notes.see(page("a/1", "silk"), worth)
        lessons.hear(notes.lesson(node, 1))
    assert lessons.best() == [Best(url=u("a/1"), worth=4.0, terms=("silk",))]
    assert lessons.harvest(Host("a.test")) == Harvest(2, 0.0)
    lessons.forget(B)
    assert lessons.best()[0].worth == 1.0


def test_who_tells_nothing_of_a_term_is_not_counted() -> None:
    lessons = Lessons()
    for node, text in ((A, "silk"), (B, "menu")):
        notes = Notes()
        notes.see(page("a/1", text), 1.0)
        notes.see(page("a/2", ""), 1.0)
        lessons.hear(notes.lesson(node, 1))
    assert lessons.holding("silk") == (1, 2)
    assert lessons.holding("moth") == (0, 0)


def test_a_lesson_is_bounded() -> None:
    """As much as there can be of each, with long words: what the bounds promise is what they hold."""
    words = [f"word{number:05}" + "x" * 11 for number in range(3000)]
    best = [
        Best(url=Url(f"http://{'h' * 60}.test/{number}"), worth=float(number), terms=tuple(words[number::2]))
        for number in range(50)
    ]
    hosts = {Host(f"{'h' * 60}{number}.test"): Harvest(number, 1.0) for number in range(500)}
    made = lesson(A, 1, 10**6, lambda term: 1000, best, hosts, ["spider"])
    assert len(made.best) == MOST_BEST
    assert made.best[0].url.endswith("/49")
    assert len(made.holding) == MOST_TERMS
    assert made.holding["spider"] == 1000
    assert len(made.hosts) == MOST_HOSTS
    assert min(of.pages for of in made.hosts.values()) == 400
    assert all(set(one.terms) <= set(made.holding) for one in made.best)
    assert len(msgspec.msgpack.encode(made)) < 200_000


def test_the_words_that_matter_are_kept() -> None:
    """Words of many best pages and few others come before those that all pages have, and those of one page."""
    common = [f"common{number}" for number in range(MOST_TERMS)]
    seldom = [f"seldom{number}" for number in range(MOST_TERMS)]
    frequency = Counter({**dict.fromkeys(common, 1000), **dict.fromkeys(seldom, 10), "silk": 20, "fang": 20})
    best = [
        Best(url=u(f"a/{n}"), worth=1.0, terms=("fang", "silk", *common, *seldom[20 * n : 20 * n + 20]))
        for n in range(20)
    ]
    made = lesson(A, 1, 1000, frequency.__getitem__, best, {})
    assert list(made.holding)[:2] == ["fang", "silk"]
    assert made.best[0].terms[:2] == ("fang", "silk")


def test_four_nodes_know_what_one_would() -> None:
    """The terms that tell the best pages from all others, from four lessons and from all pages."""
    chance = np.random.default_rng(3)
    vocabulary = [f"t{number}" for number in range(200)]
    topical = chance.random(2000) < 0.1
    pages, worths = [], []
    for number, on_topic in enumerate(topical.tolist()):
        share = np.where(np.arange(200) < 15, 0.6 if on_topic else 0.05, 0.1)
        has = chance.random(200) < share
        words = {term: 1 for term, there in zip(vocabulary, has.tolist(), strict=True) if there}
        pages.append(made_page(Request(url=u(f"h{number % 40}/{number}"), order=0), terms=words))
        worths.append(float(on_topic) + chance.random())
    one, four = Notes(), [Notes() for _ in range(4)]
    for number, (made, worth) in enumerate(zip(pages, worths, strict=True)):
        one.see(made, worth)
        four[number % 40 % 4].see(made, worth)
    alone, lessons = Lessons(), Lessons()
    alone.hear(one.lesson(A, 1))
    for node, notes in zip(NAMES[:4], four, strict=True):
        lessons.hear(notes.lesson(node, 1))
    assert lessons.best() == alone.best()
    learned, wanted = telling(lessons), telling(alone)
    assert set(vocabulary[:15]) <= set(learned)
    assert (
        sorted(learned, key=lambda term: -learned[term])[:15]
        == sorted(wanted, key=lambda term: -wanted[term])[:15]
    )
    assert learned == pytest.approx({term: wanted.get(term, 0.0) for term in learned}, abs=0.05)


def telling(lessons: Lessons) -> dict[str, float]:
    """As the hunter learns words, from what was told alone."""
    terms, best = lessons.terms(), lessons.best()
    holding = np.array([sum(term in one.terms for one in best) for term in terms], np.float64)
    told = [lessons.holding(term) for term in terms]
    frequencies = np.array([lessons.pages * having / of for having, of in told], np.float64)
    found = distinguishing_terms(holding, len(best), frequencies, lessons.pages, 60, 0.15)
    return {term: weight for term, weight in zip(terms, found.tolist(), strict=True) if weight}
