"""What whoever follows a crawl is told: its steps from any place on, and what only the crawling process knows."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import lycosa
from lycosa.crawls import session
from lycosa.crawls.answers import Happening
from lycosa.crawls.following import places, written
from lycosa.crawls.interface import Folder
from lycosa.crawls.lookout import WATCHED_FOR, looked_at
from lycosa.model.errors import InputError
from lycosa.model.events import Wish
from lycosa.model.records import Arrival
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.paths import Paths

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
SEED = "http://schools.wiki.example/wp/Biosphere.html"


def spec() -> CrawlSpec:
    topic = TopicSpec(keywords=("dinosaur", "fossil"))
    return CrawlSpec(topic=topic, seeds=(SEED,), web=f"recorded:{SAMPLE}", pages=40, strategy="best-first")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    place = tmp_path_factory.mktemp("followed") / "crawl"
    crawled = lycosa.crawl("dinosaur fossil", [SEED], web=f"recorded:{SAMPLE}", pages=40, out=place)
    best, *_ = crawled.best(2)
    crawled.mark(best.final_url, good=True)
    crawled.ask(Wish.STOP)  # nobody is there to hear it
    return lycosa.resume(place, pages=45)


def followed(folder: Folder, most: int, token: str = "") -> list[Happening]:
    found: list[Happening] = []
    while (told := folder.happened(token, most)).happenings:
        found += told.happenings
        token = told.token
    return found


def test_every_visit_and_all_that_was_said_is_told_once_in_order(folder: Folder) -> None:
    told = followed(folder, 1_000)
    assert [one.step for one in told] == sorted({one.step for one in told})
    pages = [one for one in told if one.kind == "page"]
    assert [(one.step, one.url) for one in pages] == [
        (row.step, row.url) for row in folder.rows(text=False, all_visits=True)
    ]
    assert len(pages) == 45
    assert {one.kind for one in told} >= {"started", "page", "marked"}
    [mark] = [one for one in told if one.kind == "marked"]
    assert mark.detail == "marked good by a person"
    assert mark.url in {one.url for one in pages}
    relevant = folder.spec.relevant_from
    assert all(one.relevant == (one.relevance >= relevant) for one in pages)


@pytest.mark.parametrize("most", [1, 7, 64])
def test_asked_piece_by_piece_it_tells_the_same(folder: Folder, most: int) -> None:
    whole = followed(folder, 1_000)
    assert [replace(one, token="") for one in followed(folder, most)] == [
        replace(one, token="") for one in whole
    ]
    middle = whole[20]
    assert followed(folder, most, middle.token)[0].step == whole[21].step


def test_a_token_of_the_last_steps(folder: Folder) -> None:
    whole = followed(folder, 1_000)
    assert followed(folder, 10, folder.token()) == []
    some = followed(folder, 10, folder.token(back=12))
    assert some
    assert [one.step for one in some] == [one.step for one in whole][-len(some) :]


@pytest.mark.parametrize("token", ["x", "-1", "1.5", "9" * 30, "n0:1"])
def test_what_is_no_token_is_refused_in_one_line(folder: Folder, token: str) -> None:
    with pytest.raises(InputError, match=r"is no place in this crawl"):
        folder.happened(token)


@given(st.dictionaries(st.from_regex(r"n[0-9]{1,3}", fullmatch=True), st.integers(0, 10**9)))
def test_tokens_of_nodes_come_back(at: dict[str, int]) -> None:
    assert places(written(at), list(at)) == at
    assert places("", list(at)) == dict.fromkeys(at, 0)


def test_what_only_the_process_knows_is_told_while_somebody_looks_on(tmp_path: Path) -> None:
    async def crawl() -> None:
        begun = await session.begin(spec(), tmp_path / "crawl")
        paths = Paths(tmp_path / "crawl")
        seen: list[int] = []

        def watch(visit: Arrival) -> None:
            if begun.crawl.pages == 10:
                assert not paths.outlook.exists()  # nobody looked on
                assert looked_at(paths) is None
            if begun.crawl.pages >= 11 and not seen:
                begun._lookout._due = 0.0
                begun._lookout.look()
                told = looked_at(paths)
                assert told is not None
                assert told.waiting == len(begun.crawl.frontier)
                assert told.step == begun.crawl.step
                assert told.order is not None
                assert told.hosts_resting == len(told.resting)
                seen.append(told.waiting)

        await begun.run(watch)
        assert seen
        assert not paths.outlook.exists()
        assert not paths.watched.exists()

    asyncio.run(crawl())


def test_a_look_counts_for_a_while(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    assert looked_at(paths) is None
    assert paths.watched.exists()
    long_ago = time.time() - 2 * WATCHED_FOR
    os.utime(paths.watched, (long_ago, long_ago))
    paths.outlook.write_text("{")
    assert looked_at(paths) is None  # half written by somebody else: as if nothing were there
    assert time.time() - paths.watched.stat().st_mtime < WATCHED_FOR
