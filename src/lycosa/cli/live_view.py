"""The live display on a terminal.

Lines are put together as segments by hand, since laying out a table of rich costs some 5 ms and this is done four
times a second beside the crawl: a refresh takes less than 1 ms of CPU.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from lycosa.cli.output import columns_for, fitted, reasons_in_words
from lycosa.cli.views import visit_line
from lycosa.crawls.session import Session
from lycosa.model.records import Arrival
from lycosa.report.wording import clean, counted, percent, spoken
from lycosa.spec.derived import topic_words
from lycosa.spec.webs import web_of
from lycosa.watch.tally import Tally

Piece = tuple[str, Style | None]
Line = list[Piece]

BOLD, DIM = Style(bold=True), Style(dim=True)
GOOD, FAINT = Style(color="green"), Style(color="bright_black")
NUMBER, WRONG, ACCENT = Style(color="cyan"), Style(color="yellow"), Style(color="magenta", bold=True)
_SPARKS = "▁▂▃▄▅▆▇█"
LEAST_WIDTH, LEAST_BAR = 20, 8
GAP = 2
"""Blanks between facts that stand side by side."""
LEAST_BEST = 3
"""Best pages for which blank lines make room, on a terminal with few lines."""
FACTS_EVERY = 2.0
"""Seconds: what the strategy tells may cost a look at all that it knows."""


class LiveView:
    """Pages of the budget, speed, harvest rate, frontier, resting hosts, failures and the best pages so far."""

    every = 0.25

    def __init__(self, console: Console | None = None, *, verbose: bool = False) -> None:
        self.console = console or Console(highlight=False)
        self.verbose = verbose
        self.elapsed = 0.0
        self.notice = ""
        self._facts: list[str] = []
        self._asked_at = -FACTS_EVERY
        self._live: Live | None = None

    def open(self, session: Session, tally: Tally) -> None:
        self.session, self.tally = session, tally
        self._live = Live(self, console=self.console, auto_refresh=False, transient=True)
        self._live.start(refresh=True)

    def visit(self, visit: Arrival) -> None:
        if self.verbose:
            self.console.print(Text(visit_line(visit)), soft_wrap=True)

    def tick(self, elapsed: float) -> None:
        self.elapsed = elapsed
        if elapsed - self._asked_at >= FACTS_EVERY:
            self._asked_at, self._facts = elapsed, in_short(self.session.crawl.strategy.facts())
        if self._live is not None:
            self._live.refresh()

    def say(self, text: str) -> None:
        if self._live is None:
            self.console.print(Text(clean(text), style="yellow"))
        else:
            self.notice = clean(text)
            self._live.refresh()

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(LEAST_WIDTH, options.max_width)
        for line in self.lines(width, self.console.size.height):
            yield from _fitted(line, width)
            yield Segment.line()

    def lines(self, width: int, height: int) -> Iterator[Line]:
        """What a terminal of this size shows: what does not fit beside goes below, best pages take what is left."""
        blocks: list[list[Line]] = [
            [*self._heading(width), *self._progress(width)],
            [*self._numbers(width)],
            [[(" Best pages so far", BOLD)]],
            [*self._last(width)],
        ]
        left = height - 2 - sum(map(len, blocks))
        apart = left >= LEAST_BEST + 3
        blocks[2] += self._best(width, max(1, left - 3 * apart))
        for place, block in enumerate(blocks):
            if apart and place:
                yield []
            yield from block

    def _heading(self, width: int) -> Iterator[Line]:
        spec = self.session.spec
        topic = clean(", ".join(spec.topic.keywords) or topic_words(spec))
        about = f"{spec.strategy} · {clean(web_of(spec.web).in_words)}"
        yield from _flowed((" lycosa  ", ACCENT), [[(topic, BOLD)], [(about, FAINT)]], width)

    def _progress(self, width: int) -> Iterator[Line]:
        pages, session = self.tally.pages, self.session
        budget = session.budget
        limit = 0.0 if session.is_virtual and session.refreshes else session.spec.seconds
        ends = [left for left in (self.tally.seconds_left(budget), limit and limit - self.elapsed) if left]
        took = spoken(self.elapsed) + (f", {spoken(min(ends))} left" if ends else "")
        number = counted(pages, "page") if budget is None else f"{pages:,} of {counted(budget, 'page')}"
        told = [number, f"{self.tally.rate:.1f}/s", took]
        if budget is None:
            yield from _flowed((" ", None), [[(fact, None)] for fact in told], width)
            return
        beside = f"  {'  '.join(told)}"
        if (room := width - cell_len(beside) - 2) >= LEAST_BAR:
            yield [*_bar(room, pages, budget), (beside, None)]
        else:
            yield _bar(width - 2, pages, budget)
            yield from _flowed((" ", None), [[(fact, None)] for fact in told], width)

    def _numbers(self, width: int) -> Iterator[Line]:
        tally, frontier = self.tally, self.session.crawl.frontier
        resting, held = len(self.session.resting), self.session.crawl.held
        patient: list[Line] = [[("waits for better links", FAINT)]] if held is not None else []
        recent = f"{percent(tally.recent_harvest)} of the last {len(tally.recent)}"
        sparks = sparkline(tally.harvests)[-max(LEAST_BAR, width - cell_len(recent) - 22) :]
        course: list[Line] = [[(sparks, GOOD)]] if sparks else []
        yield from _flowed(
            (" harvest   ", DIM), [[(percent(tally.harvest), NUMBER)], *course, [(recent, FAINT)]], width
        )
        yield from _flowed(
            (" frontier  ", DIM),
            [
                [(f"{len(frontier):,}", NUMBER), (" waiting", None)],
                [(f"{len(frontier.leased):,}", NUMBER), (" being fetched", None)],
                [(f"{resting:,}", NUMBER), (" host resting" if resting == 1 else " hosts resting", None)],
                *patient,
            ],
            width,
        )
        if self.session.refreshes:
            yield from _flowed((" again     ", DIM), self._again(), width)
        requests = f" of {counted(self.session.crawl.requests.made, 'request')}"
        lost: Line = [(f"{tally.failures:,}", WRONG if tally.failures else NUMBER), (requests, FAINT)]
        words = reasons_in_words(tally.reasons)
        reasons: list[Line] = [[(reason, FAINT)] for reason in words.split(", ")] if words else []
        yield from _flowed((" failures  ", DIM), [lost, *reasons], width)
        if self._facts:
            yield from _flowed((" strategy  ", DIM), [[(fact, None)] for fact in self._facts], width)

    def _again(self) -> Iterator[Line]:
        """What revisits found, and how many wait."""
        found, waiting = self.tally.revisits, self.session.crawl.frontier.revisits
        yield [(f"{found.total():,}", NUMBER), (" revisit" if found.total() == 1 else " revisits", None)]
        for name in ("changed", "dressing", "gone"):
            if found[name]:
                yield [(f"{found[name]:,} {name}", FAINT)]
        yield [(f"{waiting:,} to come", FAINT)]

    def _best(self, width: int, most: int) -> Iterator[Line]:
        title, url = columns_for(width)
        for one in self.tally.best[:most]:
            line: Line = [
                (f" {one.relevance:5.3f} ", GOOD),
                (fitted(clean(one.title) or "(no title)", title), None),
            ]
            yield [*line, (f"  {clean(one.url)}", FAINT)] if url else line

    def _last(self, width: int) -> Iterator[Line]:
        """The notice if there is one, in full, else the last visit."""
        if self.notice:
            for line in textwrap.wrap(self.notice, width - 1):
                yield [(f" {line}", WRONG)]
        else:
            problem = clean(self.tally.last_problem)
            url: Line = [(clean(self.tally.last_url), FAINT)]
            yield from _flowed((" → ", ACCENT), [url, [(problem, WRONG)]] if problem else [url], width)


def _bar(room: int, pages: int, budget: int) -> Line:
    full = min(room, round(room * pages / budget)) if budget else room
    return [(" ", None), ("━" * full, GOOD), ("━" * (room - full), FAINT)]


def _flowed(label: Piece, facts: Iterable[Line], width: int) -> Iterator[Line]:
    """Facts behind a label, side by side; those that the line has no room for go to the next, a little indented."""
    line, used, begun = [label], cell_len(label[0]), False
    for fact in facts:
        size = sum(cell_len(text) for text, _ in fact)
        if begun and used + GAP + size > width:
            yield line
            line, used, begun = [("   ", None)], 3, False
        line += [*([(" " * GAP, None)] if begun else []), *fact]
        used, begun = used + GAP * begun + size, True
    yield line


def in_short(facts: Mapping[str, Any]) -> list[str]:
    """What a strategy tells of itself, each in a few words; of a list the first."""
    told = {name: fact[0] if isinstance(fact, list) and fact else fact for name, fact in facts.items()}
    return [
        f"{clean(name)} {fact:,.4g}" if isinstance(fact, float) else f"{clean(name)} {clean(str(fact))}"
        for name, fact in told.items()
        if isinstance(fact, str | int | float)
    ]


def sparkline(shares: Iterable[float]) -> str:
    """Shares in [0, 1] as a row of blocks."""
    return "".join(_SPARKS[min(7, int(share * 8))] for share in shares)


def _fitted(line: Line, width: int) -> Iterator[Segment]:
    """The pieces of a line, cut where the terminal ends."""
    room = width
    for text, style in line:
        needed = cell_len(text)
        if needed > room:
            yield Segment(f"{set_cell_size(text, max(0, room - 1))}…" if room else "", style)
            return
        room -= needed
        yield Segment(text, style)
