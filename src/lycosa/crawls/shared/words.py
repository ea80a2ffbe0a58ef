"""Full-text search over the indexes of several nodes, with ranks by the words of all of them.

Each index knows the words of its own pages only, and a word that is rare at one node may be common at another: BM25 of
one index says nothing beside that of another. So all are asked first how many pages they have, how long these are, and
on how many the query's words and phrases stand (in Elasticsearch: `dfs_query_then_fetch`). With the sums each ranks its
own pages, which gives the ranks that one index of all pages would give. A page that two nodes have counts in these sums
for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from itertools import islice

import msgspec

from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.shared.answers import SharedHit
from lycosa.model.nodes import Node
from lycosa.store.distinct import Distinct
from lycosa.store.full_text import TextIndex, Vocabulary, storable
from lycosa.store.query import match_of, phrases_of


def search(nodes: Mapping[Node, CrawlFolder], distinct: Distinct, query: str, limit: int) -> list[SharedHit]:
    """The pages that fit a query best, best first; fewer where some ask to be found no longer. Brings the indexes
    up to date. Raises `InputError` for a query that cannot be understood."""
    expression = match_of(storable(query))
    phrases = phrases_of(expression)

    def vocabulary(index: TextIndex) -> Vocabulary:
        return index.vocabulary(phrases)

    whole = sum((node.on_index(vocabulary) for node in nodes.values()), Vocabulary())
    with ExitStack() as opened:
        indexes = [
            opened.enter_context(TextIndex(node.paths.index, read_only=True)) for node in nodes.values()
        ]
        ranked: list[tuple[float, int, int]] = []
        for place, index in enumerate(indexes):
            most = limit + sum(1 for _ in distinct.passed_over(place))
            ranked += (
                (-rank, place, step) for step, rank in index.ranked_by(expression, phrases, whole, most)
            )
        names = list(nodes)
        answers = (
            SharedHit(**msgspec.structs.asdict(hit), node=names[place])
            for rank, place, step in sorted(ranked)
            if (found := indexes[place].hit(step, expression, -rank)) is not None
            and (row := nodes[names[place]].history.row(step)) is not None
            and distinct.counts(place, row.url)
            and (hit := nodes[names[place]].hit_of(found)) is not None
        )
        return list(islice(answers, limit))
