"""How far the crawls of an experiment are: a bar on a terminal, lines in a pipe, nothing if that is wanted."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from lycosa.report.wording import counted, spoken

if TYPE_CHECKING:
    from lycosa.lab.experiments.runner import Progress

EVERY = 5.0
"""Seconds between two lines in a pipe."""


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """What to tell progress to, while the block runs. It goes to standard error."""
    if quiet:
        yield lambda state: None
    elif sys.stderr.isatty():
        yield from _bar()
    else:
        yield _lines()


def told(state: Progress) -> str:
    """How far a run is, in a line: `12 of 40 crawls, 3 kept, 1 failed, 0:40 left`."""
    parts = [f"{state.done:,} of {counted(state.of, 'crawl')}"]
    if state.kept:
        parts.append(f"{state.kept:,} kept from before")
    if state.problems:
        parts.append(f"{state.problems:,} failed")
    if state.done < state.of and state.seconds_left is not None:
        parts.append(f"{spoken(state.seconds_left)} left")
    elif state.done == state.of:
        parts.append(f"{spoken(state.seconds)} taken")
    return ", ".join(parts)


def _lines() -> Callable[[Progress], None]:
    last = float("-inf")

    def tell(state: Progress) -> None:
        nonlocal last
        if state.done == state.of or time.monotonic() - last >= EVERY:
            last = time.monotonic()
            click.echo(told(state), err=True)

    return tell


def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=None), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), expand=True) as bar:
        task = bar.add_task("making the plan", total=None)

        def tell(state: Progress) -> None:
            bar.update(task, total=state.of, completed=state.done, description=told(state))

        yield tell
