"""The results of an experiment as they are kept: a line each, as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from lycosa.model.decoding import from_json
from lycosa.model.errors import InputError


class Keyed(Protocol):
    """A result that can be told from others."""

    @property
    def key(self) -> str:
        """Says what was measured, and how."""
        ...


Result = TypeVar("Result", bound=Keyed)


def gone_on_with(
    path: Path,
    kind: type[Result],
    measured: Callable[[Mapping[str, Result]], Iterator[Result]],
    *,
    again: bool,
) -> list[Result]:
    """All results of this kind: those that the file has, by their keys, and what is `measured` besides, which is added
    to it.

    With `again` all are measured anew. Raises `InputError` if nothing can be written there.
    """
    kept = {} if again else {result.key: result for result in read(path, kind)}
    found: list[Result] = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab" if kept else "wb") as file:
            for result in measured(kept):
                found.append(result)
                if result.key not in kept:
                    file.write(msgspec.json.encode(result) + b"\n")
                    file.flush()
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    return found


def read(path: Path, kind: type[Result]) -> Iterator[Result]:
    """What was kept; a line that was cut is left out."""
    if not path.exists():
        return
    for line in path.read_bytes().split(b"\n"):
        try:
            yield from_json(line, kind)
        except msgspec.MsgspecError:
            continue
