"""Opens the folder of a crawl to look at, whoever wrote it."""

from __future__ import annotations

from pathlib import Path

from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.interface import Folder
from lycosa.store.paths import is_shared


def open_folder(path: Path | str) -> Folder:
    """The folder of a crawl, or that of one that several nodes share. Raises `FolderError` if there is none, or one of
    a newer version."""
    if not is_shared(Path(path)):
        return CrawlFolder.open(path)
    from lycosa.crawls.shared.folder import SharedFolder

    return SharedFolder.open(path)
