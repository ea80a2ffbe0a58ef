"""The verbs, loaded when they are used, and what becomes of errors: one line and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, NoReturn

import click

from lycosa.model.errors import FolderError, InputError, LycosaError

DONE, FAILED, BAD_INPUT, NOTHING_FETCHED, INTERRUPTED = 0, 1, 2, 3, 130

Verb = tuple[str, str]
"""Module of `lycosa.cli` and, optionally after a colon, the name of its command; what it does, in a line."""

CRAWLING: Mapping[str, Verb] = {
    "crawl": ("crawl", "Crawl a web for a topic, best pages first."),
    "resume": ("resume", "Go on with a crawl: after an interruption, or for more pages."),
    "cluster": ("cluster", "Share a crawl among several crawlers, here or on many machines."),
    "refresh": ("refresh", "Keep a crawl fresh: visit its pages again, and go on finding new ones."),
    "ping": ("ping", "Tell a crawl that pages changed just now."),
    "status": ("status", "Tell how a crawl stands, or why it ended."),
    "why": ("why", "Explain why a crawl fetched a URL, or did not."),
    "mark": ("mark", "Tell a crawl which of its pages are on topic."),
    "block": ("block", "Have a crawl fetch nothing more from a host, or let it in again."),
    "add": ("add", "Give a crawl more start pages."),
    "ask": ("ask", "List the pages that you should mark to help a crawl most."),
    "pause": ("pause", "Pause a running crawl, or let it go on."),
    "stop": ("stop", "Stop a running crawl once its visits are finished."),
    "symbiosis": ("symbiosis", "Search a crawl, crawl on from the answers, and so on for some rounds."),
    "watch": ("watch", "Recommend pages near those that somebody browses."),
    "serve": ("serve", "Show crawls in your browser: watch, steer, search and browse them."),
    "mcp": ("mcp", "Give AI agents tools to crawl, search and read (MCP)."),
}
RESULTS: Mapping[str, Verb] = {
    "search": ("search", "Search the full text of the pages of a crawl."),
    "browse": ("browse", "Browse the pages of a crawl by category, cluster, date, host, and so on."),
    "papers": ("papers", "List the papers among a crawl's PDFs, the most cited first."),
    "export": ("export", "Write the pages of a crawl as JSON lines, CSV or Parquet."),
    "show": ("show", "Show a page as it was, or what changed between two times."),
    "changes": ("changes", "Tell which pages appeared, changed and went, and when."),
    "stream": ("stream", "Stream what a crawl stored, as WARC, JSON lines or text, or over HTTP."),
    "dns": ("dns", "Tell which names and addresses belonged together, and when."),
    "report": ("report", "Write a crawl's report, one HTML page."),
    "ontology": ("ontology", "Sort a crawl's pages by the concepts of an ontology."),
    "map": ("map", "Draw the map of a crawl: HTML, JSON or GraphML."),
    "database": ("database", "Collect the pages that crawls found, for later crawls to begin with."),
}
LABORATORY: Mapping[str, Verb] = {
    "lab": ("lab", "Measure crawlers on recorded webs."),
    "log": ("log", "Count what logs of servers and proxies hold, and find new pages in them."),
    "web": ("web", "Count what a recorded web holds, or serve it over HTTP."),
    "taxonomy": ("taxonomy", "Find the categories of a taxonomy that fit your examples."),
    "strategies": ("strategies", "List the crawling strategies, or describe one."),
    "policies": ("policies", "List the policies of visiting pages again, or describe one."),
    "partitions": ("partitions", "List the ways to share a crawl, or describe one."),
    "evolve": ("evolve", "Evolve a ranking function of links in simulated crawls."),
    "check-strategy": ("check_strategy", "Check that a strategy keeps the rules that all must keep."),
    "topic": ("topic", "Train a model that judges pages, test it, or describe it."),
    "classes": ("classes", "Train a model that tells classes of pages apart, test it, or describe it."),
    "key": ("key", "Make a key that signs requests, and the file in which your site shows it."),
    "doctor": ("doctor", "Check that lycosa can crawl on this machine."),
}
SECTIONS: Mapping[str, Mapping[str, Verb]] = {
    "Crawling": CRAWLING,
    "Results": RESULTS,
    "Laboratory and machine": LABORATORY,
}
VERBS: Mapping[str, Verb] = {**CRAWLING, **RESULTS, **LABORATORY}


class LateVerbs(click.Group):
    """A group whose commands are imported only when they are called."""

    verbs: ClassVar[Mapping[str, Verb]]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.verbs:
            return None
        found = import_module(f"lycosa.cli.{self.verbs[cmd_name][0]}").command
        assert isinstance(found, click.Command)
        return found


class Verbs(LateVerbs):
    """All verbs of `lycosa`. Errors are one line."""

    verbs = VERBS

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"there is no command {args[0]!r}{_closest(args[0])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, VERBS))
        for title, verbs in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), does) for name, (_, does) in verbs.items()])

    def main(self, args: Sequence[str] | None = None, *rest: Any, **more: Any) -> NoReturn:
        """Run, then leave with one of the exit codes above."""
        more["standalone_mode"] = False
        _let_any_text_pass()
        try:
            code = super().main(args, *rest, **more)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), color=error.ctx.color if error.ctx else None)
            code = BAD_INPUT
        except click.ClickException as error:
            code = _said(error, _usage(error), BAD_INPUT)
        except (InputError, FolderError) as error:
            code = _said(error, str(error), BAD_INPUT)
        except LycosaError as error:
            code = _said(error, str(error), FAILED)
        except click.Abort:
            code = INTERRUPTED
        except Exception as error:
            what = f"{type(error).__name__}: {error}".rstrip(": ")
            code = _said(error, f"{what} (a defect of lycosa; LYCOSA_DEBUG=1 shows where)", FAILED)
        sys.exit(code if isinstance(code, int) else DONE)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read our output has heard enough
            let_go_of_stdout()
            return DONE
        return answer


def _let_any_text_pass() -> None:
    """What the terminal's encoding lacks becomes a question mark instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and "utf" not in stream.encoding.lower():
            stream.reconfigure(errors="replace")


def let_go_of_stdout() -> None:
    """Nobody reads standard output any more: what is still written goes nowhere, without complaint."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _closest(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, VERBS, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _usage(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    return f"{message} (see {context.command_path} --help)" if context else message


def _said(error: BaseException, message: str, code: int) -> int:
    if os.environ.get("LYCOSA_DEBUG"):
        import traceback

        traceback.print_exception(error)
    one_line = " ".join(message.split())
    click.echo(f"lycosa: {one_line}", err=True)
    return code


def _tell_versions(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from lycosa.cli.versions import versions

        click.echo(versions())
        ctx.exit()


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='\b\nTry:\n  lycosa crawl "wolf spider" https://en.wikipedia.org/wiki/Wolf_spider --pages 50',
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_tell_versions,
    help="Tell the versions of lycosa and its libraries, and which extras are installed.",
)
def lycosa() -> None:
    """A topical web crawler: give it a topic and a few start pages, it brings back the pages that matter."""
