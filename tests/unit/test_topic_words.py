"""A topic of stop words only: they count, wherever words of a topic are looked for, when nothing else is left."""

from __future__ import annotations

import msgspec
import pytest
from tests.worlds import lease, made_page, make_crawl, u

from lycosa.compose.topic import TopicSource
from lycosa.crawl.inputs import Query
from lycosa.model.commands import Enqueue
from lycosa.model.records import Millis, Page, Request
from lycosa.read.html import read
from lycosa.scoring.topics.keywords import topic_model
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.spec.registry import strategy

THE_WHO = TopicWords.read("the who")

ABOUT = """<title>The Who</title><p>The Who are a rock band. <a href="http://a.test">The Who</a> on stage;
<a href="http://b.test">weather report</a> <a href="http://c.test">cooking</a>"""


def page_of(html: str, request: Request) -> Page:
    document = read(html.encode(), request.url)
    names = ("title", "text", "terms", "links", "places")
    return msgspec.structs.replace(made_page(request), **{name: getattr(document, name) for name in names})


@pytest.mark.parametrize(
    ("texts", "terms", "stop_words"),
    [
        (("the who",), {"the": 1, "who": 1}, True),
        (("the rock",), {"rock": 1}, False),
        (("the who", "a rock band"), {"rock": 1, "band": 1}, False),
        (("", "to be or not"), {"to": 1, "be": 1, "or": 1, "not": 1}, True),
        (("", "1 2"), {}, False),
    ],
)
def test_stop_words_count_when_nothing_else_is_left(
    texts: tuple[str, ...], terms: dict[str, int], stop_words: bool
) -> None:
    words = TopicWords.read(*texts)
    assert (words.terms, words.stop_words) == (terms, stop_words)


def test_a_topic_offers_its_words_with_how_they_are_counted() -> None:
    (query,) = TopicSource(keywords="the who").inputs()
    assert query == Query(terms={"the": 1, "who": 1}, stop_words=True)
    (query,) = TopicSource(keywords="the who", description="rock music").inputs()
    assert query == Query(terms={"rock": 1, "music": 1})


@pytest.mark.parametrize("running", [False, True])
def test_judges_count_them(running: bool) -> None:
    page = page_of(ABOUT, Request(url=u("s"), order=0))
    other = page_of("<p>Weather report", Request(url=u("s"), order=0))
    judge = topic_model("the who", running=running)
    assert judge.relevance(page) > 0.1
    assert judge.relevance(other) == 0.0


@pytest.mark.parametrize("name", ["shark", "fish", "wtms:threshold=0.1", "nutch-parent", "evolved", "hunter"])
def test_strategies_count_them(name: str) -> None:
    """The page is seen to be about the topic: what it links to has a better score than what another page links to."""
    crawl = make_crawl(strategy(name, [THE_WHO.query()]), topic=topic_model("the who"))
    crawl.start([u("s"), u("t"), u("q")], Millis(0))
    asked: dict[str, Enqueue] = {}
    for html in (ABOUT, "<p>Weather <a href='http://z.test'>report</a>", "<p>nothing"):
        crawl.commit(page_of(html, lease(crawl)), Millis(0))
    for entry in crawl.store.entries():
        asked.update({c.url: c for c in entry.commands if isinstance(c, Enqueue)})
    score = {url: (-c.tier, c.score) for url, c in asked.items()}
    worst = (-99, 0.0)
    if "a" not in (url[7:8] for url in score):  # scores come once the crawl has begun
        pytest.fail(f"{name} follows nothing: {score}")
    assert score["http://a.test/"] > score.get("http://z.test/", worst)
    if name in ("shark", "evolved", "hunter"):
        assert score["http://a.test/"] > score["http://b.test/"], "the link's own words say so"


@pytest.mark.parametrize("name", ["infospiders", "infospiders-energy"])
def test_infospiders_count_them(name: str) -> None:
    spiders = strategy(name, [THE_WHO.query()])
    crawl = make_crawl(spiders)
    crawl.start([u("s")], Millis(0))
    before = spiders.facts()["energy of all"]
    crawl.commit(page_of(ABOUT, lease(crawl)), Millis(0))
    assert spiders.facts()["energy of all"] > before
    (agent,) = spiders.save()["agents"]
    seen = {candidate[0]: candidate[3] for candidate in [*agent["links"]["candidates"], agent["out"]]}
    assert seen["http://a.test/"] != seen["http://c.test/"], "its net sees the words near links"
