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
    bare_uri,
    elapsed_of,
    first_record,
    inflated,
    is_revisit,
    millis,
    moment,
    response_of,
    target_of,
)
from lycosa.model.errors import FolderError
from lycosa.model.records import Millis, Record, RecordRef, Response
from lycosa.model.url import Url

_OPEN_FILES = 64


class Referred(Record, frozen=True, kw_only=True, gc=False):
    """What a revisit record names that says nothing of where its payload lies."""

    url: str
    digest: str
    """Of the payload; empty if it states none."""
    not_after: Millis
    """When the payload was captured, or the revisit itself if it does not say so."""
    by_server: bool
    """By the word of the server (304): the digest may be that of an empty body, as some crawlers write it."""


Finder = Callable[[Referred], RecordRef | None]
"""Where the payload of a revisit record lies."""


class MissingFile(FolderError):
    """A whole WARC file is not there, with all of its records."""


class Original(Record, frozen=True, kw_only=True, gc=False):
    """The record that holds a payload, as a revisit record refers to it."""

    record_id: str
    """Without angle brackets."""
    date: str
    """Its WARC-Date, as it stands there."""
    url: str
    digest: str
    file: str
    offset: int

    def fields(self) -> list[tuple[str, str]]:
        """The header lines by which a revisit record refers to it; the last two are extensions that are widely read."""
        return [
            ("WARC-Refers-To", f"<{self.record_id}>"),
            ("WARC-Refers-To-Target-URI", self.url),
            ("WARC-Refers-To-Date", self.date),
            ("WARC-Refers-To-Filename", self.file),
            ("WARC-Refers-To-File-Offset", str(self.offset)),
        ]


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

    def original(self, ref: RecordRef) -> Original:
        """The record at `ref`, or, if that is a revisit, the one that it refers to: what another may refer to.

        FolderError if one of them is damaged or missing.
        """
        record = self._record(ref)
        if is_revisit(record):
            record, ref = self._payload_of(record, ref)
        return Original(
            record_id=(record.headers.get("WARC-Record-ID") or "").strip("<>"),
            date=record.headers.get("WARC-Date") or "",
            url=target_of(record),
            digest=record.headers.get("WARC-Payload-Digest") or "",
            file=ref.file,
            offset=ref.offset,
        )

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

    def _resolved(self, revisit: WarcRecord, ref: RecordRef) -> Response:
        """By WARC 1.1, 6.7: what was captured again, with what the server said then; of a 304, which says nothing of
        the page, with what it had said before.
        """
        payload = response_of(self._payload_of(revisit, ref)[0], self._most)
        http = revisit.http_headers
        if http is not None and http.status_code not in (None, 304):
            return replace(response_of(revisit), body=payload.body)
        return replace(
            payload,
            url=Url(target_of(revisit)),
            fetched_at=millis(revisit.record_date),
            elapsed=elapsed_of(revisit),
            address=revisit.headers.get("WARC-IP-Address") or "",
        )

    def _payload_of(self, revisit: WarcRecord, ref: RecordRef) -> tuple[WarcRecord, RecordRef]:
        """The record that a revisit refers to, and where it lies."""
        headers = revisit.headers
        file, offset = headers.get("WARC-Refers-To-Filename"), headers.get("WARC-Refers-To-File-Offset") or ""
        original: RecordRef | None = None
        if file and offset.isdigit():
            original = RecordRef(file=file, offset=int(offset), length=0)
        elif self._find is not None:
            original = self._find(_referred(revisit))
        found = original is not None and (original.file, original.offset) != (ref.file, ref.offset)
        kept = self._record(original) if original and found else None
        if original is None or kept is None or is_revisit(kept):
            raise FolderError(
                f"the record at byte {ref.offset:,} of {ref.file} refers to a payload that is not here; "
                f"add the WARC file that holds it"
            )
        return kept, original

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


def _referred(revisit: WarcRecord) -> Referred:
    headers = revisit.headers
    return Referred(
        url=bare_uri(headers.get("WARC-Refers-To-Target-URI") or "") or target_of(revisit),
        digest=headers.get("WARC-Payload-Digest") or "",
        not_after=moment(headers.get("WARC-Refers-To-Date") or "") or millis(revisit.record_date),
        by_server=(headers.get("WARC-Profile") or "").endswith("/server-not-modified"),
    )


def _damaged(ref: RecordRef, what: object) -> FolderError:
    return FolderError(
        f"{ref.file}, byte {ref.offset:,}: this record is damaged ({what}); bring back a sound copy of the file"
    )
