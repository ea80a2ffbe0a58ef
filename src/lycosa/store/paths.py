"""Where things lie in a crawl folder."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

LONGEST_NAME = 60


class Paths:
    """The names in a crawl folder; see `docs/reference/folder.md`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.specification = folder / "crawl.toml"
        self.topic = folder / "topic.json"
        self.inputs = folder / "inputs"
        self.journal = folder / "journal.db"
        self.inbox = folder / "inbox.jsonl"
        self.verdicts = folder / "judge.jsonl"
        self.frontier = folder / "frontier"
        self.archive = folder / "archive"
        self.index = folder / "index" / "text.db"
        self.dns = folder / "dns.jsonl"
        self.report = folder / "report.html"


def folder_name(topic: str) -> str:
    """A name for a crawl's folder, made of its topic: `Numerical Analysis` gives `numerical-analysis`."""
    plain = unicodedata.normalize("NFKD", topic).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    name = ""
    for word in words:
        if name and len(name) + 1 + len(word) > LONGEST_NAME:
            break
        name = f"{name}-{word}" if name else word[:LONGEST_NAME]
    return name or "crawl"
