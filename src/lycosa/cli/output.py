"""What verbs have in common when they write to the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

if TYPE_CHECKING:
    from lycosa.crawls.interface import Folder

RELEVANCE_WIDTH = 9
"""Of the relevance before a page in a list, and the blanks around it."""
LEAST_URL = 20


def reasons_in_words(reasons: Mapping[str, int], most: int = 4) -> str:
    """`15 robots, 3 timeout`, the most frequent first."""
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(number for _, number in ranked[most:])
    told = [f"{number:,} {reason}" for reason, number in ranked[:most]]
    return ", ".join([*told, f"{rest:,} other"] if rest else told)


def fitted(text: str, width: int) -> str:
    """Text as wide as this on a terminal, where some signs are as wide as two: filled up, or cut with an ellipsis."""
    from rich.cells import cell_len, set_cell_size

    return set_cell_size(text, width) if cell_len(text) <= width else f"{set_cell_size(text, width - 1)}…"


def columns_for(width: int) -> tuple[int, int]:
    """How wide title and URL of a page may be in one line of a list; a URL that would say nothing is left out (0)."""
    room = width - RELEVANCE_WIDTH
    title = min(48, room * 3 // 5)
    url = room - title - 2
    return (title, url) if url >= LEAST_URL else (room, 0)


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
    """One line on standard error."""
    click.echo(f"lycosa: {text}", err=True)


@contextmanager
def opened(folder: Path) -> Iterator[Folder]:
    """A crawl's folder to look at. What of its archive could not be read is told at the end, a line each."""
    from lycosa.crawls.opening import open_folder
    from lycosa.report.wording import clean

    with open_folder(folder) as crawl:
        try:
            yield crawl
        finally:
            for line in crawl.unread:
                warn(clean(line))


def say_aside(line: str) -> None:
    """What goes on, on standard error: one line."""
    click.echo(line, err=True)
