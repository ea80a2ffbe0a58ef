"""From printed pages to a document: the text of a PDF a paragraph a line, its title, headings and links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from lycosa.model.records import Link, Record
from lycosa.model.url import Url
from lycosa.read.blocks import WINDOW
from lycosa.read.document import Document
from lycosa.read.duplicates import simhash
from lycosa.read.language import language
from lycosa.read.layout import Paragraph, Row, Word, body_size, paragraphs
from lycosa.read.pdf import Mark, Print
from lycosa.read.pdf_apart import printed_apart
from lycosa.read.resolve import LinkResolver
from lycosa.scoring.words.terms import counts

MAX_HEADING: Final = 200
"""Characters."""
MAX_TITLE: Final = 300
TITLE_WITHIN: Final = 0.7
"""Of the first page's height: where a title stands."""
LARGER: Final = 1.08
"""Than most of the text: type that tells a heading."""

_BAND: Final = 20.0
"""Points: links are looked for in bands across the page."""
_BANDS: Final = 100

_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>\"“”«»{}|\\^`]+", re.IGNORECASE)
_BROKEN_URL = re.compile(r"(?:https?://|www\.)\S*[/\-_.=?&%]$", re.IGNORECASE)
_TRAILING = ".,;:!?'’)]}*†‡"
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef]")
_WORDS = re.compile(r"[^\W\d_]+")


def read_pdf(body: bytes, url: Url) -> Document:
    """The document of a PDF. Raises `lycosa.read.pdf.UnreadablePdf` if there is none to be had."""
    return document(printed_apart(body), url)


def document(found: Print, url: Url) -> Document:
    """What is printed, as a page like any other. Links are what the file marks as such, and URLs in the text."""
    written = written_of(found)
    text = "\n".join(line.text for line in written)
    title = title_of(found).text
    terms = counts(f"{title}\n{text}")
    links, places = _links(written, found.marks, url)
    return Document(
        url=url,
        base=url,
        title=title,
        description=found.subject[:1000],
        headings=tuple(line.text for line in written if line.is_heading),
        text=text,
        content_lines=tuple(not line.running for line in written),
        language=language(text),
        links=links,
        places=places,
        terms=terms,
        fingerprint=simhash(terms),
    )


# -- lines ---------------------------------------------------------------------------------------------------


class Line(Record, frozen=True, gc=False):
    """A paragraph as one line of text."""

    text: str
    words: tuple[tuple[int, Word, int], ...]
    """Where each word begins, and its page."""
    running: bool
    is_heading: bool


def written_of(found: Print) -> list[Line]:
    """The paragraphs of a file, words that were parted at the end of a row joined again."""
    size = body_size(found.sheets)
    join = joiner(found)
    return [_line(paragraph, size, join) for paragraph in paragraphs(found.sheets)]


Join = Callable[[str, str], str]
"""Given the text so far and the word that begins the next row: the text with what belongs between the two."""


def joiner(found: Print) -> Join:
    """How rows of a file are joined. A hyphen at the end of a row goes, unless the word stands elsewhere with it, and
    nowhere without, or has others."""
    known = {
        word.text.strip(".,;:()").lower() for one in found.sheets for row in one.rows for word in row.words
    }

    def join(text: str, word: str) -> str:
        if (
            text.endswith(("-", "\u00ad", "\u2010"))
            and len(text) > 1
            and text[-2].isalpha()
            and word[:1].islower()
        ):
            first, rest = text[:-1].rpartition(" ")[2].lstrip("(“\"'"), word.rstrip(".,;:()”\"'")
            whole, parted = f"{first}{rest}".lower(), f"{first}-{rest}".lower()
            return text[:-1] + ("-" if "-" in rest or (parted in known and whole not in known) else "")
        if _BROKEN_URL.search(text[-200:]) and word[:1].isalnum() and word[:1] == word[:1].lower():
            return text
        return text if _UNSPACED.match(word) and _UNSPACED.search(text[-1:]) else f"{text} "

    return join


def joined(rows: Sequence[Row], join: Join) -> str:
    """Rows as one text."""
    text = ""
    for row in rows:
        text = (join(text, row.words[0].text) if text else "") + row.text
    return text


def _line(paragraph: Paragraph, size: float, join: Join) -> Line:
    text = ""
    words: list[tuple[int, Word, int]] = []
    for row in paragraph.rows:
        text = join(text, row.words[0].text) if text else ""
        at = len(text)
        for word in row.words:
            words.append((at, word, row.page))
            at += len(word.text) + 1
        text += row.text
    stands_out = paragraph.rows[0].size > LARGER * size or all(row.bold for row in paragraph.rows)
    is_heading = (
        stands_out and not paragraph.running and len(text) <= MAX_HEADING and any(map(str.isalpha, text))
    )
    return Line(text, tuple(words), paragraph.running, is_heading)


# -- links ---------------------------------------------------------------------------------------------------


class _Reference(NamedTuple):
    """A target with the line and the place in it where it is written, and how it is written."""

    target: str
    line: int
    start: int
    end: int


def _links(
    lines: Sequence[Line], marks: Sequence[Mark], url: Url
) -> tuple[tuple[Link, ...], tuple[int, ...]]:
    """The links in the order of the text, and where in it each begins. What stands nowhere in it comes last."""
    resolver = LinkResolver(url)
    headings, starts = _over(lines), _starts(lines)
    placed, unplaced = _placed(lines, marks)
    marked = {(each.line, place) for each in placed for place in range(each.start, each.end)}
    written = (each for each in _written(lines) if (each.line, each.start) not in marked)
    references = [(each, target) for each in sorted([*placed, *written], key=lambda each: (each.line, each.start))
                  if (target := resolver.resolve(each.target)) is not None]  # fmt: skip
    rest = [target for mark in unplaced if (target := resolver.resolve(mark.target)) is not None]
    total = len(references) + len(rest)
    links = [
        Link(
            source=url,
            target=target,
            anchor=lines[each.line].text[each.start : each.end],
            context=_context(lines[each.line].text, each),
            heading=headings[each.line],
            position=place / total,
            in_nav=lines[each.line].running,
        )
        for place, (each, target) in enumerate(references)
    ]
    links += [
        Link(source=url, target=target, position=(len(links) + n) / total) for n, target in enumerate(rest)
    ]
    places = [starts[each.line] + each.start for each, _ in references] + [-1] * len(rest)
    return tuple(links), tuple(places)


def _over(lines: Sequence[Line]) -> list[str]:
    """The heading over each line."""
    over, last = [], ""
    for line in lines:
        last = line.text if line.is_heading else last
        over.append(last)
    return over


def _starts(lines: Sequence[Line]) -> list[int]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line.text) + 1
    return starts


def _placed(lines: Sequence[Line], marks: Sequence[Mark]) -> tuple[list[_Reference], list[Mark]]:
    """The marks with the words that they cover, and those that cover none: such as pictures."""
    at: dict[tuple[int, int], list[Mark]] = {}
    for mark in marks:
        for band in range(
            int(mark.top // _BAND), min(int(mark.bottom // _BAND), int(mark.top // _BAND) + _BANDS) + 1
        ):
            at.setdefault((mark.page, band), []).append(mark)
    covered: dict[Mark, _Reference] = {}
    for number, line in enumerate(lines):
        for start, word, page in line.words:
            for mark in at.get((page, int(_middle(word) // _BAND)), ()):
                if _covers(mark, word):
                    known = covered.get(mark)
                    first = known.start if known is not None and known.line == number else start
                    covered[mark] = _Reference(mark.target, number, first, start + len(word.text))
    return list(covered.values()), [mark for mark in marks if mark not in covered]


def _covers(mark: Mark, word: Word) -> bool:
    across = (word.left + word.right) / 2
    return mark.left <= across <= mark.right and mark.top <= _middle(word) <= mark.bottom


def _middle(word: Word) -> float:
    """How far from the top of the page its small letters have their middle."""
    return word.base - 0.25 * word.size


def _written(lines: Sequence[Line]) -> Iterator[_Reference]:
    """URLs as they stand in the text."""
    for number, line in enumerate(lines):
        for found in _URL.finditer(line.text):
            url = found[0].rstrip(_TRAILING)
            if url.count("(") > url.count(")"):
                url = found[0][: len(url) + 1].rstrip(".,;")
            target = url if url[:4].lower() == "http" else f"http://{url}"
            yield _Reference(target, number, found.start(), found.start() + len(url))


def _context(text: str, each: _Reference) -> str:
    """The words around a link."""
    reach = 30 * WINDOW
    before = text[max(0, each.start - reach) : each.start].split()[-WINDOW:]
    after = text[each.end : each.end + reach].split()[:WINDOW]
    return " ".join([*before, text[each.start : each.end], *after])


# -- title ---------------------------------------------------------------------------------------------------

Source = Literal["both", "type", "metadata", ""]


class Title(Record, frozen=True):
    """A title, and what tells it: the largest type on the first page, the metadata, or both."""

    text: str = ""
    source: Source = ""
    rows: tuple[Row, ...] = ()
    """Where it stands; empty if it was not found on the page."""


_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint)|powerpoint|untitled|unknown|no(?: job)? name|title|document\d*|slide \d+"
    r"|template|layout \d)\b"
    r"|\S+\.(?:docx?|dvi|tex|pdf|ps|eps|rtf|odt|indd|qxd|pptx?|xlsx?|html?)$|doi:|pii:|\(?[\d\W]*\)?$",
    re.IGNORECASE,
)
_BANNER = re.compile(
    r"(?:arxiv:|vol(?:ume|\.)|(?:the )?(?:international |european )?journal of|proceedings of|transactions on"
    r"|research (?:article|paper)|original article|technical report|review|submitted|published|issn)\b",
    re.IGNORECASE,
)  # fmt: skip


def title_of(found: Print) -> Title:
    """The title. What the metadata say counts where the first page says so too, in type no smaller than the text's.
    Else it is the largest type at the top of the page, and what the metadata say only where no type stands out."""
    said = found.title if len(found.title) > 3 and not _NO_TITLE.match(found.title) else ""
    size = body_size(found.sheets)
    candidates = [rows for rows in _candidates(found) if rows[0].size >= 0.99 * size]
    join = joiner(found)
    plain_title = _condensed(said)
    for rows in candidates:
        text = joined(rows, join)
        if said and len(plain_title) >= 8 and _agree(plain_title, _condensed(text)):
            return Title(_cut(text), "both", rows)
    large = [rows for rows in candidates if rows[0].size > LARGER * size or all(row.bold for row in rows)]
    if large:
        rows = max(large, key=lambda rows: rows[0].size)
        return Title(_cut(joined(rows, join)), "type", rows)
    return Title(_cut(said), "metadata") if said else Title()


def _agree(said: str, shown: str) -> bool:
    """Whether one is the other, or most of it."""
    return (
        said == shown
        or (len(said) > 0.7 * len(shown) and said in shown)
        or (len(shown) > 0.7 * len(said) and shown in said)
    )


def _cut(title: str) -> str:
    title = title.rstrip("∗*†‡§¶ ")
    return title if len(title) <= MAX_TITLE else title[:MAX_TITLE].rsplit(" ", 1)[0]


def _condensed(text: str) -> str:
    return "".join(_WORDS.findall(text.casefold()))


def _candidates(found: Print) -> Iterator[tuple[Row, ...]]:
    """Runs of rows of one size at the top of the first page that has text."""
    first = next((one for one in found.sheets if sum(row.letters for row in one.rows) > 20), None)
    if first is None:
        return
    rows = [row for row in first.rows if not row.running and row.base < TITLE_WITHIN * first.height]
    run: list[Row] = []
    for row in sorted(rows, key=lambda row: row.base):
        if run and not _is_of(run[-1], row):
            yield from _if_title(run)
            run = []
        run.append(row)
    yield from _if_title(run)


def _is_of(before: Row, row: Row) -> bool:
    alike = abs(before.size - row.size) <= 0.04 * row.size and before.bold == row.bold
    return alike and row.base - before.base < 2.0 * row.size


def _if_title(run: Sequence[Row]) -> Iterator[tuple[Row, ...]]:
    text = " ".join(row.text for row in run)
    words = [word for word in _WORDS.findall(text) if len(word) > 1]
    if (
        (len(words) > 1 or len(text) > 8)
        and len(text) <= 2 * MAX_TITLE
        and len("".join(words)) >= 5
        and not _BANNER.match(text)
    ):
        yield tuple(run)
