"""A crawl in one file that a browser can show: its archive as WACZ, with its pages in the order of their relevance."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge as merged
from itertools import chain
from typing import BinaryIO

from msgspec.structs import replace

from lycosa.archive.cdxj import from_line
from lycosa.archive.collection import Collection
from lycosa.archive.originals import originals_of
from lycosa.archive.wacz import About, WaczPage, Written, write_wacz
from lycosa.crawls.corpus.selection import WHOLE, Selection
from lycosa.crawls.frames import Line
from lycosa.crawls.interface import Folder
from lycosa.model.errors import FolderError, InputError
from lycosa.model.moments import iso
from lycosa.model.records import Millis
from lycosa.model.url import page_id
from lycosa.spec.derived import topic_words


def write_packed(crawl: Folder, file: BinaryIO, created: Millis, selection: Selection = WHOLE) -> Written:
    """Write a crawl as WACZ: its WARC files, and its pages, the most relevant first, those that are not relevant apart.

    `created` is when it is packed. With `at` pages are listed and found as they were then; without `text` they are
    listed by title only. Of a crawl that still runs there is what it had archived when this began. Payloads that lie
    in other archives go with it, so that the file depends on none. InputError for rules that leave pages out: the
    archive has them all the same. FolderError if there is no archive yet or one of the others is missing, OSError if
    the file cannot be written.
    """
    if rule := selection.given_rule:
        raise InputError(f"{rule}: a WACZ is the whole archive; rules are for jsonl, csv and parquet")
    try:
        archive = Collection.open(crawl.archives)
    except InputError as error:
        raise FolderError(f"{crawl.path} has no archive to pack: {error}") from None
    rows = crawl.select(replace(selection, best_first=True)).unnamed()
    pages = _Shelves(rows, crawl.spec.relevant_from)
    about = About(
        title=topic_words(crawl.spec),
        description=f"A crawl by lycosa for pages on {topic_words(crawl.spec)}; the most relevant pages come first.",
        created=created,
        has_text=bool(selection.text),
    )
    try:
        with originals_of(archive, crawl.archives) as borrowed:
            lines = merged(_until(selection.at, archive.lines()), borrowed.lines)
            warcs = (*archive.whole(), *borrowed.warcs)
            return write_wacz(file, warcs, lines, pages.relevant(), pages.others(), about)
    finally:
        archive.close()


def _until(at: Millis | None, lines: Iterator[bytes]) -> Iterator[bytes]:
    """The index lines of what was captured up to then."""
    return lines if at is None else (line for line in lines if from_line(line).at <= at)


class _Shelves:
    """Rows that come the most relevant first, in two parts; the first part is to be taken first."""

    def __init__(self, rows: Iterator[Line], relevant_from: float) -> None:
        self._rows, self._relevant_from = rows, relevant_from
        self._first_other: list[Line] = []

    def relevant(self) -> Iterator[WaczPage]:
        for row in self._rows:
            if row.relevance < self._relevant_from:
                self._first_other.append(row)
                return
            yield _listed(row)

    def others(self) -> Iterator[WaczPage]:
        return map(_listed, chain(self._first_other, self._rows))


def _listed(row: Line) -> WaczPage:
    return WaczPage(
        id=page_id(row.final_url),
        url=row.final_url,
        ts=iso(row.fetched_at),
        title=row.title or row.final_url,
        text=row.text,
        relevance=round(row.relevance, 4),
        depth=row.depth,
        status=row.status,
        seed=row.depth == 0,
        language=row.language,
    )
