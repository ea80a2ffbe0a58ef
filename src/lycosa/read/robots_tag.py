"""What a page asks of crawlers in its `X-Robots-Tag` headers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Self

from lycosa.model.records import Record

DIRECTIVES_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)

_WEEKDAY: Final = re.compile(
    r"(unavailable_after\s*+:\s*+(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}+)\s*+,", re.IGNORECASE
)


def items_of(statement: str) -> list[str]:
    """What stands between the commas of a statement to robots, in lower case; the comma after the weekday of a date
    parts nothing.

    >>> items_of("NoArchive, unavailable_after: Sunday, 06-Nov-94 08:49:37 GMT")
    ['noarchive', 'unavailable_after: sunday 06-nov-94 08:49:37 gmt']
    """
    return [item.strip() for item in _WEEKDAY.sub(r"\1", statement).lower().split(",")]


class RobotsTag(Record, frozen=True, kw_only=True):
    """The two wishes that concern a crawler, `none` being both; and all that was asked of it."""

    noindex: bool = False
    nofollow: bool = False
    asked: tuple[str, ...] = ()
    """Each directive once, in lower case, in the order of the headers."""

    @classmethod
    def of(cls, headers: Iterable[str], agent: str = "lycosa") -> Self:
        """Read all headers of one response. Directives behind another crawler's name (`otherbot: noindex`) are
        not for us; a name counts until the end of its header."""
        asked: dict[str, None] = {}
        for header in headers:
            addressed = ""
            for item in items_of(header):
                before, colon, after = item.partition(":")
                if colon and before.strip() not in DIRECTIVES_WITH_VALUE:
                    addressed, item = before.strip(), after
                if addressed in ("", agent.lower()):
                    asked[item.strip()] = None
        return cls(
            noindex="noindex" in asked or "none" in asked,
            nofollow="nofollow" in asked or "none" in asked,
            asked=tuple(asked),
        )
