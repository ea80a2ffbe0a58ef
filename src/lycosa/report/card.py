"""The card of an export: what the file holds, how it came to be, what was left out, and how to cite it.

Its questions are those of Gebru et al., "Datasheets for datasets", CACM 64(12), 2021, as far as a crawler can answer.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from operator import attrgetter
from pathlib import PurePath
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from lycosa import __version__
from lycosa.crawls.corpus.selected import Selected
from lycosa.crawls.corpus.selection import Selection
from lycosa.crawls.frames import Line, column_types, columns_of
from lycosa.crawls.interface import Folder
from lycosa.model.documented import field_docs
from lycosa.model.moments import iso
from lycosa.model.records import Millis, Record
from lycosa.model.spaceless import word_count
from lycosa.model.url import host_of
from lycosa.report.wording import clean, cut
from lycosa.spec.derived import is_recorded, topic_words

MOST: Final = 50
"""Hosts, licences and the like that a card counts one by one; the others are counted together."""
OTHERS: Final = "others"
NO_VALUE: Final = "not known"
LONGEST: Final = 200
"""Characters of a licence or the like: pages may say anything."""


class FileTold(Record, frozen=True, kw_only=True):
    """The file that a card describes."""

    name: str
    """Empty: it went to standard output."""
    format: str
    """`jsonl`, `csv`, `raw-csv` or `parquet`."""
    bytes: int
    sha256: str
    written_at: str
    """ISO 8601, in UTC."""


class CrawlTold(Record, frozen=True, kw_only=True):
    """The crawl that it comes from."""

    name: str
    """Of its folder."""
    topic: str
    strategy: str
    start_pages: tuple[str, ...]
    web: str
    """`live`, or which recordings, without the folders they lie in."""
    began_at: str
    """ISO 8601, in UTC; empty on a recorded web, where time is virtual."""
    ended_at: str
    """The time of the last step, likewise."""
    pages: int
    lycosa: str
    """The version that crawled."""


class Card(Record, frozen=True, kw_only=True):
    """What is to be known of an export."""

    file: FileTold
    pages: int
    words: int
    """Of all texts; two signs of a script without blanks count for one."""
    crawl: CrawlTold
    lycosa: str
    """The version that exported."""
    command: str
    """That wrote the file."""
    selection: Selection
    """What was asked for."""
    fetched: tuple[str, str] | None
    """When the first and the last of the pages were fetched; None: there is no page."""
    left_out: Mapping[str, int]
    """Pages that each rule left out; one that breaks several counts for the first."""
    copies: Mapping[str, int]
    """Pages in the file that are named a `duplicate` or a `near_duplicate` of one before them."""
    languages: Mapping[str, int]
    hosts: Mapping[str, int]
    licences: Mapping[str, int]
    rights: Mapping[str, int]
    media_types: Mapping[str, int]
    kinds: Mapping[str, int]
    number_of_hosts: int
    columns: Mapping[str, str]
    """What each column means."""
    types: Mapping[str, str]
    """What it holds: `int64`, `float64`, `string`, `list<string>`, or `time`, a text in JSON lines and CSV."""
    unread: tuple[str, ...]
    """Records that could not be read, and what that costs."""
    cite: str


class _Alike(NamedTuple):
    """What a card counts of a page, as the page has it: of many pages it is the same."""

    language: str
    licences: tuple[str, ...]
    rights: str
    media_type: str
    kind: str


_alike_of = attrgetter(*_Alike._fields)


class Tally:
    """Counts the rows of an export as they go by."""

    def __init__(self) -> None:
        self.pages = self.words = 0
        self.first: Millis | None = None
        self.last: Millis | None = None
        self._alike: Counter[tuple[Any, ...]] = Counter()
        self.hosts: Counter[str] = Counter()

    def counted(self, rows: Iterable[Line]) -> Iterator[Line]:
        """The rows, as they are."""
        for row in rows:
            self._count(row)
            yield row

    def _count(self, row: Line) -> None:
        self.pages += 1
        if row.text:
            self.words += word_count(row.text)
        self._alike[_alike_of(row)] += 1
        self.hosts[host_of(row.final_url)] += 1
        at = row.fetched_at
        if self.first is None or at < self.first:
            self.first = at
        if self.last is None or at > self.last:
            self.last = at

    @property
    def languages(self) -> Counter[str]:
        return self._by(lambda alike: (_value(alike.language),))

    @property
    def licences(self) -> Counter[str]:
        """A page counts for each of its licences."""
        return self._by(lambda alike: {_value(each) for each in alike.licences or ("",)})

    @property
    def rights(self) -> Counter[str]:
        """Likewise for each rule."""
        return self._by(lambda alike: _rules(alike.rights))

    @property
    def media_types(self) -> Counter[str]:
        return self._by(lambda alike: (_value(alike.media_type),))

    @property
    def kinds(self) -> Counter[str]:
        return self._by(lambda alike: (_value(alike.kind),))

    def _by(self, values: Callable[[_Alike], Iterable[str]]) -> Counter[str]:
        found: Counter[str] = Counter()
        for alike, pages in self._alike.items():
            for value in values(_Alike(*alike)):
                found[value] += pages
        return found


class Measured(io.RawIOBase):
    """A file to write into whose bytes are counted and hashed as they go by. It stays open when this is closed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._bytes, self._hash = file, 0, sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        written = memoryview(data).nbytes
        self._file.write(data)
        self._hash.update(data)
        self._bytes += written
        return written

    def tell(self) -> int:
        return self._bytes

    def told(self, name: str, kind: str, now: Millis) -> FileTold:
        return FileTold(
            name=name, format=kind, bytes=self._bytes, sha256=self._hash.hexdigest(), written_at=iso(now)
        )


def card_of(crawl: Folder, rows: Selected, tally: Tally, file: FileTold, command: str) -> Card:
    """The card of a file that was just written, with the rows that went into it."""
    about = _crawl_told(crawl)
    span = None if tally.first is None or tally.last is None else (iso(tally.first), iso(tally.last))
    row_type: type = crawl.row_type
    hosts = tally.hosts
    meanings = field_docs(row_type)
    return Card(
        file=file,
        pages=tally.pages,
        words=tally.words,
        crawl=about,
        lycosa=__version__,
        command=command,
        selection=rows.selection,
        fetched=span,
        left_out=dict(rows.left_out.most_common()),
        copies=dict(rows.given.most_common()),
        languages=_most(tally.languages),
        hosts=_most(hosts),
        number_of_hosts=len(hosts),
        licences=_most(tally.licences),
        rights=_most(tally.rights),
        media_types=_most(tally.media_types),
        kinds=_most(tally.kinds),
        columns={name: meanings.get(name, "") for name in columns_of(crawl.row_type)},
        types=column_types(crawl.row_type),
        unread=tuple(map(clean, crawl.unread)),
        cite=_citation(file, tally.pages, about, span),
    )


def _crawl_told(crawl: Folder) -> CrawlTold:
    virtual, history = is_recorded(crawl.spec), crawl.history
    began, ended = history.span() or (Millis(0), Millis(0))
    pages, _, _ = history.harvest(crawl.spec.relevant_from)
    return CrawlTold(
        name=crawl.path.resolve().name,
        topic=topic_words(crawl.spec),
        strategy=crawl.spec.strategy,
        start_pages=tuple(crawl.spec.seeds),
        web=_without_folders(crawl.spec.web),
        began_at="" if virtual else iso(began),
        ended_at="" if virtual else iso(ended),
        pages=pages,
        lycosa=crawl.spec.lycosa,
    )


def _without_folders(web: str) -> str:
    """Names of recordings alone: where they lie on somebody's machine concerns nobody else."""
    return ",".join(map(_without_folder, web.split(",")))


def _without_folder(web: str) -> str:
    kind, colon, place = web.rpartition(":")
    return f"{kind}{colon}{PurePath(place).name}" if kind in ("", "recorded") else web


def _citation(file: FileTold, pages: int, crawl: CrawlTold, span: tuple[str, str] | None) -> str:
    fetched = f", fetched {span[0][:10]} to {span[1][:10]}" if span is not None else ""
    return (
        f'{pages:,} web pages on "{clean(crawl.topic)}"{fetched}, crawled with lycosa {crawl.lycosa} and exported '
        f"with lycosa {__version__} on {file.written_at[:10]}. "
        f"File {file.name or 'without a name'}, sha256:{file.sha256}."
    )


@lru_cache(maxsize=1_000)
def _rules(rights: str) -> frozenset[str]:
    """What is said of a page's use, in whose words: `AIPREF: train-ai=n`."""
    rules = msgspec.json.decode(rights) if rights else ()
    found = frozenset(_value(f"{rule['vocabulary']}: {rule['written']}") for rule in rules)
    return found or frozenset({NO_VALUE})


@lru_cache(maxsize=1_000)
def _value(text: str) -> str:
    return cut(clean(text), LONGEST) or NO_VALUE


def _most(counts: Counter[str]) -> dict[str, int]:
    """The most frequent ones, and what the others are together."""
    most = dict(counts.most_common(MOST))
    rest = counts.total() - sum(most.values())
    return {**most, OTHERS: rest} if rest else most
