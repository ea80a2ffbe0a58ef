"""The archive of a crawl: WARC 1.1 files, one gzip member a record, rotated by size, indexed as they grow.

For an exchange there is a ``response`` record (or a ``revisit``, if the archive has the payload already)
and, if the request is known, a ``request`` record concurrent to it; for what the crawl made of the page a
``metadata`` record. What a browser made of a page is a ``conversion`` record that refers to the response, with a target
of its own (``urn:dom:`` and the URL), and a ``metadata`` record that tells what the page asked for.

A server that answers 304 says that an earlier capture is still right. That is a ``revisit`` record too, with an empty
block, and without a status in the index: WARC 1.1 (6.7.3) allows it, and pywb takes status and headers from the block,
ReplayWeb.page the status from the index, so with the 304's own they would show nothing. The 304's head is kept as it
came, in a ``metadata`` record of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Self

import lycosa
from lycosa.archive.cdxj import REVISIT, UNKNOWN, Capture, merge, to_line
from lycosa.archive.others import Others
from lycosa.archive.payloads import Revisits
from lycosa.archive.reader import Reader
from lycosa.archive.record import (
    DOM,
    ELAPSED,
    MAX_BODY,
    NOT_MODIFIED,
    SOURCE,
    SOURCE_RANGE,
    new_id,
    pack,
    request_head,
    response_head,
    warc_fields,
)
from lycosa.archive.repair import INDEX, SUFFIX, repair, serial, side_index, warc_files
from lycosa.archive.scan import media_type
from lycosa.model.digests import payload_digest, sha1_base32
from lycosa.model.errors import FolderError
from lycosa.model.moments import iso
from lycosa.model.records import LastCapture, Millis, Record, RecordRef, Response
from lycosa.model.url import Url, page_id

ROTATE_AT = 10**9
"""Bytes after which a new file is begun, as the WARC guidelines of the IIPC recommend."""
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


class WarcArchive:
    """The archive of one crawl, open for writing. One writer a folder.

    Invariants, each the name of a property test:

    * round trip: `read(write(r)) == r`, but for the request's headers, which only the file keeps.
    * whole records: after any crash, once repaired, each file is a sequence of whole records, `warcinfo`
      first.
    * nothing lost: every record written before the crash and handed to the operating system is readable
      after it.
    * refers rightly: a 304 is a revisit record only where it was asked for and its capture is there; the record then
      states that capture's URL, time and payload digest, and reads as that capture.
    * same payload once: a payload among the latest `KNOWN_PAYLOADS` is stored once, its copies as revisits, unless
      it was opened without `revisits`.
    * what is written can be read: whatever a live web lets through, up to all its limits at once.
    """

    def __init__(
        self,
        folder: Path,
        provenance: Provenance,
        rotate_at: int,
        most: int,
        *,
        revisits: bool,
        others: Others | None = None,
    ) -> None:
        """See :meth:`open`."""
        self.folder = folder
        self.repairs: list[str] = []
        """What had to be mended when the archive was opened, a line each."""
        self._provenance = provenance
        self._rotate_at = rotate_at
        self._reader = Reader([folder], most=most)
        self._revisits = Revisits(folder, self._reader, others, copies=revisits)
        self._ids: dict[RecordRef, tuple[str, str]] = {}
        self._serial = 0
        self._file = ""
        self._named_on_disk = ""  # the file whose name the disk has
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
        others: Others | None = None,
    ) -> Self:
        """Begin an archive or go on with one, mended first if a crash left it torn.

        `most` is the length of the longest body that will be written; without `revisits` each copy of a payload
        is stored whole. What `others` have is not stored again. FolderError if the folder cannot be made or written.
        """
        archive = cls(folder, provenance or Provenance(), rotate_at, most, revisits=revisits, others=others)
        archive.mend()
        return archive

    @property
    def notes(self) -> Sequence[str]:
        """What could not be used of the other archives, a line each."""
        return self._revisits.notes

    def mend(self) -> None:
        """Make the folder, or mend what a crash left torn, and go on where the archive ended: the second half of
        :meth:`open`, for who must hold the crawl's lock first. Until then the archive can be read only.
        """
        folder = self.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.repairs = repair(folder, self._revisits.remember)
            if files := warc_files(folder):
                self._serial = serial(files[-1].name) + 1
                if files[-1].stat().st_size < self._rotate_at:
                    self._continue(files[-1])
        except OSError as error:
            raise FolderError(
                f"cannot open the archive {folder}: {error.strerror}; check the folder"
            ) from error

    def write(self, response: Response, refers_to: LastCapture | None = None) -> RecordRef:
        """Store an exchange; handed to the operating system before this returns.

        `refers_to` is the capture before, of a page that is fetched again. A 304 becomes a revisit record that refers
        to it. A 304 without it, of another URL, to a request that cannot have had a condition, or of a capture that is
        not there any more, is kept as a response like any other. The body that `refers_to` had is kept once, too.

        FolderError when the disk is full: the file then ends with the last whole record.
        """
        self._ready()
        record_id, when = new_id(), iso(response.fetched_at)
        digest = payload_digest(response.body)
        revisit = self._revisits.of(response, digest, refers_to)
        head, status = response_head(response), response.status
        common = self._common(response, record_id, when)
        kind, body, besides = "response", response.body, b""
        if revisit is not None:
            kind, body, digest = "revisit", b"", revisit.original.digest or digest
            common += [("WARC-Profile", revisit.profile), *revisit.original.fields()]
            if revisit.profile == NOT_MODIFIED:
                status = 0  # not known: of a line with 304 ReplayWeb.page shows that and no page
                told = [("http-status", f"304 {response.reason_phrase}".strip()), *response.headers]
                head, besides = b"", self._metadata(record_id, when, response.url, warc_fields(told))
        common += [("WARC-Payload-Digest", digest), ("WARC-Block-Digest", sha1_base32(head, body))]
        common.append(("Content-Type", "application/http; msgtype=response"))
        raw = pack(kind, common, head, body)
        offset = self._append(b"".join((raw, self._request(response, record_id, when), besides)))
        ref = RecordRef(file=self._file, offset=offset, length=len(raw))
        self._index(response, ref, kind, status, digest)
        self._note_id(ref, record_id, when)
        return ref

    def write_dom(self, dom: Response, of: RecordRef, told: Iterable[tuple[str, str]]) -> RecordRef:
        """Store what a browser made of the page at `of`, and what is told of how it came about.

        It is a `conversion` record (WARC 1.1, 6.8) with a target of its own, and is in no index: who looks for the page
        finds what the server sent. FolderError when the disk is full.
        """
        self._ready()
        record_id, when = new_id(), iso(dom.fetched_at)
        original, _ = self._ids.get(of) or self._reader.identity(of)
        target = f"{DOM}{dom.url}"
        header = [
            ("WARC-Record-ID", f"<{record_id}>"),
            ("WARC-Date", when),
            ("WARC-Target-URI", target),
            ("WARC-Refers-To", f"<{original}>"),
            ("WARC-Warcinfo-ID", f"<{self._info_id}>"),
            ("WARC-Block-Digest", sha1_base32(dom.body)),
            ("Content-Type", dom.header("content-type") or "text/html"),
        ]
        if dom.elapsed:
            header.append((ELAPSED, str(dom.elapsed)))
        raw = pack("conversion", header, dom.body)
        offset = self._append(raw + self._metadata(record_id, when, target, warc_fields(told)))
        return RecordRef(file=self._file, offset=offset, length=len(raw))

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
        self._append(self._metadata(*known, url, block))

    def flush(self) -> None:
        """Hand the index lines to the operating system too. Should they be lost, they are read from the WARC
        again.
        """
        if self._side is not None:
            try:
                self._side.flush()
            except OSError as error:
                raise _full(self.folder, error) from error

    def harden(self) -> None:
        """Wait until the disk has all records. Index lines that a power cut takes are read from the WARC again."""
        self.flush()
        try:
            if self._fd >= 0:
                os.fsync(self._fd)
            if self._named_on_disk != self._file:
                self._harden_name()
        except OSError as error:
            raise _full(self.folder, error) from error

    def _harden_name(self) -> None:
        """Have the file's name on the disk, too: where folders can be waited for, as everywhere but on Windows."""
        if os.name != "nt":
            folder = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        self._named_on_disk = self._file

    def close(self) -> None:
        """End the files and merge the index lines into the sorted ``index.cdxj``."""
        self._leave()
        self._reader.close()
        self._revisits.close()
        parts = [side for warc in warc_files(self.folder) if (side := side_index(warc)).exists()]
        if parts:
            merge(self.folder / INDEX, parts)
            for part in parts:
                part.unlink()

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
        if (source := response.source) is not None:
            fields.append((SOURCE, source.uri))
            if source.span:
                fields.append((SOURCE_RANGE, source.span))
        return fields

    def _metadata(self, record_id: str, when: str, url: str, block: bytes) -> bytes:
        """A metadata record that concerns the record of this id and date."""
        header = [
            ("WARC-Record-ID", f"<{new_id()}>"),
            ("WARC-Date", when),
            ("WARC-Target-URI", url),
            ("WARC-Refers-To", f"<{record_id}>"),
            ("WARC-Warcinfo-ID", f"<{self._info_id}>"),
            ("WARC-Block-Digest", sha1_base32(block)),
            ("Content-Type", "application/warc-fields"),
        ]
        return pack("metadata", header, block)

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

    def _index(self, response: Response, ref: RecordRef, kind: str, status: int, digest: str) -> None:
        capture = Capture(
            url=response.url,
            at=response.fetched_at,
            ref=ref,
            mime=REVISIT
            if kind == "revisit"
            else media_type(response.header("content-type") or "") or UNKNOWN,
            status=status,
            digest=digest,
        )
        assert self._side is not None
        try:
            self._side.write(to_line(capture))
        except OSError as error:
            raise _full(self.folder, error) from error
        if response.body and not response.truncated:
            self._revisits.remember(capture)

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
            self.harden()  # later nobody waits for this file
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
            ("WARC-Date", iso(Millis(round(datetime.now(UTC).timestamp() * 1000)))),
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
