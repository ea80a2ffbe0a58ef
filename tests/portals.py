"""Collections to search, made of a few pages without a crawl: journal and index are written as a crawl writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lycosa.model.events import Entry
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import Url
from lycosa.read.duplicates import simhash
from lycosa.read.rights import of_markup
from lycosa.scoring.words.terms import counts
from lycosa.spec.files import save
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.full_text import TextIndex
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths

DAY = 86_400_000
FIRST = Millis(1_767_225_600_000)
"""The beginning of 2026."""


@dataclass(frozen=True)
class Made:
    """One page of a collection."""

    url: str
    text: str = ""
    title: str = ""
    day: int = 0
    """Of 2026, from 0."""
    relevance: float = 0.5
    language: str = "en"
    media_type: str = "text/html"
    depth: int = 0
    changed: str = ""
    """Its Last-Modified."""
    noindex: bool = False
    robots: str = ""
    """Its `<meta name="robots">`."""


def page_of(made: Made) -> Page:
    url = Url(made.url)
    return Page(
        request=Request(url=url, order=0, depth=made.depth),
        final_url=url,
        status=200,
        fetched_at=Millis(FIRST + made.day * DAY),
        media_type=made.media_type,
        digest=f"sha1:{made.text}",
        title=made.title,
        text=made.text,
        links=(),
        relevance=made.relevance,
        language=made.language,
        fingerprint=simhash(counts(made.text)),
        last_modified=made.changed,
        noindex=made.noindex,
        rights=of_markup({"robots": made.robots}, ()),
    )


def write(paths: Paths, pages: Sequence[Made], *, index: bool = True) -> None:
    """Add pages to a crawl's journal, and to its index."""
    for place in (paths.folder, paths.archive, paths.index.parent):
        place.mkdir(parents=True, exist_ok=True)
    journal = Journal(paths.journal)
    added = []
    for made in pages:
        page, step = page_of(made), journal.last_step + 1
        journal.append(Entry(step=step, at=page.fetched_at, leased=(page.url,), event=page))
        if not made.noindex:
            added.append((step, page.final_url, page.title, page.text))
    journal.close()
    if index:
        with TextIndex(paths.index) as text:
            text.add(added)


def collection(folder: Path, pages: Sequence[Made], *, index: bool = True) -> Path:
    """The folder of a crawl that fetched these pages, in this order."""
    paths = Paths(folder)
    write(paths, pages, index=index)
    save(CrawlSpec(topic=TopicSpec(keywords=("spider",)), seeds=("http://a.test/",)), paths.specification)
    return folder
