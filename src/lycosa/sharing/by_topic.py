"""Partition by topic: X4, the collaborative crawler of Chung and Clarke."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal, Self

from lycosa.crawl.company import Company
from lycosa.model.nodes import Handling, Members, Node
from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.sharing.classes import Classes, OwnClasses
from lycosa.sharing.division import Division


class ByTopic(Division):
    """Each class of pages belongs to one node, and URLs to whoever finds them.

    When to use it: where each node's collection is to be of one subject, so that it can be searched, ranked and kept by
    itself. A page that turns out to be of another node's class is a boundary page. How much is sent thus depends on how
    much the classes link to one another, and not on the number of nodes. A URL that is linked to from several classes
    is fetched by each of their nodes.

    Of m classes each of n nodes has ⌊m/n⌋ or ⌈m/n⌉. A page whose class cannot be told stays where it was fetched.

    Parameters: `transfer`: `pages`, a boundary page goes to its owner, who keeps it and follows its links; `urls`, it
    stays, and only its links go there: far less to send, but the same text may be kept by several nodes. `order`:
    `found`, each queue in the order of the crawl's strategy; `focused`, those links first that stand on pages of the
    node's own classes.

    Cost: one classification a page, some 0.1 ms with the classes that lycosa trains.

    Invariants, each the name of a property test:

    * a page is at the node of its class: wherever it was fetched.
    * fair shares: each node has ⌊m w / Σ w⌋ or ⌈m w / Σ w⌉ of m classes.
    """

    kind = "topic"
    reference = "Chung and Clarke, Topic-oriented collaborative crawling, CIKM 2002, sections 4 to 6"

    def __init__(
        self,
        members: Members,
        classes: Classes,
        *,
        transfer: Literal["pages", "urls"] = "pages",
        order: Literal["found", "focused"] = "found",
    ) -> None:
        super().__init__(members)
        self.classes = classes
        self.transfer = transfer
        self.order = order

    @property
    def model(self) -> str:  # type: ignore[override]  # what the base has once, this one asks its classes for
        return self.classes.digest

    @property
    def routes(self) -> bool:
        return False

    @property
    def handling(self) -> Handling:
        return Handling.WHOLE if self.transfer == "pages" else Handling.LINKS

    @cached_property
    def owners(self) -> tuple[Node, ...]:
        """Whose each class is, in the order of their names."""
        dealt = self._nodes.dealt(self.classes.names)
        return tuple(dealt[name] for name in self.classes.names)

    def key(self, url: Url) -> str:
        return url  # of a start page: who begins with it

    def of_page(self, page: Page, here: Node) -> Node:
        of = self.classes.of(page)
        return here if of is None else self.owners[of]

    def among(self, members: Members) -> Self:
        return type(self)(members, self.classes, **self.options)

    def own(self, node: Node) -> OwnClasses:
        """The topic of a node: what it crawls for with `order=focused`."""
        return OwnClasses(self.classes, [i for i, owner in enumerate(self.owners) if owner == node])


class OwnTopic:
    """A crawl's topic where its queue is to be in the order of Pr(own class | parent): the classes that are the node's
    now, whoever joined or left."""

    def __init__(self, company: Company) -> None:
        """Of a company that shares by topic."""
        self._company = company

    def relevance(self, page: Page) -> float:
        return self._now.relevance(page)

    def explain(self, page: Page) -> Mapping[str, float]:
        return self._now.explain(page)

    @property
    def _now(self) -> OwnClasses:
        partition = self._company.partition
        assert isinstance(partition, ByTopic)
        return partition.own(self._company.here)
