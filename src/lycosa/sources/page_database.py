"""The pages that earlier searches on the same topic found, from a page database."""

from __future__ import annotations

from pathlib import Path

from lycosa.crawl.inputs import KnownPage, PageDatabase
from lycosa.model.errors import FolderError, InputError
from lycosa.scoring.words.terms import cosine
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.sources.reading import Reading
from lycosa.store.page_database import KnownPages

MOST = 1_000
"""Pages that are read: strategies ask for fewer."""


async def read_page_database(reading: Reading) -> PageDatabase | None:
    """The best pages of the communities whose names share words with the topic's; of all, if the topic has no words.

    Best first: a page's score times the cosine of the words of its community and those of the topic. A URL that stands
    in several communities comes once. Raises `InputError` for a file that is no page database.
    """
    if not reading.topic.database:
        return None
    try:
        with KnownPages.open(Path(reading.topic.database), read_only=True) as database:
            return PageDatabase(pages=tuple(_found(database, " ".join(reading.topic.keywords))))
    except FolderError as error:
        raise InputError(str(error)) from None


def _found(database: KnownPages, words: str) -> list[KnownPage]:
    wanted = TopicWords.read(words)
    ranked: list[tuple[float, KnownPage]] = []
    for community in database.communities():
        likeness = cosine(wanted.terms, wanted.in_text(community.name)) if wanted.terms else 1.0
        if likeness > 0.0:
            ranked += [(likeness * page.score, page) for page in database.best(community.name, MOST)]
    ranked.sort(key=lambda item: (-item[0], item[1].url))
    first = {page.url: page for _, page in reversed(ranked)}
    return [page for _, page in ranked if first[page.url] is page][:MOST]
