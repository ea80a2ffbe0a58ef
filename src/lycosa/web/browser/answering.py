"""Requests of a page that the browser holds back: answered by whoever may ask, or refused.

The browser holds back every request of every page before it becomes one. Nothing that is written here lets any go on.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any, Final

from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Reason, Response
from lycosa.model.rendering import Asked, Kind, Refused
from lycosa.model.url import Url, canonical
from lycosa.web.browser.limits import BrowserLimits
from lycosa.web.browser.pipe import BrowserEnded, Pipe, Said

Answer = Callable[[Asked], Awaitable[Response | Fault]]

_KINDS: Final[dict[str, Kind]] = {
    "Document": "document",
    "Stylesheet": "style",
    "Script": "script",
    "Image": "image",
    "Font": "font",
    "Media": "media",
    "XHR": "data",
    "Fetch": "data",
}
_LOCAL: Final = ("data:", "blob:", "about:")
"""What a page has within itself: nobody is asked for it."""
_KEPT_BACK: Final = frozenset(
    {
        # They spoke of the bytes on the wire, or of the connection.
        "content-encoding",
        "content-length",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "alt-svc",
        # They would have the browser remember, report, ask again, ask ahead, save a file, or start a process.
        "set-cookie",
        "clear-site-data",
        "strict-transport-security",
        "nel",
        "report-to",
        "reporting-endpoints",
        "accept-ch",
        "critical-ch",
        "link",
        "speculation-rules",
        "service-worker-allowed",
        "content-disposition",
        "origin-agent-cluster",
    }
)
_TOLD: Final = 100
"""Refused requests that are told of."""
_NAMED: Final = 2000
"""Characters of their URLs."""
_ERRORS: Final = {
    Reason.DNS: "NameNotResolved",
    Reason.CONNECT: "ConnectionFailed",
    Reason.TIMEOUT: "TimedOut",
}


class Answers:
    """What one page asks for.

    Invariants, each the name of a test:

    * nothing unasked: each request is answered from `answer`, refused, or is of what the page has within itself.
    * nobody goes there: the page itself is not asked for again, and no other takes its place.
    """

    def __init__(
        self, pipe: Pipe, session: str, frame: str, page: Response, answer: Answer, limits: BrowserLimits
    ) -> None:
        self.asked = 0
        self.refused: dict[Refused, None] = {}
        """In their order, none twice."""
        self.left_for: Url | None = None
        self.led = False
        """A script wanted to lead it elsewhere, or back to itself."""
        self.stays = False
        """What leads elsewhere from now on is not what the page itself wanted."""
        self.quiet = asyncio.Event()
        """Nothing is under way."""
        self.quiet.set()
        self.broken: asyncio.Future[Fault] = asyncio.get_running_loop().create_future()
        self._pipe, self._session, self._frame = pipe, session, frame
        self._page, self._answer, self._limits = page, answer, limits
        self._begun = False
        self._received = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def paused(self, said: Said) -> None:
        """A request was held back."""
        request, number = said["request"], str(said["requestId"])
        url, fields = str(request["url"]), {k.lower(): str(v) for k, v in request["headers"].items()}
        method, sort = str(request["method"]), str(said["resourceType"])
        if url.startswith(_LOCAL):
            self._tell("Fetch.continueRequest", number)
        elif sort == "Document" and said["frameId"] == self._frame:
            self._lead(number, url, method)
        elif _is_icon(sort, fields):
            self._fail(number)
        elif "text/event-stream" in fields.get("accept", ""):
            self._note(url, "a stream of events has no end")
            self._fulfil(number, 204, [], b"")  # on which it does not try again
        elif method == "OPTIONS" and fields.get("access-control-request-method") == "GET":
            self._fulfil(number, 204, _permission(fields), b"")
        elif why := self._objection(url, method, sort, fields):
            self._refuse(number, url, why)
        else:
            self._ask(number, url, sort, fields)

    async def end(self) -> None:
        """Nobody waits for the answers any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _lead(self, number: str, url: str, method: str) -> None:
        """The whole page is led somewhere: to itself, when it begins; and nowhere else."""
        if not self._begun:
            self._begun = True
            self._fulfil(number, self._page.status, _headers(self._page), self._page.body)
            return
        self.led = True
        self._fail(number, "Aborted")  # so that the page stays as it is, without a page about the error
        if method == "GET" and not self.stays and self.left_for is None:
            target = _url(url, "default")
            self.left_for = target if target != self._page.url else None

    def _objection(self, url: str, method: str, sort: str, fields: dict[str, str]) -> str:
        if not url.startswith(("http://", "https://")):
            return f"not an address of the web: {url.partition(':')[0]}"
        if sort in ("Ping", "CSPViolationReport"):
            return "it only tells somebody that the page is looked at"
        if method != "GET":
            return f"only GET is answered, and this is {method[:20]}"
        if "prefetch" in fields.get("sec-purpose", "") or sort == "Prefetch":
            return "it is for a page that may come"
        if self.asked >= self._limits.requests:
            return f"the page asked for more than {self._limits.requests} things"
        if self._received >= self._limits.received:
            return f"the page had more than {self._limits.received >> 20} MiB"
        return ""

    def _ask(self, number: str, url: str, sort: str, fields: dict[str, str]) -> None:
        target = _url(url, "strict")
        if target is None:
            self._refuse(number, url, "not a URL")
            return
        self.asked += 1
        asked = Asked(url=target, kind=_KINDS.get(sort, "other"), referer=fields.get("referer", ""))
        task = asyncio.create_task(self._bring(number, asked, fields.get("origin", "")))
        self._tasks.add(task)
        self.quiet.clear()
        task.add_done_callback(self._done)

    async def _bring(self, number: str, asked: Asked, origin: str) -> None:
        found = await self._answer(asked)
        if isinstance(found, Fault):
            self._refuse(number, asked.url, found.detail or found.reason.value, found.reason, counted=True)
            return
        self._received += len(found.body)
        self._fulfil(number, found.status, _headers(found, origin), found.body)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not self._tasks:
            self.quiet.set()
        if not task.cancelled() and (error := task.exception()) and not self.broken.done():
            self.broken.set_exception(error)

    def _refuse(
        self, number: str, url: str, why: str, reason: Reason | None = None, *, counted: bool = False
    ) -> None:
        self._note(url, why, counted=counted)
        self._fail(number, _ERRORS.get(reason, "BlockedByClient") if reason else "BlockedByClient")

    def _note(self, url: str, why: str, *, counted: bool = False) -> None:
        self.asked += not counted
        if len(self.refused) < _TOLD:
            self.refused[Refused(url=url[:_NAMED], why=why)] = None

    def _fail(self, number: str, error: str = "BlockedByClient") -> None:
        self._tell("Fetch.failRequest", number, errorReason=error)

    def _fulfil(self, number: str, status: int, headers: list[dict[str, str]], body: bytes) -> None:
        self._tell(
            "Fetch.fulfillRequest",
            number,
            responseCode=status,
            responseHeaders=headers,
            body=base64.b64encode(body).decode(),
            otherwise=lambda: self._fail(number, "Failed"),  # headers or a status that no browser takes
        )

    def _tell(self, method: str, number: str, **params: Any) -> None:
        try:
            self._pipe.tell(method, self._session, requestId=number, **params)
        except BrowserEnded:
            if not self.broken.done():
                self.broken.set_exception(BrowserEnded())


def _headers(response: Response, origin: str = "") -> list[dict[str, str]]:
    """What the browser is told of an answer. Of another origin, scripts may read it: that they must not, as a rule,
    protects what people may see and scripts may not, and nobody is logged in here."""
    headers = [
        {"name": _shown(name), "value": _shown(value)}
        for name, value in response.headers
        if name.lower() not in _KEPT_BACK and not (origin and name.lower().startswith("access-control-"))
    ]
    return [*headers, *_readable(origin)] if origin else headers


def _shown(text: str) -> str:
    """Characters of any encoding, as JSON may have them."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _permission(fields: dict[str, str]) -> list[dict[str, str]]:
    """That a GET may carry headers of its own (a CORS preflight). Servers never see them, so none is asked."""
    wanted = fields.get("access-control-request-headers", "")
    return [
        *_readable(fields.get("origin", "*")),
        {"name": "Access-Control-Allow-Methods", "value": "GET"},
        {"name": "Access-Control-Allow-Headers", "value": wanted},
    ]


def _readable(origin: str) -> list[dict[str, str]]:
    return [
        {"name": "Access-Control-Allow-Origin", "value": origin},
        {"name": "Access-Control-Allow-Credentials", "value": "true"},
    ]


def _is_icon(sort: str, fields: dict[str, str]) -> bool:
    """What the browser itself wants for the tab that nobody sees."""
    return sort == "Other" and fields.get("accept", "").startswith("image/")


def _url(url: str, profile: Any) -> Url | None:
    try:
        return canonical(url, profile=profile)
    except InputError:
        return None
