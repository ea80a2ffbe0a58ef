"""Experiments with shared crawls: read from TOML, run once, told in tables, by the command line too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tests.labwebs import WORDS, record_web, url

from lycosa.cli.lab_run import command
from lycosa.lab.sharing.design import GroundSpec, Sharing, has_sharing, load_sharing
from lycosa.lab.sharing.light import Light, Rates
from lycosa.lab.sharing.made_grounds import dealt, ground_of, start_pages
from lycosa.lab.sharing.rules import rules
from lycosa.lab.sharing.runner import RESULTS, run
from lycosa.lab.sharing.tables import tables
from lycosa.lab.sharing.whole import moves, run_whole
from lycosa.lab.webs.generated import Generated
from lycosa.model.errors import InputError

SMALL = Generated(pages=600, hosts=40, parents=4, leaves=1)
TOML = """
[sharing]
seeds = 2
nodes = [0]
budgets = [0.5, 0]
baseline = "host"
[sharing.partitions]
host = "host"
topic = "topic"
[sharing.webs.made]
generated = { pages = 600, hosts = 40, parents = 4, leaves = 1 }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(TOML)
    return path


def test_an_experiment_is_read_and_run_once(file: Path, tmp_path: Path) -> None:
    assert has_sharing(file)
    design, told = load_sharing(file), list[str]()
    first = run(design, tmp_path / "out", tell=told.append)
    assert len(told) == 2 * 2 * 2
    again = run(design, tmp_path / "out", tell=lambda line: pytest.fail("it is there"))
    assert again.results == first.results
    assert len((tmp_path / "out" / RESULTS).read_bytes().splitlines()) == 8


def test_tables_tell_what_was_found(file: Path, tmp_path: Path) -> None:
    results = run(load_sharing(file), tmp_path / "out")
    (half, whole) = results.cases
    means = results.means(whole, "downloads a page")
    assert means["host"].mean == 1.0
    assert means["topic"].mean > 1.0
    assert results.means(half, "downloads")["host"].mean == pytest.approx(285, abs=5)
    told = tables(results)
    assert "## made, a node a class, 0.5 downloads a page, 2 seeds" in told
    assert "| measure | topic 0 | topic 1 | topic 2 | topic 3 |" in told
    assert "Locality: beside host" in told


def test_the_command_line_runs_it(file: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [str(file), "-o", str(tmp_path / "out"), "-q"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "table.md").read_text().startswith("## made")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"partitions": {}}, "at least one partition"),
        ({"partitions": {"a": "hots"}}, "did you mean 'host'"),
        ({"baseline": "b"}, "none of the partitions"),
        ({"metrics": ("tua",)}, "no measure 'tua'"),
        ({"webs": {"w": GroundSpec()}}, "either generated or path"),
        ({"webs": {"w": GroundSpec(path="x")}}, "give the labels"),
        ({"webs": {"w": GroundSpec(generated=SMALL, classifier="bn")}}, "no classifier 'bn'"),
    ],
)
def test_what_cannot_be_run_is_refused(settings: dict[str, object], complaint: str) -> None:
    good: dict[str, object] = {"partitions": {"a": "host"}, "webs": {"w": GroundSpec(generated=SMALL)}}
    with pytest.raises(InputError, match=complaint):
        Sharing(**{**good, **settings}).checked()  # type: ignore[arg-type]


def test_all_partitions_begin_with_the_same_pages() -> None:
    ground = ground_of(GroundSpec(generated=SMALL), "made", 0)
    starts = start_pages(ground, 3, 0)
    assert [len(pages) for pages in starts] == [3] * 4
    for name in ("host", "topic"):
        told = rules(name, ground, 4)
        given = dealt(told, starts)
        assert sorted(page for pages in given for page in pages) == sorted(
            page for pages in starts for page in pages
        )


def test_a_classifier_errs_as_often_as_it_is_told_to() -> None:
    ground = ground_of(GroundSpec(generated=SMALL), "made", 0)
    erring = ground_of(GroundSpec(generated=SMALL, errors=0.4), "made", 0)
    told = ground.classes >= 0
    assert np.mean(erring.classes[told] != ground.classes[told]) == pytest.approx(0.4, abs=0.07)
    assert (erring.classes[~told] == ground.classes[~told]).all()


def test_a_trained_classifier_takes_the_place_of_labels() -> None:
    ground = ground_of(GroundSpec(generated=SMALL), "made", 0)
    trained = ground_of(GroundSpec(generated=SMALL, classifier="nb"), "made", 0)
    both = (ground.classes >= 0) & (trained.classes >= 0) & ground.answers
    own = np.array([int(name.removeprefix("topic ")) for name in trained.names])
    assert np.mean(own[trained.classes[both]] == ground.classes[both]) > 0.9
    assert trained.posterior is not None
    assert trained.posterior[ground.answers].sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_a_recorded_web_is_told_apart_by_its_labels(tmp_path: Path) -> None:
    folder = record_web(tmp_path / "web")
    rows = "".join(f"{url(page)}\t{WORDS[page % 8]}\n" for page in range(100))
    (folder / "labels.tsv").write_text(f"url\tclass\n{rows}")
    ground = ground_of(GroundSpec(path=str(folder), labels=str(folder / "labels.tsv")), "recorded", 0)
    assert sorted(ground.names) == sorted(WORDS)
    assert int((ground.classes == -1).sum()) == len(ground) - 100
    assert int(ground.hosts.max()) == 4


def test_whole_crawls_come_to_what_the_light_simulation_comes_to() -> None:
    """Run to the end, by host: each node downloads the same pages and sends as many URLs."""
    ground = ground_of(GroundSpec(generated=SMALL), "made", 0)
    starts = start_pages(ground, 3, 0)
    told = rules("host", ground, 4)
    light = Light(ground, told, Rates()).run(dealt(told, starts))
    known = [page for pages in starts for page in pages]
    whole = run_whole(ground, "host", 4, Rates(), [known, [], [], []])
    for one, other in zip(light.downloads, whole.downloads, strict=True):
        assert sorted(one.tolist()) == sorted(other.tolist())
    sent = [[each.exported.urls for each in found.volumes] for found in (light, whole)]
    assert sent[0] == sent[1]
    assert not moves("host", ground, 4)
