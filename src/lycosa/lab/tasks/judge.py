"""Who knows the answers: targets, descriptions and labels. Crawlers get a brief and cannot reach the judge.

A brief holds nothing of the judge's, strategies cannot import this package, and a judge cannot be pickled: a process
that only runs crawls never holds one. Let crawls run in such a process and judge their trajectories in another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NoReturn

import numpy as np
from msgspec.structs import replace

from lycosa.compose.topic import TopicSource
from lycosa.crawl.inputs import WordFrequencies
from lycosa.lab.measures.metrics import (
    Floats,
    SearchLength,
    TermRows,
    distinct,
    first_hits,
    harvest_rate,
    mean_similarity,
    mean_similarity_by_rows,
    search_length,
    target_recall,
)
from lycosa.lab.measures.trajectory import Names, Trajectory
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.link_graph import Ints, Marks
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url, host_of
from lycosa.scoring.words.terms import Counts, counts
from lycosa.sources.words import related_words, word_frequencies
from lycosa.spec.tree import KnowledgeSpec


class Brief(Record, frozen=True, kw_only=True):
    """All that a crawler is told of its task: plain values, safe to hand to another process."""

    keywords: tuple[str, ...]
    seeds: tuple[Url, ...]
    examples: tuple[Mapping[str, int], ...] = ()
    """Term counts of example pages, for strategies that ask for examples."""
    related: Mapping[str, Mapping[str, float]] = {}
    """Of terms of the keywords, others that mean nearly the same."""
    frequencies: WordFrequencies | None = None
    """How common words are in the language of the web."""

    def source(self) -> TopicSource:
        """What the crawl's topic model and its strategy's inputs are made of."""
        return TopicSource(
            keywords=" ".join(self.keywords),
            examples=self.examples,
            related=self.related,
            given=() if self.frequencies is None else (self.frequencies,),
        )


def brief(
    task: Task, distance: int, examples: Sequence[Counts] = (), known: KnowledgeSpec | None = None
) -> Brief:
    """The brief for a crawl from the seeds at this distance. Raises `InputError` if the task has none there.

    Example pages are given as term counts by whoever read them; without them the crawler has keywords only, and what is
    `known` of words.
    """
    if not task.seeds.get(distance):
        there = ", ".join(map(str, task.seeds)) or "none"
        raise InputError(f"task {task.id!r} has no start pages at D = {distance} (it has: {there})")
    plain = Brief(keywords=task.keywords, seeds=task.seeds[distance], examples=tuple(map(dict, examples)))
    if known is None:
        return plain
    language = known.word_frequencies
    return replace(
        plain,
        related=_related(known, " ".join(task.keywords)),
        frequencies=_frequencies(language) if language else None,
    )


_related, _frequencies = cache(related_words), cache(word_frequencies)


class Judge:
    """Judges the trajectories of one task. `names` is the table by which their pages are numbered.

    Targets that the web lacks count: recall cannot be 1 without them.

    Invariants, each the name of a test:

    * out of reach: no strategy finds a judge, a target or the description by following what it is given.
    * stays where it is: a judge cannot be pickled.
    """

    def __init__(self, task: Task, distance: int, names: Names) -> None:
        self.task, self.distance = task, distance
        self._names = names
        self._targets = np.unique(names.numbers(task.wanted(distance)))
        self._relevant = np.unique(names.numbers((*task.on_topic(), *task.targets)))
        self._neutral = np.setdiff1d(names.numbers(task.examples), self._relevant)
        if not self._targets.size:
            raise InputError(
                f"task {task.id!r} has no targets but its start pages; nothing is left to be found"
            )

    def __reduce__(self) -> NoReturn:
        raise TypeError("a judge is not sent to those who are judged; send them the brief")

    def brief(self, examples: Sequence[Counts] = ()) -> Brief:
        return brief(self.task, self.distance, examples)

    def recall(self, crawl: Trajectory) -> Floats:
        """Target recall after each page."""
        return target_recall(self._pages(crawl), self._targets)

    def relevant(self, crawl: Trajectory) -> Marks:
        """Which pages of the crawl are the first visit to one that is on topic."""
        return first_hits(self._pages(crawl), self._relevant)

    def harvest(self, crawl: Trajectory) -> Floats:
        """Harvest rate after each page; example pages do not count, for or against."""
        neutral = np.isin(self._pages(crawl), self._neutral)
        return harvest_rate(self.relevant(crawl), neutral)

    def search_length(self, crawl: Trajectory, share: float) -> SearchLength:
        """The pages until this share of the targets was found."""
        return search_length(self.recall(crawl), share)

    def relevant_hosts(self, crawl: Trajectory) -> Ints:
        """How many hosts gave a page on topic, after each page."""
        numbers: dict[str, int] = {}
        hosts = [numbers.setdefault(host_of(url), len(numbers)) for url in crawl.names()]
        return distinct(np.array(hosts, dtype=np.int64), self.relevant(crawl))

    def similarity(
        self, crawls: Sequence[Trajectory], terms: Callable[[int], Counts] | TermRows
    ) -> list[Floats]:
        """Mean similarity to the hidden description, for crawls that are compared with each other.

        `terms` gives the counts of a page by its number, or has those of all pages in rows, which is faster.
        InputError if the task has no description.
        """
        described = counts(self.task.description)
        if not described:
            raise InputError(f"task {self.task.id!r} has no description to measure similarity to")
        pages = [self._pages(crawl) for crawl in crawls]
        if callable(terms):
            return mean_similarity(pages, described, terms)
        return mean_similarity_by_rows(pages, described, terms)

    def _pages(self, crawl: Trajectory) -> Ints:
        if crawl.urls is self._names.urls:
            return crawl.pages
        return self._names.numbers(crawl.names())
