"""Text of the web on a terminal: nothing that a page says may move the cursor or pose as our own output."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import click
import msgspec

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode categories of control characters, bidirectional overrides and the like."""


def clean(text: str) -> str:
    """One line without control characters, whatever a page wrote."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    shown = (" " if unicodedata.category(c) in _HIDDEN else c for c in text)
    return " ".join("".join(shown).split())


def cut(text: str, width: int) -> str:
    """At most `width` characters, with an ellipsis where something is missing."""
    return text if len(text) <= width else f"{text[: max(0, width - 1)]}…"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def iso(at: int) -> str:
    """Milliseconds since the epoch as ISO 8601, in UTC: `2026-11-20T16:16:21.123Z`."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def minute(at: int) -> str:
    """Milliseconds since the epoch for a person: `2026-11-20 16:16 UTC`."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def counted(number: int, what: str, plural: str = "") -> str:
    """`1 page`, `2 pages`, `1,000 pages`."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def reasons_in_words(reasons: Mapping[str, int], most: int = 4) -> str:
    """`15 robots, 3 timeout`, the most frequent first."""
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(number for _, number in ranked[most:])
    told = [f"{number:,} {reason}" for reason, number in ranked[:most]]
    return ", ".join([*told, f"{rest:,} other"] if rest else told)


def say_json(value: Any) -> None:
    """One JSON value a line on standard output."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def say_pairs(pairs: Mapping[str, str]) -> None:
    """Names and values, one pair a line, values aligned; pairs without a value are left out."""
    width = max(map(len, pairs))
    for name, value in pairs.items():
        if value:
            click.echo(f"{name:<{width}}  {value}")


def warn(text: str) -> None:
    click.echo(f"lycosa: {text}", err=True)
