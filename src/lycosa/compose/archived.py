"""The web as archives have it, made from a specification: whom to ask, how, and what is kept of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from lycosa.archive.kept import Kept
from lycosa.archive.lent import lent_response
from lycosa.archive.record import MAX_BODY
from lycosa.compose.parts import manners_of
from lycosa.crawl.ports import Clock, Web
from lycosa.spec.derived import agent_of, millis
from lycosa.spec.tree import CrawlSpec
from lycosa.spec.webs import web_of
from lycosa.web.archived.address import Address, address_of
from lycosa.web.archived.desk import Desk, Patience
from lycosa.web.archived.web import MOST_RECORD, ArchivedWeb
from lycosa.web.http.live import LiveWeb
from lycosa.web.spacing import Turns


class Archives:
    """The archives of a specification, the one desk where they are asked, and what is kept of them."""

    def __init__(self, spec: CrawlSpec, clock: Clock, spacing: Turns) -> None:
        """`spacing` is asked whose turn it is, as of any site. Raises `InputError` for what names no archive."""
        addresses = [address_of(name) for name in web_of(spec.web).archives]
        kept = spec.archives
        self.kept = Kept.open(Path(kept.cache), kept.cache_bytes, MAX_BODY) if kept.cache else None
        self.desk = Desk(_asking(spec, spacing, addresses), clock, _patience(spec))
        most = spec.fetch.max_bytes
        self.webs: list[Web] = [
            ArchivedWeb(address, self.desk, lent_response, self.kept, most) for address in addresses
        ]

    async def close(self) -> None:
        await self.desk.close()
        if self.kept is not None:
            self.kept.close()


def _patience(spec: CrawlSpec) -> Patience:
    rules = manners_of(spec)
    return Patience(
        delay=rules.delay,
        slowness=rules.slowness,
        backoff=rules.backoff,
        max_backoff=rules.max_backoff,
        give_up=rules.give_up,
    )


def _asking(spec: CrawlSpec, spacing: Turns, addresses: Sequence[Address]) -> LiveWeb:
    """What asks archives: as the live web does, but for records instead of pages, and wherever the user says that one
    is."""
    from lycosa.web.http.dns import Resolver, Router, parse_connect_to
    from lycosa.web.http.live import Limits

    fetch = spec.fetch
    router = Router(Resolver(), connect_to=[parse_connect_to(rule) for rule in fetch.connect_to])
    for place in (place for address in addresses for place in (address.index, address.records)):
        parts = urlsplit(place)
        router.trust(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
    limits = Limits(
        connect=millis(fetch.connect_timeout),
        silence=millis(fetch.total_timeout),
        total=millis(fetch.total_timeout),
        body=MOST_RECORD,
    )
    return LiveWeb(
        agent_of(fetch),
        limits=limits,
        router=router,
        spacing=spacing,
        proxy=fetch.proxy,
        tls=fetch.verify_tls,
    )
