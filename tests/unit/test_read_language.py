"""The language of a page, by its own word and by its text."""

from __future__ import annotations

import pytest

from lycosa.read.language import detect, language

ENGLISH = "Spiders hunt by night and wait for the tremble of a thread in the corner of the web."
GERMAN = "Die Spinne wartet in der Ecke ihres Netzes, bis sich ein Faden bewegt und die Beute gefangen ist."


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        ("L'araignée attend dans un coin de sa toile que le fil tremble et que la proie soit prise.", "fr"),
        ("Паук ждёт в углу своей паутины, пока не задрожит нить и не попадётся добыча.", "ru"),
        ("蜘蛛は巣の隅で糸が震えるのを待っている。獲物がかかるとすぐに走り寄る。", "ja"),
        ("too short", ""),
        ("", ""),
    ],
)
def test_detection(text: str, code: str) -> None:
    assert detect(text) == code


@pytest.mark.parametrize(
    ("text", "declared", "code"),
    [
        (GERMAN, "de-AT", "de"),
        (GERMAN, "DE", "de"),
        (ENGLISH, "en_US", "en"),
        # Templates say "en" of everything.
        (GERMAN, "en", "de"),
        (GERMAN, "en-US", "de"),
        (GERMAN, "und", "de"),
        (GERMAN, "German (Austria)", "de"),
        (GERMAN, "deu", "de"),
        ("short", "en", "en"),
        ("1 2 3 4 5 6 7 8 9 10 11 12", "pt", "pt"),
    ],
)
def test_the_page_is_believed_unless_english_is_doubtful(text: str, declared: str, code: str) -> None:
    assert language(text, declared) == code
