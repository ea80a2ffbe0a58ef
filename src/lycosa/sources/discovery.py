"""Passive URL discovery: pages that visitors know of and the crawl does not.

Bai, Cambazoglu and Junqueira, "Discovering URLs through user feedback", CIKM 2011. Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from math import log1p
from pathlib import Path

from lycosa.archive.collection import Collection
from lycosa.crawl.inputs import UsageLog
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Millis, Record
from lycosa.model.url import Host, Url, host_of, name_of, origin_of
from lycosa.spec.derived import agent_of, is_recorded, seeds_of
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths, crawlers_in, paths_of
from lycosa.web.http.address import is_literal, refusal
from lycosa.web.robots import Robots

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)

_SECRET_NAME = re.compile(
    r"(?:.*[_-])?(?:token|session|sess|sid|phpsessid|jsessionid|auth|oauth|key|apikey|password|passwd|pwd|pass|secret|"
    r"sig|signature|code|otp|nonce|ticket|e?mail|user|login)(?:[_-]?id)?",
    re.IGNORECASE,
)
_LONG_SECRET = re.compile(r"(?=[^/]*\d)(?=[^/]*[A-Za-z])[A-Za-z0-9_-]{24,}")
"""Letters and digits mixed, as keys and hashes are."""
_WITH_SESSION = re.compile(r";\w*sess\w*=|@|%40", re.IGNORECASE)
_INTRANET = re.compile(r"(?:.*\.)?(?:local|localhost|localdomain|internal|intranet|lan|corp|home|private)")


class Found(Record, frozen=True, kw_only=True):
    """A URL that the crawl did not know of, fit to be a start page."""

    url: Url
    score: float
    """In (0, 1]: log(1 + visits), as a share of that of the most visited URL of the logs."""
    visits: int
    first: Millis
    """When it was first seen in the logs."""


class Discovery(Record, frozen=True, kw_only=True):
    """What logs say of a crawl: the URLs it lacks, and the two measures."""

    urls: int
    """Distinct URLs of the logs, the private ones left out."""
    undiscovered: int
    """Of these, how many the crawl did not know of."""
    undiscovered_share: float
    lag_quantiles: Mapping[str, float]
    """Of the others: hours from the first visit in the logs to the crawl's discovery; below 0: the crawl was first."""
    later: int
    """Of the others, how many the crawl discovered after somebody had visited them."""
    private: int
    """URLs with tokens or addresses in them, or within an intranet."""
    forbidden: int
    """Undiscovered URLs that robots.txt forbids, so far as the crawl's archive has it."""
    without_robots: int
    """Hosts of undiscovered URLs whose robots.txt the archive lacks: nothing was forbidden there."""
    known_hosts: int
    """Hosts of the logs that the crawl has visited."""
    hosts: int
    found: tuple[Found, ...]
    """Best first, of equals the earlier."""


def discover(log: UsageLog, crawl: Path) -> Discovery:
    """Compare logs with a crawl. Raises `FolderError` if there is no crawl, `InputError` for logs without views.

    A crawl of a recorded web has virtual time from 0: it is taken to have begun with the first view of the logs.
    """
    if not log.urls:
        raise InputError("the logs hold no page views: there is nothing to discover")
    crawlers = crawlers_in(crawl)
    if not any(paths.journal.exists() for paths in crawlers):
        raise FolderError(f"{crawl}: no crawl here; give the folder of a crawl with --crawl")
    spec = load(paths_of(crawl).specification, CrawlSpec)
    visits, firsts = _visits(log)
    shown = [place for place, url in enumerate(log.urls) if not is_private(url)]
    found_at, visited = _known(crawlers, spec, {log.urls[place] for place in shown}, min(firsts))
    lags = [found_at[log.urls[place]] - firsts[place] for place in shown if log.urls[place] in found_at]
    unknown = [place for place in shown if log.urls[place] not in found_at]
    with closing(_Rules(crawlers, agent_of(spec.fetch))) as rules:
        allowed = [place for place in unknown if rules.allow(log.urls[place])]
        lacking = rules.lacking
    most = log1p(max(visits))
    found = [
        Found(url=log.urls[p], score=round(log1p(visits[p]) / most, 6), visits=visits[p], first=firsts[p])
        for p in allowed
    ]
    hosts = {host_of(url) for url in log.urls}
    return Discovery(
        urls=len(shown),
        undiscovered=len(unknown),
        undiscovered_share=len(unknown) / len(shown) if shown else 0.0,
        lag_quantiles=quantiles(lags),
        later=sum(lag > 0 for lag in lags),
        private=len(log.urls) - len(shown),
        forbidden=len(unknown) - len(allowed),
        without_robots=lacking,
        known_hosts=len(hosts & visited),
        hosts=len(hosts),
        found=tuple(sorted(found, key=lambda each: (-each.score, each.first, each.url))),
    )


def _known(
    crawlers: Sequence[Paths], spec: CrawlSpec, wanted: set[Url], first_view: Millis
) -> tuple[dict[Url, Millis], set[Host]]:
    """When the crawl knew of each URL, in the time of the logs, and the hosts that it visited."""
    found: dict[Url, Millis] = {}
    hosts: set[Host] = set()
    begun: list[Millis] = []
    for paths in crawlers:
        with closing(Journal(paths.journal, read_only=True)) as journal:
            for url, at in journal.history.found_at(wanted).items():
                found[url] = min(at, found.get(url, at))
            hosts |= {each.host for each in journal.history.hosts()}
            if (span := journal.history.span()) is not None:
                begun.append(span[0])
    if begun and is_recorded(spec):
        found = {url: Millis(at - min(begun) + first_view) for url, at in found.items()}
    return found, hosts


def site_of(crawl: Path) -> str:
    """The origin of a crawl's start pages; empty if they have several, or there is no crawl."""
    paths = paths_of(crawl)
    if not paths.specification.exists():
        return ""
    origins = {origin_of(url) for url in seeds_of(load(paths.specification, CrawlSpec))}
    return origins.pop() if len(origins) == 1 else ""


def _visits(log: UsageLog) -> tuple[list[int], list[Millis]]:
    """Of each URL: how often it was viewed, and when first."""
    visits, firsts = [0] * len(log.urls), [Millis(0)] * len(log.urls)
    for session in log.sessions:
        for view in session:
            if not visits[view.url] or view.at < firsts[view.url]:
                firsts[view.url] = view.at
            visits[view.url] += 1
    return visits, firsts


def quantiles(lags: Iterable[int]) -> dict[str, float]:
    """Of spans in milliseconds, in hours; each is one of the spans (the nearest rank). Empty for none."""
    ranked: Sequence[int] = sorted(lags)
    return {
        f"{share:.0%}": ranked[min(len(ranked) - 1, int(share * len(ranked)))] / 3_600_000
        for share in QUANTILES
        if ranked
    }


def is_private(url: Url) -> bool:
    """Whether a URL tells of one person or a closed network: it must not become a start page.

    >>> is_private(Url("https://example.org/reset?token=81a7")), is_private(Url("https://example.org/a?page=2"))
    (True, False)
    """
    if _is_closed(host_of(url)) or _WITH_SESSION.search(url):
        return True
    path, _, query = url.partition("?")
    names_and_values = [argument.partition("=")[::2] for argument in query.split("&")] if query else []
    if any(_SECRET_NAME.fullmatch(name) or _LONG_SECRET.search(value) for name, value in names_and_values):
        return True
    return any(_LONG_SECRET.fullmatch(part) and not _is_words(part) for part in path.split("/")[3:])


def _is_words(part: str) -> bool:
    """`the-history-of-aspirin-1899` is a title; keys have no such runs of words."""
    words = re.split(r"[-_]", part)
    return len(words) > 2 and sum(word.isalpha() or word.isdigit() for word in words) >= len(words) - 1


def _is_closed(host: Host) -> bool:
    name = name_of(host)
    bare = name.strip("[]")
    if is_literal(bare):
        return refusal(bare) is not None
    return "." not in name or _INTRANET.fullmatch(name) is not None


class _Rules:
    """robots.txt of each site as the crawl's archive has it."""

    def __init__(self, crawlers: Sequence[Paths], agent: str) -> None:
        self._agent = agent
        self._archive = _archive(crawlers)
        self._known: dict[str, Robots | None] = {}

    @property
    def lacking(self) -> int:
        """Sites asked about of which there is no robots.txt at hand."""
        return sum(robots is None for robots in self._known.values())

    def allow(self, url: Url) -> bool:
        origin = origin_of(url)
        if origin not in self._known:
            self._known[origin] = self._read(origin)
        robots = self._known[origin]
        return robots is None or robots.allowed(self._agent, url)

    def _read(self, origin: str) -> Robots | None:
        answer = self._archive.find(f"{origin}/robots.txt") if self._archive is not None else None
        if answer is None or answer.status >= 500:
            return None
        return Robots.parse(answer.body if 200 <= answer.status < 300 else b"")

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()


def _archive(crawlers: Sequence[Paths]) -> Collection | None:
    """What of the crawl is archived; None if nothing is yet."""
    begun = [paths.archive for paths in crawlers if any(paths.archive.glob("*.warc.gz"))]
    try:
        return Collection.open(begun) if begun else None
    except InputError:
        return None
