"""Several journals, and several indexes, that are one collection."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.trials import trials
from tests.worlds import failed, made_page, u

from lycosa.model.events import Entry
from lycosa.model.records import Millis, Reason, Request
from lycosa.model.url import Url
from lycosa.store.distinct import Distinct
from lycosa.store.full_text import TextIndex, Vocabulary
from lycosa.store.history import History
from lycosa.store.journal import Journal
from lycosa.store.query import match_of, phrases_of

Visits = Sequence[tuple[int, str, int, bool]]
"""At which journal, which URL, when, and whether it brought the page."""

VISITS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from("abcd"), st.integers(1, 9), st.booleans()), max_size=20
)


def journals(place: Path, visits: Visits, opened: ExitStack) -> list[Journal]:
    made = [Journal(place / f"{number}.db") for number in range(3)]
    for number, name, at, is_page in visits:
        journal = made[number]
        request = Request(url=u(name), order=0)
        event = (
            made_page(request, fetched_at=Millis(at))
            if is_page
            else replace(failed(request, Reason.STATUS, 404), at=Millis(at))
        )
        journal.append(Entry(step=journal.last_step + 1, at=Millis(at), leased=(), event=event))
    for journal in made:
        journal.close()
    read = [Journal(each.path, read_only=True) for each in made]
    for journal in read:
        opened.callback(journal.close)
    return read


def expected(visits: Visits, name: str, at: int | None) -> int | None:
    """The journal that counts, by looking at everything: the latest page, or else the latest failure."""
    then = [
        (is_page, when, journal)
        for journal, other, when, is_page in visits
        if other == name and (at is None or when <= at)
    ]
    return max(then)[2] if then else None


class TestDistinct:
    @settings(max_examples=trials(12))
    @given(visits=VISITS, at=st.none() | st.integers(0, 10))
    def test_one_counts(self, visits: Visits, at: int | None) -> None:
        with TemporaryDirectory() as place, ExitStack() as opened:
            distinct = Distinct([each.history for each in journals(Path(place), visits, opened)])
            for name in "abcd":
                had_by = {
                    journal
                    for journal, other, when, _ in visits
                    if other == name and (at is None or when <= at)
                }
                counting = [
                    journal
                    for journal in had_by
                    if distinct.counts(journal, u(name), None if at is None else Millis(at))
                ]
                if had_by:
                    assert counting == [expected(visits, name, at)]

    @settings(max_examples=trials(12))
    @given(visits=VISITS)
    def test_nothing_twice(self, visits: Visits) -> None:
        with TemporaryDirectory() as place, ExitStack() as opened:
            read = journals(Path(place), visits, opened)
            distinct = Distinct([each.history for each in read])
            for number, journal in enumerate(read):
                journal.pass_over(list(distinct.passed_over(number)))
            left = [url for journal in read for url in _urls(journal.history)]
            assert sorted(left) == sorted({u(name) for _, name, _, _ in visits})


def _urls(history: History) -> set[Url]:
    return {url for url, *_ in history.outcomes()}


WORDS = st.lists(st.sampled_from(["wolf", "spider", "web", "crawl", "orb", "hunt"]), min_size=1, max_size=12)
PAGES = st.lists(st.tuples(st.integers(0, 2), WORDS, WORDS), min_size=1, max_size=15)
QUERIES = st.sampled_from(
    [
        "wolf",
        "wolf spider",
        '"wolf spider"',
        "spider OR orb",
        "web -hunt",
        "cra*",
        "wolf wolf",
        '"orb hunt" OR web',
    ]
)


class TestVocabulary:
    @settings(max_examples=trials(40))
    @given(pages=PAGES, query=QUERIES)
    def test_ranks_as_of_one_index(self, pages: list[tuple[int, list[str], list[str]]], query: str) -> None:
        expression = match_of(query)
        phrases = phrases_of(expression)
        entries = [
            (of, (step, u(f"p{step}"), " ".join(title), " ".join(text)))
            for step, (of, title, text) in enumerate(pages, 1)
        ]
        with TemporaryDirectory() as place, ExitStack() as opened:
            whole = opened.enter_context(TextIndex(Path(place) / "whole.db"))
            whole.add([entry for _, entry in entries])
            parts = [opened.enter_context(TextIndex(Path(place) / f"{n}.db")) for n in range(3)]
            for number, part in enumerate(parts):
                part.add([entry for of, entry in entries if of == number])
            together = sum((part.vocabulary(phrases) for part in parts), Vocabulary())
            found = {
                step: rank
                for part in parts
                for step, rank in part.ranked_by(expression, phrases, together, 100)
            }
            assert together == whole.vocabulary(phrases)
            assert found == pytest.approx({hit.step: hit.rank for hit in whole.search(query, 100)}, rel=1e-6)
