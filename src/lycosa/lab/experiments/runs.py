"""When, where and by which command an experiment was run: a file of lines beside its results."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from lycosa import __version__
from lycosa.model.decoding import from_json
from lycosa.model.records import Record

RUNS = "runs.jsonl"


class Run(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a run."""

    began: str
    """In UTC, to the minute."""
    command: str
    machine: str
    workers: int
    crawls: int
    """That were to be run."""
    lycosa: str
    seconds: float | None = None
    """None: it was killed, or still runs."""
    made: int = 0
    """Crawls that were run."""


class _End(Record, frozen=True, kw_only=True):
    seconds: float
    made: int


def started(folder: Path, *, command: str, workers: int, crawls: int) -> None:
    """Note that a run begins."""
    run = Run(
        began=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        command=command,
        machine=machine(),
        workers=workers,
        crawls=crawls,
        lycosa=__version__,
    )
    _append(folder, run)


def ended(folder: Path, *, seconds: float, crawls: int) -> None:
    """Note that the run that began last is over, finished or not."""
    _append(folder, _End(seconds=seconds, made=crawls))


def runs_of(folder: Path) -> list[Run]:
    """All runs, first to last; lines that a crash cut short are passed over."""
    found: list[Run] = []
    path = folder / RUNS
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            if b'"began"' in line:
                found.append(from_json(line, Run))
            elif found:
                end = from_json(line, _End)
                found[-1] = msgspec.structs.replace(found[-1], seconds=end.seconds, made=end.made)
        except msgspec.MsgspecError:
            continue
    return found


def machine() -> str:
    """Processor, operating system and Python, in a line."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text("utf-8", "replace").splitlines() if "model name" in line]
        processor = names[0].partition(":")[2].strip() if names else processor
    python = f"Python {platform.python_version()}"
    return f"{os.cpu_count()} × {processor}, {platform.system()} {platform.release()}, {python}"


def _append(folder: Path, record: Record) -> None:
    with (folder / RUNS).open("ab") as file:
        file.write(msgspec.json.encode(record) + b"\n")
