"""The archive of a crawl: WARC 1.1 files, one gzip member a record, rotated by size, indexed as they grow.

For an exchange there is a ``response`` record (or a ``revisit``, if the archive has the payload already)
and, if the request is known, a ``request`` record concurrent to it; for what the crawl made of the page a
``metadata`` record.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Self

import lycosa
from lycosa.archive.cdxj import REVISIT, UNKNOWN, Capture, merge, to_line
from lycosa.archive.reader import Reader
from lycosa.archive.record import (
    ELAPSED,
    IDENTICAL_PAYLOAD,
    MAX_BODY,
    iso_date,
    new_id,
    pack,
    request_head,
    response_head,
    sha1_base32,
    warc_fields,
)
from lycosa.archive.repair import INDEX, SUFFIX, repair, serial, side_index, warc_files
from lycosa.archive.scan import media_type
from lycosa.model.errors import FolderError
from lycosa.model.records import Millis, Record, RecordRef, Response
from lycosa.model.url import Url, page_id

ROTATE_AT = 10**9
"""Bytes after which a new file is begun, as the WARC guidelines of the IIPC recommend."""
KNOWN_PAYLOADS = 100_000
"""How many of the latest payloads are remembered to recognise their copies: about 25 MB."""
_RECENT_IDS = 4096


class Provenance(Record, frozen=True, kw_only=True):
    """What the ``warcinfo`` record at the head of each file says of the crawl. Empty fields are left out."""

    name: str = "lycosa"
    """Begins the file names: letters, digits and dots."""
    crawl_id: str = ""
    operator: str = ""
    """Who is to be written to: a name with a mail address or a web page."""
    user_agent: str = ""
    robots: str = "obey"
    """How robots.txt was treated: ``obey`` (RFC 9309) or ``ignore``."""
    description: str = ""

    def fields(self, file: str) -> list[tuple[str, str]]:
        stated = [
            ("software", f"lycosa/{lycosa.__version__}"),
            ("format", "WARC File Format 1.1"),
            ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
            ("robots", self.robots),
            ("operator", self.operator),
            ("http-header-user-agent", self.user_agent),
            ("description", self.description),
            ("isPartOf", self.crawl_id),
            ("filename", file),
        ]
        return [(name, value) for name, value in stated if value]


class Payloads:
    """Where the latest payloads lie, by digest. Holds at most `limit` of them; those asked for stay
    longest.
    """

    def __init__(self, limit: int = KNOWN_PAYLOADS) -> None:
        self._half = max(1, limit // 2)
        self._young: dict[str, RecordRef] = {}
        self._old: dict[str, RecordRef] = {}

    def get(self, digest: str) -> RecordRef | None:
        ref = self._young.get(digest)
        if ref is None and (ref := self._old.get(digest)):
            self.add(digest, ref)
        return ref

    def add(self, digest: str, ref: RecordRef) -> None:
        """Two generations in place of a list by age: the older half goes at once, which costs nothing a
        payload.
        """
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[digest] = ref

    def __len__(self) -> int:
        return len(self._young) + len(self._old)


class WarcArchive:
    """The archive of one crawl, open for writing. One writer a folder.

    Invariants, each the name of a property test:

    * round trip: `read(write(r)) == r`, but for the request's headers, which only the file keeps.
    * whole records: after any crash, once repaired, each file is a sequence of whole records, `warcinfo`
      first.
    * nothing lost: every record written before the crash and handed to the operating system is readable
      after it.
    * same payload once: a payload among the latest `KNOWN_PAYLOADS` is stored once, its copies as revisits, unless
      it was opened without `revisits`.
    * what is written can be read: whatever a live web lets through, up to all its limits at once.
    """

    def __init__(
        self, folder: Path, provenance: Provenance, rotate_at: int, most: int, *, revisits: bool
    ) -> None:
        """See :meth:`open`."""
        self.folder = folder
        self.repairs: list[str] = []
        """What had to be mended when the archive was opened, a line each."""
        self._provenance = provenance
        self._rotate_at = rotate_at
        self._revisits = revisits
        self._payloads = Payloads()
        self._reader = Reader([folder], most=most)
        self._ids: dict[RecordRef, tuple[str, str]] = {}
        self._serial = 0
        self._file = ""
        self._fd = -1
        self._end = 0
        self._info_id = ""
        self._side: BinaryIO | None = None

    @classmethod
    def open(
        cls,
        folder: Path,
        provenance: Provenance | None = None,
        rotate_at: int = ROTATE_AT,
        *,
        most: int = MAX_BODY,
        revisits: bool = True,
    ) -> Self:
        """Begin an archive or go on with one, mended first if a crash left it torn.

        `most` is the length of the longest body that will be written; without `revisits` each copy of a payload
        is stored whole. FolderError if the folder cannot be made or written.
        """
        archive = cls(folder, provenance or Provenance(), rotate_at, most, revisits=revisits)
        archive.mend()
        return archive

    def mend(self) -> None:
        """Make the folder, or mend what a crash left torn, and go on where the archive ended: the second half of
        :meth:`open`, for who must hold the crawl's lock first. Until then the archive can be read only.
        """
        folder = self.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.repairs = repair(folder, self._remember)
            if files := warc_files(folder):
                self._serial = serial(files[-1].name) + 1
                if files[-1].stat().st_size < self._rotate_at:
                    self._continue(files[-1])
        except OSError as error:
            raise FolderError(
                f"cannot open the archive {folder}: {error.strerror}; check the folder"
            ) from error

    def write(self, response: Response) -> RecordRef:
        """Store an exchange; handed to the operating system before this returns.

        FolderError when the disk is full: the file then ends with the last whole record.
        """
        self._ready()
        record_id, when = new_id(), iso_date(response.fetched_at)
        digest = sha1_base32(response.body)
        kind, fields, block = self._revisit(response, digest) or ("response", [], b"")
        head = response_head(response)
        parts = (head,) if kind == "revisit" else (head, response.body)
        common = self._common(response, record_id, when)
        common += [("WARC-Payload-Digest", digest), ("WARC-Block-Digest", sha1_base32(*parts)), *fields]
        common.append(("Content-Type", "application/http; msgtype=response"))
        raw = pack(kind, common, block or b"".join(parts))
        offset = self._append(raw + self._request(response, record_id, when))
        ref = RecordRef(file=self._file, offset=offset, length=len(raw))
        self._index(response, ref, kind, digest)
        self._note_id(ref, record_id, when)
        return ref

    def read(self, ref: RecordRef) -> Response:
        """The response of a record that `write` returned; a revisit with the body it refers to.

        The request's headers are not read back. FolderError if the record is damaged or missing.
        """
        return self._reader.read(ref)

    def annotate(self, ref: RecordRef, url: Url, fields: Mapping[str, str]) -> None:
        """Add a metadata record that concerns the response at `ref`: relevance, score, strategy, via …"""
        self._ready()
        known = self._ids.pop(ref, None) or self._reader.identity(ref)
        block = warc_fields([("pageId", page_id(url)), *fields.items()])
        header = [
            ("WARC-Record-ID", f"<{new_id()}>"),
            ("WARC-Date", known[1]),
            ("WARC-Target-URI", url),
            ("WARC-Refers-To", f"<{known[0]}>"),
            ("WARC-Warcinfo-ID", f"<{self._info_id}>"),
            ("WARC-Block-Digest", sha1_base32(block)),
            ("Content-Type", "application/warc-fields"),
        ]
        self._append(pack("metadata", header, block))

    def flush(self) -> None:
        """Hand the index lines to the operating system too. Should they be lost, they are read from the WARC
        again.
        """
        if self._side is not None:
            try:
                self._side.flush()
            except OSError as error:
                raise _full(self.folder, error) from error

    def close(self) -> None:
        """End the files and merge the index lines into the sorted ``index.cdxj``."""
        self._leave()
        self._reader.close()
        parts = [side for warc in warc_files(self.folder) if (side := side_index(warc)).exists()]
        if parts:
            merge(self.folder / INDEX, parts)
            for part in parts:
                part.unlink()

    def _remember(self, capture: Capture) -> None:
        if capture.mime != REVISIT and capture.digest:
            self._payloads.add(capture.digest, capture.ref)

    def _common(self, response: Response, record_id: str, when: str) -> list[tuple[str, str]]:
        fields = [
            ("WARC-Record-ID", f"<{record_id}>"),
            ("WARC-Date", when),
            ("WARC-Target-URI", response.url),
            ("WARC-Warcinfo-ID", f"<{self._info_id}>"),
        ]
        if response.address:
            fields.append(("WARC-IP-Address", response.address))
        if response.elapsed:
            fields.append((ELAPSED, str(response.elapsed)))
        if response.truncated:
            fields.append(("WARC-Truncated", response.truncated))
        return fields

    def _revisit(self, response: Response, digest: str) -> tuple[str, list[tuple[str, str]], bytes] | None:
        """The kind and fields of a revisit record, None if the payload has to be stored.

        The first copy is read again (a copy is rare): its exact date is needed, and a body that is not the
        same or cannot be read must not be referred to.
        """
        known = self._revisits and response.body and not response.truncated
        ref = self._payloads.get(digest) if known else None
        if ref is None:
            return None
        try:
            original = self._reader.read(ref)
            original_id, original_date = self._reader.identity(ref)
        except FolderError:
            return None
        if original.body != response.body:
            return None
        fields = [
            ("WARC-Profile", IDENTICAL_PAYLOAD),
            ("WARC-Refers-To", f"<{original_id}>"),
            ("WARC-Refers-To-Target-URI", original.url),
            ("WARC-Refers-To-Date", original_date),
            ("WARC-Refers-To-Filename", ref.file),
            ("WARC-Refers-To-File-Offset", str(ref.offset)),
        ]
        return "revisit", fields, response_head(response)

    def _request(self, response: Response, response_id: str, when: str) -> bytes:
        """Nothing where no request is known, as in a crawl of a recording."""
        if not response.request_headers:
            return b""
        block = request_head(response)
        fields = [
            ("WARC-Record-ID", f"<{new_id()}>"),
            ("WARC-Date", when),
            ("WARC-Target-URI", response.url),
            ("WARC-Concurrent-To", f"<{response_id}>"),
            ("WARC-Warcinfo-ID", f"<{self._info_id}>"),
            ("WARC-Block-Digest", sha1_base32(block)),
            ("Content-Type", "application/http; msgtype=request"),
        ]
        if response.address:
            fields.append(("WARC-IP-Address", response.address))
        return pack("request", fields, block)

    def _index(self, response: Response, ref: RecordRef, kind: str, digest: str) -> None:
        capture = Capture(
            url=response.url,
            at=response.fetched_at,
            ref=ref,
            mime=REVISIT
            if kind == "revisit"
            else media_type(response.header("content-type") or "") or UNKNOWN,
            status=response.status,
            digest=digest,
        )
        assert self._side is not None
        try:
            self._side.write(to_line(capture))
        except OSError as error:
            raise _full(self.folder, error) from error
        if kind == "response" and response.body and not response.truncated:
            self._payloads.add(digest, ref)

    def _note_id(self, ref: RecordRef, record_id: str, when: str) -> None:
        """A page is annotated soon after it was written; should it be later, the id is read from the
        record.
        """
        if len(self._ids) >= _RECENT_IDS:
            self._ids.clear()
        self._ids[ref] = (record_id, when)

    def _append(self, raw: bytes) -> int:
        offset = self._end
        rest = memoryview(raw)
        at = offset
        try:
            while rest:
                written = os.pwrite(self._fd, rest, at)
                at += written
                rest = rest[written:]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._fd, offset)
            raise _full(self.folder, error) from error
        self._end = at
        return offset

    def _ready(self) -> None:
        """A file is open and has room."""
        if self._fd >= 0 and self._end >= self._rotate_at:
            self._leave()
        if self._fd < 0:
            stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S")
            name = f"{self._provenance.name}-{stamp}-{self._serial:05d}{SUFFIX}"
            self._serial += 1
            self._continue(self.folder / name)

    def _continue(self, path: Path) -> None:
        """Open a file to append to, with warcinfo if it is new. If that fails, no empty file is left."""
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._side = side_index(path).open("ab")
            self._file = path.name
            self._end = os.fstat(self._fd).st_size
            self._info_id = self._reader.first_id(path.name) if self._end else new_id()
            if not self._end:
                self._append(self._warcinfo())
        except (OSError, FolderError) as error:
            self._leave()
            if path.exists() and not path.stat().st_size:
                path.unlink()
                side_index(path).unlink(missing_ok=True)
            raise error if isinstance(error, FolderError) else _full(self.folder, error) from error

    def _warcinfo(self) -> bytes:
        block = warc_fields(self._provenance.fields(self._file))
        fields = [
            ("WARC-Record-ID", f"<{self._info_id}>"),
            ("WARC-Date", iso_date(Millis(round(datetime.now(UTC).timestamp() * 1000)))),
            ("WARC-Filename", self._file),
            ("WARC-Block-Digest", sha1_base32(block)),
            ("Content-Type", "application/warc-fields"),
        ]
        return pack("warcinfo", fields, block)

    def _leave(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if self._side is not None:
            try:
                self._side.close()
            except OSError as error:
                raise _full(self.folder, error) from error
            finally:
                self._side = None


def _full(folder: Path, error: OSError) -> FolderError:
    return FolderError(
        f"cannot write the archive {folder}: {error.strerror}; what was written is whole: "
        "free some space and resume"
    )
