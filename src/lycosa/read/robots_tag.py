"""What a page asks of crawlers in its `X-Robots-Tag` headers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from lycosa.model.records import Record

DIRECTIVES_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)


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
            for item in header.lower().split(","):
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
