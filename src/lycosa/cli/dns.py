"""`lycosa dns`: which names and addresses belonged together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import as_of
from lycosa.model.records import Millis

if TYPE_CHECKING:
    from lycosa.crawls.answers import DnsAnswer
    from lycosa.web.http.dns_history import DnsRow


@click.command("dns")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("asked", metavar="[HOST|ADDRESS]", default="")
@click.option(
    "--at",
    type=as_of,
    metavar="TIME",
    help="As it was then: 2026-11-20, or 2w for two weeks ago.  [default: now]",
)
@click.option("--json", is_flag=True, help="Write JSON, one object a line.")
def command(folder: Path, asked: str, at: Millis | None, json: bool) -> None:
    """Tell which names and addresses belonged together, and when.

    Of a host: its addresses, the names that shared one of them at the same time, and all that it ever was. Of an
    address: its names. Of neither: all names and addresses that hold. Names that share an address are taken for one
    machine. Only a live crawl asks the DNS.
    """
    from lycosa.cli.output import opened, say_json

    with opened(folder) as crawl:
        if asked:
            told = crawl.dns(asked, at)
            say_json(told) if json else _tell(told)
            return
        rows = [row for row in crawl.dns_history().rows() if row.holds_at(at)]
    if not json:
        _tell_all(rows)
        return
    for row in rows:
        say_json(row)


def _tell(told: DnsAnswer) -> None:
    from lycosa.cli.output import say_pairs

    say_pairs(
        {
            "asked": told.asked,
            "machine of": told.canonical if told.canonical != told.asked else "",
            "addresses": ", ".join(told.addresses),
            "names": ", ".join(told.names),
        }
    )
    if not (told.addresses or told.names):
        click.echo("nothing is known of it as of that time")
    for row in told.rows:
        click.echo(f"  {_span(row)}  {row.kind} of machine {row.machine}")


def _tell_all(rows: list[DnsRow]) -> None:
    for row in sorted(rows, key=lambda row: (row.machine, row.kind == "address", row.kind == "alias")):
        click.echo(f"{row.machine:>6}  {row.kind:<9}  {row.value:<40}  {_span(row)}".rstrip())
    if not rows:
        click.echo("nothing is known: only a live crawl asks the DNS")


def _span(row: DnsRow) -> str:
    from lycosa.report.wording import minute

    until = f"until {minute(row.superseded)}" if row.superseded is not None else ""
    return f"from {minute(row.entered)} {until}".rstrip()
