"""Has the nodes of a shared crawl visit their pages again, the next time that it goes on."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from lycosa.crawls.place import running
from lycosa.model.errors import FolderError, InputError
from lycosa.sources.queries import QueryLog, keep_queries
from lycosa.spec.derived import is_recorded
from lycosa.spec.files import load, save
from lycosa.spec.tree import CrawlSpec, RevisitSpec
from lycosa.store.paths import SharedPaths


def plan_refresh(
    folder: Path, revisit: RevisitSpec, *, pages: int | None, seconds: float, log: QueryLog | None = None
) -> CrawlSpec:
    """Write down, for all nodes, that pages are visited again, and what the crawl now is. Each node visits those that
    it has.

    New pages are found up to the budget, `pages` in all (None: as before). Raises `FolderError` while somebody crawls
    here, and `InputError` for what a shared crawl cannot.
    """
    paths = SharedPaths(folder)
    spec = load(paths.specification, CrawlSpec)
    if (process := running(folder)) is not None:
        raise FolderError(f"{folder}: is in use by process {process}; stop it first: lycosa stop {folder}")
    if is_recorded(spec) and revisit.policy:
        raise InputError(
            f"{folder}: nodes that share a recorded web have times of their own, so its pages can be visited again "
            "once only: give --once"
        )
    changes = {"revisit": replace(revisit, grows=False), "seconds": seconds, "pages": pages or spec.pages}
    for node in paths.of_nodes().values():
        save(replace(load(node.specification, CrawlSpec), **changes), node.specification)
        if log is not None:
            keep_queries(log, node.inputs)
    save(changed := replace(spec, **changes), paths.specification)
    return changed
