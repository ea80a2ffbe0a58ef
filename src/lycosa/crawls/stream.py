"""The stream: what a crawl stored, in the order in which it was stored, as WebBase has it (Cho and others, "Stanford
WebBase components and applications", 2006)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property

from lycosa.archive.cdxj import REVISIT, Capture
from lycosa.archive.reader import Reader
from lycosa.archive.stored import Place, StoredOrder
from lycosa.crawls.captured import Captured
from lycosa.drive.reread import Rereader
from lycosa.model.moments import moment
from lycosa.model.nodes import Node
from lycosa.model.records import RecordRef
from lycosa.model.url import Url
from lycosa.scoring.topics.conditions import MANY, Language, Test, Word
from lycosa.store.database import writer_of
from lycosa.store.history import History, StoredPage
from lycosa.store.paths import Paths

SETTLED = 120_000
"""Milliseconds after which the crawl has decided on what it fetched: no visit takes as long."""


class Streamed(Captured):
    """What was stored, its place in the stream, and what the crawl made of it."""

    def __init__(self, capture: Capture, token: str, stream: Stream) -> None:
        super().__init__(capture, stream.reader)
        self.token, self._stream = token, stream
        self.node = Node("")
        """Of a shared crawl: who stored it."""
        self.was_page_asked = False

    @property
    def media_type(self) -> str:
        """Of a revisit as of the page it is, if it is one."""
        if self.capture.mime == REVISIT and self.page is not None:
            return self.page.media_type
        return self.capture.mime

    @cached_property
    def page(self) -> StoredPage | None:
        """What the crawl made of it: None if it is no page, such as a redirect or a robots.txt."""
        self.was_page_asked = True
        return self._stream.page_at(self.record)

    @property
    def text(self) -> str:
        """Of a page, empty of anything else and if the record cannot be read."""
        if self.page is None:
            return ""
        return self._stream.rehydrate.text(self.record, Url(self.url), self.page.dom)


class Stream:
    """One reader's way through what a crawl stored. Iterate over it for what is there; again for what came since.

    Records that a crawl which was killed had not decided on are in it too; they are no pages.

    Invariants, each the name of a property test:

    * resumed equals whole: streams that go on from each other's tokens give what one stream gives.
    * as if filtered afterwards: a condition leaves out what it is not true of, and nothing else.
    """

    def __init__(
        self,
        paths: Paths,
        history: History,
        reader: Reader,
        rehydrate: Rereader,
        *,
        token: str = "",
        where: str = "",
        with_pages: bool = False,
    ) -> None:
        """`with_pages`: what a running crawl has not decided on yet is left for later, as it is if a condition asks
        for it. Raises `InputError` for a token or a condition that cannot be read."""
        self.reader, self.rehydrate = reader, rehydrate
        self._order = StoredOrder(paths.archive, Place.parse(token))
        self._holds = condition(where)
        self._with_pages = with_pages
        self._paths, self._history = paths, history
        self._file, self._step = "", 0
        self._pages: dict[int, StoredPage] = {}

    @property
    def token(self) -> str:
        """Where to go on: behind the last record that was given or left out."""
        return str(self._order.place)

    def go_back(self, token: str) -> None:
        """Give again what was given behind a place."""
        self._order = StoredOrder(self._paths.archive, Place.parse(token))

    @property
    def is_growing(self) -> bool:
        """Whether the crawl runs, so that more may come."""
        return writer_of(self._paths.journal) is not None

    def __iter__(self) -> Iterator[Streamed]:
        before = self._order.place
        for capture in self._order.more():
            found = Streamed(capture, self.token, self)
            holds = self._holds(found)
            asked = self._with_pages or found.was_page_asked
            if asked and found.page is None and self._is_undecided(capture):
                self._order.place = before
                return
            before = self._order.place
            if holds:
                yield found

    def page_at(self, record: RecordRef) -> StoredPage | None:
        """The page that a record is. One pass over the journal a WARC file, and memory for the pages in it."""
        if record.file != self._file:
            self._file, self._step, self._pages = record.file, 0, {}
        if record.offset not in self._pages and (last := self._history.last()[0]) > self._step:
            self._pages |= self._history.stored(record.file, self._step)
            self._step = last
        return self._pages.get(record.offset)

    def _is_undecided(self, capture: Capture) -> bool:
        """Whether the visit may be under way that brought this. The answer that all is as it was (304: a revisit
        without a status of its own) brings no page in any case."""
        if capture.mime == REVISIT and not capture.status:
            return False
        return self.is_growing and self._history.last()[1] - capture.at <= SETTLED


# -- conditions ----------------------------------------------------------------------------------------------


def _url(pattern: str) -> Test[Streamed]:
    found = re.compile(pattern).search
    return lambda record: found(record.url) is not None


def _host(*names: str) -> Test[Streamed]:
    wanted = tuple(name.lower().lstrip(".") for name in names)
    within = tuple("." + name for name in wanted)

    def test(record: Streamed) -> bool:
        host = record.url.split("/", 3)[2].lower() if "://" in record.url else ""
        bare = host.partition(":")[0]
        return host in wanted or bare in wanted or bare.endswith(within)

    return test


def _media_type(*patterns: str) -> Test[Streamed]:
    wanted = [pattern.lower() for pattern in patterns]
    return lambda record: any(fnmatchcase(record.media_type, pattern) for pattern in wanted)


def _since(time: str) -> Test[Streamed]:
    begin = moment(time)
    return lambda record: record.at >= begin


def _until(time: str) -> Test[Streamed]:
    end = moment(time, last=True)
    return lambda record: record.at <= end


def _number(of: Callable[[Streamed], float]) -> Word:
    return Word(float, 0, 0, lambda: of)


_WORDS: Mapping[str, Word] = {
    "url": Word(bool, 1, 1, _url),
    "host": Word(bool, 1, MANY, _host),
    "type": Word(bool, 1, MANY, _media_type),
    "since": Word(bool, 1, 1, _since),
    "until": Word(bool, 1, 1, _until),
    "page": Word(bool, 0, 0, lambda: lambda record: record.page is not None),
    "revisit": Word(bool, 0, 0, lambda: lambda record: record.capture.mime == REVISIT),
    "status": _number(lambda record: record.capture.status),
    "relevance": _number(lambda record: record.page.relevance if record.page is not None else 0.0),
    "length": _number(lambda record: record.record.length),
}
_LANGUAGE: Language[Streamed] = Language(
    "condition", 'status == 200 and host("example.org") and relevance > .5', _WORDS
)


def condition(where: str) -> Test[Streamed]:
    """What a record must be like to be in the stream; an empty text: anything. Raises `InputError`.

    Tests: `url(r"…")`, a regular expression that is found in the URL; `host("…", …)`, one of these hosts or a host
    below it; `type("text/html", "image/*")`; `since("…")` and `until("…")` a time; `page`, it brought a page of the
    crawl; `revisit`, it refers to an earlier record. Numbers: `status`, 0 of a 304; `relevance`, 0 of what is no page;
    `length`, bytes of the record.
    """
    return _LANGUAGE.read(where, {}) if where.strip() else lambda record: True
