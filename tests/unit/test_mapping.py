"""Maps of crawls: who stands below whom, what other programs read, and that no page can break out of the HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

import lycosa
from lycosa.cli.group import lycosa as commands
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.errors import InputError
from lycosa.model.url import Url
from lycosa.uses.map.formats import as_graphml, as_json
from lycosa.uses.map.page import as_html, words_of
from lycosa.uses.map.places import Place, SiteMap, map_of, tailored

EVIL = '</script><script>alert("1 & 2")</script> \x07\ufffe'
XML = "{http://graphml.graphdrawing.org/xmlns}"
SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"


def place(name: str, parent: int | None, relevance: float, *links: int, depth: int = 0) -> Place:
    return Place(
        url=Url(f"http://a.test/{name}"),
        title=name,
        relevance=relevance,
        step=1,
        depth=depth,
        parent=parent,
        anchor=f"to {name}" if parent is not None else "",
        links=links,
    )


TREE = SiteMap(
    topic="apples",
    site="",
    relevant_from=0.5,
    places=(
        place("top", None, 0.1, 1, 2),
        place("left", 0, 0.2, 3, depth=1),
        place("right", 0, 0.9, 0, depth=1),
        place("deep", 1, 0.8, 2, depth=2),
    ),
    pages=4,
)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlFolder]:
    folder = lycosa.crawl(
        "dinosaur fossil",
        ["http://schools.wiki.example/wp/Biosphere.html"],
        web=f"recorded:{SAMPLE}",
        strategy="shark",
        pages=40,
        out=tmp_path_factory.mktemp("map") / "crawl",
    )
    with folder:
        yield folder


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(commands, list(map(str, args)))


def test_the_tree_is_that_of_the_crawl(crawled: CrawlFolder) -> None:
    found = map_of(crawled)
    rows = list(crawled.rows(text=False))
    assert [each.url for each in found.places] == [row.final_url for row in rows]
    for each, row in zip(found.places, rows, strict=True):
        assert (found.places[each.parent].url if each.parent is not None else None) == row.via
    assert words_of(found) == f"40 pages, {sum(row.relevance >= 0.1 for row in rows)} relevant"


def test_links_lead_to_pages_on_the_map(crawled: CrawlFolder) -> None:
    found = map_of(crawled)
    first = found.places[0]
    targets = dict(crawled.links())[first.url]
    assert {found.places[n].url for n in first.links} == {each.url for each in found.places} & set(targets)
    assert first.links


def test_a_site_without_pages_names_those_that_have_some(crawled: CrawlFolder) -> None:
    with pytest.raises(
        InputError, match=r"no page of b\.test; there are: schools\.wiki\.example \(40 pages\)"
    ):
        map_of(crawled, "b.test")
    assert len(map_of(crawled, "Schools.wiki.example").places) == 40


def test_a_tailored_map_has_the_best_pages_and_the_ways_to_them() -> None:
    assert [each.title for each in tailored(TREE, 2).places] == ["top", "right"]
    three = tailored(TREE, 3)  # deep is next, but the way to it takes two places
    assert [each.title for each in three.places] == ["top", "left", "right"]
    assert three.places[2].links == (0,)
    assert words_of(tailored(TREE, 2)) == "2 of 4 pages, 1 relevant"
    assert [each.title for each in tailored(TREE, 4).places] == ["top", "left", "right", "deep"]


def test_json_has_nodes_and_links() -> None:
    told = json.loads(as_json(TREE))
    assert told["topic"] == "apples"
    assert told["nodes"][3] == {
        "id": 3, "url": "http://a.test/deep", "title": "deep", "relevance": 0.8, "relevant": True,
        "step": 1, "depth": 2, "parent": 1, "anchor": "to deep",
    }  # fmt: skip
    links = [(each["source"], each["target"], each["tree"]) for each in told["links"]]
    assert links == [(0, 1, True), (0, 2, True), (1, 3, True), (2, 0, False), (3, 2, False)]


def test_graphml_is_well_formed_and_complete_whatever_pages_are_called() -> None:
    evil = replace(TREE, topic=EVIL, places=(*TREE.places, replace(TREE.places[3], title=EVIL, anchor=EVIL)))
    root = ElementTree.fromstring(as_graphml(evil))
    graph = root.find(f"{XML}graph")
    assert graph is not None
    keys = {key.get("id"): key.get("for") for key in root.iter(f"{XML}key")}
    nodes, edges = list(graph.iter(f"{XML}node")), list(graph.iter(f"{XML}edge"))
    titles = [[each.text for each in node if each.get("key") == "title"] for node in nodes]
    assert titles[3] == ["deep"]
    assert titles[4] == ['</script><script>alert("1 & 2")</script>']
    assert {(edge.get("source"), edge.get("target")) for edge in edges} >= {("n0", "n1"), ("n3", "n2")}
    for element, kind in (*((n, "node") for n in nodes), *((e, "edge") for e in edges)):
        assert {keys[each.get("key")] for each in element} == {kind}


def test_html_is_one_page_that_loads_nothing() -> None:
    page = as_html(TREE)
    assert re.findall(r"<(?:link|img|iframe)\b|\bsrc=|@import|url\(|fetch\(|innerHTML", page) == []
    assert page.count("<script") == page.count("</script>") == 2
    assert "default-src 'none'" in page


def test_the_policy_lets_the_maps_own_script_run_and_no_other() -> None:
    import base64
    from hashlib import sha256

    page = as_html(TREE)
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in page


def test_nothing_that_pages_write_gets_out_of_the_html() -> None:
    evil = replace(TREE, topic=EVIL, places=(replace(TREE.places[0], title=EVIL, anchor=EVIL, links=()),))
    page = as_html(evil)
    assert page.count("<script") == page.count("</script>") == 2
    embedded = page.partition('id="places">')[2].partition("</script>")[0]
    assert json.loads(embedded)["places"][0][0] == EVIL
    assert "<" not in embedded


def test_each_kind_of_file_from_the_command_line(crawled: CrawlFolder, tmp_path: Path) -> None:
    for name, begins in (("m.html", "<!DOCTYPE html>"), ("m.json", "{"), ("m.graphml", "<?xml")):
        told = run("map", crawled.path, "-o", tmp_path / name)
        assert told.exit_code == 0, told.output
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)
    assert run("map", crawled.path, "--most", "5").exit_code == 0
    assert "5 of 40 pages" in (crawled.path / "map.html").read_text(encoding="utf-8")


def test_what_cannot_be_drawn_is_one_line(crawled: CrawlFolder, tmp_path: Path) -> None:
    for args in (
        [crawled.path, "-o", tmp_path / "m.png"],
        [tmp_path / "none"],
        [crawled.path, "--site", "b.test"],
    ):
        told = run("map", *args)
        assert told.exit_code == 2
        assert told.stderr.count("\n") == 1
