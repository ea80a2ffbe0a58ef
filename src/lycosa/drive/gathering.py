"""What relevant pages show is fetched beside the crawl, for whoever looks at them in the archive."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from lycosa.crawl.ports import Archive
from lycosa.drive.requisites import Requisites
from lycosa.drive.visit import MAX_REDIRECTS, REDIRECTS
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Fault, Page, Response
from lycosa.model.rendering import Asked, Kind
from lycosa.model.url import Host, Url, canonical, host_of
from lycosa.read.charset import decode
from lycosa.read.requisites import of_page, of_style
from lycosa.store.requisite_log import Fetched, RequisiteLog
from lycosa.web.redirect import location

HOSTS: Final = 8
"""That are asked at a time."""
PAUSE: Final = 0.5
"""Seconds after which a host is looked at again whose pages go first."""


class _Shown(msgspec.Struct):
    """A page, and how much of what it shows is still to come."""

    url: Url
    known: set[Url]
    left: int = 0


class _Wanted(msgspec.Struct):
    asked: Asked
    page: _Shown
    redirects: int = 0


class Gathering:
    """Fetches what pages show, by the rules of `Requisites`, while nothing better is to be had of their hosts.

    Invariants, each the name of a test:

    * pages first: a host of which pages wait is not asked, until the crawl is over.
    * each once: what several pages show is asked for once, in all runs of a crawl.
    """

    def __init__(
        self,
        requisites: Requisites,
        archive: Archive,
        log: RequisiteLog,
        pages_wait: Callable[[Host], bool],
        most: int = 0,
    ) -> None:
        """`pages_wait`: whether pages of a host wait to be fetched. `most` of a page, 0: all."""
        self._requisites, self._archive, self._log = requisites, archive, log
        self._pages_wait, self._most = pages_wait, most
        self._queues: dict[Host, deque[_Wanted]] = {}
        self._tasks: dict[Host, asyncio.Task[None]] = {}
        self._room = asyncio.Semaphore(HOSTS)
        self._works = self._over = False
        self._failed: FolderError | None = None

    def add(self, page: Page) -> None:
        """A page was committed. Raises `FolderError` if what came cannot be kept."""
        if self._failed is not None:
            raise self._failed
        if page.record is None or page.url in self._log.pages:
            return
        shown = _Shown(url=page.url, known=set())
        self._want(shown, self._needed_by(page), page.final_url)
        self._note_end(shown)

    def begin(self) -> None:
        """Work beside the crawl from now on. Without this all is left for its end."""
        self._works = True
        for host in self._queues:
            self._go_on(host)

    async def finish(self) -> None:
        """The crawl is over: ask for all that is left. Ends early once the `Requisites` retreat. Raises `FolderError`
        if what came cannot be kept."""
        self._over = True
        self.begin()
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()), return_when=asyncio.FIRST_COMPLETED)
        if self._failed is not None:
            raise self._failed

    async def drop(self) -> None:
        """Give up what is under way; another run asks for it."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def left(self) -> int:
        """Requisites that wait."""
        return sum(map(len, self._queues.values()))

    def _needed_by(self, page: Page) -> Iterator[tuple[Url, Kind]]:
        """Of the page as it was sent, and as a browser has it."""
        for record in (page.record, page.dom):
            if record is None:
                continue
            try:
                response = self._archive.read(record)
            except FolderError:
                continue
            yield from of_page(response.body, page.final_url, response.header("content-type") or "")

    def _want(self, shown: _Shown, needed: Iterable[tuple[Url, Kind]], referer: Url) -> None:
        for url, kind in needed:
            if url in shown.known or (self._most and len(shown.known) >= self._most):
                continue
            shown.known.add(url)
            if url not in self._log:
                self._put(_Wanted(asked=Asked(url=url, kind=kind, referer=referer), page=shown))

    def _put(self, wanted: _Wanted) -> None:
        host = host_of(wanted.asked.url)
        self._queues.setdefault(host, deque()).append(wanted)
        wanted.page.left += 1
        self._go_on(host)

    def _go_on(self, host: Host) -> None:
        """See that somebody works at a host's queue."""
        if self._works and host not in self._tasks:
            self._tasks[host] = asyncio.get_running_loop().create_task(self._work(host))

    async def _work(self, host: Host) -> None:
        """Ask for what is wanted of one host."""
        queue = self._queues[host]
        try:
            while queue and not self._requisites.retreats:
                if not self._over and self._pages_wait(host):
                    await asyncio.sleep(PAUSE)
                    continue
                async with self._room:
                    await self._bring(queue[0])
                if not self._requisites.retreats:
                    queue.popleft()
        except FolderError as error:
            self._failed = error
        finally:
            self._tasks.pop(host, None)
            if not queue:
                self._queues.pop(host, None)

    async def _bring(self, wanted: _Wanted) -> None:
        url = wanted.asked.url
        if url not in self._log:
            answer = await self._requisites.answer(wanted.asked, wanted.page.url)
            if self._requisites.retreats:
                return
            self._take(wanted, answer)
        wanted.page.left -= 1
        self._note_end(wanted.page)

    def _take(self, wanted: _Wanted, answer: Response | Fault) -> None:
        url = wanted.asked.url
        if isinstance(answer, Fault):
            self._log.note(Fetched(url=url, why=answer.detail or answer.reason.value))
            return
        self._log.note(Fetched(url=url, status=answer.status, bytes=len(answer.body)))
        if answer.status in REDIRECTS and wanted.redirects < MAX_REDIRECTS and (target := location(answer)):
            self._follow(wanted, target)
        elif wanted.asked.kind == "style" and answer.status == 200:
            text, _ = decode(answer.body, answer.header("content-type") or "text/css")
            self._want(wanted.page, of_style(text, url), url)

    def _follow(self, wanted: _Wanted, target: str) -> None:
        try:
            url = canonical(target, wanted.asked.url, "strict")
        except InputError:
            return
        if url not in wanted.page.known and url not in self._log:
            wanted.page.known.add(url)
            asked = msgspec.structs.replace(wanted.asked, url=url)
            self._put(_Wanted(asked=asked, page=wanted.page, redirects=wanted.redirects + 1))

    def _note_end(self, shown: _Shown) -> None:
        if not shown.left:
            self._log.note(Fetched(url=shown.url, page=True))
