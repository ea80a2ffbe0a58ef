"""What an experiment is made of: webs, strategies, and the crawls that follow from them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

import msgspec

from lycosa.crawl.order import Kind
from lycosa.lab.measures.metric_names import is_metric
from lycosa.lab.tasks.made_up import tasks_made
from lycosa.lab.tasks.split import SHARE, Purpose, split
from lycosa.lab.tasks.stand_in import Questions
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.clutter import Clutter
from lycosa.lab.webs.conditions import STRICT, Conditions
from lycosa.lab.webs.generated import Generated
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.spec.registry import classes_of, inputs_asked, parameters_of, with_parameters
from lycosa.spec.tree import DeadSpec, KnowledgeSpec, NotNegative, Part, Positive
from lycosa.web.made.faulty import Faults

Topics = Purpose | Literal["all"]
TASKS = "topics.jsonl"
CRAWL = Conditions()
OWN_BOUND = "max_buffer"
"""The parameter of strategies that keep the URLs that wait themselves, for how many these may be."""


class WebSpec(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A recorded or a generated web, the tasks on it, and the conditions under which it is crawled."""

    path: str = ""
    """A folder of WARC files, or one file."""
    generated: Generated | None = None
    """Instead of `path`, a web that is made up as it is crawled."""
    tasks: str = ""
    """A file of tasks; without one, `topics.jsonl` in the web's folder, and those of a generated web are made up."""
    frontiers: tuple[NotNegative, ...] = ()
    """For this web instead of the experiment's."""
    faults: Faults | None = None
    """What fails and what is slow."""
    litter: Clutter | None = None
    """Near-copies and traps that are put in."""
    strict: bool = False
    """The strict order: no host rests and one visit follows the other, so that pages come in the order of the strategy
    alone, and each name is a page, as in most published experiments. `delay`, `connections`, `order` and `aliases` then
    say nothing."""
    delay: NotNegative = CRAWL.delay
    """Milliseconds that a host rests between two visits, on the virtual clock."""
    connections: Positive = CRAWL.connections
    """Visits side by side, one a host at most."""
    order: Kind = CRAWL.order
    """As of `lycosa crawl --order`: what is fetched while better links wait for their hosts."""
    patience: Annotated[float, msgspec.Meta(gt=0)] = CRAWL.patience
    aliases: bool = CRAWL.aliases
    """Whether a page is known by its second names, as with `[traps]` of a crawl; never in the strict order."""
    dead: DeadSpec = CRAWL.dead
    """What a crawl makes of links that lead to nothing; with `strict`, nothing."""
    metric: str = ""
    """What decides on this web, instead of the experiment's."""
    seconds: NotNegative = 0
    """Virtual seconds over which recall is measured besides pages; 0: it is not. Crawls go on after them. Choose a time
    in which no strategy comes to the end of its pages."""
    seed: int = 0
    """Of all that conditions draw."""
    knowledge: KnowledgeSpec | None = None
    """What crawls are told of words besides, as in `[topic.knowledge]` of a crawl. Files are known by their names: give
    one that you change another name."""
    questions: Questions | None = None
    """A stand-in who knows the answers is asked about pages while a crawl runs, and marks them."""

    def task_file(self) -> Path:
        return Path(self.tasks) if self.tasks else Path(self.path) / TASKS

    def all_tasks(self, distances: tuple[int, ...]) -> Sequence[Task]:
        """The tasks of the file, or those that are made for a generated web. Raises `InputError` if there are none."""
        if self.generated is not None and not self.tasks:
            return tasks_made(self.generated, distances)
        return read_tasks(self.task_file())

    @property
    def bare(self) -> WebSpec:
        """The web and nothing else: what a process that crawls may know of it."""
        return WebSpec(path=self.path, generated=self.generated)

    @property
    def conditions(self) -> Conditions:
        kept = STRICT if self.strict else self
        faults = None if self.faults == Faults() else self.faults
        litter = None if self.litter == Clutter() else self.litter
        asked = Conditions(
            faults=faults,
            litter=litter,
            delay=kept.delay,
            connections=kept.connections,
            order=kept.order,
            patience=kept.patience,
            aliases=kept.aliases,
            dead=kept.dead,
            seed=self.seed if faults or litter else 0,
        )
        return STRICT if asked == STRICT else asked  # the very one, so that it is left out of keys


class Design(Part, frozen=True, kw_only=True):
    """Strategies × webs × topics × distances × frontiers × seeds, each a crawl of `pages` pages.

    All crawls of one web see the same pages. A strategy that draws lots should get several `seeds`: a topic's values
    are averaged over them first.
    """

    strategies: Mapping[str, str]
    """What is compared: names of one's own choice, and specifications as `lycosa crawl --strategy` takes them."""
    webs: Mapping[str, WebSpec]
    name: str = "experiment"
    baseline: str = ""
    """The strategy that all others are tested against; empty: the first."""
    metric: str = "auc"
    """What decides which strategy is best: `auc` (of recall over all pages), `auc@N` (over the first N), `recall@N`,
    `harvest@N`, `auc over requests`, `auc over time` or another value of the results of which more is better."""
    pages: Positive = 1_000
    distances: tuple[NotNegative, ...] = (3,)
    """D, the links from the start pages to the nearest target."""
    frontiers: tuple[NotNegative, ...] = (0,)
    """The most URLs that may wait (MAX_BUFFER); 0: no limit. A strategy that keeps its URLs itself gets the limit as
    its parameter `max_buffer`, unless it has one already, and without a limit keeps its own."""
    seeds: tuple[int, ...] = (0,)
    random: tuple[str, ...] = ()
    """Strategies that draw lots, by their names here: only these get more than the first seed. Empty: all of them."""
    topics: Topics = "all"
    """Which side of the split the topics come from. What was tuned on one side is reported on the other."""
    most_topics: NotNegative = 0
    """So many topics of each web at most, the first of the file; 0: all."""
    tuning_share: Annotated[float, msgspec.Meta(ge=0, le=1)] = SHARE
    examples: NotNegative = 0
    """So many example pages are given with the keywords, where the task has them and does not hide them."""
    tuned_on: tuple[str, ...] = ()
    """Topics that parameters of these strategies were tuned on, as ids: none of them may be reported on."""

    @property
    def against(self) -> str:
        """The baseline's name."""
        return self.baseline or next(iter(self.strategies))

    def seeds_of(self, label: str) -> tuple[int, ...]:
        """The seeds that a strategy is run with."""
        return self.seeds if not self.random or label in self.random else self.seeds[:1]

    def checked(self) -> Self:
        """Itself. Raises `InputError` for what no crawl could be made of."""
        if not self.strategies:
            raise InputError("the experiment has no strategies; name some under [strategies]")
        if not self.webs:
            raise InputError("the experiment has no web; give at least one under [webs]")
        if self.against not in self.strategies:
            raise InputError(
                f"baseline {self.baseline!r} is none of the strategies: {', '.join(self.strategies)}"
            )
        if unknown := [label for label in self.random if label not in self.strategies]:
            raise InputError(
                f"random: {unknown[0]!r} is none of the strategies: {', '.join(self.strategies)}"
            )
        for specification in self.strategies.values():
            inputs_asked(specification)
        for name, web in self.webs.items():
            self._check_web(name, web)
        return self

    def _check_web(self, name: str, web: WebSpec) -> None:
        if bool(web.path) == (web.generated is not None):
            raise InputError(f"web {name!r}: give either path or generated")
        if web.faults is not None:
            web.faults.checked()
        metric = web.metric or self.metric
        if not is_metric(metric, self.pages):
            raise InputError(
                f"there is no metric {metric!r} for crawls of {self.pages:,} pages, such as auc or auc@100"
            )
        if metric.endswith("over time") and not web.seconds:
            raise InputError(f"web {name!r}: {metric!r} needs a time to be measured over; give it seconds")

    def digest(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()


class Cell(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One crawl of an experiment. What has a default is no part of the key where it is left out."""

    label: str
    """The strategy's name in the experiment."""
    strategy: str
    web: str
    task: str
    distance: int
    pages: int
    frontier: int
    seed: int
    examples: int
    conditions: Conditions = STRICT
    knowledge: KnowledgeSpec | None = None
    """None: nothing but the keywords and examples."""
    questions: Questions | None = None
    """None: nobody marks pages."""

    def key(self, web_digest: str, task_digest: str) -> str:
        """Names the cell's result: the same crawl has the same key, whatever it is called."""
        told = msgspec.json.encode([web_digest, task_digest, msgspec.structs.replace(self, label="", web="")])
        return hashlib.sha256(told).hexdigest()[:32]


def tasks_of(design: Design, web: str) -> list[Task]:
    """The tasks of one web that the experiment is about.

    Raises `InputError` if there are none, or if a topic that was tuned on is to be reported on.
    """
    tasks = list(design.webs[web].all_tasks(design.distances))
    if design.topics != "all":
        lock = split((task.id for task in tasks), design.tuning_share)
        tasks = lock.pick(tasks, design.topics)
    if design.topics != "tuning":
        both = sorted({task.id for task in tasks} & set(design.tuned_on))
        if both:
            raise InputError(f"topic {both[0]!r} was tuned on: results on it cannot be reported")
    there = [task for task in tasks if any(task.seeds.get(d) for d in design.distances)]
    if not there:
        asked = ", ".join(map(str, design.distances))
        raise InputError(f"web {web!r} has no {design.topics} topic with start pages at D = {asked}")
    return there[: design.most_topics] if design.most_topics else there


def cells_of(design: Design, web: str, tasks: list[Task]) -> Iterator[Cell]:
    """The crawls on one web, topic by topic: a run that is cut short has whole topics to compare."""
    conditions = design.webs[web].conditions
    for task in tasks:
        for distance in design.distances:
            if not task.seeds.get(distance):
                continue
            for label, strategy in design.strategies.items():
                for frontier in design.webs[web].frontiers or design.frontiers:
                    for seed in design.seeds_of(label):
                        yield Cell(
                            label=label,
                            strategy=bounded(strategy, frontier),
                            web=web,
                            task=task.id,
                            distance=distance,
                            pages=design.pages,
                            frontier=frontier,
                            seed=seed,
                            examples=design.examples,
                            conditions=conditions,
                            knowledge=design.webs[web].knowledge,
                            questions=design.webs[web].questions,
                        )


@cache
def bounded(specification: str, frontier: int) -> str:
    """The strategy for a frontier of this size, for one that keeps its URLs itself: what the crawl's frontier may hold
    is nothing to it."""
    first = classes_of(specification)[0]
    own = next((each for each in parameters_of(first) if each.name == OWN_BOUND), None)
    if own is None or not frontier or f"{OWN_BOUND}=" in specification.replace(" ", ""):
        return specification
    return with_parameters(specification, {OWN_BOUND: max(frontier, int(own.least or 1))})
