"""What servers tell of their pages' changes, truly or not: ETag, Last-Modified, and when they answer 304."""

from __future__ import annotations

from email.utils import formatdate
from typing import Final, Literal

from lycosa.model.records import Ask, Millis
from lycosa.web.conditional import is_not_modified
from lycosa.web.made.chance import mix

Manner = Literal["honest", "deaf", "silent", "now", "wrong", "weak", "unasked", "flapping"]

LIES: Final[tuple[Manner, ...]] = ("deaf", "silent", "now", "wrong", "weak", "unasked", "flapping")
"""Manners of servers that lie, alike frequent:

* ``deaf``: true validators, but it never answers 304: the same body again and again.
* ``silent``: no validators.
* ``now``: Last-Modified is always this very moment.
* ``wrong``: Last-Modified is always a date of 1970, or one far ahead; who sends it back hears 304 for ever.
* ``weak``: a weak ETag that is another one each time.
* ``unasked``: as ``honest``, but one hour in four it answers 304 to everybody.
* ``flapping``: two variants of each page by turns, each with its own ETag.

``honest`` servers compare as RFC 9110, section 13.2.2, says.
"""

TRUE_DATES: Final[frozenset[Manner]] = frozenset({"honest", "deaf", "unasked"})
"""Manners of servers whose Last-Modified is true."""

HOUR: Final = 3_600_000
_AHEAD: Final = Millis(4_102_444_800_000)
"""2100-01-01."""


def validators(manner: Manner, tag: str, since: Millis, now: Millis) -> tuple[str, str]:
    """ETag and Last-Modified, each empty where the server sends none.

    `tag` names the bytes that would be sent now, `since` is when they came to be.
    """
    match manner:
        case "silent":
            return "", ""
        case "now":
            return "", http_date(now)
        case "wrong":
            return "", http_date(_AHEAD if tag[0] < "8" else Millis(0))
        case "weak":
            return f'W/"{mix(now, 1):016x}"', ""
        case _:
            return f'"{tag}"', http_date(since)


def answers_304(manner: Manner, ask: Ask, etag: str, last_modified: str, now: Millis) -> bool:
    """Whether the server answers 304."""
    if manner == "deaf":
        return False
    if manner == "unasked" and mix(now // HOUR, 2) % 4 == 0:
        return True
    return is_not_modified(ask, etag, last_modified)


def variant(manner: Manner, now: Millis) -> int:
    """Which variant of its pages a server shows: 0, or by turns 0 and 1 where it flaps."""
    return mix(now // HOUR, 3) % 2 if manner == "flapping" else 0


def http_date(at: Millis) -> str:
    return formatdate(at / 1000, usegmt=True)
