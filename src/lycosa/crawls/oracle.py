"""A model that is asked about a few pages while a crawl runs; what it says reaches the crawl as a person's marks do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from lycosa.crawl.crawl import Crawl
from lycosa.crawls.interview import Interview
from lycosa.crawls.prompt import INSTRUCTION, Prompt, digest_of, verdict_in
from lycosa.model.errors import LycosaError
from lycosa.model.events import Marked
from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.spec.tree import JudgeSpec
from lycosa.store.verdicts import Verdict, Verdicts
from lycosa.web.http.replies import Unanswered

if TYPE_CHECKING:
    from lycosa.web.http.chat import Chat

FIRST_REST, LONGEST_REST = 5.0, 600.0
"""Seconds until the next question after one without an answer; each further one doubles them."""


class Oracle:
    """Asks one question at a time, in a task beside the crawl, and says the answer as a mark by the model's name.

    What a person said of a page holds: it is not asked about, and an answer that comes later is not said. A call that
    fails costs a rest, which doubles with each failure up to `LONGEST_REST`; so does an answer that says neither yes
    nor no. The crawl goes on meanwhile.

    Invariants, each the name of a test:

    * never paid twice: a question whose call counted is not asked again, whatever became of it.
    * within the budget: no call is begun beyond the calls, nor once the tokens are used up.
    * one line: trouble is told once, and so is the end of the budget.
    """

    def __init__(
        self,
        spec: JudgeSpec,
        chat: Chat,
        prompt: Prompt,
        interview: Interview,
        verdicts: Verdicts,
        *,
        say: Callable[[Marked], None],
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`say` brings a mark to the crawl, `tell` a line to the person; `clock` counts seconds."""
        self._spec, self._chat, self._prompt = spec, chat, prompt
        self._interview, self._verdicts = interview, verdicts
        self._say, self._tell, self._clock = say, tell, clock
        self._out: asyncio.Task[None] | None = None
        self._marked: set[Url] = set()
        self._rest, self._rests_until = FIRST_REST, 0.0
        self._told: set[str] = set()

    # -- what the crawl tells --------------------------------------------------------------------------------

    def begin(self, crawl: Crawl, marked: Collection[Url]) -> None:
        """Take up what was said in earlier runs: `marked` are the pages that anybody spoke of. An answer that came and
        was never said is said now."""
        for url in marked:
            self._close(url, crawl)
        for verdict in self._verdicts:
            if (page := crawl.store.memory.page(verdict.url)) is not None:
                self._interview.answered(page)
                self._pass_on(verdict)

    def visited(self, page: Page, crawl: Crawl) -> None:
        """A page was committed."""
        self._interview.seen(page)
        self.ask_if_due(crawl)

    def heard(self, mark: Marked, crawl: Crawl) -> None:
        """Somebody spoke of a page."""
        self._close(mark.url, crawl)

    def _close(self, url: Url, crawl: Crawl) -> None:
        """What was said of a page that a crash took from the journal counted for nothing: it may be said again."""
        if (page := crawl.store.memory.page(url)) is not None:
            self._marked.add(url)
            self._interview.answered(page)

    # -- asking ----------------------------------------------------------------------------------------------

    def ask_if_due(self, crawl: Crawl) -> None:
        """Begin a call if it is time for one, none is out, and something is left of the budget."""
        if self._out is not None or crawl.ended or self._clock() < self._rests_until:
            return
        if not self._interview.due(crawl.pages, crawl.budget) or self._is_spent():
            return
        page = self._interview.next(crawl.pages, crawl.frontier.state)
        if page is not None:
            self._out = asyncio.get_running_loop().create_task(self._ask(page))
            self._out.add_done_callback(self._came_home)

    def _came_home(self, task: asyncio.Task[None]) -> None:
        self._out = None

    def _is_spent(self) -> bool:
        calls, tokens = self._verdicts.calls, self._verdicts.tokens
        if calls >= self._spec.calls:
            self._tell_once("budget", f"has made its {calls:,} calls; the crawl goes on without it")
        elif self._spec.tokens and tokens >= self._spec.tokens:
            self._tell_once("budget", f"has used {tokens:,} tokens, all it may; the crawl goes on without it")
        else:
            return False
        return True

    async def _ask(self, page: Page) -> None:
        question = self._prompt.about(page)
        asked = Verdict(model=self._chat.model, digest=digest_of(question), url=page.url)
        with suppress(LycosaError):  # a full disk: the crawl itself will meet it, and halt
            known = self._verdicts.of(asked.model, asked.digest)
            verdict = known or await self._called(asked, question)
            if verdict.came != "refused":
                self._interview.asked += 1
                self._interview.answered(page)
                self._pass_on(verdict)
                self._is_spent()

    async def _called(self, asked: Verdict, question: str) -> Verdict:
        """One call, written down before it is made and after."""
        self._verdicts.note(asked)
        reply = await self._chat.ask(INSTRUCTION, question)
        if isinstance(reply, Unanswered):
            self._have_a_rest("trouble", f"cannot be asked: {reply.why}")
            came = asked if reply.began else replace(asked, came="refused")
        else:
            relevant = verdict_in(reply.text)
            came = replace(asked, came="answered", relevant=relevant, tokens=reply.tokens)
            if relevant is None:
                self._have_a_rest("unclear", "answered neither true nor false, and that page stays unmarked")
            else:
                self._rest, self._rests_until = FIRST_REST, 0.0
        if came is not asked:
            self._verdicts.note(came)
        return came

    def _have_a_rest(self, kind: str, what: str) -> None:
        self._rests_until = self._clock() + self._rest
        self._rest = min(2 * self._rest, LONGEST_REST)
        self._tell_once(kind, f"{what}; the crawl goes on, and asks again later")

    def _pass_on(self, verdict: Verdict) -> None:
        if verdict.relevant is not None and verdict.url not in self._marked:
            self._marked.add(verdict.url)
            self._say(Marked(url=verdict.url, good=verdict.relevant, by=verdict.model))

    def _tell_once(self, kind: str, what: str) -> None:
        if kind not in self._told:
            self._told.add(kind)
            self._tell(f"the judge {self._chat.model} {what}")

    # -- waiting and leaving -----------------------------------------------------------------------------------

    async def answered(self) -> None:
        """Wait for the call that is out: under virtual time a crawl would be over before the first answer."""
        if self._out is not None:
            await asyncio.wait([self._out])

    def retreat(self) -> None:
        """Give the call up that is out: the crawl is about to stop."""
        if self._out is not None:
            self._out.cancel()

    async def close(self) -> None:
        """Let go of the endpoint."""
        self.retreat()
        await self.answered()
        await self._chat.close()
