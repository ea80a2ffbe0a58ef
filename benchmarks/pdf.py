"""CPU a page of what reads PDF, and how many of the words that pdftotext finds each finds too.

    python -m benchmarks.pdf [FOLDER]

FOLDER holds PDFs; without one, papers that nobody wrote are read (`tests/made_papers.py`). Each reader begins once
before it is measured, and gets each file from memory; pdftotext, a program, gets it as a file, and starts each time.
What is not installed is left out: pdftotext (poppler-utils), pypdf, pdfminer.six.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

from tests.made_papers import made_papers

from lycosa.model.url import Url
from lycosa.read.papers import manuscript
from lycosa.read.pdf import UnreadablePdf, printed
from lycosa.read.printed import document

Read = Callable[[bytes], str]


def lycosa_rows(body: bytes) -> str:
    """PDFium, places of words, rows and columns."""
    return " ".join(row.text for one in printed(body).sheets for row in one.rows)


def lycosa_document(body: bytes) -> str:
    """The same, and paragraphs, title, links, terms, language."""
    return document(printed(body), Url("http://example.org/a.pdf")).text


def lycosa_paper(body: bytes) -> str:
    """The same, and the parts of a paper."""
    return manuscript(printed(body)).abstract


def pdfium(body: bytes) -> str:
    """PDFium's own text, without places."""
    import pypdfium2

    file = pypdfium2.PdfDocument(body)
    return " ".join(page.get_textpage().get_text_range() for page in file)


def pypdf(body: bytes) -> str:
    import pypdf as library  # type: ignore[import-not-found]

    return " ".join(page.extract_text() for page in library.PdfReader(io.BytesIO(body)).pages)


def pdfminer(body: bytes) -> str:
    from pdfminer.high_level import extract_text  # type: ignore[import-not-found]

    return str(extract_text(io.BytesIO(body)))


def pdftotext(body: bytes) -> str:
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(body)
        file.flush()
        found = subprocess.run(["pdftotext", file.name, "-"], capture_output=True, check=False)
    return found.stdout.decode("utf-8", "replace")


READERS: dict[str, tuple[Read, str]] = {
    "pdftotext": (pdftotext, ""),
    "PDFium, text only": (pdfium, "pypdfium2"),
    "lycosa: rows in order": (lycosa_rows, "pypdfium2"),
    "lycosa: document": (lycosa_document, "pypdfium2"),
    "lycosa: paper": (lycosa_paper, "pypdfium2"),
    "pypdf": (pypdf, "pypdf"),
    "pdfminer.six": (pdfminer, "pdfminer"),
}


def words(text: str) -> Counter[str]:
    """Words of letters; those parted at the ends of rows are joined."""
    return Counter(re.findall(r"[^\W\d_]{3,}", re.sub(r"-\s*\n\s*", "", text).lower()))


def cpu() -> float:
    return sum(used.ru_utime + used.ru_stime for used in (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)))


def measured(read: Read, bodies: Sequence[bytes]) -> tuple[float, list[Any]]:
    read(bodies[0])
    began = cpu()
    texts = [read(body) for body in bodies]
    return cpu() - began, [words(text) for text in texts]


def main() -> None:
    found = sorted(Path(sys.argv[1]).glob("*.pdf")) if len(sys.argv) > 1 else []
    bodies = [file.read_bytes() for file in found] or [made.body for made in made_papers(60)]
    bodies = [body for body in bodies if _pages(body)]
    pages = sum(map(_pages, bodies))
    true = [words(pdftotext(body)) for body in bodies] if shutil.which("pdftotext") else []
    print(
        f"{len(bodies)} files, {pages} pages\n\n| reader | CPU ms a page | words of pdftotext |\n| --- | --- | --- |"
    )
    for name, (read, package) in READERS.items():
        if (package and find_spec(package) is None) or (not package and not true):
            continue
        seconds, texts = measured(read, bodies)
        shared = sum((one & other).total() for one, other in zip(texts, true, strict=False))
        share = (
            f"{shared / sum(one.total() for one in true):.1%}" if true and read is not lycosa_paper else ""
        )
        print(f"| {name} | {1000 * seconds / pages:.1f} | {share} |")


def _pages(body: bytes) -> int:
    try:
        return len(printed(body).sheets)
    except UnreadablePdf:
        return 0


if __name__ == "__main__":
    main()
