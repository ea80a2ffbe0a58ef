"""What a page asks of crawlers in its `X-Robots-Tag` headers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from lycosa.model.records import Record

DIRECTIVES_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)


class RobotsTag(Record, frozen=True, kw_only=True):
    """The two wishes that concern a crawler; `none` is both."""

    noindex: bool = False
    nofollow: bool = False

    @classmethod
    def of(cls, headers: Iterable[str], agent: str = "lycosa") -> Self:
        """Read all headers of one response. Directives behind another crawler's name (`otherbot: noindex`) are
        not for us; a name counts until the end of its header."""
        asked: set[str] = set()
        for header in headers:
            addressed = ""
            for item in header.lower().split(","):
                before, colon, after = item.partition(":")
                if colon and before.strip() not in DIRECTIVES_WITH_VALUE:
                    addressed, item = before.strip(), after
                if addressed in ("", agent.lower()):
                    asked.add(item.strip())
        return cls(noindex=bool(asked & {"noindex", "none"}), nofollow=bool(asked & {"nofollow", "none"}))
