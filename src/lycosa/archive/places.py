"""Where archives lie: from the paths that a person gives to WARC files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lycosa.archive.warc_file import WarcFile
from lycosa.model.errors import InputError

ELSEWHERE = "elsewhere.txt"
"""In an archive's folder: the other archives that its revisit records may refer to, a path a line."""


def warc_files(paths: Iterable[Path]) -> list[Path]:
    """The WARC and WACZ files of folders (a crawl folder counts as its ``archive/``, that of a shared crawl as those of
    its nodes, what was kept of archives as the folders of its writers) and of single files.

    InputError if a path is missing, or a folder holds no WARC file.
    """
    return [file for path in paths for file in _warc_files(path)]


def _warc_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"there is no {path}; give a folder with WARC files, a WARC or a WACZ file")
    shared, kept = sorted(path.glob("nodes/*/archive")), sorted(path.glob("kept-*"))
    for folders in ([path], [path / "archive"], shared, kept):
        files = [file for folder in folders for file in sorted(folder.glob("*.warc*")) if _is_warc(file)]
        if files:
            return files
    raise InputError(f"no .warc or .warc.gz files in {path}; give a folder that holds a recorded web")


def _is_warc(file: Path) -> bool:
    return file.name.endswith((".warc", ".warc.gz"))


def warcs_in(path: Path) -> list[WarcFile]:
    """The WARC files of one path, also of those within a WACZ. InputError as of `warc_files` and `Wacz.open`."""
    from lycosa.archive.wacz_file import (
        Wacz,
        is_wacz,
    )  # a crawl's own archive needs no zips

    return [
        warc
        for file in warc_files([path])
        for warc in (Wacz.open(file).warcs if is_wacz(file) else [WarcFile.of(file)])
    ]


def depends_on(folder: Path) -> list[Path]:
    """The other archives that revisit records of this archive may refer to. Relative paths are seen from its folder."""
    try:
        lines = (folder / ELSEWHERE).read_text("utf-8").splitlines()
    except OSError:
        return []
    return [folder / line.strip() for line in lines if line.strip() and not line.startswith("#")]


def add_dependencies(folder: Path, paths: Iterable[Path]) -> None:
    """Note in an archive's folder that it may refer to these other archives. OSError if that cannot be written."""
    known = set(depends_on(folder))
    new = [path for path in dict.fromkeys(paths) if path not in known]
    if not new:
        return
    with (folder / ELSEWHERE).open("a", encoding="utf-8") as file:
        if not known:
            file.write(
                "# Other archives that revisit records here refer to. If one is moved, write its new place.\n"
            )
        file.writelines(f"{path}\n" for path in new)


def warcs_elsewhere(folders: Iterable[Path]) -> list[WarcFile]:
    """The WARC files of the other archives that these archives depend on, as far as they are there."""
    found: list[WarcFile] = []
    for folder in folders:
        for path in depends_on(folder):
            try:
                found += warcs_in(path)
            except (InputError, OSError):
                continue  # whoever needs a record of it is told which one
    return found
