"""The laboratory in the browser and for programs: experiments that are over, that run, and that cannot be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.console.browsing import (
    DESK,
    PHONE,
    needs_chromium,
    overflow,
    seen,
    serious_findings,
    served,
    tab,
)
from tests.labwebs import record_web, small_experiment

from lycosa.console.running import Address
from lycosa.lab import Results
from lycosa.lab.experiments import runner
from lycosa.lab.experiments.runs import started
from lycosa.lab.told import Findings, experiments_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HALF = 8
COMMAND = "lycosa lab run small.toml"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`over` is finished; of `going` half of the results are there."""
    place = tmp_path_factory.mktemp("lab")
    experiment = small_experiment(record_web(place / "web"), name="Which <b>one</b>?")
    runner.run(experiment, place / "lab" / "over", workers=1, command=COMMAND)
    shutil.copytree(place / "lab" / "over", place / "lab" / "going")
    cells = sorted((place / "lab" / "going" / "cells").iterdir())
    (place / "later").mkdir()
    for cell in cells[HALF:]:
        cell.rename(place / "later" / cell.name)
    started(place / "lab" / "going", command=COMMAND, workers=1, crawls=len(cells))
    (place / "lab" / "no experiment").mkdir()
    return place / "lab"


@pytest.fixture(scope="module")
def address(lab: Path) -> Iterator[Address]:
    (lab.parent / "crawls").mkdir()
    with served(lab.parent / "crawls", lab=lab) as found:
        yield found


@needs_chromium
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_curves_and_tables_fit_any_window(
    address: Address, chromium: Browser, size: tuple[int, int], dark: bool
) -> None:
    with tab(chromium, size, dark=dark) as page:
        page.goto(f"{address.origin}/lab")
        assert page.locator("table.experiments tbody tr").count() == 2
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, f"lab-{size[0]}-{'dark' if dark else 'light'}")
        page.locator("tr", has_text="over").get_by_role("link").click()
        page.locator("#curves canvas").wait_for()
        assert page.locator("h1").inner_text() == "Which <b>one</b>?"
        assert page.locator("code", has_text=COMMAND).count() > 0
        assert page.get_by_role("region", name="Means").locator("tbody tr").count() == 2
        page.get_by_role("link", name="Harvest").click()
        page.locator("#curves[data-curve=harvest] canvas").wait_for()
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, f"experiment-{size[0]}-{'dark' if dark else 'light'}")


@needs_chromium
def test_what_comes_while_it_runs_is_shown(address: Address, lab: Path, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.origin}/lab/going")
        page.locator("#live", has_text=f"{HALF} results").wait_for()
        page.locator("#curves canvas").wait_for()
        assert page.locator("progress").count() == 1
        for cell in (lab.parent / "later").iterdir():
            cell.rename(lab / "going" / "cells" / cell.name)
        page.locator("#live", has_text=f"{2 * HALF} results").wait_for(timeout=60_000)
        page.locator("#curves canvas").wait_for()
    for cell in sorted((lab / "going" / "cells").iterdir())[HALF:]:
        cell.rename(lab.parent / "later" / cell.name)


def test_programs_get_what_python_tells(address: Address, lab: Path) -> None:
    with httpx.Client(base_url=f"{address.origin}/api/v1", timeout=60) as client:
        states = {one["experiment"]: one["state"] for one in client.get("/lab").json()}
        assert states == {"over": "finished", "going": "running"}
        told = client.get("/lab/over").json()
        results = Results.of(lab / "over", keeps=False)
        (group,) = results.groups
        (setting,) = told["settings"]
        assert [row["label"] for row in setting["rows"]] == ["plain", "broad"]
        assert setting["rows"][0]["values"]["auc"]["mean"] == results.means(group)["plain"].mean
        against, tested = setting["rows"][1]["against"], results.tests(group)["broad"]
        assert against["p"] == tested.corrected
        assert (against["low"], against["high"]) == tested.interval
        curves = client.get("/lab/over/curves").json()
        assert curves["at"][-1] == results.experiment.pages
        recall, _ = results.curves(group, "recall")["plain"]
        assert curves["courses"][0]["recall"] == pytest.approx(recall.tolist(), abs=1e-4)
        assert client.get("/lab/over/curves?setting=7").status_code == 404
        assert client.get("/lab/no experiment").status_code == 404
        assert client.get("/lab/..%2fweb").status_code == 404


def test_nothing_is_written_into_an_experiment(lab: Path) -> None:
    def there() -> dict[str, int]:
        return {str(file): file.stat().st_mtime_ns for file in (lab / "over").rglob("*")}

    before = there()
    Findings(lab / "over").told()
    experiments_in(lab)
    assert there() == before


def test_an_experiment_whose_web_is_gone_says_so(lab: Path, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    shutil.copytree(lab / "over", folder)
    file = folder / runner.SPECIFICATION
    file.write_text(file.read_text("utf-8").replace(str(lab.parent / "web"), "/nowhere"), "utf-8")
    told = Findings(folder).told()
    assert "/nowhere" in told.trouble
    assert told.standing.done == 2 * HALF


def test_results_of_what_it_is_no_more_are_told_as_such(lab: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(lab / "over", folder)
    file = folder / runner.SPECIFICATION
    file.write_text(file.read_text("utf-8").replace('"pages": 30', '"pages": 29'), "utf-8")
    assert "belong to other webs, topics or strategies" in Findings(folder).told().trouble


def test_simulations_show_their_tables(tmp_path: Path) -> None:
    folder = tmp_path / "revisits"
    folder.mkdir()
    (folder / "revisits.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    (one,) = experiments_in(tmp_path)
    assert (one.kind, one.done, one.state) == ("simulations", 2, "running")
    (folder / "table.md").write_text("| a |\n")
    (one,) = experiments_in(tmp_path)
    assert one.state == "finished"
    assert Findings(folder).told().tables == "| a |\n"


def test_without_a_laboratory_it_says_how_to_have_one(tmp_path: Path) -> None:
    with served(tmp_path) as found:
        answer = httpx.get(f"{found.origin}/api/v1/lab")
    assert answer.status_code == 404
    assert "--lab DIR" in answer.json()["detail"]
