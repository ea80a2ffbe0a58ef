"""One page in the browser: how it is led, when it is done, and how its markup is had."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Millis, Reason
from lycosa.model.rendering import Rendered, StillPage
from lycosa.model.url import Url, canonical
from lycosa.web.browser.answering import Answer, Answers
from lycosa.web.browser.limits import BrowserLimits
from lycosa.web.browser.pipe import Denied, Pipe, Said

T = TypeVar("T")

_HERE: Final = Path(__file__).parent
_EARLY: Final = (_HERE / "early.js").read_text("utf-8")
_MORE: Final = (_HERE / "more.js").read_text("utf-8")
_STILL: Final = (_HERE / "still.js").read_text("utf-8")
_DRAWN: Final = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
"""Two frames are drawn, so that scripts are told what has come into sight."""
_SIZE: Final = """() =>
  [document.getElementsByTagName("*").length, document.documentElement.textContent.length]"""
_FIRST: Final = 5000
_NEXT: Final = 1000
"""Milliseconds of the page's own time that pass at a time."""
_GRANTS: Final = 12
"""How often a page is given more time before it counts as one that never settles."""
_SHUT: Final = 500
"""Shadow trees that are looked up one by one."""
_GRACE: Final = 5.0
"""Seconds for the markup of a page whose time is over."""


ENDED: Final = "the page ended the browser that ran its scripts, as one does that takes too much memory"


class Hung(Exception):
    """A page did not let go in time."""


class _Remote(NamedTuple):
    """Something in the page."""

    name: str


class Tab:
    """A page in a context of its own, which knows nothing of other pages and is forgotten with it."""

    def __init__(self, pipe: Pipe, page: StillPage, answer: Answer, limits: BrowserLimits) -> None:
        self._pipe, self._page, self._limits = pipe, page, limits
        self._answer = answer
        self._answers: Answers
        self._session = self._context = self._target = ""
        self._loaded = asyncio.Event()
        self._elapsed = asyncio.Event()
        self._world = 0

    async def open(self) -> None:
        made = await self._pipe.call("Target.createBrowserContext", disposeOnDetach=True)
        self._context = made["browserContextId"]
        made = await self._pipe.call("Target.createTarget", url="about:blank", browserContextId=self._context)
        self._target = made["targetId"]
        made = await self._pipe.call("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session = made["sessionId"]
        self._answers = Answers(
            self._pipe, self._session, self._target, self._page.response, self._answer, self._limits
        )
        self._pipe.listen(self._session, self._hear)
        await asyncio.gather(
            self._pipe.call("Browser.setDownloadBehavior", behavior="deny", browserContextId=self._context),
            self._pipe.call("Browser.grantPermissions", permissions=[], browserContextId=self._context),
            self._call("Fetch.enable"),
            self._call("Page.enable"),
            self._call("Page.addScriptToEvaluateOnNewDocument", source=_EARLY),
            self._call("Network.setBypassServiceWorker", bypass=True),
        )

    async def close(self) -> None:
        """Forget the page and whatever it left."""
        self._pipe.ignore(self._session)
        if hasattr(self, "_answers"):
            await self._answers.end()
        if self._context:
            with suppress(Denied):
                await self._pipe.call("Target.disposeBrowserContext", browserContextId=self._context)

    async def rendered(self) -> Rendered | Fault:
        """Raises `BrowserEnded`, `Hung`, and whatever `answer` raises."""
        began = asyncio.get_running_loop().time()
        async with _Race(self._answers.broken) as race:
            settling = race.enter(self._settle())
            over = race.enter(self._time_is_over())
            try:
                if broken := await race.first(settling, over):
                    return broken
                settled = settling.done() and settling.result()
                if not settling.done():
                    self._interrupt()
                still = race.enter(self._still(settled, began))
                if broken := await race.first(still, race.enter(asyncio.sleep(_GRACE))):
                    return broken
                if still.done():
                    return still.result()
            except Denied as error:
                return Fault(reason=Reason.UNREADABLE, detail=f"the browser shows no page: {error}")
            raise Hung

    async def _settle(self) -> bool:
        """Whether the page came to rest."""
        response = self._page.response
        self._loaded.clear()
        gone = await self._call("Page.navigate", url=response.url)
        if error := gone.get("errorText"):
            raise Denied(str(error))
        await self._loaded.wait()
        settled = await self._rest()
        self._answers.stays = True
        for _ in range(self._page.rounds):
            before = self._answers.asked, await self._run(_SIZE)
            await self._run(_MORE)
            settled = await self._rest()
            if (self._answers.asked, await self._run(_SIZE)) == before:
                break
        return settled

    async def _rest(self) -> bool:
        """Let the page's own time pass until nothing new comes of it. Its clock is ours: no timer is waited for, and it
        stands still while an answer is under way."""
        seen = (
            self._answers.asked,
            (await self._run(_SIZE))[0],
        )  # texts may change for ever, as those of clocks do
        for grant in range(_GRANTS):
            await self._run(_DRAWN)
            await self._answers.quiet.wait()
            self._elapsed.clear()
            await self._call(
                "Emulation.setVirtualTimePolicy",
                policy="pauseIfNetworkFetchesPending",
                budget=_NEXT if grant else _FIRST,
                maxVirtualTimeTaskStarvationCount=100_000,
            )
            await self._elapsed.wait()
            now = self._answers.asked, (await self._run(_SIZE))[0]
            if now == seen and self._answers.quiet.is_set():
                return True
            seen = now
        return False

    async def _time_is_over(self) -> None:
        """Returns when the page has had its time."""
        clock = asyncio.get_running_loop().time
        left, end = self._limits.seconds, clock() + self._limits.patience
        while left > 0 and (now := clock()) < end:
            if self._answers.quiet.is_set():
                await asyncio.sleep(min(0.05, left))
                left -= clock() - now
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(end):
                        await self._answers.quiet.wait()

    def _interrupt(self) -> None:
        """Stop all scripts of the page, now and from now on."""
        self._pipe.tell("Runtime.terminateExecution", self._session)
        self._pipe.tell("Emulation.setScriptExecutionDisabled", self._session, value=True)

    async def _still(self, settled: bool, began: float) -> Rendered | Fault:
        found = await self._run(_STILL, self._limits.markup, *await self._shut())
        if not found["url"].startswith(("http://", "https://")):
            return Fault(reason=Reason.UNREADABLE, detail="the browser shows no page")
        answers = self._answers
        return Rendered(
            url=self._named(found["url"]),
            html=found["html"],
            cut=found["cut"],
            settled=settled,
            left_for=answers.left_for,
            asked=answers.asked,
            refused=tuple(answers.refused),
            took=Millis(round(1000 * (asyncio.get_running_loop().time() - began))),
        )

    def _named(self, shown: str) -> Url:
        """What the page calls itself in the end; a fragment names no other page."""
        own = self._page.response.url
        if shown.partition("#")[0] == own.partition("#")[0]:
            return own
        try:
            return canonical(shown)
        except InputError:
            return own

    async def _shut(self) -> list[_Remote]:
        """Hosts of shadow trees that are declared as closed, each followed by its tree. Scripts cannot make any:
        early.js has theirs open."""
        if b"shadowrootmode" not in self._page.response.body:
            return []
        tree = await self._call("DOM.getDocument", depth=-1, pierce=True)
        found: list[_Remote] = []
        for host, root in islice(_closed(tree["root"]), _SHUT):
            for node in (host, root):
                made = await self._call(
                    "DOM.resolveNode", backendNodeId=node, executionContextId=await self._own_world()
                )
                found.append(_Remote(made["object"]["objectId"]))
        return found

    async def _own_world(self) -> int:
        """Where our functions run: what the page has changed of its own is as it was there."""
        if not self._world:
            made = await self._call("Page.createIsolatedWorld", frameId=self._target, worldName="lycosa")
            self._world = int(made["executionContextId"])
        return self._world

    async def _run(self, function: str, *arguments: Any) -> Any:
        """What a function of ours has to say of the page."""
        found = await self._call(
            "Runtime.callFunctionOn",
            functionDeclaration=function,
            executionContextId=await self._own_world(),
            arguments=[
                {"objectId": one.name} if isinstance(one, _Remote) else {"value": one} for one in arguments
            ],
            returnByValue=True,
            awaitPromise=True,
        )
        if wrong := found.get("exceptionDetails"):
            raise Denied(str(wrong.get("exception", {}).get("description", wrong.get("text", "")))[:300])
        return found["result"].get("value")

    async def _call(self, method: str, **params: Any) -> Said:
        return await self._pipe.call(method, self._session, **params)

    def _hear(self, method: str, said: Said) -> None:
        try:
            self._heed(method, said)
        except Exception as error:  # nobody else would learn of it, and the page would wait for ever
            if not self._answers.broken.done():
                self._answers.broken.set_exception(error)

    def _heed(self, method: str, said: Said) -> None:
        match method:
            case "Fetch.requestPaused":
                self._answers.paused(said)
                if self._answers.led:  # it will never say that it is loaded
                    self._loaded.set()
            case "Page.loadEventFired":
                self._loaded.set()
            case "Emulation.virtualTimeBudgetExpired":
                self._elapsed.set()
            case "Page.javascriptDialogOpening":
                self._pipe.tell("Page.handleJavaScriptDialog", self._session, accept=False)
            case "Inspector.targetCrashed" | "Inspector.detached":
                self._crashed()

    def _crashed(self) -> None:
        if not self._answers.broken.done():
            self._answers.broken.set_result(Fault(reason=Reason.UNREADABLE, detail=ENDED))


class _Race:
    """Tasks side by side, none of which is left at the end; and the fault that ends them all."""

    def __init__(self, broken: asyncio.Future[Fault]) -> None:
        self._broken = broken
        self._tasks: list[asyncio.Task[Any]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def enter(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        self._tasks.append(task := asyncio.create_task(work))
        return task

    async def first(self, *tasks: asyncio.Task[Any]) -> Fault | None:
        """Wait for the first of these; the fault, if it comes before."""
        await asyncio.wait([*tasks, self._broken], return_when=asyncio.FIRST_COMPLETED)
        return self._broken.result() if self._broken.done() else None


def _closed(root: Said) -> Iterator[tuple[int, int]]:
    """Hosts of closed shadow trees and these trees, as numbers of nodes, in a document as the browser tells it."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        for tree in node.get("shadowRoots", ()):
            if tree.get("shadowRootType") == "closed":
                yield int(node["backendNodeId"]), int(tree["backendNodeId"])
        frame = node.get("contentDocument")
        nodes += [*node.get("children", ()), *node.get("shadowRoots", ()), *([frame] if frame else ())]
