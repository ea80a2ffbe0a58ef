"""What a shared crawl shows while it runs: all its nodes, live on a terminal, else as lines or JSON."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Protocol

from lycosa.cli.group import let_go_of_stdout
from lycosa.cli.output import columns_for, fitted, warn
from lycosa.cli.views import LINE_EVERY, write_json
from lycosa.cluster.messages import Found, Report
from lycosa.cluster.overview import Overview
from lycosa.model.nodes import Node
from lycosa.report.wording import clean, counted, percent, spoken

BEST = 8
REFRESHED_EVERY = 0.5


class ClusterView(Protocol):
    """Looks on while nodes run."""

    def tick(self, overview: Overview) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self) -> None: ...


def view_for(*, json: bool, quiet: bool) -> ClusterView:
    """What to show, by the options given and by where standard output goes."""
    if json:
        return JsonView()
    if quiet:
        return SilentView()
    return LiveView() if sys.stdout.isatty() else LineView()


class SilentView:
    """Shows nothing but what went wrong."""

    def tick(self, overview: Overview) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self) -> None: ...


class LineView:
    """A plain line every few seconds, for a pipe or a log."""

    def __init__(self) -> None:
        self._told_at = time.monotonic()

    def tick(self, overview: Overview) -> None:
        if time.monotonic() - self._told_at >= LINE_EVERY:
            self._told_at = time.monotonic()
            _write(f"{in_all(overview)}; {', '.join(_pages_of(overview))}")

    def say(self, text: str) -> None:
        warn(clean(text))

    def close(self) -> None: ...


class JsonView:
    """One JSON object a line: `status` and `note`; `ended` is added by the caller."""

    def __init__(self) -> None:
        self._told_at = time.monotonic()

    def tick(self, overview: Overview) -> None:
        if time.monotonic() - self._told_at >= LINE_EVERY:
            self._told_at = time.monotonic()
            write_json(event="status", **as_json(overview))

    def say(self, text: str) -> None:
        write_json(event="note", text=text)

    def close(self) -> None: ...


class LiveView:
    """A table of the nodes, and the best pages so far."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.start()
        self._shown_at = 0.0
        self._notices: list[str] = []

    def tick(self, overview: Overview) -> None:
        if time.monotonic() - self._shown_at < REFRESHED_EVERY:
            return
        self._shown_at = time.monotonic()
        from rich.text import Text

        width = self._console.width
        shown = "\n".join(line[:width] for line in self.lines(overview, width))
        self._live.update(Text(shown), refresh=True)

    def say(self, text: str) -> None:
        self._notices.append(clean(text))
        self._live.console.print(f"  {clean(text)}", style="yellow", markup=False)

    def close(self) -> None:
        self._live.stop()

    def lines(self, overview: Overview, width: int) -> Iterator[str]:
        """What is shown, a terminal line each; they may be too long for it."""
        yield f" lycosa  {in_all(overview)}"
        yield ""
        yield " node         pages      /s  relevant    waiting  to send  imported  state"
        for node, report in overview.reports.items():
            yield f" {_row(node, report, overview)}"
        yield ""
        yield " Best pages so far"
        title, url = columns_for(width)
        for one in best_of(overview)[:BEST]:
            line = f" {one.relevance:5.3f} {fitted(clean(one.title) or '(no title)', title)}"
            yield f"{line}  {clean(one.url)}" if url else line


def _row(node: Node, report: Report | None, overview: Overview) -> str:
    if report is None:
        return f"{node:<8} {'does not answer':>15}"
    pages = report.pages.used - report.leased
    return (
        f"{node:<8} {pages:>9,} {overview.rates.get(node, 0.0):>7.1f} {report.relevant:>9,} {report.waiting:>10,} "
        f"{report.unsent:>8,} {report.imported:>9,}  {report.state.value}"
    )


def in_all(overview: Overview) -> str:
    """The whole crawl in one line."""
    waiting, failures = (
        sum(getattr(each, name) for each in overview.there) for name in ("waiting", "failures")
    )
    relevant = sum(each.relevant for each in overview.there)
    harvest = percent(relevant / overview.pages) if overview.pages else "–"
    missing = len(overview.reports) - len(overview.there)
    return (
        f"{overview.pages:,}/{overview.budget:,} pages by {counted(len(overview.reports), 'node')}"
        f"{f', {missing} of them silent' if missing else ''}, {overview.rate:.1f}/s, harvest {harvest}, "
        f"{waiting:,} waiting, {counted(failures, 'failure')}, {spoken(overview.seconds)}"
    )


def _pages_of(overview: Overview) -> Iterator[str]:
    for node, report in overview.reports.items():
        yield f"{node} {'–' if report is None else f'{report.pages.used - report.leased:,}'}"


def best_of(overview: Overview) -> list[Found]:
    """The best pages of all nodes, each once."""
    found = {one.url: one for report in overview.there for one in report.best}
    return sorted(found.values(), key=lambda one: (-one.relevance, one.url))


def as_json(overview: Overview) -> dict[str, object]:
    return {
        "seconds": round(overview.seconds, 1),
        "pages": overview.pages,
        "budget": overview.budget,
        "rate": round(overview.rate, 2),
        "nodes": {
            node: None
            if report is None
            else {
                "state": report.state.value,
                "pages": report.pages.used - report.leased,
                "granted": report.pages.granted,
                "requests": report.requests.used,
                "relevant": report.relevant,
                "failures": report.failures,
                "waiting": report.waiting,
                "unsent": report.unsent,
                "exported": report.exported,
                "imported": report.imported,
                "process": report.process,
                "machine": report.machine,
            }
            for node, report in overview.reports.items()
        },
    }


def _write(line: str) -> None:
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        let_go_of_stdout()
