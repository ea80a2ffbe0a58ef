"""From the options of `lycosa crawl` to a specification, as a pure function of what was written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from lycosa.frontier.protocol import Tie
from lycosa.model.errors import InputError
from lycosa.model.url import Url, canonical, host_of
from lycosa.profiles import base_spec
from lycosa.read.language_names import language_code
from lycosa.spec import (
    CrawlSpec,
    FetchSpec,
    Part,
    PolitenessSpec,
    Profile,
    RecallBy,
    ScopeSpec,
    StopSpec,
    TopicFile,
    TopicSpec,
    load,
)


class CrawlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What may be written after `lycosa crawl`. None: not written, so that the specification's default holds."""

    words: tuple[str, ...] = ()
    """The topic and the start pages, or start pages only where the topic comes from elsewhere."""
    like: tuple[str, ...] = ()
    topic_file: Path | None = None
    taxonomy: str | None = None
    good: tuple[str, ...] = ()
    ontology: str | None = None
    focus: tuple[str, ...] = ()
    model: str | None = None
    trust_model: bool = False
    predicate: str | None = None
    function: str | None = None
    on_fault: Literal["go-on", "halt"] | None = None
    like_start_pages: bool = False
    weighting: Literal["tf", "tf-idf"] | None = None
    back_links: tuple[str, ...] = ()
    learn_from: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    ranking: str | None = None
    database: str | None = None
    strategy: str | None = None
    profile: Profile | None = None
    pages: int | None = None
    time: float | None = None
    out: Path | None = None
    web: str | None = None
    seed: int | None = None
    relevant: float | None = None
    host: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    port: tuple[int, ...] = ()
    same_host: bool = False
    language: tuple[str, ...] = ()
    sitemap: tuple[str, ...] = ()
    sitemaps: bool = False
    delay: float | None = None
    ignore_robots: bool = False
    connect_to: tuple[str, ...] = ()
    proxy: str | None = None
    allow_private: bool = False
    insecure: bool = False
    agent: str | None = None
    contact: str | None = None
    max_time: float | None = None
    connect_timeout: float | None = None
    max_filesize: int | None = None
    width: int | None = None
    cookies: bool = False
    max_frontier: int | None = None
    tie: Tie | None = None
    stop_below: tuple[float, int | None] | None = None
    """A harvest rate and the pages over which it is taken."""
    stop_at_recall: float | None = None
    recall_by: RecallBy | None = None
    surely: bool | None = None
    stop_after: int | None = None
    bytes: int | None = None
    hold_out: float | None = None


def spec_from_options(**given: Any) -> CrawlSpec:
    """The specification that the options ask for, by their names. Reads the topic file, nothing else.

    Lists given both in the topic file and as options are joined, single values of the options win. Raises
    `InputError` where topic or start pages are missing or an option cannot be used.
    """
    options = CrawlOptions(**given)
    file = load(options.topic_file, TopicFile) if options.topic_file else TopicFile()
    topic, urls = _topic_and_urls(options, file)
    seeds = tuple(dict.fromkeys(canonical(url) for url in (*urls, *file.seeds)))
    if not seeds and not options.sitemap:
        raise InputError(
            "no start page: give at least one URL after the topic, `seeds` in the topic file, or --sitemap URL"
        )
    base = base_spec(options.profile or file.profile, options.web or "live")
    return _checked(
        _changed(
            base,
            topic=topic,
            seeds=seeds,
            sitemaps=tuple(canonical(url) for url in options.sitemap) or None,
            use_sitemaps=options.sitemaps or None,
            strategy=options.strategy,
            pages=options.pages,
            seconds=options.time,
            seed=options.seed,
            relevant_from=options.relevant,
            scope=_scope(options, file.scope, seeds),
            frontier=_changed(base.frontier, capacity=options.max_frontier, tie=options.tie),
            politeness=_politeness(options, base.politeness),
            fetch=_fetch(options, base.fetch),
            stop=_stop(options, base.stop),
        )
    )


def _topic_and_urls(options: CrawlOptions, file: TopicFile) -> tuple[TopicSpec, tuple[str, ...]]:
    words = options.words
    has_topic = bool(words) and not _is_url(words[0])
    given = tuple(part.strip() for part in words[0].split(",")) if has_topic else ()
    base = options.topic_file.parent if options.topic_file else Path()
    topic = TopicSpec(
        keywords=tuple(dict.fromkeys(filter(None, (*file.keywords, *given)))),
        description=file.description,
        examples=(
            *(_example(name, base) for name in file.examples),
            *(_example(name, Path()) for name in options.like),
        ),
        languages=tuple(dict.fromkeys(map(language_code, (*file.languages, *options.language)))),
        good=tuple(dict.fromkeys((*file.good, *options.good))),
        focus=tuple(dict.fromkeys((*file.focus, *options.focus))),
        trust_model=file.trust_model or options.trust_model,
        on_fault=options.on_fault or file.on_fault,
        like_start_pages=file.like_start_pages or options.like_start_pages,
        weighting=options.weighting or file.weighting,
        predicate=options.predicate or file.predicate,
        function=options.function or file.function,
        hold_out=file.hold_out if options.hold_out is None else options.hold_out,
    )
    topic = msgspec.structs.replace(
        topic,
        **{name: _place(getattr(options, name), getattr(file, name), base) for name in _PLACES},
        **{name: _places(getattr(options, name), getattr(file, name), base) for name in _LISTS_OF_PLACES},
    )
    if not topic.says_something:
        raise InputError(
            "no topic: write `lycosa crawl TOPIC URL`, with the topic's words in quotes, or give --like or --topic-file"
        )
    return topic, words[1:] if has_topic else words


_PLACES = ("taxonomy", "ontology", "model", "ranking", "database")
_LISTS_OF_PLACES = ("back_links", "learn_from", "logs")


def _place(chosen: str | None, in_file: str, base: Path) -> str:
    """A file or folder: one given as an option stands for itself, one in a topic file is found from there."""
    return str(Path(chosen).resolve()) if chosen else str((base / in_file).resolve()) if in_file else ""


def _places(chosen: tuple[str, ...], in_file: tuple[str, ...], base: Path) -> tuple[str, ...]:
    found = (
        *(_place(None, place, base) for place in in_file),
        *(_place(place, "", base) for place in chosen),
    )
    return tuple(dict.fromkeys(found))


def _is_url(word: str) -> bool:
    """Topics have no scheme and look like no host; a person who forgot the topic starts with a URL."""
    return bool(re.match(r"(?i)[a-z][a-z0-9+.-]*://|[\w-]+(\.[\w-]+)+(:\d+)?(/|$)", word))


def _example(name: str, base: Path) -> str:
    if re.match(r"(?i)https?://", name):
        return canonical(name)
    path = (base / name).resolve()
    if not path.is_file():
        raise InputError(
            f"example {name!r}: there is no such file; give a file, or a URL that starts with https://"
        )
    return str(path)


def _scope(options: CrawlOptions, file: ScopeSpec, seeds: tuple[Url, ...]) -> ScopeSpec:
    own = tuple(host_of(url) for url in seeds) if options.same_host else ()
    return ScopeSpec(
        hosts=tuple(dict.fromkeys((*file.hosts, *options.host, *own))),
        domains=(*file.domains, *options.domain),
        prefixes=(*file.prefixes, *options.prefix),
        include=(*file.include, *options.include),
        exclude=(*file.exclude, *options.exclude),
        depth=file.depth if options.depth is None else options.depth,
        ports=tuple(dict.fromkeys((*file.ports, *options.port))),
    )


def stop_of(before: StopSpec, **given: Any) -> StopSpec:
    """The stopping rules as they were, with those that are written in their place."""
    return _stop(CrawlOptions(**given), before)


def _stop(options: CrawlOptions, before: StopSpec) -> StopSpec:
    harvest, window = options.stop_below or (None, None)
    return _changed(
        before,
        harvest=harvest,
        window=window,
        recall=options.stop_at_recall,
        recall_by=options.recall_by,
        surely=options.surely,
        after=options.stop_after,
        bytes=options.bytes,
    )


def manners_of(**given: Any) -> tuple[PolitenessSpec, FetchSpec]:
    """How to behave on the web and how to connect, for verbs that visit pages without a crawl of their own."""
    options = CrawlOptions(**given)
    return _politeness(options, PolitenessSpec()), _fetch(options, FetchSpec())


def _politeness(options: CrawlOptions, default: PolitenessSpec) -> PolitenessSpec:
    robots = "ignore" if options.ignore_robots else None
    return _changed(default, delay=options.delay, robots=robots)


def _fetch(options: CrawlOptions, default: FetchSpec) -> FetchSpec:
    total = options.max_time
    return _changed(
        default,
        agent=options.agent,
        contact=options.contact,
        width=options.width,
        connect_timeout=options.connect_timeout,
        total_timeout=total,
        first_byte_timeout=min(default.first_byte_timeout, total) if total else None,
        max_bytes=options.max_filesize,
        connect_to=options.connect_to or None,
        proxy=options.proxy,
        allow_private=options.allow_private or None,
        verify_tls=False if options.insecure else None,
        cookies=options.cookies or None,
    )


PartType = TypeVar("PartType", bound=Part)


def _changed(part: PartType, **values: Any) -> PartType:
    """The part with the values that were given; None: not given."""
    given = {key: value for key, value in values.items() if value is not None}
    return msgspec.structs.replace(part, **given)


def _checked(spec: CrawlSpec) -> CrawlSpec:
    """Constructors of structs do not look at ranges; a round trip does."""
    try:
        return msgspec.convert(msgspec.to_builtins(spec), CrawlSpec)
    except msgspec.ValidationError as error:
        raise InputError(str(error).replace("`$.", "`")) from None
