"""Marks: what a person says of a page is journaled once, learned from, and changes the order of what waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Mapping
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from tests.worlds import Scripted, by_table, drive, journal, lease, looks, made_page, make_crawl, u

import lycosa
from lycosa.compose.topic import InLanguages
from lycosa.crawl.inputs import Query
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.strategy import View
from lycosa.crawls.session import resume
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize, Stop
from lycosa.model.errors import FolderError, InputError, StrategyError
from lycosa.model.events import Asked, Blocked, HandedOff, Marked, Operated, Said, Searched, Told, Wish
from lycosa.model.records import Link, Millis, Page, Request, Visit
from lycosa.model.url import Host, Url
from lycosa.scoring.links.smoothing import AGAINST as AGAINST_LIKENESS
from lycosa.scoring.links.smoothing import example_query
from lycosa.scoring.topics.keywords import AGAINST, ExampleTopic, topic_model
from lycosa.scoring.words.terms import counts
from lycosa.store.codec import KIND, pack_event, unpack_event
from lycosa.store.inbox import Inbox
from lycosa.strategies.best_first import BestFirst
from lycosa.strategies.hunter.hunter import Hunter
from lycosa.strategies.wrappers.wrapper import Batches

T0 = Millis(0)
SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
START = "http://schools.wiki.example/wp/Biosphere.html"


def page(name: str, text: str, *links: str, anchor: str = "") -> Page:
    made = made_page(Request(url=u(name), order=0), text=text)
    found = tuple(Link(source=u(name), target=u(to), anchor=anchor) for to in links)
    return replace(made, links=found)


# -- the crawl -----------------------------------------------------------------------------------------------


class Listener(BestFirst):
    """Puts the links of a page marked bad behind all others, those of a good one before them."""

    def __init__(self) -> None:
        self.heard: list[tuple[Url, bool | None]] = []

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        self.heard.append((page.url, good))
        return [Reprioritize(url=url, score={True: 9.0, False: -9.0, None: 0.0}[good]) for url in page.out]

    def save(self) -> Mapping[str, Any]:
        return {"heard": [list(each) for each in self.heard]}


def test_a_mark_is_a_step_and_its_replay_gives_the_same() -> None:
    crawl = make_crawl(Listener())
    crawl.start([u("a"), u("b")], T0)
    table = by_table({"a": "xy", "b": "z"})
    for _ in range(2):
        crawl.commit(table(lease(crawl)), T0)
    crawl.hear(Marked(url=u("b"), good=True, number=3), T0)
    assert journal(crawl)[-1].event == Marked(url=u("b"), good=True, number=3)
    assert journal(crawl)[-1].commands == (Reprioritize(url=u("z"), score=9.0),)
    again = make_crawl(Listener())
    again.replay(journal(crawl))
    assert looks(again) == looks(crawl)
    assert lease(again).url == u("z")


def test_of_what_is_no_page_a_mark_changes_nothing() -> None:
    strategy = Listener()
    crawl = make_crawl(strategy)
    crawl.start([u("a")], T0)
    crawl.hear(Marked(url=u("elsewhere"), good=True), T0)
    assert strategy.heard == []
    assert journal(crawl)[-1].commands == ()


def test_a_strategy_need_not_listen() -> None:
    crawl = make_crawl(Scripted())
    crawl.start([u("a")], T0)
    crawl.commit(by_table({"a": "b"})(lease(crawl)), T0)
    crawl.hear(Marked(url=u("a"), good=False), T0)
    assert journal(crawl)[-1].commands == ()
    drive(crawl, by_table({"b": ""}))
    assert crawl.pages == 2


def test_a_mark_can_bring_new_work_to_an_exhausted_crawl() -> None:
    class Reviving(BestFirst):
        def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
            return [Enqueue(url=u("more"))]

    crawl = make_crawl(Reviving())
    crawl.start([u("a")], T0)
    drive(crawl, by_table({"a": ""}))
    assert str(crawl.ended) == "exhausted"
    crawl.hear(Marked(url=u("a"), good=True), T0)
    assert not crawl.finished
    again = make_crawl(Reviving())
    again.replay(journal(crawl))
    assert looks(again) == looks(crawl)


# -- the topic -----------------------------------------------------------------------------------------------


def test_rocchio_worked_by_hand() -> None:
    topic = ExampleTopic([{"silk": 1}])
    topic.mark(page("g", "web"), True)
    assert topic.centroid == {"silk": 0.5, "web": 0.5}
    # Against (web 1, stone 1) / √2, weighted by 1/3; stone falls below 0 and is left out.
    topic.mark(page("b", "web stone"), False)
    assert topic.centroid == pytest.approx({"silk": 0.5, "web": 0.5 - 1 / (3 * sqrt(2))})
    assert AGAINST == 1 / 3
    again = ExampleTopic([{"silk": 1}])
    again.load(topic.save())
    assert again.centroid == topic.centroid
    topic.mark(page("b", "web stone"), None)
    topic.mark(page("g", "web"), None)
    assert topic.centroid == {"silk": 1.0}


def test_a_bad_page_that_is_the_example_leaves_most_of_it() -> None:
    topic = ExampleTopic([{"silk": 1}])
    topic.mark(page("b", "silk"), False)
    assert topic.centroid == pytest.approx({"silk": 2 / 3})
    assert topic.relevance(page("x", "silk")) == 1.0


@pytest.mark.parametrize(
    "build",
    [
        lambda: topic_model(examples=[counts("silk")]),
        lambda: topic_model("thread", examples=[counts("silk")]),
        lambda: topic_model("thread", examples=[counts("silk")], running=True),
        lambda: InLanguages(topic_model("thread", examples=[counts("silk")]), ("en",)),
    ],
)
def test_later_pages_are_judged_by_marks_also_after_a_replay_and_a_snapshot(build: Any) -> None:
    table = by_table({"a": "b", "b": "", "c": ""}, {"a": "web and thread", "b": "web web", "c": "web"})

    def half() -> Any:
        crawl = make_crawl(BestFirst(), topic=build())
        crawl.start([u("a")], T0)
        crawl.commit(table(lease(crawl)), T0)
        return crawl

    unmarked, crawl = half(), half()
    crawl.hear(Marked(url=u("a"), good=True), T0)
    replayed, twin = (make_crawl(BestFirst(), topic=build()) for _ in range(2))
    replayed.replay(journal(crawl))
    twin.replay(journal(crawl))
    assert isinstance(twin.store, MemoryStore)
    restored = make_crawl(BestFirst(), topic=build(), frontier=twin.frontier, store=twin.store)
    restored.restore(crawl.snapshot())
    judged = [each.commit(table(lease(each)), T0).relevance for each in (crawl, replayed, restored)]
    assert judged[0] > unmarked.commit(table(lease(unmarked)), T0).relevance
    assert judged == [judged[0]] * 3


def test_keywords_stay_as_they_are() -> None:
    crawl = make_crawl(BestFirst(), topic=topic_model("thread"))
    crawl.start([u("a")], T0)
    crawl.commit(by_table({"a": "b"}, {"a": "web"})(lease(crawl)), T0)
    crawl.hear(Marked(url=u("a"), good=True), T0)
    recorded = crawl.commit(by_table({"b": ""}, {"b": "web"})(lease(crawl)), T0)
    assert isinstance(recorded, Page)
    assert recorded.relevance == 0


# -- the hunter ----------------------------------------------------------------------------------------------


def test_likeness_to_examples_worked_by_hand() -> None:
    # The good ones are (3, 4, 0), of length 5, the bad ones (0, 1, 1), of length √2.
    found = example_query(np.array([3.0, 4.0, 0.0]), np.array([0.0, 1.0, 1.0]))
    assert AGAINST_LIKENESS == 0.03
    assert found == pytest.approx([0.6, 0.8 - 0.03 / sqrt(2), -0.03 / sqrt(2)])
    assert example_query(np.array([0.0, 2.0]), np.zeros(2)).tolist() == [0.0, 1.0]
    assert example_query(np.zeros(2), np.zeros(2)).tolist() == [0.0, 0.0]


PAGES = {
    "s": page("s", "coral reef lagoon", "p", "q"),
    "t": page("t", "coral reef street", "v", "w"),
    "l": page("l", "coral reef lagoon atoll", "y"),
}
EVEN = {"m": page("m", "coral reef lagoon", "x"), "n": page("n", "coral reef street", "y")}


def hunted(hunter: Any, *marks: tuple[str, bool | None], pages: Mapping[str, Page] = PAGES) -> Any:
    crawl = make_crawl(hunter)
    crawl.start([u(name) for name in pages], T0)
    for name in pages:
        found = replace(pages[name], request=lease(crawl))
        assert found.url == u(name)
        crawl.commit(found, T0)
    for name, good in marks:
        crawl.hear(Marked(url=u(name), good=good), T0)
    return crawl


def made() -> Hunter:
    return Hunter(Query(terms={"coral": 1, "reef": 1}), None)


def order(crawl: Any) -> list[str]:
    """The names of what waits, best first."""
    keys = crawl.frontier.keys()
    return [url.removeprefix("http://").split(".")[0] for url in sorted(keys, key=keys.__getitem__)]


def score(crawl: Any, name: str) -> float:
    waiting = crawl.frontier.waiting(u(name))
    return float(waiting.score)


def test_a_good_page_moves_the_links_of_those_like_it_ahead_and_a_bad_one_behind() -> None:
    plain = hunted(made())
    assert order(plain) == ["p", "q", "v", "w", "y"]
    lagoon = hunted(made(), ("l", True))
    assert order(lagoon)[0] == "y"
    assert set(order(lagoon)[1:3]) == {"p", "q"}  # beside "s", which has the lagoon too
    assert order(hunted(made(), ("t", True)))[:2] == ["v", "w"]
    bad = hunted(made(), ("s", False))
    lost = {name: score(plain, name) - score(bad, name) for name in "pvy"}
    assert lost["p"] > lost["y"] > lost["v"] > 0  # "l" is more like it than "t" is
    assert order(hunted(made(), pages=EVEN)) == ["x", "y"]  # they say as much of the topic
    assert order(hunted(made(), ("m", False), pages=EVEN)) == ["y", "x"]


def test_likeness_in_the_frontier_worked_by_hand() -> None:
    """Two pages of one word each, unlike each other: one is marked bad, and the other stays as it was."""
    pages = {"a": page("a", "coral", "x"), "b": page("b", "street", "y")}
    hunter = Hunter(Query(terms={"coral": 1}), None, below=0.0, beside=0.0)
    crawl = hunted(hunter, ("b", False), pages=pages)
    # Its own cosine with the bad example is 1; no page links to b, and y inherits what b has.
    assert score(crawl, "y") == pytest.approx(-AGAINST_LIKENESS)
    assert hunter.explain(Request(url=u("y"), order=9, score=-AGAINST_LIKENESS), crawl.store.memory) == {
        "like the examples": pytest.approx(-AGAINST_LIKENESS)
    }
    # coral on x: its page is the best, e = 1 of a mean of ½ over two pages.
    best = log(1 + 1 / (3 * 0.5))
    assert score(crawl, "x") == pytest.approx(best / best)


def test_the_last_mark_of_a_page_holds_and_one_taken_back_was_never_made() -> None:
    for marks, same in (
        ([("l", True), ("l", False)], [("l", False)]),
        ([("l", False), ("l", True)], [("l", True)]),
        ([("t", False), ("l", True), ("t", None)], [("l", True)]),
        ([("l", True), ("t", False)], [("t", False), ("l", True)]),
    ):
        assert hunted(made(), *marks).frontier.keys() == hunted(made(), *same).frontier.keys()
    # Taken back, nothing is left of it but that scores were worked out anew.
    assert (
        hunted(made(), ("t", True), ("t", None)).frontier.keys()
        == hunted(made(), ("t", None)).frontier.keys()
    )


def test_good_pages_are_among_the_best_whose_words_are_learned() -> None:
    pages = {
        f"p{n}": page(f"p{n}", "coral reef lagoon" if n < 12 else "street corner town", f"x{n}")
        for n in range(24)
    }
    good = [(f"p{n}", True) for n in range(12, 18)]

    def words(*marks: tuple[str, bool]) -> list[str]:
        hunter = Hunter(Query(terms={"coral": 1, "reef": 1}), None, first_lesson=8, chosen=6)
        hunted(hunter, *marks, pages=pages)
        return list(hunter.facts()["learned"])

    assert "lagoon" in words()
    assert not {"street", "corner", "town"} & set(words())
    assert set(words(*good)) == {"street", "corner", "town"}


def test_a_page_that_a_batch_holds_back_counts_as_marked_once_it_is_told() -> None:
    crawl = make_crawl(Batches(made(), n=4))
    crawl.start([u("m"), u("n")], T0)
    for name in "mn":
        crawl.commit(replace(EVEN[name], request=lease(crawl)), T0)
        if name == "m":
            crawl.hear(Marked(url=u("m"), good=False), T0)
    assert order(crawl) == ["y", "x"]


# -- the inbox -----------------------------------------------------------------------------------------------


def test_numbers_rise(tmp_path: Path) -> None:
    path = tmp_path / "inbox.jsonl"

    def add(name: str) -> None:
        for n in range(20):
            Inbox(path).add([Marked(url=u(f"{name}{n}"), good=True)], after=5)

    threads = [threading.Thread(target=add, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    inbox = Inbox(path)
    marks = inbox.news(5)
    assert [mark.number for mark in marks] == list(range(6, 86))
    assert {mark.url for mark in marks} == {u(f"{name}{n}") for name in "abcd" for n in range(20)}
    assert not inbox.has_grown
    assert inbox.news(5) == []
    more = Inbox(path).add([Marked(url=u(name), good=None) for name in "xy"], after=200)
    assert more[-1] == Marked(url=u("y"), good=None, number=202)
    assert [mark.number for mark in inbox.news(201)] == [202]
    path.unlink()
    assert not inbox.has_grown
    Inbox(path).add([Marked(url=u("z"), good=False)], after=202)
    assert [mark.number for mark in inbox.news(202)] == [203]


def test_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "inbox.jsonl"
    inbox = Inbox(path)
    inbox.add([Marked(url=u("a"), good=True)], after=0)
    with path.open("ab") as file:
        file.write(b'{"kind":"marked","url":"http://b.test/","go')
    assert [mark.url for mark in inbox.news(0)] == [u("a")]
    Inbox(path).add([Marked(url=u("c"), good=True)], after=0)
    assert [(mark.url, mark.number) for mark in inbox.news(0)] == [(u("c"), 2)]
    path.write_bytes(path.read_bytes() + b"what is this?\n")
    with pytest.raises(
        FolderError, match=r"inbox.jsonl: a line is not what a crawl is told \(.*\); take it out"
    ):
        inbox.news(0)


# -- folders -------------------------------------------------------------------------------------------------


def marks_in(folder: Path) -> list[tuple[str, bool | None, bool]]:
    with lycosa.open(folder) as crawl:
        return [(mark.url, mark.good, mark.step is not None) for mark in crawl.marks()]


def test_a_stopped_crawl_takes_marks_in_when_it_goes_on_and_once_only(tmp_path: Path) -> None:
    where = tmp_path / "c"
    with lycosa.crawl("dinosaur", [START], web=SAMPLE, strategy="hunter", pages=40, out=where) as folder:
        first, second = [row.url for row in folder.rows(text=False)][1:3]
        assert folder.status().marks == {}
        folder.mark(first, second, good=True)
        folder.mark(second, good=False)
        assert folder.status().marks == {"good": 1, "bad": 1, "waiting": 3}
        assert folder.why(first).marked is True
        assert folder.why(START).marked is None
    for pages in (40, 45, 45):
        with lycosa.resume(where, pages=pages) as folder:
            taken = folder.marks()
            assert [(mark.url, mark.good, mark.number) for mark in taken] == [
                (first, True, 1),
                (second, True, 2),
                (second, False, 3),
            ]
            assert [mark.step for mark in taken] == [43, 44, 45]
            assert all(mark.moved > 0 for mark in taken)
            assert folder.status().marks == {"good": 1, "bad": 1, "waiting": 0}


def test_only_pages_can_be_marked_and_then_none_is(tmp_path: Path) -> None:
    with lycosa.crawl("dinosaur", [START], web=SAMPLE, pages=5, out=tmp_path / "c") as folder:
        with pytest.raises(InputError, match=r"http://nowhere.test/: is no page of the crawl; only pages"):
            folder.mark(START, "http://nowhere.test/", good=True)
        assert folder.marks() == []


def test_a_running_crawl_takes_marks_in_before_its_next_page(tmp_path: Path) -> None:
    where = tmp_path / "c"
    visits: list[Visit] = []

    def watch(visit: Visit) -> None:
        visits.append(visit)
        if len(visits) == 80:
            with lycosa.open(where) as folder:
                folder.mark(START, good=False)

    lycosa.crawl("dinosaur", [START], web=SAMPLE, strategy="hunter", pages=90, out=where, watch=watch).close()
    with lycosa.open(where) as folder:
        [mark] = folder.marks()
        before = [row for row in folder.rows(text=False) if row.step < (mark.step or 0)]
        assert len(before) == 80
        assert mark.moved > 0


class Deaf(BestFirst):
    """Fails at a mark until it is mended."""

    mended = False

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        if not self.mended:
            raise ZeroDivisionError("by a mark")
        return ()


def test_a_strategy_that_fails_at_a_mark_halts_the_crawl_which_takes_it_in_after_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lycosa.spec import registry

    monkeypatch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, "deaf": f"{__name__}:Deaf"})
    where = tmp_path / "c"
    lycosa.crawl("dinosaur", [START], web=SAMPLE, strategy="deaf", pages=5, out=where).close()
    with lycosa.open(where) as folder:
        folder.mark(START, good=True)
    with pytest.raises(StrategyError, match="ZeroDivisionError: by a mark"):
        lycosa.resume(where, pages=9)
    assert marks_in(where) == [(START, True, False)]
    monkeypatch.setattr(Deaf, "mended", True)
    lycosa.resume(where, pages=9).close()
    assert marks_in(where) == [(START, True, True)]


def test_a_program_that_runs_a_session_marks_by_it(tmp_path: Path) -> None:
    where = tmp_path / "c"

    async def main() -> None:
        lived = await resume(where, pages=20)
        seen = 0

        def watch(visit: Visit) -> None:
            nonlocal seen
            seen += 1
            if seen == 4:
                lived.mark(START, False)
                with pytest.raises(InputError, match="is no page of the crawl; only pages that were fetched"):
                    lived.mark("http://nowhere.test/", True)

        await lived.run(watch)

    lycosa.crawl("dinosaur", [START], web=SAMPLE, strategy="hunter", pages=10, out=where).close()
    asyncio.run(main())
    with lycosa.open(where) as folder:
        [mark] = folder.marks()
        assert (mark.url, mark.good, mark.number) == (START, False, 1)
        assert len([row for row in folder.rows(text=False) if row.step < (mark.step or 0)]) == 14


def test_whatever_is_said_comes_out_of_the_inbox_as_it_went_in(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "inbox.jsonl")
    link = Link(source=u("a"), target=u("b"), anchor="b")
    commands = (
        Enqueue(url=u("b"), score=0.5, via=link),
        Reprioritize(url=u("b"), score=1.0),
        Forget(url=u("b")),
    )
    said: list[Said] = [
        Marked(url=u("a"), good=None),
        HandedOff(command=commands[0], peer="node-2"),
        Operated(commands=(*commands, Grant(n=3), Stop(reason="enough")), by="somebody"),
        Asked(wish=Wish.BUDGET, pages=7, requests=9, by="somebody"),
        Told(changed=((u("a"), Millis(5)),), by="somebody"),
        Searched(gains=((u("a"), Millis(5), 0.5),), standings=((u("b"), 0.25),)),
        Blocked(hosts=(Host("a.test"), Host("b.test:8080")), off=True, by="somebody"),
    ]
    assert inbox.news(0) == []
    numbered = inbox.add(said, after=4)
    assert [each.number for each in numbered] == [5, 6, 7, 8, 9, 10, 11]
    assert [replace(each, number=0) for each in numbered] == said
    assert inbox.news(4) == numbered
    for each in numbered:
        assert unpack_event(KIND[type(each).__name__], pack_event(each)) == each
