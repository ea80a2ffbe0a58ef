"""What ontology relevance, its strategy and WTMS promise, for any ontology and any text."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import made_page, u

from lycosa.crawl.inputs import Concept, Ontology, Query
from lycosa.model.commands import Enqueue
from lycosa.model.records import Link, Request
from lycosa.scoring.topics.keywords import damped
from lycosa.scoring.topics.ontology import EntityRelevance, Lexicon, narrower_of, within
from lycosa.scoring.words.terms import PLAIN, cosine
from lycosa.strategies.ontology import OntologyFocused
from lycosa.strategies.wtms import Wtms

WORDS = ["apple", "pear", "plum", "tree", "fruit"]
STEMS = [PLAIN.sequence(word)[0] for word in WORDS]
NAMES = ["a", "b", "c", "d"]
TEXTS = st.lists(st.sampled_from([*WORDS, "house", "the"]), max_size=12).map(" ".join)


@st.composite
def ontologies(draw: st.DrawFn) -> Ontology:
    labels = st.lists(st.lists(st.sampled_from(STEMS), min_size=1, max_size=3).map(tuple), max_size=2)
    some = st.lists(
        st.sampled_from(NAMES), max_size=2, unique=True
    )  # circles too, and concepts above themselves
    concepts = tuple(
        Concept(name=name, labels=tuple(draw(labels)), broader=tuple(draw(some)), related=tuple(draw(some)))
        for name in NAMES
    )
    focus = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    return Ontology(concepts=concepts, focus=tuple(focus))


@given(ontologies(), TEXTS, st.floats(0, 1), st.floats(0, 1), st.integers(1, 2))
def test_measures_are_ordered_and_relevance_lies_in_0_to_1(
    ontology: Ontology, text: str, w_t: float, w_r: float, depth: int
) -> None:
    def of(measure: str) -> float:
        return EntityRelevance(ontology, measure=measure, w_t=w_t, w_r=w_r, depth=depth).of_text(text)  # type: ignore[arg-type]

    single, taxonomic, relational, total = map(of, ("single", "taxonomic", "relational", "total"))
    assert 0 <= single <= taxonomic + 1e-12 <= total + 2e-12 <= 1 + 3e-12
    assert single <= relational + 1e-12 <= total + 2e-12


@given(ontologies(), TEXTS)
def test_longest_match(ontology: Ontology, text: str) -> None:
    """Against a slow twin that tries every label at every place."""
    labels: dict[tuple[str, ...], list[int]] = {}
    for place, concept in enumerate(ontology.concepts):
        for label in dict.fromkeys(concept.labels):
            labels.setdefault(label, []).append(place)
    terms, at, wanted = PLAIN.sequence(text), 0, []
    while at < len(terms):
        fitting = [label for label in labels if tuple(terms[at : at + len(label)]) == label]
        best = max(fitting, key=len, default=())
        wanted += [(at, at + len(best), labels[best])] if best else []
        at += len(best) or 1
    assert list(Lexicon(ontology.concepts).found(terms)) == wanted


@given(ontologies(), TEXTS)
def test_page_as_text(ontology: Ontology, text: str) -> None:
    lexicon = Lexicon(ontology.concepts)
    page = made_page(Request(url=u("a"), order=0), text=text)
    assert lexicon.in_page(page) == lexicon.in_text(text)[0]


@given(ontologies())
def test_what_lies_within_a_concept_is_told_once(ontology: Ontology) -> None:
    below = narrower_of(ontology.concepts)
    for place in range(len(ontology.concepts)):
        found = within(place, below)
        assert found[0] == place
        assert len(found) == len(set(found))
        assert {lower for each in found for lower in below[each]} <= set(found)


@given(ontologies(), TEXTS, st.lists(TEXTS, max_size=4), st.booleans(), st.booleans())
def test_scores_lie_in_0_to_1(
    ontology: Ontology, text: str, anchors: list[str], idf: bool, metadata: bool
) -> None:
    links = tuple(
        Link(source=u("p"), target=u(f"t/{i}.rdf"), anchor=anchor) for i, anchor in enumerate(anchors)
    )
    page = msgspec.structs.replace(made_page(Request(url=u("p"), order=0), text=text), links=links)
    strategy = OntologyFocused(ontology, idf=idf, metadata=metadata, depth=2)
    for command in strategy.on_page(page, None):  # type: ignore[arg-type]
        assert isinstance(command, Enqueue)
        assert 0 <= command.score <= 1


@given(TEXTS, st.floats(0, 1), st.booleans())
def test_nothing_from_below_and_scores_are_similarities(text: str, threshold: float, is_start: bool) -> None:
    via = None if is_start else Link(source=u("s"), target=u("p"))
    page = made_page(Request(url=u("p"), order=0, via=via), u("x"), text=text)
    strategy = Wtms(None, Query(terms={STEMS[0]: 1, STEMS[1]: 2}), threshold=threshold)
    similarity = cosine(strategy.target, damped(page.terms))
    scores = [c.score for c in strategy.on_page(page, None) if isinstance(c, Enqueue)]  # type: ignore[arg-type]
    assert scores == ([similarity] if similarity >= threshold or is_start else [])
