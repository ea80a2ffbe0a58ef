"""Logs of visitors who never were: random surfers on a recorded or generated web, for want of real logs.

Each surfer has an interest, the words of a page found by a short random walk, and keeps to it: of a few links of a page
the one to the page most like it is taken with chance `focus`, else any. A session begins at the page of interest or at
a start page, goes on link by link with thinking times, goes back with chance `back` (which no server sees: the next
line's referrer tells), and ends by chance. Images, errors and robots are mixed in, so that there is something to clean.

That is Brin and Page's random surfer (1998) with an interest and a back button. What it tells of strategies is how they
use logs, not how people behave: its visitors know no other site, do not search, and pages they like are not better.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, NamedTuple

import msgspec

from lycosa.crawl.ports import Web
from lycosa.drive.page import is_readable, page_of
from lycosa.model.bounds import Share
from lycosa.model.records import Fault, Millis, Record, Request, Response
from lycosa.model.url import Url, canonical, host_of
from lycosa.scoring.words.terms import cosine

MOST_HOPS = 5
LOOKED_AT = 8
"""Links of a page that a surfer compares with the interest."""
DAY = 24 * 3600 * 1000
_AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15",
)
_ROBOT = "ExampleBot/1.0 (+https://bot.example/)"


class SurfShape(Record, frozen=True, kw_only=True):
    """Who surfs, and how."""

    users: Annotated[int, msgspec.Meta(ge=1)] = 50
    sessions: Annotated[int, msgspec.Meta(ge=1)] = 4
    """Of each user."""
    length: Annotated[float, msgspec.Meta(ge=1)] = 6.0
    """Mean views of a session, back-steps included."""
    focus: Share = 0.7
    back: Share = 0.15
    noise: Share = 0.1
    """Chance, after each view, of a line that is no view of a page."""
    days: Annotated[float, msgspec.Meta(gt=0)] = 7.0
    began: Millis = Millis(1_767_225_600_000)
    """2026-01-01."""


class Sight(NamedTuple):
    """What a surfer sees of a page."""

    links: Sequence[Url]
    terms: Mapping[str, int]


Look = Callable[[Url], Sight | None]
"""A page as a surfer sees it; None where there is none."""


class _Line(NamedTuple):
    at: int
    user: int
    url: Url
    status: int
    referrer: str
    robot: bool = False


def looking(web: Web) -> Look:
    """Looks at the pages of a web that needs no network; redirects are followed."""

    runner = asyncio.Runner()

    def answered(url: Url) -> Response | None:
        for _ in range(MOST_HOPS):
            answer = runner.run(_fetched(web, url))
            if not isinstance(answer, Response):
                return None
            moved = answer.header("location") if 300 <= answer.status < 400 else None
            if moved is None:
                return answer
            url = canonical(moved, url)
        return None

    @cache
    def look(url: Url) -> Sight | None:
        answer = answered(url)
        if answer is None or answer.status != 200 or not is_readable(answer):
            return None
        page = page_of(Request(url=answer.url, order=0), answer, None)
        return Sight(page.out, page.terms)

    return look


async def _fetched(web: Web, url: Url) -> Response | Fault:
    return await web.fetch(url)


def surf(look: Look, starts: Sequence[Url], shape: SurfShape, seed: int = 0) -> list[str]:
    """Lines in the Combined Log Format, in the order of time. The same for the same web, shape and seed.

    Requests are written as paths if all are to one host, else as absolute URLs, as a proxy's log has them.
    """
    lines = sorted(
        line for user in range(shape.users) for line in _Surfer(look, starts, shape, seed, user).lines()
    )
    one_host = len({host_of(line.url) for line in lines}) <= 1
    return [_written(line, one_host) for line in lines]


class _Surfer:
    """One visitor with an interest."""

    def __init__(self, look: Look, starts: Sequence[Url], shape: SurfShape, seed: int, user: int) -> None:
        self._look, self._starts, self._shape, self._user = look, starts, shape, user
        self._rng = random.Random(f"{seed}/surfer/{user}")
        self._home = self._walk(self._rng.choice(starts), self._rng.randrange(2, 6))
        home = look(self._home)
        self._interest = home.terms if home else {}

    def _walk(self, at: Url, steps: int) -> Url:
        for _ in range(steps):
            seen = self._look(at)
            if seen is None or not seen.links:
                break
            at = self._rng.choice(seen.links)
        return at

    def lines(self) -> Iterator[_Line]:
        for _ in range(self._shape.sessions):
            began = self._shape.began + int(self._rng.random() * self._shape.days * DAY)
            yield from self._session(began)

    def _session(self, at: int) -> Iterator[_Line]:
        rng, shape = self._rng, self._shape
        way = [self._home if rng.random() < 0.5 else rng.choice(self._starts)]
        referrer = ""
        while True:
            seen = self._look(way[-1])
            yield self._line(at, way[-1], 200 if seen else 404, referrer)
            if rng.random() < shape.noise:
                yield self._noise(at + 500, way[-1])
            if seen is None:
                way.pop()
            while len(way) > 1 and rng.random() < shape.back:
                way.pop()
            links = self._links(way)
            if not links or rng.random() < 1 / shape.length:
                return
            referrer = way[-1]
            way.append(self._chosen(links))
            at += 3000 + int(rng.expovariate(1 / 40_000))

    def _links(self, way: Sequence[Url]) -> Sequence[Url]:
        seen = self._look(way[-1]) if way else None
        return seen.links if seen else ()

    def _chosen(self, links: Sequence[Url]) -> Url:
        rng = self._rng
        looked_at = rng.sample(links, min(LOOKED_AT, len(links)))
        if rng.random() >= self._shape.focus:
            return looked_at[0]
        return max(looked_at, key=self._liking)

    def _liking(self, url: Url) -> float:
        seen = self._look(url)
        return cosine(self._interest, seen.terms) if seen else 0.0

    def _line(self, at: int, url: Url, status: int, referrer: str) -> _Line:
        return _Line(at, self._user, url, status, referrer)

    def _noise(self, at: int, page: Url) -> _Line:
        root = page[: page.index("/", 8)]
        kind = self._rng.randrange(3)
        if kind == 0:
            return self._line(at, Url(f"{root}/images/{self._rng.randrange(100)}.png"), 200, page)
        if kind == 1:
            return self._line(at, Url(f"{root}/missing/{self._rng.randrange(100)}"), 404, page)
        return _Line(at, self._user, page, 200, "", robot=True)


def _written(line: _Line, one_host: bool) -> str:
    user = line.user
    time = datetime.fromtimestamp(line.at / 1000, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    target = line.url[line.url.index("/", 8) :] if one_host else line.url
    address = "10.255.0.1" if line.robot else f"10.{user >> 16 & 255}.{user >> 8 & 255}.{user & 255}"
    agent = _ROBOT if line.robot else _AGENTS[user % len(_AGENTS)]
    return f'{address} - - [{time}] "GET {target} HTTP/1.1" {line.status} 1000 "{line.referrer or "-"}" "{agent}"'
