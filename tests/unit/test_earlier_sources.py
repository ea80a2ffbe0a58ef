"""Earlier crawls and recorded webs, and the context graphs and known graphs that are read from them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.worlds import CosineTopic, TableWeb, html, made_page, redirect, response, u

import lycosa
from lycosa.crawl.inputs import ContextGraph, KnownGraph
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.model.url import Url
from lycosa.sources import back_links
from lycosa.sources.back_links import Surroundings, read_context_graph
from lycosa.sources.earlier import EarlierCrawl, RecordedPages, opened
from lycosa.sources.known_graph import GraphSurvey, read_known_graph
from lycosa.sources.reading import Reading
from lycosa.spec.tree import PolitenessSpec, TopicSpec

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
START = "http://schools.wiki.example/wp/Biosphere.html"


class Pages:
    """Pages by name, as an earlier crawl."""

    def __init__(
        self, graph: Mapping[str, str], texts: Mapping[str, str], ways: Sequence[tuple[str, str]] = ()
    ):
        self._pages = [
            made_page(Request(url=u(name), order=0), *map(u, to), text=texts.get(name, name * 3))
            for name, to in graph.items()
        ]
        self._ways = ways

    def urls(self) -> Iterator[Url]:
        return (page.url for page in self._pages)

    def pages(self) -> Iterator[Page]:
        return iter(self._pages)

    def page(self, url: Url) -> Page | None:
        return next((page for page in self._pages if page.url == url), None)

    def aliases(self) -> Iterator[tuple[Url, Url]]:
        return ((u(one), u(end)) for one, end in self._ways)

    def close(self) -> None:
        pass


def reading(
    topic: TopicSpec | None = None, web: TableWeb | None = None, words: str = "", seeds: str = ""
) -> Reading:
    made = Reading(
        topic or TopicSpec(), web or TableWeb(), None, VirtualClock(), seeds=[u(name) for name in seeds]
    )
    made.model = CosineTopic(words)
    return made


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("earlier") / "crawl"
    lycosa.crawl(
        "dinosaur",
        [START],
        web=f"recorded:{SAMPLE}",
        strategy="breadth-first",
        pages=25,
        out=out,
        politeness=PolitenessSpec(delay=0.1),
    ).close()
    return out


def test_an_earlier_crawl_gives_its_pages_as_they_were(crawled: Path) -> None:
    with opened(crawled) as earlier, lycosa.open(crawled) as folder:
        assert isinstance(earlier, EarlierCrawl)
        rows = list(folder.rows())
        pages = list(earlier.pages())
        assert [page.final_url for page in pages] == [row.final_url for row in rows] == list(earlier.urls())
        assert [page.text for page in pages] == [row.text for row in rows]
        assert all(page.terms and page.links for page in pages)
        assert earlier.page(pages[3].url) == pages[3]
        assert list(earlier.aliases()) == []


def test_its_archive_alone_gives_the_same_pages(crawled: Path) -> None:
    with opened(crawled) as crawl, opened(crawled / "archive") as archive:
        assert isinstance(archive, RecordedPages)
        known = {page.final_url: page for page in crawl.pages()}
        found = {page.final_url: page for page in archive.pages()}
        assert known.keys() == found.keys() == set(archive.urls())
        assert all(found[url].terms == page.terms for url, page in known.items())
        assert all(found[url].links == page.links for url, page in known.items())
        page = archive.page(Url(START))
        assert page is not None
        assert page.title == "Biosphere"
        assert archive.page(u("nowhere")) is None


def test_what_is_no_web_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no"), opened(tmp_path / "none"):
        pass
    with pytest.raises(InputError, match=r"no \.warc"), opened(tmp_path):
        pass


# -- context graphs ------------------------------------------------------------------------------------------

WAYS = {"t": "", "a": "t", "b": "t", "c": "ab", "d": "ct", "e": "d", "x": "y"}
"""t is the topic; a, b and d link to it, c to a and b, e to d; c also to nothing else; x is elsewhere."""


def layers_of(surroundings: Surroundings) -> list[list[str]]:
    return [
        sorted("".join(terms)[0] for terms in layer) for layer in asyncio.run(surroundings.layers()) if layer
    ]


def test_layers_by_hand() -> None:
    """Layer 1: what links to t. Layer 2: c and e; d links to c too, but is in layer 1 already."""
    known = Surroundings(reading(words="topic"))
    known.survey(Pages(WAYS, {"t": "topic topic", **{name: f"{name}word" for name in "abcdex"}}))
    assert layers_of(known) == [["t"], ["a", "b", "d"], ["c", "e"]]
    made = known.context_graph(asyncio.run(known.layers()))
    assert made.documents == 7
    assert made.frequencies["topic"] == 1
    assert "xword" not in made.frequencies


def test_links_to_a_url_that_redirects_count_for_where_it_ends() -> None:
    known = Surroundings(reading(words="topic"))
    known.survey(Pages({"t": "", "a": "r"}, {"t": "topic", "a": "aword"}, [("r", "t")]))
    assert layers_of(known) == [["t"], ["a"]]


def test_few_pages_that_link_are_taken_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(back_links, "IN_LINKS", 2)
    known = Surroundings(reading(words="topic"))
    graph = {"t": "", **dict.fromkeys("abcd", "t")}
    known.survey(Pages(graph, {"t": "topic", **{name: f"{name}word" for name in "abcd"}}))
    assert layers_of(known) == [["t"], ["a", "c"]]


def read_back_links(topic: TopicSpec, web: TableWeb, words: str = "", seeds: str = "") -> ContextGraph:
    return asyncio.run(read_context_graph(reading(topic, web, words, seeds)))


def test_a_file_of_back_links(tmp_path: Path) -> None:
    place = tmp_path / "links.txt"
    place.write_text(f"# from a search engine\n{u('t')} {u('a')}\n{u('t')}\t{u('b')}\n\n{u('a')} {u('c')}\n")
    web = TableWeb({u(name): response(u(name), html(f"{name}word")) for name in "tac"})
    found = read_back_links(TopicSpec(examples=(u("t"),), back_links=(str(place),)), web)
    assert found.layers == (({"tword": 1},), ({"aword": 1},), ({"cword": 1},))  # b is gone
    assert found.documents == 3


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("http://a.test/\n", "line 1: is not `URL BACK-LINK`"),
        ("http://a.test/ mailto:x\n", "line 1: not an http or https URL"),
        ("# nothing\n", "holds no back-links"),
        (
            f"{u('x')} {u('y')}\n",
            "no links to the pages given with --like are known in what --back-links names",
        ),
    ],
)
def test_files_of_back_links_that_cannot_be_used(tmp_path: Path, content: str, says: str) -> None:
    place = tmp_path / "links.txt"
    place.write_text(content)
    web = TableWeb({u("t"): response(u("t"), html("tword"))})
    with pytest.raises(InputError, match=says) as error:
        read_back_links(TopicSpec(examples=(u("t"),), back_links=(str(place),)), web)
    assert "\n" not in str(error.value)


def test_without_back_links_the_start_pages_show_what_leads_where() -> None:
    graph = {"s": "a", "a": "t", "t": "", "z": ""}
    web = TableWeb({u(n): response(u(n), html(f"{n}word", map(u, to))) for n, to in graph.items()})
    found = read_back_links(TopicSpec(examples=(u("t"),)), web, seeds="s")
    assert [[next(iter(terms)) for terms in layer] for layer in found.layers] == [
        ["tword"],
        ["aword"],
        ["sword"],
    ]
    with pytest.raises(InputError, match="around the start pages: give one with --back-links"):
        read_back_links(TopicSpec(examples=(u("t"),)), web, seeds="z")


def test_a_crawl_gives_layers_whose_first_is_about_the_topic(crawled: Path) -> None:
    topic = TopicSpec(back_links=(str(crawled),))
    found = read_back_links(topic, TableWeb(), words="dinosaur fossil")
    assert len(found.layers) >= 2
    assert found.documents == 25
    assert sum("fossil" in terms for terms in found.layers[0]) > len(found.layers[0]) / 2


# -- known graphs --------------------------------------------------------------------------------------------


def test_a_known_graph_by_hand() -> None:
    survey = GraphSurvey(reading(TopicSpec(examples=(u("b"),)), words="topic"))
    earlier = Pages({"s": "abrq", "t": "", "a": "t", "b": ""}, {"t": "topic", "b": "b"}, [("r", "t")])
    survey.expect(earlier)
    survey.take_in(earlier)
    graph = survey.known_graph()
    assert graph.pages == (u("s"), u("t"), u("a"), u("b"))
    assert graph.rewards == (0.0, 1.0, 0.0, 1.0)  # b is an example
    assert [(link.source, link.target) for link in graph.links] == [
        (0, 2),
        (0, 3),
        (0, 1),
        (2, 1),
    ]  # q is unknown


def test_of_many_links_some_words_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lycosa.sources.known_graph.LINK_TEXTS", 3)
    survey = GraphSurvey(reading(words="topic"))
    earlier = Pages({name: "abcd".replace(name, "") for name in "abcd"}, {})
    pages = [
        replace(page, links=tuple(replace(link, anchor="wombat") for link in page.links))
        for page in earlier.pages()
    ]
    earlier._pages = pages
    survey.expect(earlier)
    survey.take_in(earlier)
    links = survey.known_graph().links
    assert len(links) == 12
    assert [at for at, link in enumerate(links) if link.terms] == [0, 4, 8]


def test_a_crawl_to_learn_from(crawled: Path) -> None:
    topic = TopicSpec(learn_from=(str(crawled),))
    graph = asyncio.run(read_known_graph(reading(topic, words="dinosaur fossil")))
    assert isinstance(graph, KnownGraph)
    assert len(graph.pages) == len(graph.rewards) == 25
    assert max(graph.rewards) > 0
    assert all(link.terms for link in graph.links)
    assert asyncio.run(read_known_graph(reading())) is None
    with pytest.raises(InputError, match="no page about the topic is linked to"):
        asyncio.run(read_known_graph(reading(topic, words="xylophonist")))


def test_redirects_of_a_recording(tmp_path: Path) -> None:
    """A crawl over a redirect: both the crawl and its archive know where it ended."""
    answers = {
        u("s"): response(u("s"), html("start", [u("r")])),
        u("r"): redirect(u("r"), u("t")),
        u("t"): response(u("t"), html("end")),
    }
    folder = _crawl_of(TableWeb(answers), tmp_path / "crawl")
    for place in (folder, folder / "archive"):
        with opened(place) as earlier:
            assert list(earlier.aliases()) == [(u("r"), u("t"))]
            assert {page.final_url for page in earlier.pages()} == {u("s"), u("t")}
            page = earlier.page(u("r"))
            assert page is not None
            assert page.final_url == u("t")


def _crawl_of(web: TableWeb, out: Path) -> Path:
    """A crawl folder of a web made for a test: its answers are archived first, then crawled as a recording."""
    from lycosa.archive.warc import Provenance, WarcArchive

    recording = out.parent / "recording"
    archive = WarcArchive.open(recording, Provenance(crawl_id="test", user_agent="test"))
    for answer in web.answers.values():
        assert not isinstance(answer, type(None))
        archive.write(answer)  # type: ignore[arg-type]
    archive.close()
    lycosa.crawl(
        "end", [u("s")], web=f"recorded:{recording}", out=out, politeness=PolitenessSpec(delay=0)
    ).close()
    return out
