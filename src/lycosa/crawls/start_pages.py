"""Start pages that somebody else found: a search engine, an earlier crawl, or whoever wrote a list."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_plus

import msgspec
from msgspec.structs import replace

from lycosa.compose.outside import Outside
from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.model.errors import InputError
from lycosa.model.records import PLAIN, Fault, Response
from lycosa.model.url import Url, canonical
from lycosa.spec.tree import CrawlSpec
from lycosa.spec.webs import LIVE
from lycosa.store.paths import crawlers_in

MOST: Final = 20
"""Start pages of one source, the first ones."""
LONGEST: Final = 4_000_000
"""Bytes of an answer, or of a list."""
BY_DEFAULT: Final = CrawlSpec()
PATIENCE: Final = 30.0
"""Seconds."""
LONGEST_QUERY: Final = 200
"""Characters of a description that stands for the words of a topic."""
TOPIC: Final = "{topic}"
"""Stands in a source for the topic's words."""


def start_pages_of(spec: CrawlSpec) -> list[Url]:
    """The start pages that the sources of a specification (`seeds_from`) name for its topic.

    A source is the URL of a search engine that answers with JSON, in which `{topic}` stands for the topic's words:
    `results[].url`, as SearXNG does it, a list of URLs or of objects with a `url`; or a URL of plain text, one URL a
    line; or a file of either; or the folder of a crawl: its pages that fit the words best. Raises `InputError` for a
    source that cannot be had, or names nothing.
    """
    words = " ".join(spec.topic.keywords) or spec.topic.description[:LONGEST_QUERY]
    found = [url for source in spec.seeds_from for url in start_pages(source, words, spec)]
    return list(dict.fromkeys(found))


def start_pages(source: str, topic: str, spec: CrawlSpec = BY_DEFAULT) -> list[Url]:
    """The first start pages that one source names for a topic, asked in the manner of a specification. Raises
    `InputError`."""
    if TOPIC in source and not topic:
        raise InputError(f"{source}: the topic has no words to search for; give some, or start pages")
    if source.startswith(("http://", "https://")):
        found: Iterable[Url] = _read(asyncio.run(_asked(source, topic, spec)), source)
    elif any(each.journal.exists() for each in crawlers_in(Path(source))):
        with open_folder(source) as folder:
            found = _best_in(folder, topic)
    else:
        found = _read(_list_in(Path(source)), source)
    if not (urls := list(islice(dict.fromkeys(found), MOST))):
        raise InputError(f"{source}: names no page for {topic!r}; try other words, or give start pages")
    return urls


def _best_in(folder: Folder, words: str) -> list[Url]:
    """The pages that have the words, the best first; without words the most relevant ones."""
    terms = re.findall(r"\w+", words.lower())
    if not terms:
        return [row.final_url for row in folder.best(MOST)]
    return [hit.url for hit in folder.search(" OR ".join(terms), MOST)]


async def _asked(source: str, words: str, spec: CrawlSpec) -> bytes:
    """What a search engine answers to one request. It is named by hand, so it may be on this machine."""
    url = canonical(source.replace(TOPIC, quote_plus(words)))
    fetch = replace(spec.fetch, allow_private=True, max_bytes=LONGEST)
    async with Outside(replace(spec, web=LIVE, begins="", fetch=fetch)) as outside:
        try:
            answer = await asyncio.wait_for(outside.web.fetch(url, PLAIN), PATIENCE)
        except TimeoutError:
            raise InputError(f"{source}: no answer within {PATIENCE:g} s") from None
    match answer:
        case Fault(reason=reason, detail=detail):
            raise InputError(f"{source}: {f'{reason.value} {detail}'.strip()}")
        case Response(status=200, truncated=truncated, body=body) if not truncated:
            return body
        case Response(status=200):
            raise InputError(f"{source}: its answer is longer than {LONGEST:,} bytes")
        case Response(status=status):
            hint = "; does it give JSON (of SearXNG: search.formats)?" if status == 403 else ""
            raise InputError(f"{source}: it answered {status}{hint}")


def _list_in(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            held = file.read(LONGEST + 1)
    except OSError as error:
        raise InputError(
            f"{path}: {error.strerror}; give the URL of a search engine, the folder of a crawl or a list of URLs"
        ) from None
    if len(held) > LONGEST:
        raise InputError(f"{path}: is longer than {LONGEST:,} bytes")
    return held


def _read(held: bytes, source: str) -> Iterator[Url]:
    """The URLs of a list, as JSON or one a line; what is none is passed over."""
    if held.lstrip()[:1] in (b"{", b"["):
        try:
            named: Iterable[Any] = _in_json(msgspec.json.decode(held))
        except msgspec.DecodeError as error:
            raise InputError(f"{source}: is no JSON ({error})") from None
    else:
        lines = held.decode("utf-8", "replace").splitlines()
        named = (line.partition("#")[0].strip() for line in lines if "://" in line)
    for raw in named:
        try:
            yield canonical(str(raw))
        except InputError:
            continue


def _in_json(held: Any) -> list[Any]:
    """By SearXNG's form, or a plain list."""
    results = held.get("results", []) if isinstance(held, dict) else held
    return [
        one.get("url", "") if isinstance(one, dict) else one
        for one in (results if isinstance(results, list) else [])
    ]
