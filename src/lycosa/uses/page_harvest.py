"""From a finished crawl to a page database: which of its pages belong to its topic."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.compose.topic import load_topic
from lycosa.crawl.inputs import KnownPage
from lycosa.crawls.interface import Folder
from lycosa.scoring.topics.community import members
from lycosa.scoring.words.terms import Counts, counts
from lycosa.spec.derived import topic_words

SEEDS = 10
"""A seed set smaller than this is filled up with the crawl's best pages."""


def harvest(folder: Folder) -> list[KnownPage]:
    """All pages of a crawl with score and label, under the words of its topic as their community.

    The classifier's seed set are the topic's example pages and those start pages that the crawl found relevant. If
    they are fewer than `SEEDS`, the crawl's best pages by its own topic model fill the set up: start pages may only
    lead to the topic. Raises `FolderError` for a folder that cannot be read.
    """
    rows = list(folder.rows())
    terms = [counts(f"{row.title}\n{row.text}") for row in rows]
    starts = set(folder.spec.seeds)
    chosen = [
        place
        for place, row in enumerate(rows)
        if row.url in starts and row.relevance >= folder.spec.relevant_from
    ]
    seeds: list[Counts] = [*load_topic(folder.paths).examples, *(terms[place] for place in chosen)]
    best = sorted(range(len(rows)), key=lambda place: (-rows[place].relevance, place))
    more = [place for place in best if rows[place].relevance > 0.0 and place not in chosen]
    seeds += [terms[place] for place in more[: max(0, SEEDS - len(seeds))]]
    return _known([row.final_url for row in rows], seeds, terms, topic_words(folder.spec))


def _known(
    urls: Sequence[str], seeds: Sequence[Counts], terms: Sequence[Counts], community: str
) -> list[KnownPage]:
    return [
        KnownPage(url=url, score=judged.score, label=judged.label, community=community)  # type: ignore[arg-type]
        for url, judged in zip(urls, members(seeds, terms), strict=True)
    ]
