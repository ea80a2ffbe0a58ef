"""What the nodes of a shared crawl tell one another now and then, besides links and pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from lycosa.model.nodes import Node
from lycosa.model.records import Page
from lycosa.model.url import Url


class Telling(Protocol):
    """One kind of such news. Pure; what it tells and hears are plain values that may come late, or twice."""

    @property
    def every(self) -> int:
        """After so many pages each node tells what it has to tell."""
        ...

    def see(self, page: Page, owner: Callable[[Url], Node], here: Node) -> None:
        """A page was fetched here, for the first time."""
        ...

    def tell(self, owner: Callable[[Url], Node], here: Node) -> Mapping[Node, Any]:
        """What each other node is to be told now."""
        ...

    def hear(self, sender: Node, told: Any) -> None:
        """Another node told something."""
        ...

    def moved(self) -> None:
        """URLs may have other owners than they had."""
        ...

    def save(self) -> Mapping[str, Any]: ...
    def load(self, state: Mapping[str, Any]) -> None: ...
