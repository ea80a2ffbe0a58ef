"""What a strategy may need to be given besides its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lycosa.model.records import Millis, Record
from lycosa.model.url import Url


class Input(Record, frozen=True, kw_only=True):
    """Base of all inputs. A strategy asks for one by a parameter of its constructor of that type (or that type or
    None, if it can do without); the crawl gives what the user's topic offers."""

    name: ClassVar[str] = ""
    """How the user knows it."""
    remedy: ClassVar[str] = ""
    """What to do when it is missing."""


class Query(Input, frozen=True, kw_only=True):
    """The topic in words: counts of their stems, stop words left out unless there are no others."""

    name: ClassVar[str] = "keywords"
    remedy: ClassVar[str] = "give the topic in words"

    terms: Mapping[str, int]
    stop_words: bool = False
    """All of them are stop words ("the who"): these count, and are to be counted in pages too."""
    related: Mapping[str, Mapping[str, float]] = {}
    """Of some of the terms, others that mean nearly the same, each with the share of the term that it counts for, above
    0 and below 1."""


class Examples(Input, frozen=True, kw_only=True):
    """Pages about the topic, each as the counts of its terms."""

    name: ClassVar[str] = "examples"
    remedy: ClassVar[str] = "give pages about the topic with --like"

    pages: tuple[Mapping[str, int], ...]


class WordFrequencies(Input, frozen=True, kw_only=True):
    """How common words are in a language, known before the first page is read."""

    name: ClassVar[str] = "word frequencies"
    remedy: ClassVar[str] = "name a language with --word-frequencies"

    shares: Mapping[str, float]
    """By term, the share of ordinary texts that hold it, in (0, 1]. A term that is not named is rarer than any."""


# -- what judges pages, and can be asked for by a strategy too ---------------------------------------------------


class Category(Record, frozen=True, kw_only=True):
    """One node of a taxonomy."""

    path: str
    """Names from below the root, joined by `/`: `Sports/Cycling`. The root's is empty."""
    examples: tuple[Mapping[str, int], ...] = ()
    """Term counts of pages that belong to it; those of the nodes below it belong to it as well."""


class Taxonomy(Input, frozen=True, kw_only=True):
    """A tree of categories, each with example pages, and which of them the crawl is for."""

    name: ClassVar[str] = "taxonomy"
    remedy: ClassVar[str] = "give a taxonomy with --taxonomy, and mark categories with --good"

    categories: tuple[Category, ...]
    """Every node after its parent, the root first."""
    good: tuple[str, ...]
    """Paths; none of them lies above another."""
    features: Annotated[int, msgspec.Meta(ge=1)] = 2000
    """Terms by which the children of one category are told apart, at most."""
    selection: Literal["fisher", "information-gain"] = "fisher"
    """How these terms are chosen."""
    textbook: bool = False
    """Whether every word of a page counts as evidence of its own; if not, √length words do."""


class Concept(Record, frozen=True, kw_only=True):
    """One entity of an ontology: a class, a concept of a scheme, or an instance."""

    name: str
    """Its identifier, as short as the ontology's prefixes make it."""
    labels: tuple[tuple[str, ...], ...] = ()
    """Its lexical entries, each the stems of its words in their order."""
    broader: tuple[str, ...] = ()
    """Names of its direct superclasses, broader concepts or, of an instance, its classes."""
    related: tuple[str, ...] = ()
    """Names of what other relations lead to, in either direction."""


class Ontology(Input, frozen=True, kw_only=True):
    """Concepts with their words and relations, and which of them the crawl is for."""

    name: ClassVar[str] = "ontology"
    remedy: ClassVar[str] = "give an ontology (OWL, RDF, SKOS) with --ontology, and concepts with --focus"

    concepts: tuple[Concept, ...]
    focus: tuple[str, ...]


class TrainedModel(Input, frozen=True, kw_only=True):
    """A classifier of pages that `lycosa topic train` made."""

    name: ClassVar[str] = "model"
    remedy: ClassVar[str] = "give a model made by `lycosa topic train` with --model"

    content: Mapping[str, Any]
    """Plain values, with their kind and format."""


class Pickled(Input, frozen=True, kw_only=True):
    """A scikit-learn pipeline with `predict_proba`, pickled by joblib or pickle. Loading one runs what is in it."""

    name: ClassVar[str] = "pickled model"
    remedy: ClassVar[str] = "give a pickled pipeline with --model, and --trust-model if you know who made it"

    file: str
    content: bytes


class Predicate(Input, frozen=True, kw_only=True):
    """What is true of pages on the topic, in words, patterns, classifiers, `and`, `or` and `not`."""

    name: ClassVar[str] = "predicate"
    remedy: ClassVar[str] = "give a predicate with --predicate"

    expression: str
    models: Mapping[str, Mapping[str, Any]] = {}
    """The contents of the model files that the expression names."""


class PythonFunction(Input, frozen=True, kw_only=True):
    """A function `page -> float` (or bool) of the user's own, by its dotted name."""

    name: ClassVar[str] = "function"
    remedy: ClassVar[str] = "give a function with --function package.module:name"

    dotted: str


# -- what strategies learn from ----------------------------------------------------------------------------------


class ContextGraph(Input, frozen=True, kw_only=True):
    """Pages about the topic and those that lead to them, by distance (Diligenti et al. 2000, sec. 2)."""

    name: ClassVar[str] = "back-links"
    remedy: ClassVar[str] = "give an earlier crawl, a recorded web or a file of back-links with --back-links"

    layers: tuple[tuple[Mapping[str, int], ...], ...]
    """Term counts of the pages of each layer; layer 0 is about the topic, layer l has the in-links of layer l - 1."""
    documents: int
    """Size of the reference corpus of the document frequencies."""
    frequencies: Mapping[str, int]
    """In how many of its documents each term of the layers occurs."""


class KnownLink(Record, frozen=True, kw_only=True, array_like=True):
    """A link of a graph that is known already, ends as places in its list of pages."""

    source: int
    target: int
    terms: Mapping[str, int]
    """Of the link's anchor, context and heading, and of its page's title."""


class KnownGraph(Input, frozen=True, kw_only=True):
    """Pages of an earlier crawl with their rewards, and the links between them."""

    name: ClassVar[str] = "earlier crawl"
    remedy: ClassVar[str] = "give an earlier crawl or a recorded web to learn from with --learn-from"

    pages: tuple[Url, ...]
    rewards: tuple[float, ...]
    """In [0, 1]: how good it is to arrive at each page."""
    links: tuple[KnownLink, ...]


class Experience(Input, frozen=True, kw_only=True):
    """What strategies of the same kind had learned at the end of an earlier crawl: their saved state."""

    name: ClassVar[str] = "experience"
    remedy: ClassVar[str] = "give the folder of an earlier crawl with --learn-from"

    strategy: str
    """The specification of the strategy that learned it."""
    state: Mapping[str, Any]


class PageView(Record, frozen=True, kw_only=True, array_like=True):
    """One page view of a visitor."""

    url: int
    """Place in the list of URLs."""
    at: Millis
    referrer: int = -1
    """Place in the list of URLs; -1: unknown."""


class UsageLog(Input, frozen=True, kw_only=True):
    """How visitors moved through sites, from web server or proxy logs: cleaned, and split into sessions."""

    name: ClassVar[str] = "logs"
    remedy: ClassVar[str] = (
        "give web server or proxy logs (Common, Combined or Squid's native format) with --log"
    )

    urls: tuple[Url, ...]
    users: tuple[int, ...]
    """The user of each session."""
    sessions: tuple[tuple[PageView, ...], ...]
    """In the order of their first views."""


class Ranking(Input, frozen=True, kw_only=True):
    """A ranking function of links that evolution found, as `lycosa evolve` saved it."""

    name: ClassVar[str] = "ranking"
    remedy: ClassVar[str] = "give a file made by `lycosa evolve` with --ranking"

    content: Mapping[str, Any]


class KnownPage(Record, frozen=True, kw_only=True):
    """One page of a page database."""

    url: Url
    score: float
    """In [0, 1], as the classifier that labelled it had it."""
    label: bool
    community: str = ""


class PageDatabase(Input, frozen=True, kw_only=True):
    """Pages that earlier searches found, best first."""

    name: ClassVar[str] = "page database"
    remedy: ClassVar[str] = "give a page database with --database"

    pages: tuple[KnownPage, ...]


# -- what only an experiment can know ----------------------------------------------------------------------------


class Importance(Input, frozen=True, kw_only=True):
    """How important each page truly is, judged on the whole web: for upper bounds, never for a crawler."""

    name: ClassVar[str] = "true importances"
    remedy: ClassVar[str] = "only an experiment on a recorded or generated web has them"

    values: Mapping[Url, float]
    """Of a page that is not named: 0."""
