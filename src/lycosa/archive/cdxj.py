"""CDXJ: the index of a web archive, one line a response.

A line is ``KEY TIME JSON``: the SURT of the URL, 14 digits of UTC, and an object whose values are all
strings (``url``, ``mime``, ``status``, ``digest``, ``length``, ``offset``, ``filename``). Sorted by bytes it
is searched by bisection.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import lru_cache
from heapq import merge as merged
from itertools import groupby
from pathlib import Path
from typing import Self

import msgspec

from lycosa.model.decoding import json_reader
from lycosa.model.errors import FolderError, InputError
from lycosa.model.moments import to_the_second
from lycosa.model.records import Millis, Record, RecordRef
from lycosa.model.url import surt

REVISIT = "warc/revisit"
"""The media type under which the index lists a revisit record."""
UNKNOWN = "unk"
"""The media type of a response that states none."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = 253_402_300_798_999
"""The second but last of the year 9999."""
_NO_MARKS = str.maketrans("", "", "-:TZ")


class Capture(Record, frozen=True, kw_only=True, gc=False):
    """One line of an index: a response or revisit record and where it lies."""

    url: str
    """As recorded: not necessarily canonical."""
    at: Millis
    """To the second."""
    ref: RecordRef
    mime: str = UNKNOWN
    status: int = 0
    """0 if unknown."""
    digest: str = ""

    @property
    def end(self) -> int:
        return self.ref.offset + self.ref.length


class _Values(msgspec.Struct, gc=False):
    """Others write numbers as numbers: both are read."""

    url: str
    filename: str
    offset: int
    length: int = 0
    mime: str = UNKNOWN
    status: str | int = ""
    digest: str = ""


_read = json_reader(_Values, strict=False)


def to_line(capture: Capture) -> bytes:
    """The capture as an index line, line end included."""
    values = {
        "url": capture.url,
        "mime": capture.mime,
        "status": str(capture.status) if capture.status else "-",
        "digest": capture.digest,
        "length": str(capture.ref.length),
        "offset": str(capture.ref.offset),
        "filename": capture.ref.file,
    }
    return b"%b %b %b\n" % (surt(capture.url).encode(), _digits(capture.at), msgspec.json.encode(values))


def from_line(line: bytes) -> Capture:
    """ValueError if the line is torn or of another format."""
    try:
        _, time, rest = line.split(b" ", 2)
        values = _read(rest)
        at = _instant(time)
    except (ValueError, msgspec.MsgspecError) as error:
        raise ValueError(f"not an index line: {line[:80]!r}") from error
    status = str(values.status)
    return Capture(
        url=values.url,
        at=at,
        ref=RecordRef(file=values.filename, offset=values.offset, length=values.length),
        mime=values.mime,
        status=int(status) if status.isdigit() else 0,
        digest=values.digest,
    )


def capture_in(line: bytes) -> Capture | None:
    """What an index line tells, None if it cannot be read."""
    try:
        return from_line(line)
    except ValueError:
        return None


def _digits(at: Millis) -> bytes:
    return to_the_second(at).translate(_NO_MARKS).encode()


def _latest(at: Millis) -> Millis:
    """A time that has 14 digits, and so has the second after it."""
    return Millis(min(max(at, -1000), _LAST))


def _instant(digits: bytes) -> Millis:
    """Of 14 digits, or of 17 with milliseconds."""
    hour, minute, second = int(digits[8:10]), int(digits[10:12]), int(digits[12:14])
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60):
        raise ValueError("no time of a day")
    return Millis(1000 * (86_400 * _days(digits[:8]) + 3_600 * hour + 60 * minute + second))


@lru_cache(maxsize=1_000)
def _days(digits: bytes) -> int:
    """Since the epoch, of 8 digits."""
    return (datetime(int(digits[:4]), int(digits[4:6]), int(digits[6:8]), tzinfo=UTC) - _EPOCH).days


def lines_of(path: Path) -> Iterator[bytes]:
    """The whole lines of an index in file order, without its header lines (``!meta``). A torn last line is
    left out.
    """
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n") and not line.startswith(b"!") and line.strip():
                yield line


def captures_of(path: Path) -> Iterator[Capture]:
    """The captures of an index in file order. InputError names the line that cannot be read."""
    for number, line in enumerate(lines_of(path), 1):
        try:
            yield from_line(line)
        except ValueError as error:
            raise InputError(
                f"{path}, line {number}: {error}; delete the index and it is made anew"
            ) from error


def merge(target: Path, parts: Iterable[Path]) -> None:
    """Bring unsorted parts into the sorted index `target`, each line once, and replace it at once.

    Memory: the parts' lines; `target` itself is streamed. FolderError when the disk is full: all stays as it
    was.
    """
    new = target.with_name(target.name + ".new")
    try:
        with ExitStack() as files:
            out = files.enter_context(new.open("wb"))
            runs: list[Iterable[bytes]] = [sorted(lines_of(part)) for part in parts]
            if target.exists():
                runs.append(lines_of(target))
            out.writelines(line for line, _ in groupby(merged(*runs)))
        new.replace(target)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise FolderError(
            f"cannot write the index {target}: {error.strerror}; free some space and resume"
        ) from error


class Index:
    """A sorted CDXJ file, searched where it lies: memory does not grow with it.

    Invariants, each the name of a property test:

    * finds all: `captures` gives every line of the URL's key, oldest first.
    * finds the closest: of the captures of a URL, `closest` gives one whose time differs least from that
      asked for.
    * point in time: of the captures of a URL, `at` gives the latest that is not after the time asked for.
    """

    def __init__(self, content: mmap.mmap | bytes) -> None:
        self._content = content
        self._end = content.rfind(b"\n") + 1
        """What follows is the beginning of a line that was never finished."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """OSError if there is none."""
        with path.open("rb") as file:
            if not path.stat().st_size:
                return cls(b"")
            return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def captures(self, url: str) -> Iterator[Capture]:
        """What was captured under the URL's key (other URLs may share it), oldest first. O(log n) to find
        the first.
        """
        key = surt(url).encode() + b" "
        at = self._first_not_below(key)
        content = self._content
        while at < self._end and content[at : at + len(key)] == key:
            end = content.find(b"\n", at)
            yield from_line(content[at:end])
            at = end + 1

    def at(self, url: str, at: Millis | None = None) -> Capture | None:
        """The latest capture of exactly this URL, or else of its key, not after `at`: what an archive answers for
        the URL as it was then. None if there is none so early; `at` None: the latest of all.

        O(log n), and one step more for each later capture of other URLs with the same key.
        """
        best: Capture | None = None
        for line in self.newest(url, at):
            capture = from_line(line)
            if capture.url == url:
                return capture
            best = best or capture
        return best

    def newest(self, url: str, at: Millis | None = None) -> Iterator[bytes]:
        """The lines of the URL's key, latest first, from those not after `at` on. O(log n) to find the first."""
        key = surt(url).encode() + b" "
        end = self._first_not_below(key + (b"~" if at is None else _digits(Millis(_latest(at) + 1000))))
        content = self._content
        while end > 0:
            start = content.rfind(b"\n", 0, end - 1) + 1
            if content[start : start + len(key)] != key:
                return
            yield content[start:end]
            end = start

    def lines(self) -> Iterator[bytes]:
        """All lines in file order, without header lines (``!meta``) and empty ones."""
        at = 0
        while at < self._end:
            end = self._content.find(b"\n", at) + 1
            line = self._content[at:end]
            if not line.startswith(b"!") and not line.isspace():
                yield line
            at = end

    def line_at(self, at: int) -> bytes:
        """The line that begins at this byte."""
        return self._content[at : self._content.find(b"\n", at)]

    def closest(self, url: str, at: Millis | None = None) -> Capture | None:
        """The capture of exactly this URL, or else of its key, that is nearest in time; the latest if none
        is given.
        """
        if at is None:
            return self.at(url)
        found = list(self.captures(url))
        exact = [capture for capture in found if capture.url == url] or found
        return min(exact, key=lambda capture: abs(capture.at - at), default=None)

    def _first_not_below(self, key: bytes) -> int:
        content = self._content
        low, high = 0, self._end
        while low < high:
            middle = (low + high) // 2
            start = content.rfind(b"\n", low, middle) + 1 or low
            end = content.find(b"\n", middle)
            if content[start:end] < key:
                low = end + 1
            else:
                high = start
        return min(low, self._end)
