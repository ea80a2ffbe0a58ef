"""What was fetched from archives elsewhere, kept on disk: a folder that any number of crawls read and write at once.

Each of them writes WARC files into a folder of its own within it, which nobody writes to again, so nothing needs a
lock, and a crash costs the record that was being written. Captures lie there under their own URLs, what an index
answered under the URL of the question. So the folder is a recorded web, like any other.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

from lycosa.archive.collection import Collection
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Millis, RecordRef, Response, Source

WRITERS = "kept-"
"""Begins the names of the writers' folders."""

_Key = tuple[str, Source | None]


class Kept:
    """The answers of archives that were kept, and those that are fetched now. Close it when done.

    What others write meanwhile is found when it is opened again.

    Invariants, each the name of a property test:

    * as it was: `find` gives what `write` was given, under the same URL and from the same source, and nothing else.
    * bounded: once the folder has `most` bytes, nothing more is written.
    """

    def __init__(self, folder: Path, collection: Collection | None, size: int, most: int, limit: int) -> None:
        """See :meth:`open`."""
        self.folder = folder
        self.warnings: list[str] = []
        """Why nothing more is kept, if so."""
        self._collection = collection
        self._size, self._most, self._limit = size, most, limit
        self._own: dict[_Key, RecordRef] = {}
        self._archive: WarcArchive | None = None

    @classmethod
    def open(cls, folder: Path, most: int, limit: int) -> Self:
        """`most`: the bytes that the folder may take; `limit`: the length of the longest body that will be kept.

        FolderError if the folder cannot be used. What cannot be read of its files is fetched again.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            files = [file for file in folder.glob(f"{WRITERS}*/*.warc.gz") if file.stat().st_size]
            size = sum(file.stat().st_size for file in files)
        except OSError as error:
            raise FolderError(f"cannot use {folder}: {error.strerror}; give another --web-cache") from error
        try:
            return cls(folder, Collection.open(files) if files else None, size, most, limit)
        except InputError as error:
            raise FolderError(f"cannot use {folder}: {error}") from error

    def find(self, url: str, at: Millis | None = None, source: Source | None = None) -> Response | None:
        """The answer that was kept of a URL: the latest, or the latest not after `at`, if it is from `source`."""
        try:
            if self._archive is not None and (ref := self._own.get((url, source))) is not None:
                return self._archive.read(ref)
            found = None if self._collection is None else self._collection.found(url, at)
        except FolderError:
            return None  # it is fetched again
        if found is None or found[0].url != url or found[1].source != source:
            return None
        return found[1]

    def write(self, response: Response) -> None:
        """Keep an answer. What cannot be written is told once, and costs nothing but the next question."""
        if self._size >= self._most:
            return
        try:
            if self._archive is None:
                self._archive = self._begun()
            ref = self._archive.write(response)
        except FolderError as error:
            self._tell(f"{error} (--web-cache: nothing more is kept)")
            self._size = self._most
            return
        self._own[response.url, response.source] = ref
        self._size += ref.length
        if self._size >= self._most:
            self._tell(f"{self.folder} is full: nothing more is kept; delete some of its folders")

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()
        if self._collection is not None:
            self._collection.close()

    def _begun(self) -> WarcArchive:
        name = f"{WRITERS}{os.urandom(6).hex()}"
        return WarcArchive.open(self.folder / name, Provenance(name=name.replace("-", ".")), most=self._limit)

    def _tell(self, what: str) -> None:
        if what not in self.warnings:
            self.warnings.append(what)
