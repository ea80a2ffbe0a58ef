"""Known answers for what differs between two versions of a page."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from tests.worlds import response, u

from lycosa.archive.collection import Collection
from lycosa.drive.page import page_of
from lycosa.model.records import SAME, Change, Page, Request, Worth
from lycosa.read.difference import difference, divergence

FIRST = "<p>one two three four five six</p>"
SECOND = "<p>alpha beta gamma delta epsilon zeta</p>"
MENU = '<ul class="menu"><li><a href="/home">Home</a><li><a href="/all">All of our pages</a></ul>'
TABLE = "<table><tr>{}</table>"


def page(body: str) -> Page:
    return page_of(Request(url=u("a"), order=0), response(u("a"), body.encode()), None)


def compared(before: str, after: str) -> Change:
    return difference(page(f"<h1>Reef news</h1>{before}"), page(f"<h1>Reef news</h1>{after}"))


class TestImportance:
    """The heading's two words weigh 4, each paragraph's six words 6."""

    def test_an_updated_word(self) -> None:
        # One word gone, one come, five stay beside 4 + 6. Of 10 shingles of 14 words, the last is another: 9 of 11.
        found = compared(FIRST + SECOND, FIRST + SECOND.replace("zeta", "eta"))
        assert found.worth is Worth.CONTENT
        assert found.importance == pytest.approx(2 / 17)
        assert found.divergence == pytest.approx(1 - 9 / 11)
        assert (found.new_links, found.lost_links) == (0, 0)

    def test_an_inserted_and_a_deleted_block(self) -> None:
        # 8 words have 4 shingles, all of which are among the 10 of 14 words.
        for change in (compared(FIRST, FIRST + SECOND), compared(FIRST + SECOND, FIRST)):
            assert change.importance == pytest.approx(6 / 16)
            assert change.divergence == pytest.approx(1 - 4 / 10)

    def test_a_moved_block_counts_a_quarter(self) -> None:
        assert compared(FIRST + SECOND, SECOND + FIRST).importance == pytest.approx(0.25 * 6 / 16)

    def test_a_heading_weighs_twice(self) -> None:
        found = difference(page(f"<h1>Reef news</h1>{FIRST}"), page(f"<h1>Reef views</h1>{FIRST}"))
        assert found.importance == pytest.approx(4 / (4 + 2 + 6))

    def test_another_page(self) -> None:
        assert difference(page(FIRST), page(SECOND)) == Change(
            worth=Worth.CONTENT, importance=1.0, divergence=1.0
        )

    def test_a_link_counts_as_a_word(self) -> None:
        # Among six words one link is another: the text stays.
        linked = FIRST.replace("four", '<a href="/{}">four</a>')
        found = compared(linked.format("x"), linked.format("y"))
        assert found == Change(
            worth=Worth.CONTENT, importance=2 / 12, divergence=0.0, new_links=1, lost_links=1
        )


class TestWorth:
    def test_the_same_bytes(self) -> None:
        assert difference(page(FIRST), page(FIRST)) == SAME

    def test_other_markup(self) -> None:
        assert compared(FIRST, FIRST.replace("<p>", '<p class="new">')).worth is Worth.DRESSING

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("<p>Last updated: 2026-03-04</p>", "<p>Last updated: 2026-11-22</p>"),
            ("<p>Page last modified on 3 March 2026 at 14:02</p>", "<p>Page last modified on 4 May 2026 at 9:11</p>"),
            ("<p>Visitors today: 4,711</p>", "<p>Visitors today: 4,712</p>"),
            ('<div><a href="/x">Buy this now, it is cheap</a></div>', '<div><a href="/y">Or rather that</a></div>'),
            ("<footer>Made by a machine in a second or so</footer>", "<footer>Made by a machine at once</footer>"),
            ("<aside>A word of wisdom for each of you</aside>", "<aside>Another word of wisdom for you</aside>"),
        ],
    )  # fmt: skip
    def test_what_stands_around_the_main_text(self, before: str, after: str) -> None:
        found = compared(FIRST + SECOND + before + MENU, FIRST + SECOND + after + MENU)
        assert (found.worth, found.importance, found.divergence) == (Worth.DRESSING, 0.0, 0.0)

    def test_another_menu_is_dressing_and_its_links_are_new(self) -> None:
        found = compared(MENU + FIRST, MENU.replace("</ul>", '<li><a href="/new">New pages</a></ul>') + FIRST)
        assert found == Change(worth=Worth.DRESSING, new_links=1)

    def test_a_verdict_in_a_table_is_content(self) -> None:
        row = "<td>A library<td>Jane Doe<td>{}<td>soon<td>2026"
        assert (
            compared(FIRST + TABLE.format(row.format("pending")), FIRST + TABLE.format(row.format("accepted"))).worth
            is Worth.CONTENT
        )  # fmt: skip

    def test_numbers_of_a_table_are_content(self) -> None:
        row = "<td>3<td>1<td>4<td>1<td>{}"
        before, after = (FIRST + TABLE.format(row.format(last)) for last in "59")
        assert compared(before, after).worth is Worth.CONTENT

    def test_a_table_of_few_cells_may_be_stamps(self) -> None:
        row = "<td>3<td>1<td>4<td>{}"
        before, after = (FIRST + TABLE.format(row.format(last)) for last in "59")
        assert compared(before, after).worth is Worth.DRESSING


def test_lines_of_navigation_are_not_those_that_are_short() -> None:
    found = page(
        f"{MENU}{FIRST}<td>pending<p><a href='/x'>Buy it</a> now<p>Or <a href='/y'>so</a> or otherwise</p>"
    )
    lines = found.text.split("\n")
    assert [lines[place] for place in found.nav_lines] == ["Home", "All of our pages", "Buy it now"]
    assert "pending" in lines


def test_divergence_of_short_and_empty_texts() -> None:
    assert divergence("", "") == 0.0
    assert divergence("", "one two") == 1.0
    assert divergence("One two", "one  TWO") == 0.0, "neither case nor white space counts"
    assert divergence("one two", "one three") == 1.0, "fewer than five words are one shingle"


@pytest.mark.parametrize("piece", ["a", "1", "a1 ", "é", "a "])
def test_no_line_takes_long(piece: str) -> None:
    """A word without a digit was once gone through by the square of its length."""
    line = piece * 200_000
    before, after = page(f"<p>{line}</p>"), page(f"<p>{line}z</p>")
    began = time.process_time()
    difference(before, after)
    assert time.process_time() - began < 2


def test_divergence_sees_the_end_of_a_long_text() -> None:
    words = [str(n) for n in range(7_000)]
    assert divergence(" ".join(words), " ".join([*words, "more"])) == pytest.approx(1 / 6_997)


OLD_SITE = (
    "<nav><a href='/'>Start</a> <a href='/help'>Help for all of you</a></nav>",
    "<footer>Made in 2025, by all of us</footer>",
)
NEW_SITE = (
    "<div id='navigation'><a href='/about'>About us</a></div><p>Viewed 17 times</p>",
    "<aside><p>A word of wisdom each day</p></aside><footer>With love</footer>",
)


def test_another_template_around_recorded_pages_is_dressing(shared: Path) -> None:
    """A site gets a new template: its pages' own words and links are as they were."""
    web = Collection.open([shared / "webs" / "boost-www"])
    urls = sorted({capture.url for capture in web.captures()})[::10]
    bodies = [found.body for url in urls if (found := web.find(url))]
    web.close()
    assert len(bodies) > 50
    found = [difference(page(within(OLD_SITE, body)), page(within(NEW_SITE, body))) for body in bodies]
    worths = [change.worth for change in found]
    assert worths.count(Worth.CONTENT) == 1, (
        "a list of words without a heading: the counter above looks like one more"
    )
    assert worths.count(Worth.DRESSING) == len(bodies) - 1


def within(site: tuple[str, str], body: bytes) -> str:
    """A recorded page with something above and something below its text."""
    above, below = site
    head, begin, rest = re.split(r"(<body[^>]*>)", body.decode("utf-8", "replace"), maxsplit=1)
    text, end, tail = rest.rpartition("</body>")
    return f"{head}{begin}{above}{text}{below}{end}{tail}"
