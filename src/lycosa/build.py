"""Each part of a crawl, made from its part of the specification."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from lycosa.archive.warc import Provenance
from lycosa.crawl.gate import Gate
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.ports import Archive, Clock, Web
from lycosa.crawl.scope import Scope
from lycosa.crawl.stopping import Stopping, StopRules
from lycosa.crawl.traps import TrapLimits, Traps
from lycosa.drive.visit import Robots
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.model.url import Url, canonical
from lycosa.spec import CrawlSpec, FetchSpec, TrapSpec
from lycosa.web.dns_history import DnsHistory
from lycosa.web.robots_cache import RobotsCache

RECORDED = "recorded:"


def millis(seconds: float) -> Millis:
    return Millis(round(seconds * 1000))


def is_recorded(spec: CrawlSpec) -> bool:
    """Whether the crawl needs no network, and so runs under virtual time."""
    return spec.web.startswith(RECORDED)


def seeds_of(spec: CrawlSpec) -> list[Url]:
    """The start pages in canonical form, each once. Raises `InputError` for what is no URL."""
    return list(dict.fromkeys(start_url(raw) for raw in spec.seeds))


def start_url(raw: str) -> Url:
    """A URL as a person types it: without a scheme it is taken as https."""
    return canonical(raw if "://" in raw else f"https://{raw}")


def scope_of(spec: CrawlSpec) -> Scope:
    return Scope(
        hosts=spec.scope.hosts,
        domains=spec.scope.domains,
        surts=spec.scope.prefixes,
        include=spec.scope.include,
        exclude=spec.scope.exclude,
        max_depth=spec.scope.depth,
    )


def gate_of(spec: CrawlSpec) -> Gate:
    return Gate(
        scope_of(spec), Traps(limits_of(spec.traps)), follow_nofollow=spec.politeness.nofollow == "ignore"
    )


def limits_of(spec: TrapSpec) -> TrapLimits:
    """All defences off, or the defaults with the user's numbers in their place."""
    if spec.off:
        off = dict.fromkeys(TrapLimits.__struct_fields__, 0)
        return msgspec.convert({**off, "refuse_listing_orders": False, "damping": 1.0}, TrapLimits)
    chosen = {
        "length": spec.max_url_length,
        "repeats": spec.max_repeats,
        "pages_per_host": spec.max_pages_per_host,
    }
    return msgspec.convert({name: limit for name, limit in chosen.items() if limit is not None}, TrapLimits)


def pace_of(crawl: CrawlSpec) -> Pace:
    spec = crawl.politeness
    rules = PaceRules(
        delay=millis(spec.delay),
        slowness=spec.slowness if spec.delay else 0.0,
        backoff=millis(spec.backoff),
        max_backoff=millis(spec.max_backoff),
        max_crawl_delay=millis(spec.max_crawl_delay),
        by_address=not (crawl.fetch.connect_to or crawl.fetch.proxy),
        attempts=spec.attempts,
        give_up=spec.give_up,
    )
    return Pace(rules, seed=crawl.seed)


def stopping_of(spec: CrawlSpec, held_out: Iterable[Sequence[Url]]) -> Stopping:
    """`held_out` are the example pages that the crawl is not told of, each by all its names."""
    rules = msgspec.convert(msgspec.to_builtins(spec.stop), StopRules)
    scope = scope_of(spec)
    return Stopping(rules, relevant_from=spec.relevant_from, scope=scope, held_out=held_out)


def agent_of(spec: FetchSpec) -> str:
    """The User-Agent as it is sent."""
    from lycosa.web.live import user_agent

    return user_agent(spec.contact, spec.agent) if spec.agent else user_agent(spec.contact)


def web_of(spec: CrawlSpec, clock: Clock, dns: DnsHistory | None = None) -> Web:
    """The web that the crawl runs on; `dns` learns what names resolve to. `InputError` for a web that is not there."""
    if is_recorded(spec):
        from lycosa.archive.collection import Collection
        from lycosa.web.recorded import RecordedWeb

        return RecordedWeb(Collection.open(recordings_of(spec)), spec.seed, spec.fetch.max_bytes)
    if spec.web != "live":
        raise InputError(f"web {spec.web!r}: give 'live' or 'recorded:PATH'")
    return _live_web(spec, clock, dns)


def settled_web(spec: CrawlSpec) -> str:
    """The web with its paths made absolute, so that the crawl can be resumed from another folder."""
    if not is_recorded(spec):
        return spec.web
    return RECORDED + ",".join(str(path.absolute()) for path in recordings_of(spec))


def recordings_of(spec: CrawlSpec) -> list[Path]:
    """The files and folders that a recorded web is made of."""
    return [Path(part) for part in spec.web.removeprefix(RECORDED).split(",") if part]


def _live_web(spec: CrawlSpec, clock: Clock, dns: DnsHistory | None) -> Web:
    from lycosa.web.live import Limits, LiveWeb
    from lycosa.web.resolve import Resolver, Router, parse_connect_to
    from lycosa.web.spacing import Spacing

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
        spacing=Spacing(clock, millis(spec.politeness.delay)),
        proxy=fetch.proxy,
        tls=fetch.verify_tls,
        cookies=fetch.cookies,
    )


def robots_of(spec: CrawlSpec, web: Web, clock: Clock, archive: Archive | None) -> Robots | None:
    if spec.politeness.robots == "ignore":
        return None
    from lycosa.web.live import product_token

    keep = archive.write if archive is not None else None
    heed = getattr(web, "slow_down", None)
    return RobotsCache(
        web,
        product_token(agent_of(spec.fetch)),
        clock,
        keep=keep,
        heed=heed,
        unanswered_retry=millis(spec.politeness.backoff),
    )


def provenance_of(spec: CrawlSpec, path: Path, description: str) -> Provenance:
    """What each WARC file says of the crawl that made it."""
    return Provenance(
        crawl_id=path.name,
        operator=spec.fetch.contact,
        user_agent=agent_of(spec.fetch),
        robots=spec.politeness.robots,
        description=description,
    )
