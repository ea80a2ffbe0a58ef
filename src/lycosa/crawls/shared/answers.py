"""What the folder of a shared crawl tells besides: which node it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lycosa.crawls.answers import Explanation, Hit, Mark, PageRow, Paper, Question, Status, Version
from lycosa.model.nodes import Node
from lycosa.model.records import Record
from lycosa.model.url import Url


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedRow(PageRow):
    """One page of a shared crawl as `export` writes it. Step and WARC file are those of its node."""

    node: Node
    """The node that has the page: in `nodes/NODE/archive` lies its record."""


class SharedHit(Hit, frozen=True, kw_only=True):
    """One answer of the full-text search; `rank` is by the words of all nodes, so that answers can be compared."""

    node: Node


class SharedPaper(Paper, frozen=True, kw_only=True):
    """A paper; `step` is that of its node. Who cites whom is told of all nodes together."""

    node: Node


class SharedVersion(Version, frozen=True, kw_only=True):
    node: Node


class SharedMark(Mark, frozen=True, kw_only=True):
    """A mark; `number` and `step` count those of its node."""

    node: Node


class SharedQuestion(Question, frozen=True, kw_only=True):
    node: Node


class NodeStatus(Record, frozen=True, kw_only=True):
    """How one node stands."""

    node: Node
    state: str
    ended: str
    process: int | None
    pages: int
    """Of the collection."""
    requests: int
    relevant: int
    failures: int
    pending: int
    exported: int
    """Pages that were fetched here and sent to others, as they are theirs."""
    imported: int
    """Pages that others fetched and sent here."""
    exported_links: int
    """Links that were sent without a page, as of the last checkpoint."""
    imported_links: int


class SharedStatus(Status, frozen=True, kw_only=True):
    """How a shared crawl stands: all nodes together, and each."""

    partition: str
    nodes: tuple[NodeStatus, ...]


class Leg(Record, frozen=True, kw_only=True):
    """How one node told another of a URL."""

    found_at: Node
    """The node that had the link, or the page."""
    step: int | None
    """Of that node: when it was sent. None if its journal is lost."""
    on: Url | None
    """The page on which the link stands."""
    parcel: int
    """The number of the parcel, which counts those from this node to the other."""
    to: Node
    taken_in: int
    """The step in which the other took it in."""
    whole: bool
    """Whether the page itself was sent, and not only a link to it."""


class SharedExplanation(Explanation, frozen=True, kw_only=True):
    """Everything a shared crawl can say about one URL. What has no node of its own is that of `node`."""

    node: Node | None
    """Who fetched it or is to; of a page that was sent to its owner: the owner, who has it. None: nobody knows it."""
    owner: Node | None
    """Who is to see to it, by the partition; None where that cannot be told before it was fetched."""
    fetched_by: tuple[Node, ...] = ()
    """All nodes that asked for it, with success or without."""
    came: tuple[Leg, ...] = ()
    """Parcels by which the node heard of it, the first first."""
    at_others: Mapping[str, str] = {}
    """By node, what else is known of it: `found`, `elsewhere`, `failed`, …"""
