"""The profile s2: what it sets, that it is polite on the live web, and that a recorded crawl behaves so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.worlds import html, response, u

import lycosa
from lycosa.archive.warc import WarcArchive
from lycosa.spec.files import load
from lycosa.spec.options import spec_from_options
from lycosa.spec.profiles import base_spec
from lycosa.spec.tree import CrawlSpec, FetchSpec, PolitenessSpec

SEED = "https://a.example/"


def spec_of(*words: str, **given: object) -> CrawlSpec:
    return spec_from_options(words=words, **given)


def test_what_s2_sets_on_a_recorded_web() -> None:
    spec = spec_of("bees", SEED, profile="s2", web="recorded:/x")
    assert (spec.profile, spec.pages, spec.frontier.capacity, spec.frontier.tie) == ("s2", 1000, 2048, "fifo")
    assert (spec.fetch.max_bytes, spec.fetch.width, spec.politeness.delay) == (10_240, 1, 0.0)
    assert spec.politeness.robots == "obey"


def test_s2_never_lowers_politeness_on_the_live_web() -> None:
    spec = spec_of("bees", SEED, profile="s2")
    assert spec.politeness == PolitenessSpec()
    assert spec.fetch.width == FetchSpec().width
    assert (spec.fetch.max_bytes, spec.frontier.capacity) == (10_240, 2048)


def test_options_go_before_the_profile_and_files_can_name_it(tmp_path: Path) -> None:
    spec = spec_of(
        "bees", SEED, profile="s2", web="recorded:/x", max_frontier=256, delay=1.0, max_filesize=99, width=32
    )
    assert (spec.frontier.capacity, spec.politeness.delay) == (256, 1.0)
    assert (spec.fetch.max_bytes, spec.fetch.width) == (99, 32)
    file = tmp_path / "topic.toml"
    file.write_text(f'keywords = ["bees"]\nseeds = ["{SEED}"]\nprofile = "s2"\n')
    assert spec_of(topic_file=file).frontier.capacity == 2048
    assert base_spec() == CrawlSpec()


def test_a_recorded_crawl_under_s2(tmp_path: Path) -> None:
    """The start page links to three pages before its first 10 KB end, and to one behind: that is not found."""
    archive = WarcArchive.open(tmp_path / "web")
    near = [u(f"s/{i}") for i in range(3)]
    filler = "<!-- " + "x" * 11_000 + " -->"
    body = html("bees", near) + filler.encode() + html("", [u("s/hidden")])
    archive.write(response(u("s"), body))
    for number, url in enumerate((*near, u("s/hidden"))):
        archive.write(response(url, html(f"honey bees {number}")))
    archive.close()
    web = f"recorded:{tmp_path / 'web'}"
    with lycosa.crawl("bees", [u("s")], web=web, profile="s2", out=tmp_path / "s2") as crawl:
        rows = list(crawl.rows(text=False))
        assert [row.url for row in rows] == [u("s"), *near]
        assert load(tmp_path / "s2" / "crawl.toml", CrawlSpec).profile == "s2"
    with lycosa.crawl("bees", [u("s")], web=web, out=tmp_path / "own") as crawl:
        assert u("s/hidden") in {row.url for row in crawl.rows(text=False)}


@pytest.mark.parametrize(("capacity", "pending"), [(256, 256), (2048, 300)])
def test_max_buffer_bounds_what_waits(tmp_path: Path, capacity: int, pending: int) -> None:
    archive = WarcArchive.open(tmp_path / "web")
    links = [f"/{i}" for i in range(300)]
    archive.write(response(u("s"), "".join(f"<a href={link}>a</a>" for link in links).encode()))
    archive.close()
    spec = spec_of(
        "bees", u("s"), profile="s2", web=f"recorded:{tmp_path / 'web'}", max_frontier=capacity, pages=1
    )
    with lycosa.crawl(
        "bees", [u("s")], web=spec.web, profile="s2", frontier=spec.frontier, pages=1, out=tmp_path / "out"
    ) as crawl:
        assert crawl.status().pending == pending
