"""A page in a browser: what it asks for is answered by the crawl, and what it becomes is archived and read."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, Protocol

from msgspec.structs import replace

from lycosa.crawl.ports import Archive, Clock, Renderer
from lycosa.crawl.rendering import Decision, pays
from lycosa.drive.page import DOM_TYPE, as_rendered, media_type_of, with_lead
from lycosa.drive.reading import Reader
from lycosa.drive.requisites import Requisites
from lycosa.model.digests import payload_digest
from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Millis, Page, Reason, RecordRef, Rendering, Response
from lycosa.model.rendering import Asked, Refused, Rendered, StillPage
from lycosa.model.url import Url

MOST_TOLD: Final = 200
"""Requests of a page that its archived DOM tells of."""
_MARKUP: Final = frozenset({"text/html", "application/xhtml+xml", ""})
_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)


class Decides(Protocol):
    """Says whether a page is worth a browser; answered by the crawl."""

    def __call__(self, page: Page, *, scripted: bool) -> Decision: ...


class InBrowser:
    """Makes pages in a browser, where that pays. One that cannot be made is left as its server sent it.

    Invariants, each the name of a test:

    * costs its page only: whatever a browser does, the page that was fetched is there.
    * read the same again: the archived DOM gives the page that the visit gave.
    """

    def __init__(
        self,
        renderer: Renderer,
        requisites: Requisites,
        decides: Decides,
        archive: Archive,
        reader: Reader,
        clock: Clock,
        rounds: int = 0,
    ) -> None:
        self._renderer, self._requisites, self._decides = renderer, requisites, decides
        self._archive, self._reader, self._clock, self._rounds = archive, reader, clock, rounds

    async def made(self, response: Response, page: Page) -> Page | None:
        """The page as a browser has it, or as it is; None if the crawl is about to stop."""
        if page.record is None or media_type_of(response) not in _MARKUP or not 200 <= response.status < 300:
            return page
        decision = self._decides(page, scripted=_SCRIPT.search(response.body) is not None)
        if not decision.render:
            return replace(page, rendering=Rendering(why=decision.why))
        told = _Told(self._requisites, response.url)
        rendered = await self._rendered(response, told)
        if self._requisites.retreats:
            return None
        if isinstance(rendered, Fault):
            return _as_sent(page, decision, rendered.detail or rendered.reason.value)
        return await self._read(response, page, page.record, rendered, decision, told)

    async def _rendered(self, response: Response, told: _Told) -> Rendered | Fault:
        """Raises `FolderError` if the archive cannot be written."""
        try:
            return await self._renderer.render(StillPage(response=response, rounds=self._rounds), told.answer)
        except InputError as error:  # the browser does not start any more
            return Fault(reason=Reason.OURSELVES, detail=str(error))

    async def _read(
        self,
        sent: Response,
        page: Page,
        record: RecordRef,
        rendered: Rendered,
        decision: Decision,
        told: _Told,
    ) -> Page:
        dom = _dom(sent, rendered, self._clock.now())
        found = await self._reader.read(page.request, as_rendered(sent, dom), record)
        if not isinstance(found, Page):
            return _as_sent(page, decision, found.detail)
        found = with_lead(found, rendered.left_for)
        links, words = len(set(found.out).difference(page.out)), _more(page, found)
        return replace(
            found,
            digest=payload_digest(dom.body),
            rendering=Rendering(
                why=decision.why,
                record=self._archive.write_dom(dom, record, told.fields(rendered, decision.why)),
                payload=page.digest,
                left_for=rendered.left_for,
                links=links,
                words=words,
                bare=page.needs_script,
                pays=pays(links, words, page),
                asked=rendered.asked,
                refused=len(rendered.refused),
                took=rendered.took,
                settled=rendered.settled,
            ),
        )


class _Told:
    """What one page asked for, and what it got."""

    def __init__(self, requisites: Requisites, page: Url) -> None:
        self._requisites, self._page = requisites, page
        self._got: list[tuple[str, str]] = []

    async def answer(self, asked: Asked) -> Response | Fault:
        found = await self._requisites.answer(asked, self._page)
        if isinstance(found, Response) and len(self._got) < MOST_TOLD:
            self._got.append(("requisite", f"{found.status} {asked.kind} {asked.url}"))
        return found

    def fields(self, rendered: Rendered, why: str) -> list[tuple[str, str]]:
        """As the archive keeps it."""
        return [
            ("rendered", why),
            ("documentUrl", rendered.url),
            ("settled", "yes" if rendered.settled else "no"),
            ("requests", str(rendered.asked)),
            *([("leftFor", rendered.left_for)] if rendered.left_for else []),
            *self._got,
            *map(_refusal, rendered.refused[:MOST_TOLD]),
        ]


def _refusal(refused: Refused) -> tuple[str, str]:
    return "refused", f"{refused.url[:2000]} ({refused.why})"


def _as_sent(page: Page, decision: Decision, failed: str) -> Page:
    """A page of which a browser made nothing."""
    return replace(
        page, rendering=Rendering(why=decision.why, failed=failed or "nothing came", bare=page.needs_script)
    )


def _dom(sent: Response, rendered: Rendered, now: Millis) -> Response:
    """The DOM as an answer of its own. Its links hold for where scripts say that the page is."""
    html = (
        rendered.html if rendered.url == sent.url else f'<base href="{_quoted(rendered.url)}">{rendered.html}'
    )
    return Response(
        url=sent.url,
        status=200,
        headers=(("Content-Type", DOM_TYPE),),
        body=html.encode("utf-8", "replace"),
        fetched_at=now,
        elapsed=rendered.took,
    )


def _quoted(url: Url) -> str:
    return url.replace("&", "&amp;").replace('"', "&quot;")


def _more(page: Page, found: Page) -> int:
    """How many words more a page has than another."""
    return sum((Counter(found.terms) - Counter(page.terms)).values())
