"""Read single records out of WARC files, by reference."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from fastwarc.warc import WarcRecord
from msgspec.structs import replace

from lycosa.archive.record import (
    MAX_BODY,
    first_record,
    inflated,
    is_revisit,
    millis,
    response_of,
    target_of,
)
from lycosa.model.errors import FolderError
from lycosa.model.records import RecordRef, Response
from lycosa.model.url import Url

_OPEN_FILES = 64

Finder = Callable[[str, str], RecordRef | None]
"""Where a payload lies, by the URL and the digest that a revisit record names."""


class MissingFile(FolderError):
    """A whole WARC file is not there, with all of its records."""


class Reader:
    """Responses by reference, from files of one or more folders. Keeps up to 64 files open, and nothing
    else.

    Bodies are cut after `most` bytes.
    """

    def __init__(self, folders: Sequence[Path], find: Finder | None = None, *, most: int = MAX_BODY) -> None:
        self._folders = folders
        self._find = find
        self._most = most
        self._files: dict[str, BinaryIO] = {}

    def read(self, ref: RecordRef) -> Response:
        """The response at `ref`; a revisit has the body of the record it refers to.

        FolderError if the file is missing or the record damaged.
        """
        record = self._record(ref)
        try:
            return self._resolved(record, ref) if is_revisit(record) else response_of(record, self._most)
        except OSError:
            return self._undecoded(ref)

    def raw(self, ref: RecordRef) -> bytes:
        """The bytes of the record at `ref` as they are stored.

        FolderError if the file is missing or ends before the record does.
        """
        file = self._file(ref.file)
        found = os.pread(file.fileno(), ref.length, ref.offset)
        if len(found) < ref.length:
            raise _damaged(ref, "the file ends in it")
        return found

    def identity(self, ref: RecordRef) -> tuple[str, str]:
        """Record id (without angle brackets) and WARC-Date of the record at `ref`, as they stand there."""
        headers = self._record(ref).headers
        return (headers.get("WARC-Record-ID") or "").strip("<>"), headers.get("WARC-Date") or ""

    def first_id(self, file: str) -> str:
        """The id of the first record of a file: its warcinfo. Empty if there is none."""
        try:
            return self.identity(RecordRef(file=file, offset=0, length=0))[0]
        except FolderError:
            return ""

    def close(self) -> None:
        while self._files:
            self._files.popitem()[1].close()

    def _undecoded(self, ref: RecordRef) -> Response:
        """A header that promises an encoding which the body does not have is not believed."""
        try:
            return response_of(self._record(ref, decode=False), self._most)
        except OSError as error:
            raise _damaged(ref, error) from error

    def _resolved(self, record: WarcRecord, ref: RecordRef) -> Response:
        file = record.headers.get("WARC-Refers-To-Filename")
        offset = record.headers.get("WARC-Refers-To-File-Offset") or ""
        original: RecordRef | None = None
        if file and offset.isdigit():
            original = RecordRef(file=file, offset=int(offset), length=0)
        elif self._find is not None:
            url = record.headers.get("WARC-Refers-To-Target-URI") or target_of(record)
            original = self._find(url, record.headers.get("WARC-Payload-Digest") or "")
        kept = self._record(original) if original and original.offset != ref.offset else None
        if kept is None or is_revisit(kept):
            raise FolderError(
                f"the record at byte {ref.offset:,} of {ref.file} refers to a payload that is not here; "
                f"add the WARC file that holds it"
            )
        payload = response_of(kept, self._most)
        if record.http_headers is not None and record.http_headers.status_code is not None:
            return replace(response_of(record), body=payload.body)
        return replace(payload, url=Url(target_of(record)), fetched_at=millis(record.record_date))

    def _record(self, ref: RecordRef, *, decode: bool = True) -> WarcRecord:
        file = self._file(ref.file)
        try:
            file.seek(ref.offset)
            source = inflated(file.read(ref.length), self._most) if ref.length else file
        except OSError as error:
            raise _damaged(ref, error) from error
        record = first_record(source, decode=decode)
        if record is None:
            raise _damaged(ref, "no whole record is there")
        return record

    def _file(self, name: str) -> BinaryIO:
        if (file := self._files.get(name)) is not None:
            return file
        if len(self._files) >= _OPEN_FILES:
            self._files.pop(next(iter(self._files))).close()
        for folder in self._folders:
            if (path := folder / name).is_file():
                self._files[name] = path.open("rb")
                return self._files[name]
        raise MissingFile(
            f"the WARC file {name} is missing from {', '.join(map(str, self._folders))}; bring it back"
        )


def _damaged(ref: RecordRef, what: object) -> FolderError:
    return FolderError(
        f"{ref.file}, byte {ref.offset:,}: this record is damaged ({what}); bring back a sound copy of the file"
    )
