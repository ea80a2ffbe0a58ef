"""What the strategy of an earlier crawl had learned by its last checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from lycosa.crawl.inputs import Experience
from lycosa.model.errors import FolderError, InputError
from lycosa.model.events import Snapshot
from lycosa.sources.reading import Reading
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.paths import Paths

ADVICE = "give the folder of an earlier crawl with --learn-from"


async def read_experience(reading: Reading) -> Experience | None:
    """Raises `InputError` for a folder that is no crawl, or one that ended before its first checkpoint."""
    if not reading.topic.learn_from:
        return None
    if len(reading.topic.learn_from) > 1:
        named = ", ".join(reading.topic.learn_from)
        raise InputError(f"{named}: a strategy goes on from one earlier crawl; give --learn-from once")
    return experience_of(Path(reading.topic.learn_from[0]))


def experience_of(folder: Path) -> Experience:
    """The saved state of a crawl's strategy, without that of wrappers around it. Raises `InputError`."""
    paths = Paths(folder)
    if not paths.specification.exists():
        raise InputError(f"{folder}: no crawl here to learn from; {ADVICE}")
    spec = load(paths.specification, CrawlSpec)
    snapshot = _last_snapshot(paths, spec)
    if snapshot is None or not snapshot.step:
        raise InputError(f"{folder}: the crawl there had learned nothing yet; {ADVICE} that has some pages")
    state: Mapping[str, Any] = snapshot.strategy
    while "inner" in state:
        state = state["inner"]
    return Experience(strategy=_inmost(spec.strategy), state=state)


def _last_snapshot(paths: Paths, spec: CrawlSpec) -> Snapshot | None:
    try:
        frontier = DiskFrontier(paths.frontier, tie=spec.frontier.tie, seed=spec.seed, read_only=True)
    except FolderError as error:
        raise InputError(f"{paths.folder}: nothing can be learned from it: {error}") from None
    with closing(frontier):
        return frontier.snapshot


def _inmost(specification: str) -> str:
    """`intelligent:t=3+batches:n=4` gives `intelligent`."""
    return specification.partition("+")[0].partition(":")[0].strip()
