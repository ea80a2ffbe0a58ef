"""What helps a crawl that brought little, or nothing: told from how it stands, for whoever began it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from lycosa.crawls.answers import Status
from lycosa.model.endings import EndKind
from lycosa.report.wording import counted

HELPS: Final[Mapping[str, str]] = {
    "dns": "the host name has no address: check how the URLs are spelt",
    "connect": "the hosts did not answer: try later, or begin with other pages",
    "timeout": "the hosts did not answer in time: try later, or begin with other pages",
    "tls": "the hosts have no trusted certificate: begin with other pages",
    "protocol": "the answers were not proper HTTP: begin with other pages",
    "status": "the servers refused, or have no such pages: check the URLs, or begin with other pages",
    "robots": "robots.txt forbids these pages to crawlers, which is obeyed: begin with other sites",
    "rights": "owners reserve what the crawl is for (--purpose): lycosa why quotes the rule of a page",
    "robots-unreachable": "robots.txt could not be had, which forbids a site for now: try later",
    "private-address": "the addresses are private or of this machine, and are not asked: begin with public pages",
    "host-down": "the hosts failed too often in a row: try later, or begin with other sites",
    "too-large": "the answers were too large: begin with other pages",
    "not-text": "the answers are not text (images, archives): begin with pages of text",
    "out-of-scope": "redirects lead out of the scope: begin with the pages they lead to, or allow their hosts",
    "redirect-loop": "the pages redirect in circles: begin with other pages",
    "not-recorded": "the recorded web does not hold these pages: begin with pages that it has",
    "soft-404": "the pages say that they do not exist: check the URLs",
    "parked": "the hosts only offer their names for sale: begin with other sites",
    "ourselves": "this machine was short of connections: let fewer crawls run at once",
}
"""What to do about failures, by their reason."""
MOST: Final = 4
"""Reasons that are told, the most frequent first."""


def advice(status: Status) -> list[str]:
    """Why there is so little, and what to do: a sentence each. Empty if there is nothing to say."""
    return list(_of(status))


def _of(status: Status) -> Iterator[str]:
    runs = status.state in ("running", "paused")
    if not status.pages:
        if status.failures:
            yield f"No page was fetched, {counted(status.failures, 'visit')} failed."
        elif runs:
            yield "No page has come in yet."
        else:
            yield "No page was fetched: no start page may be visited. Check the start pages and the scope."
    elif not status.relevant:
        yield (
            f"{counted(status.pages, 'page')} came in, but none is relevant enough to count. "
            "Use more usual words for the topic, or give pages about it as examples."
        )
    if not status.relevant or status.failures > status.pages:
        yield from _of_failures(status.failures_by_reason)
    if status.ended_by == EndKind.EXHAUSTED.value and status.pages < (status.budget or 0):
        yield f"No more links wait: {_of_links(status)}."


def _of_failures(reasons: Mapping[str, int]) -> Iterator[str]:
    for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))[:MOST]:
        if reason in HELPS:
            yield f"{number:,} × {reason}: {HELPS[reason]}."


def _of_links(status: Status) -> str:
    if status.refused:
        links = f"{counted(status.refused, 'link')} {'was' if status.refused == 1 else 'were'}"
        return f"{links} left out by the scope and its limits; widen it, or give more start pages"
    return "give more start pages"
