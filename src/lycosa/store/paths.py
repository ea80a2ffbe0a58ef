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
        self.sorted = folder / "index" / "sorted.db"
        self.clusters = folder / "index" / "clusters"
        self.papers = folder / "index" / "papers.db"
        self.dns = folder / "dns.jsonl"
        self.report = folder / "report.html"
        self.requisites = folder / "requisites.jsonl"
        self.outlook = folder / "outlook.json"
        self.watched = folder / "outlook.watched"
        self.log = folder / "crawl.log"


class SharedPaths(Paths):
    """The names in the folder of a crawl that several nodes share; each node has a folder of its own in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.specification = folder / "cluster.toml"
        self.members = folder / "members.json"
        self.nodes = folder / "nodes"

    def node(self, name: str) -> Paths:
        """The folder of one node."""
        return Paths(self.nodes / name)

    def of_nodes(self) -> dict[str, Paths]:
        """The folders of all nodes that have begun, by name: those that left, too. `n2` comes before `n10`."""
        found = [path for path in self.nodes.glob("*") if Paths(path).journal.exists()]
        return {path.name: Paths(path) for path in sorted(found, key=lambda path: by_numbers(path.name))}


def is_shared(folder: Path) -> bool:
    """Whether this is the folder of a crawl that several nodes share."""
    return SharedPaths(folder).specification.exists()


def node_at(folder: Path) -> str:
    """The name of the node whose folder this is; empty if it is not that of a node of a shared crawl."""
    place = folder.absolute()
    return place.name if place.parent.name == "nodes" and is_shared(place.parent.parent) else ""


def paths_of(folder: Path) -> Paths:
    """The names in a crawl's folder, shared or not."""
    return SharedPaths(folder) if is_shared(folder) else Paths(folder)


def crawlers_in(folder: Path) -> list[Paths]:
    """The folders that one crawler each writes to: of a shared crawl those of its nodes, else the folder itself."""
    return list(SharedPaths(folder).of_nodes().values()) if is_shared(folder) else [Paths(folder)]


def by_numbers(name: str) -> list[tuple[bool, int, str]]:
    """To sort names as people do: numbers in them by their size."""
    parts = re.findall(r"\d+|\D+", name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


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
