"""`lycosa status`: how a crawl stands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL

if TYPE_CHECKING:
    from lycosa.crawls.answers import Block, Status


@click.command("status")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option("--json", is_flag=True, help="As one JSON object.")
def command(folder: Path, json: bool) -> None:
    """Tell how a crawl stands, or why it ended. Works beside a running crawl."""
    from lycosa.cli.output import reasons_in_words, say_json, say_pairs
    from lycosa.crawls.opening import open_folder

    with open_folder(folder) as crawl:
        status, go_on = crawl.status(), crawl.go_on
    if json:
        say_json(status)
        return

    from lycosa.crawls.shared.answers import SharedStatus
    from lycosa.report.order import ordered, waits
    from lycosa.report.refreshing import due, estimate, found, how
    from lycosa.report.rendering import rendered, shown
    from lycosa.report.sharing import node_lines
    from lycosa.report.wording import a_page, clean, counted, of_budget, percent, took, when

    def state(status: Status) -> str:
        if status.process is not None:
            return f"{status.state}, process {status.process}"
        return f"{status.state}: {clean(status.ended)}" if status.ended else status.state

    def told(fact: object) -> str:
        if isinstance(fact, list | tuple):
            return "".join(f"\n  {told(each)}" for each in fact)
        if isinstance(fact, dict):
            return ", ".join(
                f"{clean(str(name))} {told(each)}" for name, each in fact.items() if each is not None
            )
        return f"{fact:,.4g}" if isinstance(fact, float) else clean(str(fact))

    def marked(marks: Mapping[str, int]) -> str:
        if not marks:
            return ""
        unheard = marks["waiting"] if status.process is None else 0
        waiting = f", {counted(unheard, 'mark')} to be heard by lycosa resume" if unheard else ""
        return f"{marks['good']:,} good, {marks['bad']:,} bad{waiting}"

    def blocked(block: Block) -> str:
        by = f" by {clean(block.by)}" if block.by else ""
        heard = (
            "" if block.step is not None or status.process is not None else ", to be heard by lycosa resume"
        )
        waiting = f", {counted(block.links, 'link')} set aside" if block.links else ""
        return f"{clean(block.host)}{by}{waiting}{heard}"

    def judged(calls: Mapping[str, int]) -> str:
        if not calls:
            return ""
        left = f", {calls['tokens left']:,} left" if "tokens left" in calls else ""
        return (
            f"{counted(calls['calls'], 'call')}, {calls['calls left']:,} left: {calls['good']:,} good, "
            f"{calls['bad']:,} bad, {calls['unclear']:,} unclear; {counted(calls['tokens'], 'token')}{left}"
        )

    again = status.refreshing
    failed = f" ({reasons_in_words(status.failures_by_reason)})" if status.failures else ""
    say_pairs(
        {
            "folder": status.folder,
            "state": state(status),
            "topic": clean(status.topic),
            "strategy": status.strategy,
            "shared": f"{counted(len(status.nodes), 'node')}, by {status.partition}"
            if isinstance(status, SharedStatus)
            else "",
            "web": status.web,
            "start pages": clean(" ".join(status.seeds[:5])) + (" …" if len(status.seeds) > 5 else ""),
            "pages": of_budget(status.pages, status.budget),
            "requests": f"{status.requests:,}"
            + (f" of {status.request_budget:,}" if status.request_budget else "")
            + (f", {a_page(status.requests, status.pages)}" if status.pages else ""),
            "relevant": f"{status.relevant:,}, harvest rate {percent(status.harvest_rate)}, "
            f"mean relevance {status.mean_relevance:.3f}",
            "recall": "\n".join(f"{estimate}" for estimate in status.estimates),
            "failures": f"{status.failures:,}{failed}",
            "statuses": reasons_in_words(status.statuses, 8),
            "marked": marked(status.marks),
            "judge": judged(status.judge),
            "rendered": rendered(status.rendered),
            "requisites": shown(status.requisites),
            "blocked": "\n".join(map(blocked, status.blocked)),
            "hosts": f"{status.hosts:,}",
            "frontier": f"{status.pending:,} waiting, {status.refused:,} refused, {status.trimmed:,} trimmed "
            "(as of the last checkpoint)",
            **({} if again is None else {"refresh": how(again), "revisits": found(again)}),
            **({} if again is None else {"due": due(status), "freshness": estimate(again)}),
            "order": ordered(status.order),
            "waits": waits(status.order),
            "when": when(status),
            "time taken": took(status.seconds),
            "archive": f"{counted(status.warc_files, 'file')}, {status.warc_bytes / 1e6:,.1f} MB",
            "lycosa": status.version,
            **{name: told(fact) for name, fact in status.facts.items()},
            "note": clean("\n".join(status.notes)),
        }
    )
    if isinstance(status, SharedStatus):
        click.echo()
        for line in node_lines(status):
            click.echo(line)
    if status.state in ("interrupted", "failed"):
        click.echo(f"\ngo on with: {go_on}")
