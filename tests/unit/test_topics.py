"""Topics from words, files and pages, kept as what they were made of."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.worlds import made_page

from lycosa.compose.topic import TopicSource, load_topic, save_topic, topic_source
from lycosa.crawl.inputs import Examples, Query
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Page, Request
from lycosa.model.url import Url
from lycosa.sources.reading import Reading
from lycosa.spec.derived import topic_words
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.paths import Paths
from lycosa.web.made.graph_web import GraphWeb


def page(text: str, language: str = "") -> Page:
    return made_page(Request(url=Url("http://a.test/"), order=1), text=text, language=language)


def source_of(topic: TopicSpec) -> TopicSource:
    return asyncio.run(topic_source(reading_of(topic)))


def reading_of(topic: TopicSpec) -> Reading:
    return Reading(topic, GraphWeb(), None, VirtualClock())


@pytest.mark.parametrize(("words", "noted"), [("to be or not to be", True), ("the reefs", False)])
def test_words_that_most_pages_have_are_noted(words: str, noted: bool) -> None:
    reading = reading_of(TopicSpec(keywords=(words,)))
    asyncio.run(topic_source(reading))
    assert ["only words that most pages have" in note for note in reading.notes] == [True] * noted


def test_an_example_file_is_read_by_its_kind(tmp_path: Path) -> None:
    (tmp_path / "reef.html").write_text("<title>Reef</title><p>coral <b>polyp</b>", encoding="utf-8")
    (tmp_path / "reef.txt").write_text("coral <lagoon>", encoding="utf-8")
    source = source_of(TopicSpec(examples=(str(tmp_path / "reef.html"), str(tmp_path / "reef.txt"))))
    assert source.examples == ({"reef": 1, "coral": 1, "polyp": 1}, {"coral": 1, "lagoon": 1})


def test_an_example_url_is_fetched_from_the_crawls_web() -> None:
    web = GraphWeb()
    source = source_of(TopicSpec(examples=(web.seeds(1)[0],)))
    assert source.examples[0]
    assert source.model().relevance(page(" ".join(web.topic_words))) > 0.2


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ("http://h0.test/nowhere", "cannot be fetched"),
        ("/no/such/file.html", "cannot be read: No such file or directory"),
    ],
)
def test_an_example_that_cannot_be_had_is_named(example: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        source_of(TopicSpec(examples=(example,)))


def test_an_example_without_words_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("<p>", encoding="utf-8")
    with pytest.raises(InputError, match=r"empty\.html: has no words"):
        source_of(TopicSpec(examples=(str(tmp_path / "empty.html"),)))


def test_no_topic_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="no topic"):
        TopicSource().model()


def test_a_page_in_another_language_is_not_relevant() -> None:
    model = TopicSource(keywords="coral", languages=("en",)).model()
    assert model.relevance(page("coral", "en")) == pytest.approx(1.0)
    assert model.relevance(page("coral", "")) == pytest.approx(1.0)
    assert model.relevance(page("coral", "de")) == 0.0
    assert model.explain(page("coral", "de")) == {"language de": 0.0}


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    source = TopicSource(keywords="coral reef", examples=({"coral": 2},), languages=("en",))
    save_topic(source, Paths(tmp_path))
    assert load_topic(Paths(tmp_path)) == source
    (tmp_path / "topic.json").write_text("{", encoding="utf-8")
    with pytest.raises(FolderError, match=r"topic\.json"):
        load_topic(Paths(tmp_path))


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        (TopicSpec(keywords=("coral", "reef")), "coral reef"),
        (TopicSpec(description="all about reefs"), "all about reefs"),
        (TopicSpec(examples=("a.html",)), "pages like a.html"),
        (TopicSpec(), ""),
    ],
)
def test_a_topic_in_a_few_words(topic: TopicSpec, words: str) -> None:
    assert topic_words(CrawlSpec(topic=topic)) == words


def test_what_a_topic_offers_to_strategies() -> None:
    query = Query(terms={"coral": 1, "reef": 1})
    assert TopicSource(keywords="coral reefs").inputs() == (query,)
    assert TopicSource(description="the coral reefs").inputs() == (query,)
    pages = ({"coral": 2},)
    assert TopicSource(keywords="coral reefs", examples=pages).inputs() == (query, Examples(pages=pages))
    assert TopicSource(examples=pages).inputs() == (Examples(pages=pages),)
