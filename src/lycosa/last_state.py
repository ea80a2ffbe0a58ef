"""A crawl's strategy as it stood at the last checkpoint, to be asked about its work while another process crawls."""

from __future__ import annotations

from contextlib import closing

from lycosa.build import stopping_of
from lycosa.crawl.recall import Estimate
from lycosa.crawl.strategy import Strategy
from lycosa.crawl.topic import Learner, TopicModel
from lycosa.model.events import Snapshot
from lycosa.paths import Paths
from lycosa.registry import strategy
from lycosa.spec import CrawlSpec
from lycosa.store.frontier import DiskFrontier
from lycosa.topics import load_topic


def frontier_of(paths: Paths, spec: CrawlSpec) -> DiskFrontier:
    """The frontier of a crawl's folder, to look at; close it. Raises `FolderError` if there is none yet."""
    return DiskFrontier(paths.frontier, tie=spec.frontier.tie, seed=spec.seed, read_only=True)


def last_snapshot(paths: Paths, spec: CrawlSpec) -> Snapshot | None:
    with closing(frontier_of(paths, spec)) as frontier:
        return frontier.snapshot


def judging_faults(paths: Paths, spec: CrawlSpec) -> tuple[int, str]:
    """How many pages could not be judged, as of the last checkpoint, and what was wrong with the last of them."""
    snapshot = last_snapshot(paths, spec) if paths.frontier.exists() else None
    kept = {} if snapshot is None else snapshot.crawl.get("topic", {})
    return kept.get("faults", 0), kept.get("last fault", "")


def last_estimates(paths: Paths, spec: CrawlSpec) -> tuple[Estimate, ...]:
    """What share of the relevant pages was found, as of the last checkpoint. Raises `FolderError`."""
    snapshot = last_snapshot(paths, spec) if paths.frontier.exists() else None
    if snapshot is None or "stopping" not in snapshot.crawl:
        return ()
    stopping = stopping_of(spec, load_topic(paths).held_out)
    stopping.load(snapshot.crawl["stopping"])
    return stopping.estimates()


def last_topic(paths: Paths, spec: CrawlSpec) -> TopicModel:
    """The topic model with what it had learned. Raises `FolderError` for a folder that cannot be read."""
    made = load_topic(paths).model()
    snapshot = last_snapshot(paths, spec) if isinstance(made, Learner) and paths.frontier.exists() else None
    if snapshot is not None and isinstance(made, Learner) and "topic" in snapshot.crawl:
        made.load(snapshot.crawl["topic"])
    return made


def last_strategy(paths: Paths, spec: CrawlSpec) -> Strategy:
    """The strategy with what it had learned. Raises `FolderError` for a folder that cannot be read."""
    made = strategy(spec.strategy, load_topic(paths).inputs())
    snapshot = last_snapshot(paths, spec)
    if snapshot is not None:
        made.load(snapshot.strategy)
    return made
