"""Where pages stand: the map of a crawl, a level at a time, and the links around a URL."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import msgspec

from lycosa.console.costly import Costly
from lycosa.console.desk import Desk
from lycosa.console.rest.operation import OfCrawl, Operation
from lycosa.crawls.answers import LinkGraph
from lycosa.crawls.graph import MOST_NODES
from lycosa.crawls.interface import Folder
from lycosa.uses.map.levels import LEVEL, Asked, By, Level, Tree
from lycosa.uses.map.places import map_of
from lycosa.watch.standing import journals

DEEPEST = 4
Text = Annotated[str, msgspec.Meta(max_length=10_000)]
_trees: Costly[Tree] = Costly()


class Around(OfCrawl, frozen=True, kw_only=True):
    """Of which URL, and how much of what is around it."""

    url: Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
    depth: Annotated[int, msgspec.Meta(ge=1, le=DEEPEST)] = 1
    """Links away from it, in either direction."""
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST_NODES)] = 150
    """URLs, the nearest."""


class Under(OfCrawl, frozen=True, kw_only=True):
    """Which level of the map."""

    under: Text = ""
    """The key of a branch; empty: the top."""
    by: By = "links"
    """`links`: each page below the one on which it was found; `paths`: by host, and the folders of its URLs."""
    least: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    """Only pages from this relevance on, and the ways to them."""
    words: Annotated[str, msgspec.Meta(max_length=1_000)] = ""
    """Only pages with all of these in the title, the URL or the words of the link to it, and the ways to them."""
    skip: Annotated[int, msgspec.Meta(ge=0)] = 0
    """So many of the first branches are left out."""
    most: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = LEVEL


def link_graph(desk: Desk, given: Around) -> LinkGraph:
    """Tell what links to a URL, what it links to, and so on, with hubs and authorities."""
    with desk.opened(given.name) as folder:
        return folder.graph(given.url, given.depth, given.most)


def map_level(desk: Desk, given: Under) -> Level:
    """List a level of the map of a crawl: its pages as a tree, those first that lead to the most relevant."""
    with desk.opened(given.name) as folder:
        tree = tree_of(folder, given.by)
    return tree.level(given.under, Asked(least=given.least, words=given.words), given.skip, given.most)


def tree_of(folder: Folder, by: By) -> Tree:
    """The pages of a crawl as a tree; of one that runs as they were a moment ago. Raises `InputError` without pages."""
    key = (folder.path, tuple(journals(folder.path).items()), by)
    return _trees.of(key, folder.token(), partial(_planted, folder, by))


def _planted(folder: Folder, by: By) -> Tree:
    return Tree(map_of(folder, links=False), by)


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/graph",
        answer=link_graph,
        takes=Around,
        gives=LinkGraph,
        tag="graph",
    ),
    Operation(
        method="GET", path="/crawls/{name}/map", answer=map_level, takes=Under, gives=Level, tag="graph"
    ),
)
