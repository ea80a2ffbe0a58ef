"""Crawls made of a few pages and their links, without crawling: a journal as a crawl writes it, of one node or two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lycosa.model.events import Entry
from lycosa.model.records import Failure, Link, Millis, Page, Reason, Request
from lycosa.model.url import Url
from lycosa.spec.files import save
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths


@dataclass(frozen=True)
class Linking:
    """One visit. Names stand for `http://NAME.test/`."""

    name: str
    links: Sequence[str] = ()
    relevance: float = 0.5
    final: str = ""
    """Where it redirects to."""
    failed: bool = False
    title: str = ""
    via: str = ""


def url(name: str) -> Url:
    return Url(name if "/" in name else f"http://{name}.test/")


def linked(folder: Path, visits: Sequence[Linking]) -> Path:
    """The folder of a crawl that made these visits, in this order, one a second."""
    paths = Paths(folder)
    for place in (paths.folder, paths.archive):
        place.mkdir(parents=True, exist_ok=True)
    spec = CrawlSpec(topic=TopicSpec(keywords=("spider",)), seeds=(url(visits[0].name),), relevant_from=0.5)
    save(spec, paths.specification)
    journal = Journal(paths.journal)
    for number, visit in enumerate(visits, 1):
        journal.append(
            Entry(
                step=journal.last_step + 1,
                at=Millis(1_000 * number),
                leased=(url(visit.name),),
                event=_event(visit, Millis(1_000 * number)),
            )
        )
    journal.close()
    return folder


def _event(visit: Linking, at: Millis) -> Page | Failure:
    asked, final = url(visit.name), url(visit.final or visit.name)
    via = Link(source=url(visit.via), target=asked, anchor=f"to {visit.name}") if visit.via else None
    request = Request(url=asked, order=0, via=via)
    if visit.failed:
        return Failure(request=request, reason=Reason.STATUS, detail="404", status=404, at=at)
    return Page(
        request=request,
        final_url=final,
        status=200,
        fetched_at=at,
        media_type="text/html",
        digest=f"sha1:{visit.name}",
        title=visit.title or visit.name,
        text="",
        links=tuple(Link(source=final, target=url(target)) for target in visit.links),
        relevance=visit.relevance,
    )


def name_of(of: str) -> str:
    """The name of a URL that `url` made."""
    return of.removeprefix("http://").removesuffix(".test/")
