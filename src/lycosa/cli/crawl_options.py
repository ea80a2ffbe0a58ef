"""The options that crawls are given: made from the fields of the specification, by sections that verbs share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import click
from msgspec import inspect
from msgspec.structs import FieldInfo, fields

from lycosa.cli.completion import PARTITION, POLICY, STRATEGY, WEB
from lycosa.cli.values import (
    SectionedOption,
    Whole,
    as_factor,
    as_harvest_floor,
    as_rate,
    as_share,
    duration,
    size_in_bytes,
    size_or_none,
)
from lycosa.spec.tree import CrawlSpec, Option, Part, is_part, option_of

STOP, POLITE, NETWORK, OUTPUT = "When to stop before the budget is used up", "Politeness", "Network", "Output"
AGAIN = "Visiting pages again"
SHARED = "Several crawlers"
BROWSER = "Pages made by scripts, and what pages show"
PAGE = "The page in your browser"
LOGIN = "Sites that let you in"
JUDGE = "A language model that is asked about a few pages"
SECTIONS: Mapping[str, str] = {
    "Topic and strategy": "like hold_out topic_file strategy profile relevant language",
    "Other ways to say what is relevant": "taxonomy good ontology focus model trust_model predicate function on_fault "
    "like_start_pages weighting",
    JUDGE: "judge judge_calls judge_tokens",
    "What is known of words": "word_frequencies thesaurus vectors",
    "What strategies learn from": "back_links learn_from log ranking database",
    "Limits and place": "pages requests link_rot time out web web_cache dedup_against begins seed max_frontier tie",
    AGAIN: "refresh every rate share queries",
    STOP: "stop_below stop_at_recall recall_by surely stop_after bytes",
    "Scope: where the crawl may go": "same_host host domain prefix include exclude depth max_hosts port",
    "More start pages": "seeds_from sitemap sitemaps feeds",
    POLITE: "delay order patience ignore_robots purpose agent contact sign_key sign_agent",
    NETWORK: "width connect_to proxy allow_private insecure cookies referer max_time connect_timeout max_filesize",
    BROWSER: "render render_per_host render_pages scroll requisites requisites_from",
    LOGIN: "logins netrc_file load_cookies",
    SHARED: "nodes partition classes",
    OUTPUT: "json log_json quiet verbose",
    PAGE: "serve",
}
"""Where the help texts show which options, in this order."""

Command = TypeVar("Command", bound=Callable[..., object])
Decorator = Callable[[Command], Command]


class Besides(Part, frozen=True, kw_only=True):
    """What is written of a crawl that is no plain image of one field of its specification."""

    topic_file: Annotated[
        Path | None,
        Option(
            "--topic-file FILE",
            "Read the topic from a TOML file: keywords, description, examples, languages, seeds, [scope].",
        ),
    ] = None
    out: Annotated[
        Path | None,
        Option("-o, --out DIR", "Write the crawl into this new folder.", default="named after the topic"),
    ] = None
    stop_below: Annotated[
        tuple[float, int | None] | None,
        Option(
            "--stop-below RATE[:N]",
            "Stop when so few of the last N pages are relevant: 5%, or 5%:200.",
            default="off; N: 100",
        ),
    ] = None
    same_host: Annotated[bool, Option("--same-host", "Stay on the hosts of the start pages.")] = False
    json: Annotated[bool, Option("--json", "Write what happens as JSON, one object a line.")] = False
    log_json: Annotated[
        bool, Option("--log-json", "Write a log to standard error, one JSON object a line, and nothing else.")
    ] = False
    quiet: Annotated[bool, Option("-q, --quiet", "Write nothing but errors.")] = False
    verbose: Annotated[bool, Option("-v, --verbose", "Show each visit, a line each.")] = False
    serve: Annotated[
        bool, Option("--serve", "Open the crawl's page, to watch and steer it (needs lycosa[serve]).")
    ] = False


READ_AS: Mapping[str, Any] = {
    "TIME": duration,
    "SHARE": as_share,
    "X": as_share,
    "FACTOR": as_factor,
    "N/TIME": as_rate,
    "RATE[:N]": as_harvest_floor,
    "NAME[:K=V,…]": STRATEGY,
    "POLICY[:K=V,…]": POLICY,
    "KIND[:K=V,…]": PARTITION,
    "WEB": WEB,
    **dict.fromkeys(("FILE", "DIR", "FILE|DIR", "DIR|FILE", "URL|FILE"), click.Path()),
}
"""How a value is read, by the word that stands for it, where its type alone does not tell."""


def crawl_options(*sections: str, default: str = "") -> Decorator[Any]:
    """The options of some sections. `default` is what holds without them, where that is the same for all."""
    known = {option.name: (field, option) for field, option in (*options_of(CrawlSpec), *options_of(Besides))}
    made = [
        _made(*known[name], section, default) for section in sections for name in SECTIONS[section].split()
    ]

    def decorate(command: Command) -> Command:
        for option in reversed(made):
            command = option(command)
        return command

    return decorate


def options_of(part: type[Part]) -> Iterator[tuple[FieldInfo, Option]]:
    """The fields of a part and of the parts below it that have an option, each with it."""
    for field in fields(part):
        if is_part(field.type):
            yield from options_of(field.type)
        elif option := option_of(field):
            yield field, option


def _made(field: FieldInfo, option: Option, section: str, default: str) -> Decorator[Any]:
    """One option as click has it. Not written it is None, or empty if it may be repeated."""
    names = [word.rstrip(",") for word in option.written.split() if word.startswith("-")]
    metavar = next((word for word in option.written.split() if not word.startswith("-")), None)
    kind, many = _kind_of(field)
    flag = isinstance(kind, inspect.BoolType) or option.sets is not True
    told = default or option.default or ("" if flag else _in_words(field.default, kind, metavar))
    shape: dict[str, Any] = (
        {"is_flag": True, "flag_value": option.sets, "default": None}
        if flag
        else {"type": _read_as(kind, metavar, field), "multiple": many, "metavar": metavar}
    )
    again = " Repeatable." if many and "Repeatable" not in option.help else ""
    return click.option(
        *names,
        cls=SectionedOption,
        section=section,
        envvar=option.variable or None,
        help=f"{option.help}{again}{f'  [default: {told}]' if told else ''}",
        **shape,
    )


def _kind_of(field: FieldInfo) -> tuple[inspect.Type, bool]:
    """The type of one value, and whether there may be many."""
    kind = inspect.type_info(field.type)
    if isinstance(kind, inspect.VarTupleType):
        return kind.item_type, True
    if isinstance(kind, inspect.UnionType):
        return next(one for one in kind.types if not isinstance(one, inspect.NoneType)), False
    return kind, False


def _read_as(kind: inspect.Type, metavar: str | None, field: FieldInfo) -> Any:
    match kind:
        case inspect.LiteralType():  # its own values are sorted, ours are not
            return click.Choice([value for value in get_args(get_args(field.type)[0]) if value])
        case inspect.CustomType(cls=cls):
            return click.Path(path_type=cls)
        case inspect.IntType(ge=least) if metavar == "SIZE":
            return size_or_none if least == 0 else size_in_bytes
        case inspect.IntType(ge=None, le=None):
            return int
        case inspect.IntType(ge=least, le=most):
            return Whole(least, most)
        case _:
            return READ_AS.get(metavar or "", str)


def _in_words(value: Any, kind: inspect.Type, metavar: str | None) -> str:
    """A default as a person would write it, empty if it says nothing."""
    if (value is None and isinstance(kind, inspect.IntType)) or (value == 0 and metavar in ("TIME", "SIZE")):
        return "no limit"
    if isinstance(value, float):
        return f"{value:g}s" if metavar == "TIME" else f"{value:g}"
    return str(value) if isinstance(value, int | str) else ""
