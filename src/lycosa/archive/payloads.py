"""Which payloads an archive has already, here or elsewhere: what needs only a revisit record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa.archive.cdxj import REVISIT, Capture
from lycosa.archive.others import Others
from lycosa.archive.places import add_dependencies
from lycosa.archive.reader import Original, Reader
from lycosa.archive.record import IDENTICAL_PAYLOAD, NOT_MODIFIED
from lycosa.model.errors import FolderError
from lycosa.model.records import LastCapture, Record, RecordRef, Response

KNOWN_PAYLOADS = 100_000
"""How many of the latest payloads are remembered to recognise their copies: about 25 MB."""


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


class Revisit(Record, frozen=True, kw_only=True, gc=False):
    """Why an exchange need not be stored whole, and the record that holds its payload."""

    profile: str
    original: Original


class Revisits:
    """Decides which exchanges become revisit records, and of what."""

    def __init__(self, folder: Path, reader: Reader, others: Others | None, *, copies: bool) -> None:
        """`copies`: whether a payload that came again is referred to; a 304 always is."""
        self._folder, self._reader, self._others, self._copies = folder, reader, others, copies
        self._recent = Payloads()
        self._noted: set[Path] = set()

    @property
    def notes(self) -> Sequence[str]:
        """What could not be used of the other archives, a line each."""
        return () if self._others is None else self._others.notes

    def remember(self, capture: Capture) -> None:
        """A capture that was stored: whole, unless it is a revisit itself."""
        if capture.mime != REVISIT and capture.digest:
            self._recent.add(capture.digest, capture.ref)

    def of(self, response: Response, digest: str, refers_to: LastCapture | None) -> Revisit | None:
        """What a response refers to, None if it has to be stored whole. FolderError when the disk is full."""
        return self._not_modified(response, refers_to) or self._copy(response, digest, refers_to)

    def close(self) -> None:
        if self._others is not None:
            self._others.close()

    def _not_modified(self, response: Response, refers_to: LastCapture | None) -> Revisit | None:
        """The capture that is still right by the word of the server."""
        if response.status != 304 or response.body or refers_to is None or refers_to.record is None:
            return None
        if not refers_to.etag and not refers_to.last_modified:
            return None  # so no condition can have been sent
        try:
            original = self._reader.original(refers_to.record)
        except FolderError:
            return None
        known = refers_to.url == response.url and refers_to.digest == original.digest
        return Revisit(profile=NOT_MODIFIED, original=original) if known else None

    def _copy(self, response: Response, digest: str, refers_to: LastCapture | None) -> Revisit | None:
        """The capture that has the same payload, None if it has to be stored.

        The first copy is read again (a copy is rare): its exact date is needed, and a body that is not the
        same or cannot be read must not be referred to.
        """
        if not self._copies or not response.body or response.truncated:
            return None
        ref = self._recent.get(digest)
        if ref is None and refers_to is not None and refers_to.digest == digest:
            ref = refers_to.record
        original = self._reader.same(ref, response.body) if ref is not None else None
        if original is None and self._others is not None:
            original = self._borrowed(self._others, digest, response.body)
        return None if original is None else Revisit(profile=IDENTICAL_PAYLOAD, original=original)

    def _borrowed(self, others: Others, digest: str, body: bytes) -> Original | None:
        """A record of another archive. Ours depends on that from now on: it is noted before anything refers to it."""
        found = others.original(digest, body)
        if found is None:
            return None
        original, path = found
        if path not in self._noted:
            try:
                add_dependencies(self._folder, [path])
            except OSError as error:
                raise FolderError(
                    f"cannot note in {self._folder} that it depends on {path}: {error.strerror}; make room and resume"
                ) from error
            self._noted.add(path)
        return original
