"""The links around a URL: who is near, who is a hub, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.linkings import Linking, linked, name_of, url
from tests.sharedcrawls import START, sample, shared_crawl

import lycosa
from lycosa.crawls import graph as graphs
from lycosa.crawls.answers import GraphNode, LinkGraph
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.shared.folder import SharedFolder
from lycosa.model.errors import InputError
from lycosa.sharing.registry import partition

WEB = [
    Linking("start", ["h1", "h2", "h3"], 0.1),
    Linking("h1", ["a1", "a2", "dead"], 0.6),
    Linking("h2", ["a1", "a2"], 0.7),
    Linking("h3", ["a1", "alone"], 0.2),
    Linking("a1", [], 0.9),
    Linking("a2", [], 0.8),
    Linking("dead", failed=True),
]
"""Three pages that link to two, a start page, a link that fails, and one that was not followed."""


def around(place: Path, name: str, depth: int = 1, most: int = 150) -> LinkGraph:
    with CrawlFolder.open(place) as folder:
        return folder.graph(url(name), depth, most)


def nodes(found: LinkGraph) -> dict[str, GraphNode]:
    return {name_of(node.url): node for node in found.nodes}


def links(found: LinkGraph) -> set[tuple[str, str]]:
    names = [name_of(node.url) for node in found.nodes]
    return {(names[link.source], names[link.target]) for link in found.links}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return linked(tmp_path / "crawl", WEB)


def test_the_nearest_come_first_and_the_relevant_of_them(place: Path) -> None:
    found = around(place, "a1", 2)
    assert [(name_of(node.url), node.distance) for node in found.nodes] == [
        ("a1", 0),
        ("h2", 1),
        ("h1", 1),
        ("h3", 1),
        ("a2", 2),
        ("start", 2),
        ("alone", 2),
        ("dead", 2),
    ]
    assert links(found) == {(visit.name, target) for visit in WEB for target in visit.links}


def test_hubs_and_authorities_are_kleinbergs(place: Path) -> None:
    """Of h1 → a1, a2; h2 → a1, a2; h3 → a1: AᵀA = ((3, 2), (2, 2)), whose first eigenvector is (2, λ - 3) with
    λ = (5 + √17) / 2. A hub is as good as what it links to. The start page's three links are a graph of their own,
    whose eigenvalue, 3, is smaller. `dead` and `alone` have in-links of one hub each."""
    found = nodes(around(linked(place.with_name("pure"), _without("dead", "alone")), "a1", 2))
    a2 = ((5 + 17**0.5) / 2 - 3) / 2
    assert found["a1"].authority == 1.0
    assert found["a2"].authority == pytest.approx(a2, abs=1e-6)
    assert found["h1"].hub == found["h2"].hub == 1.0
    assert found["h3"].hub == pytest.approx(1 / (1 + a2), abs=1e-6)
    assert found["start"].hub == pytest.approx(0.0, abs=1e-6)
    assert found["h1"].authority == pytest.approx(0.0, abs=1e-6)


def _without(*names: str) -> list[Linking]:
    return [
        Linking(visit.name, [target for target in visit.links if target not in names], visit.relevance)
        for visit in WEB
        if visit.name not in names
    ]


def test_each_node_tells_what_became_of_it(place: Path) -> None:
    found = nodes(around(place, "h1", 3))
    assert found["dead"].state == "failed"
    assert found["dead"].reason == "status"
    assert found["dead"].relevance is None
    assert found["alone"].state == "found"  # there is no checkpoint, so nothing waits
    assert (found["h1"].in_links, found["h1"].out_links) == (1, 3)
    assert (found["a1"].in_links, found["a1"].out_links) == (3, 0)
    assert found["a1"].relevance == 0.9


def test_what_does_not_fit_is_counted(place: Path) -> None:
    found = around(place, "a1", 2, most=3)
    assert set(nodes(found)) == {"a1", "h2", "h1"}
    assert found.nodes_left_out == 1, "h3; the ring behind is not looked at"
    assert links(found) == {("h1", "a1"), ("h2", "a1")}


def test_links_that_do_not_fit_are_counted_and_the_scores_know_of_them(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = around(place, "a1", 2)
    monkeypatch.setattr(graphs, "MOST_LINKS", 3)
    found = around(place, "a1", 2)
    assert links(found) == {("h1", "a1"), ("h2", "a1"), ("h3", "a1")}, "the nearest ones"
    assert found.links_left_out == len(whole.links) - 3
    assert found.nodes == whole.nodes


def test_urls_linked_least_are_not_looked_up(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "LOOKED_UP", 2)
    found = around(place, "a1", 2)
    assert found.not_looked_up > 0
    assert found.nodes[0].url == url("a1")


def test_a_page_is_one_by_all_of_its_names(tmp_path: Path) -> None:
    visits = [
        Linking("one", ["old", "new"]),
        Linking("two", ["new"]),
        Linking("old", ["one"], final="new", title="moved"),
    ]
    found = around(linked(tmp_path / "crawl", visits), "new")
    assert set(nodes(found)) == {"new", "one", "two"}
    assert nodes(found)["new"].in_links == 2
    assert links(found) == {("one", "new"), ("two", "new"), ("new", "one")}
    by_old = around(tmp_path / "crawl", "old")
    assert by_old == found


def test_of_a_page_that_changed_its_latest_links_count(tmp_path: Path) -> None:
    visits = [Linking("one", ["a", "b"]), Linking("a"), Linking("b"), Linking("one", ["b"])]
    linked(tmp_path / "crawl", visits)
    with pytest.raises(InputError):
        around(tmp_path / "crawl", "nowhere")
    assert nodes(around(tmp_path / "crawl", "a"))["a"].in_links == 0
    assert nodes(around(tmp_path / "crawl", "b"))["b"].in_links == 1


def test_what_comes_while_the_folder_is_open_is_told(tmp_path: Path) -> None:
    place = linked(tmp_path / "crawl", WEB[:2])
    with CrawlFolder.open(place) as folder:
        assert nodes(folder.graph(url("a1")))["a1"].in_links == 1
        linked(place, WEB[2:4])
        assert nodes(folder.graph(url("a1")))["a1"].in_links == 3


def test_a_url_that_nobody_knows_is_refused(place: Path) -> None:
    with pytest.raises(InputError, match="no page of it links to it"):
        around(place, "nowhere")
    with pytest.raises(InputError):
        around(place, "ftp://a.test/")


def test_what_waits_is_told_from_the_frontier(tmp_path: Path) -> None:
    spec = sample()
    with lycosa.crawl("dinosaur fossil", [START], web=spec.web, pages=5, out=tmp_path / "crawl") as folder:
        found = folder.graph(START, 2)
        waits = {node.url for node in found.nodes if node.state == "waiting"}
        assert waits
        assert all(folder.why(url).state == "pending" for url in list(waits)[:3])


def test_a_shared_crawl_has_the_graph_of_one(tmp_path: Path) -> None:
    """Whoever fetched a page: its links are those of the page, and it is one node."""
    place = shared_crawl(tmp_path / "shared", sample(), lambda members: partition("url", members), pages=24)
    with SharedFolder.open(place) as folder:
        found = folder.graph(START, 2, 5_000)
        targets = dict(folder.links())
        pages = {node.url: number for number, node in enumerate(found.nodes) if node.state == "page"}
        assert len(pages) > 10
        told = {(link.source, link.target) for link in found.links}
        expected = {
            (pages[page], pages[target])
            for page, linked_to in targets.items()
            for target in linked_to
            if page in pages and target in pages
        }
        assert expected == {(a, b) for a, b in told if b in pages.values()}
        for node in found.nodes[:20]:
            linking = [page for page, linked_to in targets.items() if node.url in linked_to]
            assert node.in_links == len(linking)
