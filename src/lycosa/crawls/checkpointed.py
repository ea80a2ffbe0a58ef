"""A crawl's folder as it stood at its last checkpoint, to be asked about its work while another process crawls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from lycosa.compose.parts import gate_of, order_of, schedule_of, stopping_of
from lycosa.compose.topic import TopicSource, load_topic
from lycosa.crawl.gate import Gate
from lycosa.crawl.ports import Schedule
from lycosa.crawl.recall import Estimate
from lycosa.crawl.strategy import Strategy
from lycosa.crawl.topic import Learner, TopicModel
from lycosa.crawls.work import facts_of
from lycosa.model.errors import FolderError, InputError
from lycosa.model.events import Snapshot
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.spec.registry import strategy
from lycosa.spec.tree import CrawlSpec
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.paths import Paths


class Checkpointed:
    """Frontier, strategy, topic model, gate and counts of the last checkpoint. Use it in a `with`, for one answer.

    Nothing is opened before it is asked for, and then once. Before the first checkpoint all is as at the start, and
    there is no frontier. What is asked for raises `FolderError` where the folder cannot be read.
    """

    def __init__(self, paths: Paths, spec: CrawlSpec) -> None:
        self._paths, self.spec = paths, spec
        self._opened: DiskFrontier | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._opened is not None:
            self._opened.close()

    @cached_property
    def frontier(self) -> DiskFrontier:
        """The frontier to look at; what changed since is not in it."""
        paths, spec = self._paths, self.spec
        if not paths.frontier.exists():
            raise FolderError(
                f"{paths.frontier}: there is no checkpoint; lycosa resume {paths.folder} makes one from the journal"
            )
        self._opened = DiskFrontier(paths.frontier, tie=spec.frontier.tie, seed=spec.seed, read_only=True)
        return self._opened

    @property
    def has_frontier(self) -> bool:
        """Whether there was a checkpoint."""
        return self._paths.frontier.exists()

    @cached_property
    def snapshot(self) -> Snapshot | None:
        return self.frontier.snapshot if self.has_frontier else None

    @cached_property
    def _source(self) -> TopicSource:
        return load_topic(self._paths)

    @cached_property
    def strategy(self) -> Strategy:
        """With what it had learned. `InputError` where its package is not installed."""
        made = strategy(self.spec.strategy, self._source.inputs())
        if (snapshot := self.snapshot) is not None:
            made.load(snapshot.strategy)
        return made

    @cached_property
    def topic(self) -> TopicModel:
        """With what it had learned."""
        made = self._source.model()
        if (
            isinstance(made, Learner)
            and (snapshot := self.snapshot) is not None
            and "topic" in snapshot.crawl
        ):
            made.load(snapshot.crawl["topic"])
        return made

    @cached_property
    def gate(self) -> Gate:
        made = gate_of(self.spec)
        if (snapshot := self.snapshot) is not None:
            made.load(snapshot.crawl["gate"])
        return made

    @cached_property
    def schedule(self) -> Schedule | None:
        """When pages are visited again; None: never."""
        made = schedule_of(self.spec)
        if made is not None and (snapshot := self.snapshot) is not None and "schedule" in snapshot.crawl:
            made.load(snapshot.crawl["schedule"])
        return made

    def due(self, url: Url) -> Millis | None:
        """When a page is to be visited again; None if it is not, or if nothing is kept of that."""
        return self.frontier.due(url) if self.has_frontier else None

    def due_by(self, now: Millis) -> tuple[int, Millis | None]:
        """How many pages are due to be visited again, and when the next one will be; 0 and None where nothing is kept
        of that."""
        return self.frontier.due_by(now) if self.has_frontier else (0, None)

    @property
    def window(self) -> int:
        """Up to how many better ones a link is in turn."""
        made = order_of(self.spec)
        if (snapshot := self.snapshot) is not None and "order" in snapshot.crawl:
            made.load(snapshot.crawl["order"])
        return made.window

    def estimates(self) -> tuple[Estimate, ...]:
        """What share of the relevant pages was found."""
        snapshot = self.snapshot
        if snapshot is None or "stopping" not in snapshot.crawl:
            return ()
        stopping = stopping_of(self.spec, self._source.held_out)
        stopping.load(snapshot.crawl["stopping"])
        return stopping.estimates()

    def facts(self) -> Mapping[str, Any]:
        """What is told of the crawl's work, as `lycosa.crawls.work` has it, which was not noted of this checkpoint."""
        try:
            told = self.strategy.facts()
        except InputError:  # its package is not installed
            told = {}
        names = () if self.gate.aliases is None else self.gate.aliases.facts()
        return facts_of(told, {} if self.snapshot is None else self.snapshot.crawl, names)
