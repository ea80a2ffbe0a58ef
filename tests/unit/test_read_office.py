"""Office files, books and mails are pages; and files that are made to harm harm nobody."""

from __future__ import annotations

import asyncio
import io
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from tests.worlds import response, u

from lycosa.drive.reading import Unread, page_or_unread
from lycosa.drive.reading_apart import ReadingApart, may_take_long
from lycosa.model.records import Page, Reason, Request
from lycosa.read.apart import LIMIT
from lycosa.read.html import read
from lycosa.read.kinds import is_html, readable
from lycosa.read.main import main_text
from lycosa.read.office import KINDS, can_read, kind_of

pytestmark = pytest.mark.skipif(not can_read(), reason="needs lycosa[documents]")

TYPES = {kind.name: kind.media_type for kind in KINDS}
_OFFICE = "http://schemas.openxmlformats.org/"
_RELATIONS = f"{_OFFICE}package/2006/relationships"
_LINKED = f"{_OFFICE}officeDocument/2006/relationships"


def archive(parts: dict[str, str], stored: str = "") -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content, zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED)
    return held.getvalue()


def word(body: str) -> bytes:
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return archive(
        {
            "[Content_Types].xml": f'<Types xmlns="{_OFFICE}package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="a" '
            f'Type="{_LINKED}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="b" '
            f'Type="{_LINKED}/hyperlink" Target="http://a.test/silk" TargetMode="External"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{_OFFICE}wordprocessingml/2006/main" '
            f'xmlns:r="{_LINKED}"><w:body>{body}</w:body></w:document>',
        }
    )


def paragraph(text: str, style: str = "") -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


LINK = '<w:p><w:hyperlink r:id="b"><w:r><w:t>how silk is made</w:t></w:r></w:hyperlink></w:p>'
CELLS = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("legs", "eight"))
WORD = word(
    paragraph("Of wolf spiders", "Heading1")
    + paragraph("They hunt by day and by night.")
    + LINK
    + f"<w:tbl><w:tr>{CELLS}</w:tr></w:tbl>"
)
BOOK = archive(
    {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container version="1.0" '
        'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="c.opf" '
        'media-type="application/oebps-package+xml"/></rootfiles></container>',
        "c.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The book of spiders</dc:title>'
        "<dc:creator>Ann Spinner</dc:creator><dc:language>en</dc:language></metadata><manifest>"
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine>'
        '<itemref idref="a"/></spine></package>',
        "a.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>1</title></head><body><h1>Silk</h1>'
        '<p>Spiders <a href="http://a.test/spin">spin</a>.</p></body></html>',
    },
    stored="mimetype",
)
MAIL = (
    b"From: Ann <ann@a.test>\r\nTo: bob@b.test\r\nSubject: Wolf spiders\r\n"
    b"Date: Mon, 2 Mar 2020 10:00:00 +0000\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\n\r\nThey hunt at n\xc3\xacght.\r\n"
)


def paged(body: bytes, media_type: str) -> Page | Unread:
    answer = response(u("a"), body, 200, ("Content-Type", media_type))
    return page_or_unread(Request(url=u("a"), order=0), answer, None)


def test_a_word_file_is_a_page_like_any_other() -> None:
    page = paged(WORD, TYPES["Word"])
    assert isinstance(page, Page)
    assert page.text.split("\n") == [
        "Of wolf spiders",
        "They hunt by day and by night.",
        "how silk is made",
        "legs",
        "eight",
    ]
    assert page.headings == ("Of wolf spiders",)
    assert [(link.target, link.anchor) for link in page.links] == [("http://a.test/silk", "how silk is made")]
    assert page.title == "Of wolf spiders"


def test_however_small_they_are_read_apart() -> None:
    """An archive does not show how large it is: in place it would keep all other visits waiting."""
    assert may_take_long(WORD, TYPES["Word"])
    assert may_take_long(BOOK)
    assert may_take_long(MAIL, TYPES["e-mail"])
    assert not may_take_long(MAIL, "text/html")

    async def both() -> tuple[Page | Unread, Page | Unread]:
        reading = ReadingApart(processes=1)
        answer = response(u("a"), WORD, 200, ("Content-Type", TYPES["Word"]))
        apart = await reading.read(Request(url=u("a"), order=0), answer, None)
        assert len(reading._started) == 1
        await reading.close()
        return apart, paged(WORD, TYPES["Word"])

    apart, in_place = asyncio.run(both())
    assert apart == in_place


def test_a_book_says_who_wrote_it() -> None:
    document = read(BOOK, "http://a.test/book.epub", TYPES["EPUB"])
    assert (document.title, document.language) == ("The book of spiders", "en")
    assert [link.target for link in document.links] == ["http://a.test/spin"]
    main = main_text(BOOK, "http://a.test/book.epub", TYPES["EPUB"], markdown=True)
    assert main.about.authors == ("Ann Spinner",)
    assert "# Silk" in main.markdown


def test_a_mail_is_named_by_its_subject() -> None:
    document = read(MAIL, "http://a.test/1.eml", TYPES["e-mail"])
    assert document.title == "Wolf spiders"
    assert document.text.endswith("They hunt at n\u00ecght.")


def test_links_of_a_mail_that_was_written_in_html_are_links() -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Ann <ann@a.test>", "Wolf spiders"
    mail.set_content("They hunt. See http://a.test/plain")
    mail.add_alternative(
        "<title>Mail</title><h1>Wolves</h1><p>They hunt. See <a href='http://a.test/silk'>the \u00e9tude</a>.",
        subtype="html",
    )
    mail.add_attachment("<a href='http://a.test/attached'>x</a>", subtype="html", filename="a.html")
    document = read(mail.as_bytes(), "http://a.test/1.eml", TYPES["e-mail"])
    assert [(link.target, link.anchor) for link in document.links] == [
        ("http://a.test/silk", "the \u00e9tude")
    ]
    assert document.title == "Wolf spiders"
    assert document.headings == ("Wolves",)
    assert document.text.count("They hunt") == 1, "the plain body says the same"
    assert document.text.startswith("Subject: Wolf spiders\n")


@pytest.mark.parametrize("charset", ["no-such-charset", "utf-8"])
def test_a_mail_whose_html_cannot_be_decoded_is_still_read(charset: str) -> None:
    body = MAIL.replace(b"text/plain; charset=utf-8", f"text/html; charset={charset}".encode())
    assert "hunt at n" in read(body, "http://a.test/1.eml", TYPES["e-mail"]).text


@pytest.mark.parametrize(
    ("media_type", "body", "name"),
    [
        (TYPES["Word"], WORD, "Word"),
        ("application/octet-stream", WORD, "Word"),
        ("", BOOK, "EPUB"),
        ("application/zip", archive({"a.txt": "a"}), None),
        (TYPES["Word"], b"<html>404, which some servers call Word", None),
        ("text/html", b"<p>word/document.xml", None),
        ("message/rfc822", MAIL, "e-mail"),
    ],
)
def test_kinds_are_known_by_type_and_by_their_parts(media_type: str, body: bytes, name: str | None) -> None:
    kind = kind_of(media_type, body)
    assert (kind.name if kind else None) == name
    assert readable(media_type, body) == (name is not None or media_type == "text/html")
    assert not (name and is_html(media_type, body))


def unread(body: bytes, media_type: str = TYPES["Word"]) -> str:
    began = time.monotonic()
    found = paged(body, media_type)
    assert time.monotonic() - began < LIMIT
    assert isinstance(found, Unread)
    assert found.reason is Reason.UNREADABLE
    return found.detail


OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000)


def locked(body: bytes) -> bytes:
    """The same with the mark of a password on its first part."""
    at = body.index(b"PK\x01\x02") + 8
    return body[:at] + bytes([body[at] | 1]) + body[at + 1 :]


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: WORD[:400], "damaged"),
        (lambda: word(""), "no text"),
        (lambda: b"PK\x03\x04" + b"word/" * 100, "damaged"),
        (lambda: archive({"word/document.xml": "<a>" + " " * 50_000_000}), "too large when it is unpacked"),
        (lambda: archive({f"word/{n}": "" for n in range(10_001)}), "too large when it is unpacked"),
        (lambda: locked(WORD), "needs a password"),
        (lambda: OLD, "needs a password, or is of an office program"),
    ],
    ids=["torn", "empty", "no archive", "ratio", "parts", "password", "old"],
)
def test_what_cannot_be_read_is_told(made: Callable[[], bytes], why: str) -> None:
    assert why in unread(made())


ENTITIES = (
    '<!DOCTYPE w:document [<!ENTITY a "spider ">'
    + "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)


@pytest.mark.parametrize(
    "made",
    [
        lambda: word("<w:tbl><w:tr><w:tc>" * 50_000),
        lambda: archive({"word/document.xml": f"{ENTITIES}<w:document>&i;</w:document>"}),
        lambda: word(paragraph("silk " * 400_000)),
        lambda: word("".join(paragraph(f"line {number}") for number in range(20_000))),
    ],
    ids=["nested", "entities", "long", "many"],
)
def test_bombs_end_nothing_else(made: Callable[[], bytes]) -> None:
    body = made()
    began = time.monotonic()
    found = paged(body, TYPES["Word"])
    assert isinstance(found, Page | Unread)
    assert time.monotonic() - began < LIMIT
    assert isinstance(paged(WORD, TYPES["Word"]), Page)


def test_damaged_files_never_raise() -> None:
    chance = random.Random(7)
    for whole, media_type in ((WORD, TYPES["Word"]), (BOOK, TYPES["EPUB"]), (MAIL, TYPES["e-mail"])):
        for _ in range(40):
            body = bytearray(whole)
            for _ in range(chance.randrange(1, 20)):
                body[chance.randrange(len(body))] = chance.randrange(256)
            assert isinstance(paged(bytes(body), media_type), Page | Unread)


def test_without_the_package_they_stay_unread() -> None:
    """In another process, in which the package cannot be found."""
    program = f"""
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "kreuzberg" else found(name, *more)
from lycosa.model.records import Request
from lycosa.drive.reading import page_or_unread
from tests.worlds import response, u
answer = response(u("a"), {MAIL!r}, 200, ("Content-Type", "message/rfc822"))
unread = page_or_unread(Request(url=u("a"), order=0), answer, None)
print(unread.reason.value, unread.detail, sep="|")
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "not-text|a file that lycosa reads after: pip install 'lycosa[documents]'\n"
