"""What depends only on bytes: fetch a URL, follow its redirects, archive the answers, read the last one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from lycosa.crawl.looks import modified_at
from lycosa.crawl.ports import Archive, Clock, Web
from lycosa.crawl.rights import quoted, refused, settled
from lycosa.drive.page import as_rendered
from lycosa.drive.reading import IN_PLACE, Reader, Unread
from lycosa.model.digests import payload_digest
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import (
    PLAIN,
    Arrival,
    Ask,
    Deferred,
    Failure,
    Fault,
    LastCapture,
    Millis,
    Page,
    Reason,
    RecordRef,
    Request,
    Response,
    Unchanged,
)
from lycosa.model.rights import MAX_RULES, Purpose, Rights
from lycosa.model.url import Url, canonical, host_of
from lycosa.read.difference import difference
from lycosa.read.rights import may_speak, of_headers
from lycosa.web.redirect import location
from lycosa.web.referer import referer
from lycosa.web.robots.cache import Access, Permission
from lycosa.web.spacing import retry_after

MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})

RedirectRule = Callable[[Request, Url], Reason | None]
"""Why a visit may not follow a redirect to a URL (`Reason.TURN`: not yet); None if it may. Answered by the crawl."""

Outcome = Arrival | Deferred
"""What becomes of a request that was leased."""


class Robots(Protocol):
    """Whether a URL may be fetched, by its site's robots.txt."""

    async def check(self, url: Url) -> Permission: ...


class Rendering(Protocol):
    """What makes pages in a browser, where that pays."""

    async def made(self, response: Response, page: Page) -> Page | None:
        """The page as a browser has it, or as it is, with the reason in `rendering`. None: the crawl is about to stop,
        and the page is to be fetched another time."""
        ...


class Journey(msgspec.Struct):
    """How far a visit has come: the URLs that redirected so far, and what the way has cost."""

    request: Request
    url: Url
    hops: list[Url] = []
    elapsed: int = 0
    address: str = ""
    crawl_delay: Millis | None = None
    rights: Rights = ()
    """What the site says of the use of `url`."""

    @classmethod
    def of(cls, request: Request) -> Journey:
        """Where a visit begins, or goes on that had to wait behind a redirect."""
        return cls(request=request, url=request.at, hops=[request.url, *request.way][:-1])


class Visitor:
    """Visits one URL at a time, any number of them side by side. Keeps nothing between visits.

    Every answer on the way is archived, redirects and error pages too. Each hop is canonicalised and asked of
    robots.txt and of the crawl (`refuses_redirect`) before it is fetched.

    A visit never waits for a turn: where a host, its address or its robots.txt has to be waited for, the visit ends as
    `Deferred`, and goes on from there when it is leased again.

    What its owner reserves for the `purpose` of the crawl is not fetched, where the site says so for good, and not
    archived, where the answer or the page does, or leaves it at what the site says.
    """

    def __init__(
        self,
        web: Web,
        robots: Robots | None,
        archive: Archive | None,
        refuses_redirect: RedirectRule,
        clock: Clock,
        reader: Reader = IN_PLACE,
        browser: Rendering | None = None,
        purpose: Purpose | None = None,
    ) -> None:
        self.web, self.robots, self.archive = web, robots, archive
        self.refuses_redirect, self.clock, self.reader = refuses_redirect, clock, reader
        self.browser = browser
        self.purpose: Purpose | None = purpose

    async def __call__(self, request: Request) -> Outcome:
        journey = Journey.of(request)
        if request.way and (reason := self.refuses_redirect(request, journey.url)):
            return self._failure(journey, reason, f"redirected to {journey.url}")
        while True:
            answer = await self._exchange(journey)
            if not isinstance(answer, Response):
                return answer
            if self.purpose is not None and (reserved := await self._reserved(journey, answer)):
                return reserved
            before = _captured_at(journey)
            if answer.status == 304 and not _ask(journey).is_conditional:
                before = None  # nobody asked: it says nothing of the page
            record = self.archive.write(answer, before) if self.archive else None
            if answer.status == 304 and before is not None:
                as_it_was = self._as_it_was(before, record)
                if as_it_was is None:
                    return self._unchanged(journey, answer, before, record)
                answer = as_it_was
            if answer.status not in REDIRECTS or not (target := location(answer)):
                return await self._arrive(journey, answer, record)
            if ended := self._redirect(journey, answer.status, target):
                return ended

    async def _exchange(self, journey: Journey) -> Response | Failure | Deferred:
        """Ask robots.txt, then fetch."""
        if self.robots is not None:
            verdict = await self.robots.check(journey.url)
            if verdict.crawl_delay is not None:
                journey.crawl_delay = max(verdict.crawl_delay, journey.crawl_delay or Millis(0))
            journey.rights = verdict.rights
            match verdict.access:
                case Access.LATER:
                    return self._deferred(journey, verdict.retry_at, verdict.address)
                case Access.DISALLOWED:
                    return self._failure(journey, Reason.ROBOTS, verdict.rule)
                case Access.UNREACHABLE:
                    wait = None if verdict.retry_at is None else Millis(verdict.retry_at - self.clock.now())
                    reason = verdict.fault.reason if verdict.fault else Reason.ROBOTS_UNREACHABLE
                    return self._failure(journey, reason, verdict.rule, retry_after=wait)
        if (rule := refused(settled(journey.rights), self.purpose)) is not None:
            return self._failure(journey, Reason.RIGHTS, quoted(rule))
        answer = await self.web.fetch(journey.url, _ask(journey))
        if isinstance(answer, Fault) and answer.reason is Reason.TURN:
            return self._deferred(
                journey, Millis(self.clock.now() + (answer.retry_after or 0)), answer.address
            )
        journey.elapsed += answer.elapsed
        journey.address = answer.address
        if isinstance(answer, Fault):
            return self._failure(journey, answer.reason, answer.detail, retry_after=answer.retry_after)
        return answer

    def _deferred(self, journey: Journey, until: Millis | None = None, address: str = "") -> Deferred:
        """The visit waits; `until` and `address` are those of the host that it would ask next."""
        request = journey.request
        at_home = host_of(journey.url) == host_of(request.at)
        return Deferred(
            url=request.url,
            way=tuple([*journey.hops, journey.url][1:]),
            until=until or Millis(0) if at_home else Millis(0),
            asked=len(journey.hops) > len(request.way),
            address=address if at_home else "",
            elapsed=Millis(journey.elapsed),
            crawl_delay=journey.crawl_delay,
        )

    def _redirect(self, journey: Journey, status: int, raw: str) -> Failure | Deferred | None:
        """Take one hop, or say why not."""
        try:
            target = canonical(raw, journey.url)
        except InputError as error:
            said = f"{status}, a redirect to what is no URL: {error}"
            return self._failure(journey, Reason.STATUS, said, status=status)
        if target == journey.url:
            # From /dir/ to /dir/index.html, which are one URL to the crawl but not to this server.
            target = canonical(raw, journey.url, "strict")
        if target == journey.url or target in journey.hops:
            return self._failure(journey, Reason.REDIRECT_LOOP, f"{journey.url} leads back to {target}")
        if len(journey.hops) == MAX_REDIRECTS:  # the target was not asked for: it may be found otherwise
            return self._failure(journey, Reason.TOO_MANY_REDIRECTS, f"more than {MAX_REDIRECTS} redirects")
        journey.hops.append(journey.url)
        journey.url = target
        reason = self.refuses_redirect(journey.request, target)
        if reason is Reason.TURN:
            return self._deferred(journey)
        if reason is not None:
            return self._failure(journey, reason, f"redirected to {target}")
        return None

    async def _arrive(self, journey: Journey, response: Response, record: RecordRef | None) -> Outcome:
        """Make a page of the last response, or say why it is none."""
        if not 200 <= response.status < 300:
            said = f"{response.status} {response.reason_phrase}".strip()
            wait = retry_after(response, self.clock.now())
            return self._failure(journey, Reason.STATUS, said, status=response.status, retry_after=wait)
        before = journey.request.before
        same = before if before is not None and _is_same(response, before) else None
        if same is not None and (self.browser is None or same.dom is None):
            return self._unchanged(journey, response, same, record)
        sent = await self.reader.read(journey.request, response, record)
        if isinstance(sent, Unread):
            return self._failure(journey, sent.reason, sent.detail, status=response.status)
        page = sent
        if self.browser is not None:
            made = await self.browser.made(response, sent)
            if made is None:
                return self._deferred(journey)
            page = made
        if same is not None and await self._shows_the_same(page, same):
            return self._unchanged(journey, response, same, record)
        if before is not None:
            page = await self._compared(page, sent, before)
        return msgspec.structs.replace(
            page,
            elapsed=Millis(journey.elapsed),
            crawl_delay=journey.crawl_delay,
            hops=tuple(journey.hops),
            rights=(journey.rights + page.rights)[:MAX_RULES],
        )

    async def _reserved(self, journey: Journey, answer: Response) -> Failure | None:
        """Why an answer may not be kept. A page is read for it only if words of such rules stand in it. One that is as
        it was says what it said."""
        rights, said = journey.rights + of_headers(answer), answer
        if answer.status == 304 and refused(rights, self.purpose) is not None:
            said = self._captured(journey) or answer
            rights += of_headers(said)
        if 200 <= said.status < 300 and may_speak(said.body):
            page = await self.reader.read(journey.request, said, None)
            rights = rights + page.rights if isinstance(page, Page) else rights
        rule = refused(rights, self.purpose)
        return (
            None
            if rule is None
            else self._failure(journey, Reason.RIGHTS, quoted(rule), status=answer.status)
        )

    def _captured(self, journey: Journey) -> Response | None:
        """The answer that a 304 is about, if it can be had."""
        before = _captured_at(journey)
        if self.archive is None or before is None or before.record is None:
            return None
        try:
            return self.archive.read(before.record)
        except FolderError:
            return None

    def _unchanged(
        self, journey: Journey, response: Response, before: LastCapture, record: RecordRef | None
    ) -> Unchanged:
        """By a 304 the validators stay that were shown: it speaks of what has these. One with others is no proof that
        they are those of the capture, and shown the next time would hide a change for good."""
        etag, modified = response.header("etag") or "", response.header("last-modified") or ""
        stay = response.status == 304
        return Unchanged(
            request=journey.request,
            at=response.fetched_at,
            final_url=journey.url,
            etag=(before.etag or etag) if stay else (etag or before.etag),
            last_modified=(before.last_modified or modified) if stay else (modified or before.last_modified),
            record=record,
            status=response.status,
            address=journey.address,
            elapsed=Millis(journey.elapsed),
            crawl_delay=journey.crawl_delay,
            hops=tuple(journey.hops),
        )

    def _as_it_was(self, before: LastCapture, record: RecordRef | None) -> Response | None:
        """What the server says that it would send again, where a browser may make another page of it."""
        if self.browser is None or self.archive is None or before.dom is None or record is None:
            return None
        try:
            return self.archive.read(record)
        except FolderError:
            return None

    async def _shows_the_same(self, page: Page, before: LastCapture) -> bool:
        """Of a page whose bytes are as they were: whether a browser makes the same of them, as far as can be told."""
        if page.dom is None:
            return True
        old = await self._read_again(page.request, before.record, before.dom)
        return old is not None and old.digest == page.digest

    async def _compared(self, page: Page, sent: Page, before: LastCapture) -> Page:
        """The page with what differs from its last capture; where that cannot be read, that is left to the crawl.

        Like is compared with like: what browsers made, if they made both, or else what was `sent`.
        """
        dom = before.dom if page.dom is not None else None
        old = await self._read_again(page.request, before.record, dom)
        now = sent if dom is None else page
        return page if old is None else msgspec.structs.replace(page, change=difference(old, now))

    async def _read_again(
        self, request: Request, record: RecordRef | None, dom: RecordRef | None
    ) -> Page | None:
        """The page of a record in the archive, if it can be had; as a browser made it, if its DOM is named."""
        if self.archive is None or record is None:
            return None
        try:
            response = self.archive.read(record)
            if dom is not None:
                response = as_rendered(response, self.archive.read(dom))
        except FolderError:
            return None
        page = await self.reader.read(request, response, record)
        return page if isinstance(page, Page) else None

    def _failure(
        self,
        journey: Journey,
        reason: Reason,
        detail: str,
        *,
        status: int = 0,
        retry_after: Millis | None = None,
    ) -> Failure:
        return Failure(
            request=journey.request,
            reason=reason,
            detail=detail,
            at=self.clock.now(),
            status=status,
            final_url=journey.url,
            retry_after=retry_after,
            address=journey.address,
            elapsed=Millis(journey.elapsed),
            crawl_delay=journey.crawl_delay,
            hops=tuple(journey.hops),
        )


def _is_same(response: Response, before: LastCapture) -> bool:
    """Whether the server sent the same bytes again."""
    return payload_digest(response.body) == before.digest and not response.truncated


def _captured_at(journey: Journey) -> LastCapture | None:
    """The capture that the next answer is compared with. Only where the page was found a condition is sent."""
    before = journey.request.before
    return before if before is not None and before.url == journey.url else None


def _ask(journey: Journey) -> Ask:
    """What a request says besides its URL. Redirects keep the page that led to the first URL, as in browsers."""
    via, before = journey.request.via, _captured_at(journey)
    if via is None and before is None:
        return PLAIN
    return Ask(
        etag=before.etag if before else "",
        modified_since=_credible_date(before) if before else "",
        referer=referer(via.source, journey.url) if via else "",
    )


def _credible_date(before: LastCapture) -> str:
    """The Last-Modified of a capture, unless it cannot be true: shown to a server that always says 1970, or a date to
    come, it would bring 304 for ever."""
    return before.last_modified if modified_at(before.last_modified, before.at, before.at) is not None else ""
