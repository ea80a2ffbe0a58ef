"""What is sent is of bounded length, whatever stands in a crawl."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from lycosa.model.errors import InputError

LARGE: Final = 1 << 20
"""Bytes of an answer from which its texts are cut."""
LARGEST: Final = 8 << 20
"""Bytes of an answer."""
CUT: Final = 1_000
"""Characters of a text in a large answer."""


def written(found: Any, *, large: int = LARGE, most: int = CUT) -> bytes:
    """A value as JSON: in a large one no text is longer than `most` characters, and those that are cut end in `…`.
    Raises `InputError` if it is too large all the same."""
    whole = msgspec.json.encode(found, enc_hook=str)
    if len(whole) <= large:
        return whole
    shorter = msgspec.json.encode(with_short_texts(msgspec.json.decode(whole), most))
    if len(shorter) > LARGEST:
        raise InputError(
            f"the answer has {len(shorter):,} bytes, {LARGEST:,} are the most; ask for fewer rows"
        )
    return shorter


def with_short_texts(value: Any, most: int = CUT) -> Any:
    """JSON in which no text is longer than this.

    >>> with_short_texts({"title": ["abcdef", 1]}, 4)
    {'title': ['abc…', 1]}
    """
    match value:
        case str():
            return value if len(value) <= most else f"{value[: most - 1]}…"
        case list():
            return [with_short_texts(each, most) for each in value]
        case dict():
            return {
                with_short_texts(name, most): with_short_texts(each, most) for name, each in value.items()
            }
        case _:
            return value
