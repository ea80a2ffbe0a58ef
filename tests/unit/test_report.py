"""The report: nothing hostile passes, nothing is fetched, and the plots show what they should."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from lycosa.crawls.answers import PageRow, Status
from lycosa.model.records import Millis
from lycosa.model.url import Host, Url
from lycosa.report.facts import WINDOW, Example, Facts, course_of, most
from lycosa.report.markup import Html, element, link, table, words
from lycosa.report.page import page_of
from lycosa.report.plot import COLOURS, MOST_POINTS, Series, curves, scatter, thinned, ticks
from lycosa.report.style import CSS
from lycosa.store.history import HostCount

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x1b[31m\x00'


def status(**changes: object) -> Status:
    given = {
        "folder": "x", "state": "done", "ended": "the budget is used up", "ended_by": "budget",
        "topic": HOSTILE, "strategy": "best-first",
        "seeds": ("https://example.org/", "javascript:alert(3)"), "web": "live", "pages": 2, "budget": 2, "requests": 3,
        "relevant": 1, "harvest_rate": 0.5, "mean_relevance": 0.4, "failures": 1, "failures_by_reason": {HOSTILE: 1},
        "statuses": {"200": 2}, "hosts": 1, "pending": 0, "refused": 0, "trimmed": 0, "started_at": Millis(0),
        "last_at": Millis(60_000), "seconds": 60.0, "warc_files": 1, "warc_bytes": 1, "version": "0", "process": None,
    }  # fmt: skip
    return Status(**(given | changes))  # type: ignore[arg-type]


def row(url: str, title: str, relevance: float = 0.5) -> PageRow:
    return PageRow(
        step=2, url=Url(url), final_url=Url(url), status=200, fetched_at=Millis(0), depth=0, via=None, anchor="",
        score=1.0, relevance=relevance, title=title, text="", language="en", digest="", warc_file="", warc_offset=0,
    )  # fmt: skip


def facts(**changes: object) -> Facts:
    given = {
        "status": status(),
        "course": course_of([0.8, 0.0], 0.1),
        "waiting": [(1, 10), (2, 20)],
        "best": [row(f"https://example.org/?{HOSTILE}", HOSTILE), row("javascript:alert(4)", "innocent")],
        "hosts": [HostCount(Host(HOSTILE), 2, 0, 0.4)],
        "languages": {HOSTILE: 1},
        "depths": {0: 2},
        "examples": {HOSTILE: [Example(url="data:text/html,<script>", detail=HOSTILE)]},
        "relevant_from": 0.1,
    }
    return Facts(**(given | changes))  # type: ignore[arg-type]


class Reading(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def elements(page: str) -> list[tuple[str, dict[str, str | None]]]:
    reading = Reading()
    reading.feed(page)
    return reading.elements


def test_hostile_titles_urls_and_specifications_stay_text() -> None:
    page = page_of(facts(), f"keywords = [{HOSTILE!r}]\n{HOSTILE}")
    found = elements(page)
    assert not [tag for tag, _ in found if tag in ("script", "img", "iframe", "object", "base")]
    assert not [name for _, attributes in found for name in attributes if name.startswith("on")]
    hrefs = [attributes["href"] or "" for tag, attributes in found if tag == "a"]
    assert len(hrefs) == 2
    assert all(href.startswith("https://example.org/") for href in hrefs)
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_nothing_is_fetched_from_elsewhere() -> None:
    found = elements(page_of(facts(), ""))
    assert not [tag for tag, _ in found if tag in ("link", "script", "img")]
    assert not [a for _, a in found if "src" in a or "url(" in (a.get("style") or "")]
    assert "default-src 'none'" in page_of(facts(), "")


def test_elements_are_closed_in_order() -> None:
    class Nesting(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open_ones: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag != "meta":
                self.open_ones.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open_ones.pop() == tag

    nesting = Nesting()
    nesting.feed(page_of(facts(), "spec"))
    assert nesting.open_ones == []


def test_a_crawl_without_a_page_has_a_report_too() -> None:
    empty = facts(
        status=status(pages=0, seconds=0.0, seeds=()), course=course_of([], 0.1), best=[], hosts=[], languages={},
        depths={},
    )  # fmt: skip
    assert "No page was fetched." in page_of(empty, "")


@pytest.mark.parametrize(
    ("url", "is_link"),
    [
        ("https://example.org/", True),
        ("HTTP://example.org/", True),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org/", False),
        ("file:///etc/passwd", False),
    ],
)
def test_only_urls_of_the_web_become_links(url: str, is_link: bool) -> None:
    assert link(url).startswith("<a ") is is_link


def test_markup_escapes_what_is_not_markup() -> None:
    assert element("p", "a < b", Html("<br>"), title='"') == '<p title="&quot;">a &lt; b<br></p>'
    assert words("a\x00\u202eb") == "<bdi>a b</bdi>"
    assert "<td>&lt;i&gt;</td>" in table(("h",), [("<i>",)])


def test_course_by_hand() -> None:
    course = course_of([0.5, 0.0, 0.25], 0.25)
    assert [y for _, y in course.harvest] == [1, 1 / 2, 2 / 3]
    assert [y for _, y in course.mean] == [0.5, 0.25, 0.25]
    sixty = course_of([1.0] * 10 + [0.0] * 50, 0.5)
    assert sixty.running[-1] == (60, 0.0)
    assert sixty.running[54] == (55, 5 / 50)
    assert sixty.harvest[-1] == (60, 10 / 60)


def test_running_shares_are_those_of_the_window() -> None:
    values = [(7 * n % 11) / 10 for n in range(3 * WINDOW)]
    windows = [values[max(0, end - WINDOW) : end] for end in range(1, len(values) + 1)]
    shares = [sum(value >= 0.4 for value in window) / len(window) for window in windows]
    assert [share for _, share in course_of(values, 0.4).running] == shares


def test_a_course_is_worked_out_where_it_is_drawn() -> None:
    values = [(7 * n % 11) / 10 for n in range(5_000)] + [0.0]
    course = course_of(values, 0.4)
    assert [page for page, _ in course.mean] == [place + 1 for place in thinned(len(values), MOST_POINTS)]
    assert course.relevance[-1] == (5_001, 0.0)
    assert course.highest == 1.0
    assert course.harvest[-1] == (5_001, sum(value >= 0.4 for value in values) / 5_001)


@pytest.mark.parametrize(
    ("top", "wanted"),
    [
        (437, [0, 100, 200, 300, 400]),
        (1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (5000, [0, 1000, 2000, 3000, 4000, 5000]),
        (0.07, [0, 0.02, 0.04, 0.06]),
    ],
)
def test_ticks(top: float, wanted: list[float]) -> None:
    assert ticks(top) == pytest.approx(wanted)


def test_thinned_keeps_both_ends() -> None:
    assert thinned(1001, 11) == [100 * i for i in range(11)]
    assert thinned(3, 11) == [0, 1, 2]


def test_plot_places_points() -> None:
    drawn = curves("P", [Series(name="line", points=[(1, 0.5), (2, 1.0)])], lambda y: f"{y:g}", top=1)
    assert 'd="M500.0 500.0L1000.0 0.0"' in drawn
    assert "<title>page 2\nline: 1</title>" in drawn


def test_a_band_is_drawn_where_the_error_is_known() -> None:
    points, errors = [(1.0, 0.5), (2.0, 0.5), (3.0, 0.5)], [0.25, float("nan"), 0.25]
    drawn = curves("P", [Series(name="line", points=points, errors=errors)], str, right=4, top=1)
    assert 'd="M250.0 250.0L750.0 250.0L750.0 750.0L250.0 750.0Z"' in drawn


def test_a_plot_of_ten_thousand_pages_stays_small() -> None:
    course = course_of([0.5] * 10_000, 0.1)
    shown = [Series(name="line", points=course.mean), Series(name="dots", points=course.relevance, dots=True)]
    assert len(curves("P", shown, str, top=1)) < 50_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_look_of_a_plot_can_be_told_from_its_ground(scheme: str) -> None:
    """3 to 1 is what WCAG 2.1 asks of parts of a drawing; grey ones stand behind others on purpose."""
    light, dark = re.findall(r":root\{(.*?)\}", CSS, re.DOTALL)[:2]
    colours = dict(re.findall(r"--([\w]+):(#[0-9a-f]{6})", light if scheme == "light" else dark))
    for look in [f"s{place}" for place in range(1, COLOURS + 1)] + ["soft"]:
        assert contrast(colours[look], colours["card"]) >= 3, look
    (opacity,) = re.findall(r"\.plot \.dots\{[^}]*opacity:([.\d]+)", CSS)
    assert contrast(mixed(colours["s1"], colours["paper"], float(opacity)), colours["paper"]) >= 3


def mixed(one: str, other: str, share: float) -> str:
    """So much of one colour over another."""
    parts = (
        share * int(one[at : at + 2], 16) + (1 - share) * int(other[at : at + 2], 16) for at in (1, 3, 5)
    )
    return "#" + "".join(f"{round(part):02x}" for part in parts)


def contrast(one: str, other: str) -> float:
    """As WCAG 2.1 defines it, from 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_dot_of_a_scatter_has_its_own_colour() -> None:
    """A dot inherits the look of its strategy, in every scheme."""
    drawn = scatter("a", "s3", [(0.2, 0.4, "topic")], 1.0)
    assert '<g class="s3"><circle' in drawn
    assert ".small circle{fill:var(--c)" in CSS
    assert ".s3{--c:var(--s3)}" in CSS


def test_what_a_browser_made_is_counted_where_there_was_one() -> None:
    counts = {"rendered": 7, "paid": 3, "failed": 0, "asked": 9, "refused": 0}
    got = {"fetched": 5, "missing": 1, "bytes": 10, "pages": 2}
    told = page_of(facts(status=status(rendered=counts, requisites=got)), "")
    assert "3 brought more" in told
    assert "1 not to be had" in told
    assert "Rendered" not in page_of(facts(), "")


def test_most_sums_up_the_rest() -> None:
    assert list(most({"a": 1, "b": 3, "c": 2}, 2)) == [("b", 3), ("c", 2), ("other", 1)]
