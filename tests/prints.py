"""PDF files made for tests: text at places, links, metadata; and columns that text flows through."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence

WIDTHS = (
    250, 333, 408, 500, 500, 833, 778, 333, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889,
    722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 333, 500, 333, 444, 500, 444, 500,
    444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480,
    200, 480, 333,
)  # fmt: skip
"""Of the signs of ASCII in Times Roman, in thousandths of the size (Adobe's font metrics)."""
FACES = {"roman": "Times-Roman", "bold": "Times-Bold", "italic": "Times-Italic"}


WIDE = {chr(32 + place): wide for place, wide in enumerate(WIDTHS)}


def width(text: str, size: float) -> float:
    return sum([WIDE.get(sign, 500) for sign in text]) * size / 1000


class Print:
    """A PDF that is being made. Places are points from the left and from the top."""

    def __init__(self, across: float = 612.0, down: float = 792.0) -> None:
        self.across, self.down = across, down
        self._pages: list[list[str]] = []
        self._links: list[list[str]] = []
        self.new_page()

    def new_page(self) -> None:
        self._pages.append([])
        self._links.append([])

    @property
    def pages(self) -> int:
        return len(self._pages)

    def text(self, left: float, base: float, text: str, size: float = 10.0, face: str = "roman") -> None:
        name = list(FACES).index(face)
        self._pages[-1].append(
            f"BT /F{name} {size:g} Tf 1 0 0 1 {left:.2f} {self.down - base:.2f} Tm ({_escaped(text)}) Tj ET"
        )

    def upwards(self, left: float, base: float, text: str, size: float = 10.0) -> None:
        """Text that runs from below to above."""
        self._pages[-1].append(
            f"BT /F0 {size:g} Tf 0 1 -1 0 {left:.2f} {self.down - base:.2f} Tm ({_escaped(text)}) Tj ET"
        )

    def link(self, left: float, base: float, right: float, uri: str, size: float = 10.0) -> None:
        low, high = self.down - base - 2, self.down - base + size
        self._links[-1].append(
            f"<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[{left:.2f} {low:.2f} {right:.2f} {high:.2f}]"
            f"/A<</S/URI/URI({_escaped(uri)})>>>>"
        )

    def bytes(self, **said: str) -> bytes:
        """The file; `said` are its metadata, such as `Title`."""
        fonts = "".join(f"/F{n} {3 + n} 0 R" for n in range(len(FACES)))
        first = 3 + len(FACES)
        kids = " ".join(f"{first + 2 * n} 0 R" for n in range(self.pages))
        objects = [
            b"<</Type/Catalog/Pages 2 0 R>>",
            f"<</Type/Pages/Kids[{kids}]/Count {self.pages}>>".encode(),
        ]
        for face in FACES.values():
            objects.append(f"<</Type/Font/Subtype/Type1/BaseFont/{face}/Encoding/WinAnsiEncoding>>".encode())
        for number, (commands, links) in enumerate(zip(self._pages, self._links, strict=True)):
            objects.append(
                f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {self.across:g} {self.down:g}]/Resources<</Font<<{fonts}>>>>"
                f"/Contents {first + 2 * number + 1} 0 R/Annots[{''.join(links)}]>>".encode()
            )
            objects.append(stream("\n".join(commands).encode("cp1252", "replace")))
        told = "".join(f"/{name}({_escaped(value)})" for name, value in said.items())
        objects.append(f"<<{told}>>".encode("cp1252", "replace"))
        return file_of(objects, info=len(objects))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def stream(content: bytes, entries: str = "") -> bytes:
    """A compressed stream, with more entries of its dictionary."""
    return _packed_stream(zlib.compress(content, 9), entries)


def repeated(content: bytes, times: int, before: bytes = b"") -> bytes:
    """The compressed stream of `before` and so many times the content, which is compressed once."""
    pack = zlib.compressobj(9)
    begins = pack.compress(before) + pack.flush(zlib.Z_FULL_FLUSH)
    one = pack.compress(content) + pack.flush(zlib.Z_FULL_FLUSH)
    checked = zlib.adler32(before)
    for _ in range(times):
        checked = zlib.adler32(content, checked)
    ends = zlib.compressobj(9, wbits=-15).flush() + checked.to_bytes(4, "big")
    return _packed_stream(begins + one * times + ends)


def _packed_stream(packed: bytes, entries: str = "") -> bytes:
    head = f"<</Length {len(packed)}/Filter/FlateDecode{entries}>>stream\n"
    return head.encode() + packed + b"\nendstream"


def file_of(objects: Sequence[bytes], info: int = 0) -> bytes:
    """A file of numbered objects; the first is its catalog."""
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    begins = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    more = b"/Info %d 0 R" % info if info else b""
    out += b"trailer<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, more, begins)
    return bytes(out)


class Flow:
    """Text that flows through columns, and from page to page."""

    def __init__(
        self, paper: Print, columns: int = 1, *, top: float = 72.0, margin: float = 72.0, gap: float = 18.0
    ) -> None:
        self.paper, self.columns, self.margin, self.gap = paper, columns, margin, gap
        self.wide = (paper.across - 2 * margin - (columns - 1) * gap) / columns
        self._top, self._column, self.base = top, 0, top

    @property
    def left(self) -> float:
        return self.margin + self._column * (self.wide + self.gap)

    def down(self, points: float) -> None:
        """Go down, to the next column or page where this one ends."""
        self.base += points
        if self.base > self.paper.down - 72:
            self._column += 1
            if self._column == self.columns:
                self._column, self._top = 0, 72.0
                self.paper.new_page()
            self.base = self._top + points

    def put(
        self,
        text: str,
        size: float = 10.0,
        face: str = "roman",
        *,
        first: float = 0.0,
        hang: float = 0.0,
        centred: bool = False,
        hyphens: bool = False,
        after: float = 0.0,
    ) -> None:
        """A paragraph. `first` indents its first row, `hang` the others."""
        for number, row in enumerate(rows(text, self.wide - max(first, hang), size, hyphens=hyphens)):
            self.down(1.2 * size)
            indent = hang if number else first
            left = self.left + ((self.wide - width(row, size)) / 2 if centred else indent)
            self.paper.text(left, self.base, row, size, face)
        self.base += after


def rows(text: str, wide: float, size: float, *, hyphens: bool = False) -> Iterator[str]:
    """A text broken into rows. With `hyphens`, long words are parted."""
    row = ""
    for word in text.split():
        longer = f"{row} {word}" if row else word
        if width(longer, size) <= wide:
            row = longer
            continue
        if hyphens and len(word) > 7 and word.isalpha() and width(f"{row} {word[:4]}-", size) <= wide:
            yield f"{row} {word[:4]}-"
            row = word[4:]
            continue
        if row:
            yield row
        row = word
    if row:
        yield row


def printed_lines(lines: Iterable[str], **said: str) -> bytes:
    """A file of one page with a line of text each 14 points."""
    paper = Print()
    for number, line in enumerate(lines):
        paper.text(72, 90 + 14 * number, line)
    return paper.bytes(**said)
