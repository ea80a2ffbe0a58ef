"""Those who search a crawl while it runs: a log of their queries stands for them, its full-text index is the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Self

from lycosa.compose.parts import goes_by_queries
from lycosa.crawls.pings import asked_for
from lycosa.crawls.quality import Engine
from lycosa.model.errors import FolderError
from lycosa.model.events import Searched
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.sources.queries import Asked, QueryLog, kept_queries
from lycosa.spec.tree import RevisitSpec
from lycosa.store.full_text import DamagedIndex, Entry, TextIndex
from lycosa.store.history import History
from lycosa.store.paths import Paths

if TYPE_CHECKING:
    from lycosa.crawls.folder import CrawlFolder

EVERY: Final = Millis(3_600_000)
"""So often the pages that changed are taken in, and all queries asked."""
BATCH: Final = 500
"""Pages that are told apart from those before, but not from one another, by two searches a query."""
NEWS: Final = 0.1
"""A page's standing is told again when it is another one by so much of the larger: each page that comes moves all
others a little."""


class Audience:
    """What people notice of the pages of a crawl.

    It opens the folder for each look, to read only but for the index, so that it may look in a thread of its own. What
    was indexed by others meanwhile (`lycosa search`) is measured no more: of such looks nobody knows the gain.
    """

    def __init__(self, path: Path, queries: Sequence[Asked]) -> None:
        self._path, self._queries = path, queries
        self._looking = Lock()  # a look that nobody waits for any more comes to its end
        self._known_as: dict[Url, Url] = {}  # by where a page is, the URL that the crawl asks for

    @classmethod
    def of(cls, spec: RevisitSpec, path: Path, log: QueryLog | None = None) -> Self | None:
        """Of a crawl that is told its log, or that keeps one; None if its policy does not go by queries, or there are
        none. Raises `FolderError` if the log that it kept is missing."""
        if not (spec.queries and goes_by_queries(spec)):
            return None
        if (found := log or kept_queries(Paths(path).inputs)) is None:
            raise FolderError(f"{path}: its log of queries is missing; give it again with --queries FILE")
        return cls(path, found.queries)

    def begin(self, told: Mapping[Url, float]) -> Searched:
        """Take in what came while nobody looked, unmeasured. `told` is what pages are to the answers, as far as that
        was told."""
        with self._opened() as folder:
            folder.index_pages()
            return Searched(standings=self._news(folder, told))

    def look(self, told: Mapping[Url, float]) -> Searched:
        """Take in the pages that came, and tell what people notice of them."""
        gains: dict[int, float] = {}
        with self._looking, self._opened() as folder:
            since = self._last_step()

            def measure(index: TextIndex, pages: Sequence[Entry]) -> None:
                if since is None or pages[-1][0] <= since:  # the index was damaged, and is made anew
                    index.add(pages)
                    return
                noticed = Engine(index, self._queries).take_in(pages)
                gains.update((step, each.gain) for step, each in noticed.items())

            folder.index_pages(add=measure, batch=BATCH)
            return Searched(
                gains=_gains(folder.history, gains, since or 0), standings=self._news(folder, told)
            )

    def _last_step(self) -> int | None:
        try:
            with TextIndex(Paths(self._path).index) as index:
                return index.last_step
        except DamagedIndex:
            return None

    def _opened(self) -> CrawlFolder:
        """The folder. Its module is loaded only here: every crawl loads this one, and few have a log."""
        from lycosa.crawls.folder import CrawlFolder

        return CrawlFolder.open(self._path)

    def _news(self, folder: CrawlFolder, told: Mapping[Url, float]) -> tuple[tuple[Url, float], ...]:
        """The pages that are more or less to the answers than was told."""
        with TextIndex(folder.paths.index, read_only=True) as index:
            answers = Engine(index, self._queries).standing()
        now: dict[Url, float] = {}
        for final, standing in answers.items():
            if (url := self._known_as.get(final)) is None:
                url = self._known_as[final] = asked_for(final, folder.history)
            now[url] = now.get(url, 0.0) + standing
        both = dict.fromkeys((*now, *told))
        changed = ((url, told.get(url, 0.0), now.get(url, 0.0)) for url in both)
        return tuple((url, after) for url, before, after in changed if _is_news(before, after))


def unasked(spec: RevisitSpec) -> Iterator[str]:
    """What is missing for a policy to go by queries, or why it does not, in a line."""
    if goes_by_queries(spec) and not spec.queries:
        yield (
            f"{spec.policy}: nobody knows what people search for, so the relevance of a page stands for what its visit "
            "brings; give a log of queries with --queries FILE"
        )
    elif spec.queries and spec.policy and not goes_by_queries(spec):
        yield f"{spec.policy}: does not go by queries, so they are not asked"


def _is_news(before: float, after: float) -> bool:
    """Whether a page's standing is to be told again; that it is in no answer any more always is."""
    return (before > 0) != (after > 0) or abs(after - before) > NEWS * max(before, after)


def _gains(history: History, gains: Mapping[int, float], since: int) -> tuple[tuple[Url, Millis, float], ...]:
    """Gains by page and time of the look, of those by step."""
    looks = history.looked_at(since) if gains else {}
    return tuple((*looks[step], gains[step]) for step in sorted(gains))
