"""What follows from a specification by itself, before any part of a crawl is made."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from lycosa.archive.record import MAX_BODY
from lycosa.crawl.order import OrderRules
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.model.url import Url, canonical
from lycosa.spec.tree import ArchiveSpec, ArchivesSpec, CrawlSpec, FetchSpec
from lycosa.spec.webs import web_of

WIDE = 128
"""Visits at a time where sites are asked and nothing else is said."""


def seeds_of(spec: CrawlSpec) -> list[Url]:
    """The start pages in canonical form, each once. Raises `InputError` for what is no URL."""
    return list(dict.fromkeys(start_url(raw) for raw in spec.seeds))


def start_url(raw: str) -> Url:
    """A URL as a person types it: without a scheme it is taken as https."""
    return canonical(raw if "://" in raw else f"https://{raw}")


def millis(seconds: float) -> Millis:
    return Millis(round(seconds * 1000))


def is_recorded(spec: CrawlSpec) -> bool:
    """Whether the crawl needs no network, and so runs under virtual time."""
    return web_of(spec.web).is_recorded


def asks_sites(spec: CrawlSpec) -> bool:
    """Whether the sites themselves are asked: not on recorded webs and in archives."""
    return web_of(spec.web).live


def width_of(spec: CrawlSpec) -> int:
    """Visits at a time. Hosts that answer after L seconds and rest for a second are out for a share L/(1+L) of the
    time: of 200 hosts at 0.3 s there are 46 at a time, of 400 at half a second 133."""
    return spec.fetch.width or (WIDE if asks_sites(spec) else OrderRules().width)


def begins_at(spec: CrawlSpec) -> Millis | None:
    """When virtual time begins on a recorded web with time; None if the web has none. Raises `InputError`."""
    if not spec.begins:
        return None
    if not is_recorded(spec):
        raise InputError(
            f"begins {spec.begins!r}: only a recorded web has a time to begin at; of an archive say it as in "
            "wayback:2012"
        )
    try:
        when = datetime.fromisoformat(spec.begins)
        return millis((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise InputError(f"begins {spec.begins!r}: give a date or time as in 2012-01-31") from None


def settled_web(spec: CrawlSpec) -> str:
    """The web with its paths made absolute, so that the crawl can be resumed from another folder."""
    named = web_of(spec.web)
    return str(msgspec.structs.replace(named, recordings=tuple(path.absolute() for path in named.recordings)))


def settled_archives(spec: CrawlSpec) -> ArchivesSpec:
    """How archives are asked, with the path of the cache made absolute."""
    cache = spec.archives.cache
    return msgspec.structs.replace(spec.archives, cache=str(Path(cache).absolute()) if cache else "")


def settled_archive(spec: CrawlSpec) -> ArchiveSpec:
    """The archive with the paths of others made absolute, so that the crawl can be resumed from another folder."""
    others = tuple(str(Path(place).absolute()) for place in spec.archive.dedup_against)
    return msgspec.structs.replace(spec.archive, dedup_against=tuple(dict.fromkeys(others)))


def settled_fetch(spec: CrawlSpec) -> FetchSpec:
    """How pages are fetched, with the paths of keys and logins made absolute: what they hold is never kept. Raises
    `InputError` for a signature without a name."""
    fetch = spec.fetch
    if bool(fetch.sign_key) != bool(fetch.sign_agent):
        raise InputError(
            "--sign-key and --sign-agent go together: the key that signs, and the site that shows the public key"
        )
    named = {name: getattr(fetch, name) for name in ("sign_key", "logins", "netrc_file", "load_cookies")}
    return msgspec.structs.replace(
        fetch, **{name: str(Path(file).absolute()) for name, file in named.items() if file}
    )


def agent_of(spec: FetchSpec) -> str:
    """The User-Agent as it is sent."""
    from lycosa.web.http.agent import user_agent

    return user_agent(spec.contact, spec.agent) if spec.agent else user_agent(spec.contact)


def longest_body(spec: CrawlSpec) -> int:
    """Bytes up to which bodies are read back from the crawl's archive: none that it wrote is cut."""
    return max(MAX_BODY, spec.fetch.max_bytes)


def topic_words(spec: CrawlSpec) -> str:
    """The topic in a few words, for people."""
    topic = spec.topic
    likes = (f"pages like {example}" for example in topic.examples)
    marked = (", ".join(topic.good), ", ".join(topic.focus), topic.predicate, topic.function)
    files = (
        f"what {Path(name).name} judges" for name in (topic.taxonomy, topic.ontology, topic.model) if name
    )
    said = (" ".join(topic.keywords), topic.description, *likes, *marked, *files)
    return next((part for part in said if part), "")
