"""Read all pages of a recording once, on all cores.

What is read in a page depends on the name it is asked for, as relative links do. So each recorded page is read under
its canonical name and under the other names that links of the recording use (another scheme, ``www.`` or not, a
default file, other letter case), as far as the archive finds it under them. As such names can breed more of their
kind, they may be half as many as the pages at most; beyond that a page is read when a crawl asks for it.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path

import msgspec

from lycosa.archive.collection import Collection
from lycosa.drive.page import document_of, is_readable, page_with
from lycosa.drive.reread_apart import cores
from lycosa.drive.visit import MAX_REDIRECTS, REDIRECTS
from lycosa.lab.webs.pages import PagesWriter
from lycosa.model.decoding import msgpack_reader
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Page, Record, Request, Response
from lycosa.model.url import Url, canonical, default_files, surt
from lycosa.web.redirect import location

BATCH = 32
"""Pages that a process reads at a time."""
ALONE = 200
"""So few pages are read in this process: starting others costs more."""
ALIASES = 0.5
"""Other names under which pages are read, at most, as a share of the pages."""
PEEK = 2048
"""Bytes kept of a body that is no text: `lycosa.read.kinds.readable` looks no further."""

NOBODY = Request(url=Url(""), order=0)

TellProgress = Callable[[int, int], None]
"""Told how many URLs have been looked up and read, of how many."""


class Reading(Record, frozen=True, kw_only=True):
    """What a URL brings. All fields empty: the recording itself has to be asked each time."""

    url: Url
    origin: Url | None = None
    """The canonical name of what was found."""
    page: Page | None = None
    answer: Response | None = None
    """What is no page: a redirect, an error, an image. Without its body, but for the first bytes of an image."""
    absent: bool = False


class Reader:
    """Reads pages of one recording by URL."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def read(self, url: Url) -> Reading:
        """Never raises for what a record holds: a page that cannot be read is left to those who ask for it."""
        if url.endswith("/robots.txt"):  # those who ask for it want its body
            return Reading(url=url)
        try:
            found = self._collection.found(url)
        except FolderError:
            return Reading(url=url)
        if found is None:
            return Reading(url=url, absent=True)
        capture, response = found
        try:
            return self._read(response, canonical(capture.url))
        except Exception:  # whatever is wrong with one page must not cost the others
            return Reading(url=url)

    def batch(self, urls: Sequence[Url]) -> bytes:
        """Several readings, packed."""
        return b"".join(_framed(self.read(url)) for url in urls)

    def _read(self, response: Response, origin: Url) -> Reading:
        is_redirect = response.status in REDIRECTS and location(response)
        if is_redirect or not 200 <= response.status < 300:
            return Reading(url=response.url, origin=origin, answer=_without_body(response, 0))
        if not is_readable(response):
            return Reading(url=response.url, origin=origin, answer=_without_body(response, PEEK))
        if (document := document_of(response)).unread:
            return Reading(url=response.url)
        return Reading(url=response.url, origin=origin, page=page_with(document, NOBODY, response, None))


def _without_body(response: Response, peek: int) -> Response:
    return msgspec.structs.replace(response, body=response.body[:peek], request_headers=())


_encoder = msgspec.msgpack.Encoder()
_read = msgpack_reader(Reading)


def _framed(reading: Reading) -> bytes:
    try:
        packed = _encoder.encode(reading)
    except UnicodeEncodeError:  # half a surrogate pair
        packed = _encoder.encode(Reading(url=reading.url))
    return len(packed).to_bytes(4, "big") + packed


def _unframed(packed: bytes) -> Iterator[Reading]:
    at = 0
    while at < len(packed):
        end = at + 4 + int.from_bytes(packed[at : at + 4], "big")
        yield _read(packed[at + 4 : end])
        at = end


# -- several processes ---------------------------------------------------------------------------------------

_reader: list[Reader] = []
"""The reader of this process."""


def _open(files: Sequence[Path]) -> None:
    _reader[:] = [Reader(Collection.open(files))]


def _batch(urls: Sequence[Url]) -> bytes:
    return _reader[0].batch(urls)


def _pool(files: Sequence[Path], cores: int) -> ProcessPoolExecutor:
    """Forked where that is safe, so that scripts without a guarded main part can use it."""
    method = "fork" if sys.platform == "linux" else "spawn"
    context = multiprocessing.get_context(method)
    return ProcessPoolExecutor(cores, mp_context=context, initializer=_open, initargs=(list(files),))


def _readings(
    collection: Collection, pool: ProcessPoolExecutor | None, urls: Sequence[Url]
) -> Iterator[Reading]:
    """What each URL brings, in their order. Few batches are ahead at a time, so memory stays small."""
    batches = (urls[start : start + BATCH] for start in range(0, len(urls), BATCH))
    if pool is None:
        reader = Reader(collection)
        for batch in batches:
            yield from _unframed(reader.batch(batch))
        return
    waiting: deque[Future[bytes]] = deque()
    ahead = 4 * cores()
    for batch in batches:
        waiting.append(pool.submit(_batch, batch))
        if len(waiting) > ahead:
            yield from _unframed(waiting.popleft().result())
    while waiting:
        yield from _unframed(waiting.popleft().result())


# -- the whole recording -------------------------------------------------------------------------------------


class _All:
    """One pass over a recording."""

    def __init__(self, collection: Collection, writer: PagesWriter) -> None:
        self._collection, self._writer = collection, writer
        captures = [capture.url for capture in collection.captures()]
        self._keys = set(map(surt, captures))
        self.names = list(dict.fromkeys(url for raw in captures if (url := _canonical(raw)) is not None))
        self._asked: set[str] = set(self.names)
        self.rows: list[Url] = []
        self.origins: dict[Url, Url] = {}
        self.redirects: dict[Url, Url] = {}

    def take(self, reading: Reading) -> None:
        url = reading.url
        if reading.origin is not None:
            self.origins[url] = reading.origin
        if reading.page is not None:
            self._writer.page(url, reading.page)
            self.rows.append(url)
        elif reading.answer is not None:
            self._take_answer(url, reading.answer)
        elif reading.absent:
            self._writer.absent(url)
        else:
            self._writer.unkept(url)

    def aliases(self, since: int) -> list[Url]:
        """The URLs that links have named since then, and that the archive may know by another name."""
        new = islice(self._writer.urls, since, None)
        found = [
            url for url in (*new, *self.redirects.values()) if url not in self._asked and self._may_be(url)
        ]
        found = list(dict.fromkeys(found))
        self._asked.update(found)
        return [Url(url) for url in found]

    def nodes(self, pages: int) -> dict[Url, int]:
        """Which of the first `pages` rows a visit to a URL ends at, redirects followed as a visitor would."""
        recorded = {url: row for row, url in enumerate(self.rows[:pages])}
        found = {url: recorded.get(self.origins[url], -1) for url in self.rows}
        ends = {}
        for url in self.redirects:
            at: Url | None = url
            for _ in range(MAX_REDIRECTS):
                at = self.redirects.get(at) if at is not None else None
                if at in found:
                    ends[url] = found[at]
                    break
        return {url: row for url, row in (found | ends).items() if row >= 0}

    def _take_answer(self, url: Url, answer: Response) -> None:
        self._writer.answer(url, answer)
        target = location(answer) if answer.status in REDIRECTS else None
        if target and (leads_to := _canonical(target, url)) is not None:
            self.redirects[url] = leads_to

    def _may_be(self, url: str) -> bool:
        return surt(url) in self._keys or any(surt(name) in self._keys for name in default_files(Url(url)))


def read_all(collection: Collection, writer: PagesWriter, progress: TellProgress) -> int:
    """Read each page of a recording into the writer, and close it. How many pages were recorded.

    These have the first rows, each under its canonical name; the same pages under other names come after them.
    """
    whole = _All(collection, writer)
    many = len(whole.names) > ALONE and cores() > 1
    pool = _pool(collection.files, cores()) if many else None
    try:
        _take_all(whole, collection, pool, whole.names, progress)
        pages = len(whole.rows)
        spare = int(len(whole.names) * ALIASES)
        since = 0
        while aliases := whole.aliases(since):
            since = len(writer.urls)
            kept, left = aliases[:spare], aliases[spare:]
            _take_all(whole, collection, pool, kept, progress)
            for url in left:
                writer.unkept(url)
            spare -= len(kept)
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)
    writer.close(whole.nodes(pages))
    return pages


def _take_all(
    whole: _All,
    collection: Collection,
    pool: ProcessPoolExecutor | None,
    urls: Sequence[Url],
    progress: TellProgress,
) -> None:
    for done, reading in enumerate(_readings(collection, pool, urls), 1):
        whole.take(reading)
        if done % BATCH == 0 or done == len(urls):
            progress(done, len(urls))


def _canonical(raw: str, base: str | None = None) -> Url | None:
    try:
        return canonical(raw, base)
    except InputError:
        return None
