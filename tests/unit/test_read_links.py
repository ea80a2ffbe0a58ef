"""How many links of a page count."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.worlds import html, response, u

import lycosa
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.drive.page import page_of
from lycosa.drive.reading import within
from lycosa.model.records import Millis, Request
from lycosa.model.url import Url
from lycosa.read import resolve
from lycosa.read.resolve import LinkResolver
from lycosa.spec.tree import FetchSpec
from lycosa.store.paths import Paths


def test_the_links_behind_the_last_target_that_counts_are_left_out() -> None:
    targets = [u("b"), u("c"), u("b"), u("d"), u("c"), u("e"), u("b")]
    page = page_of(Request(url=u("a"), order=0), response(u("a"), html("x", targets)), None)
    assert [link.target for link in within(page, 3).links] == targets[:5]
    assert within(page, 3).places == page.places[:5]
    assert within(page, 4) is page
    assert within(page, 0) is page
    assert within(page, 1).out == (u("b"),)


def recorded(folder: Path, links: int) -> str:
    """A web of a page with many links and the first few of the pages that they lead to."""
    archive = WarcArchive.open(folder, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    many = html("coral reefs", [Url(f"http://h{n % 100}.test/reef/{n}") for n in range(links)])
    for answer in (
        response(u("a"), many),
        *(response(Url(f"http://h{n}.test/reef/{n}"), html(f"coral {n}")) for n in range(9)),
    ):
        archive.write(replace(answer, fetched_at=Millis(1_000)))
    archive.close()
    return f"recorded:{folder}"


def test_a_crawl_tells_how_many_links_were_left_out_and_goes_on_without_them(tmp_path: Path) -> None:
    web, place = recorded(tmp_path / "web", 300), tmp_path / "crawl"
    fetch = FetchSpec(max_links=40)
    lycosa.crawl("coral", [u("a")], web=web, pages=3, fetch=fetch, out=place).close()
    # As if it had been killed before its first checkpoint: all comes from the journal and the archive.
    shutil.rmtree(Paths(place).frontier)
    with lycosa.resume(place, pages=5) as folder:
        assert folder.why(u("a")).links_left_out == 260
        assert folder.why("http://h3.test/reef/3").links_left_out == 0
        status = folder.status()
        assert (status.pages, status.pending) == (5, 36)


WRITTEN = (
    "b",
    "/c",
    "?q=1",
    "",
    "#top",
    "\\d",
    "http:e",
    "https://f.test/",
    "//g.test",
    "mailto:h",
    " i\n",
    "..",
    "http://[",
    "b#x",
    "?q=1#y",
    "/c#!z",
    "b#\n!",
    "\\d#w",
    "http:e#",
    " i# k\n",
)


@given(st.lists(st.sampled_from(WRITTEN)))
def test_references_resolved_together_mean_what_each_means_alone(written: list[str]) -> None:
    resolver = LinkResolver(Url("http://a.test/x/y?z"))
    assert resolver.resolve_all(written) == [resolver.resolve(reference) for reference in written]


def test_places_in_one_document_are_resolved_once() -> None:
    resolver, before = LinkResolver(Url("http://places.test/")), resolve._Meanings.left
    assert set(resolver.resolve_all(f"x#{n}" for n in range(9))) == {Url("http://places.test/x")}
    assert resolve._Meanings.left == before - 1


def test_what_is_remembered_of_folders_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve._Meanings, "left", 0)
    monkeypatch.setattr(resolve, "REMEMBERED", 30)
    for n in range(99):
        resolver = LinkResolver(Url(f"http://h{n}.test/"))
        assert resolver.resolve_all(["a", "b", "a"]) == [f"http://h{n}.test/{path}" for path in "aba"]
        assert sum(map(len, resolve._folders.values())) + len(resolve._folders) <= 30 + 2
