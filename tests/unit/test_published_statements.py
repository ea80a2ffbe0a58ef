"""The tables of `benchmarks/statements.py` and `which_crawler.py` say what the crawls of an experiment say."""

from __future__ import annotations

import doctest
import json
import shutil
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.labwebs import record_web, small_experiment

from lycosa.lab.experiments.measured import Group
from lycosa.lab.experiments.results import Results

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CRAWLERS = {each: each for each in ("best-first", "breadth-first", "shark", "infospiders")}
PAGE = BENCHMARKS.parent / "docs" / "explanation" / "which-crawler.md"


def benchmark(name: str) -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))  # as a script finds its neighbours
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


verdicts, published, kept, statements, which = map(
    benchmark, ("verdicts", "published", "kept", "statements", "which_crawler")
)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    web = record_web(tmp_path_factory.mktemp("web"))
    folder = tmp_path_factory.mktemp("run")
    settings = {"strategies": CRAWLERS, "pages": 100, "distances": (1,)}
    small_experiment(web, **settings, frontiers=(0,)).run(folder / "plain", workers=1)
    small_experiment(web, **settings, frontiers=(8, 16)).run(folder / "bounded", workers=1)
    return folder


@pytest.fixture(scope="module")
def runs(crawled: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("kept")
    names = ("plain", "bounded")
    return statements.runs_in([kept.keep(crawled / name, folder, bounds=name == "plain") for name in names])


# -- verdicts ------------------------------------------------------------------------------------------------


def topics(values: Sequence[float]) -> dict[str, float]:
    return {f"t{place}": value for place, value in enumerate(values)}


LOW, HIGH = topics([0.40, 0.42, 0.38, 0.41, 0.43, 0.39]), topics([0.60, 0.61, 0.57, 0.62, 0.63, 0.58])
NEAR = topics([0.41, 0.41, 0.39, 0.41, 0.42, 0.40])
WIDE = topics([0.10, 0.90, 0.20, 0.80, 0.30, 0.15])


def verdict(claim: str, a: dict[str, float], b: dict[str, float]) -> Any:
    found = verdicts.evidence(claim, a, b)
    return verdicts.judge(claim, found, found.p)


@pytest.mark.parametrize(
    ("claim", "a", "b", "expected"),
    [
        ("more", HIGH, LOW, "holds"),
        ("more", LOW, HIGH, "refuted"),
        ("less", LOW, HIGH, "holds"),
        ("less", HIGH, LOW, "refuted"),
        ("more", WIDE, LOW, "open"),
        ("alike", NEAR, LOW, "holds"),
        ("alike", HIGH, LOW, "refuted"),
        ("alike", LOW, HIGH, "refuted"),
        ("alike", WIDE, LOW, "open"),  # no difference is shown, and no likeness either
    ],
)
def test_a_verdict_goes_by_the_direction_of_its_statement(
    claim: str, a: dict[str, float], b: dict[str, float], expected: str
) -> None:
    assert verdict(claim, a, b).verdict == expected


def test_that_one_is_above_speaks_against_that_they_are_alike() -> None:
    """A small but sure difference within the margin is alike; that it is above holds all the same."""
    above = topics([0.410, 0.433, 0.391, 0.422, 0.443, 0.401])
    assert verdict("alike", above, LOW).verdict == "holds"
    assert verdict("more", above, LOW).verdict == "holds"
    assert verdict("alike", HIGH, LOW).why.startswith("more than 10 % above")


def test_without_enough_topics_a_statement_is_not_tested() -> None:
    few = verdict("more", topics([0.5, 0.6]), topics([0.1, 0.2]))
    assert (few.verdict, few.p) == ("not tested", None)
    assert "not enough topics" in few.why


def test_the_two_sided_p_is_twice_the_smaller_one() -> None:
    found = verdicts.evidence("more", WIDE, LOW)
    assert found.p == pytest.approx(found.comparison.t.p)


def test_one_test_for_two_statements_counts_once() -> None:
    """Holm's correction of two different tests doubles the smaller p, of one test said twice it does nothing."""
    once = verdicts.Tested("one", "more", verdicts.evidence("more", WIDE, LOW))
    other = verdicts.Tested("other", "more", verdicts.evidence("more", HIGH, LOW))
    assert [each.p for each in verdicts.judged([once, once])] == [once.evidence.p] * 2
    assert verdicts.judged([once, other])[1].p == pytest.approx(2 * other.evidence.p)


def test_a_tally_counts_different_tests_and_tells_what_is_open() -> None:
    tested = [
        verdicts.Tested("a", "more", verdicts.evidence("more", HIGH, LOW)),
        verdicts.Tested("a", "more", verdicts.evidence("more", HIGH, LOW)),
        verdicts.Tested("b", "more", verdicts.evidence("more", WIDE, LOW)),
        verdicts.Tested("c", "more", None, "no such crawls"),
    ]
    first = verdicts.first_places(each.key for each in tested)
    whole = verdicts.tally(verdicts.judged(tested), first, range(4))
    assert (whole.holds, whole.refuted, whole.as_said + whole.otherwise) == (1, 0, 1)
    assert (whole.tested, whole.untested, whole.again) == (2, 1, 1)
    again = verdicts.tally(verdicts.judged(tested), first, [1])
    assert str(again) == "counted above (1)"


# -- statements ----------------------------------------------------------------------------------------------


def test_a_statement_is_tested_on_its_two_crawlers(runs: Any, crawled: Path) -> None:
    said = published.STATEMENTS[0]._replace(metric="auc")  # best-first above breadth-first, D = 1
    found = runs.found(said, "small")
    group = Group(web="small", distance=1, frontier=0)
    exact = Results.of(crawled / "plain").compare("best-first", "breadth-first", group, "auc")
    assert found.evidence.comparison.difference.mean == pytest.approx(exact.difference.mean, abs=1e-4)
    assert exact.difference.mean != 0
    assert found.setting == "100 pages, D = 1, frontier: no bound"


def test_only_crawls_of_the_setting_speak_of_a_statement(runs: Any) -> None:
    said = published.STATEMENTS[0]._replace(metric="auc")
    assert runs.found(said._replace(frontier=256), "small").evidence is None
    assert runs.found(said._replace(frontier=8), "small").setting == "100 pages, D = 1, frontier: 8"
    two = runs.found(said._replace(frontier=8, frontier_b=16, b=said.a), "small")
    assert two.setting == "100 pages, D = 1, frontier: 8 and 16"


def test_a_measure_is_asked_only_of_crawls_that_reached_it(runs: Any) -> None:
    """The web has 120 pages: nobody has a mean over 500."""
    sheet = runs.sheets[Group(web="small", distance=1, frontier=0)][0]
    assert sheet.values("best-first", "relevance@50")
    assert not sheet.values("best-first", "relevance@500")
    said = published.STATEMENTS[0]._replace(metric="relevance@500")
    assert "ended before 500 pages, the longest after" in runs.found(said, "small").lacking


def test_the_same_crawls_are_one_test_whoever_said_so(runs: Any) -> None:
    said = published.STATEMENTS[0]._replace(metric="auc")
    mirrored = said._replace(source="S2", a=said.b, b=said.a, claim="less")
    key = runs.found(said, "small").tested.key
    assert runs.found(mirrored, "small").tested.key == key
    assert runs.found(said._replace(claim="less"), "small").tested.key != key
    assert runs.found(said._replace(claim="alike"), "small").tested.key != key


def test_cost_and_gain_are_put_together_topic_by_topic(runs: Any) -> None:
    """Recall × similarity / relative cost: with one crawler's cost doubled its value halves."""
    sheet = runs.sheets[Group(web="small", distance=1, frontier=0)][0]
    (value,) = next(iter(sheet.values("shark", "performance/cost").values()))
    topic = next(iter(sheet.values("shark", "performance/cost")))
    parts = {
        each: [sheet.values(each, metric)[topic][0] for metric in ("recall@100", "similarity", "thinking")]
        for each in CRAWLERS.values()
    }
    mean = sum(thinking for _, _, thinking in parts.values()) / 4
    recall, similar, thinking = parts["shark"]
    assert value == pytest.approx(recall * similar * mean / thinking)


def test_plain_infospiders_of_the_thesis_keep_no_frontier() -> None:
    (said,) = [
        each
        for each in published.STATEMENTS
        if each.said == "that of plain InfoSpiders stays nearly the same"
    ]
    assert (said.a, said.claim) == ("infospiders-energy:keep_frontier=false", "alike")


def test_the_report_has_every_statement(runs: Any) -> None:
    told = statements.report(runs)
    assert all(each.said in told for each in published.STATEMENTS)
    assert "## small" in told
    assert "not tested (no such crawls)" in told  # there are no start pages at D = 3


# -- what is kept --------------------------------------------------------------------------------------------


def test_what_is_kept_says_nothing_of_this_machines_folders(crawled: Path, tmp_path: Path) -> None:
    file = kept.keep(crawled / "plain", tmp_path, bounds=True)
    assert str(tmp_path) not in file.read_text("utf-8")
    assert json.loads(file.read_text("utf-8"))["experiment"]["webs"] == {"small": {"path": "small"}}
    read = kept.Kept.of(file)
    assert (len(read.crawls), read.failed, read.blind) == (32, [], [])
    assert {each.cell.label for each in read.bounds} == {"chance", "one-step clairvoyant", "oracle"}


def test_a_topic_of_which_a_crawl_is_missing_is_not_kept(crawled: Path, tmp_path: Path) -> None:
    run = shutil.copytree(crawled / "plain", tmp_path / "cut")
    next((run / "cells").iterdir()).unlink()
    read = kept.Kept.of(kept.keep(run, tmp_path))
    assert len(read.crawls) == 28
    assert read.about.planned == 32


# -- the page ------------------------------------------------------------------------------------------------


def row(table: str, *first: str) -> list[str]:
    """The cells of the row that begins with these."""
    lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    return next(line for line in lines if tuple(line[: len(first)]) == first)


def test_the_page_tells_the_means_of_the_crawls(runs: Any, crawled: Path) -> None:
    tables = which.Tables(runs).all()
    results = Results.of(crawled / "plain")
    group = Group(web="small", distance=1, frontier=0)
    means = results.means(group)
    told = f"{means['breadth-first'].mean:.3f} ± {means['breadth-first'].error:.3f}"
    assert row(tables["strategies"], "`breadth-first`")[2].startswith(told)
    assert row(tables["situations"], "no topic: all of it")[1] == "`breadth-first`"
    assert row(tables["strategies"], "*oracle*")[2].startswith(f"{means['oracle'].mean:.3f}")
    bounded = Results.of(crawled / "bounded")
    early = bounded.means(Group(web="small", distance=1, frontier=16), "recall@50")["shark"]
    assert row(tables["early"], "small", "8", "`shark`")[3].startswith(f"{early.mean:.3f}")
    assert row(tables["frontiers"], "web")[2:] == ["8", "16"]
    assert "examples" not in tables  # no such run


def test_topics_are_counted_in_the_crawls(runs: Any, crawled: Path) -> None:
    told = row(which.Tables(runs).all()["about"], "small")
    there = {each.cell.task for each in Results.of(crawled / "plain").crawls}
    assert told[1:4] == [str(len(there)), str(len(there)), "32"]


def test_a_page_keeps_what_has_no_table() -> None:
    page = "a\n<!-- x -->\nold\n<!-- end of x -->\n<!-- y -->\nkept\n<!-- end of y -->\n<!-- z -->\n"
    once = which.filled(page, {"x": "new", "z": "never"})
    assert once == page.replace("old", "\nnew\n")
    assert which.filled(once, {"x": "new"}) == once


def test_the_page_and_the_results_are_made_of_what_is_kept() -> None:
    """Nobody changed a figure by hand, or the crawls without the page."""
    runs, page = statements.runs_in([]), PAGE.read_text("utf-8")
    tables = which.Tables(runs).all()
    assert set(tables) == {
        *("about", "situations", "early", "strategies", "frontiers", "examples", "totals", "statements")
    }
    assert all(f"<!-- {name} -->" in page for name in tables)
    assert which.filled(page, tables) == page
    assert statements.report(runs) == (BENCHMARKS / "results" / "statements.md").read_text("utf-8")


@pytest.mark.parametrize("module", [verdicts, statements, which])
def test_examples_in_docstrings_run(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
