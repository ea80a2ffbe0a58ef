"""Writes the pages of the manual that are made from the program itself. Run it from anywhere:

    python docs/make_reference.py

`tests/docs/test_docs.py` fails when a page is out of date.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import msgspec

from lycosa.model.naming import Parameter

DOCS = Path(__file__).parent
MADE = "\n<!-- Made by docs/make_reference.py: change the program, not this page. -->\n"

SPEC_PARTS = {
    "CrawlSpec": "Top level of `crawl.toml`",
    "TopicSpec": "`[topic]`",
    "KnowledgeSpec": "`[topic.knowledge]`",
    "ScopeSpec": "`[scope]`",
    "FrontierSpec": "`[frontier]`",
    "PolitenessSpec": "`[politeness]`",
    "FetchSpec": "`[fetch]`",
    "TrapSpec": "`[traps]`",
    "ArchiveSpec": "`[archive]`",
    "JudgeSpec": "`[judge]`",
    "StopSpec": "`[stop]`",
}
TYPES = {
    "Texts": "list of texts",
    "tuple[str, ...]": "list of texts",
    "tuple[Port, ...]": "list of whole numbers from 0 to 65535",
    "str": "text",
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
    "Positive": "whole number, at least 1",
    "Positive | None": "whole number, at least 1",
    "NotNegative": "whole number, at least 0",
    "NotNegative | None": "whole number, at least 0",
    "Seconds": "number, at least 0",
    "Annotated[float, msgspec.Meta(ge=0, le=1000000.0)]": "number, at least 0",
    "Annotated[float, msgspec.Meta(ge=0, le=1)]": "number from 0 to 1",
    "Share": "number from 0 to 1",
    "Annotated[float, msgspec.Meta(ge=0, lt=1)]": "number from 0, below 1",
    "RecallBy": "empty, `held-out` or `captures`",
    "Tie": "`fifo`, `lifo` or `random`",
    "Profile": "empty or `s2`",
    "Literal['obey', 'ignore']": "`obey` or `ignore`",
    "Literal['go-on', 'halt']": "`go-on` or `halt`",
    "Literal['tf', 'tf-idf']": "`tf` or `tf-idf`",
}
EXPLAINED_ELSEWHERE = {
    "PolitenessSpec": ("lycosa.crawl.pace", "PaceRules", {}),
    "TrapSpec": (
        "lycosa.crawl.traps",
        "TrapLimits",
        {"max_url_length": "length", "max_repeats": "repeats", "max_pages_per_host": "pages_per_host"},
    ),
}
"""Keys whose meaning stands with the rule that they set."""
MEANT = {
    ("PolitenessSpec", "robots"): "Whether robots.txt is obeyed. `ignore` is for your own sites only.",
    ("PolitenessSpec", "nofollow"): "Whether links marked nofollow are left alone.",
    (
        "PolitenessSpec",
        "slowness",
    ): "A host rests at least this many times as long as its last answer took, up to 30 s.",
    ("PolitenessSpec", "max_backoff"): "The longest rest after troubles, unless Retry-After asks for more.",
    ("TrapSpec", "off"): "Switches all these defences off.",
    ("TrapSpec", "max_pages_per_host"): "The most pages of one host that may enter. 0: no limit.",
    ("ScopeSpec", "hosts"): "Exact host names, with the port if it is not the default one.",
    ("TopicSpec", "keywords"): "Words and phrases of the topic.",
    ("TopicFile", "profile"): "The values to begin with; see `profile` at the top level.",
    ("CrawlSpec", "seeds"): "The start pages.",
    ("CrawlSpec", "format"): "Version of this tree; a higher one is refused.",
    ("FetchSpec", "connect_timeout"): "The longest to find the address, connect and agree on TLS.",
    ("FetchSpec", "first_byte_timeout"): "The longest silence, before the first byte or later.",
    ("FetchSpec", "total_timeout"): "The longest that one exchange may take as a whole.",
    ("FetchSpec", "max_bytes"): "The most bytes of a decoded body; the rest is cut off.",
    ("FetchSpec", "allow_private"): "Connect to private, loopback and link-local addresses as well.",
    ("FetchSpec", "verify_tls"): "Whether certificates are checked.",
    ("ArchiveSpec", "max_file_bytes"): "Begin a new WARC file after so many bytes.",
}

PYTHON: Sequence[tuple[str, str, Sequence[str]]] = (
    ("Crawling", "lycosa.api", ("crawl", "acrawl", "resume", "refresh", "open")),
    ("A crawl folder", "lycosa.crawls.interface", ("Folder",)),
    ("What is exported", "lycosa.crawls.corpus.selection", ("Selection", "Wanted")),
    ("Rules of an export", "lycosa.crawls.corpus.filters", ("Filters",)),
    ("What the folder of a shared crawl answers besides", "lycosa.crawls.shared.answers", (
        "SharedRow", "SharedHit", "SharedVersion", "SharedMark", "SharedQuestion", "SharedStatus", "NodeStatus",
        "SharedExplanation", "Leg",
    )),
    ("How a crawl was shared", "lycosa.crawls.shared.figures", ("Figures", "NodeFigures")),
    ("Measures of sharing", "lycosa.sharing.measures", ("Volumes", "Traffic", "Balance", "Politeness")),
    ("The map of a crawl", "lycosa.uses.map.places", ("map_of", "tailored", "SiteMap", "Place")),
    ("A crawl and its search engine", "lycosa.uses.symbiosis", ("symbiosis", "Round")),
    (
        "What a folder answers",
        "lycosa.crawls.answers",
        ("Status", "Refreshing", "PageRow", "Hit", "Search", "Found", "FoundPage", "Facet", "FacetValue", "Word",
         "Browse", "Browsed",
         "Explanation", "Waypoint",
         "Mark", "Question", "Version", "TimeMap", "DnsAnswer"),
    ),
    ("One capture", "lycosa.crawls.captured", ("Captured",)),
    ("The stream", "lycosa.crawls.stream", ("Stream", "Streamed", "condition")),
    ("What differs between two texts", "lycosa.crawls.word_difference", ("Piece", "word_difference")),
    ("Memento", "lycosa.crawls.memento", ("accepted", "timegate", "memento_url", "as_links", "as_json")),
    ("DNS history", "lycosa.web.http.dns_history", ("DnsHistory", "DnsFact", "DnsRow")),
    ("What share was found", "lycosa.crawl.recall", ("Estimate",)),
    (
        "Writing a strategy",
        "lycosa.crawl.strategy",
        ("Strategy", "View"),
    ),
    ("What a strategy may look back on", "lycosa.crawl.ports", ("Memory",)),
    (
        "What a strategy answers",
        "lycosa.model.commands",
        ("Enqueue", "Reprioritize", "Forget", "Grant", "Stop"),
    ),
    ("Sharing a crawl: partitions", "lycosa.sharing.registry", ("partition", "partition_names", "describe")),
    ("Their interface", "lycosa.crawl.partition", ("Partition",)),
    ("The base of those that have names", "lycosa.sharing.division", ("Division",)),
    ("Trained classes, as partitions see them", "lycosa.sharing.classes", ("Classes",)),
    ("Who shares a crawl", "lycosa.model.nodes", ("Members", "Handling")),
    ("Records", "lycosa.model.records", ("Page", "Link", "Request", "Failure", "Response", "Reason")),
    ("URLs", "lycosa.model.url", ("canonical", "surt", "host_of", "domain_of", "page_id")),
    ("Robots.txt", "lycosa.web.robots", ("allowed",)),
    ("Reading a page", "lycosa.read.html", ("read",)),
    ("What reading gives", "lycosa.read.document", ("Document",)),
    ("The main text of a page", "lycosa.read.main.main_text", ("main_text",)),
    ("What a page says of itself", "lycosa.read.said", ("MainText", "About")),
    ("The laboratory: recorded webs", "lycosa.lab.webs.lab_web", ("open_web", "LabWeb")),
    ("Their links as arrays", "lycosa.lab.webs.link_graph", ("LinkGraph",)),
    ("Tasks", "lycosa.lab.tasks.task", ("Task", "read_tasks", "write_tasks")),
    ("Start pages", "lycosa.lab.tasks.seeds", ("SeedRules", "with_seeds", "halves", "check", "TaskCheck")),
    (
        "What a crawl leaves",
        "lycosa.lab.measures.trajectory",
        ("Names", "Recorder", "Timed", "Trajectory", "from_journal"),
    ),
    ("The judge", "lycosa.lab.tasks.judge", ("Brief", "Judge")),
    ("Metrics", "lycosa.lab.measures.metrics", (
        "first_hits", "harvest_rate", "average_relevance", "running_window", "target_recall", "reachable_share",
        "search_length", "SearchLength", "hold", "area_under", "distinct", "bytes_fetched", "overlap", "Overlap",
        "overlap_curve", "mean_similarity", "mean_similarity_by_rows", "relative_cost", "performance_per_cost",
    )),
    ("Importance of pages", "lycosa.lab.measures.importance", ("importance", "Reference", "Measure", "Classifier")),
    ("Bounds", "lycosa.lab.measures.bounds", ("chance", "clairvoyant", "oracle", "share_of_the_possible")),
    ("Statistics", "lycosa.lab.measures.statistics", (
        "compare", "compare_all", "Comparison", "estimate", "Estimate", "paired_t", "wilcoxon", "Test",
        "equivalence", "bootstrap_interval", "holm", "cohens_d", "rank_biserial", "power", "pairs_needed",
    )),
    ("Experiments", "lycosa.lab.experiments.experiment", ("Experiment", "load_experiment")),
    ("What experiments are made of", "lycosa.lab.experiments.design", ("Design", "WebSpec")),
    ("What an experiment came to", "lycosa.lab.experiments.results", ("Results",)),
    ("Strategies made of an estimator", "lycosa.strategies.estimator", ("scored_by",)),
    ("An environment for reinforcement learning", "lycosa.lab.kit.gym_env", ("CrawlEnv",)),
    ("Searching for parameters", "lycosa.lab.experiments.tune", ("tune", "Tuning", "Trial")),
    ("Tuning and reporting", "lycosa.lab.tasks.split", ("split", "Split", "read_split", "write_split", "tuned",
        "Tuned")),
    ("Classes of pages", "lycosa.scoring.learning.classes", ("Classes", "Rules")),
    ("Training them", "lycosa.compose.classes",
        ("Training", "trained_classes", "Trained", "examined_classes", "Examined")),
    ("Their labels and files", "lycosa.sources.classes",
        ("labelled_in", "Labelled", "read_classes", "packed", "Made")),
    ("Errors", "lycosa.model.errors", ("LycosaError", "InputError", "FolderError", "StrategyError")),
)  # fmt: skip
CALLED = {name: f"lycosa.{name}" for name in ("crawl", "acrawl", "resume", "refresh", "open")}


def pages() -> dict[Path, str]:
    """Every page that is made, by its path."""
    made = {
        "reference/command-line.md": command_line(),
        "reference/specification.md": specification(),
        "reference/journal.md": journal(),
        "reference/experiments.md": experiments(),
        "reference/python.md": python(),
        "reference/strategies.md": strategies(),
        "strategies/wrappers.md": wrappers(),
        "reference/policies.md": policies(),
        **{f"reference/policies/{name}.md": policy_page(name) for name in _policies()},
        "reference/partitions.md": partitions(),
        "reference/operations.md": operations(),
        "reference/metrics.md": metrics(),
        "reference/agents.md": agents(),
        **{f"strategies/{name}.md": strategy_page(name) for name in _strategies()},
    }
    return {DOCS / name: re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n" for name, text in made.items()}


# -- tools for agents ----------------------------------------------------------------------------------------


def agents() -> str:
    """The tools that `lycosa mcp` gives to AI agents, as the protocol describes them."""
    from lycosa.library.library import Library
    from lycosa.mcp.server import Server

    server = Server(Library([Path()]))
    tools, templates = asyncio.run(server.list_tools()), asyncio.run(server.list_resource_templates())
    parts = [
        "# Tools for AI agents",
        MADE,
        "What `lycosa mcp` gives to an agent. [How to set it up](../how-to/use-from-an-agent.md), and what it may "
        "and may not do. Each tool answers with an object, and with the same as text in JSON. None is longer than "
        "20,000 characters; `next_offset` tells how to get the rest.",
    ]
    for tool in sorted(tools, key=lambda tool: tool.name):
        assert tool.output_schema is not None
        parts += [f"## {tool.name}", tool.description or ""]
        parts += [_table(("argument", "type", "what it is"), map(_argument, *_properties(tool.input_schema)))]
        parts += [_table(("answer", "type", "what it is"), map(_argument, *_properties(tool.output_schema)))]
    parts += [
        "## Resources",
        _table(
            ("resource", "what it is"),
            [("`lycosa://crawls`", "The crawls that are here.")]
            + [(f"`{each.uri_template}`", each.description or "") for each in templates],
        ),
    ]
    return "\n\n".join(parts)


def _properties(schema: Mapping[str, Any]) -> tuple[Iterable[str], Iterable[Mapping[str, Any]]]:
    properties = schema.get("properties", {})
    return properties.keys(), properties.values()


def _argument(name: str, schema: Mapping[str, Any]) -> tuple[str, str, str]:
    options = schema.get("anyOf", [schema])
    kinds = " or ".join(_kind(option) for option in options)
    told = " ".join(schema.get("description", "").split())
    default = schema.get("default")
    if default not in (None, "", [], {}, False):
        told = f"{told} (default: {default})".strip()
    return f"`{name}`", kinds, told


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    bounds = [
        f"{sign}{schema[key]:,}" for key, sign in (("minimum", "≥ "), ("maximum", "≤ ")) if key in schema
    ]
    return " ".join([schema["type"], *bounds])


# -- the command line ----------------------------------------------------------------------------------------


def command_line() -> str:
    """Every command with its options, as click knows them."""
    from lycosa.cli.group import SECTIONS, lycosa

    parts = [
        "# Command line",
        MADE,
        "Every command ends with an [exit code](exit-codes.md) and, on errors, one line that says what is wrong "
        "and what to do. `LYCOSA_DEBUG=1` adds where it happened. Durations are written `90s`, `10m`, `1h30m`, "
        "`2 min` or `.5` (seconds), sizes `500k`, `10M` or `1.5G`, whole numbers also `1e6` or `10_000`. `-o -` writes "
        "to standard output. The shell can [complete](../how-to/complete-in-the-shell.md) commands.",
    ]
    context = click.Context(lycosa, info_name="lycosa", **lycosa.context_settings)
    for section, verbs in SECTIONS.items():
        parts.append(f"## {section}")
        for verb in verbs:
            command = lycosa.get_command(context, verb)
            assert command is not None
            parts += _command(command, f"lycosa {verb}", context)
    return "\n\n".join(parts)


def _command(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    """One command, and those below it."""
    context = click.Context(command, info_name=name, parent=parent)
    yield f"### {name}"
    yield f"```text\n{name} {' '.join(command.collect_usage_pieces(context))}\n```"
    yield _unwrapped(_SHOWN_AS_IT_IS.sub(r"`\1`", inspect.cleandoc(command.help or "")))
    sections: dict[str, list[tuple[str, str]]] = {}
    for option in command.params:
        if isinstance(option, click.Option) and (record := option.get_help_record(context)):
            sections.setdefault(getattr(option, "section", ""), []).append(record)
    # A command keeps its option for help as it was asked for first, under the names that held there.
    if names := [
        each for each in context.help_option_names if all(each not in known.opts for known in command.params)
    ]:
        sections.setdefault("", []).append((", ".join(names), "Show this message and exit."))
    for title, records in sections.items():
        if title and title != "Help":
            yield f"**{title}**"
        yield _table(("option", "meaning"), [(f"`{name}`", _spaced(means)) for name, means in records])
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            below = command.get_command(context, verb)
            assert below is not None
            yield from _command(below, f"{name} {verb}", context)


_SHOWN_AS_IT_IS = re.compile("\b\n(.+)")
"""A line that click does not wrap: a command to copy."""


def _spaced(text: str) -> str:
    """Click sets defaults and bounds in square brackets, which Markdown could take for links."""
    return re.sub(r"(?:\s{2,}|^)\[([^\]]+)\]", r" (\1)", text).strip()


# -- the specification ---------------------------------------------------------------------------------------


def specification() -> str:
    """The keys of crawl.toml and of a topic file."""
    parts = [
        "# crawl.toml and topic files",
        MADE,
        "`crawl.toml` in a crawl's folder is everything that decides what the crawl does. `lycosa crawl` writes it "
        "from its options, with all values spelt out. A topic file, for `--topic-file`, holds a topic and, if you "
        "like, start pages and a scope. Both are [TOML](https://toml.io). A key that is not known is an error that "
        "names the line. Times are in seconds, sizes in bytes. Where no default is given there is no limit. Beside a "
        "key stands the option of [`lycosa crawl`](command-line.md) that sets it, where that sets nothing else.",
        "## Topic file",
        _text_of("lycosa.spec.tree", "TopicFile"),
        "`description`, `examples` and `languages` mean what they mean in `[topic]` below. File names among the "
        "examples are relative to the topic file.",
        _keys("TopicFile"),
    ]
    for name, title in SPEC_PARTS.items():
        parts += [f"## {title}", _text_of("lycosa.spec.tree", name), _keys(name)]
    return "\n\n".join(parts)


def _keys(part: str) -> str:
    import lycosa.spec.tree

    rows = []
    options = {
        field.name: lycosa.spec.tree.option_of(field)
        for field in msgspec.structs.fields(getattr(lycosa.spec.tree, part))
    }
    for name, kind, default, text in _fields("lycosa.spec.tree", part):
        if kind.endswith("Spec"):
            rows.append((f"`{name}`", "table", "", "", f"See `[{name}]`."))
            continue
        option = options[name]
        help_text = option.help if option else _same_key(name)
        told = MEANT.get((part, name)) or text or _meant_elsewhere(part, name) or help_text
        shown = "" if default in ("None", "''", "()") else f"`{_toml(default)}`"
        written = f"`{option.written}`" if option else ""
        rows.append((f"`{name}`", TYPES.get(kind, f"`{kind}`"), shown, written, told))
    return _table(("key", "value", "default", "option", "meaning"), rows)


def _meant_elsewhere(part: str, name: str) -> str:
    if part not in EXPLAINED_ELSEWHERE:
        return ""
    module, rules, names = EXPLAINED_ELSEWHERE[part]
    texts = {field: text for field, _, _, text in _fields(module, rules)}
    return texts.get(names.get(name, name), "")


def _same_key(name: str) -> str:
    """Topic files repeat keys of other parts."""
    for part in ("TopicSpec", "CrawlSpec"):
        for field, _, _, text in _fields("lycosa.spec.tree", part):
            if field == name and (told := text or MEANT.get((part, name))):
                return told
    return ""


def _toml(default: str) -> str:
    values = {
        "FORMAT": "1",
        "LIVE": '"live"',
        "False": "false",
        "True": "true",
        "10 * 1024 * 1024": "10485760",
    }
    return values.get(
        default, default.replace("_", "") if default[0].isdigit() else default.replace("'", '"')
    )


# -- experiments ---------------------------------------------------------------------------------------------


def experiments() -> str:
    """The keys of an experiment's file."""
    kinds = {
        "Mapping[str, str]": "table: name = specification",
        "Mapping[str, WebSpec]": "table of tables",
        "tuple[NotNegative, ...]": "list of whole numbers, at least 0",
        "tuple[int, ...]": "list of whole numbers",
        "Topics": "`all`, `tuning` or `reporting`",
        "Generated | None": "table",
        "Faults | None": "table",
        "Clutter | None": "table",
        "Questions | None": "table",
        "KnowledgeSpec | None": "table",
        "About": "`best`, `doubt` or `both`",
        "Annotated[float, msgspec.Meta(gt=0, le=1)]": "number above 0, up to 1",
        "Mapping[str, ChangingSpec]": "table of tables",
        "Mapping[Rhythm, float]": "table: rhythm = share",
        "ChangingShape | None": "table",
        "TopicalShape": "table",
        "tuple[tuple[float, float], ...]": "list of pairs of numbers",
        "tuple[Annotated[float, msgspec.Meta(gt=0)], ...]": "list of numbers above 0",
        "tuple[str, ...]": "list of texts",
        "Days": "number above 0",
        "Annotated[float, msgspec.Meta(ge=0)]": "number, at least 0",
        "Side": "`all`, `tuning` or `reporting`",
        "Millis": "whole number of milliseconds",
        "Annotated[int, msgspec.Meta(ge=0)]": "whole number, at least 0",
        "Annotated[int, msgspec.Meta(ge=1)]": "whole number, at least 1",
        "Annotated[int, msgspec.Meta(ge=1, le=99)]": "whole number from 1 to 99",
        **TYPES,
    }

    def keys(part: str, module: str = "lycosa.lab.experiments.design", but: Sequence[str] = ()) -> str:
        rows = []
        for name, kind, default, text in _fields(module, part):
            if name in but:
                continue
            shown = "" if default in ("", "''", "()", "None") else f"`{_as_toml(default)}`"
            rows.append((f"`{name}`", kinds.get(kind, f"`{kind}`"), shown, text))
        return _table(("key", "value", "default", "meaning"), rows)

    return "\n\n".join([
        "# Experiments",
        MADE,
        "An experiment is a [TOML](https://toml.io) file for [`lycosa lab run`](command-line.md), or the object "
        "`lycosa.lab.Experiment` with the same names. A key that is not known is an error that names the line.",
        "## Top level",
        _text_of("lycosa.lab.experiments.design", "Design"),
        keys("Design"),
        "A strategy is written as for `lycosa crawl --strategy`, wrappers included, or `@FILE` for what `lycosa lab "
        "tune` wrote. The crawl strategies of other crawlers can be named too: "
        + ", ".join(f"`{name}`" for name in _peers()) + ".",
        "## `[webs.NAME]`",
        _text_of("lycosa.lab.experiments.design", "WebSpec"),
        keys("WebSpec"),
        "Paths are relative to the file; `${NAME}` in them stands for an environment variable. Crawls on webs that "
        "differ in their conditions are kept apart, and a web of a file may have the same path as another.",
        "### `faults`",
        "Whether a URL fails, and how, depends on it and `seed` alone: all strategies meet the same. What a recording "
        "lacks fails as it always does.",
        keys("Faults", "lycosa.web.made.faulty"),
        "### `questions`",
        _text_of("lycosa.lab.tasks.stand_in", "Questions")
        + " Only marks reach the crawl: [ask a model](../how-to/ask-a-model.md).",
        keys("Questions", "lycosa.lab.tasks.stand_in"),
        "### `knowledge`",
        "[What is known of words](../how-to/know-words.md) before the first page.",
        keys("KnowledgeSpec", "lycosa.spec.tree"),
        "### `litter`",
        _text_of("lycosa.lab.webs.clutter", "Clutter")
        + " Nothing of it is a target or relevant, whatever it says. How similar pages are to the description is then "
        "not measured.",
        keys("Clutter", "lycosa.lab.webs.clutter"),
        "### `generated`",
        "A web that is [made up](../how-to/webs-for-experiments.md#a-web-that-is-made-up) as it is crawled. Bounds "
        f"are worked out up to {_number('lycosa.lab.experiments.runner', 'LARGEST_BOUNDED')} pages; strategies that "
        f"ask for "
        "what is made of recorded webs cannot be run.",
        keys("Generated", "lycosa.lab.webs.generated"),
        "What the web looks like:",
        keys("TopicalShape", "lycosa.web.made.ground", but=("hosts",)),
        "## `[revisit]`",
        _text_of("lycosa.lab.time.design", "Revisits")
        + " A file with this table is an experiment with [policies](policies.md) of visiting pages again, and has none "
        "of the tables above. Its tables go to `table.md`, its results to `revisits.jsonl`.",
        keys("Revisits", "lycosa.lab.time.design"),
        "A policy may be a bound, too, that knows how often each page changes: `optimum:freshness`, "
        "`optimum:relevant freshness`, `optimum:topical`. What is measured is told in [measuring a crawler]"
        "(../explanation/measuring.md#in-time).",
        "### `[revisit.webs.NAME]`",
        _text_of("lycosa.lab.time.design", "ChangingSpec"),
        keys("ChangingSpec", "lycosa.lab.time.design"),
        "### `changing`",
        _text_of("lycosa.web.made.lives", "ChangingShape"),
        keys("ChangingShape", "lycosa.web.made.lives"),
        "## What a run leaves",
        _table(("file", "content"), [
            ("`report.html`", "what came of it, one page without scripts or other files"),
            ("`table.md`, `table.tex`, `table.csv`", "means ± standard errors and tests, ready for a paper"),
            ("`results.parquet`", "one row a crawl: what was crawled, all metrics, digests of the crawl and of the "
             "source (`results.csv` without pyarrow)"),
            ("`trajectories.parquet`", "one row a page of each crawl (`trajectories.jsonl` without pyarrow)"),
            ("`experiment.json`", "the experiment, all values spelt out"),
            ("`runs.jsonl`", "when, where and by which command it was run"),
            ("`cells/`, `bounds/`", "the crawls and bounds that are finished: a later run does not repeat them"),
        ]),
    ])  # fmt: skip


def _number(module: str, name: str) -> str:
    return f"{getattr(import_module(module), name):,}"


def _as_toml(default: str) -> str:
    """A default of Python as it would stand in a file."""
    if default.startswith("("):
        return f"[{default.strip('(),')}]"
    named = {
        "SHARE": "0.25",
        "Millis(10000)": "10000",
        "EARLY": "1.0",
        "KINDS": "[[0.49, 11], [0.11, 50], [0.4, 120]]",
        "msgspec.field(default_factory=lambda: dict(RHYTHMS))": (
            "{poisson = 0.55, bursty = 0.2, daily = 0.1, weekly = 0.1, regular = 0.05}"
        ),
        "TopicalShape()": "{}",
    }
    return named.get(default, _toml(default))


def _peers() -> list[str]:
    from lycosa.spec.registry import PEERS

    return sorted(PEERS)


# -- the journal ---------------------------------------------------------------------------------------------


STEPS = {
    "started": "the crawl began with its start pages",
    "page": "a visit brought a page: the first time, or again, with another `change`",
    "unchanged": "a page that was visited again is as it was: the server said so (304), or sent the same bytes",
    "gone": "a page that was there is not there any more (404, 410, or it says so itself)",
    "failure": "a visit brought nothing, see [below](#why-a-visit-failed)",
    "deferred": "a visit had to wait for a turn, and is made later",
    "idled": "nothing new was left to fetch, and the strategy was asked",
    "planned": "it was decided when pages are visited again that the crawl had: the commands say so",
    "recovered": "a run took up what an earlier one had left",
    "marked": "a person, or a model, said of a page whether it is on topic",
    "operated": "somebody outside the strategy gave commands: a person, or a sitemap that names URLs",
    "told": "somebody said that pages changed: a sitemap, a ping",
    "handed-off": "another crawl handed on a link",
    "asked": "somebody wanted something of the run: to stop, to pause, another budget",
    "blocked": "somebody wanted nothing of some hosts to be fetched, or let them in again",
}
"""Kinds of steps, in the order in which one meets them."""


def journal() -> str:
    """The tables of journal.db and the reasons of failures."""
    from lycosa.crawls.why import SAID
    from lycosa.store.database import SCHEMA

    reasons = [(f"`{reason.value}`", words) for reason, words in SAID.items()]
    return "\n\n".join([
        "# journal.db",
        MADE,
        "The journal of a crawl is one SQLite file. It holds every step of the crawl in order, and other tools may "
        "read it at any time, also while the crawl runs. The views `pages` and `failures` are the convenient way in; "
        "column `links` and those below it are packed and are lycosa's own. A failure that was tried again has a row "
        "for each attempt: the last attempt of a URL is the one that counts.",
        "## Tables and views",
        f"```sql\n{SCHEMA.strip()}\n```",
        "The table `meta` holds `format` (the version of these tables), `ended` (why the last run ended; empty while "
        "it runs), `seconds` (what the runs took together), `frontier`, `frontier curve` and `work` (as of the last "
        "checkpoint; `work` is what the strategy tells), and `hardened` (the last step that is safe even from a power "
        "cut).",
        "## Kinds of steps",
        _table(("kind", "what happened"), [(f"`{kind}`", words) for kind, words in STEPS.items()]),
        "## Why a visit failed",
        _table(("reason", "in words"), reasons),
    ])  # fmt: skip


# -- Python --------------------------------------------------------------------------------------------------


def python() -> str:
    """The public names, from their signatures and docstrings."""
    parts = [
        "# Python",
        MADE,
        "`import lycosa` is cheap: parts are loaded when they are first used. The package is typed (`py.typed`). "
        "Records are frozen; times are in milliseconds since the Unix epoch (or since the start of a simulated crawl).",
    ]
    for title, module, names in PYTHON:
        parts += [f"## {title}", f"From `{module}`." if module != "lycosa.api" else ""]
        for name in names:
            parts += _described(module, name)
    return "\n\n".join(filter(None, parts))


def _described(module: str, name: str) -> Iterator[str]:
    node = _definition(module, name)
    yield f"### {CALLED.get(name, name)}"
    if isinstance(node, ast.ClassDef):
        yield _prose(ast.get_docstring(node) or "")
        fields = [(f"`{n}`", f"`{k}`", f"`{d}`" if d else "", t) for n, k, d, t in _fields(module, name)]
        if fields:
            yield _members(name, fields)
        for method in node.body:
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and not method.name.startswith("_"):
                yield _signature(method, "")
                yield _prose(ast.get_docstring(method) or "")
    else:
        yield _signature(node, CALLED.get(name, name))
        yield _prose(ast.get_docstring(node) or "")


def _members(name: str, fields: Sequence[tuple[str, str, str, str]]) -> str:
    if all(kind == "``" for _, kind, _, _ in fields):
        return _table(("value", "meaning"), [(default, text) for _, _, default, text in fields])
    return _table(("field", "type", "default", "meaning"), fields)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, called: str) -> str:
    name = called or node.name
    wait = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    answer = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    arguments = re.sub(r"^(self|cls)(, )?", "", ast.unparse(node.args))
    if any(
        isinstance(one, ast.Name) and one.id in ("property", "cached_property") for one in node.decorator_list
    ):
        return f"```text\n.{name}{answer}\n```"
    line = f"{wait}{'' if called else '.' if node.args.args[:1] and node.args.args[0].arg in ('self', 'cls') else ''}"
    whole = f"{line}{name}({arguments}){answer}"
    if len(whole) > 100:
        inner = ",\n".join(f"    {one}" for one in _split(arguments))
        whole = f"{line}{name}(\n{inner},\n){answer}"
    return f"```text\n{whole}\n```"


def _split(arguments: str) -> list[str]:
    """Arguments at the commas that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(arguments):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            parts.append(arguments[start:at].strip())
            start = at + 1
    return [*parts, arguments[start:].strip()]


# -- strategies ----------------------------------------------------------------------------------------------


def _strategies() -> list[str]:
    """Those that come with lycosa: what other packages bring stands in their manuals."""
    from lycosa.spec.registry import BUILT_IN

    return sorted(BUILT_IN)


def strategies() -> str:
    from lycosa.spec.registry import FAMILIES, describe

    parts = [
        "# Strategies",
        MADE,
        "A strategy says what is worth fetching. Choose one with `--strategy NAME` or "
        "`--strategy NAME:parameter=value,…`; `lycosa strategies NAME` describes it. "
        "[Write your own](../how-to/write-a-strategy.md). What can be put around any of them: "
        "[wrappers](../strategies/wrappers.md).",
    ]
    for family, names in FAMILIES.items():
        infos = [describe(name) for name in names]
        rows = [
            (f"[{info.name}](../strategies/{info.name}.md)", _unwrapped(info.summary), ", ".join(info.inputs))
            for info in infos
        ]
        parts += [f"## {family.capitalize()}", _table(("strategy", "what it does", "needs"), rows)]
    return "\n\n".join([
        *parts,
        "## How they do",
        "The pages of the strategies show how many relevant pages each had found after how many pages fetched, on the "
        "bundled sample web. It is one small web and one topic: take the curves as an illustration, not as a ranking. "
        "On three webs, over all topics: [which crawler should I use?](../explanation/which-crawler.md).",
    ])  # fmt: skip


def strategy_page(name: str) -> str:
    from lycosa.spec.registry import describe

    info = describe(name)
    parts = [f"# {name}", MADE, _prose(info.manual), *_parameters(info.parameters)]
    if info.reference:
        parts += ["## Reference", info.reference]
    caption = DOCS / "images" / "curves.txt"
    parts += [
        "## On the sample web",
        f"![Relevant pages found by {name}, against pages fetched](../images/curve-{name}.svg)",
        caption.read_text(encoding="utf-8").strip() if caption.exists() else "",
    ]
    return "\n\n".join(parts)


def wrappers() -> str:
    from lycosa.spec.registry import describe, wrapper_names

    parts = [
        "# Wrappers",
        MADE,
        "A wrapper goes around any strategy and changes one thing: `--strategy best-first+host-cap:n=20`. Several go "
        "around each other, the first innermost: `--strategy shark+tunnel:steps=2+host-spacing:k=9`. "
        "`lycosa strategies --wrappers` lists them.",
    ]
    for name in wrapper_names():
        info = describe(name)
        parts += [f"## {name}", _prose(info.manual), *_parameters(info.parameters)]
        parts += [f"Reference: {info.reference}"] if info.reference else []
    return "\n\n".join(parts)


# -- policies of visiting again ------------------------------------------------------------------------------


def _policies() -> list[str]:
    from lycosa.revisit.registry import BUILT_IN

    return sorted(BUILT_IN)


def policies() -> str:
    from lycosa.revisit.registry import FAMILIES, describe

    parts = [
        "# Policies of visiting again",
        MADE,
        "A policy says when a page that the crawl has is visited again, and so shares the requests of a day among the "
        "pages. Name one as `NAME` or `NAME:parameter=value,…`; `lycosa policies NAME` describes it. What they go by, "
        "and how ours came about: [visiting pages again](../explanation/revisiting.md).",
    ]
    for family, names in FAMILIES.items():
        infos = [describe(name) for name in names]
        rows = [(f"[{info.name}](policies/{info.name}.md)", _unwrapped(info.summary)) for info in infos]
        parts += [f"## {family.capitalize()}", _table(("policy", "what it does"), rows)]
    parts += [
        "## Parameters of all that give each page a rate",
        _text_of("lycosa.revisit.paced", "Paced"),
        "## Your own",
        _text_of("lycosa.revisit.policy", "Policy"),
        "Packages bring policies by entry points of the group `lycosa.policies`.",
    ]
    return "\n\n".join(parts)


def policy_page(name: str) -> str:
    from lycosa.revisit.registry import describe

    info = describe(name)
    parts = [f"# {name}", MADE, _prose(info.manual), *_parameters(info.parameters)]
    return "\n\n".join([*parts, "## Reference", info.reference] if info.reference else parts)


# -- partitions ----------------------------------------------------------------------------------------------


def partitions() -> str:
    """All on one page."""
    from lycosa.sharing.registry import FAMILIES, describe, needs_classes

    parts = [
        "# Partitions",
        MADE,
        "A partition says which of several crawlers sees to what. Name one as `NAME` or `NAME:parameter=value,…`; "
        "`lycosa partitions NAME` describes it. Which to choose, and what each costs: "
        "[several crawlers, one crawl](../explanation/sharing.md).",
    ]
    for family, names in FAMILIES.items():
        parts.append(f"## {family.capitalize()}")
        for info in map(describe, names):
            needed = ["Needs: classes."] if needs_classes(info.name) else []
            parts += [f"### {info.name}", _prose(info.manual), *_parameters(info.parameters), *needed]
            parts.append(f"Reference: {info.reference}")
    parts += [
        "## Your own",
        _text_of("lycosa.crawl.partition", "Partition"),
        _text_of("lycosa.sharing.division", "Division"),
        "Packages bring partitions by entry points of the group `lycosa.partitions`.",
    ]
    return "\n\n".join(parts)


# -- over HTTP -----------------------------------------------------------------------------------------------


def operations() -> str:
    """The interface for programs, from its OpenAPI description."""
    from lycosa.console.app import OPERATIONS
    from lycosa.console.openapi import described
    from lycosa.console.views.programs import grouped, records

    told = described(OPERATIONS)
    parts = [
        "# Operations over HTTP",
        MADE,
        "[How to use them](../how-to/use-over-http.md). " + told["info"]["description"],
        "Paths are below `/api/v1`, where `openapi.json` has all of this for programs.",
    ]
    for tag, each in grouped(told):
        parts += [f"## {tag['name'].capitalize()}", tag["description"]]
        for method, path, operation in each:
            parts += [f"### {method} {path}", operation["summary"], operation.get("description", "")]
            parts.append(_given(operation))
    parts.append("## Records")
    for name, text, fields in records(told):
        parts += [f"### {name}", _prose(text)]
        parts.append(
            _table(("field", "type", "meaning"), [(f"`{n}`", k, t) for n, k, t in fields]) if fields else ""
        )
    return "\n\n".join(filter(None, parts))


def _given(operation: Mapping[str, Any]) -> str:
    """What an operation is given and gives."""
    from lycosa.console.views.programs import in_short

    rows = [
        (f"`{one['name']}`", one["in"], in_short(one["schema"]), one.get("description", ""))
        for one in operation.get("parameters", ())
    ]
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        rows.append(("", "body", in_short(schema), ""))
    _, answer = next(iter(operation["responses"].items()))
    [(kind, content)] = answer["content"].items()
    gives = (
        in_short(content["schema"]) if kind == "application/json" else answer["description"] + f" ({kind})"
    )
    return _table(("parameter", "in", "type", "meaning"), [*rows, ("", "answer", gives, "")])


def metrics() -> str:
    """What `/metrics` tells."""
    from lycosa.console.metrics import METRICS, OTHERS, STATES

    labels = {"lycosa_build_info": "version", "lycosa_crawls": "state", "lycosa_crawl_state": "crawl, state"}
    labels |= {"lycosa_crawl_info": "crawl, strategy"}
    rows = [(f"`{name}`", "gauge", labels.get(name, "crawl"), text) for name, text in OTHERS.items()]
    rows += [
        (f"`{each.name}`", each.kind, ", ".join(filter(None, ("crawl", each.label))), each.means)
        for each in METRICS
    ]
    return "\n\n".join([
        "# Metrics",
        MADE,
        "`lycosa serve` tells these at `/metrics` in Prometheus' text format: "
        "[monitor crawls](../how-to/monitor-crawls.md). "
        "What can become less is a gauge. Of a crawl that several nodes share they are those of all nodes.",
        _table(("metric", "type", "labels", "meaning"), rows),
        f"States are {', '.join(f'`{state}`' for state in STATES)}; `broken` is a folder that cannot be read.",
    ])  # fmt: skip


# -- tables of parameters ------------------------------------------------------------------------------------


def _parameters(parameters: Sequence[Parameter]) -> list[str]:
    """A table of them, if there are any."""
    from lycosa.cli.described import bounds_in_words, type_in_words

    rows = [
        (
            f"`{one.name}`",
            type_in_words(one),
            "" if one.default is None else f"`{one.default}`",
            bounds_in_words(one),
        )
        for one in parameters
    ]
    return [_table(("parameter", "type", "default", "range"), rows)] if rows else []


# -- reading the program -------------------------------------------------------------------------------------


@cache
def _tree(module: str) -> ast.Module:
    loaded: ModuleType = import_module(module)
    return ast.parse(inspect.getsource(loaded))


def _definition(module: str, name: str) -> ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef:
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return next(node for node in _tree(module).body if isinstance(node, kinds) and node.name == name)


def _fields(module: str, name: str) -> list[tuple[str, str, str, str]]:
    """Name, type, default and docstring of each field of a record, or of each value of an enumeration."""
    node = _definition(module, name)
    found: list[tuple[str, str, str, str]] = []
    for item in node.body:
        match item:
            case ast.AnnAssign(target=ast.Name(id=field)) if not field.startswith("_"):
                default = ast.unparse(item.value) if item.value else ""
                found.append((field, ast.unparse(_without_option(item.annotation)), default, ""))
            case ast.Assign(targets=[ast.Name(id=field)], value=ast.Constant(value=str(value))):
                found.append((field, "", value, ""))
            case ast.Expr(value=ast.Constant(value=str(text))) if found and item is not node.body[0]:
                found[-1] = (*found[-1][:3], " ".join(text.split()).replace("``", "`"))
    return found


def _without_option(annotation: ast.expr) -> ast.expr:
    """The type of a field, without the option that is written into it."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[kind, *more])):
            kept = [each for each in more if not ast.unparse(each).startswith("Option(")]
            bare = ast.Subscript(annotation.value, ast.Tuple([kind, *kept], ast.Load()), ast.Load())
            return bare if kept else kind
    return annotation


def _text_of(module: str, name: str) -> str:
    return _prose(ast.get_docstring(_definition(module, name)) or "")


# -- Markdown ------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _prose(text: str) -> str:
    """A docstring as Markdown: roles undone, examples fenced, lines of a paragraph joined."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    text = re.sub(r"^ {4}(?=>>>|\.\.\. )", "", text, flags=re.MULTILINE)
    parts = [_fenced(part) if ">>>" in part else _unwrapped(part) for part in text.split("\n\n")]
    return "\n\n".join(parts)


def _fenced(part: str) -> str:
    return f"```pycon\n{part}\n```"


def _unwrapped(text: str) -> str:
    """Paragraphs and list items on one line each."""
    return re.sub(r"(?<=\S)\n(?!\n|\s*\*)\s*", " ", text)


def main() -> None:
    out_of_date: Mapping[Path, str] = {
        path: text
        for path, text in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in out_of_date.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {path.relative_to(DOCS.parent)}\n")


if __name__ == "__main__":
    main()
