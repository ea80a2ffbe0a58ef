"""From crawls to numbers, tables and the report."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.labwebs import record_web, small_experiment

from lycosa.lab import Results
from lycosa.lab.experiments.cell import pack, unpack
from lycosa.lab.experiments.design import Cell
from lycosa.lab.experiments.measured import (
    Group,
    Measured,
    areas,
    compared,
    curves,
    efficiency,
    grouped,
    marks,
    means,
)
from lycosa.lab.measures.metric_names import is_metric
from lycosa.lab.measures.statistics import Estimate
from lycosa.lab.measures.trajectory import Names
from lycosa.lab.report.exports import write_files
from lycosa.lab.report.page import page_of, write_report
from lycosa.lab.report.paper_tables import comma_separated, latex, markdown, metrics_of, rows_of, write_tables
from lycosa.lab.report.verdict import verdict, verdicts, widest
from lycosa.model.errors import InputError


def cell(label: str = "a", task: str = "t", *, seed: int = 0, frontier: int = 0) -> Cell:
    return Cell(
        label=label,
        strategy=label,
        web="w",
        task=task,
        distance=2,
        pages=10,
        frontier=frontier,
        seed=seed,
        examples=0,
    )


def crawl(
    label: str, task: str, *, seed: int = 0, frontier: int = 0, problem: str = "", **values: float
) -> Measured:
    curve = np.full(4, values.get("auc", 0.0))
    return Measured(
        cell=cell(label, task, seed=seed, frontier=frontier),
        values={name.replace("_at_", "@"): value for name, value in values.items()},
        recall=curve,
        harvest=curve,
        problem=problem,
    )


# -- numbers, worked by hand ---------------------------------------------------------------------------------


def test_seeds_of_random_strategies_are_averaged_first() -> None:
    """Topic x has seeds worth 0 and 1, topic y one worth 1: the mean is (.5 + 1) / 2, not 2 / 3."""
    found = [crawl("r", "x", auc=0.0), crawl("r", "x", seed=1, auc=1.0), crawl("r", "y", auc=1.0)]
    value = means(found, "auc")["r"]
    assert (value.mean, value.count) == (0.75, 2)
    assert value.error == pytest.approx(0.25)  # spread of .5 and 1 is .3536, over √2


def test_failed_crawls_are_left_out_of_means() -> None:
    found = [crawl("a", "x", auc=1.0), crawl("a", "y", auc=0.0, problem="it raised")]
    assert means(found, "auc")["a"].mean == 1.0


def test_others_are_tested_against_the_baseline_as_one_family() -> None:
    topics = [f"t{n}" for n in range(8)]
    rise = [0.1, 0.2, 0.15, 0.12, 0.18, 0.11, 0.16, 0.14]
    found = [crawl("base", t, auc=0.3) for t in topics]
    found += [crawl("better", t, auc=0.3 + r) for t, r in zip(topics, rise, strict=True)]
    found += [
        crawl("odd", t, auc=0.3 + r * (-1) ** n) for n, (t, r) in enumerate(zip(topics, rise, strict=True))
    ]
    told = compared(found, "auc", "base")
    assert set(told) == {"better", "odd"}
    assert told["better"].significant
    assert told["better"].wins == 8
    assert told["better"].corrected == pytest.approx(2 * told["better"].t.p)
    assert not told["odd"].significant
    with pytest.raises(InputError, match="no finished crawl"):
        compared(found, "auc", "nobody")


def test_bounds_belong_to_every_frontier() -> None:
    found = [crawl("a", "x", auc=0.5, frontier=size) for size in (16, 64)] + [crawl("oracle", "x", auc=0.9)]
    groups = grouped(found)
    assert {group.frontier: sorted(c.cell.label for c in crawls) for group, crawls in groups.items()} == {
        16: ["a", "oracle"],
        64: ["a", "oracle"],
    }


def test_performance_over_cost_takes_the_means_first() -> None:
    """Equation 9: .5 · .1 / .5 = .1 for who thinks 1 s where the other thinks 3 s: relative costs .5 and 1.5."""
    found = [
        crawl("a", "x", recall_at_10=0.4, similarity=0.1, thinking=1.0),
        crawl("a", "y", recall_at_10=0.6, similarity=0.1, thinking=2.0),
        crawl("b", "x", recall_at_10=0.9, similarity=0.2, thinking=3.0),
        crawl("b", "y", recall_at_10=0.9, similarity=0.2, thinking=6.0),
    ]
    assert efficiency(found) == pytest.approx({"a": 0.1, "b": 0.9 * 0.2 / 1.5})


def test_curves_are_means_over_topics() -> None:
    found = [crawl("a", "x", auc=0.2), crawl("a", "y", auc=0.6), crawl("a", "y", seed=1, auc=0.8)]
    mean, error = curves(found, "recall")["a"]
    assert mean.tolist() == pytest.approx([0.45] * 4)
    assert error.tolist() == pytest.approx([0.25] * 4)


def test_curves_are_read_up_to_the_budget() -> None:
    assert marks(30) == [30]
    assert marks(500) == [50, 100, 300, 500]


def test_areas_under_the_first_pages_by_hand() -> None:
    """Recall 0 for 50 pages, then 1: over 100 pages half, over 300 five sixths, over all 400 seven eighths."""
    curve = np.repeat([0.0, 1.0], [50, 350])
    assert areas(curve, 400) == pytest.approx(
        {"auc": 7 / 8, "auc@100": 1 / 2, "auc@300": 5 / 6, "auc@400": 7 / 8}
    )
    held = areas(curve[:60], 100)  # a crawl that ended after 60 pages keeps what it has
    assert held == pytest.approx({"auc": 1 / 2, "auc@100": 1 / 2})
    assert areas(curve, 30) == {"auc": 0.0}


@pytest.mark.parametrize("name", ["auc", "auc@100", "auc@400", "recall@50", "harvest@300", "auc over time"])
def test_metrics_that_there_are(name: str) -> None:
    assert is_metric(name, 400)


@pytest.mark.parametrize("name", ["auc@50", "auc@200", "recall", "recall@500", "ms", "auc@", "auc@x", ""])
def test_metrics_that_there_are_not(name: str) -> None:
    assert not is_metric(name, 400)


# -- a whole experiment --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_web(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def found(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    experiment = small_experiment(
        web,
        name="<b>all</b> & sundry",
        strategies={"plain": "best-first", "<i>x</i>|y_z": "breadth-first", "lots": "random"},
        frontiers=(8, 0),
        distances=(1, 2),
        seeds=(0, 1),
        most_topics=6,
    )
    return experiment.run(tmp_path_factory.mktemp("run"), workers=1)


def test_a_crawl_is_measured(found: Results) -> None:
    """The bounds enclose what crawlers reach, and what was not recorded is told."""
    for group in found.groups:
        values = found.means(group)
        assert (
            values["oracle"].mean >= max(values[label].mean for label in found.experiment.strategies) - 1e-9
        )
    one = found.crawls[0]
    assert 0 < one.values["not recorded"] < 1
    assert one.values["recall@30"] == one.recall[-1]
    assert one.values["auc"] == pytest.approx(one.recall.mean())  # a budget of 30 is read at every page
    assert 0 < one.values["similarity"] < 1


def test_what_decides_may_differ_from_web_to_web(found: Results) -> None:
    """Verdict, tests and order of the rows go by the metric of the web."""
    webs = {"small": msgspec.structs.replace(found.experiment.webs["small"], metric="harvest@30")}
    other = Results(msgspec.structs.replace(found.experiment, webs=webs), found.folder)
    for group in other.groups:
        assert other.means(group) == found.means(group, "harvest@30")
        assert other.tests(group)["lots"].a == found.tests(group, "harvest@30")["lots"].a
        told = verdict(other, group)
        assert told is not None
        assert told.value == max(by_crawlers(other, group), key=lambda value: value.mean)
        rows = [
            row.label for row in rows_of(other, group, metrics_of(other)) if row.label in labels_of(other)
        ]
        assert rows == sorted(rows, key=lambda label: -other.means(group)[label].mean)
    assert all("is best, harvest@30 0." in line for line in verdicts(other))
    report = page_of(other)
    assert "(harvest@30)" in report
    assert "Tests of harvest@30 against plain" in report
    wrong = msgspec.structs.replace(found.experiment, metric="auc@20")
    with pytest.raises(InputError, match="no metric 'auc@20' for crawls of 30 pages"):
        wrong.checked()
    easy = msgspec.structs.replace(found.experiment, metric="auc over time")
    with pytest.raises(InputError, match="give it seconds"):
        easy.checked()


def labels_of(results: Results) -> set[str]:
    return set(results.experiment.strategies)


def by_crawlers(results: Results, group: Group) -> list[Estimate]:
    return [value for label, value in results.means(group).items() if label in labels_of(results)]


def test_bounds_are_kept_and_damaged_ones_made_again(found: Results) -> None:
    first = {(b.cell.label, b.cell.task, b.cell.distance): b.values["auc"] for b in found.bounds}
    files = sorted((found.folder / "bounds").iterdir())
    files[0].write_bytes(b"?")
    again = Results(found.experiment, found.folder)
    assert {(b.cell.label, b.cell.task, b.cell.distance): b.values["auc"] for b in again.bounds} == first
    assert files[0].stat().st_size > 1


def test_tables_for_papers(found: Results, tmp_path: Path) -> None:
    assert [path.name for path in write_tables(found, tmp_path)] == ["table.md", "table.tex", "table.csv"]
    told = markdown(found)
    assert told.count("## small, D = ") == 4
    assert r"| <i>x</i>\|y_z |" in told
    heads = [line for line in told.splitlines() if line.startswith("| strategy")]
    assert heads[0].count("|") == 1 + len(heads[0].split(" | "))
    tex = latex(found)
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") == 4
    assert r"y\_z" in tex
    assert tex.count("{") == tex.count("}")
    rows = list(csv.DictReader(io.StringIO(comma_separated(found))))
    aucs = [row for row in rows if row["metric"] == "auc" and row["strategy"] == "plain"]
    group = Group(web="small", distance=1, frontier=8)
    chosen = next(row for row in aucs if (row["distance"], row["frontier"]) == ("1", "8"))
    assert float(chosen["mean"]) == found.means(group)["plain"].mean
    tested = next(row for row in rows if row["strategy"] == "lots" and row["metric"] == "auc")
    assert float(tested["p_holm"]) >= float(tested["p_t"])


def test_rows_for_other_programs(found: Results, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    cells, pages = write_files(found, tmp_path)
    table = pq.read_table(cells).to_pylist()
    assert len(table) == len(found.crawls)
    assert {"label", "web", "task", "auc", "digest", "code"} <= set(table[0])
    courses = pq.read_table(pages)
    assert courses.num_rows == sum(int(each.values["pages"]) for each in found.crawls)
    assert courses["page"][0].as_py() == 1


def test_rows_without_pyarrow(found: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lycosa.lab.report.exports._has_pyarrow", lambda: False)
    cells, pages = write_files(found, tmp_path)
    assert (cells.suffix, pages.suffix) == (".csv", ".jsonl")
    assert len(list(csv.DictReader(cells.open()))) == len(found.crawls)
    first = msgspec.json.decode(pages.read_bytes().splitlines()[0])
    assert first["page"][:3] == [1, 2, 3]


class Outline(HTMLParser):
    """Tags that were opened and not closed, and everything that a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag != "meta":
            self.open.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href", "data", "srcset")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_one_page_that_needs_nothing(found: Results, tmp_path: Path) -> None:
    write_report(found, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    outline = Outline()
    outline.feed(page)
    assert outline.open == []
    assert outline.loads == []
    assert not outline.tags & {"script", "link", "img", "iframe", "b-all"}
    assert "url(" not in page
    assert "<b>all</b> &amp;" not in page  # names are text, whatever they look like
    assert "&lt;i&gt;x&lt;/i&gt;|y_z" in page
    for told in (
        "Which crawler should I use?",
        "Scalability",
        "Performance/cost",
        "Topic by topic",
        "What was run",
    ):
        assert told in page
    assert "nan" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL).lower().split()


def test_the_report_tells_what_is_wrong(web: Path, tmp_path: Path) -> None:
    """Too few topics for a test, crawls that failed, several versions of the source, and what is not run yet."""
    experiment = small_experiment(
        web,
        most_topics=2,
        strategies={"plain": "best-first", "broken": "best-first:n=3", "broad": "breadth-first"},
    )
    found = experiment.run(tmp_path, workers=1)
    assert "not enough topics: 2 pairs" in page_of(found)
    assert "but this is a hint and no result" in page_of(found)
    assert "2 crawls failed and are left out of all means" in page_of(found)
    assert "has no parameter" in page_of(found)
    file = next(f for f in (tmp_path / "cells").iterdir() if not unpack(f.read_bytes(), Names()).problem)  # type: ignore[union-attr]
    old = unpack(file.read_bytes(), Names())
    assert old is not None
    file.write_bytes(pack(msgspec.structs.replace(old, code="older")))
    assert "2 versions of the source" in page_of(Results(experiment, tmp_path))
    file.unlink()
    assert "Not run yet: 1 of 6 crawls" in page_of(Results(experiment, tmp_path))


def test_a_report_of_nothing_says_so(web: Path, tmp_path: Path) -> None:
    experiment = small_experiment(web, most_topics=1, strategies={"broken": "best-first:n=3"})
    assert "No crawl was finished" in page_of(experiment.run(tmp_path, workers=1))


def test_which_crawler_should_i_use(found: Results) -> None:
    assert {group.frontier for group in widest(found)} == {0}
    assert len(list(verdicts(found))) == 2
    for group in widest(found):
        told = verdict(found, group)
        assert told is not None
        values = {k: v.mean for k, v in found.means(group).items() if k in found.experiment.strategies}
        assert values[told.best] == max(values.values())
        assert told.cheapest in (told.best, *told.equals)
        floor, top = found.means(group)["chance"].mean, found.means(group)["oracle"].mean
        assert told.of_oracle == pytest.approx((values[told.best] - floor) / (top - floor))
