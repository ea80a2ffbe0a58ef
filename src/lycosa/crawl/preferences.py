"""Statements of preference, wherever they stand: AIPREF's structured fields, and content signals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lycosa.model.rights import Place, Rights, Use, rule

LONGEST: Final = 8_192
"""Characters of a statement that are read; a longer one says nothing."""

_KEY = r"[a-z*][a-z0-9_\-.*]*+"
_TOKEN = r"[A-Za-z*][A-Za-z0-9:/!#$%&'*+\-.^_`|~]*+"
_BARE = (
    rf"(?:-?\d{{1,12}}\.\d{{1,3}}|-?\d{{1,15}}|\"(?:[ !#-\[\]-~]|\\[\"\\])*+\"|{_TOKEN}|:[A-Za-z0-9+/=]*+:|\?[01]"
    r"|@-?\d{1,15}|%\"(?:[ !#$&-~]|%[0-9a-f]{2})*+\")"
)
_PARAMETERS = rf"(?:; *+{_KEY}(?:={_BARE})?+)*+"
_INNER = rf"\( *+(?:{_BARE}{_PARAMETERS}(?: ++|(?=\))))*+\)"
_MEMBER = re.compile(rf"({_KEY})(?:=({_INNER}|{_BARE}))?+{_PARAMETERS}")
_COMMA = re.compile(r"[ \t]*+,[ \t]*+")
"""RFC 9651, 4.2.2 to 4.2.7: the members of a dictionary, whatever their values."""

_AIPREF: Final[Mapping[str, Use]] = {"train-ai": "ai-train", "search": "search"}
_SIGNALS: Final[Mapping[str, Use]] = {"search": "search", "ai-input": "ai-input", "ai-train": "ai-train"}
_SIGNAL = re.compile(r"([a-z\-]{1,40})\s*+=\s*+(yes|no)", re.IGNORECASE)


def dictionary(field: str) -> dict[str, str]:
    """The members of a structured field (RFC 9651, 4.2.2), each with its value as written; the last of each key counts,
    and a key alone is true (`?1`). Empty where the field is not such a dictionary."""
    members: dict[str, str] = {}
    text = field.strip(" ")
    at = 0
    while at < len(text) <= LONGEST:
        member = _MEMBER.match(text, at)
        if member is None:
            return {}
        members[member[1]] = member[2] or "?1"
        at = member.end()
        if at < len(text):
            comma = _COMMA.match(text, at)
            if comma is None or comma.end() == len(text):
                return {}
            at = comma.end()
    return members


def usage(statement: str, place: Place, written: str = "") -> Rights:
    """The rules of one `Content-Usage` (draft-ietf-aipref-vocab, 6.5). What is neither `y` nor `n`, or of no category
    that is known, says nothing. `written` is how it stood there, if that is more than the statement."""
    said = dictionary(statement)
    return tuple(
        rule("AIPREF", place, written or f"Content-Usage: {statement}", (use,), said[label] == "y")
        for label, use in _AIPREF.items()
        if said.get(label) in ("y", "n")
    )


def signals(statement: str, place: Place, written: str = "") -> Rights:
    """The rules of one `Content-Signal`. A signal that is left out grants nothing and restricts nothing; of one that
    stands twice the stricter counts."""
    said: dict[Use, bool] = {}
    for part in statement[:LONGEST].split(","):
        found = _SIGNAL.fullmatch(part.strip())
        if found and (use := _SIGNALS.get(found[1].lower())):
            said[use] = said.get(use, True) and found[2].lower() == "yes"
    return tuple(
        rule("Content Signals", place, written or f"Content-Signal: {statement}", (use,), allowed)
        for use, allowed in said.items()
    )
