"""Word from outside that pages changed just now."""

from __future__ import annotations

from collections.abc import Iterable

from lycosa.crawl.signals import PING
from lycosa.model.events import Told
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.spec.derived import start_url
from lycosa.store.history import History


def pinged(urls: Iterable[str], history: History) -> Told:
    """What a crawl is told of URLs that somebody pings: each as the crawl asks for it, where it knows the page by
    another name. Raises `InputError` for no URL."""
    return Told(changed=tuple((asked_for(start_url(url), history), Millis(0)) for url in urls), by=PING)


def asked_for(url: Url, history: History) -> Url:
    """The URL by which the crawl asks for a page, which may be known by another name; the URL itself if it has none."""
    pages = [row.url for row in history.visits(url) if not row.reason]
    return pages[-1] if pages else url
