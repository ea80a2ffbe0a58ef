"""A crawl's topic: made from words and example pages once, kept in the folder as what it was made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from lycosa.crawl.inputs import Examples, Input, WordFrequencies
from lycosa.crawl.topic import Learner, TopicModel
from lycosa.model.decoding import from_json
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Page, Record
from lycosa.model.url import Url, host_of
from lycosa.read.language_names import language_code
from lycosa.scoring.topics.guarded import Guarded
from lycosa.scoring.topics.keywords import MixedTopic, topic_model
from lycosa.scoring.words.terms import counts
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.sources.kinds import (
    KINDS,
    Kind,
    judges,
    judging_kinds,
    load_inputs,
    read_inputs,
    save_inputs,
)
from lycosa.sources.reading import Reading
from lycosa.sources.words import related_words
from lycosa.spec.derived import start_url
from lycosa.spec.files import write_whole
from lycosa.spec.tree import CrawlSpec
from lycosa.store.paths import Paths, folder_name

FEW = 5
"""Held-out examples below which a person is told that they are few: of 4, all found, recall is from 51 % up."""


class TopicSource(Record, frozen=True, kw_only=True):
    """All that a topic model is made of: examples as term counts, so that no page has to be fetched again.

    What judges by itself (a taxonomy, an ontology, a model, a predicate, a function) judges alone, several of them in
    equal parts; words and examples are then for strategies that ask for them.
    """

    keywords: str = ""
    description: str = ""
    examples: tuple[Mapping[str, int], ...] = ()
    languages: tuple[str, ...] = ()
    start_pages: Mapping[str, int] = {}
    """Term counts of all start pages together, if they count as about the topic."""
    weighting: Literal["tf", "tf-idf"] = "tf"
    on_fault: Literal["go-on", "halt"] = "go-on"
    related: Mapping[str, Mapping[str, float]] = {}
    """Of terms of the keywords, others that mean nearly the same, by the share of the term that they count for."""
    given: tuple[Input, ...] = ()
    """What was given besides; in files of their own in the crawl's folder."""
    held_out: tuple[tuple[Url, ...], ...] = ()
    """Example pages that neither the topic model nor a strategy is told of, each by all its names."""

    def model(self, table: Mapping[type[Input], Kind] = KINDS) -> TopicModel:
        """Raises `InputError` if there is nothing to go by."""
        found = judges(self.given, table)
        if len(found) > 1:
            model: TopicModel = MixedTopic({name: (1.0, judge) for name, judge in found.items()})
        elif found:
            (model,) = found.values()
        else:
            model = topic_model(
                self.keywords,
                self.description,
                self.examples,
                start_pages=self.start_pages,
                running=self.weighting == "tf-idf",
                related=self.related,
                shares=next((each.shares for each in self.given if isinstance(each, WordFrequencies)), None),
            )
        if self.languages:
            model = InLanguages(model, self.languages)
        return Guarded(model, halt=self.on_fault == "halt") if found else model

    def inputs(self) -> tuple[Input, ...]:
        """What the topic offers to strategies that need more than a page's relevance."""
        words = TopicWords.read(self.keywords, self.description)
        query = (replace(words.query(), related=self.related),) if words.terms else ()
        examples = (Examples(pages=self.examples),) if self.examples else ()
        return (*query, *examples, *self.given)


class InLanguages:
    """A topic for pages in given languages: a page in any other has relevance 0, one in an unknown is judged."""

    def __init__(self, topic: TopicModel, languages: tuple[str, ...]) -> None:
        self._topic, self._languages = topic, frozenset(languages)

    def relevance(self, page: Page) -> float:
        return self._topic.relevance(page) if self._fits(page) else 0.0

    def explain(self, page: Page) -> Mapping[str, float]:
        return self._topic.explain(page) if self._fits(page) else {f"language {page.language}": 0.0}

    def observe(self, page: Page) -> None:
        if isinstance(self._topic, Learner):
            self._topic.observe(page)

    def mark(self, page: Page, good: bool | None) -> None:
        if isinstance(self._topic, Learner):
            self._topic.mark(page, good)

    def save(self) -> Mapping[str, Any]:
        return self._topic.save() if isinstance(self._topic, Learner) else {}

    def load(self, state: Mapping[str, Any]) -> None:
        if isinstance(self._topic, Learner):
            self._topic.load(state)

    def _fits(self, page: Page) -> bool:
        return not page.language or page.language in self._languages


async def topic_source(
    reading: Reading, asked: Iterable[type[Input]] = (), table: Mapping[type[Input], Kind] = KINDS
) -> TopicSource:
    """Read what the topic names: examples, what judges pages, and the kinds of input that the strategy `asked` for.

    Raises `InputError` for what cannot be had, and for a topic with nothing to judge by.
    """
    topic = reading.topic
    # Word frequencies are read whether or not the strategy asks: pages may be judged by them.
    at_once: list[type[Input]] = [*judging_kinds(table), WordFrequencies]
    examples = [await reading.page(example) for example in topic.examples]
    source = TopicSource(
        keywords=" ".join(topic.keywords),
        description=topic.description,
        examples=tuple(dict(page.terms) for page in examples),
        languages=tuple(map(language_code, topic.languages)),
        start_pages=await _start_pages(reading) if topic.like_start_pages else {},
        weighting=topic.weighting,
        on_fault=topic.on_fault,
        related=related_words(topic.knowledge, " ".join(topic.keywords)),
        given=tuple(await read_inputs(reading, at_once, table)),
    )
    reading.model = source.model(table)
    if source.keywords and not judges(source.given, table) and not counts(source.keywords):
        reading.notes.append(
            f"the topic {source.keywords!r} has only words that most pages have; give more telling ones, or --like"
        )
    others = [kind for kind in asked if kind not in at_once]
    given = (*source.given, *await read_inputs(reading, others, table))
    held_out = await reading.held_out()
    if topic.hold_out and len(held_out) < FEW:
        reading.notes.append(
            f"{len(held_out)} example pages are held out, too few to tell recall by; give more by URL, with --like"
        )
    return replace(source, given=given, held_out=held_out)


async def _start_pages(reading: Reading) -> Mapping[str, int]:
    """All start pages that can be had, as one text (Pant, Srinivasan and Menczer 2004, section 4.1, measure 3)."""
    total: Counter[str] = Counter()
    problem = "the crawl has none"
    for url in reading.seeds:
        try:
            total.update((await reading.page(url)).terms)
        except InputError as error:
            problem = str(error)
    if not total:
        raise InputError(f"no start page to compare with: {problem}")
    return dict(total)


def save_topic(source: TopicSource, paths: Paths) -> None:
    """Write the topic into a crawl's folder, what was given besides first. Raises `OSError`."""
    save_inputs(source.given, paths.inputs)
    words = msgspec.json.encode(replace(source, given=()))
    write_whole(paths.topic, msgspec.json.format(words, indent=1))


def load_topic(paths: Paths) -> TopicSource:
    """What `save_topic` wrote. Raises `FolderError`."""
    try:
        words = from_json(paths.topic.read_bytes(), TopicSource)
    except (OSError, msgspec.MsgspecError) as error:
        raise FolderError(f"{paths.topic}: the crawl's topic cannot be read: {error}") from None
    return replace(words, given=tuple(load_inputs(paths.inputs)))


def default_folder(spec: CrawlSpec) -> Path:
    """Where a crawl goes that was told no place: a folder of the current one, named after the topic's words, else after
    the host of its first start page."""
    topic = spec.topic
    words = " ".join(topic.keywords) or topic.description or " ".join((*topic.good, *topic.focus))
    return Path(folder_name(words or (host_of(start_url(spec.seeds[0])) if spec.seeds else "")))
