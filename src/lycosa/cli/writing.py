"""Where a verb writes what it makes, `-o FILE`: a file that appears once it is whole, or standard output (`-`)."""

from __future__ import annotations

from pathlib import Path

import click

FILE = click.Path(path_type=Path, allow_dash=True)
"""The type of `-o FILE`."""


def is_stdout(out: Path | None) -> bool:
    return out is not None and str(out) == "-"


def refuse_both(out: Path | None, json: bool) -> None:
    """What is made and what is told of it cannot both go to standard output."""
    if json and is_stdout(out):
        raise click.UsageError("-o - and --json both write to standard output: give one of them")


def write_out(out: Path, content: bytes) -> None:
    """Write it all at once. Raises `InputError` for a file that cannot be written."""
    if is_stdout(out):
        click.echo(content, nl=False)
        return
    from lycosa.model.errors import InputError
    from lycosa.spec.files import write_whole

    try:
        write_whole(out, content)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}; choose another with -o") from None
