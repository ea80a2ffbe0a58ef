"""The link graph around a URL: what links to it, what it links to, and so on, with hubs and authorities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from lycosa.crawls.answers import GraphLink, GraphNode, LinkGraph
from lycosa.model.errors import InputError
from lycosa.model.records import UrlState
from lycosa.model.url import Url
from lycosa.store.neighbours import Neighbours, Outcome

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_NODES: Final = 5_000
MOST_LINKS: Final = 20_000
"""Of an answer."""
LOOKED_UP: Final = 10_000
"""URLs of one ring of which it is found out what became of them: those that most of the pages before are linked with.
A ring around pages with a hundred links each has more URLs than can be shown, most of them linked once."""
STANDINGS: Final = {
    UrlState.PENDING: "waiting",
    UrlState.LEASED: "waiting",
    UrlState.ELSEWHERE: "elsewhere",
}
"""What is said of URLs that were not visited; of all others that they were found."""


class Part(NamedTuple):
    """One crawler's view of the graph; of a shared crawl there are several."""

    neighbours: Neighbours
    state: Callable[[Url], UrlState]
    """Where a URL stands, as of the last checkpoint."""


class _Node(NamedTuple):
    url: Url
    """By which it is known: that was asked for, of a page."""
    distance: int
    outcome: Outcome | None
    place: int = 0
    """Of the part that has it."""

    @property
    def is_page(self) -> bool:
        return self.outcome is not None and self.outcome.is_page

    @property
    def names(self) -> Iterator[Url]:
        return iter((self.url,)) if self.outcome is None else self.outcome.names


def around(url: Url, depth: int, most: int, parts: Sequence[Part]) -> LinkGraph:
    """The neighbourhood of a URL, up to `depth` links away in either direction, at most `most` nodes.

    The nearest come first; of equally near ones pages by their relevance, then other URLs by how many of the nodes
    before them they are linked with. Raises `InputError` for a URL that the crawl did not visit and no page links to.
    """
    graph = _Graph(parts)
    nodes, left_out, unseen = graph.gathered(url, depth, min(most, MOST_NODES))
    if len(nodes) == 1 and nodes[0].outcome is None:
        raise InputError(f"{url}: the crawl did not visit it, and no page of it links to it")
    links, out = graph.links(nodes)
    shown = _chosen(links, nodes)
    hubs, authorities = _hubs_and_authorities(len(nodes), links)
    return LinkGraph(
        url=nodes[0].outcome.final_url if nodes[0].outcome is not None else url,
        depth=depth,
        nodes=tuple(
            graph.told(node, out.get(number, 0), hubs[number], authorities[number])
            for number, node in enumerate(nodes)
        ),
        links=tuple(shown),
        nodes_left_out=left_out,
        links_left_out=len(links) - len(shown),
        not_looked_up=unseen,
    )


class _Graph:
    """The parts as one graph. What was looked up is kept, for one answer."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._known: dict[Url, tuple[int, Outcome] | None] = {}
        for part in parts:
            part.neighbours.catch_up()

    # -- which nodes -----------------------------------------------------------------------------------------

    def gathered(self, url: Url, depth: int, most: int) -> tuple[list[_Node], int, int]:
        """The nodes, how many there were besides, and how many URLs were not looked at closely."""
        self._look_up([url])
        nodes = [self._node(url, 0)]
        there, left_out, unseen = {nodes[0].url}, 0, 0
        ring = nodes[:1]
        for distance in range(1, depth + 1):
            touched = Counter(self._touched(ring))
            asked = [name for name, _ in touched.most_common(LOOKED_UP)]
            unseen += len(touched) - len(asked)
            self._look_up(asked)
            found: dict[Url, _Node] = {}
            weight: Counter[Url] = Counter()
            for name in asked:
                node = self._node(name, distance)
                if node.url not in there:
                    found[node.url] = node
                    weight[node.url] += touched[name]
            ranked = sorted(found.values(), key=lambda node: _rank(node, weight[node.url]))
            ring = ranked[: max(0, most - len(nodes))]
            left_out += len(ranked) - len(ring)
            nodes += ring
            there.update(found)
            if not ring or left_out:
                break
        return nodes, left_out, unseen

    def _touched(self, ring: Sequence[_Node]) -> Iterator[Url]:
        """URLs with a link to or from nodes, as often as there is one."""
        for _, targets in self._targets(ring):
            yield from targets
        for node in ring:
            yield from self.linking(node)

    def linking(self, node: _Node) -> Iterable[Url]:
        """The pages that link to a node."""
        names = list(node.names)
        return dict.fromkeys(url for part in self._parts for url in part.neighbours.linking(names))

    def _look_up(self, urls: Iterable[Url]) -> None:
        asked = [url for url in urls if url not in self._known]
        self._known.update(dict.fromkeys(asked))
        for place, part in enumerate(self._parts):
            for name, outcome in part.neighbours.outcomes(asked).items():
                known = self._known[name]
                if known is None or outcome.worth[:2] >= known[1].worth[:2]:
                    self._known[name] = place, outcome

    def _node(self, name: Url, distance: int) -> _Node:
        known = self._known[name]
        if known is None:
            return _Node(name, distance, None)
        return _Node(known[1].url, distance, known[1], known[0])

    # -- which links -----------------------------------------------------------------------------------------

    def _targets(self, nodes: Iterable[_Node]) -> Iterator[tuple[Url, Sequence[Url]]]:
        pages = [node for node in nodes if node.is_page]
        for place, part in enumerate(self._parts):
            own = [node.outcome for node in pages if node.place == place and node.outcome is not None]
            for outcome, targets in part.neighbours.targets(own):
                yield outcome.url, targets

    def links(self, nodes: Sequence[_Node]) -> tuple[list[GraphLink], dict[int, int]]:
        """The links among nodes, each once, and to how many URLs each page links in all."""
        number = {name: place for place, node in reversed(list(enumerate(nodes))) for name in node.names}
        number.update((node.url, place) for place, node in enumerate(nodes))
        found: dict[tuple[int, int], None] = {}
        out: dict[int, int] = {}
        for url, targets in self._targets(nodes):
            source = number[url]
            out[source] = len(targets)
            for target in targets:
                to = number.get(target)
                if to is not None and to != source:
                    found[source, to] = None
        return [GraphLink(source=source, target=target) for source, target in sorted(found)], out

    # -- what is told ----------------------------------------------------------------------------------------

    def told(self, node: _Node, out: int, hub: float, authority: float) -> GraphNode:
        outcome = node.outcome
        return GraphNode(
            url=node.url if outcome is None else outcome.final_url,
            title="" if outcome is None else outcome.title,
            state=self._state(node),
            reason="" if outcome is None else outcome.reason,
            relevance=outcome.relevance if outcome is not None and outcome.is_page else None,
            distance=node.distance,
            in_links=sum(1 for _ in self.linking(node)),
            out_links=out,
            hub=hub,
            authority=authority,
        )

    def _state(self, node: _Node) -> str:
        if node.outcome is not None:
            return "page" if node.is_page else "failed"
        states = {STANDINGS.get(part.state(node.url), "found") for part in self._parts}
        return next(state for state in ("waiting", "elsewhere", "found") if state in states)


def _rank(node: _Node, weight: int) -> tuple[bool, float, int, Url]:
    relevance = node.outcome.relevance if node.outcome is not None and node.outcome.is_page else 0.0
    return not node.is_page, -relevance, -weight, node.url


def _chosen(links: Sequence[GraphLink], nodes: Sequence[_Node]) -> Sequence[GraphLink]:
    """At most so many links as an answer has: those between rings before those within one, the nearest first."""
    if len(links) <= MOST_LINKS:
        return links

    def far(link: GraphLink) -> tuple[bool, int]:
        ends = nodes[link.source].distance, nodes[link.target].distance
        return ends[0] == ends[1], min(ends)

    return sorted(sorted(links, key=far)[:MOST_LINKS], key=lambda link: (link.source, link.target))


def _hubs_and_authorities(n: int, links: Sequence[GraphLink]) -> tuple[Sequence[float], Sequence[float]]:
    """Kleinberg's scores within the neighbourhood, as shares of the largest."""
    if not links:
        return [0.0] * n, [0.0] * n
    from lycosa.scoring.graphs.analysis import hits

    authorities, hubs = hits(_matrix(n, links), tolerance=1e-10, rounds=200)
    return (hubs / hubs.max()).round(6).tolist(), (authorities / authorities.max()).round(6).tolist()


def _matrix(n: int, links: Sequence[GraphLink]) -> csr_array:
    from scipy.sparse import csr_array

    rows, columns = [link.source for link in links], [link.target for link in links]
    return csr_array(([1.0] * len(links), (rows, columns)), shape=(n, n))
