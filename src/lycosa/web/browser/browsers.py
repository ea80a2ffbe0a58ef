"""Pages rendered side by side in one Chromium, which is started when the first of them comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from lycosa.model.records import Fault, Reason
from lycosa.model.rendering import Rendered, StillPage
from lycosa.web.browser.answering import Answer
from lycosa.web.browser.chromium import Chromium, chromium, started
from lycosa.web.browser.limits import BrowserLimits
from lycosa.web.browser.memory import Memory
from lycosa.web.browser.page import Hung, Tab
from lycosa.web.browser.pipe import BrowserEnded, Denied

_LOOK: Final = 0.2
"""Seconds between two looks at the memory."""
_OPEN: Final = 30.0
"""Seconds for a page to be there; on a busy machine it takes one."""
_CLOSE: Final = 5.0
"""Seconds for a page to be forgotten."""


class Browsers:
    """So many pages at a time, each in a context of its own.

    Invariants, each the name of a test:

    * nothing lost: a page that crashes, hangs or takes too much is a `Fault` or is taken as it is, and the next page
      is rendered as if that one had not been.
    * ends with us: no process is left when this one ends, however it ends.
    """

    def __init__(self, limits: BrowserLimits, pages: int = 2) -> None:
        self._limits = limits
        self._program = chromium()
        self._room = asyncio.Semaphore(pages)
        self._starting = asyncio.Lock()
        self._browser: Chromium | None = None
        self._closed = False
        self._watching: asyncio.Task[None] | None = None

    async def render(self, page: StillPage, answer: Answer) -> Rendered | Fault:
        """Raises `InputError` if there is no browser to be had, and whatever `answer` raises."""
        async with self._room:
            found = await self._once(page, answer)
            return found or await self._once(page, answer) or _GONE

    async def close(self) -> None:
        self._closed = True
        browser, self._browser = self._browser, None
        if self._watching is not None:
            self._watching.cancel()
        if browser is not None:
            await browser.end()

    async def _once(self, page: StillPage, answer: Answer) -> Rendered | Fault | None:
        """None: the browser ended, perhaps for what another page did."""
        try:
            browser = await self._running()
            tab = Tab(browser.pipe, page, answer, self._limits)
            try:
                async with _ended_after(_OPEN, browser):
                    await tab.open()
                return await tab.rendered()
            finally:
                with suppress(BrowserEnded):  # what was rendered stands
                    async with _ended_after(_CLOSE, browser):
                        await tab.close()
        except (BrowserEnded, Denied):
            return None
        except Hung:
            return _BUSY

    async def _running(self) -> Chromium:
        if self._closed:
            raise BrowserEnded
        async with self._starting:
            if self._browser is not None and self._browser.pipe.ended.done():
                await self._browser.end()
                self._browser = None
            if self._browser is None:
                self._browser = await started(self._program)
                self._watching = asyncio.create_task(self._watch(self._browser))
            return self._browser

    async def _watch(self, browser: Chromium) -> None:
        """End the largest page while the browser has too much memory; the browser, if that does not help."""
        memory = Memory(browser.pid)
        while not browser.pipe.ended.done():
            await asyncio.sleep(_LOOK)
            if memory.used() > self._limits.memory and not memory.end_largest_page():
                browser.pipe.end()


@asynccontextmanager
async def _ended_after(seconds: float, browser: Chromium) -> AsyncIterator[None]:
    """A browser that has not done by then does nothing any more, and is ended. Raises `BrowserEnded`."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        browser.pipe.end()
        raise BrowserEnded from None


_BUSY: Final = Fault(
    reason=Reason.UNREADABLE, detail="the page kept the browser busy until its time was over"
)
_GONE: Final = Fault(reason=Reason.UNREADABLE, detail="the browser ended, twice, before it had the page")
