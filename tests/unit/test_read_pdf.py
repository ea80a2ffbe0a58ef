"""PDFs as pages: order, titles, links; and files that are made to harm."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from tests.prints import Flow, Print, file_of, printed_lines, repeated, stream
from tests.worlds import response, u

from lycosa.drive.reading import Unread, page_or_unread
from lycosa.drive.reading_apart import may_take_long
from lycosa.model.records import Page, Reason, Request
from lycosa.model.url import Url
from lycosa.read.apart import LIMIT
from lycosa.read.html import read
from lycosa.read.kinds import is_pdf, readable
from lycosa.read.pdf import UnreadablePdf, moment, plain, printed
from lycosa.read.pdf_apart import printed_apart
from lycosa.read.printed import document, title_of

URL = Url("http://example.org/papers/a.pdf")
PROSE = (
    "The crawler begins at a few pages and follows the links that promise most. "
    "It reads every page that comes, and it learns from what it has read so far."
)


def paragraph(name: str) -> str:
    return f"{name} {PROSE} So ends {name.lower()}."


def lines_of(body: bytes) -> list[str]:
    return document(printed(body), URL).text.split("\n")


# -- order ---------------------------------------------------------------------------------------------------


def test_two_columns_are_read_one_after_the_other() -> None:
    paper = Print()
    flow = Flow(paper, top=60)
    flow.put("A Title over Both Columns of the Page", 18, "bold")
    columns = Flow(paper, 2, top=110, gap=20)
    for name in ("Alpha", "Beta", "Gamma", "Delta"):
        columns.put(paragraph(name), 10, after=6)
    columns.down(600 - columns.base)
    columns.base = 10_000
    for name in ("Epsilon", "Zeta", "Eta", "Theta"):
        columns.put(paragraph(name), 10, after=6)
    assert lines_of(paper.bytes()) == [
        "A Title over Both Columns of the Page",
        *map(paragraph, ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta")),
    ]


def test_columns_are_told_by_where_rows_stand_not_by_the_order_of_the_file() -> None:
    left = [f"the left row {n} tells of silk" for n in range(12)]
    right = [f"the right row {n} tells of webs" for n in range(12)]
    paper = Print()
    for n, (one, other) in enumerate(zip(left, right, strict=True)):
        paper.text(72, 100 + 12 * n, one)
        paper.text(320, 100 + 12 * n, other)
    assert " ".join(lines_of(paper.bytes())) == " ".join([*left, *right])


def test_a_table_is_read_row_by_row() -> None:
    paper = Print()
    for n in range(12):
        paper.text(72, 100 + 12 * n, f"strategy number {n}")
        paper.text(320, 100 + 12 * n, f"{n}.5")
    assert " ".join(lines_of(paper.bytes())).startswith("strategy number 0 0.5 strategy number 1 1.5")


def test_a_word_parted_at_the_end_of_a_row_is_one_word() -> None:
    body = printed_lines(
        ["The crawler is fo-", "cused on one topic, which is a state-", "of-the-art idea of focused."]
    )
    assert lines_of(body) == [
        "The crawler is focused on one topic, which is a state-of-the-art idea of focused."
    ]


def test_a_hyphen_stays_where_the_word_has_it_elsewhere() -> None:
    body = printed_lines(["A well-known crawler is a well-", "known one."])
    assert lines_of(body) == ["A well-known crawler is a well-known one."]


def test_running_heads_are_no_content() -> None:
    paper = Print()
    for number in range(1, 6):
        paper.text(72, 40, "Journal of Web Studies, vol. 3")
        for row in range(3):
            paper.text(72, 300 + 12 * row, f"page {number} has the words of row {row}")
        paper.text(300, 770, str(number))
        if number < 5:
            paper.new_page()
    found = document(printed(paper.bytes()), URL)
    assert "Journal" not in found.content
    assert found.boilerplate.split("\n") == [
        text for number in range(1, 6) for text in ("Journal of Web Studies, vol. 3", str(number))
    ]


def test_text_in_the_margin_that_runs_upwards_stays_out_of_the_rows() -> None:
    paper = Print()
    paper.upwards(20, 500, "arXiv:0301.1234v1 [cs.IR]", 16)
    for row in range(10):
        paper.text(72, 300 + 12 * row, f"the words of row {row} go on")
    assert "the words of row 4 go on the words of row 5 go on" in " ".join(lines_of(paper.bytes()))


def test_headings_stand_over_what_follows() -> None:
    paper = Print()
    flow = Flow(paper)
    for name in ("Silk", "Webs"):
        flow.put(name, 14, "bold", after=4)
        flow.put(PROSE, 10, after=8)
    assert document(printed(paper.bytes()), URL).headings == ("Silk", "Webs")


# -- titles --------------------------------------------------------------------------------------------------


def titled(shown: str, size: float, **said: str) -> tuple[str, str]:
    paper = Print()
    flow = Flow(paper)
    flow.put("Journal of Web Studies", 24)
    flow.put(shown, size, after=20)
    for _ in range(5):
        flow.put(PROSE, 10, after=6)
    title = title_of(printed(paper.bytes(**said)))
    return title.text, title.source


def test_the_largest_type_is_the_title_unless_it_is_a_journals_name() -> None:
    assert titled("Spiders that Follow Links", 18) == ("Spiders that Follow Links", "type")


def test_what_metadata_and_page_both_say_is_the_title() -> None:
    said = {"Title": "Spiders That Follow Links"}
    assert titled("Spiders that Follow Links", 10.5, **said) == ("Spiders that Follow Links", "both")


@pytest.mark.parametrize(
    "said", ["Microsoft Word - final.doc", "untitled", "paper.dvi", "Proceedings Template - WORD"]
)
def test_what_only_the_metadata_say_is_not(said: str) -> None:
    assert titled("Spiders that Follow Links", 18, Title=said) == ("Spiders that Follow Links", "type")


def test_metadata_are_believed_where_no_type_stands_out() -> None:
    body = printed_lines([PROSE] * 3, Title="Spiders that Follow Links")
    assert title_of(printed(body)).source == "metadata"
    assert title_of(printed(printed_lines([PROSE] * 3, Title="scan.pdf"))).text == ""


def test_metadata_are_read() -> None:
    found = printed(
        printed_lines(["a"], Author="Ann Öberg", Subject="crawling", CreationDate="D:20040131120000+01'00'")
    )
    noon = int(datetime(2004, 1, 31, 11, tzinfo=UTC).timestamp() * 1000)
    assert (found.author, found.subject, found.created) == ("Ann Öberg", "crawling", noon)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("D:1999", datetime(1999, 1, 1, tzinfo=UTC)),
        ("20200229", datetime(2020, 2, 29, tzinfo=UTC)),
        ("D:20040131120000-05'30'", datetime(2004, 1, 31, 17, 30, tzinfo=UTC)),
        ("D:20041331", None),
        ("Monday", None),
        ("", None),
    ],
)
def test_moments(written: str, expected: datetime | None) -> None:
    assert moment(written) == (expected and int(expected.timestamp() * 1000))


def test_plain_text() -> None:
    assert plain("e\ufb03cient M¨uller\x00  of\u200b ´etude") == "efficient Müller of étude"


# -- links ---------------------------------------------------------------------------------------------------


def test_links_have_anchors_places_and_contexts() -> None:
    paper = Print()
    paper.text(72, 100, "See the spider pages for more, or http://example.org/more.html.")
    paper.link(104, 100, 155, "../spiders")
    paper.link(400, 500, 450, "http://example.org/picture")
    paper.link(72, 100, 100, "javascript:alert(1)")
    found = document(printed(paper.bytes()), URL)
    assert [(link.target, link.anchor) for link in found.links] == [
        ("http://example.org/spiders", "spider pages"),
        ("http://example.org/more.html", "http://example.org/more.html"),
        ("http://example.org/picture", ""),
    ]
    assert found.places == (8, 34, -1)
    assert found.text[8:].startswith("spider pages")
    assert found.links[0].context == "See the spider pages for more, or http://example.org/more.html."
    assert not found.links[0].in_nav


def test_a_url_broken_at_the_end_of_a_row_is_whole() -> None:
    body = printed_lines(["More is told at http://example.org/spiders/", "webs/orb.html (in English)."])
    assert [link.target for link in document(printed(body), URL).links] == [
        "http://example.org/spiders/webs/orb.html"
    ]


# -- as a page -----------------------------------------------------------------------------------------------


def paged(body: bytes, kind: str = "application/pdf") -> Page | Unread:
    return page_or_unread(
        Request(url=u("a"), order=0), response(u("a"), body, 200, ("Content-Type", kind)), None
    )


def test_a_pdf_is_a_page_like_any_other() -> None:
    body = printed_lines([PROSE[:75], PROSE[75:]], Title="Of spiders")
    page = paged(body, "text/html; charset=utf-8")
    assert isinstance(page, Page)
    assert page.text == PROSE
    assert page.title == "Of spiders"
    assert page.language == "en"
    assert page.terms["crawler"] == 1
    assert may_take_long(body)


def test_what_is_a_pdf() -> None:
    assert is_pdf("text/html", b"%PDF-1.7")
    assert is_pdf("application/pdf", b"\r\n\r\n%PDF-1.7")
    assert not is_pdf("application/pdf", b"<html>404, which some servers call PDF")
    assert not is_pdf("text/plain", b"how to write %PDF-1.7")
    assert readable("application/pdf", b"%PDF-1.7")


# -- files that are made to harm -----------------------------------------------------------------------------

FONTS = "/Resources<</Font<</F 5 0 R>>>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def one_page(content: bytes, more: str = FONTS) -> bytes:
    page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R{more}>>".encode()
    return file_of(
        [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, content, FONT]
    )


def many_pages(kids: int, count: int) -> bytes:
    pages = b"<</Type/Pages/Kids[" + b"3 0 R " * kids + b"]/Count %d>>" % count
    page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R{FONTS}>>".encode()
    content = stream(b"BT /F 10 Tf 72 700 Td (A page of the file) Tj ET")
    return file_of([b"<</Type/Catalog/Pages 2 0 R>>", pages, page, content, FONT])


def forms_within_forms(deep: int, wide: int) -> bytes:
    """wide ** deep times the same text."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
        stream(b"/X Do"),
        FONT,
    ]
    for level in range(deep + 1):
        content = b"/X Do " * wide if level < deep else b"BT /F 10 Tf 72 700 Td (boom) Tj ET"
        inner = f"/Font<</F 5 0 R>>/XObject<</X {7 + level if level < deep else 5} 0 R>>"
        entries = f"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<<{inner}>>"
        objects.append(stream(content, entries))
    return file_of(objects)


LOCKED = file_of(
    [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[]/Count 0>>",
        b"<</Filter/Standard/V 1/R 2/P -4/O<" + b"41" * 32 + b">/U<" + b"42" * 32 + b">>>",
    ]
).replace(b"/Root 1 0 R", b"/Root 1 0 R/Encrypt 3 0 R/ID[<00><00>]")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (LOCKED, "a PDF that needs a password"),
        (b"%PDF-1.4\n" + b"garbage " * 1000, "a PDF that is damaged"),
        (printed_lines(["cut off"])[:300], "a PDF that is damaged"),
        (b"%PDF-1.4", "a PDF that is damaged"),
    ],
)
def test_files_without_text_to_be_had(body: bytes, why: str) -> None:
    assert paged(body) == Unread(reason=Reason.UNREADABLE, detail=why)
    assert read(body, URL, "application/pdf").unread == why


def test_a_million_pages_are_read_up_to_the_bound() -> None:
    found = printed(many_pages(100_000, 1_000_000))
    assert len(found.sheets) == 500
    assert len(printed(many_pages(1, 2_000_000_000)).sheets) <= 500


def test_page_trees_that_lead_back_to_themselves_end() -> None:
    body = file_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 20>>"])
    assert document(printed(body), URL).text == ""


@pytest.mark.parametrize(
    "made",
    [
        lambda: one_page(repeated(b" " * 1_000_000, 900)),
        lambda: one_page(repeated(b"(spider web silk) Tj 0 -1 Td " * 30_000, 100, b"BT /F 10 Tf 72 700 Td ")),
        lambda: forms_within_forms(24, 10),
    ],
    ids=["blanks", "text", "forms"],
)
def test_bombs_end_the_process_that_reads_them_and_nothing_else(made: Callable[[], bytes]) -> None:
    body = made()
    assert len(body) < 1_000_000
    began = time.monotonic()
    found = paged(body)
    assert isinstance(found, Unread)
    assert found.reason is Reason.UNREADABLE
    assert time.monotonic() - began < LIMIT
    assert printed_apart(printed_lines(["the next one"])).sheets


def test_a_long_page_is_read_up_to_the_bound() -> None:
    rows = b"".join(b"1 0 0 1 10 %d Tm (%s) Tj " % (n, b"silk " * 40) for n in range(1, 790))
    found = printed(one_page(stream(b"BT /F 1 Tf " + rows + b"ET")))
    assert 20_000 < sum(row.letters for row in found.sheets[0].rows) <= 30_000


def test_many_links_are_looked_at_up_to_the_bound() -> None:
    links = "".join(
        f"<</Type/Annot/Subtype/Link/Rect[70 690 400 710]/A<</S/URI/URI(/{n})>>>>" for n in range(9_000)
    )
    body = one_page(stream(b"BT /F 10 Tf 72 700 Td (A page of the file) Tj ET"), f"{FONTS}/Annots[{links}]")
    assert len(printed(body).marks) == 3_000
    assert len(document(printed(body), URL).links) == 3_000


def test_what_is_printed_is_the_same_apart() -> None:
    body = printed_lines([PROSE, "and more"], Title="Of spiders", Author="Ann")
    assert printed_apart(body) == printed(body)
    with pytest.raises(UnreadablePdf, match="damaged"):
        printed_apart(b"%PDF-")
