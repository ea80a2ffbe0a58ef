"""The live display on a terminal.

Lines are put together as segments by hand, since laying out a table of rich costs some 5 ms and this is done four
times a second beside the crawl: a refresh takes less than 1 ms of CPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from lycosa.cli.tally import Tally
from lycosa.cli.text import reasons_in_words
from lycosa.cli.views import visit_line
from lycosa.model.records import Visit
from lycosa.report.text import clean, counted, percent, spoken
from lycosa.session import Session
from lycosa.topics import topic_words

Piece = tuple[str, Style | None]
Line = list[Piece]

BOLD, DIM = Style(bold=True), Style(dim=True)
GOOD, FAINT = Style(color="green"), Style(color="bright_black")
NUMBER, WRONG, ACCENT = Style(color="cyan"), Style(color="yellow"), Style(color="magenta", bold=True)
_SPARKS = "▁▂▃▄▅▆▇█"
LEAST_WIDTH = 40


class LiveView:
    """Pages of the budget, speed, harvest rate, frontier, resting hosts, failures and the best pages so far."""

    every = 0.25

    def __init__(self, console: Console | None = None, *, verbose: bool = False) -> None:
        self.console = console or Console(highlight=False)
        self.verbose = verbose
        self.elapsed = 0.0
        self.notice = ""
        self._live: Live | None = None

    def open(self, session: Session, tally: Tally) -> None:
        self.session, self.tally = session, tally
        self._live = Live(self, console=self.console, auto_refresh=False, transient=True)
        self._live.start(refresh=True)

    def visit(self, visit: Visit) -> None:
        if self.verbose:
            self.console.print(Text(visit_line(visit)), soft_wrap=True)

    def tick(self, elapsed: float) -> None:
        self.elapsed = elapsed
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
        yield self._heading()
        yield self._progress(width)
        yield []
        yield from self._numbers()
        yield []
        yield [(" Best pages so far", BOLD)]
        room = max(1, height - 12)
        for one in self.tally.best[:room]:
            title = clean(one.title) or "(no title)"
            wide = min(width * 2 // 5, 48)
            yield [
                (f" {one.relevance:5.3f} ", GOOD if one.relevance >= self.tally.relevant_from else FAINT),
                (set_cell_size(title, wide), None),
                (f"  {clean(one.url)}", FAINT),
            ]
        yield []
        if self.notice:
            yield [(f" {self.notice}", WRONG)]
        else:
            problem = clean(self.tally.last_problem)
            yield [
                (" → ", ACCENT),
                (clean(self.tally.last_url), FAINT),
                (f"  {problem}" if problem else "", WRONG),
            ]

    def _heading(self) -> Line:
        spec = self.session.spec
        topic = clean(", ".join(spec.topic.keywords) or topic_words(spec))
        return [
            (" lycosa  ", ACCENT),
            (topic, BOLD),
            (f"  {spec.strategy} · {clean(spec.web.partition(':')[0])} web", FAINT),
        ]

    def _progress(self, width: int) -> Line:
        pages, budget = self.tally.pages, self.session.crawl.budget
        limit = self.session.spec.seconds
        ends = [left for left in (self.tally.seconds_left(budget), limit and limit - self.elapsed) if left]
        told = f"  {pages:,} of {counted(budget, 'page')}  {self.tally.rate:.1f}/s  {spoken(self.elapsed)}"
        told += f", {spoken(min(ends))} left" if ends else ""
        room = max(8, width - cell_len(told) - 2)
        full = min(room, round(room * pages / budget)) if budget else room
        return [(" ", None), ("━" * full, GOOD), ("━" * (room - full), FAINT), (told, None)]

    def _numbers(self) -> Iterator[Line]:
        tally, frontier = self.tally, self.session.crawl.frontier
        resting = len(self.session.resting)
        yield [
            (" harvest   ", DIM),
            (f"{percent(tally.harvest):<8}", NUMBER),
            (f" {sparkline(tally.harvests)}", GOOD),
            (f"  {percent(tally.recent_harvest)} of the last {len(tally.recent)}", FAINT),
        ]
        yield [
            (" frontier  ", DIM),
            (f"{len(frontier):,}", NUMBER),
            (" waiting, ", None),
            (f"{len(frontier.leased):,}", NUMBER),
            (" being fetched, ", None),
            (f"{resting:,}", NUMBER),
            (" host resting" if resting == 1 else " hosts resting", None),
        ]
        yield [
            (" failures  ", DIM),
            (f"{tally.failures:,}", WRONG if tally.failures else NUMBER),
            (f"  {reasons_in_words(tally.reasons)}", FAINT),
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
