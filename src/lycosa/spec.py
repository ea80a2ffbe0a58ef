"""The full specification of a crawl, as one frozen tree that a TOML file or the command line's options fill in."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import tomli_w

from lycosa.frontier.protocol import Tie
from lycosa.model.errors import InputError

FORMAT = 1
"""Version of the tree. A folder that was written with a higher one is refused, not misread."""

Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[int, msgspec.Meta(ge=0)]
Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""Up to thirty years: finite, so that it can be counted in milliseconds."""


RecallBy = Literal["", "held-out", "captures"]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen part of a specification; a key that it does not know is an error, not a surprise."""


class TopicSpec(Part, frozen=True, kw_only=True):
    """What the crawl is about."""

    keywords: tuple[str, ...] = ()
    description: str = ""
    """A text about the topic. It counts like a page about it."""
    examples: tuple[str, ...] = ()
    """Pages about the topic: URLs or files."""
    hold_out: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    """Hide this share of the example pages given by URL from the crawl, those of the taxonomy's good categories too:
    how many of them it finds tells its recall. Start pages are never hidden."""
    languages: tuple[str, ...] = ()
    """By ISO 639-1 code or by name; a page in another known language has relevance 0. Empty: any."""
    taxonomy: str = ""
    """A JSON or TOML file, or a folder of folders of example pages."""
    good: tuple[str, ...] = ()
    """The categories of the taxonomy to look for, as paths such as `Sports/Cycling`."""
    ontology: str = ""
    """An OWL, RDF or SKOS file."""
    focus: tuple[str, ...] = ()
    """The concepts of the ontology to look for, by name or label."""
    model: str = ""
    """A file made by `lycosa topic train`, or a pickled scikit-learn pipeline."""
    trust_model: bool = False
    """Load a pickled model, although loading it runs the code in it."""
    predicate: str = ""
    """An expression that is true of relevant pages."""
    function: str = ""
    """`package.module:name` of a function from page to relevance."""
    on_fault: Literal["go-on", "halt"] = "go-on"
    """What to do when a predicate, a pickled model or a function fails on a page: `go-on` keeps the page, with
    relevance 0, `halt` stops the crawl."""
    like_start_pages: bool = False
    """Take the start pages, as one text, for a text about the topic."""
    weighting: Literal["tf", "tf-idf"] = "tf"
    """How words of keywords, description and start pages count: `tf` all alike, `tf-idf` less if more pages of the
    crawl so far have them."""
    back_links: tuple[str, ...] = ()
    """Where to learn which pages lead to the topic: earlier crawls, recorded webs, files of lines `URL BACK-LINK`."""
    learn_from: tuple[str, ...] = ()
    """Earlier crawls or recorded webs to learn from."""
    logs: tuple[str, ...] = ()
    """Web server or proxy logs."""
    ranking: str = ""
    """A file made by `lycosa evolve`."""
    database: str = ""
    """A page database, with pages of earlier crawls to begin with."""

    @property
    def says_something(self) -> bool:
        """Whether there is something to judge pages by."""
        words = self.keywords or self.description or self.examples or self.like_start_pages
        return bool(words or self.taxonomy or self.ontology or self.model or self.predicate or self.function)


class ScopeSpec(Part, frozen=True, kw_only=True):
    """Where the crawl may go. A URL must fit one of hosts, domains and prefixes, where any is given."""

    hosts: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    """SURT prefixes, such as `org,example)/docs`."""
    include: tuple[str, ...] = ()
    """Regular expressions: a URL must match at least one of them, anywhere in it."""
    exclude: tuple[str, ...] = ()
    """Regular expressions: a URL may match none of them, anywhere in it."""
    depth: NotNegative | None = None
    """The most links from a start page. None: no limit."""
    ports: tuple[Port, ...] = ()
    """Ports of the live web besides 80, 443 and those that start pages, sitemaps and places name; 0: any."""


Profile = Literal["", "s2"]
"""Names of sets of values for a whole crawl; see `lycosa.profiles.base_spec`."""


class TopicFile(TopicSpec, frozen=True, kw_only=True):
    """What `--topic-file` may hold: a topic and, in `[scope]`, where to look for it."""

    seeds: tuple[str, ...] = ()
    scope: ScopeSpec = ScopeSpec()
    profile: Profile = ""


class FrontierSpec(Part, frozen=True, kw_only=True):
    capacity: Positive | None = None
    """The most URLs that may wait; beyond that the worst are dropped. None: no limit."""
    tie: Tie = "fifo"


class PolitenessSpec(Part, frozen=True, kw_only=True):
    """Times in seconds; see `lycosa.crawl.pace.PaceRules` for what each one does."""

    delay: Seconds = 1.0
    slowness: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 1.0
    backoff: Seconds = 5.0
    max_backoff: Seconds = 900.0
    max_crawl_delay: Seconds = 300.0
    attempts: Positive = 3
    give_up: Positive = 7
    robots: Literal["obey", "ignore"] = "obey"
    nofollow: Literal["obey", "ignore"] = "obey"


class FetchSpec(Part, frozen=True, kw_only=True):
    """How pages are fetched from the live web. Times in seconds, sizes in bytes."""

    agent: str = ""
    """The User-Agent to send. Empty: lycosa, its version and the contact."""
    contact: str = ""
    """A URL or e-mail address at which a site's owner can reach you; part of the User-Agent."""
    width: Positive = 32
    """The most visits at a time."""
    connect_timeout: Seconds = 10.0
    first_byte_timeout: Seconds = 20.0
    total_timeout: Seconds = 60.0
    max_bytes: Positive = 10 * 1024 * 1024
    max_links: NotNegative = 3_000
    """Distinct targets of a page; the links behind are left out, and `lycosa why` tells how many. 0: all count."""
    connect_to: tuple[str, ...] = ()
    """`HOST:PORT:ADDRESS:PORT` as curl has it; `*` or nothing matches any host or port."""
    proxy: str = ""
    allow_private: bool = False
    verify_tls: bool = True
    cookies: bool = False


class TrapSpec(Part, frozen=True, kw_only=True):
    """Bounds against endless sites; see `lycosa.crawl.traps.TrapLimits`. None: that defence's own default, 0: none."""

    off: bool = False
    max_url_length: NotNegative | None = None
    max_repeats: NotNegative | None = None
    """Refuse a URL whose path has so many equal segments."""
    max_pages_per_host: NotNegative | None = None


class StopSpec(Part, frozen=True, kw_only=True):
    """When to end before the budget is used up; see `lycosa.crawl.stopping.StopRules`. A rule of 0 is off."""

    harvest: Share = 0.0
    """End when the share of relevant pages among the last `window` pages falls below this; first it must have risen."""
    window: Positive = 100
    """Pages over which the harvest rate is taken."""
    recall: Share = 0.0
    """End when this share of all relevant pages is found, by estimate."""
    recall_by: RecallBy = ""
    """Which estimate counts: that by held-out examples, or by capture–recapture. Empty: by held-out examples if there
    are any."""
    surely: bool = False
    """Go by the lower end of the estimate's 95 % interval."""
    bytes: NotNegative = 0
    """End when the archived pages take so many bytes, compressed."""
    after: NotNegative = 100
    """Fetch so many pages before the rules of harvest and recall may end the crawl."""


class ArchiveSpec(Part, frozen=True, kw_only=True):
    max_file_bytes: Positive = 1_000_000_000
    revisit_records: bool = True
    """Keep identical pages once, and refer to the first afterwards."""


LIVE, RECORDED = "live", "recorded:"


def recordings_in(web: str) -> list[Path]:
    """The files and folders of a recorded web, written `recorded:PATH[,PATH]` or `PATH[,PATH]`; none of the live one.

    A path that has a comma itself is one path if it is there.
    """
    if web == LIVE:
        return []
    written = web.removeprefix(RECORDED)
    parts = [written] if Path(written).exists() else written.split(",")
    return [Path(part) for part in parts if part]


class CrawlSpec(Part, frozen=True, kw_only=True):
    """Everything that decides what a crawl does. `crawl.toml` in its folder is this tree."""

    topic: TopicSpec = TopicSpec()
    seeds: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    """Sitemaps, as URLs: their entries are start pages, too."""
    use_sitemaps: bool = False
    """Read the sitemaps that robots.txt of the start pages' hosts names, too."""
    strategy: str = "hunter"
    """`NAME` or `NAME:parameter=value,…`."""
    pages: Positive = 1_000
    """The budget: the crawl ends after so many pages. Failures do not count."""
    seconds: Seconds = 0.0
    """The longest that a run may take. 0: no limit."""
    seed: int = 0
    web: str = LIVE
    """`live`, or of a recorded web `PATH[,PATH]`, also written `recorded:PATH[,PATH]`."""
    relevant_from: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.1
    """Pages count as relevant from this relevance on, in the harvest rate and in the list of best pages."""
    profile: Profile = ""
    """The set of values that this specification started from. It is kept for the record: the values themselves stand in
    the other keys. `s2` crawls as published experiments did (Menczer, Pant and Srinivasan 2004)."""
    scope: ScopeSpec = ScopeSpec()
    frontier: FrontierSpec = FrontierSpec()
    politeness: PolitenessSpec = PolitenessSpec()
    fetch: FetchSpec = FetchSpec()
    traps: TrapSpec = TrapSpec()
    archive: ArchiveSpec = ArchiveSpec()
    stop: StopSpec = StopSpec()
    format: int = FORMAT
    lycosa: str = ""
    """The version that began the crawl."""


PartType = TypeVar("PartType", bound=Part)


def load(path: Path, kind: type[PartType]) -> PartType:
    """Read a part from a TOML file. Raises `InputError` that names the file, the line and what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    if kind is CrawlSpec and (lacking := _lacking(text)):
        raise InputError(
            f"{path}: {lacking} is missing, so the file is cut or not a crawl's; bring back a copy of it"
        )
    return parse(text, kind, str(path))


def _lacking(text: str) -> str:
    """Which of the parts is not there that are written of every crawl, empty if all are or if it is no TOML at all.

    Without this an empty file would be a specification: of another crawl, on the live web.
    """
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return ""
    parts = [field.name for field in msgspec.structs.fields(CrawlSpec) if is_part(field.type)]
    if absent := [name for name in ("format", "lycosa", "seeds", *parts) if name not in tree]:
        return absent[0]
    stop = tree["stop"]
    return "" if not isinstance(stop, dict) or "after" in stop else "stop.after"  # the last line of all


def is_part(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Part)


def parse(text: str, kind: type[PartType], name: str) -> PartType:
    """Read a part from TOML text; `name` says in errors where the text came from."""
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: is not TOML: {error}") from None
    if (version := tree.get("format", FORMAT)) != FORMAT and kind is CrawlSpec:
        raise InputError(
            f"{name}: written in format {version}, this lycosa reads {FORMAT}; use a newer lycosa"
        )
    try:
        return msgspec.convert(tree, kind)
    except msgspec.ValidationError as error:
        raise InputError(_explain(str(error), text, kind, name)) from None


def save(spec: Part, path: Path) -> None:
    """Write a part as TOML, all values spelt out; what is None is left out."""
    write_whole(path, tomli_w.dumps(_without_none(msgspec.to_builtins(spec))).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a small file so that a crash, at whatever moment, leaves the old one or the new one."""
    new = unfinished(path)
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def unfinished(path: Path) -> Path:
    """Where a file is written before it takes its place."""
    return path.with_name(f".{path.name}.new")


def _without_none(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _without_none(value) for key, value in tree.items() if value is not None}
    return list(tree) if isinstance(tree, tuple) else tree


def _explain(message: str, text: str, kind: type[Part], name: str) -> str:
    """msgspec names the place by a path such as `$.scope.hosts[0]`; a person looks for a line."""
    what, _, where = message.partition(" - at `$")
    path = [part for part in re.split(r"[.\[\]`]+", where) if part and not part.isdigit() and part != "..."]
    if unknown := re.search(r"unknown field `(.*?)`", what):
        key = unknown[1]
        what = f"there is no key {key!r} here{_closest(key, _fields_at(kind, path))}"
        path = [*path, key]
    line = _line_of(path, text)
    return (
        f"{name}{f', line {line}' if line else ''}: {f'{path[-1]}: ' if path and not unknown else ''}{what}"
    )


def _fields_at(kind: type[Part], path: list[str]) -> list[str]:
    for step in path:
        types = {field.name: field.type for field in msgspec.structs.fields(kind)}
        if not is_part(types.get(step)):
            return []
        kind = types[step]
    return [field.name for field in msgspec.structs.fields(kind)]


def _line_of(path: list[str], text: str) -> int | None:
    """The line on which a key of a table is set."""
    table, wanted = "", (".".join(path[:-1]), path[-1] if path else "")
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            table = header[1].replace('"', "").replace(" ", "")
            if table == ".".join(path):
                return number
        elif (key := re.match(r"\s*([\w.\"'-]+)\s*=", line)) and (
            (table, key[1].strip("\"'")) == wanted or f"{table}.{key[1]}".lstrip(".") == ".".join(path)
        ):
            return number
    return None


def _closest(name: str, among: list[str]) -> str:
    close = difflib.get_close_matches(name, among, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
