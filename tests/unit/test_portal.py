"""Searching a collection: what is found, counted, narrowed, folded and told when nothing is found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.portals import DAY, FIRST, Made, collection, write

from lycosa.cli.group import lycosa as command_line
from lycosa.crawl.inputs import Category, Concept, Ontology, Taxonomy
from lycosa.crawls.answers import Browse, Facet, Found, Search
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.portal.columns import Shelf, Source
from lycosa.crawls.portal.portal import Portal
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.scoring.words.terms import counts
from lycosa.sources.kinds import save_inputs
from lycosa.store.full_text import TextIndex, remove_index
from lycosa.store.paths import Paths

WOLF = "Wolf spiders hunt on the ground and carry their young with them on their backs for weeks."
ORB = "Orb weavers wait in a web, a wheel of sticky threads, until an insect is caught in it."
PAGES = [
    Made(
        "http://a.test/wolf",
        WOLF,
        "Wolf spiders",
        day=0,
        relevance=0.91,
        changed="Sat, 05 Mar 2005 10:00:00 GMT",
    ),
    Made("http://a.test/orb", ORB, "Orb weavers", day=1, relevance=0.42, depth=1),
    Made("http://b.test/wolf", WOLF, "Wolf spiders", day=40, relevance=0.9, depth=2),
    Made("http://b.test/netz", "Die Spinne baut ihr Netz.", "Spinnen", day=41, language="de", depth=10),
    Made("http://c.test/", "The web of spiders and the web of pages.", "Webs", day=42, language="", depth=2),
]


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[CrawlFolder]:
    with CrawlFolder.open(collection(tmp_path / "crawl", PAGES)) as opened:
        yield opened


def urls(found: Found) -> list[str]:
    return [hit.url.removeprefix("http://") for hit in found.hits]


def counted(found: Found, name: str) -> dict[str, int]:
    (facet,) = [facet for facet in found.facets if facet.name == name]
    return {value.value: value.pages for value in facet.values}


def test_finds_and_counts(crawl: CrawlFolder) -> None:
    found = crawl.find(Search(words="spider"))
    assert set(urls(found)) == {"a.test/wolf", "c.test/"}  # a copy is folded
    assert (found.pages, found.distinct, found.collection) == (3, 2, 5)
    assert counted(found, "host") == {"a.test": 1, "b.test": 1, "c.test": 1}
    assert counted(found, "language") == {"en": 2, "": 1}
    assert counted(found, "date") == {"2026": 2, "2005": 1}
    assert list(counted(found, "relevance").items()) == [("0.9", 2), ("0.5", 1)]
    assert [hit.copies for hit in found.hits if "wolf" in hit.url] == [1]


def test_ranks_and_snippets_are_those_of_the_plain_search(crawl: CrawlFolder) -> None:
    plain = crawl.search("web OR wolf")
    found = crawl.find(Search(words="web OR wolf", folded=False))
    assert [(hit.url, hit.snippet) for hit in found.hits] == [(hit.url, hit.snippet) for hit in plain]
    assert [hit.rank for hit in found.hits] == pytest.approx([hit.rank for hit in plain])
    assert found.hits[0].rank > 0


def test_values_of_one_facet_are_alternatives_and_facets_narrow_each_other(crawl: CrawlFolder) -> None:
    found = crawl.find(Search(within={"host": ("a.test", "b.test"), "language": ("en",)}, order="date"))
    assert urls(found) == ["b.test/wolf", "a.test/orb"]  # the newest of two copies
    assert counted(found, "host") == {"a.test": 2, "b.test": 1}  # by the other facet alone
    assert counted(found, "language") == {"en": 3, "de": 1}
    assert [value.chosen for facet in found.facets if facet.name == "language" for value in facet.values] == [
        True,
        False,
    ]


def test_a_tree_opens_below_what_was_chosen(crawl: CrawlFolder) -> None:
    assert list(counted(crawl.find(Search()), "date")) == ["2026", "2005"]
    found = crawl.find(Search(within={"date": ("2026",)}))
    assert list(counted(found, "date").items()) == [("2026", 4), ("2026-02", 3), ("2026-01", 1), ("2005", 1)]
    assert crawl.find(Search(within={"date": ("2026-02",)})).pages == 3


def test_depths_stand_in_their_order(crawl: CrawlFolder) -> None:
    assert list(counted(crawl.find(Search()), "depth")) == ["0", "1", "2", "10"]


@pytest.mark.parametrize(
    ("robots", "snippet", "beginning"),
    [
        ("", WOLF.replace("Wolf", "«Wolf»"), WOLF),
        ("max-snippet:-1", WOLF.replace("Wolf", "«Wolf»"), WOLF),
        ("max-snippet:19", "«Wolf» spiders…", "Wolf spiders hunt…"),
        ("nosnippet", "", ""),
        ("unavailable_after: 2099-01-01", WOLF.replace("Wolf", "«Wolf»"), WOLF),
    ],
)
def test_as_much_is_shown_as_a_page_allows(tmp_path: Path, robots: str, snippet: str, beginning: str) -> None:
    pages = [Made("http://a.test/wolf", WOLF, "Wolf spiders", robots=robots), *PAGES[1:2]]
    with CrawlFolder.open(collection(tmp_path / "crawl", pages)) as crawl:
        (found,) = crawl.find(Search(words="wolf")).hits
        (plain,) = crawl.search("wolf")
        (listed, _) = crawl.find(Search(order="relevance")).hits
    assert found.snippet == plain.snippet == snippet
    assert (found.title, listed.snippet) == ("Wolf spiders", beginning)


def test_a_page_is_found_no_longer_than_it_asks(tmp_path: Path) -> None:
    pages = [
        Made(
            f"http://a.test/{number}",
            WOLF,
            relevance=1.0,
            robots="unavailable_after: 6 Nov 1994 08:49:37 GMT",
        )
        for number in range(7)
    ] + [Made("http://a.test/wolf", f"{WOLF} {ORB}", relevance=0.1)]
    with CrawlFolder.open(collection(tmp_path / "crawl", pages)) as crawl:
        found = crawl.find(Search(words="wolf"))
        assert urls(found) == ["a.test/wolf"]
        assert (found.pages, found.collection, found.unindexed) == (1, 1, 0)
        assert [hit.url for hit in crawl.search("wolf", 1)] == [
            "http://a.test/wolf"
        ]  # those before it are passed over


def test_times_bound_what_is_found(crawl: CrawlFolder) -> None:
    since, until = Millis(FIRST + DAY), Millis(FIRST + 41 * DAY)
    found = crawl.find(Search(since=since, until=until, order="date"))
    assert urls(found) == ["b.test/netz", "b.test/wolf", "a.test/orb"]


def test_pages_of_answers_follow_one_another(crawl: CrawlFolder) -> None:
    whole = urls(crawl.find(Search(order="relevance")))
    parts = [urls(crawl.find(Search(order="relevance", start=start, limit=1))) for start in range(5)]
    assert [url for part in parts for url in part] == whole
    assert len(whole) == 4


def test_copies_of_a_page(crawl: CrawlFolder) -> None:
    found = crawl.find(Search(copies_of="http://a.test/wolf", folded=False))
    assert urls(found) == ["a.test/wolf", "b.test/wolf"]
    with pytest.raises(InputError, match="no page"):
        crawl.find(Search(copies_of="http://nowhere.test/"))


def test_only_so_many_values_and_those_that_were_chosen(crawl: CrawlFolder) -> None:
    found = crawl.find(Search(within={"host": ("c.test",)}, most=1, facets=("host",)))
    assert counted(found, "host") == {"a.test": 2, "c.test": 1}
    (facet,) = found.facets
    assert isinstance(facet, Facet)
    assert facet.more == 1


def test_an_unknown_facet_is_named_with_those_that_there_are(crawl: CrawlFolder) -> None:
    with pytest.raises(InputError, match=r"'colour' is no facet.*host, language"):
        crawl.find(Search(within={"colour": ("red",)}))


def test_nothing_found_says_which_word_and_what_was_meant(crawl: CrawlFolder) -> None:
    found = crawl.find(Search(words="spidder web"))
    assert [(word.word, word.pages, word.instead) for word in found.words] == [
        ("spidder", 0, ("spiders",)),
        ("web", 2, ()),
    ]
    assert crawl.find(Search(words="wolf", within={"language": ("de",)})).without_facets == 2


def test_what_comes_later_is_found_without_reading_all_again(tmp_path: Path) -> None:
    paths = Paths(collection(tmp_path / "crawl", PAGES[:2]))
    with CrawlFolder.open(paths.folder) as crawl, TextIndex(paths.index, read_only=True) as index:
        portal = Portal([Shelf()])
        sources = [Source(crawl.history, index)]
        assert portal.find(Search(words="spider"), sources).pages == 1
        write(paths, [*PAGES[2:], Made("http://a.test/wolf", "Wolves are no spiders.", "Wolves", day=50)])
        found = portal.find(Search(words="spider"), sources)
        assert set(urls(found)) == {"a.test/wolf", "b.test/wolf", "c.test/"}
        assert found.collection == 5
        write(paths, [Made("http://d.test/", "Not indexed yet.")], index=False)
        assert portal.find(Search(), sources).unindexed == 1


def test_many_may_ask_at_once(crawl: CrawlFolder) -> None:
    def ask(words: str) -> tuple[str, list[str]]:
        with CrawlFolder.open(crawl.path) as folder:
            return words, urls(folder.find(Search(words=words, folded=False), index=False))

    asked = ["spider", "web", "wolf OR web", "netz", "ground", "spider -web"] * 4
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(ask, asked))
    for words, found in answers:
        assert found == [hit.url.removeprefix("http://") for hit in crawl.search(words)]


def test_an_index_that_went_is_noticed(crawl: CrawlFolder) -> None:
    assert crawl.find(Search(words="spider")).pages == 3
    remove_index(crawl.paths.index)
    found = crawl.find(Search(words="spider"), index=False)
    assert (found.pages, found.collection, found.unindexed) == (0, 0, 5)


def test_words_are_bounded(crawl: CrawlFolder) -> None:
    with pytest.raises(InputError, match="more than 64 words"):
        crawl.find(Search(words="spider " + " ".join(f"-word{n}" for n in range(64))))


def test_a_page_that_asked_to_be_left_out_is(tmp_path: Path) -> None:
    pages = [*PAGES[:2], Made("http://a.test/orb", "Leave me out.", day=60, noindex=True)]
    with CrawlFolder.open(collection(tmp_path / "crawl", pages)) as crawl:
        found = crawl.find(Search(facets=()))
        assert urls(found) == ["a.test/wolf"]
        assert found.unindexed == 0


def test_on_the_command_line(crawl: CrawlFolder) -> None:
    def said(*words: str) -> str:
        done = CliRunner().invoke(command_line, ["search", str(crawl.path), *words])
        assert done.exit_code == 0, done.output
        return done.output

    told = said("spider", "--facets")
    assert "3 pages of 5, 2 pages without copies" in told
    assert "1 copy" in told
    assert "(not known)" in told
    assert "b.test/netz" in said("--language", "de")
    assert "no page has spidder; did you mean spiders?" in said("spidder")
    assert "2 pages would match" in said("wolf", "--language", "de")
    answer = json.loads(said("spider", "--facets", "--json"))
    assert answer["pages"] == 3
    done = CliRunner().invoke(command_line, ["search", str(crawl.path)])
    assert done.exit_code == 2


SHELF = {
    "reefs": "coral reef fish lagoon sponge anemone",
    "courts": "judge court verdict appeal witness lawyer",
    "bread": "flour yeast oven crust dough loaf",
    "rails": "train rail station locomotive signal track",
}


@pytest.fixture
def themes(tmp_path: Path) -> Iterator[CrawlFolder]:
    pages = [
        Made(f"http://{theme}.test/{n}", f"{words} {words.split()[n % 6]} number{n}", theme, relevance=n / 10)
        for n in range(8)
        for theme, words in SHELF.items()
    ]
    with CrawlFolder.open(collection(tmp_path / "crawl", pages)) as opened:
        yield opened


def test_clusters_are_learned_kept_and_browsed(themes: CrawlFolder) -> None:
    with pytest.raises(InputError, match="no facet"):
        themes.browse(Browse(by="cluster"))
    assert themes.learn_clusters() == 4
    found = themes.browse(Browse())
    assert found.by == "cluster"
    assert [value.pages for value in found.below] == [8, 8, 8, 8]
    first = found.below[0]
    inside = themes.browse(Browse(by="cluster", at=first.value))
    assert inside.found.pages == 8
    assert len({hit.url.split("/")[2] for hit in inside.found.hits}) == 1
    with CrawlFolder.open(themes.path) as again:
        assert counted(again.find(Search(facets=("cluster",))), "cluster") == {
            value.value: 8 for value in found.below
        }


def test_few_pages_have_no_clusters(crawl: CrawlFolder) -> None:
    assert crawl.learn_clusters() == 0
    assert "cluster" not in crawl.browse(Browse()).ways


def test_dates_and_hosts_are_browsed(crawl: CrawlFolder) -> None:
    top = crawl.browse(Browse())
    assert (top.by, [value.value for value in top.below]) == ("date", ["2026", "2005"])
    year = crawl.browse(Browse(by="date", at="2026", limit=1))
    assert [value.value for value in year.below] == ["2026-02", "2026-01"]
    assert (year.found.pages, len(year.found.hits), year.above) == (4, 1, ())
    assert crawl.browse(Browse(by="date", at="2026-02")).above == ("2026",)
    hosts = crawl.browse(Browse(by="host", most=2))
    assert (len(hosts.below), hosts.more) == (2, 1)


TAXONOMY = Taxonomy(
    categories=(
        Category(path="", examples=()),
        Category(path="Life", examples=()),
        Category(path="Life/Reefs", examples=(counts(SHELF["reefs"]),)),
        Category(path="Life/Bread", examples=(counts(SHELF["bread"]),)),
        Category(path="Rails", examples=(counts(SHELF["rails"]),)),
    ),
    good=("Life",),
)
ONTOLOGY = Ontology(
    concepts=(
        Concept(name="ex:Animal", labels=(("anim",),)),
        Concept(name="ex:Coral", labels=(("coral",),), broader=("ex:Animal",)),
        Concept(name="ex:Train", labels=(("train",), ("locomot",))),
    ),
    focus=("ex:Coral",),
)


def test_pages_are_sorted_by_the_taxonomy_and_the_ontology(themes: CrawlFolder) -> None:
    save_inputs([TAXONOMY, ONTOLOGY], themes.paths.inputs)
    top = themes.browse(Browse())
    assert top.by == "category"
    assert {value.value: value.pages for value in top.below}["Life"] >= 16
    below = themes.browse(Browse(by="category", at="Life"))
    assert {"Life/Reefs", "Life/Bread"} == {value.value for value in below.below}
    assert themes.find(Search(within={"category": ("Life/Reefs",), "host": ("reefs.test",)})).pages == 8
    concepts = themes.browse(Browse(by="concept"))
    assert {value.value: value.pages for value in concepts.below} == {"ex:Animal": 8, "ex:Train": 8}
    coral = themes.browse(Browse(by="concept", at="ex:Animal"))
    assert [(value.value, value.pages) for value in coral.below] == [("ex:Coral", 8)]
    assert themes.browse(Browse(by="concept", at="ex:Coral")).above == ("ex:Animal",)


def test_browsing_on_the_command_line(themes: CrawlFolder) -> None:
    def said(*words: str) -> str:
        done = CliRunner().invoke(command_line, ["browse", str(themes.path), *words])
        assert done.exit_code == 0, done.output
        return done.output

    assert "by cluster; also by" in said("--learn")
    assert "reefs.test" in said("--by", "host")
    assert json.loads(said("--by", "host", "reefs.test", "--json"))["found"]["pages"] == 8
    done = CliRunner().invoke(command_line, ["browse", str(themes.path), "--by", "colour"])
    assert done.exit_code == 2
