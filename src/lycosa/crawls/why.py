"""Why a URL was fetched, was not, or waits: everything a crawl folder can say about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from lycosa.archive.reader import Reader
from lycosa.crawl.rights import quoted
from lycosa.crawls.answers import Block, Explanation, Waypoint
from lycosa.crawls.checkpointed import Checkpointed
from lycosa.model.commands import Enqueue
from lycosa.model.errors import FolderError
from lycosa.model.moments import iso
from lycosa.model.records import NOTHING_NEW, Link, Page, Reason, RecordRef, Request, Response, UrlState
from lycosa.model.url import Host, Url, host_of
from lycosa.read.embedded import embedded
from lycosa.store.history import Row
from lycosa.store.journal import Journal
from lycosa.store.requisite_log import Fetched

MAX_SOURCES = 10

SAID: Mapping[Reason, str] = {  # all but `Reason.TURN`: such a visit is deferred, and so never a failure
    Reason.DNS: "its host has no address",
    Reason.CONNECT: "no connection could be made",
    Reason.TLS: "no trusted TLS connection could be made",
    Reason.TIMEOUT: "the server did not answer in time",
    Reason.PROTOCOL: "the answer was not proper HTTP",
    Reason.STATUS: "the server answered",
    Reason.ROBOTS: "robots.txt forbids it",
    Reason.RIGHTS: "its owner reserves what the crawl is for",
    Reason.ROBOTS_UNREACHABLE: "robots.txt could not be had, which forbids the site",
    Reason.PRIVATE_ADDRESS: "its address is not on the public internet",
    Reason.HOST_DOWN: "its host failed too often and was given up",
    Reason.TOO_LARGE: "the answer was too large",
    Reason.NOT_TEXT: "it is not text",
    Reason.UNREADABLE: "it could not be read: made to keep readers busy, or a defect of lycosa; please report it",
    Reason.OUT_OF_SCOPE: "it redirects out of the scope",
    Reason.REDIRECT_LOOP: "it redirects in circles",
    Reason.TOO_MANY_REDIRECTS: "it redirects too often",
    Reason.ALREADY_KNOWN: "it redirects to a page that the crawl has already",
    Reason.ELSEWHERE: "it redirects to what another node sees to, which has it now",
    Reason.NOT_RECORDED: "the recorded web or the archive does not hold it",
    Reason.OURSELVES: "this machine was short of files, ports or memory, which is no fault of the site",
    Reason.SOFT_404: "it was fetched, but there is no such page",
    Reason.PARKED: "it was fetched, but only offers the host's name for sale",
    Reason.ALIAS: "it was fetched, but is a page that the crawl has by another name",
}


class Inquiry:
    """Answers one question after the other about one folder. `marked` is what people said of its pages, `blocked` the
    hosts that they blocked."""

    def __init__(
        self,
        journal: Journal,
        kept: Checkpointed,
        archive: Reader,
        marked: Mapping[Url, bool],
        blocked: Mapping[Host, Block],
    ) -> None:
        self._journal, self._history, self._kept, self._archive = journal, journal.history, kept, archive
        self._marked, self._blocked = marked, blocked

    def explain(self, url: Url) -> Explanation:
        """Everything that is known; the archive is looked through for a URL that nobody links to."""
        found = self.told(url)
        return (self.embedded(url) or found) if found.state == "unseen" else found

    def told(self, url: Url) -> Explanation:
        """What the journal and the last checkpoint know."""
        found = self._visited(url) or self._waiting(url) or self._failed(url) or self._outside(url)
        return replace(found, marked=self._marked.get(found.url))

    @property
    def company(self) -> Mapping[str, Any]:
        """Of a node of a shared crawl: what it knew of the others."""
        snapshot = self._kept.snapshot
        return {} if snapshot is None else snapshot.crawl.get("company", {})

    # -- what became of it -----------------------------------------------------------------------------------

    def _visited(self, url: Url) -> Explanation | None:
        pages = [row for row in self._history.visits(url) if not row.reason]
        if not pages or (page := self._journal.memory.page(pages[-1].url)) is None:
            return None
        reason = f"fetched with status {page.status}"
        if page.needs_script and (page.rendering is None or not page.rendering.was_tried):
            run = "was not run" if page.rendering else "lycosa runs with --render auto only"
            reason = f"{reason}, but has hardly any text: it is made by JavaScript, which {run}"
        if url != page.final_url:
            reason = f"it redirects to {page.final_url}, which was {reason}"
        elif url != page.request.url:
            reason = f"{reason}, by a redirect from {page.request.url}"
        if source := self._source(page):
            reason = f"{reason}, as it was captured on {iso(page.fetched_at)[:10]}: {source}"
        if page.origin is not None:
            reason = f"{reason}, by {page.origin.node}, which sent it here"
        if page.owner:
            reason = f"{reason}, and sent to {page.owner}, whose it is"
        return replace(
            self._of_request(url, "visited", reason, page.request),
            step=pages[-1].step,
            at=pages[-1].fetched_at,
            rank=page.request.rank,
            relevance=page.relevance,
            relevance_parts=dict(self._kept.topic.explain(page)),
            title=page.title,
            rights=tuple(quoted(each) for each in page.rights),
            links_left_out=self._links_left_out(page),
            rendering=page.rendering,
            **self._again(page.url),
        )

    def _source(self, page: Page) -> str:
        """The archive elsewhere that the page came from; empty if its server was asked."""
        if page.elapsed or page.record is None:  # who was asked took some time
            return ""
        try:
            source = self._archive.read(page.record).source
        except FolderError:
            return ""
        return "" if source is None else source.uri

    def _again(self, url: Url) -> dict[str, Any]:
        """When a page is visited again, and what the policy makes of it."""
        schedule, due = self._kept.schedule, self._kept.due(url)
        if schedule is None or due is None:
            return {}
        looks = self._journal.memory.visits(url)
        return {"looks": len(looks), "due": due, "due_parts": schedule.explain(url, looks)}

    def _links_left_out(self, page: Page) -> int:
        """Only a page with as many links as may count can have more."""
        taken = len({link.target for link in page.links})
        if page.record is None or not 0 < self._kept.spec.fetch.max_links <= taken:
            return 0
        whole = self._journal.rehydrate(page)
        return 0 if whole is None else len({link.target for link in whole.links}) - taken

    def _waiting(self, url: Url) -> Explanation | None:
        frontier = self._kept.frontier
        if request := frontier.leased.get(url):
            return self._of_request(url, "leased", "it was being fetched at the last checkpoint", request)
        standing, pending = frontier.standing(url), len(frontier)
        if standing is None:
            return self._set_aside(url)
        request, place = standing
        if (block := self._blocked.get(host_of(request.at))) is not None:
            return self._of_request(url, "blocked", _blocked(block), request)
        tried = f", tried {request.attempt - 1} times" if request.attempt > 1 else ""
        reason = f"it waits at place {place} of {pending}{tried}{self._doubt(request)}{self._turn(place)}"
        return replace(self._of_request(url, "pending", reason, request), place=place, pending=pending)

    def _set_aside(self, url: Url) -> Explanation | None:
        """A URL that would wait if its host were not blocked."""
        held, block = self._kept.gate.blockade.waiting(url), self._blocked.get(host_of(url))
        if held is None or held.not_before is not None or block is None:
            return None
        request = Request(
            url=url, order=0, via=held.via, depth=held.depth or 0, score=held.score, tier=held.tier
        )
        return self._of_request(url, "blocked", _blocked(block), request)

    def _doubt(self, request: Request) -> str:
        rot, via = self._kept.gate.link_rot, request.via
        said = rot.says(request.url, via.source if via else None) if rot else ""
        return f"; it is {said}, so it waits behind others" if said else ""

    def _turn(self, place: int) -> str:
        """What a URL that is not the best waits for, besides its host."""
        window = self._kept.window
        match self._kept.spec.frontier.order:
            case "strict" if place > 1:
                return "; those before it go first, also while their hosts rest (--order strict)"
            case "paced" if place > window:
                return (
                    f"; while {window} of those before it wait for hosts that rest, it waits too, as they are worth "
                    "it, unless the crawl falls behind its pace (--order paced)"
                )
        return ""

    def _failed(self, url: Url) -> Explanation | None:
        failures = [row for row in self._history.visits(url) if row.reason]
        if not failures:
            return None
        row = failures[-1]
        reason, details = Reason(row.reason), [row.detail]
        if reason is Reason.OUT_OF_SCOPE and row.final_url:
            target, gate = Url(row.final_url), self._kept.gate
            details.append(gate.scope.refuses_port(target) or gate.reach.refuses(target) or "")
        detail = f" ({'; '.join(filter(None, details))})" if any(details) else ""
        tried = f", {row.attempt} times" if row.attempt > 1 else ""
        return Explanation(
            url=url,
            state=row.reason if reason in NOTHING_NEW else "failed",
            reason=f"{SAID[reason]}{detail}{tried}",
            step=row.step,
            at=row.fetched_at,
            score=row.score,
            tier=row.tier,
            title=row.title,
            path=self._path(url, row.via, row.anchor),
            linked_from=self.sources(url),
        )

    def _outside(self, url: Url) -> Explanation:
        """A URL that never entered the frontier, or left it again."""
        sources = self.sources(url)
        if self._kept.has_frontier and self._kept.frontier.state(url) is UrlState.ELSEWHERE:
            path = self._path(url, sources[0], "") if sources else ()
            reason = "another node of the crawl sees to it"
            return Explanation(url=url, state="elsewhere", reason=reason, path=path, linked_from=sources)
        if not sources:
            beyond = self._kept.gate.reach.refuses(url)
            reason = "no page of the crawl links to it" + (f", and {beyond}" if beyond else "")
            return Explanation(url=url, state="unseen", reason=reason)
        link = Link(source=sources[0], target=url, nofollow=self._is_nofollow(sources, url))
        if (block := self._blocked.get(host_of(url))) is not None:
            state, reason = "blocked", _blocked(block)
        elif refusal := self._kept.gate.refuses(Enqueue(url=url, via=link), self._depth(sources)):
            state, reason = "refused", refusal
        elif first := self._kept.gate.first_name(Enqueue(url=url, via=link), self._kept.frontier.state):
            has = self._kept.frontier.state(first) is UrlState.VISITED
            state, reason = "alias", f"the crawl {'has' if has else 'is to fetch'} it as {first}"
        else:
            state = "found"
            reason = (
                "pages link to it, but it is not in the frontier: the strategy did not ask for it, a bounded "
                "frontier dropped it, or it was found after the last checkpoint"
            )
        path = self._path(url, sources[0], "")
        return Explanation(url=url, state=state, reason=reason, path=path, linked_from=sources)

    def embedded(self, url: Url) -> Explanation | None:
        """A URL that a page shows or loads. The journal knows links only, so the archived pages are looked through, up
        to the first that does."""
        written = re.split(
            r"%..|\W", url.split("/", 3)[3]
        )  # however the page wrote it, it wrote the longest of these
        trace = max(written, key=len).encode()
        for row in self._history.rows():
            if (page := _response(self._archive, row)) is None or trace not in page.body:
                continue
            for target, what in embedded(page.body, page.url, page.header("content-type") or ""):
                if target == url:
                    return Explanation(
                        url=url,
                        state="embedded",
                        reason=f"a page shows it ({what}), and no page links to it: a crawl follows links only",
                        path=self._path(url, row.url, ""),
                        linked_from=(row.final_url,),
                    )
        return None

    # -- what it was made of ---------------------------------------------------------------------------------

    def _of_request(self, url: Url, state: str, reason: str, request: Request) -> Explanation:
        parts = self._kept.strategy.explain(request, self._journal.memory)
        via = request.via
        return Explanation(
            url=url,
            state=state,
            reason=reason,
            score=request.score,
            tier=request.tier,
            score_parts=dict(parts),
            path=self._path(url, via.source if via else None, via.anchor if via else ""),
            linked_from=self.sources(url),
        )

    def _path(self, url: Url, via: Url | None, anchor: str) -> tuple[Waypoint, ...]:
        """The way from a start page, along the links by which each page entered the frontier."""
        end = Waypoint(url=url)
        pages = [row for row in self._history.visits(via) if not row.reason] if via else []
        if not pages:
            return (end,)
        way = self._history.path(pages[0])
        anchors = [*(row.anchor for row in way[1:]), anchor]
        return (*(Waypoint(url=row.final_url, anchor=a) for row, a in zip(way, anchors, strict=True)), end)

    def sources(self, url: Url) -> tuple[Url, ...]:
        """Some pages that link to it, the first ones first."""
        return tuple(self._journal.memory.first_in_links(url, MAX_SOURCES))

    def _depth(self, sources: tuple[Url, ...]) -> int:
        pages = (self._journal.memory.page(source) for source in sources)
        return 1 + min((page.request.depth for page in pages if page is not None), default=0)

    def _is_nofollow(self, sources: tuple[Url, ...], url: Url) -> bool:
        pages = [page for source in sources if isinstance(page := self._journal.memory.page(source), Page)]
        links = [link for page in pages for link in page.links if link.target == url]
        return bool(links) and all(link.nofollow for link in links)


def asked_for(requisite: Fetched) -> str:
    """What became of something that a page shows."""
    if not requisite.status:
        return f"relevant pages show it, but it was not fetched for the archive: {requisite.why}"
    size = f", {requisite.bytes:,} bytes" if requisite.status < 300 else ""
    return f"fetched for the archive with status {requisite.status}{size}, as relevant pages show it (--requisites)"


def _blocked(block: Block) -> str:
    """Why nothing is fetched from a host."""
    since = "from when the crawl goes on" if block.step is None else f"since step {block.step:,}"
    return (
        f"its host is blocked {since}, by {block.by or 'a person'}; "
        f"lycosa block DIR {block.host} --off lets it in again"
    )


def _response(archive: Reader, row: Row) -> Response | None:
    """The archived answer of a visit; None where the archive lacks it."""
    if row.warc_file is None or row.warc_offset is None or row.warc_length is None:
        return None
    try:
        return archive.read(RecordRef(file=row.warc_file, offset=row.warc_offset, length=row.warc_length))
    except FolderError:
        return None
