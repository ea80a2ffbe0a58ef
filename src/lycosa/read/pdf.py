"""PDF: bytes in, printed pages out, and a `Document` like that of any other page.

PDFium reads the file (the package pypdfium2, which brings it along). On real papers it gave the text in half the time
of pdftotext, a fifteenth of pypdf's and a thirtieth of pdfminer.six's (`benchmarks/pdf.py`); to know where each word
stands costs as much again three times. Its licence asks for nothing. And as Chrome opens the PDFs of the web with it,
it has met more hostile files than any other, and will be looked after. What it cannot do is to promise an end, so it
runs in a process of its own (`lycosa.read.pdf_apart`), and here pages and characters are bounded.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from math import hypot
from typing import Any, Final

from lycosa.model.records import Millis, Record
from lycosa.read.apart import Unreadable
from lycosa.read.layout import Sheet, Word, sheet, with_running

MAX_PAGES: Final = 500
"""Pages of a file that are read: a long book."""
MAX_SIGNS: Final = 2_000_000
"""Characters of a file that are read: that book's. More than ten times what a paper has."""
MAX_PAGE_SIGNS: Final = 30_000
"""Characters of a page that are read: five times what a dense one has."""
MAX_LINKS: Final = 3_000
"""Annotations of a file that are looked at."""
MAX_URI: Final = 8_192
"""Bytes of a link's target."""
_BOLD = re.compile(r"bold|black|heavy|semib|cmbx|medi\b|sfbx|-b\d*$", re.IGNORECASE)


UnreadablePdf = Unreadable


class Mark(Record, frozen=True, gc=False):
    """A link's target and the place on the page where it stands, in points from the left and from the top."""

    target: str
    page: int
    left: float
    top: float
    right: float
    bottom: float


class Print(Record, frozen=True, kw_only=True):
    """What is printed in a PDF, and what it says of itself."""

    sheets: tuple[Sheet, ...]
    marks: tuple[Mark, ...] = ()
    title: str = ""
    """As the file's metadata have it: often that of a template, or the name of a file."""
    author: str = ""
    subject: str = ""
    created: Millis | None = None
    modified: Millis | None = None
    pages: int = 0
    """Of the file; those beyond `MAX_PAGES` are not read."""


def read_apart(body: bytes) -> Print:
    """What is asked in a process of its own."""
    return printed(body)


def printed(body: bytes) -> Print:
    """What is printed in a PDF, as far as the bounds above go, read in this very process: see
    `lycosa.read.pdf_apart.printed_apart`. Not for two threads at once. Raises `UnreadablePdf`."""
    with _opened(body) as document:
        return _File(document).printed()


@cache
def _pdfium() -> Any:
    import pypdfium2_raw as pdfium

    pdfium.FPDF_InitLibrary()
    return pdfium


@contextmanager
def _opened(body: bytes) -> Iterator[Any]:
    pdfium = _pdfium()
    document = pdfium.FPDF_LoadMemDocument64(body, len(body), None)
    if not document:
        needs_password = pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD
        raise UnreadablePdf("a PDF that needs a password" if needs_password else "a PDF that is damaged")
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


class _File:
    """A PDF that is open."""

    def __init__(self, document: Any) -> None:
        self._document, self._signs, self._looked_at = document, 0, 0

    def printed(self) -> Print:
        pages = _pdfium().FPDF_GetPageCount(self._document)
        sheets: list[Sheet] = []
        marks: list[Mark] = []
        for number in range(min(pages, MAX_PAGES)):
            if self._signs >= MAX_SIGNS:
                break
            with self._page(number) as page:
                sheets.append(self._sheet(page, number))
                marks += self._marks(page, number)
        return Print(
            sheets=with_running(sheets),
            marks=tuple(marks),
            title=self._said("Title"),
            author=self._said("Author"),
            subject=self._said("Subject"),
            created=moment(self._said("CreationDate")),
            modified=moment(self._said("ModDate")),
            pages=pages,
        )

    def _said(self, name: str) -> str:
        """A field of the metadata."""
        buffer = ctypes.create_string_buffer(4096)
        size = _pdfium().FPDF_GetMetaText(self._document, name.encode(), buffer, len(buffer))
        return plain(buffer.raw[: size - 2].decode("utf-16-le", "ignore")) if 2 < size <= len(buffer) else ""

    @contextmanager
    def _page(self, number: int) -> Iterator[_Page | None]:
        pdfium = _pdfium()
        page = pdfium.FPDF_LoadPage(self._document, number)
        try:
            yield _Page(self._document, page) if page else None
        finally:
            if page:
                pdfium.FPDF_ClosePage(page)

    def _sheet(self, page: _Page | None, number: int) -> Sheet:
        if page is None:
            return Sheet(0.0, 0.0, ())
        words = list(page.words(min(MAX_PAGE_SIGNS, MAX_SIGNS - self._signs)))
        self._signs += sum(len(word.text) + 1 for word in words)
        return sheet(words, number, page.width, page.height)

    def _marks(self, page: _Page | None, number: int) -> Iterator[Mark]:
        for target, box in page.links() if page is not None else ():
            self._looked_at += 1
            if self._looked_at > MAX_LINKS:
                return
            if target:
                yield Mark(target, number, *box)


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class _Page:
    """A page of a file that is open. PDFium measures from below, and before the page is turned."""

    def __init__(self, document: Any, page: Any) -> None:
        pdfium = _pdfium()
        self._document, self._page = document, page
        self._turned = pdfium.FPDFPage_GetRotation(page) % 4
        self.width = pdfium.FPDF_GetPageWidthF(page)
        self.height = pdfium.FPDF_GetPageHeightF(page)

    def _shown(self, x: float, y: float) -> tuple[float, float]:
        """A point as it is shown, from the left and from the top."""
        match self._turned:
            case 1:
                return y, x
            case 2:
                return self.width - x, y
            case 3:
                return self.width - y, self.height - x
            case _:
                return x, self.height - y

    def words(self, most: int) -> Iterator[Word]:
        """The words of the page in the order of the file, of `most` characters at most."""
        text = _pdfium().FPDFText_LoadPage(self._page)
        if not text:
            return
        with closing(_Text(text)) as found:
            for first, last, written in found.words(most):
                if (word := self._word(found, first, last, written)) is not None:
                    yield word

    def _word(self, found: _Text, first: int, last: int, written: str) -> Word | None:
        size, bold = found.type_of(first)
        at, end = found.origin(first), found.box(last)
        if at is None or end is None or (clean := plain(written)) in _ACCENTS or not clean:
            return None
        left, base = self._shown(*at)
        right = max(self._shown(end[0], end[1])[0], self._shown(end[2], end[3])[0])
        ends = at if first == last else found.origin(last) or at
        is_level = abs(self._shown(*ends)[1] - base) < size
        if not is_level:  # it runs upwards: a stamp in the margin, the name of an axis
            right = left + size
        return Word(clean, round(left, 2), round(max(left, right), 2), round(base, 2), size, bold)

    def links(self) -> Iterator[tuple[str, Box]]:
        """Targets, empty for those within the file, and their places."""
        pdfium = _pdfium()
        place, link = ctypes.c_int(0), pdfium.FPDF_LINK()
        while pdfium.FPDFLink_Enumerate(self._page, place, link):
            box = pdfium.FS_RECTF()
            pdfium.FPDFLink_GetAnnotRect(link, box)
            ends = (self._shown(box.left, box.top), self._shown(box.right, box.bottom))
            across, down = sorted(x for x, _ in ends), sorted(y for _, y in ends)
            yield self._target(link), (across[0], down[0], across[1], down[1])

    def _target(self, link: Any) -> str:
        pdfium = _pdfium()
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            return ""
        buffer = ctypes.create_string_buffer(MAX_URI)
        size = pdfium.FPDFAction_GetURIPath(self._document, action, buffer, len(buffer))
        return buffer.raw[: size - 1].decode("utf-8", "replace") if 1 < size <= len(buffer) else ""


class _Text:
    """The text of a page: signs by their places in the file."""

    def __init__(self, text: Any) -> None:
        self._text, self._pdfium = text, _pdfium()
        self._short = ctypes.POINTER(ctypes.c_ushort)
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._box = tuple(ctypes.c_double() for _ in range(4))
        self._matrix = self._pdfium.FS_MATRIX()
        self._name, self._flags = ctypes.create_string_buffer(64), ctypes.c_int()
        self._bold: dict[bytes, bool] = {}

    def close(self) -> None:
        self._pdfium.FPDFText_ClosePage(self._text)

    def words(self, most: int) -> Iterator[tuple[int, int, str]]:
        """First and last place of each word, and how it is written. A hyphen that PDFium takes for that of a line's end
        ends a word: the rest of it stands on the next line, but follows at once."""
        signs = self._signs(min(most, self._pdfium.FPDFText_CountChars(self._text)))
        for found in _WORD.finditer(signs):
            yield found.start(), found.end() - 1, found[0].replace(_HYPHEN, "-")

    def _signs(self, count: int) -> str:
        """One a place: all at once, where PDFium leaves none out, as it does with those that have no Unicode."""
        buffer = ctypes.create_string_buffer(2 * (count + 1))
        if self._pdfium.FPDFText_GetText(self._text, 0, count, ctypes.cast(buffer, self._short)) == count + 1:
            signs = buffer.raw[: 2 * count].decode("utf-16-le", "replace").replace("\ufffe", _HYPHEN)
            if len(signs) == count:
                return signs
        sign_at = self._pdfium.FPDFText_GetUnicode
        codes = (sign_at(self._text, place) for place in range(count))
        return "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes)

    def origin(self, place: int) -> tuple[float, float] | None:
        if not self._pdfium.FPDFText_GetCharOrigin(self._text, place, self._x, self._y):
            return None
        return self._x.value, self._y.value

    def box(self, place: int) -> tuple[float, float, float, float] | None:
        """Left, bottom, right and top."""
        left, right, bottom, top = self._box
        if not self._pdfium.FPDFText_GetCharBox(self._text, place, left, right, bottom, top):
            return None
        return left.value, bottom.value, right.value, top.value

    def type_of(self, place: int) -> tuple[float, bool]:
        """Size on paper, to a tenth of a point, and whether it is bold."""
        size = self._pdfium.FPDFText_GetFontSize(self._text, place)
        if self._pdfium.FPDFText_GetMatrix(self._text, place, self._matrix):
            size *= hypot(self._matrix.c, self._matrix.d)
        return max(0.1, round(size, 1)), self._is_bold(place)

    def _is_bold(self, place: int) -> bool:
        self._pdfium.FPDFText_GetFontInfo(self._text, place, self._name, len(self._name), self._flags)
        if (name := self._name.value) not in self._bold:
            self._bold[name] = _BOLD.search(name.decode("utf-8", "ignore")) is not None
        return self._bold[name]


# -- signs ---------------------------------------------------------------------------------------------------

_HYPHEN: Final = "\x02"
"""PDFium's own sign for a hyphen at the end of a line; U+FFFE in texts."""
_WORD = re.compile(f"[^\\s{_HYPHEN}]+{_HYPHEN}?|{_HYPHEN}")
_LIGATURES: Final = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_ACCENTS: Final = dict(
    zip("´`¨ˆ˜ˇ˚¯˘¸˝", "\u0301\u0300\u0308\u0302\u0303\u030c\u030a\u0304\u0306\u0327\u030b", strict=True)
)
"""Accents that stand apart, as old fonts of TeX have them, and those that join the letter before."""
_ACCENTED = re.compile(f"([{''.join(_ACCENTS)}])([^\\W\\d_])")
_CEDILLA = re.compile("([CSTcst])¸")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\u200b\u2060\ufeff\ud800-\udfff]")


def plain(text: str) -> str:
    """Text with ligatures as letters, accents that were set apart on their letters, single blanks, no controls."""
    if not text.isascii():
        text = _CEDILLA.sub("\\1\u0327", text)
        text = _ACCENTED.sub(lambda found: found[2] + _ACCENTS[found[1]], text.translate(_LIGATURES))
        text = unicodedata.normalize("NFC", text)
    return " ".join(_CONTROL.sub("", text).split())


_MOMENT = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?'?)?")


def moment(written: str) -> Millis | None:
    """A time as PDF writes it (ISO 32000-1, 7.9.4): `D:20040131120000+01'00'`; None if it is none."""
    if (found := _MOMENT.match(written)) is None:
        return None
    parts = zip(found.groups()[:6], "011000", strict=True)
    year, month, day, hour, minute, second = (int(part or least) for part, least in parts)
    east = timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0)) * (-1 if found[7] == "-" else 1)
    try:
        at = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - east
    except (ValueError, OverflowError):
        return None
    return Millis(int(at.timestamp() * 1000))


__all__ = ["Mark", "Print", "UnreadablePdf", "moment", "printed"]
