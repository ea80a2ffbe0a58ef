"""Folders of crawls whose visits are written by hand, each at its time: for tests of what is read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec.structs import replace
from tests.worlds import html, response

from lycosa.archive.warc import WarcArchive
from lycosa.drive.page import page_of
from lycosa.model.events import Entry
from lycosa.model.records import (
    Change,
    Gone,
    LastCapture,
    Millis,
    Page,
    RecordRef,
    Request,
    Response,
    Unchanged,
    Worth,
)
from lycosa.model.url import Url
from lycosa.spec.files import save
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths


class Diary:
    """A crawl's folder, open for writing one visit after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths = paths = Paths(folder)
        if not paths.specification.exists():
            folder.mkdir(parents=True, exist_ok=True)
            save(CrawlSpec(topic=TopicSpec(keywords=("spider",))), paths.specification)
        self.archive = WarcArchive.open(paths.archive)
        self.journal = Journal(paths.journal, before_commit=self.archive.flush)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.journal.close()
        self.archive.close()

    def answered(self, url: Url, at: int, body: bytes, status: int = 200) -> RecordRef:
        """An answer that is archived, and no page: a robots.txt, an error."""
        return self.archive.write(replace(response(url, body, status), fetched_at=Millis(at)))

    def page(
        self,
        url: Url,
        at: int,
        text: str,
        *,
        change: Change | None = None,
        links: Sequence[Url] = (),
        hops: tuple[Url, ...] = (),
        final_url: Url | None = None,
        relevance: float = 0.5,
        head: str = "",
    ) -> Page:
        """A visit that brought the page with this text."""
        body = html(text, links, head=f"<title>{url}</title>{head}")
        answer: Response = response(final_url or url, body, 200, ("ETag", f'"{at}"'))
        answer = replace(answer, fetched_at=Millis(at))
        record = self.archive.write(answer)
        page = replace(
            page_of(self._request(url), answer, record), change=change, hops=hops, relevance=relevance
        )
        self._append(page, at)
        return page

    def changed(self, url: Url, at: int, text: str, importance: float = 0.5) -> Page:
        """A visit that found the page to be another one."""
        change = Change(worth=Worth.CONTENT, importance=importance, divergence=importance)
        return self.page(url, at, text, change=change)

    def unchanged(self, url: Url, at: int) -> None:
        """A visit that was answered by 304."""
        before = self.journal.memory.capture(url)
        assert isinstance(before, LastCapture)
        answer = replace(response(before.url, b"", 304), fetched_at=Millis(at))
        record = self.archive.write(answer, before)
        self._append(
            Unchanged(request=self._request(url), at=Millis(at), final_url=before.url, record=record), at
        )

    def gone(self, url: Url, at: int) -> None:
        """A visit that was answered by 404."""
        self.answered(url, at, b"no such page", 404)
        self._append(Gone(request=self._request(url), at=Millis(at), status=404, detail="404 Not Found"), at)

    def _request(self, url: Url) -> Request:
        return Request(url=url, depth=0, score=0.0, order=self.journal.last_step)

    def _append(self, event: Page | Unchanged | Gone, at: int) -> None:
        step = self.journal.last_step + 1
        self.journal.append(Entry(step=step, at=Millis(at), leased=(event.url,), event=event, commands=()))
        self.journal.flush()
