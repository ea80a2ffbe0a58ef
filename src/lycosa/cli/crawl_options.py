"""The options that crawls are given, by groups that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from lycosa.cli.completion import STRATEGY, WEB
from lycosa.cli.values import (
    SectionedOption,
    Whole,
    as_harvest_floor,
    as_share,
    duration,
    size_in_bytes,
    size_or_none,
)

TOPIC, LIMITS, SCOPE = "Topic and strategy", "Limits and place", "Scope: where the crawl may go"
JUDGES, LESSONS = "Other ways to say what is relevant", "What strategies learn from"
STOP = "When to stop before the budget is used up"
STARTS, POLITE, NETWORK, OUTPUT = "More start pages", "Politeness", "Network", "Output"

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
    _option(
        TOPIC,
        "--like",
        type=click.Path(),
        multiple=True,
        metavar="URL|FILE",
        help="Give a page about the topic. Repeatable.",
    ),
    _option(
        TOPIC,
        "--hold-out",
        type=as_share,
        metavar="SHARE",
        help="Hide this share of the example URLs from the crawl: how many it finds tells its recall.  [default: 0]",
    ),
    _option(
        TOPIC,
        "--topic-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Read the topic from a TOML file: keywords, description, examples, languages, seeds, [scope].",
    ),
    _option(
        TOPIC,
        "--strategy",
        type=STRATEGY,
        metavar="NAME[:K=V,…]",
        help="Choose what is fetched first: lycosa strategies lists the ways.  [default: hunter]",
    ),
    _option(
        TOPIC,
        "--profile",
        type=click.Choice(["s2"]),
        help="Crawl as published experiments did: 10 KB a page, 2,048 URLs wait, no rests on recorded webs.",
    ),
    _option(
        TOPIC,
        "--relevant",
        type=as_share,
        metavar="X",
        help="Count pages as relevant from this relevance on, in [0, 1].  [default: 0.1]",
    ),
    _option(
        TOPIC,
        "--language",
        multiple=True,
        metavar="NAME",
        help="Count only pages in this language as relevant: en or English. Repeatable.  [default: any]",
    ),
)
judge_options = _all(
    _option(
        JUDGES,
        "--taxonomy",
        type=click.Path(),
        metavar="FILE|DIR",
        help="Judge pages by categories with example pages: JSON, TOML or folders.",
    ),
    _option(
        JUDGES,
        "--good",
        multiple=True,
        metavar="PATH",
        help="Look for this category of the taxonomy. Repeatable.",
    ),
    _option(
        JUDGES,
        "--ontology",
        type=click.Path(),
        metavar="FILE",
        help="Judge pages by concepts and their relations: OWL, RDF or SKOS.",
    ),
    _option(
        JUDGES,
        "--focus",
        multiple=True,
        metavar="CONCEPT",
        help="Look for this concept of the ontology. Repeatable.",
    ),
    _option(
        JUDGES,
        "--model",
        type=click.Path(),
        metavar="FILE",
        help="Judge pages by a trained model: of lycosa topic train, or a pickled scikit-learn pipeline.",
    ),
    _option(JUDGES, "--trust-model", is_flag=True, help="Load a pickled model, which runs the code in it."),
    _option(
        JUDGES,
        "--predicate",
        metavar="EXPR",
        help="Judge pages by an expression that is true of relevant ones: word(…) and not url(…).",
    ),
    _option(
        JUDGES,
        "--function",
        metavar="MODULE:NAME",
        help="Judge pages by a Python function from page to relevance.",
    ),
    _option(
        JUDGES,
        "--on-fault",
        type=click.Choice(["go-on", "halt"]),
        help="Go on or halt when a model, a predicate or a function fails on a page.  [default: go-on]",
    ),
    _option(
        JUDGES, "--like-start-pages", is_flag=True, help="Take the start pages as pages about the topic."
    ),
    _option(
        JUDGES,
        "--weighting",
        type=click.Choice(["tf", "tf-idf"]),
        help="Count all words alike (tf), or words that many pages have less (tf-idf).  [default: tf]",
    ),
)
lesson_options = _all(
    _option(
        LESSONS,
        "--back-links",
        type=click.Path(),
        multiple=True,
        metavar="DIR|FILE",
        help="Learn which pages lead to the topic, from an earlier crawl, a recorded web, or a file of lines "
        "URL BACK-LINK. Repeatable.",
    ),
    _option(
        LESSONS,
        "--learn-from",
        type=click.Path(),
        multiple=True,
        metavar="DIR",
        help="Learn from an earlier crawl or a recorded web. Repeatable.",
    ),
    _option(
        LESSONS,
        "--log",
        "logs",
        type=click.Path(),
        multiple=True,
        metavar="FILE",
        help="Learn from a log of a web server or a proxy. Repeatable.",
    ),
    _option(
        LESSONS,
        "--ranking",
        type=click.Path(),
        metavar="FILE",
        help="Rank links as a file says that lycosa evolve wrote.",
    ),
    _option(
        LESSONS,
        "--database",
        type=click.Path(),
        metavar="FILE",
        help="Begin with pages that earlier crawls found: a file of lycosa database.",
    ),
)
limit_options = _all(
    _option(LIMITS, "--pages", type=Whole(1), metavar="N", help="Stop after so many pages.  [default: 1000]"),
    _option(
        LIMITS,
        "--time",
        type=duration,
        metavar="TIME",
        help="Stop after so long: 10m, 1h30m.  [default: no limit]",
    ),
    _option(
        LIMITS,
        "-o",
        "--out",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Write the crawl into this new folder.  [default: named after the topic]",
    ),
    _option(
        LIMITS,
        "--web",
        type=WEB,
        metavar="WEB",
        help="Crawl the live web, or a recorded one: PATH[,PATH].  [default: live]",
    ),
    _option(
        LIMITS,
        "--seed",
        type=int,
        metavar="N",
        help="Repeat random choices: the same number gives the same ones.  [default: 0]",
    ),
    _option(
        LIMITS,
        "--max-frontier",
        type=Whole(1),
        metavar="N",
        help="Let so many URLs wait, and drop the worst beyond.  [default: no limit]",
    ),
    _option(
        LIMITS,
        "--tie",
        type=click.Choice(["fifo", "lifo", "random"]),
        help="Fetch the first, the last or any of the URLs with equal scores.  [default: fifo]",
    ),
)


def stop_options(default: str = "") -> Decorator[Any]:
    """When to stop. `default` is what holds without the option, where that is the same for all."""

    def of(usual: str) -> str:
        return f"  [default: {default or usual}]"

    return _all(
        _option(
            STOP,
            "--stop-below",
            type=as_harvest_floor,
            metavar="RATE[:N]",
            help=f"Stop when so few of the last N pages are relevant: 5%, or 5%:200.{of('off; N: 100')}",
        ),
        _option(
            STOP,
            "--stop-at-recall",
            type=as_share,
            metavar="SHARE",
            help=f"Stop when this share of all relevant pages is found, by estimate: 80%.{of('off')}",
        ),
        _option(
            STOP,
            "--recall-by",
            type=click.Choice(["held-out", "captures"]),
            help=f"Estimate that by examples held out, or by capture–recapture.{of('held-out, if any')}",
        ),
        _option(
            STOP,
            "--surely/--not-surely",
            default=None,
            help=f"Go by the lower end of the estimate's interval, or by the estimate.{of('not surely')}",
        ),
        _option(
            STOP,
            "--stop-after",
            type=Whole(0),
            metavar="N",
            help=f"Fetch so many pages before a rule of harvest or recall may stop the crawl.{of('100')}",
        ),
        _option(
            STOP,
            "--bytes",
            type=size_or_none,
            metavar="SIZE",
            help=f"Stop when the archived pages take so much space: 500M, 1.5G.{of('no limit')}",
        ),
    )


scope_options = _all(
    _option(SCOPE, "--same-host", is_flag=True, help="Stay on the hosts of the start pages."),
    _option(SCOPE, "--host", multiple=True, metavar="HOST", help="Stay on this host. Repeatable."),
    _option(
        SCOPE,
        "--domain",
        multiple=True,
        metavar="DOMAIN",
        help="Stay on this domain and the hosts below it. Repeatable.",
    ),
    _option(
        SCOPE,
        "--prefix",
        multiple=True,
        metavar="SURT",
        help="Stay below this place, written like org,example)/docs. Repeatable.",
    ),
    _option(
        SCOPE,
        "--include",
        multiple=True,
        metavar="REGEX",
        help="Fetch only URLs that match this. Repeatable: one match is enough.",
    ),
    _option(
        SCOPE, "--exclude", multiple=True, metavar="REGEX", help="Leave out URLs that match this. Repeatable."
    ),
    _option(
        SCOPE,
        "--depth",
        type=Whole(0),
        metavar="N",
        help="Follow so many links from a start page.  [default: no limit]",
    ),
    _option(
        SCOPE,
        "--port",
        multiple=True,
        type=Whole(0, 65_535),
        metavar="N",
        help="Follow links to this port too, besides 80, 443 and those of the start pages; 0: any. Repeatable.",
    ),
)
start_options = _all(
    _option(
        STARTS,
        "--sitemap",
        multiple=True,
        metavar="URL",
        help="Read start pages from this sitemap. Repeatable.",
    ),
    _option(
        STARTS, "--sitemaps", is_flag=True, help="Read start pages from the sitemaps that robots.txt names."
    ),
)
polite_options = _all(
    _option(
        POLITE,
        "--delay",
        type=duration,
        metavar="TIME",
        help="Wait so long between two visits to a host: 2, 500ms.  [default: 1s]",
    ),
    _option(
        POLITE,
        "--ignore-robots",
        is_flag=True,
        help="Fetch what robots.txt forbids: on your own sites only.",
    ),
    _option(
        POLITE,
        "--agent",
        metavar="TEXT",
        help="Send this User-Agent.  [default: lycosa, its version and the contact]",
    ),
    _option(
        POLITE,
        "--contact",
        metavar="TEXT",
        envvar="LYCOSA_CONTACT",
        help="Tell site owners your URL or e-mail address.  [default: LYCOSA_CONTACT, if set]",
    ),
)
network_options = _all(
    _option(
        NETWORK, "--width", type=Whole(1), metavar="N", help="Make so many visits at a time.  [default: 32]"
    ),
    _option(
        NETWORK,
        "--connect-to",
        multiple=True,
        metavar="HOST:PORT:ADDR:PORT",
        help="Connect elsewhere, as curl does: * or nothing matches any host or port. Repeatable.",
    ),
    _option(NETWORK, "--proxy", metavar="URL", help="Send all requests through this HTTP proxy."),
    _option(
        NETWORK, "--allow-private", is_flag=True, help="Connect to private and loopback addresses as well."
    ),
    _option(NETWORK, "-k", "--insecure", is_flag=True, help="Do not verify TLS certificates."),
    _option(NETWORK, "--cookies", is_flag=True, help="Keep cookies and send them back."),
    _option(
        NETWORK,
        "--max-time",
        type=duration,
        metavar="TIME",
        help="Give a request up after so long.  [default: 60s]",
    ),
    _option(
        NETWORK,
        "--connect-timeout",
        type=duration,
        metavar="TIME",
        help="Give connecting up after so long.  [default: 10s]",
    ),
    _option(
        NETWORK,
        "--max-filesize",
        type=size_in_bytes,
        metavar="SIZE",
        help="Cut pages off at this size.  [default: 10M]",
    ),
)
output_options = _all(
    _option(OUTPUT, "--json", is_flag=True, help="Write what happens as JSON, one object a line."),
    _option(OUTPUT, "-q", "--quiet", is_flag=True, help="Write nothing but errors."),
    _option(OUTPUT, "-v", "--verbose", is_flag=True, help="Show each visit, a line each."),
)
