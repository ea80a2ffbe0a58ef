"""What a crawl meets outside: a clock, a web and its robots.txt, and who reads what comes from there; made from a
specification and closed in one place."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lycosa.compose.parts import manners_of
from lycosa.crawl.ports import Archive, Clock, Renderer, TimedWeb, Web
from lycosa.drive.clock import VirtualClock, WallClock
from lycosa.drive.halt import Halt
from lycosa.drive.live import LiveRoad
from lycosa.drive.loop import Road, Visiting
from lycosa.drive.reading import InPlace, Reader
from lycosa.drive.reading_apart import ReadingApart
from lycosa.drive.reading_beside import ReadingBeside
from lycosa.drive.simulated import VirtualRoad
from lycosa.drive.visit import Robots
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.model.url import Host
from lycosa.read.compiled import WHY_NOT
from lycosa.spec.derived import agent_of, begins_at, is_recorded, millis
from lycosa.spec.tree import CrawlSpec, FetchSpec
from lycosa.spec.webs import web_of
from lycosa.web.http.dns_history import DnsHistory
from lycosa.web.robots.cache import RobotsCache
from lycosa.web.shared_spacing import Peer, SharedSpacing
from lycosa.web.spacing import Spacing, Turns

if TYPE_CHECKING:
    from lycosa.compose.archived import Archives
    from lycosa.web.http.chat import Chat
    from lycosa.web.http.live import LiveWeb
    from lycosa.web.http.signature import Signer
    from lycosa.web.mixed import Shelves

JUDGE_KEY = "LYCOSA_JUDGE_KEY"
"""The environment variable that holds the key of the model that is asked. It is written nowhere."""


class Outside:
    """Real time and the live web or archives elsewhere, or virtual time and a recorded web. Close it when done, or use
    it as `async with`."""

    def __init__(
        self,
        spec: CrawlSpec,
        dns: DnsHistory | None = None,
        web: Web | None = None,
        turns: SharedSpacing | None = None,
        renderer: Renderer | None = None,
    ) -> None:
        """`dns` learns what names resolve to. A `web` of one's own takes the place of the specification's, in real
        time, a `renderer` that of the system's Chromium. By `turns` a node of a shared crawl agrees with the others
        whom of the live web to ask; they are closed with it. Raises `InputError` for a web that is not
        there, for a model that cannot be one, and where each page is to be rendered and there is no browser."""
        self._spec = spec
        self.chat = _chat(spec)
        self.warnings: list[str] = []
        """What of a recording could not be read, a line each."""
        self.told: list[str] = []
        """Once it is closed: what could not be kept, a line each."""
        self.clock: WallClock | VirtualClock
        self.web: Web
        self._timed: TimedWeb | None = None
        self._spacing: Turns | None = None
        self._live: LiveWeb | None = None
        self._archives: Archives | None = None
        self._shelves: Shelves | None = None
        if web is not None:
            self.clock, self.web = WallClock(), web
        elif is_recorded(spec):
            begins = begins_at(spec)
            self.clock = VirtualClock(begins or Millis(0))
            self.web = self._timed = self._recorded(None if begins is None else self.clock)
        else:
            self.clock = WallClock()
            self._spacing = turns or Spacing(self.clock, millis(spec.politeness.delay))
            self.web = self._remote(self._spacing, dns)
        self._made_at = time.monotonic()
        most = spec.fetch.max_links
        self.reader = self._reader(most)
        self.renderer = renderer or self._browser()

    def _reader(self, most: int) -> Reader:
        """Under virtual time nothing can be waited for. A page takes the compiled reader less time than its way to
        another process and back (`benchmarks/results/crawling.md`)."""
        if self.is_virtual:
            return InPlace(most)
        apart = ReadingApart(most)
        return ReadingBeside(apart, most) if WHY_NOT else apart

    def _browser(self) -> Renderer | None:
        """What renders pages; None: nothing does. Raises `InputError` if each page is to be rendered, and there is no
        browser."""
        asked = self._spec.render
        if asked.when == "never":
            return None
        from lycosa.web.browser.browsers import Browsers
        from lycosa.web.browser.limits import BrowserLimits

        limits = BrowserLimits(seconds=asked.seconds, patience=asked.patience)
        try:
            return Browsers(limits, asked.side_by_side)
        except InputError as error:
            if asked.when == "always":
                raise
            self.warnings.append(f"no page is rendered: {error}")
            return None

    def rest_host(self, host: Host, span: Millis) -> None:
        """Leave a host alone for so long, as it asks."""
        if self._spacing is not None:
            self._spacing.rest(host, span)

    def _remote(self, spacing: Turns, dns: DnsHistory | None) -> Web:
        """The live web, archives elsewhere, or what is archived before the rest."""
        spec = self._spec
        named = web_of(spec.web)
        live = self._live = _live_web(spec, spacing, dns) if named.live else None
        if live is not None and not named.is_mixed:
            return live
        from lycosa.compose.archived import Archives
        from lycosa.web.mixed import MixedWeb, Shelves

        self._archives = Archives(spec, self.clock, spacing)
        recorded = [self._recorded(None)] if named.recordings else []
        self._shelves = Shelves([*recorded, *self._archives.webs])
        return self._shelves if live is None else MixedWeb(self._shelves, live)

    def _recorded(self, clock: VirtualClock | None) -> TimedWeb:
        """The recorded web: as it was at each time of the clock, if there is one."""
        from lycosa.archive.collection import Collection
        from lycosa.archive.removals import Removals
        from lycosa.web.recorded import RecordedPast, RecordedWeb

        places, written = web_of(self._spec.web).recordings, self._spec.web
        if not places or not all(place.exists() for place in places):
            raise InputError(
                f"web {written!r}: there is no such folder or file; give live, or PATH of a recorded web, or an "
                "archive: cc:NAME, wayback:TIME, pywb:URL"
            )
        collection = Collection.open(places)
        self.warnings += collection.warnings
        seed, most = self._spec.seed, self._spec.fetch.max_bytes
        if clock is None:
            return RecordedWeb(collection, seed, most)
        removals = Removals.beside(dict.fromkeys(file.parent for file in collection.files))
        return RecordedPast(collection, clock, removals, seed, most)

    @property
    def is_virtual(self) -> bool:
        """On a recorded web time is virtual: nothing has to be waited for."""
        return self._timed is not None

    def robots(self, archive: Archive | None = None) -> Robots | None:
        """What asks the sites' robots.txt, which the archive keeps; None if the user says to ignore them.
        A crawl with a purpose asks for the other files too in which a site speaks of the use of its pages."""
        if self._spec.politeness.robots == "ignore":
            return None
        rules = self._rules(archive)
        if not self._spec.politeness.purpose:
            return rules
        from lycosa.web.robots.site_wide import SitePolicies

        keep = archive.write if archive is not None else None
        return SitePolicies(rules, self.web, self.clock, keep=keep)

    def _rules(self, archive: Archive | None) -> Robots:
        if self._shelves is None:
            return robots_of(self._spec, self.web, self.clock, archive, self._spacing)
        archived = robots_of(self._spec, self._shelves, self.clock, archive)
        if self._live is None:
            return archived
        from lycosa.web.mixed import MixedRobots, MixedWeb

        assert isinstance(self.web, MixedWeb)
        live = robots_of(self._spec, self._live, self.clock, archive, self._spacing)
        return MixedRobots(self.web, archived, live)

    @property
    def turns(self) -> SharedSpacing | None:
        """What this node agrees on with its peers; None: it crawls alone, or no real web."""
        return self._spacing if isinstance(self._spacing, SharedSpacing) else None

    def road(self, visit: Visiting, halt: Halt) -> Road:
        if self._timed is not None and isinstance(self.clock, VirtualClock):
            return VirtualRoad(visit, self._timed.latency, self.clock)
        return LiveRoad(visit, self.clock, halt)

    @property
    def time_left(self) -> float | None:
        """Seconds until the run's limit of time is reached; None if it has none."""
        limit = self._spec.seconds
        return max(0.0, self._made_at + limit - time.monotonic()) if limit else None

    def begin_at(self, now: Millis) -> None:
        """Let time begin where an earlier run ended. Real time is later by itself, unless the clock was set back."""
        self.clock.pass_to(now)

    def rest(self, hosts: Mapping[Host, Millis]) -> None:
        """Let these hosts rest until then, but no longer than the delay: so is the first request of a run that goes on
        where another ended, for robots.txt or a sitemap, as polite as any."""
        if self._spacing is not None:
            now = self.clock.now()
            for host, until in hosts.items():
                self._spacing.rest(host, Millis(min(until - now, self._spacing.delay)))

    def retreat(self) -> None:
        """Ask for nothing more: visits of which no byte was sent yet come home at once."""
        if self._archives is not None:
            self._archives.desk.retreat()
        if self._live is not None:
            self._live.retreat()

    async def close(self) -> None:
        if self.chat is not None:
            await self.chat.close()
        if self.renderer is not None:
            await self.renderer.close()
        await self.reader.close()
        await self.web.close()
        if self._archives is not None:
            await self._archives.close()
            self.told += [] if self._archives.kept is None else self._archives.kept.warnings
        if self.turns is not None:
            self.turns.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def turns_of(spec: CrawlSpec, peer: Peer) -> SharedSpacing:
    """What one node of a shared crawl agrees on with the others. Make it first: it is to hear them from the start."""
    return SharedSpacing(manners_of(spec), peer)


def robots_of(
    spec: CrawlSpec, web: Web, clock: Clock, archive: Archive | None = None, spacing: Turns | None = None
) -> Robots:
    """robots.txt by the specification's rules, for any web."""
    from lycosa.web.http.agent import product_token

    return RobotsCache(
        web,
        product_token(agent_of(spec.fetch)),
        clock,
        keep=archive.write if archive is not None else None,
        heed=spacing.slow_down if spacing is not None else None,
        shared=spacing if isinstance(spacing, SharedSpacing) else None,
        unanswered_retry=millis(spec.politeness.backoff),
        max_crawl_delay=millis(spec.politeness.max_crawl_delay),
    )


def _chat(spec: CrawlSpec) -> Chat | None:
    """The model that is asked about pages, None if there is none."""
    if not spec.judge.model:
        return None
    from lycosa.web.http.chat import Chat

    return Chat.of(spec.judge.model, key=os.environ.get(JUDGE_KEY, "").strip(), seconds=spec.judge.timeout)


def _live_web(spec: CrawlSpec, spacing: Turns, dns: DnsHistory | None) -> LiveWeb:
    from lycosa.web.http.dns import Resolver, Router, parse_connect_to
    from lycosa.web.http.live import Limits, LiveWeb
    from lycosa.web.http.logins import Logins

    fetch = spec.fetch
    limits = Limits(
        connect=millis(fetch.connect_timeout),
        silence=millis(fetch.first_byte_timeout),
        total=millis(fetch.total_timeout),
        body=fetch.max_bytes,
    )
    router = Router(
        Resolver(history=dns),
        connect_to=[parse_connect_to(rule) for rule in fetch.connect_to],
        allow_private=fetch.allow_private,
    )
    return LiveWeb(
        agent_of(fetch),
        limits=limits,
        router=router,
        spacing=spacing,
        proxy=fetch.proxy,
        tls=fetch.verify_tls,
        cookies=fetch.cookies,
        referer=fetch.referer,
        signer=_signer(fetch),
        logins=Logins.read(fetch.logins, fetch.netrc_file, fetch.load_cookies),
    )


def _signer(fetch: FetchSpec) -> Signer | None:
    if not fetch.sign_key:
        return None
    from lycosa.web.http.signature import Signer, SigningKey

    return Signer(SigningKey.read(Path(fetch.sign_key)), fetch.sign_agent)
