"""Names of people, as papers write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

_PARTICLES: Final = frozenset({
    "de", "del", "della", "der", "den", "di", "da", "do", "dos", "du", "la", "le", "van", "von", "zu", "ten", "ter",
    "el", "al", "bin", "ben", "st", "y", "e",
})  # fmt: skip
_SUFFIX: Final = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"})
_NOT_OF_NAMES = re.compile(
    r"\b(?:univer\w+|institut\w*|instytut|dep(?:t|artment)\w*|laborator\w+|labs?|college|school|facult\w+"
    r"|cent(?:er|re|ro)|research|corporation|company|inc|ltd|gmbh|group|team|society|academy|hospital|division"
    r"|polytechni\w+|politecnico|technolog\w+|sciences?|engineering|systems?|google|microsoft|ibm|yahoo|facebook"
    r"|state|street|avenue|road|box|city|usa|uk|germany|france|italy|spain|china|japan|canada|india|australia"
    r"|netherlands|switzerland|israel|california|texas|new york|email|e-mail|contact|corresponding|and others"
    r"|member|fellow|ieee|acm|press|journal|report|proceedings|conference|submitted|accepted|received|version|draft"
    r"|preprint|abstract|introduction|keywords|january|february|march|april|may|june|july|august|september|october"
    r"|november|december)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"(?:[\d∗*†‡§¶♯♠♦⋆✉\[\]()]|,(?=\s*\d)|(?<=\d),)+")
_AND = re.compile(r"\s*(?:;|•|·|\band\b|\bAND\b|&|\bund\b|\bet\b(?! al)|\by\b(?= [A-ZÁÉÍÓÚ]))\s*")
_INITIALS = re.compile(r"(?:[A-ZÀ-ÞŠŽŁ]\.?[- ]?){1,4}")
_WORD = re.compile(r"[^\W\d_]+(?:['’`-][^\W\d_]+)*|[^\W\d_]{1,3}\.")


def names_in(text: str) -> tuple[list[str], float]:
    """The names in a list of people, and the share of its parts that are names. `Pant, G., Menczer, F.` gives
    `G. Pant` and `F. Menczer`. None from what names places or bodies."""
    plain = " ".join(_MARKS.sub(" , ", text).split())
    if "@" in text or _NOT_OF_NAMES.search(plain):
        return [], 0.0
    parts = [part for piece in _AND.split(plain) for part in _people(piece)]
    found = [part for part in parts if is_name(part)]
    return found, len(found) / len(parts) if parts else 0.0


def _people(piece: str) -> list[str]:
    """The parts between commas, those together that are family name and initials."""
    parts = [part.strip() for part in piece.split(",") if part.strip()]
    found: list[str] = []
    waiting = ""
    for part in parts:
        if waiting and _INITIALS.fullmatch(part) and (len(part) == 1 or "." in part):
            found.append(f"{part} {waiting}")
            waiting = ""
        elif part.lower() in _SUFFIX:
            continue
        else:
            if waiting:
                found.append(waiting)
            waiting = part
    return [*found, waiting] if waiting else found


def is_name(text: str) -> bool:
    """Whether this looks like the name of one person: given name or initials, and family name."""
    words = text.split()
    if not 2 <= len(words) <= 6 or len(text) > 50 or _NOT_OF_NAMES.search(text):
        return False
    if not all(_WORD.fullmatch(word) or _INITIALS.fullmatch(word) for word in words):
        return False
    if len(words[-1]) == 2 and words[-1].isupper() and not text.isupper():  # a place, and the state it is in
        return False
    proper = [word for word in words if word.lower() not in _PARTICLES and word.lower() not in _SUFFIX]
    if len(proper) < 2 or not all(word[0].isupper() for word in proper):
        return False
    return any(len(word.rstrip(".")) > 1 for word in proper)


def family_of(name: str) -> str:
    """The family name, folded: `Hans Müller` gives `muller`. That of `Wang Wei` may be the other one."""
    words = [word for word in name.split() if word.lower() not in _SUFFIX]
    return folded(words[-1]) if words else ""


def folded(text: str) -> str:
    """In lower case and without accents, letters and figures only; words apart."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    letters = "".join(sign if sign.isalnum() else " " for sign in plain if not unicodedata.combining(sign))
    return " ".join(letters.split())


def same_people(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists have the same family names in the same order."""
    return [family_of(name) for name in one] == [family_of(name) for name in other]
