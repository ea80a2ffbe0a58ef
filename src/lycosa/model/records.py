"""What a crawl knows of the web: links, requests, pages, failures. Frozen, without any bag of extras."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import NewType

import msgspec

from lycosa.model.nodes import Node, Origin
from lycosa.model.rights import Rights
from lycosa.model.url import Host, Url

Millis = NewType("Millis", int)
"""A time or a span in milliseconds; as a time, since the Unix epoch (or the start of a simulated crawl)."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen value. Made some ten times faster than a frozen dataclass, and there are 80 links on a page."""


class Link(Record, frozen=True, kw_only=True, gc=False):
    """One hyperlink as it stands on one page."""

    source: Url
    target: Url
    anchor: str = ""
    """The words inside the link, alternative texts of its images and its title."""
    context: str = ""
    """Up to 20 words on either side of the link, anchor included, within the nearest block of text."""
    heading: str = ""
    """The nearest heading above the link."""
    path: str = ""
    """Tags from the root to the link with id and first class, as in ``html body div#main ul.toc li a``."""
    position: float = 0.0
    """Where among the links of the page: 0 is the first, values stay below 1."""
    rel: str = ""
    nofollow: bool = False
    in_nav: bool = False
    """The link stands in navigation, header, footer or another block that repeats over a site."""


class RecordRef(Record, frozen=True, kw_only=True, gc=False):
    """Where a WARC record lies: file name within the archive, offset and length of its gzip member."""

    file: str
    offset: int
    length: int


class Ask(Record, frozen=True, kw_only=True, gc=False):
    """What a request says besides its URL; each empty if it says nothing of the kind."""

    etag: str = ""
    """Sent as If-None-Match, exactly as the server gave it."""
    modified_since: str = ""
    """Sent as If-Modified-Since, exactly as the server gave its Last-Modified."""
    referer: str = ""
    span: str = ""
    """Sent as Range: only these bytes of what lies there, ``bytes=0-99``."""

    @property
    def is_conditional(self) -> bool:
        """Whether a 304 is an answer to it."""
        return bool(self.etag or self.modified_since)


PLAIN = Ask()
"""Nothing besides the URL."""


class LastCapture(Record, frozen=True, kw_only=True, gc=False):
    """The capture that a revisit is compared with: the last one that brought a page."""

    url: Url
    """Where its redirects ended: only this URL is asked for with a condition."""
    at: Millis
    digest: str
    etag: str = ""
    last_modified: str = ""
    record: RecordRef | None = None
    dom: RecordRef | None = None
    """What a browser had made of it; None: it was not rendered."""


class Request(Record, frozen=True, kw_only=True, gc=False):
    """A URL that the frontier has leased out, and the link that earned it its place."""

    url: Url
    order: int
    """Counts the URLs that entered the frontier: breaks ties, first in first out."""
    via: Link | None = None
    depth: int = 0
    """Links from a start page, along the path by which the URL was found first."""
    score: float = 0.0
    tier: int = 0
    attempt: int = 1
    way: tuple[Url, ...] = ()
    """Where redirects led before the visit had to wait; it goes on at the last of them."""
    rank: int = 0
    """How many better links waited at hosts that were closed when it was leased, as far as they were counted."""
    due: Millis | None = None
    """Of a revisit: when it was to be made, at the earliest; None of what a strategy asks for."""
    known: bool = False
    """Whether it was visited before, or failed."""
    before: LastCapture | None = None
    """What the page is compared with, if it was fetched before; None: the URL never brought a page."""

    @property
    def at(self) -> Url:
        """What is asked for next: the URL itself, or where the last redirect led."""
        return self.way[-1] if self.way else self.url


class HeldBack(Record, frozen=True, kw_only=True, gc=False):
    """What might be fetched now is not, because better links wait at hosts that are closed."""

    url: Url
    """The best link of all hosts that are open."""
    better: int
    """How many better ones wait, as far as they were counted."""
    host: Host
    """Where the best of them waits."""


class Source(Record, frozen=True, kw_only=True, gc=False):
    """Where in an archive a response lies, by which its server need not be asked."""

    uri: str
    """Of the WARC file or of the replayed page, as in WARC-Source-URI."""
    span: str = ""
    """The bytes of the record in that file, ``bytes=0-99``, as in WARC-Source-Range; empty of what was replayed."""


class Response(Record, frozen=True, kw_only=True):
    """One answered HTTP exchange, before any redirect is followed."""

    url: Url
    status: int
    headers: tuple[tuple[str, str], ...]
    """As received, in their order."""
    body: bytes
    """Decoded of its transfer and content encodings."""
    fetched_at: Millis
    elapsed: Millis = Millis(0)
    address: str = ""
    """The peer's IP address, empty when unknown."""
    http_version: str = "1.1"
    reason_phrase: str = ""
    request_headers: tuple[tuple[str, str], ...] = ()
    truncated: str = ""
    """Why the body was cut: ``length`` (size limit), ``time``, ``disconnect``, ``unspecified`` (its coding is
    damaged), as in WARC-Truncated; empty if it is whole."""
    source: Source | None = None
    """Of an answer that came out of an archive elsewhere: where it lies there. None: the server gave it."""

    def header(self, name: str) -> str | None:
        """The first value of a header, its name compared without case."""
        wanted, length = name.lower(), len(name)
        for key, value in self.headers:
            if len(key) == length and key.lower() == wanted:
                return value
        return None

    def header_values(self, name: str) -> list[str]:
        """All values of a header that may occur several times."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]


class Reason(Enum):
    """Why a visit brought no page."""

    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol"
    """The answer was not HTTP: endless headers, a wrong length, a broken encoding. It would be so again."""
    STATUS = "status"
    ROBOTS = "robots"
    RIGHTS = "rights"
    """Its owner reserves the use for which the crawl fetches pages."""
    ROBOTS_UNREACHABLE = "robots-unreachable"
    """robots.txt answered 5xx or not at all, which forbids the site for now (RFC 9309, 2.3.1.4)."""
    PRIVATE_ADDRESS = "private-address"
    HOST_DOWN = "host-down"
    """The host failed so often that its remaining URLs are not tried."""
    TOO_LARGE = "too-large"
    NOT_TEXT = "not-text"
    UNREADABLE = "unreadable"
    """Reading the page failed or took too long: a page made to keep readers busy, or a defect of lycosa, neither of
    which must spoil the crawl."""
    OUT_OF_SCOPE = "out-of-scope"
    """A redirect led to where the crawl may not go."""
    REDIRECT_LOOP = "redirect-loop"
    TOO_MANY_REDIRECTS = "too-many-redirects"
    ALREADY_KNOWN = "already-known"
    """A redirect led to a URL that the crawl has visited or is visiting."""
    NOT_RECORDED = "not-recorded"
    TURN = "turn"
    """Only of a `Fault`: it is not the turn of this host or address, and nothing was sent. The visit is deferred."""
    OURSELVES = "ourselves"
    """No connection could be made for want of file descriptors, ports or memory: no fault of the host."""
    SOFT_404 = "soft-404"
    """The answer was a success, but it says that there is no such page."""
    PARKED = "parked"
    """The answer was a success, but it only offers the host's name for sale."""
    ELSEWHERE = "elsewhere"
    """A redirect led to what another node of a shared crawl sees to."""
    ALIAS = "alias"
    """The page is one that the crawl has by another name."""


NOTHING_NEW = frozenset({Reason.SOFT_404, Reason.PARKED, Reason.ALIAS})
"""Why a page that was fetched and archived counts as a failure: it brings nothing that the crawl could use."""


class Fault(Record, frozen=True, kw_only=True, gc=False):
    """An HTTP exchange that gave no answer."""

    reason: Reason
    detail: str = ""
    address: str = ""
    elapsed: Millis = Millis(0)
    retry_after: Millis | None = None


class Worth(Enum):
    """Whether a page that was fetched again is another one."""

    SAME = "same"
    """The same bytes, or the server said so (304)."""
    DRESSING = "dressing"
    """Other bytes around the same main text and links: a template, a date, a banner."""
    CONTENT = "content"


class Change(Record, frozen=True, kw_only=True, gc=False):
    """What a revisit found to differ from the capture before."""

    worth: Worth = Worth.SAME
    importance: float = 0.0
    """In [0, 1]: the weighted difference of the page's blocks (Ben Saad & Gançarski 2011)."""
    divergence: float = 0.0
    """In [0, 1]: 1 minus the Jaccard coefficient of the shingles of the main text (Olston & Pandey 2008)."""
    new_links: int = 0
    """Distinct targets that the page did not have before."""
    lost_links: int = 0


SAME = Change()


class Rendering(Record, frozen=True, kw_only=True, gc=False):
    """What a browser made of a page, or why it was not asked to. Without a record the page is as its server sent it."""

    why: str = ""
    """Why the page was rendered, or was not, as a sentence."""
    failed: str = ""
    """Why nothing came of it, though it was tried."""
    record: RecordRef | None = None
    """The DOM in the archive."""
    payload: str = ""
    """Digest of what the server sent; the page's own is then that of the DOM."""
    left_for: Url | None = None
    """Where a script wanted to lead the whole page: the first of its links."""
    links: int = 0
    """Distinct targets that the page as it was sent does not have."""
    words: int = 0
    """How many words more it has, stop words left out."""
    bare: bool = False
    """Whether the page as it was sent has hardly any text (`Page.needs_script`)."""
    pays: bool = False
    """Whether that is enough to be worth a browser."""
    asked: int = 0
    """Requests that the page made."""
    refused: int = 0
    """How many of them it did not get."""
    took: Millis = Millis(0)
    settled: bool = True
    """False: it was taken as it was when its time was over."""

    @property
    def was_tried(self) -> bool:
        return self.record is not None or bool(self.failed)


class Page(Record, frozen=True, kw_only=True, dict=True):
    """What a visit found: a page that was fetched whole or cut, and could be read."""

    request: Request
    final_url: Url
    """Where the redirects ended; the request's URL if there was none."""
    status: int
    fetched_at: Millis
    media_type: str
    digest: str
    """``sha1:`` and base 32 of the body, as in WARC-Payload-Digest."""
    title: str
    text: str
    links: tuple[Link, ...]
    """In document order; a target may occur several times, each with its own anchor."""
    places: tuple[int, ...] = ()
    """Where in `text` each of the links begins, in characters, -1 for one that does not stand in it; or empty."""
    nav_lines: tuple[int, ...] = ()
    """Which lines of `text`, from 0 and ascending, stand in navigation or are mostly links."""
    relevance: float = 0.0
    """In [0, 1], by the crawl's own topic model, never by a judge. Set when the page is committed."""
    terms: Mapping[str, int] = {}
    """Counts of the stemmed words of title and text, stop words left out."""
    headings: tuple[str, ...] = ()
    description: str = ""
    language: str = ""
    """ISO 639-1, empty when unknown."""
    fingerprint: int = 0
    """64-bit simhash of the text: near-duplicates differ in few bits."""
    noindex: bool = False
    needs_script: bool = False
    """There is hardly any text, and scripts that would make it in a browser."""
    record: RecordRef | None = None
    address: str = ""
    elapsed: Millis = Millis(0)
    """From sending the request to the last byte, summed over redirects."""
    crawl_delay: Millis | None = None
    hops: tuple[Url, ...] = ()
    """The URLs that redirected, first to last, without the final one."""
    etag: str = ""
    """As received; shown when the page is asked for again."""
    last_modified: str = ""
    """As received."""
    change: Change | None = None
    """Of a page that was fetched again: what differs; None of a first visit."""
    feed: Url | None = None
    """The first feed (RSS, Atom, JSON) that it names as its own. It is none of `links`: only crawls that follow feeds
    have a use for it. The journal does not keep it."""
    dated: tuple[tuple[Url, Millis], ...] = ()
    """Of a feed: the pages of its items, and when it says that they changed. The journal does not keep it."""
    alternates: tuple[tuple[str, Url], ...] = ()
    """Its copies in other languages, as it names them (hreflang): language tag in lower case, or `x-default`, and
    where. The journal does not keep them."""
    rights: Rights = ()
    """What its site, its headers and itself say of its use."""
    owner: Node = Node("")
    """Of a shared crawl: the other node that this page was sent to, as it is that one's; empty: it is this one's."""
    origin: Origin | None = None
    """Of a shared crawl: the parcel in which another node sent the page; None: it was fetched here."""
    rendering: Rendering | None = None
    """What a browser had to do with it; None: nothing, as the crawl has none."""

    @property
    def url(self) -> Url:
        return self.request.url

    @property
    def dom(self) -> RecordRef | None:
        """The record of what a browser made of it; None: the page is as its server sent it."""
        return None if self.rendering is None else self.rendering.record

    @property
    def payload(self) -> str:
        """The digest of what the server sent, whatever a browser made of it."""
        return self.digest if self.dom is None or self.rendering is None else self.rendering.payload

    @cached_property
    def targets(self) -> list[Url]:
        """Where each of the links leads."""
        return [link.target for link in self.links]

    @cached_property
    def out(self) -> tuple[Url, ...]:
        """The distinct URLs that the page links to, in document order, itself left out."""
        found = dict.fromkeys(self.targets)
        found.pop(self.request.url, None)
        found.pop(self.final_url, None)
        return tuple(found)


def with_links(page: Page, count: int) -> Page:
    """The page with its first `count` links."""
    if len(page.links) <= count:
        return page
    return msgspec.structs.replace(page, links=page.links[:count], places=page.places[:count])


class Failure(Record, frozen=True, kw_only=True):
    """What a visit did not find, and why."""

    request: Request
    reason: Reason
    detail: str = ""
    at: Millis = Millis(0)
    status: int = 0
    final_url: Url | None = None
    retry_after: Millis | None = None
    address: str = ""
    elapsed: Millis = Millis(0)
    crawl_delay: Millis | None = None
    hops: tuple[Url, ...] = ()
    title: str = ""
    """Of a page that brought nothing new."""
    record: RecordRef | None = None
    """The page that brought nothing new, in the archive; None of other failures."""

    @property
    def url(self) -> Url:
        return self.request.url


class Unchanged(Record, frozen=True, kw_only=True):
    """A page is as it was: the server said so (304), or it sent the same bytes."""

    request: Request
    at: Millis
    final_url: Url
    etag: str = ""
    """As told now, or as it was."""
    last_modified: str = ""
    record: RecordRef | None = None
    """The revisit record in the archive."""
    status: int = 304
    address: str = ""
    elapsed: Millis = Millis(0)
    crawl_delay: Millis | None = None
    hops: tuple[Url, ...] = ()

    @property
    def url(self) -> Url:
        return self.request.url


class Gone(Record, frozen=True, kw_only=True):
    """A page that was there is not there any more (404, 410), or is none (a soft error)."""

    request: Request
    at: Millis
    status: int
    detail: str = ""
    final_url: Url | None = None
    address: str = ""
    elapsed: Millis = Millis(0)
    crawl_delay: Millis | None = None
    hops: tuple[Url, ...] = ()

    @property
    def url(self) -> Url:
        return self.request.url


def gone(visit: Page | Failure, detail: str, at: Millis) -> Gone:
    """What a visit found, taken for a page that is not there any more."""
    return Gone(
        request=visit.request,
        at=at,
        status=visit.status,
        detail=detail,
        final_url=visit.final_url,
        address=visit.address,
        elapsed=visit.elapsed,
        crawl_delay=visit.crawl_delay,
        hops=visit.hops,
    )


class Sight(Enum):
    """What one look at a page found."""

    FIRST = "first"
    SAME = "same"
    DRESSING = "dressing"
    CHANGED = "changed"
    GONE = "gone"
    BACK = "back"
    """There again, after it was gone."""


class Look(Record, frozen=True, kw_only=True, gc=False):
    """One visit to a page in its history. Visits that failed otherwise say nothing of the page and are no looks."""

    at: Millis
    """When the visit was committed, by the crawl's clock."""
    sight: Sight
    importance: float = 0.0
    divergence: float = 0.0
    new_links: int = 0
    """See `Change`; of a first look, the distinct targets of the page."""
    relevance: float = 0.0
    """Of the page as it was then."""
    modified: Millis | None = None
    """Its Last-Modified, where that can be believed: after 1995 and not after `at`."""


Visit = Page | Failure
"""What a visit brings of a URL that is new, or new again."""

Revisit = Unchanged | Gone
"""What else a revisit can bring: both are answers, no failures."""

Arrival = Visit | Revisit
"""What a visit brings home."""


def as_failure(page: Page, reason: Reason, detail: str, at: Millis) -> Failure:
    """What a visit found, taken for a failure. With a reason of `NOTHING_NEW` it refers to the page in the archive."""
    kept = reason in NOTHING_NEW
    return Failure(
        request=page.request,
        reason=reason,
        detail=detail,
        at=at,
        status=page.status,
        final_url=page.final_url,
        address=page.address if kept else "",
        elapsed=page.elapsed,
        crawl_delay=page.crawl_delay,
        hops=page.hops,
        title=page.title if kept else "",
        record=page.record if kept else None,
    )


class Deferred(Record, frozen=True, kw_only=True):
    """A visit that has to wait for a turn: its request goes back to the frontier, and no attempt is counted."""

    url: Url
    """The URL of the request, by which it was leased."""
    way: tuple[Url, ...] = ()
    """Where redirects led so far, as in `Request.way`."""
    until: Millis = Millis(0)
    """The host that was leased rests until then; 0: until no particular time."""
    asked: bool = False
    """The host that was leased has answered, with a redirect; its robots.txt does not count."""
    address: str = ""
    """Of the host that was leased, empty when unknown."""
    elapsed: Millis = Millis(0)
    crawl_delay: Millis | None = None
    score: float | None = None
    """With which it waits from now on, as it is likely dead; None: where it stood."""


class UrlState(Enum):
    """Where a URL stands. At any step a URL is in exactly one of these states."""

    UNSEEN = "unseen"
    PENDING = "pending"
    LEASED = "leased"
    VISITED = "visited"
    FAILED = "failed"
    ELSEWHERE = "elsewhere"
    """Another node of a shared crawl sees to it."""
