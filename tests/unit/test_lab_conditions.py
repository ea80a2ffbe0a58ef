"""Crawls under hard conditions: all meet the same, results are kept apart, failures and waiting have their price."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.labwebs import PAGES, record_web, small_experiment, url

from lycosa.compose.parts import order_of, pace_of
from lycosa.drive.clock import VirtualClock
from lycosa.lab import WebSpec, load_experiment
from lycosa.lab.experiments.cell import Result
from lycosa.lab.experiments.design import Cell, cells_of, tasks_of
from lycosa.lab.experiments.experiment import Experiment
from lycosa.lab.experiments.measured import BOUNDS, CLAIRVOYANT, ORACLE
from lycosa.lab.experiments.results import Results
from lycosa.lab.experiments.runner import names_of, opened, results, run
from lycosa.lab.measures.metrics import area_over_time, over_requests
from lycosa.lab.report.page import page_of
from lycosa.lab.webs.clutter import Clutter, Copy, Trap
from lycosa.lab.webs.conditions import Conditions, visitor_under
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Reason, Request
from lycosa.model.url import Url
from lycosa.spec.derived import width_of
from lycosa.spec.tree import CrawlSpec
from lycosa.web.made.faulty import Faults

NOT_RECORDED = [reason.value for reason in Reason].index("not-recorded")
FAILING = Faults(timeouts=0.1, errors=0.1, missing=0.1)
STRATEGIES = {"plain": "best-first", "broad": "breadth-first", "blind": "random"}
"""All of them follow every link in the end."""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("web"))


def under(web: Path, **conditions: object) -> Experiment:
    """Two topics, crawled until there is nothing left."""
    spec = WebSpec(path=str(web), **conditions)  # type: ignore[arg-type]
    return small_experiment(web, webs={"small": spec}, strategies=STRATEGIES, pages=500, most_topics=2)


def crawls(experiment: Experiment, folder: Path) -> list[Result]:
    run(experiment, folder, workers=1)
    names = names_of(opened(Path(experiment.webs["small"].path)))
    return list(results(experiment, folder, "small", names))


# -- known answers -------------------------------------------------------------------------------------------


def test_names_are_pages_where_that_is_the_condition() -> None:
    """In the strict order always: it says so of itself, and so do its documents."""
    assert Conditions().gate().aliases is not None
    assert Conditions(aliases=False).gate().aliases is None
    assert WebSpec(path="web", strict=True).conditions.gate().aliases is None
    assert WebSpec(path="web", aliases=False).conditions.gate().aliases is None


def test_an_area_over_time_by_hand() -> None:
    """Recall 0 until 2 s, .5 until 6 s, 1 from then on. Over 10 s: (4 · .5 + 4 · 1) / 10; over 4 s: 2 · .5 / 4."""
    curve, times = [0.5, 1.0], np.array([2000, 6000])
    assert area_over_time(curve, times, 10_000) == pytest.approx(0.6)
    assert area_over_time(curve, times, 4_000) == pytest.approx(0.25)
    assert area_over_time(curve, times, 1_000) == 0.0
    assert area_over_time([], np.array([], dtype=np.int64), 1_000) == 0.0
    with pytest.raises(InputError, match="give at least 1"):
        area_over_time(curve, times, 0)


def test_a_curve_over_requests_by_hand() -> None:
    """The second and the third visit failed: what the first page brought is held meanwhile."""
    assert over_requests([0.2, 0.6], np.array([1, 4]), 5).tolist() == [0.2, 0.2, 0.2, 0.6, 0.6]
    assert over_requests([0.2], np.array([3]), 3).tolist() == [0.0, 0.0, 0.2]
    assert over_requests([], np.array([], dtype=np.int32), 2).tolist() == [0.0, 0.0]


# -- files and cells -----------------------------------------------------------------------------------------


def test_conditions_are_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        '[strategies]\na = "best-first"\n[webs.w]\npath = "web"\nfaults = {timeouts = 0.1, slow = 0.2}\n'
        "litter = {copied = 0.3, traps = 0.05}\ndelay = 500\nconnections = 8\norder = 'strict'\nseconds = 60\n"
        "frontiers = [256]\n"
    )
    spec = load_experiment(tmp_path / "e.toml").webs["w"]
    assert spec.conditions == Conditions(
        faults=Faults(timeouts=0.1, slow=0.2),
        litter=Clutter(copied=0.3, traps=0.05),
        delay=500,
        connections=8,
        order="strict",
    )
    assert spec.conditions.in_words() == (
        "hosts rest 0.5 s, 8 visits at once, strict order; of the URLs 10% time-outs; 20% of the hosts 20 times as "
        "slow; 3 near-copies of 30% of the pages; traps on 5% of the pages"
    )


def test_what_holds_where_a_web_says_nothing_is_what_the_command_line_does(web: Path) -> None:
    spec = CrawlSpec(web=str(web))
    conditions = WebSpec(path=str(web)).conditions
    assert conditions.pace(spec.seed).rules == pace_of(spec).rules
    assert conditions.in_order().rules == order_of(spec).rules
    assert conditions.connections == width_of(spec)
    assert conditions.in_words() == "as the command line crawls"
    assert WebSpec(path=str(web), strict=True).conditions.in_words() == "the strict order, without rests"
    assert WebSpec(path=str(web), patience=3.0).conditions.in_words() == (
        "hosts rest 1 s, 32 visits at once, paced order with patience 3"
    )


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("faults = {timeout = 0.1}", "there is no key 'timeout'"),
        ("faults = {timeouts = 0.6, errors = 0.6}", "give shares from 0 to 1 that add up to 1 at most"),
        ("litter = {copied = 2.0}", "copied"),
        ("connections = 0", "connections"),
    ],
)
def test_conditions_that_are_none(written: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(f"[strategies]\na = 'best-first'\n[webs.w]\npath = 'x'\n{written}\n")
    with pytest.raises(InputError, match=told):
        load_experiment(tmp_path / "e.toml")


def cell(experiment: Experiment) -> Cell:
    return next(iter(cells_of(experiment, "small", tasks_of(experiment, "small"))))


def test_a_key_tells_conditions_apart(web: Path) -> None:
    several: list[dict[str, object]] = [
        {},
        {"faults": FAILING},
        {"faults": FAILING, "seed": 1},
        {"faults": Faults(slow=0.5)},
        {"litter": Clutter(copied=0.5)},
        {"litter": Clutter(traps=0.5)},
        {"delay": 500},
        {"connections": 4},
        {"order": "eager"},
        {"patience": 4.0},
        {"strict": True},
    ]
    keys = {cell(under(web, **each)).key("w", "t") for each in several}
    assert len(keys) == len(several)


def test_a_key_of_the_strict_order_is_what_it_was_before_there_were_conditions(web: Path) -> None:
    """Of results that were made by earlier versions."""
    plain = cell(under(web, strict=True))
    more = cell(under(web, strict=True, seconds=9, seed=3, faults=Faults()))
    assert plain.key("w", "t") == more.key("w", "t")
    told = msgspec.json.decode(msgspec.json.encode(plain))
    names = ("label", "strategy", "web", "task", "distance", "pages", "frontier", "seed", "examples")
    assert tuple(told) == names


def test_a_web_may_have_frontiers_of_its_own(web: Path) -> None:
    tight = under(web, frontiers=(10, 0))
    sizes = {each.frontier for each in cells_of(tight, "small", tasks_of(tight, "small"))}
    assert (tight.frontiers, sizes) == ((0,), {10, 0})


# -- crawls --------------------------------------------------------------------------------------------------


def test_every_strategy_meets_the_same_faults(web: Path, tmp_path: Path) -> None:
    """Crawled to the end, all bring exactly the pages to which ways lead that do not fail, whatever their order."""
    experiment = under(web, faults=FAILING, seed=2)
    found = crawls(experiment, tmp_path)
    there = opened(web)
    lost = set(Conditions(faults=FAILING, seed=2).lost(there.urls))
    assert 20 < len(lost) < 52  # of 120; 36 are to be expected, and 16 are three standard errors
    tasks = {task.id: task for task in tasks_of(experiment, "small")}
    for result in found:
        task = tasks[result.cell.task]
        graph = there.graph(lost)
        starts = graph.numbers([url for url in task.seeds[2] if url not in lost])
        reached = np.flatnonzero(graph.distances(starts) >= 0)
        assert {there.urls[page] for page in reached} == set(result.trajectory.names())
        assert result.trajectory.ended == "exhausted"
    ends = {label: [r for r in found if r.cell.label == label] for label in STRATEGIES}
    assert len({tuple(sorted(r.trajectory.names())) for r in found if r.cell.task == found[0].cell.task}) == 1
    assert len({len(crawls) for crawls in ends.values()}) == 1


def test_what_a_recording_lacks_is_told_as_such(web: Path) -> None:
    """Whatever else may fail there: two thirds of the URLs would, and each page links to one that was not recorded."""
    failing = Conditions(faults=Faults(timeouts=0.3, missing=0.3))
    visitor = visitor_under(failing, opened(web), lambda request, url: None, VirtualClock())
    for number in range(PAGES, PAGES + 30):
        for address in (url(number), Url("http://h0.test/nobody/links/here")):
            visit = asyncio.run(visitor(Request(url=address, order=0)))
            assert isinstance(visit, Failure)
            assert visit.reason is Reason.NOT_RECORDED


def test_failures_cost_visits_but_no_pages(web: Path, tmp_path: Path) -> None:
    """The budget counts pages. What is tried again counts as a visit each time."""
    experiment = msgspec.structs.replace(under(web, faults=FAILING), pages=20)
    run(experiment, tmp_path, workers=1)
    for each in Results(experiment, tmp_path).crawls:
        assert each.values["pages"] == 20
        assert each.values["auc over requests"] <= each.values["auc"]
    found = crawls(experiment, tmp_path)
    for result in found:
        crawl = result.trajectory
        failures = crawl.failures()
        assert failures.pop("not-recorded") > 0
        before = crawl.failed_visits < crawl.visits[-1]
        assert crawl.visits[-1] == 20 + before.sum()
        failed = (before & (crawl.failed_reasons != NOT_RECORDED)).sum()
        assert crawl.failed() == failed
        assert crawl.spent()[-1] == crawl.requests[-1] >= 20 + failed, "redirects are requests too"
        uncounted = msgspec.structs.replace(crawl, requests=crawl.requests[:0])
        assert uncounted.spent()[-1] == 20 + failed
    reasons = {reason for result in found for reason in result.trajectory.failures()}
    assert {"timeout", "status"} <= reasons


def test_faults_lower_the_bounds_and_litter_does_not(web: Path, tmp_path: Path) -> None:
    def bounds(experiment: Experiment, name: str) -> dict[tuple[str, str], float]:
        run(experiment, tmp_path / name, workers=1)
        found = Results(experiment, tmp_path / name)
        assert {each.cell.label for each in found.bounds} == set(BOUNDS)
        again = Results(experiment, tmp_path / name).bounds  # kept
        assert [each.values for each in again] == [each.values for each in found.bounds]
        return {(each.cell.task, each.cell.label): each.values["recall@500"] for each in found.bounds}

    plain = bounds(under(web), "plain")
    failing = bounds(under(web, faults=FAILING, seed=2), "failing")
    littered = bounds(under(web, litter=Clutter(copied=1.0, traps=1.0)), "littered")
    assert littered == plain
    assert all(failing[key] <= plain[key] for key in plain)
    assert sum(failing[key] < plain[key] for key in plain if key[1] in (ORACLE, CLAIRVOYANT)) > 2


def test_who_falls_for_litter_finds_nothing(web: Path, tmp_path: Path) -> None:
    """Copies and pages of traps are fetched, and none of them is a target or relevant, whatever its words."""
    experiment = msgspec.structs.replace(under(web, litter=Clutter(copied=1.0, traps=1.0)), pages=120)
    found = crawls(experiment, tmp_path)
    there = set(opened(web).urls)
    for result, numbers in zip(found, Results(experiment, tmp_path).crawls, strict=True):
        names = result.trajectory.names()
        put_in = [url for url in names if Copy.at(url) or Trap.at(url)]
        assert len(put_in) > 20
        assert set(names) - there == set(put_in)
        assert "similarity" not in numbers.values
        task = next(task for task in tasks_of(experiment, "small") if task.id == result.cell.task)
        on_topic = {*task.targets, *task.on_topic()}
        relevant = set(names) & on_topic
        counted = [url for url in names if url in on_topic or url not in task.examples]
        assert numbers.values["harvest@120"] == pytest.approx(len(relevant) / len(counted))
    report = page_of(Results(experiment, tmp_path))
    assert "3 near-copies of 100% of the pages; traps on 100% of the pages" in report


def test_slow_hosts_cost_time_where_several_are_asked_at_once(web: Path, tmp_path: Path) -> None:
    """The same strategy finds the same share in less of the same time if no host is slow."""
    quick = under(web, connections=4, delay=100, seconds=20)
    slow = under(web, connections=4, delay=100, seconds=20, faults=Faults(slow=0.6, slowness=30))
    for name, experiment in (("quick", quick), ("slow", slow)):
        run(experiment, tmp_path / name, workers=1)
    before = {(e.cell.label, e.cell.task): e.values for e in Results(quick, tmp_path / "quick").crawls}
    after = {(e.cell.label, e.cell.task): e.values for e in Results(slow, tmp_path / "slow").crawls}
    assert before.keys() == after.keys()
    for key, values in before.items():
        assert values["pages"] == after[key]["pages"]
        assert values["pages over time"] > after[key]["pages over time"] > 0
        assert values["auc over time"] > after[key]["auc over time"]
        assert 0 <= after[key]["recall over time"] <= values["recall over time"] <= 1


def test_a_delay_is_kept_between_visits_to_a_host(web: Path, tmp_path: Path) -> None:
    """Five hosts, a second's rest: in no second does any of them bring two pages."""
    for result in crawls(under(web, connections=8), tmp_path):
        crawl = result.trajectory
        by_host: dict[str, list[int]] = {}
        for name, time in zip(crawl.names(), crawl.times.tolist(), strict=True):
            by_host.setdefault(name.split("/")[2], []).append(time)
        assert all(min(np.diff(times)) >= 1000 for times in by_host.values() if len(times) > 1)
