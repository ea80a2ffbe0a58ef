"""Sitemaps as a source of links: those that the user names, and those that robots.txt names."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from lycosa.crawl.ports import Web
from lycosa.drive.visit import Robots
from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Link
from lycosa.model.url import Url, canonical
from lycosa.web.sitemap import parse

MAX_FILES = 100
"""Sitemap files that are fetched; an index may name 50,000."""

MAX_LINKS = 100_000


async def sitemaps_of(seeds: Iterable[Url], robots: Robots) -> list[Url]:
    """The sitemaps that the start pages' robots.txt name, each once."""
    named: dict[Url, None] = {}
    for seed in seeds:
        for raw in (await robots.check(seed)).sitemaps:
            try:
                named[canonical(raw, seed)] = None
            except InputError:
                continue
    return list(named)


async def links_in(sitemaps: Sequence[Url], web: Web, robots: Robots | None) -> tuple[list[Link], list[str]]:
    """The links that sitemaps name, indexes followed, and a line for each file that could not be had."""
    waiting, seen = deque(dict.fromkeys(sitemaps)), set(sitemaps)
    links: dict[Url, Link] = {}
    problems: list[str] = []
    fetched = 0
    while waiting and len(links) < MAX_LINKS and fetched < MAX_FILES:
        url = waiting.popleft()
        fetched += 1
        if robots is not None and not (await robots.check(url)).allowed:
            problems.append(f"sitemap {url}: robots.txt does not allow it")
            continue
        answer = await web.fetch(url)
        if isinstance(answer, Fault) or answer.status != 200:
            what = answer.detail or answer.reason.value if isinstance(answer, Fault) else str(answer.status)
            problems.append(f"sitemap {url}: {what}")
            continue
        found = parse(answer.body, url)
        for target in found.urls:
            links.setdefault(target, Link(source=url, target=target))
        waiting.extend(more for more in dict.fromkeys(found.sitemaps) if more not in seen)
        seen.update(found.sitemaps)
    return list(links.values())[:MAX_LINKS], problems
