"""The tables of `benchmarks/statements.py` and `which_crawler.py` say what the crawls of an experiment say."""

from __future__ import annotations

import doctest
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from tests.labwebs import record_web, small_experiment

from lycosa.lab.results import Results
from lycosa.lab.table import Group

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CRAWLERS = {each: each for each in ("best-first", "breadth-first", "shark", "infospiders")}


def benchmark(name: str) -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))  # as a script finds its neighbours
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def statements() -> ModuleType:
    return benchmark("statements")


@pytest.fixture(scope="module")
def which() -> ModuleType:
    return benchmark("which_crawler")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    web = record_web(tmp_path_factory.mktemp("web"))
    folder = tmp_path_factory.mktemp("run")
    settings = {"strategies": CRAWLERS, "pages": 1_000, "distances": (1,), "frontiers": (8, 0)}
    small_experiment(web, **settings).run(folder, workers=1)
    return folder


def test_a_statement_is_tested_on_its_two_crawlers(statements: ModuleType, crawled: Path) -> None:
    runs = statements.Runs([crawled])
    said = statements.STATEMENTS[0]._replace(metric="auc")  # best-first above breadth-first, D = 1
    tested = runs.tested(said, "small")
    group = Group(web="small", distance=1, frontier=0)
    assert tested.comparison == Results.of(crawled).compare("best-first", "breadth-first", group, "auc")
    assert tested.comparison.difference.mean != 0
    assert tested.setting == "1,000 pages, D = 1, frontier: no bound"


def test_the_bound_of_the_paper_is_taken_where_it_was_crawled(statements: ModuleType, crawled: Path) -> None:
    runs = statements.Runs([crawled])
    said = statements.STATEMENTS[0]._replace(frontier=256)
    assert runs.tested(said, "small").setting == "1,000 pages, D = 1, frontier: no bound (there 256)"
    assert runs.tested(said._replace(frontier=8), "small").setting == "1,000 pages, D = 1, frontier: 8"
    assert runs.tested(said._replace(frontier=2048), "small").comparison is None
    two = runs.tested(said._replace(frontier=0, frontier_b=8, b=said.a), "small")
    assert two.setting == "1,000 pages, D = 1, frontier: no bound and 8"


def test_cost_and_gain_are_put_together_topic_by_topic(statements: ModuleType, crawled: Path) -> None:
    """Recall × similarity / relative cost: with one crawler's cost doubled its value halves."""
    (sheet,) = statements.Runs([crawled]).sheets[Group(web="small", distance=1, frontier=0)]
    values = {each: sheet.values(each, "performance/cost") for each in CRAWLERS.values()}
    topic = next(iter(values["shark"]))
    parts = {
        each: [
            float(sum(map(float, sheet.values(each, metric)[topic])) / len(sheet.values(each, metric)[topic]))
            for metric in ("recall@1000", "similarity", "thinking")
        ]
        for each in CRAWLERS.values()
    }
    mean = sum(thinking for _, _, thinking in parts.values()) / 4
    recall, similar, thinking = parts["shark"]
    assert values["shark"][topic] == pytest.approx(recall * similar * mean / thinking)


def test_one_test_for_two_statements_counts_once(statements: ModuleType, crawled: Path) -> None:
    """Holm's correction of two different tests doubles the smaller p, of one test said twice it does nothing."""
    runs = statements.Runs([crawled])
    said = statements.STATEMENTS[1]._replace(metric="auc")
    once = runs.tested(said, "small")
    assert statements.corrected([once, once]) == [once.comparison.t.p] * 2
    other = runs.tested(said._replace(b="shark"), "small")
    lower = min(once.comparison.t.p, other.comparison.t.p)
    assert min(statements.corrected([once, other])) == pytest.approx(min(1, 2 * lower))


def test_the_report_has_every_statement(statements: ModuleType, crawled: Path) -> None:
    told = statements.report(statements.Runs([crawled]))
    assert all(each.said in told for each in statements.STATEMENTS)
    assert "## small" in told
    assert "not run" in told  # there are no start pages at D = 3


def row(table: str, first: str) -> list[str]:
    """The cells of the row whose first cell is this one."""
    lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    return next(line for line in lines if line[0] == first)


def test_the_page_tells_the_means_of_the_crawls(
    which: ModuleType, statements: ModuleType, crawled: Path
) -> None:
    tables = which.Tables(statements.Runs([crawled])).all()
    means = Results.of(crawled).means(Group(web="small", distance=1, frontier=0))
    told = f"{means['breadth-first'].mean:.3f} ± {means['breadth-first'].error:.3f}"
    assert row(tables["strategies"], "`breadth-first`")[2].startswith(told)
    assert row(tables["situations"], "no topic: all of it")[1] == "`breadth-first`"
    assert row(tables["strategies"], "*oracle*")[2].startswith(f"{means['oracle'].mean:.3f}")
    assert "no bound" in tables["frontiers"]
    assert "examples" not in tables  # no such run


def test_a_page_keeps_what_has_no_table(which: ModuleType, tmp_path: Path) -> None:
    page = "a\n<!-- x -->\nold\n<!-- end of x -->\n<!-- y -->\nkept\n<!-- end of y -->\n<!-- z -->\n"
    once = which.filled(page, {"x": "new", "z": "never"})
    assert once == page.replace("old", "\nnew\n")
    assert which.filled(once, {"x": "new"}) == once


def test_every_table_has_its_place_in_the_page(which: ModuleType) -> None:
    page = (BENCHMARKS.parent / "docs" / "explanation" / "which-crawler.md").read_text("utf-8")
    for name in ("about", "situations", "strategies", "frontiers", "examples", "statements"):
        assert which.filled(page, {name: "a new table"}) != page


def test_examples_in_docstrings_run(statements: ModuleType, which: ModuleType) -> None:
    for module in (statements, which):
        outcome = doctest.testmod(module)
        assert outcome.attempted > 0
        assert outcome.failed == 0
