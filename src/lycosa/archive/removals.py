"""When pages of a recorded web were taken away: a table beside the WARC files, as captures tell of what was there."""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from lycosa.archive.record import millis
from lycosa.model.errors import InputError
from lycosa.model.records import Millis

VERSIONS = "versions.tsv"
"""The name of the table: UTF-8, tab-separated, with a heading line; of its columns `time` (ISO 8601, UTC unless it says
otherwise), `url` and `status` are read, and of its rows those with status 404 or 410."""


class Removals:
    """Since when a URL was gone, as far as it is known."""

    def __init__(self, times: Mapping[str, Sequence[Millis]]) -> None:
        """By URL the times of removals, ascending."""
        self._times = times

    @classmethod
    def beside(cls, folders: Iterable[Path]) -> Self:
        """As the tables in these folders say; nothing where there is none. Raises `InputError` for a table that cannot
        be read."""
        times: dict[str, list[Millis]] = {}
        for path in (folder / VERSIONS for folder in folders):
            for url, at in _removed(path) if path.is_file() else ():
                times.setdefault(url, []).append(at)
        return cls({url: sorted(found) for url, found in times.items()})

    def __len__(self) -> int:
        """How many removals are known."""
        return sum(map(len, self._times.values()))

    def latest(self, url: str, at: Millis) -> Millis | None:
        """The last time not after `at` at which the URL was taken away."""
        times = self._times.get(url, ())
        place = bisect_right(times, at)
        return times[place - 1] if place else None


def _removed(path: Path) -> Iterable[tuple[str, Millis]]:
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file, delimiter="\t"), 2):
            try:
                if row["status"] in ("404", "410"):
                    yield row["url"], _instant(row["time"])
            except (KeyError, ValueError, TypeError) as error:
                raise InputError(f"{path}, line {number}: {error}; it needs time, url and status") from error


def _instant(written: str) -> Millis:
    when = datetime.fromisoformat(written)
    return millis(when if when.tzinfo else when.replace(tzinfo=UTC))
