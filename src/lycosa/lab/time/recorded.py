"""Worlds of real changes: a site's own history, and the times at which real pages changed."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import inf
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from lycosa.archive.collection import Collection
from lycosa.archive.removals import VERSIONS
from lycosa.lab.time.made_worlds import BLUR
from lycosa.lab.time.world import PageLife, World
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.read.html import read
from lycosa.revisit.chance import chance
from lycosa.revisit.history import DAY
from lycosa.web.made.habits import Replay

UPGRADES = ("Apply technical or declaration upgrade on", "Refilter")
"""How the subjects of rows begin that tell of another extraction, not of another page."""


class Version(Record, frozen=True, kw_only=True, gc=False):
    """From when on a page was what."""

    at: float
    """Days since 1970."""
    digest: str
    """Empty: the page was taken away."""


def read_versions(folder: Path) -> dict[str, list[Version]]:
    """By URL the versions of a recorded site with time, as its table `versions.tsv` tells them, ascending; what is the
    same as before is left out. Raises `InputError`."""
    found: dict[str, list[Version]] = {}
    for row in _rows(folder / VERSIONS, ("time", "url", "status", "sha1")):
        digest = row["sha1"] if row["status"] == "200" else ""
        versions = found.setdefault(row["url"], [])
        if not versions or versions[-1].digest != digest:
            versions.append(Version(at=_days(row["time"]), digest=digest))
    return found


def read_changes(path: Path) -> dict[str, Replay]:
    """By page when it changed, from a table with `time`, `page` and `subject` as that of page-changes: its span is from
    the first version of the page to the last row of all. First versions and rows that tell of another extraction are no
    changes, nor are removals. Raises `InputError`."""
    rows = sorted(
        (_days(row["time"]), row["page"], row["subject"]) for row in _rows(path, ("time", "page", "subject"))
    )
    end = rows[-1][0] + 1.0 if rows else 0.0
    first: dict[str, float] = {}
    times: dict[str, list[float]] = {}
    for at, page, subject in rows:
        if page not in first:
            first[page] = at
            times[page] = []
        elif not subject.startswith((*UPGRADES, "Delete", "Start tracking", "First record of")):
            times[page].append(at - first[page])
    return {page: Replay(times=tuple(times[page]), span=end - first[page]) for page in first}


# -- a site as it was ----------------------------------------------------------------------------------------


def site_world(
    versions: Mapping[str, Sequence[Version]],
    links: Mapping[str, Sequence[tuple[float, frozenset[str]]]],
    begins: float,
    days: float,
    section: str,
) -> World:
    """A recorded site from a day on, for the topic "what lies in this section": pages whose path begins with it are
    relevant, all others are not.

    `links`: by URL from when on it had which links, as of `links_of`. A page is born with its first version that is
    there; what was taken away and came back was another version meanwhile.
    """
    end = begins + days
    spans = {url: span for url, told in versions.items() if (span := _span(told, begins, end))}
    urls = sorted(spans)
    place = {url: at for at, url in enumerate(urls)}
    pages = []
    for url in urls:
        born, died = spans[url]
        times = [version.at for version in versions[url] if max(begins, born) < version.at < min(died, end)]
        relevance = float(urlsplit(url).path.startswith(section))
        pages.append(
            PageLife(
                url=Url(url),
                changes=np.array(times, dtype=np.float64) - begins,
                born=born - begins,
                died=died - begins,
                relevance=relevance,
                seen_relevance=abs(relevance - BLUR * chance(url)),
                listings=tuple(_listed(links.get(url, ()), spans, place, begins, end)),
            )
        )
    return World(name=f"{_date(begins)} {section}", days=days, pages=tuple(pages))


def links_of(folder: Path, urls: Iterable[str]) -> dict[str, list[tuple[float, frozenset[str]]]]:
    """By URL, of each recorded version, its day and which of the URLs it links to."""
    collection, known = Collection.open([folder]), frozenset(urls)
    found: dict[str, list[tuple[float, frozenset[str]]]] = {}
    for capture in collection.captures():
        if capture.url not in known:
            continue
        told = collection.found(capture.url, capture.at)
        document = read(told[1].body, Url(capture.url)) if told else None
        targets = frozenset(link.target for link in document.links) & known if document else frozenset()
        found.setdefault(capture.url, []).append((capture.at / DAY, targets - {capture.url}))
    collection.close()
    return found


def _span(versions: Sequence[Version], begins: float, end: float) -> tuple[float, float] | None:
    """From when to when a page was there, as far as the days between are concerned; None if it was not."""
    there = [version for version in versions if version.digest]
    before = [version for version in versions if version.at <= begins]
    if before and before[-1].digest:
        born = before[-1].at
    else:
        born = next((version.at for version in there if begins < version.at < end), inf)
    last = [version for version in versions if version.at < end][-1:]
    died = last[0].at if last and not last[0].digest else inf
    return (born, died) if born < min(died, end) else None


def _listed(
    links: Sequence[tuple[float, frozenset[str]]],
    spans: Mapping[str, tuple[float, float]],
    place: Mapping[str, int],
    begins: float,
    end: float,
) -> Iterator[tuple[float, int]]:
    """When a page showed a link to which new one that was there: since its own version or the other's birth."""
    found: dict[int, float] = {}
    for (at, targets), (until, _) in pairwise((*links, (inf, frozenset[str]()))):
        for target in targets & spans.keys() if until > begins and at < end else ():
            born = spans[target][0]
            if begins < born < until:
                found.setdefault(place[target], max(at, born) - begins)
    return iter(sorted((at, page) for page, at in found.items()))


# -- tables --------------------------------------------------------------------------------------------------


def _rows(path: Path, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file, delimiter="\t"), 2):
                if any(row.get(column) is None for column in columns):
                    raise InputError(f"{path}, line {number}: it needs {', '.join(columns)}")
                yield row
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _days(written: str) -> float:
    """Days since 1970 of a time in ISO 8601. Raises `InputError`."""
    try:
        when = datetime.fromisoformat(written)
    except ValueError:
        raise InputError(f"{written!r} is no time") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000 / DAY


def _date(days: float) -> str:
    return datetime.fromtimestamp(days * DAY / 1000, UTC).date().isoformat()
