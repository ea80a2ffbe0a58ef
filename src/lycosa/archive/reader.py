"""Read single records out of WARC files, by reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from fastwarc.warc import WarcRecord
from msgspec.structs import replace

from lycosa.archive.places import depends_on, warcs_elsewhere
from lycosa.archive.record import (
    MAX_BODY,
    Decoding,
    bare_uri,
    dom_of,
    elapsed_of,
    first_record,
    inflated,
    is_dom,
    is_revisit,
    millis,
    moment,
    response_of,
    source_of,
    target_of,
)
from lycosa.archive.warc_file import WarcFile
from lycosa.model.errors import FolderError
from lycosa.model.records import Millis, Record, RecordRef, Response
from lycosa.model.url import Url

_OPEN_FILES = 64
_PLACES = 4
"""Named in a message."""


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
    """Responses by reference, from the files of one or more folders, or from files that are named. Keeps up to 64 of
    them open, and nothing else.

    Payloads that revisit records refer to are looked for in the archives on which ours depends, too, as its folder
    tells (`places.depends_on`). There a file may bear the name of one of our own, as two crawls may begin in the same
    second: a revisit tells the id of the record that it refers to. Bodies are cut after `most` bytes.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        find: Finder | None = None,
        *,
        files: Sequence[WarcFile] = (),
        most: int = MAX_BODY,
    ) -> None:
        self._folders = folders
        self._find = find
        self._own = {file.name: file for file in files}
        self._homes = [*folders, *dict.fromkeys(file.path.parent for file in files)]
        self._most = most
        self._files: dict[tuple[Path, int], BinaryIO] = {}

    def read(self, ref: RecordRef) -> Response:
        """The response at `ref`; a revisit has the body of the record it refers to.

        FolderError if the file is missing or the record damaged.
        """
        record = self._record(ref)
        try:
            if is_dom(record):
                return dom_of(record, self._most)
            return self._resolved(record, ref) if is_revisit(record) else response_of(record, self._most)
        except OSError:
            return self._undecoded(ref)

    def raw(self, ref: RecordRef) -> bytes:
        """The bytes of the record at `ref` as they are stored.

        FolderError if the file is missing or ends before the record does.
        """
        file = self._opened(self._own_file(ref.file))
        file.seek(ref.offset)
        found = file.read(ref.length)
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
            record, ref, _ = self._payload_of(record, ref)
        return Original(
            record_id=(record.headers.get("WARC-Record-ID") or "").strip("<>"),
            date=record.headers.get("WARC-Date") or "",
            url=target_of(record),
            digest=record.headers.get("WARC-Payload-Digest") or "",
            file=ref.file,
            offset=ref.offset,
        )

    def same(self, ref: RecordRef, body: bytes) -> Original | None:
        """The record to refer to for a payload that is, whole, this body; None if it is another, or cannot be read."""
        try:
            kept = self.read(ref)
            return self.original(ref) if kept.body == body and not kept.truncated else None
        except FolderError:
            return None

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
            return response_of(self._record(ref, decode="none"), self._most)
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
            source=source_of(revisit),
        )

    def borrowed(self, ref: RecordRef) -> tuple[WarcFile, int] | None:
        """Where in another archive the payload of the revisit at `ref` lies; None if it lies in ours.

        FolderError if it is missing or damaged.
        """
        _, original, place = self._payload_of(self._record(ref), ref)
        return (place, original.offset) if place in self._elsewhere else None

    def _payload_of(self, revisit: WarcRecord, ref: RecordRef) -> tuple[WarcRecord, RecordRef, WarcFile]:
        """The record that a revisit refers to, and where it lies."""
        failed: FolderError | None = None
        here = self._own_file(ref.file), ref.offset
        for place, original, record_id in self._candidates(revisit):
            if (place, original.offset) == here:
                continue
            try:
                kept = self._record_in(place, original)
            except FolderError as error:
                failed = failed or error
                continue
            if not is_revisit(kept) and record_id in (None, kept.headers.get("WARC-Record-ID")):
                return kept, original, place
        named = revisit.headers.get("WARC-Refers-To-Filename")
        away = any(not path.exists() for path in self._others())
        if named and (away or not any(self._places(named))):
            failed = self._missing(named)
        raise failed or FolderError(f"{_unresolved(revisit, ref)}; add the WARC file that holds it")

    def _candidates(self, revisit: WarcRecord) -> Iterator[tuple[WarcFile, RecordRef, str | None]]:
        """Where the payload may lie: in the file that the revisit names, with this record id, or, as files are
        renamed, wherever the index knows of it.
        """
        headers = revisit.headers
        file, offset = headers.get("WARC-Refers-To-Filename"), headers.get("WARC-Refers-To-File-Offset") or ""
        if file and offset.isdigit():
            original = RecordRef(file=file, offset=int(offset), length=0)
            for place in self._places(file):
                yield place, original, headers.get("WARC-Refers-To")
        if self._find is not None and (found := self._find(_referred(revisit))) is not None:
            yield self._own_file(found.file), found, None

    def _places(self, name: str) -> Iterator[WarcFile]:
        """The files of that name, our own first."""
        if (own := self._place(name)) is not None:
            yield own
        yield from (file for file in self._elsewhere if file.name == name)

    def _others(self) -> list[Path]:
        """The archives on which ours depend."""
        return [path for home in self._homes for path in depends_on(home)]

    @cached_property
    def _elsewhere(self) -> list[WarcFile]:
        return warcs_elsewhere(self._homes)

    def _place(self, name: str) -> WarcFile | None:
        """Our own file of that name."""
        if (file := self._own.get(name)) is not None:
            return file
        for folder in self._folders:
            if (path := folder / name).is_file():
                self._own[name] = WarcFile.of(path)
                return self._own[name]
        return None

    def _record(self, ref: RecordRef, *, decode: Decoding = "all") -> WarcRecord:
        return self._record_in(self._own_file(ref.file), ref, decode=decode)

    def _own_file(self, name: str) -> WarcFile:
        if (found := self._place(name)) is None:
            raise self._missing(name)
        return found

    def _record_in(self, place: WarcFile, ref: RecordRef, *, decode: Decoding = "all") -> WarcRecord:
        try:
            file = self._opened(place)
            file.seek(ref.offset)
            source = inflated(file.read(ref.length), self._most) if ref.length else file
        except FileNotFoundError:
            self._own.pop(ref.file, None)
            raise self._missing(ref.file) from None
        except OSError as error:
            raise _damaged(ref, error) from error
        record = first_record(source, decode=decode)
        if record is None:
            raise _damaged(ref, "no whole record is there")
        return record

    def _opened(self, file: WarcFile) -> BinaryIO:
        if (found := self._files.get(key := (file.path, file.start))) is not None:
            return found
        if len(self._files) >= _OPEN_FILES:
            self._files.pop(next(iter(self._files))).close()
        self._files[key] = file.open()
        return self._files[key]

    def _missing(self, name: str) -> MissingFile:
        places = list(dict.fromkeys([*self._homes, *self._others()]))
        told = ", ".join(map(str, places[:_PLACES])) + (", …" if len(places) > _PLACES else "")
        return MissingFile(f"the WARC file {name} is missing from {told}; bring it back")


def _unresolved(revisit: WarcRecord, ref: RecordRef) -> str:
    """Which revisit refers to what that is not here, in words."""
    headers = revisit.headers
    url = bare_uri(headers.get("WARC-Refers-To-Target-URI") or "") or target_of(revisit)
    stated = (headers.get("WARC-Refers-To-Date"), headers.get("WARC-Refers-To-Filename"))
    of, file = stated[0] or "some time before", stated[1] or "some file"
    where = f"the record at byte {ref.offset:,} of {ref.file}"
    return f"{where} refers to a payload that is not here: {url} of {of}, in {file}"


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
