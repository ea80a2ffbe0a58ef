"""`lycosa crawl`: begin a crawl and run it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lycosa.cli.values import (
    SectionedCommand,
    SectionedOption,
    as_harvest_floor,
    as_share,
    duration,
    size_in_bytes,
    size_or_none,
)

if TYPE_CHECKING:
    from lycosa.spec import CrawlSpec

TOPIC, LIMITS, SCOPE = "Topic and strategy", "Limits and place", "Scope: where the crawl may go"
JUDGES, LESSONS = "Other ways to say what is relevant", "What strategies learn from"
STOP = "When to stop before the budget is used up"
STARTS, POLITE, NETWORK, OUTPUT = "More start pages", "Politeness", "Network", "Output"
_SHOWN = ("json", "quiet", "verbose")


Command = TypeVar("Command", bound=Callable[..., object])
Decorator = Callable[[Command], Command]


def _option(section: str, *names: str, **more: Any) -> Decorator[Any]:
    return click.option(*names, cls=SectionedOption, section=section, **more)


def _all(*options: Decorator[Any]) -> Decorator[Any]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


topic_options = _all(
    _option(TOPIC, "--like", multiple=True, metavar="URL|FILE", help="A page about the topic. Repeatable."),
    _option(
        TOPIC,
        "--hold-out",
        type=as_share,
        metavar="SHARE",
        help="Of the example URLs: not told to the crawl, to see whether it finds them.",
    ),
    _option(
        TOPIC,
        "--topic-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="TOML with keywords, description, examples, languages, seeds, [scope].",
    ),
    _option(TOPIC, "--strategy", metavar="NAME[:K=V,…]", help="See lycosa strategies.  [default: hunter]"),
    _option(
        TOPIC,
        "--profile",
        type=click.Choice(["s2"]),
        help="Behave as published crawls: 10 KB a page, 2,048 URLs wait, no rests on recorded webs.",
    ),
    _option(
        TOPIC, "--relevant", type=click.FloatRange(0, 1), metavar="X", help="Relevant from.  [default: 0.1]"
    ),
    _option(
        TOPIC, "--language", multiple=True, metavar="NAME", help="Only pages in it, such as en or German."
    ),
)
judge_options = _all(
    _option(
        JUDGES, "--taxonomy", metavar="FILE|DIR", help="Categories with example pages: JSON, TOML, folders."
    ),
    _option(
        JUDGES, "--good", multiple=True, metavar="PATH", help="A category that the crawl is for. Repeatable."
    ),
    _option(JUDGES, "--ontology", metavar="FILE", help="Concepts and their relations: OWL, RDF or SKOS."),
    _option(
        JUDGES, "--focus", multiple=True, metavar="CONCEPT", help="One that the crawl is for. Repeatable."
    ),
    _option(JUDGES, "--model", metavar="FILE", help="Made by lycosa topic train, or a pickled pipeline."),
    _option(
        JUDGES, "--trust-model", is_flag=True, help="Load the pickled pipeline, which runs what is in it."
    ),
    _option(JUDGES, "--predicate", metavar="EXPR", help="True of relevant pages: word(…) and not url(…)."),
    _option(JUDGES, "--function", metavar="MODULE:NAME", help="A Python function from page to relevance."),
    _option(
        JUDGES,
        "--on-fault",
        type=click.Choice(["go-on", "halt"]),
        help="If one of these fails on a page.  [default: go-on]",
    ),
    _option(JUDGES, "--like-start-pages", is_flag=True, help="The start pages are about the topic."),
    _option(
        JUDGES,
        "--weighting",
        type=click.Choice(["tf", "tf-idf"]),
        help="tf-idf: words that many pages of the crawl have count less.  [default: tf]",
    ),
)
lesson_options = _all(
    _option(
        LESSONS,
        "--back-links",
        multiple=True,
        metavar="DIR|FILE",
        help="An earlier crawl, a recorded web, or lines of URL and back-link. Repeatable.",
    ),
    _option(
        LESSONS, "--learn-from", multiple=True, metavar="DIR", help="An earlier crawl or a recorded web."
    ),
    _option(
        LESSONS, "--log", "logs", multiple=True, metavar="FILE", help="Of a web server or proxy. Repeatable."
    ),
    _option(LESSONS, "--ranking", metavar="FILE", help="Made by lycosa evolve."),
    _option(LESSONS, "--database", metavar="FILE", help="Pages that earlier searches found."),
)
limit_options = _all(
    _option(LIMITS, "--pages", type=click.IntRange(1), metavar="N", help="The budget.  [default: 1000]"),
    _option(LIMITS, "--time", type=duration, metavar="TIME", help="The longest the run may take: 10m, 1h."),
    _option(
        LIMITS,
        "-o",
        "--out",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The crawl's folder.  [default: made of the topic]",
    ),
    _option(LIMITS, "--web", metavar="WEB", help="live, or recorded:PATH[,PATH].  [default: live]"),
    _option(LIMITS, "--seed", type=int, metavar="N", help="Of all that is random.  [default: 0]"),
    _option(
        LIMITS,
        "--max-frontier",
        type=click.IntRange(1),
        metavar="N",
        help="The most URLs that may wait; the worst go.",
    ),
    _option(LIMITS, "--tie", type=click.Choice(["fifo", "lifo", "random"]), help="Order of equal scores."),
)
stop_options = _all(
    _option(
        STOP,
        "--stop-below",
        type=as_harvest_floor,
        metavar="RATE[:N]",
        help="When the relevant share of the last N pages has fallen so low: 5%, 5%:200.  [N: 100]",
    ),
    _option(
        STOP,
        "--stop-at-recall",
        type=as_share,
        metavar="SHARE",
        help="When this share of the relevant pages was found, by estimate: 80%.",
    ),
    _option(
        STOP,
        "--recall-by",
        type=click.Choice(["held-out", "captures"]),
        help="By examples held out, or by capture–recapture.  [default: held-out, if any]",
    ),
    _option(
        STOP,
        "--surely/--not-surely",
        default=None,
        help="Go by the lower end of the estimate's interval.",
    ),
    _option(
        STOP,
        "--stop-after",
        type=click.IntRange(0),
        metavar="N",
        help="Pages before which none of these ends the crawl.  [default: 100]",
    ),
    _option(STOP, "--bytes", type=size_or_none, metavar="SIZE", help="When the pages' archive is as large."),
)
scope_options = _all(
    _option(SCOPE, "--same-host", is_flag=True, help="Stay on the hosts of the start pages."),
    _option(
        SCOPE, "--host", multiple=True, metavar="HOST", help="Stay on this host. Repeatable, as all here."
    ),
    _option(SCOPE, "--domain", multiple=True, metavar="DOMAIN", help="Stay on hosts of this domain."),
    _option(SCOPE, "--prefix", multiple=True, metavar="SURT", help="Such as org,example)/docs."),
    _option(SCOPE, "--include", multiple=True, metavar="REGEX", help="URLs must match one of these."),
    _option(SCOPE, "--exclude", multiple=True, metavar="REGEX", help="URLs must match none of these."),
    _option(SCOPE, "--depth", type=click.IntRange(0), metavar="N", help="Links from a start page at most."),
    _option(
        SCOPE,
        "--port",
        multiple=True,
        type=click.IntRange(0, 65_535),
        metavar="N",
        help="Also links to this port, besides 80, 443 and those of the start pages; 0: any.",
    ),
)
start_options = _all(
    _option(STARTS, "--sitemap", multiple=True, metavar="URL", help="Read start pages from this sitemap."),
    _option(STARTS, "--sitemaps", is_flag=True, help="Also from those that robots.txt names."),
)
polite_options = _all(
    _option(POLITE, "--delay", type=duration, metavar="SECONDS", help="Between two visits.  [default: 1]"),
    _option(
        POLITE, "--ignore-robots", is_flag=True, help="Fetch what robots.txt forbids. Your own sites only."
    ),
    _option(POLITE, "--agent", metavar="TEXT", help="User-Agent.  [default: lycosa, version, contact]"),
    _option(
        POLITE,
        "--contact",
        metavar="TEXT",
        envvar="LYCOSA_CONTACT",
        help="URL or e-mail address for site owners; or set LYCOSA_CONTACT.",
    ),
)
network_options = _all(
    _option(NETWORK, "--width", type=click.IntRange(1), metavar="N", help="Visits at a time.  [default: 32]"),
    _option(
        NETWORK,
        "--connect-to",
        multiple=True,
        metavar="HOST:PORT:ADDR:PORT",
        help="Connect elsewhere, as curl does; * or nothing matches any.",
    ),
    _option(NETWORK, "--proxy", metavar="URL", help="HTTP proxy for all requests."),
    _option(NETWORK, "--allow-private", is_flag=True, help="Also connect to private and loopback addresses."),
    _option(NETWORK, "-k", "--insecure", is_flag=True, help="Do not verify TLS certificates."),
    _option(NETWORK, "--cookies", is_flag=True, help="Keep and send cookies."),
    _option(NETWORK, "--max-time", type=duration, metavar="TIME", help="For one request.  [default: 60]"),
    _option(NETWORK, "--connect-timeout", type=duration, metavar="TIME", help="[default: 10]"),
    _option(
        NETWORK, "--max-filesize", type=size_in_bytes, metavar="SIZE", help="Cut bodies here.  [default: 10M]"
    ),
)
output_options = _all(
    _option(OUTPUT, "--json", is_flag=True, help="Tell what happens as JSON, one object a line."),
    _option(OUTPUT, "-q", "--quiet", is_flag=True, help="Show nothing but errors."),
    _option(OUTPUT, "-v", "--verbose", is_flag=True, help="Show each visit."),
)


@click.command("crawl", cls=SectionedCommand)
@click.argument("words", nargs=-1, metavar="TOPIC [URL]...")
@topic_options
@judge_options
@lesson_options
@limit_options
@stop_options
@scope_options
@start_options
@polite_options
@network_options
@output_options
def command(**given: Any) -> int:
    """Crawl a web for a topic, best pages first.

    TOPIC is one argument: words, in quotes, with commas between phrases. Leave it out if --like or --topic-file says
    what the topic is. Start pages follow. Ctrl-C ends the crawl after the visits that are under way; it can be resumed.
    """
    from lycosa.cli.options import CrawlOptions, spec_from_options

    shown = {name: given.pop(name) for name in _SHOWN}
    options = CrawlOptions(**given)
    spec = spec_from_options(options)

    from lycosa import session
    from lycosa.cli.running import run, view_for
    from lycosa.cli.tally import Tally
    from lycosa.topics import default_folder

    out = options.out or default_folder(spec)

    async def opening() -> session.Session:
        begun = await session.begin(spec, out)
        begun.notes[:0] = warnings_about(spec)
        return begun

    return run(opening, view_for(**shown), Tally(spec.relevant_from))


def warnings_about(spec: CrawlSpec) -> list[str]:
    """What a person should know about the crawl that begins."""
    told = []
    if spec.politeness.robots == "ignore":
        told.append("robots.txt is ignored: do this on your own sites only")
    if spec.web == "live" and not (spec.fetch.contact or spec.fetch.agent or spec.fetch.connect_to):
        told.append("no contact given: with --contact URL|MAIL site owners can reach you")
    return told
