"""Files that say for a whole site what may be done with its pages: tdmrep.json, and the licences of RSL. Parsing and
matching only, no fetching."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import msgspec

from lycosa.model.records import Record
from lycosa.model.rights import MAX_WRITTEN, Rights, Use, rule
from lycosa.model.url import Url, host_of
from lycosa.web.robots import covers

SIZE_LIMIT: Final = 512 << 10
"""Octets of a file that is read; a longer one says nothing, as a part of it might mean the contrary."""

MAX_STATEMENTS: Final = 500
"""Statements that are kept of one file."""

LONGEST_PATTERN: Final = 2_000
"""Characters of a pattern of paths; a longer one covers nothing."""

_RSL: Final = "{https://rslstandard.org/rsl}"
_ADDRESS: Final = re.compile(r"https?://([^/?#\s]{1,300})(/\S*)?")
_USES: Final[Mapping[str, frozenset[Use]]] = {
    "all": frozenset({"archive", "search", "ai-input", "ai-train", "mining"}),
    "ai-all": frozenset({"ai-input", "ai-train"}),
    "ai-train": frozenset({"ai-train"}),
    "ai-input": frozenset({"ai-input"}),
    "ai-index": frozenset(),
    "search": frozenset({"search"}),
}
"""The values of `type="usage"` (RSL 1.0, 3.4.1.1). An index within an AI system is none of the uses told apart here."""

_NAMED: Final[frozenset[Use]] = frozenset({"search", "ai-input", "ai-train"})
"""The uses that a list of what is permitted leaves out, if it does not name them."""

_FREE: Final = frozenset({"free", "attribution"})
"""Kinds of payment (RSL 1.0, 3.7) that ask for no money."""


class Statement(Record, frozen=True, kw_only=True):
    """What is said of the pages that a pattern covers."""

    pattern: str
    """As in robots.txt: `*` for any run of characters, `$` for the end."""
    rights: Rights


Statements = tuple[Statement, ...]
"""All that a file says, in the order in which it counts: for a page the first that covers it."""


def said_of(url: Url, statements: Statements) -> Rights:
    """What the first statement says that covers a URL; nothing if none does.

    Invariants, each the name of a property test:

    * never raises: whatever a file holds, reading it and asking it gives rules or none.
    """
    return next((each.rights for each in statements if covers(each.pattern, url)), ())


def reservations(body: bytes) -> Statements:
    """The rules of a `/.well-known/tdmrep.json` (TDMRep, "File on the Origin Server").

    An entry without `location`, or whose `tdm-reservation` is neither 0 nor 1, is an error and says nothing.
    """
    if len(body) > SIZE_LIMIT:
        return ()
    try:
        entries = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
    if not isinstance(entries, list):
        return ()
    return tuple(_reservation(entry) for entry in entries[:MAX_STATEMENTS] if _is_reservation(entry))


def _is_reservation(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    location, value = entry.get("location"), entry.get("tdm-reservation")
    return (
        isinstance(location, str)
        and location.startswith(("/", "*"))
        and len(location) <= LONGEST_PATTERN
        and value in (0, 1)
        and not isinstance(value, bool)
    )


def _reservation(entry: Mapping[str, object]) -> Statement:
    pattern, value, policy = str(entry["location"]), entry["tdm-reservation"], entry.get("tdm-policy")
    shown = f"; tdm-policy: {policy}" if isinstance(policy, str) and value == 1 else ""
    written = f"{pattern} tdm-reservation: {value:.0f}{shown}"
    return Statement(
        pattern=pattern, rights=(rule("TDMRep", "well-known", written, ("mining",), value == 0),)
    )


def licensed(body: bytes, file: Url) -> Statements:
    """The terms of an RSL document for the pages of its own host, those with the longest pattern first.

    Where a page has several licences, one may choose among them: a use is allowed if one of them grants it. A licence
    grants what it does not prohibit and, if it lists what it permits, what stands there (RSL 1.0, 3.5); what it grants
    for money, nobody paid for here, so that is not granted. Limits to users and places are not judged.

    Documents with a DTD say nothing: no entity is expanded but the predefined ones.
    """
    if len(body) > SIZE_LIMIT or b"<!DOCTYPE" in body or b"\0" in body:
        return ()
    try:
        root = ElementTree.fromstring(body)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError):
        return ()
    if root.tag != f"{_RSL}rsl":
        return ()
    found: dict[str, list[Element]] = {}
    for content in root.findall(f"{_RSL}content")[:MAX_STATEMENTS]:
        if pattern := _pattern(content.get("url", "").strip(), file):
            found.setdefault(pattern, []).extend(content.findall(f"{_RSL}license")[:MAX_STATEMENTS])
    return tuple(
        Statement(pattern=pattern, rights=_terms(pattern, found[pattern]))
        for pattern in sorted(found, key=len, reverse=True)
        if found[pattern]
    )


def _pattern(address: str, file: Url) -> str:
    """The pattern of paths of a `url`; empty if it is about another host."""
    if len(address) > LONGEST_PATTERN:
        return ""
    if address.startswith("/") and not address.startswith("//"):
        return address
    absolute = _ADDRESS.fullmatch(address)
    return (absolute[2] or "/") if absolute and absolute[1].lower() == host_of(file) else ""


def _terms(pattern: str, licences: list[Element]) -> Rights:
    """What the licences leave out together, and what one of them grants."""
    withheld = frozenset[Use].intersection(*map(_withheld, licences))
    listed = frozenset[Use]().union(*(_uses(each, "permits") or () for each in licences))
    written = f"{pattern} " + " or ".join(map(_quoted, licences))
    parts = ((withheld, False), ((listed - withheld) & _NAMED, True))
    return tuple(
        rule("RSL", "licence file", written, tuple(sorted(uses)), allowed) for uses, allowed in parts if uses
    )


def _withheld(licence: Element) -> frozenset[Use]:
    prohibited, permitted = _uses(licence, "prohibits") or frozenset(), _uses(licence, "permits")
    if any(each.get("type", "").strip() not in _FREE for each in licence.findall(f"{_RSL}payment")):
        return prohibited | _NAMED
    return prohibited if permitted is None else prohibited | _NAMED - permitted


def _uses(licence: Element, kind: str) -> frozenset[Use] | None:
    """The uses that a licence permits or prohibits; None if it has no such list."""
    lists = [_words(each) for each in licence.findall(_RSL + kind) if each.get("type") == "usage"]
    if not lists:
        return None
    return frozenset(use for words in lists for word in words for use in _USES.get(word, ()))


def _words(element: Element) -> list[str]:
    """The values of a list; spaces part them, and commas where authors wrote them."""
    return (element.text or "")[:MAX_WRITTEN].replace(",", " ").split()


def _quoted(licence: Element) -> str:
    said = [
        f"{kind}: {' '.join(_words(each))}"
        for kind in ("permits", "prohibits")
        for each in licence.findall(_RSL + kind)
        if each.get("type") == "usage"
    ]
    said += [f"payment: {each.get('type', 'asked')}" for each in licence.findall(f"{_RSL}payment")]
    return "; ".join(said) or "no terms"
