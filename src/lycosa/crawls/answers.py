"""What a crawl folder tells of itself: the records that `status`, `why`, `search` and `export` answer with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lycosa.archive.cdxj import Capture
from lycosa.crawl.members import Member
from lycosa.crawl.recall import Estimate
from lycosa.model.records import Millis, Record, RecordRef, Rendering
from lycosa.model.url import Host, Url
from lycosa.read.cited_work import CitedWork
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


class Block(Record, frozen=True, kw_only=True):
    """A host that somebody blocked while the crawl went on."""

    host: Host
    by: str = ""
    """Who said so; empty: a person without a name."""
    step: int | None = None
    """Of the crawl that took it in; None while it waits for that."""
    at: Millis | None = None
    links: int = 0
    """Links that wait for the host to be let in again, as of the last checkpoint."""


class Added(Record, frozen=True, kw_only=True):
    """A start page that a crawl was given after it began."""

    url: Url
    state: str
    """`new`; `again` for one that failed, and is tried again; `fetched` for a page of the crawl: it is left alone."""


class WaitingLink(Record, frozen=True, kw_only=True):
    """A link that waits to be fetched."""

    place: int
    """1 is the next that would be fetched if every host were free."""
    url: Url
    host: Host
    """At which it waits: another one than its own if redirects led there."""
    score: float
    tier: int
    """Lower tiers first; of one that a person asked for it is far below 0."""
    depth: int
    attempt: int = 1
    via: Url | None = None
    """The page with the link; None of a start page."""
    anchor: str = ""
    """The words of the link."""
    rests_until: Millis | None = None
    """When the host may be asked again; None: now, or when the visit that is out there is over."""
    parts: Mapping[str, float] = {}
    """What the score was made of, where that was asked for."""
    node: str = ""
    """Of a crawl that several nodes share: where it waits."""


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
    rendered: Mapping[str, int] = {}
    """Of a crawl that renders pages: how many were `rendered`, for how many of them that `paid`, how many `failed`, and
    how many requests they `asked` for and were `refused`."""
    requisites: Mapping[str, int] = {}
    """Of a crawl that fetches what pages show: how many things were `fetched` and were `missing`, their `bytes`, and of
    how many `pages` all are there."""
    blocked: tuple[Block, ...] = ()
    """The hosts of which nothing is fetched, since somebody said so."""
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
    to fetch, by another name), `pending`, `leased`, `blocked` (nothing is fetched from its host now), `refused`,
    `found` (linked but not entered), `embedded` (shown by a page, such as an image, but linked by none), `requisite`
    (shown by a page, and asked for so that the archived page looks as it did) or `unseen`."""
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
    rights: tuple[str, ...] = ()
    """What is said of the use of the page: each rule as it stood, where, and in which vocabulary."""
    links_left_out: int = 0
    """Distinct targets of the page that were left out, as it had more than the crawl takes of one page."""
    rendering: Rendering | None = None
    """Of a page: what a browser had to do with it; None: nothing."""
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
    rights: tuple[str, ...] = ()
    """What is said of the use of the page: each rule as it stood, where, and in which vocabulary."""


Order = Literal["rank", "relevance", "date"]
"""How answers are ordered, the best or the newest first; `rank` without a word to look for is `relevance`."""


class Search(Record, frozen=True, kw_only=True):
    """What is looked for in a collection: words, and what narrows them."""

    words: str = ""
    """All of them, "phrases", OR, NOT or a minus, parentheses, a star for the end of a word; empty: all pages."""
    within: Mapping[str, tuple[str, ...]] = {}
    """Of facets, the values of which a page has at least one. Of a tree (`category`, `date`) with all that is below."""
    since: Millis | None = None
    """Pages whose date is not before this time."""
    until: Millis | None = None
    """Pages whose date is not after this time."""
    order: Order = "rank"
    start: int = 0
    """Answers that are passed over, the best ones."""
    limit: int = 10
    folded: bool = True
    """Of copies and near copies only the first is an answer."""
    copies_of: str = ""
    """The URL of a page, of which only the copies and near copies are looked for, itself among them."""
    facets: tuple[str, ...] | None = None
    """Which are counted; None: all that the collection has."""
    most: int = 10
    """Values of each facet that are given; those of `within` are given besides."""


class FacetValue(Record, frozen=True, kw_only=True):
    """One value of a facet."""

    value: str
    """As `Search.within` takes it; empty where pages lack it, such as a language that is not known."""
    pages: int
    """That would be found with this value alone, narrowed by all other facets as it is."""
    chosen: bool = False
    """Whether the search is narrowed by it."""
    label: str = ""
    """For people; empty: as the value."""


class Facet(Record, frozen=True, kw_only=True):
    """How the pages that were found are distributed, copies and near copies counted too."""

    name: str
    """`host`, `language`, `date` (`2026`, `2026-11`), `relevance` (a band by its lower end, .1 wide), `depth`, `type`;
    with a taxonomy `category`, with an ontology `concept`; `cluster` where some were learned; `node` of a shared crawl,
    `collection` of several."""
    values: tuple[FacetValue, ...]
    """Most pages first; dates, bands and depths in their own order. Of a tree the topmost, and what is directly below a
    value that was chosen."""
    more: int = 0
    """Values that are not given."""


class Word(Record, frozen=True, kw_only=True):
    """A word or phrase of a search, and on how many pages it stands."""

    word: str
    pages: int
    instead: tuple[str, ...] = ()
    """Of a word that stands nowhere: some that look like it and do."""


class FoundPage(Hit, frozen=True, kw_only=True):
    """One answer to a search. `rank` is 0 without a word to look for, and `snippet` how the text begins then."""

    date: Millis
    """When the server says that it changed last; when it was fetched where that is not told, or cannot be believed."""
    language: str
    media_type: str
    depth: int
    copies: int = 0
    """Pages that were found besides and are copies or near copies of this one (see `lycosa.read.duplicates`)."""
    node: str = ""
    """Of a shared crawl: who has it. `step` is that one's."""
    collection: str = ""
    """Where several were searched: its folder."""


class Found(Record, frozen=True, kw_only=True):
    """What a search found."""

    hits: tuple[FoundPage, ...]
    pages: int
    """All that were found."""
    distinct: int
    """The same without copies and near copies: so many answers there are, if they are folded."""
    facets: tuple[Facet, ...] = ()
    words: tuple[Word, ...] = ()
    without_facets: int = 0
    """Pages that the words alone would find."""
    collection: int = 0
    """Pages that can be found."""
    unindexed: int = 0
    """Pages that came since the index was brought up to date."""


class Browse(Record, frozen=True, kw_only=True):
    """Where one stands who browses a collection."""

    by: str = ""
    """A facet; empty: the first of `category`, `concept`, `cluster` and `date` that the collection has."""
    at: str = ""
    """One of its values; empty: at the top."""
    start: int = 0
    """Pages that are passed over, the best ones."""
    limit: int = 10
    most: int = 200
    """Values that are given."""


class Browsed(Record, frozen=True, kw_only=True):
    """What is there: the values directly below, and the pages, the most relevant first."""

    by: str
    ways: tuple[str, ...]
    """All facets by which the collection may be browsed."""
    at: str
    above: tuple[str, ...]
    """The values above, the topmost first."""
    below: tuple[FacetValue, ...]
    more: int
    """Values that are not given."""
    found: Found


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


class LinkOfPage(Record, frozen=True, kw_only=True):
    """A URL that a page links to."""

    url: Url
    anchor: str = ""
    """The words of the first link to it."""
    nofollow: bool = False
    """Of all links to it."""
    relevance: float | None = None
    """Of the page that was found there; None if none was."""
    title: str = ""


class GraphNode(Record, frozen=True, kw_only=True):
    """A URL in the link graph around another one."""

    url: Url
    """Of a page, where its redirects ended."""
    title: str
    state: str
    """`page`; `failed`; `waiting` (also: being fetched); `elsewhere` (another node of the crawl sees to it); `found`
    (linked, but not to be fetched)."""
    reason: str
    """Why it failed."""
    relevance: float | None
    """Of a page."""
    distance: int
    """Links from the URL that was asked for, in either direction."""
    in_links: int
    """Pages of the whole crawl that link to it."""
    out_links: int
    """Distinct URLs that a page links to, whether they are shown or not."""
    hub: float
    """In [0, 1]: Kleinberg's scores among the nodes that are shown, the largest being 1. A hub links to authorities."""
    authority: float
    """To an authority hubs link."""


class GraphLink(Record, frozen=True, kw_only=True):
    """A link between two nodes, by their places among them."""

    source: int
    target: int


class LinkGraph(Record, frozen=True, kw_only=True):
    """The link graph around a URL."""

    url: Url
    depth: int
    nodes: tuple[GraphNode, ...]
    """The URL itself, then the nearest; of equally near ones pages first, the most relevant first."""
    links: tuple[GraphLink, ...]
    nodes_left_out: int
    """URLs as near as the farthest of these that are not shown, as there are too many."""
    links_left_out: int
    """Links between nodes that are shown; the scores know of them."""
    not_looked_up: int
    """URLs as near of which it was not even found out whether they are pages: they are linked least."""


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


class Outlook(Record, frozen=True, kw_only=True):
    """What only the crawling process knows, as it was a moment ago: see `lycosa.crawls.lookout`."""

    at: Millis
    """By the crawl's clock."""
    written: Millis
    """By the machine's clock."""
    step: int
    waiting: int
    """URLs that wait to be fetched."""
    revisits: int = 0
    """URLs that wait to be fetched again."""
    fetching: tuple[Url, ...] = ()
    """What is being fetched, the first hundred of them."""
    resting: Mapping[Host, Millis] = {}
    """The hosts that are left alone now, and until when, by the crawl's clock: those that open first, up to two hundred
    of them."""
    why_resting: Mapping[Host, str] = {}
    """Why these do, in a few words."""
    hosts_resting: int = 0
    """How many hosts are left alone in all."""
    paused: bool = False
    order: InOrder | None = None
    facts: Mapping[str, Any] = {}
    """What the strategy has to tell of its work."""
    population: tuple[Member, ...] = ()
    """Of a strategy that crawls by a population: its members, those that are alive first, up to three hundred."""
    best: tuple[WaitingLink, ...] = ()
    """The best links that wait, best first, up to fifty."""
    told: tuple[str, ...] = ()
    """What came up in this run that a person should know, the last lines of it."""


class Happening(Record, frozen=True, kw_only=True):
    """One step of a crawl, as whoever follows it is told. Fields that its kind has no use for are empty."""

    token: str
    """Where the crawl was after it: what follows is told from here on."""
    step: int
    node: str = ""
    """Of a crawl that several nodes share."""
    at: Millis
    """By the crawl's clock."""
    kind: str
    """`page`, `unchanged`, `gone` or `failure` for a visit; `started`, `recovered`, and, for what was said from
    outside, `marked`, `operated`, `asked`, `told`, `searched` or `handed-off`."""
    url: str = ""
    final_url: str = ""
    title: str = ""
    relevance: float = 0.0
    relevant: bool = False
    score: float = 0.0
    """By which the URL was leased."""
    depth: int = 0
    via: str = ""
    """The page whose link led here."""
    anchor: str = ""
    """The words of that link."""
    status: int = 0
    reason: str = ""
    """Why a visit failed."""
    detail: str = ""
    """Of a failure, more of why; of what was said, a sentence."""
    again: bool = False
    """Of a visit: whether the crawl had been there before."""
    change: str = ""
    """Of a page that was fetched again: `same`, `dressing` or `content`."""
    moved: int = 0
    """Of a mark: how many waiting links got another place because of it."""


class Happened(Record, frozen=True, kw_only=True):
    """What a crawl did since some step of it, in the order of its journal."""

    happenings: tuple[Happening, ...]
    token: str
    """From where to ask on."""


class PagePart(Record, frozen=True, kw_only=True):
    """Some pages of a crawl, in the order of the crawl, and where the next ones begin."""

    pages: tuple[PageRow, ...]
    token: str
    """From where to ask on; where no page came it is the token of the question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRow:
    """One page as `export` writes it, in the order of the crawl.

    A dataclass, unlike the other records: pandas and polars make columns of its fields.
    """

    step: int
    """The step of the journal; increases from row to row."""
    url: Url
    """As it was asked for."""
    final_url: Url
    """Where redirects led."""
    status: int
    """Of the last answer."""
    fetched_at: Millis
    """When, in UTC."""
    depth: int
    """Links from a start page."""
    via: Url | None
    """The page with the link that led here; none of a start page."""
    anchor: str
    """The words of that link."""
    score: float
    """What the strategy expected."""
    relevance: float
    """What the page turned out to be, 0 to 1."""
    title: str
    """As the page says."""
    text: str
    """Read again from the archive: all of it, the main text, or Markdown, as asked for."""
    language: str
    """ISO 639-1, empty when unknown."""
    digest: str
    """`sha1:` and base 32 of the body."""
    warc_file: str
    """The file in `archive/` with the record."""
    warc_offset: int
    """Where the record begins there."""
    nothing_new: str = ""
    """Why the page counts as a failure: `soft-404`, `parked` or `alias`; empty for pages that count."""
    rights: str = ""
    """What is said of the use of the page, as JSON; empty where nothing is."""
    media_type: str = ""
    """As the server said, without parameters."""
    authors: tuple[str, ...] = ()
    """As the page says. This and the columns down to `boilerplate` are filled where main texts are read."""
    published: str = ""
    """ISO 8601, a date or a date with its time, as the page says."""
    modified: str = ""
    """Likewise."""
    site_name: str = ""
    """As the page says."""
    canonical: Url | None = None
    """What the page calls its own address."""
    alternates: tuple[str, ...] = ()
    """Its copies in other languages, as the page names them (hreflang): language, a blank, URL."""
    licences: tuple[str, ...] = ()
    """URLs of licences, or what the page calls its licence."""
    language_confidence: float | None = None
    """How probable it is that the main text is in `language`, 0 to 1."""
    kind: str = ""
    """The type of page, in the words of schema.org (`NewsArticle`) or OpenGraph (`article`), as the page says."""
    boilerplate: float | None = None
    """The share of the page's characters that its main text leaves out, 0 to 1."""
    duplicate_of: Url | None = None
    """The first page of the export with the same bytes, or the same text."""
    near_duplicate_of: Url | None = None
    """The first page of the export with nearly the same words, where texts are read."""
    alternate_of: Url | None = None
    """The first page of the export that is the same in another language, where main texts are read: each names the
    other, or both one between."""
