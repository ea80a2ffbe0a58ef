"""Experiments with revisits: what they are made of, what is kept of them, and what their tables say."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

from lycosa.cli.group import lycosa
from lycosa.lab.time.crawled import Refreshed, Refreshing, reduced
from lycosa.lab.time.design import ChangingSpec, Revisits, load_revisits, tasks_of, world_of
from lycosa.lab.time.measures import measured
from lycosa.lab.time.optimum import made
from lycosa.lab.time.recorded import Version, read_changes, read_versions, site_world
from lycosa.lab.time.runner import RESULTS, Result, RevisitResults, run
from lycosa.lab.time.tables import tables
from lycosa.lab.time.visiting import Visiting
from lycosa.lab.time.world import PageLife, World
from lycosa.model.errors import InputError
from lycosa.model.url import Url
from lycosa.revisit.registry import policy
from lycosa.web.made.changing import ChangingShape
from lycosa.web.made.habits import Replay, changes
from lycosa.web.made.topical import TopicalShape

PAGES = TopicalShape(pages=160, hosts=16, parents=2, leaves=2, failures=0, redirects=0, traps=0, robots=0)
SMALL = ChangingShape(pages=PAGES, new=0.5, days=60)


def design(**settings: object) -> Revisits:
    return Revisits(
        **{  # type: ignore[arg-type]
            "policies": {"uniform": "uniform", "azar": "azar", "bound": "optimum:freshness"},
            "webs": {"made": ChangingSpec(changing=SMALL, seeds=6)},
            "days": 30.0,
            "since": 10.0,
            "budgets": (0.1,),
            "metrics": ("freshness",),
            **settings,
        }
    ).checked()


# -- design --------------------------------------------------------------------------------------------------


def test_halves_are_apart() -> None:
    sides = [{task.id for task in tasks_of(design(side=side), "made")} for side in ("tuning", "reporting")]
    assert sides == [{"seed 0", "seed 2", "seed 4"}, {"seed 1", "seed 3", "seed 5"}]
    assert sides[0] | sides[1] == {task.id for task in tasks_of(design(), "made")}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"policies": {}}, "at least one policy"),
        ({"baseline": "other"}, "'other' is none"),
        ({"metrics": ("speed",)}, "no measure 'speed'"),
        ({"since": 30.0}, "before day 30"),
        ({"policies": {"a": "unifrom"}}, "uniform"),
        ({"policies": {"a": "optimum:best"}}, "optimum:AIM"),
        ({"webs": {"w": ChangingSpec()}}, "either changing"),
        ({"webs": {"w": ChangingSpec(site="x")}}, "the years"),
        ({"webs": {"w": ChangingSpec(changing=SMALL, changes="x", crawled=True)}}, "made up wholly"),
    ],
)
def test_what_cannot_be_run_is_refused(settings: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        design(**settings)


# -- running -------------------------------------------------------------------------------------------------


class Finished(NamedTuple):
    lines: bytes
    told: list[str]
    results: list[Result]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """An experiment that was run once for all who only look at it."""
    folder, told = tmp_path_factory.mktemp("finished"), list[str]()
    results = run(design(), folder, tell=told.append).results
    return Finished((folder / RESULTS).read_bytes(), told, results)


def test_what_is_finished_stays_finished(finished: Finished, tmp_path: Path) -> None:
    assert len(finished.told) == 6 * 3
    (tmp_path / RESULTS).write_bytes(finished.lines[:-40])  # killed while writing the last one
    told: list[str] = []
    again = run(design(), tmp_path, tell=told.append)
    assert len(told) == 1
    assert [result.values for result in again.results] == [result.values for result in finished.results]


def test_a_table_has_all_policies_and_tests_no_bounds(finished: Finished) -> None:
    results = RevisitResults(design(), finished.results)
    (group,) = results.groups
    assert set(results.means(group, "freshness")) == {"uniform", "azar", "bound"}
    assert set(results.compared(group, "freshness")) == {"azar"}
    told = tables(results)
    assert "## made, 0.1 requests a page and day, 6 tasks" in told
    assert "| bound |" in told
    assert "Freshness: uniform beside others" in told


def test_less_is_better_is_told_as_such(finished: Finished) -> None:
    results = RevisitResults(design(metrics=("age",)), finished.results)
    (group,) = results.groups
    means, found = results.means(group, "age"), results.compared(group, "age")["azar"]
    assert found.difference.mean == pytest.approx(means["uniform"].mean - means["azar"].mean)


def test_the_bound_knows_more_than_who_must_learn(tmp_path: Path) -> None:
    webs = {"made": ChangingSpec(changing=SMALL, seeds=3)}
    policies = {"uniform": "uniform", "bound": "optimum:freshness"}
    results = run(design(days=90.0, since=30.0, webs=webs, policies=policies), tmp_path)
    means = results.means(results.groups[0], "freshness")
    assert means["bound"].mean > means["uniform"].mean


def test_lab_run_takes_experiments_with_revisits(tmp_path: Path) -> None:
    file = tmp_path / "few.toml"
    file.write_text(
        "[revisit]\ndays = 20\nsince = 5\nbudgets = [0.1]\n[revisit.policies]\nuniform = 'uniform'\n"
        "steady = 'steady'\n[revisit.webs.made]\nseeds = 2\n"
        "changing = { pages = { pages = 160, hosts = 16, parents = 2, leaves = 2 } }\n"
    )
    assert load_revisits(file).against == "uniform"
    found = CliRunner().invoke(lycosa, ["lab", "run", str(file), "-q"])
    assert found.exit_code == 0, found.output
    assert "| steady |" in (tmp_path / "few" / "table.md").read_text()


# -- whole crawls --------------------------------------------------------------------------------------------


def test_the_light_simulation_and_whole_crawls_agree() -> None:
    """Freshness of the same pages, by the same policy with the same budget, on three webs. The standard error of their
    mean difference is about .02; a crawl spends some requests on pages that are not there yet."""
    shape = ChangingShape(
        pages=TopicalShape(
            pages=300, hosts=25, parents=2, leaves=2, failures=0, redirects=0, traps=0, robots=0, duplicates=0
        ),
        new=0.3,
        liars=0,
        noise=0,
    )
    pairs = []
    for seed in range(3):
        told = Refreshed(shape=shape, seed=seed, topic=0, days=60.0, budget=0.05)
        whole = Refreshing(told, policy("uniform")).run()
        budget = 0.05 * len(whole.world.collection)
        light = Visiting(whole.world, policy("uniform"), budget, early=False).run()
        pairs.append((measured(whole, 25.0), measured(light, 25.0)))
    apart = [one["freshness"] - other["freshness"] for one, other in pairs]
    assert abs(mean(apart)) < 0.06
    assert all(abs(each) < 0.12 for each in apart)
    rates = [one["requests a day"] / other["requests a day"] for one, other in pairs]
    assert 0.8 < mean(rates) < 1.05


def test_a_world_without_some_pages() -> None:
    pages = [
        PageLife(url=Url(f"http://{name}.test/"), changes=np.array([]), listings=listings)
        for name, listings in (("a", ((1.0, 1), (2.0, 2))), ("b", ()), ("c", ()))
    ]
    left = reduced(World(name="w", days=5.0, pages=tuple(pages)), [0, 2])
    assert [page.url for page in left.pages] == ["http://a.test/", "http://c.test/"]
    assert left.pages[0].listings == ((2.0, 1),)


# -- real changes --------------------------------------------------------------------------------------------


def test_a_table_of_versions(tmp_path: Path) -> None:
    (tmp_path / "versions.tsv").write_text(
        "time\turl\tstatus\tsha1\n1970-01-02T00:00:00Z\thttp://a/\t200\tx\n"
        "1970-01-03T00:00:00Z\thttp://a/\t200\tx\n1970-01-04T12:00:00Z\thttp://a/\t404\t-\n"
    )
    assert read_versions(tmp_path) == {"http://a/": [Version(at=1.0, digest="x"), Version(at=3.5, digest="")]}


def test_a_table_of_changes_leaves_out_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "changes.tsv").write_text(
        "time\tpage\tsubject\n"
        "2020-01-01T00:00:00Z\ta\tStart tracking a\n"
        "2020-01-03T00:00:00Z\ta\tUpdate a\n"
        "2020-01-04T00:00:00Z\ta\tRefilter a\n"
        "2020-01-05T00:00:00+00:00\ta\tRecord new changes of a\n"
        "2020-01-10T00:00:00Z\tb\tFirst record of b\n"
    )
    found = read_changes(tmp_path / "changes.tsv")
    assert found == {"a": Replay(times=(2.0, 4.0), span=10.0), "b": Replay(times=(), span=1.0)}


def test_a_recording_is_played_again_and_again() -> None:
    replay = Replay(times=(2.0, 4.0), span=10.0, shift=1.0)
    assert changes(replay, 0, 25) == [3, 5, 13, 15, 23, 25]
    assert changes(replay, -10, 0) == [-7, -5]
    assert changes(Replay(times=(), span=5.0), 0, 100) == []


def version(at: float, digest: str) -> Version:
    return Version(at=at, digest=digest)


def test_a_site_as_it_was() -> None:
    """From day 10 on, for ten days: an old page that changes and goes, one that comes and is linked before it is there,
    one that went before, and one that comes too late."""
    versions = {
        "http://s/old/": [version(1, "a"), version(12, "b"), version(18, "")],
        "http://s/new/": [version(15, "c"), version(16, "d")],
        "http://s/gone/": [version(1, "e"), version(9, "")],
        "http://s/late/": [version(20.5, "f")],
    }
    links = {
        "http://s/old/": [(1.0, frozenset[str]()), (12.0, frozenset({"http://s/new/", "http://s/gone/"}))]
    }
    world = site_world(versions, links, 10.0, 10.0, "/new/")
    new, old = world.pages
    assert [page.url for page in world.pages] == ["http://s/new/", "http://s/old/"]
    assert (old.born, old.died, old.changes.tolist(), old.relevance) == (-9, 8, [2], 0)
    assert (new.born, new.changes.tolist(), new.relevance) == (5, [6], 1)
    assert old.listings == ((5.0, 0),)  # linked since 12, there since 15
    assert world.name == "1970-01-11 /new/"


def test_a_world_of_a_site_is_made_for_a_task(tmp_path: Path) -> None:
    assert made("uniform", World(name="", days=1.0, pages=())).due is not None
    web = ChangingSpec(site=str(tmp_path), years=(1970, 1971), sections=("/",))
    told = design(webs={"site": web}, side="reporting")
    assert [task.id for task in tasks_of(told, "site")] == ["1971 /"]
    (tmp_path / "versions.tsv").write_text("time\turl\tstatus\tsha1\n")
    with pytest.raises(InputError, match=r"no \.warc"):
        world_of(told, "site", next(tasks_of(told, "site")))
