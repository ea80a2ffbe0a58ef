"""What it costs to take a page out of columns: numpy arrays in a mapped file beside Arrow IPC (`pip install pyarrow`).

    LYCOSA_SHARED=FOLDER python benchmarks/columns.py [--web wikispeedia] [--write FILE]

Takes the text, the term numbers and counts, and the eight numbers of each link of every page out of the kept pages of a
recorded web, as Python values, in the order of a crawl that jumps about. Arrow holds the same values as lists in one
record batch, mapped, and gives them by `as_py` or by slices of its flat arrays. CPU time, the best of three rounds.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lycosa.lab.webs.column_files import Columns, Texts
from lycosa.lab.webs.lab_web import open_web

LINKS = ("target", "anchor", "start", "end", "heading", "path", "rel", "flags")
TERMS = ("term", "count")


def by_numpy(columns: Columns) -> Callable[[int], None]:
    texts, ends, term_ends = Texts(columns, "texts"), columns["links.ends"], columns["terms.ends"]
    links = [columns[f"links.{name}"] for name in LINKS]
    terms = [columns[f"terms.{name}"] for name in TERMS]

    def take(row: int) -> None:
        texts[row]
        first, last = ends[row : row + 2].tolist()
        for column in links:
            column[first:last].tolist()
        first, last = term_ends[row : row + 2].tolist()
        for column in terms:
            column[first:last].tolist()

    return take


def arrow_file(columns: Columns, path: Path) -> None:
    """The same values as lists, in one record batch."""
    texts = Texts(columns, "texts")
    count = len(texts)
    ends, term_ends = columns["links.ends"][: count + 1], columns["terms.ends"][: count + 1]
    lists = {name: (ends, columns[f"links.{name}"][: ends[-1]]) for name in LINKS}
    lists |= {name: (term_ends, columns[f"terms.{name}"][: term_ends[-1]]) for name in TERMS}
    arrays: dict[str, Any] = {
        name: pa.LargeListArray.from_arrays(pa.array(offsets.astype(np.int64)), pa.array(values))
        for name, (offsets, values) in lists.items()
    }
    arrays["text"] = pa.array([texts[row] for row in range(count)], pa.large_string())
    batch = pa.record_batch(arrays)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)


def by_arrow(batch: Any) -> Callable[[int], None]:
    columns = [batch.column(name) for name in ("text", *LINKS, *TERMS)]

    def take(row: int) -> None:
        for column in columns:
            column[row].as_py()

    return take


def by_arrow_slices(batch: Any) -> Callable[[int], None]:
    text = batch.column("text")
    columns = [batch.column(name) for name in (*LINKS, *TERMS)]
    flat = [(column.offsets, column.values) for column in columns]

    def take(row: int) -> None:
        text[row].as_py()
        for offsets, values in flat:
            first, last = offsets[row].as_py(), offsets[row + 1].as_py()
            values.slice(first, last - first).to_pylist()

    return take


def microseconds(take: Callable[[int], None], rows: Sequence[int]) -> float:
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        for row in rows:
            take(row)
        best = min(best, time.process_time() - began)
    return best / len(rows) * 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--web", default="wikispeedia")
    options.add_argument("--write", type=Path, help="write the table to this file too")
    given = options.parse_args()
    shared = os.environ.get("LYCOSA_SHARED")
    if not shared:
        raise SystemExit("LYCOSA_SHARED is not set: it names the folder that holds webs/wikispeedia")
    columns = open_web([Path(shared) / "webs" / given.web]).kept.columns
    rows = random.Random(1).sample(range(len(Texts(columns, "texts"))), 3000)
    with tempfile.TemporaryDirectory() as folder:
        arrow_file(columns, Path(folder) / "x.arrow")
        with pa.memory_map(str(Path(folder) / "x.arrow")) as source:
            batch = pa.ipc.open_file(source).get_batch(0)
            ways = {
                "numpy": by_numpy(columns),
                "Arrow, `as_py`": by_arrow(batch),
                "Arrow, slices of flat arrays": by_arrow_slices(batch),
            }
            table = [f"| {name} | {microseconds(take, rows):,.0f} |" for name, take in ways.items()]
    command = " ".join(["python", "benchmarks/columns.py", *sys.argv[1:]])
    lines = [
        f"# Taking a page out of columns\n\n`{command}`\n\n{os.cpu_count()} cores, "
        f"Python {platform.python_version()}, numpy {np.__version__}, pyarrow {pa.__version__}, "
        f"{datetime.date.today()}.\n",
        "| way | CPU µs a page |",
        "|---|---|",
        *table,
    ]
    report = "\n".join(lines) + "\n"
    print(report)
    if given.write:
        given.write.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
