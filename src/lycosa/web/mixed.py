"""Several webs as one: what is archived is taken from there, and only the rest is asked of the live web."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec.structs import replace

from lycosa.crawl.ports import Web
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.web.robots.cache import Access, Permission

MOST_AHEAD = 128
"""Answers that are remembered: more than there are visits at a time."""


class Shelves:
    """Archives and recordings one behind the other: the first that has a URL answers. No answer took any time, as far
    as its site is concerned, which was not asked."""

    def __init__(self, webs: Sequence[Web]) -> None:
        self._webs = webs

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        """What is archived; the last one's `Fault(NOT_RECORDED)` if none has it."""
        answer: Response | Fault = Fault(reason=Reason.NOT_RECORDED)
        for web in self._webs:
            answer = await web.fetch(url, ask)
            if isinstance(answer, Response):
                return replace(answer, elapsed=Millis(0), request_headers=())
            if answer.reason is Reason.TURN:
                return answer
        return replace(answer, reason=Reason.NOT_RECORDED)

    async def close(self) -> None:
        for web in self._webs:
            await web.close()


class MixedWeb:
    """The live web behind what is archived of it.

    Invariants, each the name of a property test:

    * archived first: the live web is asked for nothing that the shelves have.
    """

    def __init__(self, shelves: Web, live: Web) -> None:
        self._shelves, self._live = shelves, live
        self._ahead: dict[Url, Response | Fault] = {}

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        answer = await self.archived(url)
        if isinstance(answer, Fault) and answer.reason is Reason.NOT_RECORDED:
            answer = await self._live.fetch(url, ask)
        else:
            self._ahead.pop(url, None)
        return answer

    async def archived(self, url: Url) -> Response | Fault:
        """What the shelves have of a URL. Remembered for the `fetch` that is likely to follow."""
        if (known := self._ahead.get(url)) is None:
            known = await self._shelves.fetch(url)
            if isinstance(known, Response) or known.reason is not Reason.TURN:
                if len(self._ahead) >= MOST_AHEAD:
                    del self._ahead[next(iter(self._ahead))]
                self._ahead[url] = known
        return known

    async def close(self) -> None:
        await self._shelves.close()
        await self._live.close()


class Rules(Protocol):
    """Whether a URL may be fetched; a `RobotsCache` is one."""

    async def check(self, url: Url) -> Permission: ...


class MixedRobots:
    """Whether a URL may be fetched: what is archived, by the robots.txt that is archived; all else by that of the live
    web, which an old one does not stand for."""

    def __init__(self, web: MixedWeb, archived: Rules, live: Rules) -> None:
        self._web, self._archived, self._live = web, archived, live

    async def check(self, url: Url) -> Permission:
        """As of a `RobotsCache`. A Crawl-delay holds for sites that are asked only."""
        answer = await self._web.archived(url)
        if isinstance(answer, Response):
            return replace(await self._archived.check(url), crawl_delay=None)
        if answer.reason is Reason.TURN:
            return Permission(access=Access.LATER)
        return await self._live.check(url)
