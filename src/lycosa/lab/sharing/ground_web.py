"""A web that is only its links: pages without words, for clusters of whole crawls at full speed."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.crawl.ports import Clock
from lycosa.lab.sharing.ground import NONE, Ground
from lycosa.lab.sharing.rules import FINDER, Rules
from lycosa.model.nodes import Handling, Members, Node
from lycosa.model.records import Failure, Link, Millis, Page, Reason, Request
from lycosa.model.url import Url, host_of
from lycosa.web.recorded import modelled_latency


class GroundVisitor:
    """Visits the pages of a ground. Of each there are its links, and nothing to read."""

    def __init__(self, ground: Ground, clock: Clock, seed: int = 0) -> None:
        self._ground, self._clock, self._seed = ground, clock, seed
        self._urls = ground.urls

    async def __call__(self, request: Request) -> Page | Failure:
        number = self._ground.graph.number(request.url)
        if number is None or not self._ground.answers[number]:
            return Failure(request=request, reason=Reason.STATUS, status=404, at=self._clock.now())
        start, end = self._ground.graph.indptr[number : number + 2]
        targets = self._ground.graph.indices[start:end].tolist()
        url = request.url
        return Page(
            request=request,
            final_url=url,
            status=200,
            fetched_at=self._clock.now(),
            media_type="text/html",
            digest=f"sha1:{number}",
            title="",
            text="",
            links=tuple(Link(source=url, target=self._urls[to]) for to in targets),
        )

    def latency(self, url: Url) -> Millis:
        return modelled_latency(self._seed, url)


class ByRules:
    """A partition whose answers are looked up in the columns of `Rules`. Pages are known by their URLs, so that it needs
    no words."""

    def __init__(self, rules: Rules, ground: Ground, names: Sequence[Node]) -> None:
        self._rules, self._ground, self._names = rules, ground, tuple(names)
        self.name, self.digest = rules.name, ""
        self.routes = rules.of_url is not None

    @property
    def handling(self) -> Handling:
        return self._rules.handling

    def of_url(self, url: Url) -> Node:
        number = self._ground.graph.number(url)
        if number is None or self._rules.of_url is None:
            return self._names[0]
        return self._names[self._rules.of_url[number]]

    def of_page(self, page: Page, here: Node) -> Node:
        number = self._ground.graph.number(page.final_url)
        if number is None or self._rules.of_page is None:
            return here
        owner = int(self._rules.of_page[number])
        return here if owner == FINDER else self._names[owner]

    def territory(self, url: Url) -> str:
        return host_of(url)

    def among(self, members: Members) -> ByRules:
        """Itself: the columns are made for a number of nodes, which stays."""
        return self


class LabelClasses:
    """A class model that looks up what the ground says of a page's URL: it never errs, and needs no words."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.names, self.digest = ground.names, f"labels of {ground.name}"

    def of(self, page: Page) -> int | None:
        number = self._ground.graph.number(page.final_url)
        found = NONE if number is None else int(self._ground.classes[number])
        return None if found == NONE else found

    def posterior(self, page: Page) -> Sequence[float]:
        of = self.of(page)
        if of is None:
            return [1 / len(self.names)] * len(self.names)
        return [float(place == of) for place in range(len(self.names))]
