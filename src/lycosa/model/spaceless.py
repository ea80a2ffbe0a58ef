"""Scripts that write words without blanks between them: Chinese, Japanese, Thai, Lao, Burmese, Khmer.

A sign is a letter of them with its marks. No sign tells where words begin and end, and no dictionary has them all. So
terms are overlapping runs of signs, by which pages are found about as well as by words (Nie, Gao, Zhang and Zhou, "On
the use of words and n-grams for Chinese information retrieval", IRAL 2000): two signs of Han and kana, three of the
alphabets. `benchmarks/spaceless.py` compares them. Tibetan parts its syllables by a point, which counts as a blank.
"""

from __future__ import annotations

import re
import sys
from functools import cache, lru_cache
from itertools import islice
from typing import Final

SEAM: Final = "\u200b"
"""A blank without width: it parts words for an index, and can be taken out again."""

SIGNS_A_WORD: Final = 2
"""So many signs count for a word where words are counted. Ours: words of Chinese and Japanese have 1.5 to 2.5."""

LONG: Final = 1_000
"""Letters of a text of which it is remembered whether such signs stand in it."""

LETTERS_A_WORD: Final = 16
"""Within so many for each word asked for, a text that has as many words has them nearly always."""

_HAN_AND_KANA: Final = (
    "(?:[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u3099-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff])"
)
_ALPHABETS: Final = (  # Thai, Lao, Burmese, Khmer, each letter with its marks
    "(?:[\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff]"
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3]*)"
)
_EITHER: Final = f"(?:{_HAN_AND_KANA}|{_ALPHABETS})"
_ASCII = bytes(range(128))


# Compiled when they are first needed: that takes longer than all else here, and most texts need none of them.
@cache
def _sign() -> re.Pattern[str]:
    return re.compile(_EITHER)


@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"({_HAN_AND_KANA}+)|{_ALPHABETS}+")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(f"{_EITHER}{{1,{SIGNS_A_WORD}}}|(?!{_EITHER})\\w(?:(?!{_EITHER})\\S)*")


def is_spaceless(text: str) -> bool:
    """Whether a sign of such a script stands in a text."""
    if text.isascii():
        return False
    return _holds_a_sign(text) if len(text) < LONG else _long_holds_a_sign(text)


def _holds_a_sign(text: str) -> bool:
    others = text.encode("utf-8", "replace").translate(None, _ASCII).decode("utf-8")
    return _sign().search(others) is not None


_long_holds_a_sign = lru_cache(maxsize=1)(_holds_a_sign)  # of a page that is asked several times in a row


def signs_of(text: str) -> list[str]:
    """The signs of such scripts in a text, in their order."""
    return _sign().findall(text)


def grams_of(text: str) -> list[str]:
    """The terms of a text without blanks: overlapping runs of two signs, or of three in an alphabet, and what lies
    between as it is. Where fewer signs stand together they are one term.

    >>> grams_of("狼蜘蛛"), grams_of("第3章"), grams_of("ชาดำ")
    (['狼蜘', '蜘蛛'], ['第', '3', '章'], ['ชาด', 'าดำ'])
    """
    pieces: list[str] = []
    at = 0
    for run in _run().finditer(text):
        if at < run.start():
            pieces.append(text[at : run.start()])
        signs = _sign().findall(run.group())
        size = min(2 if run[1] else 3, len(signs))
        pieces += ["".join(signs[place : place + size]) for place in range(len(signs) - size + 1)]
        at = run.end()
    if at < len(text):
        pieces.append(text[at:])
    return pieces


def is_short(term: str) -> bool:
    """Whether a term has fewer signs than a run, so that it is none where other signs stand beside it."""
    run = _run().fullmatch(term)
    return run is not None and len(signs_of(term)) < (2 if run[1] else 3)


def spaced(text: str) -> str:
    """The text with a seam around each sign of such a script."""
    return _sign().sub(f"{SEAM}\\g<0>{SEAM}", text.replace(SEAM, "")) if is_spaceless(text) else text


def unspaced(text: str) -> str:
    """The text without seams."""
    return text.replace(SEAM, "")


def with_blanks(text: str) -> str:
    """The text with a blank around each sign, so that each is a word."""
    return _sign().sub(r" \g<0> ", text) if is_spaceless(text) else text


def word_count(text: str, most: int = sys.maxsize) -> int:
    """How many words a text has, at most `most`: what stands between blanks, and SIGNS_A_WORD signs for one. Points
    between signs are none.

    >>> word_count("wolf spider"), word_count("狼蜘蛛结网"), word_count("GPU加速")
    (2, 3, 2)
    """
    if not is_spaceless(text):
        begins = text[: LETTERS_A_WORD * most]
        if len(begins) < len(text) and _words_between_blanks(begins, most) == most:
            return most  # so that the rest need not be looked at
        return _words_between_blanks(text, most)
    return sum(1 for _ in islice(_word().finditer(text), most))


def _words_between_blanks(text: str, most: int) -> int:
    if len(text) < LONG or not text.isascii():
        return len(text.split(None, most)[:most])
    import numpy as np

    letters = np.frombuffer(text.encode(), np.uint8)
    blank = (letters - np.uint8(9) < 5) | (letters - np.uint8(28) < 5)  # as `str.isspace` has them
    begun = np.count_nonzero(blank[:-1] > blank[1:]) + (not blank[0])
    return min(int(begun), most)


def first_words(text: str, number: int) -> str:
    """So many words of a text from its beginning, as `word_count` counts them."""
    ends = [word.end() for word in islice(_word().finditer(text), number)]
    return text[: ends[-1]] if ends else ""


def last_words(text: str, number: int) -> str:
    """So many words of a text up to its end; number is at least 1."""
    starts = [word.start() for word in _word().finditer(text)]
    return text[starts[-number] :] if len(starts) > number else text
