"""Where things lie in a crawl folder."""

from __future__ import annotations

import re
from pathlib import Path


class Paths:
    """The names in a crawl folder; see `docs/reference/folder.md`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.specification = folder / "crawl.toml"
        self.topic = folder / "topic.json"
        self.journal = folder / "journal.db"
        self.frontier = folder / "frontier"
        self.archive = folder / "archive"
        self.index = folder / "index" / "text.db"
        self.dns = folder / "dns.jsonl"
        self.report = folder / "report.html"


def folder_name(words: str) -> str:
    """A name for a folder, made of the topic: letters and digits joined by hyphens, at most 40 signs."""
    return "-".join(re.findall(r"\w+", words.lower()))[:40].strip("-") or "crawl"
