"""One run of a crawl as a person sees it: opened, watched, interrupted, ended."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import FrameType

from lycosa.cli.group import BAD_INPUT, DONE, FAILED, INTERRUPTED, NOTHING_FETCHED
from lycosa.cli.views import JsonView, LineView, LogView, RunView, SilentView
from lycosa.crawls.session import Session
from lycosa.drive.live import loop_factory
from lycosa.model.errors import FolderError, InputError, LycosaError
from lycosa.model.records import Arrival, Page
from lycosa.report.wording import clean, counted
from lycosa.watch.tally import Tally

Opening = Callable[[], Awaitable[Session]]
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def view_for(*, json: bool, quiet: bool, verbose: bool, log_json: bool = False) -> RunView:
    """What to show, by the options given and by where standard output goes."""
    if json and log_json:
        raise InputError("--json and --log-json: give one of them; the log has the same lines")
    if log_json:
        return LogView()
    if json:
        return JsonView()
    if quiet:
        return SilentView()
    if not sys.stdout.isatty():
        return LineView(verbose=verbose)
    from lycosa.cli.live_view import LiveView

    return LiveView(verbose=verbose)


def run(opening: Opening, view: RunView, tally: Tally) -> int:
    """Open a crawl and run it to its end, then tell what came of it. Returns the exit code."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        try:
            course = runner.run(_run(opening, view, tally))
        except LycosaError as error:
            if not isinstance(view, LogView):
                raise
            view.log.write(event="error", text=str(error))
            return BAD_INPUT if isinstance(error, (InputError, FolderError)) else FAILED
    crawl = course.session.crawl
    code = DONE
    if course.session.was_interrupted:
        code = INTERRUPTED
    elif not crawl.pages:
        code = NOTHING_FETCHED
    from lycosa.cli.summary import summarize  # here: it reads folders, which takes long to load

    summarize(course.session.path, view, code, tally.scripted)
    return code


async def _run(opening: Opening, view: RunView, tally: Tally) -> WatchedRun:
    session = await opening()
    course = WatchedRun(session, view, tally)
    for note in session.notes:
        view.say(note)
    view.open(session, tally)
    ticking = asyncio.create_task(course.keep_ticking())
    before = {number: signal.signal(number, course.hear) for number in _SIGNALS}
    try:
        await session.run(course.watch)
    except LycosaError as error:
        raise LycosaError(f"{error}; once that is mended: lycosa resume {session.path}") from error
    finally:
        for number, what in before.items():
            signal.signal(number, what)
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking
        view.close()
    course.tell_faults()
    return course


class WatchedRun:
    """Passes on to the view what happens, and to the crawl that a person wants it to stop."""

    def __init__(self, session: Session, view: RunView, tally: Tally) -> None:
        self.session, self.view, self.tally = session, view, tally
        self.asked = 0
        """How often a stop was asked for."""
        self._passed_on = 0
        self._faults = session.judging_faults[0]
        self._unread = len(session.unread)  # told on opening
        self._told = 0  # lines of what came up during the run
        self._began = self._ticked = time.monotonic()
        self._loop = asyncio.get_running_loop()
        tally.look(self._began)

    def watch(self, visit: Arrival) -> None:
        """Told of each visit. Under virtual time the event loop hardly gets a turn, so time passes here too."""
        crawl = self.session.crawl
        again = isinstance(visit, Page) and crawl.pages == self.tally.pages
        self.tally.visit(visit, crawl.failures, again=again)
        self.view.visit(visit)
        self._tell_first_fault()
        self._tell_what_came_up()
        if self.asked > self._passed_on:
            self._pass_on()
        if time.monotonic() - self._ticked >= self.view.every:
            self._tick()

    def _tell_first_fault(self) -> None:
        """The rest are counted, and told at the end."""
        count, last = self.session.judging_faults
        if count and not self._faults:
            self.view.say(f"a page could not be judged and counts as irrelevant: {clean(last)}")
        self._faults = count

    def _tell_what_came_up(self) -> None:
        for line in self.session.told[self._told :]:
            self._told += 1
            self.view.say(clean(line))

    def tell_faults(self) -> None:
        self._tell_what_came_up()
        count, last = self.session.judging_faults
        if count:
            self.view.say(f"{counted(count, 'page')} could not be judged, the last: {clean(last)}")
        for each in self.session.unread[self._unread :]:
            self.view.say(clean(each))

    async def keep_ticking(self) -> None:
        while True:
            await asyncio.sleep(self.view.every)
            if time.monotonic() - self._ticked >= self.view.every * 0.9:
                self._tick()

    def hear(self, number: int, frame: FrameType | None) -> None:
        """A signal came, at any point of the program: only note it, and wake the loop."""
        self.asked += 1
        self._loop.call_soon_threadsafe(self._pass_on)

    def _pass_on(self) -> None:
        while self._passed_on < min(self.asked, 2):
            self._passed_on += 1
            out = len(self.session.crawl.frontier.leased)
            if self._passed_on == 1 and out and not self.session.is_virtual:
                self.view.say(f"finishing {counted(out, 'visit')}, press Ctrl-C again to stop now")
            self.session.halt.ask("by the user")

    def _tick(self) -> None:
        self._ticked = time.monotonic()
        self._tell_what_came_up()
        self.tally.look(self._ticked)
        self.view.tick(self._ticked - self._began)
