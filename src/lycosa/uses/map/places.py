"""The pages of a crawl as places on a map: by which link each was found, and how they link to each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as row_with
from typing import TYPE_CHECKING

from msgspec.structs import replace

from lycosa.crawls.answers import PageRow
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Host, Url, host_of
from lycosa.report.wording import clean, counted
from lycosa.spec.derived import topic_words

if TYPE_CHECKING:
    from lycosa.crawls.interface import Folder

HOSTS_TOLD = 5


class Place(Record, frozen=True, kw_only=True):
    """One page on the map."""

    url: Url
    """Where its redirects ended."""
    title: str
    relevance: float
    step: int
    depth: int
    """Links from the top of the map, along the tree."""
    parent: int | None
    """The place on whose page the link stood by which this one was found; None at the top."""
    anchor: str
    """The words of that link."""
    links: tuple[int, ...]
    """The places that its page links to, itself left out."""


class SiteMap(Record, frozen=True, kw_only=True):
    """The pages of a crawl, or of one host of it, in the order of the crawl.

    Invariants, each the name of a property test:

    * parents come first: the parent of a place stands before it, so the map is a forest.
    * closed under parents: what is left of a map by `tailored` has every parent on it.
    """

    topic: str
    site: str
    """The host that the map is restricted to; empty: all of them."""
    relevant_from: float
    places: tuple[Place, ...]
    pages: int
    """How many pages the crawl has of the site; the map may show fewer."""

    @property
    def relevant(self) -> int:
        return sum(place.relevance >= self.relevant_from for place in self.places)

    def children(self) -> Mapping[int | None, Sequence[int]]:
        """The places below each one; those at the top under None."""
        below: dict[int | None, list[int]] = {}
        for number, place in enumerate(self.places):
            below.setdefault(place.parent, []).append(number)
        return below


def map_of(folder: Folder, site: str = "", *, links: bool = True) -> SiteMap:
    """The map of a crawl; without `links` no place has any, and it is made in a third of the time. Raises `InputError`
    for a crawl without pages, or a `site` of which it has none."""
    rows = _last_visits(folder.rows(text=False))
    host = site.strip().lower()
    here = [row for row in rows if not host or host_of(row.final_url) == host]
    if not here:
        raise InputError(f"{folder.path}: {_nothing(rows, host)}")
    numbers = _numbers(here)
    linked = folder.links() if links else ()
    targets = {numbers[url]: found for url, found in linked if url in numbers}
    places: list[Place] = []
    found_on = _found_on(rows)
    for number, row in enumerate(here):
        parent = _parent(row, found_on, numbers, number)
        others = dict.fromkeys(numbers[url] for url in targets.get(number, ()) if url in numbers)
        others.pop(number, None)
        places.append(
            Place(
                url=row.final_url,
                title=clean(row.title),
                relevance=row.relevance,
                step=row.step,
                depth=0 if parent is None else places[parent].depth + 1,
                parent=parent,
                anchor=clean(row.anchor),
                links=tuple(others),
            )
        )
    spec = folder.spec
    return SiteMap(
        topic=clean(topic_words(spec)),
        site=host,
        relevant_from=spec.relevant_from,
        places=tuple(places),
        pages=len(places),
    )


def tailored(whole: SiteMap, most: int) -> SiteMap:
    """The map with the most relevant pages and the ways to them: at most so many places, or what one way takes."""
    if len(whole.places) <= most:
        return whole
    ranked = sorted(range(len(whole.places)), key=lambda n: (-whole.places[n].relevance, n))
    kept: set[int] = set()
    for number in ranked:
        way = [step for step in _way(whole.places, number) if step not in kept]
        if len(kept) + len(way) <= most or not kept:
            kept.update(way)
    numbers = {old: new for new, old in enumerate(sorted(kept))}
    places = (whole.places[old] for old in numbers)
    renumbered = (
        replace(
            place,
            parent=None if place.parent is None else numbers[place.parent],
            links=tuple(numbers[target] for target in place.links if target in numbers),
        )
        for place in places
    )
    return replace(whole, places=tuple(renumbered))


def _last_visits(rows: Iterable[PageRow]) -> list[PageRow]:
    """Each page once, where it was first found, as it was last seen."""
    found: dict[Url, PageRow] = {}
    for row in rows:
        first = found.get(row.final_url)
        found[row.final_url] = (
            row if first is None else row_with(first, relevance=row.relevance, title=row.title)
        )
    return list(found.values())


def _numbers(rows: Sequence[PageRow]) -> dict[Url, int]:
    """The place of each page by all of its URLs; the one where it ended counts before one that led there."""
    numbers = {row.url: number for number, row in enumerate(rows)}
    numbers.update((row.final_url, number) for number, row in enumerate(rows))
    return numbers


def _found_on(rows: Iterable[PageRow]) -> Mapping[Url, Url]:
    """The page that led to each URL."""
    return {url: row.via for row in rows if row.via for url in (row.url, row.final_url)}


def _parent(row: PageRow, found_on: Mapping[Url, Url], numbers: Mapping[Url, int], number: int) -> int | None:
    """The nearest page on the way here that is on the map, and earlier."""
    seen: set[Url] = set()
    at = row.via
    while at is not None and at not in seen:
        if numbers.get(at, number) < number:
            return numbers[at]
        seen.add(at)
        at = found_on.get(at)
    return None


def _way(places: Sequence[Place], number: int) -> Iterator[int]:
    """A place and those above it."""
    at: int | None = number
    while at is not None:
        yield at
        at = places[at].parent


def _nothing(rows: Sequence[PageRow], host: Host | str) -> str:
    if not rows:
        return "the crawl has no page yet, so there is nothing to map"
    hosts: dict[str, int] = {}
    for row in rows:
        hosts[host_of(row.final_url)] = hosts.get(host_of(row.final_url), 0) + 1
    ranked = sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[:HOSTS_TOLD]
    told = ", ".join(f"{name} ({counted(n, 'page')})" for name, n in ranked)
    return f"no page of {host}; there are: {told}"
