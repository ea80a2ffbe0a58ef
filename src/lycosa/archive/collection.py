"""Recorded webs: WARC files of whatever origin, found by URL.

A collection is one or more folders of ``.warc`` and ``.warc.gz`` files (a crawl folder counts as its
``archive/``), or single files, WACZ files among them. CDXJ indexes beside the files, or within a WACZ, are used as far
as they reach: what they do not cover, because they are missing or older than the files, is scanned. So a copy of a
folder, whose times say nothing, costs no new scan.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge as merged
from itertools import chain, groupby
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from lycosa.archive.cdxj import REVISIT, Capture, Index, from_line, to_line
from lycosa.archive.places import warc_files
from lycosa.archive.reader import Reader, Referred
from lycosa.archive.repair import capture_of
from lycosa.archive.scan import Damage, Found, scan
from lycosa.archive.wacz_file import Wacz, is_wacz
from lycosa.archive.warc_file import WarcFile
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Record, RecordRef, Response
from lycosa.model.url import Url, canonical, default_files

_KINDS = ("response", "revisit")


class WebInfo(Record, frozen=True, kw_only=True):
    """What a collection holds, by its index."""

    captures: int
    """Response and revisit records."""
    urls: int
    """Distinct URLs as recorded."""
    hosts: int
    files: int
    bytes: int
    """Of the records, as stored: compressed if the files are."""
    statuses: dict[int, int]
    """Captures by HTTP status, most frequent first; 0 where it is not known."""
    media_types: dict[str, int]
    largest_hosts: dict[str, int]
    """Captures of the ten hosts with most."""
    first: Millis | None
    last: Millis | None
    indexed: bool
    """An index beside the files covers them, so nothing had to be scanned."""
    warnings: tuple[str, ...]


class Collection:
    """The responses of recorded webs by URL, read on demand. Memory holds neither records nor index: both
    are mapped.

    Invariants, each the name of a property test:

    * finds what was recorded: every URL with a readable response in the files is found under its own name,
      under its canonical name and under a default file's short name.
    * point in time: of a URL's captures, `find` gives the latest that is not after the time asked for.
    * index or scan: a collection answers alike with an index, without one, and with one of only part of the
      files.
    """

    def __init__(self, files: Sequence[Path], warcs: Sequence[WarcFile], indexes: Sequence[Index]) -> None:
        """See :meth:`open`."""
        self.warnings: list[str] = []
        """What could not be read, a line each."""
        self._files, self._warcs = files, warcs
        self._indexes = indexes
        self._scanned = False
        self._torn: dict[str, int] = {}
        self._reader = Reader([], self._payload, files=warcs)

    @classmethod
    def open(cls, paths: Iterable[Path]) -> Self:
        """Open folders, WARC and WACZ files as one web; of a URL recorded in several, the latest response counts.

        InputError if a path is missing, holds no WARC file, or a file is none. A cut or damaged file is read
        as far as it goes, and `warnings` says so.
        """
        files = warc_files(paths)
        packed = [Wacz.open(file) for file in files if is_wacz(file)]
        plain = [WarcFile.of(file) for file in files if file not in {wacz.path for wacz in packed}]
        warcs = [*plain, *(warc for wacz in packed for warc in wacz.warcs)]
        names = Counter(warc.name for warc in warcs)
        if twice := [name for name, count in names.items() if count > 1]:
            raise InputError(f"two files are named {twice[0]}; rename one of them and its index")
        collection = cls(files, warcs, indexes := [])
        found = [*_beside(plain), *_within(packed, collection.warnings)]
        sizes = {warc.name: warc.size for warc in warcs}
        sound, ends = _survey(found, sizes, collection.warnings)
        indexes += sound
        rest = [index for _, index in found if index not in sound]
        extra = chain(_usable(rest, sizes), collection._scan(ends))
        if (built := _built(extra)) is not None:
            indexes.append(built)
        return collection

    def find(self, url: str, at: Millis | None = None) -> Response | None:
        """The latest response recorded for a URL, or the latest not after `at`: under this very name, or one with
        the same canonical form, or one with the same index key. Of the last two, a redirect to the URL itself is
        passed over.

        FolderError if the record is damaged. The response carries the URL asked for.
        """
        found = self.found(url, at)
        return None if found is None else found[1]

    def found(self, url: str, at: Millis | None = None) -> tuple[Capture, Response] | None:
        """As `find`, and the capture in which the response was found."""
        for capture, exact in self._candidates(url, at):
            response = self._reader.read(capture.ref)
            if exact or not _leads_back(response, url):
                return capture, replace(response, url=Url(url))
        return None

    @property
    def files(self) -> Sequence[Path]:
        """The WARC files, and the WACZ files that hold some."""
        return self._files

    def whole(self) -> list[WarcFile]:
        """The WARC files up to the last whole record of each: one that is being written may end within another."""
        return [replace(warc, size=self._torn.get(warc.name, warc.size)) for warc in self._warcs]

    def lines(self) -> Iterator[bytes]:
        """The index of all files: a line for every response and revisit record, sorted."""
        return (line for line, _ in groupby(merged(*(index.lines() for index in self._indexes))))

    def captures(self) -> Iterator[Capture]:
        """Every response and revisit record, by index key and time."""
        return map(from_line, self.lines())

    def hosts(self) -> dict[str, int]:
        """The hosts, and how many captures there are of each: seconds for a million records."""
        return dict(Counter(_host(capture) for capture in self.captures()))

    def info(self) -> WebInfo:
        """Counts over the whole index: seconds for a million records."""
        captures = 0
        size = 0
        urls: set[int] = set()
        hosts, statuses, kinds = Counter[str](), Counter[int](), Counter[str]()
        first: Millis | None = None
        last: Millis | None = None
        for capture in self.captures():
            captures += 1
            size += capture.ref.length
            urls.add(hash(capture.url))
            hosts[_host(capture)] += 1
            statuses[capture.status] += 1
            kinds[capture.mime] += 1
            first = capture.at if first is None else min(first, capture.at)
            last = capture.at if last is None else max(last, capture.at)
        return WebInfo(
            captures=captures,
            urls=len(urls),
            hosts=len(hosts),
            files=len(self._warcs),
            bytes=size,
            statuses=dict(statuses.most_common()),
            media_types=dict(kinds.most_common()),
            largest_hosts=dict(hosts.most_common(10)),
            first=first,
            last=last,
            indexed=not self._scanned,
            warnings=tuple(self.warnings),
        )

    def close(self) -> None:
        self._reader.close()

    def versions(self, url: str, at: Millis | None = None) -> Iterator[Capture]:
        """The captures under a URL's key, of whatever name, latest first; not after `at`, if it is given."""
        found = merged(*(index.newest(url, at) for index in self._indexes), reverse=True)
        return (from_line(line) for line, _ in groupby(found))

    def _candidates(self, url: str, at: Millis | None) -> Iterator[tuple[Capture, bool]]:
        """Captures to try, best first, and whether each bears one of the URL's own names."""
        asked = _canonical(url)
        short = default_files(Url(asked))
        alike: list[Capture] = []
        for capture in self.versions(url, at):
            if capture.url == url:
                yield capture, True
                return
            alike.append(capture)
        same = [c for c in alike if c.url in (asked, *short) or _canonical(c.url) == asked]
        for name in short:
            same += (capture for capture in self.versions(name, at) if capture.url == name)
        yield from ((capture, False) for capture in dict.fromkeys([*same, *alike]))

    def _payload(self, asked: Referred) -> RecordRef | None:
        """Where a revisit's payload lies: another record of the URL it names, with the same digest. Where a server
        said that nothing changed, the record may state no digest of use: then what was captured last before it.
        """
        kept = [c for c in self.versions(asked.url) if c.mime != REVISIT and c.status != 304]
        same = (c for c in kept if asked.digest and c.digest == asked.digest)
        before = (c for c in kept if asked.by_server and c.at <= asked.not_after)
        found = next(chain(same, before), None)
        return None if found is None else found.ref

    def _scan(self, ends: dict[str, int]) -> Iterator[Capture]:
        """What the indexes do not cover. A tail without responses is no lack of the index."""
        for warc in self._warcs:
            if ends.get(warc.name, 0) >= warc.size:
                continue
            for item in scan(warc, ends.get(warc.name, 0)):
                if isinstance(item, Damage):
                    if item.last:
                        self._torn[warc.name] = item.offset
                    self.warnings.append(_damage(warc, item))
                elif isinstance(item, Found) and item.kind in _KINDS:
                    self._scanned = True
                    yield capture_of(warc.name, item)


def _damage(warc: WarcFile, damage: Damage) -> str:
    where = f"{warc}: bytes {damage.offset:,} to {damage.end:,}"
    return f"{where}: the file is cut here" if damage.last else f"{where} are damaged and were passed over"


def _canonical(url: str) -> str:
    try:
        return canonical(url)
    except InputError:
        return url


def _host(capture: Capture) -> str:
    return capture.url.split("/", 3)[2] if "://" in capture.url else ""


def _leads_back(response: Response, url: str) -> bool:
    target = response.header("location") if 300 <= response.status < 400 else None
    if target is None:
        return False
    try:
        return canonical(target, url) == _canonical(url)
    except InputError:
        return False


def _beside(warcs: Iterable[WarcFile]) -> Iterator[tuple[str, Index]]:
    """The indexes in the folders of these files, and what to call them."""
    for folder in dict.fromkeys(warc.path.parent for warc in warcs):
        for path in sorted(folder.glob("*.cdxj")):
            yield str(path), Index.open(path)


def _within(packed: Iterable[Wacz], warnings: list[str]) -> Iterator[tuple[str, Index]]:
    """The indexes of WACZ files, and what to call them."""
    for wacz in packed:
        try:
            index = wacz.index()
        except ValueError as error:
            warnings.append(f"{wacz.path}: its index was not used: {error}")
            continue
        if index is not None:
            yield f"{wacz.path} (its index)", index


def _survey(
    indexes: Iterable[tuple[str, Index]], sizes: dict[str, int], warnings: list[str]
) -> tuple[list[Index], dict[str, int]]:
    """The indexes that can be searched where they lie, and how far each WARC file is covered by all of
    them.
    """
    sound: list[Index] = []
    ends: dict[str, int] = {}
    for name, index in indexes:
        before = b""
        usable = True
        try:
            for line in index.lines():
                capture = from_line(line)
                file = capture.ref.file
                inside = bool(capture.ref.length) and capture.end <= sizes.get(file, 0)
                usable = usable and before <= line and inside
                before = line
                if inside:
                    ends[file] = max(ends.get(file, 0), capture.end)
        except ValueError as error:
            usable = False
            warnings.append(f"{name}: {error}; that line and what follows it were not used")
        if usable:
            sound.append(index)
    return sound, ends


def _usable(indexes: Iterable[Index], sizes: dict[str, int]) -> Iterator[Capture]:
    """The captures of unsorted or partly outdated indexes that lie within the files, up to a line that is none."""
    for index in indexes:
        for line in index.lines():
            try:
                capture = from_line(line)
            except ValueError:
                break
            if capture.ref.length and capture.end <= sizes.get(capture.ref.file, 0):
                yield capture


def _built(captures: Iterable[Capture]) -> Index | None:
    """A sorted index of these captures in a nameless file on disk, so that it takes no memory."""
    lines = sorted(map(to_line, captures))
    if not lines:
        return None
    with tempfile.TemporaryFile() as file:
        file.writelines(lines)
        file.flush()
        return Index(mmap(file.fileno(), 0, access=ACCESS_READ))
