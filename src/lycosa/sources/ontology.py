"""Ontologies from OWL, RDF Schema and SKOS files: Turtle, RDF/XML, JSON-LD and N-Triples."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lycosa.crawl.inputs import Concept, Ontology
from lycosa.model.errors import InputError
from lycosa.read.language_names import language_code
from lycosa.scoring.words.stopwords import ENGLISH
from lycosa.scoring.words.terms import PLAIN
from lycosa.sources.reading import Reading

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node, URIRef

    Broader = dict[URIRef, dict[URIRef, None]]

FORMATS = {".nt": "nt", ".n3": "n3", ".jsonld": "json-ld", ".json": "json-ld"}
"""Where the first signs do not tell a format, the file's ending does; else it is taken as Turtle."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d\w*")
_PARTS_OF_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_OPAQUE = re.compile(r"\d")
_SOME = 6
"""So many names are told where somebody has to choose one."""


class OntologyFile(NamedTuple):
    """What was read, and what a person should know of it, a line each."""

    ontology: Ontology
    warnings: list[str]


async def read_ontology(reading: Reading) -> Ontology | None:
    """The ontology that the topic names, with its focus. Raises `InputError` for what cannot be used."""
    topic = reading.topic
    if not topic.ontology:
        if topic.focus:
            raise InputError(f"focus {topic.focus[0]!r}: there is no ontology; give one with --ontology FILE")
        return None
    found = ontology_in(Path(topic.ontology), topic.focus, topic.languages)
    reading.notes += found.warnings
    if not found.ontology.focus:
        some = ", ".join(concept.name for concept in found.ontology.concepts[:_SOME])
        raise InputError(
            f"{topic.ontology}: say which concepts the crawl is for with --focus, such as {some}"
        )
    return found.ontology


def ontology_in(path: Path, focus: Iterable[str] = (), languages: Sequence[str] = ()) -> OntologyFile:
    """Read an ontology. `focus` names concepts by name, label or IRI.

    Labels in other than these `languages` (codes or names; none: any) are passed over, those that say none are taken.

    Entities are classes, SKOS concepts and instances of the classes. Their labels are rdfs:label, skos:prefLabel,
    skos:altLabel and skos:hiddenLabel; one without any label goes by the words of its name. Broader are
    rdfs:subClassOf, skos:broader (or the inverse of skos:narrower) and, of an instance, its classes. Related are what
    any other property leads to: directly, by its domain and range, or by an OWL restriction.

    Raises `InputError` for a file that does not parse, has no concepts or no labels, and for a focus it does not
    know.
    """
    languages = [language_code(name) for name in languages]
    graph = _parsed(path)
    broader = _broader(graph)
    entities = _entities(graph, broader)
    if not entities:
        raise InputError(
            f"{path}: holds no classes and no concepts; give an OWL, RDF Schema or SKOS ontology"
        )
    labels, warnings = _labels(graph, entities, languages, path)
    related = _related(graph, entities)
    names = _names(graph, entities)
    concepts = tuple(
        Concept(
            name=names[entity],
            labels=tuple(labels[entity]),
            broader=tuple(names[other] for other in broader.get(entity, ()) if other in names),
            related=tuple(names[other] for other in related.get(entity, ())),
        )
        for entity in entities
    )
    if circle := _circle(concepts):
        warnings.append(f"{path}: is-a runs in a circle: {' → '.join(circle)}; it does no harm here")
    known = _known_as(graph, names)
    chosen = dict.fromkeys(name for wanted in focus for name in _chosen(wanted, known, path))
    return OntologyFile(Ontology(concepts=concepts, focus=tuple(chosen)), warnings)


# -- parsing -------------------------------------------------------------------------------------------------


def _parsed(path: Path) -> Graph:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"ontology {path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"ontology {path}: is not UTF-8 text (byte {error.start})") from None
    try:
        from rdflib import Graph
    except ImportError:
        raise InputError(
            "ontologies need rdflib, which is not installed: pip install 'lycosa[ontology]'"
        ) from None
    kind = _format(text, path)
    if kind == "json-ld":
        _refuse_context_elsewhere(text, path)
    graph = Graph(bind_namespaces="none")
    try:
        graph.parse(data=text, format=kind, publicID=path.resolve().as_uri())
    except Exception as error:  # rdflib's parsers raise whatever they meet
        what = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"ontology {path}: is no {kind} that can be read: {what[:200]}") from None
    return graph


def _format(text: str, path: Path) -> str:
    start = text.lstrip()[:100]
    if re.match(r"<\?xml|<!DOCTYPE|<!--|<(rdf:)?RDF\b", start):
        return "xml"
    if start.startswith(("{", "[")) and not start.startswith("[]"):
        return "json-ld"
    return FORMATS.get(path.suffix.lower(), "turtle")


def _refuse_context_elsewhere(text: str, path: Path) -> None:
    """Reading a file must not fetch anything: a JSON-LD context has to stand in it."""
    try:
        tree = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InputError(f"ontology {path}: is not JSON: {error}") from None
    for context in _contexts(tree):
        if isinstance(context, str):
            raise InputError(
                f"ontology {path}: takes its @context from {context}; write the context into the file, or use Turtle"
            )


def _contexts(tree: Any) -> Iterator[Any]:
    """Every context of a JSON-LD document, lists of contexts one by one."""
    waiting = [tree]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            context = value.get("@context")
            yield from context if isinstance(context, list) else [context]
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


# -- entities and what is between them -------------------------------------------------------------------------


def _broader(graph: Graph) -> Broader:
    from rdflib import RDF, RDFS, SKOS, URIRef

    pairs = [
        *((s, o) for s, o in graph.subject_objects(RDFS.subClassOf)),
        *((s, o) for s, o in graph.subject_objects(SKOS.broader)),
        *((o, s) for s, o in graph.subject_objects(SKOS.narrower)),
    ]
    classes = {each for kind in _classes() for each in graph.subjects(RDF.type, kind)}
    classes |= {end for pair in graph.subject_objects(RDFS.subClassOf) for end in pair}
    pairs += [(s, o) for s, o in graph.subject_objects(RDF.type) if o in classes]
    broader: Broader = {}
    for narrow, broad in sorted(pairs):
        if not (isinstance(narrow, URIRef) and isinstance(broad, URIRef)) or narrow == broad:
            continue
        if not (_is_builtin(narrow) or _is_builtin(broad)):
            broader.setdefault(narrow, {})[broad] = None
    return broader


def _classes() -> tuple[URIRef, ...]:
    from rdflib import OWL, RDFS

    return (OWL.Class, RDFS.Class)


def _is_builtin(entity: Node) -> bool:
    from rdflib import OWL, RDF, RDFS, SKOS, XSD

    return str(entity).startswith(tuple(str(each) for each in (OWL, RDF, RDFS, SKOS, XSD)))


def _entities(graph: Graph, broader: Broader) -> list[URIRef]:
    """Classes, concepts and instances, sorted."""
    from rdflib import RDF, SKOS, URIRef

    found = {each for kind in (*_classes(), SKOS.Concept) for each in graph.subjects(RDF.type, kind)}
    found |= {*broader, *(broad for all_broader in broader.values() for broad in all_broader)}
    return sorted(each for each in found if isinstance(each, URIRef) and not _is_builtin(each))


def _related(graph: Graph, entities: Iterable[URIRef]) -> Broader:
    """What other relations lead to. Kept at one end: the measure follows them both ways."""
    from rdflib import OWL, RDF, RDFS, SKOS

    taxonomic = {RDF.type, RDFS.subClassOf, SKOS.broader, SKOS.narrower, SKOS.broaderTransitive}
    taxonomic |= {SKOS.narrowerTransitive, SKOS.inScheme, SKOS.topConceptOf, SKOS.hasTopConcept}
    known = {entity: entity for entity in entities}
    pairs: list[tuple[Node, Node]] = [(s, o) for s, p, o in graph if p not in taxonomic]
    for relation, domain in graph.subject_objects(RDFS.domain):
        pairs += [(domain, each) for each in graph.objects(relation, RDFS.range)]
    for entity, restriction in graph.subject_objects(RDFS.subClassOf):
        for how in (OWL.someValuesFrom, OWL.allValuesFrom, OWL.hasValue):
            pairs += [(entity, each) for each in graph.objects(restriction, how)]
    related: Broader = {}
    ends = [(known[s], known[o]) for s, o in pairs if s in known and o in known]  # type: ignore[index]
    for one, other in sorted(ends):
        if one != other:
            related.setdefault(one, {})[other] = None
    return related


def _names(graph: Graph, entities: Iterable[URIRef]) -> Mapping[URIRef, str]:
    """Each IRI as short as the file's own prefixes make it; the empty prefix is left out altogether."""
    prefixes = sorted(
        ((str(space), prefix) for prefix, space in graph.namespaces()), key=lambda item: -len(item[0])
    )
    names = {}
    for entity in entities:
        fitting = ((s, p) for s, p in prefixes if s and entity.startswith(s) and len(s) < len(entity))
        space, prefix = next(fitting, ("", ""))
        local = entity[len(space) :]
        names[entity] = f"{prefix}:{local}" if prefix else local
    return names


def _circle(concepts: Sequence[Concept]) -> list[str]:
    """One circle of is-a, its first concept again at its end; empty if there is none."""
    above = {concept.name: concept.broader for concept in concepts}
    done: set[str] = set()
    for start in above:
        way: dict[str, Iterator[str]] = {start: iter(above[start])} if start not in done else {}
        while way:
            at = next(reversed(way))
            name = next(way[at], None)
            if name is None:
                done.add(at)
                way.pop(at)
            elif name in way:
                names = list(way)
                return [*names[names.index(name) :], name]
            elif name in above and name not in done:
                way[name] = iter(above[name])
    return []


# -- words ---------------------------------------------------------------------------------------------------


def _labels(
    graph: Graph, entities: Sequence[URIRef], languages: Sequence[str], path: Path
) -> tuple[Mapping[URIRef, list[tuple[str, ...]]], list[str]]:
    """The stems of each entity's labels, and what to warn of."""
    wanted = {code.lower() for code in languages}
    labels: dict[URIRef, list[tuple[str, ...]]] = {}
    tongues: set[str] = set()
    unusable: list[str] = []
    for entity in entities:
        written = sorted(_written(graph, entity))
        tongues |= {language for _, language in written if language}
        texts = [text for text, language in written if not (wanted and language) or language in wanted]
        if not written and (name := words_of_name(entity)):
            texts = [name]
        stems = {text: stems_of(text) for text in texts}
        labels[entity] = list(dict.fromkeys(found for found in stems.values() if found))
        unusable += [text for text, found in stems.items() if not found]
    if not any(labels.values()):
        there = f"; its labels are in {', '.join(sorted(tongues))}" if tongues and wanted else ""
        raise InputError(
            f"ontology {path}: no concept has a label{there}; give rdfs:label or skos:prefLabel in words"
        )
    return labels, _warnings(labels, unusable, path)


def _warnings(
    labels: Mapping[URIRef, list[tuple[str, ...]]], unusable: Sequence[str], path: Path
) -> list[str]:
    told = []
    if mute := sum(1 for found in labels.values() if not found):
        told.append(f"{path}: {mute} of {len(labels)} concepts have no label that can be looked for")
    if unusable:
        some = ", ".join(repr(text) for text in sorted(unusable)[:3])
        told.append(
            f"{path}: labels with numbers, single letters or stop words only are not looked for, such as {some}"
        )
    return told


def _written(graph: Graph, entity: URIRef) -> Iterator[tuple[str, str]]:
    """The labels of an entity, each with its language (ISO 639-1, empty if it says none)."""
    from rdflib import RDFS, SKOS, Literal

    for kind in (RDFS.label, SKOS.prefLabel, SKOS.altLabel, SKOS.hiddenLabel):
        for label in graph.objects(entity, kind):
            if isinstance(label, Literal) and str(label).strip():
                yield str(label), (label.language or "").partition("-")[0].lower()


def stems_of(label: str) -> tuple[str, ...]:
    """A label as the stems of its words, stop words left out; empty if a word of it is one that texts are not counted
    by (a number, a single letter), for without that word it would mean something else.

    >>> stems_of("Climbing of mountains"), stems_of("Vitamin C")
    (('climb', 'mountain'), ())
    """
    stems = []
    for word in _WORD.findall(label):
        found = PLAIN.sequence(word)
        if not found and word.lower() not in ENGLISH:
            return ()
        stems += found
    return tuple(stems)


def words_of_name(iri: str) -> str:
    """The words of an identifier that is made of words; empty for one that is not.

    >>> words_of_name("http://a.test/sport#MountainBiking"), words_of_name("http://a.test/Q1234")
    ('Mountain Biking', '')
    """
    local = re.split(r"[#/]", iri.rstrip("#/"))[-1]
    return "" if _OPAQUE.search(local) else " ".join(_PARTS_OF_NAME.findall(local))


# -- the focus -----------------------------------------------------------------------------------------------


def _known_as(graph: Graph, names: Mapping[URIRef, str]) -> Mapping[str, list[str]]:
    """Names of concepts by all that a person may call them, in lower case."""
    known: dict[str, list[str]] = {}
    for entity, name in names.items():
        local = re.split(r"[#/]", str(entity).rstrip("#/"))[-1]
        for called in (name, str(entity), local, *(text for text, _ in _written(graph, entity))):
            found = known.setdefault(called.casefold(), [])
            if name not in found:
                found.append(name)
    return known


def _chosen(wanted: str, known: Mapping[str, list[str]], path: Path) -> list[str]:
    if (found := known.get(wanted.strip().casefold())) is not None:
        return found
    close = difflib.get_close_matches(wanted.casefold(), known, n=1, cutoff=0.5)
    if close:
        hint = f"did you mean {known[close[0]][0]!r}?"
    else:
        some = sorted({name for names in known.values() for name in names})[:_SOME]
        hint = f"there are: {', '.join(some)}, …"
    raise InputError(f"ontology {path}: has no concept {wanted!r}; {hint}")
