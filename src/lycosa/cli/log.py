"""`lycosa log`: logs of web servers and proxies, to look at, to find new pages in, and to make up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole, duration, seed_option
from lycosa.cli.writing import FILE, is_stdout, refuse_both, write_out

if TYPE_CHECKING:
    from lycosa.crawl.inputs import UsageLog
    from lycosa.sources.discovery import Discovery
    from lycosa.sources.logs import LogAccount, LogRules

_FILES = click.argument("files", metavar="FILE...", nargs=-1, required=True)
_JSON = click.option("--json", is_flag=True, help="Write one JSON object.")
SHOWN = 10


def _rules(command: Callable[..., object]) -> Callable[..., object]:
    """The options that say what counts as a view of a page."""
    for option in (
        click.option(
            "--cookie",
            default="",
            metavar="NAME",
            help="Tell visitors apart by this cookie.  [default: by address and browser]",
        ),
        click.option(
            "--stay",
            type=duration,
            metavar="TIME",
            help="End a session after a longer stay on a page, too.  [default: no limit]",
        ),
        click.option(
            "--timeout",
            type=duration,
            default="30m",
            metavar="TIME",
            help="End a session after a longer pause.  [default: 30m]",
        ),
        click.option("--keep-robots", "robots", is_flag=True, help="Keep requests by known robots."),
        click.option("--keep-redirects", "redirects", is_flag=True, help="Keep answers that lead elsewhere."),
        click.option("--keep-errors", "errors", is_flag=True, help="Keep answers of status 400 and above."),
        click.option("--keep-assets", "assets", is_flag=True, help="Keep images, styles and scripts."),
        click.option(
            "--site",
            default="",
            metavar="URL",
            help="Take lines that name only a path as of this site.  [default: guessed from referrers]",
        ),
    ):
        command = option(command)
    return command


@click.group("log")
def command() -> None:
    """Count what logs of web servers and proxies hold, find new pages in them, or make logs up.

    Formats: Common and Combined Log Format, with the virtual host before or a cookie after, and Squid's own; packed by
    gzip or not. Write FILE@HOST for a log whose lines name only paths.
    """


@command.command("show")
@_FILES
@_rules
@_JSON
def show(files: tuple[str, ...], json: bool, **chosen: Any) -> None:
    """Count what logs hold: views, visitors, sessions, and the lines that could not be used."""
    from lycosa.cli.output import say_json

    _, account = _read(files, chosen)
    if json:
        say_json(account)
    else:
        _tell(account)


@command.command("discover")
@_FILES
@_rules
@click.option(
    "--crawl",
    type=CRAWL,
    required=True,
    metavar="DIR",
    help="Compare with this crawl.",
)
@click.option(
    "-o",
    "--out",
    type=FILE,
    metavar="FILE",
    help="Write all URLs found to this file, in columns (score, visits, URL), or, if it ends in .toml, as the seeds of "
    "a topic file; - is standard output.",
)
@_JSON
def discover(files: tuple[str, ...], crawl: Path, out: Path | None, json: bool, **chosen: Any) -> None:
    """Find pages that visitors know of and a crawl does not. Nothing is fetched.

    It leaves out what the crawl knew, what robots.txt forbids as far as the crawl's archive tells, and private URLs:
    with tokens, session ids or mail addresses, or within an intranet. Lines that name only a path are taken as of the
    site of the crawl's start pages.
    """
    from lycosa.cli.output import say_json
    from lycosa.sources.discovery import discover as compared
    from lycosa.sources.discovery import site_of

    refuse_both(out, json)
    chosen["site"] = chosen["site"] or site_of(crawl)
    log, account = _read(files, chosen)
    found = compared(log, crawl)
    if out is not None:
        _write(out, found)
    if json:
        say_json(found)
    else:
        _warn_of_broken(account)
        if not is_stdout(out):
            _tell_found(found, out)


@command.command("make")
@click.argument("web", metavar="PATH", type=click.Path(path_type=Path))
@click.argument("starts", metavar="URL...", nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    type=FILE,
    required=True,
    metavar="FILE",
    help="Write the log to this file; - is standard output.",
)
@click.option("--users", type=Whole(1), default=50, show_default=True, help="Let so many users surf.")
@click.option("--sessions", type=Whole(1), default=4, show_default=True, help="Let each user come so often.")
@click.option(
    "--focus",
    type=click.FloatRange(0, 1),
    default=0.7,
    show_default=True,
    help="Let users keep to a topic so much: 0 not at all, 1 always.",
)
@click.option(
    "--noise",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="Add so many images, errors and robots for each view.",
)
@seed_option
def make(web: Path, starts: tuple[str, ...], out: Path, seed: int, **shape: Any) -> None:
    """Let random surfers walk a recorded web from some start pages, and write their log (Combined Log Format)."""
    from lycosa.archive.collection import Collection
    from lycosa.lab.webs.visitors import SurfShape, looking, surf
    from lycosa.model.errors import InputError
    from lycosa.model.url import canonical
    from lycosa.web.recorded import RecordedWeb

    collection = Collection.open([web])
    look = looking(RecordedWeb(collection, seed))
    urls = [canonical(start) for start in starts]
    if lacking := [url for url in urls if look(url) is None]:
        raise InputError(f"{web}: holds no page {lacking[0]}; give start pages that it has")
    lines = surf(look, urls, SurfShape(**shape), seed)
    collection.close()
    write_out(out, "".join(f"{line}\n" for line in lines).encode())
    click.echo(f"{out}: {len(lines):,} lines", err=True)


def _read(files: Iterable[str], chosen: dict[str, Any]) -> tuple[UsageLog, LogAccount]:
    from lycosa.sources.logs import UNNAMED_SITE, file_and_site, likely_site, read_logs

    rules = _log_rules(chosen)
    named = [file_and_site(file, [rules.site]) for file in files]
    return read_logs([(path, site or likely_site(path) or UNNAMED_SITE) for path, site in named], rules)


def _log_rules(chosen: dict[str, Any]) -> LogRules:
    from lycosa.model.records import Millis
    from lycosa.model.url import canonical, origin_of
    from lycosa.sources.logs import LogRules

    stay = chosen.pop("stay")
    return LogRules(
        timeout=Millis(round(chosen.pop("timeout") * 1000)),
        stay=None if stay is None else Millis(round(stay * 1000)),
        site=origin_of(canonical(site)) if (site := chosen.pop("site")) else "",
        **chosen,
    )


def _tell(account: LogAccount) -> None:
    from lycosa.cli.output import reasons_in_words, say_pairs
    from lycosa.report.wording import clean, minute

    first, last = account.first, account.last
    broken = f"{account.broken:,}, the first: {account.first_broken}" if account.broken else "none"
    say_pairs(
        {
            "files": clean(" ".join(account.files)),
            "lines": f"{account.lines:,}",
            "cannot be read": clean(broken),
            "cleaned away": reasons_in_words(account.dropped, 8),
            "views": f"{account.views:,} of {account.urls:,} URLs",
            "visitors": f"{account.users:,}",
            "sessions": f"{account.sessions:,}",
            "back-steps": f"{account.back_steps:,} completed",
            "hosts": clean(reasons_in_words(account.hosts, 5)),
            "when": f"{minute(first)} to {minute(last)}" if first is not None and last is not None else "",
        }
    )


def _warn_of_broken(account: LogAccount) -> None:
    from lycosa.cli.output import warn

    if account.broken:
        warn(f"{account.broken:,} of {account.lines:,} lines cannot be read ({account.first_broken})")


def _tell_found(found: Discovery, out: Path | None) -> None:
    from lycosa.cli.output import say_pairs, warn
    from lycosa.report.wording import clean, percent

    lags = ", ".join(f"{share} {hours:,.1f} h" for share, hours in found.lag_quantiles.items())
    known = found.urls - found.undiscovered
    say_pairs(
        {
            "URLs in the logs": f"{found.urls:,}, and {found.private:,} private",
            "not known to the crawl": f"{found.undiscovered:,}, {percent(found.undiscovered_share)}",
            "known after a visitor": f"{found.later:,} of {known:,}",
            "lag by quantiles": lags,
            "forbidden by robots.txt": f"{found.forbidden:,}",
            "new": f"{len(found.found):,}" + (f", written to {out}" if out else ""),
        }
    )
    if not found.known_hosts:
        warn("the crawl visited no host of these logs: are they of another site? (see --site)")
    if out is None:
        for each in found.found[:SHOWN]:
            click.echo(f"{each.score:.3f}  {each.visits:>6,}  {clean(each.url)}")


def _write(out: Path, found: Discovery) -> None:
    """As columns for other tools, or as a topic file's seeds."""
    if out.suffix == ".toml":
        import tomli_w

        text = tomli_w.dumps({"seeds": [each.url for each in found.found]})
    else:
        text = "".join(f"{each.score:.6f}\t{each.visits}\t{each.url}\n" for each in found.found)
    write_out(out, text.encode())
