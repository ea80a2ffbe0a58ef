"""What all partitions that can be named have in common."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, ClassVar, Final, Self

import msgspec

from lycosa.crawl.housing import Housing
from lycosa.crawl.partition import Partition
from lycosa.model.naming import parameters_of
from lycosa.model.nodes import Handling, Members, Node
from lycosa.model.records import Page
from lycosa.model.url import Url, host_of
from lycosa.sharing.rendezvous import Rendezvous

GIVEN: Final = frozenset({"members", "classes"})
"""What a constructor is given by other ways than `NAME:parameter=value,…`."""
_FORM: Final = 1
"""Of the hashes by which owners are chosen: another one is another digest."""


class Division(Partition, ABC):
    """Base of the partitions that can be named.

    A subclass's constructor takes the members, then its parameters as keywords with defaults, each of which it keeps
    under the same name; its docstring is its page in the manual. As it stands, URLs have owners, and a page is that
    node's who fetched it.
    """

    kind: ClassVar[str]
    """The name under which it is registered."""
    reference: ClassVar[str] = ""
    """The work that describes it."""
    model: str = ""
    """The digest of the model by which pages are told apart; empty: none."""

    def __init__(self, members: Members) -> None:
        self.members = members
        self._nodes = Rendezvous(members)

    @property
    def options(self) -> Mapping[str, Any]:
        """The parameters as they were chosen."""
        return {each.name: getattr(self, each.name) for each in parameters_of(type(self), GIVEN)}

    @property
    def name(self) -> str:
        default = {each.name: each.default for each in parameters_of(type(self), GIVEN)}
        told = [f"{name}={value}" for name, value in self.options.items() if value != default[name]]
        return ":".join(filter(None, (self.kind, ",".join(told))))

    @property
    def digest(self) -> str:
        told = msgspec.json.encode([_FORM, self.kind, dict(sorted(self.options.items())), self.model])
        return sha256(told).hexdigest()

    @property
    def routes(self) -> bool:
        return True

    @property
    def handling(self) -> Handling:
        return Handling.COPY

    def of_url(self, url: Url) -> Node:
        return self._nodes.owner(self.key(url))

    def key(self, url: Url) -> str:
        """What is hashed of a URL."""
        return self.territory(url)

    def of_page(self, page: Page, here: Node) -> Node:
        return here

    def territory(self, url: Url) -> str:
        return host_of(url)

    def housing(self) -> Housing | None:
        return None

    def among(self, members: Members) -> Self:
        return type(self)(members, **self.options)
