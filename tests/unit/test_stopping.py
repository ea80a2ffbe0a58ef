"""Stopping rules: what they count, when they hold, and what becomes of them when a crawl is resumed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import pytest
from tests.worlds import Scripted, by_table, drive, failed, journal, lease, made_page, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.scope import Scope
from lycosa.crawl.stopping import Stopping, StopRules
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Millis, Page, Reason, RecordRef, Request
from lycosa.model.url import Url

T0 = Millis(0)


def page(
    name: str, relevance: float = 0.0, links: Iterable[str] = (), size: int = 0, **names: object
) -> Page:
    made = made_page(Request(url=u(name), order=0), *map(u, links), **names)  # type: ignore[arg-type]
    record = RecordRef(file="a.warc.gz", offset=0, length=size)
    return msgspec.structs.replace(made, relevance=relevance, record=record)


def rule(held_out: Iterable[Sequence[Url]] = (), scope: Scope | None = None, **rules: object) -> Stopping:
    given = msgspec.convert({"after": 0, **rules}, StopRules)
    return Stopping(given, relevant_from=0.5, scope=scope, held_out=held_out)


def reached_at(stopping: Stopping, relevances: Iterable[float]) -> int | None:
    """After how many pages, from 1."""
    for number, relevance in enumerate(relevances, 1):
        stopping.seen(page(f"p{number}", relevance))
        if stopping.reached:
            return number
    return None


# -- the harvest rate ----------------------------------------------------------------------------------------


def test_the_harvest_rate_of_a_window_falls() -> None:
    """1 1 0 1 0 0: of the last four 3, 2 and 1 are relevant; less than half first at the sixth page."""
    stopping = rule(harvest=0.5, window=4)
    assert reached_at(stopping, [1, 1, 0, 1, 0, 0]) == 6
    assert stopping.reached == "1 of the last 4 pages are relevant, less than 50 %"


def test_a_crawl_that_is_not_there_yet_goes_on() -> None:
    assert reached_at(rule(harvest=0.5, window=4), [0] * 50) is None
    assert reached_at(rule(harvest=0.5, window=4), [0] * 50 + [1, 1] + [0] * 4) == 55


def test_seven_of_a_hundred_are_seven_per_cent() -> None:
    """0.07 · 100 is more than 7 in binary."""
    assert reached_at(rule(harvest=0.07, window=100), [1] * 7 + [0] * 93) is None
    assert reached_at(rule(harvest=0.07, window=100), [1] * 7 + [0] * 94) == 101


def test_a_page_counts_from_the_relevance_given() -> None:
    assert reached_at(rule(harvest=1.0, window=2), [0.5, 0.5, 0.49]) == 3


def test_never_before_the_minimum() -> None:
    assert reached_at(rule(harvest=0.5, window=2, after=9), [1, 1, *[0] * 20]) == 9


# -- bytes -----------------------------------------------------------------------------------------------------


def test_bytes_of_the_archive_whatever_the_minimum() -> None:
    stopping = rule(bytes=1_000, after=100)
    for number, size in enumerate((600, 399, 1)):
        assert not stopping.reached
        stopping.seen(page(f"p{number}", size=size))
    assert stopping.reached == "the pages take 1,000 bytes in the archive; 1,000 were allowed"


# -- held-out examples -----------------------------------------------------------------------------------------


def test_held_out_examples_by_all_their_names() -> None:
    held_out = [[u("a")], [u("b/old"), u("b/new")], [u("c")], [u("d")]]
    stopping = rule(held_out, recall=0.75)
    stopping.seen(page("x"))
    stopping.seen(page("a"))
    stopping.seen(page("a"))
    stopping.seen(page("e", final=u("b/new"), hops=(u("e"),)))
    assert not stopping.reached
    stopping.seen(Failure(request=Request(url=u("c"), order=0), reason=Reason.STATUS, status=404))
    assert not stopping.reached, "it was not brought back"
    stopping.seen(page("f", final=u("g"), hops=(u("f"), u("d"))))
    assert stopping.reached.startswith(
        "about 75 % (30–95 %) of the relevant pages found, by held-out examples"
    )
    assert stopping.reached.endswith("75 % were asked for")


def test_surely_goes_by_the_lower_end() -> None:
    """Of 4, all found, the interval begins at 51 %."""
    held_out = [[u(name)] for name in "abcd"]
    for wanted, surely in ((0.5, True), (0.52, False)):
        stopping = rule(held_out, recall=wanted, surely=True)
        for name in "abcd":
            assert not stopping.reached
            stopping.seen(page(name))
        assert bool(stopping.reached) is surely


# -- capture–recapture -----------------------------------------------------------------------------------------


def island(stopping: Stopping, size: int) -> None:
    """Relevant pages that all link to each other, fetched one by one."""
    names = [f"i{number}" for number in range(size)]
    for name in names:
        stopping.seen(page(name, 1.0, names))


def test_an_island_is_known_when_it_was_seen() -> None:
    stopping = rule(recall=0.99, recall_by="captures")
    island(stopping, 40)
    (estimate,) = stopping.estimates()
    assert (estimate.found, estimate.recall) == (40, 1.0)
    assert stopping.reached


def test_too_few_tell_nothing() -> None:
    stopping = rule(recall=0.01)
    island(stopping, 19)
    assert stopping.estimates() == ()
    assert not stopping.reached


def test_what_waits_is_missing_unless_it_is_out_of_scope() -> None:
    def estimate(scope: Scope | None) -> float:
        stopping = rule(scope=scope)
        names = [f"h/{number}" for number in range(40)]
        for name in names:
            stopping.seen(page(name, 1.0, [*names, *(f"far/{number}" for number in range(40))]))
        return stopping.estimates()[0].recall

    assert estimate(None) == pytest.approx(0.5)
    assert estimate(Scope(hosts=("h.test",))) == 1.0  # type: ignore[arg-type]


def test_redirects_and_failures_do_not_wait() -> None:
    stopping = rule()
    names = [f"i{number}" for number in range(40)]
    links = [*names, "old", "gone", "twin"]
    for name in names:
        stopping.seen(page(name, 1.0, links))
    stopping.seen(page("moved", 1.0, links, final=u("old"), hops=(u("moved"),)))
    stopping.seen(failed(Request(url=u("gone"), order=0), Reason.STATUS, 404))
    stopping.seen(failed(Request(url=u("twin"), order=0), Reason.ALREADY_KNOWN))
    (estimate,) = stopping.estimates()
    assert (estimate.found, estimate.recall) == (41, 1.0)


def test_held_out_examples_go_first_unless_the_other_is_asked_for() -> None:
    for by, ends in (("", False), ("held-out", False), ("captures", True)):
        stopping = rule([[u("never")]], recall=0.9, recall_by=by)
        island(stopping, 30)
        assert [estimate.by for estimate in stopping.estimates()] == [
            "held-out examples",
            "capture–recapture",
        ]
        assert bool(stopping.reached) is ends


# -- in a crawl ------------------------------------------------------------------------------------------------

CHAIN = {f"p{number}": [f"p{number + 1}"] for number in range(40)}


class Fading:
    """The first ten pages are relevant, the others are not."""

    def relevance(self, page: Page) -> float:
        return 1.0 if int(page.url.removeprefix("http://p").partition(".")[0]) < 10 else 0.0

    def explain(self, page: Page) -> dict[str, float]:
        return {}


def fading(store: MemoryStore | None = None, **rules: object) -> Crawl:
    return make_crawl(Scripted(), topic=Fading(), store=store, stopping=rule(**rules))


def answer(request: Request) -> Page:
    number = int(request.url.removeprefix("http://p").partition(".")[0])
    return made_page(request, *(u(f"p{number + more}") for more in (1, 2, 3) if number + more < 60))


def test_a_rule_ends_the_crawl_and_says_so() -> None:
    crawl = fading(harvest=0.5, window=4)
    crawl.start([u("p0")], T0)
    drive(crawl, answer)
    assert crawl.pages == 13
    assert str(crawl.ended) == "rule: 1 of the last 4 pages are relevant, less than 50 %"


def resumed(crawl: Crawl, *, checkpoint: bool = False, **rules: object) -> Crawl:
    """Replayed from its journal, as after a kill, and recovered."""
    assert isinstance(crawl.store, MemoryStore)
    again = fading(crawl.store, **rules)
    again.replay(journal(crawl))
    again.recover(T0)
    return again


def test_under_the_same_rule_a_resumed_crawl_stays_ended() -> None:
    crawl = fading(harvest=0.5, window=4)
    crawl.start([u("p0")], T0)
    drive(crawl, answer)
    again = resumed(crawl, harvest=0.5, window=4)
    assert again.finished
    assert (again.pages, again.ended) == (13, crawl.ended)


def test_it_stays_ended_when_it_was_killed_while_the_last_visits_came_home() -> None:
    """Relevant pages that come home late would lift the harvest rate again."""
    crawl = fading(harvest=0.5, window=4)
    crawl.start([u(f"p{number}") for number in (0, 1, 2, 3, 20, 21, 22, 4, 5, 6)], T0)
    requests = [lease(crawl) for _ in range(10)]
    for request in requests[:9]:
        crawl.commit(answer(request), T0)
        if crawl.ended:
            break
    assert crawl.pages == 7
    for request in requests[7:9]:
        crawl.commit(answer(request), T0)
    assert not crawl.finished
    again = resumed(crawl, harvest=0.5, window=4)
    assert again.finished
    assert again.ended == crawl.ended


def test_under_another_rule_it_goes_on_and_can_be_resumed_again() -> None:
    crawl = fading(harvest=0.5, window=4)
    crawl.start([u("p0")], T0)
    drive(crawl, answer)
    again = resumed(crawl, harvest=0.25, window=4)
    assert not again.ended
    drive(again, answer)
    assert again.pages == 14
    assert visited(again) == [u(f"p{number}") for number in range(14)]
    third = resumed(again)
    assert not third.ended, "no rule is left"
    drive(third, answer)
    assert (third.pages, str(third.ended)) == (60, "exhausted")
    fourth = resumed(third, harvest=0.5, window=4)
    assert fourth.finished, "the last four pages are not relevant"


def test_a_rule_that_did_not_end_the_crawl_then_does_not_end_it_in_hindsight() -> None:
    """Under a rule that would have held in the middle, a whole journal is replayed to its end."""
    crawl = fading()
    crawl.start([u(f"p{number}") for number in (0, 1, 2, 3, 20, 21, 22, 23, 4, 5, 6, 7)], T0)
    for _ in range(12):
        crawl.commit(answer(lease(crawl)), T0)
    again = resumed(crawl, harvest=0.5, window=4)
    assert not again.ended
    assert not again.stopping.reached


def test_a_replay_ends_as_the_crawl_did() -> None:
    """Its budget was used up, though a rule of today would have held in the middle: it was leased from afterwards."""
    order = [u(f"p{number}") for number in (0, 1, 2, 3, 20, 21, 22, 23, 4, 5, 6, 7)]
    crawl = make_crawl(Scripted(), topic=Fading(), budget=12)
    crawl.start(order, T0)
    drive(crawl, answer)
    assert (visited(crawl), str(crawl.ended)) == (order, "budget")
    again = make_crawl(Scripted(), topic=Fading(), budget=12, stopping=rule(harvest=0.5, window=4))
    again.replay(journal(crawl))
    assert str(again.ended) == "budget"


def test_what_fails_is_not_missing() -> None:
    graph = {f"i{number}": [*(f"i{other}" for other in range(30)), *"xyz"] for number in range(30)}

    class All(Fading):
        def relevance(self, page: Page) -> float:
            return 1.0

    stopping = rule()
    crawl = make_crawl(Scripted(), topic=All(), stopping=stopping)
    crawl.start([u("i0")], T0)
    drive(crawl, by_table(graph))
    assert (crawl.pages, crawl.failures) == (30, 3)
    (estimate,) = stopping.estimates()
    assert (estimate.low, estimate.recall) == (1.0, 1.0)


def test_a_snapshot_keeps_what_was_reached_under_its_rules_only() -> None:
    crawl = fading(harvest=0.5, window=4)
    crawl.start([u("p0")], T0)
    drive(crawl, answer)
    saved = msgspec.msgpack.decode(msgspec.msgpack.encode(crawl.stopping.save()))
    for floor, told in ((0.5, "less than 50 %"), (0.25, ""), (0.9, "less than 90 %")):
        loaded = rule(harvest=floor, window=4)
        loaded.load(saved)
        assert loaded.reached.endswith(told)
        assert bool(loaded.reached) is bool(told)


# -- what is written -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [("5%", (0.05, None)), ("0.05:200", (0.05, 200)), ("12.5 %:1", (0.125, 1)), ("0", (0.0, None))],
)
def test_harvest_floors_as_written(written: str, meant: tuple[float, int | None]) -> None:
    from lycosa.cli.values import harvest_floor

    assert harvest_floor(written) == meant


@pytest.mark.parametrize("written", ["", "x", "101%", "-1%", "5", "5%:", "5%:0", "5%:x", "nan", "5%:1.5"])
def test_what_is_no_harvest_floor(written: str) -> None:
    from lycosa.cli.values import harvest_floor

    with pytest.raises(InputError, match=r"is no (share|harvest rate)"):
        harvest_floor(written)
