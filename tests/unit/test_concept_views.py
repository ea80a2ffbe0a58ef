"""A crawl's pages by the concepts of an ontology: facets, clusters, suggestions, and the verb that shows them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import lycosa
from lycosa.cli.group import lycosa as commands
from lycosa.crawl.inputs import Concept, Ontology
from lycosa.model.errors import InputError
from lycosa.scoring.topics.facets import Facet, Shelf
from lycosa.scoring.topics.new_concepts import Gleaner
from lycosa.spec.tree import TopicSpec

ROOT = Path(__file__).parents[2]
FOSSILS = ROOT / "examples" / "ontologies" / "fossils.ttl"


def concept(name: str, *broader: str, label: str = "", related: tuple[str, ...] = ()) -> Concept:
    return Concept(name=name, labels=((label or name,),), broader=broader, related=related)


TREE = (
    concept("life"),
    concept("bird", "life"),
    concept("owl", "bird"),
    concept("fish", "life"),
    concept("sea"),
)
PAGES = {1: {2: 3}, 2: {1: 1, 4: 1}, 3: {3: 2, 4: 5}, 4: {3: 1}, 5: {}}


# -- facets ----------------------------------------------------------------------------------------------------


def test_facets_count_what_is_below_as_well() -> None:
    assert Shelf(TREE, PAGES).facets() == [
        Facet(name="life", level=0, pages=4, own=0),
        Facet(name="bird", level=1, pages=2, own=1),
        Facet(name="owl", level=2, pages=1, own=1),
        Facet(name="fish", level=1, pages=2, own=2),
        Facet(name="sea", level=0, pages=2, own=2),
    ]


def test_pages_with_all_of_some_concepts() -> None:
    shelf = Shelf(TREE, PAGES)
    assert shelf.with_all(["bird"]) == [1, 2]
    assert shelf.with_all(["life", "sea"]) == [2, 3]
    assert shelf.with_all([]) == [1, 2, 3, 4, 5]
    assert [facet.name for facet in shelf.facets([1])] == ["life", "bird", "owl"]
    with pytest.raises(InputError, match="no concept 'whale'"):
        shelf.with_all(["whale"])


def test_a_circle_has_a_top_all_the_same() -> None:
    shelf = Shelf((concept("a", "b"), concept("b", "a")), {1: {1: 1}})
    assert [(facet.name, facet.level) for facet in shelf.facets()] == [("a", 0), ("b", 1)]


# -- views -----------------------------------------------------------------------------------------------------


def test_views_open_the_widest_concept_each_time() -> None:
    assert Shelf(TREE, PAGES).choices(9) == [
        ("life", "sea"),
        ("sea", "bird", "fish"),
        ("sea", "bird", "fish", "owl"),
    ]
    assert Shelf(TREE, PAGES).choices(1) == [("life", "sea")]


def test_a_view_groups_pages_by_what_they_mention() -> None:
    pytest.importorskip("sklearn")
    pages = {**{n: {2: 2} for n in range(5)}, **{n: {3: 1, 4: 0} for n in range(10, 13)}, 20: {4: 1}}
    view = Shelf(TREE, pages).view(["bird", "fish"], 2)
    assert [cluster.concepts for cluster in view.clusters] == [{"bird": 1.0}, {"fish": 1.0}]
    assert [cluster.pages for cluster in view.clusters] == [(0, 1, 2, 3, 4), (10, 11, 12)]
    assert (view.silhouette, view.without) == (1.0, 1)


def test_in_a_view_a_concept_below_another_counts_for_itself() -> None:
    pytest.importorskip("sklearn")
    (cluster,) = Shelf(TREE, {1: {1: 1, 2: 3}}).view(["bird", "owl"], 5).clusters
    length = math.hypot(math.log(2), math.log(4))
    assert cluster.concepts == {"owl": round(math.log(4) / length, 3), "bird": round(math.log(2) / length, 3)}


KEYS = st.dictionaries(
    st.integers(1, 20), st.dictionaries(st.integers(0, 4), st.integers(1, 3), max_size=3), max_size=9
)


@given(KEYS)
def test_broader_holds_narrower(pages: dict[int, dict[int, int]]) -> None:
    told = {facet.name: facet.pages for facet in Shelf(TREE, pages).facets()}
    assert told.get("life", 0) >= told.get("bird", 0) >= told.get("owl", 0)
    assert told.get("life", 0) >= told.get("fish", 0)
    assert told.get("sea", 0) == sum(4 in mentions for mentions in pages.values())


def test_every_page_once() -> None:
    pytest.importorskip("sklearn")
    pages = {key: {key % 5: key % 3 + 1, (key * 7) % 5: 1} for key in range(40)}
    shelf = Shelf(TREE, pages)
    for names in shelf.choices(3):
        view = shelf.view(names, 4)
        grouped = [key for cluster in view.clusters for key in cluster.pages]
        assert len(grouped) == len(set(grouped)) == len(pages) - view.without
        assert view == shelf.view(names, 4)


# -- suggestions -----------------------------------------------------------------------------------------------

BIKES = Ontology(concepts=(concept("cycling", label="cycl"),), focus=("cycling",))


def test_terms_near_the_focus_are_suggested_with_their_counts() -> None:
    """On each page: helmet beside cycling once and far from it once; weather far from it."""
    filler = "weather tree house river cloud stone water grass field road hill lake"
    text = f"cycling helmets {filler} helmet"
    gleaner = Gleaner(BIKES, window=1)
    for number in range(3):
        gleaner.add(f"http://a.test/{number}", text)
    (found,) = gleaner.suggestions(least_pages=3)
    assert (found.term, found.count, found.pages, found.near) == ("helmet", 6, 3, {"cycling": 3})
    # 15 terms a page, of which 2 are near (the mention and the word after it): 3 · ln(3 / (6 · 2/15))
    assert found.score == pytest.approx(3 * math.log(3 / 0.8), abs=1e-3)
    assert found.examples == ("http://a.test/0", "http://a.test/1", "http://a.test/2")


def test_a_phrase_takes_the_place_of_its_words() -> None:
    gleaner = Gleaner(BIKES, window=2)
    for number in range(3):
        gleaner.add(
            f"http://a.test/{number}", "cycling disc brakes " + "weather tree house river cloud stone " * 3
        )
    assert [found.term for found in gleaner.suggestions()] == ["disc brakes"]


def test_too_few_pages_are_no_ground_for_a_concept() -> None:
    gleaner = Gleaner(BIKES)
    gleaner.add("http://a.test/", "cycling helmet")
    assert gleaner.suggestions() == []
    assert Gleaner(BIKES).suggestions() == []


def test_what_occurs_once_is_forgotten_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lycosa.scoring.topics.new_concepts.MOST_TERMS", 8)
    gleaner = Gleaner(BIKES, window=1)
    gleaner.add("http://a.test/1", "cycling helmet tree house helmet")
    gleaner.add("http://a.test/2", "cycling helmet river cloud stone helmet")
    found = gleaner.suggestions(least_pages=1)
    assert [(each.term, each.count, each.pages) for each in found] == [("helmet", 4, 2)]


WORDS = ["cycling", "cycle", "helmet", "brake", "tree", "house", "the"]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), max_size=5))
def test_nothing_known_and_counts_add_up(texts: list[str]) -> None:
    gleaner = Gleaner(BIKES, window=2)
    for number, text in enumerate(texts):
        gleaner.add(str(number), text)
    for found in gleaner.suggestions(least_pages=1):
        assert "cycl" not in found.term
        assert 0 < sum(found.near.values()) <= found.count
        assert found.pages <= min(len(texts), found.count)
        assert found.score > 0


# -- the verb --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ontology") / "crawl"
    lycosa.crawl(
        TopicSpec(ontology=str(FOSSILS), focus=("dinosaur",)),
        ["http://schools.wiki.example/wp/Fossil.html"],
        web=f"recorded:{ROOT / 'examples' / 'sample-web'}",
        strategy="ontology:measure=taxonomic,depth=2",
        pages=25,
        out=path,
    ).close()
    return path


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(commands, ["ontology", *map(str, args)])


def test_the_crawl_was_judged_by_the_ontology(crawled: Path) -> None:
    with lycosa.open(crawled) as folder:
        best = folder.best(1)[0]
        told = folder.why(best.url)
    assert best.relevance > 0.5
    assert "dinosaur" in told.relevance_parts
    assert set(told.score_parts) == {"relevance of the page", "relevance of the link's words"}


def test_suggest(crawled: Path) -> None:
    rows = [json.loads(line) for line in run("suggest", crawled, "--json").stdout.splitlines()]
    assert rows
    assert all(row["pages"] >= 3 and row["near"] for row in rows)
    by_file = run("suggest", crawled, FOSSILS, "--focus", "dinosaur", "-n", "3").stdout.splitlines()
    assert len(by_file) == 4


def test_facets(crawled: Path) -> None:
    told = json.loads(run("facets", crawled, "--json", "--with", "dinosaur", "--query", "bird").stdout)
    counts = {facet["name"]: facet["pages"] for facet in told["facets"]}
    assert counts["life"] >= counts["dinosaur"] == len(told["pages"]) > 0
    assert "dinosaur" in run("facets", crawled).stdout


def test_cluster(crawled: Path) -> None:
    pytest.importorskip("sklearn")
    rows = [
        json.loads(line) for line in run("cluster", crawled, "--json", "--views", "2").stdout.splitlines()
    ]
    assert len(rows) == 2
    told = run("cluster", crawled, FOSSILS, "--view", "Jurassic,Cretaceous", "-k", "2").stdout
    assert told.startswith("by jurassic, cretaceous")


def test_show() -> None:
    assert "theropod  (tyrannosauru, velociraptor, theropod)  is a dinosaur" in run("show", FOSSILS).stdout


def test_bad_input_is_one_line(crawled: Path, tmp_path: Path) -> None:
    for args, says in (
        (["suggest", crawled, FOSSILS], "--focus"),
        (["facets", crawled, "--with", "whale"], "no concept 'whale'"),
        (["show", tmp_path / "none.ttl"], "cannot be read"),
    ):
        told = run(*args)
        assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
        assert says in told.stderr
