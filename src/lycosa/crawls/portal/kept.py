"""Portals that are kept in this process, so that a folder that is opened again need not be read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from lycosa.crawls.portal.clustering import keep, learn_clusters
from lycosa.crawls.portal.columns import Shelf
from lycosa.crawls.portal.portal import Portal
from lycosa.store.full_text import TextIndex
from lycosa.store.paths import Paths

KEPT: Final = 4
"""Portals, the last that were asked for: some 50 MB for 100,000 pages each."""

_kept: dict[object, Portal] = {}
_lock = Lock()


def portal_of(crawlers: Sequence[Paths], shelves: Sequence[Shelf]) -> Portal:
    """The portal of the folders of some crawlers, as long as they are the same."""
    key = (tuple(map(_identity, crawlers)), tuple(shelves))
    with _lock:
        found = _kept.pop(key, None) or Portal(shelves)
        _kept[key] = found  # the last asked is the last to go
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
        return found


def learned(portal: Portal, indexes: Mapping[str, TextIndex], path: Path) -> int:
    """Learn clusters, keep them where that may be, and let the portal have them; how many there are."""
    found = learn_clusters(indexes)
    try:
        keep(found, path)
    except OSError:  # a folder that may not be written to: they last as long as this process
        portal.take_clusters(found)
    return len(found.labels)


def _identity(paths: Paths) -> tuple[str, int, int]:
    """Of a folder: another one in its place has another journal, or at least another specification."""
    return (
        str(paths.folder.resolve()),
        paths.journal.stat().st_ino,
        paths.specification.stat().st_mtime_ns,
    )
