"""Ontologies read from files, mentions counted, relevances worked by hand, and the strategy that uses them."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import msgspec
import pytest
from tests.worlds import lease, made_page, make_crawl, u

from lycosa.crawl.inputs import Concept, Ontology
from lycosa.drive.clock import VirtualClock
from lycosa.model.commands import Enqueue
from lycosa.model.errors import InputError
from lycosa.model.records import Link, Millis, Request
from lycosa.read.html import read
from lycosa.scoring.topics.ontology import EntityRelevance, Lexicon, Measure, OntologyTopic
from lycosa.sources.ontology import ontology_in, read_ontology
from lycosa.sources.reading import Reading
from lycosa.spec.tree import TopicSpec
from lycosa.strategies.ontology import OntologyFocused, is_metadata
from lycosa.web.made.graph_web import GraphWeb

TURTLE = """
@prefix : <http://a.test/sport#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:sport a owl:Class ; rdfs:label "sport"@en, "Sportart"@de .
:cycling a owl:Class ; rdfs:label "cycling"@en ; rdfs:subClassOf :sport .
:mountainbiking a owl:Class ; rdfs:label "mountain biking"@en ; rdfs:subClassOf :cycling .
:bicycle a owl:Class ; rdfs:label "bicycle"@en ; skos:altLabel "push-bike"@en .
:rides a owl:ObjectProperty ; rdfs:domain :cycling ; rdfs:range :bicycle .
:tour a :cycling ; rdfs:label "Tour de France" .
"""

RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
<skos:Concept rdf:about="http://a.test/cycling"><skos:prefLabel>cycling</skos:prefLabel>
<skos:narrower><skos:Concept rdf:about="http://a.test/mtb">
<skos:prefLabel>mountain biking</skos:prefLabel></skos:Concept>
</skos:narrower></skos:Concept></rdf:RDF>"""

N_TRIPLES = """\
<http://a.test/mtb> <http://www.w3.org/2004/02/skos/core#broader> <http://a.test/cycling> .
<http://a.test/mtb> <http://www.w3.org/2004/02/skos/core#prefLabel> "mountain biking" .
<http://a.test/cycling> <http://www.w3.org/2004/02/skos/core#prefLabel> "cycling" .
"""

JSON_LD = """{"@context": {"skos": "http://www.w3.org/2004/02/skos/core#",
"broader": {"@id": "skos:broader", "@type": "@id"}, "label": "skos:prefLabel"},
"@graph": [{"@id": "http://a.test/cycling", "@type": "skos:Concept", "label": "cycling"},
{"@id": "http://a.test/mtb", "@type": "skos:Concept", "label": "mountain biking", "broader": "http://a.test/cycling"}]}"""


def written(folder: Path, text: str, name: str = "sport.ttl") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def concept(name: str, *labels: str, broader: str = "", related: str = "") -> Concept:
    return Concept(
        name=name,
        labels=tuple(tuple(label.split()) for label in labels),
        broader=tuple(broader.split()),
        related=tuple(related.split()),
    )


SPORT = Ontology(
    concepts=(
        concept("cycling", "cycl", broader="sport", related="bicycle"),
        concept("mtb", "mountain bike", broader="cycling"),
        concept("downhill", "downhil", broader="mtb"),
        concept("sport", "sport"),
        concept("bicycle", "bicycl"),
        concept("bike", "bike"),
    ),
    focus=("cycling",),
)


# -- reading -------------------------------------------------------------------------------------------------


def test_owl_in_turtle(tmp_path: Path) -> None:
    found, warnings = ontology_in(written(tmp_path, TURTLE), ["Cycling"])
    concepts = {each.name: each for each in found.concepts}
    assert found.focus == ("cycling",)
    assert concepts["sport"].labels == (("sportart",), ("sport",))
    assert concepts["mountainbiking"].labels == (("mountain", "bike"),)
    assert concepts["mountainbiking"].broader == ("cycling",)
    assert concepts["tour"].broader == ("cycling",)
    assert concepts["cycling"].related == ("bicycle",)
    assert concepts["bicycle"].labels == (("bicycl",), ("push", "bike"))
    assert "rides" not in concepts
    assert warnings == []


@pytest.mark.parametrize(
    ("text", "name"),
    [(RDF_XML, "a.owl"), (N_TRIPLES, "a.nt"), (JSON_LD, "a.jsonld")],
    ids=["xml", "nt", "json"],
)
def test_skos_in_other_formats(text: str, name: str, tmp_path: Path) -> None:
    found, _ = ontology_in(written(tmp_path, text, name), ["mountain biking"])
    concepts = {each.name.rpartition("/")[2]: each for each in found.concepts}
    assert list(concepts) == ["cycling", "mtb"]
    assert concepts["mtb"].broader == (found.concepts[0].name,)
    assert found.focus == (found.concepts[1].name,)


def test_labels_in_the_crawls_languages_only(tmp_path: Path) -> None:
    found, warnings = ontology_in(written(tmp_path, TURTLE), ["sport"], ["de"])
    concepts = {each.name: each for each in found.concepts}
    assert concepts["sport"].labels == (("sportart",),)
    assert concepts["tour"].labels == (("tour", "de", "franc"),)  # says no language
    assert concepts["cycling"].labels == ()
    assert "3 of 5 concepts have no label" in warnings[0]


def test_a_circle_of_is_a_is_told_and_does_no_harm(tmp_path: Path) -> None:
    text = TURTLE + ":sport rdfs:subClassOf :mountainbiking ."
    found, warnings = ontology_in(written(tmp_path, text), ["cycling"])
    assert "circle: cycling → sport → mountainbiking → cycling" in warnings[0]
    relevance = EntityRelevance(found, measure="taxonomic", depth=2)
    places = {each.name: place for place, each in enumerate(found.concepts)}
    assert relevance.weights == {
        places["cycling"]: 1,
        places["sport"]: 0.5,
        places["mountainbiking"]: 0.5,
        places["tour"]: 0.5,
    }


@pytest.mark.parametrize(
    ("text", "name", "focus", "says"),
    [
        ("@prefix : <x", "a.ttl", "x", "is no turtle that can be read"),
        ("<?xml version='1.0'?><rdf:RDF>", "a.owl", "x", "is no xml that can be read"),
        ("{", "a.jsonld", "x", "is not JSON"),
        ('{"@context": "http://a.test/context"}', "a.jsonld", "x", "@context from http://a.test/context"),
        ("<http://a.test/1> <http://a.test/2> <http://a.test/3> .", "a.nt", "x", "no classes and no concepts"),
        ("<http://a.test/Q1> a <http://www.w3.org/2002/07/owl#Class> .", "a.ttl", "Q1", "no concept has a label"),
        (TURTLE, "a.ttl", "cyclin", "has no concept 'cyclin'; did you mean 'cycling'"),
    ],
)  # fmt: skip
def test_what_cannot_be_used(text: str, name: str, focus: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says) as raised:
        ontology_in(written(tmp_path, text, name), [focus])
    assert "\n" not in str(raised.value)


def test_no_labels_in_the_language_says_which_there_are(tmp_path: Path) -> None:
    text = TURTLE.replace('"Tour de France"', '"Tour de France"@fr')
    with pytest.raises(InputError, match="no concept has a label; its labels are in de, en, fr"):
        ontology_in(written(tmp_path, text), ["cycling"], ["it"])


def reading(topic: TopicSpec) -> Reading:
    return Reading(topic, GraphWeb(), None, VirtualClock())


def test_an_ontology_needs_a_focus_and_a_focus_an_ontology(tmp_path: Path) -> None:
    path = str(written(tmp_path, TURTLE))
    with pytest.raises(InputError, match="--focus, such as bicycle, cycling"):
        asyncio.run(read_ontology(reading(TopicSpec(ontology=path))))
    with pytest.raises(InputError, match="there is no ontology"):
        asyncio.run(read_ontology(reading(TopicSpec(focus=("cycling",)))))
    assert asyncio.run(read_ontology(reading(TopicSpec()))) is None


# -- counting ------------------------------------------------------------------------------------------------


def test_the_longest_label_is_counted() -> None:
    mentions, length = Lexicon(SPORT.concepts).in_text(
        "Mountain bikes and other bikes: the mountain biking tour"
    )
    assert (mentions, length) == ({1: 2, 5: 1}, 6)


def test_a_label_of_two_concepts_mentions_both() -> None:
    assert Lexicon([concept("a", "bank"), concept("b", "bank")]).mentions(["bank"]) == {0: 1, 1: 1}


# -- relevance: focus = {cycling} ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "depth", "text", "relevance"),
    [
        ("single", 1, "biking", 0.0),
        ("single", 1, "downhill", 0.0),
        ("taxonomic", 1, "sport", 0.5),
        ("taxonomic", 1, "downhill", 0.0),
        ("taxonomic", 2, "downhill", 0.25),  # 0.5²
        ("taxonomic", 1, "bicycle", 0.0),
        ("relational", 1, "bicycle", 0.25),
        ("relational", 1, "sport", 0.0),
        ("total", 1, "sport bicycle", 0.75 / math.sqrt(2)),
        ("total", 1, "cycling house tree water", 1 / math.sqrt(4)),
        ("total", 1, "cycling", 1.0),
        ("total", 1, "cycling sport sport sport sport sport", 1.0),  # 3.5 / √6, cut off
    ],
)
def test_relevance(measure: Measure, depth: int, text: str, relevance: float) -> None:
    assert EntityRelevance(SPORT, measure=measure, depth=depth).of_text(text) == pytest.approx(relevance)


def test_known_answer_of_a_text_that_mentions_a_subconcept_only() -> None:
    """KAT-3.13: focus {cycling}, is-a(mountainbiking, cycling), mentioned once: Single 0, Taxonomic .5."""
    pair = Ontology(
        concepts=(concept("cycling", "cycl"), concept("mountainbiking", "mountainbik", broader="cycling")),
        focus=("cycling",),
    )
    assert EntityRelevance(pair, measure="single").of_text("mountainbiking") == 0.0
    assert EntityRelevance(pair, measure="taxonomic").of_text("mountainbiking") == 0.5


def test_the_topic_model_explains_itself() -> None:
    page = made_page(Request(url=u("a"), order=0), text="cycling on mountain bikes")
    topic = OntologyTopic(SPORT)
    assert topic.explain(page) == {
        "cycling": pytest.approx(1 / math.sqrt(3)),
        "mtb": pytest.approx(0.5 / math.sqrt(3)),
    }
    assert topic.relevance(page) == pytest.approx(1.5 / math.sqrt(3))


# -- the strategy --------------------------------------------------------------------------------------------


def scores(strategy: OntologyFocused, text: str, *links: Link) -> dict[str, float]:
    crawl = make_crawl(strategy)
    crawl.start([u("s")], Millis(0))
    page = made_page(lease(crawl), text=text)
    asked = strategy.on_page(msgspec.structs.replace(page, links=links), None)  # type: ignore[arg-type]
    return {each.url: each.score for each in asked if isinstance(each, Enqueue)}


def link(target: str, anchor: str = "", rel: str = "") -> Link:
    return Link(source=u("s"), target=u(target), anchor=anchor, rel=rel)


def test_a_link_has_half_of_its_page_and_half_of_its_words() -> None:
    found = scores(
        OntologyFocused(SPORT), "sport", link("a", "cycling"), link("b", "weather"), link("b", "sports")
    )
    assert found == {u("a"): 0.25 + 0.5, u("b"): 0.25 + 0.25}


def test_metadata_is_followed_where_asked_for() -> None:
    links = (link("a.rdf"), link("b", rel="meta"), link("c"))
    assert scores(OntologyFocused(SPORT), "nothing", *links) == {u("a.rdf"): 0, u("b"): 0, u("c"): 0}
    found = scores(
        OntologyFocused(SPORT, metadata=True), "nothing", link("a/x.rdf"), link("b", rel="meta"), link("c")
    )
    assert found == {u("a/x.rdf"): 0.5, u("b"): 0.5, u("c"): 0.0}


def test_rdf_metadata_are_read_for_their_words_and_lead_on() -> None:
    body = b"""<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <rdf:Description rdf:about="http://a.test/course"><dc:title>A lesson on cycling</dc:title>
    <rdfs:seeAlso rdf:resource="more.rdf"/></rdf:Description></rdf:RDF>"""
    document = read(body, "http://a.test/course.rdf", "application/rdf+xml")
    assert document.terms == {"lesson": 1, "cycl": 1}
    assert [each.target for each in document.links] == [u("a/more.rdf")]
    assert is_metadata(document.links[0])


def test_rarer_concepts_count_more_with_idf() -> None:
    """After pages {cycling}, {cycling, sport} and this one {sport}: df(sport) = 2 of 3."""
    strategy = OntologyFocused(SPORT, idf=True, page_share=1.0, measure="taxonomic", w_t=0.1)
    for text in ("cycling", "cycling sport"):
        scores(strategy, text)
    assert scores(strategy, "sport", link("a"))[u("a")] == pytest.approx(0.1 * (1 + math.log(3 / 2)))
    assert strategy.facts() == {"pages by concept": {"cycling": 2, "sport": 2}}
    again = OntologyFocused(SPORT, idf=True)
    again.load(strategy.save())
    assert again.facts() == strategy.facts()
