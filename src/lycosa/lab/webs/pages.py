"""Pages as columns: written once, made again one by one when a crawl visits them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.lab.webs.column_files import (
    Columns,
    ColumnsWriter,
    Names,
    NamesWriter,
    Numbers,
    Octets,
    OctetsWriter,
    Texts,
    TextsWriter,
)
from lycosa.model.decoding import from_msgpack
from lycosa.model.records import Link, Millis, Page, Request, Response
from lycosa.model.url import Url
from lycosa.scoring.words.terms import Counted

FORMAT: Final = 8
"""Version of what is kept of a page. Raise it whenever a page is read otherwise, or what is read is laid out otherwise;
`tests/golden/test_formats.py` tells when. Pages of other versions are read anew."""

ABSENT: Final = -1
"""Outcome of a URL that the recording does not hold."""
UNKEPT: Final = -2
"""Outcome of a URL for which the recording itself has to be asked."""
_FIRST_ANSWER: Final = -3
"""Outcomes from here down are answers that are no pages; from 0 up they are rows of pages."""

_NOFOLLOW, _IN_NAV, _APART = 1, 2, 4
"""Flags of a link; the last one: its context stands among the strings, not in the page's text."""

_NOT_TOLD: Final = -2
"""Place of all links of a page that does not tell where they stand."""
_NONE: Final = -1
"""Feed of a page that names none."""

PAGES_KEPT: Final = 4_096
"""Pages that are kept as they were made, some 35 KB each: crawls of one topic meet the same ones."""
URLS_KEPT: Final = 1 << 16
"""URLs of which the number is remembered."""

_NOBODY = Request(url=Url(""), order=0)

_encoder = msgspec.msgpack.Encoder()


_OF_PAGE = (
    *("url", "content", "status", "media", "digest", "address", "elapsed", "noindex", "needs_script"),
    *("etag", "last_modified"),
)


class PagesWriter:
    """Takes in pages, redirects and failures by URL, and what other URLs lead to."""

    def __init__(self, columns: ColumnsWriter) -> None:
        self._columns = columns
        self.urls = NamesWriter(columns, "urls")
        self._strings = NamesWriter(columns, "strings")
        self._terms = NamesWriter(columns, "vocabulary")
        self._texts = TextsWriter(columns, "texts")
        self._answers = OctetsWriter(columns, "answers")
        self._contents: dict[bytes, int] = {}
        self._content = {
            name: columns.numbers(f"content.{name}", "I") for name in ("title", "description", "language")
        }
        self._fingerprint = columns.numbers("content.fingerprint", "Q")
        self._headings = _Lists(columns, "headings", ("heading",))
        self._nav_lines = _Lists(columns, "navigation", ("line",))
        self._counts = _Lists(columns, "terms", ("term", "count"))
        self._page = {name: columns.numbers(f"page.{name}", "I") for name in _OF_PAGE}
        self._fetched = columns.numbers("page.fetched", "q")
        self._feeds = columns.numbers("page.feed", "q")
        self._dated = _Lists(columns, "dated", ("page",))
        self._dates = columns.numbers("dated.at", "q")
        self._alternates = _Lists(columns, "alternates", ("language", "page"))
        self._links = _Lists(
            columns, "links", ("target", "anchor", "start", "end", "heading", "path", "rel", "flags")
        )
        self._positions = columns.numbers("link.position", "d")
        self._places = columns.numbers("link.place", "q")
        self._outcomes: dict[int, int] = {}
        self._rows = 0

    def page(self, url: Url, page: Page) -> int:
        """Take in what was read at a URL; its row."""
        row = self._rows
        self._rows += 1
        values = {
            "url": self.urls[url],
            "content": self._content_of(page),
            "status": page.status,
            "media": self._strings[page.media_type],
            "digest": self._strings[page.digest],
            "address": self._strings[page.address],
            "elapsed": page.elapsed,
            "noindex": page.noindex,
            "needs_script": page.needs_script,
            "etag": self._strings[page.etag],
            "last_modified": self._strings[page.last_modified],
        }
        for name, value in values.items():
            self._page[name].append(value)
        self._fetched.append(page.fetched_at)
        self._feeds.append(_NONE if page.feed is None else self.urls[page.feed])
        self._dated.add([(self.urls[target],) for target, _ in page.dated])
        self._dates.extend(at for _, at in page.dated)
        self._alternates.add([(self._strings[language], self.urls[at]) for language, at in page.alternates])
        self._links.add(self._rows_of(page))
        self._positions.extend(link.position for link in page.links)
        self._places.extend(page.places or [_NOT_TOLD] * len(page.links))
        self._outcomes[values["url"]] = row
        self._columns.flush()
        return row

    def answer(self, url: Url, response: Response) -> None:
        """Take in an answer that is no page."""
        self._outcomes[self.urls[url]] = _FIRST_ANSWER - self._answers.add(_encoder.encode(response))

    def unkept(self, url: Url) -> None:
        """The recording itself is to be asked for this URL."""
        self._outcomes[self.urls[url]] = UNKEPT

    def absent(self, url: Url) -> None:
        """The recording lacks this URL."""
        self._outcomes[self.urls[url]] = ABSENT

    def close(self, nodes: Mapping[Url, int]) -> None:
        """Write what can only be known at the end: the outcome of each URL, and how to find a URL's number.

        `nodes` are the rows at which a visit to a URL ends in the end, by redirects or under another name.
        """
        ends = self._columns.numbers("url.node", "q")
        ends.extend(nodes.get(Url(url), -1) for url in self.urls)
        outcomes = self._columns.numbers("url.outcome", "q")
        outcomes.extend(self._outcomes.get(number, ABSENT) for number in range(len(self.urls)))
        hashes = np.fromiter(map(_hash, self.urls), np.uint64, len(self.urls))
        order = np.argsort(hashes, kind="stable")
        self._columns.numbers("url.hashes", "Q").frombytes(hashes[order].tobytes())
        self._columns.numbers("url.order", "Q").frombytes(order.astype(np.uint64).tobytes())

    def _content_of(self, page: Page) -> int:
        """Where title, text and all that follows from them is kept: once for all copies."""
        parts = (page.title, page.text, page.description, page.language, page.headings, page.fingerprint)
        lists = (page.nav_lines, list(page.terms.items()))
        key = blake2b(_encoder.encode((parts, lists)), digest_size=16).digest()
        known = self._contents.get(key)
        if known is not None:
            return known
        number = self._contents[key] = self._texts.add_text(page.text)
        self._content["title"].append(self._strings[page.title])
        self._content["description"].append(self._strings[page.description])
        self._content["language"].append(self._strings[page.language])
        self._fingerprint.append(page.fingerprint)
        self._headings.add([(self._strings[heading],) for heading in page.headings])
        self._nav_lines.add([(line,) for line in page.nav_lines])
        self._counts.add([(self._terms[term], count) for term, count in page.terms.items()])
        return number

    def _rows_of(self, page: Page) -> list[tuple[int, ...]]:
        """The page's links. Where in the text a context stands is sought from the one before it on."""
        urls, strings, text = self.urls, self._strings, page.text
        rows: list[tuple[int, ...]] = []
        since = 0
        for link in page.links:
            flags = link.nofollow * _NOFOLLOW | link.in_nav * _IN_NAV
            context = link.context
            start = text.find(context, since)
            start = text.find(context) if start < 0 else start
            if start < 0:
                flags |= _APART
                start = end = strings[context]
            else:
                since, end = start, start + len(context)
            heading, path, rel = strings[link.heading], strings[link.path], strings[link.rel]
            rows.append((urls[link.target], strings[link.anchor], start, end, heading, path, rel, flags))
        return rows


class _Lists:
    """Columns of lists: `NAME.ends` says where the list of each row ends in the columns NAME.FIELD."""

    def __init__(self, columns: ColumnsWriter, name: str, fields: tuple[str, ...]) -> None:
        self._ends = columns.numbers(f"{name}.ends", "Q")
        self._ends.append(0)
        self._fields = [columns.numbers(f"{name}.{field}", "I") for field in fields]
        self._length = 0

    def add(self, values: Sequence[tuple[int, ...]]) -> None:
        """Take in the list of the next row; of each element the value of every field."""
        for field, column in zip(self._fields, zip(*values, strict=True), strict=False):
            field.extend(column)
        self._length += len(values)
        self._ends.append(self._length)


def _hash(url: str) -> int:
    """The same in every process."""
    return int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class Pages:
    """Pages in columns. A page is made when it is asked for; the last `PAGES_KEPT` and names are kept.

    Invariants, each the name of a property test:

    * field for field: a page comes out as it went in, but for the request, which is the asker's.
    """

    def __init__(self, columns: Columns) -> None:
        self.urls = Names(columns, "urls")
        self.strings = Names(columns, "strings")
        self._vocabulary = Texts(columns, "vocabulary")
        self._texts = Texts(columns, "texts")
        self._answers = Octets(columns, "answers")
        self._outcomes = columns["url.outcome"].data  # of one number at a time numpy makes more ado
        self.nodes: Numbers = columns["url.node"]
        """By number of a URL: the row of the recorded page that a visit ends at, -1 if at none."""
        self._hashes = memoryview(columns["url.hashes"].data)
        self._order: Numbers = columns["url.order"]
        self._titles, self._descriptions = columns["content.title"], columns["content.description"]
        self._languages, self._fingerprints = columns["content.language"], columns["content.fingerprint"]
        self._headings_ends, self._headings = columns["headings.ends"], columns["headings.heading"]
        self._nav_ends, self._nav_lines = columns["navigation.ends"], columns["navigation.line"]
        self.terms_ends, self.term_numbers = columns["terms.ends"], columns["terms.term"]
        self.term_counts: Numbers = columns["terms.count"]
        self._fields = [columns[f"page.{field}"].data for field in (*_OF_PAGE, "fetched")]
        self.contents: Numbers = columns["page.content"]
        self.links_ends: Numbers = columns["links.ends"]
        links = ("target", "anchor", "start", "end", "heading", "path", "rel", "flags")
        self._links = [columns[f"links.{field}"] for field in links]
        self.targets: Numbers = columns["links.target"]
        self._positions: Numbers = columns["link.position"]
        self._places: Numbers = columns["link.place"]
        self._feeds: Numbers = columns["page.feed"]
        self._dated_ends, self._dated = columns["dated.ends"], columns["dated.page"]
        self._dates: Numbers = columns["dated.at"]
        self._alternates_ends = columns["alternates.ends"]
        self._alternates = [columns[f"alternates.{field}"] for field in ("language", "page")]
        self.number = lru_cache(URLS_KEPT)(self._number)
        """The number of a URL that is a page's, an answer's, a link's target or a feed's; None of others."""
        self._made = lru_cache(PAGES_KEPT)(self._page)
        self.response = lru_cache(PAGES_KEPT)(self._response)
        """The response in which the page of a row was read, without body and headers."""

    def __len__(self) -> int:
        return len(self.contents)

    @cached_property
    def vocabulary(self) -> NDArray[np.object_]:
        """All terms by number. An array, as that gives the words of a page in half the time a dict takes."""
        return np.array([*map(self._vocabulary.__getitem__, range(len(self._vocabulary)))], dtype=object)

    # -- by URL ----------------------------------------------------------------------------------------------

    def _number(self, url: str) -> int | None:
        hashed = _hash(url)
        hashes, at = self._hashes, bisect_left(self._hashes, hashed)
        while at < len(hashes) and hashes[at] == hashed:
            number = int(self._order[at])
            if self.urls[number] == url:
                return number
            at += 1
        return None

    def outcome(self, url: str) -> int:
        """The row of the page at a URL, `ABSENT`, `UNKEPT` (also for a URL never heard of), or an answer's."""
        number = self.number(url)
        return UNKEPT if number is None else self._outcomes[number]

    def answer(self, outcome: int) -> Response:
        """An answer that is no page: its outcome is below `UNKEPT`."""
        return from_msgpack(self._answers.octets(_FIRST_ANSWER - outcome), Response)

    def _response(self, row: int) -> Response:
        _, _, status, _, _, address, elapsed, *_, fetched = [field[row] for field in self._fields]
        return Response(
            url=self.url(row),
            status=status,
            headers=(),
            body=b"",
            fetched_at=Millis(fetched),
            elapsed=Millis(elapsed),
            address=self.strings[address],
        )

    # -- by row ----------------------------------------------------------------------------------------------

    def url(self, row: int) -> Url:
        return Url(self.urls[self._fields[0][row]])

    def text(self, row: int) -> str:
        return self._texts[int(self.contents[row])]

    def title(self, row: int) -> str:
        return self.strings[int(self._titles[self.contents[row]])]

    def terms(self, row: int) -> dict[str, int]:
        """Counts of the stemmed words of title and text."""
        return self._terms(int(self.contents[row]))

    def page(self, row: int, request: Request) -> Page:
        """The page, for a request. What the way to it cost is not known here. All that are made of one row share their
        parts."""
        return msgspec.structs.replace(self._made(row), request=request)

    def _page(self, row: int) -> Page:
        url, content, status, media, digest, address, _, noindex, needs_script, etag, modified, fetched = [
            field[row] for field in self._fields
        ]
        strings = self.strings
        final = Url(self.urls[url])
        text = self._texts[content]
        first, end = self._headings_ends[content : content + 2].tolist()
        return Page(
            request=_NOBODY,
            final_url=final,
            status=status,
            fetched_at=Millis(fetched),
            media_type=strings[media],
            digest=strings[digest],
            title=strings[int(self._titles[content])],
            text=text,
            links=self._links_of(row, final, text),
            places=self._places_of(row),
            nav_lines=self._nav_lines_of(content),
            terms=self._terms(content),
            headings=tuple(map(strings.__getitem__, self._headings[first:end].tolist())),
            description=strings[int(self._descriptions[content])],
            language=strings[int(self._languages[content])],
            fingerprint=int(self._fingerprints[content]),
            noindex=bool(noindex),
            needs_script=bool(needs_script),
            address=strings[address],
            etag=strings[etag],
            last_modified=strings[modified],
            feed=self._feed_of(row),
            dated=self._dated_of(row),
            alternates=self._alternates_of(row),
        )

    def _terms(self, content: int) -> Counted:
        start, end = self.terms_ends[content : content + 2].tolist()
        words = self.vocabulary.take(self.term_numbers[start:end]).tolist()
        counts = self.term_counts[start:end].astype(np.int64)
        counted = Counted(zip(words, counts.tolist(), strict=True))
        counted.squared = int(counts @ counts)  # what each cosine asks for, in a tenth of the time
        return counted

    def _nav_lines_of(self, content: int) -> tuple[int, ...]:
        first, end = self._nav_ends[content : content + 2].tolist()
        return tuple(self._nav_lines[first:end].tolist())

    def _feed_of(self, row: int) -> Url | None:
        number = int(self._feeds[row])
        return None if number == _NONE else Url(self.urls[number])

    def _dated_of(self, row: int) -> tuple[tuple[Url, Millis], ...]:
        first, end = self._dated_ends[row : row + 2].tolist()
        pages, dates = self._dated[first:end].tolist(), self._dates[first:end].tolist()
        return tuple((Url(self.urls[page]), Millis(at)) for page, at in zip(pages, dates, strict=True))

    def _alternates_of(self, row: int) -> tuple[tuple[str, Url], ...]:
        first, end = self._alternates_ends[row : row + 2].tolist()
        languages, pages = (column[first:end].tolist() for column in self._alternates)
        return tuple((self.strings[of], Url(self.urls[at])) for of, at in zip(languages, pages, strict=True))

    def _places_of(self, row: int) -> tuple[int, ...]:
        first, end = self.links_ends[row : row + 2].tolist()
        places = self._places[first:end].tolist()
        return () if places[:1] == [_NOT_TOLD] else tuple(places)

    def _links_of(self, row: int, source: Url, text: str) -> tuple[Link, ...]:
        first, end = self.links_ends[row : row + 2].tolist()
        strings, urls = self.strings, self.urls
        rows = zip(
            *[column[first:end].tolist() for column in self._links],
            self._positions[first:end].tolist(),
            strict=True,
        )
        return tuple([
            Link(
                source=source,
                target=urls[target],  # type: ignore[arg-type]
                anchor=strings[anchor],
                context=strings[start] if flags & _APART else text[start:stop],
                heading=strings[heading],
                path=strings[path],
                position=position,
                rel=strings[rel],
                nofollow=flags & _NOFOLLOW != 0,
                in_nav=flags & _IN_NAV != 0,
            )
            for target, anchor, start, stop, heading, path, rel, flags, position in rows
        ])  # fmt: skip
