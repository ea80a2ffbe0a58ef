"""Browse logs, profiles, and what is recommended to a reader."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import TableWeb, html, response, u

from lycosa.cli.group import lycosa as commands
from lycosa.compose.outside import Outside
from lycosa.model.errors import InputError
from lycosa.model.url import Url
from lycosa.scoring.topics.interests import Interests
from lycosa.sources.browsing import BrowseLog, browsed
from lycosa.spec.tree import CrawlSpec, PolitenessSpec
from lycosa.uses.companion import Companion, Recommendation, follow, near

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
COMMON = '10.0.0.1 - joe [10/Oct/2000:13:55:36 -0700] "{} http://a.test/x HTTP/1.0" {} 2326'


# -- logs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "page"),
    [
        ("http://a.test/x", u("a/x")),
        ("2026-11-20T10:00:00Z HTTP://A.test/x", u("a/x")),
        ("2026-11-20 10:00:00 http://a.test/x\r", u("a/x")),
        ("1763600000.5\thttp://a.test/x", u("a/x")),
        (COMMON.format("GET", 200), u("a/x")),
        (COMMON.format("GET", 304) + ' "-" "a browser"', u("a/x")),
        (
            "1763600000.500 12 10.0.0.1 TCP_MISS/200 2326 GET http://a.test/x - HIER_DIRECT/192.0.2.1 text/html",
            u("a/x"),
        ),
        (COMMON.format("GET", 404), None),
        (COMMON.format("POST", 200), None),
        ("# note", None),
        ("", None),
    ],
)
def test_lines_of_a_browse_log(line: str, page: Url | None) -> None:
    assert browsed(line) == page


@pytest.mark.parametrize("line", ["hello", "yesterday http://a.test/x", "ftp://a.test/x"])
def test_a_line_that_is_none(line: str) -> None:
    with pytest.raises(InputError, match="is no URL"):
        browsed(line)


def test_a_log_is_read_as_it_grows_and_a_line_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("http://a.test/1\nbroken\nhttp://a.te")
    log = BrowseLog(path)
    assert log.read() == [u("a/1")]
    assert log.read() == []
    with path.open("a") as file:
        file.write("st/2\nhttp://a.test/3")
    assert log.read() == [u("a/2")]
    assert log.read(to_the_end=True) == [u("a/3")]
    assert (log.broken, "broken" in log.first_broken) == (1, True)
    path.write_text("http://a.test/new\n")  # rotated: shorter than before
    assert log.read() == [u("a/new")]


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        BrowseLog(tmp_path / "none").read()


# -- profiles --------------------------------------------------------------------------------------------------


def test_a_profile_decays() -> None:
    """Half-life 1: after apple and then pear, apple weighs ½ and pear 1: cosines ½ / √1.25 and 1 / √1.25."""
    profile = Interests(half_life=1)
    profile.see({"appl": 3})
    profile.see({"pear": 1})
    assert profile.likeness({"appl": 1}) == pytest.approx(0.5 / math.sqrt(1.25))
    assert profile.likeness({"pear": 7}) == pytest.approx(1 / math.sqrt(1.25))
    assert profile.likeness({"plum": 1}) == 0.0


TERMS = st.dictionaries(st.sampled_from(["appl", "pear", "plum", "fig"]), st.integers(1, 9), max_size=4)


@given(st.lists(TERMS, max_size=6), TERMS)
def test_likeness_lies_in_0_to_1(seen: list[dict[str, int]], page: dict[str, int]) -> None:
    profile = Interests()
    for terms in seen:
        profile.see(terms)
    assert 0 <= profile.likeness(page) <= 1


@given(st.integers(1, 9), st.integers(1, 9), st.floats(0.5, 50))
def test_the_last_page_counts_most(earlier: int, later: int, half_life: float) -> None:
    profile = Interests(half_life)
    profile.see({"appl": earlier})
    profile.see({"pear": later})
    assert profile.likeness({"pear": later}) > profile.likeness({"appl": earlier})


# -- recommendations -------------------------------------------------------------------------------------------

GRAPH = {
    "a/read": ["a/apples", "a/clouds", "b/hub"],
    "a/apples": ["a/read"],
    "a/clouds": [],
    "b/hub": ["b/orchard"],
    "b/orchard": ["b/far"],
    "b/far": [],
}
TEXTS = {
    "a/read": "apple tree",
    "a/apples": "apple apple pie",
    "a/clouds": "cloud",
    "b/orchard": "apple tree orchard",
    "b/far": "apple tree",
}


def companion(web: TableWeb, *, pages: int = 50, same_host: bool = False) -> Companion:
    spec = CrawlSpec(pages=pages, politeness=PolitenessSpec(delay=0.0, robots="ignore"))
    spec = near(spec, 2)
    return Companion(spec, Outside(spec, web=web), same_host=same_host)


def recommended(reader: Companion, *urls: str, most: int = 5) -> list[Recommendation]:
    async def read() -> list[Recommendation]:
        for url in urls:
            await reader.browse(u(url))
        await reader.explore()
        return reader.recommend(most)

    return asyncio.run(read())


def table() -> TableWeb:
    pages = {u(name): response(u(name), html(TEXTS.get(name, ""), [])) for name in GRAPH}
    linked = {
        u(name): response(u(name), html(f"{TEXTS.get(name, '')}", map(u, to)))
        for name, to in GRAPH.items()
        if to
    }
    return TableWeb({**pages, **linked})


def test_pages_within_two_links_that_are_like_what_was_read() -> None:
    found = recommended(companion(table()), "a/read")
    assert {each.url for each in found} >= {u("a/apples"), u("b/orchard")}
    assert u("b/far") not in {each.url for each in found}  # three links away
    assert u("a/read") not in {each.url for each in found}  # read already
    orchard = next(each for each in found if each.url == u("b/orchard"))
    assert (orchard.distance, orchard.via, orchard.at) == (2, u("b/hub"), u("a/read"))
    assert [each.likeness for each in found] == sorted((each.likeness for each in found), reverse=True)


def test_on_the_same_host_only() -> None:
    found = recommended(companion(table(), same_host=True), "a/read")
    assert {each.url for each in found} <= {u("a/apples"), u("a/clouds")}


def test_what_was_read_before_is_not_recommended_and_a_page_is_fetched_once() -> None:
    web = table()
    found = recommended(companion(web), "a/apples", "a/read")
    assert u("a/apples") not in {each.url for each in found}
    assert web.asked.count(u("a/apples")) == web.asked.count(u("a/read")) == 1


def test_a_page_that_cannot_be_had_is_no_harm() -> None:
    assert recommended(companion(table()), "a/missing") == []


def test_a_growing_log_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("http://a.test/clouds\nhttp://a.test/read\n")
    told: list[Sequence[Recommendation]] = []

    async def until_told_twice() -> None:
        enough = asyncio.Event()

        def tell(found: Sequence[Recommendation]) -> None:
            told.append(found)
            if len(told) == 2:
                enough.set()
                return
            with path.open("a") as file:
                file.write("http://b.test/hub\n")

        following = asyncio.create_task(follow(BrowseLog(path), companion(table()), tell, most=3))
        await asyncio.wait_for(enough.wait(), 60)
        following.cancel()

    asyncio.run(until_told_twice())
    assert [found[0].at for found in told] == [u("a/read"), u("b/hub")]


def test_from_the_command_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        "nonsense\n" + "".join(f"http://schools.wiki.example/wp/{n}.html\n" for n in ("Fossil", "Dinosaur"))
    )
    args = ["watch", str(log), "--once", "--web", f"recorded:{SAMPLE}", "--pages", "20", "-n", "3"]
    told = CliRunner().invoke(commands, [*args, "--json"])
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert told.exit_code == 0
    assert len(rows) == 3
    assert {row["at"] for row in rows} == {"http://schools.wiki.example/wp/Dinosaur.html"}
    assert "1 lines were passed over" in told.stderr
    again = CliRunner().invoke(commands, args)
    assert again.stdout.startswith("near http://schools.wiki.example/wp/Dinosaur.html\n")
