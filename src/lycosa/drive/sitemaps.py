"""Sitemaps as a source of links and of word that pages changed: those that the user names, and those that robots.txt
names."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from lycosa.crawl.ports import Clock, Web
from lycosa.crawl.signals import believed, by_clock
from lycosa.drive.patience import checked, fetched
from lycosa.drive.visit import REDIRECTS, Robots
from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Link, Millis, Record, Response
from lycosa.model.url import Url, canonical
from lycosa.web.redirect import location
from lycosa.web.sitemap import Sitemap, parse

MAX_FILES = 100
"""Sitemap files that are fetched; an index may name 50,000."""

MAX_LINKS = 100_000


class Named(Record, frozen=True, kw_only=True):
    """What sitemaps say."""

    links: tuple[Link, ...] = ()
    """Each URL once, in their order."""
    dated: Mapping[Url, Millis] = {}
    """When they say that some of them changed last, by the crawl's clock, where that can be believed."""
    problems: tuple[str, ...] = ()
    """A line for each file that could not be had."""


async def sitemaps_of(pages: Iterable[Url], robots: Robots, clock: Clock) -> list[Url]:
    """The sitemaps that these pages' robots.txt name, each once."""
    named: dict[Url, None] = {}
    for page in pages:
        for raw in (await checked(robots, page, clock)).sitemaps[:MAX_FILES]:
            try:
                named[canonical(raw, page)] = None
            except InputError:
                continue
    return list(named)


async def links_in(
    sitemaps: Sequence[Url],
    web: Web,
    robots: Robots | None,
    clock: Clock,
    keep: Callable[[Response], object] = lambda response: None,
    refuses: Callable[[Url], str | None] = lambda url: None,
) -> Named:
    """What sitemaps say, indexes and redirects followed.

    `keep` is given every response; `refuses` says why a file may not be asked for.
    """
    waiting, seen = deque(dict.fromkeys(sitemaps)), set(sitemaps)
    links: dict[Url, Link] = {}
    dated: dict[Url, Millis] = {}
    problems: list[str] = []
    fetched = 0
    while waiting and len(links) < MAX_LINKS and fetched < MAX_FILES:
        url = waiting.popleft()
        fetched += 1
        answer = refuses(url) or await _fetched(url, web, robots, clock)
        if isinstance(answer, str):
            problems.append(f"sitemap {url}: {answer}")
            continue
        keep(answer)
        found = _sitemap(answer)
        for target in found.urls:
            links.setdefault(target, Link(source=url, target=target))
        dated |= _believed(found.dated, answer, clock.now())
        for more in found.sitemaps[:MAX_FILES]:  # no more than that are ever fetched
            if more not in seen:
                seen.add(more)
                waiting.append(more)
    return Named(links=tuple(links.values())[:MAX_LINKS], dated=dated, problems=tuple(problems))


def _believed(dated: Mapping[Url, Millis], answer: Response, now: Millis) -> dict[Url, Millis]:
    told = ((url, believed(at, answer.fetched_at)) for url, at in dated.items())
    return {url: by_clock(at, answer.fetched_at, now) for url, at in told if at is not None}


async def _fetched(url: Url, web: Web, robots: Robots | None, clock: Clock) -> Response | str:
    """A file or a redirect to one, or why there is none."""
    if robots is not None and not (await checked(robots, url, clock)).allowed:
        return "robots.txt does not allow it"
    answer = await fetched(web, url, clock)
    if isinstance(answer, Fault):
        return answer.detail or answer.reason.value
    return answer if answer.status == 200 or _redirect(answer) else str(answer.status)


def _sitemap(answer: Response) -> Sitemap:
    """What a file names; a redirect names another file."""
    target = _redirect(answer)
    return parse(answer.body, answer.url) if target is None else Sitemap(sitemaps=(target,))


def _redirect(answer: Response) -> Url | None:
    raw = location(answer) if answer.status in REDIRECTS else None
    try:
        return canonical(raw, answer.url) if raw else None
    except InputError:
        return None
