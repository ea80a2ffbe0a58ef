"""Papers as CORA knew them: title, authors, abstract, year, venue and references, of what is printed in a file.

CORA (McCallum, Nigam, Rennie and Seymore, "Automating the construction of internet portals with machine learning",
Information Retrieval 3, 2000) told these apart with hidden Markov models that were trained on labelled papers. Type and
place tell as much without any: the title is large, the authors stand between it and the abstract, references hang.

What is told so may be wrong, so each part comes with the chance that it is right. It is counted, not felt: how often
the rule that told it was right with papers whose parts are known (`benchmarks/papers.py`, with Laplace's correction).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final

from lycosa.model.records import Record
from lycosa.read.cited_work import CitedWork
from lycosa.read.layout import Row, Sheet
from lycosa.read.names import folded, names_in
from lycosa.read.pdf import Print
from lycosa.read.printed import Join, Title, joined, joiner, title_of
from lycosa.read.references import HEADING, Reference, references_of
from lycosa.read.rules import confidence

READER: Final = "1"
"""Version of what is told here: papers that another one read are read again."""
MAX_ABSTRACT: Final = 4_000
"""Characters."""
MAX_AUTHORS: Final = 100


class Manuscript(Record, frozen=True, kw_only=True):
    """What a file is, if it is a paper. Empty is what was not found."""

    title: str = ""
    authors: tuple[str, ...] = ()
    abstract: str = ""
    year: int | None = None
    venue: str = ""
    references: tuple[CitedWork, ...] = ()
    confidence: Mapping[str, float] = {}
    """By `paper` (that it is one at all), `title`, `authors`, `abstract`, `year`, `venue`: the chance that it is right;
    parts that were not found are not named. Of `references`: that all were found, and no more."""
    rules: Mapping[str, str] = {}
    """By the same names, which rule told it."""
    reference_rules: tuple[str, ...] = ()
    """Of each reference."""


def manuscript(found: Print) -> Manuscript:
    """Read a printed file as a paper, whatever it is: `confidence["paper"]` says whether to believe it."""
    join = joiner(found)
    title = title_of(found)
    rows = [row for one in found.sheets[:2] for row in one.rows if not row.running]
    abstract, abstract_by, top = _abstract(rows, title, join)
    authors, authors_by = _authors(found, title, top)
    references = references_of(found.sheets, join)
    year, year_by = _year(found, title, references)
    venue, venue_by = _venue(found)
    told = {
        "paper": (True, paper_rule(found, abstract_by, references)),
        "title": (title.text, title.source),
        "authors": (authors, authors_by),
        "abstract": (abstract, abstract_by),
        "year": (year, year_by),
        "venue": (venue, venue_by),
        "references": (references, _references_rule(references)),
    }
    rules = {part: rule for part, (what, rule) in told.items() if what}
    return Manuscript(
        title=title.text,
        authors=tuple(authors),
        abstract=abstract,
        year=year,
        venue=venue,
        references=tuple(_cited(reference) for reference in references),
        confidence={part: confidence(part, rule) for part, rule in rules.items()},
        rules=rules,
        reference_rules=tuple(map(reference_rule, references)),
    )


# -- is it one? ----------------------------------------------------------------------------------------------

_INTRODUCTION = re.compile(r"(?:\d{1,2}\.?\s+|I\.\s+)?introduction\b.{0,40}", re.IGNORECASE)
_CITATION = re.compile(
    r"\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]|\((?:[^()]{2,60}, )?(?:19|20)\d\d[a-z]?\)|et al\."
)


def paper_rule(found: Print, abstract_by: str, references: Sequence[Reference]) -> str:
    """How many of four signs there are: an abstract, an introduction, at least three references of which most can be
    read, and citations in the text."""
    rows = [row.text for one in found.sheets for row in one.rows]
    read = sum(reference.how != "none" for reference in references)
    signs = (
        abstract_by in ("heading", "inline"),
        any(_INTRODUCTION.fullmatch(text) for text in rows),
        len(references) >= 3 and 2 * read >= len(references),
        sum(_CITATION.search(text) is not None for text in rows) >= 3,
    )
    return f"{sum(signs)} signs"


# -- abstract ------------------------------------------------------------------------------------------------

_ABSTRACT = re.compile(
    r"(?:abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|résumé|zusammenfassung|resumen)\s*([.:—–-]*)\s*", re.IGNORECASE
)  # fmt: skip
_AFTER_ABSTRACT = re.compile(
    r"(?:key\s?words?|index terms|categories and subject|general terms|ccs concepts|acm reference|msc\b|pacs\b|jel\b"
    r"|(?:\d{1,2}\.?|I\.)?\s*introduction\b|1\.?\s+[A-Z]|contents$)",
    re.IGNORECASE,
)  # fmt: skip


def _abstract(rows: Sequence[Row], title: Title, join: Join) -> tuple[str, str, Row | None]:
    """The abstract, the rule that told it, and the row where it begins."""
    for place, row in enumerate(rows):
        heading = _ABSTRACT.match(row.text)
        if heading is None or row in title.rows:
            continue
        rest = row.text[heading.end() :]
        if not rest:
            text = joined(list(_until(rows[place + 1 :], "")), join)
            if len(text) > 100:
                return text[:MAX_ABSTRACT], "heading", row
        elif heading[1] or rest[:1].isupper():
            following = list(_until(rows[place + 1 :], rest, row))
            text = join_text(rest, following, join)
            if len(text) > 100:
                return text[:MAX_ABSTRACT], "inline", row
    return _unnamed(rows, title, join)


def join_text(begin: str, rows: Sequence[Row], join: Join) -> str:
    """Rows behind the rest of one."""
    text = begin
    for row in rows:
        text = join(text, row.words[0].text) + row.text
    return text


def _until(rows: Sequence[Row], begin: str, first: Row | None = None) -> Iterator[Row]:
    """The rows of an abstract: of one size, without a wide gap, up to what follows abstracts."""
    before = first
    length = len(begin)
    for row in rows:
        if _AFTER_ABSTRACT.match(row.text) or length > MAX_ABSTRACT:
            return
        if before is not None:
            if abs(row.size - before.size) > 0.12 * before.size or (
                row.bold and not before.bold and len(row.text) < 60
            ):
                return
            if row.page == before.page and row.base - before.base > 2.4 * row.size:
                return
        length += len(row.text)
        before = row
        yield row


def _unnamed(rows: Sequence[Row], title: Title, join: Join) -> tuple[str, str, Row | None]:
    """Where no heading says so: what stands between the title and the introduction, if it is long enough."""
    if not title.rows:
        return "", "", None
    after = [row for row in rows if row.page == title.rows[0].page and row.base > title.rows[-1].base]
    ends = next((n for n, row in enumerate(after) if _INTRODUCTION.fullmatch(row.text)), None)
    if ends is None:
        return "", "", None
    part: list[Row] = []
    for row in reversed(after[:ends]):
        if part and (
            abs(row.size - part[-1].size) > 0.05 * row.size or part[-1].base - row.base > 2.0 * row.size
        ):
            break
        part.append(row)
    text = joined(part[::-1], join)
    return (text[:MAX_ABSTRACT], "unnamed", part[-1]) if len(text.split()) >= 40 else ("", "", None)


# -- authors -------------------------------------------------------------------------------------------------


def _authors(found: Print, title: Title, abstract: Row | None) -> tuple[list[str], str]:
    """Names between title and abstract, in the type of the first of them."""
    said, _ = names_in(found.author) if found.author else ([], 0.0)
    shown, share = _shown(found, title, abstract)
    if said and shown and {folded(name) for name in said} == {folded(name) for name in shown}:
        return shown, "both"
    if said and _stand_on(found, said) and not (shown and len(shown) > len(said)):
        return said, "metadata on the page"
    if shown:
        return shown[:MAX_AUTHORS], "all names" if share > 0.99 else "some names"
    return (said[:MAX_AUTHORS], "metadata") if said else ([], "")


def _stand_on(found: Print, names: Sequence[str]) -> bool:
    """Whether all names stand on the first page."""
    text = " ".join(folded(row.text) for one in found.sheets[:1] for row in one.rows)
    return all(folded(name) in text for name in names)


def _shown(found: Print, title: Title, abstract: Row | None) -> tuple[list[str], float]:
    """The names, and the share of names in the rows that have any."""
    if not title.rows:
        return [], 0.0
    last = title.rows[-1]
    lowest = abstract.base if abstract is not None and abstract.page == last.page else last.base + 160
    names: list[str] = []
    shares: list[float] = []
    kind: tuple[float, bool] | None = None
    goes_on = False
    for row in _head_rows(found.sheets, last, lowest):
        if kind is not None and (abs(row.size - kind[0]) > 0.3 or row.bold != kind[1]):
            continue
        for piece in _pieces(row):
            people, share = names_in(piece)
            if share >= (0.4 if goes_on else 0.6):
                goes_on = piece.rstrip().endswith((",", " and"))
                names += people
                shares.append(share)
                kind = kind or (row.size, row.bold)
    return list(dict.fromkeys(names)), min(shares, default=0.0)


def _head_rows(sheets: Sequence[Sheet], last: Row, lowest: float) -> list[Row]:
    """What stands between title and abstract, from the top."""
    rows = [row for one in sheets[:3] for row in one.rows if row.page == last.page and not row.running]
    return sorted((row for row in rows if last.base < row.base < lowest), key=lambda row: row.base)


def _pieces(row: Row) -> list[str]:
    """What stands apart on one row, as names of authors do."""
    pieces: list[list[str]] = []
    right = None
    for word in row.words:
        if right is None or word.left - right > 0.7 * row.size:
            pieces.append([])
        pieces[-1].append(word.text)
        right = word.right
    return [" ".join(piece) for piece in pieces]


# -- year and venue ------------------------------------------------------------------------------------------

_YEAR = re.compile(r"(?<![\d.])(19[5-9]\d|20[0-4]\d)(?![\d-])")
_MONTH = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?,? (?:\d{1,2}, )?(?:19|20)\d\d"
_DATED = re.compile(
    r"©|copyright|\(c\)|proceedings|conference|workshop|symposium|journal|transactions|\bvol(?:ume|\.)|\bpp\.|pages \d"
    rf"|arxiv:|published|accepted|received|issn|[’']\d\d|{_MONTH}",
    re.IGNORECASE,
)


def _year(found: Print, title: Title, references: Sequence[Reference]) -> tuple[int | None, str]:
    """The year: of a line on the first page that dates it; else of the file, or of the youngest reference."""
    youngest = max((reference.year for reference in references if reference.year), default=None)
    created = datetime.fromtimestamp(found.created / 1000, UTC).year if found.created is not None else None
    rows = (row for one in found.sheets[:1] for row in one.rows)
    first = list(takewhile(lambda row: not HEADING.fullmatch(row.text), rows))
    dated = [
        int(year)
        for row in first
        if row not in title.rows and len(row.text) < 200 and _DATED.search(row.text)
        for year in _YEAR.findall(row.text)
    ]
    likely = [year for year in dated if youngest is None or year >= youngest - 1]
    if likely:
        year = max(likely, key=lambda year: (likely.count(year), year))
        return year, "dated, as the file" if year == created else "dated"
    if created is not None and (youngest is None or youngest <= created <= youngest + 2):
        return created, "file"
    return youngest, "youngest reference" if youngest is not None else ""


_SOCIETY = r"ieee|acm|siam|aaai|ai|international|european|annual|machine|information|american"
_KIND = (
    r"proceedings|proc\.|journal|transactions|lecture notes|letters|conference|workshop|symposium|magazine|annals"
    r"|advances|communications"
)
_VENUE = re.compile(
    r"(?:(?:to )?appear(?:s|ed)? in:?\s+|in:?\s+)?"
    rf"((?:the )?(?:\d{{4}} )?(?:(?:{_SOCIETY})\b[ /&]*)*(?:{_KIND})\b.{{0,150}}?)"
    r"(?=,? (?:vol(?:ume|\.)|no\.|pp?\.|pages? \d|\(?\d{4}|issn|©)|, \w+,? (?:19|20)\d\d|[,.]\s*\d|[.,]?$)",
    re.IGNORECASE,
)
_MASTHEAD = re.compile(r"(.{6,90}?),?\s+vol(?:\.|ume)\s*\d", re.IGNORECASE)


def _venue(found: Print) -> tuple[str, str]:
    """Where it appeared: what a line at the top or the foot of the first page names."""
    for one in found.sheets[:1]:
        margins = [row for row in one.rows if not 0.12 * one.height < row.base < 0.82 * one.height]
        for row in margins:
            text = row.text.strip(" .")
            if named := _MASTHEAD.match(text):
                return named[1].strip(" ,"), "masthead"
            if named := _VENUE.match(text):
                return named[1].strip(" ,."), "named"
    return "", ""


# -- references ----------------------------------------------------------------------------------------------


def _references_rule(references: Sequence[Reference]) -> str:
    """How many of them could be read."""
    if not references:
        return ""
    share = sum(reference.how != "none" for reference in references) / len(references)
    return "most read" if share >= 0.8 else "half read" if share >= 0.5 else "few read"


def reference_rule(reference: Reference) -> str:
    """By what it was told, and whether it has all that references have."""
    words = len(reference.title.split())
    whole = bool(reference.authors) and reference.year is not None and 2 <= words <= 30
    return f"{reference.how}{'' if whole else ', not whole'}"


def _cited(reference: Reference) -> CitedWork:
    return CitedWork(
        text=reference.text,
        authors=reference.authors,
        title=reference.title,
        year=reference.year,
        confidence=confidence("reference", reference_rule(reference)),
    )
