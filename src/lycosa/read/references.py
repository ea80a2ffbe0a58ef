"""References of a paper: where one ends and the next begins, and what each says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from lycosa.model.records import Record
from lycosa.read.layout import Row, Sheet
from lycosa.read.names import names_in
from lycosa.read.printed import Join, joined

MOST: Final = 1_000
"""References of one paper."""
LONGEST: Final = 1_500
"""Characters of one."""
HEADING = re.compile(
    r"(?:\d{1,2}\.?\s+|[IVX]+\.\s+)?(?:references(?: and notes| cited)?|bibliography|literature(?: cited)?|works cited"
    r"|r\s?e\s?f\s?e\s?r\s?e\s?n\s?c\s?e\s?s|références|bibliographie|literatur(?:verzeichnis)?|bibliografía|referencias"
    r"|bibliografia)\s*[:.]?",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:(?:\d{1,2}|[A-Z])\.?\s+)?(?:appendi(?:x|ces)|acknowledge?ments?|about the authors?|biograph(?:y|ies)"
    r"|supplementary|author biograph\w+)\b",
    re.IGNORECASE,
)  # fmt: skip

How = Literal["quoted", "year first", "initials", "sentences", "colon", "commas", "none"]
"""By what authors and title were told apart."""


class Reference(Record, frozen=True, kw_only=True):
    """What a paper says of another work."""

    text: str
    """As it stands there, without its number."""
    authors: tuple[str, ...] = ()
    title: str = ""
    year: int | None = None
    how: How = "none"


def references_of(sheets: Sequence[Sheet], join: Join) -> list[Reference]:
    """The references at the end of a paper, in their order."""
    found = []
    for rows in _entries(_listed(sheets)):
        text = joined(rows, join)[:LONGEST]
        if any(map(str.isalpha, text)) and len(text) > 15:
            found.append(parsed(text))
    return found[:MOST]


# -- where they stand ----------------------------------------------------------------------------------------


class _Placed(NamedTuple):
    """A row, and the left edge of its column."""

    row: Row
    edge: float


def _listed(sheets: Sequence[Sheet]) -> list[_Placed]:
    """The rows under the last heading of references, up to the next heading that begins something else."""
    placed = [
        _Placed(row, edge)
        for one in sheets
        for column in one.columns
        for edge in [_edge(column)]
        for row in column
        if not row.running
    ]
    begins = [number for number, each in enumerate(placed) if HEADING.fullmatch(each.row.text.strip())]
    if not begins:
        return []
    heading = placed[begins[-1]].row
    found: list[_Placed] = []
    for each in placed[begins[-1] + 1 :]:
        row = each.row
        as_large = row.size >= heading.size - 0.3 and (row.bold or not heading.bold)
        if found and _AFTER.match(row.text) and (row.bold or as_large):
            break
        if len(found) > 3 and row.bold and as_large and row.size > found[0].row.size + 0.3:
            break
        found.append(each)
    usual = Counter(each.row.size for each in found).most_common(1)
    return [each for each in found if abs(each.row.size - usual[0][0]) <= 0.15 * usual[0][0]]


def _edge(column: Sequence[Row]) -> float:
    """Where rows of a column begin that are not indented."""
    return min(row.left for row in column)


_BRACKETED = re.compile(r"\[\s*[\w+.,&’' -]{1,40}\]")
_NUMBERED = re.compile(r"\(?(\d{1,3})[.)]?(?:\s|$)")


def _entries(listed: Sequence[_Placed]) -> Iterator[list[Row]]:
    begins = _beginnings(listed)
    entry: list[Row] = []
    for each, is_first in zip(listed, begins, strict=True):
        if is_first and entry:
            yield entry
            entry = []
        entry.append(each.row)
    if entry:
        yield entry


def _beginnings(listed: Sequence[_Placed]) -> list[bool]:
    """Which rows begin a reference: by labels in brackets, by numbers that count, by the rows that are not indented, by
    the space between rows; whichever there is."""
    texts = [each.row.text for each in listed]
    bracketed = [_BRACKETED.match(text) is not None for text in texts]
    if sum(bracketed) >= max(2, len(listed) // 12):
        return bracketed
    counted = _counted(texts)
    if sum(counted) >= max(2, len(listed) // 12):
        return counted
    outdented = [each.row.left < each.edge + 0.4 * each.row.size for each in listed]
    if len(listed) // 8 <= sum(outdented) <= 0.75 * len(listed):
        return outdented
    steps = Counter(round(after.row.base - before.row.base, 1) for before, after in pairwise(listed))
    usual = max((step for step, often in steps.items() if often == max(steps.values())), default=0.0)
    apart = (
        after.row.base - before.row.base > 1.15 * usual or _seems_new(before.row, after.row)
        for before, after in pairwise(listed)
    )
    return [True, *apart][: len(listed)]


def _seems_new(before: Row, after: Row) -> bool:
    """Without indents: whether a row begins with people, or a column, after one that ended a sentence."""
    if not before.text.endswith(".") or not after.text[:1].isupper():
        return False
    begin = re.split(r"\(?\b(?:19|20)\d\d|(?<=[a-z])\. [A-Z][a-z]", after.text)[0]
    return names_in(begin)[1] > 0.7 or after.base < before.base


def _counted(texts: Sequence[str]) -> list[bool]:
    """Which rows begin with the next number."""
    expected, found = 1, []
    for text in texts:
        number = _NUMBERED.match(text)
        is_next = number is not None and int(number[1]) == expected
        expected += is_next
        found.append(is_next)
    return found


# -- what each says ------------------------------------------------------------------------------------------

_LABEL = re.compile(r"(?:\[[^\]]{1,40}\]|\(?\d{1,3}[.)](?=\s)|\d{1,3}(?=\s+[A-ZÀ-Þ]))\s*")
_QUOTED = re.compile(r"[“\"„«‘]\s*(.{6,400}?)[,.?!]?\s*[”\"“»’](?=[\s,.(]|$)")
_YEAR = re.compile(r"(?<![\d–-])((?:19|20)\d\d)[a-z]?(?![\d–-]|\.\d)")
_YEAR_FIRST = re.compile(r"(.{3,400}?)[\s,.]+[(\[]?((?:19|20)\d\d)[a-z]?(?:, \w+)?[)\]]?\s*[.,:]?\s+(?=\S)")
_COLON = re.compile(r"(.{3,400}?[^\W\d_]\.?(?: \(eds?\.\))?):\s+(?=\S)")
_STOP = re.compile(r"[.?!](?=\s+\S)")
_FAMILY = r"(?:(?:[A-Za-z]{2,3} ){0,2}[A-ZÀ-ÞŠŽŁ][^\W\d_]+(?:['’-][^\W\d_]+)*)"
_ONE = rf"{_FAMILY},(?: ?[A-ZÀ-Þ]\.-?)+"
_FAMILY_FIRST = re.compile(
    rf"{_ONE}(?:(?:,? (?:and|&) |[,;] ){_ONE})*(?= (?:[A-Z][^.]|[“\"]))"
    rf"|(?:{_FAMILY} [A-ZÀ-Þ]{{1,3}}, )*(?:{_FAMILY} [A-ZÀ-Þ]{{1,3}}|et al)\.(?= [A-Z][\w-]* [a-z])"
)
_SHORT: Final = frozenset({
    "al", "jr", "sr", "st", "vol", "no", "pp", "ed", "eds", "proc", "int", "conf", "j", "trans", "vs", "dr", "prof",
})  # fmt: skip


def parsed(text: str) -> Reference:
    """What one reference says."""
    plain = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
    years = [int(year) for year in _YEAR.findall(plain)]
    for how in _WAYS:
        found = how(plain)
        if found is not None:
            people, title, year = found
            year = year or (years[-1] if years else None)
            return Reference(text=plain, authors=tuple(people), title=title, year=year, how=_WAYS[how])
    return Reference(text=plain, year=years[-1] if years else None)


_Parts = tuple[list[str], str, int | None]
"""Authors, title, and the year where it stands between the two."""


def _by_quotes(text: str) -> _Parts | None:
    found = _QUOTED.search(text)
    if found is None or found.start() > 400:
        return None
    return _people(text[: found.start()].strip(" ,.:"))[0], _tidy(found[1]), None


def _by_year(text: str) -> _Parts | None:
    found = _YEAR_FIRST.match(text)
    if found is None:
        return None
    people, share = _people(found[1])
    title = _sentence(text[found.end() :])
    is_title = len(title.split()) > 1 and not title[:1].isdigit()
    return (people, _tidy(title), int(found[2])) if share >= 0.75 and is_title else None


def _by_colon(text: str) -> _Parts | None:
    found = _COLON.match(text)
    if found is None:
        return None
    people, share = _people(found[1])
    title = _sentence(text[found.end() :])
    return (people, _tidy(title), None) if share >= 0.9 and title else None


def _by_sentences(text: str) -> _Parts | None:
    """The first sentence if it is all names, then the second."""
    for stop in _STOP.finditer(text[:500]):
        if _is_short(text, stop.start()):
            continue
        people, share = _people(text[: stop.start()])
        if share < 0.75:
            return None
        title = _sentence(text[stop.end() :].lstrip())
        return (people, _tidy(title), None) if title else None
    return None


def _by_initials(text: str) -> _Parts | None:
    """Family names and initials, then a capital: `Pant, G. and Menczer, F. Title`, `Pant G, Menczer F. Title`."""
    found = _FAMILY_FIRST.match(text)
    if found is None:
        return None
    people, share = _people(found[0])
    title = _sentence(text[found.end() :].lstrip())
    return (people, _tidy(title), None) if share >= 0.75 and len(title.split()) > 1 else None


def _by_commas(text: str) -> _Parts | None:
    """Names between commas, then the first part that is none."""
    parts = text.split(", ")
    for number, part in enumerate(parts):
        if names_in(part)[1] < 1.0:
            people, _ = names_in(", ".join(parts[:number]))
            return (
                (people, _tidy(part), None)
                if people and len(part.split()) > 2 and not part.startswith("and ")
                else None
            )
    return None


_WAYS: Final[Mapping[Callable[[str], _Parts | None], How]] = {
    _by_quotes: "quoted",
    _by_year: "year first",
    _by_sentences: "sentences",
    _by_initials: "initials",
    _by_colon: "colon",
    _by_commas: "commas",
}


_OTHERS = re.compile(r",?\s*(?:et al\.?|and others|\(?eds?\.?\)?)\s*$")
_SWAPPED = re.compile(rf"({_FAMILY}) ([A-ZÀ-Þ]{{1,3}})(?=[,;]|\.?$| and | &)")


def _people(listed: str) -> tuple[list[str], float]:
    """The names in a list, and the share of them in it. `Pant G` is turned round."""
    plain = _OTHERS.sub("", listed.strip(" ,(["))
    turned = _SWAPPED.sub(r"\2 \1", plain)
    return names_in(turned if turned[-2:-1].isupper() else turned.rstrip("."))


def _sentence(text: str) -> str:
    """The first sentence: a stop after an initial, or a short form, is none."""
    for stop in _STOP.finditer(text):
        if not _is_short(text, stop.start()):
            return text[: stop.start() + (text[stop.start()] == "?")]
    return text


def _is_short(text: str, stop: int) -> bool:
    word = re.split(r"[\s(,.-]", text[:stop])[-1]
    return text[stop] == "." and (word.lower() in _SHORT or (len(word) == 1 and word.isupper()))


def _tidy(title: str) -> str:
    return title.strip(" ,.;:“”\"'")[:300]
