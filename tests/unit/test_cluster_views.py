"""What a shared crawl shows while it runs."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from lycosa.cli import cluster_views
from lycosa.cli.cluster_views import JsonView, LineView, LiveView, best_of, in_all
from lycosa.cli.group import lycosa
from lycosa.cluster.messages import Found, Report, State
from lycosa.cluster.overview import Overview
from lycosa.cluster.quiet import Standing
from lycosa.cluster.shares import Holding
from lycosa.model.nodes import Node

GOOD, BETTER = (
    Found(relevance=relevance, url=f"http://a.test/{relevance}", title="Spiders") for relevance in (0.5, 0.9)
)


def report(used: int, leased: int, **more: object) -> Report:
    return Report(
        **{
            "state": State.RUNNING,
            "standing": Standing(life="a", quiet=False),
            "epoch": 1,
            "pages": Holding(granted=100, used=used),
            "requests": Holding(granted=0, used=used),
            "leased": leased,
            "relevant": 5,
            "waiting": 1_200,
            **more,
        }
    )


@pytest.fixture
def overview() -> Overview:
    """Two nodes that answer, one that does not, one that left with 7 pages."""
    return Overview(
        reports={
            Node("n0"): report(12, 2, best=(GOOD,)),
            Node("n1"): report(23, 0, best=(BETTER, GOOD), failures=1),
            Node("n2"): None,
        },
        budget=200,
        requests=None,
        rates={Node("n0"): 1.0, Node("n1"): 2.5},
        left={Node("n3"): (7, 9)},
        seconds=65.0,
    )


def test_pages_are_those_that_came_in_and_of_who_left_too(overview: Overview) -> None:
    assert overview.pages == 10 + 23 + 7
    assert in_all(overview) == (
        "40/200 pages by 3 nodes, 1 of them silent, 3.5/s, harvest 25.0 %, 2,400 waiting, 1 failure, 1:05"
    )


def test_the_best_are_those_of_all_each_once(overview: Overview) -> None:
    assert best_of(overview) == [BETTER, GOOD]


def test_lines_and_json_tell_of_each_node(
    overview: Overview, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_views, "LINE_EVERY", 0.0)
    LineView().tick(overview)
    assert capsys.readouterr().out == f"{in_all(overview)}; n0 10, n1 23, n2 –\n"
    JsonView().tick(overview)
    told = json.loads(capsys.readouterr().out)
    assert (told["event"], told["pages"], told["nodes"]["n2"]) == ("status", 40, None)
    assert told["nodes"]["n0"]["pages"] == 10


def test_the_live_display_has_a_row_for_each_node(
    overview: Overview, capsys: pytest.CaptureFixture[str]
) -> None:
    view = LiveView()
    lines = list(view.lines(overview, 100))
    view.close()
    assert lines[0] == f" lycosa  {in_all(overview)}"
    assert lines[3:6] == [
        " n0              10     1.0         5      1,200        0         0  running",
        " n1              23     2.5         5      1,200        0         0  running",
        " n2       does not answer",
    ]
    assert lines[8].startswith(" 0.900 Spiders")


def test_without_ray_one_line_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        lycosa.main(["crawl", "spiders", "http://a.test/", "--nodes", "2", "--out", str(tmp_path / "crawl")])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "lycosa: to share a crawl takes Ray: pip install 'lycosa[cluster]'\n"
    assert not (tmp_path / "crawl").exists()
