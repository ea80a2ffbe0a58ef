"""Pages that a crawl had are planned when it begins to visit them again: also when it is killed meanwhile."""

from __future__ import annotations

import pytest
from tests.worlds import Scripted, lease, made_page, make_crawl, u

import lycosa.crawl.crawl
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.ports import Schedule as Port
from lycosa.model.commands import Enqueue
from lycosa.model.events import Entry, Planned
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.revisit.history import DAY
from lycosa.revisit.once import Once
from lycosa.revisit.registry import policy
from lycosa.revisit.schedule import Schedule, ScheduleRules

PAGES = tuple(u(f"a/{number}") for number in range(5))


@pytest.fixture(autouse=True)
def _in_twos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five pages take three steps."""
    monkeypatch.setattr(lycosa.crawl.crawl, "PLANNED_AT_ONCE", 2)


def by_policy(every: float = 1.0) -> Schedule:
    return Schedule(policy("azar"), ScheduleRules(policy="azar", every=every))


def fresh(schedule: Port | None) -> Crawl:
    return make_crawl(Scripted(), schedule=schedule, budget=len(PAGES))


def had() -> list[Entry]:
    """The journal of a crawl that fetched its pages and ended, without a schedule."""
    crawl = fresh(None)
    crawl.start(PAGES, Millis(0))
    for _ in PAGES:
        crawl.commit(made_page(lease(crawl), text="old"), Millis(0))
    assert crawl.finished
    return list(crawl.store.entries())


def opened(journal: list[Entry], schedule: Port) -> Crawl:
    """The crawl as it is taken up from its journal alone: there was no checkpoint."""
    crawl = fresh(schedule)
    for entry in journal:
        crawl.store.append(entry)
    crawl.replay(journal)
    return crawl


def taken_up(journal: list[Entry], schedule: Port, at: int = DAY) -> Crawl:
    crawl = opened(journal, schedule)
    crawl.plan(Millis(at))
    return crawl


def due(crawl: Crawl) -> dict[Url, Millis | None]:
    return {url: crawl.frontier.due(url) for url in PAGES}


@pytest.mark.parametrize("schedule", [by_policy, lambda: Once(Millis(7))])
@pytest.mark.parametrize("survived", [0, 1, 2, 3])
def test_a_kill_while_pages_are_planned_leaves_none_unplanned(survived: int, schedule: type[Port]) -> None:
    journal = had()
    whole = taken_up(journal, schedule())
    entries = list(whole.store.entries())
    assert sum(isinstance(entry.event, Planned) for entry in entries) == 3
    again = taken_up(entries[: len(journal) + survived], schedule())
    assert due(again) == due(whole)
    assert None not in due(again).values()
    added = len(list(again.store.entries())) - len(journal) - survived
    assert added == (0 if survived == 3 else 3), "what was planned whole is not planned again"


def test_what_a_policy_makes_of_the_pages_is_known_after_a_kill() -> None:
    """Or the first page to be looked at would be given the requests of all."""
    whole = taken_up(had(), by_policy())
    again = taken_up(list(whole.store.entries()), by_policy())
    assert again.schedule is not None
    assert whole.schedule is not None
    assert len(again.schedule) == len(PAGES)
    assert again.schedule.save() == whole.schedule.save()


def test_pages_are_planned_again_when_the_settings_are_others() -> None:
    entries = list(taken_up(had(), by_policy()).store.entries())
    assert due(taken_up(entries, by_policy(every=9.0), at=2 * DAY)) != due(
        taken_up(entries, by_policy(), at=2 * DAY)
    )


def test_a_crawl_that_begins_with_a_schedule_has_nothing_to_plan_after_a_kill() -> None:
    crawl = fresh(by_policy())
    crawl.start(PAGES, Millis(0))
    crawl.plan(Millis(0))
    crawl.commit(made_page(lease(crawl), text="old"), Millis(0))
    entries = list(crawl.store.entries())
    again = taken_up(entries, by_policy(), at=1)
    assert list(again.store.entries()) == entries
    assert due(again) == due(crawl)
    assert [Enqueue(url=url) for url in PAGES if again.frontier.due(url) is not None]
