"""What a run shows while it goes on: plain lines, JSON lines, or nothing. The live display is next door."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from lycosa.cli.group import let_go_of_stdout
from lycosa.cli.output import reasons_in_words, say_json, warn
from lycosa.crawl.requests import Requests
from lycosa.crawls.session import Session
from lycosa.model.records import Arrival, Failure, Gone, Page, Unchanged
from lycosa.report.wording import clean, counted, percent, spoken
from lycosa.spec.derived import topic_words
from lycosa.watch.log import JsonLines, Log
from lycosa.watch.tally import Tally

LINE_EVERY = 5.0
"""Seconds between two plain lines."""


class RunView(Protocol):
    """Looks on while a crawl runs. Called from the event loop's thread only."""

    every: float
    """Seconds between two calls of `tick`."""

    def open(self, session: Session, tally: Tally) -> None: ...
    def visit(self, visit: Arrival) -> None: ...
    def tick(self, elapsed: float) -> None:
        """Show how the crawl stands after so many seconds of this run."""
        ...

    def say(self, text: str) -> None:
        """Tell something that a person should hear of now."""
        ...

    def close(self) -> None: ...


class SilentView:
    """Shows nothing."""

    every = 60.0

    def open(self, session: Session, tally: Tally) -> None: ...
    def visit(self, visit: Arrival) -> None: ...
    def tick(self, elapsed: float) -> None: ...
    def say(self, text: str) -> None: ...
    def close(self) -> None: ...


class LineView:
    """Plain lines, for a pipe or a log: how it stands every few seconds; each visit if `verbose`, and each failure
    before the first page."""

    every = LINE_EVERY

    def __init__(self, *, verbose: bool = False) -> None:
        self.verbose = verbose

    def open(self, session: Session, tally: Tally) -> None:
        self.session, self.tally = session, tally
        spec = session.spec
        topic = clean(", ".join(spec.topic.keywords) or topic_words(spec))
        limit = "" if session.budget is None else f", {counted(session.budget, 'page')}"
        again = f", pages again by {clean(spec.revisit.policy or 'once')}" if session.refreshes else ""
        _write(f"crawling for {topic!r}, {spec.strategy}{limit}{again}, into {session.path}")

    def visit(self, visit: Arrival) -> None:
        if self.verbose or not self.tally.pages:  # before the first page, what fails is of interest
            _write(visit_line(visit))

    def tick(self, elapsed: float) -> None:
        crawl, tally, budget = self.session.crawl, self.tally, self.session.budget
        left = tally.seconds_left(budget)
        _write(
            f"{tally.pages:,}{'' if budget is None else f'/{budget:,}'} pages by {_of_requests(crawl.requests)}, "
            f"{tally.rate:.1f}/s, {_again(tally)}"
            f"harvest {percent(tally.harvest)}, "
            f"{len(crawl.frontier):,} waiting, {counted(tally.failures, 'failure')}, {spoken(elapsed)}"
            + (f", {spoken(left)} left" if left else "")
        )

    def say(self, text: str) -> None:
        warn(clean(text))

    def close(self) -> None: ...


class JsonView(JsonLines):
    """One JSON object a line on standard output; `ended` is added by the caller."""

    def __init__(self) -> None:
        super().__init__(write_json)


class LogView(JsonLines):
    """The same as lines of a log, on standard error."""

    def __init__(self) -> None:
        self.log = Log(sys.stderr)
        super().__init__(self.log.write)

    def open(self, session: Session, tally: Tally) -> None:
        self.log.crawl = session.path.name
        super().open(session, tally)


def _again(tally: Tally) -> str:
    """`12 revisits (3 changed), `; empty without any."""
    if not (revisits := tally.revisits.total()):
        return ""
    told = reasons_in_words({name: n for name, n in tally.revisits.items() if name != "unchanged"})
    return f"{counted(revisits, 'revisit')}{f' ({told})' if told else ''}, "


def _of_requests(requests: Requests) -> str:
    limit = f"/{requests.limit:,}" if requests.limit else ""
    return f"{requests.made:,}{limit} requests"


def visit_line(visit: Arrival) -> str:
    """One visit in one plain line."""
    match visit:
        case Page(change=change):
            again = f" [{change.worth.value}]" if change is not None else ""
            return f"{visit.relevance:.3f} {visit.status} {clean(visit.url)}{again} {clean(visit.title)}".rstrip()
        case Unchanged():
            return f"  =   {visit.status} {clean(visit.url)} unchanged"
        case Gone():
            return f"  –   {visit.status} {clean(visit.url)} gone"
        case Failure():
            detail = f" ({clean(visit.detail)})" if visit.detail else ""
            return f"  –   {visit.status or '–'} {clean(visit.url)} {visit.reason.value}{detail}"


def write_json(**fields: Any) -> None:
    _surely(lambda: say_json(fields))


def _write(line: str) -> None:
    _surely(lambda: sys.stdout.write(f"{line}\n"))


def _surely(write: Any) -> None:
    """Write, and let it be seen at once. A reader that went away must not end a crawl of many hours."""
    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        let_go_of_stdout()
