"""Bring a folder of WARC files back into order after a crash: torn records cut off, missing index lines
added.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from lycosa.archive.cdxj import REVISIT, UNKNOWN, Capture, from_line, lines_of, to_line
from lycosa.archive.scan import Damage, Found, scan
from lycosa.archive.warc_file import WarcFile
from lycosa.model.errors import FolderError
from lycosa.model.records import RecordRef

INDEX = "index.cdxj"
SUFFIX = ".warc.gz"
SIDE = ".cdxj"


def warc_files(folder: Path) -> list[Path]:
    """The archive's WARC files in the order in which they were begun."""
    return sorted(folder.glob("*" + SUFFIX), key=lambda path: (serial(path.name), path.name))


def serial(name: str) -> int:
    """7 of ``NAME-20261120101112-00007.warc.gz``, -1 of a name of another form."""
    digits = name.removesuffix(SUFFIX).rpartition("-")[2]
    return int(digits) if digits.isdigit() else -1


def side_index(warc: Path) -> Path:
    """Where the index lines of one WARC file are kept, unsorted, until the archive is closed."""
    return warc.with_name(warc.name.removesuffix(SUFFIX) + SIDE)


def repair(folder: Path, note: Callable[[Capture], None] = lambda capture: None) -> list[str]:
    """Make every record of the folder readable and indexed. Returns what was mended, a line each, for the
    user.

    Only what follows the last indexed record of a file is read. A torn end is cut off, so that writing can go
    on there; damage with whole records after it is told and left alone. `note` is called with every capture.
    """
    ends: dict[str, int] = {}

    def seen(capture: Capture) -> None:
        ends[capture.ref.file] = max(ends.get(capture.ref.file, 0), capture.end)
        note(capture)

    files = warc_files(folder)
    sizes = {path.name: path.stat().st_size for path in files}
    for index in [folder / INDEX, *map(side_index, files)]:
        if index.exists():
            _drop_unsound(index, sizes)
            for line in lines_of(index):
                seen(from_line(line))
    told: list[str] = []
    for path in files:
        if ends.get(path.name, 0) < sizes[path.name]:
            told += _mend(path, ends.get(path.name, 0), note)
    return told


def _drop_unsound(index: Path, sizes: dict[str, int]) -> None:
    """Rewrite an index without torn lines and without those that point beyond their file, as after a power cut."""

    def sound(line: bytes) -> bool:
        try:
            capture = from_line(line)
        except ValueError:
            return False
        return capture.end <= sizes.get(capture.ref.file, 0)

    kept = sum(len(line) for line in lines_of(index) if sound(line))
    if kept < index.stat().st_size:
        new = index.with_name(index.name + ".new")
        with new.open("wb") as file:
            file.writelines(line for line in lines_of(index) if sound(line))
        new.replace(index)


def _mend(path: Path, start: int, note: Callable[[Capture], None]) -> list[str]:
    told: list[str] = []
    lines: list[bytes] = []
    for item in scan(WarcFile.of(path), start):
        if isinstance(item, Found):
            if item.kind in ("response", "revisit"):
                capture = capture_of(path.name, item)
                lines.append(to_line(capture))
                note(capture)
        elif item.last:
            _cut(path, item)
            told.append(
                f"{path.name}: the last record was torn at byte {item.offset:,}; "
                f"its {item.end - item.offset:,} bytes were cut off"
            )
        else:
            told.append(
                f"{path.name}: bytes {item.offset:,} to {item.end:,} are damaged and were left as they are"
            )
    if lines:
        with side_index(path).open("ab") as side:
            side.writelines(lines)
        told.append(f"{path.name}: {len(lines)} records were missing from the index and were added")
    return told


def capture_of(file: str, found: Found) -> Capture:
    """The index entry of a response or revisit record."""
    return Capture(
        url=found.url,
        at=found.at,
        ref=RecordRef(file=file, offset=found.offset, length=found.length),
        mime=REVISIT if found.kind == "revisit" else found.mime or UNKNOWN,
        status=found.status,
        digest=found.digest,
    )


def _cut(path: Path, torn: Damage) -> None:
    try:
        os.truncate(path, torn.offset)
    except OSError as error:
        raise FolderError(
            f"{path} ends in a torn record that cannot be cut off: {error.strerror}; make the file writable"
        ) from error
