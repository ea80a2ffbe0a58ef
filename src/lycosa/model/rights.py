"""What site owners say may be done with a page, as records."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Use = Literal["archive", "search", "ai-input", "ai-train", "mining", "snippet", "images"]
"""What a rule may speak of. `mining` is text and data mining in the words of the EU's directive 2019/790."""

Purpose = Literal["archive", "search", "research", "ai-input", "ai-train"]
"""What the pages of a crawl are fetched for."""

Place = Literal["robots.txt", "well-known", "licence file", "header", "meta", "link"]
"""Where a rule stood: in a file for the whole site, with an answer, or in a page."""

Vocabulary = Literal["AIPREF", "Content Signals", "RSL", "TDMRep", "robots", "licence"]
"""In whose words a rule speaks."""

VERSIONS: Final[dict[Vocabulary, str]] = {
    "AIPREF": "draft-ietf-aipref-vocab and -attach, working copy of 2026-08-19",
    "Content Signals": "contentsignals.org, 2025-09-24",
    "RSL": "1.0",
    "TDMRep": "W3C community group report, third version",
    "robots": "directives as Google and Bing document them",
    "licence": "rel=license of HTML; Creative Commons",
}
"""Which edition of each vocabulary is read here."""

MAX_RULES: Final = 50
"""Rules that are kept of one page."""

MAX_WRITTEN: Final = 300
"""Characters that are kept of a rule as it was written."""


class Rule(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing that is said of a page."""

    uses: tuple[Use, ...] = ()
    """What it speaks of; empty of what is recorded only, such as a licence that a person has to read."""
    allowed: bool | None = None
    """None: it says neither yes nor no."""
    written: str
    """The rule as it stood there, at most `MAX_WRITTEN` characters."""
    place: Place
    vocabulary: Vocabulary
    version: str


def rule(
    vocabulary: Vocabulary,
    place: Place,
    written: str,
    uses: tuple[Use, ...] = (),
    allowed: bool | None = None,
) -> Rule:
    """A rule in the edition of its vocabulary that is read here, cut to what is kept."""
    return Rule(
        uses=uses,
        allowed=allowed,
        written=" ".join(written.split())[:MAX_WRITTEN],
        place=place,
        vocabulary=vocabulary,
        version=VERSIONS[vocabulary],
    )


Rights = tuple[Rule, ...]
"""All that is said of a page; empty where nobody said anything."""
