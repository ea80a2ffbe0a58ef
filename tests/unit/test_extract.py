"""Extracts by hand, beside FTS5's own, and of pages that were made to take its time."""

from __future__ import annotations

import random
import sqlite3
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.store.extract import WORDS, extract, shortened

FILL = " ".join(f"w{number}" for number in range(100))


@pytest.mark.parametrize(
    ("marked", "told"),
    [
        ("", ""),
        ("no word was found", "no word was found"),
        ("hunting for roots by «bisection» and Newton.", "hunting for roots by «bisection» and Newton."),
        (f"{FILL} «a» b", f"…{' '.join(f'w{n}' for n in range(70, 100))} «a» b"),
        (f"«a» {FILL}", f"«a» {' '.join(f'w{n}' for n in range(31))}…"),
        (
            f"«a» {FILL}. Then «a» and «b». {FILL}",
            f"…Then «a» and «b». {' '.join(f'w{n}' for n in range(28))}…",
        ),
    ],
)
def test_by_hand(marked: str, told: str) -> None:
    assert extract(marked) == told


def test_two_words_beat_one_that_is_repeated_and_marks_are_whole() -> None:
    rng = random.Random(5)
    for _ in range(200):
        words = [rng.choice(["«a»", "«b c»", "d", "e.", "f"]) for _ in range(rng.randrange(1, 200))]
        text = " ".join(words)
        told = extract(text)
        assert told.count("«") == told.count("»")
        assert told.strip("…").replace("«", "").replace("»", "") in text.replace("«", "").replace("»", "")
        assert len(told.strip("…").replace("«", " ").replace("»", " ").split()) <= WORDS
        assert ("«" in told) == ("«" in text)
    once = f"«a» «a» «a» {FILL} {FILL} «a» x «b» {FILL}"
    assert "«b»" in extract(once)


def test_as_fts5_chooses() -> None:
    """Of texts without sentences, where one word is looked for."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (text)")
    rng = random.Random(7)
    for trial in range(60):
        text = " ".join(rng.choices(["bees", *FILL.split()[:30]], k=rng.randrange(40, 300)))
        connection.execute("DELETE FROM texts")
        connection.execute("INSERT INTO texts VALUES (?)", (text,))
        ask = "SELECT {}(texts, 0, '«', '»'{}) FROM texts WHERE texts MATCH 'bees'"
        found = connection.execute(ask.format("highlight", "")).fetchone()
        if found is None:
            continue
        (own,) = connection.execute(ask.format("snippet", ", '…', 32")).fetchone()
        assert abs(extract(found[0]).count("«") - own.count("«")) == 0, trial


def test_time_grows_with_the_text_alone() -> None:
    began = time.process_time()
    assert extract("«bees» " * 1_000_000).count("«bees»") == WORDS
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("most", "told"),
    [
        (40, "…the «wolf» hunts at «night»…"),
        (29, "…the «wolf» hunts at «night»…"),
        (28, "…the «wolf» hunts at…"),
        (12, "…the «wolf»…"),
        (11, "…the…"),
        (5, "…the…"),
        (1, ""),
        (0, ""),
    ],
)
def test_an_extract_is_cut_between_words(most: int, told: str) -> None:
    assert shortened("…the «wolf» hunts at «night»…", most) == told


def test_an_extract_without_blanks_is_cut_within_a_mark() -> None:
    assert shortened("蜘蛛«結網捕食»昆蟲", 7) == "蜘蛛«結網»…"


EXTRACTS = st.lists(st.sampled_from(["«a»", "«bc d»", "ef", " ", ".", "…", "蜘蛛"]), max_size=30).map("".join)


@given(EXTRACTS, st.integers(0, 60))
def test_no_longer(text: str, most: int) -> None:
    assert len(shortened(text, most)) <= most


@given(EXTRACTS, st.integers(0, 60))
def test_balanced(text: str, most: int) -> None:
    marks = [sign for sign in shortened(text, most) if sign in "«»"]
    assert marks == ["«", "»"] * (len(marks) // 2)
