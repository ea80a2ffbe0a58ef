"""What was said of a crawl's pages: the marks that the journal has, and those that wait in the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa.crawls.answers import Mark
from lycosa.model.errors import InputError
from lycosa.model.events import Marked
from lycosa.model.url import Url
from lycosa.spec.derived import start_url
from lycosa.store.history import History
from lycosa.store.inbox import Inbox
from lycosa.store.paths import Paths


class Marks:
    """Those of one folder, also while another process crawls."""

    def __init__(self, path: Path, history: History) -> None:
        self._path, self._history = path, history

    @property
    def _inbox(self) -> Inbox:
        return Inbox(Paths(self._path).inbox)

    def add(self, urls: Sequence[str], good: bool | None) -> list[Mark]:
        """Mark pages, all of them or none. Raises `InputError` for what is no page of the crawl."""
        pages = [self._page(start_url(url)) for url in dict.fromkeys(urls)]
        marks = [Marked(url=page, good=good) for page in pages]
        return [_waiting(mark) for mark in self._inbox.add(marks, after=self._history.heard())]

    def _page(self, url: Url) -> Url:
        """The URL under which the page was asked for."""
        visits = self._history.visits(url)
        pages = [row.url for row in visits if not row.reason]
        if pages:
            return pages[-1]
        what = f"failed ({visits[-1].reason})" if visits else "is no page of the crawl"
        raise InputError(f"{url}: {what}; only pages that were fetched can be marked")

    def all(self) -> list[Mark]:
        """Every mark that was made, in order; the last of a page is the one that holds."""
        taken = [
            Mark(
                url=m.mark.url,
                good=m.mark.good,
                number=m.mark.number,
                step=m.step,
                moved=m.moved,
                by=m.mark.by,
            )
            for m in self._history.markings()
        ]
        waiting = [each for each in self._inbox.news(self._history.heard()) if isinstance(each, Marked)]
        return [*taken, *map(_waiting, waiting)]

    def standing(self) -> dict[Url, bool]:
        """What holds now of each page that is marked."""
        found = {mark.url: mark.good for mark in self.all()}
        return {url: good for url, good in found.items() if good is not None}


def _waiting(mark: Marked) -> Mark:
    return Mark(url=mark.url, good=mark.good, number=mark.number, by=mark.by)
