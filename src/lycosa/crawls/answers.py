"""What a crawl folder tells of itself: the records that `status`, `why`, `search` and `export` answer with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lycosa.archive.cdxj import Capture
from lycosa.crawl.recall import Estimate
from lycosa.model.records import Millis, Record, RecordRef
from lycosa.model.url import Url
from lycosa.read.papers import CitedWork
from lycosa.web.http.dns_history import DnsRow


class InOrder(Record, frozen=True, kw_only=True):
    """How a crawl chose between the best link and the free host; see `lycosa.crawl.order.Order`."""

    order: str
    """`strict`, `paced` or `eager`."""
    window: int
    """A link is in turn while fewer better ones than this wait for their hosts."""
    first: int = 0
    """Pages whose links were the best of all when they were leased."""
    in_turn: int = 0
    """Pages of links behind the best, within the window."""
    paid_for: int = 0
    """Pages of links beyond the window, fetched since the crawl was behind its pace."""
    waits_for: str = ""
    """The host whose link is waited for now, while others might be asked; empty if the crawl does not wait."""
    instead_of: Url | None = None
    """The best link that might be fetched now."""
    better: int = 0
    """Links that wait for their hosts and are better than that, as far as they were counted."""
    until: Millis | None = None
    """When it is fetched all the same, to keep the pace; None: not before its turn."""


class Refreshing(Record, frozen=True, kw_only=True):
    """How a crawl keeps its pages fresh, and how fresh they are."""

    policy: str
    """As it is written; `once`: each page once again; empty: no page is visited again now."""
    every: float
    """Seconds in which there are as many revisits as pages, unless there is a `rate`."""
    rate: float | None
    """Requests a day, new pages too."""
    share: float
    """Of the requests, for new pages while some wait."""
    revisits: int
    """Visits to pages that the crawl had, failures apart."""
    found: Mapping[str, int] = {}
    """How many of them found a page `same`, `changed`, `gone`, `back` again, or with another `dressing`."""
    due: int = 0
    """Pages that are due to be visited again, as of the last checkpoint."""
    next_due: Millis | None = None
    """When the next one will be; None: no other is to be visited."""
    requests_a_day: float | None = None
    """Of the last week, since the first revisit; None: from less than an hour."""
    estimated_from: int = 0
    """Pages that were looked at more than once. Of these alone the rest can be told, and it is an estimate: from how
    often they were seen to change, and how long ago they were looked at (see `lycosa.revisit.truth`)."""
    fresh: float | None = None
    """The share of their copies that are still true."""
    age: float | None = None
    """Days since when their copies have been wrong, 0 for one that is true; the mean."""
    changes: float | None = None
    """Changes a day and page."""


class Status(Record, frozen=True, kw_only=True):
    """How a crawl stands, or how it ended."""

    folder: str
    state: str
    """`running`, `paused`, `done`, `interrupted` (it can be resumed) or `failed` (something must be
    mended, then resumed)."""
    ended: str
    """Why it is not running, as a sentence; empty while it runs."""
    ended_by: str
    """The same in a word: `budget`, `exhausted`, `rule`, `stopped`, `interrupted` or `failed`; empty while it runs, and
    for a process that ended without a word."""
    topic: str
    strategy: str
    seeds: tuple[str, ...]
    web: str
    pages: int
    budget: int | None
    """The most pages; None: a refresh goes on finding new ones."""
    requests: int
    """Of the visits that are over: failures, repeated tries and redirects too, robots.txt apart."""
    request_budget: int | None = None
    """The most requests; None: no limit."""
    relevant: int
    """Pages of at least the relevance at which a page counts as relevant."""
    harvest_rate: float
    """relevant / pages, 0 without pages."""
    mean_relevance: float
    failures: int
    failures_by_reason: Mapping[str, int]
    statuses: Mapping[str, int]
    """Pages and failures by HTTP status, as text keys."""
    hosts: int
    pending: int
    """URLs that wait, as of the last checkpoint."""
    refused: int
    """Links that scope, traps or nofollow kept out, as of the last checkpoint."""
    trimmed: int
    """URLs that a bounded frontier dropped, as of the last checkpoint."""
    started_at: Millis
    last_at: Millis
    """The time of the last step."""
    seconds: float
    """What the runs took together."""
    warc_files: int
    warc_bytes: int
    version: str
    process: int | None
    """The process that writes to the folder now."""
    order: InOrder | None = None
    """None before the first checkpoint."""
    marks: Mapping[str, int] = {}
    """How many pages are marked `good` and `bad`, and how many marks are still `waiting` for the crawl to go on."""
    judge: Mapping[str, int] = {}
    """Of a model that is asked (`--judge`): `calls` made, answers `good`, `bad` and `unclear`, `calls left`, `tokens`
    used and, where they are limited, `tokens left`."""
    estimates: tuple[Estimate, ...] = ()
    """What share of the relevant pages was found, by each method that can tell, as of the last checkpoint; the better
    founded first."""
    facts: Mapping[str, Any] = {}
    """What the strategy has to tell of its work, as of the last checkpoint (its manual says what), and what was learned
    of second names of pages."""
    refreshing: Refreshing | None = None
    """None of a crawl that visited nothing again, and is not about to."""
    notes: tuple[str, ...] = ()
    """What could not be told, and what helps."""


class Mark(Record, frozen=True, kw_only=True):
    """What a person, or a model that is asked, said of one page."""

    url: Url
    good: bool | None
    """Whether it is on topic; None: what was said before is taken back."""
    number: int
    """Counts the marks of the folder, from 1."""
    step: int | None = None
    """Of the crawl that took it in; None while it waits for that."""
    moved: int = 0
    """Waiting links that got another place because of it."""
    by: str = ""
    """The name of the model; empty: a person."""


class Question(Record, frozen=True, kw_only=True):
    """A page about which an answer would help: is it on topic?"""

    url: Url
    title: str
    extract: str
    """How its text begins."""
    relevance: float
    """By the crawl's own topic model."""
    doubt: float
    """In [0, 1]: 1 for a page just as relevant as one must be to count."""
    waiting: int
    """Links of the page that wait."""
    influence: float
    """The same, a link that stands on n pages counted 1/n."""


class Waypoint(Record, frozen=True, kw_only=True):
    """One page on the way from a start page."""

    url: Url
    anchor: str = ""
    """The words of the link by which the next one was found."""


class Explanation(Record, frozen=True, kw_only=True):
    """Everything a crawl can say about one URL."""

    url: Url
    state: str
    """`visited`, `failed`, `soft-404` or `parked` (fetched, but nothing new), `alias` (a page that the crawl has, or is
    to fetch, by another name), `pending`, `leased`, `refused`, `found` (linked but not entered), `embedded` (shown by a
    page, such as an image, but linked by none) or `unseen`."""
    reason: str
    """A sentence: what was decided about the URL, and by which rule."""
    place: int | None = None
    """Of a pending URL: 1 is the next that would be fetched if every host were free."""
    pending: int | None = None
    """How many URLs wait, for comparison with `place`."""
    step: int | None = None
    at: Millis | None = None
    score: float | None = None
    tier: int | None = None
    rank: int | None = None
    """Of a URL that was fetched: how many better links waited for their hosts then, as far as they were counted."""
    score_parts: Mapping[str, float] = {}
    """What the strategy's score was made of."""
    relevance: float | None = None
    relevance_parts: Mapping[str, float] = {}
    """What the topic model's relevance was made of."""
    title: str = ""
    links_left_out: int = 0
    """Distinct targets of the page that were left out, as it had more than the crawl takes of one page."""
    looks: int = 0
    """Of a page: how often it was looked at, at most 64."""
    due: Millis | None = None
    """Of a page that is to be visited again: when, at the earliest."""
    due_parts: Mapping[str, float] = {}
    """What the policy makes of the page: `changes a day`, its `worth`, the relevance of new pages that it leads to a
    day (`finds a day`), and the share of `signals that were right`."""
    marked: bool | None = None
    """Whether a person marked it good or bad; None if nobody did."""
    path: tuple[Waypoint, ...] = ()
    """From a start page to the URL itself, which comes last."""
    linked_from: tuple[Url, ...] = ()
    """Up to ten visited pages that link to it; of an embedded URL, the first that shows it."""


class Hit(Record, frozen=True, kw_only=True):
    """One answer of the full-text search, best first."""

    url: Url
    title: str
    snippet: str
    """An extract in which the words found stand between « and »."""
    relevance: float
    rank: float
    """BM25, higher is better."""
    step: int


class Reference(CitedWork, frozen=True, kw_only=True):
    """A reference of a paper, and which paper of the collection it is."""

    paper: Url | None = None
    """None: none of the collection."""
    match: float = 0.0
    """The chance that it is that paper."""


class Citing(Record, frozen=True, kw_only=True):
    """A paper that cites another."""

    url: Url
    confidence: float
    """The chance that it does."""


class Paper(Record, frozen=True, kw_only=True):
    """A paper of the collection, as it was read of its PDF. What was not found is empty."""

    url: Url
    step: int
    relevance: float
    title: str
    authors: tuple[str, ...]
    abstract: str
    year: int | None
    venue: str
    references: tuple[Reference, ...]
    cited_by: tuple[Citing, ...]
    """Papers of the collection, the surest first; copies of one count once."""
    citations: int
    """How many these are."""
    expected_citations: float
    """How many of them are likely to be right: the sum of their chances."""
    copy_of: Url | None
    """An earlier page of the collection that is the same paper."""
    confidence: Mapping[str, float]
    """By `paper` (that it is one), `title`, `authors`, `abstract`, `year`, `venue`: the chance that it is right,
    counted with papers whose parts are known. Of `references`: that all were found, and no more. Parts that were not
    found are not named."""


class Version(Record, frozen=True, kw_only=True):
    """One look at a page: what was found, and the capture that holds it."""

    url: Url
    """The URL that was asked for."""
    final_url: Url
    at: Millis
    sight: str
    """`first`, `same` (also: still gone), `dressing` (other bytes around the same text), `changed`, `gone`, or `back`
    after that."""
    status: int
    step: int
    title: str = ""
    relevance: float = 0.0
    importance: float = 0.0
    """Of a change, in [0, 1]: the weighted difference of the page's blocks."""
    divergence: float = 0.0
    """Of a change, in [0, 1]: how much of the main text is another one."""
    new_links: int = 0
    """Distinct targets that the page did not have before; at the first look all of them."""
    lost_links: int = 0
    digest: str = ""
    record: RecordRef | None = None
    """None of a page that is gone."""


class TimeMap(Record, frozen=True, kw_only=True):
    """The captures of one URL in the order of their times (RFC 7089: the TimeMap of an original resource)."""

    url: Url
    captures: tuple[Capture, ...]
    """Oldest first, at least one."""


class DnsAnswer(Record, frozen=True, kw_only=True):
    """What a crawl knows of a host name or an address, as of a time."""

    asked: str
    at: Millis | None
    """None: now."""
    canonical: str
    """Of a name, the canonical name of its machine; empty of an address, and if nothing was known then."""
    addresses: tuple[str, ...]
    """Of a name, what it answered with."""
    names: tuple[str, ...]
    """Of an address, the names that answered with it; of a name, the others that shared an address of its at the same
    time."""
    rows: tuple[DnsRow, ...]
    """Everything that it ever was, oldest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRow:
    """One page as `export` writes it, in the order of the crawl.

    A dataclass, unlike the other records: pandas and polars make columns of its fields.
    """

    step: int
    url: Url
    final_url: Url
    status: int
    fetched_at: Millis
    depth: int
    via: Url | None
    anchor: str
    score: float
    relevance: float
    title: str
    text: str
    language: str
    digest: str
    warc_file: str
    warc_offset: int
    nothing_new: str = ""
    """Why the page counts as a failure: `soft-404`, `parked` or `alias`; empty for pages that count."""
