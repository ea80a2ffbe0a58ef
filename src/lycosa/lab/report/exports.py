"""The crawls of an experiment for other programs: one row a crawl, and one row a page of each crawl.

Parquet where pyarrow is installed, else CSV and JSON lines.
"""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lycosa.lab.experiments.cell import Result
from lycosa.lab.experiments.measured import Measured
from lycosa.lab.experiments.results import Results
from lycosa.lab.tasks.judge import Judge
from lycosa.spec.files import unfinished

CELLS, TRAJECTORIES = "results", "trajectories"


def write_files(results: Results, folder: Path) -> list[Path]:
    """Measure all crawls, and write results and trajectories while they go by. Returns what was written."""
    sheets: _Sheets = _Parquet(folder) if _has_pyarrow() else _Plain(folder)
    try:
        results.measure(lambda result, numbers, judge: sheets.trajectory(_course(result, judge)))
        sheets.cells(list(_records(results.crawls)))
        sheets.keep()
    finally:
        sheets.close()
    return sheets.paths


def _records(crawls: Iterable[Measured]) -> Iterator[dict[str, Any]]:
    names = list(dict.fromkeys(name for each in crawls for name in each.values))
    for each in crawls:
        yield {
            **msgspec.structs.asdict(each.cell),
            "conditions": each.cell.conditions.in_words(),
            **{name: each.values.get(name) for name in names},
            "problem": each.problem,
            "digest": each.digest,
            "code": each.code,
            "cpu_seconds": each.seconds,
        }


def _course(result: Result, judge: Judge) -> dict[str, Any]:
    """One crawl, page by page. `page` counts from 1."""
    cell, crawl = result.cell, result.trajectory
    return {
        "web": cell.web,
        "task": cell.task,
        "distance": cell.distance,
        "frontier": cell.frontier,
        "label": cell.label,
        "seed": cell.seed,
        "page": np.arange(1, len(crawl) + 1, dtype=np.int32),
        "visit": crawl.visits,
        "requests": crawl.spent(),
        "url": crawl.names(),
        "relevance": crawl.relevance,
        "on_topic": judge.relevant(crawl),
        "recall": judge.recall(crawl).astype(np.float32),
        "thinking": crawl.thinking,
        "seconds": crawl.times / 1000 if len(crawl.times) else np.full(len(crawl), np.nan),
        "links": crawl.links,
        "not_recorded": crawl.lacking,
    }


class _Sheets(ABC):
    """Two files, which take the place of older ones when both are whole."""

    def __init__(self, folder: Path, cells: str, trajectories: str) -> None:
        self.paths = [folder / f"{CELLS}.{cells}", folder / f"{TRAJECTORIES}.{trajectories}"]
        self._new = [unfinished(path) for path in self.paths]

    @abstractmethod
    def trajectory(self, course: Mapping[str, Any]) -> None:
        """Write the pages of one crawl."""

    @abstractmethod
    def cells(self, rows: list[dict[str, Any]]) -> None:
        """Write a row for each crawl."""

    def end(self) -> None:  # noqa: B027 - nothing to close is the rule
        """Close what is open."""

    def keep(self) -> None:
        self.end()
        for new, path in zip(self._new, self.paths, strict=True):
            if new.exists():
                new.replace(path)

    def close(self) -> None:
        self.end()
        for new in self._new:
            new.unlink(missing_ok=True)


class _Parquet(_Sheets):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "parquet", "parquet")
        self._writer: Any = None

    def trajectory(self, course: Mapping[str, Any]) -> None:
        import pyarrow as pa  # type: ignore[import-not-found, import-untyped, unused-ignore]
        import pyarrow.parquet as pq  # type: ignore[import-not-found, import-untyped, unused-ignore]

        count = len(course["page"])
        table = pa.table({
            name: value if not np.isscalar(value) else pa.array([value] * count, _type_of(value, pa))
            for name, value in course.items()
        })  # fmt: skip
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._new[1], table.schema, compression="zstd")
        self._writer.write_table(table.cast(self._writer.schema))

    def cells(self, rows: list[dict[str, Any]]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), self._new[0], compression="zstd")

    def end(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _type_of(value: object, pa: Any) -> Any:
    return pa.string() if isinstance(value, str) else pa.int32()


class _Plain(_Sheets):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "csv", "jsonl")
        self._file = self._new[1].open("wb")

    def trajectory(self, course: Mapping[str, Any]) -> None:
        plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in course.items()}
        self._file.write(msgspec.json.encode(plain) + b"\n")

    def cells(self, rows: list[dict[str, Any]]) -> None:
        with self._new[0].open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else ["label"])
            writer.writeheader()
            writer.writerows(rows)

    def end(self) -> None:
        self._file.close()


def _has_pyarrow() -> bool:
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None
