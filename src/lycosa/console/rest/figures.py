"""Figures of a crawl: hosts, failures by reason, the specification, and the whole report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Annotated

import msgspec
from starlette.responses import HTMLResponse, Response

from lycosa.console.desk import Desk
from lycosa.console.rest.crawls import MOST
from lycosa.console.rest.operation import OfCrawl, Operation
from lycosa.console.rest.pages import Some
from lycosa.crawls.why import SAID
from lycosa.model.records import Reason, Record
from lycosa.report.page import report_of
from lycosa.spec.tree import CrawlSpec
from lycosa.store.history import HostCount

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The report has its style within it; it runs nothing and loads nothing."""


class OfReason(OfCrawl, frozen=True, kw_only=True):
    """Which failures."""

    reason: str = ""
    """Only those for this reason; empty: all."""
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST)] = 100


class FailedVisit(Record, frozen=True, kw_only=True):
    """The last visit of a URL that failed."""

    url: str
    at: int
    """By the crawl's clock, in milliseconds."""
    reason: str
    status: int
    """Of HTTP; 0: none came."""
    detail: str
    attempt: int


class Failures(Record, frozen=True, kw_only=True):
    """What failed, and why."""

    by_reason: Mapping[str, int]
    """How many URLs failed for each reason."""
    meaning: Mapping[str, str]
    """Of each of these reasons, in words."""
    visits: tuple[FailedVisit, ...]


def crawl_hosts(desk: Desk, given: Some) -> list[HostCount]:
    """List the hosts of a crawl by their pages, most first."""
    with desk.opened(given.name) as folder:
        return folder.history.hosts(given.most)


def crawl_failures(desk: Desk, given: OfReason) -> Failures:
    """Tell why visits of a crawl failed: how many for each reason, and some of them in the order of the crawl."""
    with desk.opened(given.name) as folder:
        found = (row for row in folder.history.failures() if given.reason in ("", row.reason))
        visits = tuple(
            FailedVisit(
                url=row.url,
                at=row.at,
                reason=row.reason,
                status=row.status,
                detail=row.detail,
                attempt=row.attempt,
            )
            for row in islice(found, given.most)
        )
        reasons = Counter(folder.history.reasons())
    told = {reason: SAID[Reason(reason)] for reason in reasons}
    return Failures(by_reason=dict(reasons.most_common()), meaning=told, visits=visits)


def crawl_specification(desk: Desk, given: OfCrawl) -> CrawlSpec:
    """Tell what a crawl was to do: its `crawl.toml`."""
    with desk.opened(given.name) as folder:
        return folder.spec


def crawl_report(desk: Desk, given: OfCrawl) -> Response:
    """Write the report of a crawl: one HTML page that needs no other file."""
    with desk.opened(given.name) as folder:
        return HTMLResponse(report_of(folder), headers={"Content-Security-Policy": REPORT_POLICY})


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/hosts",
        answer=crawl_hosts,
        takes=Some,
        gives=list[HostCount],
        tag="figures",
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/failures",
        answer=crawl_failures,
        takes=OfReason,
        gives=Failures,
        tag="figures",
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/specification",
        answer=crawl_specification,
        takes=OfCrawl,
        gives=CrawlSpec,
        tag="figures",
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/report",
        answer=crawl_report,
        takes=OfCrawl,
        gives=str,
        tag="figures",
        media_type="text/html",
    ),
)
