"""Experiments with revisits: policies × webs × budgets × tasks, each a light simulation."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

import msgspec

from lycosa.drive.clock import VirtualClock
from lycosa.lab.experiments.experiment import written_path
from lycosa.lab.tasks.split import split
from lycosa.lab.time.made_worlds import made_world
from lycosa.lab.time.optimum import made
from lycosa.lab.time.recorded import Version, links_of, read_changes, read_versions, site_world
from lycosa.lab.time.world import World
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.revisit.history import DAY
from lycosa.spec.files import load
from lycosa.spec.tree import NotNegative, Part
from lycosa.web.made.changing import BEGINS, ChangingShape, ChangingWeb
from lycosa.web.made.habits import Replay

Versions = Mapping[str, Sequence[Version]]
Links = Mapping[str, Sequence[tuple[float, frozenset[str]]]]
Side = Literal["tuning", "reporting", "all"]
HALF = 0.5
WATCHED = 365.0
"""Days that a real page was watched at least, whose changes are played again."""
Days = Annotated[float, msgspec.Meta(gt=0)]

MEASURES = (
    "freshness",
    "age",
    "relevant freshness",
    "relevant age",
    "staleness",
    "relevant staleness",
    "embarrassment",
    "completeness",
    "coherence",
    "delay",
    "relevant delay",
    "found",
    "relevant found",
    "requests a day",
    "requests per change",
)


class ChangingSpec(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A web that changes: give `changing`, with or without `changes`, or `site`."""

    changing: ChangingShape | None = None
    """A made-up web. A task is a seed and a topic of it."""
    changes: str = ""
    """A table of the times at which real pages changed, as that of page-changes: the made-up pages change then."""
    crawled: bool = False
    """Whether whole crawls of the made-up web are run, in which a policy has the pages that the crawl found; bounds are
    left out. Else policies are simulated alone."""
    share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.3
    """Of whole crawls: of requests, for new pages while some wait."""
    site: str = ""
    """A folder with a recorded site and its `versions.tsv`. A task is a year and a section."""
    sections: tuple[str, ...] = ("/",)
    """Of a site: how the paths of relevant pages begin, a topic each."""
    years: tuple[int, ...] = ()
    """Of a site: on the first of January of these years the days begin."""
    seeds: NotNegative = 8
    """Of a made-up web: so many seeds, a task each."""

    def checked(self, name: str) -> Self:
        """Itself. Raises `InputError`."""
        if (self.changing is None) == (not self.site) or (self.changes and self.site):
            raise InputError(f"web {name!r}: give either changing, if you like with changes, or site")
        if self.crawled and (self.site or self.changes):
            raise InputError(f"web {name!r}: only webs that are made up wholly are crawled")
        if self.site and not self.years:
            raise InputError(f"web {name!r}: give the years in which the days begin")
        if self.changing is not None:
            self.changing.checked()
        return self


class Task(Record, frozen=True, kw_only=True):
    """What a world is made of, besides its web: a seed, or a year and a section."""

    id: str
    number: int
    section: str = ""


class Revisits(Part, frozen=True, kw_only=True):
    """Policies × webs × budgets × tasks. All policies see the same worlds."""

    policies: Mapping[str, str]
    """Names of one's own choice, and specifications as `lycosa refresh --policy` takes them."""
    webs: Mapping[str, ChangingSpec]
    budgets: tuple[Annotated[float, msgspec.Meta(gt=0)], ...] = (0.05,)
    """Requests a day for each page that is there at the beginning."""
    days: Days = 180.0
    since: Annotated[float, msgspec.Meta(ge=0)] = 60.0
    """Measured from this day on: before it policies learn."""
    baseline: str = ""
    """The policy that all others are tested against; empty: the first."""
    metrics: tuple[str, ...] = ("relevant freshness", "relevant delay")
    """The measures that are tested."""
    side: Side = "all"
    """Which half of the tasks: what was chosen on one is reported on the other. A task's half depends on its name, of a
    site on whether the year is even (tuning). Real pages whose changes are played are halved alike."""

    @property
    def against(self) -> str:
        return self.baseline or next(iter(self.policies))

    def checked(self) -> Self:
        """Itself. Raises `InputError` for what cannot be run."""
        if not self.policies or not self.webs:
            raise InputError(
                "give at least one policy under [revisit.policies] and one web under [revisit.webs]"
            )
        if self.against not in self.policies:
            raise InputError(
                f"baseline {self.baseline!r} is none of the policies: {', '.join(self.policies)}"
            )
        if unknown := [metric for metric in self.metrics if metric not in MEASURES]:
            raise InputError(f"there is no measure {unknown[0]!r}; there are {', '.join(MEASURES)}")
        if self.since >= self.days:
            raise InputError(f"since {self.since:g}: measuring must begin before day {self.days:g}")
        nothing = World(name="", days=self.days, pages=())
        for specification in self.policies.values():
            made(specification, nothing)
        for name, web in self.webs.items():
            web.checked(name)
        return self


class RevisitFile(Part, frozen=True, kw_only=True):
    """A TOML file with an experiment with revisits, as the table `[revisit]`."""

    revisit: Revisits
    name: str = "revisits"


def load_revisits(path: Path) -> Revisits:
    """An experiment from a TOML file, its paths taken from where the file lies; see `load_experiment`."""
    read = load(path, RevisitFile).revisit
    webs = {
        name: msgspec.structs.replace(
            web,
            changes=written_path(web.changes, path) if web.changes else "",
            site=written_path(web.site, path) if web.site else "",
        )
        for name, web in read.webs.items()
    }
    return msgspec.structs.replace(read, webs=webs).checked()


def has_revisits(path: Path) -> bool:
    """Whether a file is an experiment with revisits."""
    try:
        return "revisit" in tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # whoever reads it as an experiment says what is wrong


def tasks_of(design: Revisits, web: str) -> Iterator[Task]:
    """The tasks of one web on the design's side."""
    spec = design.webs[web]
    if spec.site:
        for year in spec.years:
            if design.side in ("all", _side(year)):
                for section in spec.sections:
                    yield Task(id=f"{year} {section}", number=year, section=section)
        return
    for seed in range(spec.seeds):
        if design.side in ("all", _side(seed)):
            yield Task(id=f"seed {seed}", number=seed)


def _side(number: int) -> Side:
    return "reporting" if number % 2 else "tuning"


def world_of(design: Revisits, web: str, task: Task) -> World:
    """The world of one task."""
    spec = design.webs[web]
    if spec.changing is None:
        versions, links = _site(Path(spec.site))
        begins = datetime(task.number, 1, 1, tzinfo=UTC).timestamp() * 1000 / DAY
        return site_world(versions, links, begins, design.days, task.section)
    recorded = _played(Path(spec.changes), design.side) if spec.changes else ()
    whole = ChangingWeb(spec.changing, task.number, clock=VirtualClock(BEGINS), recorded=recorded)
    return made_world(whole, task.number % whole.topics, design.days)


@cache
def _site(folder: Path) -> tuple[Versions, Links]:
    versions = read_versions(folder)
    return versions, links_of(folder, versions)


@cache
def _played(path: Path, side: Side) -> tuple[Replay, ...]:
    """Changes of the real pages on one side that were watched long enough."""
    pages = {page: replay for page, replay in read_changes(path).items() if replay.span >= WATCHED}
    there = set(pages) if side == "all" else set(getattr(split(pages, HALF), side))
    return tuple(replay for page, replay in sorted(pages.items()) if page in there)
