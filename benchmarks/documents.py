"""CPU a file of what reads office files, books and mails.

    python -m benchmarks.documents [PARAGRAPHS]

The files are made here, with so many paragraphs of sixty words (300 are some sixty pages). lycosa reads them as a visit
does, in a process of its own whose CPU is counted, to a document with text, links, terms and language; kreuzberg, which
it rests on, to plain text in this process. Each begins once before it is measured.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from datetime import date
from functools import partial
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import kreuzberg
from tests.unit.test_read_office import MAIL, TYPES, archive, paragraph, word

from lycosa.read import office
from lycosa.read.html import read

ROUNDS = 10
WORDS = "the wolf spider hunts by day and by night and carries its eggs in a sac of silk until they hatch "


def files(paragraphs: int) -> dict[str, bytes]:
    """One of each kind, by its media type."""
    text = WORDS * 3
    book = "".join(f"<p>{text}</p>" for _ in range(paragraphs))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="a" '
        'href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile '
        'full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "c.opf": opf}
    return {
        TYPES["Word"]: word("".join(paragraph(text) for _ in range(paragraphs))),
        TYPES["EPUB"]: archive({**parts, "a.xhtml": f"<html><body>{book}</body></html>"}, stored="mimetype"),
        TYPES["e-mail"]: MAIL + f"{text}\r\n\r\n".encode() * paragraphs,
    }


def cost(work: Callable[[], object]) -> float:
    """CPU milliseconds of this process."""
    work()
    began = getrusage(RUSAGE_SELF)
    for _ in range(ROUNDS):
        work()
    ended = getrusage(RUSAGE_SELF)
    return 1e3 * (ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime) / ROUNDS


def cost_apart(work: Callable[[], object]) -> float:
    """CPU milliseconds of this process and of the one in which files are read, its start apart."""
    own = cost(work)
    office._APART.end()
    began = getrusage(RUSAGE_CHILDREN)
    work()
    office._APART.end()
    once = getrusage(RUSAGE_CHILDREN)
    for _ in range(1 + ROUNDS):
        work()
    office._APART.end()
    ended = getrusage(RUSAGE_CHILDREN)
    first = once.ru_utime + once.ru_stime - began.ru_utime - began.ru_stime
    all_of_them = ended.ru_utime + ended.ru_stime - once.ru_utime - once.ru_stime
    return own + 1e3 * (all_of_them - first) / ROUNDS


def main() -> None:
    paragraphs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"`python -m benchmarks.documents {paragraphs}`, kreuzberg {kreuzberg.__version__}, ", end="")
    print(f"Python {platform.python_version()}, {date.today()}\n")
    print("| kind | bytes | words read | lycosa, CPU ms a file | kreuzberg alone, to text |")
    print("| --- | ---: | ---: | ---: | ---: |")
    plain = kreuzberg.ExtractionConfig(use_cache=False)
    for media_type, body in files(paragraphs).items():
        text = read(body, "http://example.org/a", media_type).text
        ours = cost_apart(partial(read, body, "http://example.org/a", media_type))
        alone = cost(partial(kreuzberg.extract_bytes_sync, body, media_type, plain))
        kind = next(name for name, its in TYPES.items() if its == media_type)
        print(f"| {kind} | {len(body):,} | {len(text.split()):,} | {ours:.1f} | {alone:.1f} |")


if __name__ == "__main__":
    main()
