"""What strategies are given besides words in experiments: made of example pages and links, never of targets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.crawl.inputs import (
    ContextGraph,
    Importance,
    Input,
    KnownGraph,
    Ontology,
    PageDatabase,
    Query,
    Ranking,
    Taxonomy,
    UsageLog,
)
from lycosa.lab.experiments.given_inputs import GIVEN, Clues, offered, offered_kinds
from lycosa.lab.experiments.runner import examples_of
from lycosa.lab.tasks.judge import Brief
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Response
from lycosa.model.url import Url

TASK = Clues(
    task="reefs",
    examples={
        "reefs": (Url("http://a.test/reef"), Url("http://a.test/lost")),
        "streets": (Url("http://a.test/street"), Url("http://a.test/hidden")),
    },
    excluded=(Url("http://a.test/hidden"),),
)
BRIEF = Brief(keywords=("Coral", "Reefs"), seeds=(Url("http://a.test/"),))


def page(name: str, words: str, *targets: str) -> Response:
    links = "".join(f'<p><a href="{target}">to {target}</a></p>' for target in targets)
    return Response(
        url=Url(f"http://a.test/{name}"),
        status=200,
        headers=(("Content-Type", "text/html"),),
        body=f"<title>{name}</title><p>{words}</p>{links}".encode(),
        fetched_at=Millis(1_000_000),
    )


@pytest.fixture
def web(tmp_path: Path) -> LabWeb:
    """The start page → coast, street; street → coast; coast → reef. A hidden page leads to the reef too."""
    archive = WarcArchive.open(tmp_path, Provenance(crawl_id="0" * 32, user_agent="lycosa"))
    for response in (
        page("", "welcome", "/coast", "/street"),
        page("coast", "sand and waves", "/reef"),
        page("street", "car and bus", "/coast"),
        page("reef", "coral fish"),
        page("hidden", "secret", "/reef"),
    ):
        archive.write(response)
    archive.close()
    return open_web([tmp_path])


def one(web: LabWeb, kind: type[Input], clues: Clues = TASK) -> Input:
    (made,) = offered(web, BRIEF, clues, [kind])
    assert isinstance(made, kind)
    return made


def test_only_what_is_asked_for_and_can_be_made(web: LabWeb) -> None:
    asked: Sequence[type[Input]] = (Query, Taxonomy, PageDatabase, Ranking)
    assert offered_kinds(asked) == [Taxonomy]
    assert [type(made) for made in offered(web, BRIEF, TASK, asked)] == [Taxonomy]


def test_each_kind_is_told_in_words() -> None:
    kinds = (Taxonomy, Ontology, ContextGraph, KnownGraph, UsageLog, Importance)
    assert offered_kinds(kinds) == list(GIVEN) == list(kinds)


def test_a_taxonomy_has_each_task_that_has_pages(web: LabWeb) -> None:
    taxonomy = one(web, Taxonomy)
    assert isinstance(taxonomy, Taxonomy)
    assert [category.path for category in taxonomy.categories] == ["", "reefs", "streets"]
    assert taxonomy.good == ("reefs",)
    (reef,), (street,) = (category.examples for category in taxonomy.categories[1:])
    assert reef["coral"] == 1
    assert "car" in street
    assert "secret" not in street


def test_a_context_graph_goes_back_from_the_examples(web: LabWeb) -> None:
    graph = one(web, ContextGraph)
    assert isinstance(graph, ContextGraph)
    layers = [[("coral" in page, "sand" in page, "car" in page) for page in layer] for layer in graph.layers]
    reef, coast, street, start = (
        (True, False, False),
        (False, True, False),
        (False, False, True),
        (False,) * 3,
    )
    assert layers[:2] == [[reef], [coast]]  # the hidden page leads there as well, and is not seen
    assert sorted(layers[2]) == sorted([start, street])
    assert graph.documents == 4


def test_a_known_graph_is_what_a_crawl_from_the_start_pages_saw(web: LabWeb) -> None:
    graph = one(web, KnownGraph)
    assert isinstance(graph, KnownGraph)
    places = {url.rpartition("/")[2]: place for place, url in enumerate(graph.pages)}
    assert set(places) == {"", "coast", "street", "reef"}
    best = max(range(len(graph.pages)), key=lambda place: graph.rewards[place])
    assert best == places["reef"]
    links = {(link.source, link.target) for link in graph.links}
    assert links == {
        (places[a], places[b])
        for a, b in [("", "coast"), ("", "street"), ("street", "coast"), ("coast", "reef")]
    }


def test_visitors_see_no_hidden_page(web: LabWeb) -> None:
    log = one(web, UsageLog)
    assert isinstance(log, UsageLog)
    assert Url("http://a.test/coast") in log.urls
    assert Url("http://a.test/hidden") not in log.urls
    assert log == one(web, UsageLog)


def test_an_ontology_of_words(web: LabWeb) -> None:
    ontology = one(web, Ontology)
    assert isinstance(ontology, Ontology)
    labels = {concept.name: concept.labels for concept in ontology.concepts}
    assert labels == {"topic": (("coral", "reef"),), "word coral": (("coral",),), "word reef": (("reef",),)}
    assert ontology.focus == ("topic",)


def test_importance_is_pagerank_by_all_links(web: LabWeb) -> None:
    importance = one(web, Importance)
    assert isinstance(importance, Importance)
    ranked = sorted(importance.values, key=lambda url: -importance.values[url])
    assert [url.rpartition("/")[2] for url in ranked[:2]] == ["reef", "coast"]
    assert sum(importance.values.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", [ContextGraph, Taxonomy])
@pytest.mark.parametrize(
    ("own", "told"),
    [
        ((), "task 'reefs': it has no example pages, so there is nothing"),
        (("http://a.test/hidden",), "all its example pages are hidden from its crawls"),
        (
            ("http://a.test/lost", "http://a.test/hidden"),
            "has none of its example pages that its crawls may see",
        ),
    ],
)
def test_without_example_pages_there_is_nothing_to_learn_from(
    web: LabWeb, kind: type[Input], own: tuple[str, ...], told: str
) -> None:
    """What a hidden example says is what its task asks for: it is as if there was none."""
    examples = {**TASK.examples, "reefs": tuple(map(Url, own))}
    with pytest.raises(InputError, match=told):
        one(web, kind, Clues(task="reefs", examples=examples, excluded=TASK.excluded))


def test_examples_to_which_nothing_leads_have_no_context(web: LabWeb) -> None:
    clues = Clues(task="reefs", examples={"reefs": (Url("http://a.test/"),)})
    with pytest.raises(InputError, match="no page of the web links to its example pages"):
        one(web, ContextGraph, clues)


def test_hidden_examples_are_not_given(web: LabWeb) -> None:
    """They hold what the targets and the description were taken from."""
    task = Task(
        id="reefs",
        keywords=("reef",),
        targets=(),
        examples=tuple(Url(f"http://a.test/{name}") for name in ("hidden", "lost", "coast", "street")),
        excluded=TASK.excluded,
    )
    assert [("sand" in terms, "car" in terms) for terms in examples_of(web, task, 2)] == [
        (True, False),
        (False, True),
    ]
    assert len(examples_of(web, task, 1)) == 1
