"""The language of a page, by its own word and by its text."""

from __future__ import annotations

import pytest

from lycosa.model.errors import InputError
from lycosa.read.language import detect, language, probability, told
from lycosa.read.language_names import language_code

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
        (f"{GERMAN} Spider and Fly. {GERMAN} {GERMAN} {GERMAN}", "en", "de"),
        (f"Home from the Web. {GERMAN} {GERMAN} {GERMAN}", "en-GB", "de"),
        (f"{ENGLISH} {GERMAN} {ENGLISH}", "en", "en"),
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


@pytest.mark.parametrize(
    "text", [ENGLISH, GERMAN, f"{ENGLISH} {GERMAN} {ENGLISH}", "1 2 3 4 5 6 7 8 9 10 11 12", "short", ""]
)
@pytest.mark.parametrize("declared", ["", "en", "de-AT", "pt", "und", "deu"])
def test_the_model_is_asked_once_for_what_it_would_say_of_both(text: str, declared: str) -> None:
    code = language(text, declared)
    assert told(text, declared) == (code, probability(text, code) if code else 0.0)


NUMBERS = " ".join(f"{n} Kuala Lumpur {n}.5 km² Selangor;" for n in range(200))


def test_english_prose_is_told_without_the_page_s_word_though_its_middle_looks_otherwise() -> None:
    text = f"{' '.join([ENGLISH] * 8)}\n{NUMBERS}"
    assert detect(text) != "en"
    assert language(text) == "en"
    assert language(f"{ENGLISH}\n{GERMAN} {GERMAN} {GERMAN} {GERMAN}") == "de"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        *(("DE", "de"), ("en_US", "en"), ("zh-Hant-TW", "zh"), ("deu", "de"), ("ceb", "ceb")),
        *(("german", "de"), ("Deutsch", "de"), ("中文", "zh"), ("  haitian  CREOLE ", "ht")),
        *(("Norwegian Bokmål", "nb"), ("ไทย", "th"), ("ελληνικά", "el")),
    ],
)
def test_languages_have_codes_and_names(name: str, code: str) -> None:
    assert language_code(name) == code


@pytest.mark.parametrize(
    ("name", "hint"),
    [("germann", "did you mean 'de' (german)?"), ("xx", "give a code"), ("", "give a code"), ("klingon", "")],
)
def test_an_unknown_language_is_refused_with_the_closest(name: str, hint: str) -> None:
    with pytest.raises(InputError) as told:
        language_code(name)
    assert hint in str(told.value)
