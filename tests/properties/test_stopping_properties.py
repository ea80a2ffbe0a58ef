"""What stopping rules and what they count promise, for any crawl."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import Scripted, failed, journal, looks, made_page, make_crawl, u

from lycosa.crawl.captures import OCCASIONS, Captures
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.recall import Catch, of_catches
from lycosa.crawl.stopping import Stopping, StopRules
from lycosa.model.records import Millis, Page, Reason, RecordRef, Request, Visit
from lycosa.model.url import Url

URLS = [u(f"h{number % 4}/{number}") for number in range(30)]
URL = st.sampled_from(URLS)
T0 = Millis(0)

# -- captures --------------------------------------------------------------------------------------------------

TOLD = st.lists(
    st.one_of(
        st.tuples(st.just("links"), URL, st.lists(URL, max_size=8), st.booleans()),
        st.tuples(st.just("fetched"), URL, st.booleans()),
        st.tuples(st.just("alias"), URL),
    ),
    max_size=40,
)


def tell(captures: Captures, told: Sequence[Any]) -> Captures:
    for kind, url, *more in told:
        if kind == "links":
            captures.linked(url, more[0], relevant=more[1])
        elif kind == "fetched":
            captures.fetched(url, relevant=more[0])
        else:
            captures.alias(url)
    return captures


def by_hand(told: Sequence[Any]) -> list[Catch]:
    """The same counts by sets and dicts."""
    groups: dict[Url, set[int]] = {}
    state: dict[Url, str] = {}
    for kind, url, *more in told:
        if kind == "links":
            for target in more[0]:
                groups.setdefault(target, set()).update([crc32(url.encode()) % OCCASIONS] * more[1])
                state.setdefault(target, "waiting")
        elif kind == "fetched":
            groups.setdefault(url, set())
            state[url] = "relevant" if more[0] else "other"
        elif state.get(url, "waiting") == "waiting":
            groups.setdefault(url, set())
            state[url] = "alias"

    def count(k: int, name: str) -> int:
        return sum(len(groups[url]) == k and state[url] == name for url in state)

    return [
        Catch(relevant=count(k, "relevant"), other=count(k, "other"), waiting=count(k, "waiting"))
        for k in range(OCCASIONS + 1)
    ]


@given(TOLD)
def test_as_counted_by_hand(told: Sequence[Any]) -> None:
    assert tell(Captures(), told).catches() == by_hand(told)


@given(TOLD)
def test_once(told: Sequence[Any]) -> None:
    captures = tell(Captures(), told)
    before = captures.catches()
    tell(captures, [each for each in told if each[0] == "links"])
    assert captures.catches() == before


@given(TOLD, st.sets(URL), st.integers(1, 12))
def test_what_does_not_count_is_as_if_it_were_not_there(
    told: Sequence[Any], apart: set[Url], most: int
) -> None:
    asking, without = Captures(most), Captures(most)
    for each in told:
        if each[0] == "links":
            _, source, targets, relevant = each
            asking.linked(source, targets, relevant=relevant, counts=lambda url: url not in apart)
            without.linked(source, [url for url in targets if url not in apart], relevant=relevant)
        else:
            tell(asking, [each])
            tell(without, [each])
    assert asking.save() == without.save()
    assert asking.catches() == without.catches()


@given(TOLD, st.integers(1, 12))
def test_bounded(told: Sequence[Any], most: int) -> None:
    captures = Captures(most)
    for each in told:
        tell(captures, [each])
        assert len(captures) <= most
        catches = captures.catches()
        counted = sum(catch.relevant + catch.other + catch.waiting for catch in catches)
        assert 0 <= counted <= len(captures)


@given(TOLD, TOLD, st.integers(1, 40))
def test_saved_and_loaded_captures_count_on(first: Sequence[Any], then: Sequence[Any], most: int) -> None:
    captures, again = tell(Captures(most), first), Captures(most)
    again.load(msgspec.msgpack.decode(msgspec.msgpack.encode(captures.save())))
    for each in (captures, again):
        tell(each, then)
    assert again.save() == captures.save()
    assert again.catches() == captures.catches()
    assert again.fresh == captures.fresh


def test_a_sample_tells_the_same_as_all() -> None:
    """Of 20,000 URLs 2,048 are kept: recall differs by sampling error only."""
    whole, sample = Captures(), Captures(2_048)
    for captures in (whole, sample):
        for number in range(2_000):
            url = Url(f"http://a.test/{number}")
            captures.fetched(url, relevant=number % 2 == 0)
            captures.linked(
                url,
                [Url(f"http://a.test/{number * 10 + more}") for more in range(10)],
                relevant=number % 2 == 0,
            )
    assert len(sample) <= 2_048 < len(whole)
    assert abs(sample.fresh / whole.fresh - 1) < 0.25
    estimates = [of_catches(each.catches(), OCCASIONS) for each in (whole, sample)]
    assert estimates[0] is not None
    assert estimates[1] is not None
    assert abs(estimates[0].recall - estimates[1].recall) < 0.03


CATCH = st.builds(Catch, relevant=st.integers(0, 50), other=st.integers(0, 50), waiting=st.integers(0, 50))


@given(st.lists(CATCH, min_size=3, max_size=17), st.floats(0, 3))
def test_an_estimate_lies_within_its_interval(catches: list[Catch], fresh: float) -> None:
    estimate = of_catches(catches, OCCASIONS, fresh)
    if estimate is not None:
        assert 0 <= estimate.low <= estimate.recall <= estimate.high <= 1
        assert estimate.of >= estimate.found


@given(st.lists(CATCH, min_size=3, max_size=17), st.floats(0, 3), st.integers(0, 16), st.integers(1, 50))
def test_more_that_waits_is_less_recall(catches: list[Catch], fresh: float, at: int, more: int) -> None:
    fuller = [
        msgspec.structs.replace(catch, waiting=catch.waiting + more * (k == at % len(catches)))
        for k, catch in enumerate(catches)
    ]
    before, after = (of_catches(each, OCCASIONS, fresh) for each in (catches, fuller))
    if before is not None and at % len(catches) != 2:  # more caught twice are fewer never caught
        assert after is not None
        assert after.recall <= before.recall + 1e-12


# -- rules -----------------------------------------------------------------------------------------------------


def some_visits(seed: int) -> list[Visit]:
    rng = random.Random(seed)
    made: list[Visit] = []
    for _ in range(rng.randrange(60)):
        request = Request(url=rng.choice(URLS), order=0)
        if rng.random() < 0.1:
            made.append(failed(request, rng.choice([Reason.STATUS, Reason.ALREADY_KNOWN])))
            continue
        final = rng.choice([None, None, rng.choice(URLS)])
        page = made_page(request, *rng.choices(URLS, k=rng.randrange(6)), final=final)
        record = RecordRef(file="", offset=0, length=rng.randrange(10))
        made.append(msgspec.structs.replace(page, relevance=rng.choice([0.0, 0.9]), record=record))
    return made


VISITS = st.integers(0, 10**9).map(some_visits)

RULES = st.builds(
    StopRules,
    harvest=st.sampled_from([0.0, 0.3, 0.6]),
    window=st.integers(1, 8),
    recall=st.sampled_from([0.0, 0.2, 0.5, 0.9]),
    recall_by=st.sampled_from(["", "held-out", "captures"]),
    surely=st.booleans(),
    bytes=st.sampled_from([0, 50, 150]),
    after=st.integers(0, 30),
)


def stopping(rules: StopRules) -> Stopping:
    return Stopping(rules, relevant_from=0.5, held_out=[[url] for url in URLS[:5]])


def told(rule: Stopping, seen: Sequence[Visit]) -> list[str]:
    reached = []
    for visit in seen:
        rule.seen(visit)
        reached.append(rule.reached)
    return reached


@given(RULES, VISITS, st.integers(0, 60))
def test_a_fold(rules: StopRules, seen: list[Visit], cut: int) -> None:
    straight = stopping(rules)
    reached = told(straight, seen)
    first, second = stopping(rules), stopping(rules)
    before = told(first, seen[:cut])
    second.load(msgspec.msgpack.decode(msgspec.msgpack.encode(first.save())))
    assert [*before, *told(second, seen[cut:])] == reached
    assert second.save() == straight.save()
    assert second.estimates() == straight.estimates()


@given(RULES, VISITS)
def test_never_before(rules: StopRules, seen: list[Visit]) -> None:
    rules = msgspec.structs.replace(rules, bytes=0)
    pages, relevant, risen = 0, [], False
    for visit, reached in zip(seen, told(stopping(rules), seen), strict=True):
        if isinstance(visit, Page):
            pages += 1
            relevant.append(visit.relevance >= 0.5)
            risen = risen or sum(relevant[-rules.window :]) >= rules.harvest * rules.window - 1e-6
        if reached:
            assert pages >= rules.after
            assert rules.recall or (pages >= rules.window and risen)


@given(RULES, VISITS)
def test_it_stays(rules: StopRules, seen: list[Visit]) -> None:
    reached = told(stopping(rules), seen)
    first = next((place for place, reason in enumerate(reached) if reason), len(reached))
    assert len(set(reached[first:])) <= 1


@given(RULES, VISITS, st.floats(0.01, 1), st.floats(0.01, 1))
def test_more_asks_more(rules: StopRules, seen: list[Visit], one: float, other: float) -> None:
    less, more = sorted((one, other))
    early, late = (
        told(stopping(msgspec.structs.replace(rules, recall=recall)), seen) for recall in (less, more)
    )
    assert all(reached for reached, asked in zip(early, late, strict=True) if asked)


# -- in a crawl ------------------------------------------------------------------------------------------------


class Half:
    """Pages with an even number are relevant."""

    def relevance(self, page: Page) -> float:
        return 1.0 if int(page.url.rpartition("/")[2]) % 2 == 0 else 0.0

    def explain(self, page: Page) -> dict[str, float]:
        return {}


def crawl_with(rules: StopRules) -> Crawl:
    return make_crawl(Scripted(), topic=Half(), stopping=stopping(rules))


@settings(max_examples=trials(60))
@given(RULES, st.randoms(use_true_random=False))
def test_replay_reaches_the_same(rules: StopRules, rng: Any) -> None:
    run = crawl_with(rules)
    run.start(URLS[:3], T0)
    out: list[Visit] = []
    while not run.finished and run.step < 40:
        while len(out) < 3 and (request := run.lease(T0)):
            out.append(made_page(request, *rng.sample(URLS, 4)) if rng.random() < 0.9 else failed(request))
        if not out:
            break
        run.commit(out.pop(rng.randrange(len(out))), T0)
    again = crawl_with(rules)
    again.replay(journal(run))
    assert again.stopping.save() == run.stopping.save()
    assert again.stopping.reached == run.stopping.reached
    assert looks(again)["counts"] == looks(run)["counts"]
    again.recover(T0)
    if str(run.ended).startswith("rule: "):
        assert again.ended == run.ended
