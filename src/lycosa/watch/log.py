"""What happens, one JSON object a line: for whoever reads it as it comes, and for logs that programs search.

A line of a log says besides when it was written (`time`), how grave it is (`level`), and of which crawl it is.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable
from typing import Any, Final, Literal, TextIO

import msgspec

from lycosa.crawls.session import Session
from lycosa.model.moments import iso
from lycosa.model.records import Arrival, Failure, Millis, Page
from lycosa.watch.tally import Tally

Level = Literal["info", "warning", "error"]
Tell = Callable[..., None]

EVERY: Final = 5.0
"""Seconds between two statuses."""
LONGEST: Final = 2_000
"""Characters of a text in a log: titles and URLs may be of any length."""


class JsonLines:
    """What a run does: `started`, `page`, `failure`, …, `status`, `note`. A view of a run, of `lycosa.cli.views`."""

    every = EVERY

    def __init__(self, tell: Tell) -> None:
        """`tell` is given the facts of each line as keywords; `event` says what it is."""
        self.tell = tell

    def open(self, session: Session, tally: Tally) -> None:
        self.session, self.tally = session, tally
        spec = session.spec
        self.tell(
            event="started",
            folder=str(session.path),
            topic=spec.topic,
            seeds=spec.seeds,
            strategy=spec.strategy,
            web=spec.web,
            budget=session.budget,
            pages=tally.pages,
        )

    def visit(self, visit: Arrival) -> None:
        about: dict[str, Any] = {"url": visit.url, "final_url": visit.final_url, "depth": visit.request.depth}
        about |= {"score": visit.request.score, "status": visit.status}
        if isinstance(visit, Page):
            found = {"title": visit.title, "relevance": visit.relevance, "language": visit.language}
            change = {"change": visit.change.worth.value} if visit.change is not None else {}
            self.tell(event="page", at=iso(visit.fetched_at), **about, **found, **change)
        elif isinstance(visit, Failure):
            self.tell(event="failure", at=iso(visit.at), **about, **_failed(visit))
        else:
            self.tell(event=type(visit).__name__.lower(), at=iso(visit.at), **about)

    def tick(self, elapsed: float) -> None:
        crawl, tally, budget = self.session.crawl, self.tally, self.session.budget
        again = {"revisits": tally.revisits, "revisits_waiting": crawl.frontier.revisits}
        self.tell(
            event="status",
            seconds=round(elapsed, 1),
            pages=tally.pages,
            budget=budget,
            requests=crawl.requests.made,
            request_budget=crawl.requests.limit,
            rate=round(tally.rate, 2),
            relevant=tally.relevant,
            harvest_rate=tally.harvest,
            failures=tally.failures,
            failures_by_reason=tally.reasons,
            pending=len(crawl.frontier),
            leased=len(crawl.frontier.leased),
            resting=len(self.session.resting),
            waits_for=crawl.held.host if crawl.held is not None else None,
            seconds_left=tally.seconds_left(budget),
            **(again if self.session.refreshes else {}),
        )

    def say(self, text: str) -> None:
        self.tell(event="note", text=text)

    def close(self) -> None: ...


class Log:
    """A log of JSON lines."""

    def __init__(self, stream: TextIO, crawl: str = "") -> None:
        """`crawl` stands in each line, if there is one."""
        self._stream, self.crawl = stream, crawl

    def write(self, *, event: str, level: Level | None = None, **facts: Any) -> None:
        """Write a line. Without a `level` it is that which such an event has."""
        line = {
            "time": iso(Millis(time.time_ns() // 1_000_000)),
            "level": level or _LEVELS.get(event, "info"),
        }
        line |= {"event": event} | ({"crawl": self.crawl} if self.crawl else {})
        written = msgspec.json.encode(
            line | {name: _cut(value) for name, value in facts.items()}, enc_hook=str
        )
        self._stream.write(written.decode() + "\n")
        self._stream.flush()


class LogHandler(logging.Handler):
    """Lets what libraries log stand in the same log: the text, and the facts that are given as `extra`."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        facts: dict[str, Any] = dict(getattr(record, "facts", {}))
        event = facts.pop("event", "log")
        if event == "log":
            facts |= {"logger": record.name, "text": record.getMessage()}
        if record.exc_info and record.exc_info[1] is not None:
            facts["trace"] = "".join(traceback.format_exception(record.exc_info[1]))[-LONGEST:]
        self._log.write(event=event, level=_level(record.levelno), **facts)


_LEVELS: Final[dict[str, Level]] = {"failure": "warning", "note": "warning", "error": "error"}


def _level(number: int) -> Level:
    return "error" if number >= logging.ERROR else "warning" if number >= logging.WARNING else "info"


def _cut(value: Any) -> Any:
    return value[:LONGEST] if isinstance(value, str) else value


def _failed(failure: Failure) -> dict[str, Any]:
    return {"reason": failure.reason.value, "detail": failure.detail, "attempt": failure.request.attempt}
