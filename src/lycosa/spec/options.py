"""From what is asked of a crawl, by the names of the options of `lycosa crawl`, to a specification: for all faces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.url import Url, canonical, host_of
from lycosa.read.language_names import language_code
from lycosa.spec.files import load
from lycosa.spec.profiles import base_spec
from lycosa.spec.tree import (
    CrawlSpec,
    FetchSpec,
    JudgeSpec,
    PartType,
    PolitenessSpec,
    ScopeSpec,
    StopSpec,
    TopicFile,
    TopicSpec,
    is_part,
    option_of,
)

Value = TypeVar("Value")


def spec_from_options(**given: Any) -> CrawlSpec:
    """The specification that the options ask for, by their names. Reads the topic file, nothing else.

    `words` are the topic and the start pages, or start pages only where the topic comes from elsewhere. Lists given
    both in the topic file and as options are joined, single values of the options win. None, or an empty list: not
    written. Raises `InputError` where topic or start pages are missing or an option cannot be used.
    """
    # An empty text says nothing, but an empty strategy is a mistake that must be told.
    given = {name: value for name, value in given.items() if value != "" or name == "strategy"}
    file = load(given["topic_file"], TopicFile) if given.get("topic_file") else TopicFile()
    topic, urls = _topic_and_urls(file, given)
    seeds = _once(canonical(url) for url in (*urls, *file.seeds))
    if not (seeds or given.get("sitemap") or given.get("seeds_from")):
        raise InputError(
            "no start page: give at least one URL after the topic, `seeds` in the topic file, --sitemap URL or "
            "--seeds-from SOURCE"
        )
    spec = _changed(base_spec(given.get("profile") or file.profile, given.get("web") or "live"), given)
    return _checked(
        msgspec.structs.replace(
            spec,
            topic=topic,
            seeds=seeds,
            sitemaps=tuple(map(canonical, spec.sitemaps)),
            scope=_scope(file.scope, seeds, given),
            fetch=_in_time(spec.fetch, given),
            stop=stop_of(spec.stop, **given),
        )
    )


def _topic_and_urls(file: TopicFile, given: Mapping[str, Any]) -> tuple[TopicSpec, tuple[str, ...]]:
    words: tuple[str, ...] = given.get("words", ())
    has_topic = bool(words) and not _is_url(words[0])
    said = (part.strip() for part in words[0].split(",")) if has_topic else ()
    in_file = TopicSpec(**{name: getattr(file, name) for name in TopicSpec.__struct_fields__})
    beside = given["topic_file"].parent if given.get("topic_file") else Path()
    topic = _found(_changed(_found(in_file, beside), given), Path())  # paths of options are seen from here
    topic = msgspec.structs.replace(
        topic,
        keywords=_once(filter(None, (*file.keywords, *said))),
        languages=_once(map(language_code, topic.languages)),
        **{name: _once(getattr(topic, name)) for name in ("good", "focus", *_LISTS_OF_PLACES)},
    )
    if not topic.says_something:
        raise InputError(
            "no topic: write `lycosa crawl TOPIC URL`, with the topic's words in quotes, or give --like or --topic-file"
        )
    return topic, words[1:] if has_topic else words


_PLACES = ("taxonomy", "ontology", "model", "ranking", "database")
_LISTS_OF_PLACES = ("back_links", "learn_from", "logs")


def _found(topic: TopicSpec, base: Path) -> TopicSpec:
    """The topic with whole paths in place of those that are seen from `base`."""

    def place(name: str) -> str:
        return str((base / name).resolve()) if name else ""

    return msgspec.structs.replace(
        topic,
        examples=tuple(_example(name, base) for name in topic.examples),
        knowledge=topic.knowledge.found(place),
        **{name: place(getattr(topic, name)) for name in _PLACES},
        **{name: tuple(map(place, getattr(topic, name))) for name in _LISTS_OF_PLACES},
    )


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


def _scope(file: ScopeSpec, seeds: tuple[Url, ...], given: Mapping[str, Any]) -> ScopeSpec:
    own = tuple(host_of(url) for url in seeds) if given.get("same_host") else ()
    scope = _changed(file, given)
    most, hosts = scope.most_hosts, _once(host_of(url) for url in seeds)
    if most is not None and len(hosts) > most:
        raise InputError(
            f"--max-hosts {most}: the start pages are on {len(hosts)} hosts already; allow more, or leave some out"
        )
    return msgspec.structs.replace(scope, hosts=_once((*scope.hosts, *own)), ports=_once(scope.ports))


def stop_of(before: StopSpec, **given: Any) -> StopSpec:
    """The stopping rules as they were, with those that are written in their place."""
    harvest, window = given.get("stop_below") or (before.harvest, None)
    return msgspec.structs.replace(_changed(before, given), harvest=harvest, window=window or before.window)


def judge_of(before: JudgeSpec, **given: Any) -> JudgeSpec:
    """The model that is asked as it was, with what is written in its place."""
    return _changed(before, given)


def manners_of(**given: Any) -> tuple[PolitenessSpec, FetchSpec]:
    """How to behave on the web and how to connect, for verbs that visit pages without a crawl of their own."""
    return _changed(PolitenessSpec(), given), _in_time(_changed(FetchSpec(), given), given)


def _in_time(fetch: FetchSpec, given: Mapping[str, Any]) -> FetchSpec:
    """No silence is longer than what `--max-time` allows a request as a whole."""
    most = given.get("max_time") or fetch.first_byte_timeout
    return msgspec.structs.replace(fetch, first_byte_timeout=min(fetch.first_byte_timeout, most))


def _changed(part: PartType, given: Mapping[str, Any]) -> PartType:
    """The part with the options that were written: lists are joined to those that are there."""
    values = {}
    for field in msgspec.structs.fields(part):
        was = getattr(part, field.name)
        if is_part(field.type):
            values[field.name] = _changed(was, given)
        elif (option := option_of(field)) and (value := given.get(option.name)) not in (None, ()):
            values[field.name] = (*was, *value) if isinstance(was, tuple) else value
    return msgspec.structs.replace(part, **values)


def _once(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))


def _checked(spec: CrawlSpec) -> CrawlSpec:
    """Constructors of structs do not look at ranges; a round trip does."""
    try:
        return converted(msgspec.to_builtins(spec), CrawlSpec)
    except msgspec.ValidationError as error:
        raise InputError(str(error).replace("`$.", "`")) from None
