"""PDFium in a process of its own: it is written in C++, and was made to be asked by one thread."""

from __future__ import annotations

from typing import Final

from lycosa.read.apart import Apart
from lycosa.read.pdf import Print

PDFS: Final = Apart("lycosa.read.pdf", Print, "a PDF")


def printed_apart(body: bytes) -> Print:
    """What is printed in a PDF. Raises `UnreadablePdf`. See `lycosa.read.apart` for what it may take."""
    return PDFS.read(body)
