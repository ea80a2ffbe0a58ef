"""What a run tells at its end: the best pages, why it ended, and what to do next."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from lycosa.cli.group import FAILED, INTERRUPTED, NOTHING_FETCHED
from lycosa.cli.output import columns_for, fitted, reasons_in_words, warn
from lycosa.cli.views import LogView, RunView, SilentView
from lycosa.crawls.answers import PageRow, Status
from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.model.endings import EndKind
from lycosa.read.office import WITHOUT_PACKAGE, can_read
from lycosa.report.page import write_report
from lycosa.report.rendering import rendered, shown
from lycosa.report.wording import clean, counted, percent, took
from lycosa.store.paths import Paths, is_shared
from lycosa.watch.log import JsonLines

BEST = 10


def summarize(path: Path, view: RunView, code: int, scripted: int = 0) -> None:
    """Write the report and tell how the run ended, in the manner of its view.

    `scripted` is how many of its pages are hardly there without their scripts.
    """
    report = Paths(path).report
    with open_folder(path) as folder:
        status, best, files = folder.status(), folder.best(BEST), unread_files(folder)
        write_report(folder, report)
    if code == NOTHING_FETCHED:
        (view.say if isinstance(view, LogView) else warn)(nothing_fetched(path, status))
    match view:
        case JsonLines():
            view.tell(event="ended", exit_code=code, report=str(report), status=status, best=best)
        case SilentView():
            pass
        case _:
            _tell(path, status, best, code, scripted, files)


def unread_files(folder: Folder) -> int:
    """How many office files, books and mails were passed over for want of what reads them; 0 once it is there."""
    if can_read():
        return 0
    return sum(row.detail == WITHOUT_PACKAGE for row in folder.history.failures())


def nothing_fetched(path: Path, status: Status) -> str:
    """Why a crawl brought no page, in one line."""
    if not status.failures:
        return f"{path}: nothing could be fetched: no start page may be visited; see lycosa status {_quoted(path)}"
    reasons = reasons_in_words(status.failures_by_reason)
    first = status.seeds[0] if status.seeds else "URL"
    return (
        f"{path}: nothing could be fetched ({reasons}); lycosa why {_quoted(path)} {first} tells more; "
        "once that is mended, the same command begins anew"
    )


def _tell(path: Path, status: Status, best: Sequence[PageRow], code: int, scripted: int, files: int) -> None:
    if best:
        click.echo("\n" + click.style("Best pages", bold=True))
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        for row in best:
            click.echo(best_line(row, width))
    elif status.pages:
        click.echo("\nNo page was relevant enough to count.")
    click.echo("\n" + click.style(how_it_ended(status, code), bold=True))
    click.echo(figures(status))
    if scripted:
        click.echo(
            f"{counted(scripted, 'page')} had hardly any text: made by JavaScript, which --render auto runs."
        )
    if files:
        click.echo(
            f"{counted(files, 'office file')} not read; after pip install 'lycosa[documents]' lycosa reads them."
        )
    if status.rendered:
        click.echo(f"Rendered: {rendered(status.rendered)}.")
    if status.requisites:
        click.echo(f"Fetched besides: {shown(status.requisites)}.")
    for estimate in status.estimates:
        click.echo(f"{str(estimate).capitalize()}.")
    folder = _quoted(path)
    lines = {"Folder": folder, "Report": _quoted(Paths(path).report)}
    resume = "lycosa cluster resume" if is_shared(path) else "lycosa resume"
    if code in (INTERRUPTED, FAILED):
        lines["Resume"] = f"{resume} {folder}"
    elif status.pages:
        lines["Search"] = f"lycosa search {folder} WORDS"
        lines["Export"] = f"lycosa export {folder} --to csv"
        if status.refreshing is None:
            lines["More"] = f"{resume} {folder} {_for_more(status)}"
        else:
            lines["Changes"] = f"lycosa changes {folder}"
            lines["More"] = f"lycosa refresh {folder}"
    click.echo()
    for name, value in lines.items():
        click.echo(f"{name:<7} {value}")


def _for_more(status: Status) -> str:
    """What lets a crawl that is done go on: other rules, or a larger budget."""
    if status.ended_by == EndKind.RULE.value:
        return "--stop-below 0 --stop-at-recall 0 --bytes 0"
    if status.ended_by == EndKind.BUDGET.value and status.pages < (status.budget or 0):
        return f"--requests {status.requests * 2}"
    return f"--pages {max(status.budget or 0, status.pages) * 2}"


def best_line(row: PageRow, width: int | None = None) -> str:
    """One good page in one line: relevance, title, URL. Cut to so many columns of a terminal; None: not cut."""
    title, url = clean(row.title) or "(no title)", clean(row.final_url)
    if width is None:
        return f"  {row.relevance:.3f}  {fitted(title, 48)}  {url}"
    for_title, for_url = columns_for(width)
    line = f"  {row.relevance:.3f}  {fitted(title, for_title)}"
    return f"{line}  {fitted(url, for_url)}".rstrip() if for_url else line.rstrip()


def how_it_ended(status: Status, code: int) -> str:
    told = clean(status.ended).rstrip(".") or status.state
    sentence = f"{told[:1].upper()}{told[1:]}."
    return f"{sentence} Nothing is lost." if code == INTERRUPTED else sentence


def figures(status: Status) -> str:
    """The run in numbers, one line."""
    return (
        f"{counted(status.pages, 'page')} from {counted(status.hosts, 'host')} by "
        f"{counted(status.requests, 'request')}, {percent(status.harvest_rate)} relevant, "
        f"{counted(status.failures, 'failure')}, "
        f"{took(status.seconds)}"
    )


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
