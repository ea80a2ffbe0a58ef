"""Who of several crawlers sees to what. Pure: the same digest gives the same answers on every node."""

from __future__ import annotations

from typing import Protocol

from lycosa.crawl.housing import Housing
from lycosa.model.nodes import Handling, Members, Node
from lycosa.model.records import Page
from lycosa.model.url import Url


class Partition(Protocol):
    """Divides URLs, pages, or both among the members.

    Invariants, each the name of a property test:

    * one owner: `of_url` and `of_page` answer the same on every node, whoever asks.
    * only members: every answer is one of the members.
    """

    @property
    def name(self) -> str:
        """As it is written on the command line: ``host``, ``topic:transfer=urls``."""
        ...

    @property
    def digest(self) -> str:
        """What all nodes must agree on: its kind, its options, its model. Members are not part of it."""
        ...

    @property
    def routes(self) -> bool:
        """Whether links go to the owners of their URLs. False: they stay where they are found."""
        ...

    @property
    def handling(self) -> Handling:
        """What becomes of a page that another node owns."""
        ...

    def of_url(self, url: Url) -> Node:
        """Who fetches a URL; where links stay (`routes`), who begins with it, as a start page."""
        ...

    def of_page(self, page: Page, here: Node) -> Node:
        """Who owns a page that was fetched `here`."""
        ...

    def territory(self, url: Url) -> str:
        """What a URL moves with, when it moves to another node: its host, as a rule."""
        ...

    def housing(self) -> Housing | None:
        """The rule by which territories move from where this says to where they belong, new each time; None: they
        stay."""
        ...

    def among(self, members: Members) -> Partition:
        """The same partition among others."""
        ...
