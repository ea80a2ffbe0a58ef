"""`/metrics`: what Prometheus reads, and what Grafana asks of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import msgspec
from prometheus_client.parser import text_string_to_metric_families
from tests.console.browsing import crawled, served

from lycosa.console import metrics
from lycosa.console.desk import Desk
from lycosa.library.library import Library

DASHBOARD = Path(__file__).parents[2] / "examples" / "monitoring" / "grafana-dashboard.json"


def scraped(text: str) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    """Samples by the name of the metric and by their labels, as Prometheus' own parser reads them."""
    return {
        family.name: {tuple(sorted(sample.labels.items())): sample.value for sample in family.samples}
        for family in text_string_to_metric_families(text)
    }


def test_prometheus_reads_what_status_says(tmp_path: Path) -> None:
    crawled(tmp_path / "first", 12)
    with served(tmp_path) as address, httpx.Client(base_url=address.origin) as client:
        answer = client.get("/metrics")
        status = client.get("/api/v1/crawls/first").json()
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = scraped(answer.text)
    first = (("crawl", "first"),)
    assert found["lycosa_crawl_pages"][first] == status["pages"] == 12
    assert found["lycosa_crawl_requests"][first] == status["requests"]  # the parser leaves _total out
    assert found["lycosa_crawl_archive_bytes"][first] == status["warc_bytes"]
    assert found["lycosa_crawls"][(("state", "done"),)] == 1
    assert found["lycosa_crawl_state"][(*first, ("state", "done"))] == 1
    assert found["lycosa_crawl_visits"][(("class", "2xx"), *first)] == 12


def test_names_follow_the_conventions() -> None:
    for metric in metrics.METRICS:
        assert re.fullmatch(r"lycosa_crawl_[a-z_]+", metric.name)
        assert metric.name.endswith("_total") == (metric.kind == "counter"), metric.name
        assert metric.means.endswith(".")
        assert metric.label in {"", "reason", "class"}, "labels are bounded in number"
        assert not re.search(r"_(milliseconds|ms|kb|percent)\b", metric.name), "base units"


def test_names_of_crawls_are_escaped(tmp_path: Path) -> None:
    name = 'a "b\\c'
    crawled(tmp_path / name, 3)
    found = scraped(metrics.told(Desk(Library([tmp_path]))))
    assert found["lycosa_crawl_pages"][(("crawl", name),)] == 3


def test_a_broken_crawl_is_told_as_such(tmp_path: Path) -> None:
    crawled(tmp_path / "first", 3)
    (tmp_path / "first" / "journal.db").write_bytes(b"no journal")
    found = scraped(metrics.told(Desk(Library([tmp_path]))))
    assert found["lycosa_crawls"][(("state", "broken"),)] == 1
    assert found["lycosa_crawl_pages"] == {}


def test_the_dashboard_asks_only_for_what_there_is() -> None:
    board = json.loads(DASHBOARD.read_text("utf-8"))
    known = {metric.name for metric in metrics.METRICS} | set(metrics.OTHERS)
    asked = {
        name
        for target in (target for panel in board["panels"] for target in panel.get("targets", ()))
        for name in re.findall(r"lycosa_\w+", target["expr"])
    }
    asked |= set(re.findall(r"lycosa_\w+", json.dumps(board["templating"])))
    assert asked <= known
    assert len(asked) > 10


def test_the_dashboard_has_the_form_that_grafana_loads() -> None:
    board = msgspec.convert(json.loads(DASHBOARD.read_text("utf-8")), Board)
    assert len({panel.id for panel in board.panels}) == len(board.panels)
    taken: set[tuple[int, int]] = set()
    for panel in board.panels:
        place = panel.gridPos
        assert place.x >= 0
        assert place.x + place.w <= 24
        cells = {(x, y) for x in range(place.x, place.x + place.w) for y in range(place.y, place.y + place.h)}
        assert not cells & taken, f"{panel.title} lies over another panel"
        taken |= cells
        assert all(target.datasource.uid == "${datasource}" for target in panel.targets)
        assert len({target.refId for target in panel.targets}) == len(panel.targets)


class Source(msgspec.Struct):
    type: str
    uid: str


class Target(msgspec.Struct):
    expr: str
    refId: str
    datasource: Source
    legendFormat: str = ""


class Place(msgspec.Struct):
    x: int
    y: int
    w: int
    h: int


class Panel(msgspec.Struct):
    id: int
    type: str
    title: str
    gridPos: Place
    targets: list[Target]


class Board(msgspec.Struct):
    title: str
    uid: str
    schemaVersion: int
    panels: list[Panel]
