"""A crawler and a search engine that feed each other: index, ask, crawl on from the answers, index again.

Source: Pant, Bradshaw, Menczer: Search Engine – Crawler Symbiosis: Adapting to Community Interests. ECDL 2003. There
the engine's answers to a query are the crawler's start pages, and what the crawler brings is searched next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import Session, resume
from lycosa.drive.live import loop_factory
from lycosa.drive.loop import unwatched
from lycosa.model.commands import WISHED, Enqueue
from lycosa.model.errors import InputError
from lycosa.model.events import Operated
from lycosa.model.records import Arrival, Record
from lycosa.model.url import Url

TOP = 10
"""So many answers are start pages of the next round, and are judged."""

OPERATOR = "symbiosis"
"""Who put the links of answers to the front, in the journal."""


class Round(Record, frozen=True, kw_only=True):
    """How the engine answered the query after a round of crawling; round 0 is before the first."""

    number: int
    pages: int
    """In the index by then."""
    answers: tuple[str, ...]
    """The URLs of the top 10, best first."""
    relevance: float
    """Their mean relevance by the crawl's own topic model; what is missing to 10 counts 0."""
    precision: float
    """The share of 10 that are relevant pages: precision at 10, again by the crawl's own model."""
    fresh: int
    """How many of them this round brought."""


async def live_together(
    path: Path,
    query: str,
    *,
    rounds: int = 3,
    pages: int = 100,
    watch: Callable[[Arrival], None] = unwatched,
    tell: Callable[[Round], None] = lambda told: None,
) -> list[Round]:
    """Let a crawl in its folder go on for so many rounds of so many pages, each from the answers to a query.

    The links of the top answers go to the front of the frontier, in a tier of their own; when they are visited the
    crawl's own strategy decides. Ends early when a round brings no page. Raises `InputError` for a query without words
    or answers, `FolderError` for a folder that is no crawl or in use.
    """
    told = [_judged(path, query, 0, frozenset())]
    tell(told[0])
    if not told[0].answers:
        raise InputError(
            f"{path}: no page of the crawl answers {query!r}; ask for what it has, or crawl it first"
        )
    for number in range(1, rounds + 1):
        known = _known(path)
        budget = len(known) + pages
        session = await _fed(path, budget, told[-1].answers)
        await session.run(watch)
        if len(_known(path)) == len(known):
            break
        told.append(_judged(path, query, number, known))
        tell(told[-1])
        if session.halt.asked:
            break
    return told


def symbiosis(
    path: str | Path,
    query: str,
    *,
    rounds: int = 3,
    pages: int = 100,
    watch: Callable[[Arrival], None] = unwatched,
    tell: Callable[[Round], None] = lambda told: None,
) -> list[Round]:
    """As `live_together`, where no event loop runs yet."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(
            live_together(Path(path), query, rounds=rounds, pages=pages, watch=watch, tell=tell)
        )


async def _fed(path: Path, budget: int, answers: Sequence[str]) -> Session:
    """The crawl, open to go on, the links of the answers at its front."""
    session = await resume(path, pages=budget)
    try:
        _feed(session, answers)
    except BaseException as error:
        await session.abandon(error)
        raise
    return session


def _feed(session: Session, answers: Sequence[str]) -> None:
    """Put the links of the answers to the front, the best answer's first."""
    memory = session.crawl.store.memory
    found = (memory.page(Url(url)) for url in answers)
    links = [link for page in found if page is not None for link in page.links]
    fed = [Enqueue(url=link.target, via=link, score=1.0, tier=WISHED) for link in links]
    session.crawl.hear(Operated(commands=tuple(fed), by=OPERATOR), session.clock.now())


def _known(path: Path) -> frozenset[str]:
    with CrawlFolder.open(path) as folder:
        return frozenset(row.final_url for row in folder.rows(text=False))


def _judged(path: Path, query: str, number: int, before: frozenset[str]) -> Round:
    """Bring the index up to date, ask, and judge the answers."""
    with CrawlFolder.open(path) as folder:
        hits = folder.search(query, TOP)
        pages, _, _ = folder.history.harvest(folder.spec.relevant_from)
        least = folder.spec.relevant_from
    missing = [0.0] * (TOP - len(hits))
    return Round(
        number=number,
        pages=pages,
        answers=tuple(hit.url for hit in hits),
        relevance=fmean([*(hit.relevance for hit in hits), *missing]),
        precision=sum(hit.relevance >= least for hit in hits) / TOP,
        fresh=sum(hit.url not in before for hit in hits) if number else 0,
    )
